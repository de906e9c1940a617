"""The tables of yacht: expected points, and outlooks.

Four kinds of table hold distributions of the points still to come, for every state
at the start of a turn:

- **full**: the chance of every number of points, up to ``SPAN``, under hard play;
- **compact**: the same in some 3 MB;
- **best**: the best chance to make at least so many points, each number for itself;
- **best_compact**: in some 3 MB two parts of these and one of the outlook.

Rows.  In the large tables the row of a state holds a number for 0, 1, 2, ... points,
as many as :func:`widths` says, by what the yacht box holds.  Compact tables hold
states in whole parts, with one or two open boxes in 65,535, with three in 255 and
with four in 63, and those with more by knots; see :mod:`ustad.runtime.games.yacht.distributions`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.options import Option, defaults
from ustad.runtime.games.five_dice.columns import Columns
from ustad.runtime.games.five_dice.tables import SheetTables
from ustad.runtime.games.five_dice.turn import FACES
from ustad.runtime.games.yacht.distributions import (
    CLOSE,
    KNOTS,
    REACH,
    SPAN,
    BestChances,
    CompactOutlook,
    FullOutlook,
    Knots,
    Outlook,
    Steps,
)
from ustad.runtime.games.yacht.rules import (
    ALL_OPEN,
    BONUS,
    NAME,
    OPEN_YACHT,
    OPTIONS,
    PLAIN,
    RULES,
    SECOND_YACHT,
    UPPER_BOXES,
)
from ustad.runtime.games.yacht.states import LOWER_SETS, columns, state_index, yacht_states
from ustad.tables import Table, TableSpec

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

STEPS = (("fine", 2, 65535, "<u2"), ("medium", 3, 255, "|u1"), ("coarse", 4, 63, "|u1"))
"""The kinds of states that compact tables hold in whole parts: the name, the most open boxes,
how many parts, and their type."""

FAR = len(STEPS)
"""The kind of the other states, held by knots."""

BONUS_PARTS = 1000

MIX = 2 / 3
"""What best chances count in the compact mixture; the outlook under hard play is the rest."""

_START_POINTS = 250
"""A table's start value is that of so many points at the start of the game."""

_MOST_WITHOUT_YACHT = 5 * sum(range(1, FACES + 1)) + BONUS + 30 + 30 + 25 + 30 + 40 + 30
"""Points of the best sheet but its yacht box, without further yachts."""


def widths(second_yacht: int) -> tuple[int, ...]:
    """Return how many entries a row has, by what the yacht box holds."""
    if second_yacht == PLAIN:
        return _MOST_WITHOUT_YACHT + 50 + 1, _MOST_WITHOUT_YACHT + 1
    return SPAN, _MOST_WITHOUT_YACHT + 1, SPAN


def section() -> int:
    """Return how many states have the same thing in the yacht box."""
    return LOWER_SETS * columns().count


def row_starts(second_yacht: int) -> Ints:
    """Return (states + 1,) where the row of each state begins."""
    sizes = np.repeat(widths(second_yacht), section())
    return np.concatenate([[0], np.cumsum(sizes)])


@cache
def open_counts(second_yacht: int) -> Ints:
    """Return (states,) how many boxes are open in each state."""
    known = columns()
    open_lower = np.array([members.bit_count() for members in range(LOWER_SETS)])
    open_upper = np.repeat(open_lower[: 1 << UPPER_BOXES], np.diff(known.bounds))
    open_yacht = np.arange(yacht_states(second_yacht)) == OPEN_YACHT
    counts: Ints = (open_yacht[:, None, None] + open_lower[:, None] + open_upper).ravel()
    return counts


@cache
def kinds(second_yacht: int) -> NDArray[np.int8]:
    """Return (states,) the kind of each state: the form that a compact table holds it in."""
    limits = [most for _, most, _, _ in STEPS]
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


def outlook_spec(options: Mapping[str, Any], outlook: str) -> TableSpec:
    """Return the identity of the table of an outlook.

    Args:
        options: the full option set of the rules.
        outlook: ``compact``, ``full``, ``best`` or ``best_compact``.
    """
    second_yacht = SECOND_YACHT.index(options["second_yacht"])
    states = yacht_states(second_yacht) * section()
    start = state_index(ALL_OPEN, OPEN_YACHT, 0)
    compact = outlook.endswith("compact")
    parts: dict[str, tuple[str, tuple[int, ...]]]
    shape: tuple[int, ...]
    if not compact:
        formula = _ROWS.format(widths=", ".join(map(str, widths(second_yacht))))
        starts = row_starts(second_yacht)
        dtype, shape = "<f8", (int(starts[-1]),)
        start_index = int(starts[start]) + _START_POINTS
        parts = {}
        if outlook == "full":
            parts = dict.fromkeys(("tail", "tail_points", "bonus"), ("<f8", (states,)))
    else:
        formula = _COMPACT
        counts = np.bincount(kinds(second_yacht)).tolist()
        dtype, shape = "|u1", (KNOTS, counts[FAR])
        start_index = int(np.count_nonzero(kinds(second_yacht)[:start] == FAR))
        parts = {"shift": ("|i1", (counts[FAR],)), "bonus": ("<u2", (states,))}
        for (name, _, _, kind), count in zip(STEPS, counts[:FAR], strict=True):
            parts |= {
                name: (kind, (-count * REACH,)),
                f"{name}_lengths": ("<u2", (count,)),
                f"{name}_first": ("<u2", (count,)),
            }
    return TableSpec(
        game=NAME,
        options={**options, "outlook": outlook},
        quantity=_QUANTITIES[outlook],
        unit="points" if compact else "probability",
        index_version=1,
        index_formula=formula,
        shape=shape,
        start_index=start_index,
        dtype=dtype,
        parts=parts,
        plain=("values",) if compact else (),
        mapped=not compact,
        defaults=_DEFAULTS,
        least=0.0,
        most=255.0 if compact else 1.0 + CLOSE,
        check=_check_compact if compact else _check_tails,
    )


