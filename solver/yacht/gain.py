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
follows from the outlook of hard, the chances of the writes of the turn and the final
totals.  What is left to chance is only which positions are met.  Its deviation is some 23
times smaller than that of a counted win.

Games are played in blocks of ``WIDTH`` side by side, as :mod:`ustad.solver.five_dice.turn` solves
turns.  No turn is rolled out: what it ends with is drawn from the chances of its play.

Shapes.  A *sheet* is (open boxes, what the yacht box holds, upper sum, total).  An
outlook is a tuple of where each state's row begins, the rows, tails and their means, as
:class:`ustad.runtime.games.yacht.distributions.FullOutlook` has them.

Source.  The A are the advantages of S. Kakade and J. Langford, "Approximately optimal
approximate reinforcement learning", 2002, lemma 6.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.kernels import compiled
from ustad.runtime.core.work import Progress, available_cores
from ustad.runtime.games.five_dice import turn as dice
from ustad.runtime.games.yacht import kernels, states, tables
from ustad.runtime.games.yacht import rules as yacht
from ustad.runtime.games.yacht.distributions import NODES, REACH, FullOutlook, Laid
from ustad.runtime.games.yacht.levels import PAYMENT_BOX, PAYMENT_POINTS, PAYMENTS, ROLL_PAYMENT
from ustad.runtime.games.yacht.outlooks import Outlooks, learnt, named_outlooks
from ustad.runtime.games.yacht.states import LOWER_SETS
from ustad.runtime.games.yacht.tables import TABLES
from ustad.solver.five_dice.turn import ROLL_COUNT, WIDTH, stop_chances
from ustad.solver.yacht.outlooks import IS_FIVE_EQUAL, fill_writes
from ustad.solver.yacht.values import BOX_COUNT, ROLL_COUNTS, state_after
from ustad.tables import open_table

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Arrays = tuple[Ints, Floats, Floats, Floats]
"""An outlook: where rows begin, the rows, tails, their means."""

_KEEP_COUNT = len(dice.KEEPS)
_LONG = REACH + 30 + yacht.BONUS + yacht.EXTRA_YACHT + 2
_TIE_BREAK = 1e-10
"""What an expected point counts beside shares of the win, so that it breaks ties alone."""

_AT_ONCE = 8
"""Blocks that a thread plays at once."""

_learnt = compiled(learnt)


@compiled
def _fill_shares(
    outlook: Arrays,
    states: Ints,
    leads: Ints,
    nodes: Floats,
    node_weights: Floats,
    below: Floats,
    share: Floats,
) -> None:
    """Fill the share of the win with 0, 1, ... points more; ``below`` is scratch space."""
    start, chance, tail, tail_points = outlook
    share[:] = 0.0
    for other in range(len(states)):
        state, sums = states[other], below[other]
        row = chance[start[state] : start[state + 1]]
        at = int(tail_points[state])
        part = tail_points[state] - at
        total = 0.0
        sums[0] = 0.0
        for x in range(REACH):
            if x < len(row):
                total += row[x]
            if x == at:
                total += tail[state] * (1 - part)
            elif x == at + 1:
                total += tail[state] * part
            sums[x + 1] = total
        sums[REACH + 1] = 1.0
    for node in range(len(nodes)):
        z = nodes[node]
        for x in range(len(share)):
            product = node_weights[node]
            for other in range(len(states)):
                at = leads[other] + x
                if at < 0:
                    product = 0.0
                elif at <= REACH:
                    product *= below[other, at] * (1 - z) + below[other, at + 1] * z
            share[x] += product


@compiled
def _worth(outlook: Arrays, state: int, points: int, share: Floats) -> float:
    """Return the mean share of a state with so many points added."""
    start, chance, tail, tail_points = outlook
    row = chance[start[state] : start[state + 1]]
    worth = np.dot(row, share[points : points + len(row)])
    if tail[state] > 0:
        at = int(tail_points[state])
        part = tail_points[state] - at
        worth += tail[state] * ((1 - part) * share[points + at] + part * share[points + at + 1])
    return float(worth)


