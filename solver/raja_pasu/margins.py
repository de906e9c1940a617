"""Solve a round of Raja Pasu exactly, by number of seeds.

**The problem.**  A position is the seeds of the open holes, the mover's first;
its value is what the mover will take more than the opponent from here to the end
of the round, when both play their best.  Wanted: the value of every position
that can arise from the start, and of every position with at most
:data:`FEW_SEEDS` seeds and no untouched hole.

**The structure.**  A hole that was emptied never again holds more than three, so
a hole is *touched* (0 to 3) or *untouched* (seven or more, with the sown seeds on
top).  A position without an untouched hole is its code of two bits a hole, which
is its place in an array of all codes; one with an untouched hole is found through
a hash table.  A move never adds seeds, so positions are solved by number of seeds.

**Bounds.**  Within one number of seeds positions can come round again, and what
then happens is a rule of the table, not of the board.  So two values are
computed for each position: ``lower`` and ``upper``, from -n and n, where n are
the seeds on the board, by repeating

    lower(p) = max over moves of gain - upper(after the move)
    upper(p) = max over moves of gain - lower(after the move)

until nothing changes.  Neither order nor threads matter: each step is monotone,
lower bounds only rise and upper bounds only fall, so any order of steps ends at
the same pair, the least fixpoint of the one and the greatest of the other, in
whole numbers after finitely many steps.

**What the bounds say.**  Let a rule about repeated positions stop the round, or
let it go on for ever, whenever a position comes again after the one that is asked
about, and share the n seeds still on the board in whatever way.  Then the mover
can make sure of ``lower`` and the opponent can hold the mover to ``upper``.  Proof
for ``lower``, by induction over the steps: count the sweeps in which all positions
are stepped at once.  A lower bound that sweep k gave came from one move and from
the upper bound after sweep k - 1 of the position it leads to, and that from the
lower bounds after sweep k - 2 behind every reply.  So the mover who always plays
the move that gave the bound first meets, after each reply, a bound at least as
good that an earlier sweep gave, and after at most k plies a position with fewer
seeds, an empty row, or the bound -n with which everything began and below which
no sharing of n seeds goes.  Along the way no position came twice, since each has
a lower sweep than the one before, so no rule about repetition had a say.  The
same with the sides changed for ``upper``.  **Where the bounds meet, the value
depends on no rule about repetition**; where they do not, the table leaves the
position out and says how many there are in its count ``open``.

**Endless relays** are ended by the rules of the game and are moves like others.

**Arrays.**  A ring has ``holes`` holes; ``owns[kind]`` of them are the mover's.
With no hole closed there is one kind, else two: kind 0 with the short row to
move, kind 1 with the long row; a move leads from kind to ``len(owns) - 1 -
kind``.  A *row* is an int8 vector: the seeds and the kind.  A *place* is a
uint32: ``kind << 2 * holes | code`` without an untouched hole, else ``len(owns) <<
2 * holes`` plus the number of the position among those with one.  ``bounds`` is
(places, 2) int8: lower and upper bound side by side, since they are read together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.kernels import compiled
from ustad.runtime.core.work import Progress, available_cores
from ustad.runtime.games.raja_pasu import kernels
from ustad.runtime.games.raja_pasu.rules import HOLES, PASU, ROW, SEEDS_A_HOLE
from ustad.runtime.games.raja_pasu.tables import TABLES
from ustad.solver.build import Built

Rows = NDArray[np.int8]
Places = NDArray[np.uint32]
Bounds = NDArray[np.int8]

FEW_SEEDS = 12
"""All positions without an untouched hole are solved up to so many seeds."""

UNSOLVED = -128
"""Stands in the bounds of places that belong to no position that is solved."""

_BLOCK = 1 << 15
"""Positions that a thread takes at a time."""

_EMPTY = -1
LOWER, UPPER = range(2)


def kinds(closed: int) -> NDArray[np.int64]:
    """Return how many holes are the mover's, by kind, with so many holes of one side closed."""
    return np.array([ROW - closed, ROW] if closed else [ROW])


def starts(closed: int) -> Rows:
    """Return the starts of the round, a row for each kind."""
    owns = kinds(closed)
    rows = np.full((len(owns), HOLES - closed + 1), SEEDS_A_HOLE, dtype=np.int8)
    rows[:, -1] = range(len(owns))
    return rows


