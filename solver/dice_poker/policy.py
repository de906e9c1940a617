"""What a bot of dice poker scores: exactly, and in simulated games.

The problem.  A sheet is a solitaire game, so a bot's totals have one distribution,
whoever sits at the table.  What is it?

The algorithm.  *Exactly*, by a forward pass: the bot is asked for its choice on every
roll in every state that it can come to; from these follow the chances of every way a
turn can end (:func:`turn_endings`), and these carry the distribution of the points so
far from state to state, down from 15 turns left to none.  Nothing is sampled, and
mean, variance and the chance of the school bonus follow from the distribution.

*By simulation*, many games in lockstep: it knows nothing of endings and distributions
and so is a check on them.

Shapes.  Choices are (3, n, 252) by rolls left, sheet and roll, numbered as in
:mod:`ustad.runtime.games.five_dice.bots`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.games.dice_poker.levels import RollPayments, roll_payments
from ustad.runtime.games.dice_poker.rules import (
    ALL_OPEN,
    ROW_COUNT,
    SCHOOL,
    SCHOOL_ROWS,
    DicePoker,
    RuleNumbers,
    Sheet,
    State,
    bonus_points,
)
from ustad.runtime.games.five_dice.bots import FIRST_WRITE, TurnBot
from ustad.runtime.games.five_dice.sheet import ROLLS_A_TURN
from ustad.runtime.games.five_dice.turn import (
    COUNTS,
    DICE,
    FACES,
    FIRST_ROLL,
    KEEPS,
    transition_matrix,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

START = State(ALL_OPEN, ROW_COUNT, 0)
"""Here the subtotal is 0 once the school is done."""

_TRANSITION = transition_matrix()
_SIDE_BY_SIDE = 256


@dataclass(frozen=True)
class Totals:
    """The distribution of a bot's final totals.

    Attributes:
        lowest: the total of the first chance.
        chance: (totals,) the chance of each total from ``lowest`` on.
        bonus: the chance of the school bonus.
    """

    lowest: int
    chance: Floats
    bonus: float

    @property
    def mean(self) -> float:
        """The expected total."""
        return float(self.chance @ self._points)

    @property
    def variance(self) -> float:
        """The variance of the total."""
        return float(self.chance @ (self._points - self.mean) ** 2)

    @property
    def _points(self) -> Floats:
        return self.lowest + np.arange(len(self.chance), dtype=np.float64)


def _sheet(state: State) -> Sheet:
    """Return a sheet in a state; what its rows hold is nothing to a bot of this game."""
    return Sheet((), state.turns_left, state.open_rows, state.subtotal, 0)


def turn_endings(choices: Ints) -> Floats:
    """Return (3, n, 252): the chance that a turn ends with so many rolls left on each roll."""
    lanes = choices.shape[1]
    endings = np.zeros(choices.shape)
    falls = np.tile(_TRANSITION[0], (lanes, 1))
    place = np.arange(lanes)[:, None] * FIRST_WRITE
    for rolls_left in reversed(range(ROLLS_A_TURN)):
        ends = choices[rolls_left] >= FIRST_WRITE
        endings[rolls_left] = np.where(ends, falls, 0.0)
        keeps = np.where(ends, 0, choices[rolls_left]) + place
        going = np.where(ends, 0.0, falls)
        kept = np.bincount(keeps.ravel(), going.ravel(), lanes * FIRST_WRITE)
        falls = kept.reshape(lanes, FIRST_WRITE) @ _TRANSITION[:FIRST_WRITE]
    return endings


def payment_chances(numbers: RuleNumbers, choices: Ints) -> Floats:
    """Return (n, payments): the chance of each payment that a turn can end with."""
    known = roll_payments(numbers)
    endings = turn_endings(choices)
    lanes = choices.shape[1]
    width = known.all.illegal + 1
    chances = np.zeros(lanes * width)
    rolls = np.arange(choices.shape[2])
    place = np.arange(lanes)[:, None] * width
    for rolls_left in range(ROLLS_A_TURN):
        write = np.maximum(choices[rolls_left] - FIRST_WRITE, 0)
        paid = known.at(rolls_left)[write, rolls]
        chances += np.bincount((paid + place).ravel(), endings[rolls_left].ravel(), len(chances))
    return chances.reshape(lanes, width)[:, :-1]


def exact_totals(bot: TurnBot, rules: DicePoker) -> Totals:
    """Return the exact distribution of a bot's totals.

    Args:
        bot: a level of dice poker.
        rules: its rules, of order ``school_first``: under ``free`` there are hundreds
            of times as many states.
    """
    numbers = rules.numbers
    if numbers.free:
        raise ValueError("exact totals: expected order=school_first, got order=free")
    pairs = list(roll_payments(numbers).all.by_pair())
    lowest, highest = _bounds(numbers)
    start = np.zeros(highest - lowest + 1)
    start[-lowest] = 1.0
    states = {START: start}
    bonus = 0.0
    for _ in range(ROW_COUNT):
        after: dict[State, Floats] = {}
        for state, chances in _state_payments(bot, numbers, states):
            before = states[state]
            for payment in np.flatnonzero(chances).tolist():
                row, points = pairs[payment]
                reached, earned = _after(numbers, state, row, points)
                if reached not in after:
                    after[reached] = np.zeros(len(start))
                chance = chances[payment]
                _add_moved(after[reached], before, points + earned * numbers.school_bonus, chance)
                if earned:
                    bonus += float(before.sum() * chance)
        states = after
    return Totals(lowest, np.sum(list(states.values()), axis=0), bonus)


def _add_moved(into: Floats, chances: Floats, by: int, factor: float) -> None:
    """Add a distribution, moved up by some points and scaled, to another of the same length."""
    if by >= 0:
        into[by:] += chances[: len(chances) - by] * factor
    else:
        into[:by] += chances[-by:] * factor


def _bounds(numbers: RuleNumbers) -> tuple[int, int]:
    """Return the least and the greatest total there can be, or less and more than these."""
    known = roll_payments(numbers).all
    rows = [known.points[known.box == row] for row in range(ROW_COUNT)]
    least, most = (int(sum(pick(points) for points in rows)) for pick in (np.min, np.max))
    return least, most + numbers.school_bonus


def _after(numbers: RuleNumbers, state: State, row: int, points: int) -> tuple[State, int]:
    """Return the state after a payment, and 1 if it earns the school bonus, else 0."""
    left, turns_left = state.open_rows & ~(1 << row), state.turns_left - 1
    if row >= SCHOOL_ROWS:
        return State(left, turns_left, 0), 0
    subtotal = state.subtotal + points
    earned = int(bonus_points(numbers._replace(school_bonus=1), row, left, subtotal))
    return State(left, turns_left, subtotal if left & SCHOOL else 0), earned


def _state_payments(
    bot: TurnBot, numbers: RuleNumbers, states: Iterable[State]
) -> Iterator[tuple[State, Floats]]:
    """Yield each state with the chance of each payment, states that the bot plays alike at once."""
    alike: dict[Hashable, list[State]] = {}
    for state in states:
        alike.setdefault(bot.key(_sheet(state)), []).append(state)
    groups = list(alike.values())
    for begin in range(0, len(groups), _SIDE_BY_SIDE):
        part = groups[begin : begin + _SIDE_BY_SIDE]
        choices = bot.turn_choices([_sheet(group[0]) for group in part])
        for group, chances in zip(part, payment_chances(numbers, choices), strict=True):
            for state in group:
                yield state, chances


# Simulated games.

_WEIGHT = np.array([(DICE + 1) ** face for face in range(FACES)])
_KEEP_CODE = COUNTS @ _WEIGHT
_KEEP_SIZE = COUNTS.sum(axis=1)
_ROLL_OF_CODE = np.zeros(int(_KEEP_CODE.max()) + 1, dtype=np.int64)
_ROLL_OF_CODE[_KEEP_CODE[FIRST_ROLL:]] = np.arange(len(KEEPS) - FIRST_ROLL)


def simulated_totals(bot: TurnBot, rules: DicePoker, games: int, seed: int) -> Ints:
    """Return (games,) the totals of a bot in games with random dice.

    Args:
        bot: a level of dice poker.
        rules: its rules.
        games: how many.
        seed: draws the dice.
    """
    numbers, known = rules.numbers, roll_payments(rules.numbers)
    random = np.random.default_rng(seed)
    totals = np.zeros(games, dtype=np.int64)
    open_rows, subtotal = np.full(games, ALL_OPEN), np.zeros(games, dtype=np.int64)
    for turns_left in reversed(range(1, ROW_COUNT + 1)):
        code = (subtotal * (open_rows & SCHOOL > 0) << ROW_COUNT) + open_rows
        distinct, which = np.unique(code, return_inverse=True)
        states = [State(c & ALL_OPEN, turns_left, c >> ROW_COUNT) for c in distinct.tolist()]
        payment = _play_turn(_choices(bot, states), which, random, known)
        row, points = known.all.box[payment], known.all.points[payment]
        open_rows = open_rows & ~(1 << row)
        subtotal = subtotal + points * (row < SCHOOL_ROWS)
        totals += points + bonus_points(numbers, row, open_rows, subtotal)
    return totals


def _choices(bot: TurnBot, states: Sequence[State]) -> Ints:
    """Return (3, n, 252) the bot's choices in any number of states."""
    parts = [
        bot.turn_choices([_sheet(state) for state in states[begin : begin + _SIDE_BY_SIDE]])
        for begin in range(0, len(states), _SIDE_BY_SIDE)
    ]
    return np.concatenate(parts, axis=1)


