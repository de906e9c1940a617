"""Yacht's outlooks: the score distribution of every state.

The problem.  Who plays to win must know more than what a sheet is worth on
average.  The *score distribution* of a state at the start of a turn is that of
the points still to come under the play that maximises their mean.

The algorithm.  Backwards by the number of open boxes, as :mod:`ustad.solver.yacht.values`
goes for the mean.  The turn is solved with the known values and its choices are
kept; the chance of the first roll is then sent forward through these choices, which
gives the chance of each write, and

    D(s) = sum over writes of P(write) D(state after it), shifted by its points.

Choices within ``TIE`` go to the first, as the bot of level hard plays: these are the
distributions of that very bot.

Shapes.  Distributions are in lattice form, see :class:`Lattice`; upper sums with one
future share one row.  Chances at the edges of a row that together stay below
``NEGLIGIBLE`` go to the nearest point kept.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.game import TIE
from ustad.runtime.core.kernels import compiled
from ustad.runtime.core.work import Progress
from ustad.runtime.games.yacht import kernels, states, tables
from ustad.runtime.games.yacht.distributions import SPAN, LatticeDistributions
from ustad.runtime.games.yacht.levels import PAYMENTS, ROLL_PAYMENT
from ustad.runtime.games.yacht.rules import State
from ustad.solver.five_dice.layers import Pieces, solve_layers
from ustad.solver.five_dice.turn import ROLL_COUNT, WIDTH, Play, fill_ended, new_play
from ustad.solver.yacht.values import (
    BOX_COUNT,
    FIVE_EQUAL_ROLLS,
    ROLL_COUNTS,
    Problem,
    Sheets,
    finished_states,
    gains,
    layers,
    problem_of,
    state_after,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NEGLIGIBLE = 1e-15

PAYMENT_COUNT = len(PAYMENTS.box)
IS_FIVE_EQUAL = np.isin(np.arange(ROLL_COUNT), FIVE_EQUAL_ROLLS)


class Lattice(NamedTuple):
    """Score distributions in lattice form.

    Attributes:
        start: (states + 1,) where the row of each state begins.
        chance: (entries,) row after row the chance of 0, 1, 2, ... points, at most to
            ``SPAN`` - 1.
        tail: (states,) the chance of more points than the row has.
        tail_points: (states,) the mean of these.
    """

    start: Ints
    chance: Floats
    tail: Floats
    tail_points: Floats


class _Found(NamedTuple):
    """What is being found, state by state: a :class:`Lattice` and more.

    Attributes:
        start: as there.
        chance: as there.
        tail: as there.
        tail_points: the sum of chance times points.
        bonus: (states,) the chance of the upper bonus.
        first: (states,) the least points that can come.
        end: (states,) one more than the most.
    """

    start: Ints
    chance: Floats
    tail: Floats
    tail_points: Floats
    bonus: Floats
    first: Ints
    end: Ints


class Payment(NamedTuple):
    """A write: the box, the points that it puts there, and those of a further yacht."""

    box: int
    points: int
    extra: int


@compiled
def five_equal_payment(second_yacht: int, state: State, box: int, roll: int) -> Payment:
    """Return what writing five equal dice pays; its points are -1 where it is not legal."""
    counts = ROLL_COUNTS[roll]
    points = kernels.write_points(second_yacht, state.open_boxes, box, counts)
    return Payment(box, points, kernels.extra_points(second_yacht, state.held, counts))


@compiled
def _payment_made(second_yacht: int, open_boxes: int, box: int, roll: int) -> int:
    """Return the number of the payment that a roll makes in a box, -1 where it is not legal."""
    if not open_boxes >> box & 1:
        return -1
    payment = ROLL_PAYMENT[roll, box]
    if IS_FIVE_EQUAL[roll]:
        points = kernels.write_points(second_yacht, open_boxes, box, ROLL_COUNTS[roll])
        if points < 0:
            return -1
        while PAYMENTS.box[payment] == box and PAYMENTS.points[payment] < points:
            payment += 1
    return int(payment)


@compiled
def fill_writes(
    problem: Problem, values: Floats, sheets: Sheets, gain: Floats, stop: Floats, box_of: Floats
) -> None:
    """Fill what the best write of each roll is worth and its box, at each of n upper sums.

    Args:
        problem: the rules.
        values: what the states are worth.
        sheets: the sheets.
        gain: (payments, WIDTH) scratch space.
        stop: (252, n) filled with the values.
        box_of: (252, n) filled with the first box within TIE of the best.
    """
    second_yacht, open_boxes, size = problem.second_yacht, sheets.open_boxes, len(sheets.upper)
    for payment in range(PAYMENT_COUNT):
        box, points = PAYMENTS.box[payment], PAYMENTS.points[payment]
        if open_boxes >> box & 1:
            gains(problem, values, sheets, box, points, gain[payment])
    for roll in range(ROLL_COUNT):
        best, chosen = stop[roll], box_of[roll]
        best[:] = -np.inf
        for box in range(BOX_COUNT):
            payment = _payment_made(second_yacht, open_boxes, box, roll)
            if payment >= 0:
                row = gain[payment]
                for c in range(size):
                    best[c] = max(best[c], row[c])
        for box in range(BOX_COUNT - 1, -1, -1):
            payment = _payment_made(second_yacht, open_boxes, box, roll)
            if payment >= 0:
                row = gain[payment]
                for c in range(size):
                    if row[c] >= best[c] - TIE:
                        chosen[c] = box
        if IS_FIVE_EQUAL[roll]:
            extra = kernels.extra_points(second_yacht, sheets.held, ROLL_COUNTS[roll])
            for c in range(size):
                best[c] += extra


@compiled
def fill_written(ended: Floats, box_of: Floats, written: Floats) -> None:
    """Fill ``written`` (payments,) with the chance of each, five equal dice left out.

    Args:
        ended: (252,) the chance that a turn stops on each roll.
        box_of: (252,) the box then written.
        written: filled.
    """
    written[:] = 0.0
    for roll in range(ROLL_COUNT):
        if not IS_FIVE_EQUAL[roll]:
            written[ROLL_PAYMENT[roll, int(box_of[roll])]] += ended[roll]


@compiled
def _trim(found: _Found, state: int) -> None:
    """Move chances at the edges of a row that do not matter to the nearest point kept."""
    row = found.chance[found.start[state] : found.start[state + 1]]
    begin, end = min(found.first[state], len(row) - 1), found.end[state]
    lost = 0.0
    while begin + 1 < end and lost + row[begin] < NEGLIGIBLE:
        lost += row[begin]
        row[begin] = 0.0
        begin += 1
    row[begin] += lost
    lost = 0.0
    while end - 1 > begin and lost + row[end - 1] < NEGLIGIBLE:
        end -= 1
        lost += row[end]
        row[end] = 0.0
    row[end - 1] += lost
    found.first[state], found.end[state] = begin, end


@compiled
def _add_payment(
    problem: Problem, found: _Found, state: State, place: int, payment: Payment, weight: float
) -> None:
    """Add to the distribution of a state that of the state after a payment, shifted by it.

    Args:
        problem: the rules.
        found: the states with fewer open boxes filled in.
        state: the state before the payment.
        place: its index.
        payment: what is written.
        weight: the chance of the payment.
    """
    start, chance, tail, tail_points, bonus, first, ends = found
    after = state_after(problem, state, payment.box, payment.points)
    reward = kernels.upper_points(payment.box, payment.points, state.upper)
    bonus[place] += weight * (1.0 if reward > payment.points else bonus[after])
    points = reward + payment.extra
    target = chance[start[place] : start[place + 1]]
    source = chance[start[after] : start[after + 1]]
    begin, end = first[after], ends[after]
    middle = max(begin, min(end, len(target) - points))
    shifted, given = target[begin + points : middle + points], source[begin:middle]
    for x in range(len(given)):
        shifted[x] += weight * given[x]
    beyond = 0.0
    beyond_points = 0.0
    for x in range(middle, end):
        beyond += source[x]
        beyond_points += source[x] * (x + points)
    tail[place] += weight * (beyond + tail[after])
    tail_points[place] += weight * (beyond_points + tail_points[after] + tail[after] * points)
    first[place] = min(first[place], begin + points)
    ends[place] = max(ends[place], middle + points)


@compiled
def _fill_row(
    problem: Problem,
    found: _Found,
    state: State,
    place: int,
    ended: Floats,
    box_of: Floats,
    written: Floats,
) -> None:
    """Fill the distribution of one state.

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
    found.first[place], found.end[place] = SPAN, 0
    for number in range(PAYMENT_COUNT):
        if written[number] > 0.0:
            payment = Payment(PAYMENTS.box[number], PAYMENTS.points[number], 0)
            _add_payment(problem, found, state, place, payment, written[number])
    for roll in FIVE_EQUAL_ROLLS:
        if ended[roll] > 0.0:
            box = int(box_of[roll])
            payment = five_equal_payment(problem.second_yacht, state, box, roll)
            _add_payment(problem, found, state, place, payment, ended[roll])
    _trim(found, place)


