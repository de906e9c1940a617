"""The tables of yacht: expected points, and the score distributions called outlooks.

Four kinds of table hold a score distribution, that of the points still to come, for every
state at the start of a turn:

- **full**: the chance of every number of points, up to ``SPAN``, under hard play;
- **compact**: the same in little room, rounded;
- **best**: the best chance to make at least so many points, each number for itself;
- **best_compact**: as compact, of two parts of best chances and one of hard play.

Layout.  The large tables have the lattice form: the row of a state holds a number for 0, 1,
2, ... points, as many as :func:`widths` says, by what the yacht box holds.  Compact tables
hold states with few open boxes in lattice form, in whole parts (:data:`STEPS`), and the
others in quantile form; see :mod:`ustad.runtime.games.yacht.distributions`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.errors import OptionError
from ustad.runtime.core.options import Option, defaults
from ustad.runtime.games.five_dice.columns import Columns
from ustad.runtime.games.five_dice.tables import BY_BOX, SheetTables
from ustad.runtime.games.five_dice.turn import DICE, FACES, HIGHEST_SUM
from ustad.runtime.games.yacht.distributions import (
    CLOSE,
    KNOTS,
    REACH,
    SPAN,
    BestChances,
    CompactDistributions,
    LatticeDistributions,
    Quantiles,
    ScoreDistributions,
    Steps,
)
from ustad.runtime.games.yacht.rules import (
    ALL_OPEN,
    BONUS,
    BOXES,
    FULL_HOUSE_POINTS,
    LARGE_STRAIGHT_POINTS,
    NAME,
    OPEN_YACHT,
    OPTIONS,
    PLAIN,
    RULES,
    SECOND_YACHT,
    SMALL_STRAIGHT_POINTS,
    YACHT_POINTS,
)
from ustad.runtime.games.yacht.states import (
    columns,
    open_counts,
    section,
    state_count,
    state_index,
)
from ustad.tables import ArrayForm, Table, TableSpec

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Step(NamedTuple):
    """States that compact tables hold in whole parts.

    Attributes:
        name: the name of the array.
        most_open: the most open boxes.
        parts: how many parts the whole has.
        dtype: the type of the numbers.
    """

    name: str
    most_open: int
    parts: int
    dtype: str


STEPS = (
    Step("fine", 2, 65535, "<u2"),
    Step("medium", 3, 255, "|u1"),
    Step("coarse", 4, 63, "|u1"),
)

FAR = len(STEPS)
"""The kind of the other states, which are in quantile form."""

SOURCES = (*BOXES, "bonus", "extra_yachts")
"""Where points come from: the boxes, the upper bonus, extra yachts."""

BONUS_SOURCE, EXTRA_SOURCE = len(BOXES), len(BOXES) + 1

BONUS_PARTS = 1000
"""Parts in which compact tables hold the chance of the upper bonus."""

MIX = 2 / 3
"""What best chances count in the compact mixture; hard play is the rest."""

_START_POINTS = 250
"""A table's start value is that of so many points at the start of the game."""

_MOST_WITHOUT_YACHT = (
    DICE * sum(range(1, FACES + 1))
    + BONUS
    + 3 * HIGHEST_SUM  # three and four of a kind, chance
    + FULL_HOUSE_POINTS
    + SMALL_STRAIGHT_POINTS
    + LARGE_STRAIGHT_POINTS
)
"""Points of the best sheet but its yacht box, without further yachts."""


def widths(second_yacht: int) -> tuple[int, ...]:
    """Return how many entries a row has, by what the yacht box holds."""
    if second_yacht == PLAIN:
        return _MOST_WITHOUT_YACHT + YACHT_POINTS + 1, _MOST_WITHOUT_YACHT + 1
    return SPAN, _MOST_WITHOUT_YACHT + 1, SPAN


def row_starts(second_yacht: int) -> Ints:
    """Return (states + 1,) where the row of each state begins."""
    sizes = np.repeat(widths(second_yacht), section())
    return np.concatenate([[0], np.cumsum(sizes)])


@cache
def kinds(second_yacht: int) -> NDArray[np.int8]:
    """Return (states,) the kind of each state: the form that a compact table holds it in."""
    limits = [step.most_open for step in STEPS]
    found: NDArray[np.int8] = np.searchsorted(limits, open_counts(second_yacht)).astype(np.int8)
    return found


_QUANTITIES = {
    "full": "chance of each number of points still to come under the play of level hard",
    "compact": "first knot, then gaps between the knots, of the points still to come under the "
    "play of level hard",
    "best": "best chance of at least each number of points still to come",
    "best_compact": "first knot, then gaps between the knots, of the points still to come, mixed "
    "of one part under the play of level hard and two of best chances",
}

