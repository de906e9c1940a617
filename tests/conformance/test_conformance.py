"""One suite over all games and levels: what every registered game must keep.

A game joins by being registered.  Positions come from seeded random play; levels that need a
table are tried with the tables of :data:`TABLES`, and without.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from built import Build

from ustad.runtime import arena
from ustad.runtime.core.entry import AnyEntry
from ustad.runtime.core.errors import (
    MoveError,
    OptionError,
    OutcomeError,
    PositionError,
    UstadError,
)
from ustad.runtime.core.game import CHANCE, LEVELS, OVER, TIE
from ustad.runtime.core.registry import NAMES
from ustad.runtime.core.registry import entry as entry_of
from ustad.runtime.questions import Advisor
from ustad.tables import MissingTableError

TABLES: dict[str, tuple[dict[str, Any], ...]] = {
    "yacht": ({},),
    "dice_poker": ({},),
    "pasa": ({},),
    "marriage": ({},),
}
"""The tables that the levels of each game play with here; none: the level must refuse."""

LONGEST = 20_000
"""No game of random moves may take more steps."""


@pytest.fixture(scope="session")
def folder(
    build: Build,
    tmp_path_factory: pytest.TempPathFactory,
    write_outlook: Callable[[Path], None],
) -> Path:
    """A folder with the tables of :data:`TABLES`, and an outlook for the expert of yacht."""
    made = tmp_path_factory.mktemp("conformance")
    for name, option_sets in TABLES.items():
        for options in option_sets:
            build(name, options, made)
    write_outlook(made)
    return made


@pytest.fixture(params=NAMES)
def entry(request: pytest.FixtureRequest) -> AnyEntry:
    return entry_of(request.param)


def random_play(
    entry: AnyEntry, seed: int, players: int | None = None
) -> Iterator[tuple[Any, Any]]:
    """Yield each state of a game of random moves with the move or outcome that follows."""
    rules = entry.rules.read({})
    seats = entry.rules.seats.usual if players is None else players
    luck = rules.luck(seats, (seed,))
    choose = random.Random(seed)
    state = rules.deal(seats, (seed,))
    for _ in range(LONGEST):
        player = state.current_player()
        if player == OVER:
            yield state, None
            return
        move = luck.outcome(state) if player == CHANCE else choose.choice(list(state.legal_moves()))
        yield state, move
        state = state.apply(move)
    raise AssertionError(f"{entry.name}: no end after {LONGEST} steps")


def sampled(entry: AnyEntry, seed: int, count: int) -> list[tuple[Any, Any]]:
    """Return some steps of a random game, its last among them."""
    steps = list(random_play(entry, seed))
    picked = random.Random(seed).sample(steps[:-1], min(count, len(steps) - 1))
    return [*picked, steps[-1]]


def skip_without_table(entry: AnyEntry, level: str) -> None:
    """Skip a level whose table is too large to be built here; its refusal is tested below."""
    if level in entry.levels.need_tables and entry.name not in TABLES:
        pytest.skip(f"the table of {entry.name} is not built here")


def as_json(entry: AnyEntry, state: Any) -> dict[str, Any]:
    """Return the JSON position of what the seat to move sees."""
    return entry.codec.state_to_json(state.view(max(state.current_player(), 0)))


@pytest.mark.parametrize("seed", range(3))
def test_games_end_and_their_returns_are_one_number_a_seat(entry: AnyEntry, seed: int) -> None:
    seats = random.Random(seed).randint(entry.rules.seats.least, entry.rules.seats.most)
    state = list(random_play(entry, seed, seats))[-1][0]
    assert state.is_over()
    assert state.current_player() == OVER
    assert list(state.legal_moves()) == []
    assert len(state.returns()) == len(state.scores()) == seats
    assert all(math.isfinite(gain) for gain in (*state.returns(), *state.scores()))
    with pytest.raises(UstadError):
        state.apply(None)


def test_returns_always_share_out_the_same_sum(entry: AnyEntry) -> None:
    """A win is shared, a stake changes hands: the sum over the seats does not depend on play."""
    sums = {round(sum(list(random_play(entry, seed))[-1][0].returns()), 9) for seed in range(4)}
    assert len(sums) == 1
    assert sums <= {0.0, 1.0}


def test_who_has_more_gains_no_less(entry: AnyEntry) -> None:
    """The scores on the table and the returns never contradict each other."""
    for seed in range(6):
        state = list(random_play(entry, seed))[-1][0]
        ranked = sorted(zip(state.scores(), state.returns(), strict=True))
        gains = [gain for _, gain in ranked]
        assert gains == sorted(gains)
        assert len({gain for score, gain in ranked if score == ranked[-1][0]}) == 1
        if ranked[0][0] < ranked[-1][0]:
            assert gains[0] < gains[-1]


def test_every_legal_move_is_legal_and_told_once(entry: AnyEntry) -> None:
    for state, _ in sampled(entry, 1, 40):
        before = as_json(entry, state)
        moves = list(state.legal_moves())
        assert len(set(moves)) == len(moves)
        assert bool(moves) == (state.current_player() >= 0)
        for move in moves:
            state.apply(move)
        assert as_json(entry, state) == before


def test_illegal_moves_are_refused_and_change_nothing(entry: AnyEntry) -> None:
    steps = sampled(entry, 2, 40)
    everything = {move for state, _ in steps for move in state.legal_moves()}
    for state, _ in steps:
        before = as_json(entry, state)
        for move in everything - set(state.legal_moves()):
            with pytest.raises((MoveError, OutcomeError)):
                state.apply(move)
        assert as_json(entry, state) == before


def test_positions_and_moves_round_trip_through_json(entry: AnyEntry) -> None:
    for state, move in sampled(entry, 3, 60):
        position = as_json(entry, state)
        text = json.dumps(position, allow_nan=False)
        again = entry.codec.state_from_json(json.loads(text))
        assert entry.codec.state_to_json(again) == position
        assert list(again.legal_moves()) == list(state.legal_moves())
        for legal in state.legal_moves():
            told = json.loads(json.dumps(entry.codec.move_to_json(legal)))
            assert entry.codec.move_from_json(told) == legal
            assert entry.text.describe_move(legal)
        assert entry.text.describe(again)
        if state.current_player() == CHANCE:
            told = json.loads(json.dumps(entry.codec.outcome_to_json(move)))
            assert entry.codec.outcome_from_json(told) == move


def test_chance_probabilities_sum_to_one(entry: AnyEntry) -> None:
    for state, _ in sampled(entry, 4, 200):
        if state.current_player() == CHANCE:
            outcomes = state.chance_outcomes()
            assert len({outcome for outcome, _ in outcomes}) == len(outcomes)
            assert all(probability > 0 for _, probability in outcomes)
            assert math.isclose(sum(p for _, p in outcomes), 1, abs_tol=1e-12)
            for outcome, _ in outcomes[:20]:
                state.apply(outcome)


def test_what_falls_can_fall(entry: AnyEntry) -> None:
    for state, move in sampled(entry, 5, 60):
        if state.current_player() == CHANCE:
            assert move in {outcome for outcome, _ in state.chance_outcomes()}


def test_a_view_shows_no_more_than_its_json(entry: AnyEntry) -> None:
    """What a bot gets can be said in the JSON of a position, so there is nothing else in it."""
    for state, _ in sampled(entry, 6, 40):
        if (player := state.current_player()) >= 0:
            view = state.view(player)
            assert entry.codec.state_from_json(entry.codec.state_to_json(view)) == view


@pytest.mark.parametrize("level", LEVELS)
def test_a_level_plays_legal_moves_and_plays_them_again(
    entry: AnyEntry, level: str, folder: Path
) -> None:
    skip_without_table(entry, level)
    rules = entry.rules.read({})
    bot = entry.levels.bot(level, rules, folder, 7)
    twin = entry.levels.bot(level, rules, folder, 7)
    views = [
        state.view(state.current_player())
        for state, _ in sampled(entry, 8, 25)
        if state.current_player() >= 0
    ]
    together = bot.choose_many(views)
    for view, move in zip(views, together, strict=True):
        assert move in view.legal_moves()
        assert twin.choose(view) == move
    assert bot.choose_many(views[::-1]) == together[::-1]


@pytest.mark.parametrize("level", LEVELS)
def test_advice_rates_every_move_and_its_best_are_the_best(
    entry: AnyEntry, level: str, folder: Path
) -> None:
    skip_without_table(entry, level)
    rules = entry.rules.read({})
    bot = entry.levels.bot(level, rules, folder, 0)
    for state, _ in sampled(entry, 9, 25):
        player = state.current_player()
        view = state.view(max(player, 0))
        advice = bot.ask(view)
        if player < 0:
            assert list(advice.best) == []
            assert list(advice.options) == []
            continue
        assert set(advice.best) <= set(view.legal_moves())
        assert bot.choose(view) in advice.best
        if advice.value is None:
            assert list(advice.options) == []
            continue
        values = [value for _, value in advice.options]
        assert {move for move, _ in advice.options} == set(view.legal_moves())
        assert values == sorted(values, reverse=True)
        assert advice.value == values[0]
        tied = [at for at, value in enumerate(values) if value >= values[0] - TIE]
        for numbers in advice.beside.values():  # what a level breaks ties by
            tied = [at for at in tied if numbers[at] >= numbers[0] - TIE]
        assert list(advice.best) == [advice.options[at].move for at in tied]


@pytest.mark.parametrize("level", LEVELS)
def test_a_level_without_its_table_says_which_command_builds_it(
    entry: AnyEntry, level: str, tmp_path: Path
) -> None:
    rules = entry.rules.read({})
    state = next(state for state, _ in random_play(entry, 10) if state.current_player() >= 0)
    view = state.view(state.current_player())
    if level in entry.levels.need_tables:
        with pytest.raises(MissingTableError, match=f"ustad build {entry.name}"):
            entry.levels.bot(level, rules, tmp_path, 0).choose(view)
    else:
        assert entry.levels.bot(level, rules, tmp_path, 0).choose(view) in view.legal_moves()


def test_only_levels_that_say_so_depend_on_their_seed(entry: AnyEntry, folder: Path) -> None:
    rules = entry.rules.read({})
    views = [
        state.view(state.current_player())
        for state, _ in sampled(entry, 13, 40)
        if state.current_player() >= 0
    ]
    for level in LEVELS:
        if level not in entry.levels.need_tables or entry.name in TABLES:
            plays = [
                entry.levels.bot(level, rules, folder, seed).choose_many(views) for seed in range(4)
            ]
            same = all(play == plays[0] for play in plays)
            assert same == (level not in entry.levels.seeded), level


def test_a_game_goes_through_the_protocol_to_its_end(entry: AnyEntry, folder: Path) -> None:
    """new, legal, move and apply are enough to play; a seed lets chance fall."""
    advisor = Advisor(folder)
    position = advisor.new(entry.name, None, None, 5)["position"]
    for step in range(LONGEST):
        legal = advisor.legal(position)["legal"]
        if legal:
            move = advisor.move(position, "easy", step)["move"]
            assert move in legal
            answer = advisor.apply(position, move, None, step)
        else:
            try:
                answer = advisor.apply(position, None, None, step)
            except UstadError:
                break  # over: neither a move nor chance is left
        assert json.dumps(answer, allow_nan=False)
        assert answer["events"]
        position = answer["position"]
    # A position that is what one seat knows ends where another seat is to move.
    assert entry.codec.state_from_json(position).is_over() or entry.rules.hidden


def test_wrong_positions_are_errors_that_name_the_key(entry: AnyEntry) -> None:
    position = as_json(entry, next(random_play(entry, 11))[0])
    for key in position:
        for wrong in ("x", -1, 1.5, True, {}, [None], [[]], 10**30, "\ud800"):
            if wrong == position[key] or (key == "options" and wrong == {}):
                continue
            with pytest.raises(UstadError) as error:
                entry.codec.state_from_json({**position, key: wrong})
            assert "\n" not in str(error.value)
            # What is wrong may show in what another key says of it.
            assert any(name in str(error.value) for name in (*position, "option"))
    with pytest.raises(PositionError, match="surprise"):
        entry.codec.state_from_json({**position, "surprise": 1})
    with pytest.raises(OptionError, match="surprise"):
        entry.codec.state_from_json({**position, "options": {"surprise": 1}})


def test_wrong_moves_and_outcomes_are_errors(entry: AnyEntry) -> None:
    for wrong in (None, 1, "x", [], {}, {"surprise": 1}, {"a": {"b": []}}, [[[]]], "\ud800"):
        with pytest.raises(MoveError):
            entry.codec.move_from_json(wrong)
        try:
            entry.codec.outcome_from_json(wrong)
        except UstadError as error:
            assert "\n" not in str(error)


def test_what_a_person_types_is_read_or_refused(entry: AnyEntry) -> None:
    for state, _ in sampled(entry, 12, 20):
        if (player := state.current_player()) < 0:
            continue
        view = state.view(player)
        assert entry.text.prompt(view)
        for move in view.legal_moves():
            assert entry.text.move_from_text(view, entry.text.describe_move(move)) == move
        for wrong in ("", "nonsense", "9999999", "-1", "१२", "{}", "\x00"):
            with pytest.raises(MoveError) as error:
                entry.text.move_from_text(view, wrong)
            assert "\n" not in str(error.value)


@pytest.mark.parametrize("level", [*LEVELS, "hard:0.5"])
def test_an_arena_of_a_level_against_easy(entry: AnyEntry, folder: Path, level: str) -> None:
    if entry.name not in TABLES and level in (*entry.levels.need_tables, "hard:0.5"):
        pytest.skip("the table of this game takes long to build")
    options = entry.rules.read_options({})
    levels = (level, *["easy"] * (max(2, entry.rules.seats.usual) - 1))
    found = arena.run(arena.Match(entry.name, options, levels, len(levels), 1, str(folder)))
    shares = {row["level"]: row["win_share"]["mean"] for row in found["levels"]}
    assert sum(shares[grade] for grade in levels) == pytest.approx(1)
