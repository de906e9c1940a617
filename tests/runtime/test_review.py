"""Reviews: luck has mean 0, no decision gains, and the parts sum up to the result."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from built import Build

from ustad.runtime import Advisor, record, review
from ustad.runtime.core.errors import PositionError, RecordError, UsageError
from ustad.runtime.core.game import CHANCE, OVER
from ustad.runtime.core.registry import entry as entry_of
from ustad.runtime.games.marriage.round.moves import STOCK, Draw

PASA = ({"players": 2, "chips": 20}, {"players": 3, "chips": 9}, {"players": 4, "chips": 8})
SETTINGS = ("bonus_and_joker", "plain", "free_joker")


@pytest.fixture(scope="module")
def advisor(tables: Path, build: Build, tmp_path_factory: pytest.TempPathFactory) -> Advisor:
    """One who judges yacht, dice poker under its default rules, and small games of pasa."""
    folder = tmp_path_factory.mktemp("review")
    for path in tables.iterdir():
        (folder / path.name).symlink_to(path)
    build("dice_poker", {}, folder)
    for options in PASA:
        build("pasa", options, folder)
    return Advisor(folder)


def start_of(name: str, drawn: random.Random) -> Any:
    """The start of a game of random seats and options that the tables answer."""
    entry = entry_of(name)
    if name == "yacht":
        rules = entry.rules.read({"second_yacht": drawn.choice(SETTINGS)})
        return rules.new(drawn.randint(1, 6), 0)
    if name == "pasa":
        options = drawn.choice(PASA)
        seats, chips = options["players"], options["chips"]
        return entry.rules.read({"stack": chips // seats}).new(seats, drawn.randrange(seats))
    if name == "dice_poker":
        return entry.rules.read({}).new(drawn.randint(2, 6), 0)
    # Few seeds, holes of both sides closed: searched to the end, without a table.
    open_holes = [hole for hole in range(14) if hole % 7 > 2]
    board = [drawn.randint(0, 2) if hole in open_holes else 0 for hole in range(14)]
    board[3] += 1
    position = {"game": "raja_pasu", "board": board, "to_move": 0, "captured": [0, 0]}
    position["options"] = {"origin": drawn.choice(("sown", "skipped"))}
    position["closed"] = [hole for hole in range(14) if hole not in open_holes]
    return entry.codec.state_from_json(position)


def a_game(name: str, seed: int, advisor: Advisor) -> record.Record:
    """A game of levels drawn from a seed, some moves at random."""
    drawn = random.Random(seed)
    state, entry = start_of(name, drawn), entry_of(name)
    players = len(state.scores())
    levels = [drawn.choice(("easy", "medium", "hard")) for _ in range(players)]
    luck, steps, states = state.rules.luck(players, (seed,)), [], [state]
    while (player := state.current_player()) != OVER:
        if player == CHANCE:
            step = luck.outcome(state)
        elif drawn.random() < 0.3:
            step = drawn.choice(list(state.legal_moves()))
        else:
            step = advisor.bot(entry, state.rules, levels[player], seed).choose(state)
        state = state.apply(step)
        steps.append(step)
        states.append(state)
    seats = tuple(record.Player(level, level) for level in levels)
    return record.Record(entry, seats, tuple(steps), tuple(states), state.returns())


SOLVED = ("yacht", "dice_poker", "pasa", "raja_pasu")


def check_sums(game: record.Record, advisor: Advisor, unit: str | None = None) -> dict[str, Any]:
    """Hold the parts of every seat against each other, and return the answer."""
    found = advisor.review_of(game, unit=unit)
    answer = json.loads(json.dumps(found.to_json()))
    for seat, told in enumerate(answer["seats"]):
        parts = sum(told[name] for name in ("start", "luck", "own", "others"))
        assert parts + told.get("unexplained", 0) == pytest.approx(told["result"], abs=1e-9)
        made = [step for step in answer["steps"] if step.get("seat") == seat]
        assert told["own"] == pytest.approx(-sum(step["cost"] for step in made), abs=1e-9)
        assert told["decisions"] == len(made)
        assert told["mistakes"] == sum(step["cost"] > 0 for step in made)
        assert all(step["cost"] == 0 for step in made if step["move"] in step["best"])
        luck = [step["luck"][seat] for step in answer["steps"] if "luck" in step]
        assert told["luck"] == pytest.approx(sum(luck), abs=1e-9)
        costs = sorted((step["cost"] for step in made if step["cost"] > 0), reverse=True)
        assert [answer["steps"][step]["cost"] for step in told["worst"]] == costs[:3]
    assert [step["step"] for step in answer["steps"]] == list(range(len(game.steps)))
    return answer


@pytest.mark.parametrize("name", SOLVED)
@pytest.mark.parametrize(
    "seed", [*range(4), *(pytest.param(n, marks=pytest.mark.slow) for n in range(4, 60))]
)
def test_in_solved_games_the_parts_sum_up_to_the_result(
    name: str, seed: int, advisor: Advisor
) -> None:
    game = a_game(name, seed, advisor)
    answer = check_sums(game, advisor)
    assert answer["exact"]
    for told in answer["seats"]:
        assert "unexplained" not in told
        final = game.last.scores() if answer["unit"] == "expected_total" else game.last.returns()
        assert told["result"] == pytest.approx(final[told["seat"]], abs=1e-9)
        if answer["unit"] == "expected_total":
            assert told["others"] == 0
    if answer["unit"] == "win_share":
        assert sum(told["start"] for told in answer["seats"]) == pytest.approx(1)


@pytest.mark.parametrize("name", SOLVED)
def test_luck_has_mean_0_and_no_decision_gains(name: str, advisor: Advisor) -> None:
    """What a state is worth is the mean over what falls, or the best over what is played."""
    game = a_game(name, 7, advisor)
    unit, level = review.level_of(game.entry, None, None)
    bot = advisor.bot(game.entry, game.start.rules, level)
    judge = game.entry.levels.judge(unit, bot)
    for state in random.Random(1).sample(game.states[:-1], min(20, len(game.steps))):
        [value] = judge.values([state])
        player = state.current_player()
        if player == CHANCE:
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            after = judge.values([state.apply(outcome) for outcome in outcomes])
            assert np.allclose(np.array(chances) @ after, value, atol=1e-9)
        else:
            after = judge.values([state.apply(move) for move in state.legal_moves()])
            assert value[player] == pytest.approx(after[:, player].max(), abs=1e-9)
            best = {
                state.legal_moves()[at]
                for at in np.flatnonzero(after[:, player] >= after[:, player].max() - 1e-9)
            }
            assert set(judge.best(state, player)) == best


def test_who_plays_the_level_makes_no_mistake(advisor: Advisor) -> None:
    """Yacht's hard and pasa's expert, beside others."""
    for name, level in (("yacht", "hard"), ("pasa", "expert")):
        state, entry = start_of(name, random.Random(3)), entry_of(name)
        players = len(state.scores())
        luck, steps, states = state.rules.luck(players, (3,)), [], [state]
        while (player := state.current_player()) != OVER:
            used = level if player == 0 else "easy"
            bot = advisor.bot(entry, state.rules, used)
            steps.append(luck.outcome(state) if player == CHANCE else bot.choose(state))
            state = state.apply(steps[-1])
            states.append(state)
        seats = (record.Player("bot", None),) * players
        game = record.Record(entry, seats, tuple(steps), tuple(states))
        told = check_sums(game, advisor)["seats"][0]
        assert (told["own"], told["mistakes"], told["worst"]) == (0, 0, [])


def test_a_match_is_judged_round_by_round(
    monkeypatch: pytest.MonkeyPatch, advisor: Advisor
) -> None:
    """Each round's parts sum up to its margin: with searches that know no table."""
    entry = entry_of("raja_pasu")
    rules = entry.rules.read({"match": True, "max_rounds": 3})
    bot = entry.levels.bot("hard", rules, None, 0)
    state, steps = rules.new(), []
    states = [state]
    while state.current_player() != OVER:
        steps.append(entry.levels.bot("easy", rules, None, 1).choose(state))
        state = state.apply(steps[-1])
        states.append(state)
    game = record.Record(entry, (record.Player("", None),) * 2, tuple(steps), tuple(states))
    answer = review.Review(game, entry.levels.judge("margin", bot)).to_json()
    rounds = max(state.match.round for state in states)
    assert len(answer["parts"]) == rounds > 1
    assert not answer["exact"]  # four moves ahead are no proof
    ends = [
        at
        for at in range(len(steps))
        if at == len(steps) - 1 or states[at + 1].match.round > states[at].match.round
    ]
    for part, at in zip(answer["parts"], ends, strict=True):
        after = states[at].after_sowing(steps[at])
        south = after.captured[0] + after.remainder()[0]
        north = after.captured[1] + after.remainder()[1]
        assert [told["result"] for told in part] == [south - north, north - south]
        for told in part:
            parts = sum(told[name] for name in ("start", "luck", "own", "others", "unexplained"))
            assert parts == pytest.approx(told["result"], abs=1e-9)


