"""Dice poker (ডাইস পোকার): five dice, a school of six rows, nine rows of combinations.

**The rules as the source has them** (the Bengali document on ডাইস পোকার).  Each
turn has up to three throws; after the first and the second any dice are kept and
the rest thrown again.

- *Part one, the school*: six turns fill the rows ones to sixes, each once, in any
  order.  A row of face f with n dice of that face scores ``(n - 3) * f``: three
  dice are 0, fewer negative, more positive.  After the six rows a subtotal of **at
  least 0 earns 50 more**.
- *Part two*: nine turns for nine rows, in any order, a turn filling at most one:
  pair, the highest (2 x face); two pairs of different faces (their sum); three
  (3 x face); small straight 1-5 (15); large straight 2-6 (20); full house, three of
  one face and two of another (the sum of all five); four (4 x face); poker, five
  equal (5 x face, and **50 more**); chance (the sum of all five, whatever they are).
  A row is written only when the dice meet its need; what is empty after the nine
  turns gets a *dash*, 0.
- A combination written straight after the **first throw scores double**, chance
  never.
- *Settlement*: each player wins or loses ``own total - mean of all totals``.

**Slips of the source.**  Its text prints 1 + 3 + 5 + 4 + 6 = 19 for chance with
1-3-5-5-6: that is 20, the sum of the dice.  It prints 2 x 5 = 10 for five sixes in
the school: by its own rule, two dice above three times the face, that is 12.  It
calls 2-3-2-2-1 a pair of deuces: it holds three.

**Ours**, where the source is silent: no die of a face scores ``-3 * f``; school
rows never double; dice set aside may be thrown again; a turn may stop early; five
equal dice also make pair, three and four, but no full house, and four equal are
not two pairs; the 50 of poker does not double, so a first-throw poker is
``10 * face + 50``; chance may be written at any time (the source offers it for a
turn that made nothing "even after using three attempts", yet exempts it from
doubling, which only a free chance needs); one to six seats are allowed.

**The options**, each its own rule:

- ``dash``: ``deferred`` as above, a turn of part two may ``pass``; ``sacrifice``,
  the common habit: every turn fills a row, with 0 where the dice miss its need;
- ``order``: ``school_first`` as above; ``free``: all 15 rows at any time (only with
  ``sacrifice``, since nine turns of part two are then no longer told apart);
- ``first_throw``: ``double`` as above; ``double_with_poker_bonus``: the 50 doubles
  too; ``none``: nothing doubles;
- ``five_as_full_house``: five equal dice are a full house, the sum of all five;
- ``four_as_two_pairs``: four (or five) equal dice are two pairs, 4 x face;
- ``school_bonus`` and ``school_threshold``: the 50 and the 0 above;
- ``chance_doubles``: chance doubles as well;
- ``chance_after_miss``: the source at its word: chance is written only after the
  third throw, with dice that make none of the other open rows of part two.

``chance_doubles`` makes no sense where nothing doubles, nor where chance is written
after the third throw alone; both are refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.entry import Rulebook, Seats
from ustad.runtime.core.errors import OptionError
from ustad.runtime.core.options import Option, WholeNumber
from ustad.runtime.games.five_dice.sheet import FACE_BOXES, SheetGame, Write
from ustad.runtime.games.five_dice.turn import FACES, ROLL_COUNTS, ROLL_INDEX

NAME = "dice_poker"
ROWS = (
    *FACE_BOXES,
    "pair",
    "two_pairs",
    "three",
    "small_straight",
    "large_straight",
    "full_house",
    "four",
    "poker",
    "chance",
)
"""The rows in the order of the sheet; a row's number is its place here."""

PAIR, TWO_PAIRS, THREE, SMALL_STRAIGHT, LARGE_STRAIGHT, FULL_HOUSE, FOUR, POKER, CHANCE_ROW = range(
    6, 15
)

ROW_COUNT = len(ROWS)

SCHOOL_ROWS = len(FACE_BOXES)

PART_TWO_TURNS = ROW_COUNT - SCHOOL_ROWS

ALL_OPEN = (1 << ROW_COUNT) - 1

SCHOOL = (1 << SCHOOL_ROWS) - 1
"""The rows of the school, as bits."""

CHANCE_BIT = 1 << CHANCE_ROW

