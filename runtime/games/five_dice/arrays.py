"""The rules of a game of dice and a sheet as arrays, for readers that hold no rules.

The problem.  A reader in another language must find the value of any sheet and every move of
a turn, and shall hold no rules of its own.

The form (:class:`SheetArrays`).  A sheet is worth what four numbers say: its *open* boxes, as
bits; the *sum* of the points in the boxes that count toward a bonus; what one certain box
*holds*, if that matters; the *turns* left, if they matter.  The value at the start of a turn
is

    values[column_start[o] + column[o, sum - lowest_sum] + stride[o] * part],
    part = sum of part_weight over the open boxes + held_weight * held + turns_weight * turns,

``o`` being the open boxes of those that count, the first ones of the sheet; sums beyond the
last one count as that.  A bonus is earned by the sums from ``bonus_from[o]`` on, so a write
brings its points, and the bonus if the sheet after it has earned one that the sheet before it
had not.  What may be written is in ``cases``: those of a roll are ``cases[roll_cases[roll]]``,
and the first counts of which an ``any_open`` box is open (or whose ``any_open`` is 0): open
boxes of its ``write`` may be written at ``pays[case.pays[rolls left]][roll][box]``, and the
turn may pass if it says so.

Shapes.  States stand side by side in lanes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.games.five_dice.columns import Columns
from ustad.runtime.games.five_dice.sheet import ROLLS_A_TURN
from ustad.runtime.games.five_dice.turn import DICE, FACES, KEEPS, ONE_MORE

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NO_COLUMN = 255
"""Stands where there is no column."""

_NEVER = 1 << 30
"""A sum that no sheet has."""


class Case(NamedTuple):
    """What may be done with a roll while one of some boxes is open; boxes are bits.

    Attributes:
        any_open: the case holds if one of these is open, or if there are none.
        write: the boxes that may be written if they are open.
        pays: which table of points holds with 0, 1 and 2 rolls left.
        passes: whether the turn may leave the sheet as it is.
    """

    any_open: int
    write: int
    pays: tuple[int, int, int]
    passes: bool = False


class Way(NamedTuple):
    """A way in which extras can have come to a sheet; boxes are bits.

    Attributes:
        zero: these boxes hold 0, and each took an extra.
        written: these are written.
        some: one of these is written, if there are any.
    """

    zero: int
    written: int
    some: int


class Mark(NamedTuple):
    """Points that an extra may have left in a box.

    Attributes:
        box: the box.
        points: what it holds.
        any_of: one of these boxes, as bits, must be written and none of the way's ``zero``, if
            there are any.
    """

    box: int
    points: int
    any_of: int


class Payment(NamedTuple):
    """A box and the points written there; ``box`` is -1 for a pass."""

    box: int
    points: int


PASS = Payment(-1, 0)


@dataclass(frozen=True)
class SheetArrays:
    """A game of dice and a sheet as arrays; see the top.

    Attributes:
        boxes: their names, those that count toward the bonus first.
        counting: how many count.
        lowest_sum: the lowest sum that they can have.
        column_start: (2 ** counting,).
        column: (2 ** counting, sums), :data:`NO_COLUMN` where the sum cannot be.
        stride: (2 ** counting,).
        bonus: what the bonus pays.
        bonus_from: (2 ** counting,) the least sum that has earned it, None for none.
        part_weight: by box.
        held_box: the box whose content matters, None if there is none.
        held_by_points: pairs of points in it and what it then holds; an open one holds 0.
        held_weight: see the top.
        turns_weight: see the top.
        extra_key: what a position calls the number of extras that a sheet has had.
        extra_points: what one brings; 0 if there are none.
        extra_held: what the box must hold for it.
        extra_rolls: the rolls that earn it, whatever is written.
        extra_ways: see :class:`Way`; a sheet has had at most as many extras as one of them
            allows: its ``zero`` boxes and the marks that hold.
        extra_marks: see :class:`Mark`.
        pays: (tables, 252, boxes) points.
        cases: lists of cases.
        roll_cases: (252,) the list of each roll.
    """

    boxes: tuple[str, ...]
    counting: int
    lowest_sum: int
    column_start: Ints
    column: NDArray[np.uint8]
    stride: Ints
    bonus: int
    bonus_from: Sequence[int | None]
    part_weight: Sequence[int]
    pays: Ints
    cases: Sequence[Sequence[Case]]
    roll_cases: Sequence[int]
    held_box: int | None = None
    held_by_points: Sequence[tuple[int, int]] = ()
    held_weight: int = 0
    turns_weight: int = 0
    extra_key: str | None = None
    extra_points: int = 0
    extra_held: int = 0
    extra_rolls: Sequence[int] = ()
    extra_ways: Sequence[Way] = ()
    extra_marks: Sequence[Mark] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the entry ``sheet`` of a manifest; ``column`` lies in the binary file."""
        return {
            "boxes": list(self.boxes),
            "counting": self.counting,
            "lowest_sum": self.lowest_sum,
            "column_start": self.column_start.tolist(),
            "stride": self.stride.tolist(),
            "bonus": self.bonus,
            "bonus_from": list(self.bonus_from),
            "part_weight": list(self.part_weight),
            "held_box": self.held_box,
            "held_by_points": [list(pair) for pair in self.held_by_points],
            "held_weight": self.held_weight,
            "turns_weight": self.turns_weight,
            "extra_key": self.extra_key,
            "extra_points": self.extra_points,
            "extra_held": self.extra_held,
            "extra_rolls": list(self.extra_rolls),
            "extra_ways": [list(way) for way in self.extra_ways],
            "extra_marks": [list(mark) for mark in self.extra_marks],
            "pays": self.pays.tolist(),
            "cases": [[case._asdict() for case in found] for found in self.cases],
            "roll_cases": list(self.roll_cases),
        }

    # What payments do to states.

    @cached_property
    def payments(self) -> tuple[Payment, ...]:
        """What a roll can write, then the pass."""
        tables = self.pays.reshape(-1, len(self.boxes)).T.tolist()
        found = {Payment(box, points) for box, row in enumerate(tables) for points in row}
        return (*sorted(found), PASS)

    @property
    def counting_bits(self) -> int:
        """The boxes that count toward the bonus, as bits."""
        return (1 << self.counting) - 1

    @cached_property
    def _bonus_from(self) -> Ints:
        return np.array([_NEVER if least is None else least for least in self.bonus_from])

    @cached_property
    def _open_part(self) -> Ints:
        """(2 ** boxes,) what the open boxes add to the part."""
        every = np.arange(1 << len(self.boxes))
        weights = enumerate(self.part_weight)
        found: Ints = np.array([weight * (every >> box & 1) for box, weight in weights])
        return np.asarray(found.sum(axis=0))

    def place(self, states: States) -> Ints:
        """Return the index of each state among the values."""
        counting = states.open & self.counting_bits
        part = self._open_part[states.open]
        part = part + self.held_weight * states.held + self.turns_weight * states.turns
        column = self.column[counting, states.sum - self.lowest_sum]
        place: Ints = self.column_start[counting] + column + self.stride[counting] * part
        return place

    def after(self, states: States, payment: Payment) -> tuple[States, Ints]:
        """Return the states after a payment, and what it brings."""
        box, points = payment
        highest = self.column.shape[1] - 1 + self.lowest_sum
        counts = 0 <= box < self.counting
        total = np.minimum(states.sum + points, highest) if counts else states.sum
        held = states.held
        if box >= 0 and box == self.held_box:
            held = np.full_like(held, dict(self.held_by_points)[points])
        left = states.open & ~(1 << box) if box >= 0 else states.open
        after = States(left, total, held, states.turns - 1)
        earned = self._earned(after).astype(np.int64) - self._earned(states)
        return after, points + self.bonus * earned

    def _earned(self, states: States) -> NDArray[np.bool_]:
        earned: NDArray[np.bool_] = states.sum >= self._bonus_from[states.open & self.counting_bits]
        return earned

    def chosen(self, states: States) -> Ints:
        """Return (lists, n) which case of each list holds."""
        found = []
        for cases in self.cases:
            holds = [(states.open & case.any_open != 0) | (case.any_open == 0) for case in cases]
            found.append(np.argmax(holds, axis=0))
        return np.array(found)

    def ways(self, chosen: Sequence[int], rolls_left: int) -> Ints:
        """Return (252, boxes + 1) the payment of each roll in each box, then the pass.

        What is not legal is the number of payments.

        Args:
            chosen: (lists,) the case that holds.
            rolls_left: 0, 1 or 2.
        """
        number = {pair: at for at, pair in enumerate(self.payments)}
        illegal = len(number)
        rows = []
        for roll, cases in enumerate(self.roll_cases):
            case = self.cases[cases][chosen[cases]]
            points = self.pays[case.pays[rolls_left], roll].tolist()
            row = [
                number[Payment(box, paid)] if case.write >> box & 1 else illegal
                for box, paid in enumerate(points)
            ]
            rows.append([*row, number[PASS] if case.passes else illegal])
        return np.array(rows)


