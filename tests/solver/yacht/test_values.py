"""The yacht solver against exact fractions, against itself, and against known values.

Three other solvers stand here.  ``Exact`` knows the rules by itself, works for
any number of dice and faces in exact fractions, and keeps every upper sum apart;
small cases by hand check it.  ``step`` with :class:`ustad.runtime.games.five_dice.turn.Turn` is
one step of dynamic programming in numpy.  ``forward`` carries probabilities
from the first roll to the last under the table's policy.
"""

from __future__ import annotations

import math
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from itertools import combinations, combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ustad.runtime.games.five_dice.turn import (
    COUNTS,
    FIRST_ROLL,
    KEEPS,
    ONE_MORE,
    SIZES,
    Turn,
    best_keeps,
)
from ustad.runtime.games.yacht import rules as yacht
from ustad.runtime.games.yacht import states as yacht_states
from ustad.runtime.games.yacht.entry import ENTRY
from ustad.runtime.games.yacht.rules import ALL_OPEN, BOXES, PLAIN, SECOND_YACHT, UPPER_OPEN
from ustad.solver.yacht import values as solver
from ustad.tables import open_table, structure

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SETTINGS = pytest.mark.parametrize("setting", SECOND_YACHT)
UPPER = BOXES[:6]


@cache
def _values(folder: Path, setting: str) -> Floats:
    return open_table(ENTRY.tables.spec({"second_yacht": setting}), folder).values


@pytest.fixture
def values(tables: Path, setting: str) -> Floats:
    """The values of the table of a setting."""
    return _values(tables, setting)


# Known values.


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("bonus_and_joker", 254.587728734496),  # two public solvers agree to 12 digits
        ("plain", 245.870774514),
        ("free_joker", 254.589609481963),  # often quoted for Yahtzee: this is its joker
    ],
)
def test_start_values(values: Floats, value: float) -> None:
    start = yacht_states.state_index(ALL_OPEN, yacht.OPEN_YACHT, 0)
    assert values[start] == pytest.approx(value, abs=1e-9)


@SETTINGS
def test_sizes(tables: Path, values: Floats, setting: str) -> None:
    stored, reachable = {"plain": (209_920, 357_632)}.get(setting, (314_880, 536_448))
    assert values.shape == (stored,)
    assert np.isfinite(values).all()
    counts = open_table(ENTRY.tables.spec({"second_yacht": setting}), tables).counts
    assert counts == {"values": stored, "reachable_states": reachable}


def test_the_file_carries_what_other_readers_need(tables: Path) -> None:
    found = structure(ENTRY.tables.spec({}).path(tables), ENTRY.tables.structure({}), "")
    assert sorted(found) == ["column", "keeps", "rolls", "transition"]
    assert np.array_equal(found["column"], yacht_states.columns().column)
    assert found["transition"].shape == (462, 252)


# Exact fractions.


