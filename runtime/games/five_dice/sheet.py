"""Games of five dice and a sheet: what yacht and dice poker have in common.

A turn has at most three rolls; after the first and the second, dice may be
kept and the rest rolled again, or a box may be written.  Seats take turns until
every sheet is done.  What the boxes are, what they pay and who may write them
is each game's own (:class:`SheetGame`).

A state waits for chance while its dice are unknown: at the start of a turn with
nothing kept and three rolls left, and after a keep with the dice kept.
"""

from __future__ import annotations

import argparse
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ustad.runtime import dice
from ustad.runtime.dice import (
    DICE,
    FACES,
    KEEPS,
    SIZES,
    contains,
    multiset_probability,
    sub_keeps,
)
from ustad.runtime.errors import MoveError, OutcomeError, PositionError, shown
from ustad.runtime.games.base import CHANCE, OVER, GameType
from ustad.runtime.games.columns import Columns
from ustad.runtime.strict_json import Fields, is_int

ROLLS_A_TURN = 3


@dataclass(frozen=True, slots=True)
class Keep:
    """Keep these dice, in ascending order, and roll the rest."""

    dice: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Write:
    """Write the dice into a box, named as in JSON."""

    box: str


KEEP_MOVES: tuple[Keep, ...] = tuple(Keep(dice) for dice in KEEPS[: SIZES[DICE].start])
"""The 210 keeps of zero to four dice, by keep index."""


@cache
def keep_moves(dice: tuple[int, ...]) -> tuple[Keep, ...]:
    """Return the keeps of zero to four dice that a roll allows, by keep index."""
    return tuple(KEEP_MOVES[index] for index in sub_keeps(dice))


@cache
def throws(count: int) -> tuple[tuple[tuple[int, ...], float], ...]:
    """Return the outcomes of rolling so many dice, in ascending order, with their chances."""
    return tuple((dice, multiset_probability(dice)) for dice in KEEPS[SIZES[count]])


class SheetLuck:
    """The dice of one game: for each seat, turn and roll, the five faces that would fall.

    A roll of n dice takes the first n.  So what falls to a seat depends neither
    on what the other seats do nor on how many dice were rolled before.
    """

    def __init__(self, players: int, turns: int, seed: Sequence[int]) -> None:
        random = np.random.default_rng(seed)
        shape = (players, turns, ROLLS_A_TURN, DICE)
        self._faces: list[list[list[list[int]]]] = random.integers(
            1, FACES + 1, size=shape, dtype=np.int8
        ).tolist()

    def outcome(self, state: SheetState) -> tuple[int, ...]:
        """Return the dice thrown now, in ascending order."""
        turn = state.game.turns_taken(state.sheets[state.to_move])
        faces = self._faces[state.to_move][turn][ROLLS_A_TURN - state.rolls_left]
        return tuple(sorted(faces[len(state.kept) :]))


class SheetGame(ABC):
    """The rules of a game of dice and a sheet, with its options.  Sheets never change."""

    boxes: tuple[str, ...]
    turns: int

    @abstractmethod
    def new_sheet(self) -> Any:
        """Return the empty sheet."""

    @abstractmethod
    def turns_taken(self, sheet: Any) -> int:
        """Return how many turns a sheet has behind it."""

    @abstractmethod
    def total(self, sheet: Any) -> int:
        """Return the points of a sheet so far, all bonuses earned counted in."""

    @abstractmethod
    def writes(self, sheet: Any, dice: tuple[int, ...], rolls_left: int) -> Sequence[Any]:
        """Return the moves that end a turn with these dice, in the order of the boxes."""

    @abstractmethod
    def write(self, sheet: Any, dice: tuple[int, ...], rolls_left: int, move: Any) -> Any:
        """Return the sheet after one of the moves of :meth:`writes`."""

    @abstractmethod
    def returns(self, totals: tuple[int, ...]) -> tuple[float, ...]:
        """Return what each seat gains with these final totals."""

    def new(self, players: int, first: int = 0) -> SheetState:
        """Return the start of a game, seat ``first`` to roll."""
        sheets = (self.new_sheet(),) * players
        return SheetState(self, sheets, first, first, (), None, ROLLS_A_TURN)

    def deal(self, players: int, seed: Sequence[int]) -> SheetState:
        """Return the start of a game: all start alike."""
        del seed
        return self.new(players)

    def luck(self, players: int, seed: Sequence[int]) -> SheetLuck:
        """Return the dice of a whole game from a seed."""
        return SheetLuck(players, self.turns, seed)


