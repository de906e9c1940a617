"""Where yacht's points come from: what each box, the bonus and extra yachts bring, for every state.

The problem.  The value of a state is a sum: the points expected of every open box, of the
upper bonus, and of extra yachts, under the play that maximises the sum.  What are the terms?

The algorithm.  Backwards by the number of open boxes.  The turn is solved with the known values,
and the chance of each write found, as :mod:`ustad.solver.yacht.outlooks` does it; then

    T(s) = sum over writes of P(write) (T(state after it) + its points, where they fall).

Choices within ``TIE`` go to the first, as the bot of level hard plays.

Shapes.  (states, sources) float64, the sources being the boxes in the order of the sheet, then
:data:`BONUS_SOURCE` and :data:`EXTRA_SOURCE`.  The rows add up to the values.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.kernels import compiled
from ustad.runtime.core.work import Progress
from ustad.runtime.games.yacht import kernels, states
from ustad.runtime.games.yacht.levels import PAYMENTS
from ustad.runtime.games.yacht.rules import State
from ustad.runtime.games.yacht.tables import BONUS_SOURCE, EXTRA_SOURCE, SOURCES
from ustad.solver.five_dice.layers import Pieces, solve_layers
from ustad.solver.five_dice.turn import ROLL_COUNT, WIDTH, new_play
from ustad.solver.yacht.outlooks import (
    PAYMENT_COUNT,
    Payment,
    fill_turns,
    fill_written,
    five_equal_payment,
)
from ustad.solver.yacht.values import (
    BOX_COUNT,
    FIVE_EQUAL_ROLLS,
    Problem,
    layers,
    problem_of,
    state_after,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@compiled
def _add_payment(
    problem: Problem, found: Floats, state: State, place: int, payment: Payment, weight: float
) -> None:
    """Add to the row of a state that of the state after a payment, and the points of this one.

    Args:
        problem: the rules.
        found: the rows, those of the states with fewer open boxes filled in.
        state: the state before the payment.
        place: its index.
        payment: what is written.
        weight: the chance of the payment.
    """
    row = found[place]
    after = found[state_after(problem, state, payment.box, payment.points)]
    for source in range(len(row)):
        row[source] += weight * after[source]
    paid = kernels.upper_points(payment.box, payment.points, state.upper)
    row[payment.box] += weight * payment.points
    row[BONUS_SOURCE] += weight * (paid - payment.points)
    row[EXTRA_SOURCE] += weight * payment.extra


@compiled
def _fill_row(
    problem: Problem,
    found: Floats,
    state: State,
    place: int,
    ended: Floats,
    box_of: Floats,
    written: Floats,
) -> None:
    """Fill the row of one state.

    Args:
        problem: the rules.
        found: filled at the state's index.
        state: the state.
        place: its index.
        ended: (252,) the chance that its turn stops on each roll.
        box_of: (252,) the box then written.
        written: (payments,) scratch space.
    """
    fill_written(ended, box_of, written)
    for number in range(PAYMENT_COUNT):
        if written[number] > 0.0:
            payment = Payment(PAYMENTS.box[number], PAYMENTS.points[number], 0)
            _add_payment(problem, found, state, place, payment, written[number])
    for roll in FIVE_EQUAL_ROLLS:
        if ended[roll] > 0.0:
            box = int(box_of[roll])
            payment = five_equal_payment(problem.second_yacht, state, box, roll)
            _add_payment(problem, found, state, place, payment, ended[roll])


@compiled
def _solve_blocks(
    problem: Problem,
    upper: Ints,
    values: Floats,
    found: Floats,
    pieces: Pieces,
    first_piece: Ints,
) -> None:
    """Fill the rows of blocks of states, those of the layers below being known."""
    play = new_play()
    box_of = np.zeros((ROLL_COUNT, WIDTH))
    gain = np.zeros((PAYMENT_COUNT, WIDTH))
    written = np.zeros(PAYMENT_COUNT)
    for block in range(len(first_piece) - 1):
        together = pieces[first_piece[block] : first_piece[block + 1]]
        fill_turns(problem, values, upper, together, gain, play, box_of)
        for piece in together:
            for c in range(piece.end - piece.begin):
                state = State(piece.open_rows, piece.kind, upper[piece.begin + c])
                ended, boxes = play.ended[:, piece.lane + c], box_of[:, piece.lane + c]
                _fill_row(problem, found, state, piece.state + c, ended, boxes, written)


def solve(
    second_yacht: int,
    values: Floats,
    progress: Progress | None = None,
    threads: int | None = None,
    most_open: int = BOX_COUNT,
) -> Floats:
    """Return (states, sources) what each source brings from every state on.

    Args:
        second_yacht: FORCED_JOKER, PLAIN or FREE_JOKER of the rules.
        values: (states,) what the states are worth, from :func:`ustad.solver.yacht.values.solve`.
        progress: called after each layer with the states done and all states.
        threads: how many to use, all cores by default; the numbers do not depend on it.
        most_open: leave out states with more open boxes; their rows are 0.
    """
    found = np.zeros((len(values), len(SOURCES)))
    upper = states.columns().upper
    solve_blocks = partial(_solve_blocks, problem_of(second_yacht), upper, values, found)
    solve_layers(layers(second_yacht)[:most_open], solve_blocks, progress, threads)
    return found
