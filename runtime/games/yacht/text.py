"""Yacht in words."""

from __future__ import annotations

from collections.abc import Mapping

from ustad.runtime.games.five_dice.sheet import SheetState
from ustad.runtime.games.five_dice.text import DASH, OPEN, SheetText
from ustad.runtime.games.five_dice.turn import DICE, ROLL_COUNTS
from ustad.runtime.games.yacht.codec import CODEC
from ustad.runtime.games.yacht.rules import (
    BONUS,
    BONUS_AT,
    EXTRA_YACHT,
    OPEN_YACHT,
    UPPER_BOXES,
    UPPER_OPEN,
    Sheet,
    Yacht,
    extra_points,
)


class YachtText(SheetText):
    """Yacht in words."""

    upper_name = "upper sum"
    given_up = "0"
    outline = (
        "A turn has three rolls at most: keep any dice, roll the\n"
        "rest. Then write one open box; dice that do not fit it\n"
        "write 0. Ones to sixes hold the sum of that face, and bring\n"
        f"a bonus of {BONUS} once they add up to {BONUS_AT}. Three and four of a\n"
        "kind and chance hold the sum of all dice, full house 25,\n"
        "small straight (four in a row) 30, large straight 40, yacht\n"
        "(five equal) 50. Once the yacht box is written, a further\n"
        "yacht is a joker: it goes into the box of its face, else\n"
        "into any lower box, at full points, and brings\n"
        f"{EXTRA_YACHT} more if the yacht box holds 50. After thirteen turns\n"
        "the highest total wins. On the sheet . is open, - a bonus\n"
        "out of reach. Type the dice to keep, such as 66 4, or 0 to\n"
        "roll all; or a box, its first letters suffice: six, full."
    )

    def upper(self, sheet: Sheet) -> int:
        """Return the sum of the boxes ones to sixes."""
        return sheet.upper

    def bonus(self, rules: Yacht, sheet: Sheet) -> str:
        """Return what stands for the upper bonus."""
        if sheet.upper >= BONUS_AT:
            return str(BONUS)
        most = sum(DICE * (box + 1) for box in range(UPPER_BOXES) if sheet.open_boxes >> box & 1)
        return OPEN if sheet.upper + most >= BONUS_AT else DASH

    def beside(self, rules: Yacht, sheet: Sheet) -> Mapping[str, int]:
        """Return the bonus and what further yachts brought."""
        return {
            "bonus": BONUS * (sheet.upper >= BONUS_AT),
            "extra yacht": EXTRA_YACHT * sheet.extra_yachts,
        }

    def gives_up(self, box: str, points: int) -> bool:
        """Tell whether a box took dice that do not fit it."""
        return points == 0

    def wants_five(self, rules: Yacht, sheet: Sheet) -> bool:
        """Tell whether the yacht box is open, or holds 50 so that a further yacht pays."""
        equal = ROLL_COUNTS[0]
        return sheet.yacht == OPEN_YACHT or extra_points(rules.second_yacht, sheet.yacht, equal) > 0

    def remark(self, state: SheetState, seat: int) -> str:
        """Return how far the upper sum is from the bonus."""
        sheet = state.sheets[seat]
        if sheet.upper >= BONUS_AT:
            return f"upper sum {sheet.upper}: the bonus of {BONUS} is earned"
        lacking = BONUS_AT - sheet.upper
        if not sheet.open_boxes & UPPER_OPEN:
            return f"upper sum {sheet.upper}: {lacking} short of the bonus of {BONUS}"
        if self.bonus(state.rules, sheet) == DASH:
            return f"upper sum {sheet.upper}: the bonus of {BONUS} is out of reach"
        return f"upper sum {sheet.upper}: {lacking} more for the bonus of {BONUS}"


TEXT = YachtText(CODEC)
