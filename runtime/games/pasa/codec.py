"""Pasa as JSON: positions, bets and throws."""

from __future__ import annotations

from typing import Any

from ustad.runtime.core.entry import Codec
from ustad.runtime.core.errors import MoveError, OutcomeError, shown
from ustad.runtime.core.game import CHANCE
from ustad.runtime.core.options import read_options
from ustad.runtime.core.shapes import Keys, Shapes, list_of, one_of, options_shape, or_null, whole
from ustad.runtime.core.strict_json import Fields, is_int
from ustad.runtime.games.pasa.rules import (
    DICE,
    FACES,
    MOST_CHIPS,
    NAME,
    NAMED,
    NO_MAXIMUM,
    POSITION_OPTIONS,
    RULES,
    Pasa,
    PasaState,
    Result,
    Throw,
    bets_in_words,
    no_bets,
    result,
)

_SEATS = RULES.seats.least, RULES.seats.most
_CHIPS = whole(0, NO_MAXIMUM)

POSITION = Keys(
    {
        "game": one_of([NAME]),
        "stacks": list_of(_CHIPS, *_SEATS),
        "thrower": whole(0, RULES.seats.most - 1),
        "turns_left": _CHIPS,
        "bets": list_of(or_null(_CHIPS), *_SEATS),
    },
    {"options": options_shape(POSITION_OPTIONS)},
)

MOVE = Keys({"bet": _CHIPS})


class PasaCodec(Codec[PasaState, int, Throw]):
    """Positions, bets and throws as JSON."""

    shapes = Shapes(POSITION.schema(), MOVE.schema(), list_of(one_of(FACES), DICE, DICE))

    def state_from_json(self, position: Any) -> PasaState:
        """Return the state that a JSON position describes."""
        fields = POSITION.read(position, "position")
        fields.one_of("game", (NAME,))
        rules = Pasa(**read_options(POSITION_OPTIONS, fields.take("options", {})))
        stacks = fields.take("stacks")
        if not isinstance(stacks, list) or not all(is_int(s, 0, NO_MAXIMUM) for s in stacks):
            fields.fail("stacks", "a list with the chips of each seat, whole numbers", stacks)
        least, most, _ = RULES.seats
        if not least <= len(stacks) <= most:
            fields.fail("stacks", f"{least} to {most} seats", stacks)
        players = len(stacks)
        if not 0 < sum(stacks) <= MOST_CHIPS:
            fields.fail("stacks", f"1 to {MOST_CHIPS} chips in all, in stakes", stacks)
        thrower = fields.integer("thrower", 0, players - 1)
        turns_left = fields.integer("turns_left", 0, NO_MAXIMUM)
        bets = fields.take("bets")
        fields.done()
        state = PasaState(rules, tuple(stacks), thrower, turns_left, no_bets(stacks, thrower))
        if not stacks[thrower] and not state.is_over():
            fields.fail("thrower", "a seat with chips, the turns of others are skipped", thrower)
        return _with_bets(state, bets, fields)

    def state_to_json(self, state: PasaState) -> dict[str, Any]:
        """Return the JSON position of a state."""
        return {
            "game": NAME,
            "options": dict(state.rules.options),
            "stacks": list(state.stacks),
            "thrower": state.thrower,
            "turns_left": state.turns_left,
            "bets": list(state.bets),
        }

    def move_from_json(self, move: Any) -> int:
        """Return the bet that a JSON object describes."""
        fields = MOVE.read(move, "move", MoveError)
        bet = fields.integer("bet", 0, NO_MAXIMUM)
        fields.done()
        return bet

    def move_to_json(self, move: int) -> dict[str, Any]:
        """Return the JSON object of a bet."""
        return {"bet": move}

    def outcome_from_json(self, outcome: Any) -> Throw:
        """Return the three faces, in ascending order."""
        expected = f"a list of {DICE} faces of {', '.join(map(str, FACES))}"
        if (
            not isinstance(outcome, list)
            or len(outcome) != DICE
            or not all(is_int(face, 1, 6) and face in FACES for face in outcome)
        ):
            raise OutcomeError(f"outcome: expected {expected}, got {shown(outcome)}")
        return tuple(sorted(outcome))

    def outcome_to_json(self, outcome: Throw) -> list[int]:
        """Return the three faces."""
        return list(outcome)

    def events(self, before: PasaState, move: Any, after: PasaState) -> list[dict[str, Any]]:
        """Return the bet, or the throw with its result, its name if it has one, and gains.

        Seats whose turn is skipped, having no chips, follow as ``{"skipped": seat}``.
        """
        if before.current_player() != CHANCE:
            return [{"seat": before.current_player(), "bet": move}]
        fallen = result(move)
        event: dict[str, Any] = {
            "seat": before.thrower,
            "thrown": list(move),
            "sum": sum(move),
            "result": fallen.value,
            "gained": list(before.gains(fallen)),
        }
        if (name := NAMED.get(tuple(sorted(move)))) is not None:
            event["named"] = name
        ended = before.turns_left - (fallen is Result.TIRO)
        next_seats = range(before.thrower + 1, before.thrower + 1 + ended - after.turns_left)
        return [event, *({"skipped": seat % len(before.stacks)} for seat in next_seats)]


def _with_bets(state: PasaState, bets: Any, fields: Fields) -> PasaState:
    """Return the state with the bets of a JSON position made one after the other."""
    players = len(state.stacks)
    if not isinstance(bets, list) or len(bets) != players:
        fields.fail("bets", f"a list of {players}, one a seat", bets)
    for seat in range(players):
        held = state.bets[seat]
        free = held is None and seat != state.thrower and not state.is_over()
        if not free and (type(bets[seat]) is not type(held) or bets[seat] != held):
            fields.fail(f"bets[{seat}]", shown(held), bets[seat])
    for seat in state.bettors() if not state.is_over() else ():
        bet = bets[seat]
        if bet is None:
            late = next((s for s in state.bettors() if bets[s] is not None), None)
            if late is not None:
                fields.fail(f"bets[{late}]", f"null, since seat {seat} bets before it", bets[late])
            break
        legal = state.legal_moves()
        if not is_int(bet, 0, NO_MAXIMUM) or bet not in legal:
            fields.fail(f"bets[{seat}]", f"null or one of {bets_in_words(legal)}", bet)
        state = state.apply(bet)
    return state


CODEC = PasaCodec()
