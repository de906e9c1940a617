"""Dice poker in words."""

from __future__ import annotations

from __future__ import annotations
import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple
import numpy as np
from numpy.typing import NDArray
from ustad.runtime.core.errors import MoveError, OptionError, PositionError, shown
from ustad.runtime.core.game import Bot, Option, WholeNumber
from ustad.runtime.core.strict_json import Fields, is_int
from ustad.runtime.games.five_dice.columns import Columns, least_needed, merge_sums
from ustad.runtime.games.five_dice.sheet import (
    SheetGame,
    SheetGameType,
    SheetState,
    Write,
    flag_int,
)
from ustad.runtime.games.five_dice.turn import COUNTS, FACES, FIRST_ROLL, ROLL_INDEX
from ustad.tables import TableSpec


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
