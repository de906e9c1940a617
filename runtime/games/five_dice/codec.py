"""Games of five dice as JSON: sheets, dice, keeps and writes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ustad.runtime.core.entry import Codec, Rulebook
from ustad.runtime.core.errors import MoveError, OutcomeError, PositionError, shown
from ustad.runtime.core.shapes import (
    Keys,
    Shape,
    Shapes,
    list_of,
    move_of,
    one_of,
    options_shape,
    or_null,
    whole,
)
from ustad.runtime.core.strict_json import Fields, is_int
from ustad.runtime.games.five_dice.sheet import ROLLS_A_TURN, Keep, SheetState, Write
from ustad.runtime.games.five_dice.turn import DICE, FACES


def dice_shape(least: int, most: int) -> Shape:
    """Return the shape of so many dice."""
    return list_of(whole(1, FACES), least, most)


class SheetCodec(Codec[SheetState, Any, tuple[int, ...]]):
    """Positions, moves and dice as JSON; the sheets are each game's own.

    Args:
        rulebook: the rules of the game before its options are chosen.
        name: the game's name.
        boxes: the boxes by name, in the order of the sheet.
        sheet: the keys of a sheet.
        more: further keys that a position may have.
        more_moves: further moves.
    """

    def __init__(
        self,
        rulebook: Rulebook[Any],
        name: str,
        boxes: Sequence[str],
        sheet: Keys,
        more: Mapping[str, Shape] | None = None,
        more_moves: Mapping[str, Shape] | None = None,
    ) -> None:
        self._rulebook = rulebook
        self._name = name
        self._boxes = boxes
        self.sheet = sheet
        least, most, _ = rulebook.seats
        seat = whole(0, most - 1)
        self.position = Keys(
            {
                "game": one_of([name]),
                "sheets": list_of(sheet.schema(), least, most),
                "dice": or_null(dice_shape(DICE, DICE)),
                "rolls_left": whole(0, ROLLS_A_TURN),
            },
            {
                "options": options_shape(rulebook.options),
                "first": seat,
                "to_move": seat,
                "kept": or_null(dice_shape(0, DICE - 1)),
                **(more or {}),
            },
        )
        self.moves = {"keep": dice_shape(0, DICE - 1), "write": one_of(boxes), **(more_moves or {})}
        self.shapes = Shapes(self.position.schema(), move_of(self.moves), dice_shape(1, DICE))

    @abstractmethod
    def sheet_from_json(self, rules: Any, sheet: Any, name: str) -> Any:
        """Return the sheet that a JSON object describes, or raise PositionError."""

    @abstractmethod
    def sheet_to_json(self, rules: Any, sheet: Any) -> dict[str, Any]:
        """Return the JSON object of a sheet."""

    def sheets_from_json(
        self, rules: Any, fields: Fields, sheets: Sequence[Any]
    ) -> tuple[Any, ...]:
        """Return the sheets of a position; a game may read other keys with them."""
        del fields
        return tuple(
            self.sheet_from_json(rules, sheet, f"sheets[{seat}]")
            for seat, sheet in enumerate(sheets)
        )

    def sheets_to_json(self, state: SheetState) -> dict[str, Any]:
        """Return what a position says of its sheets, by key."""
        return {"sheets": [self.sheet_to_json(state.rules, sheet) for sheet in state.sheets]}

    def state_from_json(self, position: Any) -> SheetState:
        """Return the state that a JSON position describes."""
        fields = self.position.read(position, "position")
        fields.one_of("game", (self._name,))
        rules = self._rulebook.read(fields.take("options", {}))
        given = fields.take("sheets")
        least, most, _ = self._rulebook.seats
        if not isinstance(given, list) or not least <= len(given) <= most:
            seats = f"{least} to {most} seats"
            fields.fail("sheets", f"a list with one sheet a seat, {seats}", given)
        players = len(given)
        sheets = self.sheets_from_json(rules, fields, given)
        first = fields.integer("first", 0, players - 1, 0)
        to_move = fields.integer(
            "to_move", 0, players - 1, **({"default": 0} if players == 1 else {})
        )
        kept, dice, rolls_left = _read_roll(fields)
        fields.done()
        state = SheetState(rules, sheets, first, to_move, kept, dice, rolls_left)
        _check_rotation(state)
        if state.is_over() and rolls_left != ROLLS_A_TURN:
            fields.fail("rolls_left", f"{ROLLS_A_TURN}, since every sheet is full", rolls_left)
        return state

    def state_to_json(self, state: SheetState) -> dict[str, Any]:
        """Return the JSON position of a state."""
        position: dict[str, Any] = {
            "game": self._name,
            "options": dict(state.rules.options),
            **self.sheets_to_json(state),
            "first": state.first,
            "to_move": state.to_move,
        }
        if state.dice is None and state.rolls_left < ROLLS_A_TURN:
            position["kept"] = list(state.kept)
        position["dice"] = None if state.dice is None else list(state.dice)
        position["rolls_left"] = state.rolls_left
        return position

    def move_from_json(self, move: Any) -> Any:
        """Return the keep or write that a JSON object describes."""
        fields = Fields(move, "move", MoveError)
        if len(move.keys() & self.moves.keys()) != 1:
            raise MoveError(f"move: expected one of {', '.join(self.moves)}, got {shown(move)}")
        found: Any
        if "keep" in move:
            found = Keep(check_dice(fields, "keep", fields.take("keep"), 0, DICE - 1))
        else:
            found = Write(fields.one_of("write", self._boxes))
        fields.done()
        return found

    def move_to_json(self, move: Any) -> dict[str, Any]:
        """Return the JSON object of a keep or write."""
        return {"keep": list(move.dice)} if isinstance(move, Keep) else {"write": move.box}

    def outcome_from_json(self, outcome: Any) -> tuple[int, ...]:
        """Return the dice thrown, in ascending order."""
        fields = Fields({"dice": outcome}, "outcome", OutcomeError)
        return check_dice(fields, "dice", fields.take("dice"), 1, DICE)

    def outcome_to_json(self, outcome: tuple[int, ...]) -> list[int]:
        """Return the dice thrown."""
        return list(outcome)

    def events(self, before: SheetState, move: Any, after: SheetState) -> list[dict[str, Any]]:
        """Return the dice thrown, the dice kept, or the box written and what it brought."""
        if before.dice is None:
            return [{"thrown": list(move)}]
        event: dict[str, Any] = self.move_to_json(move)
        if not isinstance(move, Keep):
            old, new = before.sheet, after.sheets[before.to_move]
            gained = before.rules.total(new) - before.rules.total(old)
            event |= {"seat": before.to_move, "gained": gained, "total": before.rules.total(new)}
        return [event]


def _read_roll(fields: Fields) -> tuple[tuple[int, ...], tuple[int, ...] | None, int]:
    """Return the kept dice, the dice and the rolls left of a position."""
    dice, kept = fields.take("dice"), fields.take("kept", None)
    if dice is not None:
        if kept is not None:
            fields.fail("kept", "nothing beside dice", kept)
        rolled = check_dice(fields, "dice", dice, DICE, DICE)
        return (), rolled, fields.integer("rolls_left", 0, ROLLS_A_TURN - 1)
    if kept is None:
        return (), None, fields.integer("rolls_left", ROLLS_A_TURN, ROLLS_A_TURN)
    held = check_dice(fields, "kept", kept, 0, DICE - 1)
    return held, None, fields.integer("rolls_left", 1, ROLLS_A_TURN - 1)


def _check_rotation(state: SheetState) -> None:
    """Refuse sheets that no order of turns can give.

    From the first roller to the seat before the one to move, each sheet is one
    turn ahead of the others.
    """
    turns = [state.rules.turns_taken(sheet) for sheet in state.sheets]
    seats = len(turns)
    ahead = (state.to_move - state.first) % seats
    least = turns[state.to_move]
    for offset in range(seats):
        seat = (state.first + offset) % seats
        expected = least + (offset < ahead)
        if turns[seat] != expected:
            if state.is_over():
                raise PositionError(
                    f"position: to_move: expected {state.first}, the first seat, since every "
                    f"sheet is full, got {state.to_move}"
                )
            raise PositionError(
                f"position: sheets[{seat}]: expected {expected} turns taken, since seat "
                f"{state.first} rolled first and seat {state.to_move} is to move, got {turns[seat]}"
            )


def check_points(fields: Fields, box: str, points: Any, possible: Collection[int]) -> int:
    """Return the points under a box if dice can put them there, else raise."""
    if type(points) is not int or points not in possible:
        fields.fail(box, "one of " + ", ".join(map(str, sorted(possible))), points)
    return points


def check_dice(fields: Fields, key: str, value: Any, least: int, most: int) -> tuple[int, ...]:
    """Return the dice under a key in ascending order, or raise the error of the fields."""
    count = f"{least}" if least == most else f"{least} to {most}"
    expected = f"a list of {count} dice from 1 to {FACES}"
    if not isinstance(value, list) or not least <= len(value) <= most:
        fields.fail(key, expected, value)
    if not all(is_int(die, 1, FACES) for die in value):
        fields.fail(key, expected, value)
    return tuple(sorted(value))
