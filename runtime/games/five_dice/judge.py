"""What positions of games of dice and a sheet are worth: each seat's expected final total.

A sheet's total depends on its own dice and moves alone, so a step changes the value of the
seat whose turn it is and of no other.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ustad.runtime.core.judge import Floats, Judge
from ustad.runtime.games.five_dice.bots import RatingBot, sub_keep_array
from ustad.runtime.games.five_dice.sheet import ROLLS_A_TURN, SheetState
from ustad.runtime.games.five_dice.turn import ROLL_INDEX

KINDS = ("write", "keep with one roll left", "keep with two rolls left")
"""Kinds of decisions by the rolls left."""


class SheetTotals(Judge[SheetState, Any]):
    """Each seat's expected final total under best play for it."""

    unit = "expected_total"

    def __init__(self, bot: RatingBot) -> None:
        self.bot: RatingBot = bot
        self._between_turns = lru_cache(1 << 16)(self._of_sheet)

    def _of_sheet(self, rules: Any, sheet: Any) -> float:
        return float(rules.total(sheet) + self.bot.to_come(sheet))

    def values(self, states: Sequence[SheetState]) -> Floats:
        """Return (n, seats) the expected final totals."""
        rules, between = states[0].rules, self._between_turns
        values = [[between(rules, sheet) for sheet in state.sheets] for state in states]
        turned = [at for at, state in enumerate(states) if state.rolls_left < ROLLS_A_TURN]
        lanes = self.bot.lanes([states[at] for at in turned])
        for at, (turns, lane) in zip(turned, lanes, strict=True):
            state = states[at]
            left, total = state.rolls_left, rules.total(state.sheet)
            if state.dice is None:
                worth = self.bot.value(state) - total
            else:
                roll = ROLL_INDEX[state.dice]
                worth = turns.turn.stop[left][roll, lane]
                if left:
                    keeps = turns.turn.keeps(left)[sub_keep_array(roll), lane]
                    worth = max(worth, keeps.max())
            values[at][state.to_move] = total + float(worth)
        return np.array(values)

    def kind(self, state: SheetState) -> str:
        """Return whether dice are kept or a box is written."""
        return KINDS[state.rolls_left]
