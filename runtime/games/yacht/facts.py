"""What speaks for a keep or a write of yacht."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.facts import Numbers, told
from ustad.runtime.core.game import Advice
from ustad.runtime.games.five_dice.bots import Lane, TurnBot
from ustad.runtime.games.five_dice.facts import SheetFacts
from ustad.runtime.games.five_dice.sheet import SheetState
from ustad.runtime.games.five_dice.tables import by_source
from ustad.runtime.games.yacht.endgame import EndgameBot
from ustad.runtime.games.yacht.expert import AloneBot, ExpertBot, final_band
from ustad.runtime.games.yacht.goals import GoalBot
from ustad.runtime.games.yacht.levels import ROLL_ENDING, TableBot, sheet_numbers
from ustad.runtime.games.yacht.outlooks import Outlooks
from ustad.runtime.games.yacht.rules import BONUS, BONUS_AT, BOXES, EXTRA_YACHT, Sheet
from ustad.runtime.games.yacht.tables import BONUS_SOURCE, EXTRA_SOURCE, SOURCES
from ustad.tables import Table

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class YachtFacts(SheetFacts):
    """Knows the turn of a level, and by a table where the points come from.

    Args:
        bot: the level; after this turn the expected total counts.
        table: what the boxes bring, None if it is not built.
        outlooks: the score distributions, None if there are none.
    """

    sources = SOURCES
    bonus = BONUS

    def __init__(
        self, bot: TableBot | GoalBot, table: Table | None, outlooks: Outlooks | None
    ) -> None:
        self._bot = bot
        self._rating = bot if isinstance(bot, TableBot) else bot.rating
        self._table = table
        self._outlooks = outlooks

    def about(self, view: SheetState) -> Numbers:
        """Return the band of the final total and the chance of the bonus, if hard plays on."""
        if self._outlooks is None:
            return {}
        low, middle, high, bonus, exact = final_band(self._rating, self._outlooks, view)
        band = {"p5": low, "p50": middle, "p95": high, "exact": exact}
        return {"final_total": band, "bonus_chance": bonus}

    def player(self, view: SheetState) -> TurnBot:
        """Return who makes the choices of the turn: alone at the table, level hard."""
        endgame = self._endgame(view)
        if endgame is not None:
            return endgame
        alone = isinstance(self._bot, ExpertBot) and len(view.sheets) == 1
        return self._rating if alone else self._bot

    def _endgame(self, view: SheetState) -> EndgameBot | None:
        """Return who plays the last turns exactly, None where they are not played yet."""
        endgame = self._bot.endgame if isinstance(self._bot, ExpertBot | AloneBot) else None
        return endgame if endgame is not None and endgame.holds(view) else None

    def of(self, view: SheetState, moves: Sequence[Any], advice: Advice[Any]) -> list[Numbers]:
        """Return the numbers of some options, in the last turns with the exact win share."""
        numbers = super().of(view, moves, advice)
        if self._endgame(view) is None:
            return numbers
        shares = dict(advice.options)
        return [
            {**found, "win_share": shares[move]} for move, found in zip(moves, numbers, strict=True)
        ]

    def open_boxes(self, sheet: Sheet) -> int:
        """Return the open boxes as bits."""
        return sheet.open_boxes

    def payments(self, rolls_left: int, rolls: Ints, writes: Ints) -> Ints:
        """Return (n,) the payments; five equal dice, which may be jokers, have their own."""
        del rolls_left
        found: Ints = ROLL_ENDING[rolls, writes]
        return found

    def held(self, sheets: Sequence[Sheet]) -> Floats:
        """Return (n, sources) what each source of sheets holds already."""
        found = np.zeros((len(sheets), len(SOURCES)))
        found[:, : len(BOXES)] = np.maximum([sheet.points for sheet in sheets], 0)
        found[:, BONUS_SOURCE] = [BONUS * (sheet.upper >= BONUS_AT) for sheet in sheets]
        found[:, EXTRA_SOURCE] = [EXTRA_YACHT * sheet.extra_yachts for sheet in sheets]
        return found

    def to_come(self, sheets: Sequence[Sheet]) -> Floats | None:
        """Return (n, sources) what each source still brings, None where no table tells."""
        if self._table is None:
            return None
        states = sheet_numbers(self._rating.rules, sheets)
        return by_source(self._table, states, self._rating.table.values[states])

    def chances(self, view: SheetState) -> Mapping[str, Lane]:
        """Return the chances to win alone and to be on top, where it is played to win."""
        player = self.player(view)
        if not isinstance(player, ExpertBot):
            return {}
        return {name: Lane(turns, 0) for name, turns in player.outcome_turns(view).items()}

    def named_chances(self, chances: Mapping[str, float]) -> dict[str, float]:
        """Return the chances to win alone and to tie, rounding kept within 0 and 1."""
        if not chances:
            return {}
        win, on_top = (min(max(chance, 0.0), 1.0) for chance in chances.values())
        return {"win": win, "tie": max(on_top - win, 0.0)}

    def speaks_for(self, numbers: Numbers) -> str:
        """Return what the turn brings, and where it is played to win, how likely that is."""
        brings = super().speaks_for(numbers)
        if "win_share" in numbers:
            return f"takes {numbers['win_share']:.2%} of the win and {brings}"
        if "win" not in numbers:
            return brings
        return f"wins at {numbers['win']:.2%}, ties at {numbers['tie']:.2%} and {brings}"

    def gives_up(self, cost: float, best: Numbers, other: Numbers) -> str:
        """Return what another move gives up, and in which boxes."""
        of_win = "win" in best or "win_share" in best
        if of_win or self._bot.unit == "chance":
            of = "the win" if of_win else "the chance"
            return f"gives up {told(100 * cost)}% of {of}{self.where(best, other)}"
        return super().gives_up(cost, best, other)
