"""The distance to a finish: how many cards must be replaced until all lie in melds.

After the show all but one of 13 cards are to lie in sequences of three to five, trials and
tanelas, jokers in the missing places.

A maal card is a joker, and a joker fits wherever it fits as an ordinary card (three equal
jokers are a meld of jokers), so jokers need only be counted.  The other cards fall into
*groups*: cards that can lie in one meld.  Groups of two or more cards are listed and the
choices of at most four disjoint ones searched, large groups first, cutting off what cannot
reach the best (:func:`search_finish`).  Twelve places are 3+3+3+3, 4+4+4 or 3+4+5, so four
groups must all fit three places; single cards fill what is left.  With N cards placed, J
jokers, and h groups that are a tanela with one card missing, where no joker helps, the
distance is ``max(h, 12 - N - J)``.  The same search finds, for each card that may be
discarded, the *outs*: the cards that lessen the distance.

Sets of cards are bits of a number.  The flat functions are plain Python, which ``kernels``
compiles.
"""

from __future__ import annotations

from itertools import permutations
from typing import Any, NamedTuple

import numpy as np

from ustad.runtime.games.marriage.cards.cards import (
    CARDS,
    PUTALI,
    RANKS,
    Cards,
    Ints,
    Melds,
    counts_of,
    how_many,
    sorted_melds,
    without,
)
from ustad.runtime.games.marriage.cards.melds import FINISH_PLACES

MOST_GROUPS = 1024
MOST_CHOSEN = 4
"""A finish has at most four melds."""


SIZE, NEED, EXACT, HOLE, MEMBERS, OUTS = range(6)
"""What is noted of a group, a column each.

How many cards it has; the least size of its meld (3 to 5); whether the meld has exactly
three places (trial and tanela); whether it is a tanela with one card missing; its cards,
six bits each; and the first of three columns for the cards, as bits, that would join it in a
meld of 3, 4 and 5 places.
"""
COLUMNS = OUTS + 3


class FinishWork(NamedTuple):
    """The working arrays of :func:`search_finish`, and what it tells beside the distance.

    Attributes:
        groups: (MOST_GROUPS, COLUMNS) filled with groups.
        outs: (55,) filled if wanted: for each card, as bits, the cards that lessen the
            distance once it is discarded, 0 if discarding it costs distance; in the last
            place those that do with nothing discarded.
        chosen: (4,) filled with the groups of a best way, -1 where there is none.
    """

    groups: Ints
    outs: Ints
    chosen: Ints


def finish_work() -> FinishWork:
    """Return new working arrays."""
    return FinishWork(
        np.zeros((MOST_GROUPS, COLUMNS), dtype=np.int64),
        np.zeros(CARDS + 1, dtype=np.int64),
        np.zeros(MOST_CHOSEN, dtype=np.int64),
    )


# Groups.


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


def member(members: int, place: int) -> int:
    """Return one card of a group."""
    return members >> 6 * place & 63


def add_group(groups: Any, count: int, size: int, need: int, hole: int, members: int) -> int:
    """Add a group that is no sequence if ``need`` is 0, and return how many there are."""
    if count == MOST_GROUPS:
        return count
    groups[count, SIZE] = size
    groups[count, NEED] = max(3, need)
    groups[count, EXACT] = need == 0
    groups[count, HOLE] = hole
    groups[count, MEMBERS] = members
    groups[count, OUTS:] = 0
    return count + 1


def add_runs(groups: Any, count: int, counts: Any, jokers: int, card: int) -> int:
    """Add the sequences whose lowest card this is, and return how many groups there are."""
    suit, rank = card // RANKS, card % RANKS
    possible = 0  # bit k: whether there is a card k + 1 ranks above
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
        count = add_group(groups, count, size, high - rank + 1, 0, members)
        if count > before:
            for places in range(3, 6):
                groups[before, OUTS + places - 3] = run_outs(suit, rank, high, ranks, places)
        choice = (choice - 1) & possible
    return count


def add_sets(groups: Any, count: int, counts: Any, jokers: int, gone: int, card: int) -> int:
    """Add the trials whose first card this is, and its tanela; return how many groups there are."""
    for second in range(card + RANKS, PUTALI, RANKS):
        if counts[second] == 0 or jokers >> second & 1:
            continue
        before = count
        count = add_group(groups, count, 2, 0, 0, card | second << 6)
        if count > before:
            groups[before, OUTS] = other_suits(card) & ~(1 << second)
        for third in range(second + RANKS, PUTALI, RANKS):
            if counts[third] > 0 and not jokers >> third & 1:
                count = add_group(groups, count, 3, 0, 0, card | second << 6 | third << 12)
    if counts[card] == 3:
        count = add_group(groups, count, 3, 0, 0, card | card << 6 | card << 12)
    if counts[card] >= 2 and not gone >> card & 1:
        before = count
        count = add_group(groups, count, 2, 0, 1, card | card << 6)
        if count > before:
            groups[before, OUTS] = 1 << card
    return count


