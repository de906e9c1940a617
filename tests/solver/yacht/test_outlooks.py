"""Outlooks and best chances: the mean is the value, small cases are exact, known figures."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ustad.runtime.games.five_dice.bots import FIRST_WRITE
from ustad.runtime.games.five_dice.turn import DICE, KEEPS, ROLLS, SIZES
from ustad.runtime.games.yacht import outlooks as yacht_outlook
from ustad.runtime.games.yacht import tables
from ustad.runtime.games.yacht.distributions import BestChances, LatticeDistributions
from ustad.runtime.games.yacht.entry import ENTRY
from ustad.runtime.games.yacht.levels import TableBot
from ustad.runtime.games.yacht.rules import (
    ALL_OPEN,
    BONUS_AT,
    BOXES,
    OPEN_YACHT,
    SECOND_YACHT,
    YACHT_0,
    YACHT_50,
    Sheet,
    State,
    Yacht,
    make_sheet,
)
from ustad.runtime.games.yacht.states import columns, section, state_index, yacht_states
from ustad.runtime.games.yacht.tables import read_outlook
from ustad.runtime.games.yacht.target import TargetBot, Wanted
from ustad.solver.build import build_table
from ustad.solver.yacht import build, chances
from ustad.solver.yacht import outlooks as outlook
from ustad.tables import open_table

Floats = NDArray[np.float64]

FEW = 2
"""States with so few open boxes are solved in the fast tests."""

SETTINGS = pytest.mark.parametrize("setting", SECOND_YACHT)


def values_of(tables: Path, setting: str) -> Floats:
    return open_table(ENTRY.tables.spec({"second_yacht": setting}), tables).values


@pytest.fixture(scope="session")
def known(tables: Path) -> dict[str, tuple[LatticeDistributions, Floats]]:
    """The outlooks of states with few open boxes, and their bonus chances, by setting."""
    return {
        setting: outlook.solve(number, values_of(tables, setting), threads=1, most_open=FEW)
        for number, setting in enumerate(SECOND_YACHT)
    }


def few_states(setting: str) -> Iterator[tuple[int, int, int]]:
    """Yield open boxes, yacht box and upper sum of the states with few open boxes."""
    known = columns()
    for open_boxes in range(1 << len(BOXES)):
        if open_boxes.bit_count() > FEW:
            continue
        contents = range(1, yacht_states(SECOND_YACHT.index(setting)))
        for held in [OPEN_YACHT] if open_boxes >> BOXES.index("yacht") & 1 else contents:
            for column in range(*known.bounds[open_boxes & 63 : (open_boxes & 63) + 2]):
                yield open_boxes, held, int(known.upper[column])


@SETTINGS
def test_chances_add_up_and_their_mean_is_the_value(
    tables: Path, known: dict[str, tuple[LatticeDistributions, Floats]], setting: str
) -> None:
    states = np.array([state_index(*state) for state in few_states(setting)])
    rows = known[setting][0].rows(states)
    assert rows.min() >= 0
    assert rows.sum(axis=1) == pytest.approx(1.0, abs=1e-13)
    mean = rows @ np.arange(rows.shape[1])
    assert mean == pytest.approx(values_of(tables, setting)[states], abs=1e-9)


def sheet_of(open_boxes: int, held: int, upper: int) -> Sheet:
    """Return a sheet in a state; only open boxes, yacht box and upper sum count here."""
    points = [-1 if open_boxes >> box & 1 else 0 for box in range(len(BOXES))]
    if held == YACHT_50:
        points[BOXES.index("yacht")] = 50
    return make_sheet(tuple(points), 0)._replace(upper=upper)


def exact_throws(kept: tuple[int, ...]) -> Iterator[tuple[int, Fraction]]:
    """Yield the rolls that a keep can become with their chances."""
    from math import factorial

    count = DICE - len(kept)
    for thrown in KEEPS[SIZES[count]]:
        orders = factorial(count)
        for face in set(thrown):
            orders //= factorial(thrown.count(face))
        yield ROLLS.index(tuple(sorted(kept + thrown))), Fraction(orders, 6**count)


def exact_writes(bot: TableBot, sheet: Sheet) -> dict[tuple[int, int], Fraction]:
    """Return the exact chance of each roll and box that the bot ends its turn with."""
    choices = bot.turn_choices([sheet])[:, 0]
    ends: dict[tuple[int, int], Fraction] = {}
    falls = dict(exact_throws(()))
    for left in (2, 1, 0):
        after: dict[int, Fraction] = {}
        for roll, chance in falls.items():
            chosen = int(choices[left, roll])
            if chosen >= FIRST_WRITE:
                ends[roll, chosen - FIRST_WRITE] = (
                    ends.get((roll, chosen - FIRST_WRITE), Fraction(0)) + chance
                )
                continue
            for found, part in exact_throws(KEEPS[chosen]):
                after[found] = after.get(found, Fraction(0)) + chance * part
        falls = after
    return ends


def exact_outlook(bot: TableBot, game: Yacht, sheet: Sheet) -> dict[int, Fraction]:
    """Return the exact chance of each number of points still to come, by enumeration."""
    from ustad.runtime.games.yacht.rules import WRITES

    if not sheet.open_boxes:
        return {0: Fraction(1)}
    found: dict[int, Fraction] = {}
    rest: dict[Any, dict[int, Fraction]] = {}
    for (roll, box), chance in exact_writes(bot, sheet).items():
        after = game.write(sheet, ROLLS[roll], 0, WRITES[box])
        gained = game_points(game, sheet, roll, box)
        key = game.state(after)
        if key not in rest:
            rest[key] = exact_outlook(bot, game, after)
        for points, part in rest[key].items():
            found[gained + points] = found.get(gained + points, Fraction(0)) + chance * part
    return found


def game_points(game: Yacht, sheet: Sheet, roll: int, box: int) -> int:
    """Return what a write adds to the total, from the sheets before and after it."""
    from ustad.runtime.games.yacht.rules import WRITES

    after = game.write(sheet, ROLLS[roll], 0, WRITES[box])
    added = after.points[box] + 100 * (after.extra_yachts - sheet.extra_yachts)
    return added + 35 * (sheet.upper < BONUS_AT <= after.upper)


CASES = [
    (("chance",), YACHT_50, 0),
    (("large_straight",), YACHT_0, 63),
    (("sixes",), YACHT_50, 45),
    (("ones", "yacht"), OPEN_YACHT, 61),
    (("full_house", "small_straight"), YACHT_50, 63),
    (("fives", "chance"), YACHT_50, 40),
]


SETTING_CASES = [
    pytest.param(
        setting,
        *case,
        # Two open boxes take a second or more each: one setting will do by default.
        marks=[pytest.mark.slow] if len(case[0]) == 2 and number else [],
    )
    for case in CASES
    for number, setting in enumerate(SECOND_YACHT)
]


@pytest.mark.parametrize(("setting", "boxes", "held", "upper"), SETTING_CASES, ids=str)
def test_few_open_boxes_equal_exact_fractions(
    tables: Path,
    known: dict[str, tuple[LatticeDistributions, Floats]],
    setting: str,
    boxes: tuple[str, ...],
    held: int,
    upper: int,
) -> None:
    """The very bot of level hard, its turn enumerated in fractions by another way."""
    game = Yacht(setting)
    bot = ENTRY.levels.bot("hard", game, tables, 0)
    assert isinstance(bot, TableBot)
    open_boxes = sum(1 << BOXES.index(box) for box in boxes)
    sheet = sheet_of(open_boxes, held, upper)
    exact = exact_outlook(bot, game, sheet)
    assert sum(exact.values()) == 1
    state = state_index(*game.state(sheet))
    row = known[setting][0].rows(np.array([state]))[0]
    for points in range(len(row)):
        assert row[points] == pytest.approx(float(exact.get(points, 0)), abs=1e-12)
    assert max(exact) < len(row)


def test_the_chance_of_the_bonus(known: dict[str, tuple[LatticeDistributions, Floats]]) -> None:
    """Sixes alone, 45 so far: three sixes of three rolls, 1 - P(at most two of five)."""
    hit = 1 - (5 / 6) ** 3
    enough = sum(
        coefficient * hit**n * (1 - hit) ** (5 - n) for n, coefficient in ((3, 10), (4, 5), (5, 1))
    )
    sixes = 1 << BOXES.index("sixes")
    bonus = known["plain"][1]
    assert bonus[state_index(sixes, YACHT_0, 45)] == pytest.approx(enough, abs=1e-12)
    assert bonus[state_index(sixes, YACHT_0, 30)] == 0
    assert bonus[state_index(0, YACHT_0, 63)] == 0


@pytest.mark.parametrize("threads", [2])
def test_threads_change_no_bit(
    tables: Path, known: dict[str, tuple[LatticeDistributions, Floats]], threads: int
) -> None:
    again, bonus = outlook.solve(0, values_of(tables, SECOND_YACHT[0]), None, threads, FEW)
    assert again.chance.tobytes() == known[SECOND_YACHT[0]][0].chance.tobytes()
    assert bonus.tobytes() == known[SECOND_YACHT[0]][1].tobytes()


# Best chances.


@pytest.fixture(scope="session")
def best() -> BestChances:
    """The best chances of states with few open boxes."""
    found = chances.solve(0, threads=1, most_open=FEW)
    return BestChances(found, tables.widths(0), section())


def test_best_chances_fall_and_are_no_less_than_those_of_hard(
    best: BestChances, known: dict[str, tuple[LatticeDistributions, Floats]]
) -> None:
    states = np.array([state_index(*state) for state in few_states("bonus_and_joker")])
    found = best.chances(states)
    assert (found[:, 0] == 1).all()
    assert (np.diff(found, axis=1) <= 1e-12).all()
    rows = known["bonus_and_joker"][0].rows(states)
    hard = rows[:, ::-1].cumsum(axis=1)[:, ::-1]
    assert (found[:, : hard.shape[1]] >= hard - 1e-12).all()


def test_best_chances_equal_those_solved_one_by_one(tables: Path, best: BestChances) -> None:
    """The numpy turns of the bots, one state and target at a time, back from the end."""
    bot = ENTRY.levels.bot("hard", Yacht(), tables, 0)
    assert isinstance(bot, TableBot)
    target = TargetBot(bot, 0, None)
    random = np.random.default_rng(3)
    states = list(few_states("bonus_and_joker"))
    for at in random.choice(len(states), 25, replace=False):
        state = states[at]
        if not state[0]:
            continue
        row = best.chances(np.array([state_index(*state)]))[0]
        points = random.integers(1, 150, 6).tolist()
        start = target.solve([Wanted(State(*state), wanted) for wanted in points]).turn.start
        assert start == pytest.approx([row[wanted] for wanted in points], abs=1e-11)


def test_a_solver_keeps_the_outlook_of_one_setting_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    solved: list[int] = []
    monkeypatch.setattr(outlook, "solve", lambda setting, *_: (solved.append(setting), "bonus"))
    monkeypatch.setattr(build.values, "solve", lambda *_: None)
    monkeypatch.setattr(build, "_compact", lambda *_: (np.zeros(1), {}))
    solver = build.YachtSolver()
    for setting in ("plain", "plain", "free_joker", "plain"):
        solver.build({"second_yacht": setting, "outlook": "compact"})
    assert solved == [1, 2, 1]


# All states: long.


@pytest.fixture(scope="module")
def every(tables: Path) -> tuple[LatticeDistributions, Floats]:
    return outlook.solve(0, values_of(tables, SECOND_YACHT[0]))


@pytest.mark.slow
def test_the_mean_is_the_value_in_every_state(
    tables: Path, every: tuple[LatticeDistributions, Floats]
) -> None:
    values = values_of(tables, SECOND_YACHT[0])
    for begin in range(0, len(values), 10_000):
        rows = every[0].rows(np.arange(begin, min(begin + 10_000, len(values))))
        assert rows.sum(axis=1) == pytest.approx(1.0, abs=1e-12)
        mean = rows @ np.arange(rows.shape[1])
        assert mean == pytest.approx(values[begin : begin + 10_000], abs=1e-6)


@pytest.mark.slow
def test_known_figures_of_the_best_policy(every: tuple[LatticeDistributions, Floats]) -> None:
    """Deviation, percentiles and bonus as public solvers have them, and two such players."""
    start = state_index(ALL_OPEN, OPEN_YACHT, 0)
    row = every[0].rows(np.array([start]))[0]
    sums = np.cumsum(row)
    percentiles = [int(np.searchsorted(sums, q)) for q in (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)]
    assert percentiles == [151, 180, 217, 248, 272, 388, 474]
    assert every[1][start] == pytest.approx(0.681222, abs=1e-6)
    points = np.arange(len(row))
    mean = row @ points
    # The lump beyond 511 points takes a little from the deviation of 59.608.
    assert np.sqrt(row @ (points - mean) ** 2) == pytest.approx(59.608, abs=0.1)
    assert row @ row == pytest.approx(0.00677, abs=1e-4)


@pytest.mark.slow
def test_the_compact_table_comes_near_in_every_state(
    tables: Path, tmp_path: Path, every: tuple[LatticeDistributions, Floats]
) -> None:
    """Means to a quarter of a point, sums to 1, and expert goes by it where it alone is built."""
    table, new = build_table(ENTRY, {"outlook": "compact"}, tmp_path)
    assert new
    assert table.bytes <= 4_500_000
    short = read_outlook(table)
    states = len(tables.kinds(0))
    for begin in range(0, states, 10_000):
        at = np.arange(begin, min(begin + 10_000, states))
        rows, exact = short.rows(at), every[0].rows(at)
        assert rows.sum(axis=1) == pytest.approx(1.0, abs=1e-9)
        mean = rows @ np.arange(rows.shape[1])
        assert mean == pytest.approx(exact @ np.arange(exact.shape[1]), abs=0.25)
    assert table.parts["bonus"] / 1000 == pytest.approx(every[1], abs=0.0005 + 1e-9)
    found = yacht_outlook.open_outlooks({"second_yacht": "bonus_and_joker"}, tmp_path)
    assert found is not None
    assert (found.name, found.exact, found.best) == ("compact", False, None)
