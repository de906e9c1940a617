"""The four levels of yacht: reference answers, values that fit together, play."""

from __future__ import annotations

import json
import random
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ustad.runtime.core.game import CHANCE, TIE
from ustad.runtime.games.five_dice.sheet import Keep, SheetState, Write
from ustad.runtime.games.five_dice.turn import DICE, FACES
from ustad.runtime.games.yacht.entry import ENTRY
from ustad.runtime.games.yacht.rules import BOXES, SECOND_YACHT, Sheet
from ustad.runtime.questions import ask
from ustad.tables import MissingTableError

REFERENCE = json.loads((Path(__file__).parents[3] / "data" / "yacht.json").read_text())
SETTINGS = pytest.mark.parametrize("setting", SECOND_YACHT)


def named(entry: dict[str, Any]) -> str:
    position = entry["position"]
    sheet = ",".join(f"{box}={points}" for box, points in position["sheets"][0].items())
    dice = "".join(map(str, position["dice"] or []))
    return f"{position['options']['second_yacht']}-{sheet or 'empty'}-{dice}"


def position(
    dice: list[int] | None, rolls_left: int, setting: str = "bonus_and_joker", **boxes: int
) -> dict[str, Any]:
    return {
        "game": "yacht",
        "options": {"second_yacht": setting},
        "sheets": [boxes],
        "dice": dice,
        "rolls_left": rolls_left,
    }


def state(dice: list[int] | None, rolls_left: int, **boxes: Any) -> SheetState:
    return ENTRY.codec.state_from_json(position(dice, rolls_left, **boxes))


# Right answers.


@pytest.mark.parametrize("entry", REFERENCE["decisions"], ids=named)
def test_decisions_of_the_reference(tables: Path, entry: dict[str, Any]) -> None:
    answer = ask(entry["position"], "hard", tables)
    assert answer["value"] == pytest.approx(entry["value"], abs=1e-6)
    assert sorted(map(str, answer["best"])) == sorted(map(str, entry["best"]))
    assert answer["unit"] == "expected_total"
    rest = [option for option in answer["options"] if option["move"] not in answer["best"]]
    if entry["margin_to_next"] is None:
        assert rest == []
    else:
        margin = answer["value"] - rest[0]["value"]
        assert margin == pytest.approx(entry["margin_to_next"], abs=5.1e-5)


@pytest.mark.parametrize("entry", REFERENCE["turn_starts"], ids=named)
def test_turn_starts_of_the_reference(tables: Path, entry: dict[str, Any]) -> None:
    answer = ask(entry["position"], "hard", tables)
    assert answer["value"] == pytest.approx(entry["value"], abs=1e-6)
    assert (answer["best"], answer["options"]) == ([], [])


@SETTINGS
def test_ties_are_all_best(tables: Path, setting: str) -> None:
    # The yacht box alone is open, one roll left, no two dice alike: to keep one die or none is
    # all the same, 6 of the 7,776 throws of five dice are five equal.
    boxes = dict.fromkeys(BOXES, 0) | {"chance": 17}
    del boxes["yacht"]
    answer = ask(position([1, 2, 3, 4, 6], 1, setting, **boxes), "hard", tables)
    assert answer["best"] == [{"keep": keep} for keep in ([], [1], [2], [3], [4], [6])]
    assert answer["value"] == pytest.approx(17 + 50 * 6 / 6**5, abs=1e-9)


# What stands in the table and what is asked fit together.


def random_state(seed: int, setting: str, players: int = 1) -> SheetState:
    """Return a position of a game at random, five equal dice falling often."""
    luck = random.Random(seed)
    found: Any = ENTRY.rules.make(second_yacht=setting).new(players)
    for _ in range(luck.randrange(39 * players)):
        if found.is_over():
            found = found.rules.new(players)
        if found.current_player() == CHANCE:
            count = DICE - len(found.kept)
            face = found.kept[0] if found.kept else luck.randint(1, FACES)
            thrown = [luck.randint(1, FACES) for _ in range(count)]
            found = found.apply(tuple(sorted([face] * count if luck.random() < 0.4 else thrown)))
        else:
            found = found.apply(luck.choice(found.legal_moves()))
    return found


@SETTINGS
@settings(max_examples=40, deadline=None)
@example(seed=9721562)  # moves that differ by the order of sums alone
@given(seed=st.integers(0, 2**32))
def test_values_along_a_turn_fit_together(tables: Path, setting: str, seed: int) -> None:
    """A position is worth its best move, a keep its mean over the dice, a write what follows."""
    found = random_state(seed, setting)
    bot = ENTRY.levels.bot("hard", found.rules, tables, 0)
    advice = bot.ask(found)
    if found.current_player() == CHANCE:
        mean = sum(p * bot.ask(found.apply(thrown)).value for thrown, p in found.chance_outcomes())
        assert advice.value == pytest.approx(mean, abs=1e-9)
        return
    if found.is_over():
        assert advice.value == found.totals()[0]
        return
    assert {move for move, _ in advice.options} == set(found.legal_moves())
    assert len(advice.options) == len(found.legal_moves())
    values = [value for _, value in advice.options]
    assert values == sorted(values, reverse=True)
    assert advice.value == values[0]
    assert list(advice.best) == [m for m, value in advice.options if value >= values[0] - TIE]
    for move, value in random.Random(seed).sample(list(advice.options), min(4, len(values))):
        assert bot.ask(found.apply(move)).value == pytest.approx(value, abs=1e-9)


