"""Nim as commands, protocol and arena know it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ustad.runtime.core.chance import move_chance
from ustad.runtime.core.entry import Entry, Levels, Tables
from ustad.runtime.core.errors import OptionError
from ustad.runtime.core.game import Bot
from ustad.runtime.games.nim.codec import CODEC, TEXT
from ustad.runtime.games.nim.levels import EasyBot, ExpertBot, HardBot, MediumBot
from ustad.runtime.games.nim.rules import NAME, RULES, Nim, NimState, Take
from ustad.tables import TableSpec


class NimLevels(Levels[Nim, NimState, Take]):
    """The bots; none needs a table."""

    need_tables = frozenset()
    seeded = frozenset({"medium"})

    def bot(self, level: str, rules: Nim, tables: Path | None, seed: int) -> Bot[NimState, Take]:
        """Return a bot of a level."""
        if level == "medium":
            return MediumBot(move_chance(seed, CODEC.state_to_json))
        if level == "expert":
            return ExpertBot()
        return EasyBot() if level == "easy" else HardBot()


class NoTables(Tables):
    """A game small enough to need none."""

    fields = ()

    def defaults(self) -> tuple[dict[str, Any], ...]:
        """Return nothing."""
        return ()

    def spec(self, options: Mapping[str, Any]) -> TableSpec:
        """Refuse."""
        raise OptionError("nim: there are no tables")


ENTRY: Entry[Nim, NimState, Take, int] = Entry(
    NAME, "Nim with a die", RULES, CODEC, TEXT, NimLevels(), NoTables()
)
