"""Numbering the states of dice poker."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.games.dice_poker.rules import (
    PAR,
    PART_TWO_TURNS,
    SCHOOL,
    SCHOOL_ROWS,
    RuleNumbers,
)
from ustad.runtime.games.five_dice.columns import Columns, least_needed, merge_sums
from ustad.runtime.games.five_dice.turn import FACES

PART_TWO_SETS = 1 << PART_TWO_TURNS

LOWEST_SUBTOTAL = -PAR * FACES * (FACES + 1) // 2


def part_count(numbers: RuleNumbers) -> int:
    """Return the number of parts."""
    return PART_TWO_SETS * (PART_TWO_TURNS + 1 if numbers.deferred else 1)


def state_number(
    numbers: RuleNumbers,
    column: NDArray[np.int64],
    column_count: int,
    open_rows: Any,
    turns_left: Any,
    subtotal: Any,
) -> Any:
    """Return the index of a state at the start of a turn; arrays give an array.

    Args:
        numbers: the options.
        column: :attr:`Columns.column`.
        column_count: :attr:`Columns.count`.
        open_rows: bit r set: row r is open.
        turns_left: the turns to play; it matters under ``deferred`` after the school alone.
        subtotal: the school subtotal.
    """
    place = column[open_rows & SCHOOL, subtotal - LOWEST_SUBTOTAL]
    part = open_rows >> SCHOOL_ROWS
    if numbers.deferred:
        part = part + turns_left * PART_TWO_SETS
    if numbers.free:
        return part * column_count + place
    in_school = place > 0
    return (1 - in_school) * part + in_school * (part_count(numbers) + place - 1)


@lru_cache(maxsize=64)
def columns(school_threshold: int) -> Columns:
    """Return the columns of the states at a threshold.

    Column 0 is the finished school: its bonus is paid, so its subtotal no longer matters.
    """
    amounts = [[(n - PAR) * face for n in range(6)] for face in range(1, FACES + 1)]

    def future(addable: list[int], subtotal: int) -> int | None:
        school_open = len(addable) > 1
        return least_needed(addable, subtotal, school_threshold) if school_open else None

    return merge_sums(amounts, future)


def state_count(numbers: RuleNumbers) -> int:
    """Return the number of values that a table of these rules holds."""
    count = columns(numbers.school_threshold).count
    return part_count(numbers) * count if numbers.free else part_count(numbers) + count - 1


def state_index(numbers: RuleNumbers, open_rows: int, turns_left: int, subtotal: int) -> int:
    """Return the index of a state at the start of a turn."""
    known = columns(numbers.school_threshold)
    return int(state_number(numbers, known.column, known.count, open_rows, turns_left, subtotal))
