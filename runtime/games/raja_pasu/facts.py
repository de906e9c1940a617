"""What speaks for a hole: what it takes, the score that it leads to, and how the round goes on.

The score and the line are those of best play of both in the round; where the margins are not
exact, neither is told.  A line ends before a position that only a search could rate.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ustad.runtime.core.facts import Facts, Numbers
from ustad.runtime.core.game import Advice
from ustad.runtime.games.raja_pasu.codec import CODEC
from ustad.runtime.games.raja_pasu.levels import Rater, TableBot, final_score
from ustad.runtime.games.raja_pasu.rules import RajaPasuState, Sow

LONGEST_LINE = 8


class RajaPasuFacts(Facts[RajaPasuState, Sow]):
    """Knows what a hole takes and what follows it.

    Args:
        bot: knows the margins.
    """

    def __init__(self, bot: Rater) -> None:
        self._bot = bot.for_margins()

    def of(self, view: RajaPasuState, moves: Sequence[Sow], advice: Advice[Sow]) -> list[Numbers]:
        """Return what each move takes; if the margins are exact, the final score and the line."""
        if not (advice.extra or {}).get("exact"):
            return [{"captures": view.sown(move).mine} for move in moves]
        values = dict(advice.options)
        return [
            {
                "captures": view.sown(move).mine,
                "final": list(final_score(view, values[move])),
                "line": self._line(view.after_sowing(move)),
            }
            for move in moves
        ]

    def _line(self, state: RajaPasuState) -> list[Any]:
        """Return the next moves of best play of both, as JSON."""
        line: list[Any] = []
        while len(line) < LONGEST_LINE and not state.is_over() and self._is_known(state):
            move = self._bot.choose(state)
            line.append(CODEC.move_to_json(move))
            state = state.after_sowing(move)
        return line

    def _is_known(self, state: RajaPasuState) -> bool:
        """Tell whether a position is rated without a long search."""
        if not isinstance(self._bot, TableBot):
            return True
        return self._bot.margin(tuple(state.seeds()), state.ring().own) is not None

    def speaks_for(self, numbers: Numbers) -> str:
        """Return what a move takes and the score that it leads to."""
        takes = f"takes {numbers['captures']}"
        if "final" not in numbers:
            return takes
        own, other = numbers["final"]
        return f"{takes} and leads to {own} to {other}"

    def gives_up(self, cost: float, best: Numbers, other: Numbers) -> str:
        """Return what another move gives up, what it takes and where it leads."""
        if cost <= 0:  # in a match the larger margin may be worse
            return f"is worse in the match: it {self.speaks_for(other)}"
        seeds = "seed" if cost == 1 else "seeds"
        return f"gives up {cost:g} {seeds}: it {self.speaks_for(other)}"
