"""The tables of dice poker."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ustad.runtime.games.dice_poker.rules import ALL_OPEN, NAME, OPTIONS, ROW_COUNT, RULES
from ustad.runtime.games.dice_poker.states import (
    LOWEST_SUBTOTAL,
    columns,
    part_count,
    state_count,
    state_index,
)
from ustad.runtime.games.five_dice.columns import Columns
from ustad.runtime.games.five_dice.tables import SheetTables
from ustad.tables import TableSpec

_MOST_POINTS = 1000
"""No sheet has so many points, the school bonus left out; most of part two pays at most 230."""


class DicePokerTables(SheetTables):
    """The expected points of every option set."""

    name = NAME
    fields = OPTIONS

    def defaults(self) -> tuple[dict[str, Any], ...]:
        """Return the defaults, dashes by sacrifice, and the free order."""
        return (
            RULES.read_options({}),
            RULES.read_options({"dash": "sacrifice"}),
            RULES.read_options({"dash": "sacrifice", "order": "free"}),
        )

    def columns(self, options: Mapping[str, Any]) -> Columns:
        """Return the columns of the states under an option set."""
        return columns(options["school_threshold"])

    def spec(self, options: Mapping[str, Any]) -> TableSpec:
        """Return the identity of the table of expected points still to come."""
        full = RULES.read_options(dict(options))
        numbers = RULES.make(**full).numbers
        part = "part = " + "512 * turns left + " * numbers.deferred + "open rows of part two"
        index = (
            "values[part * columns + place]"
            if numbers.free
            else f"values[part] where place is 0, else values[{part_count(numbers)} + place - 1]"
        )
        formula = (
            f"{index}; place = column[open school rows, school subtotal + "
            f"{-LOWEST_SUBTOTAL}]; {part}; open rows as bits, school: ones 1, twos 2, threes "
            "4, fours 8, fives 16, sixes 32; part two: pair 1, two_pairs 2, three 4, "
            "small_straight 8, large_straight 16, full_house 32, four 64, poker 128, "
            "chance 256; the school bonus is paid by the write of the last school row; "
            "where no game comes the value is 0"
        )
        start = state_index(numbers, ALL_OPEN, ROW_COUNT, 0)
        most = _MOST_POINTS + abs(full["school_bonus"])
        spec = self.values_spec(full, formula, state_count(numbers), start, -most, most)
        # Version 1 let chance after a miss be written at any throw.
        return replace(spec, solver_version=2) if numbers.chance_after_miss else spec


TABLES = DicePokerTables()
