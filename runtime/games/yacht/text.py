"""Yacht in words."""

from __future__ import annotations

from ustad.runtime.games.five_dice.sheet import SheetState
from ustad.runtime.games.five_dice.text import SheetText
from ustad.runtime.games.yacht.codec import CODEC
from ustad.runtime.games.yacht.rules import BONUS, BONUS_AT


class YachtText(SheetText):
    """Yacht in words."""

    def remark(self, state: SheetState) -> str:
        """Return how far the upper sum is from the bonus."""
        upper = state.sheet.upper
        if upper >= BONUS_AT:
            return f"upper sum {upper}: the bonus of {BONUS} is earned"
        return f"upper sum {upper}: {BONUS_AT - upper} more for the bonus of {BONUS}"


TEXT = YachtText(CODEC)
