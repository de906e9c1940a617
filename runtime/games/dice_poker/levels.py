"""The four levels of dice poker.

- **easy** plays every turn for the most points of that turn, as if no other came;
- **medium** and **hard** count for a row its points less what the row brings alone,
  the expected points of a turn played for it and nothing else: so no row is spent on
  less than it is good for.  Medium rates a keep by the next throw, hard by the rest
  of the turn;
- **expert** plays the exact table, and nothing does better.

Why expert is optimal.  A player wins ``own total - mean of all totals``.  With n at
the table that is ``(1 - 1/n) * own total`` less a share of the others' totals.  What
the others score depends neither on my dice nor on my moves, and a mean takes each
term for itself: whatever they do, and whatever stands on their sheets, my expected
settlement is highest where my expected total is.  That holds for expectations alone;
to come out above the others, risk would count too.

The pass.  Under ``dash=deferred`` a pass sets no dash now, but one row more will get
one: with d more rows open than turns left the d rows that bring least are given up
already, and the next in that order is what a pass costs medium and hard.

Shapes.  ``gains`` is (payments + 1, n): what each payment
(:mod:`ustad.runtime.games.five_dice.payments`) is worth for each of n sheets, minus
infinity for rows that may not be written and in the last place, which stands for an
illegal write.  The writes are the rows in the order of the sheet, then the pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.game import RuleOfThumb
from ustad.runtime.games.dice_poker.rules import (
    AFTER_FIRST_THROW,
    CHANCE_ROW,
    COMBINATIONS,
    PASS,
    ROW_COUNT,
    SCHOOL,
    SCHOOL_ROWS,
    WRITES,
    DicePoker,
    RuleNumbers,
    Sheet,
    State,
    bonus_points,
    may_pass,
    roll_points,
    roll_rows_made,
    writable_rows,
)
from ustad.runtime.games.dice_poker.states import (
    LOWEST_SUBTOTAL,
    columns,
    state_index,
    state_number,
)
from ustad.runtime.games.five_dice.bots import RatingBot, TurnBot
from ustad.runtime.games.five_dice.payments import Payments, payments
from ustad.runtime.games.five_dice.sheet import SheetState
from ustad.runtime.games.five_dice.turn import Turn
from ustad.tables import Table

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

PASSED = ROW_COUNT
"""The number of the pass among the writes, and the row of its payment."""


class RollPayments(NamedTuple):
    """Which payments the rolls of a rule set make, whatever rows are open.

    Attributes:
        all: the payments, the pass among them.
        later: (16, 252) which one each roll makes in each row and by a pass after the
            first throw is past; ``all.illegal`` where it may not be written.
        first: (16, 252) the same straight after the first throw.
    """

    all: Payments
    later: Ints
    first: Ints

    def at(self, rolls_left: int) -> Ints:
        """Return (16, 252) the payments with so many rolls left."""
        return self.first if rolls_left == AFTER_FIRST_THROW else self.later


@lru_cache(maxsize=16)
def roll_payments(numbers: RuleNumbers) -> RollPayments:
    """Return the payments that the rolls of a rule set make."""
    scored = roll_points(numbers)[[0, AFTER_FIRST_THROW]]
    scored = np.pad(scored, ((0, 0), (0, 0), (0, 1)))  # a pass brings nothing
    known = payments(scored)
    of = known.numbers(scored)
    if numbers.deferred:
        of[:, :, SCHOOL_ROWS:PASSED][scored[:, :, SCHOOL_ROWS:PASSED] == 0] = known.illegal
    later, first = np.ascontiguousarray(of.transpose(0, 2, 1))
    return RollPayments(known, later, first)


def open_writes(numbers: RuleNumbers, open_rows: int) -> int:
    """Return the rows that some dice may write now, and bit PASSED for a pass."""
    rows = writable_rows(numbers, open_rows, COMBINATIONS, 0)
    rows |= writable_rows(numbers, open_rows, 0, 0)
    return rows | may_pass(numbers, open_rows) << PASSED


@dataclass(frozen=True)
class _Turns:
    """The turns of n sheets, solved side by side.

    Attributes:
        numbers: the options.
        gains: (payments + 1, n) what each payment is worth for each sheet, minus
            infinity for rows not open and in the last place.
        missed: (252, n) where chance may be written after a miss alone: whether the
            roll makes no open row after the last throw; None if chance is free.
        turn: the keeps, (462, n).
    """

    numbers: RuleNumbers
    gains: Floats
    missed: NDArray[np.bool_] | None
    turn: Turn

    def write_values(self, rolls: Ints, lanes: Ints, rolls_left: int) -> Floats:
        """Return (m, 16) what writing each of m rolls is worth, the sheet in a lane each."""
        of = roll_payments(self.numbers).at(rolls_left)
        values: Floats = self.gains[of[:, rolls].T, lanes[:, None]]
        if self.missed is not None:
            barred = ~self.missed[rolls, lanes] | (rolls_left > 0)
            values[barred, CHANCE_ROW] = -np.inf
        return values

    def roll_values(self, roll: int, lane: int, rolls_left: int) -> list[float]:
        """Return the 16 values of writing one roll, the sheet in one lane."""
        of = roll_payments(self.numbers).at(rolls_left)
        values: list[float] = self.gains[of[:, roll], lane].tolist()
        return values


def _solve(
    numbers: RuleNumbers, worth: Any, writes: Sequence[int], turn: type[Turn] = Turn
) -> _Turns:
    """Solve the turns of n sheets.

    Args:
        numbers: the options.
        worth: (payments, n) what payments are worth where they may be made.
        writes: :func:`open_writes` of each sheet.
        turn: how keeps are rated.
    """
    known, allowed = roll_payments(numbers), np.array(writes)
    gains = np.full((known.all.illegal + 1, len(writes)), -np.inf)
    gains[:-1] = np.where(allowed >> known.all.box[:, None] & 1, worth, -np.inf)
    missed = None
    later, first = gains[known.later], gains[known.first]
    if numbers.chance_after_miss:
        missed = np.bitwise_and.outer(np.array(roll_rows_made(numbers)), allowed) == 0
        chance = np.where(missed, later[CHANCE_ROW], -np.inf)
        later[CHANCE_ROW] = first[CHANCE_ROW] = -np.inf
    stop, stop_first = np.maximum.reduce(later, axis=0), np.maximum.reduce(first, axis=0)
    stop_last = stop if missed is None else np.maximum(stop, chance)
    return _Turns(numbers, gains, missed, turn((stop_last, stop, stop_first)))


# Rules of thumb.


class NextThrow(Turn):
    """A turn in which a keep is rated as if the next throw were the last."""

    @cached_property
    def keeps_two(self) -> Floats:
        """(462, ...) the value of each keep, to stop after the next throw."""
        return self.keeps_one


@lru_cache(maxsize=16)
def row_alone(numbers: RuleNumbers) -> Floats:
    """Return (15,) the expected points of a turn played for one row alone."""
    points = roll_points(numbers).astype(np.float64)
    if numbers.chance_after_miss:
        points[1:, :, CHANCE_ROW] = -np.inf
    stop, stop_one, stop_two = points
    return Turn((stop, stop_one, stop_two)).start


class RowKey(NamedTuple):
    """All that the play of a turn for points depends on.

    Attributes:
        writes: :func:`open_writes`.
        turns_left: the turns left where a pass is possible, else 0.
    """

    writes: int
    turns_left: int


class RowBot(TurnBot, RuleOfThumb[SheetState, Any]):
    """Plays a turn for points, less what each row is held to be good for.

    Args:
        rules: the rules.
        price: (15,) what a row costs.
        turn: how keeps are rated.
    """

    writes = (*WRITES, PASS)

    def __init__(self, rules: DicePoker, price: Floats, turn: type[Turn]) -> None:
        super().__init__()
        self.numbers = rules.numbers
        self.price = price
        self.rate = turn

    def key(self, sheet: Sheet) -> RowKey:
        """Return what may be written and, where a pass is possible, the turns left."""
        writes = open_writes(self.numbers, sheet.open_rows)
        return RowKey(writes, sheet.turns_left if writes >> PASSED else 0)

    def solve(self, keys: Sequence[RowKey]) -> _Turns:
        """Solve the turns of sheets with these keys, a lane each."""
        known = roll_payments(self.numbers).all
        cost = np.append(self.price, 0.0)[known.box, None]
        worth = np.tile(known.points[:, None] - cost, len(keys))
        worth[known.box == PASSED] = [-self._pass_costs(key) for key in keys]
        return _solve(self.numbers, worth, [key.writes for key in keys], self.rate)

    def _pass_costs(self, key: RowKey) -> float:
        """Return the price of the row that a pass gives up, 0 where there is no pass."""
        if not key.writes >> PASSED:
            return 0.0
        prices = sorted(self.price[row] for row in range(ROW_COUNT) if key.writes >> row & 1)
        return float(prices[len(prices) - key.turns_left])


# The table.


class TableBot(RatingBot):
    """Maximises the expected total of its own sheet, and with it the expected settlement."""

    writes = (*WRITES, PASS)

    def __init__(self, rules: DicePoker, table: Table) -> None:
        super().__init__()
        self.numbers = rules.numbers
        self.table = table

    def key(self, sheet: Sheet) -> State:
        """Return the state of the sheet, the same for all subtotals with one future."""
        known = columns(self.numbers.school_threshold)
        column = known.column[sheet.open_rows & SCHOOL, sheet.subtotal - LOWEST_SUBTOTAL]
        return State(sheet.open_rows, sheet.turns_left, int(known.upper[column]))

    def to_come(self, sheet: Sheet) -> float:
        """Return the expected points still to come at the start of a turn."""
        state = state_index(self.numbers, sheet.open_rows, sheet.turns_left, sheet.subtotal)
        return float(self.table.values[state])

    def solve(self, keys: Sequence[State]) -> _Turns:
        """Solve the turns of sheets in these states, a lane each."""
        numbers = self.numbers
        open_rows, turns_left, subtotal = np.array(keys).T
        writes = [open_writes(numbers, key.open_rows) for key in keys]
        row, points = (of[:, None] for of in roll_payments(numbers).all)
        # A row that may not be written leads to no state: any will do, its gain is minus infinity.
        may = np.array(writes) >> row & 1
        left = open_rows & ~(may << row)
        after = subtotal + points * (may & (row < SCHOOL_ROWS))
        held = columns(numbers.school_threshold)
        states = state_number(numbers, held.column, held.count, left, turns_left - 1, after)
        worth = self.table.values[states] + (points + bonus_points(numbers, row, left, after))
        return _solve(numbers, worth, writes)
