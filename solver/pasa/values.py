"""Pasa solved: the win share of every seat in every state, for two to six seats.

The problem.  Between throws the game is the stacks and the turns left; each
seat wants the largest share of the win for itself.  Let V(k, s) be the shares
with k turns left and stacks s, the thrower's first.  A bachyo changes nothing,
and of the throws that decide half are paro, half tiro, so bets b lead to

    W(b) = (V(k, s with the bets taken) + V'(k - 1, s with the bets paid)) / 2,

V' being turned back to the seats of this throw, and V(0, s) the shares of the
win.  The seats bet one after the other, each seeing the bets before, so the
throw is a small tree: the last seat picks the bet with its largest own share,
the seat before it knows that, and so on.

The algorithm.  Every bet of a seat with chips is at least one stake (only once
the thrower has nothing left to cover it is 0, and the first bet is never 0), so
a paro raises the thrower's stack and a tiro lowers the turns left: there are no
cycles, and **one backward pass** over turns left, then over the thrower's stack
from everything down to one, is exact.  The numbers of the splits (see
:mod:`ustad.runtime.games.pasa.rules`) run in just that order.  The bets of a throw are
enumerated depth first and not stored.

With two seats the shares are the value of a zero-sum game.  With more they are
a subgame-perfect equilibrium, one of several: **bets whose own share is within
1e-9 of the best are tied and the smallest is taken, and the values depend on
that.**  The bot applies the same rule to the same stored numbers and so makes
the bets that were made here.

The same pass gives the exact strength of any field of policies
(:func:`evaluate`): a seat may bet the least or the most, draw a button, follow
the lead rule or the stored table; seats that play ``best`` maximise their own
share against the others, which for one such seat is the exact best response.

Shapes.  ``values`` is (turns + 1, splits, seats) float64, turns left first; the
table is ``values[1:]``.  Floating-point order is fixed for each state, so the
values do not depend on the number of threads.

Source.  Backward induction; that decided throws are half paro, half tiro is in
the source document.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.errors import UsageError
from ustad.runtime.core.kernels import compiled
from ustad.runtime.core.work import Progress, available_cores
from ustad.runtime.games.pasa import kernels
from ustad.runtime.games.pasa.rules import POSITION_OPTIONS, BetRules, Menu, Pasa
from ustad.runtime.games.pasa.states import (
    binomials,
    even_split,
    first_split,
    least_chips,
    split_number,
)
from ustad.runtime.games.pasa.tables import TABLES
from ustad.solver.build import Built

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

POLICIES = ("best", "min", "max", "random", "hard", "table")
"""What a seat may do: maximise its share, bet the least, the most, draw one of the legal bets,
follow the lead rule of level hard, or follow the stored table."""

_BEST, _LEAST, _MOST, _RANDOM, _LEAD, _TABLE = range(len(POLICIES))

_SIDE_BY_SIDE = 1024
"""States of one thrower's stack for which a thread of its own is worth starting."""

_is_ahead = kernels.is_ahead
_smallest_best = kernels.smallest_best

_SAMPLE_RUNS, _SAMPLE_RUN, _SAMPLE_SECONDS = 64, 32, 0.2
"""How many runs of how many states are solved to forecast the time, and how long at most."""


@compiled
def _split_at(number: int, binomial: Ints, held: Ints) -> None:
    """Fill ``held[j]`` for j = 1..seats - 1 with the chips of the last j seats of a split.

    Args:
        number: the number of the split.
        binomial: (seats, chips + 2): C(q + j - 1, j) for j and q.
        held: (seats + 1,); the first is 0 and the last all chips.
    """
    for j in range(len(held) - 2, 0, -1):
        count = held[j + 1]
        while binomial[j, count] > number:
            count -= 1
        held[j] = count
        number -= binomial[j, count]


@compiled
def _next_split(held: Ints) -> None:
    """Change ``held`` into that of the next split."""
    j = 1
    while j < len(held) - 2 and held[j] == held[j + 1]:
        held[j] = 0
        j += 1
    held[j] += 1


@compiled
def _final_shares(binomial: Ints, chips: int, begin: int, values: Floats) -> None:
    """Fill (splits, seats) ``values`` from row ``begin`` on with the shares of finished games."""
    seats = values.shape[1]
    held = np.zeros(seats + 1, dtype=np.int64)
    held[seats] = chips
    for split in range(binomial[seats - 1, chips + 1]):
        most = 0
        for seat in range(seats):
            most = max(most, held[seats - seat] - held[seats - seat - 1])
        winners = 0
        for seat in range(seats):
            winners += held[seats - seat] - held[seats - seat - 1] == most
        for seat in range(seats):
            won = held[seats - seat] - held[seats - seat - 1] == most
            values[begin + split, seat] = 1 / winners if won else 0.0
        _next_split(held)


