"""Yacht's outlooks: the distribution of the points still to come, for every state.

The problem.  Who plays to win must know more than what a sheet is worth on
average.  The *outlook* of a state at the start of a turn is the distribution of
the points still to come under the play that maximises their mean.

The algorithm.  Backwards by the number of open boxes, as :mod:`ustad.solver.yacht.values`
goes for the mean.  The turn is solved with the known values and its choices are
kept; the chance of the first roll is then sent forward through these choices, which
gives the chance of each write, and

    D(s) = sum over writes of P(write) D(state after it), shifted by its points.

Choices within ``TIE`` go to the first, as the bot of level hard plays: this is the
outlook of that very bot.

Shapes.  ``chance`` is (entries,) float64, one row after the other: row s begins at
``start[s]`` and holds the chance of 0, 1, 2, ... points.  Rows go as far as points
do, at most to ``SPAN`` - 1; what goes beyond is lumped in ``tail`` (states,), its
sum of chance times points in ``tail_points``.  States are numbered as in
:mod:`ustad.runtime.games.yacht.rules`; upper sums with one future share one row.
``bounds`` (states, 2) are the first point that can come and the end of them;
chances at the edges that together stay below ``NEGLIGIBLE`` go to the nearest
point kept.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.game import TIE
from ustad.runtime.core.kernels import compiled
from ustad.runtime.core.work import Progress
from ustad.runtime.games.five_dice import turn as dice
from ustad.runtime.games.yacht import kernels, states, tables
from ustad.runtime.games.yacht import rules as yacht
from ustad.runtime.games.yacht.distributions import SPAN, FullOutlook
from ustad.runtime.games.yacht.levels import (
    FIVE_EQUAL,
    PAYMENT_BOX,
    PAYMENT_POINTS,
    PAYMENTS,
    ROLL_PAYMENT,
)
from ustad.solver.five_dice.layers import solve_layers
from ustad.solver.five_dice.turn import ROLL_COUNT, WIDTH, stop_chances
from ustad.solver.yacht.values import (
    BOX_COUNT,
    ROLL_COUNTS,
    gains,
    layers,
    state_after,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NEGLIGIBLE = 1e-15

_KEEP_COUNT = len(dice.KEEPS)
IS_FIVE_EQUAL = np.isin(np.arange(ROLL_COUNT), FIVE_EQUAL)
_FIVE_EQUAL = np.array(FIVE_EQUAL)


@compiled
def fill_writes(
    second_yacht: int,
    values: Floats,
    column: Ints,
    open_boxes: int,
    held: int,
    upper: Ints,
    gain: Floats,
    stop: Floats,
    box_of: Floats,
) -> None:
    """Fill what the best write of each roll is worth and its box, at each of n upper sums.

    Args:
        second_yacht: the setting.
        values: what the states are worth.
        column: :attr:`Columns.column`.
        open_boxes: bit b set: box b is open.
        held: what the yacht box holds.
        upper: (n,) the upper sums.
        gain: (payments, WIDTH) scratch space.
        stop: (252, n) filled with the values.
        box_of: (252, n) filled with the first box within TIE of the best.
    """
    size = len(upper)
    for payment in range(PAYMENTS):
        box, points = PAYMENT_BOX[payment], PAYMENT_POINTS[payment]
        if open_boxes >> box & 1:
            row = gain[payment]
            gains(second_yacht, values, column, open_boxes, held, box, points, upper, row)
    for roll in range(ROLL_COUNT):
        best, chosen = stop[roll], box_of[roll]
        best[:] = -np.inf
        five_equal = IS_FIVE_EQUAL[roll]
        for first_pass in (True, False):
            for box in range(BOX_COUNT - 1, -1, -1):
                payment = ROLL_PAYMENT[roll, box]
                if not open_boxes >> box & 1:
                    continue
                if five_equal:
                    points = kernels.write_points(second_yacht, open_boxes, box, ROLL_COUNTS[roll])
                    if points < 0:
                        continue
                    while PAYMENT_BOX[payment] == box and PAYMENT_POINTS[payment] < points:
                        payment += 1
                row = gain[payment]
                if first_pass:
                    for c in range(size):
                        best[c] = max(best[c], row[c])
                else:
                    for c in range(size):
                        if row[c] >= best[c] - TIE:
                            chosen[c] = box
        if five_equal:
            extra = kernels.extra_points(second_yacht, held, ROLL_COUNTS[roll])
            for c in range(size):
                best[c] += extra


@compiled
def _add_shifted(
    chance: Floats,
    start: Ints,
    tail: Floats,
    tail_points: Floats,
    bounds: Ints,
    state: int,
    after: int,
    points: int,
    weight: float,
) -> None:
    """Add to the outlook of a state that of the state after a write, shifted by its points."""
    target = chance[start[state] : start[state + 1]]
    source = chance[start[after] : start[after + 1]]
    begin, end = bounds[after, 0], bounds[after, 1]
    middle = max(begin, min(end, len(target) - points))
    shifted, given = target[begin + points : middle + points], source[begin:middle]
    for x in range(len(given)):
        shifted[x] += weight * given[x]
    beyond = 0.0
    beyond_points = 0.0
    for x in range(middle, end):
        beyond += source[x]
        beyond_points += source[x] * (x + points)
    tail[state] += weight * (beyond + tail[after])
    tail_points[state] += weight * (beyond_points + tail_points[after] + tail[after] * points)
    bounds[state, 0] = min(bounds[state, 0], begin + points)
    bounds[state, 1] = max(bounds[state, 1], middle + points)


@compiled
def _trim(row: Floats, bounds: Ints) -> None:
    """Move chances at the edges of a row that do not matter to the nearest point kept."""
    begin, end = min(bounds[0], len(row) - 1), bounds[1]
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
    bounds[0], bounds[1] = begin, end


@compiled
def _solve_blocks(
    second_yacht: int,
    values: Floats,
    column: Ints,
    upper: Ints,
    chance: Floats,
    start: Ints,
    tail: Floats,
    tail_points: Floats,
    bonus: Floats,
    bounds: Ints,
    pieces: Ints,
    first_piece: Ints,
) -> None:
    """Find the outlooks of blocks of states, those of the layers below being known."""
    stop = np.zeros((ROLL_COUNT, WIDTH))
    box_of = np.zeros((ROLL_COUNT, WIDTH))
    ended = np.zeros((ROLL_COUNT, WIDTH))
    work = np.zeros((_KEEP_COUNT, WIDTH))
    first = np.zeros((_KEEP_COUNT, WIDTH))
    second = np.zeros((_KEEP_COUNT, WIDTH))
    mass = np.zeros((_KEEP_COUNT, WIDTH))
    gain = np.zeros((PAYMENTS, WIDTH))
    written = np.zeros(PAYMENTS)
    for block in range(len(first_piece) - 1):
        for at in range(first_piece[block], first_piece[block + 1]):
            open_boxes, held, begin, end, lane, _ = pieces[at]
            lanes = slice(lane, lane + end - begin)
            fill_writes(
                second_yacht,
                values,
                column,
                open_boxes,
                held,
                upper[begin:end],
                gain,
                stop[:, lanes],
                box_of[:, lanes],
            )
        stop_chances(stop, work, second, first, mass, ended)
        for at in range(first_piece[block], first_piece[block + 1]):
            open_boxes, held, begin, end, lane, state = pieces[at]
            for c in range(end - begin):
                written[:] = 0.0
                bounds[state + c, 0], bounds[state + c, 1] = SPAN, 0
                for roll in range(ROLL_COUNT):
                    if not IS_FIVE_EQUAL[roll]:
                        box = int(box_of[roll, lane + c])
                        written[ROLL_PAYMENT[roll, box]] += ended[roll, lane + c]
                sum_before = upper[begin + c]
                for number in range(PAYMENTS + len(_FIVE_EQUAL)):
                    extra = 0
                    if number < PAYMENTS:
                        weight = written[number]
                        box, points = PAYMENT_BOX[number], PAYMENT_POINTS[number]
                    else:
                        roll = _FIVE_EQUAL[number - PAYMENTS]
                        weight = ended[roll, lane + c]
                        box = int(box_of[roll, lane + c])
                        counts = ROLL_COUNTS[roll]
                        points = kernels.write_points(second_yacht, open_boxes, box, counts)
                        extra = kernels.extra_points(second_yacht, held, counts)
                    if weight == 0.0:
                        continue
                    after = state_after(
                        second_yacht,
                        column,
                        len(values),
                        open_boxes,
                        held,
                        sum_before,
                        box,
                        points,
                    )
                    reward = kernels.upper_points(box, points, sum_before)
                    earned = 1.0 if reward > points else bonus[after]
                    bonus[state + c] += weight * earned
                    reward += extra
                    _add_shifted(
                        chance, start, tail, tail_points, bounds, state + c, after, reward, weight
                    )
                row = chance[start[state + c] : start[state + c + 1]]
                _trim(row, bounds[state + c])


def solve(
    second_yacht: int,
    values: Floats,
    progress: Progress | None = None,
    threads: int | None = None,
    most_open: int = BOX_COUNT,
) -> tuple[FullOutlook, Floats]:
    """Return the outlook of every state, and (states,) the chance of the upper bonus.

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
    bounds = np.zeros((len(values), 2), dtype=np.int64)
    for held in range(1, states.yacht_states(second_yacht)):
        for upper in range(yacht.BONUS_AT + 1):
            state = states.state_index(0, held, upper)
            chance[start[state]] = 1.0
            bounds[state] = 0, 1
    columns = states.columns()
    solve_blocks = partial(
        _solve_blocks,
        second_yacht,
        values,
        columns.column,
        columns.upper,
        chance,
        start,
        tail,
        tail_points,
        bonus,
        bounds,
    )
    solve_layers(layers(second_yacht)[:most_open], solve_blocks, progress, threads)
    means = np.divide(tail_points, tail, out=np.zeros(len(tail)), where=tail > 0)
    return tables.full(second_yacht, chance, tail, means), bonus