@compiled
def fill_turns(
    problem: Problem,
    values: Floats,
    upper: Ints,
    together: Pieces,
    gain: Floats,
    play: Play,
    box_of: Floats,
) -> None:
    """Solve the turns of the states of one block, and find on which rolls they stop.

    Args:
        problem: the rules.
        values: (states,) what the states are worth.
        upper: (columns,) the upper sum of each column.
        together: the pieces of the block.
        gain: (payments, WIDTH) scratch space.
        play: the turns, a lane for each state; filled.
        box_of: (252, WIDTH) filled with the box that is written on each roll.
    """
    for piece in together:
        sheets = Sheets(piece.open_rows, piece.kind, upper[piece.begin : piece.end])
        lanes = slice(piece.lane, piece.lane + piece.end - piece.begin)
        fill_writes(problem, values, sheets, gain, play.stop[:, lanes], box_of[:, lanes])
    fill_ended(play)


@compiled
def _solve_blocks(
    problem: Problem,
    upper: Ints,
    values: Floats,
    found: _Found,
    pieces: Pieces,
    first_piece: Ints,
) -> None:
    """Find the distributions of blocks of states, those of the layers below being known."""
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
) -> tuple[LatticeDistributions, Floats]:
    """Return the distribution of every state, and (states,) the chance of the upper bonus.

    Args:
        second_yacht: FORCED_JOKER, PLAIN or FREE_JOKER of the rules.
        values: (states,) what the states are worth, from :func:`ustad.solver.yacht.values.solve`.
        progress: called after each layer with the states done and all states.
        threads: how many to use, all cores by default; the chances do not depend on it.
        most_open: leave out states with more open boxes; their rows are empty.
    """
    start = tables.row_starts(second_yacht)
    chance = np.zeros(start[-1])
    tail, tail_points, bonus = np.zeros((3, len(values)))
    first, end = np.zeros((2, len(values)), dtype=np.int64)
    finished = finished_states(second_yacht)
    chance[start[finished]] = 1.0
    end[finished] = 1
    found = _Found(start, chance, tail, tail_points, bonus, first, end)
    upper = states.columns().upper
    solve_blocks = partial(_solve_blocks, problem_of(second_yacht), upper, values, found)
    solve_layers(layers(second_yacht)[:most_open], solve_blocks, progress, threads)
    means = np.divide(tail_points, tail, out=np.zeros(len(tail)), where=tail > 0)
    widths = tables.widths(second_yacht)
    return LatticeDistributions(chance, widths, states.section(), tail, means), bonus
