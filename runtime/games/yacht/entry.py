"""Yacht as commands, protocol and arena know it."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ustad.runtime.core.entry import Entry, Flag, Flags, Given, Levels, whole_number
from ustad.runtime.core.errors import UsageError, shown
from ustad.runtime.core.facts import Facts
from ustad.runtime.core.game import Bot, TurnGains
from ustad.runtime.core.judge import Judge
from ustad.runtime.games.five_dice.flags import TITLE, sheet_flags, sheet_position
from ustad.runtime.games.five_dice.judge import SheetTotals
from ustad.runtime.games.five_dice.sheet import SheetState
from ustad.runtime.games.five_dice.tables import open_by_box
from ustad.runtime.games.yacht.codec import CODEC
from ustad.runtime.games.yacht.expert import AloneBot, ExpertBot, make_expert, make_turn_gains
from ustad.runtime.games.yacht.facts import YachtFacts
from ustad.runtime.games.yacht.goals import GoalBot
from ustad.runtime.games.yacht.levels import EasyBot, MediumBot, TableBot
from ustad.runtime.games.yacht.outlooks import open_outlooks
from ustad.runtime.games.yacht.rules import NAME, RULES, Yacht
from ustad.runtime.games.yacht.shares import WinShares
from ustad.runtime.games.yacht.tables import TABLES
from ustad.runtime.games.yacht.target import make_target_bot
from ustad.runtime.games.yacht.text import TEXT
from ustad.tables import MissingTableError, open_table, tables_folder

YachtBot = Bot[SheetState, Any]


class YachtLevels(Levels[Yacht, SheetState, Any]):
    """The bots; hard and expert need the table of the rules' options."""

    need_tables = frozenset({"hard", "expert"})
    units = MappingProxyType({"expected_total": "hard", "win_share": "expert"})

    def bot(self, level: str, rules: Yacht, tables: Path | None, seed: int) -> YachtBot:
        """Return a bot of a level."""
        del seed
        if level == "easy":
            return EasyBot(rules.second_yacht)
        if level == "medium":
            return MediumBot(rules.second_yacht)
        table = open_table(TABLES.spec(rules.options), tables_folder(tables))
        return TableBot(rules, table) if level == "hard" else make_expert(rules, table, tables)

    def facts(
        self, bot: YachtBot, rules: Yacht, tables: Path | None
    ) -> Facts[SheetState, Any] | None:
        """Return who knows what the turns of a bot and the rest of the game bring."""
        if not isinstance(bot, TableBot | GoalBot):
            return None
        outlooks = bot.outlooks if isinstance(bot, ExpertBot) else None
        if outlooks is None:
            with suppress(MissingTableError):
                outlooks = open_outlooks(rules.options, tables)
        return YachtFacts(bot, open_by_box(TABLES, rules.options, tables), outlooks)

    def plays_by(self, level: str, rules: Yacht, tables: Path | None) -> str | None:
        """Return the outlook that expert plays by."""
        if level != "expert":
            return None
        return f"outlook {open_outlooks(rules.options, tables).name}"

    def baseline(self, unit: str, bot: Any) -> Judge[SheetState, Any]:
        """Return who measures luck: by win shares under hard play of all."""
        judge = self.judge(unit, bot)
        return WinShares(bot, by_hard=True) if isinstance(judge, WinShares) else judge

    def turn_gains(self, level: str, rules: Yacht, tables: Path | None) -> TurnGains | None:
        """Return who knows exactly what expert gains among others of level hard.

        It takes the full outlook: without it nobody does.
        """
        return make_turn_gains(rules, tables) if level == "expert" else None

    def judge(self, unit: str, bot: Any) -> Judge[SheetState, Any]:
        """Return who rates positions for every seat; alone at the table by the total only."""
        if unit == "expected_total":
            return SheetTotals(bot)
        if isinstance(bot, AloneBot):
            raise bot.missing.with_traceback(None)
        return WinShares(bot)


def _target_adviser(given: Given, rules: Yacht, tables: Path | None) -> YachtBot | None:
    """Return who knows the chances of a total, if one is asked for."""
    if given["target"] is None:
        return None
    if given["level"] != "expert":
        level = shown(given["level"])
        raise UsageError(f"--level: no level plays for a --target, got {level}")
    return make_target_bot(rules, whole_number("--target", given["target"]), tables)


FLAGS: Flags[Yacht] = Flags(
    TITLE,
    sheet_flags(RULES),
    partial(sheet_position, NAME, RULES),
    (Flag("--target", "ask for the best chance of so many points", "TOTAL"),),
    _target_adviser,
)

ENTRY: Entry[Yacht, SheetState, Any, tuple[int, ...]] = Entry(
    NAME, "Yacht (याट)", RULES, CODEC, TEXT, YachtLevels(), TABLES, FLAGS
)
