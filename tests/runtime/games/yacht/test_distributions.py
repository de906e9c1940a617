"""Distributions of points to come, and the share of the win: against plain enumeration."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ustad.runtime.games.yacht.distributions import (
    KNOTS,
    REACH,
    SPAN,
    BestChances,
    CompactDistributions,
    LatticeDistributions,
    LatticeSelection,
    MixedDistributions,
    Quantiles,
    Steps,
    mixed_selection,
    win_shares,
)
from ustad.solver.yacht import compact
from ustad.tables import CorruptTableError, Table, TableSpec, open_table, write_table


@settings(max_examples=40, deadline=None)
@given(
    weights=st.lists(
        st.lists(st.integers(0, 9), min_size=3, max_size=3).filter(any), min_size=1, max_size=5
    ),
    data=st.data(),
)
def test_win_shares_are_those_of_enumeration(weights: list[list[int]], data: st.DataObject) -> None:
    """All final totals of up to five opponents, in fractions; equals share."""
    leads = data.draw(st.lists(st.integers(-4, 4), min_size=len(weights), max_size=len(weights)))
    rows = [[Fraction(w, sum(row)) for w in row] for row in weights]
    floats = np.array([list(map(float, row)) for row in rows])
    found = win_shares(floats, np.arange(len(rows))[None, :], np.array([leads]), 7)
    for points in range(7):
        share = Fraction(0)
        for made in product(range(3), repeat=len(rows)):
            ahead = [lead + points - x for lead, x in zip(leads, made, strict=True)]
            if min(ahead) >= 0:
                chance = Fraction(1)
                for row, x in zip(rows, made, strict=True):
                    chance *= row[x]
                share += chance / (1 + ahead.count(0))
        assert found[0, points] == pytest.approx(float(share), abs=1e-12)


def test_tails_stand_at_their_mean() -> None:
    chance = np.array([0.5, 0.25, 1.0, 0.0])
    outlook = LatticeDistributions(chance, (2,), 2, np.array([0.25, 0.0]), np.array([520.5, 0.0]))
    rows = outlook.rows(np.array([0, 1, 0]))
    assert rows.shape == (3, REACH)
    assert rows[0, :2].tolist() == [0.5, 0.25]
    assert rows[0, 520:522].tolist() == [0.125, 0.125]
    assert np.array_equal(rows[0], rows[2])
    assert rows[1, 0] == 1.0
    assert rows.sum(axis=1) == pytest.approx(1.0, abs=1e-15)


def test_rows_of_sections_of_different_width() -> None:
    chance = np.array([0.5, 0.25, 0.25, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0])
    none = np.zeros(4)
    outlook = LatticeDistributions(chance, (3, 2), 2, none, none)
    assert outlook.rows(np.array([3, 0])).tolist() == [[1.0, 0.0, 0.0], [0.5, 0.25, 0.25]]
    assert outlook.rows(np.array([2])).tolist() == [[1.0, 0.0]]


def table_of(chances: list[float], folder: Path) -> Table:
    """Return a table that is read block by block."""
    values = np.array(chances)
    spec = TableSpec(
        "yacht", {}, "chance", "probability", 1, "v", values.shape, 0, mapped=True, least=0, most=1
    )
    write_table(spec, folder, values, {}, {})
    return open_table(spec, folder)


def test_rows_of_a_table_are_read_and_must_add_up(tmp_path: Path) -> None:
    """A state whose chances are zeros, under whatever digests, is damage."""
    chances = [0.5, 0.25, 0.25, 0.0, 0.75, 0.25, 0.5, 0.25, 0.0, 0.0]
    tail = np.array([0.0, 0.0, 0.25, 0.0])
    outlook = LatticeDistributions(table_of(chances, tmp_path), (3, 2), 2, tail, tail)
    assert outlook.rows(np.array([1, 0])).tolist() == [[0.0, 0.75, 0.25], [0.5, 0.25, 0.25]]
    assert outlook.rows(np.array([2]))[0].sum() == pytest.approx(1.0)
    with pytest.raises(CorruptTableError, match=r"chances that add up to 1, found 0\.0"):
        outlook.rows(np.array([0, 3]))
    with pytest.raises(CorruptTableError, match="chances that add up to 1"):
        outlook.select(np.array([3]))


def test_best_chances_of_a_table_begin_with_certainty(tmp_path: Path) -> None:
    best = BestChances(table_of([1.0, 0.75, 0.25, 0.0, 0.0, 0.0], tmp_path), (3,), 2)
    assert best.chances(np.array([0])).tolist() == [[1.0, 0.75, 0.25]]
    with pytest.raises(CorruptTableError, match=r"chances that add up to 1, found 0\.0"):
        best.select(np.array([0, 1]))


def test_best_chances_as_a_distribution() -> None:
    best = BestChances(np.array([1.0, 0.75, 0.25, 1.0, 0.0, 0.0]), (3,), 2)
    assert best.rows(np.array([0, 1])).tolist() == [[0.25, 0.5, 0.25], [1.0, 0.0, 0.0]]
    none = np.zeros(2)
    other = LatticeDistributions(np.array([0.0, 1.0, 1.0, 0.0]), (2,), 2, none, none)
    mixed = MixedDistributions(other, best, 0.5)
    assert mixed.rows(np.array([0])).tolist() == [[0.125, 0.75, 0.125]]


def full_outlook(rows: np.ndarray) -> LatticeDistributions:
    none = np.zeros(len(rows))
    return LatticeDistributions(rows.ravel(), (rows.shape[1],), len(rows), none, none)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(0, 50), min_size=2, max_size=40).filter(any), st.sampled_from([63, 255])
)
def test_steps_are_right_to_a_part_and_in_the_mean(weights: list[int], parts: int) -> None:
    row = np.array(weights) / sum(weights)
    found = compact.steps(full_outlook(row[None, :]), np.array([0]), parts).rows(np.array([0]))[0]
    exact = np.cumsum(row)[: len(found)]
    assert found.sum() == pytest.approx(1.0, abs=1e-12)
    assert np.abs(np.cumsum(found) - exact).max() <= 1 / parts + 1e-12
    assert not found[np.flatnonzero(row[: len(found)] == 0)].any()
    mean = row @ np.arange(len(row))
    rounded = np.rint(np.cumsum(row) * parts) / parts
    error = abs((np.cumsum(row) - rounded).sum())
    assert abs(found @ np.arange(len(found)) - mean) <= error + 1e-9


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), spread=st.integers(30, 120), place=st.integers(100, 250))
def test_knots_keep_the_mean_and_come_near(seed: int, spread: int, place: int) -> None:
    random = np.random.default_rng(seed)
    points = np.arange(SPAN)
    row = np.exp(-(((points - place) / spread) ** 2)) * random.uniform(0.5, 1, SPAN)
    row /= row.sum()
    knots = compact.quantiles(full_outlook(row[None, :]), np.array([0]))
    found = knots.rows(np.array([0]))[0]
    found = np.pad(found, (0, max(0, SPAN - len(found))))
    assert found.sum() == pytest.approx(1.0, abs=1e-9)
    assert found @ np.arange(len(found)) == pytest.approx(row @ points, abs=1 / 32 + 1e-9)
    assert np.abs(np.cumsum(found)[:SPAN] - np.cumsum(row)).max() < 0.04


def test_knots_that_stand_together_are_one_point() -> None:
    gaps = np.zeros((KNOTS, 1), dtype=np.uint8)
    nothing = Quantiles(gaps, np.zeros(1, dtype=np.int8)).rows(np.array([0]))[0]
    assert nothing[0] == pytest.approx(1.0, abs=1e-12)


def weighed(rows: np.ndarray, lanes: np.ndarray, points: np.ndarray, shares: np.ndarray) -> list:
    """Return the mean share of each row with its points added, term by term."""
    return [
        sum(chance * shares[lane, added + x] for x, chance in enumerate(row))
        for row, lane, added in zip(rows.tolist(), lanes, points, strict=True)
    ]


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), closed=st.integers(0, 3))
def test_spreads_weigh_as_their_rows_do(seed: int, closed: int) -> None:
    """In every form, each state with its own points and with several, parts of them, mixed."""
    random = np.random.default_rng(seed)
    gaps = random.integers(1, 40, (KNOTS, 6)).astype(np.uint8)
    gaps[random.integers(0, KNOTS, closed), random.integers(0, 6, closed)] = 0
    knots = Quantiles(gaps, random.integers(-60, 60, 6).astype(np.int8))
    steps = Steps(random.integers(1, 9, 30), np.arange(0, 31, 5), np.arange(6))
    entry, place = np.repeat([0, 1], 6), np.tile(np.arange(6), 2)
    compact_outlook = CompactDistributions(entry.astype(np.int8), place, (steps, knots))
    full = full_outlook(random.dirichlet(np.ones(30), 12))
    shares = np.sort(random.random((3, REACH + 200)), axis=1)
    states, lanes = random.integers(6, 12, 9), random.integers(0, 3, 9)
    for outlook, at in (
        (full, states),
        (compact_outlook, states),
        (compact_outlook, states - 6),
        (compact_outlook, random.integers(0, 12, 9)),
    ):
        spread, rows = outlook.select(at), outlook.rows(at)
        points = random.integers(0, 100, 9)
        assert spread.width + 100 <= shares.shape[1]
        found = spread.each(lanes, points, shares)
        assert found == pytest.approx(weighed(rows, lanes, points, shares), abs=1e-12)
        several = spread.every(lanes, points[:4], shares)
        for number, added in enumerate(points[:4]):
            alone = spread.each(lanes, np.full(9, added), shares)
            assert several[:, number] == pytest.approx(alone, abs=1e-12)
        some = np.array([4, 1])
        part = spread.select(some).each(lanes[some], points[some], shares)
        assert part == pytest.approx(found[some], abs=1e-12)
        other, weights = full.select(states), random.random(9)
        both = mixed_selection(spread, other, weights)
        assert isinstance(both, LatticeSelection) == isinstance(spread, LatticeSelection)
        assert both.width == max(spread.width, other.width)
        one, two = found, other.each(lanes, points, shares)
        expected = (1 - weights) * one + weights * two
        assert both.each(lanes, points, shares) == pytest.approx(expected, abs=1e-12)
        assert both.select(some).every(lanes[some], points[some][:1], shares)[0] == pytest.approx(
            both.every(lanes, points[some][:1], shares)[some[0]], abs=1e-12
        )