# Positions with an untouched hole, in a hash table.


@compiled
def _slot(board: NDArray[np.int64], kind: int, rows: Rows, slots: NDArray[np.int32]) -> int:
    """Return the slot that holds the number of a position, or the empty one where it belongs."""
    holes = len(board)
    mixed = np.uint64(kind)
    for hole in range(holes):
        mixed = (mixed ^ np.uint64(board[hole])) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    mask = len(slots) - 1
    slot = int(np.int64(mixed >> np.uint64(20))) & mask
    while slots[slot] != _EMPTY:
        row = rows[slots[slot]]
        same = row[holes] == kind
        for hole in range(holes):
            same = same and row[hole] == board[hole]
        if same:
            break
        slot = (slot + 1) & mask
    return slot


@compiled
def _enter(rows: Rows, begin: int, end: int, slots: NDArray[np.int32]) -> None:
    """Enter the rows from ``begin`` to ``end`` into the slots."""
    holes = rows.shape[1] - 1
    board = np.empty(holes, np.int64)
    for number in range(begin, end):
        board[:] = rows[number, :holes]
        slots[_slot(board, rows[number, holes], rows, slots)] = number


@dataclass
class _Untouched:
    """The positions with an untouched hole: ``rows[:count]``, found through ``slots``."""

    rows: Rows
    count: int
    slots: NDArray[np.int32]

    def make_room(self, more: int) -> None:
        """Make room for so many further rows, the slots at most half full."""
        need = self.count + more
        if need > len(self.rows):
            rows = np.empty((2 * need, self.rows.shape[1]), dtype=np.int8)
            rows[: self.count] = self.rows[: self.count]
            self.rows = rows
        if 2 * need > len(self.slots):
            self.slots = np.full(1 << (4 * need - 1).bit_length(), _EMPTY, dtype=np.int32)
            _enter(self.rows, 0, self.count, self.slots)


# Finding the positions that can arise.


@compiled
def _turned_code(board: NDArray[np.int64], own: int) -> int:
    """Return the code of a board after a move, seen by the opponent; -1 with an untouched hole."""
    code = 0
    any_bit = 0
    for hole in range(len(board)):
        code |= board[hole] << 2 * hole
        any_bit |= board[hole]
    if any_bit >= PASU:
        return -1
    return code >> 2 * own | (code & ((1 << 2 * own) - 1)) << 2 * (len(board) - own)


@compiled
def _turn(board: NDArray[np.int64], own: int, turned: NDArray[np.int64]) -> None:
    """Fill in a board after a move as the opponent sees it."""
    rest = len(board) - own
    for hole in range(rest):
        turned[hole] = board[own + hole]
    for hole in range(own):
        turned[rest + hole] = board[hole]


@compiled
def _children(
    rows: Rows,
    owns: NDArray[np.int64],
    skipped: bool,
    seen: NDArray[np.bool_],
    out: Rows,
) -> tuple[int, int, int]:
    """Write the positions after every move, but those without untouched hole seen before.

    Returns:
        How many were written, how many moves there are, how many are endless.
    """
    holes = rows.shape[1] - 1
    position = np.empty(holes, np.int64)
    board = np.empty(holes, np.int64)
    turned = np.empty(holes, np.int64)
    taken = np.empty(2, np.int64)
    log = np.empty((0, 4), np.int64)
    count, moves, endless = 0, 0, 0
    for row in rows:
        position[:] = row[:holes]
        kind = row[holes]
        own, other = owns[kind], len(owns) - 1 - kind
        for hole in range(own):
            if position[hole] == 0:
                continue
            laps = kernels.play_hole(position, own, hole, skipped, board, taken, log)
            moves += 1
            endless += laps < 0
            code = _turned_code(board, own)
            if code >= 0 and seen[other << 2 * holes | code]:
                continue
            _turn(board, own, turned)
            out[count, :holes] = turned
            out[count, holes] = other
            count += 1
    return count, moves, endless


