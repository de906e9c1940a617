"""Who pays whom at the end of a round; flat functions, for rounds, views and compiled rounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ustad.runtime.games.marriage.cards.cards import NO_CARD, PUTALI, Ints, how_many
from ustad.runtime.games.marriage.cards.maal import maal_points
from ustad.runtime.games.marriage.round.course import NOBODY, Course, among
from ustad.runtime.games.marriage.round.options import RuleNumbers

SHOWN_PAYS, UNSHOWN_PAYS, DUBLEE_PAYS = 3, 10, 5
"""What the finisher takes from an opponent that has shown, from another, and by a dublee more."""


def tanelas_laid(laid: Ints) -> int:
    """Return how many tanelas are laid, from (54,) their cards."""
    return how_many(laid) // 3


def counted_maal(
    numbers: RuleNumbers, cards: Ints, laid: Ints, tiplu: int, shown: bool, any_shown: bool
) -> int:
    """Return the maal that counts for a seat at the end of a round.

    Args:
        numbers: the options.
        cards: (54,) the seat's cards, in hand and on the table.
        laid: (54,) those of the tanelas that it laid before its first draw.
        tiplu: the tiplu of the round, NO_CARD if none was drawn.
        shown: whether the seat has shown.
        any_shown: whether anybody has.
    """
    sees = shown and tiplu >= 0
    return maal_points(
        cards,
        tiplu if sees else NO_CARD,
        tanelas_laid(laid),
        laid[PUTALI] > 0,
        shown or not any_shown or not numbers.printed_need_show,
        sees or not numbers.laid_need_tiplu,
    )


def settle(course: Course, maal: Sequence[int] | Ints, net: Any) -> None:
    """Fill ``net`` with what each seat wins in a round; the sum is zero.

    Each pays each the difference of their maal, and the finisher takes from every opponent.

    Args:
        course: at the end of the round.
        maal: (players,) what counts for each seat.
        net: (players,) filled.
    """
    total = 0
    for seat in range(course.players):
        total += maal[seat]
    for seat in range(course.players):
        net[seat] = course.players * maal[seat] - total
    finisher = course.finisher
    if finisher == NOBODY:
        return
    more = DUBLEE_PAYS if among(course.dublees, finisher) else 0
    for seat in range(course.players):
        if seat != finisher:
            paid = more + (SHOWN_PAYS if among(course.shown, seat) else UNSHOWN_PAYS)
            net[seat] -= paid
            net[finisher] += paid


def settlement(course: Course, maal: Sequence[int]) -> tuple[int, ...]:
    """Return what each seat wins in a round, see :func:`settle`.

    Seat 0 of three finishes; seat 1 has shown, seat 2 has not:

    >>> from ustad.runtime.games.marriage.round.course import first_turn
    >>> course = first_turn(players=3, dealer=2)._replace(shown=0b011, finisher=0)
    >>> settlement(course, (10, 4, 0))
    (29, -5, -24)
    """
    net = [0] * course.players
    settle(course, maal, net)
    return tuple(net)
