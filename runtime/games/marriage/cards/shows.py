"""The distance to a show: how many cards must be replaced until it can be made.

A hand may be shown once it holds three pure melds (tanelas and pure sequences of three).
Replacing n cards means keeping the rest of nine places: the distance is 9 less the most cards
of the hand that three target melds can hold.  No target may need more copies of a card than
there are.

Within one suit the best targets are found rank by rank (:func:`suit_covers`): what matters
from the ranks before is only how many targets there are and how many sequences began one and
two ranks ago.  A sequence queen-king-ace is decided on beforehand, since it meets the ace at
both ends.  The four suits and the putali are then combined (:func:`add_covers`).  A suit is a
number of 26 bits, two for each rank, so its answer can be remembered
(:func:`remembered_covers`).

Everything is exact.  The functions are flat and plain Python, which ``kernels`` compiles.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ustad.runtime.games.marriage.cards.cards import MASTER, PUTALI, RANKS, Ints
from ustad.runtime.games.marriage.cards.melds import SHOW_MELDS


def suit_key(counts: Any, suit: int) -> int:
    """Return the cards of a suit as a number, two bits a rank, the ace lowest."""
    key = 0
    for rank in range(RANKS):
        key |= int(counts[suit * RANKS + rank]) << 2 * rank
    return key


def suit_covers(key: int, blocked: int, wild: int) -> int:
    """Return the most cards of a suit that 1, 2 and 3 target melds can hold.

    Args:
        key: the cards, see :func:`suit_key`.
        blocked: ranks, as bits, of which no copy is left for a target; in the bits above
            these 1 + the rank of which two are left, if there is one.
        wild: 1 if a wild card fills one place of one sequence, and counts, else 0.

    Returns:
        ``c1 | c2 << 4 | c3 << 8``; a target that cannot be is left out.
    """
    covers = np.zeros(4, dtype=np.int64)
    ace, queen, king = key & 3, key >> 22 & 3, key >> 24 & 3
    high_blocked = blocked & (1 | 1 << 11 | 1 << 12)
    most_high = 0 if high_blocked else min(3, max(ace, queen, king) + wild)
    for high in range(most_high + 1):
        best = most_in_targets(key, blocked, wild, high)
        for m in range(high, 4):
            for w in range(wild + 1):
                if best[m, 0, 0, w] > covers[m]:
                    covers[m] = best[m, 0, 0, w]
    found = 0
    for m in range(1, 4):
        covers[m] = max(covers[m], covers[m - 1])
        found |= covers[m] << 4 * (m - 1)
    return int(found)


def most_in_targets(key: int, blocked: int, wild: int, high: int) -> Ints:
    """Return (4, 4, 4, 2) the most cards of a suit that targets can hold, -1 where none can be.

    The axes: how many targets, sequences begun one and two ranks ago (0 now that all ranks are
    decided), whether the wild card is used.

    Args:
        key: see :func:`suit_covers`, as ``blocked`` and ``wild``.
        blocked: see there.
        wild: see there.
        high: how many targets are queen, king and ace.
    """
    best = np.full((4, 4, 4, 2), -1, dtype=np.int64)
    after = np.empty((4, 4, 4, 2), dtype=np.int64)
    best[high, 0, 0, 0] = 0
    for rank in range(RANKS):
        held = key >> 2 * rank & 3
        limit = 0 if blocked >> rank & 1 else 3 - (blocked >> RANKS == rank + 1)
        through = high if rank == 0 or rank >= 11 else 0
        after[:] = -1
        for m in range(high, 4):
            most_new = 3 - m if rank <= 10 else 0
            for x in range(m - high + 1):
                for y in range(m - high - x + 1):
                    for w in range(wild + 1):
                        value = best[m, x, y, w]
                        if value < 0:
                            continue
                        for new in range(most_new + 1):
                            used = through + x + y + new
                            if used > limit:
                                break
                            got = value + min(held, used)
                            after[m + new, new, x, w] = max(after[m + new, new, x, w], got)
                            if used > held and w < wild:
                                after[m + new, new, x, 1] = max(after[m + new, new, x, 1], got + 1)
                        if x + y + through == 0 and m < 3 and limit == 3:  # a tanela
                            after[m + 1, 0, 0, w] = max(after[m + 1, 0, 0, w], value + held)
        best, after = after, best
    return best


def remembered_covers(memory: Ints, key: int, blocked: int, wild: int) -> int:
    """Return :func:`suit_covers`, looked up in a memory of answers or put there.

    Args:
        memory: int64 of a power of two in length, zero at first; an entry is a
            question and its answer in one number, so that threads may share it.
        key: see :func:`suit_covers`, as the others.
        blocked: see there.
        wild: see there.
    """
    question = (wild << 43 | int(blocked) << 26 | int(key)) + 1
    place = (question * 0x9E3779B97F4A7C1 >> 20) & (len(memory) - 1)
    entry = int(memory[place])
    if entry >> 12 == question:
        return entry & 4095
    answer = suit_covers(key, blocked, wild)
    memory[place] = question << 12 | answer
    return answer


def add_covers(covers: int, more: int) -> int:
    """Return the most cards that 1, 2 and 3 targets can hold in two parts of a hand."""
    a1, a2, a3 = covers & 15, covers >> 4 & 15, covers >> 8 & 15
    b1, b2, b3 = more & 15, more >> 4 & 15, more >> 8 & 15
    one = max(a1, b1)
    two = max(max(a2, b2), a1 + b1)
    three = max(max(a3, b3), max(a1 + b2, a2 + b1))
    return one | two << 4 | three << 8


def putali_covers(putali: int) -> int:
    """Return the covers of the putali, which make one tanela at most."""
    return putali | putali << 4 | putali << 8


def show_distance(memory: Ints, counts: Any, laid: Any, master_is_pure: bool) -> int:
    """Return how many cards must be replaced until the hand holds the show's pure melds.

    Args:
        memory: see :func:`remembered_covers`.
        counts: (54,) the cards in hand.
        laid: (54,) the cards out of play for this hand: three of each tanela on the table,
            which count among the three melds, and one of the tiplu where it is known.
        master_is_pure: whether the master may fill a place of one sequence.
    """
    down = 0
    total = 0
    plain = 0
    wild = int(counts[MASTER]) if master_is_pure else 0
    for suit in range(4):
        key, blocked = 0, 0
        for rank in range(RANKS):
            key |= int(counts[suit * RANKS + rank]) << 2 * rank
            if laid[suit * RANKS + rank] == 3:
                blocked |= 1 << rank
                down += 1
            elif laid[suit * RANKS + rank]:
                blocked |= (rank + 1) << RANKS
        covers = remembered_covers(memory, key, blocked, 0)
        if wild:
            with_wild = remembered_covers(memory, key, blocked, 1)
            total = max_covers(add_covers(total, covers), add_covers(plain, with_wild))
            plain = add_covers(plain, covers)
        else:
            total = add_covers(total, covers)
    if laid[PUTALI]:
        down += 1
    else:
        total = add_covers(total, putali_covers(int(counts[PUTALI])))
    missing = SHOW_MELDS - down
    if missing <= 0:
        return 0
    return int(3 * missing - (total >> 4 * (missing - 1) & 15))


def max_covers(covers: int, other: int) -> int:
    """Return the greater covers, number by number."""
    found = 0
    for place in range(0, 12, 4):
        found |= max(covers >> place & 15, other >> place & 15) << place
    return found


def dublee_count(counts: Any) -> int:
    """Return how many disjoint pairs of identical cards there are."""
    pairs = 0
    for card in range(MASTER):
        if counts[card] >= 2:
            pairs += 1
    return pairs
