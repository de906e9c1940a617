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

Shapes.  Values are float64, indexed as :mod:`ustad.runtime.games.yacht.rules` numbers
the states: 314,880 values stand for the 536,448 reachable states under
``bonus_and_joker``, the finished sheets (worth 0) among them.

Source.  The layers by open boxes are J. Glenn's (2006) and T. Verhoeff's (1999);
merging upper sums with one future is ours.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.kernels import compiled
from ustad.runtime.core.work import Progress
from ustad.runtime.games.five_dice import turn as dice
from ustad.runtime.games.yacht import kernels, states
from ustad.runtime.games.yacht import rules as yacht
from ustad.runtime.games.yacht.states import LOWER_SETS
from ustad.solver.five_dice.layers import Group, Layer, packed, solve_layers
from ustad.solver.five_dice.turn import ROLL_COUNT, WIDTH, solve_turns

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ROLL_COUNTS = dice.COUNTS[dice.FIRST_ROLL :]
BOX_COUNT = len(yacht.BOXES)


def _paying_rolls() -> tuple[Ints, Ints, Ints, Ints]:
    """Return which rolls pay what in which box, nothing being a joker.

    Returns:
        ``first_group`` (14,): the groups of box b are ``first_group[b]`` to
        ``first_group[b + 1] - 1``; ``points`` (groups,): what the rolls of a
        group pay, never 0; ``first_roll`` (groups + 1,) and ``rolls``: the
        rolls of each group.
    """
    first_group, points, first_roll, rolls = [0], [], [0], []
    for box in range(BOX_COUNT):
        paid = [yacht.box_points(box, counts, False) for counts in ROLL_COUNTS]
        for amount in sorted(set(paid) - {0}):
            points.append(amount)
            rolls += [roll for roll in range(ROLL_COUNT) if paid[roll] == amount]
            first_roll.append(len(rolls))
        first_group.append(len(points))
    return np.array(first_group), np.array(points), np.array(first_roll), np.array(rolls)


FIRST_GROUP, GROUP_POINTS, FIRST_ROLL, GROUP_ROLLS = _paying_rolls()
_FIVE_EQUAL = np.array([r for r in range(ROLL_COUNT) if yacht.five_equal(ROLL_COUNTS[r])])


@compiled
def state_after(
    second_yacht: int,
    column: Ints,
    states: int,
    open_boxes: int,
    held: int,
    upper: int,
    box: int,
    points: int,
) -> int:
    """Return the index of the state after a write.

    Args:
        second_yacht: the setting.
        column: :attr:`Columns.column`.
        states: how many states there are.
        open_boxes: bit b set: box b is open.
        held: what the yacht box holds.
        upper: the upper sum.
        box: the box written.
        points: what is written there.
    """
    count = states // ((2 if second_yacht == yacht.PLAIN else 3) * LOWER_SETS)
    left = open_boxes & ~(1 << box)
    after = kernels.yacht_after(second_yacht, held, box, points)
    return int(
        kernels.state_number(column, count, left, after, kernels.upper_after(box, points, upper))
    )


@compiled
def gains(
    second_yacht: int,
    values: Floats,
    column: Ints,
    open_boxes: int,
    held: int,
    box: int,
    points: int,
    upper: Ints,
    gain: Floats,
) -> None:
    """Fill ``gain`` with what writing ``points`` into a box is worth at each upper sum."""
    count = len(values) // ((2 if second_yacht == yacht.PLAIN else 3) * LOWER_SETS)
    left = open_boxes & ~(1 << box)
    after = kernels.yacht_after(second_yacht, held, box, points)
    for c in range(len(upper)):
        sum_after = kernels.upper_after(box, points, upper[c])
        state = kernels.state_number(column, count, left, after, sum_after)
        gain[c] = values[state] + kernels.upper_points(box, points, upper[c])


