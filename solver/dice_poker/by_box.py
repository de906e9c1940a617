"""Where dice poker's points come from: what each row and the school bonus bring, for every state.

The problem.  The value of a state is a sum: the points expected of every open row and of the
school bonus, under the play that maximises the sum.  What are the terms?

The algorithm.  Backwards by the number of turns left.  Level expert is asked for its choices on
every roll of many states at once; the chances of the payments follow from them
(:mod:`ustad.solver.dice_poker.policy`), and

    T(s) = sum over payments of P(payment) (T(state after it) + its points, where they fall).

Shapes.  (states, sources) float64, the sources being the rows in the order of the sheet, then
:data:`BONUS_SOURCE`.  The rows of the array add up to the values.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.work import Progress
from ustad.runtime.games.dice_poker.levels import TableBot, roll_payments
from ustad.runtime.games.dice_poker.rules import (
    SCHOOL_ROWS,
    DicePoker,
    State,
    bonus_points,
)
from ustad.runtime.games.dice_poker.states import columns, state_number
from ustad.runtime.games.dice_poker.tables import BONUS_SOURCE, SOURCES, TABLES
from ustad.solver.dice_poker.policy import payment_chances
from ustad.solver.dice_poker.values import layers
from ustad.solver.five_dice.layers import Layer
from ustad.tables import Table

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_SIDE_BY_SIDE = 256


def solve(rules: DicePoker, values: Floats, progress: Progress | None = None) -> Floats:
    """Return (states, sources) what each source brings from every state on.

    Args:
        rules: the rules.
        values: (states,) what the states are worth.
        progress: called after each layer with the states done and all states.
    """
    bot = TableBot(rules, Table(TABLES.spec(rules.options), Path(), values, {}, {}, 0.0, 0))
    found = np.zeros((len(values), len(SOURCES)))
    every = layers(rules.numbers)
    done, all_states = 0, sum(layer.states for layer in every)
    upper = columns(rules.numbers.school_threshold).upper
    for layer in every:
        for numbers, states in _batches(layer, upper):
            found[numbers] = _rows(bot, found, states)
        done += layer.states
        if progress:
            progress(done, all_states)
    return found


def _batches(layer: Layer, upper: Ints) -> Iterator[tuple[Ints, list[State]]]:
    """Yield the states of a layer, many at a time, with their indices."""
    pieces = layer.pieces
    sizes = pieces["end"] - pieces["begin"]
    within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    numbers = np.repeat(pieces["state"], sizes) + within
    subtotals = upper[np.repeat(pieces["begin"], sizes) + within]
    each = zip(
        np.repeat(pieces["open_rows"], sizes).tolist(),
        np.repeat(pieces["kind"], sizes).tolist(),
        subtotals.tolist(),
        strict=True,
    )
    states = [State(*state) for state in each]
    for begin in range(0, len(states), _SIDE_BY_SIDE):
        part = slice(begin, begin + _SIDE_BY_SIDE)
        yield numbers[part], states[part]


def _rows(bot: TableBot, found: Floats, states: list[State]) -> Floats:
    """Return (n, sources) the rows of states, those with fewer turns left being found."""
    numbers = bot.numbers
    chances = payment_chances(numbers, bot.key_choices(states))
    box, points = roll_payments(numbers).all
    open_rows, turns_left, subtotal = (field[:, None] for field in np.array(states).T)
    made = chances > 0  # the others lead to no state: any will do, they count nothing
    left = open_rows & ~(made << box)
    after = subtotal + points * (made & (box < SCHOOL_ROWS))
    known = columns(numbers.school_threshold)
    reached = state_number(numbers, known.column, known.count, left, turns_left - 1, after)
    rows: Floats = np.einsum("np,nps->ns", chances, found[reached])
    for row in range(BONUS_SOURCE):
        rows[:, row] += chances[:, box == row] @ points[box == row]
    bonus = bonus_points(numbers, box, left, after)
    rows[:, BONUS_SOURCE] += (chances * bonus).sum(axis=1)
    return rows
