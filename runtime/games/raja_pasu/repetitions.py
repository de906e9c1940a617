"""What a past does to margins: a position that has stood twice ends the round when it comes again.

**The problem.**  Tables and search ask about a position without a past.  They are right with
one too, as long as no position has stood twice: whoever can make sure of a margin can do so
without meeting a position a second time (``ustad.solver.raja_pasu.margins`` has the proof),
and a position that stood once may come once more.  But one that stood twice ends the round.

**The algorithm.**  The positions that can be reached without an irreversible move are a graph.
What leads out of it has no past and a known margin, and what has stood twice has the margin
that the third time brings.  On this graph the solver's argument holds again: lower and upper
bounds are improved, from minus and plus all seeds, until nothing changes, and **where they
meet the margin is exact with the whole past**.

**Shapes.**  A node is the seeds of the ring, the mover's holes first, and whether the one to
move there moves in the view (0) or not (1).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from ustad.runtime.games.raja_pasu.rules import PASU, RajaPasuState, Seeds, ring

Node = tuple[Seeds, int]

MOST_NODES = 20_000
"""The most nodes of a graph; in a larger one no bounds are improved."""


class Bounds(NamedTuple):
    """The mover's margin is not below ``lower`` and not above ``upper``."""

    lower: int
    upper: int


class Follower(NamedTuple):
    """A move of a node: what it gains, the node after it, and whether play can come back."""

    gain: int
    node: Node
    reversible: bool


def stood_twice(view: RajaPasuState) -> frozenset[Node]:
    """Return the nodes that have stood twice, the view itself counted."""
    past = reversed([*view.earlier, view.board])
    times = Counter((board, at % 2) for at, board in enumerate(past))
    twice = (node for node, stood in times.items() if stood >= 2)
    return frozenset(
        (tuple(board[hole] for hole in ring(view.closed, view.to_move ^ turn).holes), turn)
        for board, turn in twice
    )


def third_time(seeds: Seeds, own: int) -> int:
    """Return the mover's margin of a position that stands for the third time: row by row."""
    return sum(seeds[:own]) - sum(seeds[own:])


class Repetitions:
    """The margins around a view, with the view's past.

    Args:
        view: the position with its past.
        twice: the nodes that have stood twice.
        moves: returns what each move of a position gains and the seeds after it.
        margin: the mover's margin of a position without a past, None where it is not known.
    """

    def __init__(
        self,
        view: RajaPasuState,
        twice: frozenset[Node],
        moves: Callable[[Seeds, int], Sequence[tuple[int, Seeds]]],
        margin: Callable[[Seeds, int], int | None],
    ) -> None:
        self._own = tuple(ring(view.closed, view.to_move ^ turn).own for turn in (0, 1))
        self._twice = twice
        self._moves = moves
        self._margin = margin
        self._bounds: dict[Node, Bounds] = {}
        self._followers: dict[Node, list[Follower]] = {}
        todo = self._meet(self._follow((tuple(view.seeds()), 0)))
        while todo and len(self._followers) < MOST_NODES:
            node = todo.pop()
            self._followers[node] = self._follow(node)
            todo += self._meet(self._followers[node])
        if not todo:
            self._improve()

    def bounds(self, seeds: Seeds) -> Bounds:
        """Return the bounds of the position that a move of the view leads to."""
        return self._bounds[seeds, 1]

    def _follow(self, node: Node) -> list[Follower]:
        seeds, turn = node
        own = self._own[turn]
        return [
            Follower(gain, (after, 1 - turn), is_reversible(seeds, after, own))
            for gain, after in self._moves(seeds, own)
        ]

    def _meet(self, followers: Sequence[Follower]) -> list[Node]:
        """Note what is known of nodes that are met, and return those yet to be followed."""
        todo = []
        for _, node, reversible in followers:
            if node not in self._bounds:
                known, left = self._known(node, reversible), sum(node[0])
                self._bounds[node] = Bounds(-left, left) if known is None else Bounds(known, known)
                if reversible and known is None:
                    todo.append(node)
        return todo

    def _known(self, node: Node, reversible: bool) -> int | None:
        """Return the mover's margin where none has to be found."""
        seeds, turn = node
        own = self._own[turn]
        if not any(seeds[:own]):
            return -sum(seeds)
        if node in self._twice:
            return third_time(seeds, own)
        return None if reversible else self._margin(seeds, own)

    def _improve(self) -> None:
        """Improve the bounds until nothing changes; the order makes no difference."""
        changed = True
        while changed:
            changed = False
            for node, followers in self._followers.items():
                behind = [(gain, self._bounds[after]) for gain, after, _ in followers]
                found = Bounds(
                    max(gain - bounds.upper for gain, bounds in behind),
                    max(gain - bounds.lower for gain, bounds in behind),
                )
                changed = changed or found != self._bounds[node]
                self._bounds[node] = found


def is_reversible(seeds: Seeds, after: Seeds, own: int) -> bool:
    """Tell whether a position can come again once a move has been made.

    Args:
        seeds: the position, the mover's holes first.
        after: the position after the move, the other's holes first.
        own: how many holes are the mover's.
    """
    other = len(seeds) - own
    turned = (*after[other:], *after[:other])
    return sum(seeds) == sum(after) and all(
        held < PASU or held == later for held, later in zip(seeds, turned, strict=True)
    )
