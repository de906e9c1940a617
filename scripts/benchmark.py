"""Measure speed and size; each figure with its target and, where one is known, its limit.

Prints a table, or with ``--json`` one object a line: ``name``, ``wall_s`` and ``cpu_s`` of
one run or the median of many, ``target``, and what else helps.  Machines differ and are
shared: compare figures of one run.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.entry import AnyEntry
from ustad.runtime.core.game import CHANCE
from ustad.runtime.core.registry import entry as entry_of
from ustad.runtime.games.five_dice.turn import Turn
from ustad.tables import open_table, tables_folder

Row = dict[str, Any]
BENCHMARKS: dict[str, Callable[[], Row]] = {}


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
        bot: Any = entry.levels.bot(level, states[0].game, folder, 0)
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


# Yacht


@benchmark
def yacht_build() -> Row:
    """Solve one setting, the code compiled."""
    from ustad.solver.yacht import values as yacht

    states = len(yacht.solve(0))
    row = timed(lambda: yacht.solve(0), 7)
    # Five sweeps over the lattice, one addition or maximum of a row for each of its 1,260
    # edges, are the least work of this method; the limit is that at the speed of rows that
    # stay in the nearest cache.
    limit = 5 * 1260 * states * seconds_per_edge()
    return {
        **row,
        "target": "at most 1.0 CPU s",
        "ok": row["cpu_s"] <= 1.0,
        "states": states,
        "limit_cpu_s": limit,
        "times_limit": row["cpu_s"] / limit,
    }


@benchmark
def yacht_ask() -> Row:
    """Rate all options of a position with two rolls left, the sheet not asked before."""
    return ask_twice("yacht", "hard")


@benchmark
def yacht_open() -> Row:
    """Open and check a table."""
    entry = entry_of("yacht")
    options = entry.tables.defaults()[0]
    with built(entry, options) as folder:
        spec = entry.tables.spec(options)
        row = timed(lambda: open_table(spec, folder), 51)
        # No check goes without hashing the file and unpacking and hashing the values.
        content = spec.path(folder).read_bytes()
        values = bytes(open_table(spec, folder).values)
        packed = zlib.compress(values, 6)

        def least() -> None:
            hashlib.sha256(content)
            hashlib.sha256(zlib.decompress(packed))

        limit = timed(least, 51)["wall_s"]
    return {
        **row,
        "target": "at most 20 ms",
        "ok": row["wall_s"] <= 0.020,
        "limit_wall_s": limit,
        "times_limit": row["wall_s"] / limit,
    }


@benchmark
def yacht_size() -> Row:
    """Measure the table of one setting."""
    entry = entry_of("yacht")
    options = entry.tables.defaults()[0]
    with built(entry, options) as folder:
        size = entry.tables.spec(options).path(folder).stat().st_size
    return {"bytes": size, "target": "at most 2.4 MB", "ok": size <= 2.4e6}


@benchmark
def yacht_first_run() -> Row:
    """Build each setting's values in a new process, compilation included; times together."""
    options = [f"second_yacht={setting}" for setting in ("bonus_and_joker", "plain", "free_joker")]
    rows = [first_run("yacht", "--option", option) for option in options]
    row = {key: sum(row[key] for row in rows) for key in ("wall_s", "cpu_s")}
    row["peak_bytes"] = max(row["peak_bytes"] for row in rows)
    ok = row["wall_s"] <= 60 and row["peak_bytes"] <= 400e6
    return {**row, "target": "at most 60 s, peak memory at most 400 MB", "ok": ok}


@benchmark
def yacht_outlook_build() -> Row:
    """Find the outlooks of one setting, the code compiled."""
    from ustad.solver.yacht import values as yacht
    from ustad.solver.yacht.values import outlooks as outlook

    values = yacht.solve(0)
    outlook.solve(0, values, most_open=1)
    row = timed(lambda: outlook.solve(0, values), 1)
    return {**row, "target": "at most 20 CPU s", "ok": row["cpu_s"] <= 20}


@benchmark
def yacht_best_chances() -> Row:
    """Find the best chances of one setting, the code compiled."""
    from ustad.solver.yacht.values import chances

    chances.solve(0, most_open=1)
    row = timed(lambda: chances.solve(0), 1)
    return {**row, "target": "at most 600 CPU s", "ok": row["cpu_s"] <= 600}


