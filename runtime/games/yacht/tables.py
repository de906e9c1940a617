"""The tables of yacht: expected points, and outlooks."""

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

OUTLOOK = Option(
    "outlook",
    None,
    ("compact", "full", "best", "best_compact"),
    "the points still to come as distributions, for expert: compact; full, every point; best, "
    "the best chances of every total too; best_compact, compact with these",
)
"""What a table holds beside the values."""


class YachtTables(SheetTables):
    """The tables of yacht."""

    @property
    def table_fields(self) -> tuple[Option, ...]:
        """The options, and which outlook a table holds, if one."""
        return (*self.options, OUTLOOK)

    def table_options(self) -> tuple[dict[str, Any], ...]:
        """Return the values of the three settings, and the compact outlooks of the game's own."""
        return (
            *({"second_yacht": setting} for setting in SECOND_YACHT),
            *(
                {"second_yacht": setting, "outlook": "compact"}
                for setting in ("bonus_and_joker", "plain")
            ),
        )

    def tables_asked_for(self, options: dict[str, Any]) -> Sequence[dict[str, Any]]:
        """Return the table of these options and those it is of no use without."""
        outlooks = {
            "best": ("full", "best", "compact", "best_compact"),
            "best_compact": ("compact", "best_compact"),
        }
        asked = options.get("outlook")
        if asked is None:
            return (options,)
        settings = {name: value for name, value in options.items() if name != "outlook"}
        needed = outlooks.get(asked, (asked,))
        return (settings, *({**settings, "outlook": outlook} for outlook in needed))

    def start_value(self, table: Table) -> tuple[float, str]:
        """Return the expected total by a table: of an outlook the mean."""
        if "outlook" not in table.spec.options:
            return super().start_value(table)
        from ustad.runtime.games.yacht.outlooks import start_mean

        return start_mean(table), "points"

    def columns(self, options: Mapping[str, Any]) -> Columns:
        """Return the columns of the states, which are the same under every setting."""
        del options
        return columns()

    def table_spec(self, options: Mapping[str, Any]) -> TableSpec:
        """Return the identity of the table of expected points still to come, or of an outlook."""
        given = dict(options)
        if (outlook := given.pop("outlook", None)) is not None:
            from ustad.runtime.games.yacht.outlooks import table_spec

            return table_spec(self.read_options(given), OUTLOOK.check(outlook))
        full = self.read_options(given)
        second_yacht = SECOND_YACHT.index(full["second_yacht"])
        rows = yacht_states(second_yacht) * LOWER_SETS
        return TableSpec(
            game=self.name,
            options=full,
            quantity="expected points still to come at the start of a turn, under the best play",
            unit="points",
            index_version=1,
            index_formula=(
                "values[row * columns + column[open upper boxes, min(upper sum, 63)]]; "
                "row = yacht * 64 + open lower boxes; yacht: 0 open, 1 written 0 (under plain: "
                "written), 2 written 50; open boxes as bits, upper: ones 1, twos 2, threes 4, "
                "fours 8, fives 16, sixes 32; lower: three_of_a_kind 1, four_of_a_kind 2, "
                "full_house 4, small_straight 8, large_straight 16, chance 32; the bonus of 35 "
                "is paid by the write that lifts the upper sum to 63"
            ),
            shape=(rows * columns().count,),
            start_index=state_index(ALL_OPEN, OPEN_YACHT, 0),
        )