@SETTINGS
def test_every_roll_of_a_full_game_is_answered(tables: Path, setting: str) -> None:
    """From the empty sheet to the full one by the bot's own moves, with a yacht written 50."""
    game = ENTRY.rules.make(second_yacht=setting)
    bot = ENTRY.levels.bot("hard", game, tables, 0)
    found = game.new(1).apply((6,) * 5).apply(Write("yacht"))
    luck = game.luck(1, (1,))
    while not found.is_over():
        if found.current_player() == CHANCE:
            found = found.apply(luck.outcome(found))
        else:
            move = bot.choose(found)
            assert move in bot.ask(found).best
            found = found.apply(move)
    assert found.sheets[0].points[11] == 50


@SETTINGS
def test_plain_games_do_not_care_what_the_yacht_box_holds(tables: Path, setting: str) -> None:
    values = [
        ask(position([3, 3, 3, 3, 3], rolls_left, setting, yacht=held), "hard", tables)["value"]
        for rolls_left in (0, 2)
        for held in (0, 50)
    ]
    gain = [values[1] - values[0], values[3] - values[2]]
    if setting == "plain":
        assert gain == pytest.approx([50, 50], abs=1e-9)
    else:
        assert min(gain) > 150  # 50, the 100 extra now, and more to come


def test_the_other_sheets_do_not_change_the_expected_total(tables: Path) -> None:
    alone = position([1, 1, 3, 4, 6], 2, ones=3)
    beside = {**alone, "sheets": [{"ones": 3}, {"yacht": 50}], "to_move": 0}
    assert ask(alone, "hard", tables) == ask(beside, "hard", tables)


def test_choose_many_is_choose(tables: Path) -> None:
    game = ENTRY.rules.read({})
    states = [random_state(seed, "bonus_and_joker") for seed in range(300)]
    states = [found for found in states if found.dice is not None]
    assert {found.rolls_left for found in states} == {0, 1, 2}
    for level in ("easy", "medium", "hard"):
        together = ENTRY.levels.bot(level, game, tables, 0).choose_many(states)
        alone = ENTRY.levels.bot(level, game, tables, 0)
        assert together == [alone.choose(found) for found in states]
        assert all(m in found.legal_moves() for m, found in zip(together, states, strict=True))
    assert ENTRY.levels.bot("hard", game, tables, 0).choose_many([]) == []


def test_more_sheets_at_once_than_are_remembered(tables: Path) -> None:
    game = ENTRY.rules.read({})
    bot = ENTRY.levels.bot("hard", game, tables, 0)
    bot.remembered = 20
    states = [random_state(seed, "bonus_and_joker") for seed in range(120)]
    states = [found for found in states if found.dice is not None]
    fresh = ENTRY.levels.bot("hard", game, tables, 0)
    assert bot.choose_many(states) == fresh.choose_many(states)
    for found in states[:40]:
        assert bot.ask(found) == fresh.ask(found)


@SETTINGS
def test_values_are_those_of_a_brute_force_over_the_last_turn(tables: Path, setting: str) -> None:
    """One box open: the last turn by trying every keep and every throw, from the rules alone."""
    full = dict.fromkeys(BOXES, 0) | {"yacht": 50, "chance": 17, "fives": 20, "sixes": 24}
    for box in ("fours", "full_house", "three_of_a_kind"):
        boxes = {name: points for name, points in full.items() if name != box}
        found = state([4, 4, 4, 5, 6], 1, setting=setting, **boxes)
        bot = ENTRY.levels.bot("hard", found.rules, tables, 0)
        for move, value in bot.ask(found).options:
            after = found.apply(move)
            if after.is_over():
                assert value == after.totals()[0]
                continue
            totals = [
                max(last.apply(write).totals()[0] for write in last.legal_moves())
                for thrown in product(range(1, 7), repeat=DICE - len(after.kept))
                for last in [after.apply(tuple(sorted(thrown)))]
            ]
            assert value == pytest.approx(sum(totals) / len(totals), abs=1e-9)


# Rules of thumb.