@benchmark
def yacht_compact_open() -> Row:
    """Open and check a compact outlook."""
    entry = entry_of("yacht")
    options = {"second_yacht": "bonus_and_joker", "outlook": "compact"}
    with built(entry, options) as folder:
        spec = entry.tables.spec(options)
        row = timed(lambda: open_table(spec, folder), 51)
        size = spec.path(folder).stat().st_size
    ok = row["wall_s"] <= 0.040 and size <= 4.5e6
    return {**row, "target": "at most 40 ms and 4.5 MB", "ok": ok, "bytes": size}


@contextmanager
def built_outlooks() -> Iterator[tuple[Path, dict[str, Any]]]:
    """Give a folder with every outlook of the default rules, and these; some take minutes."""
    entry = entry_of("yacht")
    rules = entry.rules.read_options({})
    wanted = entry.tables.asked_for({**rules, "outlook": "best"})
    folder = tables_folder()
    if all(entry.tables.spec(options).path(folder).is_file() for options in wanted):
        yield folder, rules
        return
    from ustad.solver.build import Builder

    with tempfile.TemporaryDirectory() as name:
        builder = Builder(Path(name))
        for options in wanted:
            builder.build(entry, options)
        del builder  # it holds the distributions of every state
        yield Path(name), rules


@benchmark
def yacht_expert_gain() -> Row:
    """Measure what expert wins against hard, by the exact gains of its turns; minutes."""
    from ustad.solver.yacht.gain import Games

    targets = {"best": (51.7, 26.6, 18.2), "compact": (51.5, 26.4, 18.0)}
    found, lows = {}, []
    with built_outlooks() as (folder, rules):
        cpu, wall = time.process_time(), time.perf_counter()
        for name in ("best", "compact", "best_compact"):
            games = Games.by(rules, name, folder)
            for number, players in enumerate((2, 4, 6)):
                gain = games.measure(players, 64_000 if players == 2 else 24_000, 1)
                share, half = 100 * gain.share, 196 * gain.error
                found[f"{name}_{players}"] = f"{share:.3f} ± {half:.3f}"
                lows.append(name not in targets or share - half >= targets[name][number])
        seconds = {"wall_s": time.perf_counter() - wall, "cpu_s": time.process_time() - cpu}
    target = "lower ends at 2, 4, 6: best 51.7, 26.6, 18.2; compact 51.5, 26.4, 18.0"
    return {**seconds, "target": target, "ok": all(lows), **found}


@benchmark
def yacht_expert_turn() -> Row:
    """Ask expert through a whole turn, and let it play many games side by side in the arena."""
    from ustad.runtime import arena

    entry = entry_of("yacht")
    found: dict[str, Any] = {}
    compact = {"outlook": "compact"}
    with (
        built(entry, {}) as values,
        built(entry, compact) as outlooks,
        tempfile.TemporaryDirectory() as alone,
    ):
        for options, folder in (({}, values), (compact, outlooks)):
            path = entry.tables.spec(options).path(folder)
            (Path(alone) / path.name).symlink_to(path.resolve())
        rules = entry.rules.read({})
        bot = entry.levels.bot("expert", rules, Path(alone), 0)
        deals = range(256)
        for players in (2, 4, 6):

            def games(players: int = players) -> None:
                luck = [rules.luck(players, (1, deal)) for deal in deals]
                starts = [rules.new(players) for _ in deals]
                arena._play(starts, luck, [[bot] * players] * len(deals), lambda *_: None)

            row = timed(games, 3)
            found[f"arena_us_{players}"] = row["cpu_s"] / (len(deals) * 13 * players) * 1e6
        walls = []
        for seed in range(40):
            state, luck = rules.new(4), rules.luck(4, (seed,))
            while not state.is_over():
                wall = 0.0
                while state.current_player() == CHANCE:
                    state = state.apply(luck.outcome(state))
                    begin = time.perf_counter()
                    advice = bot.ask(state)
                    wall += time.perf_counter() - begin
                    state = state.apply(advice.best[0])
                    if state.rolls_left == 3:
                        break
                walls.append(wall)
    turn = statistics.median(walls)
    worst = max(found.values())
    return {
        "wall_s": turn,
        "runs": len(walls),
        "target": "median at most 2 ms a turn through ask; 200 CPU microseconds in the arena",
        "ok": turn <= 2e-3 and worst <= 200,
        **found,
    }


@benchmark
def yacht_arena() -> Row:
    """Play games of four hard bots in the arena, on one core."""
    from ustad.runtime import arena

    entry = entry_of("yacht")
    options = entry.tables.defaults()[0]
    with built(entry, options) as folder:
        match = arena.Match("yacht", options, ("hard",) * 4, 512, 1, str(folder))
        arena.play_batch(match, 0)
        row = timed(lambda: arena.play_batch(match, 0), 3)
    rate = match.games / row["cpu_s"]
    return {
        **row,
        "target": "at least 200 games a CPU second",
        "ok": rate >= 200,
        "games_per_cpu_s": rate,
    }


