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
turn that made nothing, yet exempts it from doubling, which only a free chance
needs); one to six seats are allowed.

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
- ``chance_after_miss``: chance is for a turn that made nothing: it is written only
  if the dice as they lie after the third throw make none of the other open rows of
  part two.  Who stops early has let the dice lie for the throws left, and so may
  write it then, for the same points.

``chance_doubles`` makes no sense where nothing doubles, nor where chance counts as
written after the third throw; both are refused.

**Numbering the states.**  What a sheet is still worth depends on its open rows, on
the school subtotal through the bonus alone, and under ``deferred`` on the turns
left.  Open school rows and subtotal share a *column* where they have one future
(:mod:`ustad.runtime.games.columns`): 3,013 pairs with an open row make 1,638
columns at the default threshold.  Column 0 is the finished school, its bonus paid.
A *part* is the set of open rows of part two (pair 1, two pairs 2, ..., chance 256),
under ``deferred`` plus 512 for each turn left.  Under ``school_first`` a state with
the school finished has its part as its index, and column c of the school the index
``parts + c - 1``; under ``free`` the index is ``part * columns + column``.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.dice import COUNTS, FACES, FIRST_ROLL, ROLL_INDEX
from ustad.runtime.errors import MoveError, OptionError, PositionError, shown
from ustad.runtime.games.base import Bot, Option, WholeNumber
from ustad.runtime.games.columns import Columns, least_needed, merge_sums
from ustad.runtime.games.sheet import SheetGame, SheetGameType, SheetState, Write, flag_int
from ustad.runtime.strict_json import Fields, is_int
from ustad.tables import TableSpec

