"""Sheets and dice, given by the flags of a command line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ustad.runtime.core.entry import Flag, Given, Rulebook, Takes, whole_number
from ustad.runtime.core.errors import PositionError, shown
from ustad.runtime.core.options import options_help, parse_options
from ustad.runtime.games.five_dice.sheet import ROLLS_A_TURN

TITLE = "a position, from flags"


def sheet_flags(rulebook: Rulebook[Any]) -> tuple[Flag, ...]:
    """Return the flags for the sheets, the dice, and the options of the rules."""
    return (
        Flag(
            "--sheet",
            "the boxes written, again for each further seat; none: one empty sheet",
            "BOX=POINTS,...",
            Takes.ONE_EACH_TIME,
        ),
        Flag("--dice", "the five dice; none: before the first roll", "FACE", Takes.SEVERAL),
        Flag("--rolls-left", "rolls still allowed: 0, 1 or 2", "N"),
        Flag("--to-move", "the seat whose turn it is, counted from 0 (0)", "SEAT"),
        Flag("--first", "the seat that rolled first (if absent: as the boxes tell)", "SEAT"),
        Flag("--option", options_help(rulebook.options), "NAME=VALUE", Takes.ONE_EACH_TIME),
    )


def sheet_position(
    name: str,
    rulebook: Rulebook[Any],
    given: Given,
    turns_left: Sequence[int] | None = None,
) -> dict[str, Any] | None:
    """Return the position that the flags describe, None without any flag.

    Args:
        name: the game's name.
        rulebook: its rules before the options are chosen.
        given: the flags.
        turns_left: the turns to play of each sheet, where the boxes do not tell them.
    """
    dice, rolls_left = given["dice"], given["rolls_left"]
    if not any(given[flag] for flag in ("sheet", "dice", "rolls_left", "option")):
        for flag in ("to_move", "first"):
            if given[flag] is not None:
                raise PositionError(f"--{flag.replace('_', '-')}: expected --sheet beside it")
        return None
    if dice is not None and rolls_left is None:
        raise PositionError("--rolls-left: expected 0, 1 or 2 beside --dice")
    if dice is None and rolls_left not in (None, str(ROLLS_A_TURN)):
        raise PositionError("--dice: expected the five dice beside --rolls-left")
    options = parse_options(name, rulebook.options, given["option"] or [])
    sheets = [_sheet_from_flag(sheet) for sheet in given["sheet"] or [""]]
    to_move, first = (
        None if given[key] is None else whole_number(flag, given[key])
        for key, flag in (("to_move", "--to-move"), ("first", "--first"))
    )
    to_move = 0 if to_move is None else to_move
    if first is None:
        boxes = rulebook.read(options).boxes
        written = [sum(box in sheet for box in boxes) for sheet in sheets]
        turns = written if turns_left is None else [-left for left in turns_left]
        first = _first(turns, to_move)
    return {
        "game": name,
        "options": options,
        "sheets": sheets,
        "first": first,
        "to_move": to_move,
        "dice": None if dice is None else [whole_number("--dice", die) for die in dice],
        "rolls_left": (
            ROLLS_A_TURN if rolls_left is None else whole_number("--rolls-left", rolls_left)
        ),
    }


def _first(turns: Sequence[int], to_move: int) -> int:
    """Return who rolled first: from there to the seat to move each has one turn more behind it.

    >>> _first([3, 4, 4], 0), _first([4, 3, 3], 1), _first([3, 3, 3], 2)
    (1, 0, 2)
    """
    seats = len(turns)
    ahead = [turns[(to_move - 1 - back) % seats] > turns[to_move % seats] for back in range(seats)]
    return (to_move - ahead.index(False)) % seats


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
