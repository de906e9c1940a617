"""What a game is: the one interface that bots, arena and commands know.

The terms are OpenSpiel's (https://github.com/google-deepmind/open_spiel): a
game is rules and options and never changes; a state says whose turn it is,
what is legal, and what follows; chance is a player of its own, with outcomes
and probabilities.  Everything here is immutable: ``apply`` returns a new state.

A :class:`GameType` is the one object that a game registers.  It ties the rules
to their JSON, their command-line flags, their text, their levels and their
tables, so that nothing else has to name a game.
"""

from __future__ import annotations

import argparse
import hashlib
import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.errors import OptionError, PositionError, shown
from ustad.runtime.strict_json import Fields, is_int
from ustad.tables import Table, TableSpec

CHANCE = -1
"""``current_player()`` of a state that waits for dice or cards."""

OVER = -4
"""``current_player()`` of a finished game."""

LEVELS = ("easy", "medium", "hard", "expert")
"""The four levels of bots, weakest first."""

TIE = 1e-9
"""Moves whose values differ by no more are equally good."""


class Luck(Protocol):
    """The dice or cards of one game, fixed beforehand from a seed.

    The same luck given to two games falls alike in both, as far as the game
    allows: that is how an arena compares players on the same dice.
    """

    def outcome(self, state: Any) -> Any:
        """Return the outcome that falls in a state that waits for chance."""


class State(Protocol):
    """A position of a game.  Moves and outcomes are hashable, and equal if they mean the same."""

    @property
    def game(self) -> Any:
        """The game, with its options."""

    def current_player(self) -> int:
        """Return the seat to move, :data:`CHANCE` or :data:`OVER`."""

    def legal_moves(self) -> Sequence[Any]:
        """Return the moves of the seat to move, in a fixed order; none at chance or at the end."""

    def apply(self, move: Any) -> State:
        """Return the state after a legal move, or after an outcome where chance is to fall.

        Raises:
            MoveError: the move is not legal here.
            OutcomeError: the outcome cannot fall here.
        """

    def chance_outcomes(self) -> Sequence[tuple[Any, float]]:
        """Return the outcomes that can fall now with their probabilities, which sum to 1."""

    def is_over(self) -> bool:
        """Tell whether the game is finished."""

    def returns(self) -> tuple[float, ...]:
        """Return what each seat gains by the finished game, in the unit the game is about."""

    def scores(self) -> tuple[float, ...]:
        """Return each seat's points so far, as a player reads them off the table."""

    def view(self, player: int) -> Any:
        """Return what that seat may know and nothing else."""


class Game(Protocol):
    """The rules with their options."""

    def new(self, players: int, first: int = 0) -> State:
        """Return the start of a game for so many seats, seat ``first`` beginning."""

    def deal(self, players: int, seed: Sequence[int]) -> State:
        """Return the start of a game as an arena deals it, from a seed.

        Games that always start alike return :meth:`new`; a game without chance
        may open with random moves, so that its bots do not play one game for ever.
        """

    def luck(self, players: int, seed: Sequence[int]) -> Luck:
        """Return the chance of a whole game from a seed."""


@dataclass(frozen=True)
class Advice:
    """The answer to "what is the best move here, and what does each other cost?".

    ``best`` holds the moves tied within 1e-9.  ``options`` holds every legal
    move with its value, best first.  ``value`` and ``unit`` are None for levels
    that play by rule of thumb and rate nothing.  ``extra`` holds what a game
    tells beside, by the names it has in JSON.  ``beside`` holds further numbers of
    each option, in the order of the options, by name.  ``notes`` makes lines for
    people, which no program reads.
    """

    best: Sequence[Any]
    value: float | None = None
    unit: str | None = None
    options: Sequence[tuple[Any, float]] = ()
    extra: Mapping[str, Any] | None = None
    beside: Mapping[str, Sequence[float]] = field(default_factory=dict)
    notes: Callable[[], Sequence[str]] = tuple