ROWS = (
    "ones",
    "twos",
    "threes",
    "fours",
    "fives",
    "sixes",
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
SCHOOL_ROWS = 6
PART_TWO_TURNS = ROW_COUNT - SCHOOL_ROWS
ALL_OPEN = (1 << ROW_COUNT) - 1
SCHOOL = (1 << SCHOOL_ROWS) - 1
"""The rows of the school, as bits."""
CHANCE_BIT = 1 << CHANCE_ROW
COMBINATIONS = ALL_OPEN & ~SCHOOL & ~CHANCE_BIT
"""The rows of part two that need something, as bits."""
PART_TWO = COMBINATIONS | CHANCE_BIT

PAR = 3
"""Dice of a face that score 0 in the school."""
POKER_EXTRA = 50
AFTER_FIRST_THROW = 2
"""Rolls left when a write is straight after the first throw."""

DASHES = ("deferred", "sacrifice")
ORDERS = ("school_first", "free")
FIRST_THROWS = ("double", "none", "double_with_poker_bonus")
DOUBLE, NO_DOUBLE, DOUBLE_WITH_EXTRA = range(3)


class Rules(NamedTuple):
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


def combination_points(rules: Rules, row: int, counts: Sequence[int] | NDArray[np.int64]) -> int:
    """Return the plain points of the dice in a row of part two, 0 if they miss its need.

    The extra of a poker is not counted in.

    Args:
        rules: the options.
        row: the row's number.
        counts: how many dice show each of the six faces.
    """
    total = 0
    pairs = 0
    in_pairs = 0
    pair = 0
    three = 0
    four = 0
    five = 0
    for face in range(1, FACES + 1):
        count = counts[face - 1]
        total += count * face
        if count >= 2:
            pairs += 1
            in_pairs += 2 * face
            pair = face
        if count >= 3:
            three = face
        if count >= 4:
            four = face
        if count == 5:
            five = face
    points = 0
    if row == CHANCE_ROW:
        points = total
    elif row == PAIR:
        points = 2 * pair
    elif row == TWO_PAIRS:
        if pairs == 2:
            points = in_pairs
        elif rules.four_as_two_pairs:
            points = 4 * four
    elif row == THREE:
        points = 3 * three
    elif row == SMALL_STRAIGHT:
        points = 15 if pairs == 0 and total == 15 else 0  # five faces, all but the six
    elif row == LARGE_STRAIGHT:
        points = 20 if pairs == 0 and total == 20 else 0  # five faces, all but the one
    elif row == FULL_HOUSE:
        if (pairs == 2 and three > 0) or (rules.five_as_full_house and five > 0):
            points = total
    elif row == FOUR:
        points = 4 * four
    elif row == POKER:
        points = 5 * five
    return points


def row_points(
    rules: Rules, row: int, counts: Sequence[int] | NDArray[np.int64], rolls_left: int
) -> int:
    """Return what the dice score in a row, 0 in part two if they miss its need.

    Args:
        rules: the options.
        row: the row's number.
        counts: how many dice show each of the six faces.
        rolls_left: the rolls not used, 2 straight after the first throw.
    """
    if row < SCHOOL_ROWS:
        return int((counts[row] - PAR) * (row + 1))
    points = combination_points(rules, row, counts)
    extra = POKER_EXTRA if row == POKER and points > 0 else 0
    if rolls_left == AFTER_FIRST_THROW and rules.first_throw != NO_DOUBLE:
        if row != CHANCE_ROW or rules.chance_doubles:
            points *= 2
        if rules.first_throw == DOUBLE_WITH_EXTRA:
            extra *= 2
    return int(points + extra)


def rows_made(rules: Rules, counts: Sequence[int] | NDArray[np.int64]) -> int:
    """Return the rows of part two but chance whose need the dice meet, as bits."""
    made = 0
    for row in range(SCHOOL_ROWS, CHANCE_ROW):
        if combination_points(rules, row, counts) > 0:
            made |= 1 << row
    return made


def writable_rows(rules: Rules, open_rows: int, made: int) -> int:
    """Return the rows that may be written now, as bits.

    Args:
        rules: the options.
        open_rows: bit r set: row r is open.
        made: :func:`rows_made` of the dice.
    """
    rows = open_rows
    if open_rows & SCHOOL and not rules.free:
        rows &= SCHOOL
    if rules.deferred:
        rows &= SCHOOL | CHANCE_BIT | made
    if rules.chance_after_miss and open_rows & made:
        rows &= ~CHANCE_BIT
    return rows


def may_pass(rules: Rules, open_rows: int) -> bool:
    """Tell whether a turn may leave the sheet as it is."""
    return rules.deferred and open_rows & SCHOOL == 0


def bonus_points(rules: Rules, row: Any, open_after: Any, subtotal: Any) -> Any:
    """Return the school bonus that a write earns; arrays give an array.

    Args:
        rules: the options.
        row: the row written: that of the last open school row alone earns it.
        open_after: the rows open after it.
        subtotal: the school subtotal after it.
    """
    completes = (row < SCHOOL_ROWS) & (open_after & SCHOOL == 0)
    return (completes & (subtotal >= rules.school_threshold)) * rules.school_bonus


# Numbering the states.

PART_TWO_SETS = 1 << PART_TWO_TURNS
MOST = 1_000_000
"""The most that the school's bonus and threshold may be."""
LOWEST_SUBTOTAL = -PAR * FACES * (FACES + 1) // 2


def part_count(rules: Rules) -> int:
    """Return the number of parts."""
    return PART_TWO_SETS * (PART_TWO_TURNS + 1 if rules.deferred else 1)


def state_number(
    rules: Rules,
    column: NDArray[np.int64],
    column_count: int,
    open_rows: Any,
    turns_left: Any,
    subtotal: Any,
) -> Any:
    """Return the index of a state at the start of a turn; arrays give an array.

    Args:
        rules: the options.
        column: :attr:`Columns.column`.
        column_count: :attr:`Columns.count`.
        open_rows: bit r set: row r is open.
        turns_left: the turns to play; it matters under ``deferred`` after the school alone.
        subtotal: the school subtotal.
    """
    place = column[open_rows & SCHOOL, subtotal - LOWEST_SUBTOTAL]
    part = open_rows >> SCHOOL_ROWS
    if rules.deferred:
        part = part + turns_left * PART_TWO_SETS
    if rules.free:
        return part * column_count + place
    in_school = place > 0
    return (1 - in_school) * part + in_school * (part_count(rules) + place - 1)


@lru_cache(maxsize=64)
def columns(school_threshold: int) -> Columns:
    """Return the columns of the states at a threshold.

    Column 0 is the finished school: its bonus is paid, so its subtotal no longer matters.
    """
    amounts = [[(n - PAR) * face for n in range(6)] for face in range(1, FACES + 1)]

    def future(addable: list[int], subtotal: int) -> int | None:
        school_open = len(addable) > 1
        return least_needed(addable, subtotal, school_threshold) if school_open else None

    return merge_sums(amounts, future)


def state_count(rules: Rules) -> int:
    """Return the number of values that a table of these rules holds."""
    count = columns(rules.school_threshold).count
    return part_count(rules) * count if rules.free else part_count(rules) + count - 1


def state_index(rules: Rules, open_rows: int, turns_left: int, subtotal: int) -> int:
    """Return the index of a state at the start of a turn."""
    known = columns(rules.school_threshold)
    return int(state_number(rules, known.column, known.count, open_rows, turns_left, subtotal))


# The sheet and the game.


class Sheet(NamedTuple):
    """A sheet; ``points[r]`` is None while row r is open.  The rest follows from the first two."""

    points: tuple[int | None, ...]
    turns_left: int
    open_rows: int
    subtotal: int
    total: int


def make_sheet(rules: Rules, points: Sequence[int | None], turns_left: int) -> Sheet:
    """Return a sheet from its rows (None: open) and its turns left.

    With no turn left the rows still open get their dash.
    """
    if turns_left == 0:
        points = [0 if held is None else held for held in points]
    open_rows = sum(1 << row for row, held in enumerate(points) if held is None)
    subtotal = sum(held or 0 for held in points[:SCHOOL_ROWS])
    total = sum(held or 0 for held in points)
    if open_rows & SCHOOL == 0 and subtotal >= rules.school_threshold:
        total += rules.school_bonus
    return Sheet(tuple(points), turns_left, open_rows, subtotal, total)


@dataclass(frozen=True, slots=True)
class Pass:
    """End a turn of part two with the sheet as it is."""

    def __str__(self) -> str:
        return "pass"


PASS = Pass()
WRITES: tuple[Write, ...] = tuple(Write(row) for row in ROWS)
ROW_NUMBER = {name: row for row, name in enumerate(ROWS)}
_ROLL_COUNTS: list[list[int]] = COUNTS[FIRST_ROLL:].tolist()


@lru_cache(maxsize=16)
def roll_rows_made(rules: Rules) -> tuple[int, ...]:
    """Return :func:`rows_made` of each of the 252 rolls."""
    return tuple(rows_made(rules, counts) for counts in _ROLL_COUNTS)


@lru_cache(maxsize=16)
def roll_points(rules: Rules) -> NDArray[np.int64]:
    """Return (3, 252, 15) what each roll scores in each row, by rolls left."""
    later, first = (
        [
            [row_points(rules, row, counts, rolls_left) for row in range(ROW_COUNT)]
            for counts in _ROLL_COUNTS
        ]
        for rolls_left in (0, AFTER_FIRST_THROW)
    )
    points = np.array([later, later, first])
    points.flags.writeable = False
    return points


@lru_cache(maxsize=1 << 15)
def _writes(rules: Rules, open_rows: int, roll: int) -> tuple[Write | Pass, ...]:
    rows = writable_rows(rules, open_rows, roll_rows_made(rules)[roll])
    writes = tuple(WRITES[row] for row in range(ROW_COUNT) if rows >> row & 1)
    return (*writes, PASS) if may_pass(rules, open_rows) else writes


class DicePoker(SheetGame):
    """The rules of dice poker with a full option set."""

    boxes = ROWS
    turns = ROW_COUNT

    def __init__(self, options: Mapping[str, Any]) -> None:
        self.options = dict(options)
        self.rules = Rules(
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

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DicePoker) and self.rules == other.rules

    def __hash__(self) -> int:
        return hash(("dice_poker", self.rules))

    def new_sheet(self) -> Sheet:
        """Return the empty sheet."""
        return make_sheet(self.rules, (None,) * ROW_COUNT, ROW_COUNT)

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
        return _writes(self.rules, sheet.open_rows, ROLL_INDEX[dice])

    def write(
        self, sheet: Sheet, dice: tuple[int, ...], rolls_left: int, move: Write | Pass
    ) -> Sheet:
        """Return the sheet after a legal write or pass."""
        points = list(sheet.points)
        if isinstance(move, Write):
            row = ROW_NUMBER[move.box]
            points[row] = row_points(self.rules, row, _ROLL_COUNTS[ROLL_INDEX[dice]], rolls_left)
        return make_sheet(self.rules, points, sheet.turns_left - 1)

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


@lru_cache(maxsize=4096)
def possible_points(rules: Rules, row: int, open_rows: int) -> frozenset[int]:
    """Return what a row can hold beside these rows that are still open.

    The open rows matter to a chance that is written after a miss alone: its dice
    made none of them.  A dash of ``deferred`` is not counted in.
    """
    made, points = roll_rows_made(rules), roll_points(rules)
    if row == CHANCE_ROW and rules.chance_after_miss:
        missed = [roll for roll, rows in enumerate(made) if not rows & open_rows]
        return frozenset(points[0, missed, row].tolist())
    found = set(np.unique(points[:, :, row]).tolist())
    return frozenset(found - {0} if rules.deferred and row >= SCHOOL_ROWS else found)


_YES_NO = (False, True)


class DicePokerType(SheetGameType):
    """Dice poker as the commands know it."""

    name = "dice_poker"
    title = "Dice poker (ডাইস পোকার)"
    box_names = ROWS
    options = (
        Option("dash", "deferred", DASHES, "when a row of part two is given up"),
        Option("order", "school_first", ORDERS, "which rows may be written when"),
        Option("first_throw", "double", FIRST_THROWS, "what doubles straight after the first"),
        Option("five_as_full_house", False, _YES_NO, "five equal dice are a full house"),
        Option("four_as_two_pairs", False, _YES_NO, "four equal dice are two pairs"),
        WholeNumber("school_bonus", 50, (), "what the school earns", -MOST, MOST),
        WholeNumber("school_threshold", 0, (), "the least subtotal that earns it", -MOST, MOST),
        Option("chance_doubles", False, _YES_NO, "chance doubles after the first throw too"),
        Option("chance_after_miss", False, _YES_NO, "chance only when the turn made nothing"),
    )

    def read_options(self, given: Any) -> dict[str, Any]:
        """Return the full option set, or raise OptionError where options contradict each other."""
        found = super().read_options(given)
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
                "where chance counts as written after the third throw, got true"
            )
        return found

    def game(self, options: Mapping[str, Any]) -> DicePoker:
        """Return the rules."""
        return DicePoker(options)

    # JSON

    def sheets_from_json(
        self, game: DicePoker, fields: Fields, sheets: Sequence[Any]
    ) -> tuple[Sheet, ...]:
        """Return the sheets of a position, their turns left read beside them."""
        names = [f"sheets[{seat}]" for seat in range(len(sheets))]
        if not game.rules.deferred:
            return tuple(map(self.sheet_from_json, [game] * len(sheets), sheets, names))
        turns = fields.take("turns_left", None)
        if turns is None:
            turns = [None] * len(sheets)
        elif not isinstance(turns, list) or len(turns) != len(sheets):
            fields.fail("turns_left", f"a list with {len(sheets)} numbers, one a sheet", turns)
        return tuple(
            _read_sheet(game.rules, sheet, name, left, seat)
            for seat, (sheet, name, left) in enumerate(zip(sheets, names, turns, strict=True))
        )

    def sheet_from_json(self, game: DicePoker, sheet: Any, name: str) -> Sheet:
        """Return the sheet that a JSON object describes; see :func:`_read_sheet`."""
        return _read_sheet(game.rules, sheet, name, None, 0)

    def sheet_to_json(self, game: DicePoker, sheet: Sheet) -> dict[str, Any]:
        """Return the rows written."""
        written = zip(ROWS, sheet.points, strict=True)
        return {name: held for name, held in written if held is not None}

    def sheets_to_json(self, state: SheetState) -> dict[str, Any]:
        """Return the sheets and, under ``deferred``, the turns left of each."""
        found = super().sheets_to_json(state)
        if state.game.rules.deferred:
            found["turns_left"] = [sheet.turns_left for sheet in state.sheets]
        return found

    move_keys = ("keep", "write", "pass")

    def move_from_json(self, move: Any) -> Any:
        """Return the keep, write or pass that a JSON object describes."""
        if not isinstance(move, dict) or move.keys() != {"pass"}:
            return super().move_from_json(move)
        if move["pass"] is not True:
            Fields(move, "move", MoveError).fail("pass", "true", move["pass"])
        return PASS

    def move_to_json(self, move: Any) -> dict[str, Any]:
        """Return the JSON object of a keep, write or pass."""
        return {"pass": True} if isinstance(move, Pass) else super().move_to_json(move)

    # Text

    def add_flags(self, parser: argparse.ArgumentParser) -> None:
        """Add the flags for one sheet, its dice and its turns left."""
        group = self.add_sheet_flags(parser)
        group.add_argument(
            "--turns-left", metavar="N", help="turns to play under dash=deferred; none: none passed"
        )

    def position_from_flags(self, args: argparse.Namespace) -> dict[str, Any] | None:
        """Return the position that the flags describe, None without any flag."""
        position = super().position_from_flags(args)
        if position is None and args.turns_left is not None:
            raise PositionError("--turns-left: expected --sheet beside it")
        if position is None:
            return None
        if args.turns_left is not None:
            position["turns_left"] = [flag_int("--turns-left", args.turns_left)]
        elif self.read_options(position["options"])["dash"] == "deferred":
            position["turns_left"] = [max(ROW_COUNT - len(position["sheets"][0]), 0)]
        return position

    def describe_move(self, move: Any) -> str:
        """Return a keep, write or pass in a few words."""
        return "pass" if isinstance(move, Pass) else super().describe_move(move)

    def prompt(self, state: SheetState) -> str:
        """Return what can be typed now."""
        ways = super().prompt(state)
        return f"{ways}, or pass" if may_pass(state.game.rules, state.sheet.open_rows) else ways

    def remark(self, state: SheetState) -> str:
        """Return how the school stands, or how many turns are left for the rest."""
        rules, sheet = state.game.rules, state.sheet
        if sheet.open_rows & SCHOOL:
            bonus, least = rules.school_bonus, rules.school_threshold
            return f"school {sheet.subtotal:+}: the bonus of {bonus} from {least:+} on"
        return f"{sheet.turns_left} turns left" if rules.deferred else ""

    # Bots and tables

    def bot(self, level: str, game: DicePoker, tables: Path | None, seed: int) -> Bot:
        """Return a bot of a level; expert needs the table of the game's options."""
        from ustad.runtime.bots.dice_poker import make_bot

        return make_bot(level, game, tables)

    def table_options(self) -> tuple[dict[str, Any], ...]:
        """Return the defaults, dashes by sacrifice, and the free order."""
        return (
            self.read_options({}),
            self.read_options({"dash": "sacrifice"}),
            self.read_options({"dash": "sacrifice", "order": "free"}),
        )

    def columns(self, options: Mapping[str, Any]) -> Columns:
        """Return the columns of the states under an option set."""
        return columns(options["school_threshold"])

    def table_spec(self, options: Mapping[str, Any]) -> TableSpec:
        """Return the identity of the table of expected points still to come."""
        full = self.read_options(dict(options))
        rules = DicePoker(full).rules
        part = "part = " + "512 * turns left + " * rules.deferred + "open rows of part two"
        index = (
            "values[part * columns + place]"
            if rules.free
            else f"values[part] where place is 0, else values[{part_count(rules)} + place - 1]"
        )
        return TableSpec(
            game=self.name,
            options=full,
            quantity="expected points still to come at the start of a turn, under the best play",
            unit="points",
            index_version=1,
            index_formula=(
                f"{index}; place = column[open school rows, school subtotal + "
                f"{-LOWEST_SUBTOTAL}]; {part}; open rows as bits, school: ones 1, twos 2, threes "
                "4, fours 8, fives 16, sixes 32; part two: pair 1, two_pairs 2, three 4, "
                "small_straight 8, large_straight 16, full_house 32, four 64, poker 128, "
                "chance 256; the school bonus is paid by the write of the last school row; "
                "where no game comes the value is 0"
            ),
            shape=(state_count(rules),),
            start_index=state_index(rules, ALL_OPEN, ROW_COUNT, 0),
        )


