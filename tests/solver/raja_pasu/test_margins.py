"""The Raja Pasu solver against a plain player of the rules, against itself, and known values.

``Plain`` is a minimax on ``plain_move`` without any table.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from built import Build
from plain_raja_pasu import Board, plain_move

from ustad.runtime.core.kernels import compiled
from ustad.runtime.games.raja_pasu import kernels
from ustad.runtime.games.raja_pasu.entry import ENTRY
from ustad.runtime.games.raja_pasu.rules import HOLES, NO_LOG, ROW, play_hole, ring
from ustad.runtime.games.raja_pasu.tables import TABLES, RoundTable
from ustad.solver.build import build_table
from ustad.solver.raja_pasu.build import round_arrays
from ustad.solver.raja_pasu.margins import solve
from ustad.solver.raja_pasu.positions import few_seeds, kinds_of, reachable, starts
from ustad.tables import Table

KNOWN = json.loads((Path(__file__).parents[2] / "data" / "raja_pasu.json").read_text())


class Plain:
    """Minimax without tables on the open board, South to move at the root.

    ``least`` is what South can make sure of in some plies if all that is left then goes to North;
    with ``sign`` 1 it goes to South, and it is what North can hold South to.
    """

    def __init__(self, skipped: bool = False) -> None:
        self.bound = cache(self._bound)
        self.skipped = skipped

    def _bound(self, board: Board, mover: int, plies: int, sign: int) -> int:
        """Return the mover's margin if the mover gets sign times all that is left in the end."""
        row = board[:7] if mover == 0 else board[7:]
        if not any(row):
            return -sum(board)
        if plies == 0:
            return sign * sum(board)
        values = []
        for hole in range(7 * mover, 7 * mover + 7):
            if board[hole]:
                after, taken, _, _ = plain_move(board, frozenset(), mover, hole, self.skipped)
                gain = taken[mover] - taken[1 - mover]
                values.append(gain - self.bound(after, 1 - mover, plies - 1, -sign))
        return max(values)

    def margin(self, board: Board) -> int:
        """Return South's margin, found where the bounds meet."""
        for plies in range(1, 60):
            low, high = self.bound(board, 0, plies, -1), self.bound(board, 0, plies, 1)
            if low == high:
                return low
        raise AssertionError(f"{board}: between {low} and {high}")


# Moves.


def random_boards(count: int, seed: int) -> Iterator[tuple[Board, frozenset[int], int, int]]:
    """Yield random positions with a hole to sow: touched, near the start, or anything."""
    random = np.random.default_rng(seed)
    while count:
        closed = frozenset(random.choice(14, random.choice([0, 0, 1, 2, 6]), replace=False))
        kind = random.integers(3)
        if kind == 0:
            board = random.integers(0, 4, 14)
        elif kind == 1:
            board = np.where(random.random(14) < 0.5, random.integers(7, 16, 14), 0)
        else:
            board = random.multinomial(random.integers(1, 99), np.full(14, 1 / 14))
        board = [0 if at in closed else int(held) for at, held in enumerate(board)]
        mover = int(random.integers(2))
        holes = [at for at in range(7 * mover, 7 * mover + 7) if board[at]]
        if holes:
            count -= 1
            yield tuple(board), closed, mover, int(random.choice(holes))


def fast_move(
    play: Any, board: Board, closed: frozenset[int], mover: int, hole: int, skipped: bool, kind: Any
) -> tuple[Board, tuple[int, int], int, bool]:
    """Return what :func:`plain_move` does, as the rules of the game have it."""
    holes, own = ring(tuple(sorted(closed)), mover)
    after, taken = kind([0] * len(holes)), kind([0, 0])
    seeds = kind([board[at] for at in holes])
    laps = play(seeds, own, holes.index(hole), skipped, after, taken, NO_LOG)
    whole = dict(zip(holes, map(int, after), strict=True))
    captured = (int(taken[mover]), int(taken[1 - mover]))
    return tuple(whole.get(at, 0) for at in range(14)), captured, abs(laps), laps < 0


