"""The turn solver of :mod:`ustad.runtime.dice`, compiled: what yacht and dice poker share.

The problem.  A solver asks the same question half a million times: given what
stopping pays on each of the 252 rolls after the first, the second and the third
roll, what is a turn worth?

The algorithm.  The sweeps over the lattice of keeps that
:mod:`ustad.runtime.dice` describes, three down and two up.  ``WIDTH`` positions
stand side by side, so that each step is one vector operation over a row.  The
additions come in the same order as there: both give the same bits, for any
width and any number of threads.

Shapes.  ``stop`` arrays are ``(252, WIDTH)`` float64, ``work`` is
``(462, WIDTH)``, in the order of :data:`ustad.runtime.dice.KEEPS`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from ustad.runtime.compiled import compiled
from ustad.runtime.dice import DICE, FIRST_ROLL, KEEPS, ONE_MORE, SIXTH, SIZES

Floats = NDArray[np.float64]

WIDTH = 64
"""Positions side by side."""

ROLL_COUNT = len(KEEPS) - FIRST_ROLL

_SMALLEST_BELOW = 1  # the keep without dice has nothing below it


def _below() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the keeps one die below each keep: a flat list and where each keep's part begins."""
    lists: list[list[int]] = [[] for _ in KEEPS]
    for keep, grown in enumerate(ONE_MORE):
        for more in grown:
            lists[more].append(keep)
    starts = np.cumsum([0] + [len(found) for found in lists])
    return np.array([keep for found in lists for keep in found]), starts


_BELOW, _BELOW_START = _below()
_ONE_MORE = ONE_MORE
_FIRST_FIVE = SIZES[DICE].start


@compiled
def sweep_down(work: Floats) -> None:
    """Fill the keeps of zero to four dice with the mean over the keeps with one die more."""
    for keep in range(FIRST_ROLL - 1, -1, -1):
        one = _ONE_MORE[keep, 0]
        two = _ONE_MORE[keep, 1]
        three = _ONE_MORE[keep, 2]
        four = _ONE_MORE[keep, 3]
        five = _ONE_MORE[keep, 4]
        six = _ONE_MORE[keep, 5]
        for c in range(WIDTH):
            total = work[one, c] + work[two, c] + work[three, c]
            work[keep, c] = (total + work[four, c] + work[five, c] + work[six, c]) * SIXTH


@compiled
def sweep_up(stop: Floats, work: Floats) -> None:
    """Raise every keep to the best below it, and every roll to the best of that and stopping."""
    for keep in range(_SMALLEST_BELOW, FIRST_ROLL):
        for at in range(_BELOW_START[keep], _BELOW_START[keep + 1]):
            below = _BELOW[at]
            for c in range(WIDTH):
                work[keep, c] = max(work[keep, c], work[below, c])
    for roll in range(ROLL_COUNT):
        keep = FIRST_ROLL + roll
        for c in range(WIDTH):
            work[keep, c] = stop[roll, c]
        for at in range(_BELOW_START[keep], _BELOW_START[keep + 1]):
            below = _BELOW[at]
            for c in range(WIDTH):
                work[keep, c] = max(work[keep, c], work[below, c])


@compiled
def solve_turns(stop_0: Floats, stop_1: Floats, stop_2: Floats, work: Floats) -> None:
    """Leave in ``work[0]`` what the turns are worth before their first roll.

    Args:
        stop_0: (252, WIDTH) what stopping pays on each roll with no roll left.
        stop_1: the same with one roll left; may be the same array.
        stop_2: the same with two rolls left.
        work: (462, WIDTH) scratch space.
    """
    for roll in range(ROLL_COUNT):
        for c in range(WIDTH):
            work[FIRST_ROLL + roll, c] = stop_0[roll, c]
    sweep_down(work)
    sweep_up(stop_1, work)
    sweep_down(work)
    sweep_up(stop_2, work)
    sweep_down(work)
