"""What positions of games of dice and a sheet are worth: each seat's expected final total.

A sheet's total depends on its own dice and moves alone, so a step changes the value of the
seat whose turn it is and of no other.

In an arena a turn is rated by how its bot plays it, the rest of the game by best play: then
what is left of a result without luck is what each turn costs that bot on the mean, and it does
not matter which of its weak moves the dice asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ustad.runtime.core.judge import Floats, Judge
from ustad.runtime.games.five_dice.bots import (
    Followed,
    RatingBot,
    follow,
)
from ustad.runtime.games.five_dice.sheet import ROLLS_A_TURN, SheetState
from ustad.runtime.games.five_dice.turn import KEEP_INDEX, ROLL_INDEX

KINDS = ("write", "keep with one roll left", "keep with two rolls left")
"""Kinds of decisions by the rolls left."""


class SheetTotals(Judge[SheetState, Any]):
    """Each seat's expected final total under best play for it."""

    unit = "expected_total"

    def __init__(self, bot: RatingBot) -> None:
        self.bot: RatingBot = bot
        self._followed: dict[int, dict[Any, tuple[Followed, int]]] = {}
        self._between_turns = lru_cache(1 << 16)(self._of_sheet)

    def _of_sheet(self, rules: Any, sheet: Any) -> float:
        return float(rules.total(sheet) + self.bot.to_come(sheet))

    def values(self, states: Sequence[SheetState]) -> Floats:
        """Return (n, seats) the expected final totals."""
        rules, between = states[0].rules, self._between_turns
        values = np.array([[between(rules, sheet) for sheet in state.sheets] for state in states])
        values[np.arange(len(states)), [state.to_move for state in states]] = self._by_mover(states)
        return values

    def _by_mover(self, states: Sequence[SheetState]) -> Floats:
        """Return (n,) the expected final total of the seat to move."""
        turned = [state for state in states if state.rolls_left < ROLLS_A_TURN]
        lanes = iter(self.bot.lanes(turned))
        found = []
        for state in states:
            rules, sheet, left = state.rules, state.sheet, state.rolls_left
            if left == ROLLS_A_TURN:
                found.append(self._between_turns(rules, sheet))
                continue
            turns, lane = next(lanes)
            if state.dice is None:
                worth = turns.turn.keeps(left)[KEEP_INDEX[state.kept], lane]
            else:
                worth = turns.turn.rolled(left)[ROLL_INDEX[state.dice], lane]
            found.append(float(rules.total(sheet) + worth))
        return np.array(found)

    def luck(
        self,
        before: Sequence[SheetState],
        after: Sequence[SheetState],
        seated: Sequence[Sequence[Any]],
    ) -> Floats:
        """Return (n, seats) what dice changed, each bot playing its turn on as it does."""
        found = np.zeros((len(before), len(seated[0])))
        movers = [state.to_move for state in before]
        bots = [seats[mover] for seats, mover in zip(seated, movers, strict=True)]
        for bot in {id(bot): bot for bot in bots}.values():
            at = [number for number, one in enumerate(bots) if one is bot]
            mover = [movers[number] for number in at]
            states = [of[number] for of in (before, after) for number in at]
            values = self._by_bot(bot, states)
            found[at, mover] = values[len(at) :] - values[: len(at)]
        return found

    def _by_bot(self, bot: Any, states: Sequence[SheetState]) -> Floats:
        """Return (n,) what states are worth to the seat to move, a bot playing its turn."""
        by_sheet = hasattr(bot, "turn_choices") and not getattr(bot, "sees_others", False)
        if bot is self.bot or not by_sheet:
            return self._by_mover(states)
        known = self._followed.setdefault(id(bot), {})
        if len(known) > self.bot.remembered:
            known.clear()
        sheets = [s for s in dict.fromkeys(state.sheet for state in states) if s not in known]
        if sheets:
            turns = self.bot.solve([self.bot.key(sheet) for sheet in sheets])
            followed = follow(turns, bot.turn_choices(sheets))
            known |= {sheet: (followed, lane) for lane, sheet in enumerate(sheets)}
        return np.array([_worth(state, *known[state.sheet]) for state in states])

    def kind(self, state: SheetState) -> str:
        """Return whether dice are kept or a box is written."""
        return KINDS[state.rolls_left]


def _worth(state: SheetState, followed: Followed, lane: int) -> float:
    """Return what a state is worth in a turn that is played in a certain way."""
    left, total = state.rolls_left, state.rules.total(state.sheet)
    if state.dice is None:
        return float(total + followed.kept[left - 1][KEEP_INDEX[state.kept], lane])
    return float(total + followed.rolled[left][ROLL_INDEX[state.dice], lane])
