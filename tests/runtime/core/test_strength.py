"""Levels at a strength: what they play, how often, and what it costs."""

from __future__ import annotations

from collections import Counter
from itertools import count
from math import exp, isclose
from pathlib import Path
from typing import Any

import pytest
from built import Build

from ustad.runtime import Advisor
from ustad.runtime.core.errors import UsageError
from ustad.runtime.core.registry import entry as entry_of
from ustad.runtime.core.strength import Grade, graded_bot, read_grade, scales

YACHT: dict[str, Any] = {
    "game": "yacht",
    "sheets": [{"ones": 3}],
    "dice": [1, 1, 3, 4, 6],
    "rolls_left": 1,
}


@pytest.fixture(scope="module")
def folder(build: Build, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the tables of games that are built in a moment."""
    made = tmp_path_factory.mktemp("strength")
    for game in ("yacht", "dice_poker", "pasa"):
        build(game, {}, made)
    return made


@pytest.fixture(scope="module")
def advisor(folder: Path) -> Advisor:
    return Advisor(folder)


def some_positions(advisor: Advisor, game: str, seats: int, many: int) -> list[Any]:
    """Return positions with a seat to move, of a game of level easy."""
    found: list[Any] = []
    seeds = count()
    while len(found) < many:
        now: Any = advisor.new(game, players=seats, seed=next(seeds))
        while now["status"]["to"] != "over":
            position = now["position"]
            if now["status"]["to"] == "chance":
                now = advisor.apply(position, seed=next(seeds))
                continue
            found.append(position)
            move = advisor.move(position, "easy", seed=next(seeds))["move"]
            now = advisor.apply(position, move=move)
    return found


def probabilities(answer: Any) -> dict[str, float]:
    return {str(option["move"]): option["probability"] for option in answer["options"]}


def mean_cost(answer: Any) -> float:
    return sum(o["probability"] * (answer["value"] - o["value"]) for o in answer["options"])


def test_moves_fall_as_their_costs_say(advisor: Advisor) -> None:
    """Against the formula of the docstring, written again."""
    answer: Any = advisor.ask(YACHT, "hard", strength=0.25)
    scale = scales("yacht")["expected_total"]
    costs = {str(o["move"]): answer["value"] - o["value"] for o in answer["options"]}
    weights = {move: exp(-cost / scale.temperature) for move, cost in costs.items()}
    weights = {m: w if costs[m] <= scale.most else 0.0 for m, w in weights.items()}
    assert min(weights.values()) == 0 < scale.most < max(costs.values())
    chosen = str(advisor.move(YACHT, "hard")["move"])
    for move, found in probabilities(answer).items():
        expected = 0.75 * weights[move] / sum(weights.values()) + 0.25 * (move == chosen)
        assert isclose(found, expected, abs_tol=1e-12)


def test_bots_play_as_often_as_they_say(advisor: Advisor) -> None:
    """Of 1,500 seeds each move is played as often as told, within 4 standard errors."""
    told = probabilities(advisor.ask(YACHT, "hard", strength=0.5))
    played = Counter(
        str(advisor.move(YACHT, "hard", seed=seed, strength=0.5)["move"]) for seed in range(1500)
    )
    assert set(played) <= set(told)
    for move, chance in told.items():
        error = (chance * (1 - chance) / 1500) ** 0.5
        assert abs(played[move] / 1500 - chance) <= 4 * error + 1e-9


def test_the_ends_of_the_scale(advisor: Advisor) -> None:
    for position in some_positions(advisor, "yacht", 1, 20):
        level = advisor.move(position, "hard", seed=3)["move"]
        assert advisor.move(position, "hard", seed=3, strength=1)["move"] == level
        assert all(probabilities(advisor.ask(position, "hard", strength=0)).values())


@pytest.mark.parametrize(("game", "seats"), [("yacht", 1), ("dice_poker", 1), ("pasa", 4)])
def test_strength_halves_the_way_from_easy(advisor: Advisor, game: str, seats: int) -> None:
    """The mean cost falls with the strength in every position; at .5 it is half of easy's."""
    by_strength: dict[float, float] = dict.fromkeys((0.1, 0.5, 0.9, 1.0), 0.0)
    easy = 0.0
    positions = some_positions(advisor, game, seats, 400)
    for seed, position in enumerate(positions):
        costs = []
        for strength in by_strength:
            answer: Any = advisor.ask(position, "expert", strength=strength)
            costs.append(mean_cost(answer))
            by_strength[strength] += costs[-1]
        assert costs == sorted(costs, reverse=True)
        move = advisor.move(position, "easy", seed=seed)["move"]
        values = {str(o["move"]): o["value"] for o in answer["options"]}
        easy += answer["value"] - values[str(move)]
    assert by_strength[1.0] == pytest.approx(0, abs=1e-9)
    assert by_strength[0.5] == pytest.approx(easy / 2, rel=0.2)


def test_the_same_seed_plays_the_same_and_another_another(advisor: Advisor) -> None:
    moves = [str(advisor.move(YACHT, "hard", seed=s, strength=0)["move"]) for s in range(20)]
    assert moves == [
        str(advisor.move(YACHT, "hard", seed=s, strength=0)["move"]) for s in range(20)
    ]
    assert len(set(moves)) > 3


@pytest.mark.parametrize("strength", [-0.1, 1.1, "0.5", True, float("nan"), [0.5]])
def test_strengths_that_are_none(advisor: Advisor, strength: Any) -> None:
    for method in (advisor.ask, advisor.move):
        with pytest.raises(UsageError, match="strength: expected a number from 0 to 1"):
            method(YACHT, "hard", strength=strength)


@pytest.mark.parametrize(
    "text", ["hard:", "hard:2", "hard:-1", "hard:nan", "best:0.5", "hard:.5\n"]
)
def test_grades_that_are_none(text: str) -> None:
    with pytest.raises(UsageError, match="level: expected one of easy, medium, hard, expert"):
        read_grade(text)


def test_grades() -> None:
    assert read_grade("expert:1") == Grade("expert", 1.0)
    assert read_grade("hard:.25") == Grade("hard", 0.25)
    assert read_grade("medium") == Grade("medium", None)


def test_a_level_without_values_is_rated_by_the_one_that_has_them(folder: Path) -> None:
    entry = entry_of("dice_poker")
    bot: Any = graded_bot(entry, "easy:0.5", entry.rules.read({}), folder, 0)
    assert bot.rater.ask(entry.rules.read({}).new(2)).unit == "expected_total"
