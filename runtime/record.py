"""Games written down: JSON Lines that hold a whole game, or its beginning.

**The file.**  A first line tells the start, who sat where, the seed of the luck and the version
that wrote it; then each step has a line, ``{"seat": 0, "move": {...}}`` or ``{"outcome": ...}``;
``{"over": true, "returns": [...]}`` ends a finished game.  A record that breaks off is a game to
go on with.  Over the protocol a record is one object, ``{"start", "steps", "seats"}``.

**Whole lines.**  A :class:`Writer` puts each step on the disk before the game goes on.  If a line
cannot be written in full, what is there of it is cut off again.  A process that dies in the
middle of a line leaves one that is no JSON and has no end: :func:`resume` cuts it off.

**Reading** plays the game: each step is applied to the state before it, so a record that was
read holds every state, and no step that is not legal.  Errors name the line.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple, Self

from ustad.runtime.core import registry
from ustad.runtime.core.entry import AnyEntry
from ustad.runtime.core.errors import PositionError, RecordError, UsageError, UstadError, shown
from ustad.runtime.core.game import CHANCE, LEVELS, OVER
from ustad.runtime.core.strength import is_grade
from ustad.runtime.core.strict_json import LARGEST_TEXT, Fields, is_int, loads, without_mark

FORMAT = 1
"""The version of the form of records, ``ustad_record`` of the first line."""

MOST_STEPS = 100_000
"""The most steps of a record; a game of six sheets has some 600."""

LONGEST_NAME = 100


class Player(NamedTuple):
    """Who sits in a seat: a name, and the level of a bot, None for a person."""

    name: str
    level: str | None


@dataclass(frozen=True)
class Record:
    """A game, or its beginning.

    Attributes:
        entry: the game.
        players: who sat where.
        steps: the moves, and the outcomes of chance, in order.
        states: the start and the state after each step.
        returns: what each seat gained, None for a game that is not over.
        seed: what the luck was drawn from, None if nobody knows.
    """

    entry: AnyEntry
    players: tuple[Player, ...]
    steps: tuple[Any, ...]
    states: tuple[Any, ...]
    returns: tuple[float, ...] | None = None
    seed: tuple[int, ...] | None = None

    @property
    def start(self) -> Any:
        """The state in which the record begins."""
        return self.states[0]

    @property
    def last(self) -> Any:
        """The state in which the record ends."""
        return self.states[-1]

    def first_line(self) -> dict[str, Any]:
        """Return what the first line tells."""
        seed = self.seed
        return {
            "ustad_record": FORMAT,
            "start": self.entry.codec.state_to_json(self.start),
            "seats": [player._asdict() for player in self.players],
            "seed": seed[0] if seed is not None and len(seed) == 1 else seed,
            "version": version("ustad"),
        }

    def step_lines(self) -> Iterator[dict[str, Any]]:
        """Yield what the line of each step tells."""
        for state, step in zip(self.states, self.steps, strict=False):
            yield step_to_json(self.entry, state, step)

    def lines(self) -> Iterator[dict[str, Any]]:
        """Yield what each line of a file tells."""
        yield self.first_line()
        yield from self.step_lines()
        if self.returns is not None:
            yield _end(self.returns)

    def to_json(self) -> dict[str, Any]:
        """Return the record as the protocol has it."""
        first = self.first_line()
        return {"start": first["start"], "steps": list(self.step_lines()), "seats": first["seats"]}

    def write(self, path: Path) -> None:
        """Write a file, whole or not at all.

        Raises:
            RecordError: it cannot be written; the message has the system's reason.
        """
        beside = path.with_name(f"{path.name}.part")
        try:
            beside.write_bytes(b"".join(map(_line, self.lines())))
            beside.replace(path)
        except OSError as error:
            with suppress(OSError):
                beside.unlink()
            raise RecordError(f"{path}: cannot write: {error.strerror or error}") from None


def new(entry: AnyEntry, start: Any, players: Iterable[Player], seed: Sequence[int]) -> Record:
    """Return the record of a game that begins."""
    return Record(entry, tuple(players), (), (start,), seed=tuple(seed))


def step_to_json(entry: AnyEntry, state: Any, step: Any) -> dict[str, Any]:
    """Return a step from a state as JSON."""
    player = state.current_player()
    if player == CHANCE:
        return {"outcome": entry.codec.outcome_to_json(step)}
    return {"seat": player, "move": entry.codec.move_to_json(step)}


def returns_of(state: Any) -> tuple[float, ...] | None:
    """Return what each seat gained by a finished game, None where nobody here can know."""
    if state.current_player() != OVER:
        return None
    try:
        found: tuple[float, ...] = state.returns()
    except PositionError:  # one seat's view of a round whose hands stayed hidden
        return None
    return found


def _end(returns: Sequence[float]) -> dict[str, Any]:
    return {"over": True, "returns": list(returns)}


def _line(told: dict[str, Any]) -> bytes:
    return json.dumps(told, separators=(",", ":"), allow_nan=False).encode() + b"\n"


# Reading.


class _Reader:
    """Reads a record step by step; ``where`` names a step's place in errors."""

    def __init__(self, where: Callable[[int], str], start: Any, seats: Any, seed: Any) -> None:
        self.where = where
        self.returns: tuple[float, ...] | None = None
        self.steps: list[Any] = []
        try:
            if not isinstance(start, dict):
                raise RecordError(f"start: expected a position, got {shown(start)}")
            self.entry = registry.entry(start.get("game"))
            self.states = [self.entry.codec.state_from_json(start)]
            self.players = _read_players(seats, _seats(self.states[0]))
            self.seed = _read_seed(seed)
        except UstadError as error:
            raise RecordError(f"{where(0)}: {error}") from None

    def take(self, step: Any) -> None:
        """Read the next step, or the end."""
        number = len(self.steps) + 1
        try:
            if number > MOST_STEPS:
                raise RecordError(f"expected at most {MOST_STEPS} steps")
            self._take(step)
        except UstadError as error:
            raise RecordError(f"{self.where(number)}: {error}") from None

    def _take(self, step: Any) -> None:
        if self.returns is not None:
            raise RecordError("expected nothing after the end of the game")
        fields, state = Fields(step, "step", RecordError), self.states[-1]
        player, codec = state.current_player(), self.entry.codec
        if "over" in step:
            self._end(fields, state)
            return
        if player == OVER:
            raise RecordError("the game is over: expected no step")
        if player == CHANCE:
            move = codec.outcome_from_json(fields.take("outcome"))
        else:
            if "outcome" in step:
                raise RecordError(f"expected a move of seat {player}, got an outcome")
            if not is_int(seat := fields.take("seat"), player, player):
                raise RecordError(f"seat: expected {player}, which is to move, got {shown(seat)}")
            move = codec.move_from_json(fields.take("move"))
        fields.done()
        self.states.append(state.apply(move))
        self.steps.append(move)

    def _end(self, fields: Fields, state: Any) -> None:
        if fields.take("over") is not True:
            raise RecordError("over: expected true")
        told = fields.take("returns")
        fields.done()
        if state.current_player() != OVER:
            raise RecordError("the game is not over: expected a step")
        known = returns_of(state)
        seats = len(self.players)
        numbers = isinstance(told, list) and len(told) == seats
        if not numbers or not all(type(number) in (int, float) for number in told):
            raise RecordError(f"returns: expected {seats} numbers, one a seat, got {shown(told)}")
        if known is not None and list(known) != told:
            raise RecordError(f"returns: expected {shown(list(known))}, got {shown(told)}")
        self.returns = tuple(map(float, told))

    def record(self) -> Record:
        """Return what was read."""
        returns = returns_of(self.states[-1]) if self.returns is None else self.returns
        return Record(
            self.entry, self.players, tuple(self.steps), tuple(self.states), returns, self.seed
        )


