"""Known."""

from __future__ import annotations

from collections import Counter

import numpy as np

from ustad.runtime.games.marriage.cards.cards import COPIES, PUTALI, Cards, Ints, counts_of
from ustad.runtime.games.marriage.round.public import Table


def held_by(table: Table, seat: int) -> Counter[int]:
    """Return the cards known to be in a hand: taken from the pile, and not seen since."""
    held = Counter(card for who, card in table.taken if who == seat)
    held -= Counter(card for who, card in table.discards if who == seat)
    return held - Counter(table.seats[seat].cards)


def held_by_others(table: Table, seat: int) -> Counter[int]:
    """Return the cards known to be in the hands of all other seats."""
    others = [held_by(table, other) for other in range(table.players) if other != seat]
    return sum(others, Counter())


def chance_of_no_tiplu(unseen: Ints, stock: int) -> float:
    """Return how likely it is that no card of the stock can be the tiplu."""
    printed, all_cards = int(unseen[PUTALI:].sum()), int(unseen.sum())
    if stock > printed:
        return 0.0
    chance = 1.0
    for drawn in range(stock):
        chance *= (printed - drawn) / (all_cards - drawn)
    return chance


def not_in_sight(table: Table, hand: Cards, tiplu: int | None) -> Ints:
    """Return (54,) how many copies of each card do not lie before a seat's eyes now."""
    seen = Counter(hand)
    seen.update(table.pile)
    for seat in table.seats:
        seen.update(seat.cards)
    if tiplu is not None:
        seen[tiplu] += 1
    return np.asarray(COPIES - counts_of(seen.elements()))


def unseen_counts(table: Table, seat: int, hand: Cards, tiplu: int | None) -> Ints:
    """Return (54,) how many copies of each card a seat has not seen: stock and other hands.

    Cards that others have taken from the pile and still hold count as seen.
    """
    unseen = not_in_sight(table, hand, tiplu)
    for card, count in held_by_others(table, seat).items():
        unseen[card] = max(0, unseen[card] - count)
    return unseen
