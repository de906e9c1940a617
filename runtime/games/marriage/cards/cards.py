"""The cards of Marriage: 160 of 54 kinds, and 21 a hand.

A card is a number: ``13 * suit + rank`` with the suits in the order of :data:`SUITS` and the
rank from 0 (ace) to 12 (king), then 52 for a putali and 53 for the master.  Cards together
are a sorted tuple of them, or, for flat functions, (54,) how many there are of each.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Cards = tuple[int, ...]
Melds = tuple[Cards, ...]

SUITS = "SHDC"
RANK_NAMES = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
RANKS = 13
PUTALI = 52
MASTER = 53
CARDS = 54
"""How many different cards there are."""
NO_CARD = -1
"""Stands for a card where there is none."""

CARD_NAMES = (*(rank + suit for suit in SUITS for rank in RANK_NAMES), "PJ", "MJ")
CARD_NUMBER = {name: card for card, name in enumerate(CARD_NAMES)}
COPIES: Ints = np.array([3] * 53 + [1])
"""(54,): how many of each card there are."""
ALL_CARDS = 160
HAND = 21


def counts_of(cards: Iterable[int]) -> Ints:
    """Return (54,) how many of each card there are among some cards.

    >>> counts_of((0, 0, PUTALI))[[0, 1, PUTALI]].tolist()
    [2, 0, 1]
    """
    return np.bincount(np.array([*cards], dtype=np.int64), minlength=CARDS)


def how_many(counts: Ints) -> int:
    """Return how many cards there are in all; ``sum`` of numpy is slow to load compiled."""
    found = 0
    for card in range(len(counts)):
        found += counts[card]
    return found


def sorted_melds(found: Iterable[Iterable[int]]) -> Melds:
    """Return melds in their one order."""
    return tuple(sorted(tuple(sorted(cards)) for cards in found))


def flat(found: Iterable[Cards]) -> Cards:
    """Return the cards of melds."""
    return tuple(chain.from_iterable(found))


def without(hand: Cards, cards: Iterable[int]) -> Cards:
    """Return a hand without some of its cards; ValueError if it does not hold them."""
    left = list(hand)
    for card in cards:
        left.remove(card)
    return tuple(left)


def with_card(hand: Cards, card: int) -> Cards:
    """Return a hand with one card more."""
    return tuple(sorted((*hand, card)))


def names_of(cards: Iterable[int]) -> list[str]:
    """Return the names of cards."""
    return [CARD_NAMES[card] for card in cards]


def in_words(cards: Iterable[int]) -> str:
    """Return the names of cards as one text.

    >>> in_words((0, 22, PUTALI, MASTER))
    'AS 10H PJ MJ'
    """
    return " ".join(names_of(cards))
