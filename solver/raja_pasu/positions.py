"""The positions of Raja Pasu that can arise in a round, found ply by ply.

**The structure.**  A hole that was emptied never again holds more than three, so
a hole is *touched* (0 to 3) or *untouched* (seven or more, with the sown seeds on
top).  A position without an untouched hole is its code of two bits a hole, which
is its place in an array of all codes; one with an untouched hole is found through
a hash table.

**Arrays.**  A ring has ``holes`` holes; ``owns[kind]`` of them are the mover's.
With no hole closed there is one kind, else two: kind 0 with the short row to
move, kind 1 with the long row; a move leads from kind to ``len(owns) - 1 -
kind``.  A *row* is an int8 vector: the seeds and the kind.  A *place* is a
uint32: ``kind << 2 * holes | code`` without an untouched hole, else ``len(owns) <<
2 * holes`` plus the number of the position among those with one.
"""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.kernels import compiled
from ustad.runtime.core.work import Progress
from ustad.runtime.games.raja_pasu.kernels import play_hole, touched_code
from ustad.runtime.games.raja_pasu.rules import HOLES, PASU, ROW, SEEDS_A_HOLE

Board = NDArray[np.int64]
Rows = NDArray[np.int8]
Places = NDArray[np.uint32]
Slots = NDArray[np.int32]

EMPTY = -1
"""Stands in a slot that holds no number."""

_BLOCK = 1 << 15
"""Positions that a thread takes at a time."""


class Kinds(NamedTuple):
    """The kinds of positions in rounds with one number of closed holes.

    Attributes:
        holes: of the ring.
        owns: (kinds,) how many of them are the mover's.
        skipped: whether a lap leaves out the hole it began from.
    """

    holes: int
    owns: NDArray[np.int64]
    skipped: bool


def kinds_of(closed: int, skipped: bool = False) -> Kinds:
    """Return the kinds with so many holes of one side closed."""
    owns = np.array([ROW - closed, ROW] if closed else [ROW])
    return Kinds(HOLES - closed, owns, skipped)


def starts(kinds: Kinds) -> Rows:
    """Return the starts of the round, a row for each kind."""
    rows = np.full((len(kinds.owns), kinds.holes + 1), SEEDS_A_HOLE, dtype=np.int8)
    rows[:, kinds.holes] = range(len(kinds.owns))
    return rows


# Positions with an untouched hole, in a hash table.


@compiled
def slot_of(board: Board, kind: int, rows: Rows, slots: Slots) -> int:
    """Return the slot that holds the number of a position, or the empty one where it belongs."""
    holes = len(board)
    mixed = np.uint64(kind)
    for hole in range(holes):
        mixed = (mixed ^ np.uint64(board[hole])) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    mask = len(slots) - 1
    slot = int(np.int64(mixed >> np.uint64(20))) & mask
    while slots[slot] != EMPTY:
        row = rows[slots[slot]]
        same = row[holes] == kind
        for hole in range(holes):
            same = same and row[hole] == board[hole]
        if same:
            break
        slot = (slot + 1) & mask
    return slot


@compiled
def _enter(rows: Rows, begin: int, end: int, slots: Slots) -> None:
    """Enter the rows from ``begin`` to ``end`` into the slots."""
    holes = rows.shape[1] - 1
    board = np.empty(holes, np.int64)
    for number in range(begin, end):
        board[:] = rows[number, :holes]
        slots[slot_of(board, rows[number, holes], rows, slots)] = number


@dataclass
class Untouched:
    """The positions with an untouched hole: ``rows[:count]``, found through ``slots``."""

    rows: Rows
    count: int
    slots: Slots

    @property
    def known(self) -> Rows:
        """(count, holes + 1) the positions."""
        return self.rows[: self.count]

    def make_room(self, more: int) -> None:
        """Make room for so many further rows, the slots at most half full."""
        need = self.count + more
        if need > len(self.rows):
            rows = np.empty((2 * need, self.rows.shape[1]), dtype=np.int8)
            rows[: self.count] = self.known
            self.rows = rows
        if 2 * need > len(self.slots):
            self.slots = np.full(1 << (4 * need - 1).bit_length(), EMPTY, dtype=np.int32)
            _enter(self.rows, 0, self.count, self.slots)


