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
:mod:`ustad.runtime.games.pasa.states`) run in just that order.  One throw is solved in
:mod:`ustad.solver.pasa.throws`.

With two seats the shares are the value of a zero-sum game.  With more they are
a subgame-perfect equilibrium, one of several: **bets whose own share is within
1e-9 of the best are tied and the smallest is taken, and the values depend on
that.**  The bot applies the same rule to the same stored numbers and so makes
the bets that were made here.

The same pass gives the exact strength of any field of policies, see
:mod:`ustad.solver.pasa.strength`.

Shapes.  ``values`` is (turns + 1, splits, seats) float64, turns left first; the
table is ``values[1:]``.  Floating-point order is fixed for each state, so the
values do not depend on the number of threads.

Source.  Backward induction; that decided throws are half paro, half tiro is in
the source document.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from ustad.runtime.core.work import Progress, available_cores
from ustad.runtime.games.pasa.rules import Menu, RuleNumbers
from ustad.runtime.games.pasa.states import (
    Floats,
    Ints,
    binomials,
    finished_shares,
    first_split,
    totals,
)
from ustad.runtime.games.pasa.tables import TABLES, rules_of
from ustad.solver.pasa.throws import Layer, Policy, solve_splits

MOST_BUTTONS = 4

_SIDE_BY_SIDE = 1024
"""States of one thrower's stack for which a thread of its own is worth starting."""


@dataclass(frozen=True)
class Plan:
    """What the passes over one table share.

    Attributes:
        rules: what may be bet.
        players: the seats.
        chips: all chips, the largest total of the table.
        turns: the turns of a whole game.
        splits: the splits of all totals in the table.
        binomial: (seats, chips + 2): C(q + j - 1, j) for j and q.
        width: the most legal bets that there can be.
    """

    rules: RuleNumbers
    players: int
    chips: int
    turns: int
    splits: int
    binomial: Ints
    width: int

    @property
    def states(self) -> int:
        """How many states there are."""
        return self.turns * self.splits

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


def plan_of(options: Mapping[str, Any]) -> Plan:
    """Return the plan for a table's key, or raise OptionError if it cannot fit."""
    spec = TABLES.spec(options)
    players, chips = spec.options["players"], spec.options["chips"]
    rules = rules_of(spec).numbers
    width = MOST_BUTTONS if rules.menu == Menu.BUTTONS else min(max(chips // 2, 1), rules.max_bet)
    turns, splits, _ = spec.shape
    return Plan(rules, players, chips, turns, splits, binomials(players, chips), width)


def layer_of(
    plan: Plan, policies: Sequence[int], values: Floats, guide: Floats, turns_left: int, total: int
) -> Layer:
    """Return the states of one total with so many turns left.

    Args:
        plan: the table.
        policies: what each seat does, by its distance from the first thrower.
        values: (turns + 1, splits, seats) the shares.
        guide: the same of the table that seats may follow, or without rows.
        turns_left: the turns left.
        total: all chips.
    """
    guide_now, guide_later = guide[0], guide[0]
    if len(guide) > 1:
        guide_now, guide_later = guide[turns_left], guide[turns_left - 1]
    return Layer(
        rules=plan.rules,
        binomial=plan.binomial,
        chips=total,
        first_row=plan.first_row(total),
        turns_left=turns_left,
        policies=np.roll(np.array(policies), turns_left),  # the thrower's first
        finished=values[0],
        now=values[turns_left],
        later=values[turns_left - 1],
        guide_now=guide_now,
        guide_later=guide_later,
        width=plan.width,
    )


def backward_pass(
    plan: Plan,
    policies: Sequence[int],
    guide: Floats,
    progress: Progress | None,
    threads: int | None,
) -> Floats:
    """Return (turns + 1, splits, seats) the shares of a field of policies.

    Args:
        plan: the table.
        policies: what each seat does, by its distance from the first thrower.
        guide: the values of the table that seats may follow, or without rows.
        progress: called with the states done and all states.
        threads: how many to use, all cores by default.
    """
    finished = finished_shares(plan.players, plan.chips)
    values = np.full((plan.turns + 1, plan.splits, plan.players), np.nan)
    values[0] = finished
    threads, done = threads or available_cores(), 0
    with ThreadPoolExecutor(threads) as pool:
        for turns_left in range(1, plan.turns + 1):
            for total in totals(plan.players, plan.chips):
                layer = layer_of(plan, policies, values, guide, turns_left, total)
                solve_run = partial(solve_splits, layer)
                for parts in plan.steps(total, threads):
                    if len(parts) == 1:
                        solve_run(*parts[0])
                    else:
                        list(pool.map(solve_run, *zip(*parts, strict=True)))
                    (first, _), (_, last) = parts[0], parts[-1]
                    done += last - first
                    if progress:
                        progress(done, plan.states)
    return values


def no_guide(plan: Plan) -> Floats:
    """Return what stands for a table where no seat follows one."""
    return np.empty((1, 0, plan.players))


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
    plan = plan_of(options)
    return backward_pass(plan, [Policy.BEST] * plan.players, no_guide(plan), progress, threads)[1:]
