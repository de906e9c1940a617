"""Pasa as commands, protocol and arena know it."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import Any

from ustad.runtime.core.chance import move_chance
from ustad.runtime.core.entry import (
    Entry,
    Flag,
    Flags,
    Given,
    Levels,
    Takes,
    whole_number,
    whole_numbers,
)
from ustad.runtime.core.errors import PositionError
from ustad.runtime.core.facts import Facts
from ustad.runtime.core.game import Bot
from ustad.runtime.core.judge import Judge
from ustad.runtime.core.options import options_help, parse_options
from ustad.runtime.games.pasa.codec import CODEC
from ustad.runtime.games.pasa.facts import PasaFacts
from ustad.runtime.games.pasa.judge import WinShares
from ustad.runtime.games.pasa.levels import EasyBot, HardBot, MediumBot, TableBot
from ustad.runtime.games.pasa.rules import (
    NAME,
    POSITION_OPTIONS,
    RULES,
    Pasa,
    PasaState,
    Throw,
    no_bets,
)
from ustad.runtime.games.pasa.tables import TABLES
from ustad.runtime.games.pasa.text import TEXT
from ustad.tables import tables_folder


class PasaLevels(Levels[Pasa, PasaState, int]):
    """The bots; expert looks for the table when a position asks for one."""

    seeded = frozenset({"medium"})
    units = MappingProxyType({"win_share": "expert"})

    def bot(self, level: str, rules: Pasa, tables: Path | None, seed: int) -> Bot[PasaState, int]:
        """Return a bot of a level."""
        if level == "easy":
            return EasyBot()
        if level == "medium":
            return MediumBot(move_chance(seed, CODEC.state_to_json))
        if level == "hard":
            return HardBot()
        return TableBot(rules, tables_folder(tables))

    def facts(
        self, bot: Bot[PasaState, int], rules: Pasa, tables: Path | None
    ) -> Facts[PasaState, int] | None:
        """Return who knows the win share after each throw."""
        del rules, tables
        return PasaFacts(bot) if isinstance(bot, TableBot) else None

    def judge(self, unit: str, bot: TableBot) -> Judge[PasaState, int]:
        """Return who rates positions for every seat."""
        del unit
        return WinShares(bot)


def _position(given: Given) -> dict[str, Any] | None:
    """Return the position that the flags describe, None without any flag."""
    stacks, bets, options = given["stacks"], given["bets"], given["option"] or []
    if stacks is None:
        if bets or options or given["thrower"] is not None or given["turns_left"] is not None:
            raise PositionError("--stacks: expected the chips of each seat beside other flags")
        return None
    held = whole_numbers("--stacks", stacks)
    thrower = whole_number("--thrower", given["thrower"] or "0")
    turns = whole_number("--turns-left", given["turns_left"] or str(len(held) - thrower))
    around = [(thrower + step) % len(held) for step in range(1, len(held))]
    made: list[int | None] = list(no_bets(held, thrower))
    bettors = [seat for seat in around if made[seat] is None]
    placed = whole_numbers("--bets", bets or [])
    if len(placed) > len(bettors):
        raise PositionError(f"--bets: expected at most {len(bettors)}, got {len(placed)}")
    for seat, bet in zip(bettors, placed, strict=False):
        made[seat] = bet
    return {
        "game": NAME,
        "options": parse_options(NAME, POSITION_OPTIONS, options),
        "stacks": held,
        "thrower": thrower,
        "turns_left": turns,
        "bets": made,
    }


FLAGS: Flags[Pasa] = Flags(
    "a position, from flags",
    (
        Flag("--stacks", "the chips of each seat, in stakes", "CHIPS", Takes.SEVERAL),
        Flag("--thrower", "the seat with the dice (0)", "SEAT"),
        Flag(
            "--turns-left",
            "turns left, the present one counted (if absent: the dice go on to the last seat)",
            "N",
        ),
        Flag("--bets", "the bets made, from the seat after the thrower", "BET", Takes.SEVERAL),
        Flag("--option", options_help(POSITION_OPTIONS), "NAME=VALUE", Takes.ONE_EACH_TIME),
    ),
    _position,
)

ENTRY: Entry[Pasa, PasaState, int, Throw] = Entry(
    NAME, "Pasa (पासा)", RULES, CODEC, TEXT, PasaLevels(), TABLES, FLAGS
)