@dataclass
class Exact:
    """Yacht with any number of dice and faces, solved by definition in exact fractions.

    The bonus is counted when the sheet is full, not when it is earned.
    """

    setting: str
    dice: int = 5
    faces: int = 6
    bonus_at: int = 63
    known: dict[tuple[frozenset[str], int | None, int], Fraction] = field(default_factory=dict)

    def points(self, box: str, dice: tuple[int, ...], joker: bool) -> int:
        """Return what the dice pay in a box."""
        counts = sorted(Counter(dice).values())
        if box in UPPER:
            return sum(die for die in dice if die == UPPER.index(box) + 1)
        if box in ("full_house", "small_straight", "large_straight"):
            size = {"small_straight": 4, "large_straight": 5}.get(box)
            rows = size and any(
                set(range(low, low + size)) <= set(dice) for low in range(1, self.faces + 1)
            )
            fits = rows if size else counts == [2, 3]
            return {None: 25, 4: 30, 5: 40}[size] * bool(joker or fits)
        if box == "yacht":
            return 50 * (len(counts) == 1)
        least = {"chance": 1, "three_of_a_kind": 3, "four_of_a_kind": 4}[box]
        return sum(dice) * (counts[-1] >= least)

    def writes(self, opened: frozenset[str], dice: tuple[int, ...]) -> dict[str, int]:
        """Return what each box that may be written pays."""
        plain = {box: self.points(box, dice, False) for box in opened}
        if len(set(dice)) > 1 or self.setting == "plain" or "yacht" in opened:
            return plain
        own = UPPER[dice[0] - 1]
        if self.setting == "free_joker":
            return {box: self.points(box, dice, own not in opened) for box in opened}
        if own in opened:
            return {own: plain[own]}
        lower = {box: self.points(box, dice, True) for box in opened if box not in UPPER}
        return lower or plain

    def value(self, opened: frozenset[str], held: int | None, upper: int) -> Fraction:
        """Return the points still to come, the bonus among them.

        Args:
            opened: the open boxes.
            held: what the yacht box holds, None if it is open.
            upper: the upper sum.
        """
        key = (opened, held, upper)
        if key not in self.known:
            self.known[key] = (
                self._turn({roll: self._stop(key, roll) for roll in self.rolls()})
                if opened
                else Fraction(35 * (upper >= self.bonus_at))
            )
        return self.known[key]

    def _stop(self, key: tuple[frozenset[str], int | None, int], roll: Any) -> Fraction:
        opened, held, upper = key
        again = held == 50 and len(set(roll)) == 1 and self.setting != "plain"
        return 100 * again + max(
            points
            + self.value(
                opened - {box},
                points if box == "yacht" else held,
                upper + points * (box in UPPER),
            )
            for box, points in self.writes(opened, roll).items()
        )

    def rolls(self) -> Iterator[tuple[int, ...]]:
        """Return the rolls of all dice."""
        return combinations_with_replacement(range(1, self.faces + 1), self.dice)

    def _turn(self, stop: dict[tuple[int, ...], Fraction]) -> Fraction:
        # Whole numbers: everything times a number that all three rolls divide.
        scale = math.lcm(*(value.denominator for value in stop.values()))
        scale *= self.faces ** (3 * self.dice)
        stopped = {roll: int(value * scale) for roll, value in stop.items()}
        best = stopped
        for _ in range(2):
            kept = {keep: self._mean(keep, best) for keep in _keeps(self.dice, self.faces)}
            best = {
                roll: max(value, *(kept[keep] for keep in _below(roll)))
                for roll, value in stopped.items()
            }
        return Fraction(self._mean((), best), scale)

    def _mean(self, keep: tuple[int, ...], rolls: dict[tuple[int, ...], int]) -> int:
        ways = _throws(keep, self.dice, self.faces)
        return sum(count * rolls[roll] for roll, count in ways) // self.faces ** (
            self.dice - len(keep)
        )


@cache
def _keeps(dice: int, faces: int) -> list[tuple[int, ...]]:
    return [
        keep
        for size in range(dice)
        for keep in combinations_with_replacement(range(1, faces + 1), size)
    ]


@cache
def _below(roll: tuple[int, ...]) -> set[tuple[int, ...]]:
    return {keep for size in range(len(roll)) for keep in combinations(roll, size)}


@cache
def _throws(keep: tuple[int, ...], dice: int, faces: int) -> list[tuple[tuple[int, ...], int]]:
    """Return the rolls that a keep can become, and in how many ways."""
    ways: Counter[tuple[int, ...]] = Counter([keep])
    for _ in range(dice - len(keep)):
        ways = sum(
            (
                Counter({tuple(sorted((*roll, face))): count for roll, count in ways.items()})
                for face in range(1, faces + 1)
            ),
            Counter(),
        )
    return list(ways.items())


def only(*boxes: str) -> frozenset[str]:
    return frozenset(boxes)


def test_exact_by_hand_one_die() -> None:
    # A one in three rolls of a coin: 1 - 1/8.
    assert Exact("plain", 1, 2).value(only("ones"), None, 0) == Fraction(7, 8)
    # The best of three rolls of one die: keep 5 and 6, then 4, 5 and 6: 14/3.
    assert Exact("plain", 1, 6).value(only("chance"), None, 0) == Fraction(14, 3)


