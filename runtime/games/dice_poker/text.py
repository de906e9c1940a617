"""Dice poker in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ustad.runtime.games.dice_poker.codec import CODEC
from ustad.runtime.games.dice_poker.rules import (
    AFTER_FIRST_THROW,
    COMBINATIONS,
    NO_DOUBLE,
    PAR,
    POKER,
    ROWS,
    SCHOOL,
    SCHOOL_ROWS,
    DicePoker,
    Pass,
    Sheet,
    may_pass,
    writable_rows,
)
from ustad.runtime.games.five_dice.sheet import SheetState
from ustad.runtime.games.five_dice.text import DASH, OPEN, SheetText
from ustad.runtime.games.five_dice.turn import DICE


class DicePokerText(SheetText):
    """Dice poker in words."""

    upper_name = "school"
    given_up = DASH
    outline = (
        "A turn has three throws at most: keep any dice, throw the\n"
        "rest. The school comes first, six turns for ones to sixes:\n"
        "a row holds its face for each such die above three, three\n"
        "dice are 0, fewer are negative. A school of 0 or more earns\n"
        "the bonus. Then come nine turns for the other rows: pair,\n"
        "three and four hold their equal dice, two pairs both pairs,\n"
        "straights 15 (1-5) and 20 (2-6), full house and chance the\n"
        "sum of all, poker (five equal) 50 more than its dice. Right\n"
        "after the first throw they hold double, but not chance. A\n"
        "row given up is a dash, no points. Each wins or loses what\n"
        "the own total is above or below the mean. On the sheet . is\n"
        "open and - a dash. Type the dice to keep, such as 66 4, or\n"
        "0 to throw all; or a row, its first letters suffice: six,\n"
        "full; or pass, to fill no row, where that is allowed."
    )

    def upper(self, sheet: Sheet) -> int:
        """Return the school subtotal."""
        return sheet.subtotal

    def bonus(self, rules: DicePoker, sheet: Sheet) -> str:
        """Return what stands for the school bonus."""
        least = rules.numbers.school_threshold
        if not sheet.open_rows & SCHOOL and sheet.subtotal >= least:
            return str(rules.numbers.school_bonus)
        rows = [row for row in range(SCHOOL_ROWS) if sheet.open_rows >> row & 1]
        most = sheet.subtotal + sum((DICE - PAR) * (row + 1) for row in rows)
        return OPEN if rows and most >= least else DASH

    def beside(self, rules: DicePoker, sheet: Sheet) -> Mapping[str, int]:
        """Return the school bonus."""
        earned = not sheet.open_rows & SCHOOL and sheet.subtotal >= rules.numbers.school_threshold
        return {"bonus": rules.numbers.school_bonus * earned}

    def gives_up(self, box: str, points: int) -> bool:
        """Tell whether a row of part two holds a dash; 0 in the school is three dice."""
        return points == 0 and ROWS.index(box) >= SCHOOL_ROWS

    def wants_five(self, rules: DicePoker, sheet: Sheet) -> bool:
        """Tell whether poker may be written this turn."""
        numbers = rules.numbers
        return bool(writable_rows(numbers, sheet.open_rows, COMBINATIONS, 0) >> POKER & 1)

    def describe_move(self, move: Any) -> str:
        """Return a keep, write or pass in a few words."""
        return "pass" if isinstance(move, Pass) else super().describe_move(move)

    def describe_step(self, before: SheetState, move: Any, after: SheetState) -> str:
        """Return the dice thrown or kept, the row written, or the pass."""
        if not isinstance(move, Pass):
            return super().describe_step(before, move, after)
        passes = "pass" if before.to_move == self.you else "passes"
        return f"{self.name(before.to_move)} {passes}, total {after.totals()[before.to_move]}"

    def prompt(self, state: SheetState) -> str:
        """Return what can be typed now."""
        ways = super().prompt(state)
        return f"{ways}, or pass" if may_pass(state.rules.numbers, state.sheet.open_rows) else ways

    def remark(self, state: SheetState, seat: int) -> str:
        """Return how the school stands, or how many turns are left for the rest."""
        numbers, sheet = state.rules.numbers, state.sheets[seat]
        if sheet.open_rows & SCHOOL:
            bonus, least = numbers.school_bonus, numbers.school_threshold
            return f"school {sheet.subtotal:+}: the bonus of {bonus} from {least:+} on"
        told = []
        if numbers.deferred and sheet.turns_left:
            told.append(f"{sheet.turns_left} {'turn' if sheet.turns_left == 1 else 'turns'} left")
        doubles = numbers.first_throw != NO_DOUBLE and sheet.open_rows & COMBINATIONS
        if state.rolls_left == AFTER_FIRST_THROW and doubles:
            told.append("the first throw holds double")
        return ", ".join(told)

    def result(self, state: SheetState) -> str:
        """Return who won, and what each seat wins or loses."""
        won = super().result(state)
        if len(state.sheets) == 1:
            return won
        paid = (f"{self.name(seat)} {gain:+.2f}" for seat, gain in enumerate(state.returns()))
        return f"{won}\nsettlement: {', '.join(paid)}"


TEXT = DicePokerText(CODEC)
