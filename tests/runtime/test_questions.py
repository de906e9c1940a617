"""Questions in Python: the same answers as the command's, and errors that say what is wrong."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from time import process_time
from typing import Any, cast

import pytest

import ustad.runtime
from ustad.runtime.core.errors import MoveError, OptionError, OutcomeError, UsageError, UstadError
from ustad.runtime.games.raja_pasu.levels import TableBot
from ustad.runtime.questions import Advisor, ask, draw_outcome, read_position
from ustad.tables import MissingTableError

POSITION: dict[str, Any] = {
    "game": "yacht",
    "sheets": [{}],
    "dice": [1, 1, 3, 4, 6],
    "rolls_left": 2,
}
WAITING = {**POSITION, "dice": None, "rolls_left": 3}

ODD = {"game": "raja_pasu", "board": [1, 2, 20, 0, 4, 7, 0, 5, 0, 0, 11, 10, 3, 15], "to_move": 0}
"""A board that no round leads to; it is searched, which takes a second."""


@pytest.fixture(scope="module")
def advisor(tables: Path) -> Advisor:
    return Advisor(tables)


def test_ask_in_one_line(tables: Path) -> None:
    answer = ustad.runtime.ask(POSITION, "hard", tables)
    assert answer["best"] == [{"keep": [4]}]
    assert answer["value"] == pytest.approx(249.879302235, abs=1e-6)  # tests/data/yacht.json
    assert ask(POSITION, level="hard", tables=str(tables)) == answer


def test_ask_leaves_the_position_as_it_was(advisor: Advisor) -> None:
    position = json.loads(json.dumps({**POSITION, "sheets": [{"ones": 3}]}))
    before = json.dumps(position)
    advisor.ask(position, "hard")
    assert json.dumps(position) == before


def test_answers_are_json_and_do_not_depend_on_what_was_asked_before(
    advisor: Advisor, tables: Path
) -> None:
    for level in ("easy", "medium", "hard", "expert"):
        again = [json.dumps(advisor.ask(POSITION, level), allow_nan=False) for _ in range(2)]
        fresh = json.dumps(Advisor(tables).ask(POSITION, level))
        assert again == [fresh, fresh]


def test_top(advisor: Advisor) -> None:
    full = advisor.ask(POSITION, "hard")
    assert advisor.ask(POSITION, "hard", top=2) == {**full, "options": full["options"][:2]}


def test_legal(advisor: Advisor) -> None:
    legal = advisor.legal({**POSITION, "rolls_left": 0})["legal"]
    assert len(legal) == 13
    assert legal[0] == {"write": "ones"}
    assert len(advisor.legal(POSITION)["legal"]) == 23 + 13
    assert advisor.legal(WAITING) == {"legal": []}


def test_move(advisor: Advisor) -> None:
    assert advisor.move(POSITION, "hard", 2) == {"move": {"keep": [4]}, "seed": 2}
    assert advisor.move(POSITION, "easy", 3) == {"move": {"keep": [1, 1]}, "seed": 3}
    with pytest.raises(MoveError, match="no move to make"):
        advisor.move(WAITING, "hard")


def test_new(advisor: Advisor) -> None:
    position = advisor.new("yacht", {"second_yacht": "plain"}, 3)["position"]
    assert position["options"] == {"second_yacht": "plain"}
    assert position["sheets"] == [{"extra_yachts": 0}] * 3
    assert (position["dice"], position["rolls_left"]) == (None, 3)
    assert len(advisor.new("yacht")["position"]["sheets"]) == 2


def test_a_game_through_json_alone(advisor: Advisor) -> None:
    """From new to the end with move and apply; the seeds decide all."""

    def play(seed: int) -> dict[str, Any]:
        position = advisor.new("yacht", players=2)["position"]
        for step in range(1_000):
            if not advisor.legal(position)["legal"]:
                _, state = read_position(position)
                if state.is_over():
                    return position
                position = advisor.apply(position, seed=seed + step)["position"]
            else:
                move = advisor.move(position, "medium", seed)["move"]
                position = advisor.apply(position, move)["position"]
        raise AssertionError("the game does not end")

    first = play(1)
    assert first == play(1) != play(5_000)
    assert all(len(sheet) == 14 for sheet in first["sheets"])


def test_a_move_with_a_seed_lets_the_dice_fall(advisor: Advisor) -> None:
    both = advisor.apply(POSITION, {"keep": [1, 1]}, seed=4)
    kept = advisor.apply(POSITION, {"keep": [1, 1]})
    fallen = advisor.apply(kept["position"], seed=4)
    assert both["position"] == fallen["position"]
    assert both["events"] == kept["events"] + fallen["events"]
    assert Counter(both["position"]["dice"])[1] >= 2


def test_drawn_outcomes_fall_with_their_chances() -> None:
    # One die: each face 600 times of 3,600 expected; 4 standard deviations are 90.
    entry, state = read_position({**WAITING, "kept": [1, 2, 3, 4], "rolls_left": 1})
    drawn = Counter(draw_outcome(entry.codec, state, seed) for seed in range(3_600))
    assert set(drawn) == {(face,) for face in range(1, 7)}
    assert all(abs(count - 600) < 90 for count in drawn.values())
    assert draw_outcome(entry.codec, state, 7) == draw_outcome(entry.codec, state, 7)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda a: a.ask([]), UsageError),
        (lambda a: a.ask({}), UsageError),
        (lambda a: a.ask({"game": None}), UsageError),
        (lambda a: a.ask({"game": []}), UsageError),
        (lambda a: a.ask({"game": {}}), UsageError),
        (lambda a: a.ask(POSITION, "best"), UsageError),
        (lambda a: a.ask(POSITION, None), UsageError),
        (lambda a: a.ask(POSITION, ["hard"]), UsageError),
        (lambda a: a.legal(3), UsageError),
        (lambda a: a.move(POSITION, "hard", -1), UsageError),
        (lambda a: a.move(POSITION, "hard", 2**63), UsageError),
        (lambda a: a.move(POSITION, "hard", True), UsageError),
        (lambda a: a.move(POSITION, "hard", 1.0), UsageError),
        (lambda a: a.new("chess"), UsageError),
        (lambda a: a.new("yacht", players=0), UsageError),
        (lambda a: a.new("yacht", players=7), UsageError),
        (lambda a: a.new("yacht", players="2"), UsageError),
        (lambda a: a.new("yacht", players=True), UsageError),
        (lambda a: a.new("yacht", {"second_yacht": "no"}), OptionError),
        (lambda a: a.new("yacht", []), OptionError),
        (lambda a: a.new("yacht", seed="x"), UsageError),
        (lambda a: a.apply(POSITION), UsageError),
        (lambda a: a.apply(WAITING, outcome=[1, 2, 3, 4, 5], seed=1), UsageError),
        (lambda a: a.apply(WAITING, {"keep": []}), MoveError),
        (lambda a: a.apply(POSITION, {"keep": []}, outcome=[1]), OutcomeError),
        (lambda a: a.apply(POSITION, {"write": "ones"}, outcome=[1, 2, 3]), OutcomeError),
        (lambda a: a.apply(POSITION, seed=1), OutcomeError),
        (lambda a: a.apply(POSITION, outcome=[1, 1, 1, 1, 1]), OutcomeError),
    ],
)
def test_wrong_questions(advisor: Advisor, call: Any, error: type[UstadError]) -> None:
    with pytest.raises(error) as raised:
        call(advisor)
    assert type(raised.value) is error
    assert "\n" not in str(raised.value)


def test_a_table_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(MissingTableError, match="ustad build yacht"):
        ask(POSITION, "hard", tmp_path)


def test_a_table_built_later_is_found(tables: Path, tmp_path: Path) -> None:
    from shutil import copy

    late = Advisor(tmp_path)
    with pytest.raises(MissingTableError):
        late.ask(POSITION, "hard")
    for path in tables.iterdir():
        copy(path, tmp_path)
    assert late.ask(POSITION, "hard") == ask(POSITION, "hard", tables)


# The status.


def test_status_says_who_is_to_do_what(advisor: Advisor) -> None:
    start = advisor.new("yacht", seed=1)
    nothing = {"seat": None, "scores": [0, 0], "returns": None, "winners": None}
    assert start["status"] == {"to": "chance", **nothing}
    rolled = advisor.apply(start["position"], outcome=[6, 6, 6, 6, 6])
    assert rolled["status"] == {"to": "move", **nothing, "seat": 0}
    written = advisor.apply(rolled["position"], {"write": "yacht"})
    assert written["status"] == {"to": "chance", **nothing, "scores": [50, 0]}
    assert advisor.status(written["position"]) == {"status": written["status"]}
    assert advisor.view(written["position"], 1) == {
        "position": written["position"],
        "status": written["status"],
    }
    assert "seed" not in rolled  # nothing was drawn


def full(points: int) -> dict[str, int]:
    boxes = ("ones", "twos", "threes", "fours", "fives", "sixes", "three_of_a_kind")
    more = ("four_of_a_kind", "full_house", "small_straight", "large_straight", "yacht")
    return {**dict.fromkeys((*boxes, *more), 0), "chance": points}


@pytest.mark.parametrize(
    ("position", "scores", "winners"),
    [
        ({"game": "yacht", "sheets": [full(20), full(21)]}, [20, 21], [1]),
        ({"game": "yacht", "sheets": [full(20), full(20)]}, [20, 20], [0, 1]),
        ({"game": "yacht", "sheets": [full(20)]}, [20], [0]),
        (
            {"game": "pasa", "stacks": [9, 12, 9], "turns_left": 0, "bets": [None, None, None]},
            [9, 12, 9],
            [1],
        ),
        ({"game": "raja_pasu", "board": [0] * 13 + [2], "captured": [50, 46]}, [50, 48], [0]),
    ],
)
def test_those_win_who_gain_most(
    advisor: Advisor, position: dict[str, Any], scores: list[int], winners: list[int]
) -> None:
    if position["game"] == "yacht":
        position = {**position, "dice": None, "rolls_left": 3}
    if position["game"] == "pasa":
        position = {**position, "thrower": 0, "options": {}}
    status = advisor.status({**position, "to_move": 0} if "bets" not in position else position)
    found = status["status"]
    assert (found["to"], found["seat"]) == ("over", None)
    assert (found["scores"], found["winners"]) == (scores, winners)


# Requests.


def test_games_tell_what_new_takes(advisor: Advisor) -> None:
    found = advisor.games()["games"]
    assert list(found) == ["yacht", "dice_poker", "pasa", "raja_pasu", "marriage"]
    assert found["yacht"]["players"] == {"least": 1, "most": 6, "usual": 2}
    assert found["yacht"]["options"]["second_yacht"]["choices"][0] == "bonus_and_joker"
    assert found["yacht"]["tables"]["yacht.h5"]
    assert not found["pasa"]["tables"]["pasa.h5"]
    for name, game in found.items():
        options = {key: option["default"] for key, option in game["options"].items()}
        assert advisor.new(name, options, game["players"]["usual"])["position"]["game"] == name


def test_a_batch_answers_each_request_in_order(advisor: Advisor) -> None:
    requests = [
        {"method": "legal", "position": WAITING, "id": "a"},
        {"method": "batch", "requests": []},
        {"method": "legal", "position": {**WAITING, "rolls_left": 9}},
        7,
        {"method": "ping"},
    ]
    found = advisor.batch(requests)["results"]
    assert found[0] == {"id": "a", "result": {"legal": []}}
    kinds = [answer["error"]["kind"] if "error" in answer else None for answer in found]
    assert kinds == [None, "usage", "position", "usage", None]
    assert 'got "batch"' in found[1]["error"]["message"]
    assert found[4]["result"]["tables"] >= 0
    assert advisor.batch([]) == {"results": []}
    assert len(advisor.batch([{"method": "ping"}] * 10_000)["results"]) == 10_000


def test_hand_answers_as_the_command_does(advisor: Advisor, run_ustad: Any) -> None:
    cards = "7H 7H 7H 8H 9H 10H 2S 3S 4S KD KD QC JC 5D 6D 9C 9S AH 4C 8S PJ"
    told = run_ustad("hand", "--cards", cards, "--tiplu", "6C", "--laid", "7H 7H 7H", "--json")
    given = {"tiplu": "6C", "laid": ["7H 7H 7H"]}
    assert advisor.hand(cards, **given) == told.json
    assert advisor.hand(cards.split(), tiplu=["6C"], laid=[["7H"] * 3]) == told.json
    strict = advisor.hand(cards, options={"dublee": False})
    assert strict == run_ustad("hand", "--cards", cards, "--option", "dublee=false", "--json").json


@pytest.mark.parametrize(
    ("method", "request_", "message"),
    [
        ("batch", {"requests": [{}] * 10_001}, "at most 10000 requests, got 10001 of them"),
        ("batch", {"requests": {}}, "expected a list"),
        ("view", {"position": WAITING, "seat": 1}, "seat: expected a seat from 0 to 0, got 1"),
        ("view", {"position": WAITING, "seat": True}, "seat: expected a seat"),
        ("view", {"position": WAITING}, '"seat" is missing'),
        ("new", {"game": "marriage", "whole": 1}, "whole: expected true or false"),
        ("hand", {"cards": 7}, "cards: expected cards"),
        ("hand", {"cards": "7H", "laid": "7H"}, "laid: expected a list"),
        ("hand", {"cards": "7H", "not_shown": 1}, "not_shown: expected true or false"),
        ("ask", {"position": POSITION, "max_ms": 0}, "max_ms: expected a whole number from 1"),
        ("move", {"position": POSITION, "max_ms": 2.5}, "max_ms: expected a whole number"),
        ("ask", {"position": POSITION, "target": -1}, "target: expected a whole number from 0"),
        (
            "ask",
            {"position": POSITION, "target": 9, "level": "easy"},
            "no level plays for a target",
        ),
        ("ask", {"position": ODD, "target": 9}, "target: expected none"),
        ("ask", {"position": POSITION, "force": 3}, 'unknown key "force"'),
        ("apply", {"position": POSITION}, "expected a move, an outcome or a seed"),
        ("ping", {"position": POSITION}, 'unknown key "position"'),
    ],
)
def test_wrong_requests(
    advisor: Advisor, method: str, request_: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError) as raised:
        advisor.call(method, request_)
    assert message in str(raised.value)


# A target, and a bound on time.


def test_a_target_asks_for_its_best_chance(advisor: Advisor, tables: Path, run_ustad: Any) -> None:
    boxes = ["ones=3", "twos=6", "threes=9", "fours=12", "fives=15", "sixes=18", "chance=22"]
    boxes += ["three_of_a_kind=20", "four_of_a_kind=0", "full_house=25", "small_straight=30"]
    sheet = {name: int(points) for name, points in (box.split("=") for box in boxes)}
    position = {**POSITION, "sheets": [sheet]}
    dice = ("--dice", 1, 1, 3, 4, 6, "--rolls-left", 2, "--sheet", ",".join(boxes))
    words = ("ask", "yacht", *dice, "--target", 250, "--json", "--tables", tables)
    answer = advisor.ask(position, target=250)
    assert answer == run_ustad(*words).json
    # Written are 160 and the bonus; 55 more need a large straight and a yacht, two boxes for 90.
    assert answer["best"] == [{"keep": [3, 4]}]
    assert answer["unit"] == "chance"
    assert 0 < answer["value"] < 0.02


class NoMargins:
    """A table that holds no position."""

    def margin(self, seeds: Any, own: int) -> None:
        """Return that it is not known."""


def test_a_search_is_bounded_in_time() -> None:
    view = read_position(ODD)[1]
    bot = TableBot(view.rules, lambda closed: cast(Any, NoMargins()))
    begin = process_time()
    advice = bot.within(0.02).ask(view)
    assert process_time() - begin < 0.5
    assert (advice.extra or {})["exact"] is False
    assert len(advice.options) == len(view.legal_moves())
    assert bot.within(0.05).choose(view) in view.legal_moves()


@pytest.mark.parametrize("level", ["easy", "hard", "expert"])
def test_many_positions_are_answered_as_one_by_one(tables: Path, level: str) -> None:
    """Positions of all games, one seat and two, in any order; Raja Pasu's tables are not here."""
    advisor, alone, positions = Advisor(tables), Advisor(tables), []
    for seed in range(6):
        for game, players in (("yacht", 1), ("marriage", 2), ("yacht", 1)):
            now: Any = advisor.new(game, players=players, seed=seed)
            if now["status"]["to"] == "chance":
                now = advisor.apply(now["position"], seed=seed + 10 * len(positions))
            positions.append(now["position"])
    assert advisor.ask_many(positions, level) == [alone.ask(one, level) for one in positions]
    moves = [alone.move(one, level, seed=0)["move"] for one in positions]
    assert advisor.choose_many(positions, level) == moves
    waits = advisor.new("yacht", players=1)["position"]
    with pytest.raises(UstadError, match=r"positions\[0\]: expected a seat to move"):
        advisor.choose_many([waits], level)
