"""The numbers of Marriage's expert: weights of features, and the net to expect.

**The net to expect** is a linear function of what a seat knows, one for each *kind* of
decision, learned on the nets of whole rounds (``ustad.solver.marriage.learning``).  It is told in
points from each opponent, so that one function serves two to five players; draws and
discards are told by the hand that they leave, a show by the cards left after the best
discard, putali and master its jokers, a finish by what it pays.  What tanelas laid pay is
counted in fives: before the show by what a five was worth on average, at a show and later
exactly.

**Measured** over 250 rounds of four experts, told less paid, net points: first decision of a
seat -2.2 +- 1.6, shows -1.8 +- 2.0, tanelas laid -1.0 +- 7.0, finishes -0.5 +- 1.0; with the tiplu
seen at once -2.3, -2.8, -2.6 and -0.7; with ``laid_need_tiplu`` off -1.9, -1.5, -1.0 and -0.2;
where putali and master need a show -2.2 +- 2.0, -7.4 +- 2.1, -4.7 +- 7.5 and -7.7 +- 1.1.

``numbers`` is one float64 vector: WEIGHTS weights, then for each kind its features and
the numbers of :data:`TOLD_NAMES`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ustad.runtime.core.errors import OptionError
from ustad.runtime.games.marriage.ratings import (
    AFTER,
    AFTER_NAMES,
    BEFORE,
    BEFORE_NAMES,
    FEATURE_NAMES,
    WEIGHTS,
    Floats,
)
from ustad.tables import MissingTableError, TableSpec, open_table, tables_folder

DRAW_UNSHOWN, DISCARD_UNSHOWN, SHOW, DRAW_SHOWN, DISCARD_SHOWN, FINISH = range(6)
KIND_NAMES = (
    "draw before the show",
    "discard before the show",
    "show",
    "draw after the show",
    "discard after the show",
    "finish",
)
"""The kinds of decisions.  A discard that does not see the tiplu yet is one of a show."""

TOLD_NAMES = (
    "maal",
    "fives paid for tanelas laid",
    "share of opponents that have shown",
    "stock, in tens of cards a player",
    "dublees shown",
    "the tiplu is seen at once",
    "always",
)
"""What beside the hand a net is told by."""
TOLD = len(TOLD_NAMES)
TOLD_LAID = 1
"""The place of the fives among them."""
MOST_TOLD = BEFORE + TOLD

KIND_ROWS = (BEFORE, BEFORE, AFTER, AFTER, AFTER, 0)
"""How many features of the hand each kind is told by; those of a draw are the hand's."""
KIND_STARTS = tuple(
    WEIGHTS + sum(row + TOLD for row in KIND_ROWS[:kind]) for kind in range(len(KIND_ROWS) + 1)
)
NUMBERS = KIND_STARTS[-1]

_ROW_NAMES = {BEFORE: BEFORE_NAMES, AFTER: AFTER_NAMES, 0: ()}
NUMBER_NAMES = (
    *FEATURE_NAMES,
    *(
        f"net, {name}: {feature}"
        for name, row in zip(KIND_NAMES, KIND_ROWS, strict=True)
        for feature in (*_ROW_NAMES[row], *TOLD_NAMES)
    ),
)

SHIPPED = Path(__file__).with_name("weights.json")


def told_row(
    row: Floats,
    maal: int,
    laid_pay: int,
    others_shown: int,
    stock: int,
    players: int,
    dublees: bool,
    at_once: bool,
    into: Floats,
) -> int:
    """Fill ``into`` with what a net is told by and return how many numbers that are.

    Args:
        row: the features of the hand, none for a finish.
        maal: the seat's own, without what laying pays.
        laid_pay: what the tanelas that it laid pay beside their cards.
        others_shown: how many opponents have shown.
        stock: how many cards are left.
        players: how many seats.
        dublees: whether the seat has shown dublees, or shows them now.
        at_once: whether a show is made that lets the tiplu be seen at once.
        into: (MOST_TOLD,) filled from the start.
    """
    size = len(row)
    for k in range(size):
        into[k] = row[k]
    into[size] = maal
    into[size + 1] = laid_pay / 5.0
    into[size + 2] = others_shown / (players - 1)
    into[size + 3] = stock / (10.0 * players)
    into[size + 4] = 1.0 if dublees else 0.0
    into[size + 5] = 1.0 if at_once else 0.0
    into[size + 6] = 1.0
    return size + TOLD


def weights_spec(options: Mapping[str, Any]) -> TableSpec:
    """Return the identity of the table of expert's numbers."""
    if options:
        raise OptionError(f"option {next(iter(options))}: marriage has one table, without options")
    return TableSpec(
        game="marriage",
        options={},
        quantity="what features of a hand are worth, and the net to expect",
        unit="net points",
        index_version=3,
        index_formula="in order: " + "; ".join(NUMBER_NAMES),
        shape=(NUMBERS,),
        start_index=0,
    )


@cache
def shipped_numbers() -> Floats:
    """Return (NUMBERS,) the numbers that ship with the package."""
    told = json.loads(SHIPPED.read_text(encoding="utf-8"))["numbers"]
    return np.array([told[name] for name in NUMBER_NAMES])


def expert_numbers(tables: Path | None) -> Floats:
    """Return the numbers of the table if there is one, else those that ship with the package.

    Raises:
        TableError: there is a table, and it is unfit.
    """
    try:
        return open_table(weights_spec({}), tables_folder(tables)).values
    except MissingTableError:
        return shipped_numbers()