@benchmark
def yacht_serve() -> Row:
    """Ask a running ``ustad serve`` for moves of level hard, each with another sheet."""
    entry = entry_of("yacht")
    with built(entry, entry.tables.defaults()[0]) as folder:
        command = [sys.executable, "-m", "ustad.runtime", "serve", "--tables", str(folder)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
            assert server.stdin is not None
            assert server.stdout is not None
            walls = []
            for number, state in enumerate(first_decisions("yacht", 501)):
                position = entry.codec.state_to_json(state)
                request = {"id": number, "method": "move", "level": "hard", "position": position}
                line = json.dumps(request).encode() + b"\n"
                wall = time.perf_counter()
                server.stdin.write(line)
                server.stdin.flush()
                answer = server.stdout.readline()
                walls.append(time.perf_counter() - wall)
                assert b'"result"' in answer, answer
            server.stdin.close()
    median = statistics.median(walls)
    return {
        "wall_s": median,
        "runs": len(walls),
        "target": "median at most 1 ms a move",
        "ok": median <= 1e-3,
    }


# Dice poker

DICE_POKER_BUILDS: dict[str, tuple[dict[str, Any], float]] = {
    "sacrifice": ({"dash": "sacrifice"}, 0.15),
    "default": ({}, 1.0),
    "free": ({"dash": "sacrifice", "order": "free"}, 15.0),
}
"""The default tables: options, and the CPU seconds that solving them may take."""


@benchmark
def dice_poker_build() -> Row:
    """Solve the three default tables, the code compiled; the times are those of the slowest."""
    from ustad.solver.dice_poker import values as dice_poker

    entry = entry_of("dice_poker")
    rows = {}
    for name, (options, _) in DICE_POKER_BUILDS.items():
        rules = entry.rules.read(options).numbers
        dice_poker.solve(rules)
        rows[name] = timed(lambda rules=rules: dice_poker.solve(rules), 3)
    seconds = {name: row["cpu_s"] for name, row in rows.items()}
    return {
        **max(rows.values(), key=lambda row: row["cpu_s"]),
        "target": "at most 0.15, 1 and 15 CPU s: sacrifice, default, free",
        "ok": all(seconds[name] <= limit for name, (_, limit) in DICE_POKER_BUILDS.items()),
        "each_cpu_s": seconds,
    }


@benchmark
def dice_poker_size() -> Row:
    """Measure the tables of the default rules and of dashes by sacrifice; the larger counts."""
    entry = entry_of("dice_poker")
    sizes = []
    for name in ("sacrifice", "default"):
        options = DICE_POKER_BUILDS[name][0]
        with built(entry, options) as folder:
            sizes.append(entry.tables.spec(options).path(folder).stat().st_size)
    return {"bytes": max(sizes), "target": "at most 400 KB", "ok": max(sizes) <= 400e3}


@benchmark
def dice_poker_ask() -> Row:
    """Rate all options of a position with two rolls left, the sheet not asked before."""
    return ask_twice("dice_poker", "expert")


# Pasa

FOUR_10 = {"players": 4, "chips": 40}


def pasa_solve(options: dict[str, Any], most: float) -> Row:
    """Solve one table, the code compiled."""
    from ustad.solver.pasa import values as pasa

    pasa.solve({"players": 2, "chips": 4})
    row = timed(lambda: pasa.solve(options), 3)
    return {**row, "target": f"at most {most} CPU s", "ok": row["cpu_s"] <= most}


@benchmark
def pasa_four_seats_stack_10() -> Row:
    """Solve the usual table of four seats."""
    return pasa_solve(FOUR_10, 0.5)


@benchmark
def pasa_four_seats_stack_20() -> Row:
    """Solve a larger table of four seats."""
    return pasa_solve({"players": 4, "chips": 80}, 8)


@benchmark
def pasa_six_seats_stack_5() -> Row:
    """Solve a table of six seats that is near the largest that fits."""
    return pasa_solve({"players": 6, "chips": 30}, 30)


@benchmark
def pasa_memory() -> Row:
    """Solve six seats with five stakes in a new process: the peak beyond what it had before.

    Linux alone tells the peak of a process apart from that of its parent.
    """
    program = (
        "from ustad.solver import pasa\n"
        "def peak():\n"
        "    lines = open('/proc/self/status').read().splitlines()\n"
        "    return int(next(line for line in lines if line.startswith('VmHWM')).split()[1])\n"
        "pasa.solve({'players': 3, 'chips': 6})\n"
        "before = peak()\n"
        "size = pasa.solve({'players': 6, 'chips': 30}).nbytes\n"
        "print(size, (peak() - before) * 1024)\n"
    )
    told = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
    size, peak = map(int, told.stdout.split())
    return {
        "peak_bytes": peak,
        "table_bytes": size,
        "target": "at most twice the table",
        "ok": peak <= 2 * size,
    }


@benchmark
def pasa_size() -> Row:
    """Build the default tables and measure their files."""
    from ustad.solver.build import build_table

    entry = entry_of("pasa")
    with tempfile.TemporaryDirectory() as name:
        tables = [build_table(entry, key, Path(name))[0] for key in entry.tables.defaults()]
    size = sum(table.bytes for table in tables)
    return {"bytes": size, "target": "together at most 24 MB", "ok": size <= 24e6}


@benchmark
def pasa_strength() -> Row:
    """Compute the exact win share of one level against three of another, seats averaged."""
    from ustad.solver.pasa import values as pasa

    table = pasa.solve(FOUR_10)
    wanted = {("table", "min"): 0.46, ("table", "random"): 0.31, ("table", "hard"): 0.255}
    row: Row = {}
    for hero, others in (*wanted, ("hard", "table")):
        row[f"{hero}_v_{others}"] = pasa.mean_share(FOUR_10, hero, others, table)
    enough = all(row[f"{hero}_v_{others}"] >= least for (hero, others), least in wanted.items())
    target = "expert v min .46, v random .31, v hard .255 at least; hard v expert .24 at most"
    return {**row, "target": target, "ok": enough and row["hard_v_table"] <= 0.24}


@benchmark
def pasa_ask() -> Row:
    """Rate all bets at the start of a game of four, the throw not asked before."""
    entry = entry_of("pasa")
    with built(entry, entry.tables.spec(FOUR_10).options) as folder:
        game = entry.rules.read({})
        states = [game.start((stack, 40 - stack - 18, 9, 9), 0, 8) for stack in range(1, 22)]
        bot = entry.levels.bot("expert", game, folder, 0)
        bot.ask(states[0])
        seconds = [timed(lambda state=state: bot.ask(state), 1)["wall_s"] for state in states[1:]]
    median = statistics.median(seconds)
    return {"wall_s": median, "runs": len(seconds), "target": "none", "ok": True}


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
    from ustad.runtime.games.raja_pasu.levels import RoundTable

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
            state = state.game.new(2)
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
    game = entry.rules.read({})

    def pairs(one: Any, other: Any, count: int) -> NDArray[np.float64]:
        """Return the margin of one in each pair, a game."""
        margins = []
        for number in range(count):
            for seats in ((one, other), (other, one)):
                state = game.deal(2, (1, number))
                while not state.is_over():
                    state = state.apply(seats[state.to_move].choose(state))
                margins.append(state.returns()[seats.index(one)])
        return np.array(margins).reshape(count, 2).mean(axis=1)

    with built(entry, {}) as folder:
        expert, hard, medium = (
            entry.levels.bot(level, game, folder, 0) for level in ("expert", "hard", "medium")
        )
        others = {"medium": (medium, 300), "hard": (hard, 300), "depth_8": (SearchBot(game, 8), 60)}
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


def export_row(name: str, options: dict[str, Any], most_bytes: int) -> Row:
    """Export a table; return the time, the gzipped size, the proof, and a question's time in Node.

    Node is asked the vectors of the manifest, each of another position; without Node that is
    left out.
    """
    from ustad.runtime.core.registry import exporter
    from ustad.runtime.export import write_export

    entry = entry_of(name)
    script = Path(__file__).parents[1] / "tests" / "runtime" / "export" / "answers.mjs"
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


@benchmark
def yacht_export() -> Row:
    """The values of one setting; at most 0.6 MB gzipped."""
    return export_row("yacht", {}, 600_000)


@benchmark
def dice_poker_export() -> Row:
    """The default table; at most 40 kB gzipped."""
    return export_row("dice_poker", {}, 40_000)


@benchmark
def pasa_export() -> Row:
    """The largest of the default tables; all six at most 10 MB, before gzip as well."""
    return export_row("pasa", {"players": 6, "chips": 18}, 10_000_000)


@benchmark
def raja_pasu_export() -> Row:
    """The round with all holes open; at most 15 MB gzipped."""
    return export_row("raja_pasu", {}, 15_000_000)


# Marriage


@benchmark
def marriage_distances() -> Row:
    """Find how far hands are from a show (21 cards), and from a finish with all outs (13)."""
    from ustad.runtime.core import kernels as compiled
    from ustad.runtime.games.marriage.cards import melds

    deck = np.repeat(np.arange(melds.CARDS), melds.COPIES)
    runs, size = 6, 1000  # each run with hands that were not seen before
    hands = [np.random.default_rng(seed).permutation(deck) for seed in range(runs * size)]
    shows = iter([melds.counts_of(hand[:21]) for hand in hands])
    finishes = iter([melds.counts_of(hand[:13]) for hand in hands])
    memory = np.zeros(1 << 16, dtype=np.int64)
    none = np.zeros(melds.CARDS, dtype=np.int64)
    groups, outs = melds.finish_work()
    chosen = np.zeros(4, dtype=np.int64)
    jokers = melds.joker_mask(6)

    def show() -> None:
        for hand in islice(shows, size):
            compiled.marriage_show_distance(memory, hand, none, False)

    def finish() -> None:
        for hand in islice(finishes, size):
            compiled.marriage_search_finish(hand, jokers, 12, groups, outs, chosen, True)

    show()
    finish()
    row, other = timed(show, runs - 1), timed(finish, runs - 1)
    each, of_finish = row["cpu_s"] / size, other["cpu_s"] / size
    return {
        **row,
        "show_s": each,
        "finish_s": of_finish,
        "target": "at most 10 microseconds a show distance, 150 a finish distance",
        "ok": each <= 10e-6 and of_finish <= 150e-6,
    }


@benchmark
def marriage_round() -> Row:
    """Play rounds of four hard bots through their views."""
    entry = entry_of("marriage")
    rules = entry.rules.read({})
    bot = entry.levels.bot("hard", rules, None, 0)

    def play(seed: int) -> None:
        state = rules.deal(4, (seed,))
        while not state.is_over():
            state = state.apply(bot.choose(state.view(state.current_player())))

    play(0)
    seeds = iter(range(1, 99))
    row = timed(lambda: play(next(seeds)), 20)
    return {**row, "target": "at most 150 ms", "ok": row["cpu_s"] <= 0.150}


@benchmark
def marriage_moves() -> Row:
    """Choose and rate moves at every level, in rounds of four: the slowest move of each."""
    entry = entry_of("marriage")
    rules = entry.rules.read({})
    slowest: Row = {}
    for level in ("easy", "medium", "hard", "expert"):
        bot = entry.levels.bot(level, rules, None, 0)
        taken = []
        for seed in range(4):
            state = rules.deal(4, (seed,))
            while not state.is_over():
                view = state.view(state.current_player())
                begin = time.process_time()
                move = bot.choose(view)
                chosen = time.process_time()
                bot.ask(view)
                taken.append((chosen - begin, time.process_time() - chosen))
                state = state.apply(move)
        slowest[f"{level}_choose_s"], slowest[f"{level}_ask_s"] = np.max(taken, axis=0).tolist()
    ok = max(seconds for name, seconds in slowest.items() if "expert" not in name) <= 0.05
    ok = ok and slowest["expert_choose_s"] <= 0.5 and slowest["expert_ask_s"] <= 0.5
    return {**slowest, "target": "at most 50 ms a move, expert 500 ms", "ok": ok}


@benchmark
def marriage_strength() -> Row:
    """Measure expert against three hard: net points a round, paired deals, all four seats."""
    from ustad.solver.marriage.learning import measure

    mean, half = measure("expert", "hard", 1000, 101)
    ok = mean >= 0.8 and mean - half > 0.4
    return {"net": mean, "half_width": half, "target": "at least +0.8, lower end +0.4", "ok": ok}


def main() -> int:
    """Run the benchmarks named, all without names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(BENCHMARKS))
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    args = parser.parse_args()
    if unknown := [name for name in args.names if name not in BENCHMARKS]:
        parser.error(f"unknown benchmark {unknown[0]}: expected one of {', '.join(BENCHMARKS)}")
    for name in args.names or BENCHMARKS:
        row = {"name": name, **BENCHMARKS[name]()}
        if args.json:
            print(json.dumps(row), flush=True)
        else:
            details = ", ".join(
                f"{key} {_shown(value)}" for key, value in row.items() if key != "name"
            )
            print(f"{name}: {details}", flush=True)
    return 0


def _shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main())
