"""Which rolls pay what in which box: rolls that pay the same are raised together.

Shapes.  ``first_group`` (boxes + 1,): the groups of box b are ``first_group[b]`` to
``first_group[b + 1] - 1``.  ``points`` (groups,): what the rolls of a group pay.
``first_roll`` (groups + 1,) and ``rolls``: the rolls of each group.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.kernels import compiled

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Paying(NamedTuple):
    """The rolls of each box in groups that pay the same."""

    first_group: Ints
    points: Ints
    first_roll: Ints
    rolls: Ints


def paying(points: Ints, pays: NDArray[np.bool_]) -> Paying:
    """Return the groups of rolls.

    Args:
        points: (252, boxes) what each roll pays in each box.
        pays: (252, boxes) False where a roll is to be in no group.
    """
    first_group, amounts, first_roll, rolls = [0], [], [0], []
    for paid, there in zip(points.T, pays.T, strict=True):
        for amount in np.unique(paid[there]).tolist():
            amounts.append(amount)
            rolls += np.flatnonzero(there & (paid == amount)).tolist()
            first_roll.append(len(rolls))
        first_group.append(len(amounts))
    return Paying(*map(np.array, (first_group, amounts, first_roll, rolls)))


@compiled
def raise_to(row: Floats, worth: Floats) -> None:
    """Raise a row to those numbers of another that are greater."""
    for c in range(len(worth)):
        row[c] = max(row[c], worth[c])


@compiled
def raise_group(paying: Paying, group: int, worth: Floats, stop: Floats) -> None:
    """Raise the rolls of a group in ``stop`` (252, n) to what writing them is worth (n,)."""
    for at in range(paying.first_roll[group], paying.first_roll[group + 1]):
        raise_to(stop[paying.rolls[at]], worth)
