"""What a game registers: five small parts that tie its rules to everything else.

- :class:`Rulebook` (``rules``): which options there are, how many seats, and the rules;
- :class:`Codec` (``codec``): positions, moves and outcomes as JSON;
- :class:`Text` (``text``): the same as sentences for people, and what people type;
- :class:`Levels` (``levels``): the bots;
- :class:`Tables` (``tables``): which table files the game has.

Beside them an entry may have :class:`Flags`, a position given on the command line, and
commands of its own (:class:`Command`); both are data, so that a game knows no command line.

Commands, protocol, arena and tests know a game by its :class:`Entry` alone.  The type
variables: ``GameT`` is the game's rules, ``StateT`` its states and views, ``MoveT`` its
moves, ``OutcomeT`` what chance brings.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, Self, TypeAlias, TypeVar

from numpy.typing import NDArray

from ustad.runtime.core.errors import PositionError, UstadError, shown
from ustad.runtime.core.facts import Facts
from ustad.runtime.core.game import CHANCE, Bot, Game, MoveT, StateT, TurnGains
from ustad.runtime.core.judge import Judge
from ustad.runtime.core.options import Option, read_options
from ustad.runtime.core.shapes import Shapes
from ustad.tables import Table, TableSpec

GameT = TypeVar("GameT", bound=Game)
OutcomeT = TypeVar("OutcomeT")


class Seats(NamedTuple):
    """How many players a game can seat, and how many ``new`` seats when nobody says."""

    least: int
    most: int
    usual: int


@dataclass(frozen=True)
class Rulebook(Generic[GameT]):
    """The rules of a game before its options are chosen.

    Attributes:
        make: makes the rules of a full option set, given as keywords.
        options: what can be chosen.
        seats: how many can play.
        hidden: whether a position is what one seat knows, so that it does not tell the
            moves of the others.
        check: raises OptionError where options of a full set contradict each other.
    """

    make: Callable[..., GameT]
    options: tuple[Option, ...]
    seats: Seats
    hidden: bool = False
    check: Callable[[Mapping[str, Any]], None] = lambda options: None

    def read_options(self, given: Any) -> dict[str, Any]:
        """Return the full option set, defaults filled in.

        Raises:
            OptionError: an unknown option, a value that it cannot take, or options that
                contradict each other.
        """
        found = read_options(self.options, given)
        self.check(found)
        return found

    def read(self, given: Any) -> GameT:
        """Return the rules with these options, defaults filled in, or raise OptionError."""
        return self.make(**self.read_options(given))

    def check_players(self, players: int) -> int:
        """Return the number of seats if the game can seat so many, else raise PositionError."""
        least, most, _ = self.seats
        if not least <= players <= most:
            raise PositionError(f"players: expected {least} to {most}, got {players}")
        return players


class Codec(ABC, Generic[StateT, MoveT, OutcomeT]):
    """Positions, moves and outcomes of a game as JSON.

    Attributes:
        shapes: what they look like; made of the keys that they are read by.
    """

    shapes: Shapes

    @abstractmethod
    def state_from_json(self, position: Any) -> StateT:
        """Return the state that a JSON position describes.

        Raises:
            PositionError: it cannot be; the message names the key and what was expected.
            OptionError: an option is unknown or impossible.
        """

    @abstractmethod
    def state_to_json(self, state: StateT) -> dict[str, Any]:
        """Return the JSON position of a state; :meth:`state_from_json` gives the state back."""

    @abstractmethod
    def move_from_json(self, move: Any) -> MoveT:
        """Return the move that a JSON object describes, or raise MoveError."""

    @abstractmethod
    def move_to_json(self, move: MoveT) -> dict[str, Any]:
        """Return the JSON object of a move."""

    @abstractmethod
    def outcome_from_json(self, outcome: Any) -> OutcomeT:
        """Return the chance outcome that a JSON value describes, or raise OutcomeError."""

    @abstractmethod
    def outcome_to_json(self, outcome: OutcomeT) -> Any:
        """Return the JSON value of a chance outcome."""

    def scores(self, state: Any) -> Sequence[float] | None:
        """Return each seat's points so far, None where the position does not tell."""
        points: Sequence[float] = state.scores()
        return points

    def returns(self, state: Any) -> Sequence[float] | None:
        """Return what each seat gains by a finished game, None where it does not tell."""
        gained: Sequence[float] = state.returns()
        return gained

    @abstractmethod
    def events(self, before: StateT, move: Any, after: StateT) -> list[dict[str, Any]]:
        """Return what a move or outcome brought about, in order, as JSON objects."""