def _seats(state: Any) -> int:
    """Return how many seats a game has."""
    return len(state.scores())


def _read_players(seats: Any, count: int) -> tuple[Player, ...]:
    if not isinstance(seats, list) or len(seats) != count:
        raise RecordError(f"seats: expected a list of {count}, one a seat, got {shown(seats)}")
    found = []
    for number, seat in enumerate(seats):
        fields = Fields(seat, f"seats[{number}]", RecordError)
        name, level = fields.take("name"), fields.take("level", None)
        fields.done()
        if not isinstance(name, str) or len(name) > LONGEST_NAME:
            fields.fail("name", f"a text of at most {LONGEST_NAME} characters", name)
        if level is not None and not is_grade(level):
            fields.fail("level", f"null or one of {', '.join(LEVELS)}, or such as hard:0.6", level)
        found.append(Player(name, level))
    return tuple(found)


def _read_seed(seed: Any) -> tuple[int, ...] | None:
    if seed is None:
        return None
    numbers = seed if isinstance(seed, list) else [seed]
    if not 1 <= len(numbers) <= 8 or not all(is_int(one, 0, 2**63 - 1) for one in numbers):
        raise RecordError(f"seed: expected whole numbers from 0 to 2^63 - 1, got {shown(seed)}")
    return tuple(numbers)