@compiled
def _add(
    rows: Rows,
    seen: NDArray[np.bool_],
    untouched: Rows,
    count: int,
    slots: NDArray[np.int32],
) -> tuple[int, int]:
    """Add positions, moving those that are new to the front of ``rows``.

    Returns:
        How many are new, and how many positions with an untouched hole there are now.
    """
    holes = rows.shape[1] - 1
    board = np.empty(holes, np.int64)
    fresh = 0
    for at in range(len(rows)):
        touched = True
        for hole in range(holes):
            board[hole] = rows[at, hole]
            touched = touched and board[hole] < PASU
        kind = int(rows[at, holes])
        if touched:
            place = kind << 2 * holes | kernels.touched_code(board)
            if seen[place]:
                continue
            seen[place] = True
        else:
            slot = _slot(board, kind, untouched, slots)
            if slots[slot] != _EMPTY:
                continue
            slots[slot] = count
            untouched[count] = rows[at]
            count += 1
        rows[fresh] = rows[at]
        fresh += 1
    return fresh, count


@dataclass
class Positions:
    """The positions that can arise from some starts.

    Attributes:
        owns: how many holes are the mover's, by kind.
        touched: the places of those without an untouched hole, ascending.
        untouched: the others.
        plies: how many positions arise first after 0, 1, 2, ... moves.
        moves: how many moves they have.
        endless: how many of these are endless relays.
    """

    owns: NDArray[np.int64]
    touched: Places
    untouched: _Untouched
    plies: tuple[int, ...]
    moves: int
    endless: int


def reachable(
    start: Rows,
    owns: NDArray[np.int64],
    skipped: bool,
    pool: ThreadPoolExecutor,
    progress: Progress | None = None,
) -> Positions:
    """Return the positions that can arise from some starts, found ply by ply."""
    holes = start.shape[1] - 1
    seen = np.zeros(len(owns) << 2 * holes, dtype=np.bool_)
    room = _Untouched(np.empty((0, holes + 1), np.int8), 0, np.full(1, _EMPTY, np.int32))

    def children(rows: Rows) -> tuple[Rows, int, int]:
        out = np.empty((len(rows) * int(owns.max()), holes + 1), dtype=np.int8)
        count, moves, endless = _children(rows, owns, skipped, seen, out)
        return out[:count].copy(), moves, endless

    def add(rows: Rows) -> Rows:
        room.make_room(len(rows))
        fresh, room.count = _add(rows, seen, room.rows, room.count, room.slots)
        return rows[:fresh].copy()

    plies, move_count, endless_count = [], 0, 0
    frontier = add(start.copy())
    while len(frontier):
        plies.append(len(frontier))
        if progress:
            progress(sum(plies), 0)
        fresh = []
        for rows, moves, endless in pool.map(children, _blocks(frontier)):
            fresh.append(add(rows))
            move_count += moves
            endless_count += endless
        frontier = np.concatenate(fresh)
    return Positions(owns, _places(seen), room, tuple(plies), move_count, endless_count)


def _places(seen: NDArray[np.bool_]) -> Places:
    """Return where an array is true, a piece at a time to save memory."""
    size = 1 << 20
    pieces = [
        (np.flatnonzero(seen[at : at + size]) + at).astype(np.uint32)
        for at in range(0, len(seen), size)
    ]
    return np.concatenate(pieces)


def _blocks(array: NDArray[Any]) -> Iterable[NDArray[Any]]:
    return (array[at : at + _BLOCK] for at in range(0, len(array), _BLOCK))


def few_seeds(holes: int, most: int) -> Places:
    """Return the codes of all positions of touched holes with at most so many seeds, ascending."""
    codes, seeds = np.zeros(1, dtype=np.uint32), np.zeros(1, dtype=np.uint8)
    held = np.arange(PASU, dtype=np.uint32)
    for _ in range(holes):
        codes = (codes[:, None] << np.uint32(2) | held).ravel()
        seeds = (seeds[:, None] + held.astype(np.uint8)).ravel()
        codes, seeds = codes[seeds <= most], seeds[seeds <= most]
    return codes


# Solving them.


@compiled
def _look_up(place: np.uint32, kind_count: int, rows: Rows, board: NDArray[np.int64]) -> int:
    """Fill in the seeds of a place's position and return its kind."""
    holes = len(board)
    signed = np.int64(place)  # numba takes a uint32 less an int64 for a float
    number = signed - (kind_count << 2 * holes)
    if number >= 0:
        board[:] = rows[number, :holes]
        return int(rows[number, holes])
    for hole in range(holes):
        board[hole] = signed >> 2 * hole & 3
    return int(signed >> 2 * holes)