def list_groups(groups: Any, counts: Any, jokers: int, gone: int) -> int:
    """Fill ``groups`` and return how many there are.

    A group is two or more cards, no jokers, that can lie in one meld of the finish.
    Two of a card of which no third is to be had (``gone``, as bits) are none.
    """
    count = 0
    for card in range(PUTALI):
        if counts[card] > 0 and not jokers >> card & 1:
            count = add_runs(groups, count, counts, jokers, card)
            count = add_sets(groups, count, counts, jokers, gone, card)
    return count


def large_first(groups: Any, total: int) -> Ints:
    """Return (total,) the groups, those with more cards first: an order by counting."""
    order = np.empty(total, dtype=np.int64)
    at = 0
    for size in range(5, 1, -1):
        for group in range(total):
            if groups[group, SIZE] == size:
                order[at] = group
                at += 1
    return order


# Choices of groups.


class Choice(NamedTuple):
    """Some disjoint groups of a hand, in numbers.

    Attributes:
        groups: how many there are.
        placed: how many cards they hold.
        exact: how many of them need exactly three places.
        four: how many need at least four.
        five: how many need five.
        holes: how many are a tanela with one card missing.
        cards: how many cards the hand has that are no jokers.
        jokers: how many it has that are.
    """

    groups: int
    placed: int
    exact: int
    four: int
    five: int
    holes: int
    cards: int
    jokers: int


def with_group(choice: Choice, groups: Any, group: int, times: int) -> Choice:
    """Return a choice with one group more (``times`` 1) or less (-1)."""
    need = groups[group, NEED]
    return Choice(
        choice.groups + times,
        choice.placed + times * groups[group, SIZE],
        choice.exact + times * groups[group, EXACT],
        choice.four + times * (need >= 4),
        choice.five + times * (need >= 5),
        choice.holes + times * groups[group, HOLE],
        choice.cards,
        choice.jokers,
    )


def melds_of(choice: Choice) -> int:
    """Return how many melds a finish with these groups has."""
    return 4 if choice.four == 0 else 3


def fits(groups: int, exact: int, four: int, five: int) -> bool:
    """Tell whether groups fit 3+3+3+3, 3+4+5 or 4+4+4 places; see :class:`Choice`."""
    if four == 0:
        return groups <= 4
    if groups > 3:
        return False
    return (exact <= 1 and four <= 2 and five <= 1) or (exact == 0 and five == 0)


def distance_of(choice: Choice) -> int:
    """Return the cards to replace with these groups, 0 or less if there are none.

    Cards that lie in no group fill, one each, the melds that have no group.
    """
    singles = min(melds_of(choice) - choice.groups, choice.cards - choice.placed)
    return max(choice.holes, FINISH_PLACES - choice.placed - singles - choice.jokers)


def take_cards(left: Ints, members: int, size: int) -> bool:
    """Take the cards of a group from those left; tell whether they were there."""
    able = True
    for place in range(size):
        card = member(members, place)
        left[card] -= 1
        if left[card] < 0:
            able = False
    if not able:
        give_back(left, members, size)
    return able


def give_back(left: Ints, members: int, size: int) -> None:
    """Return the cards of a group to those left."""
    for place in range(size):
        left[member(members, place)] += 1


# The search.


def take_next(
    groups: Ints, order: Ints, start: int, left: Ints, choice: Choice, best: int, reach: int
) -> int:
    """Take the cards of the next group that a choice can have.

    Args:
        groups: the groups.
        order: the groups by size, the largest first.
        start: the place in ``order`` to look from.
        left: (54,) the cards left; changed.
        choice: the groups taken.
        best: the least distance found.
        reach: the largest distance that is still looked for.

    Returns:
        The place in ``order`` of the group, -1 if there is none.
    """
    room = melds_of(choice) - choice.groups
    for place in range(start, len(order) if room > 0 else 0):
        group = order[place]
        size, need = groups[group, SIZE], groups[group, NEED]
        if FINISH_PLACES - choice.placed - room * size - choice.jokers > reach:
            break
        can_be = choice.holes + groups[group, HOLE] <= best and fits(
            choice.groups + 1,
            choice.exact + groups[group, EXACT],
            choice.four + (need >= 4),
            choice.five + (need >= 5),
        )
        if can_be and take_cards(left, groups[group, MEMBERS], size):
            return place
    return -1


