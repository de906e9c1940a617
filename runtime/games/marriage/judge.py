"""What positions of a Marriage round are predicted to bring: the net of each seat.

Each seat is rated by what it knows.  The seat to move has the predicted net of its best move;
another seat that of its hand as after a discard, which changes only when a turn ends or
somebody shows.  Nets are predictions, so their sum need not be 0, and what a prediction missed
is told apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ustad.runtime.core.errors import PositionError
from ustad.runtime.core.game import TIE, Advice
from ustad.runtime.core.judge import Floats, Judge
from ustad.runtime.games.marriage.expert import ExpertBot, net_off_turn
from ustad.runtime.games.marriage.round.deal import Deal
from ustad.runtime.games.marriage.round.moves import STOCK, Draw, Move


class Nets(Judge[Deal, Move]):
    """The predicted net of every seat of a whole round."""

    unit = "net"
    exact = False
    fair = False

    def __init__(self, bot: ExpertBot) -> None:
        self.bot: Any = bot
        self._advice: dict[int, tuple[Deal, Advice[Move]]] = {}
        self._off_turn: dict[tuple[int, ...], float] = {}

    def values(self, states: Sequence[Deal]) -> Floats:
        """Return (n, seats) the predicted nets."""
        return np.array([self._nets(state) for state in states])

    def _nets(self, state: Deal) -> list[float]:
        if not isinstance(state, Deal):
            raise PositionError(
                "review: expected a whole round, got what one seat knew: nobody can tell the "
                "nets of hands that are hidden"
            )
        if state.is_over():
            return list(state.returns())
        course = state.public.course
        found = []
        for seat, hand in enumerate(state.hands):
            if seat == state.public.to_move:
                found.append(float(self._asked(state).value or 0.0))
                continue
            key = (seat, course.turns, course.shown, *hand)
            if key not in self._off_turn:
                self._off_turn[key] = net_off_turn(self.bot, state.view(seat))
            found.append(self._off_turn[key])
        return found

    def _asked(self, state: Deal) -> Advice[Move]:
        """Return the advice on a state, which is asked for again and again."""
        _, advice = self._advice.get(id(state), (None, None))
        if advice is None:
            advice = self.bot.ask(state.view(state.public.to_move))
            self._advice[id(state)] = (state, advice)  # held, so that its id stays its own
        return advice

    def expected(self, states: Sequence[Deal], moves: Sequence[Move], following: Floats) -> Floats:
        """Return (n, seats): for who moved the net predicted of the move."""
        found = following.copy()
        for at, (state, move) in enumerate(zip(states, moves, strict=True)):
            advice = self._asked(state)
            values = dict(advice.options)
            # Of alike moves, such as shows that leave the same cards, one may stand for all.
            found[at, state.public.to_move] = values.get(move, (advice.value or 0.0) - TIE)
        return found

    def best(self, state: Deal, player: int) -> Sequence[Move]:
        """Return the best moves."""
        del player
        return self._asked(state).best

    def brings_luck(self, state: Deal, move: Move, after: Deal) -> bool:
        """Tell whether a card came from the stock, or the tiplu came to be seen."""
        if isinstance(move, Draw):
            return move.source == STOCK
        seat = state.public.to_move
        return not after.is_over() and state.view(seat).tiplu != after.view(seat).tiplu

    def kind(self, state: Deal) -> str:
        """Return whether a card is drawn or discarded, before or after the own show."""
        course, seat = state.public.course, state.public.to_move
        what = "discard" if course.has_drawn else "draw"
        return f"{what} {'after' if course.shown >> seat & 1 else 'before'} the show"
