"""The proof that rounding the values of a game of dice and a sheet costs next to nothing.

The problem.  An export holds rounded values: what do they cost whoever plays by them?

The algorithm.  The value of every state is computed anew from the rules as arrays and the
exact table, and must be the one that the table holds: so the arrays say what the rules say.
Beside it every choice of every state, on each of the 252 rolls with 0, 1 and 2 rolls left, is
made by the rounded values and rated by the exact ones.  Of choices within 1e-9 the worst
counts.

Shapes.  States stand side by side in lanes; arrays over keeps are (462, n) and over rolls
(252, n).  Gains are (payments + 1, n): what each payment is worth, minus infinity where a box
is not open and in the last row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.errors import ExportError
from ustad.runtime.core.game import TIE
from ustad.runtime.core.work import Progress
from ustad.runtime.games.five_dice.arrays import SheetArrays, States, reachable
from ustad.runtime.games.five_dice.sheet import ROLLS_A_TURN
from ustad.runtime.games.five_dice.turn import DICE, ROLLS, SHRUNK, SIZES, keep_values

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ALLOWED_COST = 0.005
"""Points that a choice by the rounded values may cost."""

_LANES = 256


@dataclass
class Proof:
    """What was measured.

    Attributes:
        states: how many states, those with one future told apart.
        decisions: states x rolls x rolls left; states with one future are one.
        changed: in how many the choice costs more than 1e-9.
        largest_cost: points that a choice costs at most.
        largest_error: by how much a rounded value is off at most.
        residual: by how much the values computed from the arrays are off at most.
    """

    states: int = 0
    decisions: int = 0
    changed: int = 0
    largest_cost: float = 0.0
    largest_error: float = 0.0
    residual: float = 0.0

    def add(self, other: Proof) -> None:
        """Add what was measured elsewhere."""
        self.decisions += other.decisions
        self.changed += other.changed
        self.largest_cost = max(self.largest_cost, other.largest_cost)
        self.residual = max(self.residual, other.residual)


def prove(
    arrays: SheetArrays,
    turns: int,
    exact: Floats,
    read: Floats,
    threads: int,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Return what rounding the values costs, over every choice of every reachable state.

    Args:
        arrays: the game.
        turns: how many turns a game has.
        exact: the values of its table.
        read: the same rounded.
        threads: how many to use.
        progress: called with the states done and all states.

    Raises:
        ExportError: a choice costs too much, or the arrays do not say what the table says.
    """
    states, values = reachable(arrays, turns), Worth(exact, read)
    proof = Proof(states=len(states.open), largest_error=float(np.abs(read - exact).max()))
    states = _one_of_each_future(arrays, states)
    blocks = list(_blocks(arrays, states))
    done = 0
    with ThreadPoolExecutor(threads) as pool:
        for count, found in pool.map(lambda block: _prove_block(arrays, values, *block), blocks):
            proof.add(found)
            done += count
            if progress:
                progress(done, len(states.open))
    if proof.residual > 1e-9:
        raise ExportError(f"export: the arrays are off the table by {proof.residual}")
    if proof.largest_cost >= ALLOWED_COST:
        raise ExportError(
            f"export: a move chosen by the rounded values costs {proof.largest_cost:.6f} points, "
            f"expected less than {ALLOWED_COST}"
        )
    return {**vars(proof), "allowed_cost": ALLOWED_COST, "tie": TIE}


def _one_of_each_future(arrays: SheetArrays, states: States) -> States:
    """Return one state for each index, after checking that those with one index agree.

    Raises:
        ExportError: two states of one index are paid differently or lead apart.
    """
    place = arrays.place(states)
    _, first, which = np.unique(place, return_index=True, return_inverse=True)
    for payment in arrays.payments:
        if not 0 <= payment.box < arrays.counting:
            continue  # neither sum nor bonus changes
        is_open = np.flatnonzero(states.open >> payment.box & 1)
        here, twin = states.at(is_open), states.at(first[which[is_open]])
        after, brings = arrays.after(here, payment)
        other, twin_brings = arrays.after(twin, payment)
        if (brings != twin_brings).any() or (arrays.place(after) != arrays.place(other)).any():
            raise ExportError("export: two sheets share a value that do not share a future")
    return states.at(first)


def _blocks(arrays: SheetArrays, states: States) -> Iterator[tuple[list[Ints], States]]:
    """Yield ways for 0, 1 and 2 rolls left and states for which they hold, some lanes at a time."""
    known, keys = np.unique(arrays.chosen(states), axis=1, return_inverse=True)
    keys = keys.reshape(-1)  # some versions of numpy give it two axes
    order = np.argsort(keys, kind="stable")
    ends = np.searchsorted(keys[order], np.arange(known.shape[1] + 1))
    for number, (begin, end) in enumerate(pairwise(ends.tolist())):
        chosen = known[:, number].tolist()
        ways = [arrays.ways(chosen, rolls_left) for rolls_left in range(ROLLS_A_TURN)]
        for at in range(begin, end, _LANES):
            yield ways, states.at(order[at : min(at + _LANES, end)])