@compiled
def _rate_write(
    second_yacht: int,
    values: Floats,
    column: Ints,
    outlooks: tuple[Arrays, Arrays, Arrays],
    exact: bool,
    weight: float,
    sheet: Ints,
    box: int,
    points: int,
    extra: int,
    shares: Floats,
) -> tuple[float, float]:
    """Return what a write is worth as it is rated, and if hard plays on."""
    judge, field, best = outlooks
    open_boxes, held, upper, _ = sheet
    count = len(values)
    after = state_after(second_yacht, column, count, open_boxes, held, upper, box, points)
    paid = kernels.upper_points(box, points, upper) + extra
    true = _worth(judge, after, paid, shares[0])
    rated = (1 - weight) * (true if exact else _worth(field, after, paid, shares[1]))
    if weight != 0.0:
        rated += weight * _worth(best, after, paid, shares[1])
    return rated + _TIE_BREAK * (values[after] + paid), true


@compiled
def _rate_rolls(
    second_yacht: int,
    values: Floats,
    column: Ints,
    outlooks: tuple[Arrays, Arrays, Arrays],
    exact: bool,
    weight: float,
    sheet: Ints,
    shares: Floats,
    rates: Floats,
    rated: Floats,
    box_of: Floats,
    true: Floats,
) -> None:
    """Fill what the best write of each roll is worth, its box, and its worth if hard plays on."""
    for payment in range(PAYMENTS):
        box, points = PAYMENT_BOX[payment], PAYMENT_POINTS[payment]
        if sheet[0] >> box & 1:
            rates[payment, 0], rates[payment, 1] = _rate_write(
                second_yacht, values, column, outlooks, exact, weight, sheet, box, points, 0, shares
            )
    for roll in range(ROLL_COUNT):
        rated[roll] = -np.inf
        counts = ROLL_COUNTS[roll]
        extra = kernels.extra_points(second_yacht, sheet[1], counts)
        for box in range(BOX_COUNT):
            if not sheet[0] >> box & 1:
                continue
            if IS_FIVE_EQUAL[roll]:
                points = kernels.write_points(second_yacht, sheet[0], box, counts)
                if points < 0:
                    continue
                here = _rate_write(
                    second_yacht,
                    values,
                    column,
                    outlooks,
                    exact,
                    weight,
                    sheet,
                    box,
                    points,
                    extra,
                    shares,
                )
            else:
                payment = ROLL_PAYMENT[roll, box]
                here = rates[payment, 0], rates[payment, 1]
            if here[0] > rated[roll]:
                rated[roll], true[roll], box_of[roll] = here[0], here[1], box


