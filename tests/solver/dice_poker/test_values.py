"""The tables of dice poker: known values, brute force, residuals, and what best play brings."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import product
from math import factorial, lcm
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from built import Build
from numpy.typing import NDArray

from ustad.runtime.core.errors import OptionError
from ustad.runtime.games.dice_poker import rules as dice_poker
from ustad.runtime.games.dice_poker import states as dice_poker_states
from ustad.runtime.games.dice_poker.entry import ENTRY
from ustad.runtime.games.dice_poker.levels import TableBot
from ustad.runtime.games.dice_poker.rules import ALL_OPEN, ROWS, SCHOOL, DicePoker, Sheet, State
from ustad.runtime.games.five_dice.turn import KEEPS, ROLLS, SIZES
from ustad.runtime.questions import ask
from ustad.solver.dice_poker import policy
from ustad.solver.dice_poker import values as solver
from ustad.tables import Table, open_table, structure

Floats = NDArray[np.float64]

KNOWN = json.loads((Path(__file__).parents[2] / "data" / "dice_poker.json").read_text())
SACRIFICE = {"dash": "sacrifice"}


def rules(**options: Any) -> DicePoker:
    return ENTRY.rules.read(options)


@cache
def solved(**options: Any) -> Floats:
    return solver.solve(rules(**options).numbers)


@pytest.fixture(scope="session")
def folder(build: Build, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the tables that the known positions need."""
    made = tmp_path_factory.mktemp("dice_poker")
    for options in ({}, SACRIFICE, {**SACRIFICE, "chance_after_miss": True}):
        build("dice_poker", options, made)
    return made


# Known values.


@pytest.mark.parametrize(("options", "value"), KNOWN["start_values"]["values"], ids=str)
def test_start_values(options: dict[str, Any], value: float) -> None:
    digits = 1e-9 if options in ({}, SACRIFICE) else 1e-6
    start = solved(**options)[ENTRY.tables.spec(options).start_index]
    assert start == pytest.approx(value, abs=digits, rel=0)


def test_part_two_alone() -> None:
    full = ALL_OPEN & ~SCHOOL
    for options, name, digits in (({}, "deferred", 1e-9), (SACRIFICE, "sacrifice", 1e-6)):
        state = dice_poker_states.state_index(rules(**options).numbers, full, 9, 0)
        value = solved(**options)[state]
        assert value == pytest.approx(KNOWN["part_two_alone"][name], abs=digits, rel=0)


@pytest.mark.parametrize(("rows", "value"), KNOWN["lone_rows"]["values"], ids=str)
def test_last_rows_in_fractions(rows: list[str], value: str) -> None:
    open_rows = sum(1 << ROWS.index(row) for row in rows)
    state = dice_poker_states.state_index(rules(**SACRIFICE).numbers, open_rows, len(rows), 0)
    assert solved(**SACRIFICE)[state] == pytest.approx(float(Fraction(value)), abs=1e-12, rel=0)


@pytest.mark.parametrize("case", KNOWN["positions"], ids=lambda case: case["name"])
def test_positions_from_independent_solvers(case: dict[str, Any], folder: Path) -> None:
    answer = ask(case["position"], tables=folder)
    digits = 1e-6 if case["position"]["options"].get("chance_after_miss") else 1e-8
    assert answer["value"] == pytest.approx(case["value"], abs=digits, rel=0)
    assert answer["unit"] == "expected_total"
    if "best" in case:
        assert answer["best"] == case["best"]
        margin = answer["options"][0]["value"] - answer["options"][1]["value"]
        assert margin == pytest.approx(case["margin_to_next"], abs=1e-8, rel=0)


