"""The four levels of yacht.

- **easy** keeps the face it has most of and writes the box that pays most now;
- **medium** weighs every keep by what the best box would pay after the next
  roll, and writes like easy;
- **hard** plays the exact table: every keep to the end of the turn, every box
  against what the sheet is worth after it.  It maximises the expected final
  total, and nothing does better;
- **expert** plays to win against the sheets it sees: :mod:`ustad.runtime.games.yacht.expert`.

The problem of hard.  The table holds what a sheet is worth between turns.  The
turn itself is solved anew for each sheet by :mod:`ustad.runtime.games.five_dice.bots`, from
what writing each roll into each box is worth.

Shapes.  ``gains`` is (payments + 1, n): what each payment
(:mod:`ustad.runtime.games.five_dice.payments`) is worth for each of n sheets, minus
infinity for written boxes and in the last row, which stands for an illegal write.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.game import TIE, RuleOfThumb
from ustad.runtime.games.five_dice.bots import (
    FIRST_WRITE,
    KEEP_NUMBER,
    SUB_KEEPS,
    RatingBot,
    sub_keep_array,
)
from ustad.runtime.games.five_dice.payments import payments
from ustad.runtime.games.five_dice.sheet import KEEP_MOVES, Keep, SheetState
from ustad.runtime.games.five_dice.turn import (
    FIRST_ROLL,
    ROLL_COUNTS,
    ROLL_INDEX,
    ROLLS,
    Turn,
    keep_values,
)
from ustad.runtime.games.yacht.rules import (
    BONUS_AT,
    BOXES,
    OPEN_YACHT,
    WRITES,
    YACHT_0,
    YACHT_50,
    Sheet,
    State,
    Yacht,
    box_points,
    extra_points,
    five_equal,
    has_jokers,
    upper_after,
    upper_points,
    write_points,
    yacht_after,
)
from ustad.runtime.games.yacht.states import States, columns, state_index, state_number
from ustad.tables import Table

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FIVE_EQUAL = [roll for roll, counts in enumerate(ROLL_COUNTS) if five_equal(counts)]

PLAIN_POINTS: Ints = np.array(
    [[box_points(box, counts, False) for box in range(len(BOXES))] for counts in ROLL_COUNTS]
)
"""(252, 13): what each roll pays in each box, nothing being a joker."""


@lru_cache(maxsize=1024)
def roll_points(second_yacht: int, open_boxes: int) -> NDArray[np.int8]:
    """Return (252, 13) what each roll would put into each box, -1 where that is not legal."""
    is_open = np.array([open_boxes >> box & 1 for box in range(len(BOXES))], dtype=bool)
    points = np.where(is_open, PLAIN_POINTS, -1).astype(np.int8)
    points[FIVE_EQUAL] = _five_equal_points(second_yacht, open_boxes)
    points.flags.writeable = False
    return points


def _five_equal_points(second_yacht: int, open_boxes: int) -> list[list[int]]:
    """Return (6, 13) what five equal dice of each face would put into each box, -1: illegal."""
    return [
        [
            write_points(second_yacht, open_boxes, box, ROLL_COUNTS[roll])
            for box in range(len(BOXES))
        ]
        for roll in FIVE_EQUAL
    ]


class _Plain(RuleOfThumb[SheetState, Any]):
    """A level whose choice depends on the dice and the open boxes alone."""

    def __init__(self, second_yacht: int) -> None:
        self.second_yacht = second_yacht
        self._choices = lru_cache(maxsize=8192)(self._known_choices)

    def keeps(self, open_boxes: int) -> Ints:
        """Return (252,) the keep of each roll while rolls are left, -1 where it writes."""
        raise NotImplementedError

    def turn_choices(self, sheets: Sequence[Sheet]) -> Ints:
        """Return (3, n, 252) the choices by rolls left, as turn bots give them."""
        return np.stack([self._choices(sheet.open_boxes) for sheet in sheets], axis=1)

    def _known_choices(self, open_boxes: int) -> Ints:
        """Return (3, 252) the choices with these boxes open."""
        writes = FIRST_WRITE + roll_points(self.second_yacht, open_boxes).argmax(axis=1)
        keeps = self.keeps(open_boxes)
        early = np.where(keeps < 0, writes, keeps)
        return np.stack([writes, early, early])


class EasyBot(_Plain):
    """Keeps the face it has most of, the higher of equals; writes what pays most now."""

    def keeps(self, open_boxes: int) -> Ints:
        """Return (252,) the keep of each roll, whatever is open."""
        del open_boxes
        return _most_of_a_face()

    def choose(self, view: SheetState) -> Any:
        """Return the keep or write."""
        dice = view.dice or ()
        face = max(dice, key=lambda die: (dice.count(die), die))
        if view.rolls_left and dice.count(face) < len(dice):
            return Keep((face,) * dice.count(face))
        return best_write_now(view)


@cache
def _most_of_a_face() -> Ints:
    """Return (252,) the keep of all dice of the face that a roll has most of, -1 if all are."""
    found = np.full(len(ROLLS), -1)
    for roll, dice in enumerate(ROLLS):
        face = max(dice, key=lambda die: (dice.count(die), die))
        if dice.count(face) < len(dice):
            found[roll] = KEEP_NUMBER[Keep((face,) * dice.count(face))]
    return found


class MediumBot(_Plain):
    """Weighs every keep by the best box after the next roll; writes what pays most now."""

    def keeps(self, open_boxes: int) -> Ints:
        """Return (252,) the best keep of each roll where one beats writing."""
        values = _points_after_roll(self.second_yacht, open_boxes)
        first = values[SUB_KEEPS].argmax(axis=1)
        best: Ints = SUB_KEEPS[np.arange(len(ROLLS)), first]
        return np.where(values[best] > values[FIRST_ROLL:] + TIE, best, -1)

    def choose(self, view: SheetState) -> Any:
        """Return the keep or write; writing at once counts as keeping all five dice."""
        if view.rolls_left:
            roll = ROLL_INDEX[view.dice or ()]
            values = _points_after_roll(view.rules.second_yacht, view.sheet.open_boxes)
            keeps = sub_keep_array(roll)
            best = keeps[values[keeps].argmax()]
            if values[best] > values[FIRST_ROLL + roll] + TIE:
                return KEEP_MOVES[best]
        return best_write_now(view)


@lru_cache(maxsize=4096)
def _points_after_roll(second_yacht: int, open_boxes: int) -> Floats:
    """Return (462,) the points of the best box expected when each keep is rolled once."""
    best = roll_points(second_yacht, open_boxes).max(axis=1)
    return keep_values(best.astype(np.float64))


def best_write_now(view: SheetState) -> Any:
    """Return the legal write with the most points, the first on the sheet of equals."""
    points = roll_points(view.rules.second_yacht, view.sheet.open_boxes)
    return WRITES[int(points[ROLL_INDEX[view.dice or ()]].argmax())]


# The table.


PAYMENTS = payments(PLAIN_POINTS)
ROLL_PAYMENT = PAYMENTS.numbers(PLAIN_POINTS)
"""(252, 13): the payment of each roll in each box, nothing being a joker."""

PAYMENT_BY_BOX = np.ascontiguousarray(ROLL_PAYMENT.T)
_PAYMENT_NUMBER = PAYMENTS.by_pair()


def _endings() -> Ints:
    numbers = ROLL_PAYMENT.copy()
    own = PAYMENTS.illegal + np.arange(len(FIVE_EQUAL) * len(BOXES))
    numbers[FIVE_EQUAL] = own.reshape(len(FIVE_EQUAL), len(BOXES))
    return numbers


ROLL_ENDING = _endings()
"""(252, 13): numbers that tell apart what a roll brings in each box: the payment, but five equal
dice, which may be jokers and bring extra points, have numbers of their own."""


@lru_cache(maxsize=8192)
def five_equal_payments(second_yacht: int, open_boxes: int) -> Ints:
    """Return (6, 13) the payments of the six rolls of five equal dice."""
    if not has_jokers(second_yacht, open_boxes):
        return ROLL_PAYMENT[FIVE_EQUAL]  # of written boxes too: their gain says what they are
    return np.array(
        [
            [_PAYMENT_NUMBER.get(pair, PAYMENTS.illegal) for pair in enumerate(points)]
            for points in _five_equal_points(second_yacht, open_boxes)
        ]
    )


@dataclass(frozen=True)
class YachtTurns:
    """The turns of n sheets, solved side by side.

    ``gains`` (payments + 1, n) and ``five_equal`` (6, 13, n) as described at the
    top; ``turn`` holds the keeps (462, n).
    """

    gains: Floats
    five_equal: Ints
    extra: Floats
    turn: Turn

    def write_values(self, rolls: Ints, lanes: Ints, rolls_left: int) -> Floats:
        """Return (m, 13) what writing each of m rolls is worth, the sheet in a lane each."""
        del rolls_left  # a box pays the same after any roll
        payment = ROLL_PAYMENT[rolls]
        place = _FIVE_EQUAL_PLACE[rolls]
        equal = place >= 0
        payment[equal] = self.five_equal[place[equal], :, lanes[equal]]
        values: Floats = self.gains[payment, lanes[:, None]]
        values[equal] += self.extra[lanes[equal], None]
        return values

    def roll_values(self, roll: int, lane: int, rolls_left: int) -> list[float]:
        """Return the 13 values of writing one roll, the sheet in one lane."""
        del rolls_left
        place = _FIVE_EQUAL_PLACE[roll]
        if place >= 0:
            values = self.gains[self.five_equal[place, :, lane], lane] + self.extra[lane]
        else:
            values = self.gains[ROLL_PAYMENT[roll], lane]
        found: list[float] = values.tolist()
        return found


_FIVE_EQUAL_PLACE: Ints = np.full(len(ROLLS), -1)
_FIVE_EQUAL_PLACE[FIVE_EQUAL] = range(len(FIVE_EQUAL))


class TableBot(RatingBot):
    """Maximises the expected final total of its own sheet with the exact table."""

    writes = WRITES

    def __init__(self, rules: Yacht, table: Table) -> None:
        super().__init__()
        self.rules = rules
        self.table = table

    def key(self, sheet: Sheet) -> State:
        """Return the state of the sheet."""
        return self.rules.state(sheet)

    def to_come(self, sheet: Sheet) -> float:
        """Return the expected points still to come at the start of a turn."""
        return float(self.table.values[state_index(*self.rules.state(sheet))])

    def solve(self, keys: Sequence[State]) -> YachtTurns:
        """Solve the turns of sheets in these states, a lane each."""
        setting = self.rules.second_yacht
        gains = self._gains(side_by_side(keys))
        equal = np.stack([five_equal_payments(setting, key.open_boxes) for key in keys], axis=-1)
        equal_counts = ROLL_COUNTS[FIVE_EQUAL[0]]
        extra = np.array([float(extra_points(setting, key.held, equal_counts)) for key in keys])
        stop = np.maximum.reduce(gains[PAYMENT_BY_BOX], axis=0)
        lanes = np.arange(len(keys))
        stop[FIVE_EQUAL] = np.maximum.reduce(gains[equal, lanes], axis=1) + extra
        return YachtTurns(gains, equal, extra, Turn((stop, stop, stop)))

    def _gains(self, states: States) -> Floats:
        """Return (payments + 1, n) what each payment is worth for each sheet."""
        after = after_payments(self.rules.second_yacht, states)
        gains = np.full((PAYMENTS.illegal + 1, len(states.upper)), -np.inf)
        at = after.is_open
        gains[:-1][at] = self.table.values[after.states[at]] + after.rewards[at]
        return gains


def sheet_numbers(rules: Yacht, sheets: Sequence[Sheet]) -> Ints:
    """Return (n,) the numbers of the states of sheets."""
    known, states = columns(), side_by_side([rules.state(sheet) for sheet in sheets])
    found: Ints = state_number(known.column, known.count, *states)
    return found


def side_by_side(states: Sequence[State]) -> States:
    """Return states as arrays, a lane each."""
    return States(*np.array(states).T)


class AfterPayments(NamedTuple):
    """What each payment leads to, (payments, n) each.

    Attributes:
        states: the state after it; any state where its box is not open.
        rewards: what it adds to the total, extra yachts apart.
        is_open: whether its box is open.
    """

    states: Ints
    rewards: Ints
    is_open: NDArray[np.bool_]


def after_payments(second_yacht: int, before: States) -> AfterPayments:
    """Return what each payment leads to from n states."""
    known = columns()
    box = PAYMENTS.box[:, None]
    left = before.open_boxes & ~(1 << box)
    held = _yacht_after(second_yacht)[:, before.held]
    rewards, sums = _upper_effects()
    states = state_number(known.column, known.count, left, held, sums[:, before.upper])
    is_open = (before.open_boxes >> box & 1).astype(bool)
    return AfterPayments(states, rewards[:, before.upper], is_open)


@cache
def _upper_effects() -> tuple[Ints, Ints]:
    """Return (payments, 64) what a payment adds to the total, and the upper sum after it."""
    sums = range(BONUS_AT + 1)
    added = [[upper_points(*paid, upper) for upper in sums] for paid in _PAYMENT_NUMBER]
    after = [[upper_after(*paid, upper) for upper in sums] for paid in _PAYMENT_NUMBER]
    return np.array(added), np.array(after)


@cache
def _yacht_after(second_yacht: int) -> Ints:
    """Return (payments, 3) what the yacht box holds after a payment, by what it held."""
    contents = (OPEN_YACHT, YACHT_0, YACHT_50)
    return np.array(
        [[yacht_after(second_yacht, held, *paid) for held in contents] for paid in _PAYMENT_NUMBER]
    )
