"""``ustad play``: a person against bots in the terminal."""

from __future__ import annotations

import argparse
import secrets
from collections.abc import Sequence
from functools import cache, partial
from itertools import count
from textwrap import fill
from typing import Any

from ustad.runtime import play
from ustad.runtime.cli.output import prepare
from ustad.runtime.cli.parser import (
    OK,
    add_for_each_game,
    add_options,
    folder_given,
    options_of,
    whole_number,
    whole_number_if_given,
)
from ustad.runtime.core.errors import UsageError
from ustad.runtime.core.game import LEVELS
from ustad.runtime.questions import check_level, check_seed

NARROW = 60
"""Columns that suffice to read what is told before a game."""


def add_play(commands: Any, games: Sequence[str]) -> None:
    """Add the command ``play``."""
    text = "a person against bots in the terminal"
    for entry, parser in add_for_each_game(commands, "play", _play, text, games):
        parser.add_argument("--level", default="expert", metavar="LEVEL", help=", ".join(LEVELS))
        least, most, usual = entry.rules.seats
        parser.add_argument("--players", metavar="N", help=f"{least} to {most} ({usual})")
        parser.add_argument("--seat", default="0", metavar="N", help="where you sit (0)")
        parser.add_argument("--seed", metavar="S", help="what luck is drawn from; drawn if absent")
        add_options(parser, entry)


def _play(args: argparse.Namespace) -> int:
    entry, options = options_of(args)
    rules = entry.rules.make(**options)
    if args.json:
        raise UsageError("play: a game for people has no --json; programs use ustad serve")
    level = check_level(args.level)
    players = whole_number_if_given("--players", args.players)
    players = entry.rules.check_players(entry.rules.seats.usual if players is None else players)
    seat = play.check_seat(whole_number("--seat", args.seat), players)
    seed = whole_number_if_given("--seed", args.seed)
    seed = secrets.randbelow(10**6) if seed is None else check_seed(seed)
    prepare(entry)
    adviser = cache(partial(entry.levels.bot, "expert", rules, folder_given(args), seed))
    bot = entry.levels.bot(level, rules, folder_given(args), seed)
    bot.ask(rules.new(players, seed=(seed,)).view(0))  # tells now which table is missing
    bots = [None if at == seat else bot for at in range(players)]
    print(f"{entry.title}: you sit in seat {seat} of {players}; seed {seed}")
    if entry.text.note:
        print(fill(entry.text.note, NARROW))
    terminal = play.Terminal(_typed, print)
    # The seat that begins moves on from game to game.
    for number in count():
        luck = (seed, number) if number else (seed,)
        first = number % players
        ended = play.play(entry, rules, bots, adviser, luck, first, terminal)
        if ended is None or not play.wants_another(terminal):
            return OK
    return OK


def _typed(prompt: str) -> str:
    """Return the line typed at a prompt; what is not text in the terminal's code is refused."""
    try:
        return input(prompt)
    except UnicodeDecodeError:
        return "\N{REPLACEMENT CHARACTER}"