def test_exact_by_hand_two_dice() -> None:
    # Two equal coins: the second must match the first within three rolls.
    assert Exact("plain", 2, 2).value(only("yacht"), None, 0) == 50 * Fraction(7, 8)
    # Ones of two dice: each die for itself, 2 x (1 - (5/6)^3).
    assert Exact("plain", 2, 6).value(only("ones"), None, 0) == 2 * (1 - Fraction(5, 6) ** 3)
    # With a bonus from an upper sum of 2 on: two ones pay 2 + 35, and only they the bonus.
    both = Fraction(7, 8) ** 2
    exact = Exact("plain", 2, 2, bonus_at=2).value(only("ones"), None, 0)
    assert exact == 2 * Fraction(7, 8) + 35 * both


def test_exact_by_hand_jokers() -> None:
    # One coin is always "equal": with 50 in the yacht box every turn brings 100 and a joker.
    forced = Exact("bonus_and_joker", 1, 2)
    assert forced.value(only("full_house"), 50, 0) == 125
    assert forced.value(only("full_house"), 0, 0) == 25
    # With both open a one must be written into ones: 1 + 25.  A two has no open upper box of
    # its own and must be a full house: 25 + 7/8.  The one is better: chance 7/8 in three rolls.
    assert forced.value(only("ones"), 0, 0) == Fraction(7, 8)
    both = Fraction(7, 8) * (1 + 25) + Fraction(1, 8) * (25 + Fraction(7, 8))
    assert forced.value(only("ones", "full_house"), 0, 0) == both
    # Nothing lower is open: another upper box takes 0.
    assert forced.value(only("twos"), 50, 0) == 100 + 2 * Fraction(7, 8)
    # Free: the joker pays in full once its own upper box is written, and forces nothing.
    free = Exact("free_joker", 1, 2)
    assert free.value(only("full_house"), 0, 0) == 25
    assert free.value(only("ones", "full_house"), 0, 0) == both
    # Plain: five equal are five equal.
    assert Exact("plain", 1, 2).value(only("full_house"), 50, 0) == 0


def test_exact_by_hand_five_dice() -> None:
    exact = Exact("plain")
    assert exact.value(only("chance"), 0, 0) == Fraction(70, 3)
    assert exact.value(only("sixes"), 0, 0) == 30 * (1 - Fraction(5, 6) ** 3)
    assert exact.value(only("yacht"), None, 0) == 50 * Fraction(347897, 7558272)


FEW_BOXES: list[tuple[frozenset[str], list[int]]] = [
    # Open boxes, and upper sums of the others around which the bonus hangs.
    (only("ones"), [57, 58, 60, 62, 63]),
    (only("sixes"), [32, 33, 38, 44, 45, 51, 62]),
    (only("three_of_a_kind"), [62, 63]),
    (only("four_of_a_kind"), [62]),
    (only("full_house"), [62]),
    (only("small_straight"), [62]),
    (only("large_straight"), [62]),
    (only("chance"), [62]),
    (only("twos", "fives"), [35, 41, 53]),
    (only("threes", "full_house"), [50, 55]),
    (only("sixes", "large_straight"), [45, 50]),
    (only("full_house", "small_straight"), [62]),
    (only("fours", "chance", "three_of_a_kind"), [52]),
    (only("fives", "full_house", "four_of_a_kind"), [49]),
]


@SETTINGS
def test_few_open_boxes_equal_exact_fractions(values: Floats, setting: str) -> None:
    """Every state below each of these, whatever the yacht box holds, and with it open."""
    exact = Exact(setting)
    for opened, uppers in FEW_BOXES:
        for upper in uppers:
            for held in (0, 50):
                exact.value(opened, held, upper)
    exact.value(only("yacht"), None, 63)
    exact.value(only("yacht", "sixes"), None, 50)
    exact.value(only("yacht", "full_house"), None, 0)
    exact.value(only("yacht", "large_straight", "ones"), None, 59)
    assert len(exact.known) > 300
    check_against(exact, values)


def check_against(exact: Exact, values: Floats) -> None:
    """Compare the table with every state that was solved exactly, one by one."""
    most = yacht_states.yacht_states(SECOND_YACHT.index(exact.setting)) - 1
    column = yacht_states.columns().column
    for (opened, held, upper), value in exact.known.items():
        open_boxes = sum(1 << BOXES.index(box) for box in opened)
        content = yacht.OPEN_YACHT if held is None else yacht.YACHT_50 if held else yacht.YACHT_0
        assert column[open_boxes & UPPER_OPEN, min(upper, 63)] >= 0
        found = values[yacht_states.state_index(open_boxes, min(content, most), upper)]
        expected = float(value) - 35 * (upper >= 63)
        assert found == pytest.approx(expected, abs=1e-10), (sorted(opened), held, upper)