def _check_compact(arrays: Mapping[str, NDArray[Any]]) -> None:
    """Raise ValueError unless rows of parts are as long as is said and each holds a chance."""
    for name, _, _, _ in STEPS:
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


def full(second_yacht: int, chance: Floats, tail: Floats, tail_points: Floats) -> FullOutlook:
    """Return the outlook that these arrays hold."""
    return FullOutlook(chance, widths(second_yacht), section(), tail, tail_points)


def read_full(second_yacht: int, table: Table) -> FullOutlook:
    """Return the outlook of a full table."""
    tail, points = table.parts["tail"], table.parts["tail_points"]
    return FullOutlook(table, widths(second_yacht), section(), tail, points)


def read_best(second_yacht: int, table: Table) -> BestChances:
    """Return the best chances of their table."""
    return BestChances(table, widths(second_yacht), section())


def read_compact(second_yacht: int, table: Table) -> CompactOutlook:
    """Return the outlook of a compact table."""
    kind = kinds(second_yacht)
    place = np.empty(len(kind), dtype=np.int64)
    for number in range(FAR + 1):
        members = np.flatnonzero(kind == number)
        place[members] = np.arange(len(members))
    parts = table.parts
    steps = [
        Steps(
            parts[name],
            np.concatenate([[0], np.cumsum(parts[f"{name}_lengths"], dtype=np.int64)]),
            parts[f"{name}_first"],
        )
        for name, _, _, _ in STEPS
    ]
    return CompactOutlook(kind, place, (*steps, Knots(table.values, parts["shift"])))


def start_mean(table: Table) -> float:
    """Return the mean of the final total by the table of an outlook.

    By best chances it is that of one who knows from the start which total it takes.
    """
    second_yacht = SECOND_YACHT.index(table.spec.options["second_yacht"])
    read: dict[str, Callable[[int, Table], Outlook]] = {"full": read_full, "best": read_best}
    known = read.get(table.spec.options["outlook"], read_compact)(second_yacht, table)
    row = known.rows(np.array([state_index(ALL_OPEN, OPEN_YACHT, 0)]))[0]
    return float(row @ np.arange(len(row)))


OUTLOOK = Option(
    "outlook",
    None,
    ("compact", "full", "best", "best_compact"),
    "the points still to come as distributions, for expert: compact; full, every point; best, "
    "the best chances of every total too; best_compact, compact with these",
)
"""What a table holds beside the values."""

_DEFAULTS = defaults((*OPTIONS, OUTLOOK))

_MOST_POINTS = 1575
"""Points of the best sheet there is: thirteen yachts, twelve of them paid 100 more."""


class YachtTables(SheetTables):
    """The tables of yacht."""

    fields = (*OPTIONS, OUTLOOK)

    def defaults(self) -> tuple[dict[str, Any], ...]:
        """Return the values of the three settings, and the compact outlooks of the game's own."""
        return (
            *({"second_yacht": setting} for setting in SECOND_YACHT),
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
        if asked is None:
            return (options,)
        settings = {name: value for name, value in options.items() if name != "outlook"}
        needed = outlooks.get(asked, (asked,))
        return (settings, *({**settings, "outlook": outlook} for outlook in needed))

    def start_value(self, table: Table) -> tuple[float, str]:
        """Return the expected total by a table: of an outlook the mean."""
        if "outlook" not in table.spec.options:
            return super().start_value(table)
        return start_mean(table), "points"

    def columns(self, options: Mapping[str, Any]) -> Columns:
        """Return the columns of the states, which are the same under every setting."""
        del options
        return columns()

    def spec(self, options: Mapping[str, Any]) -> TableSpec:
        """Return the identity of the table of expected points still to come, or of an outlook."""
        given = dict(options)
        if (outlook := given.pop("outlook", None)) is not None:
            return outlook_spec(RULES.read_options(given), OUTLOOK.check(outlook))
        full = RULES.read_options(given)
        second_yacht = SECOND_YACHT.index(full["second_yacht"])
        rows = yacht_states(second_yacht) * LOWER_SETS
        return TableSpec(
            game=NAME,
            options=full,
            quantity="expected points still to come at the start of a turn, under the best play",
            unit="points",
            index_version=1,
            index_formula=(
                "values[row * columns + column[open upper boxes, min(upper sum, 63)]]; "
                "row = yacht * 64 + open lower boxes; yacht: 0 open, 1 written 0 (under plain: "
                "written), 2 written 50; open boxes as bits, upper: ones 1, twos 2, threes 4, "
                "fours 8, fives 16, sixes 32; lower: three_of_a_kind 1, four_of_a_kind 2, "
                "full_house 4, small_straight 8, large_straight 16, chance 32; the bonus of 35 "
                "is paid by the write that lifts the upper sum to 63"
            ),
            shape=(rows * columns().count,),
            start_index=state_index(ALL_OPEN, OPEN_YACHT, 0),
            defaults=_DEFAULTS,
            least=0.0,
            most=_MOST_POINTS,
        )


TABLES = YachtTables()