def test_counts_of_states() -> None:
    found = solver.reachable_states(rules(**SACRIFICE).numbers)
    known = KNOWN["states"]
    assert found == {"school_states": known["school"], "part_two_states": known["part_two"]}
    # Under deferred a set of n open rows goes with 1 to n turns: n summed over the sets.
    deferred = solver.reachable_states(rules().numbers)
    assert deferred["part_two_states"] == sum(n.bit_count() for n in range(512)) == 2_304
    free = solver.reachable_states(rules(**SACRIFICE, order="free").numbers)
    assert free == {"states": 512 * (3_013 + 106) - 106}


# Brute force, through the rules as they are played.


def orders(dice: tuple[int, ...]) -> int:
    found = factorial(len(dice))
    for count in Counter(dice).values():
        found //= factorial(count)
    return found


@cache
def falls(kept: tuple[int, ...]) -> list[tuple[tuple[int, ...], int]]:
    """Return each roll that a keep can become with its weight, of 6^5 in all."""
    thrown = KEEPS[SIZES[5 - len(kept)]]
    return [(tuple(sorted(kept + more)), orders(more) * 6 ** len(kept)) for more in thrown]


@cache
def kept_from(dice: tuple[int, ...]) -> list[tuple[int, ...]]:
    masks = product((False, True), repeat=5)
    keeps = {tuple(d for d, keep in zip(dice, m, strict=True) if keep) for m in masks}
    return [kept for kept in keeps if len(kept) < 5]


class BruteForce:
    """Solves a game from a sheet on in whole numbers, asking the rules alone.

    ``known`` gives the value of sheets at which it stops.
    """

    def __init__(self, game: DicePoker, known: Callable[[Sheet], Fraction | None]) -> None:
        self.rules = game
        self.known = known
        self.values: dict[Any, Fraction] = {}

    def value(self, sheet: Sheet) -> Fraction:
        """Return the expected points to come."""
        key = (sheet.open_rows, sheet.turns_left, sheet.subtotal if sheet.open_rows & SCHOOL else 0)
        if key not in self.values:
            found = Fraction(0) if sheet.turns_left == 0 else self.known(sheet)
            self.values[key] = self.turn(sheet) if found is None else found
        return self.values[key]

    def turn(self, sheet: Sheet) -> Fraction:
        """Return the value of a turn that begins, its end being worth what :meth:`stop` says."""
        stops = [
            {dice: self.stop(sheet, dice, rolls_left) for dice in ROLLS} for rolls_left in range(3)
        ]
        scale = lcm(*(v.denominator for stop in stops for v in stop.values() if v is not None))
        worth = {dice: int(v * scale) for dice, v in stops[0].items() if v is not None}
        for rolls_left in (1, 2):
            keeps = {
                kept: sum(weight * worth[dice] for dice, weight in falls(kept))
                for kept in KEEPS[: SIZES[5].start]
            }
            scale *= 6**5
            worth = {dice: max(keeps[kept] for kept in kept_from(dice)) for dice in ROLLS}
            for dice, stop in stops[rolls_left].items():
                if stop is not None:
                    worth[dice] = max(worth[dice], int(stop * scale))
        return Fraction(sum(weight * worth[dice] for dice, weight in falls(())), scale * 6**5)

    def stop(self, sheet: Sheet, dice: tuple[int, ...], rolls_left: int) -> Fraction | None:
        """Return what the best end of a turn is worth on a roll, None if none is legal."""
        found = []
        for move in self.rules.writes(sheet, dice, rolls_left):
            after = self.rules.write(sheet, dice, rolls_left, move)
            found.append(after.total - sheet.total + self.value(after))
        return max(found, default=None)


def sheet_with(game: DicePoker, open_rows: int, turns_left: int, subtotal: int = 0) -> Sheet:
    """Return a sheet with these rows open, the subtotal in the first school row written."""
    points: list[int | None] = [None if open_rows >> row & 1 else 0 for row in range(15)]
    if subtotal:
        points[next(row for row in range(6) if points[row] is not None)] = subtotal
    return dice_poker.make_sheet(game.numbers, points, turns_left)


def table_value(game: DicePoker, values: Floats, key: tuple[int, int, int]) -> float:
    return float(values[dice_poker_states.state_index(game.numbers, *key)])


