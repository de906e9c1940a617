"""Solve a round of Raja Pasu exactly, by number of seeds.

**The problem.**  A position is the seeds of the open holes, the mover's first;
its value is what the mover will take more than the opponent from here to the end
of the round, when both play their best.  Wanted: the value of every position
that can arise from the start, and of every position with at most
:data:`FEW_SEEDS` seeds and no untouched hole.

**The structure.**  A move never adds seeds, so positions are solved by number of seeds.
How they are found and numbered is told in :mod:`ustad.solver.raja_pasu.positions`.

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

**Arrays.**  ``bounds`` is (places, 2) int8: lower and upper bound side by side, since they
are read together.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.kernels import compiled
from ustad.runtime.core.work import Progress
from ustad.runtime.games.raja_pasu.kernels import play_hole, touched_code
from ustad.runtime.games.raja_pasu.rules import MOVER, OPPONENT
from ustad.solver.raja_pasu.positions import (
    EMPTY,
    Board,
    Kinds,
    Places,
    Positions,
    Rows,
    Slots,
    blocks,
    few_seeds,
    slot_of,
    turn,
    turned_code,
)

Bounds = NDArray[np.int8]

FEW_SEEDS = 12
"""All positions without an untouched hole are solved up to so many seeds."""

UNSOLVED = -128
"""Stands in the bounds of places that belong to no position that is solved."""

LOWER, UPPER = range(2)

NOWHERE = -1
"""The place of a position that was not found."""

_LEAST = -127
"""Below any margin."""


@compiled
def look_up(place: np.uint32, kinds: int, rows: Rows, board: Board) -> int:
    """Fill in the seeds of a place's position and return its kind, one of so many."""
    holes = len(board)
    signed = np.int64(place)  # numba takes a uint32 less an int64 for a float
    number = signed - (kinds << 2 * holes)
    if number >= 0:
        board[:] = rows[number, :holes]
        return int(rows[number, holes])
    for hole in range(holes):
        board[hole] = signed >> 2 * hole & 3
    return int(signed >> 2 * holes)


@compiled
def place_after(
    board: Board, own: int, kind: int, kinds: int, rows: Rows, slots: Slots, turned: Board
) -> int:
    """Return the place of the position after a move, NOWHERE if it was not found.

    Args:
        board: as it was left by the player who had ``own`` holes.
        own: see there.
        kind: of the position, which the opponent sees.
        kinds: how many there are.
        rows: the positions with an untouched hole.
        slots: where they are found.
        turned: filled with the seeds as the opponent sees them, if a hole is untouched.
    """
    code = turned_code(board, own)
    if code >= 0:
        return kind << 2 * len(board) | code
    turn(board, own, turned)
    number = slots[slot_of(turned, kind, rows, slots)]
    return NOWHERE if number == EMPTY else (kinds << 2 * len(board)) + number


@compiled
def _tighten(
    places: Places, kinds: Kinds, rows: Rows, slots: Slots, bounds: Bounds
) -> tuple[int, int]:
    """Step the bounds of positions once.

    Returns:
        How many positions changed, and how often a bound that is not there was read.
    """
    holes, owns, skipped = kinds
    position = np.empty(holes, np.int64)
    board = np.empty(holes, np.int64)
    turned = np.empty(holes, np.int64)
    taken = np.empty(2, np.int64)
    log = np.empty((0, 4), np.int64)
    changed, missing = 0, 0
    for place in places:
        if bounds[place, LOWER] == bounds[place, UPPER]:
            continue
        kind = look_up(place, len(owns), rows, position)
        own, other = owns[kind], len(owns) - 1 - kind
        lower, upper = _LEAST, _LEAST
        for hole in range(own):
            if position[hole] == 0:
                continue
            play_hole(position, own, hole, skipped, board, taken, log)
            to = place_after(board, own, other, len(owns), rows, slots, turned)
            if to == NOWHERE or bounds[to, LOWER] == UNSOLVED:
                missing += 1
                continue
            gain = taken[MOVER] - taken[OPPONENT]
            lower = max(lower, gain - bounds[to, UPPER])
            upper = max(upper, gain - bounds[to, LOWER])
        if lower > bounds[place, LOWER] or upper < bounds[place, UPPER]:
            changed += 1
            bounds[place, LOWER] = lower
            bounds[place, UPPER] = upper
    return changed, missing