@compiled
def _play_blocks(
    second_yacht: int,
    values: Floats,
    column: Ints,
    outlooks: tuple[Arrays, Arrays, Arrays],
    exact: bool,
    best_part: float,
    seat: int,
    nodes: Floats,
    node_weights: Floats,
    sheets: Ints,
    luck: Floats,
    gained: Floats,
    won: Floats,
) -> None:
    """Play blocks of games to their end.

    Args:
        second_yacht: the setting.
        values: (states,) what the states are worth.
        column: :attr:`Columns.column`.
        outlooks: of hard; what the player at ``seat`` takes it for; that player's best chances.
        exact: the player takes hard for what it is.
        best_part: what those count in the last; 0: they are not known.
        seat: who does not play like hard.
        nodes: where polynomials are taken to integrate them.
        node_weights: what each counts.
        sheets: (blocks, players, WIDTH, 4) those at the start of a round.
        luck: (blocks, rounds, players, WIDTH) in [0, 1), which draw what turns end with.
        gained: (blocks, rounds, WIDTH) filled with the A of the turns.
        won: (blocks, WIDTH) filled with the shares won.
    """
    judge, field, _ = outlooks
    per = (len(judge[0]) - 1) // ((2 if second_yacht == yacht.PLAIN else 3) * LOWER_SETS)
    blocks, rounds, players, _ = luck.shape
    stop = np.zeros((ROLL_COUNT, WIDTH))
    box_of = np.zeros((ROLL_COUNT, WIDTH))
    ended = np.zeros((ROLL_COUNT, WIDTH))
    true = np.zeros((ROLL_COUNT, WIDTH))
    work = np.zeros((_KEEP_COUNT, WIDTH))
    first = np.zeros((_KEEP_COUNT, WIDTH))
    second = np.zeros((_KEEP_COUNT, WIDTH))
    mass = np.zeros((_KEEP_COUNT, WIDTH))
    gain = np.zeros((PAYMENTS, WIDTH))
    rates = np.zeros((PAYMENTS, 2))
    below = np.zeros((players, REACH + 2))
    shares = np.zeros((2, _LONG))
    states = np.zeros(players - 1, dtype=np.int64)
    leads = np.zeros(players - 1, dtype=np.int64)
    for block in range(blocks):
        table = sheets[block]
        for number in range(rounds):
            for player in range(players):
                for lane in range(WIDTH):
                    own = table[player, lane]
                    lanes = slice(lane, lane + 1)
                    if player != seat:
                        fill_writes(
                            second_yacht,
                            values,
                            column,
                            own[0],
                            own[1],
                            own[2:3],
                            gain,
                            stop[:, lanes],
                            box_of[:, lanes],
                        )
                        continue
                    for at in range(players - 1):
                        other = table[at + (at >= seat), lane]
                        states[at] = kernels.state_number(column, per, other[0], other[1], other[2])
                        leads[at] = own[3] - other[3]
                    _fill_shares(judge, states, leads, nodes, node_weights, below, shares[0])
                    if exact:
                        shares[1] = shares[0]
                    else:
                        _fill_shares(field, states, leads, nodes, node_weights, below, shares[1])
                    state = kernels.state_number(column, per, own[0], own[1], own[2])
                    weight = 0.0
                    if best_part > 0:
                        # As the bot has it: by what it holds the outlook of hard to be.
                        share = _worth(field, state, 0, shares[1])
                        left = rounds - number
                        weight = _learnt(left, seat / (players - 1), share) / best_part
                    _rate_rolls(
                        second_yacht,
                        values,
                        column,
                        outlooks,
                        exact,
                        weight,
                        own,
                        shares,
                        rates,
                        stop[:, lane],
                        box_of[:, lane],
                        true[:, lane],
                    )
                    gained[block, number, lane] = -_worth(judge, state, 0, shares[0])
                stop_chances(stop, work, second, first, mass, ended)
                for lane in range(WIDTH):
                    own = table[player, lane]
                    reached, roll = 0.0, -1
                    for at in range(ROLL_COUNT):
                        if player == seat:
                            gained[block, number, lane] += ended[at, lane] * true[at, lane]
                        if ended[at, lane] > 0 and reached <= luck[block, number, player, lane]:
                            roll = at
                            reached += ended[at, lane]
                    box, counts = int(box_of[roll, lane]), ROLL_COUNTS[roll]
                    points = kernels.write_points(second_yacht, own[0], box, counts)
                    own[3] += kernels.upper_points(box, points, own[2])
                    own[3] += kernels.extra_points(second_yacht, own[1], counts)
                    own[0] &= ~(1 << box)
                    own[1] = kernels.yacht_after(second_yacht, own[1], box, points)
                    own[2] = kernels.upper_after(box, points, own[2])
        for lane in range(WIDTH):
            totals = table[:, lane, 3]
            ahead = totals[seat] == totals.max()
            won[block, lane] = 1.0 / (totals == totals[seat]).sum() if ahead else 0.0


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
        hard: the outlook of hard.
        outlooks: what the player goes by.
    """

    second_yacht: int
    values: Floats
    hard: FullOutlook
    outlooks: Outlooks

    @classmethod
    def by(cls, options: Mapping[str, Any], name: str, folder: Path) -> Games:
        """Return games of who goes by the outlooks of a name.

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
        if isinstance(known.field, FullOutlook):
            return cls(second_yacht, values, known.field, known)
        hard = named_outlooks(options, "full", folder).field
        assert isinstance(hard, FullOutlook)
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
        start = np.zeros((players, WIDTH, 4), dtype=np.int64)
        start[:, :, 0] = yacht.ALL_OPEN
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

        self._arrays()  # once, before the threads
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

    def from_position(
        self, sheets: Ints, seat: int, blocks: int, seed: int
    ) -> tuple[Floats, Floats]:
        """Play games from sheets (players, 4) at the start of a round.

        Returns:
            (games, rounds) the A of the turns of the player at ``seat``; (games,) the
            shares of the win.
        """
        start = np.repeat(sheets[:, None], WIDTH, axis=1)
        luck = np.random.default_rng(seed)
        gained, won = self._from(np.repeat(start[None], blocks, axis=0), seat, luck)
        return gained.transpose(0, 2, 1).reshape(won.size, -1), won.ravel()

    def _from(self, sheets: Ints, seat: int, luck: np.random.Generator) -> tuple[Floats, Floats]:
        blocks, players = sheets.shape[:2]
        rounds = int(sheets[0, 0, 0, 0]).bit_count()
        nodes, weights = map(np.array, NODES[(players - 1) // 2])
        gained, won = np.zeros((blocks, rounds, WIDTH)), np.zeros((blocks, WIDTH))
        outlooks, part = self._arrays()
        draws = luck.random((blocks, rounds, players, WIDTH))
        _play_blocks(
            self.second_yacht,
            self.values,
            states.columns().column,
            outlooks,
            self.outlooks.field is self.hard,
            part,
            seat,
            nodes,
            weights,
            sheets,
            draws,
            gained,
            won,
        )
        return gained, won

    def _arrays(self) -> tuple[tuple[Arrays, Arrays, Arrays], float]:
        """Return the outlooks as arrays, laid out once, and what best chances count there."""
        if "arrays" not in self.__dict__:
            judge = _laid_out(self.second_yacht, self.hard)
            known = self.outlooks
            field = judge if known.field is self.hard else _laid_out(self.second_yacht, known.field)
            best = field if known.best is None else _laid_out(self.second_yacht, known.best)
            part = 0.0 if known.best is None else known.best_part
            self.__dict__["arrays"] = (judge, field, best), part
        found: tuple[tuple[Arrays, Arrays, Arrays], float] = self.__dict__["arrays"]
        return found


def _laid_out(second_yacht: int, outlook: Laid) -> Arrays:
    """Return an outlook as arrays; what is beyond the rows becomes a tail at its mean."""
    start = tables.row_starts(second_yacht)
    if isinstance(outlook, FullOutlook):
        return start, outlook.laid_out, outlook.tail, outlook.tail_points
    chance = np.zeros(start[-1])
    tail, tail_points = np.zeros((2, len(start) - 1))
    widths = np.diff(start)
    for begin in range(0, len(widths), 4096):
        states = np.arange(begin, min(begin + 4096, len(widths)))
        for width in np.unique(widths[states]).tolist():
            here = states[widths[states] == width]
            rows = outlook.rows(here)
            inside, beyond = rows[:, :width], rows[:, width:]
            places = start[here][:, None] + np.arange(inside.shape[1])
            chance[places] = inside
            tail[here] = beyond.sum(axis=1)
            points = beyond @ np.arange(width, width + beyond.shape[1])
            np.divide(points, tail[here], out=points, where=tail[here] > 0)
            tail_points[here] = points
    return start, chance, tail, tail_points


def _mean_of_seats(numbers: Floats) -> tuple[float, float]:
    """Return mean and standard error of games (seats, games), as many from each seat."""
    seats, games = numbers.shape
    errors = numbers.var(axis=1, ddof=1) / games
    return float(numbers.mean()), float(np.sqrt(errors.sum()) / seats)