def bits(*rows: str) -> int:
    return sum(1 << ROWS.index(row) for row in rows)


PAIRS = [("poker", "chance"), ("pair", "two_pairs"), ("full_house", "four"), ("three", "chance")]


@pytest.mark.parametrize(
    "options",
    [
        {},
        SACRIFICE,
        {"chance_after_miss": True},
        {**SACRIFICE, "chance_after_miss": True, "five_as_full_house": True},
        {**SACRIFICE, "chance_doubles": True, "four_as_two_pairs": True},
        {"first_throw": "double_with_poker_bonus"},
        {"first_throw": "none"},
    ],
    ids=str,
)
def test_last_turns_of_part_two_equal_brute_force(options: dict[str, Any]) -> None:
    game, values = rules(**options), solved(**options)
    for rows in PAIRS:
        brute = BruteForce(game, lambda sheet: None)
        brute.value(sheet_with(game, bits(*rows), 2))
        if game.numbers.deferred:
            brute.value(sheet_with(game, bits(*rows), 1))
        assert len(brute.values) >= 3
        for key, exact in brute.values.items():
            assert table_value(game, values, key) == pytest.approx(float(exact), abs=1e-11, rel=0)


@pytest.mark.parametrize(
    "options",
    [SACRIFICE, {"school_threshold": 7, "school_bonus": 35}, {"school_bonus": 0}],
    ids=str,
)
@pytest.mark.parametrize("subtotal", [-11, -4, 3])
def test_last_rows_of_the_school_equal_brute_force(options: dict[str, Any], subtotal: int) -> None:
    """Part two is taken from the table, whose last turns the test above proves."""
    game, values = rules(**options), solved(**options)
    start = Fraction(table_value(game, values, (ALL_OPEN & ~SCHOOL, 9, 0)))
    brute = BruteForce(game, lambda sheet: None if sheet.open_rows & SCHOOL else start)
    open_rows = bits("twos", "fives") | ALL_OPEN & ~SCHOOL
    brute.value(sheet_with(game, open_rows, 11, subtotal))
    assert len(brute.values) == 1 + 6 + 6 + 1
    for key, exact in brute.values.items():
        assert table_value(game, values, key) == pytest.approx(float(exact), abs=1e-11, rel=0)


def test_last_rows_of_the_free_order_equal_brute_force() -> None:
    options = {**SACRIFICE, "order": "free"}
    game, values = rules(**options), solved(**options)
    brute = BruteForce(game, lambda sheet: None)
    brute.value(sheet_with(game, bits("sixes", "four", "chance"), 3, -1))
    # Sixes open with 4 sets of the others; written with 6 subtotals: one key, once it is full.
    assert len(brute.values) == 4 + 4
    for key, exact in brute.values.items():
        assert table_value(game, values, key) == pytest.approx(float(exact), abs=1e-11, rel=0)


# The table as a whole.


def states(game: DicePoker) -> list[State]:
    """Return open rows, turns left and one subtotal of each state of ``school_first``."""
    known = dice_poker_states.columns(game.numbers.school_threshold)
    full = ALL_OPEN & ~SCHOOL
    school = [
        State(full | rows, 9 + rows.bit_count(), int(upper))
        for rows in range(1, SCHOOL + 1)
        for upper in known.upper[slice(*known.bounds[rows : rows + 2])]
    ]
    part_two = [
        State(rows << 6, turns_left, 0)
        for rows in range(1, 512)
        for turns_left in (
            range(1, rows.bit_count() + 1) if game.numbers.deferred else [rows.bit_count()]
        )
    ]
    return school + part_two


