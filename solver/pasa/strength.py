"""How strong the ways to play pasa are, computed instead of sampled.

The backward pass that solves a table gives the win share of any field of policies too: a
seat may bet the least or the most, draw a button, follow the lead rule or the stored table.
Seats that play ``best`` maximise their own share against the others, which for one such seat
is the exact best response.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ustad.runtime.core.errors import UsageError
from ustad.runtime.core.work import Progress
from ustad.runtime.games.pasa.states import Floats, even_split, finished_shares, split_number
from ustad.solver.pasa.throws import Policy
from ustad.solver.pasa.values import backward_pass, no_guide, plan_of

POLICIES = {policy.name.lower(): policy for policy in Policy}
"""The policies by name: best, min, max, random, hard, table."""


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
        field: the name of a policy for each seat, the first thrower first.
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
    plan = plan_of(options)
    unknown = [name for name in field if name not in POLICIES]
    if unknown or len(field) != plan.players:
        raise UsageError(
            f"field: expected {plan.players} of {', '.join(POLICIES)}, got {', '.join(field)}"
        )
    guide = no_guide(plan)
    if "table" in field:
        shape = (plan.turns, plan.splits, plan.players)
        if table is None or table.shape != shape:
            found = "none" if table is None else f"one of shape {table.shape}"
            raise UsageError(f"table: expected values of shape {shape}, got {found}")
        guide = np.empty((plan.turns + 1, *shape[1:]))
        guide[0] = finished_shares(plan.players, plan.chips)
        guide[1:] = table
    policies = [POLICIES[name] for name in field]
    values = backward_pass(plan, policies, guide, progress, threads)
    start = split_number(even_split(plan.players, plan.chips))
    shares: list[float] = values[-1, plan.first_row(plan.chips) + start].tolist()
    return tuple(shares)


def mean_share(
    options: Mapping[str, Any], hero: str, others: str, table: Floats | None = None
) -> float:
    """Return the exact win share of one policy against others, its seat averaged.

    Args:
        options: the key of a table.
        hero: what one seat does, the name of a policy.
        others: what every other seat does.
        table: as for :func:`evaluate`.
    """
    players = plan_of(options).players
    shares = []
    for seat in range(players):
        field = [others] * players
        field[seat] = hero
        shares.append(evaluate(options, field, table)[seat])
    return sum(shares) / players