@pytest.mark.parametrize(
    ("dice", "rolls_left", "boxes", "move"),
    [
        ([1, 1, 3, 4, 6], 2, {}, Keep((1, 1))),  # most of a face
        ([1, 1, 4, 4, 6], 2, {}, Keep((4, 4))),  # the higher of equals
        ([1, 2, 3, 4, 6], 1, {}, Keep((6,))),
        ([2, 2, 2, 2, 2], 2, {}, Write("yacht")),  # nothing to roll
        ([2, 3, 4, 5, 6], 0, {}, Write("large_straight")),  # pays most
        ([2, 3, 4, 5, 6], 0, {"large_straight": 0}, Write("small_straight")),
        ([1, 1, 2, 4, 6], 0, {"chance": 17}, Write("sixes")),
        ([5, 5, 5, 6, 6], 0, {"full_house": 0}, Write("three_of_a_kind")),  # first of equals
        ([6, 6, 6, 6, 6], 0, {"yacht": 50}, Write("sixes")),  # forced
    ],
)
def test_easy(dice: list[int], rolls_left: int, boxes: dict[str, int], move: Any) -> None:
    found = state(dice, rolls_left, **boxes)
    bot = ENTRY.levels.bot("easy", found.rules, None, 0)
    assert bot.choose(found) == move
    assert bot.ask(found).best == [move]
    assert bot.ask(found).value is None


def test_medium_weighs_every_keep_up_to_the_next_roll() -> None:
    """Against trying all throws: the best mean of the best box after one more roll."""
    for seed in range(25):
        found = random_state(seed, "bonus_and_joker")
        if found.dice is None or not found.rolls_left:
            continue

        def pays(at: SheetState) -> int:
            gains = (at.apply(write).sheets[0].points for write in at.legal_moves())
            return max(sum(points) for points in gains) - sum(at.sheets[0].points)

        means: dict[Any, float] = {}
        for move in found.legal_moves():
            if isinstance(move, Keep):
                after = found.apply(move)
                means[move] = sum(
                    p * pays(after.apply(thrown)._replace(rolls_left=0))
                    for thrown, p in after.chance_outcomes()
                )
        now = pays(found._replace(rolls_left=0))
        choice = ENTRY.levels.bot("medium", found.rules, None, 0).choose(found)
        if isinstance(choice, Keep):
            assert means[choice] == pytest.approx(max(means.values()), abs=1e-9)
            assert means[choice] > now
        else:
            assert now >= max(means.values()) - 2e-9
            paid = found.apply(choice).sheets[0].points
            assert sum(paid) - sum(found.sheets[0].points) == now


def test_levels_that_need_a_table_say_how_to_build_it(tmp_path: Path) -> None:
    game = ENTRY.rules.make(second_yacht="plain")
    for level in ("hard", "expert"):
        with pytest.raises(MissingTableError, match="ustad build yacht --option second_yacht"):
            ENTRY.levels.bot(level, game, tmp_path, 0)
    for level in ("easy", "medium"):
        ENTRY.levels.bot(level, game, tmp_path, 0)


# Play.


def played(tables: Path, level: str, games: int, seed: int) -> list[Sheet]:
    """Return the final sheets of games of one, played side by side by a level."""
    game = ENTRY.rules.read({})
    bot = ENTRY.levels.bot(level, game, tables, 0)
    states: list[Any] = [game.new(1)] * games
    lucks = [game.luck(1, (seed, number)) for number in range(games)]
    while not states[0].is_over():
        for left in (3, 2, 1, 0):
            moving = [at for at, found in enumerate(states) if found.dice is not None]
            for at, move in zip(
                moving, bot.choose_many([states[at] for at in moving]), strict=True
            ):
                states[at] = states[at].apply(move)
            for at, found in enumerate(states):
                if left and found.dice is None and found.rolls_left == left:
                    states[at] = found.apply(lucks[at].outcome(found))
    return [found.sheets[0] for found in states]


def check_play(sheets: list[Sheet]) -> None:
    """Assert what the exact values say, each within four standard errors."""
    expected = {
        "total": (254.587728734496, [sheet.total for sheet in sheets]),
        "bonus": (0.681222, [sheet.upper >= 63 for sheet in sheets]),
        "fifty": (0.337371, [sheet.points[11] == 50 for sheet in sheets]),
        "extra": (0.095801, [sheet.extra_yachts for sheet in sheets]),
    }
    for name, (mean, found) in expected.items():
        sample = np.array(found, dtype=np.float64)
        error = sample.std() / len(sample) ** 0.5
        print(f"{name}: {sample.mean():.6f} +- {error:.6f}, expected {mean:.6f}")
        assert abs(sample.mean() - mean) < 4 * error, name


def test_two_thousand_games_of_the_table(tables: Path) -> None:
    check_play(played(tables, "hard", 2_000, seed=11))


@pytest.mark.slow
def test_two_hundred_thousand_games_of_the_table(tables: Path) -> None:
    sheets: list[Sheet] = []
    for block in range(50):
        sheets += played(tables, "hard", 4_000, seed=100 + block)
    check_play(sheets)


def test_stronger_levels_bring_more(tables: Path) -> None:
    # Means of 300 games on the same dice lie tens of points apart, the errors are below 4.
    means = [
        np.mean([sheet.total for sheet in played(tables, level, 300, seed=5)])
        for level in ("easy", "medium", "hard")
    ]
    assert means[0] + 10 < means[1] < means[2] - 10
