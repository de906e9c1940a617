"""The course of a round in numbers: whose turn it is, what may be done, what a move changes.

A :class:`Course` tells all of a round but its cards.  The whole round (``deal``), what one
seat knows of it (``view``) and the rounds in which the learner plays compiled code hold
their cards in ways of their own; what stands here they share.  The functions are flat, on
numbers and named tuples of numbers, and numba compiles them as they are (it knows no
``_replace``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ustad.runtime.games.marriage.cards.cards import ALL_CARDS, HAND, NO_CARD, PUTALI, Ints
from ustad.runtime.games.marriage.cards.melds import SHOW_MELDS
from ustad.runtime.games.marriage.round.options import RuleNumbers

NOBODY = -1
"""The finisher of a round that nobody has finished."""


class Course(NamedTuple):
    """Where a round stands.

    Attributes:
        players: how many seats there are.
        dealer: the seat that dealt; the seat after it plays first.
        turns: how many turns are over.
        has_drawn: whether the seat to move has drawn, and is to discard.
        stock: how many cards the stock has.
        shown: the seats that have shown, as bits.
        dublees: those of them that have shown seven dublees, as bits.
        tiplu_drawn: whether the tiplu is drawn, as it is at the first show if there is one.
        barred: the card that the seat to move has just taken from the pile, and may not
            discard; NO_CARD if it has taken none.
        blind: whether the seat to move has shown in this turn and does not see the tiplu
            before its discard.
        finisher: who has finished, else NOBODY.
    """

    players: int
    dealer: int
    turns: int
    has_drawn: bool
    stock: int
    shown: int
    dublees: int
    tiplu_drawn: bool
    barred: int
    blind: bool
    finisher: int


# Whose turn it is, and what may be done.


def seat_of_turn(course: Course, turn: int) -> int:
    """Return whose turn is that after so many others."""
    return (course.dealer + 1 + turn) % course.players


def seat_to_move(course: Course) -> int:
    """Return whose turn it is."""
    return seat_of_turn(course, course.turns)


def among(seats: int, seat: int) -> bool:
    """Tell whether a seat is among some seats given as bits."""
    return seats >> seat & 1 == 1


def is_over(course: Course) -> bool:
    """Tell whether a seat has finished, or no card is left to draw."""
    return course.finisher != NOBODY or (course.stock == 0 and not course.has_drawn)


def before_first_draw(course: Course, has_discarded: bool) -> bool:
    """Tell whether the seat to move has not yet drawn in this round.

    ``has_discarded`` tells whether it is known to have discarded: who has not counted the
    turns of a round may still know that.
    """
    return not course.has_drawn and course.turns < course.players and not has_discarded


def may_lay(course: Course, tanelas: int, has_discarded: bool) -> bool:
    """Tell whether the seat to move, so many tanelas laid, may lay one more."""
    shown = among(course.shown, seat_to_move(course))
    return before_first_draw(course, has_discarded) and not shown and tanelas < SHOW_MELDS


def may_show(course: Course, has_discarded: bool) -> bool:
    """Tell whether the seat to move may show."""
    in_time = course.has_drawn or before_first_draw(course, has_discarded)
    return in_time and not among(course.shown, seat_to_move(course))


def sees_at_once(course: Course, numbers: RuleNumbers) -> bool:
    """Tell whether a show made now lets its shower see the tiplu before the discard."""
    return not course.has_drawn or numbers.see_at_once


def sees_tiplu(course: Course, seat: int) -> bool:
    """Tell whether a seat sees the tiplu: who has shown, from the next discard on or at once."""
    blind = course.blind and seat == seat_to_move(course)
    return course.tiplu_drawn and among(course.shown, seat) and not blind


def may_finish(course: Course) -> bool:
    """Tell whether the seat to move may finish if its cards allow it."""
    return course.has_drawn and sees_tiplu(course, seat_to_move(course))


# Where the cards are.


def pile_size(course: Course) -> int:
    """Return how many cards the pile has: of all cards those in no other place."""
    in_hands_and_shown = HAND * course.players + course.has_drawn
    return ALL_CARDS - in_hands_and_shown - course.stock - course.tiplu_drawn


def tiplu_place(stock: Sequence[int] | Ints, begin: int, end: int) -> int:
    """Return where in ``stock[begin:end]`` the tiplu lies, -1 if no card can be the tiplu.

    It is taken from the bottom, so that it does not depend on how long a round has lasted:
    who compares two players on one deal compares them on one tiplu.
    """
    for place in range(end - 1, begin - 1, -1):
        if stock[place] < PUTALI:
            return place
    return -1


# What a move does.


def first_turn(players: int, dealer: int) -> Course:
    """Return the course of a round that has just been dealt."""
    stock = ALL_CARDS - HAND * players - 1
    return Course(
        players=players, dealer=dealer, turns=0, has_drawn=False, stock=stock, shown=0, dublees=0,
        tiplu_drawn=False, barred=NO_CARD, blind=False, finisher=NOBODY,
    )  # fmt: skip


def after_draw(course: Course, taken: int) -> Course:
    """Return the course after a draw; ``taken`` is the pile's card, NO_CARD from the stock."""
    stock = course.stock - (taken == NO_CARD)
    return Course(
        players=course.players, dealer=course.dealer, turns=course.turns, has_drawn=True,
        stock=stock, shown=course.shown, dublees=course.dublees, tiplu_drawn=course.tiplu_drawn,
        barred=taken, blind=course.blind, finisher=course.finisher,
    )  # fmt: skip


def draws_tiplu(course: Course) -> bool:
    """Tell whether a show made now draws the tiplu, as the first one of a round does."""
    return course.shown == 0


def after_show(course: Course, by_dublees: bool, numbers: RuleNumbers) -> Course:
    """Return the course after a show; the first one then draws the tiplu if there is one."""
    seat = 1 << seat_to_move(course)
    blind = course.tiplu_drawn and not sees_at_once(course, numbers)
    return Course(
        players=course.players, dealer=course.dealer, turns=course.turns,
        has_drawn=course.has_drawn, stock=course.stock, shown=course.shown | seat,
        dublees=course.dublees | (seat if by_dublees else 0), tiplu_drawn=course.tiplu_drawn,
        barred=course.barred, blind=blind, finisher=course.finisher,
    )  # fmt: skip


def after_tiplu_drawn(course: Course, numbers: RuleNumbers) -> Course:
    """Return the course once the first show has drawn the tiplu from the stock."""
    return Course(
        players=course.players, dealer=course.dealer, turns=course.turns,
        has_drawn=course.has_drawn, stock=course.stock - 1, shown=course.shown,
        dublees=course.dublees, tiplu_drawn=True, barred=course.barred,
        blind=not sees_at_once(course, numbers), finisher=course.finisher,
    )  # fmt: skip


def after_discard(course: Course, finishes: bool) -> Course:
    """Return the course after a discard, which ends the turn, or with a finish the round."""
    finisher = seat_to_move(course) if finishes else course.finisher
    return Course(
        players=course.players, dealer=course.dealer, turns=course.turns + 1, has_drawn=False,
        stock=course.stock, shown=course.shown, dublees=course.dublees,
        tiplu_drawn=course.tiplu_drawn, barred=NO_CARD, blind=False, finisher=finisher,
    )  # fmt: skip
