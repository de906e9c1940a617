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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.games.five_dice.columns import Columns, least_needed, merge_sums
from ustad.runtime.games.yacht.rules import (
    BONUS_AT,
    CHANCE_BOX,
    PLAIN,
    THREE_OF_A_KIND,
    UPPER_BOXES,
    UPPER_OPEN,
)

LOWER_SETS = 64


def state_number(
    column: NDArray[np.int64], column_count: int, open_boxes: Any, yacht: Any, upper: Any
) -> Any:
    """Return the index of a state at the start of a turn; arrays give an array.

    Args:
        column: :attr:`Columns.column`.
        column_count: :attr:`Columns.count`.
        open_boxes: bit b set: box b is open.
        yacht: OPEN_YACHT, YACHT_0 or YACHT_50 (under ``plain`` never the last).
        upper: the upper sum, 63 and more counted as 63.
    """
    lower = open_boxes >> THREE_OF_A_KIND & 31 | open_boxes >> CHANCE_BOX << 5
    return (yacht * LOWER_SETS + lower) * column_count + column[open_boxes & UPPER_OPEN, upper]


@cache
def columns() -> Columns:
    """Return the columns of the states, 1,640 for 2,794 reachable pairs."""
    amounts = [[(box + 1) * count for count in range(6)] for box in range(UPPER_BOXES)]
    return merge_sums(
        amounts, lambda addable, upper: least_needed(addable, upper, BONUS_AT), BONUS_AT
    )


def state_index(open_boxes: int, yacht: int, upper: int) -> int:
    """Return the index of a state at the start of a turn, for any upper sum."""
    known = columns()
    return int(state_number(known.column, known.count, open_boxes, yacht, min(upper, BONUS_AT)))


def yacht_states(second_yacht: int) -> int:
    """Return how many contents of the yacht box the states tell apart."""
    return 2 if second_yacht == PLAIN else 3
