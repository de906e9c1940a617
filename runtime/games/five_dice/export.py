"""Exports of the games of dice and a sheet: their rules as arrays, and the proof of the rounding.

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

The proof.  The value of every state is computed anew from the arrays and the exact table,
and must be the one that the table holds: so the arrays say what the rules say.  Beside it
every choice of every state, on each of the 252 rolls with 0, 1 and 2 rolls left, is made by
the rounded values and rated by the exact ones.  Of choices within 1e-9 the worst counts.

Shapes.  States stand side by side in lanes; arrays over keeps are (462, n) and over rolls
(252, n).  A *payment* is a pair of a box and points, the pass being one without box; gains
are (payments + 1, n), minus infinity where a box is not open and in the last row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.entry import Codec, Rulebook
from ustad.runtime.core.errors import ExportError
from ustad.runtime.core.game import TIE, Bot
from ustad.runtime.core.work import Progress, available_cores
from ustad.runtime.export.content import (
    Content,
    Packed,
    brief,
    rounded,
    table_facts,
    vectors,
)
from ustad.runtime.games.five_dice.columns import Columns
from ustad.runtime.games.five_dice.sheet import ROLLS_A_TURN
from ustad.runtime.games.five_dice.turn import (
    DICE,
    FACES,
    KEEPS,
    ONE_MORE,
    ROLLS,
    SIZES,
    keep_values,
)
from ustad.tables import Table

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ALLOWED_COST = 0.005
"""Points that a choice by the rounded values may cost."""

LEAST_SCALE = 0.0049
"""Points between neighbouring rounded values, at least: a choice costs at most one step."""

NO_COLUMN = 255
"""Stands where there is no column."""

INDEX = (
    "values[column_start[o] + column[o, sum - lowest_sum] + stride[o] * part] is what a sheet at "
    "the start of a turn still brings. o: the open boxes among the first `counting` ones, box b "
    "as bit 2 ** b; sum: the points written in those, at most the sum of the last column; part: "
    "the sum of part_weight over all open boxes + held_weight * held + turns_weight * turns left; "
    "held: 0 while box held_box is open or where held_box is null, else what held_by_points, "
    "pairs of points and this, says of its points. column is an array, 255 where the sum cannot "
    "be; the rest stands under `sheet`. Once no box is open, or no turn is left, the value is 0 "
    "and need not be looked up."
)

IN_WORDS = {
    "boxes": "Boxes are numbered from 0 in the order of `boxes`; in a set of them box b is 2 ** b.",
    "turn": (
        "keeps holds the dice of each keep in ascending order, by size, the rolls of five dice "
        "last: roll r is keeps[len(grown) + r]. grown[k][f - 1] is the keep that k becomes when "
        "one more die shows f; each face is equally likely. With n rolls left a keep of fewer "
        "than five dice is worth the mean over f of what grown[k][f - 1] is worth, five dice "
        "counting there as a roll with n - 1 left. A roll with n left is worth the most of its "
        "writes and, if n > 0, of the keeps of fewer than five dice that it contains. A turn "
        "starts with keep 0, no dice, and rolls_a_turn rolls left."
    ),
    "writes": (
        "Roll r is under the first of cases[roll_cases[r]] whose any_open is 0 or has an open box. "
        "With n rolls left an open box b of its `write` may be written, for "
        "pays[pays of the case[n]][r][b] points; if the case passes, the turn may end without. "
        "A write or pass is worth its points, the bonus if the sheet has earned it after and not "
        "before, the extra, and the value of the sheet after it, with one turn less."
    ),
    "bonus": (
        "A sheet has earned `bonus` points if bonus_from[o] is not null and its sum, counted as "
        "far as for the value, is at least that."
    ),
    "extra": (
        "Where box held_box holds extra_held, each write with a roll of extra_rolls brings "
        "extra_points more; the position counts these under extra_key, else there are none. The "
        "most that there can have been is the largest count over extra_ways, each [zero, written, "
        "some], where each box of zero holds 0, each of written is written, and one of some is, "
        "if it has any: the boxes of zero, and those extra_marks, each [box, points, any_of], "
        "whose box holds these points, where any_of is 0 or has a written box that is not in zero."
    ),
    "position": (
        "The value of a sheet's total is its points, the bonus it has earned and its extras; a "
        "move's value is this total and what the move is worth."
    ),
}
"""What a reader needs beside the arrays, for the manifest."""

_NEVER = 1 << 30
"""A sum that no sheet has."""

_LANES = 256


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
    def payments(self) -> tuple[tuple[int, int], ...]:
        """The pairs of a box and points that a roll can write, then the pass, box -1."""
        tables = self.pays.reshape(-1, len(self.boxes)).T.tolist()
        pairs = {(box, points) for box, row in enumerate(tables) for points in row}
        return (*sorted(pairs), (-1, 0))

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
        """Return the states after a payment, and what it brings; box -1 is a pass."""
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
                number[box, paid] if case.write >> box & 1 else illegal
                for box, paid in enumerate(points)
            ]
            rows.append([*row, number[-1, 0] if case.passes else illegal])
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
        known = sorted(state for state in layer if state[0])
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
    opened = np.array([state[0] for state in states])
    none = np.zeros_like(opened)
    chosen = arrays.chosen(States(opened, none, none, none))
    may, passes = np.zeros_like(opened), np.zeros(len(opened), dtype=bool)
    for cases, number in zip(arrays.cases, chosen, strict=True):
        may |= np.array([case.write for case in cases])[number] & opened
        passes |= np.array([case.passes for case in cases])[number]
    return list(zip(may.tolist(), passes.tolist(), strict=True))


# The proof.


@dataclass
class Proof:
    """What was measured.

    Attributes:
        states: how many states, those with one future told apart.
        decisions: states x rolls x rolls left; states with one future are one.
        changed: in how many the choice costs more than 1e-9.
        largest_cost: points that a choice costs at most.
        largest_error: by how much a rounded value is off at most.
        residual: by how much the values computed from the arrays are off at most.
    """

    states: int = 0
    decisions: int = 0
    changed: int = 0
    largest_cost: float = 0.0
    largest_error: float = 0.0
    residual: float = 0.0

    def add(self, other: Proof) -> None:
        """Add what was measured elsewhere."""
        self.decisions += other.decisions
        self.changed += other.changed
        self.largest_cost = max(self.largest_cost, other.largest_cost)
        self.residual = max(self.residual, other.residual)


def prove(
    arrays: SheetArrays,
    turns: int,
    exact: Floats,
    packed: Packed,
    threads: int,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Return what rounding the values costs, over every choice of every reachable state.

    Args:
        arrays: the game.
        turns: how many turns a game has.
        exact: the values of its table.
        packed: the same rounded.
        threads: how many to use.
        progress: called with the states done and all states.

    Raises:
        ExportError: a choice costs too much, or the arrays do not say what the table says.
    """
    states = reachable(arrays, turns)
    read = packed.values()
    proof = Proof(states=len(states.open), largest_error=float(np.abs(read - exact).max()))
    states = _one_of_each_future(arrays, states)
    blocks = list(_blocks(arrays, states))
    done = 0
    with ThreadPoolExecutor(threads) as pool:
        for count, found in pool.map(
            lambda block: _prove_block(arrays, exact, read, *block), blocks
        ):
            proof.add(found)
            done += count
            if progress:
                progress(done, len(states.open))
    if proof.residual > 1e-9:
        raise ExportError(f"export: the arrays are off the table by {proof.residual}")
    if proof.largest_cost >= ALLOWED_COST:
        raise ExportError(
            f"export: a move chosen by the rounded values costs {proof.largest_cost:.6f} points, "
            f"expected less than {ALLOWED_COST}"
        )
    return {**vars(proof), "allowed_cost": ALLOWED_COST, "tie": TIE}