COMBINATIONS = ALL_OPEN & ~SCHOOL & ~CHANCE_BIT
"""The rows of part two that need something, as bits."""

PART_TWO = COMBINATIONS | CHANCE_BIT

SMALL_STRAIGHT_POINTS, LARGE_STRAIGHT_POINTS = 15, 20
"""The sums of 1 to 5 and of 2 to 6, which these rows pay."""

PAR = 3
"""Dice of a face that score 0 in the school."""

POKER_EXTRA = 50

AFTER_FIRST_THROW = 2
"""Rolls left when a write is straight after the first throw."""

DASHES = ("deferred", "sacrifice")

ORDERS = ("school_first", "free")

FIRST_THROWS = ("double", "none", "double_with_poker_bonus")

DOUBLE, NO_DOUBLE, DOUBLE_WITH_EXTRA = range(3)


class State(NamedTuple):
    """What a sheet is still worth depends on.

    Attributes:
        open_rows: bit r set: row r is open.
        turns_left: the turns to play.
        subtotal: the school subtotal, or another with the same future.
    """

    open_rows: int
    turns_left: int
    subtotal: int


class RuleNumbers(NamedTuple):
    """The options as the flat functions take them."""

    deferred: bool
    free: bool
    first_throw: int
    five_as_full_house: bool
    four_as_two_pairs: bool
    school_bonus: int
    school_threshold: int
    chance_doubles: bool
    chance_after_miss: bool


# What a row scores and when it may be written: flat functions on numbers, compiled for the solver.


_ALIKE = {PAIR: 2, THREE: 3, FOUR: 4, POKER: 5}
"""How many dice of one face a row asks for, where it asks for nothing else."""


def combination_points(
    numbers: RuleNumbers, row: int, counts: Sequence[int] | NDArray[np.int64]
) -> int:
    """Return the plain points of the dice in a row of part two, 0 if they miss its need.

    The extra of a poker is not counted in.

    Args:
        numbers: the options.
        row: the row's number.
        counts: how many dice show each of the six faces.

    >>> combination_points(RULES.read({}).numbers, FULL_HOUSE, (0, 3, 0, 0, 2, 0))
    16
    """
    faces = range(1, FACES + 1)
    alike = [int(count) for count in counts]
    total = sum(face * count for face, count in zip(faces, alike, strict=True))
    pairs = [face for face, count in zip(faces, alike, strict=True) if count >= 2]

    def highest(least: int) -> int:
        """Return the highest face that so many dice show, 0 if there is none."""
        return max((face for face in pairs if alike[face - 1] >= least), default=0)

    if row == CHANCE_ROW:
        return total
    if row in _ALIKE:
        return _ALIKE[row] * highest(_ALIKE[row])
    if row == TWO_PAIRS:
        as_two = 4 * highest(4) if numbers.four_as_two_pairs else 0
        return 2 * sum(pairs) if len(pairs) == 2 else as_two
    if row == FULL_HOUSE:
        is_full = len(pairs) == 2 and highest(3) > 0
        return total if is_full or (numbers.five_as_full_house and highest(5) > 0) else 0
    straight = SMALL_STRAIGHT_POINTS if row == SMALL_STRAIGHT else LARGE_STRAIGHT_POINTS
    return total if not pairs and total == straight else 0


def row_points(
    numbers: RuleNumbers, row: int, counts: Sequence[int] | NDArray[np.int64], rolls_left: int
) -> int:
    """Return what the dice score in a row, 0 in part two if they miss its need.

    Args:
        numbers: the options.
        row: the row's number.
        counts: how many dice show each of the six faces.
        rolls_left: the rolls not used, 2 straight after the first throw.
    """
    if row < SCHOOL_ROWS:
        return int((counts[row] - PAR) * (row + 1))
    points = combination_points(numbers, row, counts)
    extra = POKER_EXTRA if row == POKER and points > 0 else 0
    if rolls_left == AFTER_FIRST_THROW and numbers.first_throw != NO_DOUBLE:
        if row != CHANCE_ROW or numbers.chance_doubles:
            points *= 2
        if numbers.first_throw == DOUBLE_WITH_EXTRA:
            extra *= 2
    return int(points + extra)


def rows_made(numbers: RuleNumbers, counts: Sequence[int] | NDArray[np.int64]) -> int:
    """Return the rows of part two but chance whose need the dice meet, as bits."""
    made = 0
    for row in range(SCHOOL_ROWS, CHANCE_ROW):
        if combination_points(numbers, row, counts) > 0:
            made |= 1 << row
    return made


