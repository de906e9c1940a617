"""One sheet and its dice, given by the flags of a command line."""

from __future__ import annotations

from __future__ import annotations
import argparse
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple
import numpy as np
from numpy.typing import NDArray
from ustad.runtime.core.errors import MoveError, OutcomeError, PositionError, shown
from ustad.runtime.core.game import CHANCE, OVER, GameType
from ustad.runtime.core.strict_json import Fields, is_int
from ustad.runtime.games.five_dice import turn as dice
from ustad.runtime.games.five_dice.columns import Columns
from ustad.runtime.games.five_dice.turn import (
    DICE,
    FACES,
    KEEPS,
    SIZES,
    contains,
    multiset_probability,
    sub_keeps,
)

    def add_flags(self, parser: argparse.ArgumentParser) -> None:
        """Add the flags for one sheet and its dice."""
        self.add_sheet_flags(parser)

    def add_sheet_flags(self, parser: argparse.ArgumentParser) -> Any:
        """Add the flags for one sheet and its dice, and return their group."""
        group = parser.add_argument_group("one sheet alone, from flags")
        group.add_argument(
            "--sheet",
            action="append",
            metavar="BOX=POINTS,...",
            help="the boxes written; none: an empty sheet",
        )
        group.add_argument(
            "--dice", nargs="+", metavar="FACE", help="the five dice; none: before the first roll"
        )
        group.add_argument("--rolls-left", metavar="N", help="rolls still allowed: 0, 1 or 2")
        group.add_argument(
            "--option", action="append", default=[], metavar="NAME=VALUE", help=self.options_help()
        )
        return group

    def position_from_flags(self, args: argparse.Namespace) -> dict[str, Any] | None:
        """Return the position that the flags describe, None without any flag."""
        if args.sheet is None and args.dice is None and args.rolls_left is None and not args.option:
            return None
        if args.sheet is not None and len(args.sheet) > 1:
            raise PositionError(f"--sheet: expected one, with all its boxes, got {len(args.sheet)}")
        if args.dice is not None and args.rolls_left is None:
            raise PositionError("--rolls-left: expected 0, 1 or 2 beside --dice")
        if args.dice is None and args.rolls_left not in (None, str(ROLLS_A_TURN)):
            raise PositionError("--dice: expected the dice that lie, beside --rolls-left")
        left = (
            ROLLS_A_TURN if args.rolls_left is None else flag_int("--rolls-left", args.rolls_left)
        )
        return {
            "game": self.name,
            "options": self.parse_options(args.option),
            "sheets": [_sheet_from_flag(sheet) for sheet in args.sheet or [""]],
            "to_move": 0,
            "dice": None if args.dice is None else [flag_int("--dice", die) for die in args.dice],
            "rolls_left": left,
        }


def flag_int(flag: str, text: str) -> int:
    """Return the whole number that a flag gives, or raise PositionError."""
    try:
        return int(text)
    except ValueError:
        raise PositionError(f"{flag}: expected a whole number, got {shown(text)}") from None


def _sheet_from_flag(text: str) -> dict[str, int]:
    """Return the sheet that ``ones=3,chance=22`` describes."""
    sheet: dict[str, int] = {}
    for item in filter(None, text.split(",")):
        name, equals, points = (part.strip() for part in item.partition("="))
        if not equals:
            raise PositionError(f"--sheet: expected BOX=POINTS, got {shown(item)}")
        if name in sheet:
            raise PositionError(f"--sheet: the box {name} stands twice")
        sheet[name] = flag_int(f"--sheet: {name}", points)
    return sheet
