"""``ustad apply``: positions as flags and as files, moves, outcomes and seeds."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from command_line import POSITION, Ustad, in_error

from ustad.runtime.games.yacht.entry import ENTRY


def test_apply_moves_and_outcomes(run_ustad: Ustad) -> None:
    def apply(position: Any, *more: str) -> Any:
        run = run_ustad(
            "apply", "yacht", "--position", "-", "--json", *more, stdin=json.dumps(position)
        )
        assert (run.status, run.err) == (0, "")
        return run.json

    start = {"game": "yacht", "sheets": [{}, {}], "to_move": 0, "dice": None, "rolls_left": 3}
    rolled = apply(start, "--outcome", "[6,4,3,1,1]")
    assert rolled["events"] == [{"thrown": [1, 1, 3, 4, 6]}]
    assert rolled["position"]["dice"] == [1, 1, 3, 4, 6]
    assert rolled["position"]["rolls_left"] == 2
    kept = apply(rolled["position"], "--move", '{"keep":[1,1]}')
    assert kept["events"] == [{"keep": [1, 1]}]
    assert (kept["position"]["kept"], kept["position"]["dice"]) == ([1, 1], None)
    again = apply(kept["position"], "--outcome", "[1,1,1]")
    assert again["position"]["dice"] == [1] * 5
    assert "kept" not in again["position"]
    both = apply(rolled["position"], "--move", '{"keep":[1,1]}', "--outcome", "[1,1,1]")
    assert both["position"] == again["position"]
    assert both["events"] == kept["events"] + again["events"]
    written = apply(again["position"], "--move", '{"write":"yacht"}')
    assert written["events"] == [{"write": "yacht", "seat": 0, "gained": 50, "total": 50}]
    assert written["position"]["sheets"] == [
        {"yacht": 50, "extra_yachts": 0},
        {"extra_yachts": 0},
    ]
    assert written["position"]["to_move"] == 1
    seeds = [apply(start, "--seed", str(seed))["position"] for seed in (1, 1, 2, 3, 4)]
    assert seeds[0] == seeds[1]
    assert len({str(found) for found in seeds}) == 4


def test_apply_as_text(run_ustad: Ustad) -> None:
    run = run_ustad(
        "apply", "yacht", "--position", "-", "--move", '{"write":"ones"}',
        stdin=json.dumps({**POSITION, "sheets": [{}]}),
    )  # fmt: skip
    assert run.status == 0
    first, *table, last = run.out.splitlines()
    assert json.loads(first) == {"write": "ones", "seat": 0, "gained": 2, "total": 2}
    assert ENTRY.codec.state_from_json(json.loads(last)).totals() == (2,)
    assert any(line.split() == ["ones", "2"] for line in table)


def test_apply_tells_the_seed_of_what_it_drew(run_ustad: Ustad) -> None:
    waiting = json.dumps({**POSITION, "sheets": [{}], "dice": None, "rolls_left": 3})
    run = run_ustad("apply", "yacht", "--position", "-", stdin=waiting)
    [seed] = re.findall(r"^seed (\d+)$", run.out, re.MULTILINE)
    again = run_ustad("apply", "yacht", "--position", "-", "--seed", seed, stdin=waiting)
    assert again.out == run.out
    told = run_ustad("apply", "yacht", "--position", "-", "--json", stdin=waiting).json
    assert told["status"]["to"] == "move"


@pytest.mark.parametrize(
    ("change", "more", "kind", "words"),
    [
        ({}, "", "usage", "expected a move, an outcome or a seed"),
        ({}, '--move {"keep":[5]}', "move", "expected 0 to 4 of the dice [1, 1, 3, 4, 6]"),
        ({}, '--move {"keep":[1,1,1]}', "move", "got [1, 1, 1]"),
        ({}, '--move {"keep":[1,1,3,4,6]}', "move", "keep: expected a list of 0 to 4"),
        ({}, '--move {"keep":[7]}', "move", "from 1 to 6"),
        ({"rolls_left": 0}, '--move {"keep":[1]}', "move", "no roll is left"),
        ({}, '--move {"write":"aces"}', "move", "write: expected one of ones"),
        ({}, '--move {"write":"ones"}', "move", "write ones is not legal"),
        ({}, "--move {", "json", "move: not JSON"),
        ({}, "--move []", "move", "move: expected an object"),
        ({}, "--outcome [1,1,3,4,6]", "outcome", "no chance is to fall here"),
        ({}, "--seed 3", "outcome", "no chance is to fall here"),
        ({"dice": None, "rolls_left": 3}, '--move {"write":"twos"}', "move", "waits for chance"),
        ({"dice": None, "rolls_left": 3}, "--outcome [1,2,3]", "outcome", "expected 5 dice"),
        ({"dice": None, "rolls_left": 3}, "--outcome [1,2,3,4,7]", "outcome", "from 1 to 6"),
        ({"dice": None, "kept": [6]}, "--outcome [1,2,3,4,5]", "outcome", "expected 4 dice"),
        ({"dice": None, "rolls_left": 3}, "--outcome {}", "outcome", "expected a list"),
        ({"dice": None, "rolls_left": 3}, "--seed -1", "usage", "seed: expected"),
        ({"dice": None, "rolls_left": 3}, "--seed x", "usage", "--seed: expected a whole"),
        ({"dice": None, "rolls_left": 3}, "--seed 1 --outcome [1]", "usage", "not both"),
    ],
    ids=str,
)
def test_applications_that_are_wrong(
    run_ustad: Ustad, change: dict[str, Any], more: str, kind: str, words: str
) -> None:
    text = json.dumps({**POSITION, **change})
    command = ["apply", "yacht", "--position", "-", *more.split()]
    assert words in in_error(run_ustad(*command, stdin=text))
    assert words in in_error(run_ustad(*command, "--json", stdin=text), kind)


@pytest.mark.parametrize(
    ("words", "first", "to_move"),
    [
        ("--sheet ones=3 --sheet twos=2", 0, 0),
        ("--sheet ones=3 --sheet twos=2,chance=9", 1, 0),
        ("--sheet ones=3 --sheet twos=2 --first 1", 1, None),
        ("--sheet ones=3 --sheet twos=2 --to-move 1", 1, 1),
        ("--sheet ones=3,sixes=6 --sheet twos=2 --to-move 1", 0, 1),
        ("--sheet ones=3 --sheet twos=2,sixes=6 --sheet fives=5,sixes=6", 1, 0),
        ("--sheet ones=3,sixes=6 --sheet twos=2,sixes=6 --sheet fives=5 --to-move 2", 0, 2),
    ],
)
def test_a_sheet_for_each_seat(
    run_ustad: Ustad, words: str, first: int, to_move: int | None
) -> None:
    """Who rolled first follows from the boxes: the seats before to_move that are a turn ahead."""
    run = run_ustad(
        *f"apply yacht {words} --dice 1 2 3 4 5 --rolls-left 2 --json --move".split(), '{"keep":[]}'
    )
    if to_move is None:
        assert "sheets[1]: expected 2 turns taken, since seat 1 rolled first" in in_error(
            run, "position"
        )
        return
    position = run.json["position"]
    assert (position["first"], position["to_move"]) == (first, to_move)
    assert len(position["sheets"]) == words.count("--sheet")


def test_sheets_of_dice_poker_with_their_turns_left(run_ustad: Ustad) -> None:
    school = ",".join(f"{row}=0" for row in ("ones", "twos", "threes", "fours", "fives", "sixes"))
    words = f"apply dice_poker --sheet {school} --sheet {school},pair=12 --dice 1 2 3 5 6"
    run = run_ustad(
        *f"{words} --rolls-left 0 --turns-left 9 8 --json --move".split(), '{"pass":true}'
    )
    assert run.json["position"]["turns_left"] == [8, 8]
    assert run.json["position"]["first"] == 1
    one = run_ustad(
        *f"{words} --rolls-left 0 --turns-left 9 --json --move".split(), '{"pass":true}'
    )
    assert one.status == 2
    assert "turns_left: expected a list with 2 numbers" in one.json["error"]["message"]
