"""One sheet and its dice, given by the flags of a command line."""

from __future__ import annotations

from typing import Any

from ustad.runtime.core.entry import Flag, Given, Rulebook, Takes, whole_number
from ustad.runtime.core.errors import PositionError, shown
from ustad.runtime.core.options import options_help, parse_options
from ustad.runtime.games.five_dice.sheet import ROLLS_A_TURN

TITLE = "one sheet alone, from flags"


def sheet_flags(rulebook: Rulebook[Any]) -> tuple[Flag, ...]:
    """Return the flags for one sheet, its dice, and the options of the rules."""
    return (
        Flag(
            "--sheet",
            "the boxes written; none: an empty sheet",
            "BOX=POINTS,...",
            Takes.ONE_EACH_TIME,
        ),
        Flag("--dice", "the five dice; none: before the first roll", "FACE", Takes.SEVERAL),
        Flag("--rolls-left", "rolls still allowed: 0, 1 or 2", "N"),
        Flag("--option", options_help(rulebook.options), "NAME=VALUE", Takes.ONE_EACH_TIME),
    )


def sheet_position(name: str, rulebook: Rulebook[Any], given: Given) -> dict[str, Any] | None:
    """Return the position that the flags describe, None without any flag.

    Args:
        name: the game's name.
        rulebook: its rules before the options are chosen.
        given: the flags.
    """
    sheets, dice, rolls_left = given["sheet"], given["dice"], given["rolls_left"]
    options = given["option"] or []
    if sheets is None and dice is None and rolls_left is None and not options:
        return None
    if sheets is not None and len(sheets) > 1:
        raise PositionError(f"--sheet: expected one, with all its boxes, got {len(sheets)}")
    if dice is not None and rolls_left is None:
        raise PositionError("--rolls-left: expected 0, 1 or 2 beside --dice")
    if dice is None and rolls_left not in (None, str(ROLLS_A_TURN)):
        raise PositionError("--dice: expected the five dice beside --rolls-left")
    return {
        "game": name,
        "options": parse_options(name, rulebook.options, options),
        "sheets": [_sheet_from_flag(sheet) for sheet in sheets or [""]],
        "to_move": 0,
        "dice": None if dice is None else [whole_number("--dice", die) for die in dice],
        "rolls_left": (
            ROLLS_A_TURN if rolls_left is None else whole_number("--rolls-left", rolls_left)
        ),
    }


def _sheet_from_flag(text: str) -> dict[str, int]:
    """Return the sheet that ``ones=3,chance=22`` describes."""
    sheet: dict[str, int] = {}
    for item in filter(None, text.split(",")):
        name, equals, points = (part.strip() for part in item.partition("="))
        if not equals:
            raise PositionError(f"--sheet: expected BOX=POINTS, got {shown(item)}")
        if name in sheet:
            raise PositionError(f"--sheet: the box {name} stands twice")
        sheet[name] = whole_number(f"--sheet: {name}", points)
    return sheet