# Finding the positions that can arise.


@compiled
def turned_code(board: Board, own: int) -> int:
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
def turn(board: Board, own: int, turned: Board) -> None:
    """Fill in a board after a move as the opponent sees it."""
    rest = len(board) - own
    for hole in range(rest):
        turned[hole] = board[own + hole]
    for hole in range(own):
        turned[rest + hole] = board[hole]


@compiled
def _children(rows: Rows, kinds: Kinds, seen: NDArray[np.bool_], out: Rows) -> tuple[int, int, int]:
    """Write the positions after every move, but those without untouched hole seen before.

    Returns:
        How many were written, how many moves there are, how many are endless.
    """
    holes, owns, skipped = kinds
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
            laps = play_hole(position, own, hole, skipped, board, taken, log)
            moves += 1
            endless += laps < 0
            code = turned_code(board, own)
            if code >= 0 and seen[other << 2 * holes | code]:
                continue
            turn(board, own, turned)
            out[count, :holes] = turned
            out[count, holes] = other
            count += 1
    return count, moves, endless


@compiled
def _add(
    rows: Rows, seen: NDArray[np.bool_], untouched: Rows, count: int, slots: Slots
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
            place = kind << 2 * holes | touched_code(board)
            if seen[place]:
                continue
            seen[place] = True
        else:
            slot = slot_of(board, kind, untouched, slots)
            if slots[slot] != EMPTY:
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
        kinds: of which rounds.
        touched: the places of those without an untouched hole, ascending.
        untouched: the others.
        plies: how many positions arise first after 0, 1, 2, ... moves.
        moves: how many moves they have.
        endless: how many of these are endless relays.
    """

    kinds: Kinds
    touched: Places
    untouched: Untouched
    plies: tuple[int, ...]
    moves: int
    endless: int


def reachable(
    start: Rows, kinds: Kinds, pool: ThreadPoolExecutor, progress: Progress | None = None
) -> Positions:
    """Return the positions that can arise from some starts, found ply by ply."""
    holes, owns = kinds.holes, kinds.owns
    seen = np.zeros(len(owns) << 2 * holes, dtype=np.bool_)
    untouched = Untouched(np.empty((0, holes + 1), np.int8), 0, np.full(1, EMPTY, np.int32))

    def children(rows: Rows) -> tuple[Rows, int, int]:
        out = np.empty((len(rows) * int(owns.max()), holes + 1), dtype=np.int8)
        count, moves, endless = _children(rows, kinds, seen, out)
        return out[:count].copy(), moves, endless

    def add(rows: Rows) -> Rows:
        untouched.make_room(len(rows))
        fresh, untouched.count = _add(rows, seen, untouched.rows, untouched.count, untouched.slots)
        return rows[:fresh].copy()

    plies, move_count, endless_count = [], 0, 0
    frontier = add(start.copy())
    while len(frontier):
        plies.append(len(frontier))
        if progress:
            progress(sum(plies), 0)
        fresh = []
        for rows, moves, endless in pool.map(children, blocks(frontier)):
            fresh.append(add(rows))
            move_count += moves
            endless_count += endless
        frontier = np.concatenate(fresh)
    return Positions(kinds, _places(seen), untouched, tuple(plies), move_count, endless_count)


def _places(seen: NDArray[np.bool_]) -> Places:
    """Return where an array is true, a piece at a time to save memory."""
    size = 1 << 20
    pieces = [
        (np.flatnonzero(seen[at : at + size]) + at).astype(np.uint32)
        for at in range(0, len(seen), size)
    ]
    return np.concatenate(pieces)


def blocks(array: NDArray[Any]) -> Iterable[NDArray[Any]]:
    """Yield an array in the parts that threads take one at a time."""
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
