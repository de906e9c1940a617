"""Raja Pasu as commands, protocol and arena know it."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import Any, NoReturn

from ustad.runtime.core.chance import move_chance
from ustad.runtime.core.entry import Entry, Flag, Flags, Given, Levels, Takes, whole_numbers
from ustad.runtime.core.errors import PositionError, shown
from ustad.runtime.core.facts import Facts
from ustad.runtime.core.game import Bot
from ustad.runtime.core.judge import Judge
from ustad.runtime.games.raja_pasu.codec import CODEC
from ustad.runtime.games.raja_pasu.facts import RajaPasuFacts
from ustad.runtime.games.raja_pasu.judge import Margins
from ustad.runtime.games.raja_pasu.levels import (
    EasyBot,
    MediumBot,
    Rater,
    SearchBot,
    TableBot,
)
from ustad.runtime.games.raja_pasu.matches import MatchBot
from ustad.runtime.games.raja_pasu.rules import (
    NAME,
    RULES,
    SEATS,
    RajaPasu,
    RajaPasuState,
    Sow,
)
from ustad.runtime.games.raja_pasu.tables import TABLES, Rounds
from ustad.runtime.games.raja_pasu.text import TEXT
from ustad.tables import tables_folder


class RajaPasuLevels(Levels[RajaPasu, RajaPasuState, Sow]):
    """The bots; expert needs the tables."""

    seeded = frozenset({"easy"})
    units = MappingProxyType({"margin": "expert"})

    def bot(
        self, level: str, rules: RajaPasu, tables: Path | None, seed: int
    ) -> Bot[RajaPasuState, Sow]:
        """Return a bot of a level."""
        if level == "easy":
            return EasyBot(move_chance(seed, CODEC.state_to_json))
        if level == "medium":
            return MediumBot()
        if level == "hard":
            return SearchBot(rules, depth=4)
        rounds = Rounds(rules, tables_folder(tables))
        return (
            MatchBot(rules, rounds.table, rounds.match)
            if rules.match
            else TableBot(rules, rounds.table)
        )

    def facts(
        self, bot: Bot[RajaPasuState, Sow], rules: RajaPasu, tables: Path | None
    ) -> Facts[RajaPasuState, Sow] | None:
        """Return who knows the final score and the line."""
        del rules, tables
        return RajaPasuFacts(bot) if isinstance(bot, Rater) else None

    def judge(self, unit: str, bot: TableBot) -> Judge[RajaPasuState, Sow]:
        """Return who rates positions for every seat."""
        del unit
        return Margins(bot.for_margins())


def _position(given: Given) -> dict[str, Any] | None:
    """Return the position that the flags describe, None without any flag."""
    board, to_move, closed, captured = (
        given[name] for name in ("board", "to_move", "closed", "captured")
    )
    if board is None:
        if to_move is not None or closed is not None or captured is not None:
            raise PositionError("--board: expected the seeds of the 14 holes beside other flags")
        return None
    seats = {name: seat for seat, side in enumerate(SEATS) for name in (side.lower(), str(seat))}
    mover = seats.get((to_move or SEATS[0]).lower())
    if mover is None:
        raise PositionError(f"--to-move: expected south or north, got {shown(to_move)}")
    return {
        "game": NAME,
        "board": whole_numbers("--board", board),
        "closed": whole_numbers("--closed", closed or []),
        "to_move": mover,
        "captured": whole_numbers("--captured", captured or ["0", "0"]),
    }


FLAGS: Flags[RajaPasu] = Flags(
    "a position, from flags",
    (
        Flag("--board", "the seeds of holes 0 to 13", "SEEDS", Takes.SEVERAL),
        Flag("--to-move", "south or north (south)", "SIDE"),
        Flag("--closed", "the closed holes; none if absent", "HOLE", Takes.SEVERAL),
        Flag("--captured", "what South and North took (0 0)", "SEEDS", Takes.SEVERAL),
    ),
    _position,
)

ENTRY: Entry[RajaPasu, RajaPasuState, Sow, NoReturn] = Entry(
    NAME, "Raja Pasu (राजा पासु)", RULES, CODEC, TEXT, RajaPasuLevels(), TABLES, FLAGS
)
