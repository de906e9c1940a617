"""Dice poker in words."""

from __future__ import annotations

from typing import Any

from ustad.runtime.games.dice_poker.codec import CODEC
from ustad.runtime.games.dice_poker.rules import SCHOOL, Pass, may_pass
from ustad.runtime.games.five_dice.sheet import SheetState
from ustad.runtime.games.five_dice.text import SheetText


class DicePokerText(SheetText):
    """Dice poker in words."""

    def describe_move(self, move: Any) -> str:
        """Return a keep, write or pass in a few words."""
        return "pass" if isinstance(move, Pass) else super().describe_move(move)

    def prompt(self, state: SheetState) -> str:
        """Return what can be typed now."""
        ways = super().prompt(state)
        return f"{ways}, or pass" if may_pass(state.rules.numbers, state.sheet.open_rows) else ways

    def remark(self, state: SheetState) -> str:
        """Return how the school stands, or how many turns are left for the rest."""
        numbers, sheet = state.rules.numbers, state.sheet
        if sheet.open_rows & SCHOOL:
            bonus, least = numbers.school_bonus, numbers.school_threshold
            return f"school {sheet.subtotal:+}: the bonus of {bonus} from {least:+} on"
        return f"{sheet.turns_left} turns left" if numbers.deferred else ""


TEXT = DicePokerText(CODEC)