@pytest.mark.slow
@SETTINGS
def test_every_two_open_boxes_equal_exact_fractions(values: Floats, setting: str) -> None:
    exact = Exact(setting)
    column = yacht_states.columns().column
    for opened in map(frozenset, combinations(BOXES, 2)):
        open_upper = sum(1 << UPPER.index(box) for box in opened if box in UPPER)
        for upper in np.flatnonzero(column[open_upper] >= 0)[::3].tolist():
            for held in [None] if "yacht" in opened else [0, 50]:
                exact.value(opened, held, upper)
    check_against(exact, values)


# One step of dynamic programming in numpy.

ROLL_COUNTS = COUNTS[FIRST_ROLL:].tolist()
PLAIN_POINTS: Ints = np.array(
    [[yacht.box_points(box, counts, False) for box in range(13)] for counts in ROLL_COUNTS]
)
FIVE_EQUAL = [roll for roll, counts in enumerate(ROLL_COUNTS) if 5 in counts]


def points_of_rolls(second_yacht: int, open_boxes: int) -> Ints:
    """Return (252, 13) what each roll puts into each box, -1 where it may not be written."""
    is_open = np.array([open_boxes >> box & 1 for box in range(13)])
    points = np.where(is_open, PLAIN_POINTS, -1)
    for roll in FIVE_EQUAL:
        points[roll] = [
            yacht.write_points(second_yacht, open_boxes, box, ROLL_COUNTS[roll])
            for box in range(13)
        ]
    return points


@dataclass(frozen=True)
class Step:
    """The writes of a turn for one set of open boxes and several upper sums.

    Attributes:
        boxes: the open boxes, b of them.
        worth: (b, 252, n) what writing each roll into each box is worth,
            minus infinity where it is not legal.
        points: (b, 252) what it puts there.
        after: (b, 252, n) the state it leads to.
    """

    boxes: list[int]
    worth: Floats
    points: Ints
    after: Ints


def step(
    second_yacht: int, values: Floats, open_boxes: int, held: int, upper: Ints, bonus: bool = True
) -> Step:
    boxes = [box for box in range(13) if open_boxes >> box & 1]
    points = points_of_rolls(second_yacht, open_boxes)[:, boxes].T
    column = yacht_states.columns().column
    worth = np.empty((len(boxes), 252, len(upper)))
    after = np.empty((len(boxes), 252, len(upper)), dtype=np.int64)
    for place, box in enumerate(boxes):
        left = open_boxes ^ 1 << box
        paid = np.maximum(points[place], 0)
        sums = np.minimum(upper + paid[:, None] * (box < 6), 63)
        earned = 35.0 * ((upper < 63) & (sums == 63)) if bonus else 0.0
        lower = left >> 6 & 31 | left >> 12 << 5
        full = 1 if second_yacht == PLAIN else 2
        content = np.where(paid > 0, full, 1)[:, None] if box == 11 else held
        after[place] = (content * 64 + lower) * 1640 + column[left & UPPER_OPEN, sums]
        worth[place] = values[after[place]] + (paid[:, None] + earned)
        worth[place, points[place] < 0] = -np.inf
    if second_yacht != PLAIN and held == yacht.YACHT_50:
        worth[:, FIVE_EQUAL] += 100
    return Step(boxes, worth, points, after)


def groups(second_yacht: int) -> list[tuple[int, int]]:
    """Return open boxes and what the yacht box holds, most open boxes first."""
    return [
        (open_boxes, held)
        for open_boxes in sorted(range(1, ALL_OPEN + 1), key=int.bit_count, reverse=True)
        for held in (
            [0] if open_boxes >> 11 & 1 else range(1, yacht_states.yacht_states(second_yacht))
        )
    ]


def sums_of(open_boxes: int) -> Ints:
    """Return every upper sum that can be, none merged."""
    return np.flatnonzero(yacht_states.columns().column[open_boxes & UPPER_OPEN] >= 0)


