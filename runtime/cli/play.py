"""``ustad play``: people and bots at one table in the terminal."""

from __future__ import annotations

import argparse
import secrets
from collections.abc import Sequence
from functools import cache, partial
from itertools import count
from pathlib import Path
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
from ustad.runtime.core.entry import AnyEntry
from ustad.runtime.core.errors import UsageError
from ustad.runtime.core.game import LEVELS
from ustad.runtime.core.strength import graded_bot, read_grade
from ustad.runtime.core.texts import narrow
from ustad.runtime.methods import check_seed
from ustad.runtime.questions import Advisor
from ustad.runtime.record import LONGEST_NAME, Player, Record, Writer, new, resume
from ustad.runtime.review import as_text

_OF_A_NEW_GAME = ("level", "players", "seat", "seed", "people", "name", "record", "option")
"""The flags that a game to go on with has no use for: its record tells them."""


def add_play(commands: Any, games: Sequence[str]) -> None:
    """Add the command ``play``."""
    text = "people and bots at one table in the terminal"
    for entry, parser in add_for_each_game(commands, "play", _play, text, games):
        parser.add_argument(
            "--level",
            metavar="LEVEL",
            help=f"{', '.join(LEVELS)}, or at a strength: hard:0.6 (expert)",
        )
        least, most, usual = entry.rules.seats
        parser.add_argument("--players", metavar="N", help=f"{least} to {most} ({usual})")
        parser.add_argument("--seat", metavar="N", help="where you sit (0)")
        parser.add_argument("--seed", metavar="S", help="what luck is drawn from; drawn if absent")
        parser.add_argument("--people", metavar="N", help="how many people play (1)")
        parser.add_argument(
            "--name", action="append", metavar="NAME", help="of the first, then of the next person"
        )
        parser.add_argument("--record", metavar="FILE", help="write the game down, step by step")
        parser.add_argument("--resume", metavar="FILE", help="go on with a game written down")
        add_options(parser, entry)


def _play(args: argparse.Namespace) -> int:
    if args.json:
        raise UsageError("play: a game for people has no --json; programs use ustad serve")
    if args.resume is not None:
        return _resume(args)
    entry, options = options_of(args)
    rules = entry.rules.make(**options)
    level = "expert" if args.level is None else args.level
    read_grade(level)
    players = _players(args, entry, level)
    seed = whole_number_if_given("--seed", args.seed)
    seed = secrets.randbelow(10**6) if seed is None else check_seed(seed)
    table = _Seats(args, entry, rules, seed)
    bots = table.bots(players)
    seats = [seat for seat, bot in enumerate(bots) if bot is None]
    where = f"you sit in seat {seats[0]}" if len(seats) == 1 else f"people sit in seats {seats}"
    print(narrow(f"{entry.title}: {where} of {len(players)}; seed {seed}"))
    if entry.text.note:
        print(narrow(entry.text.note))
    # The seat that begins moves on from game to game.
    for number in count():
        luck = (seed, number) if number else (seed,)
        start = rules.new(len(players), number % len(players), luck)
        begun = new(entry, start, players, luck)
        writer = None if args.record is None else Writer.create(Path(args.record), begun)
        if not table.play(begun, bots, luck, writer):
            return OK
    return OK


def _resume(args: argparse.Namespace) -> int:
    """Go on with the game of a record."""
    for flag in _OF_A_NEW_GAME:
        if getattr(args, flag):
            raise UsageError(f"--{flag}: expected nothing beside --resume: the record tells it")
    found, writer, cut_off = resume(Path(args.resume))
    if found.entry.name != args.game:
        raise UsageError(f"{args.resume}: expected a game of {args.game}, got {found.entry.name}")
    if found.returns is not None:
        raise UsageError(f"{args.resume}: the game is over; see ustad review {args.resume}")
    if all(player.level is not None for player in found.players):
        raise UsageError(f"{args.resume}: seats: expected one without a level, where a person sits")
    seed = found.seed or (secrets.randbelow(10**6),)
    table = _Seats(args, found.entry, found.start.rules, seed[0])
    bots = table.bots(found.players)
    if cut_off is not None:
        told = f"{args.resume}: line {cut_off} was cut off; the game goes on from the line before"
        print(narrow(told))
    print(f"{found.entry.title}: {len(found.steps)} steps are played")
    table.play(found, bots, seed, writer)
    return OK