@compiled
def _turned(binomial: Ints, stacks: Ints) -> int:
    """Return the number of the split with the second seat first, the first having no chips."""
    seats = len(stacks)
    number = 0
    held = 0
    for j in range(2, seats):
        held += stacks[seats + 1 - j]
        number += binomial[j, held]
    return number


@compiled
def _after_throw(
    binomial: Ints, begin: int, stacks: Ints, bets: Ints, now: Floats, later: Floats, node: Floats
) -> None:
    """Fill ``node`` with the shares once the bets are made.

    Args:
        binomial: as for :func:`_split_at`.
        begin: the row of the first split of these chips.
        stacks: (seats,) the thrower's first.
        bets: (seats,) the thrower's is 0.
        now: (splits, seats) the shares with this turn still on.
        later: (splits, seats) the shares with one turn less.
        node: (seats,).
    """
    seats = len(stacks)
    total = 0
    for seat in range(1, seats):
        total += bets[seat]
    taken = 0
    paid = stacks[0] - total
    paro = begin
    tiro = begin + binomial[1, paid]
    for j in range(1, seats):
        seat = seats - j
        taken += stacks[seat] - bets[seat]
        paro += binomial[j, taken]
        if j < seats - 1:
            paid += stacks[seat] + bets[seat]
            tiro += binomial[j + 1, paid]
    node[0] = 0.5 * (now[paro, 0] + later[tiro, seats - 1])
    for seat in range(1, seats):
        node[seat] = 0.5 * (now[paro, seat] + later[tiro, seat - 1])


@compiled
def _first_bet(
    policy: int, guided: bool, menu: int, most: int, stacks: Ints, seat: int, turns_left: int
) -> int:
    """Return the bet that a seat is asked about first: the smallest, or the only one it can make.

    Where nobody follows a table, a seat that bets by rule is asked about one bet alone.
    """
    if not guided and (
        policy == _MOST or (policy == _LEAD and not _is_ahead(stacks, seat, turns_left))
    ):
        return most
    return kernels.next_bet(menu, most, -1)


@compiled
def _decide(
    policy: int, found: Floats, count: int, seat: int, is_ahead: bool, guided: bool, node: Floats
) -> None:
    """Fill ``node`` with what follows when a seat has seen what follows each of its bets.

    Args:
        policy: what the seat does.
        found: (bets, columns) the shares after each bet in ascending order, in
            the columns from ``seats`` on those by the table.
        count: how many bets there are.
        seat: the seat.
        is_ahead: whether the lead rule bets the least.
        guided: whether there are columns by the table.
        node: (columns,).
    """
    seats = len(node) // 2 if guided else len(node)
    bet = 0
    if policy == _BEST:
        bet = _smallest_best(found[:count, seat])
    elif policy == _MOST or (policy == _LEAD and not is_ahead):
        bet = count - 1
    elif policy == _TABLE:
        bet = _smallest_best(found[:count, seats + seat])
    for column in range(seats):
        node[column] = found[bet, column]
    if policy == _RANDOM:
        for column in range(seats):
            total = 0.0
            for row in range(count):
                total += found[row, column]
            node[column] = total / count
    if guided:
        bet = _smallest_best(found[:count, seats + seat])
        for column in range(seats, 2 * seats):
            node[column] = found[bet, column]


