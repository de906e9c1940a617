"""What the tables of games of five dice carry for readers in other languages."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.entry import Tables
from ustad.runtime.core.options import defaults
from ustad.runtime.games.five_dice import turn
from ustad.runtime.games.five_dice.columns import Columns
from ustad.tables import TableSpec


class SheetTables(Tables):
    """The tables of a game whose states are numbered by columns."""

    name: str

    @abstractmethod
    def columns(self, options: Mapping[str, Any]) -> Columns:
        """Return the columns of the states under an option set."""

    def values_spec(
        self,
        options: Mapping[str, Any],
        formula: str,
        states: int,
        start: int,
        least: float,
        most: float,
    ) -> TableSpec:
        """Return the identity of the table of the expected points still to come.

        Args:
            options: the full option set.
            formula: how a state's number follows from the sheet.
            states: how many states there are.
            start: the state at the start of a game.
            least: no state is worth less.
            most: no state is worth more.
        """
        return TableSpec(
            game=self.name,
            options=options,
            quantity="expected points still to come at the start of a turn, under the best play",
            unit="points",
            index_version=1,
            index_formula=formula,
            shape=(states,),
            start_index=start,
            defaults=defaults(self.fields),
            least=least,
            most=most,
        )

    def structure(self, options: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
        """Return the rolls, the keeps, the chances between them, and the column of each state."""
        return {**turn.structure(), "column": self.columns(options).column.astype(np.int16)}
