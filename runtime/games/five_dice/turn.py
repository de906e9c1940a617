"""Five dice: rolls, keeps, the chances between them, and the best play of one turn.

The problem.  A turn is up to three rolls of five dice.  After the first and
the second roll any of the dice may be kept and the others rolled again, or
the turn may be stopped.  Given what stopping is worth for every roll, what is
every keep worth?

The algorithm.  Dice have no order, so a roll is one of 252 multisets and a
keep one of 462 (all multisets of at most five dice).  They form a lattice in
which a keep lies above the keeps with one die less:

- the value of a keep is the mean over the six keeps with one die more
  (:func:`keep_values`), so one sweep from five dice down to none rates them
  all with 6 x 210 additions instead of 4,368 products;
- the best keep of a roll is the best over the multisets below it
  (:func:`best_keeps`), one sweep upwards.

Both sweeps work on any number of columns at once: arrays are ``(252,)`` and
``(462,)`` for one position, ``(252, n)`` and ``(462, n)`` for n positions side
by side.  :mod:`ustad.solver.five_dice.turn` holds the same sweeps compiled; they add in
the same order, so that the two agree to the last bit.

Shapes.  ``KEEPS`` is ordered by number of dice and then in lexicographic
order, so the rolls are its last 252 entries: roll ``r`` is keep ``210 + r``.

Source.  The sweep over keeps is the standard trick of solvers for Yahtzee
(J. Glenn, "An Optimal Strategy for Yahtzee", Loyola College TR CS-TR-0002,
2006; T. Verhoeff, "Optimal Solitaire Yahtzee Strategies", 1999).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement
from math import factorial
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

DICE = 5
FACES = 6

HIGHEST_SUM = DICE * FACES
"""What five dice add up to at most."""

KEEPS: tuple[tuple[int, ...], ...] = tuple(
    dice
    for size in range(DICE + 1)
    for dice in combinations_with_replacement(range(1, FACES + 1), size)
)
"""The 462 multisets of at most five dice, by size and then lexicographically."""

FIRST_ROLL = sum(len(dice) < DICE for dice in KEEPS)
"""210: the number of keeps that leave a die to roll, and the keep index of roll 0."""

ROLLS: tuple[tuple[int, ...], ...] = KEEPS[FIRST_ROLL:]
"""The 252 rolls of five dice."""

KEEP_INDEX: dict[tuple[int, ...], int] = {dice: i for i, dice in enumerate(KEEPS)}
"""Index of a keep, its dice in ascending order."""

ROLL_INDEX: dict[tuple[int, ...], int] = {dice: i for i, dice in enumerate(ROLLS)}
"""Index of a roll, its dice in ascending order."""

COUNTS: NDArray[np.int64] = np.array(
    [[dice.count(face) for face in range(1, FACES + 1)] for dice in KEEPS]
)
"""(462, 6): how many dice of each face a keep holds."""

ROLL_COUNTS: list[list[int]] = COUNTS[FIRST_ROLL:].tolist()
"""How many dice of each face each roll shows."""

SIXTH = 1 / FACES
"""The chance of a face.  A product with it is rounded alike here and in compiled code."""


ONE_MORE: NDArray[np.int64] = np.array(
    [
        [KEEP_INDEX[tuple(sorted((*dice, face)))] for face in range(1, FACES + 1)]
        for dice in KEEPS[:FIRST_ROLL]
    ]
)
"""(210, 6): the keep that a keep becomes with one die of each face more."""


def _one_less() -> tuple[tuple[int, ...], ...]:
    less: list[list[int]] = [[] for _ in KEEPS]
    for keep, grown in enumerate(ONE_MORE.tolist()):
        for more in grown:
            less[more].append(keep)
    return tuple(map(tuple, less))


ONE_LESS = _one_less()
"""For each keep, the keeps that it becomes with one die less, ascending."""

SIZES: tuple[slice, ...] = tuple(
    slice(
        sum(len(dice) < size for dice in KEEPS),
        sum(len(dice) <= size for dice in KEEPS),
    )
    for size in range(DICE + 1)
)
"""For each number of dice, the slice of the keeps with so many."""

# One gather index per sweep step, face first so that the sum over faces runs along axis 0.
_GROWN = tuple(np.ascontiguousarray(ONE_MORE[SIZES[size]].T) for size in range(DICE))
SHRUNK: tuple[NDArray[np.int64], ...] = tuple(
    np.array([less + less[:1] * (size - len(less)) for less in ONE_LESS[SIZES[size]]]).T.copy()
    for size in range(1, DICE + 1)
)
"""For one die to five dice: (dice, keeps of so many) the keeps with one die less, the first
repeated to as many as there are dice."""


def multiset_probability(dice: tuple[int, ...]) -> float:
    """Return the chance that rolling ``len(dice)`` dice gives exactly these, in any order."""
    orders = factorial(len(dice))
    for face in set(dice):
        orders //= factorial(dice.count(face))
    return float(orders / FACES ** len(dice))


def transition_matrix() -> Floats:
    """Return (462, 252) chances: row a keep, column the roll it becomes.

    The rows of the 252 five-dice keeps are the identity.  Each row sums to 1.
    """
    matrix = np.zeros((len(KEEPS), len(ROLLS)))
    for row, kept in enumerate(KEEPS):
        size = DICE - len(kept)
        for thrown in KEEPS[SIZES[size]]:
            roll = ROLL_INDEX[tuple(sorted(kept + thrown))]
            matrix[row, roll] = multiset_probability(thrown)
    return matrix


def structure() -> dict[str, NDArray[Any]]:
    """Return what table files carry so that a reader needs no combinatorics of its own.

    ``rolls`` (252, 5) and ``keeps`` (462, 5), uint8, missing dice 0;
    ``transition`` (462, 252), float64.
    """
    padded = [dice + (0,) * (DICE - len(dice)) for dice in KEEPS]
    keeps = np.array(padded, dtype=np.uint8)
    return {"rolls": keeps[FIRST_ROLL:], "keeps": keeps, "transition": transition_matrix()}


def sub_keeps(roll: tuple[int, ...]) -> tuple[int, ...]:
    """Return the indices of the keeps of at most four dice that a roll contains, ascending."""
    found: set[tuple[int, ...]] = {()}
    for die in roll:
        found |= {(*kept, die) for kept in found}
    return tuple(sorted(KEEP_INDEX[kept] for kept in found if len(kept) < DICE))


def contains(roll: Iterable[int], kept: Iterable[int]) -> bool:
    """Tell whether the kept dice can be taken from the roll."""
    left = list(roll)
    for die in kept:
        if die not in left:
            return False
        left.remove(die)
    return True


def keep_values(roll_values: Floats) -> Floats:
    """Rate every keep by the rolls it can become.

    Args:
        roll_values: (252, ...) what each roll is worth.

    Returns:
        (462, ...) the expected value of rolling the dice that a keep lacks; for
        the five-dice keeps the roll values themselves.
    """
    values = np.empty((len(KEEPS), *roll_values.shape[1:]))
    values[FIRST_ROLL:] = roll_values
    for size in reversed(range(DICE)):
        grown = values[_GROWN[size]]
        # Six faces one after the other: the compiled sweep adds in this order too.
        np.multiply(np.add.reduce(grown, axis=0), SIXTH, out=values[SIZES[size]])
    return values


def rolled(kept: Floats) -> Floats:
    """Return (252,) the chance of each roll once the keeps of these chances are thrown.

    Args:
        kept: (462,) the chance of each keep; whole rolls stay.
    """
    chances = kept.copy()
    for size in range(DICE):
        given = np.broadcast_to(chances[SIZES[size]] * SIXTH, _GROWN[size].shape)
        chances += np.bincount(_GROWN[size].ravel(), given.ravel(), len(KEEPS))
    return chances[FIRST_ROLL:]


def best_keeps(values: Floats) -> Floats:
    """Return (252, ...) the value of the best keep of zero to four dice of each roll.

    Args:
        values: (462, ...) from :func:`keep_values`.
    """
    best = values.copy()
    for size in range(1, DICE):
        below = np.maximum.reduce(best[SHRUNK[size - 1]], axis=0)
        np.maximum(best[SIZES[size]], below, out=best[SIZES[size]])
    rolled: Floats = np.maximum.reduce(best[SHRUNK[DICE - 1]], axis=0)
    return rolled


@dataclass(frozen=True)
class Turn:
    """The best play of a turn, from what stopping is worth.

    ``stop[n]`` is (252, ...): the value of stopping on each roll when n further
    rolls are allowed.  Games in which writing early pays no more and no less
    give the same array three times.
    """

    stop: tuple[Floats, Floats, Floats]

    @cached_property
    def keeps_one(self) -> Floats:
        """(462, ...) the value of each keep when one more roll is allowed."""
        return keep_values(self.stop[0])

    @cached_property
    def rolled_one(self) -> Floats:
        """(252, ...) the value of each roll when one more is allowed."""
        return np.maximum(self.stop[1], best_keeps(self.keeps_one))

    @cached_property
    def keeps_two(self) -> Floats:
        """(462, ...) the value of each keep when two more rolls are allowed."""
        return keep_values(self.rolled_one)

    @cached_property
    def rolled_two(self) -> Floats:
        """(252, ...) the value of each roll when two more are allowed."""
        return np.maximum(self.stop[2], best_keeps(self.keeps_two))

    def rolled(self, rolls_left: int) -> Floats:
        """Return (252, ...) the value of each roll with 0, 1 or 2 rolls left."""
        if not rolls_left:
            return self.stop[0]
        return self.rolled_one if rolls_left == 1 else self.rolled_two

    def keeps(self, rolls_left: int) -> Floats:
        """Return (462, ...) the value of each keep with 1 or 2 rolls left."""
        return self.keeps_one if rolls_left == 1 else self.keeps_two

    @cached_property
    def start(self) -> Floats:
        """(...) the value of the turn before its first roll."""
        value: Floats = keep_values(self.rolled_two)[0]
        return value
