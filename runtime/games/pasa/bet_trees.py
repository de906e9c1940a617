"""All bets of many throws side by side, and whether rounded shares lead to other bets.

The problem.  The export rounds the shares of a table.  At every state and after any bets
made there, which bets are best by the exact shares and which by the rounded ones?

The algorithm.  The bets of the throws from some splits of one total are laid out once as a
tree, level by level, and valued for every number of turns left.  Going back from the leaves,
each seat chooses by the exact shares.  The shares found so must be, to the last bit, those
that the table holds.

Shapes.  Level j holds the nodes before the bet of seat j, seats counted from the thrower:
``first`` (nodes + 1,) says where the nodes that follow each begin in the next level.  The
last level holds the *leaves*, where every bet is made.  A node's *path* is 0 before the first
bet and ``width * path + 1 + i`` after the legal bet with place i; seats without chips do not
change it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.game import TIE
from ustad.runtime.core.work import Progress
from ustad.runtime.games.pasa.rules import RuleNumbers, legal_bets, most_allowed
from ustad.runtime.games.pasa.states import (
    Floats,
    Ints,
    all_splits,
    finished_shares,
    first_split,
    split_numbers,
    totals,
)
from ustad.tables import Table

Flags = NDArray[np.bool_]

_NODES_AT_ONCE = 1 << 18


def path_count(players: int, width: int) -> int:
    """Return how many paths there are before the last bet."""
    return sum(width**depth for depth in range(players - 1))


def widest(rules: RuleNumbers, chips: int) -> int:
    """Return the most legal bets that there can be with so many chips on the table."""
    most = min(chips, rules.max_bet)
    return max(len(legal_bets(rules.menu, allowed)) for allowed in range(most + 1))


class Level(NamedTuple):
    """The nodes before the bet of one seat.

    Attributes:
        seat: the seat.
        decides: (nodes,) whether it has chips, else one node follows.
        first: (nodes + 1,) where the nodes that follow each begin.
        split: (nodes,) which of the tree's splits each stems from.
        path: (nodes,) the path of each.
    """

    seat: int
    decides: Flags
    first: Ints
    split: Ints
    path: Ints


class BetTree(NamedTuple):
    """The bets of the throws from some splits of one total.

    Attributes:
        levels: for seat 1, 2, ...
        paro: (leaves,) the number of the split after a paro.
        tiro: (leaves,) that after a tiro, the second seat first.
    """

    levels: tuple[Level, ...]
    paro: Ints
    tiro: Ints


def bet_tree(rules: RuleNumbers, width: int, stacks: Ints) -> BetTree:
    """Return the bets of the throws from some splits.

    Args:
        rules: what may be bet.
        width: the most legal bets that there can be.
        stacks: (n, seats) the stacks of the splits, the thrower's not 0.
    """
    split, path = np.arange(len(stacks)), np.zeros(len(stacks), dtype=np.int64)
    bets = np.zeros_like(stacks)
    levels = []
    for seat in range(1, stacks.shape[1]):
        decides = stacks[split, seat] > 0
        most = _most_allowed(rules, stacks[split], seat, bets.sum(axis=1))
        legal = [legal_bets(rules.menu, allowed) for allowed in range(int(most.max(initial=0)) + 1)]
        counts = np.array([len(found) for found in legal])[most]
        first = np.concatenate([[0], np.cumsum(counts)])
        levels.append(Level(seat, decides, first, split, path))

        before = np.repeat(np.arange(len(split)), counts)
        place = np.arange(len(before)) - first[before]
        menu = np.array([(*found, *[0] * (width - len(found))) for found in legal])
        path = np.where(decides[before], width * path[before] + 1 + place, path[before])
        split, bets = split[before], bets[before]
        bets[:, seat] = menu[most[before], place]
    bets[:, 0] = -bets.sum(axis=1)
    paid = stacks[split] + bets
    taken = stacks[split] - bets
    return BetTree(tuple(levels), split_numbers(taken), split_numbers(np.roll(paid, -1, axis=1)))


def _most_allowed(rules: RuleNumbers, stacks: Ints, seat: int, covered: Ints) -> Ints:
    """Return (nodes,) the most that a seat may bet; asked once for nodes that are alike."""
    bettors = np.count_nonzero(stacks[:, 1:], axis=1)
    columns = np.stack([stacks[:, 0], bettors, stacks[:, seat], covered], axis=1)
    rows, which = np.unique(columns, axis=0, return_inverse=True)
    found = np.array([most_allowed(rules, *row) for row in rows.tolist()], dtype=np.int64)
    return found[which.reshape(-1)]


# Choosing.


class SharesByTurn(NamedTuple):
    """The shares of a table and of finished games.

    Attributes:
        values: (turns, splits, seats).
        finished: (splits, seats) the shares with no turn left.
    """

    values: Floats
    finished: Floats

    def left(self, turns: int) -> Floats:
        """Return (splits, seats) the shares with so many turns left."""
        return self.values[turns - 1] if turns else self.finished

    def leaves(self, tree: BetTree, first_row: int, turns: int) -> Floats:
        """Return (leaves, seats) the shares once every bet is made."""
        paro = self.left(turns)[first_row + tree.paro]
        tiro = np.roll(self.left(turns - 1)[first_row + tree.tiro], 1, axis=1)
        shares: Floats = 0.5 * (paro + tiro)
        return shares


@dataclass
class Comparison:
    """What a comparison found.

    Attributes:
        states: the states in which a seat bets.
        bets: the nodes at which a seat chooses.
        changed: how many of these have another best bet, or other equals, by the rounded shares.
        nodes: these nodes, each as often as it has equals; see :func:`compare`.
        places: the places of the equals by the exact table.
        largest_cost: the share that the other bets would cost their seat at most.
        residual: by how much shares from the tree are off those of the table at most.
    """

    states: int = 0
    bets: int = 0
    changed: int = 0
    nodes: list[Ints] = field(default_factory=list)
    places: list[Ints] = field(default_factory=list)
    largest_cost: float = 0.0
    residual: float = 0.0

    def stored(self) -> tuple[Ints, Ints]:
        """Return the nodes in ascending order and their places, in ascending order too."""
        none = np.zeros(0, dtype=np.int64)
        nodes, places = np.concatenate([none, *self.nodes]), np.concatenate([none, *self.places])
        order = np.lexsort((places, nodes))
        return nodes[order], places[order]


def compare(
    rules: RuleNumbers,
    table: Table,
    rounded: Floats,
    tie: float,
    width: int,
    progress: Progress | None = None,
) -> Comparison:
    """Return where the best bets by rounded shares are not those of the exact table.

    A node is numbered ``state * path_count + path``, a state ``(turns left - 1) * splits``
    plus the row of its split.

    Args:
        rules: what may be bet.
        table: the exact table.
        rounded: (turns, splits, seats) the rounded shares.
        tie: what counts as equal by the rounded shares.
        width: the most legal bets that there can be.
        progress: called with the states done and all states.
    """
    players, chips = table.spec.options["players"], table.spec.options["chips"]
    turns, splits, _ = table.values.shape
    finished = finished_shares(players, chips)
    exact, read = SharesByTurn(table.values, finished), SharesByTurn(rounded, finished)
    found = Comparison()
    for total in totals(players, chips):
        first_row = first_split(players, chips, total)
        for numbers, stacks in _throws(players, total, _NODES_AT_ONCE // width ** (players - 1)):
            tree = bet_tree(rules, width, stacks)
            rows = first_row + numbers
            for left in range(1, turns + 1):
                node = ((left - 1) * splits + rows) * path_count(players, width)
                shares = exact.leaves(tree, first_row, left)
                rounded = read.leaves(tree, first_row, left)
                chosen = shares[_choose(tree, shares, rounded, tie, node, found)]
                gap = np.abs(chosen - exact.left(left)[rows])
                found.residual = max(found.residual, float(gap.max()))
            found.states += turns * len(numbers)
            if progress:
                progress(found.states, turns * splits)
    return found


def _throws(players: int, total: int, most: int) -> Iterator[tuple[Ints, Ints]]:
    """Yield numbers and stacks of the splits in which a seat bets, at most so many at once."""
    stacks = all_splits(players, total)
    alive = np.flatnonzero((stacks[:, 0] > 0) & (stacks.max(axis=1) < total))
    size = max(1, most)
    for begin in range(0, len(alive), size):
        numbers = alive[begin : begin + size]
        yield numbers, stacks[numbers]


def _choose(
    tree: BetTree, exact: Floats, rounded: Floats, tie: float, node: Ints, found: Comparison
) -> Ints:
    """Return the leaf that the exact table's bets lead to from each split.

    Args:
        tree: the bets.
        exact: (leaves, seats) the shares.
        rounded: (leaves, seats) the rounded shares.
        tie: what counts as equal by the rounded shares.
        node: (splits,) the number of each split's node before the first bet.
        found: nodes at which the rounded shares have other equals are added.
    """
    leaf = np.arange(len(exact))
    for level in reversed(tree.levels):
        own = exact[leaf, level.seat]
        best, seen = _equals(own, level, TIE), _equals(rounded[leaf, level.seat], level, tie)
        chosen = _smallest(best, level)
        differs = level.decides & np.logical_or.reduceat(best != seen, level.first[:-1])
        found.bets += int(level.decides.sum())
        if differs.any():
            of = np.repeat(np.arange(len(differs)), np.diff(level.first))
            stored = np.flatnonzero(best & differs[of])
            of = of[stored]
            cost = own[chosen] - own[_smallest(seen, level)]
            found.changed += int(np.count_nonzero(differs))
            found.nodes.append(node[level.split[of]] + level.path[of])
            found.places.append(stored - level.first[of])
            found.largest_cost = max(found.largest_cost, float(cost.max()))
        leaf = leaf[chosen]
    return leaf


def _equals(own: Floats, level: Level, tie: float) -> Flags:
    """Return (following nodes,) whether each bet is within a tie of the best of its node.

    Args:
        own: (following nodes,) the own share after each.
        level: the nodes.
        tie: what counts as equal.
    """
    best = np.maximum.reduceat(own, level.first[:-1])
    found: Flags = own >= np.repeat(best, np.diff(level.first)) - tie
    return found


def _smallest(equals: Flags, level: Level) -> Ints:
    """Return (nodes,) the place among all that follow of the first of the equals of each node."""
    at = np.where(equals, np.arange(len(equals)), len(equals))
    found: Ints = np.minimum.reduceat(at, level.first[:-1])
    return found