def rank(
    moves: Sequence[Any], values: Sequence[float]
) -> tuple[list[Any], list[tuple[Any, float]]]:
    """Return the moves tied for best and all moves with their values, best first.

    Ties keep the order of ``moves``.  What is tied with the best has its value: what they
    differ by comes from the order of sums, and no order of moves should depend on it.
    """
    top = max(values)
    rated = zip(moves, (top if value >= top - TIE else value for value in values), strict=True)
    options = sorted(rated, key=lambda option: -option[1])
    return [move for move, value in options if value == top], options


class Bot(Protocol):
    """A player of one level.

    What it plays depends on its seed and the view alone, never on what it was
    asked before: see :func:`random_for`.
    """

    def choose(self, view: Any) -> Any:
        """Return a legal move for the view's seat to move."""

    def choose_many(self, views: Sequence[Any]) -> list[Any]:
        """Return a legal move for each of many views, of any games at any stage."""

    def ask(self, view: Any) -> Advice:
        """Return the best move and, at levels that rate moves, the value of every move."""


class Judge(Protocol):
    """Knows what turns gain exactly where all others play level hard."""

    def begins_turn(self, state: Any, player: int) -> bool:
        """Tell whether a state is one at which the player's turn begins."""

    def advantages(self, states: Sequence[Any], player: Any) -> NDArray[np.float64]:
        """Return (n,) how much win share the turn of a bot gains over level hard's.

        Summed over a bot's turns and added to the share of equals this has the mean of
        the win share, and far less spread.
        """


def random_for(seed: int, view: Any) -> random.Random:
    """Return the source of a bot's random choices in a view, fixed by seed and view.

    Args:
        seed: the bot's seed.
        view: the view, or anything whose ``repr`` says all that matters of it.
    """
    digest = hashlib.blake2b(f"{seed} {view!r}".encode(), digest_size=16).digest()
    return random.Random(int.from_bytes(digest, "little"))


@dataclass(frozen=True)
class Option:
    """One option of a game's rules: its name, its default, and what it may be."""

    name: str
    default: Any
    choices: tuple[Any, ...]
    help: str

    def expected(self) -> str:
        """Return what the option may be, in words."""
        return "one of " + ", ".join(shown(choice).strip('"') for choice in self.choices)

    def check(self, value: Any) -> Any:
        """Return the value if the option may take it, else raise OptionError."""
        for choice in self.choices:
            if type(choice) is type(value) and choice == value:
                return value
        raise OptionError(f"option {self.name}: expected {self.expected()}, got {shown(value)}")

    def parse(self, text: str) -> Any:
        """Return the value that a command line gives as text."""
        for choice in self.choices:
            if text == (choice if isinstance(choice, str) else shown(choice)):
                return choice
        raise OptionError(f"option {self.name}: expected {self.expected()}, got {shown(text)}")


@dataclass(frozen=True)
class WholeNumber(Option):
    """An option that is a whole number in a range; ``choices`` may allow more, such as None."""

    low: int = 0
    high: int = 10**9

    def expected(self) -> str:
        """Return what the option may be, in words."""
        others = "".join(f" or {shown(choice)}" for choice in self.choices)
        return f"a whole number from {self.low} to {self.high}{others}"

    def check(self, value: Any) -> Any:
        """Return the value if the option may take it, else raise OptionError."""
        return value if is_int(value, self.low, self.high) else super().check(value)

    def parse(self, text: str) -> Any:
        """Return the value that a command line gives as text."""
        try:
            return self.check(int(text))
        except ValueError:
            return super().parse(text)


def read_options(options: Sequence[Option], given: Any) -> dict[str, Any]:
    """Return a full option set, defaults filled in.

    Raises:
        OptionError: an unknown option or a value that it cannot take.
    """
    fields = Fields(given, "options", OptionError)
    found = {
        option.name: option.check(fields.take(option.name, option.default)) for option in options
    }
    fields.done()
    return found


