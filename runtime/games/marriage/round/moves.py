"""Moves."""

from __future__ import annotations

from dataclasses import dataclass

from ustad.runtime.games.marriage.cards.cards import Cards, Melds

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
    """Throw a card."""

    card: int


Move = Draw | Lay | Show | ShowDublees | Finish | Discard
