"""Yacht (याट): five dice, a sheet of thirteen boxes, the highest total wins.

**The rules as the source has them** (the Nepali document on याट).  Each turn has
at most three rolls; any dice may be kept between them and let go again; one may
stop after any roll.  A turn writes one open box, and a box that the dice do not
fit takes 0.  After thirteen turns each the highest total wins; equal on top
share the win.  The first roll moves one seat from game to game.

- ones to sixes pay the sum of the dice with that face; **35 more** if the six
  add up to 63 or more;
- three and four of a kind pay the sum of all five dice if at least so many are
  equal; full house (three of one face, two of another) 25; small straight (four
  faces in a row) 30; large straight 40; yacht (five equal) 50; chance the sum;
- a **further yacht**, with the yacht box written: 100 extra if that box holds
  50, and the dice are a *joker*: the upper box of their face if it is open, else
  any open lower box, where full house and straights pay in full, else an upper
  box with 0.  The joker holds, without the 100, when the yacht box holds 0.

The 100 counts to the total only, never to the upper sum.

**Ours**, where the source is silent: with the yacht box open five equal dice may
be written anywhere at their plain points, and are no full house; one to six
seats are allowed.

**The option** ``second_yacht``: ``bonus_and_joker`` as above; ``plain`` (the
source's setting "off"): no 100 and no joker; ``free_joker``, for comparison with
the literature, where 254.5896 is often quoted: any open box may be written, and
full house and straights pay in full once the yacht box and the upper box of the
face are both written.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.entry import Rulebook, Seats
from ustad.runtime.core.options import Option
from ustad.runtime.games.five_dice.sheet import FACE_BOXES, SheetGame, Write
from ustad.runtime.games.five_dice.turn import DICE, FACES, ROLL_COUNTS, ROLL_INDEX

NAME = "yacht"
BOXES = (
    *FACE_BOXES,
    "three_of_a_kind",
    "four_of_a_kind",
    "full_house",
    "small_straight",
    "large_straight",
    "yacht",
    "chance",
)
"""The boxes in the order of the sheet; a box's number is its place here."""

THREE_OF_A_KIND, FOUR_OF_A_KIND, FULL_HOUSE, SMALL_STRAIGHT, LARGE_STRAIGHT, YACHT, CHANCE_BOX = (
    range(6, 13)
)

UPPER_BOXES = len(FACE_BOXES)

ALL_OPEN = (1 << len(BOXES)) - 1

UPPER_OPEN = (1 << UPPER_BOXES) - 1

YACHT_BIT = 1 << YACHT

LOWER_OPEN = ALL_OPEN & ~UPPER_OPEN & ~YACHT_BIT

BONUS_AT = 63

BONUS = 35

FULL_HOUSE_POINTS, SMALL_STRAIGHT_POINTS, LARGE_STRAIGHT_POINTS, YACHT_POINTS = 25, 30, 40, 50

EXTRA_YACHT = 100

SECOND_YACHT = ("bonus_and_joker", "plain", "free_joker")

FORCED_JOKER, PLAIN, FREE_JOKER = range(3)

OPEN_YACHT, YACHT_0, YACHT_50 = range(3)
"""What the yacht box holds, as states count it: open, written 0, written 50."""


class State(NamedTuple):
    """What a sheet is still worth depends on.

    Attributes:
        open_boxes: bit b set: box b is open.
        held: what the yacht box holds: OPEN_YACHT, YACHT_0 or YACHT_50.
        upper: the upper sum, 63 and more counted as 63.
    """

    open_boxes: int
    held: int
    upper: int


# What a box pays and who may write it: flat functions on numbers, compiled for the solver.


def five_equal(counts: Sequence[int] | NDArray[np.int64]) -> int:
    """Return the face that all five dice show, 0 if they differ.

    Args:
        counts: how many dice show each of the six faces.
    """
    for face in range(FACES):
        if counts[face] == DICE:
            return face + 1
    return 0


