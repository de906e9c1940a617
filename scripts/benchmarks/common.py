"""What the benchmarks of all games share: the list of them, timing, and tables to measure on."""

from __future__ import annotations

import gzip
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.entry import AnyEntry
from ustad.runtime.core.game import CHANCE
from ustad.runtime.core.registry import NAMES
from ustad.runtime.core.registry import entry as entry_of
from ustad.runtime.games.five_dice.turn import Turn
from ustad.runtime.questions import Advisor
from ustad.tables import tables_folder

Row = dict[str, Any]

BENCHMARKS: dict[str, Callable[[], Row]] = {}

SLOW = (
    "yacht_best_chances",
    "yacht_expert_gain",
    "raja_pasu_strength",
    "marriage_strength",
    "marriage_predictions",
    "http_memory",
)
"""Benchmarks that run only when they are named: each takes minutes."""


def benchmark(function: Callable[[], Row]) -> Callable[[], Row]:
    """Register a benchmark under its function's name."""
    BENCHMARKS[function.__name__] = function
    return function


def timed(action: Callable[[], Any], runs: int) -> Row:
    """Return the median wall and CPU seconds of some runs."""
    walls, cpus = [], []
    for _ in range(runs):
        wall, cpu = time.perf_counter(), time.process_time()
        action()
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
    return {"wall_s": statistics.median(walls), "cpu_s": statistics.median(cpus), "runs": runs}


@benchmark
def protocol() -> Row:
    """Answer status, view and legal in positions of random games: the slowest mean of a game."""
    advisor, luck = Advisor(), random.Random(1)
    slowest: Row = {}
    for name in NAMES:
        rules = entry_of(name).rules.read({})
        state, positions = rules.new(entry_of(name).rules.seats.usual), []
        while not state.is_over() and len(positions) < 60:
            player = state.current_player()
            positions.append(entry_of(name).codec.state_to_json(state.view(max(player, 0))))
            outcomes = [outcome for outcome, _ in state.chance_outcomes()]
            state = state.apply(luck.choice(outcomes or list(state.legal_moves())))
        asked = [{"position": position} for position in positions]
        seen = [{**one, "seat": one["position"].get("seat", 0)} for one in asked]
        for method, requests in (("status", asked), ("view", seen), ("legal", asked)):
            row = timed(lambda m=method, r=requests: [advisor.call(m, one) for one in r], 9)
            mean = row["cpu_s"] / len(requests)
            slowest[f"{method}_s"] = max(mean, slowest.get(f"{method}_s", 0.0))
    return {**slowest, "target": "at most 0.2 ms", "ok": max(slowest.values()) <= 0.2e-3}


@contextmanager
def built(entry: AnyEntry, options: dict[str, Any]) -> Iterator[Path]:
    """Give a folder with a table: the usual one if it is there, else a temporary one."""
    folder = tables_folder()
    if entry.tables.spec(options).path(folder).is_file():
        yield folder
        return
    from ustad.solver.build import build_table

    with tempfile.TemporaryDirectory() as name:
        build_table(entry, options, Path(name))
        yield Path(name)


def seconds_per_edge() -> float:
    """Return the time that compiled code takes to add one number of a row, six rows to one.

    The rows stay in the nearest cache: no sweep over a lattice goes faster.
    """
    from ustad.runtime.core.kernels import compiled

    rows, repeats = np.random.default_rng(0).random((7, 64)), 200_000

    @compiled
    def means(rows: NDArray[np.float64], repeats: int) -> None:
        mean, a, b, c, d, e, f = rows[0], rows[1], rows[2], rows[3], rows[4], rows[5], rows[6]
        for repeat in range(repeats):
            a[repeat % 64] += 1.0  # keeps the compiler from doing it once for all
            for i in range(64):
                mean[i] = (a[i] + b[i] + c[i] + d[i] + e[i] + f[i]) / 6

    means(rows, 1)
    return timed(lambda: means(rows, repeats), 5)["cpu_s"] / (repeats * 6 * 64)