def writable_rows(numbers: RuleNumbers, open_rows: int, made: int, rolls_left: int) -> int:
    """Return the rows that may be written now, as bits.

    Args:
        numbers: the options.
        open_rows: bit r set: row r is open.
        made: :func:`rows_made` of the dice.
        rolls_left: the rolls not used.
    """
    rows = open_rows
    if open_rows & SCHOOL and not numbers.free:
        rows &= SCHOOL
    if numbers.deferred:
        rows &= SCHOOL | CHANCE_BIT | made
    if numbers.chance_after_miss and (rolls_left > 0 or open_rows & made):
        rows &= ~CHANCE_BIT
    return rows


def may_pass(numbers: RuleNumbers, open_rows: int) -> bool:
    """Tell whether a turn may leave the sheet as it is."""
    return numbers.deferred and open_rows & SCHOOL == 0


def bonus_points(numbers: RuleNumbers, row: Any, open_after: Any, subtotal: Any) -> Any:
    """Return the school bonus that a write earns; arrays give an array.

    Args:
        numbers: the options.
        row: the row written: that of the last open school row alone earns it.
        open_after: the rows open after it.
        subtotal: the school subtotal after it.
    """
    completes = (row < SCHOOL_ROWS) & (open_after & SCHOOL == 0)
    return (completes & (subtotal >= numbers.school_threshold)) * numbers.school_bonus


MOST = 1_000_000
"""The most that the school's bonus and threshold may be."""


# The sheet and the game.


class Sheet(NamedTuple):
    """A sheet; ``points[r]`` is None while row r is open.  The rest follows from the first two."""

    points: tuple[int | None, ...]
    turns_left: int
    open_rows: int
    subtotal: int
    total: int


def make_sheet(numbers: RuleNumbers, points: Sequence[int | None], turns_left: int) -> Sheet:
    """Return a sheet from its rows (None: open) and its turns left.

    With no turn left the rows still open get their dash.
    """
    if turns_left == 0:
        points = [0 if held is None else held for held in points]
    open_rows = sum(1 << row for row, held in enumerate(points) if held is None)
    subtotal = sum(held or 0 for held in points[:SCHOOL_ROWS])
    total = sum(held or 0 for held in points)
    if open_rows & SCHOOL == 0 and subtotal >= numbers.school_threshold:
        total += numbers.school_bonus
    return Sheet(tuple(points), turns_left, open_rows, subtotal, total)


@dataclass(frozen=True, slots=True)
class Pass:
    """End a turn of part two with the sheet as it is."""

    def __str__(self) -> str:
        return "pass"


PASS = Pass()

WRITES: tuple[Write, ...] = tuple(Write(row) for row in ROWS)


@lru_cache(maxsize=16)
def roll_rows_made(numbers: RuleNumbers) -> tuple[int, ...]:
    """Return :func:`rows_made` of each of the 252 rolls."""
    return tuple(rows_made(numbers, counts) for counts in ROLL_COUNTS)


@lru_cache(maxsize=16)
def roll_points(numbers: RuleNumbers) -> NDArray[np.int64]:
    """Return (3, 252, 15) what each roll scores in each row, by rolls left."""
    later, first = (
        [
            [row_points(numbers, row, counts, rolls_left) for row in range(ROW_COUNT)]
            for counts in ROLL_COUNTS
        ]
        for rolls_left in (0, AFTER_FIRST_THROW)
    )
    points = np.array([later, later, first])
    points.flags.writeable = False
    return points


@lru_cache(maxsize=1 << 15)
def _writes(
    numbers: RuleNumbers, open_rows: int, roll: int, rolls_left: int
) -> tuple[Write | Pass, ...]:
    rows = writable_rows(numbers, open_rows, roll_rows_made(numbers)[roll], rolls_left)
    writes = tuple(WRITES[row] for row in range(ROW_COUNT) if rows >> row & 1)
    return (*writes, PASS) if may_pass(numbers, open_rows) else writes


