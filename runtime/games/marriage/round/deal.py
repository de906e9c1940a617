"""Deal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ustad.runtime.core.game import OVER
from ustad.runtime.games.marriage.cards.cards import PUTALI, Cards, flat, without
from ustad.runtime.games.marriage.round.legality import Known, check_move, moves_of
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
from ustad.runtime.games.marriage.round.public import Table, sees_at_once
from ustad.runtime.games.marriage.round.settlement import payments, player_maal
from ustad.runtime.games.marriage.round.view import WAITS_FOR_NOTHING, View


class Deal(NamedTuple):
    """A round with every card.

    ``stock`` is in the order of drawing, the tiplu coming from its end; ``sees``
    tells who sees the tiplu; ``drawn`` is the card just drawn by the seat to move.
    """

    rules: MarriageRules
    table: Table
    hands: tuple[Cards, ...]
    drawn: int | None
    tiplu: int | None
    sees: tuple[bool, ...]
    stock: Cards

    def is_over(self) -> bool:
        """Tell whether somebody has finished or the stock is used up."""
        return self.table.over

    def current_player(self) -> int:
        """Return the seat to move, or OVER."""
        return OVER if self.table.over else self.table.to_move

    def chance_outcomes(self) -> Sequence[tuple[int, float]]:
        """Return nothing: a dealt round never waits for chance."""
        return ()

    def _known(self) -> Known:
        player = self.table.to_move
        tiplu = self.tiplu if self.sees[player] else None
        return Known(self.hands[player], self.drawn, tiplu)

    def legal_moves(self) -> Sequence[Move]:
        """Return the legal moves of the seat to move; see :func:`moves_of`."""
        return moves_of(self.rules, self.table, self._known())

    def apply(self, move: Any) -> Deal:
        """Return the state after a legal move."""
        check_move(self.rules, self.table, self._known(), move)
        player = self.table.to_move
        hand = self.hands[player]
        stock, tiplu, drawn, sees = self.stock, self.tiplu, self.drawn, self.sees
        exists = True
        if isinstance(move, Draw):
            drawn = stock[0] if move.source == STOCK else self.table.pile[-1]
            stock = stock[1:] if move.source == STOCK else stock
            hand = tuple(sorted((*hand, drawn)))
        elif isinstance(move, Lay):
            hand = without(hand, move.cards)
        elif isinstance(move, Show | ShowDublees):
            hand = without(hand, flat(move.melds))
            if not self.table.tiplu_drawn:
                tiplu, stock = draw_tiplu(stock)
                exists = tiplu is not None
            if tiplu is not None and sees_at_once(self.rules, self.table):
                sees = _with(sees, player)
        else:
            if isinstance(move, Finish):
                hand = without(hand, (*flat(move.melds), move.discard))
            else:
                hand = without(hand, (move.card,))
            drawn = None
            if self.table.seats[player].shown and tiplu is not None:
                sees = _with(sees, player)
        hands = (*self.hands[:player], hand, *self.hands[player + 1 :])
        table = self.table.after(move, exists, sees_at_once(self.rules, self.table))
        return Deal(self.rules, table, hands, drawn, tiplu, sees, stock)

    def maal(self) -> tuple[int, ...]:
        """Return the maal of each seat if the round ended now."""
        return tuple(
            player_maal(self.rules, seat, hand, self.tiplu, self.table.any_shown)
            for seat, hand in zip(self.table.seats, self.hands, strict=True)
        )

    def returns(self) -> tuple[float, ...]:
        """Return what each seat wins in the finished round, in points."""
        if not self.table.over:
            return (0.0,) * self.table.players
        finisher = self.table.finisher
        seats = self.table.seats
        by_dublee = finisher is not None and seats[finisher].dublees
        net = payments(self.maal(), [seat.shown for seat in seats], finisher, by_dublee)
        return tuple(float(points) for points in net)

    def scores(self) -> tuple[float, ...]:
        """Return what each seat wins: nothing before the end."""
        return self.returns()

    def view(self, player: int) -> View:
        """Return what a seat knows: the table, its hand, and the tiplu if it has seen it."""
        over = self.table.over
        mine = self.table.to_move == player and not over
        return View(
            self.rules,
            self.table,
            player,
            self.hands[player],
            self.drawn if mine else None,
            self.tiplu if self.sees[player] or over else None,
            WAITS_FOR_NOTHING,
            self.maal() if over else None,
            self.returns() if over else None,
        )


def _with(sees: tuple[bool, ...], player: int) -> tuple[bool, ...]:
    return (*sees[:player], True, *sees[player + 1 :])


def draw_tiplu(stock: Cards) -> tuple[int | None, Cards]:
    """Return the tiplu and the stock without it: the lowest card that is no putali or master."""
    for at in range(len(stock) - 1, -1, -1):
        if stock[at] < PUTALI:
            return stock[at], stock[:at] + stock[at + 1 :]
    return None, stock
