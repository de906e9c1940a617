"""``ustad build`` and ``bundle``."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from built import Build
from command_line import Ustad, in_error

from ustad.runtime.cli.main import main
from ustad.runtime.core import registry
from ustad.runtime.core.registry import entry as entry_of
from ustad.runtime.games.yacht.entry import ENTRY
from ustad.runtime.games.yacht.rules import SECOND_YACHT


@pytest.fixture
def one_game(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Let dice poker, quickly solved, be the only game; the options of its default tables."""
    monkeypatch.setattr(registry, "NAMES", ("dice_poker",))
    return entry_of("dice_poker").tables.defaults()


def test_bundle_and_verify(
    run_ustad: Ustad, build: Build, tmp_path: Path, one_game: list[dict[str, Any]]
) -> None:
    tables = tmp_path / "tables"
    tables.mkdir()
    for options in one_game:
        build("dice_poker", options, tables)
    run = run_ustad("bundle", "--out", tmp_path / "a", "--tables", tables)
    assert (run.status, run.err) == (0, "")
    again = run_ustad("bundle", "--out", tmp_path / "b", "--tables", tables, "--json")
    paths = [Path(row["path"]) for row in again.json["files"]]
    assert {path.name for path in tables.iterdir()} < {path.name for path in paths}
    for path in paths:
        assert path.read_bytes() == (tmp_path / "a" / path.name).read_bytes()
    assert len(paths) == 2 * len(one_game) + 1
    assert run_ustad("verify", "--tables", tmp_path / "a").out.endswith(
        f"{len(paths)} files of a bundle, 0 bad\n"
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
    run_ustad: Ustad, build: Build, tmp_path: Path, one_game: list[dict[str, Any]]
) -> None:
    missing, *others = one_game
    (tmp_path / "built").mkdir()
    for options in others:
        build("dice_poker", options, tmp_path / "built")
    assert not entry_of("dice_poker").tables.spec(missing).path(tmp_path / "built").exists()
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
