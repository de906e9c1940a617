"""The tables of games of five dice: values, and where the points come from, source by source.

What a state is worth is a sum: the points expected of every box, of the bonus, and of whatever
else pays.  A table ``by_box`` holds the terms for each state, (sources, states), rounded to
float32; :func:`by_source` gives what the rounding took to the largest term, so that they add up
to the value of the table of values.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.entry import Tables
from ustad.runtime.core.options import Option, defaults
from ustad.runtime.games.five_dice import turn
from ustad.runtime.games.five_dice.columns import Columns
from ustad.tables import MissingTableError, Table, TableSpec, open_table, tables_folder

Floats = NDArray[np.float64]

BY_BOX = Option(
    "by_box", False, (True, False), "what each box brings on the mean, which facts are made of"
)
"""Whether a table holds where the points come from."""


def open_by_box(tables: Tables, options: Mapping[str, Any], folder: Path | None) -> Table | None:
    """Return the table ``by_box`` of an option set, None if it is not built.

    Args:
        tables: those of the game.
        options: the options of the rules.
        folder: the folder of table files, None for the usual places.

    Raises:
        TableError: it is damaged or unfit.
    """
    spec = tables.spec({**options, BY_BOX.name: True})
    try:
        return open_table(spec, tables_folder(folder))
    except MissingTableError:
        return None


def by_source(table: Table, states: NDArray[np.int64], values: Floats) -> Floats:
    """Return (n, sources) what each source brings from n states on.

    Args:
        table: a table ``by_box``.
        states: (n,) the states.
        values: (n,) what they are worth, which the terms add up to.
    """
    terms = table.values[:, states].T.astype(np.float64)
    largest = np.abs(terms).argmax(axis=1)
    terms[np.arange(len(states)), largest] += values - terms.sum(axis=1)
    return terms


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

    def by_box_spec(
        self, values: TableSpec, sources: Sequence[str], least: float, most: float
    ) -> TableSpec:
        """Return the identity of the table of where the points come from.

        Args:
            values: the identity of the table of values.
            sources: where points come from, by name.
            least: no source brings less.
            most: no source brings more.
        """
        [states] = values.shape
        return replace(
            values,
            options={**values.options, BY_BOX.name: True},
            quantity="expected points still to come from each source, under the best play",
            index_formula=f"values[source, state]; sources: {', '.join(sources)}; states are "
            "numbered as in the table of values; over the sources the numbers add up to the value",
            shape=(len(sources), states),
            dtype="<f4",
            least=least,
            most=most,
        )

    def start_value(self, table: Table) -> tuple[float, str]:
        """Return the expected total by a table; where it tells the sources, their sum."""
        if BY_BOX.name not in table.spec.options:
            return super().start_value(table)
        return float(table.values[:, table.spec.start_index].sum(dtype=np.float64)), "points"

    def structure(self, options: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
        """Return the rolls, the keeps, the chances between them, and the column of each state."""
        return {**turn.structure(), "column": self.columns(options).column.astype(np.int16)}
