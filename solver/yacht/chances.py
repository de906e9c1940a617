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

Shapes.  ``best`` is (entries,) float64, row s from ``start[s]``, its entry t the chance
of t points or more.

Source.  C. J. F. Cremers, "How best to beat high scores in Yahtzee", 2002.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.kernels import compiled
from ustad.runtime.core.work import Progress
from ustad.runtime.games.yacht import kernels, states, tables
from ustad.runtime.games.yacht import rules as yacht
from ustad.runtime.games.yacht.distributions import (
    ScoreDistributions,
    win_shares,
)
from ustad.runtime.games.yacht.rules import State
from ustad.solver.five_dice.layers import Pieces, solve_layers
from ustad.solver.five_dice.paying import Paying, raise_group, raise_to
from ustad.solver.five_dice.turn import KEEP_COUNT, ROLL_COUNT, WIDTH, solve_turns
from ustad.solver.yacht.outlooks import Payment, five_equal_payment
from ustad.solver.yacht.values import (
    BOX_COUNT,
    FIVE_EQUAL_ROLLS,
    Problem,
    finished_states,
    layers,
    paying_rolls,
    problem_of,
    state_after,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

OUT_OF_REACH = 1e-12


class _Found(NamedTuple):
    """What is being found: where the row of each state begins, and the rows."""

    start: Ints
    best: Floats


class _Work(NamedTuple):
    """Scratch space: (252, WIDTH) what stopping pays, (462, WIDTH) what the keeps are worth."""

    stop: Floats
    keeps: Floats


@compiled
def _fill_worth(
    problem: Problem, found: _Found, state: State, payment: Payment, target: int, worth: Floats
) -> None:
    """Fill ``worth`` with what a payment is worth for WIDTH targets from one on.

    Args:
        problem: the rules.
        found: the states with fewer open boxes filled in.
        state: the state before the payment.
        payment: what is written.
        target: the first target.
        worth: (WIDTH,) filled.
    """
    after = state_after(problem, state, payment.box, payment.points)
    begin, end = found.start[after], found.start[after + 1]
    reward = kernels.upper_points(payment.box, payment.points, state.upper) + payment.extra
    missing = target - reward
    for c in range(WIDTH):
        at = begin + missing + c
        worth[c] = 1.0 if missing + c <= 0 else found.best[at] if at < end else 0.0


@compiled
def _fill_stops(
    problem: Problem, paying: Paying, found: _Found, state: State, target: int, stop: Floats
) -> float:
    """Fill ``stop`` (252, WIDTH) for targets from one on; return the best of the first."""
    worth, most = np.zeros(WIDTH), np.zeros(WIDTH)
    for box in range(BOX_COUNT):
        if state.open_boxes >> box & 1:
            _fill_worth(problem, found, state, Payment(box, 0, 0), target, worth)
            raise_to(most, worth)
    highest = most[0]
    for roll in range(ROLL_COUNT):
        stop[roll] = most
    for box in range(BOX_COUNT):
        if state.open_boxes >> box & 1:
            for group in range(paying.first_group[box], paying.first_group[box + 1]):
                payment = Payment(box, paying.points[group], 0)
                _fill_worth(problem, found, state, payment, target, worth)
                highest = max(highest, worth[0])
                raise_group(paying, group, worth, stop)
    for roll in FIVE_EQUAL_ROLLS:
        stop[roll] = 0.0
        for box in range(BOX_COUNT):
            payment = five_equal_payment(problem.second_yacht, state, box, roll)
            if payment.points >= 0:
                _fill_worth(problem, found, state, payment, target, worth)
                highest = max(highest, worth[0])
                raise_to(stop[roll], worth)
    return float(highest)


@compiled
def _fill_row(
    problem: Problem, paying: Paying, found: _Found, state: State, row: Floats, work: _Work
) -> None:
    """Fill the best chances of one state."""
    stop, values = work
    row[0] = 1.0
    for target in range(1, len(row), WIDTH):
        if _fill_stops(problem, paying, found, state, target, stop) < OUT_OF_REACH:
            break
        solve_turns(stop, stop, stop, values)
        part = row[target : target + WIDTH]
        part[:] = values[0, : len(part)]


@compiled
def _solve_blocks(
    problem: Problem,
    upper: Ints,
    paying: Paying,
    found: _Found,
    pieces: Pieces,
    first_piece: Ints,
) -> None:
    """Find the best chances of states, those of the layers below being known."""
    work = _Work(np.zeros((ROLL_COUNT, WIDTH)), np.zeros((KEEP_COUNT, WIDTH)))
    for piece in pieces:
        for c in range(piece.end - piece.begin):
            state = State(piece.open_rows, piece.kind, upper[piece.begin + c])
            begin, end = found.start[piece.state + c], found.start[piece.state + c + 1]
            _fill_row(problem, paying, found, state, found.best[begin:end], work)


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
    best[start[finished_states(second_yacht)]] = 1.0
    upper, found = states.columns().upper, _Found(start, best)
    solve_blocks = partial(_solve_blocks, problem_of(second_yacht), upper, paying_rolls(), found)
    solve_layers(layers(second_yacht)[:most_open], solve_blocks, progress, threads)
    return best


def most_any_policy_wins(hard: ScoreDistributions, best: ScoreDistributions, players: int) -> float:
    """Return a share of the win that no policy exceeds against opponents of level hard.

    A player who knew beforehand what the others will make could do no better than to make
    more with the best chance there is.  A player who finds out on the way does no better
    than that, on the mean over what the others make.

    Args:
        hard: what hard makes.
        best: the best chances.
        players: how many sit at the table.
    """
    start = np.array([states.state_index(yacht.ALL_OPEN, yacht.OPEN_YACHT, 0)])
    made, wanted = hard.rows(start)[0], best.rows(start)[0]
    none = np.zeros((1, players - 1), dtype=np.int64)
    shares = win_shares(made[None, :], none, none, len(wanted))[0]
    # Best chances end with a lump of all that is more: grant it the win.
    shares[-1] = 1.0
    return float(wanted @ shares)