@compiled
def _fill_stops(
    second_yacht: int,
    values: Floats,
    column: Ints,
    open_boxes: int,
    held: int,
    upper: Ints,
    stop: Floats,
    gain: Floats,
    best: Floats,
) -> None:
    """Fill ``stop`` (252, n) with the best write of each roll at each of n upper sums."""
    size = len(upper)
    best[:size] = -np.inf
    for box in range(BOX_COUNT):
        if open_boxes >> box & 1:
            gains(second_yacht, values, column, open_boxes, held, box, 0, upper, gain)
            for c in range(size):
                best[c] = max(best[c], gain[c])
    for roll in range(ROLL_COUNT):
        for c in range(size):
            stop[roll, c] = best[c]
    for box in range(BOX_COUNT):
        if open_boxes >> box & 1:
            gains(second_yacht, values, column, open_boxes, held, box, 0, upper, best)
            for group in range(FIRST_GROUP[box], FIRST_GROUP[box + 1]):
                points = GROUP_POINTS[group]
                if box < yacht.UPPER_BOXES or box == yacht.YACHT:
                    gains(second_yacht, values, column, open_boxes, held, box, points, upper, gain)
                else:  # what comes after does not depend on the points
                    for c in range(size):
                        gain[c] = best[c] + points
                for at in range(FIRST_ROLL[group], FIRST_ROLL[group + 1]):
                    roll = GROUP_ROLLS[at]
                    for c in range(size):
                        stop[roll, c] = max(stop[roll, c], gain[c])
    for roll in _FIVE_EQUAL:
        best[:size] = -np.inf
        for box in range(BOX_COUNT):
            points = kernels.write_points(second_yacht, open_boxes, box, ROLL_COUNTS[roll])
            if points >= 0:
                gains(second_yacht, values, column, open_boxes, held, box, points, upper, gain)
                for c in range(size):
                    best[c] = max(best[c], gain[c])
        extra = kernels.extra_points(second_yacht, held, ROLL_COUNTS[roll])
        for c in range(size):
            stop[roll, c] = best[c] + extra


@compiled
def _solve_blocks(
    second_yacht: int,
    values: Floats,
    column: Ints,
    upper: Ints,
    pieces: Ints,
    first_piece: Ints,
) -> None:
    """Solve blocks of states, writing their values.

    Args:
        second_yacht: the setting.
        values: the values, those of the layers below filled in.
        column: :attr:`Columns.column`.
        upper: :attr:`Columns.upper`.
        pieces: (pieces, 6): open boxes, what the yacht box holds, first column,
            end column, first lane of the block, index of the first state.
        first_piece: (blocks + 1,) the pieces of each block.
    """
    stop = np.zeros((ROLL_COUNT, WIDTH))
    work = np.zeros((ROLL_COUNT + dice.FIRST_ROLL, WIDTH))
    gain = np.empty(WIDTH)
    best = np.empty(WIDTH)
    for block in range(len(first_piece) - 1):
        for at in range(first_piece[block], first_piece[block + 1]):
            open_boxes, held, begin, end, lane, _ = pieces[at]
            part = stop[:, lane : lane + end - begin]
            sums = upper[begin:end]
            _fill_stops(second_yacht, values, column, open_boxes, held, sums, part, gain, best)
        solve_turns(stop, stop, stop, work)
        for at in range(first_piece[block], first_piece[block + 1]):
            _, _, begin, end, lane, state = pieces[at]
            for c in range(end - begin):
                values[state + c] = work[0, lane + c]


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
            groups[open_boxes.bit_count()].append((open_boxes, held, begin, end, state))
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
    columns = states.columns()
    # Unlike NaN, an infinity that is read too early wins every maximum: it would be seen.
    values = np.full(states.yacht_states(second_yacht) * LOWER_SETS * columns.count, np.inf)
    _finish_sheets(values, second_yacht)
    solve_blocks = partial(_solve_blocks, second_yacht, values, columns.column, columns.upper)
    finished = int(np.isfinite(values).sum())
    solve_layers(layers(second_yacht), solve_blocks, progress, threads, finished)
    return values


def _finish_sheets(values: Floats, second_yacht: int) -> None:
    """Set the finished sheets, and with them the rows that cannot be, to nothing to come.

    Rows exist for every content of the yacht box with every set of open lower
    boxes, so all rows can be; the finished sheets are those with no box open.
    """
    for held in range(1, states.yacht_states(second_yacht)):
        for upper in range(yacht.BONUS_AT + 1):
            values[states.state_index(0, held, upper)] = 0.0


def reachable_states(second_yacht: int) -> int:
    """Return how many states a game can reach between turns, finished sheets included."""
    return states.yacht_states(second_yacht) * LOWER_SETS * states.columns().reachable
