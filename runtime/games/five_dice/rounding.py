"""What rounding the values of a game of dice and a sheet costs, proven over every choice.

The problem.  An export holds rounded values.  How much does a reader lose that chooses by
them, and do its arrays say what the rules say?

The algorithm.  The value of every state is computed anew from the arrays and the exact table,
and must be the one that the table holds: so the arrays say what the rules say.  Beside it
every choice of every state, on each of the 252 rolls with 0, 1 and 2 rolls left, is made by
the rounded values and rated by the exact ones.  Of choices within 1e-9 the worst counts.

Shapes.  States stand side by side in lanes; arrays over keeps are (462, n) and over rolls
(252, n).  Gains are (payments + 1, n): what each payment is worth in each state, minus
infinity where a box is not open and in the last row, which stands for what is not legal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
from ustad.runtime.games.five_dice.turn import (
    DICE,
    FIRST_ROLL,
    ROLLS,
    SHRUNK,
    SIZES,
    keep_values,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ALLOWED_COST = 0.005
"""Points that a choice by the rounded values may cost."""

_ALLOWED_ERROR = 1e-9
"""By how much a value computed from the arrays may be off."""

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


class Values(NamedTuple):
    """Something by the exact values, and by the rounded ones that a reader has."""

    exact: Floats
    read: Floats

    def map(self, function: Callable[[Floats], Floats]) -> Values:
        """Return what a function makes of both."""
        return Values(function(self.exact), function(self.read))


class Block(NamedTuple):
    """States side by side, and the payments of rolls with 0, 1 and 2 rolls left in them."""

    roll_payments: list[Ints]
    states: States


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
    states = reachable(arrays, turns)
    values = Values(exact, read)
    proof = Proof(len(states.open), largest_error=float(np.abs(read - exact).max()))
    states = _one_of_each_future(arrays, states)
    done = 0
    with ThreadPoolExecutor(threads) as pool:
        blocks = list(_blocks(arrays, states))
        proofs = pool.map(lambda block: _prove_block(arrays, values, block), blocks)
        for block, found in zip(blocks, proofs, strict=True):
            proof.add(found)
            done += len(block.states.open)
            if progress:
                progress(done, len(states.open))
    if proof.residual > _ALLOWED_ERROR:
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
    for box, points in arrays.payments.by_pair():
        if box >= arrays.counting:
            continue  # neither sum nor bonus changes
        is_open = np.flatnonzero(states.open >> box & 1)
        here, twin = states.at(is_open), states.at(first[which[is_open]])
        after, brings = arrays.after(here, box, points)
        other, twin_brings = arrays.after(twin, box, points)
        if (brings != twin_brings).any() or (arrays.place(after) != arrays.place(other)).any():
            raise ExportError("export: two sheets share a value that do not share a future")
    return states.at(first)


def _blocks(arrays: SheetArrays, states: States) -> Iterator[Block]:
    """Yield states in which the same may be written, some lanes at a time."""
    known, keys = np.unique(arrays.chosen(states), axis=1, return_inverse=True)
    keys = keys.reshape(-1)  # some versions of numpy give it two axes
    order = np.argsort(keys, kind="stable")
    ends = np.searchsorted(keys[order], np.arange(known.shape[1] + 1))
    for number, (begin, end) in enumerate(pairwise(ends.tolist())):
        chosen = known[:, number].tolist()
        roll_payments = [arrays.roll_payments(chosen, left) for left in range(ROLLS_A_TURN)]
        for at in range(begin, end, _LANES):
            yield Block(roll_payments, states.at(order[at : min(at + _LANES, end)]))


@dataclass
class Choices:
    """What some choices are worth: the best by the rounded values, and exactly.

    Attributes:
        read: by the rounded values, the best of them.
        true: what the choice made by the rounded values is worth, the worst of equals.
        best: what the best choice is worth.
    """

    read: Floats
    true: Floats
    best: Floats

    def copy(self) -> Choices:
        """Return the same, to be changed."""
        return Choices(self.read.copy(), self.true.copy(), self.best.copy())

    def at(self, rows: Ints) -> Choices:
        """Return some rows."""
        return Choices(self.read[rows], self.true[rows], self.best[rows])

    def or_else(self, other: Choices) -> None:
        """Let there be these choices as well."""
        gap = other.read - self.read
        low = np.minimum(self.true, other.true)
        np.copyto(self.true, other.true, where=gap > TIE)
        np.copyto(self.true, low, where=np.abs(gap, out=gap) <= TIE)
        np.maximum(self.read, other.read, out=self.read)
        np.maximum(self.best, other.best, out=self.best)


def _prove_block(arrays: SheetArrays, values: Values, block: Block) -> Proof:
    """Return what was measured on a block of states."""
    states = block.states
    with np.errstate(invalid="ignore"):  # infinity less infinity, where nothing is legal
        gains = _gains(arrays, values, states)
        extra = np.zeros((len(ROLLS), 1)) + 0.0 * states.held
        for roll in arrays.extra_rolls:
            extra[roll] = arrays.extra_points * (states.held == arrays.extra_held)
        proof = Proof()
        written: list[Choices] = []
        rolled = Values(np.empty(0), np.empty(0))
        for rolls_left, payments in enumerate(block.roll_payments):
            same = next(
                n for n in range(ROLLS_A_TURN) if (block.roll_payments[n] == payments).all()
            )
            writes = written[same] if same < rolls_left else _writes(gains, payments, extra)
            written.append(writes)
            choices = writes.copy()
            if rolls_left:
                choices.or_else(_keeps(rolled.map(keep_values)))
            cost = choices.best - choices.true
            proof.decisions += cost.size
            proof.changed += int(np.count_nonzero(cost > TIE))
            proof.largest_cost = max(proof.largest_cost, float(cost.max()))
            rolled = Values(choices.best, choices.read)
        start = keep_values(rolled.exact)[0]
        proof.residual = float(np.abs(start - values.exact[arrays.place(states)]).max())
    return proof


def _gains(arrays: SheetArrays, values: Values, states: States) -> Values:
    """Return (payments + 1, n) what each payment is worth."""
    shape = (arrays.payments.illegal + 1, len(states.open))
    gains = Values(np.full(shape, -np.inf), np.full(shape, -np.inf))
    for number, (box, points) in enumerate(arrays.payments.by_pair()):
        may = (states.open | 1 << arrays.pass_box) >> box & 1
        lanes = np.flatnonzero(may)
        after, brings = arrays.after(states.at(lanes), box, points)
        place = arrays.place(after)
        gains.exact[number, lanes] = values.exact[place] + brings
        gains.read[number, lanes] = values.read[place] + brings
    return gains


def _writes(gains: Values, payments: Ints, extra: Floats) -> Choices:
    """Return (252, n) what writing each roll is worth.

    Args:
        gains: from :func:`_gains`.
        payments: (252, boxes + 1) those of each roll.
        extra: (252, n) what each roll brings on top.
    """
    used: NDArray[np.bool_] = np.any(gains.exact[payments] > -np.inf, axis=(0, 2))
    used[-1] |= not used.any()  # where nothing may be written yet, an illegal pass stands for all
    true, read = gains.map(lambda of: of[payments[:, used]])
    best_read, best = read.max(axis=1), true.max(axis=1)
    true[read < best_read[:, None] - TIE] = np.inf
    return Choices(best_read + extra, true.min(axis=1) + extra, best + extra)


def _keeps(keeps: Values) -> Choices:
    """Return (252, n) what the best keep of zero to four dice of each roll is worth.

    Args:
        keeps: (462, n) what each keep is worth.
    """
    own = Choices(keeps.read, keeps.exact, keeps.exact)
    numbers = np.arange(FIRST_ROLL)
    below = own.at(numbers[SIZES[0]])
    for size in range(1, DICE + 1):
        first, *others = (below.at(less) for less in SHRUNK[size - 1] - SIZES[size - 1].start)
        if size < DICE:
            others.append(own.at(numbers[SIZES[size]]))
        for other in others:
            first.or_else(other)
        below = first
    return below
