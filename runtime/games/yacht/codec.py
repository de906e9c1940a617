"""Yacht's sheets as JSON, and which of them can be."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import chain, combinations
from typing import Any

from ustad.runtime.core.shapes import Keys, one_of, or_null, whole
from ustad.runtime.games.five_dice.codec import SheetCodec, check_points
from ustad.runtime.games.five_dice.turn import DICE, ROLL_COUNTS
from ustad.runtime.games.yacht.rules import (
    BOXES,
    CHANCE_BOX,
    FOUR_OF_A_KIND,
    FREE_JOKER,
    FULL_HOUSE,
    LARGE_STRAIGHT,
    NAME,
    PLAIN,
    RULES,
    SMALL_STRAIGHT,
    THREE_OF_A_KIND,
    UPPER_BOXES,
    YACHT,
    YACHT_POINTS,
    Sheet,
    Yacht,
    box_points,
    make_sheet,
)


class YachtCodec(SheetCodec):
    """Yacht's positions and moves as JSON."""

    def sheet_from_json(self, rules: Yacht, sheet: Any, name: str) -> Sheet:
        """Return the sheet that a JSON object describes.

        Refused: points that no dice give, and extra yachts that this sheet
        cannot have had (see :func:`_most_extra_yachts`).
        """
        fields = self.sheet.read(sheet, name)
        given = [fields.take(box, None) for box in BOXES]
        points = [
            -1 if held is None else check_points(fields, name, held, possible_points(box))
            for box, (name, held) in enumerate(zip(BOXES, given, strict=True))
        ]
        most = _most_extra_yachts(rules, points)
        extra = fields.integer("extra_yachts", 0, most, 0)
        fields.done()
        return make_sheet(tuple(points), extra)

    def sheet_to_json(self, rules: Yacht, sheet: Sheet) -> dict[str, Any]:
        """Return the boxes written and the extra yachts."""
        boxes = {
            name: points for name, points in zip(BOXES, sheet.points, strict=True) if points >= 0
        }
        return {**boxes, "extra_yachts": sheet.extra_yachts}


@cache
def possible_points(box: int) -> frozenset[int]:
    """Return what a box can hold: what any roll pays there."""
    return frozenset(box_points(box, counts, False) for counts in ROLL_COUNTS)


def _most_extra_yachts(rules: Yacht, points: Sequence[int]) -> int:
    """Return the most extra yachts that a sheet can have had.

    They need 50 in the yacht box, and each was written somewhere: into a box that
    holds what five equal dice put there.  Under the forced joker they fill the upper
    box of their face while it is open, so a lower box takes them only after that
    upper box is written, and an upper box takes a 0 only once every lower box is
    written and some other upper box too.  So the upper boxes that hold 0 are tried
    both ways: written early, or last and as jokers.
    """
    if rules.second_yacht == PLAIN or points[YACHT] != YACHT_POINTS:
        return 0
    upper = {box for box in range(UPPER_BOXES) if points[box] >= 0}
    own = sum(points[box] == DICE * (box + 1) for box in upper)
    if rules.second_yacht == FREE_JOKER:
        return own + sum(points[box] == 0 for box in upper) + _free_lower_jokers(points, upper)
    lower_written = all(held >= 0 for held in points[UPPER_BOXES:])
    noughts = [box for box in upper if points[box] == 0] if lower_written else []
    most = 0
    for last in chain.from_iterable(combinations(noughts, n) for n in range(len(noughts) + 1)):
        if early := upper.difference(last):
            most = max(most, own + len(last) + _lower_jokers(points, early))
    return most


def _lower_jokers(points: Sequence[int], early: set[int]) -> int:
    """Return how many lower boxes hold what a joker puts there, these upper boxes being written."""
    sums = {DICE * (box + 1) for box in early}
    in_full = sum(points[box] > 0 for box in (FULL_HOUSE, SMALL_STRAIGHT, LARGE_STRAIGHT))
    return in_full + sum(
        points[box] in sums for box in (THREE_OF_A_KIND, FOUR_OF_A_KIND, CHANCE_BOX)
    )


def _free_lower_jokers(points: Sequence[int], upper: set[int]) -> int:
    """Return how many lower boxes hold what a free joker can have put there.

    Its plain points, whatever is written; in full once some upper box is.
    """
    every = set(range(UPPER_BOXES))
    in_full = (
        0 if upper else sum(points[box] > 0 for box in (FULL_HOUSE, SMALL_STRAIGHT, LARGE_STRAIGHT))
    )
    plain = sum(points[box] == 0 for box in (FULL_HOUSE, SMALL_STRAIGHT, LARGE_STRAIGHT))
    return _lower_jokers(points, every) - in_full + plain


SHEET = Keys(
    {},
    {
        **{name: or_null(one_of(sorted(possible_points(box)))) for box, name in enumerate(BOXES)},
        "extra_yachts": whole(0, len(BOXES) - 1),
    },
)

CODEC = YachtCodec(RULES, NAME, BOXES, SHEET)