_ROWS = (
    "values[start of the row + points]; rows in the order of the states, which are numbered as "
    "in the table of values, of {widths} entries by what the yacht box holds; parts/tail and "
    "parts/tail_points are the chance and the mean of what is beyond a row"
)
_COMPACT = (
    "values[:, i] and parts/shift[i] for state number i of those with five open boxes or more, "
    "states numbered as in the table of values: the first knot, then the gap to each next; "
    "ten equal parts of the chance lie above a knot up to the next, all moved by shift / 16 "
    "points; states with one or two open boxes in 65535 parts, with three in 255, with four in "
    "63: row i of {fine,medium,coarse} has lengths[i] entries, from first[i] points on, one row "
    "after the other; parts/bonus in 1000 parts"
)


class _Layout(NamedTuple):
    """The arrays of a table: that of the values, the place of the start value in it, the others."""

    formula: str
    dtype: str
    shape: tuple[int, ...]
    start_index: int
    parts: dict[str, ArrayForm]


def _lattice_layout(second_yacht: int, start: int, tails: bool) -> _Layout:
    """Return the layout of a large table; ``start`` is the state at the start of a game."""
    starts, states = row_starts(second_yacht), state_count(second_yacht)
    names = ("tail", "tail_points", "bonus") if tails else ()
    return _Layout(
        _ROWS.format(widths=", ".join(map(str, widths(second_yacht)))),
        "<f8",
        (int(starts[-1]),),
        int(starts[start]) + _START_POINTS,
        dict.fromkeys(names, ArrayForm("<f8", (states,))),
    )


def _compact_layout(second_yacht: int, start: int) -> _Layout:
    """Return the layout of a compact table; ``start`` is the state at the start of a game."""
    *counts, far = np.bincount(kinds(second_yacht)).tolist()
    parts = {
        "shift": ArrayForm("|i1", (far,)),
        "bonus": ArrayForm("<u2", (state_count(second_yacht),)),
    }
    for step, count in zip(STEPS, counts, strict=True):
        parts |= {
            step.name: ArrayForm(step.dtype, (-count * REACH,)),
            f"{step.name}_lengths": ArrayForm("<u2", (count,)),
            f"{step.name}_first": ArrayForm("<u2", (count,)),
        }
    before = int(np.count_nonzero(kinds(second_yacht)[:start] == FAR))
    return _Layout(_COMPACT, "|u1", (KNOTS, far), before, parts)


def outlook_spec(options: Mapping[str, Any], outlook: str) -> TableSpec:
    """Return the identity of the table of an outlook.

    Args:
        options: the full option set of the rules.
        outlook: ``compact``, ``full``, ``best`` or ``best_compact``.
    """
    second_yacht = SECOND_YACHT.index(options["second_yacht"])
    start = state_index(ALL_OPEN, OPEN_YACHT, 0)
    large = outlook in {"full", "best"}
    layout = (
        _lattice_layout(second_yacht, start, tails=outlook == "full")
        if large
        else _compact_layout(second_yacht, start)
    )
    return TableSpec(
        game=NAME,
        options={**options, "outlook": outlook},
        quantity=_QUANTITIES[outlook],
        unit="probability" if large else "points",
        index_version=1,
        index_formula=layout.formula,
        shape=layout.shape,
        start_index=layout.start_index,
        dtype=layout.dtype,
        parts=layout.parts,
        plain=() if large else ("values",),
        mapped=large,
        defaults=_DEFAULTS,
        least=0.0,
        most=1.0 + CLOSE if large else 255.0,
        check=_check_tails if large else _check_compact,
    )


def _check_compact(arrays: Mapping[str, NDArray[Any]]) -> None:
    """Raise ValueError unless rows of parts are as long as is said and each holds a chance."""
    for step in STEPS:
        name = step.name
        lengths = arrays[f"{name}_lengths"].astype(np.int64)
        if lengths.min(initial=1) < 1 or lengths.sum() != len(arrays[name]):
            raise ValueError(f"{name}_lengths that do not add up to {len(arrays[name])}")
        if (arrays[f"{name}_first"] + lengths).max(initial=0) > REACH:
            raise ValueError(f"{name}_first: points beyond {REACH}")
        begin = np.cumsum(lengths) - lengths
        if not np.add.reduceat(arrays[name], begin, dtype=np.int64).all():
            raise ValueError(f"{name}: a row without chance")
    if arrays["bonus"].max(initial=0) > BONUS_PARTS:
        raise ValueError(f"bonus: more than {BONUS_PARTS} parts")


def _check_tails(arrays: Mapping[str, NDArray[Any]]) -> None:
    """Raise ValueError unless what is beyond the rows, if anything, has a chance and a mean."""
    for name, most in (("tail", 1.0 + CLOSE), ("tail_points", REACH - 1), ("bonus", 1.0 + CLOSE)):
        held = arrays.get(name, np.zeros(1))
        if held.min() < -CLOSE or held.max() > most:
            raise ValueError(f"{name} out of 0 to {most:g}")


def read_full(second_yacht: int, table: Table) -> LatticeDistributions:
    """Return the distributions of a full table."""
    tail, points = table.parts["tail"], table.parts["tail_points"]
    return LatticeDistributions(table, widths(second_yacht), section(), tail, points)


def read_best(second_yacht: int, table: Table) -> BestChances:
    """Return the best chances of their table."""
    return BestChances(table, widths(second_yacht), section())


