"""The tables of dice poker."""

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


class DicePokerTables(SheetTables):
    """The tables of dice poker."""

    def table_options(self) -> tuple[dict[str, Any], ...]:
        """Return the defaults, dashes by sacrifice, and the free order."""
        return (
            self.read_options({}),
            self.read_options({"dash": "sacrifice"}),
            self.read_options({"dash": "sacrifice", "order": "free"}),
        )

    def columns(self, options: Mapping[str, Any]) -> Columns:
        """Return the columns of the states under an option set."""
        return columns(options["school_threshold"])

    def table_spec(self, options: Mapping[str, Any]) -> TableSpec:
        """Return the identity of the table of expected points still to come."""
        full = self.read_options(dict(options))
        numbers = DicePoker(full).numbers
        part = "part = " + "512 * turns left + " * numbers.deferred + "open rows of part two"
        index = (
            "values[part * columns + place]"
            if numbers.free
            else f"values[part] where place is 0, else values[{part_count(rules)} + place - 1]"
        )
        return TableSpec(
            game=self.name,
            options=full,
            quantity="expected points still to come at the start of a turn, under the best play",
            unit="points",
            index_version=1,
            index_formula=(
                f"{index}; place = column[open school rows, school subtotal + "
                f"{-LOWEST_SUBTOTAL}]; {part}; open rows as bits, school: ones 1, twos 2, threes "
                "4, fours 8, fives 16, sixes 32; part two: pair 1, two_pairs 2, three 4, "
                "small_straight 8, large_straight 16, full_house 32, four 64, poker 128, "
                "chance 256; the school bonus is paid by the write of the last school row; "
                "where no game comes the value is 0"
            ),
            shape=(state_count(numbers),),
            start_index=state_index(numbers, ALL_OPEN, ROW_COUNT, 0),
        )