def _players(args: argparse.Namespace, entry: AnyEntry, level: str) -> list[Player]:
    """Return who sits where: people one beside the other, bots in the other seats."""
    players = whole_number_if_given("--players", args.players)
    people = whole_number_if_given("--people", args.people)
    people = 1 if people is None else people
    usual = max(entry.rules.seats.usual, people)
    players = entry.rules.check_players(usual if players is None else players)
    if not 1 <= people <= players:
        raise UsageError(f"--people: expected 1 to {players}, got {people}")
    first = play.check_seat(whole_number("--seat", args.seat or "0"), players)
    names = args.name or []
    if len(names) > people or any(not 1 <= len(name) <= LONGEST_NAME for name in names):
        raise UsageError(f"--name: expected at most {people} names, none of them empty or long")
    found = [Player(level, level) for _ in range(players)]
    for number in range(people):
        own = "you" if people == 1 else f"player {number + 1}"
        name = names[number] if number < len(names) else own
        found[(first + number) % players] = Player(name, None)
    return found


class _Seats:
    """What a game at the terminal needs beside its record."""

    def __init__(self, args: argparse.Namespace, entry: AnyEntry, rules: Any, seed: int) -> None:
        prepare(entry)
        self.entry, self.rules, self.seed, self.tables = entry, rules, seed, folder_given(args)
        self.adviser = play.Adviser(
            cache(partial(entry.levels.bot, "expert", rules, self.tables, seed)),
            lambda bot: entry.levels.facts(bot, rules, self.tables),
        )
        self.returns: list[Sequence[float]] = []

    def bots(self, players: Sequence[Player]) -> list[Any]:
        """Return the bot of each seat, None where a person sits."""
        levels = {player.level for player in players if player.level is not None}
        bots = {
            level: graded_bot(self.entry, level, self.rules, self.tables, self.seed)
            for level in sorted(levels)
        }
        start = self.rules.new(len(players), seed=(self.seed,))
        for bot in bots.values():
            bot.ask(start.view(0))  # tells now which table is missing
        return [None if player.level is None else bots[player.level] for player in players]

    def play(
        self, game: Record, bots: Sequence[Any], luck: Sequence[int], writer: Writer | None
    ) -> bool:
        """Play a game, and return whether another one is wanted."""
        lost = "It is lost." if writer is None else f"{writer.path} keeps it for --resume."
        terminal = play.Terminal(_typed, lambda text: print(narrow(text)), lost)
        fallen = self.rules.luck(len(bots), luck)
        try:
            ended = play.Table(game, bots, self.adviser, terminal, writer).play(fallen)
        finally:
            if writer is not None:
                writer.close()
        if ended is None:
            return False
        people = [seat for seat, bot in enumerate(bots) if bot is None]
        text = self.entry.text.read_by(people[0]) if len(people) == 1 else self.entry.text
        if ended.returns is not None:
            self.returns.append(ended.returns)
        if account := text.account(self.returns):
            print(narrow(account))

        def review() -> str:
            found = Advisor(self.tables).review_of(ended)
            return as_text(found, people[0] if len(people) == 1 else None, self.tables)

        return play.wants_another(terminal, review, text.again, writer is None)


def _typed(prompt: str) -> str:
    """Return the line typed at a prompt; what is not text in the terminal's code is refused."""
    try:
        return input(f"{narrow(prompt.rstrip())} ")
    except UnicodeDecodeError:
        return "\N{REPLACEMENT CHARACTER}"
