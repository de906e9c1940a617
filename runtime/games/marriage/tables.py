"""The one table of Marriage: the learned numbers of expert, its identity and its opening.

The numbers that ship with the package are played where no table is built.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ustad.runtime.core.entry import Tables
from ustad.runtime.core.errors import OptionError
from ustad.runtime.core.options import Option
from ustad.runtime.games.marriage.cards.cards import Floats
from ustad.runtime.games.marriage.round.options import NAME
from ustad.runtime.games.marriage.states import NUMBER_NAMES, NUMBERS
from ustad.tables import MissingTableError, TableSpec, open_table, tables_folder

SHIPPED = Path(__file__).with_name("weights.json")


LARGEST = 1000.0
"""No number is larger: nets and what weighs in them are of some hundred points at most."""


class MarriageTables(Tables):
    """The one table, for all options and numbers of players alike."""

    fields: tuple[Option, ...] = ()

    def defaults(self) -> tuple[dict[str, Any], ...]:
        """Return the one option set, which is empty."""
        return ({},)

    def spec(self, options: Mapping[str, Any]) -> TableSpec:
        """Return the identity of the table of expert's numbers."""
        if options:
            name = next(iter(options))
            raise OptionError(f"option {name}: marriage has one table, without options")
        return TableSpec(
            game=NAME,
            options={},
            quantity="what features of a hand are worth, and the net to expect",
            unit="net points",
            index_version=4,
            index_formula="in order: " + "; ".join(NUMBER_NAMES),
            shape=(NUMBERS,),
            start_index=0,
            least=-LARGEST,
            most=LARGEST,
        )


TABLES = MarriageTables()


@cache
def shipped_numbers() -> Floats:
    """Return (NUMBERS,) the numbers that ship with the package."""
    numbers = json.loads(SHIPPED.read_text(encoding="utf-8"))["numbers"]
    return np.array([numbers[name] for name in NUMBER_NAMES])


def expert_numbers(tables: Path | None) -> Floats:
    """Return the numbers of the table if there is one, else those that ship with the package.

    Raises:
        TableError: there is a table, and it is unfit.
    """
    try:
        return open_table(TABLES.spec({}), tables_folder(tables)).values
    except MissingTableError:
        return shipped_numbers()
