"""Building the tables of Raja Pasu, and how they hold what was solved."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.kernels import compiled
from ustad.runtime.core.work import Progress, available_cores
from ustad.runtime.games.raja_pasu.rules import PASU
from ustad.runtime.games.raja_pasu.tables import TABLES
from ustad.solver.build import Built, Solver
from ustad.solver.raja_pasu.margins import FEW_SEEDS, LOWER, Solution, solve
from ustad.solver.raja_pasu.matches import Matches, results_of, solve_matches, table_values
from ustad.solver.raja_pasu.positions import (
    EMPTY,
    Rows,
    Slots,
    kinds_of,
    reachable,
    slot_of,
    starts,
)
from ustad.tables import TableSpec


class RajaPasuSolver(Solver):
    """Solves the rounds one after the other; matches go through all of them and are kept."""

    def __init__(self) -> None:
        self._matches: dict[str, list[Content]] = {}

    def build(self, options: Mapping[str, Any], progress: Progress | None = None) -> Built:
        """Return what the table of one number of closed holes holds, of rounds or of matches."""
        spec = TABLES.spec(options)
        if "match" not in spec.options:
            return self._build_round(spec, progress)
        origin = spec.options["origin"]
        if origin not in self._matches:
            with ThreadPoolExecutor(available_cores()) as pool:
                matches = solve_matches(origin == "skipped", pool, progress)
            self._matches[origin] = match_contents(matches)
        values, counts, parts = self._matches[origin][spec.options["closed"]]
        return Built(spec, values, counts, {}, parts)

    def _build_round(self, spec: TableSpec, progress: Progress | None) -> Built:
        kinds = kinds_of(spec.options["closed"], spec.options["origin"] == "skipped")
        with ThreadPoolExecutor(available_cores()) as pool:
            positions = reachable(starts(kinds), kinds, pool, progress)
            solution = solve(positions, FEW_SEEDS, pool, progress)
        values, parts = round_arrays(solution)
        counts = {
            "reachable": sum(positions.plies),
            "untouched": positions.untouched.count,
            "moves": positions.moves,
            "endless": positions.endless,
            "solved": len(solution.task.places),
            "over": int(solution.task.over.sum()),
            "open": int((~solution.met).sum()),
        }
        return Built(spec, values, counts, {}, parts)


SOLVER = RajaPasuSolver


# The arrays of a table.


@compiled
def _number_patterns(rows: Rows, patterns: Rows, slots: Slots, number: NDArray[np.int32]) -> int:
    """Number the patterns of positions in the order they are met, and return how many there are.

    A pattern is a row in which the touched holes are 0.
    """
    holes = rows.shape[1] - 1
    board = np.empty(holes, np.int64)
    count = 0
    for at in range(len(rows)):
        for hole in range(holes):
            board[hole] = rows[at, hole] if rows[at, hole] >= PASU else 0
        kind = int(rows[at, holes])
        slot = slot_of(board, kind, patterns, slots)
        if slots[slot] == EMPTY:
            slots[slot] = count
            patterns[count, :holes] = board
            patterns[count, holes] = kind
            count += 1
        number[at] = slots[slot]
    return count


def _patterns(solution: Solution) -> tuple[Rows, NDArray[np.int32]]:
    """Return the patterns, as rows, and the number of the pattern of each position."""
    kinds, rows = solution.positions.kinds, solution.positions.untouched.known
    holes, kind_count = kinds.holes, len(kinds.owns)
    patterns = np.zeros((len(rows) + kind_count, holes + 1), dtype=np.int8)
    slots = np.full(1 << (2 * len(rows) + 1).bit_length(), EMPTY, dtype=np.int32)
    number = np.empty(len(rows), dtype=np.int32)
    count = _number_patterns(rows, patterns, slots, number)
    # Last, a pattern a kind of those without an untouched hole.
    patterns[count : count + kind_count] = 0
    patterns[count : count + kind_count, holes] = range(kind_count)
    touched = solution.task.places[: len(solution.task.places) - len(rows)]
    number = np.concatenate([count + (touched >> 2 * holes).astype(np.int32), number])
    return patterns[: count + kind_count], number


def round_arrays(solution: Solution) -> tuple[NDArray[np.int8], dict[str, NDArray[Any]]]:
    """Return the margins and parts of the table of a round.

    Left out are positions that are over and those whose bounds do not meet.
    """
    keep = ~solution.task.over & solution.met
    return table_arrays(solution, solution.bounds[:, LOWER], keep, empty_patterns=True)


class Content(NamedTuple):
    """What a table of matches holds."""

    values: NDArray[np.uint32]
    counts: dict[str, int]
    parts: dict[str, NDArray[Any]]


def match_contents(matches: Matches) -> list[Content]:
    """Return what the tables of matches hold, by closed holes; uses the matches up."""
    found: list[Content] = []
    while matches.graphs:  # the largest round comes last, when the others need no room
        kept = matches.kept()
        graph, last_but_one, earlier = matches.take()
        results = table_values(last_but_one, earlier, kept)
        values, parts = table_arrays(graph.solution, results, kept)
        least, most = results_of(earlier[kept])
        counts = {
            "solved": len(graph.margins),
            "kept": len(values),
            "open": int((least < most).any(axis=1).sum()),
        }
        leaders = np.array(matches.leads[:2], dtype=np.uint8)
        found.insert(0, Content(values, counts, {**parts, "leaders": leaders}))
    return found


def table_arrays(
    solution: Solution,
    values: NDArray[Any],
    keep: NDArray[np.bool_],
    empty_patterns: bool = False,
) -> tuple[NDArray[Any], dict[str, NDArray[Any]]]:
    """Return the values and parts of a table; see its index formula for what they are.

    Args:
        solution: of the rounds.
        values: (n,) of all its positions.
        keep: (n,) which of them the table holds.
        empty_patterns: whether patterns of which the table holds no position are told too.

    The patterns with most untouched holes come first, then those with the short row
    to move, so that the start of the round has index 0.
    """
    kinds, task = solution.positions.kinds, solution.task
    holes = kinds.holes
    patterns, number = _patterns(solution)
    untouched_holes = (patterns[:, :holes] > 0).sum(axis=1)
    ranking = np.lexsort((*patterns[:, holes - 1 :: -1].T, patterns[:, holes], -untouched_holes))
    kept = np.flatnonzero(keep).astype(np.uint32)
    met = np.full(len(patterns), empty_patterns)
    met[number[kept]] = True
    ranking = ranking[met[ranking]]
    rank = np.empty(len(patterns), dtype=np.int32)
    rank[ranking] = np.arange(len(ranking))

    place_rank = rank[number[kept]]
    order = np.lexsort((task.codes[kept], place_rank))
    kept, place_rank = kept[order], place_rank[order]
    first = np.searchsorted(place_rank, np.arange(len(ranking) + 1)).astype(np.uint32)
    shown = patterns[ranking].astype(np.uint8)
    shown[:, holes] = kinds.owns[patterns[ranking, holes]]
    steps = np.diff(task.codes[kept], prepend=np.uint32(0))
    return values[kept], {"steps": steps, "patterns": shown, "first": first}