def from_json(record: Any) -> Record:
    """Return the record that an object of the protocol describes.

    Raises:
        RecordError: it is none; the message names the step.
    """
    fields = Fields(record, "record", RecordError)
    start, steps, seats = fields.take("start"), fields.take("steps"), fields.take("seats", None)
    fields.done()
    if not isinstance(steps, list):
        fields.fail("steps", "a list", steps)
    if seats is None:
        seats = _unnamed(start)
    reader = _Reader(
        lambda number: f"record: steps[{number - 1}]" if number else "record",
        start,
        seats,
        None,
    )
    for step in steps:
        reader.take(step)
    return reader.record()


def _unnamed(start: Any) -> list[dict[str, Any]]:
    """Return seats that nobody has named."""
    try:
        state = registry.entry(start.get("game")).codec.state_from_json(start)
    except (AttributeError, UstadError):
        return []  # what is wrong with the start is told when it is read
    return [{"name": f"seat {seat}", "level": None} for seat in range(_seats(state))]


class Found(NamedTuple):
    """What a file holds: the record, the bytes of its whole lines, the line that is cut off."""

    record: Record
    whole: int
    cut_off: int | None


def read(path: Path) -> Record:
    """Return the record in a file.

    Raises:
        RecordError: the file cannot be read, or holds no record; the message names the line.
    """
    found = _read(path)
    if found.cut_off is not None:
        raise RecordError(
            f"{path}: line {found.cut_off}: is cut off; ustad play "
            f"{found.record.entry.name} --resume {path} goes on from the line before it"
        )
    return found.record


def _read(path: Path) -> Found:
    whole, number, reader = 0, 0, None
    try:
        with path.open("rb") as file:
            while line := file.readline(LARGEST_TEXT + 2):
                number += 1
                try:
                    told = _parsed(line, number)
                except RecordError as error:
                    if not line.endswith(b"\n") and len(line) <= LARGEST_TEXT and reader:
                        return Found(reader.record(), whole, number)
                    raise RecordError(f"{path}: {error}") from None
                if reader is None:
                    reader = _first(told, lambda step: f"{path}: line {step + 1}")
                else:
                    reader.take(told)
                whole += len(line)
    except OSError as error:
        raise RecordError(f"{path}: cannot read: {error.strerror or error}") from None
    if reader is None:
        raise RecordError(f"{path}: line 1: expected a record, got an empty file")
    return Found(reader.record(), whole, None)


def _parsed(line: bytes, number: int) -> Any:
    """Return what a line of a file tells."""
    try:
        text = line.decode()
    except UnicodeDecodeError:
        raise RecordError(f"line {number}: expected JSON in UTF-8") from None
    try:
        return loads(without_mark(text) if number == 1 else text, f"line {number}")
    except UstadError as error:
        raise RecordError(str(error)) from None