class Worth(NamedTuple):
    """What something is worth: by the exact values, and by the rounded ones."""

    exact: Floats
    read: Floats


@dataclass
class Lanes:
    """The two worths of some choices: by the rounded values, and exactly.

    Attributes:
        read: by the rounded values, the best of them.
        true: what the choice made by the rounded values is worth, the worst of equals.
        best: what the best choice is worth.
    """

    read: Floats
    true: Floats
    best: Floats

    def or_else(self, other: Lanes) -> None:
        """Let there be these choices as well."""
        gap = other.read - self.read
        low = np.minimum(self.true, other.true)
        np.copyto(self.true, other.true, where=gap > TIE)
        np.copyto(self.true, low, where=np.abs(gap, out=gap) <= TIE)
        np.maximum(self.read, other.read, out=self.read)
        np.maximum(self.best, other.best, out=self.best)


def _prove_block(
    arrays: SheetArrays, values: Worth, ways: Sequence[Ints], states: States
) -> tuple[int, Proof]:
    """Return how many states these are, and what was measured on them."""
    with np.errstate(invalid="ignore"):  # infinity less infinity, where nothing is legal
        gains = _gains(arrays, values, states)
        extra = np.zeros((len(ROLLS), 1)) + 0.0 * states.held
        for roll in arrays.extra_rolls:
            extra[roll] = arrays.extra_points * (states.held == arrays.extra_held)
        proof = Proof()
        same = [next(n for n in range(ROLLS_A_TURN) if (ways[n] == way).all()) for way in ways]
        known: dict[int, Lanes] = {}
        rolled = Worth(np.empty(0), np.empty(0))
        for rolls_left, number in enumerate(same):
            if number not in known:
                known[number] = _writes(gains, ways[number], extra)
            found = Lanes(*(held.copy() for held in vars(known[number]).values()))
            if rolls_left:
                found.or_else(_keeps(Worth(*map(keep_values, rolled))))
            cost = found.best - found.true
            proof.decisions += cost.size
            proof.changed += int(np.count_nonzero(cost > TIE))
            proof.largest_cost = max(proof.largest_cost, float(cost.max()))
            rolled = Worth(found.best, found.read)
        start = keep_values(rolled.exact)[0]
        proof.residual = float(np.abs(start - values.exact[arrays.place(states)]).max())
    return len(states.open), proof


def _gains(arrays: SheetArrays, values: Worth, states: States) -> Worth:
    """Return (payments + 1, n) what each payment is worth."""
    shape = (len(arrays.payments) + 1, len(states.open))
    gains = Worth(np.full(shape, -np.inf), np.full(shape, -np.inf))
    for number, payment in enumerate(arrays.payments):
        box = payment.box
        lanes = np.flatnonzero(states.open >> box & 1) if box >= 0 else slice(None)
        after, brings = arrays.after(states.at(lanes), payment)
        place = arrays.place(after)
        gains.exact[number, lanes] = values.exact[place] + brings
        gains.read[number, lanes] = values.read[place] + brings
    return gains


def _writes(gains: Worth, ways: Ints, extra: Floats) -> Lanes:
    """Return (252, n) what writing each roll is worth."""
    ways = ways[:, (gains.exact[ways] > -np.inf).any(axis=(0, 2))]  # boxes that are open somewhere
    true, read = gains.exact[ways], gains.read[ways]
    best_read, best = read.max(axis=1), true.max(axis=1)
    true[read < best_read[:, None] - TIE] = np.inf
    return Lanes(best_read + extra, true.min(axis=1) + extra, best + extra)


def _keeps(kept: Worth) -> Lanes:
    """Return (252, n) what the best keep of zero to four dice of each roll is worth.

    Args:
        kept: (462, n) what each keep is worth.
    """
    true, read = kept
    below = Lanes(read[:1].copy(), true[:1].copy(), true[:1].copy())
    for size in range(1, DICE + 1):
        start = SIZES[size - 1].start
        places = SHRUNK[size - 1] - start
        first, *others = (Lanes(below.read[at], below.true[at], below.best[at]) for at in places)
        if size < DICE:
            own = true[SIZES[size]]
            others.append(Lanes(read[SIZES[size]], own, own))
        for other in others:
            first.or_else(other)
        below = first
    return below
