"""Outlooks of yacht: how they lie in their tables, and how to read them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.games.yacht import (
    BONUS,
    FACES,
    LOWER_SETS,
    PLAIN,
    columns,
)
from ustad.runtime.outlook import SPAN, FullOutlook

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_MOST_WITHOUT_YACHT = 5 * sum(range(1, FACES + 1)) + BONUS + 30 + 30 + 25 + 30 + 40 + 30
"""Points of the best sheet but its yacht box, without further yachts."""


def widths(second_yacht: int) -> tuple[int, ...]:
    """Return how many entries a row has, by what the yacht box holds."""
    if second_yacht == PLAIN:
        return _MOST_WITHOUT_YACHT + 50 + 1, _MOST_WITHOUT_YACHT + 1
    return SPAN, _MOST_WITHOUT_YACHT + 1, SPAN


def section() -> int:
    """Return how many states have the same thing in the yacht box."""
    return LOWER_SETS * columns().count


def row_starts(second_yacht: int) -> Ints:
    """Return (states + 1,) where the row of each state begins."""
    sizes = np.repeat(widths(second_yacht), section())
    return np.concatenate([[0], np.cumsum(sizes)])


def full(second_yacht: int, chance: Floats, tail: Floats, tail_points: Floats) -> FullOutlook:
    """Return the outlook that these arrays hold."""
    return FullOutlook(chance, widths(second_yacht), section(), tail, tail_points)