def box_points(box: int, counts: Sequence[int] | NDArray[np.int64], joker: bool) -> int:
    """Return what the dice pay in a box, 0 if they do not fit.

    Args:
        box: the box's number.
        counts: how many dice show each of the six faces.
        joker: whether five equal dice pay full house and straights in full.

    >>> box_points(FULL_HOUSE, (0, 3, 0, 0, 2, 0), joker=False)
    25
    >>> box_points(LARGE_STRAIGHT, (0, 0, 0, 5, 0, 0), joker=True)
    40
    """
    if box < UPPER_BOXES:
        return int(counts[box] * (box + 1))
    total = 0
    most = 0
    pairs = 0
    row = 0
    longest = 0
    for face in range(FACES):
        count = counts[face]
        total += count * (face + 1)
        most = max(most, count)
        pairs += count == 2
        row = row + 1 if count > 0 else 0
        longest = max(longest, row)
    points = 0
    if box == CHANCE_BOX:
        points = total
    elif box == THREE_OF_A_KIND:
        points = total if most >= 3 else 0
    elif box == FOUR_OF_A_KIND:
        points = total if most >= 4 else 0
    elif box == FULL_HOUSE:
        points = FULL_HOUSE_POINTS if joker or (most == 3 and pairs == 1) else 0
    elif box == SMALL_STRAIGHT:
        points = SMALL_STRAIGHT_POINTS if joker or longest >= 4 else 0
    elif box == LARGE_STRAIGHT:
        points = LARGE_STRAIGHT_POINTS if joker or longest == DICE else 0
    elif box == YACHT:
        points = YACHT_POINTS if most == DICE else 0
    return int(points)


def has_jokers(second_yacht: int, open_boxes: int) -> bool:
    """Tell whether five equal dice are a joker on a sheet with these open boxes."""
    return second_yacht != PLAIN and open_boxes & YACHT_BIT == 0


def write_points(
    second_yacht: int, open_boxes: int, box: int, counts: Sequence[int] | NDArray[np.int64]
) -> int:
    """Return what writing the dice into a box puts there, -1 if that is not legal.

    Args:
        second_yacht: FORCED_JOKER, PLAIN or FREE_JOKER.
        open_boxes: bit b set: box b is open.
        box: the box's number.
        counts: how many dice show each of the six faces.
    """
    if not open_boxes >> box & 1:
        return -1
    face = five_equal(counts)
    if face == 0 or not has_jokers(second_yacht, open_boxes):
        return box_points(box, counts, False)
    own_upper_open = open_boxes >> (face - 1) & 1
    if second_yacht == FREE_JOKER:
        return box_points(box, counts, not own_upper_open)
    if own_upper_open:
        return box_points(box, counts, False) if box == face - 1 else -1
    if open_boxes & LOWER_OPEN and box < UPPER_BOXES:
        return -1
    return box_points(box, counts, True)


def extra_points(second_yacht: int, held: int, counts: Sequence[int] | NDArray[np.int64]) -> int:
    """Return the extra points of a further yacht, whatever box it is written into.

    Args:
        second_yacht: FORCED_JOKER, PLAIN or FREE_JOKER.
        held: OPEN_YACHT, YACHT_0 or YACHT_50.
        counts: how many dice show each of the six faces.
    """
    if second_yacht != PLAIN and held == YACHT_50 and five_equal(counts) > 0:
        return EXTRA_YACHT
    return 0


def upper_points(box: int, points: int, upper: int) -> int:
    """Return what a write adds to the total: its points, and the bonus if it is earned by them.

    Args:
        box: the box's number.
        points: what was written there.
        upper: the upper sum before, 63 and more counted as 63.
    """
    if box < UPPER_BOXES and upper < BONUS_AT <= upper + points:
        return points + BONUS
    return points


def upper_after(box: int, points: int, upper: int) -> int:
    """Return the upper sum after a write, 63 and more counted as 63.

    Args:
        box: the box's number.
        points: what was written there.
        upper: the upper sum before, 63 and more counted as 63.
    """
    return min(upper + points, BONUS_AT) if box < UPPER_BOXES else upper


def yacht_after(second_yacht: int, held: int, box: int, points: int) -> int:
    """Return what the yacht box holds after a write, as states count it."""
    if box != YACHT:
        return held
    return YACHT_50 if points > 0 and second_yacht != PLAIN else YACHT_0


# The sheet and the game.


class Sheet(NamedTuple):
    """A sheet; ``points[b]`` is -1 while box b is open.  The rest follows from these two."""

    points: tuple[int, ...]
    extra_yachts: int
    open_boxes: int
    upper: int
    total: int

    @property
    def yacht(self) -> int:
        """What the yacht box holds: OPEN_YACHT, YACHT_0 or YACHT_50, whatever the rules."""
        held = self.points[YACHT]
        return OPEN_YACHT if held < 0 else (YACHT_50 if held else YACHT_0)