@pytest.mark.parametrize("options", [{}, SACRIFICE], ids=str)
def test_every_state_is_worth_its_best_turn(options: dict[str, Any], folder: Path) -> None:
    """The bot's numpy turns, on the table's values, give the values back: no residual is left."""
    game = rules(**options)
    bot = ENTRY.levels.bot("expert", game, folder, 0)
    assert isinstance(bot, TableBot)
    keys = states(game)
    for begin in range(0, len(keys), 512):
        part = keys[begin : begin + 512]
        found = bot.solve(part).turn.start
        known = [table_value(game, bot.table.values, key) for key in part]
        assert np.abs(found - known).max() < 1e-11


def random_options(seed: int) -> dict[str, Any]:
    """Return an option set that makes sense; one in eight has the free order."""
    choose = random.Random(seed)
    while True:
        options = {
            "dash": choose.choice(dice_poker.DASHES),
            "order": "free" if seed % 8 == 0 else "school_first",
            "first_throw": choose.choice(dice_poker.FIRST_THROWS),
            "school_bonus": choose.choice([0, 35, 50]),
            "school_threshold": choose.randint(-20, 20),
        }
        switches = (
            "five_as_full_house",
            "four_as_two_pairs",
            "chance_doubles",
            "chance_after_miss",
        )
        options |= {name: choose.random() < 0.5 for name in switches}
        try:
            return ENTRY.rules.read_options(options)
        except OptionError:
            continue


@pytest.mark.parametrize("seed", range(8))
def test_states_of_any_option_set_are_worth_their_best_turn(seed: int) -> None:
    """The bots' numpy turns share neither stops nor sweeps with the solver, only the rules."""
    game = ENTRY.rules.make(**random_options(seed))
    values = solver.solve(game.numbers)
    known = dice_poker_states.columns(game.numbers.school_threshold)
    choose = random.Random(seed)
    keys = states(game)
    if game.numbers.free:
        keys = [
            State(rows << 6 | school, rows.bit_count() + school.bit_count(), int(upper))
            for rows in choose.sample(range(512), 8)
            for school in range(64)
            for upper in known.upper[slice(*known.bounds[school : school + 2])]
            if rows or school
        ]
    keys = choose.sample(keys, 300)
    bot = TableBot(game, cast(Table, SimpleNamespace(values=values)))
    found = bot.solve(keys).turn.start
    expected = [table_value(game, values, key) for key in keys]
    assert np.isfinite(expected).all()
    assert np.abs(found - expected).max() < 1e-11


@pytest.mark.parametrize("options", [{}, SACRIFICE], ids=str)
def test_states_that_occur_are_solved_and_no_others(options: dict[str, Any]) -> None:
    """An infinity read too early would be seen in a value; those left are where no game comes."""
    game, values = rules(**options), solved(**options)
    occur = [dice_poker_states.state_index(game.numbers, *key) for key in states(game)]
    finished = range(512 if game.numbers.deferred else 1)
    assert set(np.flatnonzero(np.isfinite(values)).tolist()) == {*occur, *finished}
    assert not values[: len(finished)].any()
    assert (values[occur] > -63).all()


@pytest.mark.parametrize("options", [{}, SACRIFICE], ids=str)
def test_tables_do_not_depend_on_the_number_of_threads(options: dict[str, Any]) -> None:
    found = solver.solve(rules(**options).numbers, threads=3)
    assert found.tobytes() == solved(**options).tobytes()


def test_progress_ends_at_the_end() -> None:
    calls: list[tuple[int, int]] = []
    solver.solve(rules(**SACRIFICE).numbers, lambda done, of: calls.append((done, of)))
    assert len(calls) == 15
    assert calls == sorted(calls)
    assert calls[-1] == (2_150, 2_150)


@pytest.mark.parametrize("options", [{}, SACRIFICE], ids=str)
def test_table_files(options: dict[str, Any], folder: Path) -> None:
    spec = ENTRY.tables.spec(options)
    table = open_table(spec, folder)
    expected = solved(**options)
    occur = np.isfinite(expected)
    assert table.values[occur].tobytes() == expected[occur].tobytes()
    assert not table.values[~occur].any()
    assert table.bytes <= 400_000
    column = structure(spec.path(folder), ENTRY.tables.structure(spec.options), "")["column"]
    assert np.array_equal(column, dice_poker_states.columns(0).column)


