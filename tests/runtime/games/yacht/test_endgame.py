"""The last turns, played for the win by everybody, against other programs and plain enumeration."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from ustad.runtime import Advisor
from ustad.runtime.core.registry import entry as entry_of
from ustad.runtime.questions import read_position

DATA = Path(__file__).parents[3] / "data" / "yacht_endgame.json"
CASES = json.loads(DATA.read_text())["cases"]
"""Values of two programs and a slow check in fractions that agree; see the file's ``source``."""

FULL = {"ones": 3, "twos": 6, "threes": 9, "fours": 12, "fives": 15, "sixes": 18}
FULL |= {"three_of_a_kind": 20, "four_of_a_kind": 0, "full_house": 25, "small_straight": 30}
FULL |= {"large_straight": 0, "yacht": 0, "chance": 20}


@pytest.fixture(scope="module")
def advisor(tables: Path) -> Advisor:
    """No outlook is there: the last turns need none."""
    return Advisor(tables)


def key(move: Any) -> str:
    return json.dumps(move, sort_keys=True)


@pytest.mark.parametrize("case", CASES, ids=range(len(CASES)))
def test_values_of_other_programs(advisor: Advisor, case: Any) -> None:
    answer: Any = advisor.ask(case["position"])
    assert answer["exact"] is True
    assert answer["unit"] == "win_share"
    assert answer["value"] == pytest.approx(case["value"], abs=1e-9)
    assert {key(move) for move in answer["best"]} <= {key(move) for move in case["best"]}
    assert bool(answer["best"]) == bool(case["best"])
    found = {key(option["move"]): option["value"] for option in answer["options"]}
    for option in case.get("options", []):
        assert found[key(option["move"])] == pytest.approx(option["value"], abs=1e-9)
    if case["best"]:
        assert advisor.move(case["position"])["move"] in answer["best"]


def sheet(points: int, **left_open: None) -> dict[str, int]:
    """Return a sheet that holds so many points in chance, with some boxes open."""
    held = FULL | {"chance": points, "extra_yachts": 0}
    return {box: held[box] for box in held if box not in left_open}


@cache
def throws(count: int) -> dict[tuple[int, ...], Fraction]:
    found: dict[tuple[int, ...], Fraction] = {}
    for dice in product(range(1, 7), repeat=count):
        roll = tuple(sorted(dice))
        found[roll] = found.get(roll, Fraction(0)) + Fraction(1, 6**count)
    return found


def win_share(state: Any, seat: int) -> Fraction:
    """Return the share of a seat that moves last, every roll played out."""

    def rated(state: Any) -> tuple[Fraction, ...]:
        if state.is_over():
            return tuple(Fraction(share).limit_denominator(12) for share in state.returns())
        player, found = state.to_move, []
        for move in state.legal_moves():
            after = state.apply(move)
            waits = after.dice is None and after.rolls_left < 3
            found.append(mean(after, 5 - len(after.kept)) if waits else rated(after))
        return max(found, key=lambda shares: shares[player])

    def mean(state: Any, count: int) -> tuple[Fraction, ...]:
        sums = [Fraction(0)] * len(state.sheets)
        for fallen, chance in throws(count).items():
            for at, share in enumerate(rated(state.apply(fallen))):
                sums[at] += chance * share
        return tuple(sums)

    return rated(state)[seat]


@pytest.mark.parametrize("rolls_left", [0, 1])
@pytest.mark.parametrize("chance", [15, 20, 24, 26])
def test_the_last_turn_is_enumerated(advisor: Advisor, chance: int, rolls_left: int) -> None:
    """Who moves last has sixes open and 140 points, and 35 with three sixes; the other is full."""
    position = {
        "game": "yacht",
        "sheets": [sheet(chance), sheet(20, sixes=None)],
        "first": 0,
        "to_move": 1,
        "dice": [2, 3, 6, 6, 6],
        "rolls_left": rolls_left,
    }
    _, state = read_position(position)
    answer = advisor.ask(position)
    assert answer["value"] == pytest.approx(float(win_share(state, 1)), abs=1e-12)


@pytest.mark.parametrize("players", [2, 3, 5])
@pytest.mark.parametrize("setting", ["bonus_and_joker", "plain", "free_joker"])
def test_shares_are_means_of_those_after_each_roll(
    advisor: Advisor, setting: str, players: int
) -> None:
    """Before dice fall a position is worth the mean of what it is worth after them."""
    sheets = [sheet(10 + 3 * seat, ones=None, chance=None) for seat in range(players)]
    if players > 2:
        sheets = [sheet(10 + 3 * seat, fours=None) for seat in range(players)]
    position = {"game": "yacht", "options": {"second_yacht": setting}, "sheets": sheets}
    position |= {"first": 0, "to_move": 0, "dice": None, "rolls_left": 3}
    value = advisor.ask(position)["value"]
    _, state = read_position(position)
    codec = entry_of("yacht").codec
    mean = sum(
        chance * advisor.ask(codec.state_to_json(state.apply(dice)))["value"]
        for dice, chance in state.chance_outcomes()
    )
    assert value == pytest.approx(mean, abs=1e-9)


def test_two_seats_share_one_win(advisor: Advisor) -> None:
    """What a write leaves to the other seat is what is missing to one."""
    sheets = [sheet(10, fives=None, chance=None), sheet(12, twos=None, chance=None)]
    position = {"game": "yacht", "sheets": sheets, "first": 0, "to_move": 0}
    position |= {"dice": [1, 2, 5, 5, 6], "rolls_left": 0}
    for option in advisor.ask(position)["options"]:
        after = advisor.apply(position, option["move"])["position"]
        other = advisor.ask(after)["value"]
        assert option["value"] + other == pytest.approx(1, abs=1e-9)


def test_further_from_the_end_an_outlook_is_needed(advisor: Advisor) -> None:
    sheets = [sheet(10, ones=None, twos=None, chance=None)] * 2
    position = {"game": "yacht", "sheets": sheets, "first": 0, "to_move": 0}
    position |= {"dice": [1, 2, 5, 5, 6], "rolls_left": 0}
    with pytest.raises(Exception, match="outlook"):
        advisor.ask(position)


def test_why_speaks_of_the_win(advisor: Advisor) -> None:
    answer: Any = advisor.ask(CASES[0]["position"], facts=True)
    assert "of the win" in answer["why"]
    assert answer["options"][0]["facts"]["win_share"] == answer["options"][0]["value"]
