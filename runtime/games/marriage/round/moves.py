"""The moves of Marriage.

Cards are numbers, sorted, and melds are sorted too, so equal moves are equal.
"""

from __future__ import annotations

from dataclasses import dataclass

from ustad.runtime.games.marriage.cards.cards import Cards, Melds, flat

STOCK, PILE = "stock", "pile"


@dataclass(frozen=True, slots=True)
class Draw:
    """Draw from the stock or take the top of the pile."""

    source: str


@dataclass(frozen=True, slots=True)
class Lay:
    """Lay a dealt tanela."""

    cards: Cards


@dataclass(frozen=True, slots=True)
class Show:
    """Lay the pure melds that make three with the tanelas already laid."""

    melds: Melds


@dataclass(frozen=True, slots=True)
class ShowDublees:
    """Lay seven dublees."""

    melds: Melds


@dataclass(frozen=True, slots=True)
class Finish:
    """Lay the last twelve cards in melds, or an eighth dublee, and discard one card."""

    melds: Melds
    discard: int


@dataclass(frozen=True, slots=True)
class Discard:
    """Discard a card."""

    card: int


Move = Draw | Lay | Show | ShowDublees | Finish | Discard


def cards_laid(move: Move) -> Cards:
    """Return the cards that a move lays on the table."""
    if isinstance(move, Lay):
        return move.cards
    return () if isinstance(move, Draw | Discard) else flat(move.melds)


def cards_given_up(move: Move) -> Cards:
    """Return the cards that leave the hand with a move: those laid, and the discard."""
    if isinstance(move, Discard):
        return (move.card,)
    return (*cards_laid(move), move.discard) if isinstance(move, Finish) else cards_laid(move)
