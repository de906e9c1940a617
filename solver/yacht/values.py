"""Yacht solved: the expected points still to come, for every state at the start of a turn.

The problem.  A sheet is a solitaire game: what the others do changes neither my
dice nor my boxes.  The value of a state is the expected points still to come
(boxes, the upper bonus when it is earned, extra yachts) under the play that
maximises them:

    V(s) = E[ max over keeps and writes of the turn ],
    a write of p points into box b being worth  p + bonus + extra + V(s after it).

The algorithm.  Backwards by the number of open boxes: all states with k open
boxes need only those with k - 1.  Within a layer nothing depends on anything
else; :mod:`ustad.solver.five_dice.layers` packs its states into blocks, which
:mod:`ustad.solver.five_dice.turn` solves.

What stopping is worth on each roll is filled in three steps (``_fill_stops``):
every roll starts from the best box that takes 0; then each open box raises the
rolls that it pays for, all rolls with the same points at once; last the six
rolls of five equal dice are done over one by one, since only they can be
jokers.

Shapes.  Values are float64, indexed as :mod:`ustad.runtime.games.yacht.states` numbers
the states: 314,880 values stand for the 536,448 reachable states under
``bonus_and_joker``, the finished sheets (worth 0) among them.

Source.  The layers by open boxes are J. Glenn's (2006) and T. Verhoeff's (1999);
merging upper sums with one future is ours.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.kernels import compiled
from ustad.runtime.core.work import Progress
from ustad.runtime.games.five_dice import turn as dice
from ustad.runtime.games.yacht import kernels, states
from ustad.runtime.games.yacht import rules as yacht
from ustad.runtime.games.yacht.levels import FIVE_EQUAL, PLAIN_POINTS
from ustad.runtime.games.yacht.rules import State
from ustad.runtime.games.yacht.states import LOWER_SETS
from ustad.solver.five_dice.layers import Group, Layer, Pieces, packed, solve_layers, store_starts
from ustad.solver.five_dice.paying import Paying, paying, raise_group, raise_to
from ustad.solver.five_dice.turn import KEEP_COUNT, ROLL_COUNT, WIDTH, solve_turns

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ROLL_COUNTS = dice.COUNTS[dice.FIRST_ROLL :]
BOX_COUNT = len(yacht.BOXES)
FIVE_EQUAL_ROLLS = np.array(FIVE_EQUAL)


class Problem(NamedTuple):
    """What the compiled code needs to know of the rules.

    Attributes:
        second_yacht: the setting.
        column: :attr:`Columns.column`.
        columns: how many columns there are.
    """

    second_yacht: int
    column: Ints
    columns: int


class Sheets(NamedTuple):
    """States side by side that differ in the upper sum (n,) alone."""

    open_boxes: int
    held: int
    upper: Ints


def problem_of(second_yacht: int) -> Problem:
    """Return the problem of a setting."""
    known = states.columns()
    return Problem(second_yacht, known.column, known.count)


def paying_rolls() -> Paying:
    """Return the rolls that pay more than 0, nothing being a joker."""
    return paying(PLAIN_POINTS, PLAIN_POINTS != 0)


@compiled
def state_number(problem: Problem, state: State) -> int:
    """Return the index of a state."""
    return int(
        kernels.state_number(
            problem.column, problem.columns, state.open_boxes, state.held, state.upper
        )
    )


@compiled
def state_after(problem: Problem, state: State, box: int, points: int) -> int:
    """Return the index of the state after points were written into a box."""
    after = State(
        state.open_boxes & ~(1 << box),
        kernels.yacht_after(problem.second_yacht, state.held, box, points),
        kernels.upper_after(box, points, state.upper),
    )
    return state_number(problem, after)


@compiled
def gains(
    problem: Problem, values: Floats, sheets: Sheets, box: int, points: int, gain: Floats
) -> None:
    """Fill ``gain`` with what writing ``points`` into a box is worth at each upper sum."""
    second_yacht, column, columns = problem
    open_boxes, held_before, upper = sheets
    left = open_boxes & ~(1 << box)
    held = kernels.yacht_after(second_yacht, held_before, box, points)
    for c in range(len(upper)):
        after = kernels.upper_after(box, points, upper[c])
        state = kernels.state_number(column, columns, left, held, after)
        gain[c] = values[state] + kernels.upper_points(box, points, upper[c])


@compiled
def _fill_stops(
    problem: Problem, paying: Paying, values: Floats, sheets: Sheets, stop: Floats
) -> None:
    """Fill ``stop`` (252, n) with the best write of each roll at each of n upper sums."""
    _start_from_zeros(problem, values, sheets, stop)
    _raise_paying(problem, paying, values, sheets, stop)
    _fill_five_equal(problem, values, sheets, stop)


@compiled
def _start_from_zeros(problem: Problem, values: Floats, sheets: Sheets, stop: Floats) -> None:
    """Fill every roll with what the best open box is worth that takes 0."""
    gain = np.empty(len(sheets.upper))
    best = np.full(len(sheets.upper), -np.inf)
    for box in range(BOX_COUNT):
        if sheets.open_boxes >> box & 1:
            gains(problem, values, sheets, box, 0, gain)
            raise_to(best, gain)
    for roll in range(ROLL_COUNT):
        for c in range(len(best)):
            stop[roll, c] = best[c]


@compiled
def _raise_paying(
    problem: Problem, paying: Paying, values: Floats, sheets: Sheets, stop: Floats
) -> None:
    """Raise the rolls that an open box pays for to what writing them there is worth."""
    gain = np.empty(len(sheets.upper))
    after = np.empty(len(sheets.upper))
    for box in range(BOX_COUNT):
        if not sheets.open_boxes >> box & 1:
            continue
        gains(problem, values, sheets, box, 0, after)
        for group in range(paying.first_group[box], paying.first_group[box + 1]):
            points = paying.points[group]
            if box < yacht.UPPER_BOXES or box == yacht.YACHT:
                gains(problem, values, sheets, box, points, gain)
            else:  # what comes after does not depend on the points
                for c in range(len(gain)):
                    gain[c] = after[c] + points
            raise_group(paying, group, gain, stop)


@compiled
def _fill_five_equal(problem: Problem, values: Floats, sheets: Sheets, stop: Floats) -> None:
    """Fill what the best write of five equal dice is worth, which may be a joker."""
    gain = np.empty(len(sheets.upper))
    for roll in FIVE_EQUAL_ROLLS:
        best, counts = stop[roll], ROLL_COUNTS[roll]
        best[:] = -np.inf
        for box in range(BOX_COUNT):
            points = kernels.write_points(problem.second_yacht, sheets.open_boxes, box, counts)
            if points >= 0:
                gains(problem, values, sheets, box, points, gain)
                raise_to(best, gain)
        extra = kernels.extra_points(problem.second_yacht, sheets.held, counts)
        for c in range(len(best)):
            best[c] += extra


@compiled
def _solve_blocks(
    problem: Problem,
    upper: Ints,
    paying: Paying,
    values: Floats,
    pieces: Pieces,
    first_piece: Ints,
) -> None:
    """Solve blocks of states, writing their values.

    Args:
        problem: the rules.
        upper: :attr:`Columns.upper`.
        paying: the rolls that pay.
        values: the values, those of the layers below filled in.
        pieces: see :mod:`ustad.solver.five_dice.layers`; the kind is what the yacht box holds.
        first_piece: (blocks + 1,) the pieces of each block.
    """
    stop = np.zeros((ROLL_COUNT, WIDTH))
    work = np.zeros((KEEP_COUNT, WIDTH))
    for block in range(len(first_piece) - 1):
        together = pieces[first_piece[block] : first_piece[block + 1]]
        for piece in together:
            sheets = Sheets(piece.open_rows, piece.kind, upper[piece.begin : piece.end])
            lanes = slice(piece.lane, piece.lane + piece.end - piece.begin)
            _fill_stops(problem, paying, values, sheets, stop[:, lanes])
        solve_turns(stop, stop, stop, work)
        store_starts(together, work, values)


def layers(second_yacht: int) -> list[Layer]:
    """Return the layers with 1 to 13 open boxes."""
    columns = states.columns()
    groups: list[list[Group]] = [[] for _ in range(BOX_COUNT + 1)]
    for open_boxes in range(1, yacht.ALL_OPEN + 1):
        is_open = bool(open_boxes & yacht.YACHT_BIT)
        contents = [yacht.OPEN_YACHT] if is_open else range(1, states.yacht_states(second_yacht))
        for held in contents:
            open_upper = open_boxes & yacht.UPPER_OPEN
            begin, end = columns.bounds[open_upper : open_upper + 2]
            state = states.state_index(open_boxes, held, int(columns.upper[begin]))
            groups[open_boxes.bit_count()].append(Group(open_boxes, held, begin, end, state))
    return [packed(layer) for layer in groups[1:]]


def solve(
    second_yacht: int, progress: Progress | None = None, threads: int | None = None
) -> Floats:
    """Return the value of every state under the best play.

    Args:
        second_yacht: FORCED_JOKER, PLAIN or FREE_JOKER of the rules.
        progress: called after each layer with the states done and all states.
        threads: how many to use, all cores by default; the values do not
            depend on it.

    Returns:
        (states,) float64 expected points still to come, by state index.
    """
    # Unlike NaN, an infinity that is read too early wins every maximum: it would be seen.
    values = np.full(states.state_count(second_yacht), np.inf)
    finished = finished_states(second_yacht)
    values[finished] = 0.0
    upper, paying = states.columns().upper, paying_rolls()
    solve_blocks = partial(_solve_blocks, problem_of(second_yacht), upper, paying, values)
    solve_layers(layers(second_yacht), solve_blocks, progress, threads, len(finished))
    return values


def finished_states(second_yacht: int) -> Ints:
    """Return the indices of the states without open box, each once."""
    held, upper = np.ogrid[1 : states.yacht_states(second_yacht), : yacht.BONUS_AT + 1]
    columns = states.columns()
    found: Ints = np.unique(states.state_number(columns.column, columns.count, 0, held, upper))
    return found


def reachable_states(second_yacht: int) -> int:
    """Return how many states a game can reach between turns, finished sheets included."""
    return states.yacht_states(second_yacht) * LOWER_SETS * states.columns().reachable
