"""Building the tables of pasa."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from ustad.runtime.core.work import Progress
from ustad.runtime.games.pasa.tables import TABLES
from ustad.solver.build import Built, Solver
from ustad.solver.pasa.throws import Policy, solve_splits
from ustad.solver.pasa.values import Plan, layer_of, no_guide, plan_of, solve

_SAMPLE_RUNS, _SAMPLE_RUN, _SAMPLE_SECONDS = 64, 32, 0.2
"""How many runs of how many states are solved to forecast the time, and how long at most."""


class PasaSolver(Solver):
    """Solves one table after the other; nothing is kept between them."""

    def build(self, options: Mapping[str, Any], progress: Progress | None = None) -> Built:
        """Solve one table and return what its file holds."""
        values = solve(options, progress)
        turns, splits, _ = values.shape
        spec = TABLES.spec(options)
        counts = {"states": turns * splits, "splits": splits}
        return Built(spec, values, counts, TABLES.structure(spec.options))

    def forecast(self, options: Mapping[str, Any]) -> str:
        """Return how large a table will be and how long it will take, in one line.

        The time is measured: states spread evenly over the table are solved on
        empty values, since how many bets they have does not depend on the values.

        Raises:
            OptionError: the key is wrong, or its table cannot fit.
        """
        plan = plan_of(options)
        size = 8 * plan.states * plan.players
        seconds = plan.states * _seconds_a_state(plan)
        return (
            f"{TABLES.spec(options).what}: {plan.states:,} states, {size / 1e6:,.1f} MB of values, "
            "about twice that in memory while they are made, about "
            f"{seconds:,.2f} CPU seconds to solve"
        )


def _seconds_a_state(plan: Plan) -> float:
    """Return the CPU seconds that a state takes on average, from a sample."""
    values = np.zeros((2, plan.splits, plan.players))
    policies = [Policy.BEST] * plan.players
    layer = layer_of(plan, policies, values, no_guide(plan), 1, plan.chips)
    count = plan.count(plan.chips)
    run = min(_SAMPLE_RUN, count)

    def seconds(begin: int) -> float:
        before = time.thread_time()
        solve_splits(layer, begin, begin + run)
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


SOLVER = PasaSolver
