"""The tables of Raja Pasu: margins, and results of matches, by the number of closed holes.

A match goes through rounds with closed holes, so its bots may need every table; tables
in use are shared by all bots of the process.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar, cast
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.entry import Tables
from ustad.runtime.core.options import Option, WholeNumber, defaults, read_options
from ustad.runtime.games.raja_pasu.results import LAST_BUT_ONE, MOST_BIT, WIN, Bounds, bit_of
from ustad.runtime.games.raja_pasu.rules import (
    ALL_SEEDS,
    HOLES,
    NAME,
    ORIGIN_OPTION,
    PASU,
    ROW,
    RajaPasu,
    Seeds,
)
from ustad.runtime.games.raja_pasu.states import touched_code
from ustad.tables import ArrayForm, Table, TableSpec, open_table

_MOST_POSITIONS = 25_000_000
"""Positions of a table; those of the start have 13,362,639, and 18,114,112 with origin=skipped."""

_MOST_PATTERNS = 10_000
"""Patterns of a table, of which some 1,300 are known."""


def _check_parts(arrays: Mapping[str, NDArray[Any]]) -> None:
    """Raise ValueError unless every pattern has its positions, one pattern after the other."""
    first, count = arrays["first"].astype(np.int64), len(arrays["values"])
    if len(first) != len(arrays["patterns"]) + 1 or len(arrays["steps"]) != count:
        raise ValueError(f"{len(first)} beginnings of {len(arrays['patterns'])} patterns")
    if first[0] != 0 or first[-1] != count or (np.diff(first) < 0).any():
        raise ValueError(f"beginnings that do not lead from 0 to {count}")


class RajaPasuTables(Tables):
    """The rounds and the matches solved, by the number of closed holes of one side."""

    fields = (
        ORIGIN_OPTION,
        WholeNumber("closed", 0, (), "closed holes of one side", 0, ROW - 1),
        Option("match", False, (False, True), "results of matches, or margins of rounds"),
    )

    def defaults(self) -> tuple[dict[str, Any], ...]:
        """Return the rounds with 0 to 6 closed holes of one side, and the matches."""
        return (*self.rounds(), *({**each, "match": True} for each in self.rounds()))

    def rounds(self) -> tuple[dict[str, Any], ...]:
        """Return the round from the start, and those with 1 to 6 closed holes of one side."""
        return tuple({"origin": "sown", "closed": closed} for closed in range(ROW))

    def asked_for(self, options: dict[str, Any]) -> Sequence[dict[str, Any]]:
        """Return the table of a number of closed holes; for matches, all that they go through."""
        if not options.get("match"):
            return (options,)
        each = [{**options, "closed": closed} for closed in range(ROW)]
        return (*({**one, "match": False} for one in each), *each)

    def start_value(self, table: Table) -> tuple[float, str]:
        """Return the margin of the start, or what the first leader of a match gets."""
        if "match" not in table.spec.options:
            return super().start_value(table)
        return float(table.parts["leaders"][1, ALL_SEEDS // 2]) / WIN, "win share of the leader"

    def spec(self, options: Mapping[str, Any]) -> TableSpec:
        """Return the identity of the table of one number of closed holes."""
        full = read_options(self.fields, dict(options))
        if not full["match"]:
            del full["match"]  # a table of margins is keyed by the other two alone
            return self._of_rounds(full)
        margins = self._of_rounds(full)
        return replace(
            margins,
            quantity="result of the match for the player to move under the best play of both, by "
            "how far ahead that player is",
            unit="results",
            index_formula=(
                f"{margins.index_formula.rpartition('A position that is not there')[0]}A position "
                "that is not there does not arise while expert plays. The value holds numbers of "
                "four bits, the lowest first: the lower two bits are the least that the mover "
                "gets, the others the most, which differ where it depends on how repeated "
                "positions are ruled; 0 is a loss, 1 a draw, 2 a win. With a = "
                "the seeds that the mover will own at the end of the round if both play for the "
                "margin, less 49: number a + 2 with two rounds to go, this one counted, and number "
                "a + 6 with more. Whoever is further ahead wins, further behind loses. leaders "
                "holds what the leader of a round gets who owns 0 to 98 seeds: in the last round, "
                "then in those before."
            ),
            dtype="<u4",
            parts={**margins.parts, "leaders": ArrayForm("|u1", (2, ALL_SEEDS + 1))},
            least=0,
            most=2**32 - 1,
        )

    def _of_rounds(self, full: dict[str, Any]) -> TableSpec:
        holes = HOLES - full["closed"]
        return TableSpec(
            game=NAME,
            options=full,
            quantity="seeds that the player to move takes more than the other from here to the end "
            "of the round, under the best play of both",
            unit="seeds",
            index_version=1,
            index_formula=(
                "A position is the seeds of the open holes in the order of sowing, the mover's "
                "first. Its pattern holds the holes with more than 3 seeds, 0 for the others, and "
                "as its last number how many of the holes are the mover's. With p the place of the "
                "pattern in patterns, the position's value is values[first[p] + i], where i is the "
                "place of its code among codes[first[p]:first[p + 1]], which ascend; the code has "
                "two bits for each hole with 0 to 3 seeds, the first of them lowest; codes = "
                "cumulative sum of steps modulo 2^32. A position that is not there was not "
                "solved; with no seed in the mover's row it is minus all seeds on the board."
            ),
            shape=(-_MOST_POSITIONS,),
            start_index=0,
            dtype="|i1",
            parts={
                "steps": ArrayForm("<u4", (-_MOST_POSITIONS,)),
                "patterns": ArrayForm("|u1", (-_MOST_PATTERNS, holes + 1)),
                "first": ArrayForm("<u4", (-_MOST_PATTERNS - 1,)),
            },
            defaults=defaults(self.fields),
            least=-ALL_SEEDS,
            most=ALL_SEEDS,
            check=_check_parts,
        )


TABLES = RajaPasuTables()

HeldT = TypeVar("HeldT", "RoundTable", "MatchTable")


class RoundTable:
    """The exact values of the rounds with one number of closed holes.

    The positions of a pattern have ascending codes (uint32) and their values
    beside them (int8 margins; uint32 in a :class:`MatchTable`).
    """

    def __init__(self, table: Table) -> None:
        codes = np.cumsum(table.parts["steps"], dtype=np.uint32)
        first = table.parts["first"].tolist()
        patterns = map(tuple, table.parts["patterns"].tolist())
        self._patterns = {
            pattern: (codes[begin:end], table.values[begin:end])
            for pattern, begin, end in zip(patterns, first[:-1], first[1:], strict=True)
        }

    def margin(self, seeds: Seeds, own: int) -> int | None:
        """Return the mover's margin of a position that is not over, None if it is not there.

        Args:
            seeds: of the ring's holes, the mover's first.
            own: how many of the holes are the mover's.
        """
        pattern = (*(held if held >= PASU else 0 for held in seeds), own)
        known = self._patterns.get(pattern)
        if known is None:
            return None
        codes, values = known
        code = np.uint32(touched_code(seeds))  # another type would have the codes copied
        at = codes.searchsorted(code)
        if at == len(codes) or codes[at] != code:
            return None
        return int(values[at])


class MatchTable:
    """The results of matches in the rounds with one number of closed holes."""

    def __init__(self, table: Table) -> None:
        self._known = RoundTable(table)
        self._leaders = table.parts["leaders"].tolist()

    def result(self, seeds: Seeds, own: int, ahead: int, to_go: int) -> Bounds | None:
        """Return the mover's result, None if it is not there.

        Args:
            seeds: of the ring's holes, the mover's first.
            own: how many of the holes are the mover's.
            ahead: how far ahead the mover is, at most ``near(to_go)`` either way.
            to_go: the rounds to go, this one counted; 2 or more.
        """
        value = self._known.margin(seeds, own)
        if value is None:
            return None
        held, mask = value >> bit_of(ahead, to_go), (1 << MOST_BIT) - 1
        return Bounds(held & mask, held >> MOST_BIT & mask)

    def leader(self, owned: int, to_go: int) -> int:
        """Return the result of the leader of a round who owns so many seeds."""
        return int(self._leaders[0 if to_go < LAST_BUT_ONE else 1][owned])


_SHARED: WeakValueDictionary[tuple[Path, tuple[int, ...] | None], RoundTable | MatchTable] = (
    WeakValueDictionary()
)
"""Tables in use by path and state of the file: bots of other seeds need no copy of the codes."""


class Rounds:
    """The tables of some rules in a folder, each read when it is first needed.

    A match goes through rounds with closed holes, so all its tables are asked for
    at once.

    Raises:
        TableError: the table that is needed is missing or unfit; the message
            names the command that builds it.
    """

    def __init__(self, rules: RajaPasu, folder: Path) -> None:
        self._origin = rules.origin
        self._folder = folder
        self._tables: dict[int, RoundTable] = {}
        self._matches: dict[int, MatchTable] = {}
        if rules.options["match"]:
            for closed in range(ROW):
                self.table(closed)
                self.match(closed)

    def _spec(self, closed: int, match: bool) -> TableSpec:
        return TABLES.spec({"origin": self._origin, "closed": closed, "match": match})

    def table(self, closed: int) -> RoundTable:
        """Return the table of the rounds with so many closed holes of one side."""
        return self._opened(closed, False, self._tables, RoundTable)

    def match(self, closed: int) -> MatchTable:
        """Return the results of matches in these rounds."""
        return self._opened(closed, True, self._matches, MatchTable)

    def _opened(
        self, closed: int, match: bool, held: dict[int, HeldT], read: Callable[[Table], HeldT]
    ) -> HeldT:
        if closed not in held:
            table = open_table(self._spec(closed, match), self._folder)
            key = table.path, table.file_state
            shared = _SHARED.get(key)
            if shared is None:
                shared = _SHARED[key] = read(table)
            held[closed] = cast(HeldT, shared)  # a path tells which of the two it is
        return held[closed]
