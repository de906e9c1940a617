"""The four levels of pasa: what they bet, what they tell, and which table they read."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from built import Build

from ustad.runtime.core.errors import PositionError
from ustad.runtime.core.game import LEVELS
from ustad.runtime.games.pasa.entry import ENTRY
from ustad.runtime.games.pasa.rules import Pasa
from ustad.runtime.games.pasa.tables import find_table
from ustad.runtime.questions import Advisor
from ustad.solver.build import build_table
from ustad.tables import CorruptTableError, MissingTableError

START = {
    "game": "pasa",
    "stacks": [10, 10, 10, 10],
    "thrower": 0,
    "turns_left": 8,
    "bets": [None, None, None, None],
}


@pytest.fixture(scope="module")
def folder(build: Build, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the usual tables of two and of four seats."""
    made = tmp_path_factory.mktemp("pasa-bots")
    for key in ({"players": 2, "chips": 100}, {"players": 4, "chips": 40}):
        build("pasa", key, made)
    return made


def position(stacks: list[int], thrower: int, turns_left: int, **options: Any) -> dict[str, Any]:
    """Return a position before the first bet."""
    return {
        "game": "pasa",
        "options": options,
        "stacks": stacks,
        "thrower": thrower,
        "turns_left": turns_left,
        "bets": [None if stack or seat == thrower else 0 for seat, stack in enumerate(stacks)],
    }


# The rules of thumb.


def test_easy_bets_the_least_and_hard_the_most_until_it_is_ahead() -> None:
    """By hand, turns left counting the present one: a lead of 4 does not exceed 4, 5 does."""
    easy, hard = (ENTRY.levels.bot(level, Pasa(), None, 0) for level in ("easy", "hard"))
    for stacks, bet in [((12, 16, 12), 6), ((12, 17, 12), 1), ((12, 11, 12), 6)]:
        state = Pasa().start(stacks, 0, 4)
        assert easy.choose(state) == 1
        assert hard.choose(state) == bet


def test_medium_draws_every_button_alike() -> None:
    """Three buttons, 600 seeds: each 200 times but for five standard errors."""
    state = Pasa(cap="first_come").start((7, 9), 0, 4)
    assert list(state.legal_moves()) == [1, 3, 7]
    drawn = Counter(
        ENTRY.levels.bot("medium", Pasa(), None, seed).choose(state) for seed in range(600)
    )
    assert set(drawn) == {1, 3, 7}
    assert all(abs(count - 200) < 5 * (600 * 2 / 9) ** 0.5 for count in drawn.values())


def test_levels_without_values_tell_the_bet_alone() -> None:
    for level in ("easy", "medium", "hard"):
        answer = Advisor().ask(START, level)
        assert list(answer) == ["best"]
        assert len(answer["best"]) == 1


# The table.


def test_ask_gives_the_share_of_each_bet_and_of_all_seats(folder: Path) -> None:
    """The start is worth .2728 .2548 .2436 .2289, the figures of the rules file."""
    answer = Advisor(folder).ask(START)
    assert answer["unit"] == "win_share"
    assert answer["win_shares"] == pytest.approx([0.2728, 0.2548, 0.2436, 0.2289], abs=5e-5)
    assert [option["move"] for option in answer["options"]] == [{"bet": 1}, {"bet": 3}]
    assert answer["value"] == answer["options"][0]["value"] == answer["win_shares"][1]


def test_text_tells_the_shares_of_all_seats(folder: Path, run_ustad: Callable[..., Any]) -> None:
    told = run_ustad("ask", "pasa", "--position", "-", "--tables", folder, stdin=json.dumps(START))
    assert "best: bet 1" in told.out
    assert "win shares: 0.2728 0.2548 0.2436 0.2289" in told.out


def test_bets_made_count(folder: Path) -> None:
    """The chosen bets, made one after the other, change nobody's share; another bet does."""
    advisor = Advisor(folder)
    shares = advisor.ask(START)["win_shares"]
    at: dict[str, Any] = START
    while advisor.legal(at)["legal"]:
        answer = advisor.ask(at)
        assert answer["win_shares"] == shares
        move = advisor.move(at)["move"]
        assert move == min(answer["best"], key=lambda best: best["bet"])
        at = advisor.apply(at, move)["position"]
    assert advisor.ask(at)["win_shares"] == shares
    other = advisor.apply(START, {"bet": 3})["position"]
    assert advisor.ask(other)["win_shares"][1] < shares[1]


def test_a_position_that_waits_for_the_dice_is_worth_the_throwers_share(folder: Path) -> None:
    """By hand: thrower 4 of 11 has bet against it all it has, last turn; paro wins 8 v 3."""
    at = {**position([4, 7], 0, 1), "bets": [None, 4]}
    answer = Advisor(folder).ask(at)
    assert answer["best"] == answer["options"] == []
    assert answer["win_shares"][0] == answer["value"]
    assert 0 < answer["value"] < 0.5


def test_a_finished_game_needs_no_table(tmp_path: Path) -> None:
    answer = Advisor(tmp_path).ask(position([5, 5, 2], 0, 0))
    assert answer["win_shares"] == [0.5, 0.5, 0.0]


def test_the_seats_may_sit_anywhere(folder: Path) -> None:
    """Turned by one seat, a position has its shares turned by one seat."""
    advisor = Advisor(folder)
    here = advisor.ask(position([12, 0, 20, 8], 0, 5))
    there = advisor.ask(position([8, 12, 0, 20], 1, 5))
    assert there["win_shares"] == [here["win_shares"][-1], *here["win_shares"][:-1]]
    assert there["options"] == here["options"]
    assert there["value"] == there["win_shares"][3]


