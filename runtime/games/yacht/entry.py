"""Yacht as everybody else knows it."""

from __future__ import annotations

from __future__ import annotations
import argparse
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain, combinations
from pathlib import Path
from typing import Any, NamedTuple
import numpy as np
from numpy.typing import NDArray
from ustad.runtime.core.errors import UsageError, shown
from ustad.runtime.core.game import Bot, Judge, Option
from ustad.runtime.core.strict_json import Fields
from ustad.runtime.games.five_dice.columns import Columns, least_needed, merge_sums
from ustad.runtime.games.five_dice.sheet import (
    SheetGame,
    SheetGameType,
    SheetState,
    Write,
    flag_int,
)
from ustad.runtime.games.five_dice.turn import COUNTS, FACES, FIRST_ROLL, ROLL_INDEX
from ustad.tables import Table, TableSpec


class YachtLevels(Levels[Yacht, SheetState, Any]):
    """The bots of yacht."""

    table_levels = frozenset({"hard", "expert"})

    def bot(self, level: str, rules: Yacht, tables: Path | None, seed: int) -> Bot:
        """Return a bot of a level; hard and expert need the table of the game's options."""
        from ustad.runtime.games.yacht.levels import make_bot

        return make_bot(level, rules, tables)

    def plays_by(self, level: str, rules: Yacht, tables: Path | None) -> str | None:
        """Return the outlook that expert plays by."""
        if level != "expert":
            return None
        from ustad.runtime.games.yacht.outlooks import open_outlooks

        return f"outlook {open_outlooks(game.options, tables).name}"

    def judge(self, level: str, rules: Yacht, tables: Path | None) -> Judge | None:
        """Return who knows exactly what expert gains among others of level hard.

        It takes the full outlook: without it nobody does.
        """
        if level != "expert":
            return None
        from ustad.runtime.games.yacht.expert import make_judge

        return make_judge(rules, tables)

    options = (
        Option(
            "second_yacht",
            "bonus_and_joker",
            SECOND_YACHT,
            "what five equal dice are once the yacht box is written",
        ),
    )

    def add_flags(self, parser: argparse.ArgumentParser) -> None:
        """Add the flags for one sheet and its dice, and for a total to reach."""
        super().add_flags(parser)
        parser.add_argument(
            "--target", metavar="TOTAL", help="ask for the best chance of so many points"
        )

    def adviser_from_flags(
        self, args: argparse.Namespace, rules: Yacht, tables: Path | None
    ) -> Bot | None:
        """Return who knows the chances of a total, if one is asked for."""
        if args.target is None:
            return None
        from ustad.runtime.games.yacht.target import make_target_bot

        if args.level != "expert":
            raise UsageError(f"--level: no level plays for a --target, got {shown(args.level)}")
        target = flag_int("--target", args.target)
        return make_target_bot(rules, target, tables)
