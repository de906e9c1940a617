"""What speaks for a bet: the win share after each throw that settles it.

Paro and tiro are equally likely, so a bet is worth the mean of the two.
"""

from __future__ import annotations

from collections.abc import Sequence

from ustad.runtime.core.facts import Facts, Numbers, told
from ustad.runtime.core.game import Advice
from ustad.runtime.games.pasa.levels import TableBot, bets_made
from ustad.runtime.games.pasa.rules import PasaState


class PasaFacts(Facts[PasaState, int]):
    """Knows the win shares after paro and tiro.

    Args:
        bot: knows the win shares.
    """

    def __init__(self, bot: TableBot) -> None:
        self._bot = bot

    def of(self, view: PasaState, moves: Sequence[int], advice: Advice[int]) -> list[Numbers]:
        """Return the mover's win share after each throw, the seats to come betting their best."""
        del advice
        betting, bets = self._bot.betting(view), bets_made(view)
        seat = betting.bettors[len(bets)]
        return [
            {"if_paro": paro[seat], "if_tiro": tiro[seat]}
            for paro, tiro in (betting.after_results((*bets, move)) for move in moves)
        ]

    def speaks_for(self, numbers: Numbers) -> str:
        """Return the win share after each throw."""
        return f"wins {numbers['if_paro']:.2%} after paro and {numbers['if_tiro']:.2%} after tiro"

    def gives_up(self, cost: float, best: Numbers, other: Numbers) -> str:
        """Return what another bet gives up on the mean, and what it wins after each throw."""
        return f"gives up {told(100 * cost)}% of the win: it {self.speaks_for(other)}"
