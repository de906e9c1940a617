"""The exports of the tests, and how the scripts beside the tests of exports are run."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ustad.runtime.export import Content
from ustad.tables import Table

SCRIPTS = Path(__file__).parents[1] / "runtime" / "export"

Named = tuple[str, Mapping[str, Any]]
"""A game and the options of a table of it."""

# One table of each kind of game, small where that changes nothing.
YACHT: Named = ("yacht", {"second_yacht": "bonus_and_joker"})
DICE_POKER: Named = ("dice_poker", {})
PASA: Named = ("pasa", {"players": 4, "chips": 40})
PASA_TWO: Named = ("pasa", {"players": 2, "chips": 60})
RAJA_PASU: Named = ("raja_pasu", {"closed": 5})
RAJA_PASU_SKIPPED: Named = ("raja_pasu", {"closed": 6, "origin": "skipped"})
ALL = (YACHT, DICE_POKER, PASA, PASA_TWO, RAJA_PASU, RAJA_PASU_SKIPPED)

# And of other rules.
OTHER_YACHT: tuple[Named, ...] = (
    ("yacht", {"second_yacht": "plain"}),
    ("yacht", {"second_yacht": "free_joker"}),
)
AFTER_MISS: Named = ("dice_poker", {"chance_after_miss": True, "five_as_full_house": True})
AFTER_MISS_WITH_SACRIFICE: Named = (
    "dice_poker",
    {"dash": "sacrifice", "first_throw": "none", "chance_after_miss": True},
)
OTHER_DICE_POKER: tuple[Named, ...] = (
    ("dice_poker", {"dash": "sacrifice"}),
    AFTER_MISS,
    ("dice_poker", {"dash": "sacrifice", "chance_doubles": True, "school_threshold": -4}),
    ("dice_poker", {"first_throw": "double_with_poker_bonus", "four_as_two_pairs": True}),
    AFTER_MISS_WITH_SACRIFICE,
)
PASA_SIX: Named = (
    "pasa",
    {"players": 6, "chips": 9, "laps": 1, "cap": "first_come", "menu": "all"},
)
OTHER_PASA: tuple[Named, ...] = (
    ("pasa", {"players": 3, "chips": 14, "menu": "all"}),
    ("pasa", {"players": 4, "chips": 12, "cap": "first_come", "max_bet": 2}),
    PASA_SIX,
)
OTHER_RULES = (*OTHER_YACHT, *OTHER_DICE_POKER, *OTHER_PASA)


@dataclass(frozen=True)
class Made:
    """A table and its export."""

    table: Table
    content: Content
    folder: Path
    sizes: Mapping[str, int]


def level(named: Named) -> str:
    """Return the level that plays a table."""
    return "hard" if named[0] == "yacht" else "expert"


def run(node: str, script: str | Path, *words: object) -> str:
    """Run a script beside the tests of exports, or one of a full path; return what it printed."""
    found = subprocess.run(
        [node, str(SCRIPTS / script), *map(str, words)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert found.returncode == 0, (found.stdout[-2000:], found.stderr[-2000:])
    return found.stdout


def write_lines(path: Path, lines: Sequence[Any]) -> Path:
    """Write values as JSON, one a line."""
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path