def first_decisions(name: str, count: int) -> list[Any]:
    """Return states of many games of random moves, two rolls left, each of another sheet."""
    entry, source = entry_of(name), random.Random(0)
    rules = entry.rules.read({})
    found: dict[Any, Any] = {}
    while len(found) < count:
        seed = source.randrange(2**32)
        state, luck = rules.new(1), rules.luck(1, (seed,))
        while not state.is_over():
            if state.current_player() == CHANCE:
                state = state.apply(luck.outcome(state))
                if state.rolls_left == 2:
                    found.setdefault(state.sheet, state)
            state = state.apply(source.choice(rules.writes(state.sheet, state.dice, 0)))
    return source.sample(list(found.values()), count)


def ask_twice(name: str, level: str) -> Row:
    """Time questions about sheets not asked before, and the next one of each turn."""
    entry = entry_of(name)
    states = first_decisions(name, 1001)
    with built(entry, entry.tables.defaults()[0]) as folder:
        bot: Any = entry.levels.bot(level, states[0].rules, folder, 0)
        bot.ask(states.pop())
        rows, again = [], []
        for state in states:
            bot.forget()
            later = state._replace(rolls_left=1)
            rows.append(timed(lambda state=state: bot.ask(state), 1))
            again.append(timed(lambda later=later: bot.ask(later), 1))
        # No answer comes faster than its sweeps: two down, one up.
        stop = np.random.default_rng(0).random((252, 1))
        sweeps = timed(lambda: Turn((stop, stop, stop)).keeps_two, 1001)["wall_s"]
    first = {key: statistics.median(row[key] for row in rows) for key in ("wall_s", "cpu_s")}
    second = statistics.median(row["wall_s"] for row in again)
    return {
        **first,
        "runs": len(rows),
        "target": "median at most 150 microseconds, next decisions of the turn 15",
        "ok": first["wall_s"] <= 150e-6 and second <= 15e-6,
        "next_decision_wall_s": second,
        "limit_wall_s": sweeps,
        "times_limit": first["wall_s"] / sweeps,
    }


def first_run(*words: str) -> Row:
    """Run ``ustad build`` in a new process as for the first time, compilation included."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "ustad.runtime", "build", "--tables", folder, *words]
        environment = {**os.environ, "USTAD_KERNELS": f"{folder}/kernels"}
        wall = time.perf_counter()
        process = subprocess.Popen(
            command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - wall
    if status:
        raise RuntimeError(f"building failed: {' '.join(command)}")
    return {
        "wall_s": wall,
        "cpu_s": used.ru_utime + used.ru_stime,
        "peak_bytes": used.ru_maxrss * (1 if sys.platform == "darwin" else 1024),
    }


@benchmark
def default_build() -> Row:
    """Build every game's default tables from nothing."""
    row = first_run()
    return {**row, "target": "at most 360 s on two cores", "ok": row["wall_s"] <= 360}


# Dice poker

DICE_POKER_BUILDS: dict[str, tuple[dict[str, Any], float]] = {
    "sacrifice": ({"dash": "sacrifice"}, 0.15),
    "default": ({}, 1.0),
    "free": ({"dash": "sacrifice", "order": "free"}, 15.0),
}
"""The default tables: options, and the CPU seconds that solving them may take."""


def export_row(name: str, options: dict[str, Any], most_bytes: int) -> Row:
    """Export a table; return the time, the gzipped size, the proof, and a question's time in Node.

    Node is asked the vectors of the manifest, each of another position; without Node that is
    left out.
    """
    from ustad.runtime.core.registry import exporter
    from ustad.runtime.export import write_export

    entry = entry_of(name)
    script = Path(__file__).parents[2] / "tests" / "runtime" / "export" / "answers.mjs"
    with built(entry, options) as folder, tempfile.TemporaryDirectory() as out:
        begin, cpu = time.perf_counter(), time.process_time()
        content = exporter(name).content(entry.tables.spec(options).options, folder, None)
        write_export(entry, content, Path(out))
        wall, cpu = time.perf_counter() - begin, time.process_time() - cpu
        data = [path for path in Path(out).iterdir() if path.suffix != ".js"]
        size = sum(len(gzip.compress(path.read_bytes(), 9)) for path in data)
        row: Row = {"wall_s": wall, "cpu_s": cpu, "gzipped": size, "target": most_bytes}
        if shutil.which("node"):
            told = subprocess.run(
                ["node", str(script), out], capture_output=True, check=True, text=True
            )
            row["node_median_ms"] = json.loads(told.stdout)["median_ms"]
        return {**row, **content.proof}