def _one_of_each_future(arrays: SheetArrays, states: States) -> States:
    """Return one state for each index, after checking that those with one index agree.

    Raises:
        ExportError: two states of one index are paid differently or lead apart.
    """
    place = arrays.place(states)
    _, first, which = np.unique(place, return_index=True, return_inverse=True)
    for box, points in arrays.payments:
        if box >= arrays.counting or box < 0:
            continue  # neither sum nor bonus changes
        is_open = np.flatnonzero(states.open >> box & 1)
        here, twin = states.at(is_open), states.at(first[which[is_open]])
        after, brings = arrays.after(here, box, points)
        other, twin_brings = arrays.after(twin, box, points)
        if (brings != twin_brings).any() or (arrays.place(after) != arrays.place(other)).any():
            raise ExportError("export: two sheets share a value that do not share a future")
    return states.at(first)


def _blocks(arrays: SheetArrays, states: States) -> Iterator[tuple[list[Ints], States]]:
    """Yield ways for 0, 1 and 2 rolls left and states for which they hold, some lanes at a time."""
    known, keys = np.unique(arrays.chosen(states), axis=1, return_inverse=True)
    keys = keys.reshape(-1)  # some versions of numpy give it two axes
    order = np.argsort(keys, kind="stable")
    ends = np.searchsorted(keys[order], np.arange(known.shape[1] + 1))
    for number, (begin, end) in enumerate(pairwise(ends.tolist())):
        chosen = known[:, number].tolist()
        ways = [arrays.ways(chosen, rolls_left) for rolls_left in range(ROLLS_A_TURN)]
        for at in range(begin, end, _LANES):
            yield ways, states.at(order[at : min(at + _LANES, end)])