def _first(told: Any, where: Callable[[int], str]) -> _Reader:
    """Return what reads the steps after a first line."""
    if not isinstance(told, dict) or "ustad_record" not in told:
        raise RecordError(f'{where(0)}: expected the key "ustad_record", got {shown(told)}')
    if told["ustad_record"] != FORMAT or isinstance(told["ustad_record"], bool):
        raise RecordError(
            f"{where(0)}: ustad_record: expected {FORMAT}, got {shown(told['ustad_record'])}: "
            "the record is of another version of ustad"
        )
    fields = Fields(told, where(0), RecordError)
    fields.take("ustad_record")
    start, seats, seed = fields.take("start"), fields.take("seats"), fields.take("seed", None)
    fields.take("version", None)
    fields.done()
    return _Reader(where, start, seats, seed)


# Writing step by step.


class Writer:
    """Writes a game down while it is played: each step is on the disk when it returns.

    Attributes:
        path: the file.
    """

    def __init__(self, path: Path, file: int, length: int) -> None:
        self.path = path
        self._file = file
        self._length = length

    @classmethod
    def create(cls, path: Path, record: Record) -> Self:
        """Begin a file with a record; no file is overwritten.

        Raises:
            RecordError: the file is there already, or cannot be made.
        """
        try:
            file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        except FileExistsError:
            raise RecordError(
                f"{path}: is there already: expected a new file, or --resume to go on with a game"
            ) from None
        except OSError as error:
            raise RecordError(f"{path}: cannot write: {error.strerror or error}") from None
        writer = cls(path, file, 0)
        writer._write(record.first_line())
        for told in record.step_lines():
            writer._write(told)
        return writer

    def step(self, entry: AnyEntry, state: Any, step: Any) -> None:
        """Write a step from a state, or raise RecordError."""
        self._write(step_to_json(entry, state, step))

    def end(self, returns: Sequence[float]) -> None:
        """Write that the game is over."""
        self._write(_end(returns))

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)

    def _write(self, told: dict[str, Any]) -> None:
        line = _line(told)
        try:
            if os.pwrite(self._file, line, self._length) != len(line):
                raise OSError("no space is left")
            os.fsync(self._file)
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(self._file, self._length)
            raise RecordError(f"{self.path}: cannot write: {error.strerror or error}") from None
        self._length += len(line)


def resume(path: Path) -> tuple[Record, Writer, int | None]:
    """Return the record in a file, what goes on with it, and the line cut off from it, if any.

    Raises:
        RecordError: the file cannot be read or written, or holds no record.
    """
    record, whole, cut_off = _read(path)
    try:
        file = os.open(path, os.O_RDWR)
        os.ftruncate(file, whole)
        if os.pread(file, 1, whole - 1) != b"\n":  # some editors leave the last one out
            whole += os.pwrite(file, b"\n", whole)
    except OSError as error:
        raise RecordError(f"{path}: cannot write: {error.strerror or error}") from None
    return record, Writer(path, file, whole), cut_off


# What one seat knew.


def redacted(record: Record, seat: int) -> Record:
    """Return what one seat knew of a game.

    Where nothing is hidden that is the game without its seed, which would tell what falls later.
    Where a deal is whole it becomes the seat's view, and the cards that came to the seat become
    outcomes.

    Raises:
        UsageError: there is no such seat.
        RecordError: the record holds what another seat knew.
    """
    if not is_int(seat, 0, len(record.players) - 1):
        raise UsageError(f"seat: expected 0 to {len(record.players) - 1}, got {shown(seat)}")
    if not record.entry.rules.hidden:
        return replace(record, seed=None)
    try:
        states, steps = [record.start.view(seat)], []
        for at, step in enumerate(record.steps):
            seen = record.states[at + 1].view(seat)
            for own in (step, *_fallen(states[-1].apply(step), seen)):
                states.append(states[-1].apply(own))
                steps.append(own)
    except PositionError as error:
        raise RecordError(
            f"record: expected a whole game, or what seat {seat} knew: {error}"
        ) from None
    return replace(record, steps=tuple(steps), states=tuple(states), seed=None)


def _fallen(view: Any, seen: Any) -> tuple[Any, ...]:
    """Return the outcomes by which a view becomes what its seat sees next."""
    if view.current_player() != CHANCE:
        return ()
    for outcome, _ in view.chance_outcomes():
        after = view.apply(outcome)
        if after == seen:
            return (outcome,)
        if after.current_player() == CHANCE and (later := _fallen(after, seen)):
            return (outcome, *later)
    return ()