def test_a_round_of_marriage_is_judged_by_predictions(advisor: Advisor) -> None:
    """What was predicted and what came, with the rest named; expert's moves cost nothing."""
    entry = entry_of("marriage")
    rules = entry.rules.read({})
    bots = [advisor.bot(entry, rules, level) for level in ("expert", "medium", "hard")]
    state, steps = rules.new(3, 0, (4,)), []
    states = [state]
    while (player := state.current_player()) != OVER:
        steps.append(bots[player].choose(state.view(player)))
        state = state.apply(steps[-1])
        states.append(state)
    seats = tuple(record.Player("", None) for _ in range(3))
    game = record.Record(entry, seats, tuple(steps), tuple(states), state.returns())
    answer = check_sums(game, advisor)
    assert (answer["unit"], answer["exact"]) == ("net", False)
    assert answer["seats"][0]["own"] == 0
    assert [told["result"] for told in answer["seats"]] == list(state.returns())
    drawn = [at for at, step in enumerate(steps) if step == Draw(STOCK)]
    assert drawn
    assert all("luck" in answer["steps"][at] for at in drawn)
    with pytest.raises(PositionError, match="expected a whole round"):
        advisor.review_of(record.redacted(game, 0))


def test_a_game_that_broke_off_is_judged_as_far_as_it_went(advisor: Advisor) -> None:
    game = a_game("yacht", 1, advisor)
    for steps in (0, 1, 40):
        part = replace(
            game, steps=game.steps[:steps], states=game.states[: steps + 1], returns=None
        )
        answer = check_sums(part, advisor)
        assert not answer["over"]