@compiled
def _solve_throw(
    rules: BetRules,
    policies: Ints,
    binomial: Ints,
    first_row: int,
    turns_left: int,
    shares: tuple[Floats, Floats, Floats, Floats],
    stacks: Ints,
    bettors: int,
    work: tuple[Ints, Ints, Ints, Ints, Floats, Floats],
) -> None:
    """Leave in the last array of ``work`` what one throw is worth before its first bet.

    Args:
        rules: cap, max_bet and menu.
        policies: (seats,) what each seat does, counted from the thrower.
        binomial: as for :func:`_split_at`.
        first_row: the row of the first split of these chips.
        turns_left: the turns left.
        shares: (splits, seats) with this turn still on and with one less; the
            same of the table that seats may follow, or without rows.
        stacks: (seats,) the thrower's first.
        bettors: how many other seats have chips.
        work: (seats,) the seats with chips in the order of betting, then scratch
            space: bets by seat, the most allowed and the bets seen by depth;
            (seats, bets, columns) what follows each bet by depth; (columns,).
    """
    now, later, guide_now, guide_later = shares
    order, bets, most, count, found, node = work
    seats = len(stacks)
    guided = len(node) > seats
    bets[:] = 0
    covered = 0
    depth = 0
    while depth >= 0:
        while depth < bettors:  # down: each seat still to bet makes its first bet
            seat = order[depth]
            allowed = kernels.most_allowed(rules, stacks[0], bettors, stacks[seat], covered)
            bet = _first_bet(policies[seat], guided, rules.menu, allowed, stacks, seat, turns_left)
            most[depth], count[depth], bets[seat] = allowed, 0, bet
            covered += bet
            depth += 1
        _after_throw(binomial, first_row, stacks, bets, now, later, node)
        if guided:
            _after_throw(binomial, first_row, stacks, bets, guide_now, guide_later, node[seats:])
        depth -= 1
        while depth >= 0:  # up: each seat that has seen all its bets decides
            seat = order[depth]
            policy = policies[seat]
            for column in range(len(node)):
                found[depth, count[depth], column] = node[column]
            count[depth] += 1
            covered -= bets[seat]
            bet = -1
            if guided or policy in (_BEST, _RANDOM):
                bet = kernels.next_bet(rules.menu, most[depth], bets[seat])
            if bet >= 0:
                bets[seat] = bet
                covered += bet
                depth += 1
                break
            is_ahead = policy == _LEAD and _is_ahead(stacks, seat, turns_left)
            _decide(policy, found[depth], count[depth], seat, is_ahead, guided, node)
            depth -= 1


@compiled
def _solve_splits(
    rules: BetRules,
    policies: Ints,
    binomial: Ints,
    chips: int,
    rows: tuple[int, int, int],
    turns_left: int,
    values: Floats,
    guide: Floats,
    width: int,
) -> None:
    """Solve a run of splits, those with a larger stack of the thrower being solved.

    Args:
        rules: cap, max_bet and menu.
        policies: (seats,) what each seat does, counted from the thrower.
        binomial: as for :func:`_split_at`.
        chips: all chips.
        rows: the row of the first split of these chips, the first split to
            solve, the one after the last.
        turns_left: the turns left.
        values: (turns + 1, splits, seats).
        guide: the same of the table that seats may follow, or (1, 0, seats).
        width: the most legal bets that there can be.
    """
    first_row, begin, end = rows
    seats = values.shape[2]
    guided = guide.shape[1] > 0
    now, later = values[turns_left], values[turns_left - 1]
    shares = (
        now,
        later,
        guide[turns_left if guided else 0],
        guide[turns_left - 1 if guided else 0],
    )
    held = np.zeros(seats + 1, dtype=np.int64)
    held[seats] = chips
    _split_at(begin, binomial, held)
    stacks = np.empty(seats, dtype=np.int64)
    order = np.empty(seats, dtype=np.int64)
    columns = 2 * seats if guided else seats
    node = np.empty(columns)
    work = (
        order,
        np.empty(seats, dtype=np.int64),
        np.empty(seats, dtype=np.int64),
        np.empty(seats, dtype=np.int64),
        np.empty((seats, width, columns)),
        node,
    )
    for split in range(begin, end):
        bettors = 0
        for seat in range(seats):
            stacks[seat] = held[seats - seat] - held[seats - seat - 1]
            if seat > 0 and stacks[seat] > 0:
                order[bettors] = seat
                bettors += 1
        _next_split(held)
        row = first_row + split
        if bettors == 0 or (bettors == 1 and stacks[0] == 0):  # one seat has every chip
            now[row] = values[0, row]
        elif stacks[0] == 0:  # skipped
            after = later[first_row + _turned(binomial, stacks)]
            now[row, 0] = after[seats - 1]
            now[row, 1:] = after[:-1]
        else:
            _solve_throw(
                rules, policies, binomial, first_row, turns_left, shares, stacks, bettors, work
            )
            now[row] = node[:seats]


