"""Numbering the splits of pasa's chips.

Between throws a game is the stacks and the turns left.
The stacks are rotated so that the thrower's is first; with N seats and q_j the
chips of the last j of them, a split of M chips has the number

    C(q_1, 1) + C(q_2 + 1, 2) + ... + C(q_{N-1} + N - 2, N - 1),

C(n, k) being the binomial.  It runs from 0, where the thrower has everything, to
C(M + N - 1, N - 1) - 1, and the larger the thrower's stack the smaller the number.
A table of two seats and at most 100 chips holds the splits of 1, of 2, ... and of
all its chips one after the other, so that one file answers
every stack up to 50; any other table holds the splits of all its chips alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.games.pasa.rules import to_stakes

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ALL_TOTALS_UP_TO = 100
"""Chips up to which a table of two seats holds every smaller total too."""


def split_number(stacks: Sequence[int]) -> int:
    """Return the number of a split of the chips, the thrower's stack first."""
    number = held = 0
    for last, stack in enumerate(reversed(stacks[1:]), start=1):
        held += stack
        number += comb(held + last - 1, last)
    return number


def binomials(players: int, chips: int) -> Ints:
    """Return (players, chips + 2): C(q + j - 1, j) for j and q, of which splits are numbered."""
    return np.array(
        [[comb(q + j - 1, j) if j else 1 for q in range(chips + 2)] for j in range(players)]
    )


def least_chips(players: int, chips: int) -> int:
    """Return the smallest total of chips that a table of so many seats and chips holds."""
    return 1 if players == 2 and chips <= ALL_TOTALS_UP_TO else chips


def totals(players: int, chips: int) -> range:
    """Return the totals of chips that a table of so many seats and chips holds."""
    return range(least_chips(players, chips), chips + 1)


def first_split(players: int, chips: int, total: int) -> int:
    """Return how many splits stand before those of one total in a table.

    Args:
        players: the seats of the table.
        chips: its key ``chips``, the largest total that it holds.
        total: the total.  One more than ``chips`` gives the number of all splits.
    """
    least = least_chips(players, chips)
    return comb(total + players - 1, players) - comb(least + players - 1, players)


def even_split(players: int, chips: int) -> tuple[int, ...]:
    """Return the chips dealt out evenly, the first seats getting what is left over."""
    return to_stakes((1,) * players, chips)


def all_splits(players: int, chips: int) -> Ints:
    """Return (splits, players) the stacks of every split of so many chips, in order of number."""
    held = np.full((1, 1), chips)
    for _ in range(players - 1):
        counts = held[:, 0] + 1
        last = np.repeat(held, counts, axis=0)
        within = np.arange(len(last)) - np.repeat(np.cumsum(counts) - counts, counts)
        held = np.concatenate([within[:, None], last], axis=1)
    # held[:, j - 1] is what the last j seats hold.
    return np.diff(held, axis=1, prepend=0)[:, ::-1]


def split_numbers(stacks: Ints) -> Ints:
    """Return (n,) the number of each of some splits of one total, (n, players)."""
    players = stacks.shape[1]
    binomial = binomials(players, int(stacks.sum(axis=1).max(initial=0)))
    held = np.cumsum(stacks[:, :0:-1], axis=1)
    numbers: Ints = binomial[np.arange(1, players), held].sum(axis=1)
    return numbers


def finished_shares(players: int, chips: int) -> Floats:
    """Return (splits, players) the shares of the win, no turn being left, of a table's splits."""
    stacks = np.concatenate([all_splits(players, total) for total in totals(players, chips)])
    wins = stacks == stacks.max(axis=1, keepdims=True)
    shares: Floats = wins / wins.sum(axis=1, keepdims=True)
    return shares