def test_the_method_takes_the_record_of_the_protocol(advisor: Advisor) -> None:
    game = a_game("pasa", 5, advisor)
    told = game.to_json()
    assert advisor.review(told) == advisor.review_of(game).to_json()
    assert advisor.review({key: told[key] for key in ("start", "steps")})["unit"] == "win_share"
    with pytest.raises(UsageError, match="unit: expected one of win_share, got"):
        advisor.review(told, unit="points")
    with pytest.raises(UsageError, match="level: expected one that rates positions, expert"):
        advisor.review(told, level="easy")
    with pytest.raises(RecordError, match=r"record: steps\[1\]: "):
        advisor.review({**told, "steps": [told["steps"][0], {"outcome": [3]}]})


def test_the_command_tells_the_worst_decisions_and_names_the_record(
    advisor: Advisor, tmp_path: Path, run_ustad: Callable[..., Any]
) -> None:
    path = tmp_path / "game.jsonl"
    game = a_game("yacht", 2, advisor)
    game.write(path)
    words = ("review", path, "--tables", advisor.tables)
    run = run_ustad(*words, "--seat", 0)
    assert run.status == 0, run.err
    assert "(start)" in run.out
    assert run.out.count("; best: ") == 3
    assert "seat 1 (" not in run.out
    told = run_ustad(*words, "--json").json
    assert told.pop("record_sha256") == hashlib.sha256(path.read_bytes()).hexdigest()
    assert told == json.loads(json.dumps(advisor.review_of(game).to_json()))
    bad = run_ustad(*words, "--seat", 9)
    assert (bad.status, bad.err.count("\n")) == (2, 1)


@pytest.mark.slow
def test_the_plot_shows_the_game(
    advisor: Advisor, tmp_path: Path, run_ustad: Callable[..., Any]
) -> None:
    pytest.importorskip("matplotlib")
    path, out = tmp_path / "game.jsonl", tmp_path / "game.svg"
    a_game("pasa", 2, advisor).write(path)
    words = ("review", path, "--tables", advisor.tables, "--plot")
    assert run_ustad(*words, out).status == 0
    assert "<svg" in out.read_text(encoding="utf-8")
    bad = run_ustad(*words, tmp_path / "game.mp3")
    assert (bad.status, bad.err.count("\n")) == (2, 1)
