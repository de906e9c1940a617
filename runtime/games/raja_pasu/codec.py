"""Raja Pasu as JSON: positions, moves, and the steps of a sowing for an app to animate."""

from __future__ import annotations

from collections import Counter
from typing import Any, NoReturn

from ustad.runtime.core.entry import Codec
from ustad.runtime.core.errors import MoveError, OutcomeError, PositionError, shown
from ustad.runtime.core.shapes import Keys, Shapes, list_of, one_of, options_shape, or_null, whole
from ustad.runtime.core.strict_json import Fields, is_int
from ustad.runtime.games.raja_pasu.rules import (
    ALL_SEEDS,
    FOUR,
    HOLES,
    LAP,
    MOST_ROUNDS,
    MOVES,
    NAME,
    OPTIONS,
    ROW,
    RULES,
    SEEDS_A_HOLE,
    Match,
    RajaPasu,
    RajaPasuState,
    Sow,
    closed_holes,
)

MOST_EARLIER = 10_000
"""The most boards that a position may remember; rounds that are played remember some dozens."""


_BOARD = list_of(whole(0, ALL_SEEDS), HOLES, HOLES)

MATCH = Keys(
    {
        "owned": list_of(whole(SEEDS_A_HOLE, ALL_SEEDS), 2, 2),
        "round": whole(1, MOST_ROUNDS),
        "leader": whole(0, 1),
    }
)

POSITION = Keys(
    {"game": one_of([NAME]), "board": _BOARD, "to_move": whole(0, 1)},
    {
        "options": options_shape(OPTIONS),
        "closed": list_of(whole(0, HOLES - 1), 0, HOLES),
        "captured": list_of(whole(0, ALL_SEEDS), 2, 2),
        "earlier": list_of(_BOARD, 0, MOST_EARLIER),
        "match": or_null(MATCH.schema()),
    },
)

MOVE = Keys({"hole": whole(0, HOLES - 1)})


