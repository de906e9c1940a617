"""The rules of a game of dice and a sheet as arrays, for readers that hold no rules of their own.

A sheet is worth what four numbers say: its *open* boxes, as bits; the *sum* of the points in
the boxes that count toward a bonus; what one certain box *holds*, if that matters; the *turns*
left, if they matter.  The value at the start of a turn is

    values[column_start[o] + column[o, sum - lowest_sum] + stride[o] * part],
    part = sum of part_weight over the open boxes + held_weight * held + turns_weight * turns,

``o`` being the open boxes of those that count, the first ones of the sheet; sums beyond the
last one count as that.  A bonus is earned by the sums from ``bonus_from[o]`` on, so a write
brings its points, and the bonus if the sheet after it has earned one that the sheet before it
had not.  What may be written is in ``cases``: those of a roll are ``cases[roll_cases[roll]]``,
and the first counts of which an ``any_open`` box is open (or whose ``any_open`` is 0): open
boxes of its ``write`` may be written at ``pays[case.pays[rolls left]][roll][box]``, those of its
``last`` with no roll left alone, and the turn may pass if it says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.games.five_dice.columns import Columns
from ustad.runtime.games.five_dice.payments import Payments, payments
from ustad.runtime.games.five_dice.sheet import ROLLS_A_TURN
from ustad.runtime.games.five_dice.turn import DICE, FACES, KEEPS, ONE_MORE

Ints = NDArray[np.int64]

NO_COLUMN = 255
"""Stands where there is no column."""

_NEVER = 1 << 30
"""A sum that no sheet has."""


class States(NamedTuple):
    """States side by side, each (n,); see the top.  Turns are 0 where they do not matter."""

    open: Ints
    sum: Ints
    held: Ints
    turns: Ints

    def at(self, chosen: Any) -> States:
        """Return some of the states."""
        return States(*(numbers[chosen] for numbers in self))


class Case(NamedTuple):
    """What may be done with a roll while one of some boxes is open; boxes are bits.

    Attributes:
        any_open: the case holds if one of these is open, or if there are none.
        write: the boxes that may be written if they are open.
        pays: which table of points holds with 0, 1 and 2 rolls left.
        passes: whether the turn may leave the sheet as it is.
        last: those of ``write`` that may be written with no roll left alone.
    """

    any_open: int
    write: int
    pays: tuple[int, int, int]
    passes: bool = False
    last: int = 0

    def may_write(self, rolls_left: int) -> int:
        """Return the boxes that may be written if they are open, as bits."""
        return self.write & ~self.last if rolls_left else self.write


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


@dataclass(frozen=True, kw_only=True)
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
    pays: Ints
    cases: Sequence[Sequence[Case]]
    roll_cases: Sequence[int]

    def to_json(self) -> dict[str, Any]:
        """Return the entry ``sheet`` of a manifest; ``column`` lies in the binary file."""
        held = {field.name: getattr(self, field.name) for field in fields(self)}
        del held["column"]
        held["cases"] = [[case._asdict() for case in cases] for cases in self.cases]
        arrays = {name: a.tolist() for name, a in held.items() if isinstance(a, np.ndarray)}
        return {**held, **arrays}

    @cached_property
    def payments(self) -> Payments:
        """What a turn can end with; the pass is the last."""
        passing = np.zeros((*self.pays.shape[:-1], 1), dtype=np.int64)
        return payments(np.concatenate([self.pays, passing], axis=-1))

    @property
    def pass_box(self) -> int:
        """The box that a pass is said to be written into."""
        return len(self.boxes)

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

    def after(self, states: States, box: int, points: int) -> tuple[States, Ints]:
        """Return the states after a payment, and what it brings."""
        highest = self.column.shape[1] - 1 + self.lowest_sum
        total = np.minimum(states.sum + points, highest) if box < self.counting else states.sum
        held = states.held
        if box == self.held_box:
            held = np.full_like(held, dict(self.held_by_points)[points])
        after = States(states.open & ~(1 << box), total, held, states.turns - 1)
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

    def roll_payments(self, chosen: Sequence[int], rolls_left: int) -> Ints:
        """Return (252, boxes + 1) the payment of each roll in each box, then the pass.

        What is not legal is ``payments.illegal``.

        Args:
            chosen: (lists,) the case that holds.
            rolls_left: 0, 1 or 2.
        """
        number, illegal = self.payments.by_pair(), self.payments.illegal
        rows = []
        for roll, cases in enumerate(self.roll_cases):
            case = self.cases[cases][chosen[cases]]
            points = [*self.pays[case.pays[rolls_left], roll].tolist(), 0]
            may = case.may_write(rolls_left) | case.passes << self.pass_box
            pairs = enumerate(points)
            rows.append([number[pair] if may >> pair[0] & 1 else illegal for pair in pairs])
        return np.array(rows)


def columns_by_row(known: Columns) -> NDArray[np.uint8]:
    """Return the columns counted from the first of their set of open boxes."""
    begins = np.array(known.bounds[:-1])[:, None]
    return np.where(known.column < 0, NO_COLUMN, known.column - begins).astype(np.uint8)


def reachable(arrays: SheetArrays, turns: int) -> States:
    """Return the states that a game can reach between turns and that have a turn to come.

    Args:
        arrays: the game.
        turns: how many turns a game has.
    """
    open_boxes, held, left = np.array(sorted(_reachable_sheets(arrays, turns))).T
    # Each with every sum that goes with its open boxes.
    rows, sums = np.nonzero(arrays.column != NO_COLUMN)
    begins = np.searchsorted(rows, np.arange(len(arrays.column) + 1))
    counting = open_boxes & arrays.counting_bits
    counts = np.diff(begins)[counting]
    of = np.repeat(np.arange(len(open_boxes)), counts)
    within = np.arange(len(of)) - np.repeat(np.cumsum(counts) - counts, counts)
    total = sums[begins[counting][of] + within] + arrays.lowest_sum
    return States(open_boxes[of], total, held[of], left[of])


def _reachable_sheets(arrays: SheetArrays, turns: int) -> set[tuple[int, int, int]]:
    """Return open boxes, what is held, and the turns left, 0 where they do not matter."""
    layer = {((1 << len(arrays.boxes)) - 1, 0)}
    met: set[tuple[int, int, int]] = set()
    contents = {after for _, after in arrays.held_by_points}
    for left in range(turns, 0, -1):
        known = sorted((opened, held) for opened, held in layer if opened)
        met |= {(opened, held, left if arrays.turns_weight else 0) for opened, held in known}
        layer = set()
        for (opened, held), may in zip(known, _writable(arrays, known), strict=True):
            for box in range(arrays.pass_box + 1):
                if may >> box & 1:
                    after = contents if box == arrays.held_box else {held}
                    layer |= {(opened & ~(1 << box), content) for content in after}
    return met


def _writable(arrays: SheetArrays, sheets: Sequence[tuple[int, int]]) -> list[int]:
    """Return the open boxes that some roll may write, as bits, and that of a pass if one may."""
    opened = np.array([open_boxes for open_boxes, _ in sheets])
    none = np.zeros_like(opened)
    may = np.zeros_like(opened)
    for cases, number in zip(
        arrays.cases, arrays.chosen(States(opened, none, none, none)), strict=True
    ):
        may |= np.array([case.write for case in cases])[number] & opened
        may |= np.array([case.passes << arrays.pass_box for case in cases])[number]
    found: list[int] = may.tolist()
    return found


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