def test_the_smallest_bet_of_equals_is_played(folder: Path) -> None:
    """With one turn left and 22 behind, 8 at most to win: no bet of seat 1 is worth anything."""
    hopeless = position([30, 8, 1, 1], 0, 1)
    answer = Advisor(folder).ask(hopeless)
    assert [option["value"] for option in answer["options"]] == [0, 0, 0, 0]
    assert answer["best"] == [{"bet": bet} for bet in (1, 2, 4, 8)]
    assert Advisor(folder).move(hopeless)["move"] == {"bet": 1}


def test_a_table_for_more_laps_and_a_larger_total_of_two_seats_answer(folder: Path) -> None:
    four = find_table(folder, Pasa(), 4, 40, 3)
    assert four.options["laps"] == 2
    assert find_table(folder, Pasa(), 2, 11, 1).options["chips"] == 100
    assert find_table(folder, Pasa(), 2, 101, 1).options["chips"] == 101


def test_the_smallest_table_that_answers_is_read(folder: Path, tmp_path: Path) -> None:
    for key in ({"chips": 30, "laps": 3}, {"chips": 11, "laps": 2}, {"chips": 20, "laps": 2}):
        build_table(ENTRY, {"players": 2, **key}, tmp_path)
    (tmp_path / "pasa,notes.h5").write_text("no table")
    found = [find_table(tmp_path, Pasa(), 2, 11, turns).options for turns in (1, 4, 5, 6)]
    assert [(key["chips"], key["laps"]) for key in found] == [(11, 2), (11, 2), (30, 3), (30, 3)]


@pytest.mark.parametrize(
    ("at", "key"),
    [
        (position([10, 10, 11], 1, 4), "chips=31 laps=2 max_bet=null menu=buttons players=3"),
        (position([10] * 4, 0, 9), "chips=40 laps=3 max_bet=null menu=buttons players=4"),
        (position([4, 7], 0, 1, menu="all"), "chips=11 laps=1 max_bet=null menu=all players=2"),
        (position([9, 7], 1, 2, max_bet=2), "chips=16 laps=1 max_bet=2 menu=buttons players=2"),
    ],
)
def test_without_a_table_the_error_names_the_command_that_builds_it(
    at: dict[str, Any], key: str, folder: Path, run_ustad: Callable[..., Any]
) -> None:
    """And that command, run as it stands, makes the question answerable."""
    before = set(folder.iterdir())
    refused = run_ustad("ask", "pasa", "--position", "-", "--tables", folder, stdin=json.dumps(at))
    assert refused.status == 2
    assert f"no table of pasa cap=share {key}; build it with: ustad build pasa" in refused.err
    command = shlex.split(refused.err.split("build it with: ustad ")[1])
    assert run_ustad(*command).status == 0
    asked = run_ustad(
        "ask", "pasa", "--position", "-", "--tables", folder, "--json", stdin=json.dumps(at)
    )
    assert asked.status == 0
    assert sum(asked.json["win_shares"]) == pytest.approx(1)
    for path in set(folder.iterdir()) - before:
        path.unlink()


def test_rules_that_differ_are_not_answered_by_the_usual_table(folder: Path) -> None:
    for options in ({"menu": "all"}, {"max_bet": 3}, {"cap": "first_come"}):
        with pytest.raises(MissingTableError):
            Advisor(folder).ask({**START, "options": options})


def test_a_position_that_no_table_can_hold_is_told_so(folder: Path) -> None:
    with pytest.raises(PositionError, match="larger stakes"):
        Advisor(folder).ask(position([500] * 6, 0, 12))


def test_a_damaged_table_is_refused(tmp_path: Path) -> None:
    table, _ = build_table(ENTRY, {"players": 2, "chips": 12}, tmp_path)
    content = bytearray(table.path.read_bytes())
    content[-100] ^= 1
    del table
    next(tmp_path.iterdir()).write_bytes(content)
    with pytest.raises(CorruptTableError, match="--force"):
        Advisor(tmp_path).ask(position([5, 7], 0, 4))


def test_every_level_bets_for_many_at_once(folder: Path) -> None:
    for level in LEVELS:
        assert ENTRY.levels.bot(level, Pasa(), folder, 1).choose_many([Pasa().new(4)] * 2)[0] in (
            1,
            3,
        )


# A position given by flags.


def test_a_position_typed_by_flags_is_the_one_of_the_file(
    folder: Path, run_ustad: Callable[..., Any]
) -> None:
    """The bets from the seat after the thrower, seats without chips left out."""
    words = ["--stacks", "12", "0", "20", "8", "--thrower", "2", "--turns-left", "5", "--bets", "1"]
    told = run_ustad("ask", "pasa", *words, "--tables", folder, "--json")
    at = {**position([12, 0, 20, 8], 2, 5), "bets": [None, 0, None, 1]}
    assert told.json == Advisor(folder).ask(at)
    plain = run_ustad("ask", "pasa", "--stacks", 3, 5, "--tables", folder, "--json")
    assert plain.json == Advisor(folder).ask(position([3, 5], 0, 2))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--bets 1", "--stacks: expected the chips of each seat"),
        ("--stacks 3 many", '--stacks: expected whole numbers, got "3 many"'),
        ("--stacks 3 5 --bets 1 1", "--bets: expected at most 1, got 2"),
        ("--stacks 3 5 --thrower 2", "position: thrower: expected"),
        ("--stacks 3 5 --option menu=some", "option menu: expected one of buttons, all"),
    ],
)
def test_flags_that_are_wrong_are_named(
    words: str, message: str, run_ustad: Callable[..., Any]
) -> None:
    told = run_ustad("ask", "pasa", *words.split())
    assert told.status == 2
    assert message in told.err