def columns_by_row(known: Columns) -> NDArray[np.uint8]:
    """Return the columns counted from the first of their set of open boxes."""
    begins = np.array(known.bounds[:-1])[:, None]
    return np.where(known.column < 0, NO_COLUMN, known.column - begins).astype(np.uint8)


class States(NamedTuple):
    """States side by side, each (n,); see the top.  Turns are 0 where they do not matter."""

    open: Ints
    sum: Ints
    held: Ints
    turns: Ints

    def at(self, chosen: Any) -> States:
        """Return some of the states."""
        return States(*(numbers[chosen] for numbers in self))


def reachable(arrays: SheetArrays, turns: int) -> States:
    """Return the states that a game can reach between turns and that have a turn to come.

    Args:
        arrays: the game.
        turns: how many turns a game has.
    """
    everything = (1 << len(arrays.boxes)) - 1
    layer = {(everything, 0)}
    met: set[tuple[int, int, int]] = set()
    for left in range(turns, 0, -1):
        known = sorted((opened, held) for opened, held in layer if opened)
        met |= {(*state, left if arrays.turns_weight else 0) for state in known}
        layer = set()
        for state, (may, passes) in zip(known, _writable(arrays, known), strict=True):
            opened, held = state
            if passes:
                layer.add(state)
            for box in range(len(arrays.boxes)):
                if may >> box & 1:
                    holds = (
                        {after for _, after in arrays.held_by_points}
                        if box == arrays.held_box
                        else {held}
                    )
                    layer |= {(opened & ~(1 << box), after) for after in holds}
    open_boxes, holding, left = np.array(sorted(met)).T
    rows, sums = np.nonzero(arrays.column != NO_COLUMN)
    begins = np.searchsorted(rows, np.arange(len(arrays.column) + 1))
    counting = open_boxes & arrays.counting_bits
    counts = np.diff(begins)[counting]
    of = np.repeat(np.arange(len(open_boxes)), counts)
    within = np.arange(len(of)) - np.repeat(np.cumsum(counts) - counts, counts)
    total = sums[begins[counting][of] + within] + arrays.lowest_sum
    return States(open_boxes[of], total, holding[of], left[of])


def _writable(arrays: SheetArrays, states: Sequence[tuple[int, int]]) -> list[tuple[int, bool]]:
    """Return for each state the boxes that some roll may write, and whether one may pass."""
    opened = np.array([opened for opened, _ in states])
    none = np.zeros_like(opened)
    chosen = arrays.chosen(States(opened, none, none, none))
    may, passes = np.zeros_like(opened), np.zeros(len(opened), dtype=bool)
    for cases, number in zip(arrays.cases, chosen, strict=True):
        may |= np.array([case.write for case in cases])[number] & opened
        passes |= np.array([case.passes for case in cases])[number]
    return list(zip(may.tolist(), passes.tolist(), strict=True))


def structure() -> dict[str, Any]:
    """Return what a reader needs to know of five dice.

    ``keeps`` holds the dice of the 462 keeps, the 252 rolls last; ``grown`` what each keep of
    at most four dice becomes with one die more, by its face, each equally likely.
    """
    return {
        "dice": DICE,
        "faces": FACES,
        "rolls_a_turn": ROLLS_A_TURN,
        "keeps": [list(dice) for dice in KEEPS],
        "grown": ONE_MORE.tolist(),
    }
