"""``ustad ask``: answers as text and JSON, and an error for everything else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import FLAGS, POSITION, Ustad, in_error

from ustad.runtime.games.yacht.rules import BOXES, SECOND_YACHT


def test_ask_as_json(run_ustad: Ustad, tables: Path) -> None:
    run = run_ustad(*FLAGS, "--level", "hard", "--tables", tables, "--json")
    assert (run.status, run.err) == (0, "")
    assert run.out.count("\n") == 1
    answer = run.json
    assert list(answer) == ["best", "value", "unit", "options"]
    assert answer["unit"] == "expected_total"
    values = [option["value"] for option in answer["options"]]
    assert values == sorted(values, reverse=True)
    assert answer["value"] == values[0]
    assert answer["best"] == [answer["options"][0]["move"]]
    moves = [option["move"] for option in answer["options"]]
    writes = [box for box in BOXES if box not in ("ones", "chance")]
    assert {move["write"] for move in moves if "write" in move} == set(writes)
    # 1 1 3 4 6 has 3 x 2 x 2 x 2 sub-multisets; all five dice are no keep.
    assert len(moves) == 23 + len(writes)


def test_ask_as_text(run_ustad: Ustad, tables: Path) -> None:
    dice = "--dice 1 1 3 4 6 --rolls-left 2 --level hard"
    run = run_ustad("ask", "yacht", *dice.split(" "), "--tables", tables)
    assert (run.status, run.err) == (0, "")
    lines = run.out.splitlines()
    assert "best: keep 4" in lines
    at = lines.index("best: keep 4")
    assert lines[at + 1] == "expected total: 249.8793"  # tests/data/yacht.json
    assert lines[at + 2].split() == ["keep", "4", "249.8793", "best"]
    # The next best move costs 0.0048 by the reference.
    assert lines[at + 3].split()[-2:] == ["costs", "0.0048"]
    assert len(lines) == at + 2 + 23 + 13
    assert all(any(line.split()[0] == box for line in lines[:at]) for box in BOXES)


def test_ties_are_told_as_best_in_the_text(run_ustad: Ustad, tables: Path) -> None:
    sheet = ",".join(f"{box}={17 if box == 'chance' else 0}" for box in BOXES if box != "yacht")
    words = f"ask yacht --sheet {sheet} --dice 1 2 3 4 6 --rolls-left 1 --level hard".split()
    run = run_ustad(*words, "--tables", tables)
    best = "keep nothing or keep 1 or keep 2 or keep 3 or keep 4 or keep 6"
    assert f"best: {best}" in " ".join(run.out.split())  # more than a line of 60 columns
    assert sum(line.split()[-1] == "best" for line in run.out.splitlines()) == 6


def test_flags_file_and_standard_input_agree(
    run_ustad: Ustad, tables: Path, tmp_path: Path
) -> None:
    file = tmp_path / "position.json"
    file.write_text(json.dumps(POSITION))
    for extra in ([], ["--json"]):
        common = ["--tables", tables, *extra]
        flags = run_ustad(*FLAGS, *common)
        by_file = run_ustad("ask", "yacht", "--position", file, *common)
        by_input = run_ustad("ask", "yacht", "--position", "-", *common, stdin=json.dumps(POSITION))
        assert flags == by_file == by_input
        assert flags.status == 0


def test_options_from_flags_and_file_agree(run_ustad: Ustad, tables: Path) -> None:
    for setting in SECOND_YACHT:
        position = {**POSITION, "options": {"second_yacht": setting}}
        flags = run_ustad(
            *FLAGS, "--option", f"second_yacht={setting}", "--tables", tables, "--json"
        )
        by_input = run_ustad(
            "ask", "yacht", "--position", "-", "--json", "--tables", tables,
            stdin=json.dumps(position),
        )  # fmt: skip
        assert flags == by_input
        assert flags.status == 0


def test_top_shows_the_best_alone(run_ustad: Ustad, tables: Path) -> None:
    common = ["--level", "hard", "--tables", tables]
    full = run_ustad(*FLAGS, "--json", *common).json
    short = run_ustad(*FLAGS, "--json", "--top", "3", *common).json
    assert short == {**full, "options": full["options"][:3]}
    text = run_ustad(*FLAGS, *common).out
    cut = run_ustad(*FLAGS, "--top", "3", *common).out
    assert text.startswith(cut.rstrip("\n"))
    assert len(text.splitlines()) - len(cut.splitlines()) == len(full["options"]) - 3


def test_before_the_first_roll(run_ustad: Ustad, tables: Path) -> None:
    run = run_ustad("ask", "yacht", "--sheet", "", "--level", "hard", "--json", "--tables", tables)
    assert run.json["best"] == run.json["options"] == []
    assert run.json["value"] == pytest.approx(254.587728734496, abs=1e-9)


def test_levels_without_values_answer_best_alone(run_ustad: Ustad, tmp_path: Path) -> None:
    for level in ("easy", "medium"):  # and need no table
        run = run_ustad(*FLAGS, "--level", level, "--json", "--tables", tmp_path)
        assert list(run.json) == ["best"]
        assert len(run.json["best"]) == 1


def test_the_folder_named_by_the_environment(
    tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    from ustad.runtime.cli.main import main

    monkeypatch.setenv("USTAD_TABLES", str(tables))
    assert main([*FLAGS, "--json"]) == 0
    monkeypatch.setenv("USTAD_TABLES", str(tmp_path))
    assert main([*FLAGS, "--json"]) == 2
    assert main([*FLAGS, "--json", "--tables", str(tables)]) == 0
    capsys.readouterr()


# What is wrong with a question.

WRONG = {
    "six dice": ("--dice 1 1 3 4 6 6 --rolls-left 2", "position", "dice: expected a list of 5"),
    "four dice": ("--dice 1 1 3 4 --rolls-left 2", "position", "dice: expected a list of 5"),
    "a die of 7": ("--dice 1 1 3 4 7 --rolls-left 2", "position", "from 1 to 6"),
    "a die of 0": ("--dice 1 1 3 4 0 --rolls-left 2", "position", "from 1 to 6"),
    "no number": ("--dice 1 1 3 4 six --rolls-left 2", "position", "--dice: expected a whole"),
    "half a die": ("--dice 1 1 3 4 1.5 --rolls-left 2", "position", "--dice: expected a whole"),
    "rolls_left 5": ("--dice 1 1 3 4 6 --rolls-left 5", "position", "rolls_left: expected"),
    "rolls_left 3": ("--dice 1 1 3 4 6 --rolls-left 3", "position", "rolls_left"),
    "rolls_left two": ("--dice 1 1 3 4 6 --rolls-left two", "position", "--rolls-left"),
    "no rolls_left": ("--dice 1 1 3 4 6", "position", "--rolls-left: expected 0, 1 or 2"),
    "no dice": ("--rolls-left 2", "position", "--dice: expected the five dice"),
    "unknown box": ("--sheet aces=3", "position", 'unknown key "aces"'),
    "ones=7": ("--sheet ones=7", "position", "ones: expected one of 0, 1, 2, 3, 4, 5, got 7"),
    "full_house=24": ("--sheet full_house=24", "position", "full_house: expected one of 0, 25"),
    "ones=three": ("--sheet ones=three", "position", "ones: expected a whole number"),
    "ones": ("--sheet ones", "position", "expected BOX=POINTS"),
    "a box twice": ("--sheet ones=3,ones=3", "position", "ones stands twice"),
    "extra yachts": ("--sheet extra_yachts=1", "position", "extra_yachts: expected 0"),
    "unknown option": ("--sheet ones=3 --option joker=no", "option", "has no such option"),
    "option value": ("--sheet ones=3 --option second_yacht=no", "option", "expected one of"),
    "no value": ("--sheet ones=3 --option second_yacht", "option", "expected NAME=VALUE"),
    "option twice": (
        "--sheet ones=3 --option second_yacht=plain --option second_yacht=plain",
        "option",
        "given twice",
    ),
    "no position": ("", "usage", "expected a position"),
    "unknown level": ("--sheet ones=3 --level best", "usage", "level: expected one of easy"),
    "top 0": ("--sheet ones=3 --top 0", "usage", "top: expected"),
    "top x": ("--sheet ones=3 --top x", "usage", "top: expected a whole number"),
    "both": ("--sheet ones=3 --position -", "usage", "not both"),
    "no sheet": ("--first 1", "position", "--first: expected --sheet beside it"),
    "no such seat": ("--sheet ones=3 --to-move 1", "position", "to_move: expected 0, got 1"),
    "a seat in letters": ("--sheet ones=3 --to-move me", "position", "--to-move: expected a whole"),
    "seven sheets": ("--sheet ones=3 " * 7, "position", "1 to 6 seats"),
    "no file": ("--position /none/position.json", "usage", "/none/position.json"),
    "a folder": ("--position /", "usage", "--position: /"),
    "unknown flag": ("--sheets ones=3 --dices 1", "usage", "--dices"),
    "flag without value": ("--sheet", "usage", "--sheet"),
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("as_json", [False, True])
def test_questions_that_are_wrong(run_ustad: Ustad, tables: Path, name: str, as_json: bool) -> None:
    flags, kind, words = WRONG[name]
    command = ["ask", "yacht", "--tables", tables, *flags.split()]
    if as_json:
        command.insert(2, "--json")
    assert words in in_error(run_ustad(*command), kind if as_json else None)


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("", "json", "position: not JSON at line 1 column 1"),
        ("{", "json", "not JSON"),
        ("nonsense", "json", "not JSON"),
        ('{"game":"yacht","game":"yacht"}', "json", 'the key "game" stands twice'),
        ('{"game":"yacht","dice":NaN}', "json", "NaN is no finite number"),
        ('{"game":"yacht","dice":[1e999]}', "json", ""),
        ("[" * 100_000, "json", ""),
        ('{"game":"yacht","dice":' + "9" * 5_000 + "}", "json", ""),
        (" " * 1_000_001, "json", "expected at most 1000000"),
        ("\ufeff\ufeff{}", "json", "not JSON"),
        ("\ufeff{}", "usage", 'expected "yacht"'),
        ("[]", "usage", "position: expected an object"),
        ("3", "usage", "position: expected an object"),
        ("null", "usage", "position: expected an object"),
        ("{}", "usage", 'game: expected "yacht"'),
        ('{"game":"chess"}', "usage", 'expected "yacht", got "chess"'),
        ('{"game":["yacht"]}', "usage", 'expected "yacht"'),
        ('{"game":"yacht"}', "position", 'the key "sheets" is missing'),
        (json.dumps({**POSITION, "turn": 3}), "position", 'unknown key "turn"'),
        (json.dumps({**POSITION, "dice": [1, 1, 3, 4, "6"]}), "position", "dice: "),
        (json.dumps({**POSITION, "rolls_left": 5}), "position", "rolls_left: "),
        (json.dumps({**POSITION, "sheets": [{"ones": 7}]}), "position", "ones: "),
        (json.dumps({**POSITION, "options": {"second": 1}}), "option", "unknown key"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_texts_that_are_no_position(
    run_ustad: Ustad, tables: Path, text: str, kind: str, words: str
) -> None:
    command = ["ask", "yacht", "--position", "-", "--tables", tables]
    assert words in in_error(run_ustad(*command, stdin=text))
    assert words in in_error(run_ustad(*command, "--json", stdin=text), kind)


def test_a_position_file_that_is_no_text(run_ustad: Ustad, tables: Path, tmp_path: Path) -> None:
    file = tmp_path / "position"
    file.write_bytes(b"\xff\xfe\x00")
    assert "UTF-8" in in_error(run_ustad("ask", "yacht", "--position", file, "--tables", tables))


@pytest.mark.parametrize(
    "words",
    [[], ["asks"], ["ask"], ["ask", "chess"], ["build", "chess"], ["info", "x"], ["--none"]],
    ids=str,
)
def test_commands_that_are_none(run_ustad: Ustad, words: list[str]) -> None:
    in_error(run_ustad(*words))
    in_error(run_ustad(*words, "--json"), "usage")