def residual(setting: str, values: Floats, chosen: list[tuple[int, int]]) -> int:
    """Assert that each state of these groups has the value one step gives; return how many."""
    second_yacht = SECOND_YACHT.index(setting)
    checked = 0
    for at in range(0, len(chosen), 40):
        batch = chosen[at : at + 40]
        uppers = [sums_of(open_boxes) for open_boxes, _ in batch]
        stops = [
            step(second_yacht, values, *group, upper).worth.max(axis=0)
            for group, upper in zip(batch, uppers, strict=True)
        ]
        stop = np.concatenate(stops, axis=1)
        stored = np.concatenate(
            [
                [values[yacht_states.state_index(*group, total)] for total in upper.tolist()]
                for group, upper in zip(batch, uppers, strict=True)
            ]
        )
        assert np.array_equal(Turn((stop, stop, stop)).start, stored)
        checked += len(stored)
    return checked


@SETTINGS
def test_bellman_residual_is_zero_on_a_sample(values: Floats, setting: str) -> None:
    """To the last bit, and for each upper sum by itself: merging them changes nothing."""
    chosen = groups(SECOND_YACHT.index(setting))
    assert residual(setting, values, chosen[::29] + chosen[-40:]) > 12_000


@pytest.mark.slow
@SETTINGS
def test_bellman_residual_is_zero_on_every_reachable_state(values: Floats, setting: str) -> None:
    second_yacht = SECOND_YACHT.index(setting)
    finished = 64 * (yacht_states.yacht_states(second_yacht) - 1)
    checked = residual(setting, values, groups(second_yacht))
    assert checked + finished == solver.reachable_states(second_yacht)


# What every value must obey.


def by_parts(values: Floats) -> Floats:
    """Return (yacht, 64 lower sets, 64 upper sets, 64 sums), NaN where the sum cannot be."""
    column = yacht_states.columns().column
    cube = values.reshape(-1, 64, yacht_states.columns().count)[:, :, column]
    cube[:, :, column < 0] = np.nan
    return cube


@SETTINGS
def test_an_open_box_is_worth_no_less_than_a_nought_in_it(values: Floats, setting: str) -> None:
    cube = by_parts(values)
    sets = np.arange(64)
    compared = 0
    for bit in (1 << place for place in range(6)):
        without = sets[sets & bit == 0]
        for open_, nought in (
            (cube[:, without | bit], cube[:, without]),
            (cube[:, :, without | bit], cube[:, :, without]),
        ):
            both = np.isfinite(open_) & np.isfinite(nought)
            assert (open_[both] >= nought[both] - 1e-9).all()
            compared += int(both.sum())
    assert compared > 1_000_000
    # The yacht box: open against 0.  (Under plain the states do not tell 0 from 50.)
    valid = np.isfinite(cube[0])
    assert (cube[0][valid] >= cube[1][valid] - 1e-9).all()


def test_an_open_yacht_box_may_be_worth_less_than_fifty_in_it(tables: Path) -> None:
    # The exception in the rules: 50 written promises 100 for each further yacht.
    cube = by_parts(_values(tables, "bonus_and_joker"))
    assert (cube[2][np.isfinite(cube[2])] > cube[0][np.isfinite(cube[2])]).any()


@SETTINGS
def test_value_and_bonus_never_fall_when_the_upper_sum_grows(values: Floats, setting: str) -> None:
    cube = by_parts(values).reshape(-1, 64, 64)
    cube[:, :, 63] += 35
    for open_upper in range(64):
        rows = cube[:, open_upper, sums_of(open_upper)]
        assert (np.diff(rows, axis=1) >= -1e-9).all()


# How the solver works.


@SETTINGS
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_values_do_not_depend_on_threads(values: Floats, setting: str, threads: int) -> None:
    found = solver.solve(SECOND_YACHT.index(setting), threads=threads)
    assert found.tobytes() == values.tobytes()


@pytest.mark.slow
def test_values_do_not_depend_on_the_width_of_blocks(tables: Path, tmp_path: Path) -> None:
    script = (
        "import sys, ustad.solver.five_dice.turn as turn\n"
        "turn.WIDTH = 21\n"  # before the solver of yacht takes it over and is compiled
        "from ustad.solver.yacht import values\n"
        "assert values.WIDTH == 21\n"
        "values.solve(values.yacht.FORCED_JOKER).tofile(sys.argv[1])\n"
    )
    out = tmp_path / "values"
    subprocess.run([sys.executable, "-c", script, str(out)], check=True)
    assert out.read_bytes() == _values(tables, "bonus_and_joker").tobytes()


