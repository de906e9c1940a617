"""Yacht in words."""

from __future__ import annotations

from __future__ import annotations
import argparse
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain, combinations
from pathlib import Path
from typing import Any, NamedTuple
import numpy as np
from numpy.typing import NDArray
from ustad.runtime.core.errors import UsageError, shown
from ustad.runtime.core.game import Bot, Judge, Option
from ustad.runtime.core.strict_json import Fields
from ustad.runtime.games.five_dice.columns import Columns, least_needed, merge_sums
from ustad.runtime.games.five_dice.sheet import (
    SheetGame,
    SheetGameType,
    SheetState,
    Write,
    flag_int,
)
from ustad.runtime.games.five_dice.turn import COUNTS, FACES, FIRST_ROLL, ROLL_INDEX
from ustad.tables import Table, TableSpec


class YachtText(SheetText):
    """Yacht in words."""

    def remark(self, state: SheetState) -> str:
        """Return how far the upper sum is from the bonus."""
        upper = state.sheet.upper
        if upper >= BONUS_AT:
            return f"upper sum {upper}: the bonus of {BONUS} is earned"
        return f"upper sum {upper}: {BONUS_AT - upper} more for the bonus of {BONUS}"
