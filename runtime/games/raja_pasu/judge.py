"""What positions of Raja Pasu are worth: each player's margin at the end of the round.

A match is judged round by round: its rounds are parts of it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ustad.runtime.core.game import TIE, Advice
from ustad.runtime.core.judge import Floats, Judge
from ustad.runtime.games.raja_pasu.levels import UNIT, Rater
from ustad.runtime.games.raja_pasu.rules import NORTH, SOUTH, RajaPasuState, Sow

LATE = 49
"""Seeds on the board, half of all, from which on a round is late."""


class Margins(Judge[RajaPasuState, Sow]):
    """Each player's margin in the round under best play."""

    unit = UNIT

    def __init__(self, bot: Rater) -> None:
        self.bot: Rater = bot
        self._known: dict[RajaPasuState, Advice[Sow]] = {}

    def _advice(self, state: RajaPasuState) -> Advice[Sow]:
        if state not in self._known:
            advice = self.bot.ask(state)
            self.exact = self.exact and bool((advice.extra or {}).get("exact", True))
            self._known[state] = advice
        return self._known[state]

    def values(self, states: Sequence[RajaPasuState]) -> Floats:
        """Return (n, 2) the margins of the round, what is captured counted in."""
        return np.array([self._margins(state) for state in states])

    def _margins(self, state: RajaPasuState) -> tuple[float, float]:
        ahead = float(state.captured[SOUTH] - state.captured[NORTH])
        to_come = self._advice(state).value or 0.0
        south = ahead + (to_come if state.to_move == SOUTH else -to_come)
        return south, -south

    def expected(
        self, states: Sequence[RajaPasuState], moves: Sequence[Sow], following: Floats
    ) -> Floats:
        """Return (n, 2) the margins after moves, of the same round where one ends."""
        found = following.copy()
        for at, (state, move) in enumerate(zip(states, moves, strict=True)):
            if self.exact and state.match is None:
                continue
            value = dict(self._advice(state).options)[move]
            value += state.captured[state.to_move] - state.captured[1 - state.to_move]
            ends = state.match is not None and state.after_sowing(move).is_over()
            if ends or abs(found[at, state.to_move] - value) > TIE:
                found[at, state.to_move], found[at, 1 - state.to_move] = value, -value
        return found

    def best(self, state: RajaPasuState, player: int) -> Sequence[Sow]:
        """Return the best moves."""
        del player
        return self._advice(state).best

    def part(self, state: RajaPasuState) -> int:
        """Return the round of the match."""
        return 1 if state.match is None else state.match.round

    def kind(self, state: RajaPasuState) -> str:
        """Return whether the round is early or late."""
        return "late" if sum(state.board) < LATE else "early"
