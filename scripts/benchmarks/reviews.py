"""Benchmarks of reviews."""

from __future__ import annotations

from typing import Any

from measure_levels import a_game

from benchmarks.common import Row, benchmark, timed
from ustad.runtime import Advisor
from ustad.tables import tables_folder


def reviewed(name: str, seats: int, most: float, *units: str) -> Row:
    """Review games of levels drawn at random with the tables that are built, one after another."""
    advisor = Advisor(tables_folder())
    games = [a_game(advisor, name, seats, seed) for seed in range(5)]
    found: dict[str, Any] = {}
    for unit in units:
        advisor.review_of(games[0], unit=unit).to_json()  # opens the tables

        def review(unit: str = unit) -> None:
            for game in games:
                advisor.review_of(game, unit=unit).to_json()

        row = timed(review, 3)
        found[unit] = row["cpu_s"] / len(games)
    worst = max(found.values())
    return {
        **row,
        "cpu_s": worst,
        "target": f"at most {most} CPU s a game",
        "ok": worst <= most,
        **found,
    }


@benchmark
def review_yacht() -> Row:
    """Review a game of four seats, by totals and by win shares."""
    return reviewed("yacht", 4, 0.3, "expected_total", "win_share")


@benchmark
def review_marriage() -> Row:
    """Review a round of four."""
    return reviewed("marriage", 4, 1.0, "net")


@benchmark
def review_raja_pasu() -> Row:
    """Review a round."""
    return reviewed("raja_pasu", 2, 0.05, "margin")
