"""Pasa as commands, protocol and arena know it."""

from __future__ import annotations

from pathlib import Path

from ustad.runtime.core.entry import Entry, Levels
from ustad.runtime.core.game import Bot
from ustad.runtime.games.pasa.codec import CODEC
from ustad.runtime.games.pasa.levels import EasyBot, HardBot, MediumBot, TableBot
from ustad.runtime.games.pasa.rules import NAME, RULES, Pasa, PasaState, Throw
from ustad.runtime.games.pasa.tables import TABLES
from ustad.runtime.games.pasa.text import TEXT
from ustad.tables import tables_folder


class PasaLevels(Levels[Pasa, PasaState, int]):
    """The bots; expert looks for the table when a position asks for one."""

    seeded = frozenset({"medium"})

    def bot(self, level: str, rules: Pasa, tables: Path | None, seed: int) -> Bot[PasaState, int]:
        """Return a bot of a level."""
        if level == "easy":
            return EasyBot()
        if level == "medium":
            return MediumBot(seed)
        if level == "hard":
            return HardBot()
        return TableBot(rules, tables_folder(tables))


ENTRY: Entry[Pasa, PasaState, int, Throw] = Entry(
    NAME, "Pasa (पासा)", RULES, CODEC, TEXT, PasaLevels(), TABLES
)