def search_finish(
    work: FinishWork, counts: Any, jokers: int, most: int, outs_wanted: bool, gone: int
) -> int:
    """Return how many cards must be replaced until a finish.

    Args:
        work: filled, see there.
        counts: (54,) the 13 cards after a draw, or 12 before it.
        jokers: which cards are jokers, as bits.
        most: distances above it are not told apart: ``most + 1`` stands for them.
        outs_wanted: whether to fill ``work.outs``; they are right for a distance
            from 1 to ``most``.
        gone: the cards, as bits, of which no other copy is to be had.
    """
    groups, outs = work.groups, work.outs
    order = large_first(groups, list_groups(groups, counts, jokers, gone))
    left = ordinary_cards(counts, jokers)
    cards = how_many(left)
    kinds = kinds_of(left)
    near = runs_beside_each(kinds, outs_wanted)
    # The groups taken, and for each number of them where the next is looked for.
    taken = np.zeros(MOST_CHOSEN, dtype=np.int64)
    start = np.zeros(MOST_CHOSEN + 1, dtype=np.int64)
    choice = Choice(0, 0, 0, 0, 0, 0, cards, how_many(counts) - cards)
    best = most + 1
    work.chosen[:] = -1
    outs[:] = 0
    while True:
        distance = max(0, distance_of(choice))
        if distance < best:
            best = distance
            outs[:] = 0
            work.chosen[:] = -1
            work.chosen[: choice.groups] = taken[: choice.groups]
        if best == 0:
            return 0
        if outs_wanted and distance == best and best <= most:
            joined = outs_of_groups(groups, taken, choice, best)
            joined |= jokers if choice.holes < best else 0
            add_outs(outs, kinds, left, near, choice, best, joined)
        # On to the next choice: one group more, or the last ones given back and others taken.
        least = best if outs_wanted else best - 1
        place = take_next(groups, order, start[choice.groups], left, choice, best, least)
        while place < 0:
            if choice.groups == 0:
                return int(best)
            group = taken[choice.groups - 1]
            give_back(left, groups[group, MEMBERS], groups[group, SIZE])
            choice = with_group(choice, groups, group, -1)
            start[choice.groups] += 1
            place = take_next(groups, order, start[choice.groups], left, choice, best, least)
        start[choice.groups], start[choice.groups + 1] = place, place
        taken[choice.groups] = order[place]
        choice = with_group(choice, groups, order[place], 1)


def ordinary_cards(counts: Any, jokers: int) -> Ints:
    """Return (54,) the cards of a hand that are no jokers."""
    found = np.zeros(CARDS, dtype=np.int64)
    for card in range(CARDS):
        if not jokers >> card & 1:
            found[card] = counts[card]
    return found


def kinds_of(counts: Ints) -> Ints:
    """Return which cards there are, in order."""
    found = np.empty(CARDS, dtype=np.int64)
    many = 0
    for card in range(CARDS):
        if counts[card] > 0:
            found[many] = card
            many += 1
    return found[:many]


# Outs.


def is_nearer(choice: Choice, best: int) -> bool:
    """Tell whether groups fit and lessen the best distance."""
    able = fits(choice.groups, choice.exact, choice.four, choice.five)
    return able and distance_of(choice) < best


def outs_of_groups(groups: Any, taken: Ints, choice: Choice, best: int) -> int:
    """Return the cards, as bits, that lessen the distance by joining a group."""
    outs = 0
    for level in range(choice.groups):
        group = taken[level]
        need = groups[group, NEED]
        for places in range(3, 6):
            more = groups[group, OUTS + places - 3]
            if more == 0 or places < need:
                continue
            joined = Choice(
                choice.groups, choice.placed + 1, choice.exact,
                choice.four - (need >= 4) + (places >= 4),
                choice.five - (need >= 5) + (places >= 5),
                choice.holes - groups[group, HOLE], choice.cards + 1, choice.jokers,
            )  # fmt: skip
            if is_nearer(joined, best):
                outs |= more
    return outs


def with_pair(choice: Choice, exact: int, four: int, five: int, hole: int) -> Choice:
    """Return a choice with one more group, of a single card and a new one."""
    return Choice(
        choice.groups + 1, choice.placed + 2, choice.exact + exact, choice.four + four,
        choice.five + five, choice.holes + hole, choice.cards + 1, choice.jokers,
    )  # fmt: skip


def runs_beside_each(kinds: Ints, wanted: bool) -> Ints:
    """Return (54, 3) what makes a sequence of 3, 4 and 5 places with each kind of card."""
    near = np.zeros((CARDS, 3), dtype=np.int64)
    for card in kinds[: len(kinds) if wanted else 0]:
        suit, rank = card // RANKS, card % RANKS
        for places in range(3, 6):
            near[card, places - 3] = run_outs(suit, rank, rank, 1 << rank, places)
            if rank == 0:
                near[card, places - 3] |= run_outs(suit, 13, 13, 1 << 13, places)
    return near