def test_progress_ends_at_the_end() -> None:
    calls: list[tuple[int, int]] = []
    solver.solve(PLAIN, lambda done, total: calls.append((done, total)))
    assert len(calls) == 13
    assert calls == sorted(calls)
    assert calls[-1] == (209_920, 209_920)


def solve_with_canary(second_yacht: int, poisoned: int | None) -> Floats:
    """Solve with infinity in all that is not yet solved, and in one state for good.

    Infinity wins every maximum and every mean that reads it, so it stands
    afterwards in just the states that have read it.
    """
    columns, problem = yacht_states.columns(), solver.problem_of(second_yacht)
    values = np.full(yacht_states.state_count(second_yacht), np.inf)
    values[solver.finished_states(second_yacht)] = 0.0
    for layer in solver.layers(second_yacht):
        if poisoned is not None:
            values[poisoned] = np.inf
        blocks = layer.share(0, 1)
        solver._solve_blocks(problem, columns.upper, solver.paying_rolls(), values, *blocks)
    if poisoned is not None:
        values[poisoned] = np.inf
    return values


@SETTINGS
def test_nothing_is_read_before_it_is_solved(values: Floats, setting: str) -> None:
    found = solve_with_canary(SECOND_YACHT.index(setting), None)
    assert np.isfinite(found).all()
    assert found.tobytes() == values.tobytes()


@pytest.mark.parametrize(
    ("setting", "open_boxes", "held", "place"),
    [
        ("bonus_and_joker", 0b1011100111010, yacht.YACHT_50, 5),
        ("bonus_and_joker", 0b0111110000111, yacht.OPEN_YACHT, 2),
        ("bonus_and_joker", 0b0000111111100, yacht.YACHT_0, 7),
        ("free_joker", 0b1010011110011, yacht.YACHT_50, 3),
        ("plain", 0b1001011111001, yacht.YACHT_0, 4),
    ],
)
def test_a_state_is_read_by_exactly_those_that_can_lead_to_it(
    setting: str, open_boxes: int, held: int, place: int
) -> None:
    second_yacht = SECOND_YACHT.index(setting)
    columns = yacht_states.columns()
    upper = int(columns.upper[columns.bounds[open_boxes & UPPER_OPEN] + place])
    poisoned = yacht_states.state_index(open_boxes, held, upper)
    expected = {poisoned}
    for above, content in reversed(groups(second_yacht)):
        if above & open_boxes != open_boxes or above == open_boxes:
            continue
        begin, end = columns.bounds[above & UPPER_OPEN : (above & UPPER_OPEN) + 2]
        sums = columns.upper[begin:end]
        writes = step(second_yacht, np.zeros(len(columns.upper) * 192), above, content, sums)
        leads = np.isin(writes.after, list(expected)) & (writes.points >= 0)[:, :, None]
        for at in np.flatnonzero(leads.any(axis=(0, 1))).tolist():
            expected.add(yacht_states.state_index(above, content, int(sums[at])))
    found = np.flatnonzero(np.isinf(solve_with_canary(second_yacht, poisoned)))
    assert set(found.tolist()) == expected
    assert len(expected) > 20


# The policy of the table, followed with exact probabilities.

_SIZE_ROWS = [np.arange(size.start, size.stop) for size in SIZES]


def _one_less(size: int) -> list[tuple[Ints, Ints]]:
    """Return for each place of a die: the keeps of so many dice, and what is left without it."""
    return [
        (
            _SIZE_ROWS[size],
            np.array([KEEPS.index(dice[:at] + dice[at + 1 :]) for dice in KEEPS[SIZES[size]]]),
        )
        for at in range(size)
    ]


_LESS = [_one_less(size) for size in range(6)]


def rolled(kept: Floats) -> Floats:
    """Return (252, n) the chance of each roll, from (462, n) the chance of each keep."""
    mass = kept.copy()
    for size in range(5):
        for face in range(6):
            mass[ONE_MORE[SIZES[size], face]] += mass[SIZES[size]] / 6
    return mass[FIRST_ROLL:]


