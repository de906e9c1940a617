"""The cards."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
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


HAND = 21
Cards = tuple[int, ...]
Melds = tuple[Cards, ...]


def sorted_melds(found: Iterable[Iterable[int]]) -> Melds:
    """Return melds in their one order."""
    return tuple(sorted(tuple(sorted(cards)) for cards in found))


def flat(found: Iterable[Cards]) -> Cards:
    """Return the cards of melds."""
    return tuple(card for cards in found for card in cards)


def without(hand: Cards, cards: Iterable[int]) -> Cards:
    """Return a hand without some of its cards; ValueError if it does not hold them."""
    left = list(hand)
    for card in cards:
        left.remove(card)
    return tuple(left)


def in_words(cards: Iterable[int]) -> str:
    """Return the names of cards as one text."""
    return " ".join(CARD_NAMES[card] for card in cards)


def names_of(cards: Iterable[int]) -> list[str]:
    """Return the names of cards."""
    return [CARD_NAMES[card] for card in cards]
