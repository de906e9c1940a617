"""The dice lattice against plain enumeration, and the turn solver against exact fractions."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustad.runtime.games.five_dice.turn import (
    COUNTS,
    FIRST_ROLL,
    KEEP_INDEX,
    KEEPS,
    ONE_MORE,
    ROLL_INDEX,
    ROLLS,
    SIZES,
    Turn,
    best_keeps,
    contains,
    keep_values,
    multiset_probability,
    structure,
    sub_keeps,
    transition_matrix,
)


def test_252_rolls_and_462_keeps() -> None:
    # Multisets: C(10, 5) = 252 of five dice; C(11, 5) = 462 of at most five.
    assert len(ROLLS) == len(set(ROLLS)) == 252
    assert len(KEEPS) == len(set(KEEPS)) == 462
    assert FIRST_ROLL == 210
    assert KEEPS[FIRST_ROLL:] == ROLLS


def test_keeps_stand_by_size_and_then_in_order() -> None:
    assert list(KEEPS) == sorted(KEEPS, key=lambda dice: (len(dice), dice))
    assert [size.stop - size.start for size in SIZES] == [1, 6, 21, 56, 126, 252]
    for size, where in enumerate(SIZES):
        assert all(len(dice) == size for dice in KEEPS[where])


def test_indices_are_bijections() -> None:
    assert [KEEP_INDEX[dice] for dice in KEEPS] == list(range(462))
    assert [ROLL_INDEX[dice] for dice in ROLLS] == list(range(252))


def test_counts() -> None:
    for dice, counts in zip(KEEPS, COUNTS.tolist(), strict=True):
        assert sorted(dice) == [f for f in range(1, 7) for _ in range(counts[f - 1])]


def test_one_more_die() -> None:
    for dice, grown in zip(KEEPS, ONE_MORE.tolist(), strict=False):
        for face in range(1, 7):
            assert KEEPS[grown[face - 1]] == tuple(sorted((*dice, face)))
    assert len(ONE_MORE) == FIRST_ROLL


@pytest.mark.parametrize("count", range(6))
def test_multiset_probability_counts_the_orders(count: int) -> None:
    orders: dict[tuple[int, ...], int] = {}
    for thrown in product(range(1, 7), repeat=count):
        dice = tuple(sorted(thrown))
        orders[dice] = orders.get(dice, 0) + 1
    assert set(orders) == set(KEEPS[SIZES[count]])
    for dice, ways in orders.items():
        assert multiset_probability(dice) == ways / 6**count


def test_transition_matrix_is_what_throwing_every_die_gives() -> None:
    matrix = transition_matrix()
    assert matrix.shape == (462, 252)
    for keep, row in zip(KEEPS, matrix, strict=True):
        missing = 5 - len(keep)
        ways = np.zeros(252)
        for thrown in product(range(1, 7), repeat=missing):
            ways[ROLL_INDEX[tuple(sorted(keep + thrown))]] += 1
        assert np.array_equal(row, ways / 6**missing)
        assert row.sum() == pytest.approx(1, abs=1e-15)


def test_sub_keeps_are_the_subsets() -> None:
    for roll in ROLLS:
        subsets = {chosen for size in range(5) for chosen in combinations(roll, size)}
        found = sub_keeps(roll)
        assert {KEEPS[keep] for keep in found} == subsets
        assert list(found) == sorted(set(found))


@given(st.lists(st.integers(1, 6), max_size=5), st.lists(st.integers(1, 6), max_size=5))
def test_contains_counts_every_face(roll: list[int], kept: list[int]) -> None:
    expected = all(kept.count(face) <= roll.count(face) for face in range(1, 7))
    assert contains(roll, kept) == expected


def test_structure_holds_rolls_keeps_and_chances() -> None:
    found = structure()
    assert set(found) == {"rolls", "keeps", "transition"}
    assert found["rolls"].shape == (252, 5)
    assert found["keeps"].shape == (462, 5)
    assert found["rolls"].dtype == found["keeps"].dtype == np.uint8
    assert found["transition"].dtype == np.float64
    assert [tuple(die for die in row if die) for row in found["keeps"].tolist()] == list(KEEPS)
    assert list(map(tuple, found["rolls"].tolist())) == list(ROLLS)
    assert np.array_equal(found["transition"], transition_matrix())


def test_keep_values_are_means_over_the_rolls() -> None:
    rolls = np.random.default_rng(1).uniform(-100, 300, 252)
    assert keep_values(rolls) == pytest.approx(transition_matrix() @ rolls, abs=1e-11)
    assert np.array_equal(keep_values(rolls)[FIRST_ROLL:], rolls)


def test_best_keeps_are_maxima_over_the_subsets() -> None:
    keeps = np.random.default_rng(2).normal(size=462)
    expected = [max(keeps[keep] for keep in sub_keeps(roll)) for roll in ROLLS]
    assert best_keeps(keeps).tolist() == expected


# The turn, exactly: the definition, with no lattice and no rounding.


def exact_turn(stop: list[list[Fraction]]) -> tuple[Fraction, list[Fraction], list[Fraction]]:
    """Return a turn's value and what keeps are worth with two rolls and with one roll left.

    Args:
        stop: (3, 252) what stopping pays on each roll with 0, 1 and 2 rolls left.
    """
    ways = [
        [(ROLL_INDEX[tuple(sorted(keep + thrown))], thrown) for thrown in KEEPS[SIZES[missing]]]
        for keep, missing in ((keep, 5 - len(keep)) for keep in KEEPS[:FIRST_ROLL])
    ]
    chance = {dice: Fraction(multiset_probability(dice)).limit_denominator(6**5) for dice in KEEPS}

    def keeps(rolls: list[Fraction]) -> list[Fraction]:
        return [sum(chance[thrown] * rolls[roll] for roll, thrown in row) for row in ways]

    def rolls(stop: list[Fraction], kept: list[Fraction]) -> list[Fraction]:
        return [
            max(stop[roll], *(kept[keep] for keep in sub_keeps(dice)))
            for roll, dice in enumerate(ROLLS)
        ]

    one = keeps(stop[0])
    two = keeps(rolls(stop[1], one))
    return keeps(rolls(stop[2], two))[0], two, one


@pytest.mark.parametrize("seed", [1, 2])
def test_turn_equals_exact_fractions(seed: int) -> None:
    luck = random.Random(seed)
    exact = [[Fraction(luck.randrange(-80_000, 240_000), 256) for _ in ROLLS] for _ in range(3)]
    if seed == 2:  # as yacht has it: stopping pays the same whenever
        exact = [exact[0]] * 3
    start, two, one = exact_turn(exact)
    stop = tuple(np.array([float(value) for value in row]) for row in exact)
    turn = Turn(stop)
    assert float(turn.start) == pytest.approx(float(start), abs=1e-11)
    assert turn.keeps(1)[:FIRST_ROLL] == pytest.approx([float(v) for v in one], abs=1e-11)
    assert turn.keeps(2)[:FIRST_ROLL] == pytest.approx([float(v) for v in two], abs=1e-11)


def test_five_equal_within_three_rolls() -> None:
    # The well-known chance of a Yahtzee in one turn, 4.6029%, as an exact fraction.
    stop = np.array([float(len(set(roll)) == 1) for roll in ROLLS])
    assert float(Turn((stop, stop, stop)).start) == pytest.approx(347897 / 7558272, abs=1e-15)


def test_the_sum_of_five_dice_in_three_rolls() -> None:
    # One die alone: keep 5 and 6 first, then 4, 5 and 6: 14/3.  The dice are independent.
    stop = np.array([float(sum(roll)) for roll in ROLLS])
    assert float(Turn((stop, stop, stop)).start) == pytest.approx(5 * 14 / 3, abs=1e-12)


def test_a_roll_that_pays_only_when_stopped_early() -> None:
    # Stopping with two rolls left pays 1, later nothing: the turn is worth 1 at once.
    nothing, one = np.zeros(252), np.ones(252)
    assert float(Turn((nothing, nothing, one)).start) == pytest.approx(1, abs=1e-15)
    assert float(Turn((nothing, one, nothing)).start) == pytest.approx(1, abs=1e-15)
    assert float(Turn((one, nothing, nothing)).start) == pytest.approx(1, abs=1e-15)


def test_columns_side_by_side_are_solved_as_if_alone() -> None:
    random_ = np.random.default_rng(3)
    stop = [random_.uniform(0, 300, (252, 7)) for _ in range(3)]
    together = Turn(tuple(stop))
    for column in range(7):
        alone = Turn(tuple(np.ascontiguousarray(s[:, column]) for s in stop))
        assert together.start[column] == alone.start
        assert np.array_equal(together.keeps_one[:, column], alone.keeps_one)
        assert np.array_equal(together.keeps_two[:, column], alone.keeps_two)