@compiled
def _tighten(
    places: Places,
    owns: NDArray[np.int64],
    skipped: bool,
    rows: Rows,
    slots: NDArray[np.int32],
    bounds: Bounds,
) -> tuple[int, int]:
    """Step the bounds of positions once.

    Returns:
        How many positions changed, and how often a bound that is not there was read.
    """
    holes = rows.shape[1] - 1
    position = np.empty(holes, np.int64)
    board = np.empty(holes, np.int64)
    turned = np.empty(holes, np.int64)
    taken = np.empty(2, np.int64)
    log = np.empty((0, 4), np.int64)
    changed, missing = 0, 0
    for place in places:
        if bounds[place, LOWER] == bounds[place, UPPER]:
            continue
        kind = _look_up(place, len(owns), rows, position)
        own, other = owns[kind], len(owns) - 1 - kind
        lower, upper = -127, -127
        for hole in range(own):
            if position[hole] == 0:
                continue
            kernels.play_hole(position, own, hole, skipped, board, taken, log)
            code = _turned_code(board, own)
            if code >= 0:
                to = other << 2 * holes | code
            else:
                _turn(board, own, turned)
                number = slots[_slot(turned, other, rows, slots)]
                missing += number == _EMPTY
                to = (len(owns) << 2 * holes) + number
            missing += bounds[to, LOWER] == UNSOLVED
            gain = taken[0] - taken[1]
            lower = max(lower, gain - bounds[to, UPPER])
            upper = max(upper, gain - bounds[to, LOWER])
        if lower > bounds[place, LOWER] or upper < bounds[place, UPPER]:
            changed += 1
            bounds[place, LOWER] = lower
            bounds[place, UPPER] = upper
    return changed, missing


@compiled
def _inspect(
    places: Places,
    owns: NDArray[np.int64],
    rows: Rows,
    seeds: NDArray[np.uint8],
    codes: NDArray[np.uint32],
    over: NDArray[np.bool_],
) -> None:
    """Fill in each position's seeds, the code of its touched holes, and if it is over."""
    board = np.empty(rows.shape[1] - 1, np.int64)
    for at in range(len(places)):
        kind = _look_up(places[at], len(owns), rows, board)
        seeds[at] = board.sum()
        codes[at] = kernels.touched_code(board)
        over[at] = board[: owns[kind]].sum() == 0


@dataclass(frozen=True)
class Solution:
    """The bounds of all positions that were solved.

    Attributes:
        positions: those that can arise.
        places: (n,) all that were solved, ascending.
        codes: (n,) the codes of their touched holes.
        over: (n,) whether the mover has no seed to sow.
        bounds: (n, 2) int8, what the mover can make sure of, and what the opponent
            can hold the mover to.
    """

    positions: Positions
    places: Places
    codes: NDArray[np.uint32]
    over: NDArray[np.bool_]
    bounds: Bounds

    @property
    def met(self) -> NDArray[np.bool_]:
        """Where the bounds meet: the position has a value."""
        meet: NDArray[np.bool_] = self.bounds[:, LOWER] == self.bounds[:, UPPER]
        return meet


def solve(
    positions: Positions,
    skipped: bool,
    few: int,
    pool: ThreadPoolExecutor,
    progress: Progress | None = None,
) -> Solution:
    """Return the bounds of all positions that can arise, and of all with few seeds.

    Args:
        positions: those that can arise.
        skipped: whether a lap leaves out the hole it began from.
        few: every position without an untouched hole is solved up to so many seeds.
        pool: the threads; the bounds do not depend on how many.
        progress: called after each number of seeds with the positions done and all.
    """
    owns, rows = positions.owns, positions.untouched.rows[: positions.untouched.count]
    holes, slots = rows.shape[1] - 1, positions.untouched.slots
    size = len(owns) << 2 * holes
    few_codes = few_seeds(holes, few)
    dense = [few_codes + np.uint32(kind << 2 * holes) for kind in range(len(owns))]
    touched = np.unique(np.concatenate([positions.touched, *dense]))
    places = np.concatenate([touched, np.arange(size, size + len(rows), dtype=np.uint32)])
    seeds, codes = np.empty(len(places), np.uint8), np.empty(len(places), np.uint32)
    over = np.empty(len(places), np.bool_)
    _inspect(places, owns, rows, seeds, codes, over)
    order = np.argsort(seeds, kind="stable").astype(np.uint32)
    ends = np.cumsum(np.bincount(seeds))
    bounds = np.full((size + len(rows), 2), UNSOLVED, dtype=np.int8)

    def tighten(block: Places) -> tuple[int, int]:
        return _tighten(block, owns, skipped, rows, slots, bounds)

    layer: Places
    for count, (begin, end) in enumerate(zip((0, *ends), ends, strict=False)):
        layer = places[order[begin:end]]
        bounds[layer, LOWER] = -count
        bounds[layer, UPPER] = np.where(over[order[begin:end]], -count, count)
        while True:
            changed, missing = np.array([*pool.map(tighten, _blocks(layer)), (0, 0)]).sum(axis=0)
            if missing:
                raise AssertionError(f"{missing} moves lead to positions that were not found")
            if not changed:
                break
            layer = layer[bounds[layer, LOWER] < bounds[layer, UPPER]]
        if progress:
            progress(int(end), len(places))
    return Solution(positions, places, codes, over, bounds[places])


