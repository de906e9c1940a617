"""What a turn can end with: the pairs of a box and of points that a roll can put there.

Hundreds of rolls put the same points into a box, so what a write is worth is computed once
for each such pair, a *payment*, and looked up for each roll.  A pass is the payment of 0
points into a box that the sheet does not have, after the last one.  The number of payments
itself, ``illegal``, stands for a write that is not allowed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


class Payments(NamedTuple):
    """Payments in order of their boxes, each (payments,)."""

    box: Ints
    points: Ints

    @property
    def illegal(self) -> int:
        """The number that stands for a write that is not allowed."""
        return len(self.box)

    def by_pair(self) -> Mapping[tuple[int, int], int]:
        """Return the number of each payment, by box and points."""
        pairs = zip(self.box.tolist(), self.points.tolist(), strict=True)
        return {pair: number for number, pair in enumerate(pairs)}

    def numbers(self, points: NDArray[np.integer]) -> Ints:
        """Return (..., boxes) which payment these points in each box are."""
        number = self.by_pair()
        rows = points.reshape(-1, points.shape[-1]).tolist()
        found = [[number[pair] for pair in enumerate(row)] for row in rows]
        return np.array(found).reshape(points.shape)


def payments(points: NDArray[np.integer]) -> Payments:
    """Return the payments of points (..., boxes) that rolls put into each box."""
    rows = points.reshape(-1, points.shape[-1]).tolist()
    pairs = sorted({pair for row in rows for pair in enumerate(row)})
    return Payments(*np.ascontiguousarray(np.array(pairs).T))
