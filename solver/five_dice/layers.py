"""States solved layer by layer, packed into blocks, on any number of threads.

The problem.  The states with k turns to go need only those with k - 1.  Within
such a layer nothing depends on anything else, and :mod:`ustad.solver.five_dice.turn`
wants ``WIDTH`` states side by side.

The algorithm.  States that share everything but their column stand side by side
in the table: a *group*.  The groups of a layer are cut into *pieces* that fill
blocks of ``WIDTH`` lanes, and the blocks are shared out to threads.  A state's
value does not depend on its lane or thread, so neither do the bits of a table.

Shapes.  A group is (open rows, kind, first column, end column, index of its
first state); ``kind`` is what else tells states apart, as each game has it.  A
piece is (open rows, kind, first column, end column, first lane of the block,
index of its first state).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.work import Progress, available_cores
from ustad.solver.five_dice.turn import WIDTH

Ints = NDArray[np.int64]
Group = tuple[int, int, int, int, int]
Solve = Callable[[Ints, Ints], object]
"""Solves the blocks that pieces (n, 6) and the first piece of each block (m + 1,) describe."""


@dataclass(frozen=True)
class Layer:
    """States none of which needs another, packed into blocks."""

    pieces: Ints
    first_piece: Ints

    @property
    def states(self) -> int:
        """The number of states."""
        return int((self.pieces[:, 3] - self.pieces[:, 2]).sum())

    def share(self, part: int, parts: int) -> tuple[Ints, Ints]:
        """Return the pieces and first pieces of one of several equal shares of the blocks."""
        blocks = len(self.first_piece) - 1
        low, high = blocks * part // parts, blocks * (part + 1) // parts
        begin, end = self.first_piece[low], self.first_piece[high]
        return self.pieces[begin:end], self.first_piece[low : high + 1] - begin


def packed(groups: Iterable[Group]) -> Layer:
    """Return groups of neighbouring states cut into pieces that fill blocks of WIDTH lanes."""
    pieces: list[tuple[int, int, int, int, int, int]] = []
    first_piece, lane = [0], 0
    for open_rows, kind, begin, end, state in groups:
        while begin < end:
            size = min(end - begin, WIDTH - lane)
            pieces.append((open_rows, kind, begin, begin + size, lane, state))
            begin, state, lane = begin + size, state + size, (lane + size) % WIDTH
            if lane == 0:
                first_piece.append(len(pieces))
    if lane:
        first_piece.append(len(pieces))
    return Layer(np.array(pieces), np.array(first_piece))


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
