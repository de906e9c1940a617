"""How long it takes to say why."""

from __future__ import annotations

import random
import statistics
from typing import Any

from benchmarks.common import Row, benchmark, timed
from ustad.runtime.core.registry import NAMES
from ustad.runtime.core.registry import entry as entry_of
from ustad.runtime.questions import Advisor


@benchmark
def facts() -> Row:
    """Tell the facts of the five best options, JSON to JSON, sheets not asked before."""
    advisor, each = Advisor(), {}
    for name in NAMES:
        asked = positions(name, 61)
        advisor.ask(asked.pop(), facts=True)
        runs = [timed(lambda p=p: advisor.ask(p, top=5, facts=True), 1) for p in asked]
        each[name] = {
            key: statistics.median(run[key] for run in runs) for key in ("wall_s", "cpu_s")
        }
    slowest = max(each.values(), key=lambda row: row["cpu_s"])
    return {
        **slowest,
        "each_cpu_s": {name: row["cpu_s"] for name, row in each.items()},
        "runs": 60,
        "target": "at most 5 ms in any game",
        "ok": slowest["cpu_s"] <= 5e-3,
    }


def positions(name: str, count: int) -> list[Any]:
    """Return positions of random games in which somebody is to move, as JSON."""
    entry, source, found, number = entry_of(name), random.Random(3), [], 0
    while len(found) < count:
        state = entry.rules.read({}).deal(entry.rules.seats.usual, (number,))
        luck = state.rules.luck(entry.rules.seats.usual, (number,))
        number += 1
        while not state.is_over() and len(found) < count:
            if state.current_player() < 0:
                state = state.apply(luck.outcome(state))
                continue
            view = state.view(state.current_player())
            found.append(entry.codec.state_to_json(view))
            state = state.apply(source.choice(view.legal_moves()))
    return found
