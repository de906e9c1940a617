"""The public state: what lies open in a round, and what a move does to it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ustad.runtime.games.marriage.cards.cards import (
    CARDS,
    HAND,
    NO_CARD,
    Cards,
    Ints,
    Melds,
    counts_of,
    flat,
)
from ustad.runtime.games.marriage.round.course import (
    Course,
    after_discard,
    after_draw,
    after_show,
    after_tiplu_drawn,
    among,
    seat_to_move,
)
from ustad.runtime.games.marriage.round.known import held_cards
from ustad.runtime.games.marriage.round.moves import (
    STOCK,
    Draw,
    Finish,
    Lay,
    Move,
    Show,
    ShowDublees,
)
from ustad.runtime.games.marriage.round.options import RuleNumbers


class Seat(NamedTuple):
    """What lies on the table before a seat.

    ``melds`` are those of its show and finish, ``laid`` the tanelas laid before
    its first draw.
    """

    melds: Melds = ()
    laid: Melds = ()

    @property
    def cards(self) -> Cards:
        """All cards on the table before the seat."""
        return flat(self.laid) + flat(self.melds)


class SeatCard(NamedTuple):
    """A card that a seat has discarded or taken."""

    seat: int
    card: int


class PublicState(NamedTuple):
    """What everybody sees of a round.

    Attributes:
        course: where it stands.
        seats: what lies before each seat.
        pile: the discard pile, its top last.
        discards: what was discarded, in order.
        taken: what was taken from the pile, in order.
    """

    course: Course
    seats: tuple[Seat, ...]
    pile: Cards
    discards: tuple[SeatCard, ...] = ()
    taken: tuple[SeatCard, ...] = ()

    @property
    def to_move(self) -> int:
        """The seat whose turn it is."""
        return seat_to_move(self.course)

    @property
    def top(self) -> int:
        """The top of the pile, NO_CARD if it is empty."""
        return self.pile[-1] if self.pile else NO_CARD

    @property
    def has_discarded(self) -> bool:
        """Whether the seat to move is known to have discarded in this round."""
        return self.discarded(self.to_move)

    def discarded(self, seat: int) -> bool:
        """Tell whether a seat is known to have discarded in this round."""
        return any(discard.seat == seat for discard in reversed(self.discards))

    def shown(self, seat: int) -> bool:
        """Tell whether a seat has shown."""
        return among(self.course.shown, seat)

    def dublees(self, seat: int) -> bool:
        """Tell whether a seat has shown seven dublees."""
        return among(self.course.dublees, seat)

    def in_hand(self, seat: int) -> int:
        """Return how many cards a seat holds; the finisher has discarded one of its own."""
        drawn = self.course.has_drawn and seat == self.to_move
        return HAND - len(self.seats[seat].cards) + drawn

    # What the cards are, in counts.

    def open_cards(self) -> Ints:
        """Return (54,) the cards of pile and table."""
        return counts_of((*self.pile, *(card for seat in self.seats for card in seat.cards)))

    def held(self) -> Ints:
        """Return (players, 54) the cards known to be in each hand."""
        table = np.array([counts_of(seat.cards) for seat in self.seats])
        discarded = self._by_seat(self.discards)
        if len(self.discards) < self.course.turns:
            # What lies on the pile may have been taken and discarded again, unremembered.
            discarded += counts_of(self.pile)
        return held_cards(self._by_seat(self.taken), discarded, table)

    def _by_seat(self, cards: tuple[SeatCard, ...]) -> Ints:
        players = self.course.players
        places = np.array([CARDS * seat + card for seat, card in cards], dtype=np.int64)
        return np.bincount(places, minlength=players * CARDS).reshape(players, CARDS)

    # What a move does.

    def after(self, move: Move, tiplu_exists: bool, numbers: RuleNumbers) -> PublicState:
        """Return the public state after a legal move of the seat to move.

        Args:
            move: the move.
            tiplu_exists: whether it is the first show, and draws a tiplu.
            numbers: the options.
        """
        course, player = self.course, self.to_move
        own = self.seats[player]
        if isinstance(move, Draw):
            if move.source == STOCK:
                return self._replace(course=after_draw(course, NO_CARD))
            return self._replace(
                course=after_draw(course, self.top),
                pile=self.pile[:-1],
                taken=(*self.taken, SeatCard(player, self.top)),
            )
        if isinstance(move, Lay):
            return self._with_seat(own._replace(laid=(*own.laid, move.cards)))
        if isinstance(move, Show | ShowDublees):
            course = after_show(course, isinstance(move, ShowDublees), numbers)
            if tiplu_exists:
                course = after_tiplu_drawn(course, numbers)
            return self._with_seat(own._replace(melds=move.melds))._replace(course=course)
        if isinstance(move, Finish):
            finished = self._with_seat(own._replace(melds=(*own.melds, *move.melds)))
            return finished._after_discard(move.discard, True)
        return self._after_discard(move.card, False)

    def _with_seat(self, seat: Seat) -> PublicState:
        at = self.to_move
        return self._replace(seats=(*self.seats[:at], seat, *self.seats[at + 1 :]))

    def _after_discard(self, card: int, finishes: bool) -> PublicState:
        return self._replace(
            course=after_discard(self.course, finishes),
            pile=(*self.pile, card),
            discards=(*self.discards, SeatCard(self.to_move, card)),
        )
