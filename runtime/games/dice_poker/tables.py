"""The tables of dice poker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ustad.runtime.games.dice_poker.rules import ALL_OPEN, NAME, OPTIONS, ROW_COUNT, ROWS, RULES
from ustad.runtime.games.dice_poker.states import (
    LOWEST_SUBTOTAL,
    columns,
    part_count,
    state_count,
    state_index,
)
from ustad.runtime.games.five_dice.columns import Columns
from ustad.runtime.games.five_dice.tables import BY_BOX, SheetTables
from ustad.tables import TableSpec

_MOST_POINTS = 1000
"""No sheet has so many points, the school bonus left out; most of part two pays at most 230."""


SOURCES = (*ROWS, "bonus")
"""Where points come from: the rows, the school bonus."""

BONUS_SOURCE = len(ROWS)


class DicePokerTables(SheetTables):
    """The expected points of every option set, and what they consist of."""

    name = NAME
    fields = (*OPTIONS, BY_BOX)

    def defaults(self) -> tuple[dict[str, Any], ...]:
        """Return the defaults, dashes by sacrifice, and the free order.

        What the points consist of is told for the order of the school alone: the free order has
        many times as many sheets.
        """
        return (
            RULES.read_options({}),
            RULES.read_options({"dash": "sacrifice"}),
            RULES.read_options({"dash": "sacrifice", "order": "free"}),
            RULES.read_options({}) | {BY_BOX.name: True},
            RULES.read_options({"dash": "sacrifice"}) | {BY_BOX.name: True},
        )

    def asked_for(self, options: dict[str, Any]) -> Sequence[dict[str, Any]]:
        """Return the table of these options, and the values that it consists of."""
        values = {name: value for name, value in options.items() if name != BY_BOX.name}
        return (values, options) if options.get(BY_BOX.name) else (options,)

    def columns(self, options: Mapping[str, Any]) -> Columns:
        """Return the columns of the states under an option set."""
        return columns(options["school_threshold"])

    def spec(self, options: Mapping[str, Any]) -> TableSpec:
        """Return the identity of the table of expected points to come, or of their sources."""
        given = dict(options)
        by_box = BY_BOX.check(given.pop(BY_BOX.name, False))
        full = RULES.read_options(given)
        values, most = self._values_spec(full), _MOST_POINTS + abs(full["school_bonus"])
        return self.by_box_spec(values, SOURCES, -most, most) if by_box else values

    def _values_spec(self, full: dict[str, Any]) -> TableSpec:
        """Return the identity of the table of expected points still to come."""
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
