"""The tables of pasa."""

from __future__ import annotations

from __future__ import annotations
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from itertools import product
from math import comb
from pathlib import Path
from typing import Any
import numpy as np
from numpy.typing import NDArray
from ustad.runtime.core.errors import MoveError, OptionError, OutcomeError, PositionError, shown
from ustad.runtime.core.game import CHANCE, OVER, Bot, GameType, Option, WholeNumber, read_options
from ustad.runtime.core.strict_json import Fields, is_int
from ustad.tables import TableSpec

LARGEST_TABLE = 192_000_000
"""Bytes of the values of the largest table; a table file may have 200 MB."""

TABLE_FIELDS = (
    WholeNumber("players", 4, (), "the seats", 2, 6),
    WholeNumber(
        "chips", None, (None,), "all chips on the table, in stakes; null: ten a seat", 2, NO_MAXIMUM
    ),
    WholeNumber("laps", 2, (), "the most rounds of the dice that it answers", 1, 10**6),
    *RULE_OPTIONS,
)
"""What a table is keyed by."""


class PasaTables(Tables):
    """The tables of pasa."""

    @property
    def table_fields(self) -> tuple[Option, ...]:
        """Seats, chips and laps beside the rules that a position depends on."""
        return TABLE_FIELDS

    def table_options(self) -> tuple[dict[str, Any], ...]:
        """Return two seats up to stack 50, then 20, 10, 5 and 3, and the four-seat house table."""
        stacks = {2: 50, 3: 20, 4: 10, 5: 5, 6: 3}
        usual = [{"players": seats, "chips": seats * stack} for seats, stack in stacks.items()]
        house: dict[str, Any] = {"players": 4, "chips": 40, "cap": "first_come", "max_bet": 2}
        return tuple(self.read_table_options(options) for options in (*usual, house))

    def read_table_options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return the full key of a table, defaults filled in.

        Raises:
            OptionError: an unknown field or a value that it cannot take.
        """
        full = read_options(TABLE_FIELDS, dict(options))
        if full["chips"] is None:
            full["chips"] = 10 * full["players"]
        return full

    def structure(self, options: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
        """Return the numbers of which splits are numbered."""
        return {"binomial": binomials(options["players"], options["chips"])}

    def table_spec(self, options: Mapping[str, Any]) -> TableSpec:
        """Return the identity of the table of win shares.

        Raises:
            OptionError: a field is wrong, or the table would be too large.
        """
        full = self.read_table_options(options)
        players, chips = full["players"], full["chips"]
        turns = players * full["laps"]
        splits = first_split(players, chips, chips + 1)
        shape = (turns, splits, players)
        size = 8 * turns * splits * players
        if size > LARGEST_TABLE:
            raise OptionError(
                f"pasa: players={players} chips={chips} laps={full['laps']}: the table would have "
                f"{turns * splits:,} states and {size:,} bytes, at most {LARGEST_TABLE:,} fit: "
                "count in larger stakes, so that there are fewer chips, or play fewer laps"
            )
        start = even_split(players, chips)
        at_start = first_split(players, chips, chips) + split_number(start)
        return TableSpec(
            game=self.name,
            options=full,
            quantity=(
                "share of the win of each seat between throws, thrower first, when each seat makes "
                "the bet with the largest own share, the smallest of bets within 1e-9"
            ),
            unit="win_share",
            index_version=1,
            index_formula=(
                "values[turns left - 1, before(chips) + split, seat], seats counted from the "
                "thrower; split = sum over j = 1..players - 1 of C(q_j + j - 1, j), q_j the chips "
                "of the last j seats; before(chips) = C(chips + players - 1, players) - 1 with 2 "
                "players in a table of at most 100 chips, which holds every smaller total, else 0"
            ),
            shape=shape,
            start_index=((turns - 1) * splits + at_start) * players,
        )
