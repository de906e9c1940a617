"""What speaks for a hole: its captures, and a line and a score that the rules bear out."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from built import Build

from ustad.runtime.games.raja_pasu.entry import ENTRY
from ustad.runtime.questions import Advisor, read_position

CLOSED = [7, 8, 9, 10, 11, 12]


@pytest.fixture(scope="module")
def advisor(build: Build, tmp_path_factory: pytest.TempPathFactory) -> Advisor:
    folder = tmp_path_factory.mktemp("raja-pasu-facts")
    build("raja_pasu", {"closed": 6}, folder)
    return Advisor(folder)


def late(random_board: random.Random, closed: list[int]) -> dict[str, Any]:
    """Return a position with some seeds left."""
    board = [0] * 14
    for _ in range(random_board.randrange(4, 9)):
        board[random_board.choice([hole for hole in range(14) if hole not in closed])] += 1
    captured = [random_board.randrange(20), random_board.randrange(20)]
    to_move = random_board.randrange(2)
    return {
        "game": "raja_pasu",
        "board": board,
        "closed": closed,
        "to_move": to_move,
        "captured": captured,
    }


@pytest.mark.parametrize(("level", "closed"), [("hard", []), ("expert", CLOSED)])
def test_lines_lead_to_the_final_score(advisor: Advisor, level: str, closed: list[int]) -> None:
    boards, ended = random.Random(8), 0
    for _ in range(400):
        position = late(boards, closed)
        mover = position["to_move"]
        answer = advisor.ask(position, level, facts=True)
        for option in answer.get("options", ()):
            facts = option["facts"]
            state = read_position(position)[1]
            after = state.after_sowing(ENTRY.codec.move_from_json(option["move"]))
            assert facts["captures"] == after.captured[mover] - state.captured[mover]
            if not answer["exact"]:
                assert set(facts) == {"captures"}
                continue
            own, other = facts["final"]
            assert own + other == sum(position["board"]) + sum(position["captured"])
            ahead = position["captured"][mover] - position["captured"][1 - mover]
            assert own - other == ahead + option["value"]
            assert len(facts["line"]) <= 8
            for move in facts["line"]:
                assert not after.is_over()
                after = after.after_sowing(ENTRY.codec.move_from_json(move))
            if after.is_over():
                ended += 1
                kept = after.owned()
                assert [kept[mover], kept[1 - mover]] == [own, other]
            elif len(facts["line"]) < 8:  # the rest only a search could rate
                bot = advisor.bot(ENTRY, after.rules, "expert")
                assert level == "expert"
                assert bot.margin(tuple(after.seeds()), after.ring().own) is None
    assert ended > 40


def test_the_sentence(advisor: Advisor) -> None:
    board = [1, 0, 3, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 3]
    position = {"game": "raja_pasu", "board": board, "closed": CLOSED, "to_move": 0}
    position["captured"] = [40, 40]
    answer = advisor.ask(position, facts=True)
    best = answer["options"][0]
    own, other = best["facts"]["final"]
    says = f"hole {best['move']['hole']} takes {best['facts']['captures']} and leads to"
    assert answer["why"].startswith(f"{says} {own} to {other}; ")


def test_tables_are_not_needed_at_hard(tmp_path: Path) -> None:
    position = {
        "game": "raja_pasu",
        "board": [1] + [0] * 12 + [1],
        "closed": [],
        "to_move": 0,
        "captured": [48, 48],
    }
    answer = Advisor(tmp_path).ask(position, "hard", facts=True)
    assert answer["why"].endswith("; it is the only move")
