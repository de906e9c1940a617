"""Numbering the states of yacht.

What a sheet is still worth depends on its open boxes,
on what the yacht box holds, and on the upper sum only through the bonus.  The
sum itself says too much: what counts is whether the open upper boxes can still
lift it to 63.  With open upper boxes O they can add any amount in R(O), the sums
of up to five dice of each face of O; two sums with the same least member of R(O)
that reaches 63 (or with none) have the same future.  So the 2,794 pairs of open
upper boxes and reachable sum (63 and more counted as 63) fall into 1,640
classes, the *columns*.  A state at the start of a turn has the index
``row * 1640 + column``, where ``row = yacht * 64 + open lower boxes``; ``yacht``
is 0 with the yacht box open, 1 written 0, 2 written 50 (under ``plain`` 1 for
both).  Bits of the open lower boxes: three of a kind 1, four of a kind 2, full
house 4, small straight 8, large straight 16, chance 32.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.games.five_dice.columns import Columns, least_needed, merge_sums
from ustad.runtime.games.five_dice.turn import DICE
from ustad.runtime.games.yacht.rules import (
    ALL_OPEN,
    BONUS_AT,
    BOXES,
    CHANCE_BOX,
    OPEN_YACHT,
    PLAIN,
    UPPER_BOXES,
    UPPER_OPEN,
    YACHT,
    YACHT_50,
    YACHT_BIT,
    State,
)

Ints = NDArray[np.int64]

LOWER_SETS = 1 << (len(BOXES) - UPPER_BOXES - 1)
"""How many sets of open lower boxes there are, the yacht box apart."""

BEFORE_YACHT = YACHT - UPPER_BOXES
"""How many lower boxes stand before the yacht box."""

OPEN_COUNT: Ints = np.array([boxes.bit_count() for boxes in range(ALL_OPEN + 1)])
"""(8192,) how many boxes are open, by the open boxes as bits."""


def lower_set(open_boxes: Any) -> Any:
    """Return the open lower boxes but the yacht box as bits 1 to 32; arrays give an array."""
    before = open_boxes >> UPPER_BOXES & ((1 << BEFORE_YACHT) - 1)
    return before | open_boxes >> CHANCE_BOX << BEFORE_YACHT


def state_number(column: Ints, column_count: int, open_boxes: Any, held: Any, upper: Any) -> Any:
    """Return the index of a state at the start of a turn; arrays give an array.

    Args:
        column: :attr:`Columns.column`.
        column_count: :attr:`Columns.count`.
        open_boxes: bit b set: box b is open.
        held: OPEN_YACHT, YACHT_0 or YACHT_50 (under ``plain`` never the last).
        upper: the upper sum, 63 and more counted as 63.
    """
    row = held * LOWER_SETS + lower_set(open_boxes)
    return row * column_count + column[open_boxes & UPPER_OPEN, upper]


@cache
def columns() -> Columns:
    """Return the columns of the states, 1,640 for 2,794 reachable pairs."""
    amounts = [[(box + 1) * count for count in range(DICE + 1)] for box in range(UPPER_BOXES)]
    return merge_sums(
        amounts, lambda addable, upper: least_needed(addable, upper, BONUS_AT), BONUS_AT
    )


def state_index(open_boxes: int, held: int, upper: int) -> int:
    """Return the index of a state at the start of a turn, for any upper sum."""
    known = columns()
    return int(state_number(known.column, known.count, open_boxes, held, min(upper, BONUS_AT)))


def yacht_states(second_yacht: int) -> int:
    """Return how many contents of the yacht box the states tell apart."""
    return 2 if second_yacht == PLAIN else 3


def section() -> int:
    """Return how many states have the same thing in the yacht box."""
    return LOWER_SETS * columns().count


def state_count(second_yacht: int) -> int:
    """Return how many states there are."""
    return yacht_states(second_yacht) * section()


class States(NamedTuple):
    """States side by side, each (n,); see :class:`ustad.runtime.games.yacht.rules.State`."""

    open_boxes: Ints
    held: Ints
    upper: Ints


@cache
def every_state() -> States:
    """Return the states in the order of their indices, each with one of its upper sums."""
    known = columns()
    open_upper = np.repeat(np.arange(UPPER_OPEN + 1), np.diff(known.bounds))
    lower = np.arange(LOWER_SETS)[:, None]
    held = np.arange(YACHT_50 + 1)[:, None, None]
    before, chance = lower & ((1 << BEFORE_YACHT) - 1), lower >> BEFORE_YACHT
    open_boxes = open_upper | before << UPPER_BOXES | chance << CHANCE_BOX
    open_boxes = open_boxes | np.where(held == OPEN_YACHT, YACHT_BIT, 0)
    every = np.broadcast_arrays(open_boxes, held, known.upper)
    return States(*(numbers.ravel() for numbers in every))


def state_of(index: int) -> State:
    """Return the state of an index, with one of its upper sums."""
    return State(*(int(numbers[index]) for numbers in every_state()))


@cache
def open_counts(second_yacht: int) -> Ints:
    """Return (states,) how many boxes are open in each state."""
    counts: Ints = OPEN_COUNT[every_state().open_boxes[: state_count(second_yacht)]]
    return counts
