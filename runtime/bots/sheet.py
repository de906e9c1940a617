"""Bots of the games of dice and a sheet: what yacht and dice poker share.

The problem.  What a sheet is worth between turns comes from a table or a rule of
thumb.  Within a turn every keep and every write is to be rated by it, for one
sheet now or for a thousand games side by side.

The algorithm.  A game says what each of its writes is worth on each roll; two
sweeps of :class:`ustad.runtime.dice.Turn` rate the keeps.  Many sheets are solved
side by side, one lane each, and a solved turn is remembered while its decisions
last: the first decision of a turn costs the sweeps, the next ones a look.

Shapes.  *Choices* are numbered: the 210 keeps of at most four dice by keep index,
then the writes in the game's order from ``FIRST_WRITE`` = 210.  Worth arrays are
(m, writes) for m rolls, minus infinity where a write is not legal.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from functools import cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.dice import ROLL_INDEX, ROLLS, Turn, sub_keeps
from ustad.runtime.games.base import TIE, Advice, rank
from ustad.runtime.games.sheet import KEEP_MOVES, ROLLS_A_TURN, Keep, SheetState, keep_moves

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FIRST_WRITE = len(KEEP_MOVES)
"""The number of the first write among the choices."""

KEEP_NUMBER = {keep: number for number, keep in enumerate(KEEP_MOVES)}

# Five distinct dice have 31 keeps of at most four dice; shorter lists are filled with a keep
# that every roll has, the one without dice, behind its first place, so that it never matters.
_SUB_KEEPS: Ints = np.array([(sub_keeps(roll) + (0,) * 31)[:31] for roll in ROLLS])


@cache
def sub_keep_array(roll: int) -> Ints:
    """Return the indices of the keeps of at most four dice that a roll contains."""
    return np.array(sub_keeps(ROLLS[roll]))


class RuleOfThumb(ABC):
    """A level without values: it says what it would play."""

    @abstractmethod
    def choose(self, view: SheetState) -> Any:
        """Return the keep or write."""

    def choose_many(self, views: Sequence[SheetState]) -> list[Any]:
        """Return the keep or write for each view."""
        return [self.choose(view) for view in views]

    def ask(self, view: SheetState) -> Advice:
        """Return the move it would play, alone."""
        return Advice([self.choose(view)] if view.dice is not None else [])


class SolvedTurns(Protocol):
    """The turns of n sheets, solved side by side, a lane each."""

    @property
    def turn(self) -> Turn:
        """What each keep is worth: (462, n)."""

    def write_values(self, rolls: Ints, lanes: Ints, rolls_left: int) -> Floats:
        """Return (m, writes) what writing each of m rolls is worth, the sheet in a lane each."""

    def roll_values(self, roll: int, lane: int, rolls_left: int) -> list[float]:
        """Return what each write of one roll is worth, the sheet in one lane."""


class TurnBot(ABC):
    """Plays what is worth most by a solved turn.

    Attributes:
        writes: the moves that end a turn, in the order of the worth arrays.
        remembered: how many solved turns are kept.
    """

    writes: tuple[Any, ...]
    remembered = 2048

    def __init__(self) -> None:
        self._solved: dict[Hashable, tuple[SolvedTurns, int]] = {}
        self._moves = (*KEEP_MOVES, *self.writes)
        self._number = {write: number for number, write in enumerate(self.writes)}

    @abstractmethod
    def key(self, sheet: Any) -> Hashable:
        """Return all that the play of a turn depends on."""

    @abstractmethod
    def solve(self, keys: Sequence[Any]) -> SolvedTurns:
        """Solve the turns of sheets with these keys, a lane each."""

    def choose(self, view: SheetState) -> Any:
        """Return the best move, the first of equals."""
        return self.choose_many([view])[0]

    def choose_many(self, views: Sequence[SheetState]) -> list[Any]:
        """Return the best move for each view, the first of equals."""
        places = self._turns([view.sheet for view in views])
        groups: dict[tuple[int, int], list[int]] = {}
        for at, (view, (turns, _)) in enumerate(zip(views, places, strict=True)):
            groups.setdefault((id(turns), view.rolls_left), []).append(at)
        moves: list[Any] = [None] * len(views)
        for (_, rolls_left), members in groups.items():
            turns = places[members[0]][0]
            lanes = np.array([places[at][1] for at in members])
            rolls = np.array([ROLL_INDEX[views[at].dice or ()] for at in members])
            chosen = best_choices(turns, rolls_left, rolls, lanes).tolist()
            for at, choice in zip(members, chosen, strict=True):
                moves[at] = self._moves[choice]
        return moves

    def turn_choices(self, sheets: Sequence[Any]) -> Ints:
        """Return (3, n, 252) the choice with 0, 1 and 2 rolls left on every roll, for n sheets."""
        turns = self.solve([self.key(sheet) for sheet in sheets])
        rolls = np.tile(np.arange(len(ROLLS)), len(sheets))
        lanes = np.repeat(np.arange(len(sheets)), len(ROLLS))
        shape = (len(sheets), len(ROLLS))
        return np.stack(
            [best_choices(turns, left, rolls, lanes).reshape(shape) for left in range(ROLLS_A_TURN)]
        )

    def forget(self) -> None:
        """Forget the solved turns; the answers do not depend on them."""
        self._solved.clear()

    def turn(self, sheet: Any) -> tuple[SolvedTurns, int]:
        """Return the solved turn of a sheet and its lane there."""
        return self._turns([sheet])[0]

    def _turns(self, sheets: Sequence[Any]) -> list[tuple[SolvedTurns, int]]:
        """Return the solved turn of each sheet and its lane there."""
        keys = [self.key(sheet) for sheet in sheets]
        new = [key for key in dict.fromkeys(keys) if key not in self._solved]
        if new:
            if len(self._solved) + len(new) > self.remembered:
                self._solved.clear()
                new = list(dict.fromkeys(keys))
            turns = self.solve(new)
            self._solved.update((key, (turns, lane)) for lane, key in enumerate(new))
        return [self._solved[key] for key in keys]


class RatingBot(TurnBot):
    """A turn bot whose values are expected final totals of the sheet."""

    unit = "expected_total"

    @abstractmethod
    def to_come(self, sheet: Any) -> float:
        """Return the expected points still to come at the start of a turn."""

    def ask(self, view: SheetState) -> Advice:
        """Return every legal move with the expected final total after it."""
        if view.dice is None:
            return Advice((), self.value(view), self.unit)
        turns, lane = self.turn(view.sheet)
        total = view.sheet.total
        roll = ROLL_INDEX[view.dice]
        worth = turns.roll_values(roll, lane, view.rolls_left)
        moves = view.game.writes(view.sheet, view.dice, view.rolls_left)
        values = [total + worth[self._number[write]] for write in moves]
        if view.rolls_left:
            moves = (*keep_moves(view.dice), *moves)
            keeps = turns.turn.keeps(view.rolls_left)[sub_keep_array(roll), lane]
            values = (total + keeps).tolist() + values
        best, options = rank(moves, values)
        return Advice(best, options[0][1], self.unit, options)

    def value(self, view: SheetState) -> float:
        """Return the expected final total of a position that waits for dice, or is over."""
        sheet = view.sheet
        if view.rolls_left == ROLLS_A_TURN:
            to_come = self.to_come(sheet)
        else:
            turns, lane = self.turn(sheet)
            to_come = turns.turn.keeps(view.rolls_left)[KEEP_NUMBER[Keep(view.kept)], lane]
        return float(sheet.total + to_come)


def best_choices(turns: SolvedTurns, rolls_left: int, rolls: Ints, lanes: Ints) -> Ints:
    """Return the number of the best choice, the first of equals, for each roll and lane."""
    values = turns.write_values(rolls, lanes, rolls_left)
    if not rolls_left:
        return FIRST_WRITE + _first_best(values)
    keeps = turns.turn.keeps(rolls_left)[_SUB_KEEPS[rolls], lanes[:, None]]
    first = _first_best(np.concatenate([keeps, values], axis=1))
    width = _SUB_KEEPS.shape[1]
    kept = _SUB_KEEPS[rolls, np.minimum(first, width - 1)]
    best: Ints = np.where(first < width, kept, FIRST_WRITE + first - width)
    return best


def _first_best(values: Floats) -> Ints:
    """Return the first place in each row whose value ties with the best."""
    first: Ints = (values >= values.max(axis=1, keepdims=True) - TIE).argmax(axis=1)
    return first
