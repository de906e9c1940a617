"""Dice poker solved: the expected points still to come, for every state at the start of a turn.

The problem.  A sheet is a solitaire game, and the settlement asks for nothing but
its expected total (see :mod:`ustad.runtime.games.dice_poker.levels`).  The value of a
state is the expected points still to come, the school bonus among them, under the
play that maximises them:

    V(s) = E[ max over keeps, writes and the pass of the turn ],
    a write of p points being worth  p + bonus + V(s after it).

What a write pays depends on the throw: straight after the first a combination
doubles, so stopping is worth more there than on the same roll later, and a write
after the first throw is a decision of its own.

The algorithm.  Backwards by the number of turns left.  Within such a layer nothing
depends on anything else; :mod:`ustad.solver.five_dice.layers` packs its states into blocks,
which :mod:`ustad.solver.five_dice.turn` solves.  Under ``school_first`` these are the sets of
open rows of part two (with the turns left under ``deferred``), and then the columns
of each set of open school rows; under ``free`` every set of part two with every
column.

``_fill_stops`` fills what stopping is worth in steps: every roll starts from the
best dash, or the pass; each writable row raises the rolls that it pays for, all
rolls with the same points at once; straight after the first throw no row pays
less, so that array starts from the one for later.  Where chance is for the third
throw alone, that throw has an array of its own.

Shapes.  Values are float64, indexed as :mod:`ustad.runtime.games.dice_poker.states`
numbers the states: 2,150 for ``sacrifice``, 6,758 for ``deferred``, of which 2,304 never
occur, 839,168 for ``free``; finished sheets are worth 0.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.kernels import compiled
from ustad.runtime.core.work import Progress
from ustad.runtime.games.dice_poker import kernels, states
from ustad.runtime.games.dice_poker import rules as dice_poker
from ustad.runtime.games.dice_poker.rules import (
    AFTER_FIRST_THROW,
    CHANCE_BIT,
    CHANCE_ROW,
    COMBINATIONS,
    PART_TWO,
    PART_TWO_TURNS,
    ROW_COUNT,
    SCHOOL,
    SCHOOL_ROWS,
    RuleNumbers,
)
from ustad.runtime.games.dice_poker.states import PART_TWO_SETS
from ustad.solver.five_dice.layers import Group, Layer, Pieces, packed, solve_layers, store_starts
from ustad.solver.five_dice.paying import Paying, paying, raise_group, raise_to
from ustad.solver.five_dice.turn import KEEP_COUNT, ROLL_COUNT, WIDTH, solve_turns

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


_NO_ROW = ROW_COUNT


class _Problem(NamedTuple):
    """What the compiled code needs to know of the rules.

    Attributes:
        numbers: the options.
        column: :attr:`Columns.column`.
        columns: how many columns there are.
        upper: one subtotal of each column.
        later: what pays after the first throw is past; in part two rolls that miss the
            need are in no group.
        first: the same straight after the first throw.
        made: (252,) the rows each roll makes.
        chance: (252,) what it scores in chance.
    """

    numbers: RuleNumbers
    column: Ints
    columns: int
    upper: Ints
    later: Paying
    first: Paying
    made: Ints
    chance: Ints


class _Sheets(NamedTuple):
    """States side by side that differ in the school subtotal (n,) alone."""

    open_rows: int
    turns_left: int
    subtotal: Ints


def _paying(numbers: RuleNumbers, rolls_left: int) -> Paying:
    """Return the paying rolls."""
    points = dice_poker.roll_points(numbers)[rolls_left]
    return paying(points, (points != 0) | (np.arange(ROW_COUNT) < SCHOOL_ROWS))


def _problem(numbers: RuleNumbers) -> _Problem:
    """Return the problem of a rule set."""
    known = states.columns(numbers.school_threshold)
    return _Problem(
        numbers=numbers,
        column=known.column,
        columns=known.count,
        upper=known.upper,
        later=_paying(numbers, 0),
        first=_paying(numbers, AFTER_FIRST_THROW),
        made=np.array(dice_poker.roll_rows_made(numbers)),
        chance=dice_poker.roll_points(numbers)[0, :, CHANCE_ROW].copy(),
    )


@compiled
def _gains(
    problem: _Problem, values: Floats, sheets: _Sheets, row: int, points: int, gain: Floats
) -> None:
    """Fill ``gain`` with what writing ``points`` into a row is worth at each subtotal.

    ``_NO_ROW`` with 0 points stands for a pass.
    """
    numbers, turns_left = problem.numbers, sheets.turns_left - 1
    left = sheets.open_rows & ~(1 << row)
    for c in range(len(sheets.subtotal)):
        after = sheets.subtotal[c] + points if row < SCHOOL_ROWS else sheets.subtotal[c]
        state = kernels.state_number(
            numbers, problem.column, problem.columns, left, turns_left, after
        )
        gain[c] = values[state] + (points + kernels.bonus_points(numbers, row, left, after))


@compiled
def _raise_rows(
    problem: _Problem, values: Floats, sheets: _Sheets, rows: int, paying: Paying, stop: Floats
) -> None:
    """Raise ``stop`` to what each roll is worth in some rows, where they pay it."""
    gain = np.empty(len(sheets.subtotal))
    after = np.empty(len(sheets.subtotal))
    for row in range(ROW_COUNT):
        if rows >> row & 1:
            if row >= SCHOOL_ROWS:  # what comes after does not depend on the points
                _gains(problem, values, sheets, row, 0, after)
            for group in range(paying.first_group[row], paying.first_group[row + 1]):
                points = paying.points[group]
                if row < SCHOOL_ROWS:
                    _gains(problem, values, sheets, row, points, gain)
                else:
                    for c in range(len(gain)):
                        gain[c] = after[c] + points
                raise_group(paying, group, gain, stop)


@compiled
def _start_from_dashes(
    problem: _Problem, values: Floats, sheets: _Sheets, rows: int, stop: Floats
) -> None:
    """Fill every roll with what the best dash in the writable rows, or the pass, is worth."""
    worthless = 0 if problem.numbers.deferred else rows & COMBINATIONS
    if kernels.may_pass(problem.numbers, sheets.open_rows):
        worthless = 1 << _NO_ROW
    gain = np.empty(len(sheets.subtotal))
    stop[0] = -np.inf
    for row in range(SCHOOL_ROWS, _NO_ROW + 1):
        if worthless >> row & 1:
            _gains(problem, values, sheets, row, 0, gain)
            raise_to(stop[0], gain)
    for roll in range(1, ROLL_COUNT):
        for c in range(len(gain)):
            stop[roll, c] = stop[0, c]


@compiled
def _raise_chance_after_miss(
    problem: _Problem, values: Floats, sheets: _Sheets, stop: Floats
) -> None:
    """Raise the rolls that may be written into chance because they make no other open row."""
    gain = np.empty(len(sheets.subtotal))
    for roll in range(ROLL_COUNT):
        made = problem.made[roll]
        if kernels.writable_rows(problem.numbers, sheets.open_rows, made, 0) & CHANCE_BIT:
            _gains(problem, values, sheets, CHANCE_ROW, problem.chance[roll], gain)
            raise_to(stop[roll], gain)


@compiled
def _fill_stops(
    problem: _Problem, values: Floats, sheets: _Sheets, last: Floats, later: Floats, first: Floats
) -> None:
    """Fill (252, n) what stopping on each roll is worth: at the last throw, later, at the first.

    ``last`` may be the array ``later`` where the last throw allows no more than the one before.
    """
    rows = kernels.writable_rows(problem.numbers, sheets.open_rows, COMBINATIONS, 1)
    _start_from_dashes(problem, values, sheets, rows, later)
    _raise_rows(problem, values, sheets, rows, problem.later, later)
    for roll in range(ROLL_COUNT):
        for c in range(len(sheets.subtotal)):
            last[roll, c] = first[roll, c] = later[roll, c]
    if problem.numbers.chance_after_miss and sheets.open_rows & CHANCE_BIT:
        _raise_chance_after_miss(problem, values, sheets, last)
    doubled = rows & (PART_TWO if problem.numbers.chance_doubles else COMBINATIONS)
    _raise_rows(problem, values, sheets, doubled, problem.first, first)


@compiled
def _solve_blocks(problem: _Problem, values: Floats, pieces: Pieces, first_piece: Ints) -> None:
    """Solve blocks of states, writing their values.

    Args:
        problem: the rules.
        values: the values, those of the layers below filled in.
        pieces: see :mod:`ustad.solver.five_dice.layers`; the kind is the turns left.
        first_piece: (blocks + 1,) the pieces of each block.
    """
    later = np.zeros((ROLL_COUNT, WIDTH))
    last = np.zeros((ROLL_COUNT, WIDTH)) if problem.numbers.chance_after_miss else later
    first = np.zeros((ROLL_COUNT, WIDTH))
    work = np.zeros((KEEP_COUNT, WIDTH))
    for block in range(len(first_piece) - 1):
        together = pieces[first_piece[block] : first_piece[block + 1]]
        for piece in together:
            sheets = _Sheets(piece.open_rows, piece.kind, problem.upper[piece.begin : piece.end])
            lanes = slice(piece.lane, piece.lane + piece.end - piece.begin)
            _fill_stops(problem, values, sheets, last[:, lanes], later[:, lanes], first[:, lanes])
        solve_turns(last, later, first, work)
        store_starts(together, work, values)


def layers(numbers: RuleNumbers) -> list[Layer]:
    """Return the layers with 1 to 15 turns left."""
    known = states.columns(numbers.school_threshold)
    groups: list[list[Group]] = [[] for _ in range(ROW_COUNT + 1)]

    def add(open_rows: int, turns_left: int) -> None:
        school = open_rows & SCHOOL
        begin, end = known.bounds[school : school + 2]
        state = states.state_index(numbers, open_rows, turns_left, int(known.upper[begin]))
        groups[turns_left].append(Group(open_rows, turns_left, begin, end, state))

    for open_rows in range(1, dice_poker.ALL_OPEN + 1):
        turns_left = open_rows.bit_count()
        if numbers.deferred and open_rows & SCHOOL == 0:
            for fewer in range(1, turns_left + 1):
                add(open_rows, fewer)
        elif numbers.free or open_rows & SCHOOL == 0 or open_rows & PART_TWO == PART_TWO:
            add(open_rows, turns_left)
    return [packed(layer) for layer in groups[1:]]


def solve(
    numbers: RuleNumbers, progress: Progress | None = None, threads: int | None = None
) -> Floats:
    """Return the value of every state under the best play.

    Args:
        numbers: the options.
        progress: called after each layer with the states done and all states.
        threads: how many to use, all cores by default; the values do not
            depend on it.

    Returns:
        (states,) float64 expected points still to come, by state index; infinity
        where no game comes: more turns left than rows open.
    """
    # Unlike NaN, an infinity that is read too early wins every maximum: it would be seen.
    values = np.full(states.state_count(numbers), np.inf)
    values[: PART_TWO_SETS if numbers.deferred else 1] = 0.0  # no turn left
    solve_blocks = partial(_solve_blocks, _problem(numbers), values)
    finished = int(np.isfinite(values).sum())
    solve_layers(layers(numbers), solve_blocks, progress, threads, finished)
    return values


def reachable_states(numbers: RuleNumbers) -> dict[str, int]:
    """Return how many states a game can reach between turns, finished sheets not counted.

    Subtotals are told apart here, though the table merges those with one future.
    """
    reachable = states.columns(numbers.school_threshold).sums
    if numbers.free:
        return {"states": PART_TWO_SETS * int(reachable.sum()) - int(reachable[0])}
    part_two = PART_TWO_SETS - 1
    if numbers.deferred:
        part_two = PART_TWO_TURNS << (PART_TWO_TURNS - 1)  # sum over sets of their sizes
    return {"school_states": int(reachable[1:].sum()), "part_two_states": part_two}
