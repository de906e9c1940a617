"""``ustad info`` and ``verify``, and what is told of tables that are missing or unfit."""

from __future__ import annotations

import os
import shlex
import shutil
from pathlib import Path

import numpy as np
import pytest
from command_line import FLAGS, Ustad, in_error

from ustad.runtime.games.yacht.entry import ENTRY
from ustad.runtime.games.yacht.rules import SECOND_YACHT
from ustad.tables import TableSpec, open_table, write_table


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


def test_play_tells_at_once_which_table_is_missing(run_ustad: Ustad, tmp_path: Path) -> None:
    run = run_ustad("play", "yacht", "--seed", 3, "--tables", tmp_path, stdin="0\n0\nones\n")
    assert "ustad build yacht" in in_error(run)
