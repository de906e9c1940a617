"""The command line: answers as text and JSON, and an error for everything else."""

from __future__ import annotations

import errno
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ustad.runtime.cli.main import main
from ustad.runtime.core import registry
from ustad.runtime.core.registry import entry as entry_of
from ustad.runtime.games.yacht.entry import ENTRY
from ustad.runtime.games.yacht.rules import BOXES, SECOND_YACHT
from ustad.tables import TableSpec, open_table, write_table

Ustad = Callable[..., Any]

POSITION: dict[str, Any] = {
    "game": "yacht",
    "sheets": [{"ones": 3, "chance": 22}],
    "dice": [1, 1, 3, 4, 6],
    "rolls_left": 2,
}
WORDS = "--sheet ones=3,chance=22 --dice 1 1 3 4 6 --rolls-left 2"
FLAGS = ("ask", "yacht", *WORDS.split(" "))


def in_error(run: Any, kind: str | None = None) -> str:
    """Assert status 2, nothing on standard output, and one line of error; return it."""
    assert run.status == 2
    assert run.out == ""
    assert run.err.endswith("\n")
    assert run.err.count("\n") == 1
    if kind is None:
        assert run.err.startswith("ustad: ")
        return str(run.err)
    error = json.loads(run.err)
    assert set(error) == {"error"}
    assert set(error["error"]) == {"kind", "message"}
    assert error["error"]["kind"] == kind
    assert "\n" not in error["error"]["message"]
    return str(error["error"]["message"])


@pytest.fixture
def sound(tables: Path, tmp_path: Path) -> Path:
    """A folder with the table of the plain setting, which a test may spoil."""
    spec = ENTRY.tables.spec({"second_yacht": "plain"})
    shutil.copy(spec.path(tables), tmp_path)
    return tmp_path


# ask


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


# Tables that are missing or unfit.


def plain(*more: object) -> list[object]:
    return [*FLAGS, "--option", "second_yacht=plain", "--level", "hard", *more]


def test_a_missing_table_names_the_command_that_builds_it(run_ustad: Ustad, tmp_path: Path) -> None:
    line = in_error(run_ustad(*plain("--tables", tmp_path)))
    command = "ustad build yacht --option second_yacht=plain --tables"
    assert f"{command} {tmp_path}" in line
    assert "second_yacht=plain.h5" in line
    in_error(run_ustad(*plain("--tables", tmp_path, "--json")), "missing_table")
    in_error(run_ustad(*plain("--tables", tmp_path / "none", "--json")), "missing_table")


