"""Distance to a finish."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ustad.runtime.games.marriage.cards.cards import (
    CARDS,
    RANKS,
    Cards,
    Ints,
    Melds,
    counts_of,
    sorted_melds,
    without,
)
from ustad.runtime.games.marriage.cards.melds import FINISH_PLACES

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


def finish_melds(hand: Cards, jokers: int) -> Melds | None:
    """Return twelve cards in melds of the finish, None if they are none."""
    counts = counts_of(hand)
    groups, outs = finish_work()
    chosen = np.zeros(4, dtype=np.int64)
    if search_finish(counts, jokers, 0, groups, outs, chosen, False) > 0:
        return None
    return sorted_melds(cards for cards, _ in arrange(hand, jokers, groups, chosen))


def arrange(hand: Cards, jokers: int, groups: Any, chosen: Any) -> list[tuple[Cards, int]]:
    """Return the melds of the finish that a search has found, each with the places it misses.

    Args:
        hand: the cards; some are left out if there are more than places.
        jokers: the jokers, as bits by card.
        groups: as filled by :func:`ustad.runtime.games.marriage.cards.melds.search_finish`.
        chosen: the groups of the finish.
    """
    rows = [groups[group] for group in chosen if group >= 0]
    built = [[int(row[G_MEMBERS]) >> 6 * k & 63 for k in range(row[G_SIZE])]
             for row in rows]  # fmt: skip
    left = without(hand, [card for cards in built for card in cards])
    loose = [card for card in left if not jokers >> card & 1]
    wild = [card for card in left if jokers >> card & 1]
    best: list[tuple[Cards, int]] = []
    least = FINISH_PLACES + 1
    for shape in ((3, 3, 3, 3), (3, 4, 5), (4, 4, 4)):
        for sizes in sorted(set(_orders(shape))):
            fits = len(rows) <= len(shape) and all(
                size == 3 if row[G_EXACT] else row[G_NEED] <= size
                for size, row in zip(sizes, rows, strict=False)
            )
            if not fits:
                continue
            places = [*built, *([card] for card in loose)][: len(shape)]
            places += [[] for _ in range(len(shape) - len(places))]
            # No joker helps a tanela.
            closed = [bool(row[G_HOLE]) for row in rows] + [False] * len(shape)
            filled, spare = [], list(wild)
            for cards, size, no_joker in zip(places, sizes, closed, strict=False):
                take = 0 if no_joker else size - len(cards)
                whole = tuple(sorted([*cards, *spare[:take]]))
                spare = spare[take:]
                filled.append((whole, size - len(whole)))
            missing = sum(places for _, places in filled)
            if missing < least:
                best, least = filled, missing
    return best


def _orders(shape: Cards) -> Iterable[Cards]:
    if len(shape) == 1:
        return [shape]
    return [
        (size, *rest)
        for at, size in enumerate(shape)
        for rest in _orders(shape[:at] + shape[at + 1 :])
    ]


def finish_melds_exist(hand: Cards, jokers: int) -> bool:
    """Tell whether twelve of thirteen cards lie in melds of the finish."""
    groups, outs = finish_work()
    chosen = np.zeros(4, dtype=np.int64)
    counts = counts_of(hand)
    return search_finish(counts, jokers, 0, groups, outs, chosen, False) == 0
