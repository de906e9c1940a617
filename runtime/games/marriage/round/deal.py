"""A whole round of Marriage, with every card.

Its draws are decided by the order of its stock, so it never waits for chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ustad.runtime.core.game import OVER
from ustad.runtime.games.marriage.cards.cards import (
    NO_CARD,
    Cards,
    counts_of,
    flat,
    with_card,
    without,
)
from ustad.runtime.games.marriage.round.course import (
    draws_tiplu,
    is_over,
    sees_tiplu,
    tiplu_place,
)
from ustad.runtime.games.marriage.round.legality import Known, check_move, moves_of
from ustad.runtime.games.marriage.round.moves import (
    STOCK,
    Draw,
    Move,
    Show,
    ShowDublees,
    cards_given_up,
)
from ustad.runtime.games.marriage.round.options import MarriageRules
from ustad.runtime.games.marriage.round.public import PublicState
from ustad.runtime.games.marriage.round.settlement import counted_maal, settlement
from ustad.runtime.games.marriage.round.view import View, Waits


class Deal(NamedTuple):
    """A round with every card.

    Attributes:
        rules: the rules.
        public: what everybody sees.
        hands: the cards of each seat.
        drawn: the card just drawn by the seat to move.
        tiplu: the tiplu, None until it is drawn or if there is none.
        stock: in the order of drawing; the tiplu comes from its end.
    """

    rules: MarriageRules
    public: PublicState
    hands: tuple[Cards, ...]
    drawn: int | None
    tiplu: int | None
    stock: Cards

    def is_over(self) -> bool:
        """Tell whether a seat has finished or the stock is used up."""
        return is_over(self.public.course)

    def current_player(self) -> int:
        """Return the seat to move, or OVER."""
        return OVER if self.is_over() else self.public.to_move

    def chance_outcomes(self) -> Sequence[tuple[int, float]]:
        """Return nothing: a dealt round never waits for chance."""
        return ()

    def _known(self) -> Known:
        return Known(self.hands[self.public.to_move], self._tiplu_seen(self.public.to_move))

    def _tiplu_seen(self, player: int) -> int | None:
        return self.tiplu if sees_tiplu(self.public.course, player) else None

    def legal_moves(self) -> Sequence[Move]:
        """Return the legal moves of the seat to move; see ``legality.moves_of``."""
        return moves_of(self.rules.numbers, self.public, self._known())

    def apply(self, move: Any) -> Deal:
        """Return the state after a legal move."""
        check_move(self.rules.numbers, self.public, self._known(), move)
        player, stock = self.public.to_move, self.stock
        hand, drawn, tiplu, exists = self.hands[player], self.drawn, self.tiplu, False
        if isinstance(move, Draw):
            if move.source == STOCK:
                drawn, stock = stock[0], stock[1:]
            else:
                drawn = self.public.top
            hand = with_card(hand, drawn)
        else:
            hand = without(hand, cards_given_up(move))
            if isinstance(move, Show | ShowDublees) and draws_tiplu(self.public.course):
                place = tiplu_place(stock, 0, len(stock))
                exists = place >= 0
                if exists:
                    tiplu, stock = stock[place], stock[:place] + stock[place + 1 :]
        public = self.public.after(move, exists, self.rules.numbers)
        hands = (*self.hands[:player], hand, *self.hands[player + 1 :])
        return Deal(
            self.rules, public, hands, drawn if public.course.has_drawn else None, tiplu, stock
        )

    def maal(self) -> tuple[int, ...]:
        """Return the maal of each seat if the round ended now."""
        public = self.public
        return tuple(
            counted_maal(
                self.rules.numbers,
                counts_of((*hand, *seat.cards)),
                counts_of(flat(seat.laid)),
                NO_CARD if self.tiplu is None else self.tiplu,
                public.shown(player),
                public.course.shown != 0,
            )
            for player, (seat, hand) in enumerate(zip(public.seats, self.hands, strict=True))
        )

    def returns(self) -> tuple[float, ...]:
        """Return what each seat wins in the finished round, in points."""
        if not self.is_over():
            return (0.0,) * self.public.course.players
        return tuple(map(float, settlement(self.public.course, self.maal())))

    def scores(self) -> tuple[float, ...]:
        """Return what each seat wins: nothing before the end."""
        return self.returns()

    def view(self, player: int) -> View:
        """Return what a seat knows: the public state, its hand, and the tiplu if it sees it."""
        over = self.is_over()
        mine = self.public.to_move == player and not over
        return View(
            self.rules,
            self.public,
            player,
            self.hands[player],
            self.drawn if mine else None,
            self.tiplu if over else self._tiplu_seen(player),
            Waits.NOTHING,
            self.maal() if over else None,
            self.returns() if over else None,
        )
