"""Score distributions: the chance of every number of points still to come.

The problem.  The chance to win with a final total of t follows from what the others
may still make; how good a write is follows from that and from what the sheet after
it may still make.  Both need, for any state, the chance of every number of points.

The forms.  In *lattice form* a distribution holds the chance of every point, in *quantile
form* the points that cut it into equal parts.

The algorithm.  The final totals of opponents are independent: each is the total so
far plus a draw from the score distribution of the sheet.  With a = P(total < t) and
b = P(total = t) of each opponent, a final total of t wins the share

    U(t) = E[1{all others <= t} / (1 + number equal)] = integral over z in [0, 1] of
           the product over opponents of (a + b z),

a polynomial in z of degree at most five, which three nodes of Gauss and Legendre
integrate exactly (one node for one opponent, two for two or three).

Shapes.  A *row* is a distribution in lattice form: (``REACH``,) float64, the chance of x
points, summing to 1.  Rows know single points below ``SPAN``; what goes beyond is one
lump at its mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ustad.tables import Table

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SPAN = 512
"""Points from here on are lumped."""

REACH = 640
"""No lump has a mean of so many points or more."""


CLOSE = 1e-6
"""How near to one the chances of a state add up."""


class Selection(Protocol):
    """The score distributions of m states, over which shares of the win are averaged.

    *Shares* are (n, count) what 0, 1, ... points more are worth in each of n games;
    *lanes* (m,) say to which game each state belongs.
    """

    @property
    def width(self) -> int:
        """No state makes so many points or more."""

    def select(self, at: Ints) -> Selection:
        """Return the distributions of some of the states."""

    def each(self, lanes: Ints, points: Ints, shares: Floats) -> Floats:
        """Return (m,) the mean share of each state with its own points (m,) added."""

    def every(self, lanes: Ints, points: Ints, shares: Floats) -> Floats:
        """Return (m, p) the mean share of each state with each of these points (p,) added."""


class ScoreDistributions(Protocol):
    """The score distributions of all states."""

    def rows(self, states: Ints) -> Floats:
        """Return (m, n) the chance of 0 to n - 1 points for each of m states, n enough."""

    def select(self, states: Ints) -> Selection:
        """Return the distributions of m states."""


@dataclass(frozen=True)
class LatticeSelection:
    """Distributions of m states in lattice form: (m, width)."""

    rows: Floats

    @property
    def width(self) -> int:
        """No state makes so many points or more."""
        return int(self.rows.shape[1])

    def select(self, at: Ints) -> LatticeSelection:
        """Return the distributions of some of the states."""
        return LatticeSelection(self.rows[at])

    def each(self, lanes: Ints, points: Ints, shares: Floats) -> Floats:
        """Return (m,) the mean share of each state with its own points (m,) added."""
        found: Floats = np.einsum("mx,mx->m", self.rows, windows(shares, self.width)[lanes, points])
        return found

    def every(self, lanes: Ints, points: Ints, shares: Floats) -> Floats:
        """Return (m, p) the mean share of each state with each of these points (p,) added."""
        games = len(shares)
        # The states of a game stand together, so that one product of matrices serves them.
        order = np.argsort(lanes, kind="stable")
        counts = np.bincount(lanes, minlength=games)
        slot = np.empty(len(lanes), dtype=np.int64)
        slot[order] = np.arange(len(lanes)) - np.repeat(np.cumsum(counts) - counts, counts)
        together = np.zeros((games, int(counts.max(initial=0)), self.width))
        together[lanes, slot] = self.rows
        runs = windows(shares, self.width)[:, points].transpose(0, 2, 1)
        found: Floats = (together @ runs)[lanes, slot]
        return found


@dataclass(frozen=True)
class MixedSelection:
    """Distributions of m states, mixed of two by weight."""

    one: Selection
    other: Selection
    weights: Floats
    """(m,) the weights of the other."""

    @property
    def width(self) -> int:
        """No state makes so many points or more."""
        return max(self.one.width, self.other.width)

    def select(self, at: Ints) -> MixedSelection:
        """Return the distributions of some of the states."""
        return MixedSelection(self.one.select(at), self.other.select(at), self.weights[at])

    def each(self, lanes: Ints, points: Ints, shares: Floats) -> Floats:
        """Return (m,) the mean share of each state with its own points (m,) added."""
        one = self.one.each(lanes, points, shares)
        return one + self.weights * (self.other.each(lanes, points, shares) - one)

    def every(self, lanes: Ints, points: Ints, shares: Floats) -> Floats:
        """Return (m, p) the mean share of each state with each of these points (p,) added."""
        one = self.one.every(lanes, points, shares)
        return one + self.weights[:, None] * (self.other.every(lanes, points, shares) - one)


def mixed_selection(one: Selection, other: Selection, weights: Floats) -> Selection:
    """Return two selections of the same states mixed, the other by weights (m,)."""
    if not (isinstance(one, LatticeSelection) and isinstance(other, LatticeSelection)):
        return MixedSelection(one, other, weights)
    rows = np.zeros((len(weights), max(one.width, other.width)))
    np.multiply(other.rows, weights[:, None], out=rows[:, : other.width])
    rows[:, : one.width] += (1 - weights)[:, None] * one.rows
    return LatticeSelection(rows)


@dataclass(frozen=True)
class LatticeDistributions:
    """Distributions of all states in lattice form.

    Attributes:
        chance: (entries,) float64: state after state the chance of 0, 1, 2, ... points; or the
            table that holds them.
        widths: by section of equally many states, how many entries each state has.
        section: how many states a section has.
        tail: (states,) the chance of more points than there are entries.
        tail_points: (states,) the mean of these, 0 where there is no tail.
        proper: whether the chances of a state add up to one.
    """

    chance: Floats | Table
    widths: tuple[int, ...]
    section: int
    tail: Floats
    tail_points: Floats
    proper: bool = True

    @cached_property
    def _starts(self) -> Ints:
        """(sections,) where each section begins."""
        sizes = [width * self.section for width in self.widths]
        return np.cumsum([0, *sizes[:-1]])

    @property
    def laid_out(self) -> Floats:
        """All chances as an array."""
        return self.chance.values if isinstance(self.chance, Table) else self.chance

    def rows(self, states: Ints) -> Floats:
        """Return (m, n) the chance of 0 to n - 1 points for each of m states."""
        at = states // self.section
        if (at == at[0]).all():
            rows = self._section_rows(int(at[0]), states)
        else:
            rows = np.zeros((len(states), max(self.widths)))
            for number in np.unique(at).tolist():
                here = np.flatnonzero(at == number)
                rows[here, : self.widths[number]] = self._section_rows(number, states[here])
        tail = self.tail[states]
        if isinstance(self.chance, Table) and self.proper:
            _check_sums(self.chance, rows.sum(axis=1) + tail)
        return _with_tails(rows, tail, self.tail_points[states]) if tail.any() else rows

    def select(self, states: Ints) -> LatticeSelection:
        """Return the distributions of m states."""
        return LatticeSelection(_trimmed(self.rows(states)))

    def _section_rows(self, number: int, states: Ints) -> Floats:
        """Return (m, width) the rows of states that lie in one section."""
        width = self.widths[number]
        at = states - number * self.section
        begin = self._starts[number] + at * width
        if isinstance(self.chance, Table):
            return self.chance.read(begin, width)
        rows: Floats = windows(self.chance[None], width)[0][begin]
        return rows


@dataclass(frozen=True)
class BestChances:
    """The best chances to make so many points or more, each found for its own target.

    As a distribution they are what a player could make who knew from the start which
    total it takes.

    Attributes:
        best: (entries,) float64: state after state the best chance of at least 0, 1, 2, ...
            points; or the table that holds them.
        widths: by section of equally many states, how many entries each state has.
        section: how many states a section has.
    """

    best: Floats | Table
    widths: tuple[int, ...]
    section: int

    @cached_property
    def _full(self) -> LatticeDistributions:
        none = np.zeros(len(self.widths) * self.section)
        return LatticeDistributions(self.best, self.widths, self.section, none, none, proper=False)

    @property
    def laid_out(self) -> Floats:
        """All chances as an array."""
        return self._full.laid_out

    def chances(self, states: Ints) -> Floats:
        """Return (m, n) the best chance of at least 0 to n - 1 points for each of m states."""
        found = self._full.rows(states)
        if isinstance(self.best, Table):
            _check_sums(self.best, found[:, 0])  # no points at least are certain
        return found

    def rows(self, states: Ints) -> Floats:
        """Return (m, n) the chances as distributions: what is beyond the rows is at their end."""
        best = self.chances(states)
        rows = best.copy()
        rows[:, :-1] -= best[:, 1:]
        return rows

    def select(self, states: Ints) -> LatticeSelection:
        """Return the chances of m states as distributions."""
        return LatticeSelection(_trimmed(self.rows(states)))


def _check_sums(table: Table, sums: Floats) -> None:
    """Raise CorruptTableError unless what a table says is certain adds up to one."""
    off = np.abs(sums - 1.0)
    if not off.max(initial=0.0) <= CLOSE:
        raise table.damage("chances that add up to 1", repr(float(sums[off.argmax()])))


def _trimmed(rows: Floats) -> Floats:
    """Return the rows without the columns at their end that hold nothing."""
    return rows[:, : int(np.flatnonzero(rows.any(axis=0))[-1]) + 1]


def _with_tails(rows: Floats, tail: Floats, points: Floats) -> Floats:
    """Return the rows with their tails, each split between the two points next to its mean."""
    wide = np.zeros((len(rows), REACH))
    wide[:, : rows.shape[1]] = rows
    below = np.minimum(points.astype(np.int64), REACH - 2)
    part = points - below
    lanes = np.arange(len(rows))
    wide[lanes, below] += tail * (1 - part)
    wide[lanes, below + 1] += tail * part
    return wide


Nodes: TypeAlias = tuple[Sequence[float], Sequence[float]]
"""How far equals count as below, each with a weight."""

ALONE: Nodes = ((0.0,), (1.0,))
"""Equals do not count: the chance to win alone."""

ON_TOP: Nodes = ((1.0,), (1.0,))
"""Equals count in full: the chance that nobody has more."""


def win_shares(
    rows: Floats, which: Ints, leads: Ints, count: int, equals: Nodes | None = None
) -> Floats:
    """Return the share of the win by final points, against opponents of n games.

    Args:
        rows: (m, w) what opponents may still make; those of many games share rows.
        which: (n, opponents) the row of each opponent.
        leads: (n, opponents) my total less that of each opponent.
        count: how many points to answer for.
        equals: what equals count, by default what makes it the share of the win.

    Returns:
        (n, count): the share of the win with 0, 1, ... points more than now.
    """
    width = rows.shape[1]
    below = np.zeros((len(rows), width + 2))
    np.cumsum(rows, axis=1, out=below[:, 1:-1])
    below[:, -2:] = 1.0
    # at[c] = least of: 0 nobody is below, width + 1 everybody is.
    places = leads[:, :, None] + np.arange(count + 1)
    np.clip(places, 0, width + 1, out=places)
    places += which[:, :, None] * (width + 2)
    below = below.ravel().take(places)
    less, up_to = below[:, :, :-1], below[:, :, 1:]
    opponents = which.shape[1]
    nodes, weights = equals or NODES[opponents // 2]
    shares = np.zeros((len(which), count))
    for node, weight in zip(nodes, weights, strict=True):
        product = less[:, 0] * (1 - node) + up_to[:, 0] * node
        for opponent in range(1, opponents):
            product *= less[:, opponent] * (1 - node) + up_to[:, opponent] * node
        shares += weight * product
    return shares


def _gauss_legendre(count: int) -> Nodes:
    """Return nodes and weights on [0, 1] that integrate degree 2 count - 1 exactly."""
    nodes, weights = np.polynomial.legendre.leggauss(count)
    return ((nodes + 1) / 2).tolist(), (weights / 2).tolist()


NODES = [_gauss_legendre(count) for count in range(1, 4)]
"""Nodes and their weights, by half the number of opponents."""


def windows(shares: Floats, width: int) -> Any:
    """Return a view (n, starts, width) of all runs of so many numbers in each row."""
    return np.lib.stride_tricks.sliding_window_view(shares, width, axis=1)


@dataclass(frozen=True)
class Steps:
    """Distributions in lattice form, in whole parts.

    Row i is ``parts[start[i]:start[i + 1]]`` from ``first[i]`` points on.

    Attributes:
        parts: (entries,) whole numbers; those of a row add up to one chance.
        start: (rows + 1,) where each row begins.
        first: (rows,) the points of its first entry.
    """

    parts: NDArray[Any]
    start: Ints
    first: Ints

    def rows(self, at: Ints) -> Floats:
        """Return (m, n) the chance of 0 to n - 1 points for each of m rows."""
        begin, end = self.start[at], self.start[at + 1]
        first = self.first[at].astype(np.int64)
        found = np.zeros((len(at), int((first + end - begin).max())))
        places = zip(begin.tolist(), end.tolist(), first.tolist(), strict=True)
        for row, (low, high, points) in zip(found, places, strict=True):
            row[points : points + high - low] = self.parts[low:high]
        found /= found.sum(axis=1, keepdims=True)
        return found


@dataclass(frozen=True)
class Quantiles:
    """Distributions in quantile form: by points that bound equal parts of the chance.

    Between two neighbouring knots lies an equal part, spread evenly over the points
    above the first up to the second; the whole is then shifted, which sets the mean
    right.

    Attributes:
        gaps: (KNOTS, rows) uint8: the first knot, then the gap to each next.
        shift: (rows,) int8: the shift in ``1 / SHIFTS`` of a point.
    """

    gaps: NDArray[np.uint8]
    shift: NDArray[np.int8]

    def _placed(self, at: Ints) -> tuple[Ints, Floats]:
        """Return (m, KNOTS) the knots, shifted by whole points, and (m,) the rest of the shift."""
        knots = np.cumsum(self.gaps[:, at].T, axis=1, dtype=np.int64)
        shift, part = np.divmod(self.shift[at].astype(np.int64), SHIFTS)
        return np.clip(knots + shift[:, None], -1, REACH - 2), part / SHIFTS

    def select(self, at: Ints) -> QuantileSelection:
        """Return the distributions of m rows."""
        knots, part = self._placed(at)
        gaps = np.diff(knots, axis=1)
        height = np.where(gaps > 0, 1 / (KNOTS - 1) / np.maximum(gaps, 1), 0.0)
        drops = -np.diff(height, axis=1, prepend=0.0, append=0.0)
        closed, gap = np.nonzero(gaps == 0)
        edges = knots + 1
        if len(closed):
            # The whole part stands on one point: a ramp of its own, from it to the next.
            place = np.arange(len(closed)) - np.searchsorted(closed, closed)
            own = np.zeros((2, len(at), int(place.max()) + 1))
            own[0, closed, place] = -1 / (KNOTS - 1)
            own[1] = -own[0]
            point = np.zeros(own.shape[1:], dtype=np.int64)
            point[closed, place] = np.maximum(knots[closed, gap], 0)
            edges = np.concatenate([edges, point, point + 1], axis=1)
            drops = np.concatenate([drops, *own], axis=1)
        return QuantileSelection(edges, drops, part)

    def rows(self, at: Ints) -> Floats:
        """Return (m, n) the chance of 0 to n - 1 points for each of m rows."""
        knots, part = self._placed(at)
        gaps = np.diff(knots, axis=1)
        height = 1 / (KNOTS - 1) / np.maximum(gaps, 1)
        # Where a gap is closed the whole part stands on its one point.
        begin = np.where(gaps > 0, knots[:, :-1] + 1, np.maximum(knots[:, :-1], 0))
        end = np.where(gaps > 0, knots[:, 1:] + 1, begin + 1)
        width = int(end.max()) + 1
        offset = np.arange(len(at))[:, None] * width
        flat = np.concatenate([(begin + offset).ravel(), (end + offset).ravel()])
        weights = np.concatenate([height.ravel(), -height.ravel()])
        slopes = np.bincount(flat, weights=weights, minlength=len(at) * width)
        rows: Floats = np.cumsum(slopes.reshape(len(at), width), axis=1)
        share = part[:, None]
        rows[:, 1:] += share * (rows[:, :-1] - rows[:, 1:])
        rows[:, 0] *= 1 - share[:, 0]
        return rows


@dataclass(frozen=True)
class QuantileSelection:
    """Distributions of m states in quantile form, averaged over without going point by point.

    Between two knots every point counts the same, so a mean share takes the sums of
    shares up to the knots alone.

    Attributes:
        knots: (m, k) the points at which the heights change.
        drops: (m, k) how much the height falls at each.
        part: (m,) the part that goes to the next point.
    """

    knots: Ints
    drops: Floats
    part: Floats

    @property
    def width(self) -> int:
        """No state makes so many points or more."""
        return int(self.knots.max(initial=0)) + 1

    def select(self, at: Ints) -> QuantileSelection:
        """Return the distributions of some of the states."""
        return QuantileSelection(self.knots[at], self.drops[at], self.part[at])

    def each(self, lanes: Ints, points: Ints, shares: Floats) -> Floats:
        """Return (m,) the mean share of each state with its own points (m,) added."""
        return self._mean(lanes, points[:, None], shares)[:, 0]

    def every(self, lanes: Ints, points: Ints, shares: Floats) -> Floats:
        """Return (m, p) the mean share of each state with each of these points (p,) added."""
        return self._mean(lanes, points[None, :], shares)

    def _mean(self, lanes: Ints, points: Ints, shares: Floats) -> Floats:
        """Return (m, p) the mean shares with points (m or 1, p) added."""
        width = shares.shape[1]
        sums = np.zeros_like(shares)  # of the shares below each point
        np.cumsum(shares[:, :-1], axis=1, out=sums[:, 1:])
        places = (self.knots + (lanes * width)[:, None])[:, None, :] + points[:, :, None]
        found: Floats = np.einsum("mj,mpj->mp", self.drops, sums.ravel().take(places))
        shifted = self.drops * self.part[:, None]
        found += np.einsum("mj,mpj->mp", shifted, shares.ravel().take(places))
        return found


KNOTS = 11
"""Quantiles of a row: ten equal parts lie between them."""

SHIFTS = 16
"""Parts of a point that the mean is set right by."""


@dataclass(frozen=True)
class CompactDistributions:
    """Distributions of all states in few bytes, each state in one of several forms.

    Attributes:
        kind: (states,) the number of the form that holds a state.
        place: (states,) its row there.
        forms: the forms.
    """

    kind: NDArray[np.int8]
    place: Ints
    forms: tuple[Steps | Quantiles, ...]

    def rows(self, states: Ints) -> Floats:
        """Return (m, n) the chance of 0 to n - 1 points for each of m states."""
        kind, place = self.kind[states], self.place[states]
        if (kind == kind[0]).all():
            only: Floats = self.forms[kind[0]].rows(place)
            return only
        found = []
        for number, form in enumerate(self.forms):
            here = np.flatnonzero(kind == number)
            if len(here):
                found.append((here, form.rows(place[here])))
        rows = np.zeros((len(states), max(part.shape[1] for _, part in found)))
        for here, part in found:
            rows[here, : part.shape[1]] = part
        return rows

    def select(self, states: Ints) -> Selection:
        """Return the distributions of m states."""
        kind = self.kind[states]
        form = self.forms[kind[0]]
        if isinstance(form, Quantiles) and (kind == kind[0]).all():
            return form.select(self.place[states])
        return LatticeSelection(self.rows(states))


@dataclass(frozen=True)
class MixedDistributions:
    """Distributions of all states, mixed of two by weight."""

    one: ScoreDistributions
    other: ScoreDistributions
    weight: float
    """The weight of the other."""

    def rows(self, states: Ints) -> Floats:
        """Return (m, n) the chance of 0 to n - 1 points for each of m states."""
        one, other = self.one.rows(states), self.other.rows(states)
        width = max(one.shape[1], other.shape[1])
        rows = np.zeros((len(states), width))
        rows[:, : one.shape[1]] = (1 - self.weight) * one
        rows[:, : other.shape[1]] += self.weight * other
        return rows

    def select(self, states: Ints) -> LatticeSelection:
        """Return the distributions of m states."""
        return LatticeSelection(_trimmed(self.rows(states)))