def parse_options(game: str, options: Sequence[Option], texts: Sequence[str]) -> dict[str, Any]:
    """Return the options given as ``NAME=VALUE`` texts, defaults left out.

    Raises:
        OptionError: an unknown option, one given twice, or a value that it cannot take.
    """
    by_name = {option.name: option for option in options}
    found: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise OptionError(f"option {shown(text)}: expected NAME=VALUE")
        if name not in by_name:
            known = ", ".join(by_name) or "none"
            raise OptionError(f"option {name}: {game} has no such option, only {known}")
        if name in found:
            raise OptionError(f"option {name}: given twice")
        found[name] = by_name[name].parse(value)
    return found


@dataclass(frozen=True)
class Command:
    """A command of one game alone, beside those that all games have.

    ``add_flags`` adds its flags to a parser, ``run`` answers with the object that
    ``--json`` prints, ``text`` says the same for people.
    """

    name: str
    help: str
    add_flags: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], dict[str, Any]]
    text: Callable[[dict[str, Any]], str]


class GameType(ABC):
    """Everything that commands, protocol, arena and tests know of a game.

    ``name`` is the game's name in JSON and its module's name in every folder;
    ``least_players`` and ``most_players`` bound the seats; ``usual_players`` is
    what ``new`` deals when nobody says; ``arena_deals`` is how many deals an arena
    plays side by side; ``note`` is what a player should be told before a game;
    ``table_levels`` are the levels that need a table, and ``seeded_levels`` those
    whose play depends on their seed; ``hidden`` tells that a position is what one seat
    knows, so that it does not tell the moves of the others.
    """

    name: str
    title: str
    least_players: int
    most_players: int
    usual_players: int
    options: tuple[Option, ...]
    arena_deals = 128
    note = ""
    table_levels: frozenset[str] = frozenset({"expert"})
    seeded_levels: frozenset[str] = frozenset()
    hidden = False

    @property
    def table_fields(self) -> tuple[Option, ...]:
        """What a table of this game is keyed by: the options, unless a game says otherwise."""
        return self.options

    def read_options(self, given: Any) -> dict[str, Any]:
        """Return the full option set of the rules, defaults filled in.

        Raises:
            OptionError: an unknown option or a value that it cannot take.
        """
        return read_options(self.options, given)

    def parse_options(self, texts: Sequence[str]) -> dict[str, Any]:
        """Return the options of the rules given as ``NAME=VALUE`` texts, defaults left out."""
        return parse_options(self.name, self.options, texts)

    def commands(self) -> tuple[Command, ...]:
        """Return the commands of this game alone."""
        return ()

    def options_help(self) -> str:
        """Return the options and what they may be, for a command's help."""
        return "; ".join(
            f"{option.name}: {option.help} ({option.expected()})" for option in self.options
        )

    def check_players(self, players: int) -> int:
        """Return the number of seats if the game can seat so many."""
        if not self.least_players <= players <= self.most_players:
            raise PositionError(
                f"players: expected {self.least_players} to {self.most_players}, got {players}"
            )
        return players

    @abstractmethod
    def game(self, options: Mapping[str, Any]) -> Any:
        """Return the rules with a full option set."""

    def start(self, rules: Any, players: int, seed: Sequence[int], first: int = 0) -> Any:
        """Return the start of a game, seat ``first`` beginning; what is dealt comes from the seed.

        Games that always start alike have no use for the seed.
        """
        del seed
        return rules.new(players, first)

    @abstractmethod
    def state_from_json(self, position: Any) -> Any:
        """Return the state that a JSON position describes.

        Raises:
            PositionError: it cannot be; the message names the key and what was expected.
            OptionError: an option is unknown or impossible.
        """

    @abstractmethod
    def state_to_json(self, state: Any) -> dict[str, Any]:
        """Return the JSON position of a state; :meth:`state_from_json` gives the state back."""

    @abstractmethod
    def move_from_json(self, move: Any) -> Any:
        """Return the move that a JSON object describes, or raise MoveError."""

    @abstractmethod
    def move_to_json(self, move: Any) -> dict[str, Any]:
        """Return the JSON object of a move."""

    @abstractmethod
    def outcome_from_json(self, outcome: Any) -> Any:
        """Return the chance outcome that a JSON value describes, or raise OutcomeError."""

    @abstractmethod
    def outcome_to_json(self, outcome: Any) -> Any:
        """Return the JSON value of a chance outcome."""

    @abstractmethod
    def events(self, before: Any, move: Any, after: Any) -> list[dict[str, Any]]:
        """Return what a move or outcome brought about, in order, as JSON objects."""

    @abstractmethod
    def bot(self, level: str, game: Any, tables: Path | None, seed: int) -> Bot:
        """Return a bot of a level.

        Args:
            level: one of :data:`LEVELS`.
            game: the rules it will play.
            tables: the folder of table files, None for the usual places.
            seed: what its random choices, if it makes any, are drawn from.

        Raises:
            TableError: the level needs a table that is missing or unfit; the
                message names the command that builds it.
        """

    def prepare(self) -> None:  # noqa: B027
        """Load or compile what a first move would wait for."""

    def plays_by(self, level: str, game: Any, tables: Path | None) -> str | None:
        """Return which of several tables a level plays by, None where it has no choice."""
        del level, game, tables
        return None

    def judge(self, level: str, game: Any, tables: Path | None) -> Judge | None:
        """Return who knows exactly what a level gains among others of level hard, if anybody."""
        del level, game, tables
        return None

    def start_value(self, table: Table) -> tuple[float, str]:
        """Return what a table says of the start of the game, and its unit, to tell people."""
        return table.start_value, table.spec.unit

    @abstractmethod
    def table_options(self) -> tuple[dict[str, Any], ...]:
        """Return the option sets of the tables that a default build makes."""

    def structure(self, options: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
        """Return what a table file carries for readers in other languages, arrays by name.

        Args:
            options: a table's full option set.
        """
        del options
        return {}

    @abstractmethod
    def table_spec(self, options: Mapping[str, Any]) -> TableSpec:
        """Return the identity of the table of an option set, or raise OptionError."""

    def tables_asked_for(self, options: dict[str, Any]) -> Sequence[dict[str, Any]]:
        """Return the option sets of the tables to build when these options are asked for."""
        return (options,)

    def add_flags(self, parser: argparse.ArgumentParser) -> None:
        """Add the flags that describe a position on the command line, if there are any."""
        del parser

    def position_from_flags(self, args: argparse.Namespace) -> dict[str, Any] | None:
        """Return the JSON position that the flags describe, None if none was given."""
        return None

    def adviser_from_flags(
        self, args: argparse.Namespace, game: Any, tables: Path | None
    ) -> Bot | None:
        """Return who answers if the flags ask for another than a level's bot."""
        del args, game, tables
        return None

    @abstractmethod
    def describe(self, state: Any) -> str:
        """Return a position as text that a player can read."""

    @abstractmethod
    def describe_move(self, move: Any) -> str:
        """Return a move in a few words."""

    def describe_step(self, before: Any, move: Any, after: Any) -> str:
        """Return what a move or an outcome did, as text for someone who watches the game."""
        del after
        if before.current_player() == CHANCE:
            return f"chance: {shown(self.outcome_to_json(move))}"
        return f"seat {before.current_player()}: {self.describe_move(move)}"

    @abstractmethod
    def prompt(self, state: Any) -> str:
        """Return one line that tells a person what can be typed now."""

    @abstractmethod
    def move_from_text(self, state: Any, text: str) -> Any:
        """Return the legal move that a person typed, or raise MoveError saying what to type."""


Progress = Callable[[int, int], None]
"""Called with the work done so far and all the work, 0 while unknown, in any one unit.

Work done that is less than before begins another stage.
"""
