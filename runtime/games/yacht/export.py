"""The export of yacht: the values of one setting, and its compact outlook if it is built.

The values are for the bot that maximises its expected total, level hard.  With the outlook in
the second file a reader plays level expert, which goes for the win.  The outlook holds whole
numbers and is exported as it is; ``outlook_kind`` tells which form holds each state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.errors import OptionError
from ustad.runtime.core.work import Progress
from ustad.runtime.export.content import Content, Exporter, Packed, brief, vectors
from ustad.runtime.games.five_dice.arrays import Case, Mark, SheetArrays, Way, columns_by_row
from ustad.runtime.games.five_dice.export import VECTORS, VECTORS_SEED, sheet_content, values_alone
from ustad.runtime.games.five_dice.turn import DICE, ROLL_COUNTS
from ustad.runtime.games.yacht.codec import CODEC
from ustad.runtime.games.yacht.distributions import KNOTS, REACH, SHIFTS
from ustad.runtime.games.yacht.expert import ExpertBot
from ustad.runtime.games.yacht.levels import TableBot
from ustad.runtime.games.yacht.outlooks import Outlooks, open_if_built
from ustad.runtime.games.yacht.rules import (
    ALL_OPEN,
    BONUS,
    BONUS_AT,
    BOXES,
    CHANCE_BOX,
    EXTRA_YACHT,
    FOUR_OF_A_KIND,
    FREE_JOKER,
    FULL_HOUSE,
    LARGE_STRAIGHT,
    LOWER_OPEN,
    OPEN_YACHT,
    PLAIN,
    RULES,
    SECOND_YACHT,
    SMALL_STRAIGHT,
    THREE_OF_A_KIND,
    UPPER_BOXES,
    UPPER_OPEN,
    YACHT,
    YACHT_50,
    YACHT_BIT,
    YACHT_POINTS,
    Yacht,
    box_points,
    five_equal,
    yacht_after,
)
from ustad.runtime.games.yacht.states import (
    LOWER_SETS,
    columns,
    state_number,
)
from ustad.runtime.games.yacht.tables import BONUS_PARTS, STEPS, TABLES, kinds, read_compact
from ustad.tables import Table, open_table

Floats = NDArray[np.float64]

OUTLOOK_INDEX = (
    "A state's number among the values is s. Its form is outlook_kind[s], its row i how many "
    "states before s have the same form. A form below the number of `steps` is that of the step "
    "of this number, by whose name its arrays are called; the last form is that of the knots."
)

OUTLOOK_IN_WORDS = {
    "steps": (
        "Row i of step NAME has NAME_lengths[i] entries in NAME, the rows one after another: they "
        "are proportional to the chances of NAME_first[i], NAME_first[i] + 1, ... points to come."
    ),
    "knots": (
        "With w = floor(knot_shift[i] / shifts) and f = knot_shift[i] / shifts - w, knot j, from "
        "0, is knots[0, i] + ... + knots[j, i] + w, held within -1 and reach - 2. Between each two "
        "neighbours a and b lies the chance 1 / (number of knots - 1): equally on a + 1, ..., b "
        "points, or if a = b all of it on the larger of a and 0. Then the part f of the chance of "
        "each number of points goes to one point more."
    ),
    "win": (
        "With a = P(total < t) and b = P(total = t) of each opponent, a total of t wins the "
        "integral over z in [0, 1] of the product over opponents of a + b * z. A state is worth "
        "the mean of that over the points to come, an opponent's outlook being that of its sheet."
    ),
}
"""How an outlook lies in its arrays, for the manifest."""


THUMBS = {"easy": "most_alike", "medium": "next_roll"}
"""The rules of thumb that easy and medium are, by their names in the engine."""


def sheet_arrays(rules: Yacht) -> SheetArrays:
    """Return the rules as arrays."""
    setting, known = rules.second_yacht, columns()
    counts = ROLL_COUNTS
    equal = [roll for roll, found in enumerate(counts) if five_equal(found)]
    cases = [[Case(0, ALL_OPEN, (0, 0, 0))]]
    roll_cases = [0] * len(counts)
    if setting != PLAIN:
        for roll in equal:
            roll_cases[roll] = len(cases)
            cases.append(_joker(setting, 1 << (five_equal(counts[roll]) - 1)))
    weight = [
        int(state_number(known.column, known.count, 1 << box, 0, 0)) // known.count
        for box in range(len(BOXES))
    ]
    return SheetArrays(
        boxes=BOXES,
        counting=UPPER_BOXES,
        lowest_sum=0,
        column_start=np.array(known.bounds[:-1]),
        column=columns_by_row(known),
        stride=np.full(len(known.column), known.count),
        bonus=BONUS,
        bonus_from=[BONUS_AT] * len(known.column),
        part_weight=weight,
        held_box=YACHT,
        held_by_points=[
            (held, yacht_after(setting, OPEN_YACHT, YACHT, held)) for held in (0, YACHT_POINTS)
        ],
        held_weight=LOWER_SETS,
        extra_key="extra_yachts",
        extra_points=0 if setting == PLAIN else EXTRA_YACHT,
        extra_held=YACHT_50,
        extra_rolls=[] if setting == PLAIN else equal,
        extra_ways=_extra_ways(setting),
        extra_marks=_extra_marks(setting),
        pays=np.array(
            [
                [[box_points(box, found, joker) for box in range(len(BOXES))] for found in counts]
                for joker in (False, True)
            ]
        ),
        cases=cases,
        roll_cases=roll_cases,
    )


def _joker(setting: int, own_upper: int) -> list[Case]:
    """Return what may be done with five equal dice.

    Args:
        setting: FORCED_JOKER or FREE_JOKER.
        own_upper: the upper box of their face, as a bit.
    """
    plain, full = (0, 0, 0), (1, 1, 1)
    unwritten = Case(YACHT_BIT, ALL_OPEN, plain)
    if setting == FREE_JOKER:
        return [unwritten, Case(own_upper, ALL_OPEN, plain), Case(0, ALL_OPEN, full)]
    return [
        unwritten,
        Case(own_upper, own_upper, plain),
        Case(LOWER_OPEN, LOWER_OPEN, full),
        Case(0, UPPER_OPEN, full),
    ]


def _extra_ways(setting: int) -> list[Way]:
    """Return the ways in which further yachts can have come to a sheet.

    Under the forced joker an upper box takes one at 0 only once every lower box is written, and
    some other upper box before.
    """
    if setting == PLAIN:
        return []
    if setting == FREE_JOKER:
        return [Way(0, 0, 0)]
    lower = ALL_OPEN & ~UPPER_OPEN
    return [Way(last, lower if last else 0, UPPER_OPEN & ~last) for last in range(UPPER_OPEN + 1)]


def _extra_marks(setting: int) -> list[Mark]:
    """Return what further yachts may have left in a box.

    In the upper box of their face their sum; in a lower box what a joker puts there, once the
    upper box of the face is written, and under the free joker the plain points too.
    """
    if setting == PLAIN:
        return []
    free = setting == FREE_JOKER
    found = []
    for upper in range(UPPER_BOXES):
        points = DICE * (upper + 1)
        found.append(Mark(upper, points, 0))
        if free:
            found.append(Mark(upper, 0, 0))
        for box in (THREE_OF_A_KIND, FOUR_OF_A_KIND, CHANCE_BOX):
            found.append(Mark(box, points, 0 if free else 1 << upper))
    for box in (FULL_HOUSE, SMALL_STRAIGHT, LARGE_STRAIGHT):
        found.append(Mark(box, box_points(box, ROLL_COUNTS[0], True), UPPER_OPEN if free else 0))
        if free:
            found.append(Mark(box, 0, 0))
    return found


def option_sets() -> Sequence[dict[str, Any]]:
    """Return the settings."""
    return tuple({"second_yacht": setting} for setting in SECOND_YACHT)


def content(options: Mapping[str, Any], folder: Path, progress: Progress | None = None) -> Content:
    """Return the export of one setting.

    Raises:
        TableError: its table is missing or unfit.
        ExportError: rounding it would cost too much.
    """
    spec = TABLES.spec(options)
    values_alone(spec.options)
    if "outlook" in spec.options:
        raise OptionError("option outlook: the compact outlook is exported with the values")
    rules = Yacht(**spec.options)
    table = open_table(spec, folder)
    arrays = sheet_arrays(rules)
    found = sheet_content(
        CODEC, RULES, rules, table, arrays, TableBot, "hard", "win_share", THUMBS, progress
    )
    outlook = open_if_built(spec.options, "compact", folder)
    found = replace(found, levels={**found.levels, "expert": "win_share"})
    return found if outlook is None else _with_outlook(found, rules, table, outlook)


def experts(
    rules: Yacht, table: Table, outlook: Table, read: Floats
) -> tuple[ExpertBot, ExpertBot]:
    """Return the experts that go by the exact values and by the rounded ones."""
    bonus = outlook.parts["bonus"] / BONUS_PARTS
    known = Outlooks("compact", read_compact(rules.second_yacht, outlook), bonus, False)
    rounded_table = replace(table, source=read)
    return ExpertBot(TableBot(rules, table), known), ExpertBot(
        TableBot(rules, rounded_table), known
    )


def _with_outlook(found: Content, rules: Yacht, table: Table, outlook: Table) -> Content:
    """Return an export with an outlook in a second file."""
    names = [name for name, *_ in STEPS]
    parts = [f"{name}{rest}" for name in names for rest in ("", "_lengths", "_first")]
    arrays = {
        "outlook_kind": Packed(kinds(rules.second_yacht).astype("|u1")),
        "knots": Packed(outlook.values),
        "knot_shift": Packed(outlook.parts["shift"]),
        **{name: Packed(outlook.parts[name]) for name in parts},
    }
    facts = {
        "outlook": {
            "name": "compact",
            "quantity": outlook.spec.quantity,
            "index_formula": OUTLOOK_INDEX,
            "steps": names,
            "knots": KNOTS,
            "shifts": SHIFTS,
            "reach": REACH,
            "in_words": OUTLOOK_IN_WORDS,
        }
    }
    exact, read = experts(rules, table, outlook, found.files["values.bin"]["values"].values())
    starts = [rules.new(players, players - 1) for players in range(2, 7)]
    played = vectors(CODEC, starts, exact, read, VECTORS, VECTORS_SEED, "expert")
    return replace(
        found,
        vectors=[*found.vectors, *brief(played)],
        facts={**found.facts, **facts},
        reader=("yacht.js", "endgame.js", "outlook.js", *found.reader),
        files={**found.files, "outlook.bin": arrays},
    )


EXPORTER = Exporter(content, option_sets, ("yacht.js", "Yacht"))
