"""The export of pasa: the win shares of one table, and the bets that rounding would change.

The problem.  A bet is chosen by comparing win shares, and the seats after it choose by what
comes out, so a rounding that changes one bet can change what other bets are worth by far
more than the rounding.  With several seats equally good bets of one seat are not at all
equally good for the others.

The form.  The shares are rounded to 16 bits.  A reader enumerates the bets of a throw and
lets each seat choose by the rounded shares: bets within ``tie`` are equals, the smallest of
which is played.  Where the exact table has other equals, or another best bet, its own are
stored.  So at every state and after any bets before it the best bets, equals included, are
those of the exact table, and every share is off by half a step at most.

The bets of a throw are a tree.  A *node* is a state with the bets made so far, numbered

    node = state * paths + path,
    state = (turns left - 1) * splits + before(chips) + split,
    path = 0 before the first bet, width * path + 1 + i after the bet with place i among the
    legal ones;

``stored_nodes`` holds the nodes in ascending order, each as often as it has equals, and
``stored_bets`` their places, in ascending order too.

The proof.  All bets of all states, ``splits`` states side by side, level by level: the tree
is laid out once and valued for every number of turns left.  The shares found from the exact
table must be, to the last bit, those that it holds.

Shapes.  Level j holds the nodes before the bet of seat j, seats counted from the thrower:
``first`` (nodes + 1,) says where the nodes that follow each begin in the next level.  The
last level holds the *leaves*, where every bet is made.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.errors import ExportError
from ustad.runtime.core.game import TIE, Advice, Bot, rank
from ustad.runtime.core.options import read_options
from ustad.runtime.core.work import Progress
from ustad.runtime.export.content import (
    Content,
    Exporter,
    Packed,
    brief,
    rounded,
    table_facts,
    vectors,
)
from ustad.runtime.games.pasa.codec import CODEC
from ustad.runtime.games.pasa.levels import Betting, Shares, TableBot
from ustad.runtime.games.pasa.rules import (
    POSITION_OPTIONS,
    Pasa,
    PasaState,
    legal_bets,
    most_allowed,
    win_shares,
)
from ustad.runtime.games.pasa.states import first_split, least_chips
from ustad.runtime.games.pasa.tables import TABLES
from ustad.tables import Table, open_table

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ALLOWED_ERROR = 0.001
"""The most that a share may be off."""

VECTORS = 64
VECTORS_SEED = 5

INDEX = (
    "values[turns left - 1, before + split, seat], seats counted from the thrower. With C(n, k) "
    "the binomial coefficient, N players and q_j the chips of the last j seats: split = sum over "
    "j = 1..N - 1 of C(q_j + j - 1, j); before = C(chips on the table + N - 1, N) - "
    "C(pasa.least_chips + N - 1, N). With no turn left the seats with the largest stack share the "
    "win, and so they do when one seat has all chips."
)

IN_WORDS = {
    "throw": (
        "The seats with chips bet in order, from the one after the thrower. Once all have bet, a "
        "seat's share is half its share after paro (the thrower takes every bet and throws again, "
        "with as many turns left) and half its share after tiro (the thrower pays every bet and "
        "the next seat throws, with one turn less; its shares are counted from that seat)."
    ),
    "legal bets": (
        "At most the own stack, what the thrower's stack is more than the bets made, max_bet if "
        "it is not null, and under cap=share the larger of 1 and the thrower's stack divided by "
        "the number of betting seats, rounded down. If that is 0, the bet is 0. Else under "
        "menu=all 1 to that most; under menu=buttons 1, a quarter, half and all of it, rounded "
        "down, each that is more than those before it."
    ),
    "choice": (
        "A seat bets what gives it the largest share when the seats after it choose likewise. All "
        "bets within pasa.tie of that are best; the smallest is played. At a stored node those "
        "stored are best, whatever the shares say."
    ),
    "nodes": (
        "A node is a state with the bets made so far: node = ((turns left - 1) * pasa.splits + "
        "before + split) * pasa.paths + path; path = 0 before the first bet, and pasa.width * "
        "path + 1 + i after the legal bet number i, from 0 in ascending order; seats without "
        "chips are passed over. stored_nodes ascends and holds a node once for each of its best "
        "bets; stored_bets[k] is the number, from 0, of one of them among the legal bets of "
        "stored_nodes[k]."
    ),
}
"""What a reader needs beside the arrays, for the manifest."""

_NODES_AT_ONCE = 1 << 18
_LARGEST_NUMBER = 2**32


def splits(players: int, chips: int) -> Ints:
    """Return (splits, players) the stacks of every split of so many chips, in order of number."""
    held = np.full((1, 1), chips)
    for _ in range(players - 1):
        counts = held[:, 0] + 1
        last = np.repeat(held, counts, axis=0)
        within = np.arange(len(last)) - np.repeat(np.cumsum(counts) - counts, counts)
        held = np.concatenate([within[:, None], last], axis=1)
    # held[:, j - 1] is what the last j seats hold.
    return np.diff(held, axis=1, prepend=0)[:, ::-1]


def _numbers(stacks: Ints) -> Ints:
    """Return (n,) the number of each split."""
    players, chips = stacks.shape[1], int(stacks[0].sum()) if len(stacks) else 0
    binomial = np.array(
        [[comb(held + last - 1, last) for held in range(chips + 1)] for last in range(1, players)]
    )
    held = np.cumsum(stacks[:, :0:-1], axis=1)
    numbers: Ints = binomial[np.arange(players - 1), held].sum(axis=1)
    return numbers


def _each(function: Callable[..., int], *columns: Ints) -> Ints:
    """Return what a function gives for each row of some columns, asked once a distinct row."""
    rows, which = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)
    found = np.array([function(*row) for row in rows.tolist()], dtype=np.int64)
    return found[which.reshape(-1)]


@dataclass(frozen=True)
class _Level:
    """The nodes before the bet of one seat.

    Attributes:
        seat: the seat.
        decides: (nodes,) whether it has chips, else one node follows.
        first: (nodes + 1,) where the nodes that follow each begin.
        path: (nodes,) the path of each.
    """

    seat: int
    decides: NDArray[np.bool_]
    first: Ints
    path: Ints


@dataclass(frozen=True)
class _Tree:
    """The bets of the throws of some splits of one total.

    Attributes:
        levels: for seat 1, 2, ...
        split: (nodes of the first level,) the number of the split.
        node_split: by level, (nodes,) the place in ``split`` of each node's.
        paro: (leaves,) the split after a paro.
        tiro: (leaves,) the split after a tiro, the second seat first.
    """

    levels: tuple[_Level, ...]
    split: Ints
    node_split: tuple[Ints, ...]
    paro: Ints
    tiro: Ints


def _tree(rules: Pasa, width: int, numbers: Ints, stacks: Ints) -> _Tree:
    """Return the bets of the throws from some splits.

    Args:
        rules: the rules.
        width: the most legal bets that there can be.
        numbers: (n,) the splits.
        stacks: (n, seats) their stacks, the thrower's not 0.
    """
    seats = stacks.shape[1]
    others = np.count_nonzero(stacks[:, 1:], axis=1)
    split, path = np.arange(len(stacks)), np.zeros(len(stacks), dtype=np.int64)
    bets = np.zeros_like(stacks)
    levels, node_split = [], []
    for seat in range(1, seats):
        own = stacks[split, seat]
        decides = own > 0
        most = _each(
            lambda *row: most_allowed(rules.numbers, *row),
            stacks[split, 0],
            others[split],
            own,
            bets.sum(axis=1),
        )
        legal = [
            legal_bets(rules.numbers.menu, allowed)
            for allowed in range(int(most.max(initial=0)) + 1)
        ]
        counts = np.where(decides, np.array([len(found) for found in legal])[most], 1)
        first = np.concatenate([[0], np.cumsum(counts)])
        levels.append(_Level(seat, decides, first, path))
        node_split.append(split)
        before = np.repeat(np.arange(len(split)), counts)
        place = np.arange(len(before)) - first[before]
        table = np.array([(*found, *[0] * (width - len(found))) for found in legal])
        bet = np.where(decides[before], table[most[before], place], 0)
        path = np.where(decides[before], width * path[before] + 1 + place, path[before])
        split, bets = split[before], bets[before]
        bets[:, seat] = bet
    paid = stacks[split] + bets
    taken = stacks[split] - bets
    total = bets.sum(axis=1)
    taken[:, 0] += total
    paid[:, 0] -= total
    return _Tree(
        tuple(levels),
        numbers,
        tuple(node_split),
        _numbers(taken),
        _numbers(np.roll(paid, -1, axis=1)),
    )


def _equals(own: Floats, first: Ints, tie: float) -> NDArray[np.bool_]:
    """Return (following nodes,) whether each bet is within a tie of the best of its node.

    Args:
        own: (following nodes,) the own share after each.
        first: (nodes + 1,) where those of each node begin.
        tie: what counts as equal.
    """
    best = np.maximum.reduceat(own, first[:-1])
    found: NDArray[np.bool_] = own >= np.repeat(best, np.diff(first)) - tie
    return found


def _smallest(good: NDArray[np.bool_], first: Ints) -> Ints:
    """Return (nodes,) the place among all that follow of the first of the equals of each node."""
    at = np.where(good, np.arange(len(good)), len(good))
    found: Ints = np.minimum.reduceat(at, first[:-1])
    return found


def _leaf_shares(now: Floats, later: Floats, tree: _Tree, first_row: int) -> Floats:
    """Return (leaves, seats) the shares once every bet is made."""
    lost = np.roll(later[first_row + tree.tiro], 1, axis=1)
    shares: Floats = 0.5 * (now[first_row + tree.paro] + lost)
    return shares


@dataclass
class _Found:
    """What the comparison found.

    Attributes:
        states: the states in which somebody bets.
        bets: the nodes at which somebody chooses.
        changed: how many of these have another best bet, or other equals, by the rounded shares.
        nodes: these nodes, each as often as it has equals.
        places: the places of the equals by the exact table.
        largest_cost: the share that the other bets would cost their seat at most.
        residual: by how much shares from the tree are off those of the table at most.
    """

    states: int
    bets: int
    changed: int
    nodes: list[Ints]
    places: list[Ints]
    largest_cost: float = 0.0
    residual: float = 0.0


def compare(
    rules: Pasa,
    table: Table,
    read: Floats,
    tie: float,
    width: int,
    progress: Progress | None = None,
) -> _Found:
    """Return where the best bets by rounded shares are not those of the exact table.

    Args:
        rules: the rules.
        table: the exact table.
        read: (turns, splits, seats) the rounded shares.
        tie: what counts as equal by the rounded shares.
        width: the most legal bets that there can be.
        progress: called with the states done and all states.
    """
    players, chips = table.spec.options["players"], table.spec.options["chips"]
    turns, rows, _ = table.values.shape
    paths = path_count(players, width)
    found = _Found(0, 0, 0, [], [])
    done = 0
    for total in range(least_chips(players, chips), chips + 1):
        stacks = splits(players, total)
        first_row = first_split(players, chips, total)
        final = np.empty((first_row + len(stacks), players))
        final[first_row:] = [win_shares(held) for held in stacks.tolist()]
        alive = np.flatnonzero((stacks[:, 0] > 0) & (stacks.max(axis=1) < total))
        for numbers in _some_at_once(alive, width ** (players - 1)):
            tree = _tree(rules, width, numbers, stacks[numbers])
            found.states += turns * len(numbers)
            found.bets += turns * sum(int(level.decides.sum()) for level in tree.levels)
            for left in range(1, turns + 1):
                exact = _leaf_shares(
                    table.values[left - 1],
                    table.values[left - 2] if left > 1 else final,
                    tree,
                    first_row,
                )
                told = _leaf_shares(
                    read[left - 1], read[left - 2] if left > 1 else final, tree, first_row
                )
                state = (left - 1) * rows + first_row + numbers
                best = _choose(tree, exact, told, tie, state * paths, found)
                gap = np.abs(exact[best] - table.values[left - 1, first_row + numbers])
                found.residual = max(found.residual, float(gap.max()))
            done += turns * len(numbers)
            if progress:
                progress(done, turns * rows)
    return found


def _some_at_once(numbers: Ints, nodes_each: int) -> Iterator[Ints]:
    """Yield the splits in parts whose trees fit in memory."""
    size = max(1, _NODES_AT_ONCE // nodes_each)
    for begin in range(0, len(numbers), size):
        yield numbers[begin : begin + size]


def _choose(
    tree: _Tree, exact: Floats, told: Floats, tie: float, number: Ints, found: _Found
) -> Ints:
    """Return the leaf that the exact table's bets lead to from each split.

    Args:
        tree: the bets.
        exact: (leaves, seats) the shares.
        told: (leaves, seats) the rounded shares.
        tie: what counts as equal by the rounded shares.
        number: (splits,) the node of each before the first bet.
        found: nodes at which the rounded shares have other equals are added.
    """
    leaf = np.arange(len(exact))
    for level, split in zip(reversed(tree.levels), reversed(tree.node_split), strict=True):
        own = exact[leaf, level.seat]
        good = _equals(own, level.first, TIE)
        seen = _equals(told[leaf, level.seat], level.first, tie)
        chosen = _smallest(good, level.first)
        differs = level.decides & np.logical_or.reduceat(good != seen, level.first[:-1])
        if differs.any():
            node = np.repeat(np.arange(len(differs)), np.diff(level.first))
            stored = np.flatnonzero(good & differs[node])
            node = node[stored]
            found.changed += int(np.count_nonzero(differs))
            found.nodes.append(number[split[node]] + level.path[node])
            found.places.append(stored - level.first[node])
            cost = own[chosen] - own[_smallest(seen, level.first)]
            found.largest_cost = max(found.largest_cost, float(cost.max()))
        leaf = leaf[chosen]
    return leaf


def path_count(players: int, width: int) -> int:
    """Return how many paths there are before the last bet."""
    return sum(width**depth for depth in range(players - 1))


def _width(rules: Pasa, chips: int) -> int:
    """Return the most legal bets that there can be."""
    numbers = rules.numbers
    return max(
        len(legal_bets(numbers.menu, most)) for most in range(min(chips, numbers.max_bet) + 1)
    )


def content(options: Mapping[str, Any], folder: Path, progress: Progress | None = None) -> Content:
    """Return the export of one table.

    Raises:
        OptionError: there is no such table.
        TableError: the table is missing or unfit.
        ExportError: rounding it would cost too much, or it is too large to be exported.
    """
    spec = TABLES.spec(options)
    table = open_table(spec, folder)
    key = spec.options
    rules = Pasa(**{option.name: key[option.name] for option in POSITION_OPTIONS})
    players, chips = key["players"], key["chips"]
    width = _width(rules, chips)
    paths = path_count(players, width)
    if table.values.size // players * paths > _LARGEST_NUMBER:
        raise ExportError(f"export: {spec.what}: too many bets to number them in 32 bits")
    packed = rounded(table.values)
    read = packed.values()
    error = float(np.abs(read - table.values).max())
    found = compare(rules, table, read, TIE, width, progress)
    if found.residual > 0 or error >= ALLOWED_ERROR:
        raise ExportError(
            f"export: {spec.what}: shares are off by {max(found.residual, error)}, expected "
            f"less than {ALLOWED_ERROR}"
        )
    nodes = np.concatenate([np.zeros(0, dtype=np.int64), *found.nodes])
    places = np.concatenate([np.zeros(0, dtype=np.int64), *found.places])
    order = np.lexsort((places, nodes))
    return Content(
        options=key,
        facts={
            **table_facts(table, INDEX),
            "in_words": IN_WORDS,
            "option_defaults": read_options(POSITION_OPTIONS, {}),
            "pasa": {
                "turns": table.values.shape[0],
                "splits": table.values.shape[1],
                "least_chips": least_chips(players, chips),
                "width": width,
                "paths": paths,
                "tie": TIE,
            },
        },
        files={
            "values.bin": {
                "values": packed,
                "stored_nodes": Packed(nodes[order].astype("<u4")),
                "stored_bets": Packed(places[order].astype("|u1")),
            }
        },
        reader=("pasa.js", "export.js"),
        levels={"expert": "win_share"},
        proof={
            "states": found.states,
            "bets": found.bets,
            "changed": found.changed,
            "stored": len(nodes),
            "largest_cost_if_not_stored": found.largest_cost,
            "largest_cost": 0,
            "largest_error": error,
            "residual": found.residual,
            "allowed_error": ALLOWED_ERROR,
        },
        vectors=brief(
            vectors(
                CODEC,
                starts(rules, table, VECTORS, VECTORS_SEED),
                OneTableBot(rules, table),
                TableReader(rules, table, read),
                VECTORS,
                VECTORS_SEED,
            )
        ),
    )


# Test vectors.


def starts(rules: Pasa, table: Table, count: int, seed: int) -> list[PasaState]:
    """Return random states of a table before the first bet of a throw.

    Args:
        rules: the rules.
        table: the table.
        count: how many.
        seed: what they are drawn from.
    """
    source = random.Random(seed)
    players, chips = table.spec.options["players"], table.spec.options["chips"]
    found: list[PasaState] = []
    while len(found) < count:
        total = source.randint(least_chips(players, chips), chips)
        cuts = sorted(source.randint(0, total) for _ in range(players - 1))
        stacks = tuple(high - low for low, high in pairwise([0, *cuts, total]))
        turns = source.randint(1, len(table.values))
        state = rules.start(stacks, source.randrange(players), turns)
        if not state.is_over():
            found.append(state)
    return found


class OneTableBot(TableBot):
    """The bot of level expert, playing one table whatever others are built."""

    def __init__(self, rules: Pasa, table: Table) -> None:
        super().__init__(rules, table.path.parent)
        self._one = table

    def _table(self, view: PasaState) -> Table:
        return self._one


class TableReader(Bot[PasaState, int]):
    """Answers as a reader of the export must: the bets of the exact table, rounded shares.

    Args:
        rules: the rules.
        table: the exact table.
        read: (turns, splits, seats) the shares to answer with.
    """

    def __init__(self, rules: Pasa, table: Table, read: Floats) -> None:
        self.rules = rules
        self.table = table
        self.read = replace(table, values=read)

    def choose(self, view: PasaState) -> int:
        """Return the bet of the exact table, the smallest of equals."""
        return self.ask(view).best[0]

    def ask(self, view: PasaState) -> Advice[int]:
        """Return the bets that are best by the exact table, all bets rated, and all shares."""
        seats = len(view.stacks)
        stacks = (*view.stacks[view.thrower :], *view.stacks[: view.thrower])
        exact, read = (
            Betting(self.rules, table, stacks, view.turns_left) for table in (self.table, self.read)
        )
        around = (view.bets[(view.thrower + seat) % seats] for seat in exact.bettors)
        made = tuple(bet for bet in around if bet is not None)

        def best(bets: tuple[int, ...]) -> list[int]:
            seat = exact.bettors[len(bets)]
            own = [shares[seat] for shares in exact.after_each(bets)]
            return rank(exact.legal_bets(bets), own)[0]

        def shares(bets: tuple[int, ...]) -> Shares:
            while len(bets) < len(exact.bettors):
                bets = (*bets, best(bets)[0])
            return read.shares(bets)

        seat, equals = exact.bettors[len(made)], best(made)
        after = {bet: shares((*made, bet)) for bet in exact.legal_bets(made)}
        options = [(bet, found[seat]) for bet, found in after.items()]
        options.sort(key=lambda option: (option[0] not in equals, -option[1]))
        first = after[equals[0]]
        told = [first[(seat - view.thrower) % seats] for seat in range(seats)]
        return Advice(equals, first[seat], "win_share", options, {"win_shares": told})


EXPORTER = Exporter(content, TABLES.defaults)