@dataclass
class Lanes:
    """The two worths of some choices: by the rounded values, and exactly.

    Attributes:
        read: by the rounded values, the best of them.
        true: what the choice made by the rounded values is worth, the worst of equals.
        best: what the best choice is worth.
    """

    read: Floats
    true: Floats
    best: Floats

    def or_else(self, other: Lanes) -> None:
        """Let there be these choices as well."""
        gap = other.read - self.read
        low = np.minimum(self.true, other.true)
        np.copyto(self.true, other.true, where=gap > TIE)
        np.copyto(self.true, low, where=np.abs(gap, out=gap) <= TIE)
        np.maximum(self.read, other.read, out=self.read)
        np.maximum(self.best, other.best, out=self.best)


def _prove_block(
    arrays: SheetArrays, exact: Floats, read: Floats, ways: Sequence[Ints], states: States
) -> tuple[int, Proof]:
    """Return how many states these are, and what was measured on them."""
    with np.errstate(invalid="ignore"):  # infinity less infinity, where nothing is legal
        gains = _gains(arrays, exact, read, states)
        extra = np.zeros((len(ROLLS), 1)) + 0.0 * states.held
        for roll in arrays.extra_rolls:
            extra[roll] = arrays.extra_points * (states.held == arrays.extra_held)
        proof = Proof()
        same = [next(n for n in range(3) if (ways[n] == way).all()) for way in ways]
        known: dict[int, Lanes] = {}
        values = (np.empty(0), np.empty(0))
        for rolls_left, number in enumerate(same):
            if number not in known:
                known[number] = _writes(gains, ways[number], extra)
            found = Lanes(*(held.copy() for held in vars(known[number]).values()))
            if rolls_left:
                keeps = keep_values(values[0]), keep_values(values[1])
                found.or_else(_keeps(*keeps))
            cost = found.best - found.true
            proof.decisions += cost.size
            proof.changed += int(np.count_nonzero(cost > TIE))
            proof.largest_cost = max(proof.largest_cost, float(cost.max()))
            values = found.best, found.read
        start = keep_values(values[0])[0]
        proof.residual = float(np.abs(start - exact[arrays.place(states)]).max())
    return len(states.open), proof