class SheetState(NamedTuple):
    """A position: sheets by seat, who rolled first, whose turn it is, and the dice.

    ``dice`` is the roll in ascending order, or None while it is to fall; then
    ``kept`` holds the dice that stay.  ``rolls_left`` counts the rolls still
    allowed, the one about to fall included.
    """

    game: Any
    sheets: tuple[Any, ...]
    first: int
    to_move: int
    kept: tuple[int, ...]
    dice: tuple[int, ...] | None
    rolls_left: int

    @property
    def sheet(self) -> Any:
        """The sheet of the seat whose turn it is."""
        return self.sheets[self.to_move]

    def is_over(self) -> bool:
        """Tell whether every sheet is done: the seat to move is then the first again."""
        return bool(self.game.turns_taken(self.sheets[self.to_move]) == self.game.turns)

    def current_player(self) -> int:
        """Return the seat to move, CHANCE or OVER."""
        if self.dice is not None:
            return self.to_move
        return OVER if self.is_over() else CHANCE

    def legal_moves(self) -> Sequence[Any]:
        """Return the keeps by keep index, if a roll is left, then the writes by box."""
        if self.dice is None:
            return ()
        writes = self.game.writes(self.sheet, self.dice, self.rolls_left)
        return (*keep_moves(self.dice), *writes) if self.rolls_left else writes

    def chance_outcomes(self) -> Sequence[tuple[tuple[int, ...], float]]:
        """Return the throws of the dice not kept, in ascending order, with their chances."""
        if self.current_player() != CHANCE:
            return ()
        return throws(DICE - len(self.kept))

    def apply(self, move: Any) -> SheetState:
        """Return the state after a keep, a write, or, waiting for chance, the dice thrown."""
        if self.dice is None:
            return self._thrown(move)
        if isinstance(move, Keep):
            return self._keep(move)
        if move not in self.game.writes(self.sheet, self.dice, self.rolls_left):
            raise MoveError(f"move: {_move_text(move)} is not legal with dice {list(self.dice)}")
        sheet = self.game.write(self.sheet, self.dice, self.rolls_left, move)
        sheets = (*self.sheets[: self.to_move], sheet, *self.sheets[self.to_move + 1 :])
        to_move = (self.to_move + 1) % len(sheets)
        return SheetState(self.game, sheets, self.first, to_move, (), None, ROLLS_A_TURN)

    def _keep(self, move: Keep) -> SheetState:
        if not self.rolls_left:
            raise MoveError("move: no roll is left, expected a write")
        dice = self.dice or ()
        if not (len(move.dice) < DICE and contains(dice, move.dice)):
            raise MoveError(
                f"move: keep: expected 0 to {DICE - 1} of the dice {list(dice)}, "
                f"got {list(move.dice)}"
            )
        kept = tuple(sorted(move.dice))
        return self._replace(kept=kept, dice=None)

    def _thrown(self, outcome: Any) -> SheetState:
        if self.is_over():
            raise MoveError("move: the game is over, no move is left")
        if isinstance(outcome, Keep | Write) or not isinstance(outcome, tuple):
            raise OutcomeError("the dice are to fall now: expected an outcome, not a move")
        count = DICE - len(self.kept)
        if len(outcome) != count or not all(is_int(die, 1, FACES) for die in outcome):
            raise OutcomeError(
                f"outcome: expected {count} dice from 1 to {FACES}, got {shown(list(outcome))}"
            )
        dice = tuple(sorted(self.kept + outcome))
        return self._replace(kept=(), dice=dice, rolls_left=self.rolls_left - 1)

    def totals(self) -> tuple[int, ...]:
        """Return each seat's points so far."""
        return tuple(self.game.total(sheet) for sheet in self.sheets)

    def scores(self) -> tuple[float, ...]:
        """Return each seat's points so far."""
        return tuple(float(total) for total in self.totals())

    def returns(self) -> tuple[float, ...]:
        """Return what each seat gains by the finished game."""
        gains: tuple[float, ...] = self.game.returns(self.totals())
        return gains

    def view(self, player: int) -> SheetState:
        """Return the state: everything lies open in these games."""
        return self


def _move_text(move: Any) -> str:
    return f"write {move.box}" if isinstance(move, Write) else str(move)


def check_dice(fields: Fields, key: str, value: Any, least: int, most: int) -> tuple[int, ...]:
    """Return the dice under a key in ascending order, or raise the error of the fields."""
    count = f"{least}" if least == most else f"{least} to {most}"
    expected = f"a list of {count} dice from 1 to {FACES}"
    if not isinstance(value, list) or not least <= len(value) <= most:
        fields.fail(key, expected, value)
    if not all(is_int(die, 1, FACES) for die in value):
        fields.fail(key, expected, value)
    return tuple(sorted(value))


