"""The tables of games of five dice."""

from __future__ import annotations

from __future__ import annotations
import argparse
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple
import numpy as np
from numpy.typing import NDArray
from ustad.runtime.core.errors import MoveError, OutcomeError, PositionError, shown
from ustad.runtime.core.game import CHANCE, OVER, GameType
from ustad.runtime.core.strict_json import Fields, is_int
from ustad.runtime.games.five_dice import turn as dice
from ustad.runtime.games.five_dice.columns import Columns
from ustad.runtime.games.five_dice.turn import (
    DICE,
    FACES,
    KEEPS,
    SIZES,
    contains,
    multiset_probability,
    sub_keeps,
)

    def structure(self, options: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
        """Return the rolls, the keeps, the chances between them, and the column of each state."""
        column = self.columns(options).column.astype(np.int16)
        return {**dice.structure(), "column": column}

    @abstractmethod
    def columns(self, options: Mapping[str, Any]) -> Columns:
        """Return the columns of the states under an option set."""
