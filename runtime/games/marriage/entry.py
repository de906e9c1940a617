"""Marriage as commands, protocol and arena know it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ustad.runtime.core.chance import move_chance
from ustad.runtime.core.entry import Entry, Levels
from ustad.runtime.core.facts import Facts
from ustad.runtime.core.game import Bot
from ustad.runtime.core.judge import Judge
from ustad.runtime.games.marriage.cards.maal import PRINTED
from ustad.runtime.games.marriage.codec import CODEC
from ustad.runtime.games.marriage.decisions import PLAIN, Kernels
from ustad.runtime.games.marriage.expert import ExpertBot
from ustad.runtime.games.marriage.facts import MarriageFacts
from ustad.runtime.games.marriage.features import new_work
from ustad.runtime.games.marriage.hand import HAND_COMMAND
from ustad.runtime.games.marriage.judge import Nets
from ustad.runtime.games.marriage.levels import MarriageBot, level_weights
from ustad.runtime.games.marriage.round.moves import Move
from ustad.runtime.games.marriage.round.options import NAME
from ustad.runtime.games.marriage.round.rules import RULES, Marriage
from ustad.runtime.games.marriage.round.view import View
from ustad.runtime.games.marriage.tables import TABLES, expert_numbers
from ustad.runtime.games.marriage.text import TEXT


@cache
def kernels() -> Kernels:
    """Return the functions that take most time, compiled where numba is installed."""
    try:
        from ustad.runtime.games.marriage.kernels import KERNELS
    except ImportError:
        return PLAIN
    return KERNELS


class MarriageLevels(Levels[Marriage, View, Move]):
    """The bots; expert plays the numbers that ship where no table is built."""

    need_tables: frozenset[str] = frozenset()
    seeded = frozenset({"easy"})
    units = MappingProxyType({"net": "expert"})

    def bot(self, level: str, rules: Marriage, tables: Path | None, seed: int) -> Bot[View, Move]:
        """Return a bot of a level."""
        if level == "expert":
            return ExpertBot(expert_numbers(tables), kernels())
        chance = move_chance(seed, CODEC.state_to_json)
        return MarriageBot(level, level_weights(level), kernels(), chance)

    def facts(
        self, bot: Bot[View, Move], rules: Marriage, tables: Path | None
    ) -> Facts[View, Move] | None:
        """Return who knows the hands that expert's moves leave."""
        del rules, tables
        return MarriageFacts(bot) if isinstance(bot, ExpertBot) else None

    def judge(self, unit: str, bot: ExpertBot) -> Judge[Any, Move]:
        """Return who rates rounds for every seat."""
        del unit
        return Nets(bot)

    def prepare(self) -> None:
        """Load the compiled functions, or compile them."""
        view = Marriage().new(RULES.seats.usual).view(0)
        work, numbers, sight = new_work(), view.rules.numbers, view.sight()
        kernels().rate_before_show(work, numbers, sight, True)
        kernels().rate_after_show(work, sight, False, True)
        kernels().search_finish(work.finish, sight.hand, PRINTED, 0, False, 0)


ENTRY: Entry[Marriage, View, Move, int] = Entry(
    NAME,
    "Marriage (म्यारिज)",
    RULES,
    CODEC,
    TEXT,
    MarriageLevels(),
    TABLES,
    commands=(HAND_COMMAND,),
)