class DicePoker(SheetGame):
    """The rules of dice poker with a full option set."""

    name = NAME
    boxes = ROWS
    turns = ROW_COUNT

    def __init__(self, **options: Any) -> None:
        self.options = options
        self.numbers = RuleNumbers(
            deferred=options["dash"] == "deferred",
            free=options["order"] == "free",
            first_throw=FIRST_THROWS.index(options["first_throw"]),
            five_as_full_house=options["five_as_full_house"],
            four_as_two_pairs=options["four_as_two_pairs"],
            school_bonus=options["school_bonus"],
            school_threshold=options["school_threshold"],
            chance_doubles=options["chance_doubles"],
            chance_after_miss=options["chance_after_miss"],
        )

    def new_sheet(self) -> Sheet:
        """Return the empty sheet."""
        return make_sheet(self.numbers, (None,) * ROW_COUNT, ROW_COUNT)

    def turns_taken(self, sheet: Sheet) -> int:
        """Return how many turns a sheet has behind it."""
        return ROW_COUNT - sheet.turns_left

    def total(self, sheet: Sheet) -> int:
        """Return the points of a sheet, the school bonus counted in once the school is done."""
        return sheet.total

    def writes(
        self, sheet: Sheet, dice: tuple[int, ...], rolls_left: int
    ) -> tuple[Write | Pass, ...]:
        """Return the legal writes in the order of the sheet, then the pass if there is one."""
        return _writes(self.numbers, sheet.open_rows, ROLL_INDEX[dice], rolls_left)

    def write(
        self, sheet: Sheet, dice: tuple[int, ...], rolls_left: int, move: Write | Pass
    ) -> Sheet:
        """Return the sheet after a legal write or pass."""
        points = list(sheet.points)
        if isinstance(move, Write):
            row = ROWS.index(move.box)
            points[row] = row_points(self.numbers, row, ROLL_COUNTS[ROLL_INDEX[dice]], rolls_left)
        return make_sheet(self.numbers, points, sheet.turns_left - 1)

    def returns(self, totals: tuple[int, ...]) -> tuple[float, ...]:
        """Return the settlement: see :func:`settlement`."""
        return settlement(totals)


_GRAIN = 2.0**-36
"""Payments are whole multiples of this many points, so that sums of them are exact."""


def settlement(totals: Sequence[int]) -> tuple[float, ...]:
    """Return what each seat wins or loses: its total less the mean of all.

    The payments sum to exactly 0 in floating-point numbers, in any order.  Where
    the mean is no binary fraction they are rounded to 2^-36 points, and the seat
    with the highest total balances the others.
    """
    seats, every = len(totals), sum(totals)
    payments = [round((seats * total - every) / seats / _GRAIN) * _GRAIN for total in totals]
    payments[max(range(seats), key=totals.__getitem__)] -= sum(payments)
    return tuple(payments)


_YES_NO = (False, True)

OPTIONS = (
    Option("dash", "deferred", DASHES, "when a row of part two is given up"),
    Option("order", "school_first", ORDERS, "which rows may be written when"),
    Option("first_throw", "double", FIRST_THROWS, "what doubles straight after the first"),
    Option("five_as_full_house", False, _YES_NO, "five equal dice are a full house"),
    Option("four_as_two_pairs", False, _YES_NO, "four equal dice are two pairs"),
    WholeNumber("school_bonus", 50, (), "what the school earns", -MOST, MOST),
    WholeNumber("school_threshold", 0, (), "the least subtotal that earns it", -MOST, MOST),
    Option("chance_doubles", False, _YES_NO, "chance doubles after the first throw too"),
    Option("chance_after_miss", False, _YES_NO, "chance only when three throws made nothing"),
)


def check_options(found: Mapping[str, Any]) -> None:
    """Raise OptionError where options contradict each other."""
    if found["order"] == "free" and found["dash"] != "sacrifice":
        raise OptionError(
            "option order: free goes with dash=sacrifice alone, got dash=deferred: "
            "without a second part there is no end of it at which to set dashes"
        )
    if found["chance_doubles"] and found["first_throw"] == "none":
        raise OptionError(
            "option chance_doubles: expected false with first_throw=none, "
            "where nothing doubles, got true"
        )
    if found["chance_doubles"] and found["chance_after_miss"]:
        raise OptionError(
            "option chance_doubles: expected false with chance_after_miss=true, "
            "where chance is written after the third throw alone, got true"
        )


RULES = Rulebook(DicePoker, OPTIONS, Seats(least=1, most=6, usual=2), check=check_options)
