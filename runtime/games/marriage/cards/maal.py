"""Maal: what cards pay, and which are jokers, once the tiplu is known; flat functions."""

from __future__ import annotations

from typing import Any

from ustad.runtime.games.marriage.cards.cards import MASTER, PUTALI, RANKS, Ints

PRINTED = 1 << PUTALI | 1 << MASTER
"""The jokers while no tiplu is seen, as bits by card."""


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
    mask = PRINTED
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
    """Return what tiplus, poplus and jhiplus pay together, in the marriages that pay most.

    One marriage and a poplu beside it:

    >>> marriage_points(1, 2, 1)
    12
    """
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


def maal_of_card(hand: Ints, card: int, tiplu: int) -> int:
    """Return the maal that one more copy of a card adds to the cards of a hand, after the show."""
    if card == MASTER:
        return 10
    if card == PUTALI:
        return copies_pay(hand[card] + 1, 5, 15, 25) - copies_pay(hand[card], 5, 15, 25)
    if tiplu < 0:
        return 0
    if card == alter(tiplu):
        return copies_pay(hand[card] + 1, 5, 15, 25) - copies_pay(hand[card], 5, 15, 25)
    t, p, j = hand[tiplu], hand[poplu(tiplu)], hand[jhiplu(tiplu)]
    before = marriage_points(t, p, j)
    if card == tiplu:
        return marriage_points(t + 1, p, j) - before
    if card == poplu(tiplu):
        return marriage_points(t, p + 1, j) - before
    if card == jhiplu(tiplu):
        return marriage_points(t, p, j + 1) - before
    return 0