def chosen_keeps(rolls: Floats, worth: Floats) -> Floats:
    """Return (462, n) the chance of each keep, those of rolls going to the best keep below.

    Args:
        rolls: (252, n) the chance of each roll that is rolled on.
        worth: (462, n) what each keep is worth, to roll its missing dice.
    """
    best = worth.copy()
    for size in range(1, 6):
        if size == 5:
            best[FIRST_ROLL:] = -np.inf
        for rows, less in _LESS[size]:
            best[rows] = np.maximum(best[rows], best[less])
    mass = np.zeros_like(worth)
    mass[FIRST_ROLL:] = rolls
    kept = np.zeros_like(worth)
    for size in range(5, 0, -1):
        rows = _SIZE_ROWS[size]
        stays = (worth[rows] == best[rows]) if size < 5 else np.zeros_like(mass[rows], dtype=bool)
        kept[rows] = np.where(stays, mass[rows], 0)
        open_ = ~stays
        for _, less in _LESS[size]:
            goes = open_ & (best[less] == best[rows])
            np.add.at(mass, less, np.where(goes, mass[rows], 0))
            open_ &= ~goes
        assert not open_.any()
    kept[0] = mass[0]
    return kept


@dataclass
class Forward:
    """What a whole game under the table's policy brings, exactly but for rounding."""

    total: float = 0.0
    bonus: float = 0.0
    fifty: float = 0.0
    extra: float = 0.0
    finished: float = 0.0


def forward(second_yacht: int, values: Floats) -> Forward:
    columns = yacht_states.columns()
    chance = np.zeros(len(values))
    chance[yacht_states.state_index(ALL_OPEN, yacht.OPEN_YACHT, 0)] = 1
    found = Forward()
    for open_boxes, held in groups(second_yacht):
        begin, end = columns.bounds[open_boxes & UPPER_OPEN : (open_boxes & UPPER_OPEN) + 2]
        states = yacht_states.state_index(open_boxes, held, int(columns.upper[begin])) + np.arange(
            end - begin
        )
        come = chance[states] > 0
        if not come.any():
            continue
        states, upper = states[come], columns.upper[begin:end][come]
        writes = step(second_yacht, values, open_boxes, held, upper)
        stop = writes.worth.max(axis=0)
        turn = Turn((stop, stop, stop))
        kept = np.zeros_like(turn.keeps_one)
        kept[0] = chance[states]
        stopped = np.zeros_like(stop)
        for worth in (turn.keeps_two, turn.keeps_one):
            rolls = rolled(kept)
            stops = stop >= best_keeps(worth)
            stopped += np.where(stops, rolls, 0)
            kept = chosen_keeps(np.where(stops, 0, rolls), worth)
        stopped += rolled(kept)
        box = writes.worth.argmax(axis=0)
        if second_yacht != PLAIN and held == yacht.YACHT_50:
            found.extra += stopped[FIVE_EQUAL].sum()
        for place, number in enumerate(writes.boxes):
            mass = np.where(box == place, stopped, 0)
            paid = np.maximum(writes.points[place], 0)[:, None]
            np.add.at(chance, writes.after[place], mass)
            found.total += float((mass * paid).sum())
            if number < 6:
                found.bonus += float(mass[(upper < 63) & (upper + paid >= 63)].sum())
            if number == 11:
                found.fifty += float(mass[paid[:, 0] == 50].sum())
    finished = [
        yacht_states.state_index(0, held, upper)
        for held in range(1, yacht_states.yacht_states(second_yacht))
        for upper in (0, 63)
    ]
    found.finished = chance[finished].sum()
    found.total += 35 * found.bonus + 100 * found.extra
    return found


@pytest.mark.slow
def test_the_policy_from_the_first_roll_to_the_last(tables: Path) -> None:
    """The chances that the rules tell of the best play, and the start value by another road."""
    found = forward(yacht.FORCED_JOKER, _values(tables, "bonus_and_joker"))
    assert found.finished == pytest.approx(1, abs=1e-10)
    assert found.total == pytest.approx(254.587728734496, abs=1e-8)
    assert found.bonus == pytest.approx(0.681222, abs=5e-7)
    assert found.fifty == pytest.approx(0.337371, abs=5e-7)
    assert found.extra == pytest.approx(0.095801, abs=5e-7)
