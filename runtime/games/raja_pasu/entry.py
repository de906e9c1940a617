"""Raja Pasu as commands, protocol and arena know it."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

from ustad.runtime.core.entry import Entry, Levels
from ustad.runtime.core.game import Bot
from ustad.runtime.games.raja_pasu.codec import CODEC
from ustad.runtime.games.raja_pasu.levels import EasyBot, MediumBot, SearchBot, TableBot
from ustad.runtime.games.raja_pasu.rules import NAME, RULES, RajaPasu, RajaPasuState, Sow
from ustad.runtime.games.raja_pasu.tables import TABLES, Rounds
from ustad.runtime.games.raja_pasu.text import TEXT
from ustad.tables import tables_folder


class RajaPasuLevels(Levels[RajaPasu, RajaPasuState, Sow]):
    """The bots; expert needs the tables."""

    seeded = frozenset({"easy"})

    def bot(
        self, level: str, rules: RajaPasu, tables: Path | None, seed: int
    ) -> Bot[RajaPasuState, Sow]:
        """Return a bot of a level."""
        if level == "easy":
            return EasyBot(seed)
        if level == "medium":
            return MediumBot()
        if level == "hard":
            return SearchBot(rules, depth=4)
        return TableBot(rules, Rounds(rules, tables_folder(tables)).table)


ENTRY: Entry[RajaPasu, RajaPasuState, Sow, NoReturn] = Entry(
    NAME, "Raja Pasu (राजा पासु)", RULES, CODEC, TEXT, RajaPasuLevels(), TABLES
)
