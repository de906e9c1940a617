"""How much yacht's expert wins against level hard, known narrowly.

The problem.  Expert gains some two wins in a hundred games.  To tell by counting wins
whether one way to rate a write gains a hundredth of a win more than another takes
millions of games.

The algorithm.  Let W(position) be the share of the win if all play like hard from there
on.  Under hard play W is a martingale, and at the end of a game it is the share won.  So
the share won by one who plays otherwise, the others being hard, is W(start) = 1 / players
plus, over the turns of that player, the sum of

    A = E[W after the turn, as it is played | position before it] - W(position before it)

plus changes whose mean, given what was before, is 0: the turns of the others, and what
the dice of a turn bring against the mean of that turn.  Leaving those out leaves the
expectation as it is, so 1 / players + the sum of A is unbiased; and no A needs dice: it
follows from the score distributions of hard, the chances of the writes of the turn and the final
totals.  What is left to chance is only which positions are met.  Its deviation is some 23
times smaller than that of a counted win.

Games are played in blocks of ``WIDTH`` side by side, as :mod:`ustad.solver.five_dice.turn` solves
turns.  No turn is rolled out: what it ends with is drawn from the chances of its play.

Shapes.  The *sheets* of a round are (players, WIDTH) records (:data:`SHEET`).

Source.  The A are the advantages of S. Kakade and J. Langford, "Approximately optimal
approximate reinforcement learning", 2002, lemma 6.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.kernels import compiled
from ustad.runtime.core.work import Progress, available_cores
from ustad.runtime.games.yacht import kernels, tables
from ustad.runtime.games.yacht import rules as yacht
from ustad.runtime.games.yacht.distributions import (
    NODES,
    REACH,
    LatticeDistributions,
    ScoreDistributions,
)
from ustad.runtime.games.yacht.expert import MOST_A_TURN
from ustad.runtime.games.yacht.levels import PAYMENTS, ROLL_PAYMENT
from ustad.runtime.games.yacht.outlooks import Outlooks, best_chance_weight, named_outlooks
from ustad.runtime.games.yacht.rules import State
from ustad.runtime.games.yacht.tables import TABLES
from ustad.solver.five_dice.turn import ROLL_COUNT, WIDTH, Play, fill_ended, new_play
from ustad.solver.yacht.outlooks import (
    IS_FIVE_EQUAL,
    PAYMENT_COUNT,
    Lattice,
    Payment,
    fill_writes,
    five_equal_payment,
)
from ustad.solver.yacht.values import (
    BOX_COUNT,
    ROLL_COUNTS,
    Problem,
    Sheets,
    problem_of,
    state_after,
    state_number,
)
from ustad.tables import open_table

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SHEET = np.dtype([(name, np.int64) for name in (*State._fields, "total")])
"""A sheet: its state and its total."""

Records = NDArray[Any]
"""An array of :data:`SHEET`."""

_LONG = REACH + MOST_A_TURN + 2
_TIE_BREAK = 1e-10
"""What an expected point counts beside shares of the win, so that it breaks ties alone."""

_AT_ONCE = 8
"""Blocks that a thread plays at once."""

_best_chance_weight = compiled(best_chance_weight)


class _Match(NamedTuple):
    """What games are played with.

    Attributes:
        problem: the rules.
        values: (states,) what the states are worth.
        hard: the distributions of level hard.
        believed: what the player takes these for.
        best: the best chances as the player knows them.
        exact: the player takes hard for what it is.
        best_part: what best chances count in ``best``; 0: they are not known.
    """

    problem: Problem
    values: Floats
    hard: Lattice
    believed: Lattice
    best: Lattice
    exact: bool
    best_part: float


class _Nodes(NamedTuple):
    """Where polynomials are taken to integrate them, and what each place counts."""

    places: Floats
    weights: Floats


class _Work(NamedTuple):
    """Scratch space of a thread.

    Attributes:
        play: the turns.
        box_of: (252, WIDTH) the box in which each roll is written.
        true: (252, WIDTH) what that is worth if hard plays on.
        gain: (payments, WIDTH) for :func:`fill_writes`.
        payment_rated: (payments,) what each payment is worth to the player.
        payment_true: (payments,) the same if hard plays on.
        below: (players, REACH + 2) the chance that each opponent makes less.
        shares: the share of the win by points to come.
        believed_shares: the same as the player believes.
        states: (opponents,) the opponents' states.
        leads: (opponents,) how far the opponents are behind.
    """

    play: Play
    box_of: Floats
    true: Floats
    gain: Floats
    payment_rated: Floats
    payment_true: Floats
    below: Floats
    shares: Floats
    believed_shares: Floats
    states: Ints
    leads: Ints


@compiled
def _new_work(players: int) -> _Work:
    """Return the scratch space for games of so many players."""
    return _Work(
        new_play(),
        np.zeros((ROLL_COUNT, WIDTH)),
        np.zeros((ROLL_COUNT, WIDTH)),
        np.zeros((PAYMENT_COUNT, WIDTH)),
        np.zeros(PAYMENT_COUNT),
        np.zeros(PAYMENT_COUNT),
        np.zeros((players, REACH + 2)),
        np.zeros(_LONG),
        np.zeros(_LONG),
        np.zeros(players - 1, dtype=np.int64),
        np.zeros(players - 1, dtype=np.int64),
    )


@compiled
def _state(sheet: Any) -> State:
    """Return the state of a sheet."""
    return State(sheet.open_boxes, sheet.held, sheet.upper)


@compiled
def _fill_below(known: Lattice, state: int, below: Floats) -> None:
    """Fill the chance that a state makes less than 0, 1, ... points."""
    row = known.chance[known.start[state] : known.start[state + 1]]
    tail = known.tail[state]
    at = int(known.tail_points[state])
    part = known.tail_points[state] - at
    total = 0.0
    below[0] = 0.0
    for x in range(REACH):
        if x < len(row):
            total += row[x]
        if x == at:
            total += tail * (1 - part)
        elif x == at + 1:
            total += tail * part
        below[x + 1] = total
    below[REACH + 1] = 1.0


@compiled
def _fill_shares(known: Lattice, work: _Work, nodes: _Nodes, share: Floats) -> None:
    """Fill the share of the win with 0, 1, ... points more against the opponents."""
    below, leads = work.below, work.leads
    share[:] = 0.0
    for other in range(len(leads)):
        _fill_below(known, work.states[other], below[other])
    for node in range(len(nodes.places)):
        z = nodes.places[node]
        for x in range(len(share)):
            product = nodes.weights[node]
            for other in range(len(leads)):
                at = leads[other] + x
                if at < 0:
                    product = 0.0
                elif at <= REACH:
                    product *= below[other, at] * (1 - z) + below[other, at + 1] * z
            share[x] += product


@compiled
def _worth(known: Lattice, state: int, points: int, share: Floats) -> float:
    """Return the mean share of a state with so many points added."""
    row = known.chance[known.start[state] : known.start[state + 1]]
    worth = np.dot(row, share[points : points + len(row)])
    tail = known.tail[state]
    if tail > 0:
        at = int(known.tail_points[state])
        part = known.tail_points[state] - at
        worth += tail * ((1 - part) * share[points + at] + part * share[points + at + 1])
    return float(worth)


class _Goal(NamedTuple):
    """By what the writes of one turn are rated.

    Attributes:
        match: what games are played with.
        shares: the share of the win by points to come.
        believed_shares: the same as the player believes.
        weight: what best chances count.
    """

    match: _Match
    shares: Floats
    believed_shares: Floats
    weight: float


@compiled
def _rate_write(goal: _Goal, state: State, payment: Payment) -> tuple[float, float]:
    """Return what a write is worth to the player, and what it is if hard plays on."""
    match, weight = goal.match, goal.weight
    after = state_after(match.problem, state, payment.box, payment.points)
    paid = kernels.upper_points(payment.box, payment.points, state.upper) + payment.extra
    true = _worth(match.hard, after, paid, goal.shares)
    believed = true if match.exact else _worth(match.believed, after, paid, goal.believed_shares)
    rated = (1 - weight) * believed
    if weight != 0.0:
        rated += weight * _worth(match.best, after, paid, goal.believed_shares)
    return rated + _TIE_BREAK * (match.values[after] + paid), true


@compiled
def _rate_rolls(goal: _Goal, work: _Work, state: State, lane: int) -> None:
    """Fill what the best write of each roll is worth, its box, and its worth if hard plays on."""
    problem, payment_rated, payment_true = goal.match.problem, work.payment_rated, work.payment_true
    for number in range(PAYMENT_COUNT):
        payment = Payment(PAYMENTS.box[number], PAYMENTS.points[number], 0)
        if state.open_boxes >> payment.box & 1:
            payment_rated[number], payment_true[number] = _rate_write(goal, state, payment)
    stop, true_of, box_of = work.play.stop, work.true, work.box_of
    for roll in range(ROLL_COUNT):
        best = -np.inf
        for box in range(BOX_COUNT):
            if not state.open_boxes >> box & 1:
                continue
            if IS_FIVE_EQUAL[roll]:
                payment = five_equal_payment(problem.second_yacht, state, box, roll)
                if payment.points < 0:
                    continue
                rated, true = _rate_write(goal, state, payment)
            else:
                number = ROLL_PAYMENT[roll, box]
                rated, true = payment_rated[number], payment_true[number]
            if rated > best:
                best = rated
                true_of[roll, lane], box_of[roll, lane] = true, box
        stop[roll, lane] = best


@compiled
def _rate_to_win(
    match: _Match, work: _Work, nodes: _Nodes, sheets: Records, seat: int, left: int, lane: int
) -> float:
    """Rate the writes of the player at ``seat``; return W before the turn.

    Args:
        match: what games are played with.
        work: filled in this lane.
        nodes: for the shares of the win.
        sheets: (players, WIDTH).
        seat: the player.
        left: rounds left, this one among them.
        lane: the game.
    """
    own, players = sheets[seat, lane], len(sheets)
    for at in range(players - 1):
        other = sheets[at + (at >= seat), lane]
        work.states[at] = state_number(match.problem, _state(other))
        work.leads[at] = own.total - other.total
    _fill_shares(match.hard, work, nodes, work.shares)
    if match.exact:
        work.believed_shares[:] = work.shares
    else:
        _fill_shares(match.believed, work, nodes, work.believed_shares)
    before = state_number(match.problem, _state(own))
    weight = 0.0
    if match.best_part > 0:
        # As the bot has it: by what it takes hard for.
        share = _worth(match.believed, before, 0, work.believed_shares)
        weight = _best_chance_weight(left, seat / (players - 1), share) / match.best_part
    goal = _Goal(match, work.shares, work.believed_shares, weight)
    _rate_rolls(goal, work, _state(own), lane)
    return _worth(match.hard, before, 0, work.shares)


@compiled
def _rate_like_hard(match: _Match, work: _Work, own: Any, lane: int) -> None:
    """Rate the writes of a sheet as level hard does."""
    sheets = Sheets(own.open_boxes, own.held, np.array([own.upper]))
    lanes = slice(lane, lane + 1)
    stop, box_of = work.play.stop[:, lanes], work.box_of[:, lanes]
    fill_writes(match.problem, match.values, sheets, work.gain, stop, box_of)


@compiled
def _drawn(ended: Floats, luck: float) -> int:
    """Return the roll that a turn ends with, drawn from the chances (252,)."""
    reached, drawn = 0.0, -1
    for roll in range(ROLL_COUNT):
        if ended[roll] > 0 and reached <= luck:
            drawn = roll
            reached += ended[roll]
    return drawn


@compiled
def _write(problem: Problem, own: Any, box: int, roll: int) -> None:
    """Write a roll into a box of a sheet."""
    counts = ROLL_COUNTS[roll]
    points = kernels.write_points(problem.second_yacht, own.open_boxes, box, counts)
    own.total += kernels.upper_points(box, points, own.upper)
    own.total += kernels.extra_points(problem.second_yacht, own.held, counts)
    own.open_boxes &= ~(1 << box)
    own.held = kernels.yacht_after(problem.second_yacht, own.held, box, points)
    own.upper = kernels.upper_after(box, points, own.upper)


@compiled
def _play_blocks(
    match: _Match,
    nodes: _Nodes,
    seat: int,
    sheets: Records,
    luck: Floats,
    gained: Floats,
    won: Floats,
) -> None:
    """Play blocks of games to their end.

    Args:
        match: what games are played with.
        nodes: for the shares of the win.
        seat: who does not play like hard.
        sheets: (blocks, players, WIDTH) those at the start of a round.
        luck: (blocks, rounds, players, WIDTH) in [0, 1), which draw what turns end with.
        gained: (blocks, rounds, WIDTH) filled with the A of the turns.
        won: (blocks, WIDTH) filled with the shares won.
    """
    blocks, rounds, players, _ = luck.shape
    work = _new_work(players)
    for block in range(blocks):
        table = sheets[block]
        for number in range(rounds):
            gain = gained[block, number]
            for player in range(players):
                for lane in range(WIDTH):
                    if player == seat:
                        left = rounds - number
                        gain[lane] = -_rate_to_win(match, work, nodes, table, seat, left, lane)
                    else:
                        _rate_like_hard(match, work, table[player, lane], lane)
                fill_ended(work.play)
                ended, true = work.play.ended, work.true
                for lane in range(WIDTH):
                    if player == seat:
                        for roll in range(ROLL_COUNT):
                            gain[lane] += ended[roll, lane] * true[roll, lane]
                    roll = _drawn(ended[:, lane], luck[block, number, player, lane])
                    box = int(work.box_of[roll, lane])
                    _write(match.problem, table[player, lane], box, roll)
        for lane in range(WIDTH):
            won[block, lane] = _share_won(table, seat, lane)


@compiled
def _share_won(sheets: Records, seat: int, lane: int) -> float:
    """Return the share of the win of a seat in a finished game."""
    own, level = sheets[seat, lane].total, 0
    for player in range(len(sheets)):
        total = sheets[player, lane].total
        if total > own:
            return 0.0
        level += total == own
    return 1.0 / level


@dataclass(frozen=True)
class Gain:
    """What games of one player among others of level hard came to.

    Attributes:
        share: the share of the win, from the sum of the A.
        error: its standard error.
        counted: the share of the win by counting.
        counted_error: its standard error.
        by_round: (rounds,) the mean of the A of each round.
        games: how many.
    """

    share: float
    error: float
    counted: float
    counted_error: float
    by_round: Floats
    games: int


@dataclass(frozen=True)
class Games:
    """What games are played with.

    Attributes:
        second_yacht: the setting.
        values: (states,) what the states are worth.
        hard: the score distributions of hard.
        outlooks: what the player goes by.
    """

    second_yacht: int
    values: Floats
    hard: LatticeDistributions
    outlooks: Outlooks

    @classmethod
    def by(cls, options: Mapping[str, Any], name: str, folder: Path) -> Games:
        """Return games of a player who goes by the outlooks of a name.

        Args:
            options: the full option set of the rules.
            name: ``best``, ``full``, ``best_compact`` or ``compact``.
            folder: where their tables are, and that of the full outlook.

        Raises:
            TableError: a table is missing, damaged or unfit.
        """
        second_yacht = yacht.SECOND_YACHT.index(options["second_yacht"])
        values = np.array(open_table(TABLES.spec(options), folder).values)
        known = named_outlooks(options, name, folder)
        hard = known.hard if known.exact else named_outlooks(options, "full", folder).hard
        assert isinstance(hard, LatticeDistributions)
        return cls(second_yacht, values, hard, known)

    def measure(
        self,
        players: int,
        games: int,
        seed: int,
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> Gain:
        """Play whole games, as many from each seat.

        Args:
            players: how many, 2 to 6.
            games: at least so many; whole blocks from each seat are played.
            seed: what all luck is drawn from.
            threads: how many to use, all cores by default; the result does not depend on it.
            progress: called with the blocks played and all blocks.
        """
        each = max(2, -(-games // (players * WIDTH)))
        start = np.zeros((players, WIDTH), dtype=SHEET)
        start["open_boxes"] = yacht.ALL_OPEN
        jobs = [
            (seat, begin, min(_AT_ONCE, each - begin))
            for seat in range(players)
            for begin in range(0, each, _AT_ONCE)
        ]
        gained, won = np.zeros((players, each, BOX_COUNT, WIDTH)), np.zeros((players, each, WIDTH))

        def play(seat: int, begin: int, blocks: int) -> None:
            part = slice(begin, begin + blocks)
            sheets = np.repeat(start[None], blocks, axis=0)
            luck = np.random.default_rng([seed, players, seat, begin])
            gained[seat, part], won[seat, part] = self._from(sheets, seat, luck)

        self._match  # noqa: B018  once, before the threads
        with ThreadPoolExecutor(threads or available_cores()) as pool:
            for done, job in enumerate([pool.submit(play, *job) for job in jobs]):
                job.result()
                if progress:
                    progress(done + 1, len(jobs))
        sums = gained.sum(axis=2).reshape(players, -1)
        share, error = _mean_of_seats(sums)
        counted, counted_error = _mean_of_seats(won.reshape(players, -1))
        by_round = gained.mean(axis=(0, 1, 3))
        return Gain(1 / players + share, error, counted, counted_error, by_round, sums.size)

    def _from(self, sheets: Records, seat: int, luck: np.random.Generator) -> tuple[Floats, Floats]:
        blocks, players = sheets.shape[:2]
        rounds = int(sheets["open_boxes"][0, 0, 0]).bit_count()
        nodes = _Nodes(*map(np.array, NODES[(players - 1) // 2]))
        gained, won = np.zeros((blocks, rounds, WIDTH)), np.zeros((blocks, WIDTH))
        draws = luck.random((blocks, rounds, players, WIDTH))
        _play_blocks(self._match, nodes, seat, sheets, draws, gained, won)
        return gained, won

    @cached_property
    def _match(self) -> _Match:
        """What games are played with, as arrays."""
        known = self.outlooks
        exact = known.hard is self.hard
        hard = _lattice(self.second_yacht, self.hard)
        believed = hard if exact else _lattice(self.second_yacht, known.hard)
        best = believed if known.best is None else _lattice(self.second_yacht, known.best)
        part = 0.0 if known.best is None else known.best_part
        problem = problem_of(self.second_yacht)
        return _Match(problem, self.values, hard, believed, best, exact, part)


def _lattice(second_yacht: int, known: ScoreDistributions) -> Lattice:
    """Return distributions as arrays; what is beyond the rows becomes a tail at its mean."""
    start = tables.row_starts(second_yacht)
    if isinstance(known, LatticeDistributions):
        return Lattice(start, known.laid_out, known.tail, known.tail_points)
    chance = np.zeros(start[-1])
    tail, tail_points = np.zeros((2, len(start) - 1))
    widths = np.diff(start)
    for begin in range(0, len(widths), 4096):
        states = np.arange(begin, min(begin + 4096, len(widths)))
        for width in np.unique(widths[states]).tolist():
            here = states[widths[states] == width]
            rows = known.rows(here)
            inside, beyond = rows[:, :width], rows[:, width:]
            places = start[here][:, None] + np.arange(inside.shape[1])
            chance[places] = inside
            tail[here] = beyond.sum(axis=1)
            points = beyond @ np.arange(width, width + beyond.shape[1])
            np.divide(points, tail[here], out=points, where=tail[here] > 0)
            tail_points[here] = points
    return Lattice(start, chance, tail, tail_points)


def _mean_of_seats(numbers: Floats) -> tuple[float, float]:
    """Return mean and standard error of games (seats, games), as many from each seat."""
    seats, games = numbers.shape
    errors = numbers.var(axis=1, ddof=1) / games
    return float(numbers.mean()), float(np.sqrt(errors.sum()) / seats)