def make_sheet(points: tuple[int, ...], extra_yachts: int) -> Sheet:
    """Return a sheet from its boxes (-1: open) and its extra yachts."""
    open_boxes = sum(1 << box for box, held in enumerate(points) if held < 0)
    upper = sum(max(held, 0) for held in points[:UPPER_BOXES])
    total = sum(max(held, 0) for held in points) + EXTRA_YACHT * extra_yachts
    return Sheet(points, extra_yachts, open_boxes, upper, total + BONUS * (upper >= BONUS_AT))


WRITES: tuple[Write, ...] = tuple(Write(box) for box in BOXES)

_BOX_NUMBER = {name: box for box, name in enumerate(BOXES)}


class Yacht(SheetGame):
    """The rules of yacht with the option ``second_yacht``."""

    name = NAME
    boxes = BOXES
    turns = len(BOXES)

    def __init__(self, second_yacht: str = "bonus_and_joker") -> None:
        self.options = {"second_yacht": second_yacht}
        self.second_yacht = SECOND_YACHT.index(second_yacht)

    def new_sheet(self) -> Sheet:
        """Return the empty sheet."""
        return make_sheet((-1,) * len(BOXES), 0)

    def state(self, sheet: Sheet) -> State:
        """Return the state of a sheet at the start of a turn."""
        held = min(sheet.yacht, YACHT_0) if self.second_yacht == PLAIN else sheet.yacht
        return State(sheet.open_boxes, held, min(sheet.upper, BONUS_AT))

    def turns_taken(self, sheet: Sheet) -> int:
        """Return how many boxes are written."""
        return len(BOXES) - sheet.open_boxes.bit_count()

    def total(self, sheet: Sheet) -> int:
        """Return the points of a sheet, the upper bonus and extra yachts counted in."""
        return sheet.total

    def writes(self, sheet: Sheet, dice: tuple[int, ...], rolls_left: int) -> tuple[Write, ...]:
        """Return the legal writes in the order of the sheet."""
        if dice[0] != dice[-1]:  # only five equal dice can make an open box illegal
            return _open_writes(sheet.open_boxes)
        return _legal_writes(self.second_yacht, sheet.open_boxes, ROLL_INDEX[dice])

    def write(self, sheet: Sheet, dice: tuple[int, ...], rolls_left: int, move: Write) -> Sheet:
        """Return the sheet with the dice written into a legal box."""
        box = _BOX_NUMBER[move.box]
        counts = ROLL_COUNTS[ROLL_INDEX[dice]]
        points = write_points(self.second_yacht, sheet.open_boxes, box, counts)
        extra = extra_points(self.second_yacht, sheet.yacht, counts)
        held = sheet.points
        return Sheet(
            (*held[:box], points, *held[box + 1 :]),
            sheet.extra_yachts + (extra > 0),
            sheet.open_boxes & ~(1 << box),
            sheet.upper + points if box < UPPER_BOXES else sheet.upper,
            sheet.total + upper_points(box, points, sheet.upper) + extra,
        )

    def returns(self, totals: tuple[int, ...]) -> tuple[float, ...]:
        """Return each seat's share of the win: the highest total wins, equals share it."""
        best = max(totals)
        share = 1 / totals.count(best)
        return tuple(share if total == best else 0.0 for total in totals)


@lru_cache(maxsize=4096)
def _legal_writes(second_yacht: int, open_boxes: int, roll: int) -> tuple[Write, ...]:
    counts = ROLL_COUNTS[roll]
    return tuple(
        WRITES[box]
        for box in range(len(BOXES))
        if write_points(second_yacht, open_boxes, box, counts) >= 0
    )


@lru_cache(maxsize=4096)
def _open_writes(open_boxes: int) -> tuple[Write, ...]:
    return tuple(WRITES[box] for box in range(len(BOXES)) if open_boxes >> box & 1)


OPTIONS = (
    Option(
        "second_yacht",
        "bonus_and_joker",
        SECOND_YACHT,
        "what five equal dice are once the yacht box is written",
    ),
)
RULES = Rulebook(Yacht, OPTIONS, Seats(least=1, most=6, usual=2))
