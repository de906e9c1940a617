"""Rounds in compiled code against the rules, and the learning of expert's weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ustad.runtime.core.errors import OptionError
from ustad.runtime.core.game import LEVELS
from ustad.runtime.core.registry import entry
from ustad.runtime.games.marriage.features import new_work
from ustad.runtime.games.marriage.levels import level_weights, player_of
from ustad.runtime.games.marriage.round.course import first_turn
from ustad.runtime.games.marriage.round.rules import RULES, Marriage
from ustad.runtime.games.marriage.round.settlement import settlement
from ustad.runtime.games.marriage.states import NUMBER_NAMES, WEIGHTS
from ustad.runtime.games.marriage.tables import TABLES, expert_numbers, shipped_numbers
from ustad.solver.build import build_table
from ustad.solver.marriage.learning import DECK, NetRounds, learn, slopes
from ustad.solver.marriage.measuring import ANY, FIRST, measure, prediction_errors
from ustad.solver.marriage.records import new_record
from ustad.solver.marriage.rounds import Notes, play_round, seated

ENTRY = entry("marriage")


def test_slopes_find_what_made_the_numbers() -> None:
    random = np.random.default_rng(1)
    x = np.column_stack([random.normal(size=(5000, 3)), np.ones(5000)])
    y = x @ [2.0, -1.0, 0.5, 7.0] + 0.01 * random.normal(size=5000)
    line = np.column_stack([x, y])
    assert slopes(line.T @ line, 0.0) == pytest.approx([2, -1, 0.5, 7], abs=1e-3)


def test_a_feature_that_never_varies_weighs_nothing() -> None:
    line = np.column_stack([np.zeros(10), np.arange(10.0), np.ones(10), 3 * np.arange(10.0)])
    assert slopes(line.T @ line, 0.0) == pytest.approx([0, 3, 0])


def test_the_table_holds_the_numbers_that_ship(tmp_path: Path) -> None:
    table, new = build_table(ENTRY, {}, tmp_path)
    assert new
    assert (table.values == shipped_numbers()).all()
    assert (expert_numbers(tmp_path) == table.values).all()
    assert not build_table(ENTRY, {}, tmp_path)[1]
    with pytest.raises(OptionError):
        TABLES.spec({"players": 4})


def compiled_round(
    order: list[int], levels: list[str], seed: int, first: int, options: dict[str, Any]
) -> tuple[int, list[int], list[int]]:
    """Return turns, nets and maal of a round played in compiled code."""
    players = seated(
        [
            player_of(
                level,
                shipped_numbers()[:WEIGHTS] if level == "expert" else level_weights(level),
            )
            for level in levels
        ]
    )
    record, numbers = new_record(len(levels)), Marriage(**options).numbers
    cards, work = np.array(order), new_work()
    course = play_round(cards, first, numbers, players, Notes.NOTHING, seed, work, record)
    return course.turns, record.net.tolist(), record.maal.tolist()


def round_by_the_rules(
    order: list[int], levels: list[str], seed: int, first: int, options: dict[str, Any]
) -> tuple[int, list[int], list[int]]:
    """Return the same of the round played by bots that see their views alone."""
    rules = Marriage(**options)
    state = rules.deal_cards(len(levels), order, first)
    by_level = {level: ENTRY.levels.bot(level, rules, None, seed) for level in levels}
    while not state.is_over():
        player = state.current_player()
        state = state.apply(by_level[levels[player]].choose(state.view(player)))
    return state.public.course.turns, [int(net) for net in state.returns()], list(state.maal())


OPTION_SETS: tuple[dict[str, Any], ...] = (
    {},
    {"see_tiplu": "at_once", "master_is_pure": True},
    {"dublee": False},
    {"printed_need_show": True, "laid_need_tiplu": False},
)


@pytest.mark.slow
def test_compiled_rounds_are_the_rounds_of_the_rules() -> None:
    random = np.random.default_rng(3)
    for number in range(60):
        players = 2 + number % 4
        options = RULES.read_options(OPTION_SETS[number // 4 % 4])
        levels = [LEVELS[int(at)] for at in random.integers(0, 4, players)]
        order = random.permutation(DECK).tolist()
        told = (order, levels, number, number % players, options)
        assert compiled_round(*told) == round_by_the_rules(*told)


@pytest.mark.slow
def test_learning_is_the_same_for_any_number_of_threads_and_beats_hard() -> None:
    steps = ((1.0, 2000),)
    nets = NetRounds(100, 20, 5)
    numbers = learn(steps, threads=1, net_rounds=nets)
    assert (learn(steps, threads=2, net_rounds=nets) == numbers).all()
    # Six pairs are worth far more than their turns say: the prototype found about 8 points.
    six = NUMBER_NAMES.index("discard before the show: turns")
    assert numbers[six] < 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("hero", "others", "least"),
    [("medium", "easy", 5), ("hard", "easy", 9), ("hard", "medium", 2), ("expert", "hard", 0.4)],
)
def test_each_level_beats_the_one_below(hero: str, others: str, least: float) -> None:
    """The lower end of the 95% interval; each deal with the hero in all four seats."""
    mean, half = measure(hero, others, 1500, 11)
    assert mean - half > least


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 4])
def test_what_is_predicted_is_realised(players: int) -> None:
    """For each sort of move, within its own interval and what 4,000 rounds are allowed."""
    for sort, (mean, half, moves) in prediction_errors(600, 17, players).items():
        assert abs(mean) < 1 + 1.5 * half, (sort, mean, half, moves)


@pytest.mark.slow
@pytest.mark.parametrize("hero", [FIRST, ANY])
def test_any_of_the_best_moves_plays_as_well_as_the_one_played(hero: str) -> None:
    mean, half = measure(hero, "expert", 500, 19)
    assert abs(mean) < 2 * half


def test_a_round_of_bots_ends_and_sums_to_zero() -> None:
    order = np.random.default_rng(5).permutation(DECK).tolist()
    turns, net, maal = round_by_the_rules(order, list(LEVELS), 1, 0, RULES.read_options({}))
    assert turns > 4
    assert sum(net) == 0
    assert all(points >= 0 for points in maal)
    settled = settlement(first_turn(4, 0), maal)
    assert settled == tuple(4 * own - sum(maal) for own in maal)
