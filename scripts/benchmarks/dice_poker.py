"""Benchmarks of dice poker."""

from __future__ import annotations

from benchmarks.common import DICE_POKER_BUILDS, Row, ask_twice, benchmark, built, export_row, timed
from ustad.runtime.core.registry import entry as entry_of


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


@benchmark
def dice_poker_export() -> Row:
    """The default table; at most 40 kB gzipped."""
    return export_row("dice_poker", {}, 40_000)