class SheetGameType(GameType):
    """JSON, flags and text of a game of dice and a sheet."""

    least_players = 1
    most_players = 6
    usual_players = 2
    box_names: tuple[str, ...]

    def structure(self, options: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
        """Return the rolls, the keeps, the chances between them, and the column of each state."""
        column = self.columns(options).column.astype(np.int16)
        return {**dice.structure(), "column": column}

    @abstractmethod
    def columns(self, options: Mapping[str, Any]) -> Columns:
        """Return the columns of the states under an option set."""

    @abstractmethod
    def sheet_from_json(self, game: Any, sheet: Any, name: str) -> Any:
        """Return the sheet that a JSON object describes, or raise PositionError."""

    @abstractmethod
    def sheet_to_json(self, game: Any, sheet: Any) -> dict[str, Any]:
        """Return the JSON object of a sheet."""

    def sheets_from_json(self, game: Any, fields: Fields, sheets: Sequence[Any]) -> tuple[Any, ...]:
        """Return the sheets of a position; a game may read other keys with them."""
        del fields
        return tuple(
            self.sheet_from_json(game, sheet, f"sheets[{seat}]")
            for seat, sheet in enumerate(sheets)
        )

    def sheets_to_json(self, state: SheetState) -> dict[str, Any]:
        """Return what a position says of its sheets, by key."""
        return {"sheets": [self.sheet_to_json(state.game, sheet) for sheet in state.sheets]}

    def state_from_json(self, position: Any) -> SheetState:
        """Return the state that a JSON position describes."""
        fields = Fields(position, "position")
        fields.one_of("game", (self.name,))
        game = self.game(self.read_options(fields.take("options", {})))
        given = fields.take("sheets")
        if not isinstance(given, list) or not self.least_players <= len(given) <= self.most_players:
            seats = f"{self.least_players} to {self.most_players} seats"
            fields.fail("sheets", f"a list with one sheet a seat, {seats}", given)
        players = len(given)
        sheets = self.sheets_from_json(game, fields, given)
        first = fields.integer("first", 0, players - 1, 0)
        to_move = fields.integer(
            "to_move", 0, players - 1, **({"default": 0} if players == 1 else {})
        )
        kept, dice, rolls_left = _read_roll(fields)
        fields.done()
        state = SheetState(game, sheets, first, to_move, kept, dice, rolls_left)
        _check_rotation(state)
        if state.is_over() and rolls_left != ROLLS_A_TURN:
            fields.fail("rolls_left", f"{ROLLS_A_TURN}, since every sheet is full", rolls_left)
        return state

    def state_to_json(self, state: SheetState) -> dict[str, Any]:
        """Return the JSON position of a state."""
        position: dict[str, Any] = {
            "game": self.name,
            "options": dict(state.game.options),
            **self.sheets_to_json(state),
            "first": state.first,
            "to_move": state.to_move,
        }
        if state.dice is None and state.rolls_left < ROLLS_A_TURN:
            position["kept"] = list(state.kept)
        position["dice"] = None if state.dice is None else list(state.dice)
        position["rolls_left"] = state.rolls_left
        return position

    move_keys: tuple[str, ...] = ("keep", "write")

    def move_from_json(self, move: Any) -> Any:
        """Return the keep or write that a JSON object describes."""
        fields = Fields(move, "move", MoveError)
        if len(move.keys() & set(self.move_keys)) != 1:
            raise MoveError(f"move: expected one of {', '.join(self.move_keys)}, got {shown(move)}")
        found: Any
        if "keep" in move:
            found = Keep(check_dice(fields, "keep", fields.take("keep"), 0, DICE - 1))
        else:
            found = Write(fields.one_of("write", self.box_names))
        fields.done()
        return found

    def move_to_json(self, move: Any) -> dict[str, Any]:
        """Return the JSON object of a keep or write."""
        return {"keep": list(move.dice)} if isinstance(move, Keep) else {"write": move.box}

    def outcome_from_json(self, outcome: Any) -> tuple[int, ...]:
        """Return the dice thrown, in ascending order."""
        fields = Fields({"dice": outcome}, "outcome", OutcomeError)
        return check_dice(fields, "dice", fields.take("dice"), 1, DICE)

    def outcome_to_json(self, outcome: tuple[int, ...]) -> list[int]:
        """Return the dice thrown."""
        return list(outcome)

    def events(self, before: SheetState, move: Any, after: SheetState) -> list[dict[str, Any]]:
        """Return the dice thrown, the dice kept, or the box written and what it brought."""
        if before.dice is None:
            return [{"thrown": list(move)}]
        event: dict[str, Any] = self.move_to_json(move)
        if not isinstance(move, Keep):
            old, new = before.sheet, after.sheets[before.to_move]
            gained = before.game.total(new) - before.game.total(old)
            event |= {"seat": before.to_move, "gained": gained, "total": before.game.total(new)}
        return [event]

    def add_flags(self, parser: argparse.ArgumentParser) -> None:
        """Add the flags for one sheet and its dice."""
        self.add_sheet_flags(parser)

    def add_sheet_flags(self, parser: argparse.ArgumentParser) -> Any:
        """Add the flags for one sheet and its dice, and return their group."""
        group = parser.add_argument_group("one sheet alone, from flags")
        group.add_argument(
            "--sheet",
            action="append",
            metavar="BOX=POINTS,...",
            help="the boxes written; none: an empty sheet",
        )
        group.add_argument(
            "--dice", nargs="+", metavar="FACE", help="the five dice; none: before the first roll"
        )
        group.add_argument("--rolls-left", metavar="N", help="rolls still allowed: 0, 1 or 2")
        group.add_argument(
            "--option", action="append", default=[], metavar="NAME=VALUE", help=self.options_help()
        )
        return group

    def position_from_flags(self, args: argparse.Namespace) -> dict[str, Any] | None:
        """Return the position that the flags describe, None without any flag."""
        if args.sheet is None and args.dice is None and args.rolls_left is None and not args.option:
            return None
        if args.sheet is not None and len(args.sheet) > 1:
            raise PositionError(f"--sheet: expected one, with all its boxes, got {len(args.sheet)}")
        if args.dice is not None and args.rolls_left is None:
            raise PositionError("--rolls-left: expected 0, 1 or 2 beside --dice")
        if args.dice is None and args.rolls_left not in (None, str(ROLLS_A_TURN)):
            raise PositionError("--dice: expected the dice that lie, beside --rolls-left")
        left = (
            ROLLS_A_TURN if args.rolls_left is None else flag_int("--rolls-left", args.rolls_left)
        )
        return {
            "game": self.name,
            "options": self.parse_options(args.option),
            "sheets": [_sheet_from_flag(sheet) for sheet in args.sheet or [""]],
            "to_move": 0,
            "dice": None if args.dice is None else [flag_int("--dice", die) for die in args.dice],
            "rolls_left": left,
        }

    def describe_move(self, move: Any) -> str:
        """Return a keep or write in a few words."""
        if isinstance(move, Write):
            return f"write {move.box}"
        return "keep " + (" ".join(map(str, move.dice)) or "nothing")

    def describe_step(self, before: SheetState, move: Any, after: SheetState) -> str:
        """Return the dice thrown, the dice kept, or the box written and what it brought."""
        if before.dice is None:
            return f"seat {before.to_move} rolls {' '.join(map(str, move))}"
        text = f"seat {before.to_move}: {self.describe_move(move)}"
        if isinstance(move, Keep):
            return text
        [event] = self.events(before, move, after)
        return f"{text} for {event['gained']}, total {event['total']}"

    def prompt(self, state: SheetState) -> str:
        """Return what can be typed now."""
        keep = "the dice to keep (0 to roll all), or " if state.rolls_left else ""
        return f"{keep}a box that pays above"

    def move_from_text(self, state: SheetState, text: str) -> Any:
        """Return the keep typed as its dice (``33 5``, ``0`` for none) or the box by its name.

        A box may be cut short as long as one open box alone begins that way.
        """
        word = text.strip().lower().removeprefix("keep").removeprefix("write").strip()
        digits = "0" if word == "nothing" else word.replace(" ", "").replace(",", "")
        move: Any
        if digits.isascii() and digits.isdigit():
            dice = () if digits == "0" else tuple(sorted(map(int, digits)))
            move = Keep(dice)
        else:
            name = word.replace(" ", "_").replace("-", "_")
            legal = [move for move in state.legal_moves() if not isinstance(move, Keep)]
            names = {self.describe_move(move).removeprefix("write "): move for move in legal}
            found = [name] if name in names else [n for n in names if name and n.startswith(name)]
            if len(found) != 1:
                raise MoveError(f"{shown(text)}: expected {self._expected(state)}")
            move = names[found[0]]
        if move not in state.legal_moves():
            raise MoveError(f"{shown(text)}: expected {self._expected(state)}")
        return move

    def _expected(self, state: SheetState) -> str:
        """Return what can be typed, the boxes by name."""
        boxes = [
            self.describe_move(move).removeprefix("write ")
            for move in state.legal_moves()
            if not isinstance(move, Keep)
        ]
        dice = " ".join(map(str, state.dice or ()))
        keep = f"some of the dice {dice} to keep (0 for none), or " if state.rolls_left else ""
        return f"{keep}one of {', '.join(boxes)}"

    def describe(self, state: SheetState) -> str:
        """Return the sheets side by side, what each open box would pay now, and the dice."""
        seats = range(len(state.sheets))
        columns = [self.sheet_to_json(state.game, sheet) for sheet in state.sheets]
        heads = [f"seat {seat}" for seat in seats]
        if state.dice is not None:
            columns.append(self._payments(state))
            heads.append("pays now")
        rows = dict.fromkeys([*self.box_names, *(name for column in columns for name in column)])
        lines = [" " * 16 + "".join(f"{head:>10}" for head in heads)]
        lines += [
            f"{name:<16}" + "".join(f"{column.get(name, '.'):>10}" for column in columns)
            for name in rows
        ]
        lines.append(f"{'total':<16}" + "".join(f"{total:>10}" for total in state.totals()))
        lines += filter(None, [self.remark(state), self._describe_turn(state)])
        return "\n".join(lines)

    def remark(self, state: SheetState) -> str:
        """Return a line on the sheet of the seat whose turn it is, empty for none."""
        del state
        return ""

    def _payments(self, state: SheetState) -> dict[str, int]:
        """Return what each box that may be written now would add to the total."""
        writes = [move for move in state.legal_moves() if isinstance(move, Write)]
        total = state.game.total(state.sheet)
        return {
            move.box: state.game.total(state.apply(move).sheets[state.to_move]) - total
            for move in writes
        }

    def _describe_turn(self, state: SheetState) -> str:
        if state.is_over():
            return "the game is over"
        if state.dice is not None:
            dice = "dice " + " ".join(map(str, state.dice))
        else:
            dice = "to roll" + (f", keeping {' '.join(map(str, state.kept))}" if state.kept else "")
        plural = "roll" if state.rolls_left == 1 else "rolls"
        return f"seat {state.to_move}: {dice}, {state.rolls_left} {plural} left"


def _read_roll(fields: Fields) -> tuple[tuple[int, ...], tuple[int, ...] | None, int]:
    """Return the kept dice, the dice and the rolls left of a position."""
    dice, kept = fields.take("dice"), fields.take("kept", None)
    if dice is not None:
        if kept is not None:
            fields.fail("kept", "nothing beside dice", kept)
        rolled = check_dice(fields, "dice", dice, DICE, DICE)
        return (), rolled, fields.integer("rolls_left", 0, ROLLS_A_TURN - 1)
    if kept is None:
        return (), None, fields.integer("rolls_left", ROLLS_A_TURN, ROLLS_A_TURN)
    held = check_dice(fields, "kept", kept, 0, DICE - 1)
    return held, None, fields.integer("rolls_left", 1, ROLLS_A_TURN - 1)


def _check_rotation(state: SheetState) -> None:
    """Refuse sheets that no order of turns can give.

    From the first roller to the seat before the one to move, each sheet is one
    turn ahead of the others.
    """
    turns = [state.game.turns_taken(sheet) for sheet in state.sheets]
    seats = len(turns)
    ahead = (state.to_move - state.first) % seats
    least = turns[state.to_move]
    for offset in range(seats):
        seat = (state.first + offset) % seats
        expected = least + (offset < ahead)
        if turns[seat] != expected:
            if state.is_over():
                raise PositionError(
                    f"position: to_move: expected {state.first}, the first seat, since every "
                    f"sheet is full, got {state.to_move}"
                )
            raise PositionError(
                f"position: sheets[{seat}]: expected {expected} turns taken, since seat "
                f"{state.first} rolled first and seat {state.to_move} is to move, got {turns[seat]}"
            )


def flag_int(flag: str, text: str) -> int:
    """Return the whole number that a flag gives, or raise PositionError."""
    try:
        return int(text)
    except ValueError:
        raise PositionError(f"{flag}: expected a whole number, got {shown(text)}") from None


def _sheet_from_flag(text: str) -> dict[str, int]:
    """Return the sheet that ``ones=3,chance=22`` describes."""
    sheet: dict[str, int] = {}
    for item in filter(None, text.split(",")):
        name, equals, points = (part.strip() for part in item.partition("="))
        if not equals:
            raise PositionError(f"--sheet: expected BOX=POINTS, got {shown(item)}")
        if name in sheet:
            raise PositionError(f"--sheet: the box {name} stands twice")
        sheet[name] = flag_int(f"--sheet: {name}", points)
    return sheet
