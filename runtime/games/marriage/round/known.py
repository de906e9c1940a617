"""What a seat knows of the cards that it does not see.

A card taken from the pile is known to be in a hand until it is discarded or laid.  Cards are
counts, (54,) or one row a seat; the functions are flat, for views and for compiled rounds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ustad.runtime.games.marriage.cards.cards import COPIES, PUTALI, Ints
from ustad.runtime.games.marriage.round.course import Course, among


class Sight(NamedTuple):
    """What a seat knows of a round, in numbers and counts: all that a decision goes by.

    Attributes:
        course: where the round stands.
        seat: who knows this.
        hand: (54,) its hand.
        laid: (54,) the tanelas that it laid before its first draw.
        table: (54,) all its cards on the table.
        unseen: (54,) the cards that it has not seen.
        tiplu: the tiplu if it sees it, else NO_CARD.
        top: the top of the pile, NO_CARD if it is empty.
        has_discarded: whether it is known to have discarded in this round.
    """

    course: Course
    seat: int
    hand: Ints
    laid: Ints
    table: Ints
    unseen: Ints
    tiplu: int
    top: int
    has_discarded: bool


def has_shown(sight: Sight) -> bool:
    """Tell whether the seat has shown."""
    return among(sight.course.shown, sight.seat)


def has_dublees(sight: Sight) -> bool:
    """Tell whether the seat has shown seven dublees."""
    return among(sight.course.dublees, sight.seat)


def with_hand(sight: Sight, hand: Ints) -> Sight:
    """Return what a seat would know with another hand."""
    return Sight(
        sight.course, sight.seat, hand, sight.laid, sight.table, sight.unseen, sight.tiplu,
        sight.top, sight.has_discarded,
    )  # fmt: skip


def held_cards(taken: Ints, discarded: Ints, table: Ints) -> Ints:
    """Return the cards known to be in hands: taken from the pile, and not seen since.

    Args:
        taken: (..., 54) the cards taken from the pile.
        discarded: (..., 54) the cards discarded.
        table: (..., 54) the cards on the table.
    """
    held: Ints = np.maximum(np.maximum(taken - discarded, 0) - table, 0)
    return held


def cards_not_in_sight(hand: Ints, open_cards: Ints, tiplu: int) -> Ints:
    """Return (54,) how many copies of each card do not lie before a seat's eyes now.

    Args:
        hand: (54,) its hand.
        open_cards: (54,) pile and table.
        tiplu: the tiplu if the seat sees it, else NO_CARD.
    """
    hidden = COPIES - hand - open_cards
    if tiplu >= 0:
        hidden[tiplu] -= 1
    return hidden


def unseen_cards(hidden: Ints, held: Ints, seat: int) -> Ints:
    """Return (54,) how many copies of each card a seat has not seen: stock and other hands.

    Args:
        hidden: (54,) see :func:`cards_not_in_sight`.
        held: (players, 54) the cards known to be in each hand; those of others count as seen.
        seat: who looks.
    """
    unseen: Ints = np.maximum(hidden - (held.sum(axis=0) - held[seat]), 0)
    return unseen


def chance_of_no_tiplu(unseen: Ints, stock: int) -> float:
    """Return how likely it is that no card of the stock can be the tiplu."""
    printed, all_cards = int(unseen[PUTALI:].sum()), int(unseen.sum())
    if stock > printed:
        return 0.0
    chance = 1.0
    for drawn in range(stock):
        chance *= (printed - drawn) / (all_cards - drawn)
    return chance