# The table.


@compiled
def _number_patterns(
    rows: Rows, patterns: Rows, slots: NDArray[np.int32], number: NDArray[np.int32]
) -> int:
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
        slot = _slot(board, kind, patterns, slots)
        if slots[slot] == _EMPTY:
            slots[slot] = count
            patterns[count, :holes] = board
            patterns[count, holes] = kind
            count += 1
        number[at] = slots[slot]
    return count


def table_arrays(solution: Solution) -> tuple[NDArray[np.int8], dict[str, NDArray[Any]]]:
    """Return the values and parts of the table; see its index formula for what they are.

    Left out are positions that are over and those whose bounds do not meet.  The
    patterns with most untouched holes come first, then those with the short row
    to move, so that the start of the round has index 0.
    """
    positions = solution.positions
    owns, rows = positions.owns, positions.untouched.rows[: positions.untouched.count]
    holes, kind_count = rows.shape[1] - 1, len(owns)
    patterns = np.zeros((len(rows) + kind_count, holes + 1), dtype=np.int8)
    slots = np.full(1 << (2 * len(rows) + 1).bit_length(), _EMPTY, dtype=np.int32)
    number = np.empty(len(rows), dtype=np.int32)
    count = _number_patterns(rows, patterns, slots, number)
    patterns[count : count + kind_count] = 0
    patterns[count : count + kind_count, holes] = range(kind_count)
    patterns = patterns[: count + kind_count]
    touched = solution.places[: len(solution.places) - len(rows)]
    number = np.concatenate([count + (touched >> 2 * holes).astype(np.int32), number])

    untouched_holes = (patterns[:, :holes] > 0).sum(axis=1)
    ranking = np.lexsort((*patterns[:, holes - 1 :: -1].T, patterns[:, holes], -untouched_holes))
    rank = np.empty(len(patterns), dtype=np.int32)
    rank[ranking] = np.arange(len(patterns))

    kept = np.flatnonzero(~solution.over & solution.met).astype(np.uint32)
    place_rank = rank[number[kept]]
    order = np.lexsort((solution.codes[kept], place_rank))
    kept, place_rank = kept[order], place_rank[order]
    codes = solution.codes[kept]
    steps = np.diff(codes, prepend=np.uint32(0))
    first = np.searchsorted(place_rank, np.arange(len(patterns) + 1)).astype(np.uint32)
    shown = patterns[ranking].astype(np.uint8)
    shown[:, holes] = owns[patterns[ranking, holes]]
    return solution.bounds[kept, LOWER], {"steps": steps, "patterns": shown, "first": first}


def build(options: Mapping[str, Any], progress: Progress | None = None) -> Built:
    """Solve the rounds with one number of closed holes and return what their table holds."""
    spec = TABLES.spec(options)
    skipped, closed = spec.options["origin"] == "skipped", spec.options["closed"]
    with ThreadPoolExecutor(available_cores()) as pool:
        positions = reachable(starts(closed), kinds(closed), skipped, pool, progress)
        solution = solve(positions, skipped, FEW_SEEDS, pool, progress)
    values, parts = table_arrays(solution)
    counts = {
        "reachable": sum(positions.plies),
        "untouched": positions.untouched.count,
        "moves": positions.moves,
        "endless": positions.endless,
        "solved": len(solution.places),
        "over": int(solution.over.sum()),
        "open": int((~solution.met).sum()),
    }
    return Built(spec, values, counts, {}, parts)