@dataclass(frozen=True)
class Task:
    """The positions to solve, those that can arise and all with few seeds.

    Attributes:
        places: (n,) their places, ascending.
        seeds: (n,) the seeds of each.
        codes: (n,) the codes of their touched holes.
        over: (n,) whether the mover has no seed to sow.
    """

    places: Places
    seeds: NDArray[np.uint8]
    codes: NDArray[np.uint32]
    over: NDArray[np.bool_]

    def layers(self) -> Iterator[NDArray[np.uint32]]:
        """Yield the positions with 0, 1, 2, ... seeds, each as a list of numbers in the arrays."""
        order = np.argsort(self.seeds, kind="stable").astype(np.uint32)
        yield from np.split(order, np.cumsum(np.bincount(self.seeds))[:-1])


@compiled
def _inspect(
    places: Places,
    kinds: Kinds,
    rows: Rows,
    seeds: NDArray[np.uint8],
    codes: NDArray[np.uint32],
    over: NDArray[np.bool_],
) -> None:
    """Fill in each position's seeds, the code of its touched holes, and if it is over."""
    board = np.empty(kinds.holes, np.int64)
    for at in range(len(places)):
        kind = look_up(places[at], len(kinds.owns), rows, board)
        seeds[at] = board.sum()
        codes[at] = touched_code(board)
        over[at] = board[: kinds.owns[kind]].sum() == 0


def task_of(positions: Positions, few: int) -> Task:
    """Return the positions to solve: those that can arise, and all touched ones with few seeds."""
    kinds, rows = positions.kinds, positions.untouched.known
    codes_of_few = few_seeds(kinds.holes, few)
    dense = [codes_of_few + np.uint32(kind << 2 * kinds.holes) for kind in range(len(kinds.owns))]
    touched = np.unique(np.concatenate([positions.touched, *dense]))
    size = len(kinds.owns) << 2 * kinds.holes
    places = np.concatenate([touched, np.arange(size, size + len(rows), dtype=np.uint32)])
    seeds, codes = np.empty(len(places), np.uint8), np.empty(len(places), np.uint32)
    over = np.empty(len(places), np.bool_)
    _inspect(places, kinds, rows, seeds, codes, over)
    return Task(places, seeds, codes, over)


@dataclass(frozen=True)
class Solution:
    """The bounds of all positions that were solved.

    Attributes:
        positions: those that can arise.
        task: all that were solved.
        bounds: (n, 2) int8, what the mover can make sure of, and what the opponent
            can hold the mover to.
    """

    positions: Positions
    task: Task
    bounds: Bounds

    @property
    def met(self) -> NDArray[np.bool_]:
        """Where the bounds meet: the position has a value."""
        meet: NDArray[np.bool_] = self.bounds[:, LOWER] == self.bounds[:, UPPER]
        return meet


def solve(
    positions: Positions,
    few: int,
    pool: ThreadPoolExecutor,
    progress: Progress | None = None,
) -> Solution:
    """Return the bounds of all positions that can arise, and of all with few seeds.

    Args:
        positions: those that can arise.
        few: every position without an untouched hole is solved up to so many seeds.
        pool: the threads; the bounds do not depend on how many.
        progress: called after each number of seeds with the positions done and all.
    """
    kinds, untouched = positions.kinds, positions.untouched
    task = task_of(positions, few)
    size = (len(kinds.owns) << 2 * kinds.holes) + untouched.count
    bounds = np.full((size, 2), UNSOLVED, dtype=np.int8)

    def tighten(block: Places) -> tuple[int, int]:
        return _tighten(block, kinds, untouched.known, untouched.slots, bounds)

    def settle(layer: Places) -> None:
        """Step the bounds of positions until nothing changes."""
        while True:
            changed, missing = np.array([*pool.map(tighten, blocks(layer)), (0, 0)]).sum(axis=0)
            if missing:
                raise AssertionError(f"{missing} moves lead to positions that were not found")
            if not changed:
                return
            layer = layer[bounds[layer, LOWER] < bounds[layer, UPPER]]

    done = 0
    for seeds, layer in enumerate(task.layers()):
        places = task.places[layer]
        bounds[places, LOWER] = -seeds
        bounds[places, UPPER] = np.where(task.over[layer], -seeds, seeds)
        settle(places)
        done += len(layer)
        if progress:
            progress(done, len(task.places))
    return Solution(positions, task, bounds[task.places])