@dataclass(frozen=True)
class _Work:
    """What the passes over one table share.

    Attributes:
        rules: cap, max_bet and menu.
        players: the seats.
        chips: all chips, the largest total of the table.
        turns: the turns of a whole game.
        splits: the splits of all totals in the table.
        binomial: (seats, chips + 2): C(q + j - 1, j) for j and q.
        width: the most legal bets that there can be.
    """

    rules: BetRules
    players: int
    chips: int
    turns: int
    splits: int
    binomial: Ints
    width: int

    def totals(self) -> range:
        """Return the totals of chips in the table."""
        return range(least_chips(self.players, self.chips), self.chips + 1)

    def first_row(self, total: int) -> int:
        """Return the row of the first split of a total."""
        return first_split(self.players, self.chips, total)

    def count(self, total: int) -> int:
        """Return how many splits of a total there are."""
        return int(self.binomial[self.players - 1, total + 1])

    def steps(self, total: int, threads: int) -> Iterator[list[tuple[int, int]]]:
        """Return the runs of splits to solve one after the other, each cut into parallel parts.

        Splits with one thrower's stack do not need each other.  Where they are
        too few to be shared out, they are solved in one run with those before.
        """
        layers = self.binomial[self.players - 1, : total + 2].tolist()
        pending = 0
        for begin, end in pairwise(layers):
            parts = min(threads, (end - begin) // _SIDE_BY_SIDE)
            if parts < 2:
                continue
            if pending < begin:
                yield [(pending, begin)]
            cuts = [begin + (end - begin) * part // parts for part in range(parts + 1)]
            yield list(pairwise(cuts))
            pending = end
        if pending < layers[-1]:
            yield [(pending, layers[-1])]


def _work(options: Mapping[str, Any]) -> _Work:
    """Return the work for a table's key, or raise OptionError if it cannot fit."""
    spec = TABLES.spec(options)
    players, chips = spec.options["players"], spec.options["chips"]
    rules = Pasa(**{option.name: spec.options[option.name] for option in POSITION_OPTIONS}).numbers
    buttons = 4 if rules.menu == Menu.BUTTONS else min(max(chips // 2, 1), rules.max_bet)
    turns, splits, _ = spec.shape
    return _Work(
        rules,
        players,
        chips,
        turns,
        splits,
        binomials(players, chips),
        buttons,
    )


def _pass(
    work: _Work,
    field: Sequence[int],
    guide: Floats,
    progress: Progress | None,
    threads: int | None,
) -> Floats:
    """Return (turns + 1, splits, seats) the shares of a field of policies.

    Args:
        work: the table.
        field: what each seat does, by its distance from the first thrower.
        guide: the values of the table that seats may follow, or without rows.
        progress: called with the states done and all states.
        threads: how many to use, all cores by default.
    """
    values = np.full((work.turns + 1, work.splits, work.players), np.nan)
    _finish(work, values[0])
    threads = threads or available_cores()
    states, done = work.turns * work.splits, 0
    with ThreadPoolExecutor(threads) as pool:
        for turns_left in range(1, work.turns + 1):
            # The seat that throws with so many turns left is 0 for the kernel.
            policies = np.roll(np.array(field), turns_left)
            for total in work.totals():
                row = work.first_row(total)
                for parts in work.steps(total, threads):
                    rest = (turns_left, values, guide, work.width)
                    jobs = [
                        (work.rules, policies, work.binomial, total, (row, *part), *rest)
                        for part in parts
                    ]
                    if len(jobs) == 1:
                        _solve_splits(*jobs[0])
                    else:
                        list(pool.map(lambda job: _solve_splits(*job), jobs))
                    done += parts[-1][1] - parts[0][0]
                    if progress:
                        progress(done, states)
    return values


def _finish(work: _Work, values: Floats) -> None:
    """Fill (splits, seats) with the shares of finished games."""
    for total in work.totals():
        _final_shares(work.binomial, total, work.first_row(total), values)


def _no_guide(work: _Work) -> Floats:
    return np.empty((1, 0, work.players))


def solve(
    options: Mapping[str, Any], progress: Progress | None = None, threads: int | None = None
) -> Floats:
    """Return the shares of every state when each seat makes its best bet.

    Args:
        options: the key of the table.
        progress: called with the states done and all states.
        threads: how many to use, all cores by default; the values do not
            depend on it.

    Returns:
        (turns, splits, seats) float64 win shares, thrower first.

    Raises:
        OptionError: the key is wrong, or its table cannot fit.
    """
    work = _work(options)
    return _pass(work, [_BEST] * work.players, _no_guide(work), progress, threads)[1:]


def evaluate(
    options: Mapping[str, Any],
    field: Sequence[str],
    table: Floats | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
) -> tuple[float, ...]:
    """Return the exact win share of each seat of a field of policies, from the start of a game.

    With one seat that plays ``best`` its share is that of the exact best
    response to the others.  Several such seats play the equilibrium among them.

    Args:
        options: the key of a table: seats, chips, laps and rules.
        field: one of :data:`POLICIES` for each seat, the first thrower first.
        table: the values of the table of this key, needed by seats that follow
            it; (turns, splits, seats).
        progress: called with the states done and all states.
        threads: how many to use, all cores by default.

    Returns:
        The shares, the first thrower's first; they sum to 1.

    Raises:
        OptionError: the key is wrong, or its states cannot fit.
        UsageError: the field is not one, or lacks the table that it follows.
    """
    work = _work(options)
    unknown = [name for name in field if name not in POLICIES]
    if unknown or len(field) != work.players:
        raise UsageError(
            f"field: expected {work.players} of {', '.join(POLICIES)}, got {', '.join(field)}"
        )
    guide = _no_guide(work)
    if "table" in field:
        shape = (work.turns, work.splits, work.players)
        if table is None or table.shape != shape:
            found = "none" if table is None else f"one of shape {table.shape}"
            raise UsageError(f"table: expected values of shape {shape}, got {found}")
        guide = np.empty((work.turns + 1, *shape[1:]))
        _finish(work, guide[0])
        guide[1:] = table
    policies = [POLICIES.index(name) for name in field]
    values = _pass(work, policies, guide, progress, threads)
    start = split_number(even_split(work.players, work.chips))
    shares: list[float] = values[-1, work.first_row(work.chips) + start].tolist()
    return tuple(shares)


def mean_share(
    options: Mapping[str, Any], hero: str, others: str, table: Floats | None = None
) -> float:
    """Return the exact win share of one policy against others, its seat averaged.

    Args:
        options: the key of a table.
        hero: what one seat does, one of :data:`POLICIES`.
        others: what every other seat does.
        table: as for :func:`evaluate`.
    """
    players = _work(options).players
    shares = []
    for seat in range(players):
        field = [others] * players
        field[seat] = hero
        shares.append(evaluate(options, field, table)[seat])
    return sum(shares) / players


def forecast(options: Mapping[str, Any]) -> str:
    """Return how large a table will be and how long it will take, in one line.

    The time is measured: states spread evenly over the table are solved on
    empty values, since how many bets they have does not depend on the values.

    Raises:
        OptionError: the key is wrong, or its table cannot fit.
    """
    work = _work(options)
    states = work.turns * work.splits
    size = 8 * states * work.players
    seconds = states * _seconds_a_state(work)
    return (
        f"{TABLES.spec(options).what}: {states:,} states, {size / 1e6:,.1f} MB of values, "
        f"about twice that in memory while they are made, about {seconds:,.2f} CPU seconds to solve"
    )


def _seconds_a_state(work: _Work) -> float:
    """Return the CPU seconds that a state takes on average, from a sample."""
    values = np.zeros((2, work.splits, work.players))
    policies = np.full(work.players, _BEST)
    row, count = work.first_row(work.chips), work.count(work.chips)
    run = min(_SAMPLE_RUN, count)

    def seconds(begin: int) -> float:
        rows = (row, begin, begin + run)
        rest = (1, values, _no_guide(work), work.width)
        before = time.thread_time()
        _solve_splits(work.rules, policies, work.binomial, work.chips, rows, *rest)
        return time.thread_time() - before

    seconds(0)  # compiles
    # Each run goes twice: the first touches the memory, as the states before do in earnest.
    runs = np.linspace(0, count - run, min(_SAMPLE_RUNS, count // run), dtype=np.int64)
    taken: list[float] = []
    for begin in np.random.default_rng(0).permutation(runs).tolist():
        taken.append(min(seconds(begin), seconds(begin)))
        if sum(taken) > _SAMPLE_SECONDS:
            break
    return sum(taken) / (run * len(taken))


def build(options: Mapping[str, Any], progress: Progress | None = None) -> Built:
    """Solve one table and return what its file holds."""
    values = solve(options, progress)
    work = _work(options)
    counts = {"states": work.turns * work.splits, "splits": work.splits}
    spec = TABLES.spec(options)
    return Built(spec, values, counts, TABLES.structure(spec.options))