NARROW = 60
"""Columns that suffice to read and play any game."""


class Text(ABC, Generic[StateT, MoveT]):
    """A game in words: what people read and type.

    Attributes:
        note: what is told before a game is played.
        outline: the rules and the terms in some lines, for the help.
        again: what is offered when a game is over.
        you: the seat of the person who reads, None for someone who watches.
    """

    note = ""
    outline = ""
    again = "another game"
    you: int | None = None

    def read_by(self, seat: int) -> Self:
        """Return the same words for the person in a seat, who is "you" in them."""
        found = copy(self)
        found.you = seat
        return found

    def name(self, seat: int) -> str:
        """Return what a seat is called."""
        return "you" if seat == self.you else f"seat {seat}"

    def does(self, seat: int, verb: str) -> str:
        """Return a seat and what it does: ``you roll``, ``seat 1 rolls``."""
        ending = "es" if verb.endswith("sh") else "s"
        return f"you {verb}" if seat == self.you else f"{self.name(seat)} {verb}{ending}"

    @abstractmethod
    def describe(self, state: StateT) -> str:
        """Return a position as text that a player can read."""

    @abstractmethod
    def describe_move(self, move: MoveT) -> str:
        """Return a move in a few words."""

    def describe_outcome(self, outcome: Any) -> str:
        """Return what chance brought in a few words."""
        return shown(outcome)

    def describe_step(self, before: Any, move: Any, after: Any) -> str:
        """Return what a move or an outcome did, as text for someone who watches the game."""
        del after
        if before.current_player() == CHANCE:
            return f"chance: {self.describe_outcome(move)}"
        return f"{self.name(before.current_player())}: {self.describe_move(move)}"

    def describe_choice(self, state: StateT, move: MoveT) -> str:
        """Return a move that is about to be made, with what it brings where that is sure."""
        del state
        return self.describe_move(move)

    def shortlist(self, options: Sequence[MoveT], top: int) -> Sequence[MoveT]:
        """Return those of rated moves, best first, that a person who asks for advice is told."""
        return options[:top]

    def chances(self, view: StateT) -> str:
        """Return in a line what chances a view holds, whatever is played; empty for nothing."""
        del view
        return ""

    def choice(self, state: StateT, move: MoveT) -> str:
        """Return what a legal move is called where it can be typed: short, and by its number."""
        del state
        return self.describe_move(move)

    def outlook(self, state: StateT, move: MoveT) -> str:
        """Return what a move leaves, told beside it in advice; most games tell nothing."""
        del state, move
        return ""

    def help(self, state: StateT) -> str:
        """Return the rules, the terms, and what can be typed now."""
        del state
        return self.outline

    def account(self, returns: Sequence[Sequence[float]]) -> str:
        """Return how the seats stand after some games, by the returns of each; nothing for most."""
        del returns
        return ""

    def wastes(self, state: StateT, move: MoveT) -> bool:
        """Tell whether a move gives up what a person is asked about twice."""
        del state, move
        return False

    def result(self, state: Any) -> str:
        """Return who won a finished game, and how."""
        scores, returns = state.scores(), state.returns()
        names = [self.name(seat) for seat in range(len(scores))]
        if len(scores) == 1:
            return f"the game ends with {scores[0]:g}"
        order = sorted(range(len(scores)), key=lambda seat: (-returns[seat], -scores[seat]))
        top = [seat for seat in order if returns[seat] == returns[order[0]]]
        winners = " and ".join(names[seat] for seat in top)
        won = f"{winners} won" if len(top) == 1 else f"{winners} share the win"
        told = {seat: f"{names[seat]} {scores[seat]:g}" for seat in order}
        if len(scores) == 2 or (self.you is not None and self.you not in top):
            low = order[-1] if len(scores) == 2 else self.you
            whose = "your " if low == self.you else ""
            won += f", {scores[order[0]]:g} to {whose}{scores[low]:g}"
            told = {seat: text for seat, text in told.items() if seat not in (*top, low)}
            return "; ".join(filter(None, [won, ", ".join(told.values())]))
        return f"{won}: {', '.join(told.values())}"

    def chance_prompt(self, state: Any) -> str:
        """Return what the person is told before the own hand lets chance fall, else nothing."""
        del state
        return ""

    @abstractmethod
    def prompt(self, state: StateT) -> str:
        """Return one line that tells a person what can be typed now."""

    @abstractmethod
    def move_from_text(self, state: StateT, text: str) -> MoveT:
        """Return the legal move that a person typed, or raise MoveError saying what to type."""


