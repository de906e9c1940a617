"""Benchmarks of pasa."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.common import Row, benchmark, built, export_row, timed
from ustad.runtime.core.registry import entry as entry_of

# Pasa

FOUR_10 = {"players": 4, "chips": 40}


def pasa_solve(options: dict[str, Any], most: float) -> Row:
    """Solve one table, the code compiled."""
    from ustad.solver.pasa.values import solve

    solve({"players": 2, "chips": 4})
    row = timed(lambda: solve(options), 3)
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
        "from ustad.solver.pasa.values import solve\n"
        "def peak():\n"
        "    lines = open('/proc/self/status').read().splitlines()\n"
        "    return int(next(line for line in lines if line.startswith('VmHWM')).split()[1])\n"
        "solve({'players': 3, 'chips': 6})\n"
        "before = peak()\n"
        "size = solve({'players': 6, 'chips': 30}).nbytes\n"
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
    from ustad.solver.pasa.strength import mean_share
    from ustad.solver.pasa.values import solve

    table = solve(FOUR_10)
    wanted = {("table", "min"): 0.46, ("table", "random"): 0.31, ("table", "hard"): 0.255}
    row: Row = {}
    for hero, others in (*wanted, ("hard", "table")):
        row[f"{hero}_v_{others}"] = mean_share(FOUR_10, hero, others, table)
    enough = all(row[f"{hero}_v_{others}"] >= least for (hero, others), least in wanted.items())
    target = "expert v min .46, v random .31, v hard .255 at least; hard v expert .24 at most"
    return {**row, "target": target, "ok": enough and row["hard_v_table"] <= 0.24}


@benchmark
def pasa_ask() -> Row:
    """Rate all bets at the start of a game of four, the throw not asked before."""
    entry = entry_of("pasa")
    with built(entry, entry.tables.spec(FOUR_10).options) as folder:
        rules = entry.rules.read({})
        states = [rules.start((stack, 40 - stack - 18, 9, 9), 0, 8) for stack in range(1, 22)]
        bot = entry.levels.bot("expert", rules, folder, 0)
        bot.ask(states[0])
        seconds = [timed(lambda state=state: bot.ask(state), 1)["wall_s"] for state in states[1:]]
    median = statistics.median(seconds)
    return {"wall_s": median, "runs": len(seconds), "target": "none", "ok": True}


@benchmark
def pasa_export() -> Row:
    """The largest of the default tables; all six at most 10 MB, before gzip as well."""
    return export_row("pasa", {"players": 6, "chips": 18}, 10_000_000)
