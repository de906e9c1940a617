"""Turns of yacht that are played for a chance: to win, or to reach a total.

A goal says what each payment is worth; what is equal goes to the higher expected total.

Shapes.  Gains are (2 payments + 1, n): what each payment is worth for each of n sheets, minus
infinity in the row of illegal writes, then each payment with an extra yacht.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.game import Advice, RatedMove, rank
from ustad.runtime.games.five_dice.bots import TurnBot, follow
from ustad.runtime.games.five_dice.sheet import ROLLS_A_TURN, SheetState
from ustad.runtime.games.five_dice.turn import DICE, Turn
from ustad.runtime.games.yacht.levels import (
    FIVE_EQUAL,
    PAYMENT_BY_BOX,
    PAYMENTS,
    TableBot,
    YachtTurns,
    five_equal_payments,
)
from ustad.runtime.games.yacht.rules import PLAIN, UPPER_BOXES, WRITES, YACHT_50, State

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

EXTRA = PAYMENTS.illegal + 1
"""The row of the first payment with an extra yacht."""

GAIN_ROWS = EXTRA + len(PAYMENTS.box)

# With a further yacht an upper box takes all five dice or, as a joker, none.
UPPER_EXTRA = np.flatnonzero(
    (PAYMENTS.box < UPPER_BOXES)
    & ((PAYMENTS.points == 0) | (PAYMENTS.points == DICE * (PAYMENTS.box + 1)))
)
"""Payments into upper boxes that a further yacht can make."""


class Goal(Protocol):
    """What the play of a turn depends on, the own state being part of it."""

    @property
    def state(self) -> State:
        """The own state."""


@dataclass(frozen=True)
class GoalTurns(YachtTurns):
    """Turns solved for a goal; what is equal is told apart by the expected total."""

    rating: TableBot
    keys: Sequence[Goal]

    @cached_property
    def expected(self) -> YachtTurns:
        """The same turns solved for the expected total."""
        return self.rating.solve([key.state for key in self.keys])


class GoalBot(TurnBot):
    """Maximises a chance, and among equals the expected total.

    Attributes:
        rules: the rules.
        rating: level hard: the expected totals.
    """

    writes = WRITES
    sees_others = True
    unit: str

    def __init__(self, rating: TableBot) -> None:
        super().__init__()
        self.rules = rating.rules
        self.rating = rating

    def key(self, sheet: Any) -> Any:
        """Refuse: what a turn is to bring does not depend on the sheet alone."""
        raise TypeError("a goal has keys of views, not of sheets")

    def second(self, turns: Any) -> YachtTurns:
        """Return the expected totals, which choose among equal choices."""
        expected: YachtTurns = turns.expected
        return expected

    def goal_turns(self, keys: Sequence[Goal], gains: Floats) -> GoalTurns:
        """Return the turns on gains (2 payments + 1, n) of these keys, solved."""
        setting, states = self.rules.second_yacht, [key.state for key in keys]
        equal = np.stack([five_equal_payments(setting, s.open_boxes) for s in states], axis=-1)
        paid = [setting != PLAIN and state.held == YACHT_50 for state in states]
        equal = np.where((equal != PAYMENTS.illegal) & np.array(paid), equal + EXTRA, equal)
        stop = np.maximum.reduce(gains[PAYMENT_BY_BOX], axis=0)
        stop[FIVE_EQUAL] = np.maximum.reduce(gains[equal, np.arange(len(keys))], axis=1)
        extra = np.zeros(len(keys))
        return GoalTurns(gains, equal, extra, Turn((stop, stop, stop)), self.rating, keys)

    def ask(self, view: SheetState) -> Advice[Any]:
        """Return every legal move with its chance and the expected total beside it.

        Moves of one chance are told apart by the expected total.
        """
        if view.dice is None:
            return Advice((), self.value(view), self.unit)
        expected = dict(self.rating.ask(view).options)
        moves, values = self.rated(view)
        values = [min(value, 1.0) for value in values]  # sums of chances, rounded
        tied, options = rank(moves, values)
        top = options[0].value
        best, by_total = rank(tied, [expected[move] for move in tied])
        options[: len(tied)] = [RatedMove(option.move, top) for option in by_total]
        expected |= dict(by_total)
        beside = {"expected_total": [expected[option.move] for option in options]}
        return Advice(best, top, self.unit, options, beside=beside)

    def value(self, view: SheetState) -> float:
        """Return the chance in a position that waits for dice, or is over."""
        if view.is_over():
            return self.final(view)
        [here] = self.lanes([view])
        if view.rolls_left == ROLLS_A_TURN:
            return min(float(here.turns.turn.start[here.lane]), 1.0)
        return min(here.keep_value(view), 1.0)

    @abstractmethod
    def final(self, view: SheetState) -> float:
        """Return what a finished game came to."""


def played(turns: YachtTurns, choices: Ints) -> Floats:
    """Return (n,) what turns are worth when these choices are made; see :func:`follow`."""
    start: Floats = follow(turns, choices).kept[-1][0]
    return start
