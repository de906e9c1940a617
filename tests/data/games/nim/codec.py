"""Nim as JSON, and in words."""

from __future__ import annotations

from typing import Any

from ustad.runtime.core.entry import Codec, Text
from ustad.runtime.core.errors import MoveError, OutcomeError, shown
from ustad.runtime.core.game import CHANCE
from ustad.runtime.core.shapes import Keys, Shapes, one_of, options_shape, or_null, whole
from ustad.runtime.core.strict_json import is_int
from ustad.runtime.games.nim.rules import FACES, NAME, RULES, STONES, NimState, Take

_FACE = whole(FACES[0], FACES[-1])

POSITION = Keys(
    {"game": one_of([NAME]), "stones": whole(0, STONES), "to_move": whole(0, 1)},
    {"options": options_shape(RULES.options), "die": or_null(_FACE)},
)

MOVE = Keys({"take": _FACE})


class NimCodec(Codec[NimState, Take, int]):
    """Positions such as ``{"game": "nim", "stones": 7, "to_move": 0, "die": 2}``."""

    shapes = Shapes(POSITION.schema(), MOVE.schema(), _FACE)

    def state_from_json(self, position: Any) -> NimState:
        """Return the state that a JSON position describes."""
        fields = POSITION.read(position, "position")
        fields.one_of("game", (NAME,))
        rules = RULES.read(fields.take("options", {}))
        stones = fields.integer("stones", 0, STONES)
        to_move = fields.integer("to_move", 0, 1)
        die = fields.take("die", None)
        if die is not None and (not stones or not is_int(die, FACES[0], FACES[-1])):
            fields.fail("die", "null or, with a stone left, 1, 2 or 3", die)
        fields.done()
        return NimState(rules, stones, to_move, die)

    def state_to_json(self, state: NimState) -> dict[str, Any]:
        """Return the JSON position of a state."""
        known = {"stones": state.stones, "to_move": state.to_move, "die": state.die}
        return {"game": NAME, "options": state.rules.options, **known}

    def move_from_json(self, move: Any) -> Take:
        """Return the move that a JSON object describes."""
        fields = MOVE.read(move, "move", MoveError)
        stones = fields.integer("take", FACES[0], FACES[-1])
        fields.done()
        return Take(stones)

    def move_to_json(self, move: Take) -> dict[str, Any]:
        """Return the JSON object of a move."""
        return {"take": move.stones}

    def outcome_from_json(self, outcome: Any) -> int:
        """Return the face of the die."""
        if not is_int(outcome, FACES[0], FACES[-1]):
            raise OutcomeError(f"outcome: expected 1, 2 or 3, got {shown(outcome)}")
        return int(outcome)

    def outcome_to_json(self, outcome: int) -> int:
        """Return the face of the die."""
        return outcome

    def events(self, before: NimState, move: Any, after: NimState) -> list[dict[str, Any]]:
        """Return what was taken or thrown."""
        if before.current_player() == CHANCE:
            return [{"seat": before.to_move, "thrown": move}]
        return [{"seat": before.to_move, "taken": move.stones}]


CODEC = NimCodec()


class NimText(Text[NimState, Take]):
    """Heap and moves in words."""

    def describe(self, state: NimState) -> str:
        """Return the heap, and whose turn it is."""
        return f"{state.stones} stones, die {state.die}, seat {state.to_move} to move"

    def describe_move(self, move: Take) -> str:
        """Return a move in a few words."""
        return f"take {move.stones}"

    def prompt(self, state: NimState) -> str:
        """Return what can be typed now."""
        return "how many stones to take: " + ", ".join(
            str(move.stones) for move in state.legal_moves()
        )

    def move_from_text(self, state: NimState, text: str) -> Take:
        """Return the number of stones typed."""
        for move in state.legal_moves():
            if text.strip().removeprefix("take ") == str(move.stones):
                return move
        raise MoveError(f"{shown(text)}: expected {self.prompt(state)}")


TEXT = NimText()
