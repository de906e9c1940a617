"""What positions of pasa are worth: every seat's share of the win, in the table's equilibrium."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ustad.runtime.core.game import OVER
from ustad.runtime.core.judge import Floats, Judge
from ustad.runtime.games.pasa.levels import TableBot, bets_made, in_seats, is_ahead
from ustad.runtime.games.pasa.rules import PasaState


class WinShares(Judge[PasaState, int]):
    """Every seat's win share if all play the table's bets from here on."""

    unit = "win_share"

    def __init__(self, bot: TableBot) -> None:
        self.bot: TableBot = bot

    def values(self, states: Sequence[PasaState]) -> Floats:
        """Return (n, seats) the win shares."""
        return np.array([self._shares(state) for state in states])

    def _shares(self, state: PasaState) -> Sequence[float]:
        if state.current_player() == OVER:
            return state.returns()
        return in_seats(state, self.bot.betting(state).shares(bets_made(state)))

    def kind(self, state: PasaState) -> str:
        """Return whether the seat leads by more than the turns left can make good."""
        seat = state.current_player()
        return "far ahead" if is_ahead(state.stacks, seat, state.turns_left) else "not far ahead"
