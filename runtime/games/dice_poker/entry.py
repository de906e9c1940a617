"""Dice poker as commands, protocol and arena know it."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from ustad.runtime.core.entry import Entry, Flag, Flags, Given, Levels, Takes, whole_numbers
from ustad.runtime.core.errors import PositionError
from ustad.runtime.core.facts import Facts
from ustad.runtime.core.game import Bot
from ustad.runtime.core.judge import Judge
from ustad.runtime.games.dice_poker.codec import CODEC
from ustad.runtime.games.dice_poker.facts import DicePokerFacts
from ustad.runtime.games.dice_poker.levels import NextThrow, RowBot, TableBot, row_alone
from ustad.runtime.games.dice_poker.rules import NAME, ROW_COUNT, RULES, DicePoker
from ustad.runtime.games.dice_poker.tables import TABLES
from ustad.runtime.games.dice_poker.text import TEXT
from ustad.runtime.games.five_dice.flags import TITLE, sheet_flags, sheet_position
from ustad.runtime.games.five_dice.judge import SheetTotals
from ustad.runtime.games.five_dice.sheet import SheetState
from ustad.runtime.games.five_dice.tables import open_by_box
from ustad.runtime.games.five_dice.turn import Turn
from ustad.tables import open_table, tables_folder


class DicePokerLevels(Levels[DicePoker, SheetState, Any]):
    """The bots; expert needs the table of the rules' options."""

    units = MappingProxyType({"expected_total": "expert"})

    def bot(
        self, level: str, rules: DicePoker, tables: Path | None, seed: int
    ) -> Bot[SheetState, Any]:
        """Return a bot of a level."""
        del seed
        if level == "easy":
            return RowBot(rules, np.zeros(ROW_COUNT), Turn)
        if level == "medium":
            return RowBot(rules, row_alone(rules.numbers), NextThrow)
        if level == "hard":
            return RowBot(rules, row_alone(rules.numbers), Turn)
        return TableBot(rules, open_table(TABLES.spec(rules.options), tables_folder(tables)))

    def judge(self, unit: str, bot: TableBot) -> Judge[SheetState, Any]:
        """Return who rates positions for every seat."""
        del unit
        return SheetTotals(bot)

    def facts(
        self, bot: Bot[SheetState, Any], rules: DicePoker, tables: Path | None
    ) -> Facts[SheetState, Any] | None:
        """Return who knows what the turns of expert and the rest of the game bring."""
        if not isinstance(bot, TableBot):
            return None
        return DicePokerFacts(bot, open_by_box(TABLES, rules.options, tables))


def _position(given: Given) -> dict[str, Any] | None:
    """Return the position that the flags describe, None without any flag."""
    told = given["turns_left"]
    turns_left = None if told is None else whole_numbers("--turns-left", told)
    position = sheet_position(NAME, RULES, given, turns_left)
    if position is None and turns_left is not None:
        raise PositionError("--turns-left: expected --sheet beside it")
    if position is None:
        return None
    if turns_left is not None:
        position["turns_left"] = turns_left
    elif RULES.read_options(position["options"])["dash"] == "deferred":
        position["turns_left"] = [max(ROW_COUNT - len(sheet), 0) for sheet in position["sheets"]]
    return position


FLAGS: Flags[DicePoker] = Flags(
    TITLE,
    (
        *sheet_flags(RULES),
        Flag(
            "--turns-left",
            "turns to play of each sheet, under dash=deferred; none: none passed",
            "N",
            Takes.SEVERAL,
        ),
    ),
    _position,
)

ENTRY: Entry[DicePoker, SheetState, Any, tuple[int, ...]] = Entry(
    NAME, "Dice poker (ডাইস পোকার)", RULES, CODEC, TEXT, DicePokerLevels(), TABLES, FLAGS
)