def _read_sheet(rules: Rules, sheet: Any, name: str, turns_left: Any, seat: int) -> Sheet:
    """Return the sheet that a JSON object and its turns left describe.

    Refused: rows of part two before the school is full, unless the order is free;
    points that no dice give there; turns left that do not go with the rows
    written.  A dash of ``deferred`` stands, as 0, only when no turn is left.

    Args:
        rules: the options.
        sheet: the JSON object.
        name: what error messages call it.
        turns_left: its turns left, None if none are given.
        seat: its place among the turns left, for error messages.
    """
    fields = Fields(sheet, name)
    points = [fields.take(row, None) for row in ROWS]
    fields.done()
    dashes = [row for row in range(SCHOOL_ROWS, ROW_COUNT) if is_int(points[row], 0, 0)]
    if rules.deferred and dashes and turns_left is None:
        raise _no_turns_left(seat, "holds dashes")
    if rules.deferred and is_int(turns_left, 0, 0):
        points = [None if row in dashes else held for row, held in enumerate(points)]
    open_rows = sum(1 << row for row, held in enumerate(points) if held is None)
    for row, held in enumerate(points):
        possible = possible_points(rules, row, open_rows & COMBINATIONS)
        if held is not None and (type(held) is not int or held not in possible):
            fields.fail(ROWS[row], "one of " + ", ".join(map(str, sorted(possible))), held)
    first_open = next((row for row in range(SCHOOL_ROWS) if points[row] is None), None)
    if first_open is not None and not rules.free:
        for row in range(SCHOOL_ROWS, ROW_COUNT):
            if points[row] is not None:
                until = f"no points before the school is full ({ROWS[first_open]} is open)"
                fields.fail(ROWS[row], until, points[row])
    return make_sheet(rules, points, _turns_left(rules, points, open_rows, turns_left, seat))


def _no_turns_left(seat: int, why: str) -> PositionError:
    expected = f"a list with one number a sheet, since sheets[{seat}] {why}"
    return PositionError(f"position: turns_left: expected {expected}, got null")


def _turns_left(
    rules: Rules, points: Sequence[int | None], open_rows: int, given: Any, seat: int
) -> int:
    """Return the turns left of a sheet, checked against its rows."""
    open_count = open_rows.bit_count()
    if not rules.deferred:
        return open_count
    in_school = open_rows & SCHOOL != 0
    if given is None and (in_school or open_count == 0):
        return open_count
    if given is None:
        raise _no_turns_left(seat, "is in part two")
    least = open_count if in_school else 0
    if not is_int(given, least, open_count):
        expected = f"{least}" if least == open_count else f"{least} to {open_count}"
        raise PositionError(
            f"position: turns_left[{seat}]: expected {expected}, since {open_count} rows of "
            f"sheets[{seat}] are open, got {shown(given)}"
        )
    return int(given)


TYPE = DicePokerType()
