"""Public."""

from __future__ import annotations

from typing import NamedTuple

from ustad.runtime.games.marriage.cards.cards import HAND, Cards, Melds, flat
from ustad.runtime.games.marriage.round.moves import (
    STOCK,
    Draw,
    Finish,
    Lay,
    Move,
    Show,
    ShowDublees,
)
from ustad.runtime.games.marriage.round.options import MarriageRules

DRAW, DISCARD = "draw", "discard"


class Seat(NamedTuple):
    """What lies on the table before a seat.

    ``melds`` are those of its show and finish, ``laid`` the tanelas laid before
    its first draw.
    """

    melds: Melds = ()
    laid: Melds = ()
    shown: bool = False
    dublees: bool = False

    @property
    def cards(self) -> Cards:
        """All cards on the table before the seat."""
        return flat(self.laid) + flat(self.melds)


class Table(NamedTuple):
    """The open part of a round; it says whose turn it is.

    ``turns`` counts the turns that are over; ``stock`` the cards of the stock;
    ``discards`` and ``taken`` are (seat, card) in order; ``finisher`` is None
    until somebody finishes; ``taken_now`` tells that the card just drawn came
    from the pile; ``blind`` that the seat to move has shown in this turn and does
    not see the tiplu before its discard.
    """

    dealer: int
    turns: int
    phase: str
    seats: tuple[Seat, ...]
    tiplu_drawn: bool
    pile: Cards
    discards: tuple[tuple[int, int], ...]
    taken: tuple[tuple[int, int], ...]
    stock: int
    finisher: int | None = None
    taken_now: bool = False
    blind: bool = False

    @property
    def players(self) -> int:
        """How many seats there are."""
        return len(self.seats)

    @property
    def to_move(self) -> int:
        """The seat whose turn it is."""
        return self.seat_of(self.turns)

    def seat_of(self, turn: int) -> int:
        """Return whose turn is that after so many others."""
        return (self.dealer + 1 + turn) % len(self.seats)

    @property
    def over(self) -> bool:
        """Whether somebody has finished, or no card is left to draw."""
        return self.finisher is not None or (self.phase == DRAW and self.stock == 0)

    @property
    def first_draw_to_come(self) -> bool:
        """Whether the seat to move has not yet drawn in this round."""
        threw = any(seat == self.to_move for seat, _ in self.discards)
        return self.phase == DRAW and self.turns < len(self.seats) and not threw

    @property
    def any_shown(self) -> bool:
        """Whether a seat has shown."""
        return any(seat.shown for seat in self.seats)

    def in_hand(self, seat: int) -> int:
        """Return how many cards a seat holds; the finisher has thrown one of its own."""
        drawn = self.phase == DISCARD and seat == self.to_move
        return HAND - len(self.seats[seat].cards) + drawn

    def with_seat(self, seat: Seat) -> Table:
        """Return the table with other cards before the seat to move."""
        at = self.to_move
        return self._replace(seats=(*self.seats[:at], seat, *self.seats[at + 1 :]))

    def after(self, move: Move, tiplu_exists: bool, at_once: bool) -> Table:
        """Return the table after a legal move of the seat to move.

        ``tiplu_exists`` tells, for the first show, whether the stock had a card
        that can be the tiplu; ``at_once`` whether a shower sees it before the discard.
        """
        player, seat = self.to_move, self.seats[self.to_move]
        if isinstance(move, Draw):
            if move.source == STOCK:
                return self._replace(phase=DISCARD, stock=self.stock - 1, taken_now=False)
            taken = (*self.taken, (player, self.pile[-1]))
            return self._replace(phase=DISCARD, pile=self.pile[:-1], taken=taken, taken_now=True)
        if isinstance(move, Lay):
            return self.with_seat(seat._replace(laid=(*seat.laid, move.cards)))
        if isinstance(move, Show | ShowDublees):
            dublees = isinstance(move, ShowDublees)
            table = self.with_seat(seat._replace(melds=move.melds, shown=True, dublees=dublees))
            if not self.tiplu_drawn and tiplu_exists:
                table = table._replace(tiplu_drawn=True, stock=self.stock - 1)
            return table._replace(blind=table.tiplu_drawn and not at_once)
        table = self
        card = move.discard if isinstance(move, Finish) else move.card
        if isinstance(move, Finish):
            table = self.with_seat(seat._replace(melds=(*seat.melds, *move.melds)))
            table = table._replace(finisher=player)
        return table._replace(
            turns=self.turns + 1,
            phase=DRAW,
            pile=(*self.pile, card),
            discards=(*self.discards, (player, card)),
            taken_now=False,
            blind=False,
        )


def sees_at_once(rules: MarriageRules, table: Table) -> bool:
    """Tell whether a show made now lets its shower see the tiplu at once."""
    return table.phase == DRAW or rules.numbers.see_at_once