def _gains(
    arrays: SheetArrays, exact: Floats, read: Floats, states: States
) -> tuple[Floats, Floats]:
    """Return (payments + 1, n) what each payment is worth, exactly and by the rounded values."""
    shape = (len(arrays.payments) + 1, len(states.open))
    gains = np.full(shape, -np.inf), np.full(shape, -np.inf)
    for number, (box, points) in enumerate(arrays.payments):
        lanes = np.flatnonzero(states.open >> box & 1) if box >= 0 else slice(None)
        after, brings = arrays.after(states.at(lanes), box, points)
        place = arrays.place(after)
        gains[0][number, lanes] = exact[place] + brings
        gains[1][number, lanes] = read[place] + brings
    return gains


def _writes(gains: tuple[Floats, Floats], ways: Ints, extra: Floats) -> Lanes:
    """Return (252, n) what writing each roll is worth."""
    ways = ways[:, (gains[0][ways] > -np.inf).any(axis=(0, 2))]  # boxes that are open somewhere
    true, read = gains[0][ways], gains[1][ways]
    best_read, best = read.max(axis=1), true.max(axis=1)
    true[read < best_read[:, None] - TIE] = np.inf
    return Lanes(best_read + extra, true.min(axis=1) + extra, best + extra)


def _below(size: int) -> list[Ints]:
    """Return for each place in a list of the keeps one die below, that of each keep of a size.

    The lists are filled up with their first keep.
    """
    lists: list[list[int]] = [[] for _ in KEEPS]
    for keep, grown in enumerate(ONE_MORE.tolist()):
        for more in grown:
            lists[more].append(keep)
    found = lists[SIZES[size]]
    return [np.array([keeps[min(at, len(keeps) - 1)] for keeps in found]) for at in range(size)]


_BELOW = [_below(size) for size in range(1, DICE + 1)]


def _keeps(true: Floats, read: Floats) -> Lanes:
    """Return (252, n) what the best keep of zero to four dice of each roll is worth.

    Args:
        true: (462, n) what each keep is worth.
        read: (462, n) the same by the rounded values.
    """
    below = Lanes(read[:1].copy(), true[:1].copy(), true[:1].copy())
    for size in range(1, DICE + 1):
        start = SIZES[size - 1].start
        places = [keeps - start for keeps in _BELOW[size - 1]]
        first, *others = (Lanes(below.read[at], below.true[at], below.best[at]) for at in places)
        if size < DICE:
            own = true[SIZES[size]]
            others.append(Lanes(read[SIZES[size]], own, own))
        for other in others:
            first.or_else(other)
        below = first
    return below


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


VECTORS = 52
VECTORS_SEED = 9


def sheet_content(
    codec: Codec[Any, Any, Any],
    rulebook: Rulebook[Any],
    rules: Any,
    table: Table,
    arrays: SheetArrays,
    bot: Callable[[Any, Table], Bot[Any, Any]],
    level: str,
    progress: Progress | None = None,
) -> Content:
    """Return the export of a table of a game of dice and a sheet.

    Args:
        codec: the game's.
        rulebook: its rules before the options are chosen.
        rules: its rules.
        table: its table.
        arrays: the rules as arrays.
        bot: makes the bot that plays a table.
        level: what that bot is.
        progress: called with the states proven and all states.

    Raises:
        ExportError: rounding it would cost too much.
    """
    packed = rounded(table.values, LEAST_SCALE)
    proof = prove(arrays, rules.turns, table.values, packed, available_cores(), progress)
    read = bot(rules, replace(table, source=packed.values()))
    starts = [rules.new(players, players - 1) for players in (1, 2, 3)]
    return Content(
        options=table.spec.options,
        facts={
            **table_facts(table, INDEX),
            "in_words": IN_WORDS,
            "option_defaults": rulebook.read_options({}),
            "seats": [rulebook.seats.least, rulebook.seats.most],
            "turn": structure(),
            "sheet": arrays.to_json(),
        },
        files={"values.bin": {"values": packed, "column": Packed(arrays.column)}},
        reader=("sheet.js", "export.js"),
        levels={level: "expected_total"},
        proof=proof,
        vectors=brief(
            vectors(codec, starts, bot(rules, table), read, VECTORS, VECTORS_SEED, level)
        ),
    )