class Levels(ABC, Generic[GameT, StateT, MoveT]):
    """The bots of a game, and what an arena asks about them.

    Attributes:
        need_tables: the levels that need a table.
        seeded: the levels whose play depends on their seed.
        arena_deals: how many deals an arena plays side by side.
        units: what positions can be judged in, the usual unit first, and the level whose
            values those are.
    """

    units: Mapping[str, str] = MappingProxyType({})
    need_tables: frozenset[str] = frozenset({"expert"})
    seeded: frozenset[str] = frozenset()
    arena_deals = 128

    @abstractmethod
    def bot(self, level: str, rules: GameT, tables: Path | None, seed: int) -> Bot[StateT, MoveT]:
        """Return a bot of a level.

        Args:
            level: one of :data:`ustad.runtime.core.game.LEVELS`.
            rules: the rules it will play.
            tables: the folder of table files, None for the usual places.
            seed: what its random choices, if it makes any, are drawn from.

        Raises:
            TableError: the level needs a table that is missing or unfit; the
                message names the command that builds it.
        """

    def prepare(self) -> None:
        """Load or compile what a first move would wait for."""

    def plays_by(self, level: str, rules: GameT, tables: Path | None) -> str | None:
        """Return which of several tables a level plays by, None where it has no choice."""
        del level, rules, tables
        return None

    def facts(
        self, bot: Bot[StateT, MoveT], rules: GameT, tables: Path | None
    ) -> Facts[StateT, MoveT] | None:
        """Return who knows what speaks for the moves that a bot rates, None if nobody does.

        Args:
            bot: one that :meth:`bot` or the game's flags made.
            rules: the rules it plays.
            tables: the folder of table files, None for the usual places.

        Raises:
            TableError: a table that it needs is unfit.
        """
        del bot, rules, tables
        return None

    def judge(self, unit: str, bot: Any) -> Judge[StateT, MoveT]:
        """Return who rates positions for every seat.

        Args:
            unit: one of :attr:`units`.
            bot: the bot of its level.
        """
        raise NotImplementedError

    def baseline(self, unit: str, bot: Any) -> Judge[StateT, MoveT]:
        """Return who measures luck in an arena; see :meth:`judge`."""
        return self.judge(unit, bot)

    def turn_gains(self, level: str, rules: GameT, tables: Path | None) -> TurnGains | None:
        """Return who knows exactly what a level gains among others of level hard, if anybody."""
        del level, rules, tables
        return None


