"""Numbering the states of yacht."""

from __future__ import annotations

from __future__ import annotations
import argparse
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain, combinations
from pathlib import Path
from typing import Any, NamedTuple
import numpy as np
from numpy.typing import NDArray
from ustad.runtime.core.errors import UsageError, shown
from ustad.runtime.core.game import Bot, Judge, Option
from ustad.runtime.core.strict_json import Fields
from ustad.runtime.games.five_dice.columns import Columns, least_needed, merge_sums
from ustad.runtime.games.five_dice.sheet import (
    SheetGame,
    SheetGameType,
    SheetState,
    Write,
    flag_int,
)
from ustad.runtime.games.five_dice.turn import COUNTS, FACES, FIRST_ROLL, ROLL_INDEX
from ustad.tables import Table, TableSpec

# Numbering the states.

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
