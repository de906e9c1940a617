"""Small forms of score distributions, for the tables that are shipped.

The forms are those of :mod:`ustad.runtime.games.yacht.distributions`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.kernels import compiled
from ustad.runtime.games.yacht.distributions import (
    KNOTS,
    SHIFTS,
    Quantiles,
    ScoreDistributions,
    Steps,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_AT_ONCE = 4096
_POSSIBLE = 1e-12
"""Points with less chance are no place for a step."""


def steps(known: ScoreDistributions, states: Ints, parts: int) -> Steps:
    """Return the distributions of some states in lattice form, in so many whole parts.

    The sums from below are rounded, and then some of them the other way, as few and as
    near to a half as can be, until the mean is right.
    """
    entries: list[Ints] = []
    first: list[int] = []
    for begin in range(0, len(states), _AT_ONCE):
        for row in known.rows(states[begin : begin + _AT_ONCE]):
            points = np.flatnonzero(row > _POSSIBLE)
            found = np.zeros(points[-1] + 1, dtype=np.int64)
            found[points] = np.diff(_rounded(np.cumsum(row[points]), points, parts), prepend=0)
            there = np.flatnonzero(found)
            first.append(int(there[0]))
            entries.append(found[there[0] : there[-1] + 1])
    start = np.cumsum([0] + [len(row) for row in entries])
    return Steps(np.concatenate(entries), start, np.array(first))


@compiled
def _rounded(sums: Floats, points: Ints, parts: int) -> Ints:
    """Return sums of chances from below in whole parts, with the same mean.

    Args:
        sums: (n,) the chance of at most each point.
        points: (n,) the points, ascending.
        parts: how many parts the whole has.
    """
    exact = sums / sums[-1] * parts
    found = np.rint(exact)
    # Each sum counts once for every point from its own up to the next.
    lengths = np.diff(points)
    lacks = ((exact - found)[:-1] * lengths).sum()
    nearest_half = np.argsort(-np.abs(exact - found)[:-1], kind="mergesort")
    for at in nearest_half:
        step = 1.0 if exact[at] > found[at] else -1.0
        low = found[at - 1] if at > 0 else 0.0
        fits = low <= found[at] + step <= found[at + 1]
        if fits and abs(lacks - step * lengths[at]) < abs(lacks):
            found[at] += step
            lacks -= step * lengths[at]
    rounded: Ints = found.astype(np.int64)
    return rounded


def quantiles(known: ScoreDistributions, states: Ints) -> Quantiles:
    """Return the distributions of some states in quantile form."""
    gaps, shifts = [], []
    for begin in range(0, len(states), _AT_ONCE):
        rows = known.rows(states[begin : begin + _AT_ONCE])
        found = _knots(rows).T
        gap = np.diff(found, axis=0, prepend=0).clip(0, 255).astype(np.uint8)
        rough = Quantiles(gap, np.zeros(len(rows), np.int8)).rows(np.arange(len(rows)))
        lacks = rows @ np.arange(rows.shape[1]) - rough @ np.arange(rough.shape[1])
        gaps.append(gap)
        shifts.append(np.clip(np.rint(lacks * SHIFTS), -128, 127).astype(np.int8))
    return Quantiles(np.concatenate(gaps, axis=1), np.concatenate(shifts))


def _knots(rows: Floats) -> Ints:
    """Return (m, KNOTS) the points that bound equal parts of the chance.

    The first and the last knot stand where their part keeps its mean.
    """
    parts = KNOTS - 1
    points = np.arange(rows.shape[1])
    lanes = np.arange(len(rows))
    sums = np.cumsum(rows, axis=1)
    moments = np.cumsum(rows * points, axis=1)
    cuts = np.arange(1, parts) / parts
    inner = np.stack([np.count_nonzero(sums < cut - _POSSIBLE, axis=1) for cut in cuts], axis=1)
    low, high = inner[:, 0], inner[:, -1]
    low_mean = (moments[lanes, low] - (sums[lanes, low] - cuts[0]) * low) * parts
    left = sums[lanes, high] - cuts[-1]
    high_mean = (moments[:, -1] - moments[lanes, high] + left * high) * parts
    # The part above a knot k up to a knot l has the mean (k + 1 + l) / 2.
    first = np.clip(np.rint(2 * low_mean - low - 1), 0, low)
    last = np.maximum(np.rint(2 * high_mean - high - 1), high)
    return np.concatenate([first[:, None], inner, last[:, None]], axis=1).astype(np.int64)
