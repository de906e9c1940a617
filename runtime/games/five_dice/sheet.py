"""Games of five dice and a sheet: what yacht and dice poker have in common.

A turn has at most three rolls; after the first and the second, dice may be
kept and the rest rolled again, or a box may be written.  Seats take turns until
every sheet is done.  What the boxes are, what they pay and who may write them
is each game's own (:class:`SheetGame`).

A state waits for chance while its dice are unknown: at the start of a turn with
nothing kept and three rolls left, and after a keep with the dice kept.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ustad.runtime.core.chance import Seed
from ustad.runtime.core.errors import MoveError, OutcomeError, shown
from ustad.runtime.core.game import CHANCE, OVER
from ustad.runtime.core.strict_json import is_int
from ustad.runtime.games.five_dice.turn import (
    DICE,
    FACES,
    KEEPS,
    SIZES,
    contains,
    multiset_probability,
    sub_keeps,
)

ROLLS_A_TURN = 3

FACE_BOXES = ("ones", "twos", "threes", "fours", "fives", "sixes")
"""The first boxes of every sheet: what counts there are the dice of one face."""


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
        turn = state.rules.turns_taken(state.sheets[state.to_move])
        faces = self._faces[state.to_move][turn][ROLLS_A_TURN - state.rolls_left]
        return tuple(sorted(faces[len(state.kept) :]))


class SheetGame(ABC):
    """The rules of a game of dice and a sheet, with its options.  Sheets never change."""

    name: str
    boxes: tuple[str, ...]
    turns: int
    options: Mapping[str, Any]

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, SheetGame)
            and self.name == other.name
            and self.options == other.options
        )

    def __hash__(self) -> int:
        return hash((self.name, frozenset(self.options.items())))

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

    def new(self, players: int, first: int = 0, seed: Seed = 0) -> SheetState:
        """Return the start of a game, seat ``first`` to roll; nothing is dealt."""
        del seed
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

    rules: Any
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
        return bool(self.rules.turns_taken(self.sheets[self.to_move]) == self.rules.turns)

    def current_player(self) -> int:
        """Return the seat to move, CHANCE or OVER."""
        if self.dice is not None:
            return self.to_move
        return OVER if self.is_over() else CHANCE

    def legal_moves(self) -> Sequence[Any]:
        """Return the keeps by keep index, if a roll is left, then the writes by box."""
        if self.dice is None:
            return ()
        writes = self.rules.writes(self.sheet, self.dice, self.rolls_left)
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
        if move not in self.rules.writes(self.sheet, self.dice, self.rolls_left):
            raise MoveError(f"move: {_move_text(move)} is not legal with dice {list(self.dice)}")
        sheet = self.rules.write(self.sheet, self.dice, self.rolls_left, move)
        sheets = (*self.sheets[: self.to_move], sheet, *self.sheets[self.to_move + 1 :])
        to_move = (self.to_move + 1) % len(sheets)
        return SheetState(self.rules, sheets, self.first, to_move, (), None, ROLLS_A_TURN)

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
        return tuple(self.rules.total(sheet) for sheet in self.sheets)

    def scores(self) -> tuple[float, ...]:
        """Return each seat's points so far."""
        return tuple(float(total) for total in self.totals())

    def returns(self) -> tuple[float, ...]:
        """Return what each seat gains by the finished game."""
        gains: tuple[float, ...] = self.rules.returns(self.totals())
        return gains

    def view(self, player: int) -> SheetState:
        """Return the state: everything lies open in these games."""
        return self


def _move_text(move: Any) -> str:
    return f"write {move.box}" if isinstance(move, Write) else str(move)