def test_the_command_of_the_error_mends_it(
    run_ustad: Ustad, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import shlex

    folder = tmp_path / "my tables"
    for _ in range(2):
        line = in_error(run_ustad(*plain("--tables", folder)))
        command = shlex.split(line[line.index("ustad build") :])
        assert run_ustad(*command[1:]).status == 0
        assert run_ustad(*plain("--tables", folder)).status == 0
        [path] = folder.iterdir()
        path.write_bytes(path.read_bytes()[:-1])  # the second time round it is damaged


def test_a_damaged_table(run_ustad: Ustad, sound: Path) -> None:
    [path] = sound.iterdir()
    content = bytearray(path.read_bytes())
    content[100_000] ^= 4
    path.write_bytes(content)
    line = in_error(run_ustad(*plain("--tables", sound)))
    assert str(path) in line
    assert "damaged" in line
    assert "--force" in line
    in_error(run_ustad(*plain("--tables", sound, "--json")), "corrupt_table")


def test_a_table_of_other_rules(run_ustad: Ustad, tables: Path, sound: Path) -> None:
    [path] = sound.iterdir()
    shutil.copy(ENTRY.tables.spec({"second_yacht": "free_joker"}).path(tables), path)
    line = in_error(run_ustad(*plain("--tables", sound)))
    assert "free_joker" in line
    assert "--force" in line
    in_error(run_ustad(*plain("--tables", sound, "--json")), "mismatched_table")


# info and verify


def test_info(run_ustad: Ustad, tables: Path) -> None:
    found = run_ustad("info", "--tables", tables, "--json").json
    assert set(found) == {"tables"}
    rows = {row["options"]["second_yacht"]: row for row in found["tables"]}
    assert set(rows) == set(SECOND_YACHT)
    for row in rows.values():
        assert set(row) == {
            "game", "options", "path", "bytes", "quantity", "unit", "start_value",
        }  # fmt: skip
        assert row["game"] == "yacht"
        assert Path(row["path"]).stat().st_size == row["bytes"] <= 2_400_000
    assert rows["bonus_and_joker"]["start_value"] == pytest.approx(254.587728734496, abs=1e-9)
    text = run_ustad("info", "--tables", tables)
    assert (text.status, text.err) == (0, "")
    assert "start 254.587728734 points" in text.out
    assert len(text.out.splitlines()) == 4


def test_info_where_nothing_is(run_ustad: Ustad, tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "none"):
        assert run_ustad("info", "--tables", folder, "--json").json == {"tables": []}
        assert "ustad build" in run_ustad("info", "--tables", folder).out


def test_info_tells_of_a_damaged_table_and_lists_the_others(
    run_ustad: Ustad, tables: Path, sound: Path
) -> None:
    shutil.copy(ENTRY.tables.spec({}).path(tables), sound)
    bad = ENTRY.tables.spec({"second_yacht": "plain"}).path(sound)
    bad.write_bytes(b"text")
    run = run_ustad("info", "--tables", sound, "--json")
    assert [row["options"]["second_yacht"] for row in run.json["tables"]] == ["bonus_and_joker"]
    assert run.status == 1
    assert run.err.count("\n") == 1
    assert str(bad) in run.err


def test_the_remedy_for_a_damaged_table_builds_it(run_ustad: Ustad, tmp_path: Path) -> None:
    """Not a default table, in a folder whose name a shell would take apart."""
    folder = tmp_path / "my tables"
    words = ["build", "pasa", "--option", "players=2", "--option", "chips=9", "--tables", folder]
    [row] = run_ustad(*words, "--json").json["tables"]
    path = Path(row["path"])
    content = path.read_bytes()
    path.write_bytes(content[:-1])
    [row] = run_ustad("verify", "--tables", folder, "--json").json["tables"]
    remedy = shlex.split(row["error"].rpartition("with: ")[2])
    assert remedy[0] == "ustad"
    assert run_ustad(*remedy[1:]).status == 0
    assert path.read_bytes() == content


def test_a_text_beside_tables_is_nobodys_business(run_ustad: Ustad, sound: Path) -> None:
    (sound / "position.json").write_text("{}")
    assert run_ustad("verify", "--tables", sound).out.endswith("1 tables, 0 bad\n")


def test_the_folder_of_the_tables_is_a_folder(run_ustad: Ustad, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for command in ("info", "verify", "build"):
        assert "got a file" in in_error(run_ustad(command, "--tables", tmp_path / "file"))
        assert "expected a folder" in in_error(run_ustad(command, "--tables", ""))


def test_a_build_removes_what_a_killed_one_left(run_ustad: Ustad, sound: Path) -> None:
    """The table is there, so nothing else is written."""
    left = sound / ".yacht-killed.ustad-part"
    left.write_text("")
    os.utime(left, (0, 0))
    run_ustad("build", "yacht", "--option", "second_yacht=plain", "--tables", sound)
    assert not left.exists()


def test_verify(run_ustad: Ustad, tables: Path, sound: Path) -> None:
    run = run_ustad("verify", "--tables", tables, "--json")
    assert run.status == 0
    assert [row["ok"] for row in run.json["tables"]] == [True] * 3
    assert all(row["error"] is None for row in run.json["tables"])
    assert run_ustad("verify", "--tables", tables).out.endswith("3 tables, 0 bad\n")
    assert "expected a folder" in in_error(run_ustad("verify", "--tables", sound / "none"))


@pytest.mark.parametrize("change", ["more", "none", "type", "number"])
def test_verify_compares_what_a_table_carries_for_other_languages(
    run_ustad: Ustad, tables: Path, sound: Path, change: str
) -> None:
    """Rolls, keeps and chances are the rules' own, whatever digest stands over others."""
    table = open_table(ENTRY.tables.spec({}), tables)
    arrays = dict(ENTRY.tables.structure(table.spec.options))
    if change == "more":
        arrays["luck"] = np.arange(3)
    elif change == "none":
        del arrays["rolls"]
    elif change == "type":
        arrays["keeps"] = arrays["keeps"].astype(np.int64)
    else:
        arrays["transition"][0, 0] *= 2
    path = write_table(table.spec, sound, table.values, table.counts, arrays, table.parts)
    run = run_ustad("verify", "--tables", sound, "--json")
    assert run.status == 1
    [error] = [row["error"] for row in run.json["tables"] if row["path"] == str(path)]
    assert "structure" in error
    assert "ustad build yacht" in error


@pytest.mark.parametrize("damage", ["flip", "cut", "foreign", "empty", "name", "other game"])
def test_verify_finds_the_bad_table(
    run_ustad: Ustad, tables: Path, sound: Path, damage: str
) -> None:
    [path] = sound.iterdir()
    content = path.read_bytes()
    shutil.copy(ENTRY.tables.spec({}).path(tables), sound)
    if damage == "flip":
        path.write_bytes(content[:-9] + bytes([content[-9] ^ 1]) + content[-8:])
    elif damage == "cut":
        path.write_bytes(content[:-1])
    elif damage == "foreign":
        path.write_bytes(b"a text " * 1_000)
    elif damage == "empty":
        path.write_bytes(b"")
    elif damage == "name":
        path = path.rename(sound / "yacht,of=mine.h5")
    else:
        path.unlink()
        spec = TableSpec("chess", {}, "what", "points", 1, "f", (1,), 0)
        path = write_table(spec, sound, np.zeros(1), {}, {})
    run = run_ustad("verify", "--tables", sound, "--json")
    assert run.status == 1
    rows = {Path(row["path"]): row for row in run.json["tables"]}
    assert {found: row["ok"] for found, row in rows.items()} == {
        path: False,
        ENTRY.tables.spec({}).path(sound): True,
    }
    assert str(path) in rows[path]["error"]
    text = run_ustad("verify", "--tables", sound)
    assert text.status == 1
    assert text.out.splitlines()[-1] == "2 tables, 1 bad"
    assert sum(line.startswith("BAD  ") for line in text.out.splitlines()) == 1


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


def test_play_tells_at_once_which_table_is_missing(run_ustad: Ustad, tmp_path: Path) -> None:
    run = run_ustad("play", "yacht", "--seed", 3, "--tables", tmp_path, stdin="0\n0\nones\n")
    assert "ustad build yacht" in in_error(run)


# bundle


@pytest.fixture
def one_game(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Let dice poker, quickly solved, be the only game; the options of its default tables."""
    monkeypatch.setattr(registry, "NAMES", ("dice_poker",))
    return entry_of("dice_poker").tables.defaults()


def test_bundle_and_verify(
    run_ustad: Ustad, tmp_path: Path, one_game: list[dict[str, Any]]
) -> None:
    tables = tmp_path / "tables"
    run_ustad("build", "dice_poker", "--tables", tables)
    run = run_ustad("bundle", "--out", tmp_path / "a", "--tables", tables)
    assert (run.status, run.err) == (0, "")
    again = run_ustad("bundle", "--out", tmp_path / "b", "--tables", tables, "--json")
    paths = [Path(row["path"]) for row in again.json["files"]]
    assert {path.name for path in tables.iterdir()} < {path.name for path in paths}
    for path in paths:
        assert path.read_bytes() == (tmp_path / "a" / path.name).read_bytes()
    assert len(paths) == 2 * len(one_game) + 1
    assert run_ustad("verify", "--tables", tmp_path / "a").out.endswith(
        "7 files of a bundle, 0 bad\n"
    )
    shown = run_ustad("info", "--tables", tmp_path / "a", "--json").json["tables"]
    assert len(shown) == len(one_game)
    path = next(path for path in (tmp_path / "a").iterdir() if path.suffix == ".json")
    path.write_text(path.read_text().replace("points", "rupees"))
    found = run_ustad("verify", "--tables", tmp_path / "a", "--json")
    assert found.status == 1
    [row] = [row for row in found.json["tables"] if not row["ok"]]
    assert row["path"] == str(path)
    assert "ustad bundle --out" in row["error"]


def test_bundle_builds_what_is_missing(
    run_ustad: Ustad, tmp_path: Path, one_game: list[dict[str, Any]]
) -> None:
    run_ustad("bundle", "--out", tmp_path / "out", "--tables", tmp_path / "built")
    for path in (tmp_path / "built").iterdir():
        assert (tmp_path / "out" / path.name).read_bytes() == path.read_bytes()
    assert len(list((tmp_path / "built").iterdir())) == len(one_game)


def test_bundle_into_a_folder_of_something_else(run_ustad: Ustad, tmp_path: Path) -> None:
    """It is refused before anything is built: the folder for the tables is not even made."""
    (tmp_path / "cat.jpg").write_text("cat")
    line = in_error(run_ustad("bundle", "--out", tmp_path, "--tables", tmp_path / "tables"))
    assert "cat.jpg" in line
    assert [path.name for path in tmp_path.iterdir()] == ["cat.jpg"]
    in_error(run_ustad("bundle", "--json"), "usage")


# build


def test_build_leaves_sound_tables_alone(run_ustad: Ustad, sound: Path) -> None:
    [path] = sound.iterdir()
    before = path.stat()
    words = ["build", "yacht", "--option", "second_yacht=plain", "--tables", sound]
    run = run_ustad(*words, "--json")
    [row] = run.json["tables"]
    assert (row["built"], row["path"]) == (False, str(path))
    assert path.stat() == before
    assert "was there" in run_ustad(*words).out


def test_build_mends_a_damaged_table_and_force_builds_anew(run_ustad: Ustad, sound: Path) -> None:
    [path] = sound.iterdir()
    content = path.read_bytes()
    words = ["build", "yacht", "--option", "second_yacht=plain", "--tables", sound]
    path.write_bytes(content[:-1])
    assert run_ustad(*words, "--json").json["tables"][0]["built"]
    assert path.read_bytes() == content
    before = path.stat()
    run = run_ustad(*words, "--force")
    assert run.status == 0
    assert "built in" in run.out
    assert path.stat().st_ino != before.st_ino
    assert path.read_bytes() == content
    assert list(sound.iterdir()) == [path]


def test_build_all_tables_of_a_game(
    run_ustad: Ustad, tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = [{"second_yacht": setting} for setting in SECOND_YACHT]
    monkeypatch.setattr(type(ENTRY.tables), "defaults", lambda _: values)
    run = run_ustad("build", "yacht", "--tables", tmp_path / "new" / "folder", "--json")
    assert run.status == 0
    assert [row["built"] for row in run.json["tables"]] == [True] * 3
    for row in run.json["tables"]:
        path = Path(row["path"])
        assert path.read_bytes() == (tables / path.name).read_bytes()


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("build chess", "usage"),
        ("build --option second_yacht=plain", "usage"),
        ("build yacht --option second_yacht=no", "option"),
        ("build yacht --option joker=no", "option"),
        ("build yacht --option second_yacht", "option"),
    ],
)
def test_builds_that_are_wrong(run_ustad: Ustad, tmp_path: Path, words: str, kind: str) -> None:
    in_error(run_ustad(*words.split(), "--tables", tmp_path, "--json"), kind)
    assert list(tmp_path.iterdir()) == []


def test_build_into_a_folder_that_cannot_be_made(run_ustad: Ustad, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("no folder")
    words = ["build", "yacht", "--tables", file / "tables"]
    line = in_error(run_ustad(*words))
    assert str(file) in line
    assert "choose another folder with --tables" in line
    in_error(run_ustad(*words, "--json"), "table_write")


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_disk_that_fills_during_a_build(
    run_ustad: Ustad, sound: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    [path] = sound.iterdir()
    content = path.read_bytes()

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    words = ["build", "yacht", "--option", "second_yacht=plain", "--force", "--tables", sound]
    with monkeypatch.context() as patch:
        patch.setattr(os, call, full)
        line = in_error(run_ustad(*words))
        in_error(run_ustad(*words, "--json"), "table_write")
    assert "No space left on device; make room or choose another folder" in line
    assert list(sound.iterdir()) == [path]
    assert path.read_bytes() == content


def test_build_without_the_packages_it_needs(
    run_ustad: Ustad, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [*sys.modules]:
        if name.startswith("ustad.solver") or name == "ustad.runtime.core.kernels":
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "numba", None)
    line = in_error(run_ustad("build", "yacht", "--tables", tmp_path))
    assert "numba" in line
    assert "pip install 'ustad[build]'" in line
    in_error(run_ustad("build", "yacht", "--tables", tmp_path, "--json"), "missing_package")


# apply


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


# The process.


def ustad(*words: object, **how: Any) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "ustad.runtime", *map(str, words)], capture_output=True, **how
    )


def test_the_command_as_a_process(tables: Path) -> None:
    text = json.dumps(POSITION).encode()
    run = ustad("ask", "yacht", "--position", "-", "--json", "--tables", tables, input=text)
    assert (run.returncode, run.stderr) == (0, b"")
    assert json.loads(run.stdout)["unit"] in ("expected_total", "win_share")
    run = ustad(*FLAGS, "--rolls-left", "5", "--tables", tables)
    assert (run.returncode, run.stdout) == (2, b"")
    assert run.stderr.startswith(b"ustad: position: rolls_left: expected a whole number")
    assert run.stderr.count(b"\n") == 1


def test_a_terminal_without_unicode_gets_help() -> None:
    ascii_ = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "LC_ALL": "C"}
    run = ustad("ask", "--help", env=ascii_)  # which names the games in Nepali
    assert (run.returncode, run.stderr) == (0, b"")
    assert b"usage: ustad" in run.stdout


def test_a_folder_whose_name_is_no_unicode(sound: Path) -> None:
    folder = Path(os.fsdecode(os.fsencode(sound) + b"/\xff"))
    try:
        folder.mkdir()
    except OSError:
        pytest.skip("this file system has names in Unicode alone")
    [table] = sound.glob("*.h5")
    table.rename(folder / table.name)
    strict = {**os.environ, "PYTHONIOENCODING": "utf-8:strict"}
    for more in ([], ["--json"]):
        run = ustad("info", *more, "--tables", folder, env=strict)
        assert (run.returncode, run.stderr) == (0, b"")
        assert run.stdout.count(b"\n") == 2 - len(more)


def test_the_version_and_help(run_ustad: Ustad) -> None:
    from importlib.metadata import version

    assert run_ustad("--version").out == f"ustad {version('ustad')}\n"
    commands = [[], ["build"], ["ask"], ["ask", "yacht"], ["apply"], ["arena"], ["arena", "yacht"]]
    for words in commands:
        run = run_ustad(*words, "--help")
        assert (run.status, run.err) == (0, "")
        assert run.out.startswith("usage: ustad")


def test_a_reader_that_goes_away_is_no_error(tables: Path) -> None:
    command = f"{sys.executable} -m ustad.runtime {' '.join(FLAGS)} --tables '{tables}' | head -1"
    run = subprocess.run(["sh", "-c", command], capture_output=True)
    assert run.stderr == b""
    assert run.stdout.count(b"\n") == 1


def test_the_script_builds_as_the_command_does(sound: Path) -> None:
    script = Path(__file__).parents[3] / "scripts" / "build_tables.py"
    words = ["yacht", "--option", "second_yacht=plain", "--json", "--tables", str(sound)]
    run = subprocess.run([sys.executable, str(script), *words], capture_output=True)
    assert run.returncode == 0
    assert json.loads(run.stdout)["tables"][0]["built"] is False


@pytest.mark.parametrize("command", [["bundle"], ["export", "--all"], ["export", "--all", "--npm"]])
def test_a_folder_that_cannot_be_written_is_refused_before_any_work(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No table is there: whoever went to work would build one, or miss it."""
    (tmp_path / "file").write_text("")
    out, tables = str(tmp_path / "file" / "folder"), str(tmp_path / "tables")
    assert main([*command, "--out", out, "--tables", tables]) == 2
    told = capsys.readouterr().err
    assert "is a file, expected a folder" in told
    assert len(told.splitlines()) == 1
    assert not (tmp_path / "tables").exists()