def read_compact(second_yacht: int, table: Table) -> CompactDistributions:
    """Return the distributions of a compact table."""
    kind = kinds(second_yacht)
    place = np.empty(len(kind), dtype=np.int64)
    for number in range(FAR + 1):
        members = np.flatnonzero(kind == number)
        place[members] = np.arange(len(members))
    parts = table.parts
    steps = [
        Steps(
            parts[step.name],
            np.concatenate([[0], np.cumsum(parts[f"{step.name}_lengths"], dtype=np.int64)]),
            parts[f"{step.name}_first"],
        )
        for step in STEPS
    ]
    return CompactDistributions(kind, place, (*steps, Quantiles(table.values, parts["shift"])))


def read_outlook(table: Table) -> ScoreDistributions:
    """Return the score distributions of a table, whichever outlook it holds."""
    second_yacht = SECOND_YACHT.index(table.spec.options["second_yacht"])
    if table.spec.options["outlook"] == "full":
        return read_full(second_yacht, table)
    if table.spec.options["outlook"] == "best":
        return read_best(second_yacht, table)
    return read_compact(second_yacht, table)


RULE_NAMES = frozenset(option.name for option in OPTIONS)

OUTLOOK = Option(
    "outlook",
    None,
    ("compact", "full", "best", "best_compact"),
    "the points still to come as distributions, for expert: compact; full, every point; best, "
    "the best chances of every total too; best_compact, compact with these",
)
"""What a table holds beside the values."""

_DEFAULTS = defaults((*OPTIONS, OUTLOOK, BY_BOX))

_MOST_POINTS = 1575
"""Points of the best sheet there is: thirteen yachts, twelve of them paid 100 more."""


class YachtTables(SheetTables):
    """The tables of yacht."""

    name = NAME
    fields = (*OPTIONS, OUTLOOK, BY_BOX)

    def defaults(self) -> tuple[dict[str, Any], ...]:
        """Return the values of the three settings, what they consist of, and compact outlooks."""
        return (
            *({"second_yacht": setting} for setting in SECOND_YACHT),
            *({"second_yacht": setting, BY_BOX.name: True} for setting in SECOND_YACHT),
            *(
                {"second_yacht": setting, "outlook": "compact"}
                for setting in ("bonus_and_joker", "plain")
            ),
        )

    def asked_for(self, options: dict[str, Any]) -> Sequence[dict[str, Any]]:
        """Return the table of these options and those it is of no use without."""
        outlooks = {
            "best": ("full", "best", "compact", "best_compact"),
            "best_compact": ("compact", "best_compact"),
        }
        asked = options.get("outlook")
        settings = {name: value for name, value in options.items() if name in RULE_NAMES}
        if options.get(BY_BOX.name):
            return (settings, options)
        if asked is None:
            return (options,)
        needed = outlooks.get(asked, (asked,))
        return (settings, *({**settings, "outlook": outlook} for outlook in needed))

    def start_value(self, table: Table) -> tuple[float, str]:
        """Return the expected total by a table: of an outlook the mean."""
        if "outlook" not in table.spec.options:
            return super().start_value(table)
        # By best chances: that of a player who knows from the start which total it takes.
        row = read_outlook(table).rows(np.array([state_index(ALL_OPEN, OPEN_YACHT, 0)]))[0]
        return float(row @ np.arange(len(row))), "points"

    def columns(self, options: Mapping[str, Any]) -> Columns:
        """Return the columns of the states, which are the same under every setting."""
        del options
        return columns()

    def spec(self, options: Mapping[str, Any]) -> TableSpec:
        """Return the identity of the table of expected points still to come, or of an outlook."""
        given = dict(options)
        by_box = BY_BOX.check(given.pop(BY_BOX.name, False))
        if (outlook := given.pop("outlook", None)) is not None:
            if by_box:
                raise OptionError("option by_box: expected no outlook beside it")
            return outlook_spec(RULES.read_options(given), OUTLOOK.check(outlook))
        values = self._values_spec(RULES.read_options(given))
        return self.by_box_spec(values, SOURCES, 0.0, _MOST_POINTS) if by_box else values

    def _values_spec(self, full: dict[str, Any]) -> TableSpec:
        """Return the identity of the table of expected points still to come."""
        second_yacht = SECOND_YACHT.index(full["second_yacht"])
        formula = (
            "values[row * columns + column[open upper boxes, min(upper sum, 63)]]; "
            "row = yacht * 64 + open lower boxes; yacht: 0 open, 1 written 0 (under plain: "
            "written), 2 written 50; open boxes as bits, upper: ones 1, twos 2, threes 4, "
            "fours 8, fives 16, sixes 32; lower: three_of_a_kind 1, four_of_a_kind 2, "
            "full_house 4, small_straight 8, large_straight 16, chance 32; the bonus of 35 "
            "is paid by the write that lifts the upper sum to 63"
        )
        start = state_index(ALL_OPEN, OPEN_YACHT, 0)
        states = state_count(second_yacht)
        return self.values_spec(full, formula, states, start, 0.0, _MOST_POINTS)


TABLES = YachtTables()
