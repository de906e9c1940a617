"""States solved layer by layer, packed into blocks, on any number of threads.

The problem.  The states with k turns to go need only those with k - 1.  Within
such a layer nothing depends on anything else, and :mod:`ustad.solver.five_dice.turn`
wants ``WIDTH`` states side by side.

The algorithm.  States that share everything but their column stand side by side
in the table: a *group*.  The groups of a layer are cut into *pieces* that fill
blocks of ``WIDTH`` lanes, and the blocks are shared out to threads.  A state's
value does not depend on its lane or thread, so neither do the bits of a table.

Shapes.  The pieces of a layer are an array of records (:data:`PIECE`), those of a
block one after the other; ``first_piece`` (blocks + 1,) says where each block begins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.kernels import compiled
from ustad.runtime.core.work import Progress, available_cores
from ustad.solver.five_dice.turn import WIDTH

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Pieces = NDArray[Any]
"""An array of :data:`PIECE`."""

Solve = Callable[[Pieces, Ints], object]
"""Solves the blocks that pieces and the first piece of each block describe."""


class Group(NamedTuple):
    """States that share everything but their column.

    Attributes:
        open_rows: the open rows, as bits.
        kind: what else tells states apart, as each game has it.
        begin: the first column.
        end: the column after the last.
        state: the index of the first state.
    """

    open_rows: int
    kind: int
    begin: int
    end: int
    state: int


PIECE = np.dtype([(name, np.int64) for name in (*Group._fields, "lane")])
"""A part of a group, and its first lane in the block."""


@dataclass(frozen=True)
class Layer:
    """States none of which needs another, packed into blocks."""

    pieces: Pieces
    first_piece: Ints

    @property
    def states(self) -> int:
        """The number of states."""
        return int((self.pieces["end"] - self.pieces["begin"]).sum())

    def share(self, part: int, parts: int) -> tuple[Pieces, Ints]:
        """Return the pieces and first pieces of one of several equal shares of the blocks."""
        blocks = len(self.first_piece) - 1
        low, high = blocks * part // parts, blocks * (part + 1) // parts
        begin, end = self.first_piece[low], self.first_piece[high]
        return self.pieces[begin:end], self.first_piece[low : high + 1] - begin


def packed(groups: Iterable[Group]) -> Layer:
    """Return groups of neighbouring states cut into pieces that fill blocks of WIDTH lanes."""
    pieces: list[tuple[int, ...]] = []
    first_piece, lane = [0], 0
    for group in groups:
        while group.begin < group.end:
            size = min(group.end - group.begin, WIDTH - lane)
            cut = group.begin + size
            pieces.append((*group._replace(end=cut), lane))
            group, lane = group._replace(begin=cut, state=group.state + size), (lane + size) % WIDTH
            if lane == 0:
                first_piece.append(len(pieces))
    if lane:
        first_piece.append(len(pieces))
    return Layer(np.array(pieces, dtype=PIECE), np.array(first_piece))


@compiled
def store_starts(pieces: Pieces, work: Floats, values: Floats) -> None:
    """Store what the turns of the pieces of one block are worth, ``work[0]``, as state values."""
    for piece in pieces:
        for c in range(piece.end - piece.begin):
            values[piece.state + c] = work[0, piece.lane + c]


def solve_layers(
    layers: Sequence[Layer],
    solve: Solve,
    progress: Progress | None = None,
    threads: int | None = None,
    finished: int = 0,
) -> None:
    """Solve layers one after the other.

    Args:
        layers: in an order in which each needs only those before it.
        solve: solves blocks; it must not hold the interpreter's lock for long.
        progress: called after each layer with the states done and all states.
        threads: how many to use, all cores by default.
        finished: the states known beforehand, which progress counts in.
    """
    threads = threads or available_cores()
    done, every = finished, finished + sum(layer.states for layer in layers)
    with ThreadPoolExecutor(threads) as pool:
        for layer in layers:
            jobs = [pool.submit(solve, *layer.share(part, threads)) for part in range(threads)]
            for job in jobs:
                job.result()
            done += layer.states
            if progress:
                progress(done, every)
