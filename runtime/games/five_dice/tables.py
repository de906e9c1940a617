"""What the tables of games of five dice carry for readers in other languages."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.entry import Tables
from ustad.runtime.games.five_dice import turn
from ustad.runtime.games.five_dice.columns import Columns


class SheetTables(Tables):
    """The tables of a game whose states are numbered by columns."""

    @abstractmethod
    def columns(self, options: Mapping[str, Any]) -> Columns:
        """Return the columns of the states under an option set."""

    def structure(self, options: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
        """Return the rolls, the keeps, the chances between them, and the column of each state."""
        return {**turn.structure(), "column": self.columns(options).column.astype(np.int16)}
