"""Benchmarks of Raja Pasu."""

from __future__ import annotations

import random
import statistics
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.common import Row, benchmark, built, export_row, first_run, timed
from ustad.runtime.core.registry import entry as entry_of
from ustad.tables import open_table, tables_folder

# Raja Pasu


@benchmark
def raja_pasu_first_run() -> Row:
    """Build all seven tables in a new process, compilation included."""
    row = first_run("raja_pasu")
    return {
        **row,
        "target": "at most 4 minutes on two cores, peak memory at most 1.5 GB",
        "ok": row["cpu_s"] <= 2 * 240 and row["peak_bytes"] <= 1.5e9,
    }


@benchmark
def raja_pasu_size() -> Row:
    """Measure the table of the round from the start."""
    entry = entry_of("raja_pasu")
    with built(entry, {}) as folder:
        size = entry.tables.spec({}).path(folder).stat().st_size
    return {"bytes": size, "target": "at most 15 MB", "ok": size <= 15e6}


@benchmark
def raja_pasu_open() -> Row:
    """Open and check the table of the round from the start, and make it ready."""
    from ustad.runtime.games.raja_pasu.tables import RoundTable

    entry = entry_of("raja_pasu")
    with built(entry, {}) as folder:
        spec = entry.tables.spec({})
        row = timed(lambda: RoundTable(open_table(spec, folder)), 3)
    return {**row, "target": "at most 1 s", "ok": row["wall_s"] <= 1}


@benchmark
def raja_pasu_ask() -> Row:
    """Rate all moves of positions that random play meets, JSON to JSON."""
    from ustad.runtime.questions import Advisor

    entry = entry_of("raja_pasu")
    choose = random.Random(1)
    positions, state = [], entry.rules.read({}).new(2)
    while len(positions) < 2000:
        if state.is_over():
            state = state.rules.new(2)
        positions.append(entry.codec.state_to_json(state))
        state = state.apply(choose.choice(state.legal_moves()))
    with built(entry, {}) as folder:
        advisor = Advisor(folder)
        advisor.ask(positions[0])
        walls = [timed(lambda p=p: advisor.ask(p), 1)["wall_s"] for p in positions]
    median = statistics.median(walls)
    return {
        "wall_s": median,
        "runs": len(walls),
        "target": "median at most 200 microseconds",
        "ok": median <= 200e-6,
    }


@benchmark
def raja_pasu_strength() -> Row:
    """Play pairs from random openings, sides swapped: expert loses none; hard against medium."""
    from ustad.runtime.games.raja_pasu.levels import SearchBot

    entry = entry_of("raja_pasu")
    rules = entry.rules.read({})

    def pairs(one: Any, other: Any, count: int) -> NDArray[np.float64]:
        """Return the margin of one in each pair, a game."""
        margins = []
        for number in range(count):
            for seats in ((one, other), (other, one)):
                state = rules.deal(2, (1, number))
                while not state.is_over():
                    state = state.apply(seats[state.to_move].choose(state))
                margins.append(state.returns()[seats.index(one)])
        return np.array(margins).reshape(count, 2).mean(axis=1)

    with built(entry, {}) as folder:
        expert, hard, medium = (
            entry.levels.bot(level, rules, folder, 0) for level in ("expert", "hard", "medium")
        )
        deeper = SearchBot(rules, 8)
        others = {"medium": (medium, 300), "hard": (hard, 300), "depth_8": (deeper, 60)}
        against = {name: pairs(expert, bot, count) for name, (bot, count) in others.items()}
        seen = pairs(hard, medium, 600)
    lost = {name: int((margins < 0).sum()) for name, margins in against.items()}
    return {
        "expert_lost_pairs": lost,
        "expert_margin": {name: float(margins.mean()) for name, margins in against.items()},
        "hard_v_medium": float(seen.mean()),
        "hard_v_medium_interval": float(1.96 * seen.std(ddof=1) / len(seen) ** 0.5),
        "target": "expert loses no pair; hard wins more than medium",
        "ok": not any(lost.values()) and bool(seen.mean() > 0),
    }


@benchmark
def raja_pasu_match() -> Row:
    """Play whole matches from all starts: expert, and play for the margin of the round alone."""
    from ustad.runtime.games.raja_pasu.rules import ALL_SEEDS, SEEDS_A_HOLE, Match, RajaPasu
    from ustad.solver.build import Builder

    entry = entry_of("raja_pasu")
    rules = RajaPasu(match=True)
    won: dict[str, Counter[str]] = {name: Counter() for name in ("leading", "following")}

    def points(match: Match, seats: tuple[Any, Any]) -> float:
        """Return 1 if South wins, .5 for a draw, 0 if North does."""
        state = rules.start_round(match)
        while not state.is_over():
            state = state.apply(seats[state.to_move].choose(state))
        south, north = state.returns()
        return 0.5 + 0.5 * ((south > north) - (south < north))

    with tempfile.TemporaryDirectory() as made:
        folder = tables_folder()
        specs = [entry.tables.spec(options) for options in entry.tables.defaults()]
        if not all(spec.path(folder).is_file() for spec in specs):
            folder = Path(made)
            builder = Builder(folder)
            for spec in specs:
                builder.build(entry, spec.options)
        expert = entry.levels.bot("expert", rules, folder, 0)
        margin = expert.for_margins()
        for owned in range(SEEDS_A_HOLE, ALL_SEEDS - SEEDS_A_HOLE + 1):
            for number in (2, 18, 19, 20):
                match = Match((owned, ALL_SEEDS - owned), number, 0)
                neither = points(match, (margin, margin))
                for name, seats in (("leading", (expert, margin)), ("following", (margin, expert))):
                    gain = points(match, seats) - neither
                    better = gain if name == "leading" else -gain
                    won[name]["more" if better > 0 else "less" if better < 0 else "same"] += 1
    return {
        **{name: dict(sorted(count.items())) for name, count in won.items()},
        "target": "no start in which expert gets less than play for the margin",
        "ok": not any(count["less"] for count in won.values()),
    }


@benchmark
def raja_pasu_export() -> Row:
    """The round with all holes open; at most 15 MB gzipped."""
    return export_row("raja_pasu", {}, 15_000_000)
