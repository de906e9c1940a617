"""Open upper rows and the sum of the written ones: which of these pairs have one future.

The problem.  A sheet pays a bonus if its upper rows, ones to sixes, add up to a
target.  The sum so far says too much: what counts is what the open rows still
have to add.

The algorithm.  The open rows can add any amount of a known set.  Two sums that
need the same least amount of that set to reach the target, or that can never
reach it, have the same future.  Such pairs of open rows and sum share a
*column*; a state names its column, not its sum.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Columns:
    """The classes of (open upper rows, upper sum) with one future each.

    Sets of open upper rows are bits: ones 1, twos 2, threes 4, and so on.

    Attributes:
        column: (sets, sums) int64: the column of open upper rows and the sum
            less the lowest sum there is, -1 where the sum cannot be.
        bounds: the columns of open upper rows O are ``bounds[O]`` to
            ``bounds[O + 1] - 1``.
        upper: (columns,) int64: one upper sum of each column.
    """

    column: NDArray[np.int64]
    bounds: tuple[int, ...]
    upper: NDArray[np.int64]

    @property
    def count(self) -> int:
        """The number of columns."""
        return len(self.upper)

    @property
    def sums(self) -> NDArray[np.int64]:
        """(sets,) how many sums go with each set of open upper rows."""
        sums: NDArray[np.int64] = np.count_nonzero(self.column >= 0, axis=1)
        return sums

    @property
    def reachable(self) -> int:
        """The number of pairs of open upper rows and sum."""
        return int(self.sums.sum())


def merge_sums(
    amounts: Sequence[Sequence[int]],
    future: Callable[[list[int], int], Hashable],
    most: int | None = None,
) -> Columns:
    """Return the columns of upper rows that can hold these amounts.

    Args:
        amounts: for each upper row what can stand there.
        future: called with what the open rows can add, ascending, and with a
            sum; sums for which it returns the same share a column.
        most: greater sums count as this one, none by default.
    """
    sets = 1 << len(amounts)
    sums = [_sums(amounts, rows) for rows in range(sets)]
    lowest, highest = min(sums[-1]), max(sums[-1])
    most = highest if most is None else most
    column = np.full((sets, most - lowest + 1), -1, dtype=np.int64)
    bounds: list[int] = [0]
    upper: list[int] = []
    for open_rows in range(sets):
        addable = sorted(sums[open_rows])
        known: dict[Hashable, int] = {}
        for total in sorted({min(total, most) for total in sums[sets - 1 - open_rows]}):
            key = future(addable, total)
            if key not in known:
                known[key] = len(upper)
                upper.append(total)
            column[open_rows, total - lowest] = known[key]
        bounds.append(len(upper))
    column.flags.writeable = False
    return Columns(column, tuple(bounds), np.array(upper))


def least_needed(addable: Sequence[int], total: int, target: int) -> int | None:
    """Return the least amount that lifts the sum to the target, None if none does."""
    return next((amount for amount in addable if total + amount >= target), None)


def _sums(amounts: Sequence[Sequence[int]], rows: int) -> set[int]:
    """Return the sums that a set of rows can make."""
    sums = {0}
    for row, held in enumerate(amounts):
        if rows >> row & 1:
            sums = {total + amount for total in sums for amount in held}
    return sums
