"""Yacht's best chances: how likely a sheet makes t points more if that is all it wants.

The problem.  For every state at the start of a turn and every number of points t
below ``SPAN``: the greatest chance, over all ways to play, to make at least t points
more.

The algorithm.  Backwards by the number of open boxes, for one target after the other:

    P*(s, t) = E[ max over keeps and writes of the turn ],
    a write of p points being worth  P*(state after it, t - p),  1 if p >= t.

The targets of one state stand side by side as the columns of
:mod:`ustad.solver.five_dice.turn`, ``WIDTH`` at a time, so what a write is worth is a run of
the row of the state after it.  Runs of targets out of reach are left 0: those where
no write leads to a chance of ``OUT_OF_REACH`` or more.

Shapes.  Rows are those of outlooks: ``best`` is (entries,) float64, row s from
``start[s]``, its entry t the chance of t points or more.

Source.  C. J. F. Cremers, "How best to beat high scores in Yahtzee", 2002.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.kernels import compiled
from ustad.runtime.core.work import Progress
from ustad.runtime.games.five_dice import turn as dice
from ustad.runtime.games.yacht import kernels, states, tables
from ustad.runtime.games.yacht import rules as yacht
from ustad.runtime.games.yacht.distributions import BestChances, FullOutlook, win_shares
from ustad.runtime.games.yacht.levels import FIVE_EQUAL
from ustad.solver.five_dice.layers import solve_layers
from ustad.solver.five_dice.turn import ROLL_COUNT, WIDTH, solve_turns
from ustad.solver.yacht.values import (
    BOX_COUNT,
    FIRST_GROUP,
    FIRST_ROLL,
    GROUP_POINTS,
    GROUP_ROLLS,
    ROLL_COUNTS,
    layers,
    state_after,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

OUT_OF_REACH = 1e-12

_FIVE_EQUAL = np.array(FIVE_EQUAL)


@compiled
def _write_run(
    second_yacht: int,
    best: Floats,
    start: Ints,
    column: Ints,
    sheet: tuple[int, int, int],
    write: tuple[int, int, int],
    target: int,
    worth: Floats,
) -> None:
    """Fill ``worth`` with what a write is worth for WIDTH targets from one on.

    Args:
        second_yacht: the setting.
        best: the best chances, those of the states with fewer open boxes filled in.
        start: (states + 1,) where the row of each state begins.
        column: :attr:`Columns.column`.
        sheet: open boxes, what the yacht box holds, upper sum.
        write: the box, what is written there, extra points.
        target: the first target.
        worth: (WIDTH,) filled.
    """
    open_boxes, held, upper = sheet
    box, points, extra = write
    states = len(start) - 1
    after = state_after(second_yacht, column, states, open_boxes, held, upper, box, points)
    begin, end = start[after], start[after + 1]
    missing = target - kernels.upper_points(box, points, upper) - extra
    for c in range(WIDTH):
        at = begin + missing + c
        worth[c] = 1.0 if missing + c <= 0 else best[at] if at < end else 0.0


@compiled
def _raise_to(row: Floats, worth: Floats) -> None:
    """Raise a row of WIDTH numbers to those that are greater."""
    for c in range(WIDTH):
        row[c] = max(row[c], worth[c])


@compiled
def _fill_stops(
    second_yacht: int,
    best: Floats,
    start: Ints,
    column: Ints,
    sheet: tuple[int, int, int],
    target: int,
    stop: Floats,
    worth: Floats,
    most: Floats,
) -> float:
    """Fill ``stop`` (252, WIDTH) for targets from one on; return the best of the first."""
    open_boxes, held, _ = sheet
    most[:] = 0.0
    for box in range(BOX_COUNT):
        if open_boxes >> box & 1:
            write = box, 0, 0
            _write_run(second_yacht, best, start, column, sheet, write, target, worth)
            _raise_to(most, worth)
    highest = most[0]
    for roll in range(ROLL_COUNT):
        stop[roll] = most
    for box in range(BOX_COUNT):
        if open_boxes >> box & 1:
            for group in range(FIRST_GROUP[box], FIRST_GROUP[box + 1]):
                write = box, GROUP_POINTS[group], 0
                _write_run(second_yacht, best, start, column, sheet, write, target, worth)
                highest = max(highest, worth[0])
                for at in range(FIRST_ROLL[group], FIRST_ROLL[group + 1]):
                    _raise_to(stop[GROUP_ROLLS[at]], worth)
    for roll in _FIVE_EQUAL:
        stop[roll] = 0.0
        counts = ROLL_COUNTS[roll]
        extra = kernels.extra_points(second_yacht, held, counts)
        for box in range(BOX_COUNT):
            points = kernels.write_points(second_yacht, open_boxes, box, counts)
            if points >= 0:
                write = box, points, extra
                _write_run(second_yacht, best, start, column, sheet, write, target, worth)
                highest = max(highest, worth[0])
                _raise_to(stop[roll], worth)
    return float(highest)


@compiled
def _solve_blocks(
    second_yacht: int,
    column: Ints,
    upper: Ints,
    start: Ints,
    best: Floats,
    pieces: Ints,
    first_piece: Ints,
) -> None:
    """Find the best chances of states, those of the layers below being known."""
    stop = np.zeros((ROLL_COUNT, WIDTH))
    work = np.zeros((ROLL_COUNT + dice.FIRST_ROLL, WIDTH))
    worth = np.zeros(WIDTH)
    most = np.zeros(WIDTH)
    for at in range(len(pieces)):
        open_boxes, held, begin, end, _, first = pieces[at]
        for c in range(end - begin):
            row = best[start[first + c] : start[first + c + 1]]
            row[0] = 1.0
            for target in range(1, len(row), WIDTH):
                highest = _fill_stops(
                    second_yacht,
                    best,
                    start,
                    column,
                    (open_boxes, held, upper[begin + c]),
                    target,
                    stop,
                    worth,
                    most,
                )
                if highest < OUT_OF_REACH:
                    break
                solve_turns(stop, stop, stop, work)
                part = row[target : target + WIDTH]
                part[:] = work[0, : len(part)]


def solve(
    second_yacht: int,
    progress: Progress | None = None,
    threads: int | None = None,
    most_open: int = BOX_COUNT,
) -> Floats:
    """Return the best chances of every state.

    Args:
        second_yacht: FORCED_JOKER, PLAIN or FREE_JOKER of the rules.
        progress: called after each layer with the states done and all states.
        threads: how many to use, all cores by default; the chances do not depend on it.
        most_open: leave out states with more open boxes; their rows are 0.

    Returns:
        (entries,) float64: the rows one after the other.
    """
    start = tables.row_starts(second_yacht)
    best = np.zeros(start[-1])
    for held in range(1, states.yacht_states(second_yacht)):
        for upper in range(yacht.BONUS_AT + 1):
            best[start[states.state_index(0, held, upper)]] = 1.0
    columns = states.columns()
    solve_blocks = partial(_solve_blocks, second_yacht, columns.column, columns.upper, start, best)
    solve_layers(layers(second_yacht)[:most_open], solve_blocks, progress, threads)
    return best


def most_any_policy_wins(outlook: FullOutlook, best: BestChances, players: int) -> float:
    """Return a share of the win that no policy exceeds against opponents of level hard.

    Who is told beforehand what the others will make can do no better than to make more
    with the best chance there is.  Nobody who must find out on the way does better than
    that, on the mean over what the others make.

    Args:
        outlook: what hard makes.
        best: the best chances.
        players: how many sit at the table.
    """
    start = np.array([states.state_index(yacht.ALL_OPEN, yacht.OPEN_YACHT, 0)])
    hard, wanted = outlook.rows(start)[0], best.rows(start)[0]
    none = np.zeros((1, players - 1), dtype=np.int64)
    shares = win_shares(hard[None, :], none, none, len(wanted))[0]
    # Best chances end with a lump of all that is more: grant it the win.
    shares[-1] = 1.0
    return float(wanted @ shares)
