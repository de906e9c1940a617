"""Cards, melds and the exact hand solver of Marriage.

**Cards** are numbers: ``13 * suit + rank`` with the suits in the order of
``SUITS`` and the rank from 0 (ace) to 12 (king), then 52 for a putali and 53 for
the master.  A hand is an array of 54 counts.

**The problem.**  A hand may be shown once it holds three pure melds (tanelas and
pure sequences of three).  How many cards must be replaced until it does?  And
after the show: how many until all but one of 13 cards lie in melds of the finish
(sequences of three to five, trials, tanelas, jokers in the missing places)?

**Distance to a show.**  Replacing n cards means keeping the rest of nine places:
the distance is 9 less the most cards of the hand that three target melds can
hold.  No target may need more copies of a card than there are.  Within one suit
the best targets are found rank by rank (:func:`suit_covers`): what matters from
the ranks before is only how many targets there are and how many sequences began
one and two ranks ago.  A sequence queen-king-ace is decided on beforehand, since
it meets the ace at both ends.  The four suits and the putali are then combined.
A suit is a number of 26 bits, two for each rank, so its answer can be remembered
(:func:`remembered_covers`).

**Distance to a finish.**  A maal card is a joker, and a joker fits wherever it
fits as an ordinary card (three equal jokers are a meld of jokers), so jokers need
only be counted.  The other cards fall into *groups*: cards that can lie in one
meld.  Groups of two or more cards are listed and the choices of at most four
disjoint ones searched, large groups first, cutting off what cannot reach the best
(:func:`search_finish`).  Twelve places are 3+3+3+3, 4+4+4 or 3+4+5, so four groups
must all fit three places; single cards fill what is left.  With N cards placed,
J jokers, and h targets that are a tanela with one card missing, where no joker
helps, the distance is ``max(h, 12 - N - J)``.  The same search finds, for each
card that may be thrown, the *outs*: the cards that lessen the distance.

Everything here is exact; the functions on numbers and arrays are plain Python,
compiled by :mod:`ustad.runtime.core.kernels`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

SUITS = "SHDC"
RANK_NAMES = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
RANKS = 13
PUTALI = 52
MASTER = 53
CARDS = 54
"""How many different cards there are."""

CARD_NAMES = (*(rank + suit for suit in SUITS for rank in RANK_NAMES), "PJ", "MJ")
CARD_NUMBER = {name: card for card, name in enumerate(CARD_NAMES)}
COPIES: Ints = np.array([3] * 53 + [1])
"""(54,): how many of each card there are, 160 in all."""

SHOW_MELDS = 3
SHOW_PLACES = 9
DUBLEES_TO_SHOW = 7
FINISH_PLACES = 12
ALL_SUIT_CARDS = (1 << 52) - 1

NO_JOKERS = 0
PRINTED = 1 << PUTALI | 1 << MASTER


def counts_of(cards: Iterable[int]) -> Ints:
    """Return (54,) how many of each card there are among some cards."""
    counts = np.zeros(CARDS, dtype=np.int64)
    for card in cards:
        counts[card] += 1
    return counts


def how_many(counts: Ints) -> int:
    """Return how many cards there are in all; ``sum`` of numpy is slow to load compiled."""
    found = 0
    for card in range(len(counts)):
        found += counts[card]
    return found


# Maal.


def poplu(tiplu: int) -> int:
    """Return the card one rank above, the ace above the king."""
    return tiplu // RANKS * RANKS + (tiplu % RANKS + 1) % RANKS


def jhiplu(tiplu: int) -> int:
    """Return the card one rank below, the king below the ace."""
    return tiplu // RANKS * RANKS + (tiplu % RANKS + 12) % RANKS


def alter(tiplu: int) -> int:
    """Return the card of the same rank in the other suit of the same colour."""
    return (3 - tiplu // RANKS) * RANKS + tiplu % RANKS


def joker_mask(tiplu: int) -> int:
    """Return the jokers as bits by card: putali, master and, with a tiplu (not -1), all maal."""
    mask = 1 << 52 | 1 << 53
    if tiplu >= 0:
        mask |= 1 << poplu(tiplu) | 1 << jhiplu(tiplu)
        for suit in range(4):
            mask |= 1 << (suit * RANKS + tiplu % RANKS)
    return mask


def copies_pay(copies: int, one: int, two: int, three: int) -> int:
    """Return what so many copies of a card pay."""
    if copies <= 0:
        return 0
    if copies == 1:
        return one
    return two if copies == 2 else three


def marriage_points(tiplus: int, poplus: int, jhiplus: int) -> int:
    """Return what tiplus, poplus and jhiplus pay together, in the marriages that pay most."""
    best = 0
    for marriages in range(min(tiplus, poplus, jhiplus) + 1):
        points = 0 if marriages == 0 else (10 if marriages == 1 else 30)
        points += copies_pay(tiplus - marriages, 3, 7, 7)
        points += copies_pay(poplus - marriages, 2, 5, 10)
        points += copies_pay(jhiplus - marriages, 2, 5, 10)
        best = max(best, points)
    return best


def laid_points(laid: int, putali_laid: bool) -> int:
    """Return what laid tanelas pay beside their cards: 5 each, 20 for putali (45, not 25)."""
    return 5 * laid + (15 if putali_laid else 0)


def maal_points(
    counts: Any, tiplu: int, laid: int, putali_laid: bool, printed: bool, laid_pays: bool
) -> int:
    """Return the maal of all cards that a player owns.

    Args:
        counts: (54,) the cards in hand and on the table.
        tiplu: the tiplu, -1 if the player may not count it.
        laid: how many tanelas were laid before the first draw.
        putali_laid: whether one of them is of three putali.
        printed: whether putali and master count as cards.
        laid_pays: whether laying pays: 5 a tanela, and 45 for three putali, which is for
            laying them and takes the place of what they count as cards.
    """
    points = 0
    if printed:
        points += 10 * counts[MASTER]
    if printed or (laid_pays and putali_laid):
        points += copies_pay(counts[PUTALI], 5, 15, 25)
    if laid_pays:
        points += laid_points(laid, putali_laid)
    if tiplu >= 0:
        points += marriage_points(counts[tiplu], counts[poplu(tiplu)], counts[jhiplu(tiplu)])
        points += copies_pay(counts[alter(tiplu)], 5, 15, 25)
    return int(points)


# The distance to a show.


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
    # best[m, x, y, w]: targets so far, sequences begun one and two ranks ago, wild card used.
    best = np.empty((4, 4, 4, 2), dtype=np.int64)
    after = np.empty((4, 4, 4, 2), dtype=np.int64)
    ace, queen, king = key & 3, key >> 22 & 3, key >> 24 & 3
    high_blocked = blocked & (1 | 1 << 11 | 1 << 12)
    most_high = 0 if high_blocked else min(3, max(ace, queen, king) + wild)
    for high in range(most_high + 1):
        best[:] = -1
        best[high, 0, 0, 0] = 0
        for rank in range(RANKS):
            held = key >> 2 * rank & 3
            limit = 0 if blocked >> rank & 1 else 3 - (blocked >> RANKS == rank + 1)
            through = high if rank == 0 or rank >= 11 else 0
            after[:] = -1
            for m in range(high, 4):
                for x in range(m - high + 1):
                    for y in range(m - high - x + 1):
                        for w in range(wild + 1):
                            value = best[m, x, y, w]
                            if value < 0:
                                continue
                            most_new = 3 - m if rank <= 10 else 0
                            for new in range(most_new + 1):
                                used = through + x + y + new
                                if used > limit:
                                    break
                                got = value + min(held, used)
                                if got > after[m + new, new, x, w]:
                                    after[m + new, new, x, w] = got
                                if used > held and w < wild and got + 1 > after[m + new, new, x, 1]:
                                    after[m + new, new, x, 1] = got + 1
                            if x + y + through == 0 and m < 3 and limit == 3:
                                # A tanela of this rank.
                                got = value + held
                                if got > after[m + 1, 0, 0, w]:
                                    after[m + 1, 0, 0, w] = got
            best, after = after, best
        for m in range(high, 4):
            for w in range(wild + 1):
                if best[m, 0, 0, w] > covers[m]:
                    covers[m] = best[m, 0, 0, w]
    for m in range(1, 4):
        covers[m] = max(covers[m], covers[m - 1])
    return int(covers[1] | covers[2] << 4 | covers[3] << 8)


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


# The distance to a finish.

MOST_GROUPS = 1024
GROUP_FIELDS = 9
G_FIRST, G_SIZE, G_NEED, G_EXACT, G_HOLE, G_MEMBERS, G_OUT3, G_OUT4, G_OUT5 = range(GROUP_FIELDS)
"""What is noted of a group: unused, how many cards, the least size of its meld (3 to 5),
whether the meld has exactly three places (trial and tanela), whether it is a tanela with
one card missing, its cards (six bits each), and the cards that would join it in a meld of
3, 4 and 5 places, as bits."""


def run_outs(suit: int, low: int, high: int, members: int, places: int) -> int:
    """Return the cards, as bits, that would join a sequence in a meld of exactly so many places.

    Args:
        suit: the suit of the sequence.
        low: its lowest rank.
        high: its highest rank; an ace above the king is 13.
        members: its ranks as bits.
        places: the least size, 3 to 5, of the meld with the new card.
    """
    outs = 0
    for rank in range(max(0, high - 4), min(13, low + 4) + 1):
        if not members >> rank & 1:
            span = max(3, max(high, rank) - min(low, rank) + 1)
            if span == places and (rank < 13 or low > 0):
                outs |= 1 << (suit * RANKS + rank % RANKS)
    return outs


def other_suits(card: int) -> int:
    """Return the cards of the same rank in the other suits, as bits."""
    outs = 0
    for suit in range(4):
        if suit != card // RANKS:
            outs |= 1 << (suit * RANKS + card % RANKS)
    return outs


def _add_group(
    groups: Any, count: int, size: int, need: int, exact: int, hole: int, members: int
) -> int:
    if count < MOST_GROUPS:
        groups[count, G_SIZE] = size
        groups[count, G_NEED] = need
        groups[count, G_EXACT] = exact
        groups[count, G_HOLE] = hole
        groups[count, G_MEMBERS] = members
        groups[count, G_OUT3] = 0
        groups[count, G_OUT4] = 0
        groups[count, G_OUT5] = 0
        return count + 1
    return count


def list_groups(counts: Any, jokers: int, gone: int, groups: Any) -> int:
    """Fill ``groups`` (MOST_GROUPS, GROUP_FIELDS) and return how many there are.

    A group is two or more cards, no jokers, that can lie in one meld of the finish.
    Two of a card of which no third is to be had (``gone``, as bits) are none.
    """
    count = 0
    for card in range(52):
        if counts[card] == 0 or jokers >> card & 1:
            continue
        suit, rank = card // RANKS, card % RANKS
        # Sequences whose lowest card this is; bit k of a choice: the rank k + 1 above.
        possible = 0
        for step in range(1, 5):
            place = rank + step
            if place <= 13 and (place < 13 or rank > 0):
                other = suit * RANKS + place % RANKS
                if counts[other] > 0 and not jokers >> other & 1:
                    possible |= 1 << (step - 1)
        choice = possible
        while choice > 0:
            size, members, high, ranks = 1, card, rank, 1 << rank
            for step in range(1, 5):
                if choice >> (step - 1) & 1:
                    other = suit * RANKS + (rank + step) % RANKS
                    members |= other << 6 * size
                    size += 1
                    high = rank + step
                    ranks |= 1 << high
            before = count
            count = _add_group(groups, count, size, max(3, high - rank + 1), 0, 0, members)
            if count > before:
                groups[before, G_OUT3] = run_outs(suit, rank, high, ranks, 3)
                groups[before, G_OUT4] = run_outs(suit, rank, high, ranks, 4)
                groups[before, G_OUT5] = run_outs(suit, rank, high, ranks, 5)
            choice = (choice - 1) & possible
        # Trials whose first card this is.
        for second in range(card + RANKS, 52, RANKS):
            if counts[second] == 0 or jokers >> second & 1:
                continue
            before = count
            count = _add_group(groups, count, 2, 3, 1, 0, card | second << 6)
            if count > before:
                groups[before, G_OUT3] = other_suits(card) & ~(1 << second)
            for third in range(second + RANKS, 52, RANKS):
                if counts[third] > 0 and not jokers >> third & 1:
                    members = card | second << 6 | third << 12
                    count = _add_group(groups, count, 3, 3, 1, 0, members)
        if counts[card] == 3:
            count = _add_group(groups, count, 3, 3, 1, 0, card | card << 6 | card << 12)
        if counts[card] >= 2 and not gone >> card & 1:
            before = count
            count = _add_group(groups, count, 2, 3, 1, 1, card | card << 6)
            if count > before:
                groups[before, G_OUT3] = 1 << card
    return count


def _fits(groups: int, exact: int, four: int, five: int) -> bool:
    """Tell whether groups fit 3+3+3+3, 3+4+5 or 4+4+4 places.

    Args:
        groups: how many groups.
        exact: how many of them need exactly three places.
        four: how many need at least four.
        five: how many need five.
    """
    if four == 0:
        return groups <= 4
    if groups > 3:
        return False
    return (exact <= 1 and four <= 2 and five <= 1) or (exact == 0 and five == 0)


def _distance(groups: int, four: int, placed: int, loose: int, holes: int, jokers: int) -> int:
    """Return the cards to replace with so many groups holding ``placed`` cards.

    ``loose`` cards lie in no group; single ones fill the melds that have no group.
    """
    slots = (4 if four == 0 else 3) - groups
    return max(holes, FINISH_PLACES - placed - min(slots, loose) - jokers)


def finish_work() -> tuple[Ints, Ints]:
    """Return the working arrays of :func:`search_finish`: groups and outs."""
    return (
        np.zeros((MOST_GROUPS, GROUP_FIELDS), dtype=np.int64),
        np.zeros(CARDS + 1, dtype=np.int64),
    )


def search_finish(
    counts: Any,
    jokers: int,
    most: int,
    groups: Any,
    outs: Any,
    chosen: Any,
    outs_wanted: bool,
    gone: int = 0,
) -> int:
    """Return how many cards must be replaced until a finish.

    Args:
        counts: (54,) the 13 cards after a draw, or 12 before it.
        jokers: which cards are jokers, as bits.
        most: distances above it need not be told apart: ``most + 1`` stands for them.
        groups: working space, see :func:`finish_work`.
        outs: (55,) filled if wanted: for each card, as bits, the cards that lessen
            the distance once it is thrown, 0 if throwing it costs distance; in the
            last place those that do with nothing thrown.
        chosen: (4,) filled with groups of a best way, -1 where there is none.
        outs_wanted: whether to fill ``outs``; they are right for a distance
            from 1 to ``most``.
        gone: the cards, as bits, of which no other copy is to be had.
    """
    wild = 0
    normal = 0
    total = 0
    types = np.empty(CARDS, dtype=np.int64)
    left = np.zeros(CARDS, dtype=np.int64)
    kinds = 0
    for card in range(CARDS):
        if counts[card] > 0:
            if jokers >> card & 1:
                wild += int(counts[card])
            else:
                normal += int(counts[card])
                types[kinds] = card
                left[card] = counts[card]
                kinds += 1
    total = list_groups(counts, jokers, gone, groups)
    # Large groups first: an order by counting.
    order = np.empty(max(total, 1), dtype=np.int64)
    at = 0
    for size in range(5, 1, -1):
        for group in range(total):
            if groups[group, G_SIZE] == size:
                order[at] = group
                at += 1
    # What each loose card could be joined by, in a meld of 3, 4 and 5 places.
    near3 = np.zeros(CARDS, dtype=np.int64)
    near4 = np.zeros(CARDS, dtype=np.int64)
    near5 = np.zeros(CARDS, dtype=np.int64)
    # What would join each loose card in the present choice of groups.
    beside = np.zeros(CARDS, dtype=np.int64)
    if outs_wanted:
        outs[:] = 0
        for kind in range(kinds):
            card = types[kind]
            if card < 52:
                suit, rank = card // RANKS, card % RANKS
                near3[card] = run_outs(suit, rank, rank, 1 << rank, 3) | other_suits(card)
                near4[card] = run_outs(suit, rank, rank, 1 << rank, 4)
                near5[card] = run_outs(suit, rank, rank, 1 << rank, 5)
                if rank == 0:
                    near3[card] |= run_outs(suit, 13, 13, 1 << 13, 3)
                    near4[card] |= run_outs(suit, 13, 13, 1 << 13, 4)
                    near5[card] |= run_outs(suit, 13, 13, 1 << 13, 5)
    best = most + 1
    chosen[:] = -1
    # The groups taken so far and, for each number of them, where the next is looked for.
    taken = np.zeros(5, dtype=np.int64)
    start = np.zeros(5, dtype=np.int64)
    depth = 0
    placed, exact, four, five, holes = 0, 0, 0, 0, 0
    fresh = True
    while True:
        if fresh:
            fresh = False
            loose = normal - placed
            distance = max(0, _distance(depth, four, placed, loose, holes, wild))
            if distance < best:
                best = distance
                for level in range(4):
                    chosen[level] = taken[level] if level < depth else -1
                if outs_wanted:
                    outs[:] = 0
            if best == 0:
                break
            if outs_wanted and distance == best and best <= most:
                joined = jokers if holes < best else 0
                for level in range(depth):
                    group = taken[level]
                    need = groups[group, G_NEED]
                    filled = groups[group, G_HOLE]
                    for places in range(need, 6):
                        more = groups[group, G_OUT3 + places - 3]
                        if more == 0:
                            continue
                        new_four = four - (need >= 4) + (places >= 4)
                        new_five = five - (need >= 5) + (places >= 5)
                        if (
                            _fits(depth, exact, new_four, new_five)
                            and _distance(depth, new_four, placed + 1, loose, holes - filled, wild)
                            < best
                        ):
                            joined |= more
                # A new card beside a loose one is a group of two.
                beside3, beside4, beside5, same = False, False, False, False
                if _fits(depth + 1, exact + 1, four, five):
                    beside3 = _distance(depth + 1, four, placed + 2, loose - 1, holes, wild) < best
                    same = _distance(depth + 1, four, placed + 2, loose - 1, holes + 1, wild) < best
                run3 = beside3
                if not beside3 and _fits(depth + 1, exact, four, five):
                    run3 = _distance(depth + 1, four, placed + 2, loose - 1, holes, wild) < best
                if _fits(depth + 1, exact, four + 1, five):
                    beside4 = (
                        _distance(depth + 1, four + 1, placed + 2, loose - 1, holes, wild) < best
                    )
                if _fits(depth + 1, exact, four + 1, five + 1):
                    beside5 = (
                        _distance(depth + 1, four + 1, placed + 2, loose - 1, holes, wild) < best
                    )
                once, twice = joined, 0
                # ``twice``: outs that two loose cards give, ``once``: that at least one gives.
                for kind in range(kinds):
                    card = types[kind]
                    if left[card] == 0 or card >= 52:
                        continue
                    near = 0
                    if beside3:
                        near |= near3[card]
                    elif run3:
                        near |= near3[card] & ~other_suits(card)
                    if beside4:
                        near |= near4[card]
                    if beside5:
                        near |= near5[card]
                    if same:
                        near |= 1 << card
                    beside[card] = near
                    twice |= once & near
                    if left[card] > 1:
                        twice |= near
                    once |= near
                outs[CARDS] |= once
                for kind in range(kinds):
                    card = types[kind]
                    if left[card] == 0:
                        continue
                    near = beside[card]
                    outs[card] |= joined | (once & ~near) | (near & twice)
                    if outs[card] == 0:
                        outs[card] = 1 << 62
        # Take the next group that fits and can still lead to the best distance.
        found = False
        if depth < 4:
            place = start[depth]
            while place < total:
                group = order[place]
                size = groups[group, G_SIZE]
                room = 4 - depth if four == 0 else 3 - depth
                reach = FINISH_PLACES - placed - room * size - wild
                if room <= 0 or reach > best or (reach == best and not outs_wanted):
                    break
                need = groups[group, G_NEED]
                if (
                    _fits(
                        depth + 1,
                        exact + groups[group, G_EXACT],
                        four + (need >= 4),
                        five + (need >= 5),
                    )
                    and holes + groups[group, G_HOLE] <= best
                ):
                    members = groups[group, G_MEMBERS]
                    able = True
                    for k in range(size):
                        card = members >> 6 * k & 63
                        left[card] -= 1
                        if left[card] < 0:
                            able = False
                    if able:
                        found = True
                        break
                    for k in range(size):
                        left[members >> 6 * k & 63] += 1
                place += 1
            if found:
                group = order[place]
                taken[depth] = group
                start[depth] = place
                depth += 1
                if depth < 5:
                    start[depth] = place
                placed += groups[group, G_SIZE]
                exact += groups[group, G_EXACT]
                four += groups[group, G_NEED] >= 4
                five += groups[group, G_NEED] >= 5
                holes += groups[group, G_HOLE]
                fresh = True
                continue
        if depth == 0:
            break
        depth -= 1
        group = taken[depth]
        members = groups[group, G_MEMBERS]
        for k in range(groups[group, G_SIZE]):
            left[members >> 6 * k & 63] += 1
        placed -= groups[group, G_SIZE]
        exact -= groups[group, G_EXACT]
        four -= groups[group, G_NEED] >= 4
        five -= groups[group, G_NEED] >= 5
        holes -= groups[group, G_HOLE]
        start[depth] += 1
    return int(best)
