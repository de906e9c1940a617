"""Dice poker's sheets as JSON, and which of them can be."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ustad.runtime.core.errors import MoveError, PositionError, shown
from ustad.runtime.core.shapes import Keys, list_of, one_of, or_null, whole
from ustad.runtime.core.strict_json import Fields, is_int
from ustad.runtime.games.dice_poker.rules import (
    CHANCE_ROW,
    COMBINATIONS,
    NAME,
    PASS,
    ROW_COUNT,
    ROWS,
    RULES,
    SCHOOL,
    SCHOOL_ROWS,
    DicePoker,
    Pass,
    RuleNumbers,
    Sheet,
    make_sheet,
    roll_points,
    roll_rows_made,
)
from ustad.runtime.games.five_dice.codec import SheetCodec, check_points
from ustad.runtime.games.five_dice.sheet import SheetState

SHEET = Keys({}, {row: {"type": ["integer", "null"]} for row in ROWS})

TURNS_LEFT = list_of(or_null(whole(0, ROW_COUNT)), RULES.seats.least, RULES.seats.most)


class DicePokerCodec(SheetCodec):
    """Dice poker's positions and moves as JSON."""

    def sheets_from_json(
        self, rules: DicePoker, fields: Fields, sheets: Sequence[Any]
    ) -> tuple[Sheet, ...]:
        """Return the sheets of a position, their turns left read beside them."""
        names = [f"sheets[{seat}]" for seat in range(len(sheets))]
        if not rules.numbers.deferred:
            return tuple(map(self.sheet_from_json, [rules] * len(sheets), sheets, names))
        turns = fields.take("turns_left", None)
        if turns is None:
            turns = [None] * len(sheets)
        elif not isinstance(turns, list) or len(turns) != len(sheets):
            fields.fail("turns_left", f"a list with {len(sheets)} numbers, one a sheet", turns)
        return tuple(
            _read_sheet(rules.numbers, sheet, name, left, seat)
            for seat, (sheet, name, left) in enumerate(zip(sheets, names, turns, strict=True))
        )

    def sheet_from_json(self, rules: DicePoker, sheet: Any, name: str) -> Sheet:
        """Return the sheet that a JSON object describes; see :func:`_read_sheet`."""
        return _read_sheet(rules.numbers, sheet, name, None, 0)

    def sheet_to_json(self, rules: DicePoker, sheet: Sheet) -> dict[str, Any]:
        """Return the rows written."""
        written = zip(ROWS, sheet.points, strict=True)
        return {name: held for name, held in written if held is not None}

    def sheets_to_json(self, state: SheetState) -> dict[str, Any]:
        """Return the sheets and, under ``deferred``, the turns left of each."""
        found = super().sheets_to_json(state)
        if state.rules.numbers.deferred:
            found["turns_left"] = [sheet.turns_left for sheet in state.sheets]
        return found

    def move_from_json(self, move: Any) -> Any:
        """Return the keep, write or pass that a JSON object describes."""
        if not isinstance(move, dict) or move.keys() != {"pass"}:
            return super().move_from_json(move)
        if move["pass"] is not True:
            Fields(move, "move", MoveError).fail("pass", "true", move["pass"])
        return PASS

    def move_to_json(self, move: Any) -> dict[str, Any]:
        """Return the JSON object of a keep, write or pass."""
        return {"pass": True} if isinstance(move, Pass) else super().move_to_json(move)


@lru_cache(maxsize=4096)
def possible_points(numbers: RuleNumbers, row: int, open_rows: int) -> frozenset[int]:
    """Return what a row can hold beside these rows that are still open.

    The open rows matter to a chance that is written after a miss alone: its dice
    made none of them.  A dash of ``deferred`` is not counted in.
    """
    made, points = roll_rows_made(numbers), roll_points(numbers)
    if row == CHANCE_ROW and numbers.chance_after_miss:
        missed = [roll for roll, rows in enumerate(made) if not rows & open_rows]
        return frozenset(points[0, missed, row].tolist())
    found = set(np.unique(points[:, :, row]).tolist())
    return frozenset(found - {0} if numbers.deferred and row >= SCHOOL_ROWS else found)


def _read_sheet(numbers: RuleNumbers, sheet: Any, name: str, turns_left: Any, seat: int) -> Sheet:
    """Return the sheet that a JSON object and its turns left describe.

    Refused: rows of part two before the school is full, unless the order is free;
    points that no dice give there; turns left that do not go with the rows
    written.  A dash of ``deferred`` stands, as 0, only when no turn is left.

    Args:
        numbers: the options.
        sheet: the JSON object.
        name: what error messages call it.
        turns_left: its turns left, None if none are given.
        seat: its place among the turns left, for error messages.
    """
    fields = SHEET.read(sheet, name)
    points = [fields.take(row, None) for row in ROWS]
    fields.done()
    dashes = [row for row in range(SCHOOL_ROWS, ROW_COUNT) if is_int(points[row], 0, 0)]
    if numbers.deferred and dashes and turns_left is None:
        raise _no_turns_left(seat, "holds dashes")
    if numbers.deferred and is_int(turns_left, 0, 0):
        points = [None if row in dashes else held for row, held in enumerate(points)]
    open_rows = sum(1 << row for row, held in enumerate(points) if held is None)
    for row, held in enumerate(points):
        if held is not None:
            possible = possible_points(numbers, row, open_rows & COMBINATIONS)
            check_points(fields, ROWS[row], held, possible)
    first_open = next((row for row in range(SCHOOL_ROWS) if points[row] is None), None)
    if first_open is not None and not numbers.free:
        for row in range(SCHOOL_ROWS, ROW_COUNT):
            if points[row] is not None:
                until = f"no points before the school is full ({ROWS[first_open]} is open)"
                fields.fail(ROWS[row], until, points[row])
    return make_sheet(numbers, points, _turns_left(numbers, points, open_rows, turns_left, seat))


def _no_turns_left(seat: int, why: str) -> PositionError:
    expected = f"a list with one number a sheet, since sheets[{seat}] {why}"
    return PositionError(f"position: turns_left: expected {expected}, got null")


def _turns_left(
    numbers: RuleNumbers, points: Sequence[int | None], open_rows: int, given: Any, seat: int
) -> int:
    """Return the turns left of a sheet, checked against its rows."""
    open_count = open_rows.bit_count()
    if not numbers.deferred:
        return open_count
    in_school = open_rows & SCHOOL != 0
    if given is None and (in_school or open_count == 0):
        return open_count
    if given is None:
        raise _no_turns_left(seat, "is in part two")
    least = open_count if in_school else 0
    if not is_int(given, least, open_count):
        expected = f"{least}" if least == open_count else f"{least} to {open_count}"
        raise PositionError(
            f"position: turns_left[{seat}]: expected {expected}, since {open_count} rows of "
            f"sheets[{seat}] are open, got {shown(given)}"
        )
    return int(given)


CODEC = DicePokerCodec(
    RULES, NAME, ROWS, SHEET, {"turns_left": or_null(TURNS_LEFT)}, {"pass": one_of([True])}
)
