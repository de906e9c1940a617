"""What speaks for a bet: win shares after paro and tiro, as the positions after them have it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from built import Build

from ustad.runtime.core.errors import MoveError, UsageError
from ustad.runtime.questions import Advisor, read_position

PARO, TIRO = [5, 5, 5], [1, 1, 1]


@pytest.fixture(scope="module")
def advisor(build: Build, tmp_path_factory: pytest.TempPathFactory) -> Advisor:
    folder = tmp_path_factory.mktemp("pasa-facts")
    build("pasa", {"players": 3, "chips": 12}, folder)
    return Advisor(folder)


def position(**changes: Any) -> dict[str, Any]:
    start = {
        "game": "pasa",
        "stacks": [4, 5, 3],
        "thrower": 1,
        "turns_left": 2,
        "bets": [None, None, None],
    }
    return start | changes


def share_after(advisor: Advisor, start: dict[str, Any], move: Any, faces: list[int]) -> float:
    """Return the mover's win share after its bet, the best bets of the others, and a throw."""
    seat = read_position(start)[1].current_player()
    after = advisor.apply(start, move=move)["position"]
    while advisor.legal(after)["legal"]:
        after = advisor.apply(after, move=advisor.move(after)["move"])["position"]
    after = advisor.apply(after, outcome=faces)["position"]
    share: float = advisor.ask(after)["win_shares"][seat]
    return share


@pytest.mark.parametrize("changes", [{}, {"bets": [None, None, 2]}, {"turns_left": 1}])
def test_shares_after_each_throw(advisor: Advisor, changes: dict[str, Any]) -> None:
    start = position(**changes)
    for option in advisor.ask(start, facts=True)["options"]:
        facts = option["facts"]
        for name, faces in (("if_paro", PARO), ("if_tiro", TIRO)):
            expected = share_after(advisor, start, option["move"], faces)
            assert facts[name] == pytest.approx(expected, abs=1e-12)
        assert sum(facts.values()) / 2 == pytest.approx(option["value"], abs=1e-12)


def test_the_sentence_tells_the_best_the_next_best_and_the_one_asked_about(
    advisor: Advisor,
) -> None:
    start = position(turns_left=1)
    answer = advisor.ask(start, facts=True)
    best, *_, worst = answer["options"]
    again = advisor.ask(start, facts=True, move=worst["move"], top=1)
    assert again["options"] == answer["options"][:1]
    assert again["asked"] == worst
    told = [float(number) for number in re.findall(r"([\d.]+)%", again["why"])]
    behind = next(o for o in answer["options"] if o["move"] not in answer["best"])
    numbers = [best["facts"]["if_paro"], best["facts"]["if_tiro"]]
    for option in dict.fromkeys([answer["options"].index(behind), len(answer["options"]) - 1]):
        other = answer["options"][option]
        numbers += [best["value"] - other["value"], *other["facts"].values()]
    assert told == pytest.approx([100 * number for number in numbers], abs=0.0051)


def test_without_facts_nothing_is_told(advisor: Advisor) -> None:
    answer = advisor.ask(position())
    assert "why" not in answer
    assert "facts" not in answer["options"][0]
    easy = advisor.ask(position(), "easy", facts=True, move=answer["best"][0])
    assert set(easy) == {"best"}


def test_wrong_questions(advisor: Advisor) -> None:
    with pytest.raises(UsageError, match="facts: expected true or false, got 1"):
        advisor.ask(position(), facts=1)  # type: ignore[arg-type]
    with pytest.raises(MoveError, match="bet"):
        advisor.ask(position(), move={"bet": 99})
    over = position(turns_left=0)
    with pytest.raises(MoveError, match="no move to make here"):
        advisor.ask(over, move={"bet": 1})