class Tables(ABC):
    """The table files of a game.  ``fields`` is what a table is keyed by."""

    fields: tuple[Option, ...]

    @abstractmethod
    def defaults(self) -> tuple[dict[str, Any], ...]:
        """Return the option sets of the tables that a default build makes."""

    @abstractmethod
    def spec(self, options: Mapping[str, Any]) -> TableSpec:
        """Return the identity of the table of an option set, or raise OptionError."""

    def asked_for(self, options: dict[str, Any]) -> Sequence[dict[str, Any]]:
        """Return the option sets of the tables to build when these options are asked for."""
        return (options,)

    def structure(self, options: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
        """Return what a table file carries for readers in other languages, arrays by name.

        Args:
            options: a table's full option set.
        """
        del options
        return {}

    def start_value(self, table: Table) -> tuple[float, str]:
        """Return what a table says of the start of the game, and its unit, to tell people."""
        return table.start_value, table.spec.unit


class Takes(Enum):
    """How many words a flag takes: none, one, several, or one each time it is given."""

    NOTHING = 0
    ONE = 1
    SEVERAL = 2
    ONE_EACH_TIME = 3


class Flag(NamedTuple):
    """A flag of a command; what was given comes as text under its name, ``rolls_left``."""

    name: str
    help: str
    metavar: str | None = None
    takes: Takes = Takes.ONE
    required: bool = False


Given: TypeAlias = Mapping[str, Any]
"""The flags of a command line by name: text, lists of text, true or false; None if not given."""


def whole_numbers(
    flag: str, texts: Sequence[str], fault: type[UstadError] = PositionError
) -> list[int]:
    """Return the whole numbers that a flag gives, or raise ``fault``.

    >>> whole_numbers("--board", ["7", "7", "0"])
    [7, 7, 0]
    """
    try:
        return [int(text) for text in texts]
    except ValueError:
        expected = "a whole number" if len(texts) == 1 else "whole numbers"
        raise fault(f"{flag}: expected {expected}, got {shown(' '.join(texts))}") from None


def whole_number(flag: str, text: str, fault: type[UstadError] = PositionError) -> int:
    """Return the whole number that a flag gives, or raise ``fault``."""
    [number] = whole_numbers(flag, [text], fault)
    return number


def no_position(given: Given) -> None:
    """Say that no flags describe a position."""
    del given


@dataclass(frozen=True)
class Flags(Generic[GameT]):
    """Flags that describe a position on the command line.

    Attributes:
        title: what they are for.
        flags: the flags.
        position: returns the JSON position that they describe, None if none was given.
        of_adviser: further flags, of those who ask.
        adviser: returns who answers if the flags ask for another than a level's bot,
            from the flags, the rules and the folder of the tables.
    """

    title: str = ""
    flags: tuple[Flag, ...] = ()
    position: Callable[[Given], dict[str, Any] | None] = no_position
    of_adviser: tuple[Flag, ...] = ()
    adviser: Callable[[Given, GameT, Path | None], Bot[Any, Any] | None] = (
        lambda given, rules, tables: None
    )


@dataclass(frozen=True)
class Command:
    """A command of one game alone, beside those that all games have.

    ``run`` answers with the object that ``--json`` prints, ``text`` says the same for people.
    """

    name: str
    help: str
    flags: tuple[Flag, ...]
    run: Callable[[Given], dict[str, Any]]
    text: Callable[[dict[str, Any]], str]


@dataclass(frozen=True)
class Entry(Generic[GameT, StateT, MoveT, OutcomeT]):
    """The one object that a game registers.

    ``name`` is the game's name in JSON and its folder's name everywhere; ``title`` is
    what people call it.
    """

    name: str
    title: str
    rules: Rulebook[GameT]
    codec: Codec[StateT, MoveT, OutcomeT]
    text: Text[StateT, MoveT]
    levels: Levels[GameT, StateT, MoveT]
    tables: Tables
    flags: Flags[GameT] = Flags()
    commands: tuple[Command, ...] = ()


AnyEntry: TypeAlias = Entry[Any, Any, Any, Any]
"""The entry of any game, for those who know games by name alone."""