def add_outs(
    outs: Any, kinds: Ints, left: Ints, near: Ints, choice: Choice, best: int, joined: int
) -> None:
    """Add the outs of a choice of groups that reaches the best distance, by discard.

    Args:
        outs: see :class:`FinishWork`.
        kinds: the kinds of ordinary cards.
        left: (54,) those that are in no group.
        near: see :func:`runs_beside_each`.
        choice: the groups.
        best: the best distance.
        joined: the cards that help whatever is discarded, as bits.
    """
    trial = is_nearer(with_pair(choice, 1, 0, 0, 0), best)
    twin = is_nearer(with_pair(choice, 1, 0, 0, 1), best)
    runs = (
        trial or is_nearer(with_pair(choice, 0, 0, 0, 0), best),
        is_nearer(with_pair(choice, 0, 1, 0, 0), best),
        is_nearer(with_pair(choice, 0, 1, 1, 0), best),
    )
    beside = np.zeros(CARDS, dtype=np.int64)  # what lessens the distance beside a single card
    once, twice = joined, 0  # outs that at least one single card gives, and that two give
    for card in kinds:
        if left[card] > 0:
            if trial:
                beside[card] |= other_suits(card)
            for size in range(len(runs)):
                if runs[size]:
                    beside[card] |= near[card, size]
            if twin:
                beside[card] |= 1 << card
            twice |= once & beside[card]
            if left[card] > 1:
                twice |= beside[card]
            once |= beside[card]
    outs[CARDS] |= once
    for card in kinds:
        if left[card] > 0:
            outs[card] |= joined | (once & ~beside[card]) | (beside[card] & twice)
            if outs[card] == 0:
                outs[card] = 1 << 62  # no distance is lost, and nothing helps


# The melds of a finish.


class FinishMeld(NamedTuple):
    """A meld of the finish: its cards, and how many it misses."""

    cards: Cards
    missing: int


def finish_melds(hand: Cards, jokers: int) -> Melds | None:
    """Return twelve cards in melds of the finish, None if they are none."""
    work = finish_work()
    if search_finish(work, counts_of(hand), jokers, 0, False, 0) > 0:
        return None
    return sorted_melds(meld.cards for meld in arrange(hand, jokers, work))


def finish_melds_exist(hand: Cards, jokers: int) -> bool:
    """Tell whether twelve of thirteen cards lie in melds of the finish."""
    return search_finish(finish_work(), counts_of(hand), jokers, 0, False, 0) == 0


SHAPES = ((3, 3, 3, 3), (3, 4, 5), (4, 4, 4))
"""The sizes that the melds of a finish can have."""


def arrange(hand: Cards, jokers: int, work: FinishWork) -> list[FinishMeld]:
    """Return the melds of the finish that a search has found, each with the places it misses.

    Args:
        hand: the cards; some are left out if there are more than places.
        jokers: the jokers, as bits by card.
        work: as filled by :func:`search_finish`.
    """
    groups = [work.groups[group] for group in work.chosen if group >= 0]
    built = [
        [member(int(group[MEMBERS]), place) for place in range(group[SIZE])] for group in groups
    ]
    left = without(hand, [card for cards in built for card in cards])
    singles = [[card] for card in left if not jokers >> card & 1]
    wild = [card for card in left if jokers >> card & 1]
    ways = [
        _filled(groups, [*built, *singles], wild, sizes)
        for shape in SHAPES
        for sizes in sorted(set(permutations(shape)))
        if _can_be(groups, sizes)
    ]
    return min(ways, key=lambda way: sum(meld.missing for meld in way), default=[])


def _can_be(groups: list[Ints], sizes: Cards) -> bool:
    """Tell whether the first melds, of these sizes, can be these groups."""
    return len(groups) <= len(sizes) and all(
        size == 3 if group[EXACT] else group[NEED] <= size
        for size, group in zip(sizes, groups, strict=False)
    )


def _filled(
    groups: list[Ints], parts: list[list[int]], wild: list[int], sizes: Cards
) -> list[FinishMeld]:
    """Return melds of these sizes, made of parts in order and filled up with jokers."""
    melds, spare = [], list(wild)
    for place, size in enumerate(sizes):
        cards = parts[place] if place < len(parts) else []
        no_joker = place < len(groups) and groups[place][HOLE]  # none helps a tanela
        take = 0 if no_joker else size - len(cards)
        whole = tuple(sorted([*cards, *spare[:take]]))
        spare = spare[take:]
        melds.append(FinishMeld(whole, size - len(whole)))
    return melds