# What the levels score, exactly.

LEVELS = {
    "sacrifice": {"easy": 149.260227, "medium": 157.387712, "hard": 158.015163},
    "deferred": {"easy": 159.127821, "medium": 163.088253, "hard": 163.902063},
}
"""Expected totals; the first and last were measured as about 149 and 158 in 50,000 games by an
independent program, the others come from this forward pass and the simulation below."""


@cache
def totals(level: str, dash: str, folder: Path) -> policy.Totals:
    game = rules(dash=dash)
    bot = ENTRY.levels.bot(level, game, folder, 0)
    return policy.exact_totals(bot, game)


def test_the_best_play_followed_through_every_state(folder: Path) -> None:
    found = totals("expert", "sacrifice", folder)
    known = KNOWN["best_play"]
    assert found.chance.sum() == pytest.approx(1, abs=1e-12)
    assert found.mean == pytest.approx(164.910971329627, abs=1e-9)
    assert found.bonus == pytest.approx(known["bonus"], abs=5e-7)
    assert found.variance == pytest.approx(known["variance"], abs=5e-3)


@pytest.mark.parametrize(
    ("level", "dash"),
    [
        ("easy", "sacrifice"),
        ("medium", "sacrifice"),
        ("hard", "sacrifice"),
        pytest.param("hard", "deferred", marks=pytest.mark.slow),
        pytest.param("easy", "deferred", marks=pytest.mark.slow),
        pytest.param("medium", "deferred", marks=pytest.mark.slow),
    ],
)
def test_what_the_levels_score(level: str, dash: str, folder: Path) -> None:
    assert totals(level, dash, folder).mean == pytest.approx(LEVELS[dash][level], abs=1e-6)


def test_what_expert_wins_from_three_hards(folder: Path) -> None:
    """A mean is linear: three quarters of the difference of the expected totals."""
    expert, hard = (totals(level, "sacrifice", folder) for level in ("expert", "hard"))
    mean, deviation = policy.exact_settlement([expert, hard, hard, hard])
    assert mean == pytest.approx(0.75 * (164.910971 - 158.015163), abs=1e-6)
    game = rules(**SACRIFICE)
    bots = [
        ENTRY.levels.bot(level, game, folder, 0) for level in ("expert", "hard", "hard", "hard")
    ]
    own, *others = (
        policy.simulated_totals(bot, game, 2_000, 4 + seat) for seat, bot in enumerate(bots)
    )
    found, error = policy.mean_and_error(own - (own + sum(others)) / 4)
    assert abs(found - mean) < 4 * error
    assert error == pytest.approx(deviation / 2_000**0.5, rel=0.1)


@pytest.mark.parametrize(
    ("options", "games"), [(SACRIFICE, 50_000), ({}, 10_000)], ids=["sacrifice", "deferred"]
)
def test_simulated_games_score_what_the_table_says(
    options: dict[str, Any], games: int, folder: Path
) -> None:
    game = rules(**options)
    found = policy.simulated_totals(ENTRY.levels.bot("expert", game, folder, 0), game, games, 5)
    mean, error = policy.mean_and_error(found)
    assert len(found) == games
    assert abs(mean - solved(**options)[ENTRY.tables.spec(options).start_index]) < 4 * error


def test_the_same_seed_gives_the_same_games(folder: Path) -> None:
    game = rules()
    bot = ENTRY.levels.bot("hard", game, folder, 0)
    first, again, other = (policy.simulated_totals(bot, game, 100, seed) for seed in (3, 3, 4))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_exact_totals_want_the_school_first() -> None:
    game = rules(**SACRIFICE, order="free")
    with pytest.raises(ValueError, match="school_first"):
        policy.exact_totals(ENTRY.levels.bot("easy", game, None, 0), game)