class RajaPasuCodec(Codec[RajaPasuState, Sow, NoReturn]):
    """Positions, moves and sowing as JSON."""

    shapes = Shapes(POSITION.schema(), MOVE.schema(), {"not": {}})

    # JSON.

    def state_from_json(self, position: Any) -> RajaPasuState:
        """Return the state that a JSON position describes."""
        fields = POSITION.read(position, "position")
        fields.one_of("game", (NAME,))
        match_given = fields.take("match", None)
        options = RULES.read_options(fields.take("options", {}))
        if options["match"] and match_given is None:
            fields.fail("match", "owned, round and leader, since the options say match", None)
        rules = RajaPasu(**{**options, "match": match_given is not None})
        board = _counts(fields, "board", fields.take("board"), HOLES)
        closed = _closed(fields, board)
        captured = _of_both(fields, "captured", [0, 0])
        to_move = fields.integer("to_move", 0, 1)
        earlier = _earlier(fields, board, closed)
        fields.done()
        seeds = sum(board) + sum(captured)
        if seeds > ALL_SEEDS:
            fields.fail("board", f"at most {ALL_SEEDS} seeds with those captured", seeds)
        match = None if match_given is None else _match(match_given, rules, seeds, closed)
        untouched = all(board[hole] == SEEDS_A_HOLE for hole in range(HOLES) if hole not in closed)
        if match is not None and untouched and to_move != match.leader:
            fields.fail("to_move", f"{match.leader}, who leads the round", to_move)
        return RajaPasuState(rules, board, closed, to_move, captured, earlier, match)

    def state_to_json(self, state: RajaPasuState) -> dict[str, Any]:
        """Return the JSON position; options at their defaults and an empty past are left out."""
        position: dict[str, Any] = {"game": NAME}
        options = {
            option.name: state.rules.options[option.name]
            for option in OPTIONS
            if option.name != "match" and state.rules.options[option.name] != option.default
        }
        if options:
            position["options"] = options
        position |= {
            "board": list(state.board),
            "closed": list(state.closed),
            "to_move": state.to_move,
            "captured": list(state.captured),
        }
        if state.earlier:
            position["earlier"] = [list(board) for board in state.earlier]
        if state.match:
            position["match"] = {**state.match._asdict(), "owned": list(state.match.owned)}
        return position

    def move_from_json(self, move: Any) -> Sow:
        """Return the move that a JSON object describes."""
        fields = MOVE.read(move, "move", MoveError)
        hole = fields.integer("hole", 0, HOLES - 1)
        fields.done()
        return MOVES[hole]

    def move_to_json(self, move: Sow) -> dict[str, Any]:
        """Return the JSON object of a move."""
        return {"hole": move.hole}

    def outcome_from_json(self, outcome: Any) -> NoReturn:
        """Refuse: the game has no chance."""
        raise OutcomeError(f"outcome: no chance is to fall in raja_pasu, got {shown(outcome)}")

    def outcome_to_json(self, outcome: Any) -> NoReturn:
        """Refuse: the game has no chance."""
        raise OutcomeError(f"outcome: no chance is to fall in raja_pasu, got {shown(outcome)}")

    def events(
        self, before: RajaPasuState, move: Sow, after: RajaPasuState
    ) -> list[dict[str, Any]]:
        """Return the steps of a move in order, one object each.

        - ``{"lap": 1, "hole": 0, "seeds": 7, "sown": [1, 2, ...]}``: the lap's
          number, where its seeds were taken up, and where each fell;
        - ``{"pasu": 8, "seat": 1, "seeds": 4, "after": 3}``: the hole taken, by
          whom, and after which of the seeds of the lap before;
        - ``{"pussa": 4, "seat": 0, "seeds": 3}``;
        - ``{"endless": true}`` where the relay was stopped;
        - ``{"over": [south, north], "repeated": false}``: what each takes of the
          board at the end of a round;
        - ``{"round": 2, "leader": 0, "owned": [57, 41], "closed": [7, 8]}``: the
          start of the next round of a match.
        """
        steps, endless = before.steps(move)
        events: list[dict[str, Any]] = []
        laps = 0
        for kind, hole, seeds, sown in steps:
            if kind == LAP:
                laps += 1
                fell = _fallen(before, hole, seeds)
                events.append({"lap": laps, "hole": hole, "seeds": seeds, "sown": fell})
            elif kind == FOUR:
                events.append({"pasu": hole, "seat": hole // ROW, "seeds": seeds, "after": sown})
            else:
                events.append({"pussa": hole, "seat": before.to_move, "seeds": seeds})
        if endless:
            events.append({"endless": True})
        ended = before.after_sowing(move)
        if ended.is_over():
            events.append({"over": list(ended.remainder()), "repeated": ended.repeated()})
        if after.match and after.match != before.match:
            match = after.match._asdict()
            events.append({**match, "owned": list(after.match.owned), "closed": list(after.closed)})
        return events


def _fallen(state: RajaPasuState, start: int, seeds: int) -> list[int]:
    """Return the holes that the seeds of a lap fall into, in order."""
    holes = state.ring().holes
    at = holes.index(start)
    around = [*holes[at + 1 :], *holes[: at + 1]]
    if state.rules.skipped and len(around) > 1:
        around.pop()
    return [around[i % len(around)] for i in range(seeds)]


# Reading positions.


def _counts(fields: Fields, key: str, given: Any, length: int) -> tuple[int, ...]:
    """Return a list of so many counts of seeds."""
    if (
        not isinstance(given, list)
        or len(given) != length
        or not all(is_int(seeds, 0, ALL_SEEDS) for seeds in given)
    ):
        fields.fail(key, f"a list of {length} whole numbers from 0 to {ALL_SEEDS}", given)
    return tuple(given)


def _of_both(fields: Fields, key: str, default: list[int] | None = None) -> tuple[int, int]:
    """Return the counts of South and of North."""
    given = fields.take(key) if default is None else fields.take(key, default)
    south, north = _counts(fields, key, given, 2)
    return south, north


def _closed(fields: Fields, board: tuple[int, ...]) -> tuple[int, ...]:
    """Return the closed holes in ascending order."""
    given = fields.take("closed", [])
    if not isinstance(given, list) or not all(is_int(hole, 0, HOLES - 1) for hole in given):
        fields.fail("closed", f"a list of holes from 0 to {HOLES - 1}", given)
    if len(set(given)) < len(given):
        fields.fail("closed", "each hole once", given)
    for hole in given:
        if board[hole]:
            fields.fail("board", f"no seed in hole {hole}, which is closed", board[hole])
    return tuple(sorted(given))


def _earlier(
    fields: Fields, board: tuple[int, ...], closed: tuple[int, ...]
) -> tuple[tuple[int, ...], ...]:
    """Return the boards since the last irreversible move."""
    given = fields.take("earlier", [])
    if not isinstance(given, list):
        fields.fail("earlier", "a list of boards", given)
    if len(given) > MOST_EARLIER:
        fields.fail("earlier", f"at most {MOST_EARLIER} boards", len(given))
    found = tuple(_counts(fields, "earlier", past, HOLES) for past in given)
    times = Counter(found)
    for past in times:
        if sum(past) != sum(board) or any(past[hole] for hole in closed):
            fields.fail("earlier", f"boards with {sum(board)} seeds in open holes", list(past))
        if any(a != b and max(a, b) > 3 for a, b in zip(past, board, strict=True)):
            # A hole of four or more changes for good.
            fields.fail("earlier", "boards alike in every hole of four or more", list(past))
        if times[past] > 2:
            fields.fail("earlier", "no board three times, which ends the round", list(past))
    return found


def _match(given: Any, rules: RajaPasu, seeds: int, closed: tuple[int, ...]) -> Match:
    """Return what the position says of its match, checked against the round."""
    fields = MATCH.read(given, "match")
    owned = _of_both(fields, "owned")
    number = fields.integer("round", 1, rules.max_rounds)
    leader = fields.integer("leader", 0, 1)
    fields.done()
    if sum(owned) != ALL_SEEDS or min(owned) < SEEDS_A_HOLE:
        expected = f"two numbers from {SEEDS_A_HOLE} that add up to {ALL_SEEDS}"
        fields.fail("owned", expected, list(owned))
    if number == 1 and len(set(owned)) > 1:
        fields.fail("owned", f"{[ALL_SEEDS // 2] * 2} in round 1", list(owned))
    expected_closed = closed_holes(owned)
    if closed != expected_closed:
        raise PositionError(
            f"position: closed: expected {list(expected_closed)} with owned {list(owned)}, "
            f"got {list(closed)}"
        )
    in_round = SEEDS_A_HOLE * (HOLES - len(closed))
    if seeds != in_round:
        raise PositionError(
            f"position: board: expected {in_round} seeds on the board and captured in this round, "
            f"got {seeds}"
        )
    return Match(owned, number, leader)


CODEC = RajaPasuCodec()
