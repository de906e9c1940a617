"""Bots of the games of dice and a sheet: what yacht and dice poker share.

The problem.  What a sheet is worth between turns comes from a table or a rule of
thumb.  Within a turn every keep and every write is to be rated by it, for one
sheet now or for a thousand games side by side.

The algorithm.  A game says what each of its writes is worth on each roll; two
sweeps of :class:`ustad.runtime.games.five_dice.turn.Turn` rate the keeps.  Many sheets are solved
side by side, one lane each, and a solved turn is remembered while its decisions
last: the first decision of a turn costs the sweeps, the next ones a look.

Shapes.  *Choices* are numbered: the 210 keeps of at most four dice by keep index,
then the writes in the game's order from ``FIRST_WRITE`` = 210.  Worth arrays are
(m, writes) for m rolls, minus infinity where a write is not legal.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Sequence
from functools import cache
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.game import TIE, Advice, Bot, rank
from ustad.runtime.games.five_dice.sheet import (
    KEEP_MOVES,
    ROLLS_A_TURN,
    Keep,
    SheetState,
    keep_moves,
)
from ustad.runtime.games.five_dice.turn import (
    DICE,
    ROLL_INDEX,
    ROLLS,
    Turn,
    keep_values,
    sub_keeps,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FIRST_WRITE = len(KEEP_MOVES)
"""The number of the first write among the choices."""

KEEP_NUMBER = {keep: number for number, keep in enumerate(KEEP_MOVES)}

# Five distinct dice have the most keeps of at most four dice; shorter lists are filled with a keep
# that every roll has, the one without dice, behind its first place, so that it never matters.
_MOST_KEEPS = 2**DICE - 1
SUB_KEEPS: Ints = np.array(
    [(*keeps, *[0] * (_MOST_KEEPS - len(keeps))) for keeps in map(sub_keeps, ROLLS)]
)


@cache
def sub_keep_array(roll: int) -> Ints:
    """Return the indices of the keeps of at most four dice that a roll contains."""
    return np.array(sub_keeps(ROLLS[roll]))


class SolvedTurns(Protocol):
    """The turns of n sheets, solved side by side, a lane each."""

    @property
    def turn(self) -> Turn:
        """What each keep is worth: (462, n)."""

    def write_values(self, rolls: Ints, lanes: Ints, rolls_left: int) -> Floats:
        """Return (m, writes) what writing each of m rolls is worth, the sheet in a lane each."""

    def roll_values(self, roll: int, lane: int, rolls_left: int) -> list[float]:
        """Return what each write of one roll is worth, the sheet in one lane."""


class Lane(NamedTuple):
    """The turn of one sheet among turns solved side by side."""

    turns: SolvedTurns
    lane: int

    def keep_value(self, view: SheetState) -> float:
        """Return what the kept dice of a view are worth while the others are to fall."""
        keep = KEEP_NUMBER[Keep(view.kept)]
        return float(self.turns.turn.keeps(view.rolls_left)[keep, self.lane])


class TurnBot(Bot[SheetState, Any]):
    """Plays what is worth most by a solved turn.

    Attributes:
        writes: the moves that end a turn, in the order of the worth arrays.
        remembered: how many solved turns are kept.
    """

    writes: tuple[Any, ...]
    remembered = 2048

    def __init__(self) -> None:
        self._solved: dict[Hashable, Lane] = {}
        self._moves = (*KEEP_MOVES, *self.writes)
        self._number = {write: number for number, write in enumerate(self.writes)}

    @abstractmethod
    def key(self, sheet: Any) -> Hashable:
        """Return all that the play of a turn depends on."""

    def view_key(self, view: SheetState) -> Hashable:
        """Return all that the play of a turn depends on, the other sheets included."""
        return self.key(view.sheet)

    @abstractmethod
    def solve(self, keys: Sequence[Any]) -> SolvedTurns:
        """Solve the turns of sheets with these keys, a lane each."""

    def second(self, turns: SolvedTurns) -> SolvedTurns | None:
        """Return what chooses among choices that these turns hold equal, None for the first."""
        del turns
        return None

    def choose(self, view: SheetState) -> Any:
        """Return the best move, the first of equals."""
        return self.choose_many([view])[0]

    def choose_many(self, views: Sequence[SheetState]) -> list[Any]:
        """Return the best move for each view, the first of equals."""
        places = self.lanes(views)
        groups: dict[tuple[int, int], list[int]] = {}
        for at, (view, place) in enumerate(zip(views, places, strict=True)):
            groups.setdefault((id(place.turns), view.rolls_left), []).append(at)
        moves: list[Any] = [None] * len(views)
        for (_, rolls_left), members in groups.items():
            turns = places[members[0]].turns
            lanes = np.array([places[at].lane for at in members])
            rolls = np.array([ROLL_INDEX[views[at].dice or ()] for at in members])
            chosen = self._best(turns, rolls_left, rolls, lanes).tolist()
            for at, choice in zip(members, chosen, strict=True):
                moves[at] = self._moves[choice]
        return moves

    def get_ready(self, views: Sequence[SheetState]) -> None:
        """Solve the turns of views side by side."""
        self.lanes([view for view in views if not view.is_over()])

    def turn_choices(self, sheets: Sequence[Any]) -> Ints:
        """Return (3, n, 252) the choice with 0, 1 and 2 rolls left on every roll, for n sheets."""
        return self.key_choices([self.key(sheet) for sheet in sheets])

    def key_choices(self, keys: Sequence[Any]) -> Ints:
        """Return (3, n, 252) the choice with 0, 1 and 2 rolls left on every roll, for n keys."""
        return self.choices(self.solve(keys), np.arange(len(keys)))

    def view_choices(self, view: SheetState) -> Ints:
        """Return (3, 252) the choice with 0, 1 and 2 rolls left on every roll, for a view."""
        [(turns, lane)] = self.lanes([view])
        return self.choices(turns, np.array([lane]))[:, 0]

    def choices(self, turns: SolvedTurns, lanes: Ints) -> Ints:
        """Return (3, n, 252) the choices in n lanes that are solved; see :meth:`key_choices`."""
        shape = (len(lanes), len(ROLLS))
        rolls, each = np.tile(np.arange(len(ROLLS)), len(lanes)), np.repeat(lanes, len(ROLLS))
        return np.stack(
            [self._best(turns, left, rolls, each).reshape(shape) for left in range(ROLLS_A_TURN)]
        )

    def _best(self, turns: SolvedTurns, rolls_left: int, rolls: Ints, lanes: Ints) -> Ints:
        """Return (m,) the number of the best choice for each of m rolls and lanes."""
        values = _choice_values(turns, rolls_left, rolls, lanes)
        equal = values >= values.max(axis=1, keepdims=True) - TIE
        several = np.flatnonzero(np.count_nonzero(equal, axis=1) > 1)
        if len(several) and (other := self.second(turns)) is not None:
            values = _choice_values(other, rolls_left, rolls[several], lanes[several])
            values[~equal[several]] = -np.inf
            equal[several] &= values >= values.max(axis=1, keepdims=True) - TIE
        first: Ints = equal.argmax(axis=1)
        if not rolls_left:
            return FIRST_WRITE + first
        kept = SUB_KEEPS[rolls, np.minimum(first, _MOST_KEEPS - 1)]
        best: Ints = np.where(first < _MOST_KEEPS, kept, FIRST_WRITE + first - _MOST_KEEPS)
        return best

    def rated(self, view: SheetState) -> tuple[Sequence[Any], list[float]]:
        """Return the legal moves of a roll and what each is worth."""
        dice = view.dice or ()
        roll = ROLL_INDEX[dice]
        [(turns, lane)] = self.lanes([view])
        worth = turns.roll_values(roll, lane, view.rolls_left)
        moves = view.rules.writes(view.sheet, dice, view.rolls_left)
        values = [worth[self._number[write]] for write in moves]
        if view.rolls_left:
            moves = (*keep_moves(dice), *moves)
            keeps = turns.turn.keeps(view.rolls_left)[sub_keep_array(roll), lane]
            values = keeps.tolist() + values
        return moves, values

    def forget(self) -> None:
        """Forget the solved turns; the answers do not depend on them."""
        self._solved.clear()

    def lanes(self, views: Sequence[SheetState]) -> list[Lane]:
        """Return the solved turn of each view."""
        keys = [self.view_key(view) for view in views]
        new = [key for key in dict.fromkeys(keys) if key not in self._solved]
        if new:
            if len(self._solved) + len(new) > self.remembered:
                self._solved.clear()
                new = list(dict.fromkeys(keys))
            turns = self.solve(new)
            self._solved.update((key, Lane(turns, lane)) for lane, key in enumerate(new))
        return [self._solved[key] for key in keys]


def _choice_values(turns: SolvedTurns, rolls_left: int, rolls: Ints, lanes: Ints) -> Floats:
    """Return (m, choices) what the keeps of each roll, if a roll is left, and the writes bring."""
    values = turns.write_values(rolls, lanes, rolls_left)
    if not rolls_left:
        return values
    keeps = turns.turn.keeps(rolls_left)[SUB_KEEPS[rolls], lanes[:, None]]
    return np.concatenate([keeps, values], axis=1)


class RatingBot(TurnBot):
    """A turn bot whose values are expected final totals of the sheet."""

    unit = "expected_total"

    @abstractmethod
    def to_come(self, sheet: Any) -> float:
        """Return the expected points still to come at the start of a turn."""

    def ask(self, view: SheetState) -> Advice[Any]:
        """Return every legal move with the expected final total after it."""
        if view.dice is None:
            return Advice((), self.value(view), self.unit)
        total = view.sheet.total
        moves, worth = self.rated(view)
        best, options = rank(moves, [total + value for value in worth])
        return Advice(best, options[0].value, self.unit, options)

    def value(self, view: SheetState) -> float:
        """Return the expected final total of a position that waits for dice, or is over."""
        if view.rolls_left == ROLLS_A_TURN:
            return float(view.sheet.total + self.to_come(view.sheet))
        return float(view.sheet.total + self.lanes([view])[0].keep_value(view))


class Followed(NamedTuple):
    """What turns are worth when certain choices are made, by the rolls left.

    Attributes:
        rolled: three arrays (252, n), with 0, 1 and 2 rolls left.
        kept: three arrays (462, n), before a roll that leaves so many.
    """

    rolled: list[Floats]
    kept: list[Floats]


def follow(turns: SolvedTurns, choices: Ints) -> Followed:
    """Return what turns are worth when these choices are made.

    Args:
        turns: rate the writes.
        choices: (3, n, 252) by rolls left, as :meth:`TurnBot.key_choices` gives them.
    """
    lanes, rolls = np.indices(choices.shape[1:])
    found = Followed([], [])
    for rolls_left, chosen in enumerate(choices):
        written = turns.write_values(rolls.ravel(), lanes.ravel(), rolls_left)
        written = written.reshape(*chosen.shape, -1)
        box = np.maximum(chosen - FIRST_WRITE, 0)[:, :, None]
        value = np.take_along_axis(written, box, axis=2)[:, :, 0]
        if rolls_left:
            kept = found.kept[-1][np.minimum(chosen, FIRST_WRITE - 1), lanes]
            value = np.where(chosen < FIRST_WRITE, kept, value)
        found.rolled.append(np.ascontiguousarray(value.T))
        found.kept.append(keep_values(found.rolled[-1]))
    return found
