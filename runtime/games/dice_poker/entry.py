"""Dice poker as everybody else knows it."""

from __future__ import annotations

from __future__ import annotations
import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple
import numpy as np
from numpy.typing import NDArray
from ustad.runtime.core.errors import MoveError, OptionError, PositionError, shown
from ustad.runtime.core.game import Bot, Option, WholeNumber
from ustad.runtime.core.strict_json import Fields, is_int
from ustad.runtime.games.five_dice.columns import Columns, least_needed, merge_sums
from ustad.runtime.games.five_dice.sheet import (
    SheetGame,
    SheetGameType,
    SheetState,
    Write,
    flag_int,
)
from ustad.runtime.games.five_dice.turn import COUNTS, FACES, FIRST_ROLL, ROLL_INDEX
from ustad.tables import TableSpec

class DicePokerLevels(Levels[DicePoker, SheetState, Any]):
    """The bots of dice poker."""

    # Bots and tables

    def bot(self, level: str, rules: DicePoker, tables: Path | None, seed: int) -> Bot:
        """Return a bot of a level; expert needs the table of the game's options."""
        from ustad.runtime.games.dice_poker.levels import make_bot

        return make_bot(level, rules, tables)

_YES_NO = (False, True)

    options = (
        Option("dash", "deferred", DASHES, "when a row of part two is given up"),
        Option("order", "school_first", ORDERS, "which rows may be written when"),
        Option("first_throw", "double", FIRST_THROWS, "what doubles straight after the first"),
        Option("five_as_full_house", False, _YES_NO, "five equal dice are a full house"),
        Option("four_as_two_pairs", False, _YES_NO, "four equal dice are two pairs"),
        WholeNumber("school_bonus", 50, (), "what the school earns", -MOST, MOST),
        WholeNumber("school_threshold", 0, (), "the least subtotal that earns it", -MOST, MOST),
        Option("chance_doubles", False, _YES_NO, "chance doubles after the first throw too"),
        Option("chance_after_miss", False, _YES_NO, "chance only when the turn made nothing"),
    )

    def read_options(self, given: Any) -> dict[str, Any]:
        """Return the full option set, or raise OptionError where options contradict each other."""
        found = super().read_options(given)
        if found["order"] == "free" and found["dash"] != "sacrifice":
            raise OptionError(
                "option order: free goes with dash=sacrifice alone, got dash=deferred: "
                "without a second part there is no end of it at which to set dashes"
            )
        if found["chance_doubles"] and found["first_throw"] == "none":
            raise OptionError(
                "option chance_doubles: expected false with first_throw=none, "
                "where nothing doubles, got true"
            )
        if found["chance_doubles"] and found["chance_after_miss"]:
            raise OptionError(
                "option chance_doubles: expected false with chance_after_miss=true, "
                "where chance counts as written after the third throw, got true"
            )
        return found

    # Text

    def add_flags(self, parser: argparse.ArgumentParser) -> None:
        """Add the flags for one sheet, its dice and its turns left."""
        group = self.add_sheet_flags(parser)
        group.add_argument(
            "--turns-left", metavar="N", help="turns to play under dash=deferred; none: none passed"
        )

    def position_from_flags(self, args: argparse.Namespace) -> dict[str, Any] | None:
        """Return the position that the flags describe, None without any flag."""
        position = super().position_from_flags(args)
        if position is None and args.turns_left is not None:
            raise PositionError("--turns-left: expected --sheet beside it")
        if position is None:
            return None
        if args.turns_left is not None:
            position["turns_left"] = [flag_int("--turns-left", args.turns_left)]
        elif self.read_options(position["options"])["dash"] == "deferred":
            position["turns_left"] = [max(ROW_COUNT - len(position["sheets"][0]), 0)]
        return position