def _play_turn(
    choices: Ints, which: Ints, random: np.random.Generator, known: RollPayments
) -> Ints:
    """Return (games,) the payment that ends a turn of each game.

    Args:
        choices: (3, n, 252) the choices in each of n states.
        which: (games,) the state of each game.
        random: throws the dice.
        known: the payments.
    """
    games = len(which)
    payment = np.full(games, -1)
    kept = np.zeros(games, dtype=np.int64)
    for rolls_left in reversed(range(ROLLS_A_TURN)):
        thrown = np.zeros((games, DICE + 1), dtype=np.int64)
        np.cumsum(_WEIGHT[random.integers(FACES, size=(games, DICE))], axis=1, out=thrown[:, 1:])
        code = _KEEP_CODE[kept] + thrown[np.arange(games), DICE - _KEEP_SIZE[kept]]
        roll = _ROLL_OF_CODE[code]
        choice = choices[rolls_left, which, roll]
        ends = (choice >= FIRST_WRITE) & (payment < 0)
        payment[ends] = known.at(rolls_left)[choice[ends] - FIRST_WRITE, roll[ends]]
        kept = np.where(choice < FIRST_WRITE, choice, 0)
    return payment


def mean_and_error(samples: NDArray[Any]) -> tuple[float, float]:
    """Return the mean of samples and its standard error."""
    return float(samples.mean()), float(samples.std(ddof=1) / len(samples) ** 0.5)


def exact_settlement(totals: Sequence[Totals]) -> tuple[float, float]:
    """Return mean and standard deviation of what the first of some seats wins a game."""
    seats = len(totals)
    weights = [1 - 1 / seats] + [-1 / seats] * (seats - 1)
    pairs = list(zip(weights, totals, strict=True))
    mean = sum(weight * one.mean for weight, one in pairs)
    return mean, sum(weight**2 * one.variance for weight, one in pairs) ** 0.5
