"""The export of dice poker: the values of one option set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ustad.runtime.core.work import Progress
from ustad.runtime.export.content import Content, Exporter
from ustad.runtime.games.dice_poker.codec import CODEC
from ustad.runtime.games.dice_poker.levels import TableBot
from ustad.runtime.games.dice_poker.rules import (
    AFTER_FIRST_THROW,
    ALL_OPEN,
    ROWS,
    RULES,
    SCHOOL,
    SCHOOL_ROWS,
    RuleNumbers,
    may_pass,
    roll_points,
    roll_rows_made,
    writable_rows,
)
from ustad.runtime.games.dice_poker.states import (
    LOWEST_SUBTOTAL,
    PART_TWO_SETS,
    columns,
    part_count,
)
from ustad.runtime.games.dice_poker.tables import TABLES
from ustad.runtime.games.five_dice.arrays import Case, SheetArrays, columns_by_row
from ustad.runtime.games.five_dice.export import sheet_content, values_alone
from ustad.runtime.games.five_dice.sheet import ROLLS_A_TURN
from ustad.runtime.games.five_dice.tables import BY_BOX
from ustad.tables import open_table

_LATER, _FIRST = range(2)


THUMBS = {"easy": "points", "medium": "priced_next_throw", "hard": "priced"}
"""The rules of thumb that easy, medium and hard are, by their names in the engine."""


def sheet_arrays(numbers: RuleNumbers) -> SheetArrays:
    """Return the rules as arrays."""
    known = columns(numbers.school_threshold)
    made = roll_rows_made(numbers)
    kinds = sorted(set(made))
    school_sets = 1 << SCHOOL_ROWS
    start, stride = np.array(known.bounds[:-1]), np.full(school_sets, known.count)
    if not numbers.free:
        start[1:] += part_count(numbers) - 1
        stride = (np.arange(school_sets) == 0).astype(np.int64)
    weight = [0] * SCHOOL_ROWS + [1 << row for row in range(len(ROWS) - SCHOOL_ROWS)]
    return SheetArrays(
        boxes=ROWS,
        counting=SCHOOL_ROWS,
        lowest_sum=LOWEST_SUBTOTAL,
        column_start=start,
        column=columns_by_row(known),
        stride=stride,
        bonus=numbers.school_bonus,
        bonus_from=[numbers.school_threshold] + [None] * (school_sets - 1),
        part_weight=weight,
        turns_weight=PART_TWO_SETS if numbers.deferred else 0,
        pays=roll_points(numbers)[[0, AFTER_FIRST_THROW]],
        cases=[_cases(numbers, rows) for rows in kinds],
        roll_cases=[kinds.index(rows) for rows in made],
    )


def _cases(numbers: RuleNumbers, made: int) -> list[Case]:
    """Return what may be done with rolls that make some rows.

    The rules are asked about sheets in which all is open, but for the school or for the rows
    that the roll makes: on these alone it depends what else may be written.
    """
    pays = (_LATER, _LATER, _FIRST)  # with no, one and two throws left
    assert len(pays) == ROLLS_A_TURN == AFTER_FIRST_THROW + 1

    def case(any_open: int, open_rows: int) -> Case:
        may = writable_rows(numbers, open_rows, made, 0)
        early = writable_rows(numbers, open_rows, made, 1)
        passes = may_pass(numbers, open_rows)
        return Case(any_open, may, pays, passes, may & ~early)

    found = []
    if not numbers.free:
        found.append(case(SCHOOL, ALL_OPEN))
    part_two = ALL_OPEN if numbers.free else ALL_OPEN & ~SCHOOL
    if numbers.chance_after_miss and made:
        found.append(case(made, part_two))
        part_two &= ~made
    found.append(case(0, part_two))
    return found


def content(options: Mapping[str, Any], folder: Path, progress: Progress | None = None) -> Content:
    """Return the export of one option set.

    Raises:
        TableError: its table is missing or unfit.
        ExportError: rounding it would cost too much.
    """
    spec = TABLES.spec(options)
    values_alone(spec.options)
    rules = RULES.make(**spec.options)
    table = open_table(spec, folder)
    arrays = sheet_arrays(rules.numbers)
    return sheet_content(
        CODEC, RULES, rules, table, arrays, TableBot, "expert", "settlement", THUMBS, progress
    )


def option_sets() -> Sequence[dict[str, Any]]:
    """Return the option sets of the default tables of values."""
    return tuple(options for options in TABLES.defaults() if BY_BOX.name not in options)


EXPORTER = Exporter(content, option_sets, ("sheet.js", "SheetGame"))