@pytest.mark.parametrize("count", [20_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_moves_agree_with_a_plain_player_of_the_rules(count: int) -> None:
    """Random moves with open and closed holes, some of them endless, both origins."""
    endless = 0
    for number, (board, closed, mover, hole) in enumerate(random_boards(count, 1)):
        skipped = number % 4 == 0
        expected = plain_move(board, closed, mover, hole, skipped)
        found = fast_move(kernels.play_hole, board, closed, mover, hole, skipped, np.array)
        assert found == expected, (board, closed, mover, hole, skipped)
        assert sum(found[0]) + sum(found[1]) == sum(board)
        if number % 20 == 0 or found[3]:
            assert fast_move(play_hole, board, closed, mover, hole, skipped, list) == expected
        endless += found[3]
    assert endless >= 3


# Positions that arise.


def plain_plies(closed: int, plies: int) -> list[int]:
    """Return how many positions arise first after 0, 1, ... moves; both seats lead if closed."""
    board = tuple(0 if hole < closed else 7 for hole in range(14))
    frontier = {(board, 0)} | ({(board, 1)} if closed else set())
    seen, counts = set(frontier), []
    while frontier and len(counts) < plies:
        counts.append(len(frontier))
        after = set()
        for board, mover in frontier:
            for hole in range(7 * mover, 7 * mover + 7):
                if board[hole]:
                    shut = frozenset(range(closed))
                    to, _, _, _ = plain_move(board, shut, mover, hole)
                    if not closed and mover == 0:
                        to = (*to[7:], *to[:7])  # with all holes open the sides do not matter
                    after.add((to, 1 - mover if closed else 0))
        frontier = after - seen
        seen |= after
    return counts


@pytest.fixture(scope="module")
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(2) as threads:
        yield threads


def found_from_start(closed: int, pool: ThreadPoolExecutor, skipped: bool = False) -> Any:
    kinds = kinds_of(closed, skipped)
    return reachable(starts(kinds), kinds, pool)


def test_positions_ply_by_ply_from_the_start() -> None:
    """The first counts of the list, by the plain player; the slow test counts them all."""
    assert plain_plies(0, 6) == KNOWN["plies"][:6]


@pytest.mark.parametrize("closed", [pytest.param(4, marks=pytest.mark.slow), 5, 6])
def test_positions_ply_by_ply_with_closed_holes(closed: int, pool: ThreadPoolExecutor) -> None:
    assert list(found_from_start(closed, pool).plies) == plain_plies(closed, 100)


def test_few_seeds_are_all_the_codes_with_so_many() -> None:
    seeds = [sum(code >> 2 * hole & 3 for hole in range(5)) for code in range(4**5)]
    expected = [code for code in range(4**5) if seeds[code] <= 6]
    assert few_seeds(5, 6).tolist() == expected


# Values.


@pytest.fixture(scope="module")
def few(pool: ThreadPoolExecutor) -> Any:
    """All positions of the open board with at most six seeds: 37,080 of them."""
    start = np.array([[1] + [0] * 13 + [0]], dtype=np.int8)
    positions = reachable(start, kinds_of(0), pool)
    return solve(positions, 6, pool)


def as_table(solution: Any, closed: int) -> RoundTable:
    """Return a table of what was solved, without a file."""
    values, parts = round_arrays(solution)
    spec = TABLES.spec({"closed": closed})
    return RoundTable(Table(spec, Path(), values, parts, {}, 0.0, 0))


def test_values_agree_with_a_minimax_without_tables(few: Any) -> None:
    """Every 25th position up to three seeds, and random ones up to six."""
    table, plain = as_table(few, 0), Plain()
    random = np.random.default_rng(3)
    codes = [*few_seeds(14, 3)[::25], *random.choice(few_seeds(14, 6), 25)]
    for code in map(int, codes):
        board = tuple(code >> 2 * hole & 3 for hole in range(14))
        if any(board[:7]):
            assert table.margin(board, 7) == plain.margin(board), board
        else:
            assert table.margin(board, 7) is None


def test_bounds_meet_and_are_stored_once(few: Any) -> None:
    assert few.met.all()
    assert len(few.task.places) == len(few_seeds(14, 6))
    values, parts = round_arrays(few)
    assert len(values) == len(parts["steps"]) == int((~few.task.over).sum())


@pytest.mark.parametrize("closed", [4, 5, 6])
def test_rounds_with_closed_holes(
    closed: int, pool: ThreadPoolExecutor, build: Build, tmp_path: Path
) -> None:
    """South's margin, by who leads: the known values of these rounds."""
    table = build("raja_pasu", {"closed": closed}, tmp_path)
    values = RoundTable(table)
    south = values.margin((7,) * (HOLES - closed), ROW - closed)
    north = values.margin((7,) * (HOLES - closed), ROW)
    assert north is not None
    assert {"south": south, "north": -north} == KNOWN["rounds"][str(closed)]
    assert table.start_value == south
    assert table.counts["open"] == 0


def test_the_values_do_not_depend_on_threads(pool: ThreadPoolExecutor) -> None:
    arrays = []
    for threads in (1, 3):
        with ThreadPoolExecutor(threads) as some:
            solution = solve(found_from_start(5, some), 8, some)
        arrays.append(round_arrays(solution))
    (one, one_parts), (other, other_parts) = arrays
    assert one.tobytes() == other.tobytes()
    for name, part in one_parts.items():
        assert part.tobytes() == other_parts[name].tobytes()


def test_every_value_is_the_best_of_its_moves(pool: ThreadPoolExecutor) -> None:
    """Bellman residual zero over all positions that arise with five closed holes."""
    positions = found_from_start(5, pool)
    solution = solve(positions, 4, pool)
    table = as_table(solution, 5)
    untouched = positions.untouched.known.tolist()
    touched = [
        [*((int(place) >> 2 * hole) & 3 for hole in range(9)), int(place) >> 18]
        for place in positions.touched
    ]
    for *seeds, kind in (*untouched, *touched):
        own = int(positions.kinds.owns[kind])
        best = None
        for hole in range(own):
            if seeds[hole]:
                board, taken = [0] * 9, [0, 0]
                play_hole(seeds, own, hole, False, board, taken, NO_LOG)
                after = (*board[own:], *board[:own])
                reply = table.margin(after, 9 - own) if any(after[: 9 - own]) else -sum(after)
                assert reply is not None
                value = taken[0] - taken[1] - reply
                best = value if best is None else max(best, value)
        assert table.margin(tuple(seeds), own) == best


def test_a_position_left_out_is_noticed(pool: ThreadPoolExecutor) -> None:
    """The solver reads no bound that was never set: positions must be closed under moves."""
    positions = found_from_start(6, pool)
    with pytest.raises(AssertionError, match="were not found"):
        solve(replace(positions, touched=positions.touched[::2]), 0, pool)
    slots = positions.untouched.slots
    slots[np.flatnonzero(slots >= 0)[::2]] = -1
    with pytest.raises(AssertionError, match="were not found"):
        solve(positions, 0, pool)


def test_the_file_is_the_same_every_time(tmp_path: Path) -> None:
    paths = [
        build_table(ENTRY, {"closed": 6}, tmp_path / name)[0].path for name in ("one", "other")
    ]
    assert paths[0].read_bytes() == paths[1].read_bytes()


# Slow: the whole game.


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Table:
    return build_table(ENTRY, {}, tmp_path_factory.mktemp("start"))[0]


@pytest.mark.slow
def test_the_round_from_the_start(start: Table) -> None:
    assert start.start_value == KNOWN["start"]["value"]
    assert start.counts["reachable"] == KNOWN["reachable"]
    assert start.counts["untouched"] == KNOWN["untouched"]
    assert start.counts["endless"] == KNOWN["endless"]
    assert start.counts["open"] == 0
    assert start.bytes <= 15_000_000
    assert openings(RoundTable(start), skipped=False) == KNOWN["start"]["by_hole"]
    values = RoundTable(start)
    for entry in KNOWN["values"]:
        assert values.margin(tuple(entry["position"]["board"]), 7) == entry["value"]


def openings(table: RoundTable, skipped: bool) -> list[int]:
    """Return the value of each opening of the open board."""
    found = []
    for hole in range(7):
        board, taken = [0] * 14, [0, 0]
        play_hole([7] * 14, 7, hole, skipped, board, taken, NO_LOG)
        reply = table.margin((*board[7:], *board[:7]), 7)
        assert reply is not None
        found.append(taken[0] - taken[1] - reply)
    return found


@pytest.mark.slow
def test_the_round_with_the_origin_skipped(tmp_path: Path) -> None:
    table, _ = build_table(ENTRY, {"origin": "skipped"}, tmp_path)
    assert table.start_value == KNOWN["start_skipped"]["value"]
    assert openings(RoundTable(table), skipped=True) == KNOWN["start_skipped"]["by_hole"]


@pytest.mark.slow
def test_all_positions_ply_by_ply_from_the_start(pool: ThreadPoolExecutor) -> None:
    positions = found_from_start(0, pool)
    assert list(positions.plies) == KNOWN["plies"]


@pytest.mark.slow
@pytest.mark.parametrize("closed", [1, 2, 3])
def test_rounds_with_fewer_closed_holes(closed: int, tmp_path: Path) -> None:
    table = RoundTable(build_table(ENTRY, {"closed": closed}, tmp_path)[0])
    south = table.margin((7,) * (HOLES - closed), ROW - closed)
    north = table.margin((7,) * (HOLES - closed), ROW)
    assert north is not None
    assert {"south": south, "north": -north} == KNOWN["rounds"][str(closed)]


@pytest.mark.slow
def test_census_of_all_moves_of_touched_positions(pool: ThreadPoolExecutor) -> None:
    """Every move of the 268,435,456 positions with 0 to 3 seeds a hole: 5 CPU minutes."""

    @compiled
    def census(begin: int, end: int) -> tuple[int, int, int]:
        position = np.empty(14, np.int64)
        board = np.empty(14, np.int64)
        taken = np.empty(2, np.int64)
        log = np.empty((0, 4), np.int64)
        moves, endless, longest = 0, 0, 0
        for code in range(begin, end):
            for hole in range(14):
                position[hole] = code >> 2 * hole & 3
            for hole in range(7):
                if position[hole]:
                    laps = kernels.play_hole(position, 7, hole, False, board, taken, log)
                    moves += 1
                    endless += laps < 0
                    longest = max(longest, laps)
        return moves, endless, longest

    size = 1 << 24
    parts = pool.map(lambda part: census(part * size, (part + 1) * size), range(16))
    moves, endless, longest = zip(*parts, strict=True)
    assert sum(moves) == 7 * 3 * 4**13  # each own hole holds seeds in three quarters of them
    assert sum(endless) == KNOWN["census"]["endless"]
    assert max(longest) == KNOWN["census"]["longest"]
