"""The tables of pasa: what each is keyed by, and which one answers a position.

A position says nothing of the laps of its game, and a table for more laps answers it as
well; so does a table of two seats that holds smaller totals.  Of all tables in the folder
with the position's seats and rules that reach far enough, the one with the fewest laps and
chips is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.entry import Tables
from ustad.runtime.core.errors import OptionError, PositionError
from ustad.runtime.core.options import WholeNumber, parse_options, read_options
from ustad.runtime.games.pasa.rules import (
    NAME,
    NO_MAXIMUM,
    POSITION_OPTIONS,
    USUAL_STACKS,
    Pasa,
)
from ustad.runtime.games.pasa.states import (
    ALL_TOTALS_UP_TO,
    binomials,
    even_split,
    first_split,
    split_number,
    totals,
)
from ustad.tables import TableSpec, table_files

LARGEST_TABLE = 192_000_000
"""Bytes of the values of the largest table; a table file may have 200 MB."""


CLOSE = 1e-9
"""How near to one the shares of all seats add up."""


def _check_shares(arrays: Mapping[str, NDArray[Any]]) -> None:
    """Raise ValueError unless the win is shared out between throws."""
    sums = arrays["values"].sum(axis=-1)
    off = np.abs(sums - 1.0)
    if off.max() > CLOSE:
        raise ValueError(f"shares that add up to {float(sums.flat[off.argmax()])!r}")


class PasaTables(Tables):
    """The win shares, by seats, chips and laps beside the rules that a position depends on."""

    fields = (
        WholeNumber("players", 4, (), "the seats", 2, 6),
        WholeNumber(
            "chips",
            None,
            (None,),
            "all chips on the table, in stakes; null: as many as a new game deals",
            2,
            NO_MAXIMUM,
        ),
        WholeNumber("laps", 2, (), "the most rounds of the dice that it answers", 1, 10**6),
        *POSITION_OPTIONS,
    )

    def defaults(self) -> tuple[dict[str, Any], ...]:
        """Return those that new games need, and the four-seat house table.

        With two seats it is the largest that holds every smaller total too.
        """
        usual = [{"players": seats} for seats in USUAL_STACKS if seats > 2]
        two = {"players": 2, "chips": ALL_TOTALS_UP_TO}
        house: dict[str, Any] = {"players": 4, "cap": "first_come", "max_bet": 2}
        return tuple(self.key_of(options) for options in (two, *usual, house))

    def key_of(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return the full key of a table, defaults filled in.

        Raises:
            OptionError: an unknown field or a value that it cannot take.
        """
        full = read_options(self.fields, dict(options))
        if full["chips"] is None:
            full["chips"] = full["players"] * USUAL_STACKS[full["players"]]
        return full

    def structure(self, options: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
        """Return the numbers of which splits are numbered."""
        return {"binomial": binomials(options["players"], options["chips"])}

    def spec(self, options: Mapping[str, Any]) -> TableSpec:
        """Return the identity of the table of win shares.

        Raises:
            OptionError: a field is wrong, or the table would be too large.
        """
        full = self.key_of(options)
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
            game=NAME,
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
            defaults=self.key_of({}),
            least=-CLOSE,
            most=1.0 + CLOSE,
            check=_check_shares,
        )


TABLES = PasaTables()


def rules_of(spec: TableSpec) -> Pasa:
    """Return the rules that a table is of."""
    return Pasa(**{option.name: spec.options[option.name] for option in POSITION_OPTIONS})


def find_table(folder: Path, rules: Pasa, players: int, chips: int, turns_left: int) -> TableSpec:
    """Return the table in a folder that answers, or, if none does, the one to build.

    Args:
        folder: where the tables are.
        rules: the rules.
        players: the seats.
        chips: all chips on the table, in stakes.
        turns_left: the turns left.

    Raises:
        PositionError: none answers, and the one to build cannot fit.
    """
    fit = [
        spec
        for spec in _specs_in(folder)
        if spec.options["players"] == players
        and all(spec.options[name] == value for name, value in rules.options.items())
        and chips in totals(players, spec.options["chips"])
        and turns_left <= players * spec.options["laps"]
    ]
    if fit:
        return min(fit, key=lambda spec: (spec.options["laps"], spec.options["chips"]))
    laps = -(-turns_left // players)
    try:
        return TABLES.spec({**rules.options, "players": players, "chips": chips, "laps": laps})
    except OptionError as error:
        raise PositionError(
            f"position: stacks, turns_left: {chips} chips and {turns_left} turns are more than a "
            f"table can hold: {error}"
        ) from None


def _specs_in(folder: Path) -> Iterator[TableSpec]:
    """Yield what the tables of pasa in a folder are by their names."""
    for path in table_files(folder):
        _, *texts = path.stem.split(",")
        with suppress(OptionError):
            spec = TABLES.spec(parse_options(NAME, TABLES.fields, texts))
            if path.name == spec.file_name:
                yield spec
