"""The results of a match, and how the tables of matches hold them.

A value (uint32) holds the results of one position by how far ahead the mover is, four bits each:
first, lowest, those with two rounds to go, from ``-near(2)`` to ``near(2)``, then those with more.
The lower two bits are the least that the mover gets, the others the most: they differ where it
depends on how repeated positions are ruled.
"""

from __future__ import annotations

from typing import NamedTuple

LOSS, DRAW, WIN = range(3)

RESULTS = ("loss", "draw", "win")


class Bounds(NamedTuple):
    """The mover gets no less than ``least`` and no more than ``most``."""

    least: int
    most: int


NEAR = 2
"""The most that :func:`near` is."""

MOST_BIT = 2
"""The first bit of the most that the mover gets."""

LAST_BUT_ONE = 2
"""Rounds to go, the present one counted, from which on all rounds before are alike."""


def near(to_go: int) -> int:
    """Return how far ahead, or behind, a player may be without having won, or lost.

    Args:
        to_go: the rounds to go, the present one counted; 2 or more.
    """
    return NEAR if to_go == LAST_BUT_ONE else NEAR - 1


def bit_of(ahead: int, to_go: int) -> int:
    """Return the lowest of the four bits of a value that hold a result."""
    first = 0 if to_go == LAST_BUT_ONE else 2 * NEAR + 1
    return 2 * MOST_BIT * (first + near(to_go) + ahead)
