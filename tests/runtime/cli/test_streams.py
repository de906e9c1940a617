"""Where commands look for tables, what they read and print, and how they leave."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from built import Build

from ustad.runtime import checks
from ustad.runtime.cli import output
from ustad.runtime.core import registry, work
from ustad.runtime.core.registry import entry as entry_of
from ustad.tables import TableWriteError, open_table, write_table

Ustad = Callable[..., Any]

POSITION = {"game": "dice_poker", "sheets": [{}], "dice": [1, 1, 3, 4, 6], "rolls_left": 2}
TABLES = entry_of("dice_poker").tables

NO_HOME = """
import pathlib, sys
def no_home(): raise RuntimeError("Could not determine home directory.")
pathlib.Path.home = no_home
import ustad.tables.folder
ustad.tables.folder._checkout_folder = lambda: None
from ustad.runtime.cli.main import main
sys.exit(main())
"""


@pytest.fixture(scope="module")
def built(build: Build, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The default tables of dice poker."""
    folder = tmp_path_factory.mktemp("built")
    for options in TABLES.defaults():
        build("dice_poker", options, folder)
    return folder


@pytest.fixture
def one_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let dice poker, quickly solved, be the only game."""
    monkeypatch.setattr(registry, "NAMES", ("dice_poker",))


# Without a home.


def homeless(*words: object, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command as a user without a home, outside of a checkout."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("HOME", "USTAD_TABLES", "XDG_DATA_HOME", "XDG_CACHE_HOME")
    }
    return subprocess.run(
        [sys.executable, "-c", NO_HOME, *map(str, words)],
        input=stdin,
        capture_output=True,
        text=True,
        env=environment,
    )


def test_what_needs_no_table_needs_no_home() -> None:
    position = json.dumps(POSITION)
    for words in (
        ["ask", "dice_poker", "--position", "-", "--level", "medium", "--json"],
        ["apply", "dice_poker", "--position", "-", "--move", '{"keep": [1, 1]}', "--json"],
        ["arena", "dice_poker", "easy", "medium", "--games", "2", "--json"],
    ):
        run = homeless(*words, stdin=position)
        assert (run.returncode, run.stderr) == (0, ""), words
    lines = [{"id": 1, "method": "legal", "position": POSITION}]
    lines += [{"id": 2, "method": "ask", "position": POSITION}, {**lines[0], "id": 3}]
    run = homeless("serve", stdin="".join(json.dumps(line) + "\n" for line in lines))
    assert (run.returncode, run.stderr) == (0, "")
    first, second, third = map(json.loads, run.stdout.splitlines())
    assert first["result"] == third["result"]
    assert second["error"]["kind"] == "missing_table"


@pytest.mark.parametrize("words", ["ask dice_poker --position -", "info", "verify", "build"])
def test_without_a_home_the_folder_is_asked_for_in_one_line(words: str) -> None:
    run = homeless(*words.split(), stdin=json.dumps(POSITION))
    assert run.returncode == 2
    assert run.stderr.count("\n") == 1
    assert "--tables" in run.stderr
    assert "USTAD_TABLES" in run.stderr


# What is read.


def test_one_byte_order_mark_is_passed_over(run_ustad: Ustad, tmp_path: Path) -> None:
    words = ["ask", "dice_poker", "--level", "medium", "--json", "--position"]
    file = tmp_path / "position.json"
    text = json.dumps(POSITION)
    plain = run_ustad(*words, "-", stdin=text).json
    assert run_ustad(*words, "-", stdin="\ufeff" + text).json == plain
    file.write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert run_ustad(*words, file).json == plain
    file.write_bytes(2 * b"\xef\xbb\xbf" + text.encode())
    assert run_ustad(*words, file).json["error"]["kind"] == "json"


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="permissions of POSIX")
def test_a_table_that_may_not_be_read_is_not_built_anew(
    run_ustad: Ustad, built: Path, tmp_path: Path
) -> None:
    spec = TABLES.spec({})
    spec.path(tmp_path).mkdir()
    words = ["ask", "dice_poker", "--position", "-", "--tables", tmp_path]
    run = run_ustad(*words, "--json", stdin=json.dumps(POSITION))
    assert run.json["error"]["kind"] == "unreadable"
    assert "Is a directory" in run.json["error"]["message"]
    assert "ustad build" not in run.json["error"]["message"]


# What is printed.


def process(command: str, **how: Any) -> subprocess.CompletedProcess[str]:
    ustad = f"{sys.executable} -m ustad.runtime"
    command = command.replace("ustad", ustad)
    return subprocess.run(["bash", "-c", command], capture_output=True, text=True, **how)


@pytest.mark.skipif(sys.platform == "win32", reason="a shell of POSIX")
@pytest.mark.parametrize("words", ["build --help", "info --help", "--version"])
def test_help_that_nobody_reads_is_silent(words: str) -> None:
    run = process(f"ustad {words} | true; echo ${{PIPESTATUS[0]}}")
    assert (run.stdout, run.stderr) == ("0\n", "")


@pytest.mark.skipif(sys.platform == "win32", reason="a shell of POSIX")
@pytest.mark.parametrize("words", ["info", "info --json", "build --help"])
def test_a_closed_standard_output_is_an_error(words: str, tmp_path: Path) -> None:
    run = process(f"ustad {words} --tables {tmp_path} >&-")
    assert run.returncode == 2
    assert run.stderr.count("\n") == 1
    assert "standard output is closed" in run.stderr
    assert ("--json" in words) == (run.stderr[0] == "{")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a full device")
def test_an_output_that_takes_no_more_is_an_error(tmp_path: Path) -> None:
    run = process(f"ustad info --tables {tmp_path} >/dev/full")
    assert (run.returncode, run.stderr) == (2, "ustad: [Errno 28] No space left on device\n")


def test_names_are_printed_escaped(run_ustad: Ustad, built: Path, tmp_path: Path) -> None:
    folder = tmp_path / "a\nb\x1b[2J"
    shutil.copytree(built, folder)
    (folder / "dice_poker,\x07.h5").write_bytes(b"x")
    for words in (["info"], ["verify"]):
        run = run_ustad(*words, "--tables", folder)
        assert "a\\nb\\x1b[2J" in run.out
        assert "dice_poker,\\x07.h5" in run.out + run.err
        assert all(line.isprintable() for line in (run.out + run.err).splitlines())


def test_compiling_is_told_of_when_something_is_compiled(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once, however many functions; not for what takes long; with --json not at all."""

    class Slow:
        def prepare(self) -> None:
            for compiles in work.compiling * 2 if self.compiles else ():
                compiles()

        compiles = False

    class Entry:
        levels = Slow()

    entry: Any = Entry()
    monkeypatch.setattr(work, "quiet", False)
    output.prepare(entry)
    assert capsys.readouterr().err == ""
    Slow.compiles = True
    output.prepare(entry, entry)
    assert capsys.readouterr().err == "compiling, once for this machine: some seconds\n"
    monkeypatch.setattr(work, "quiet", True)
    output.prepare(entry)
    assert capsys.readouterr().err == ""
    assert work.compiling == []


def test_numba_tells_when_it_compiles() -> None:
    from ustad.runtime.core.kernels import compiled

    def twice(number: int) -> int:
        return 2 * number

    heard = []
    work.compiling.append(lambda: heard.append(1))
    try:
        kernel = compiled(twice)
        assert heard == []
        kernel(2)
        assert len(heard) >= 1
        told = len(heard)
        kernel(3)
        assert len(heard) == told
    finally:
        work.compiling.pop()


# What is built.


def test_a_build_whose_first_table_fails_builds_the_others(
    run_ustad: Ustad, one_game: None, tmp_path: Path
) -> None:
    """A folder stands where the first table should be."""
    first, *others = [TABLES.spec(options) for options in TABLES.defaults()]
    first.path(tmp_path).mkdir()
    run = run_ustad("build", "--tables", tmp_path, "--json")
    assert run.status == 2
    assert json.loads(run.err)["error"]["kind"] == "table_write"
    assert [row["path"] for row in run.json["tables"]] == [str(s.path(tmp_path)) for s in others]
    assert first.path(tmp_path).is_dir()
    for spec in others:
        open_table(spec, tmp_path)


def test_a_bundle_of_a_complete_folder_needs_no_numba(built: Path, tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['numba'] = None\n"
        "from ustad.runtime.cli.main import main\n"
        "from ustad.runtime.core import registry\n"
        "registry.NAMES = ('dice_poker',)\n"
        "sys.exit(main())\n"
    )
    for words in (["bundle", "--out", tmp_path / "out"], ["build"]):
        command = [sys.executable, "-c", code, *map(str, words), "--tables", str(built)]
        run = subprocess.run(command, capture_output=True, text=True)
        assert (run.returncode, run.stderr) == (0, "")


def test_a_full_disk_leaves_an_older_bundle_whole(
    run_ustad: Ustad,
    one_game: None,
    built: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words = ["bundle", "--out", tmp_path, "--tables", built]
    run_ustad(*words)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        assert "No space left" in run_ustad(*words).err
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


# What is verified.


def test_nothing_to_verify(run_ustad: Ustad, one_game: None, tmp_path: Path) -> None:
    (tmp_path / "holiday").mkdir()
    (tmp_path / "holiday" / "cat.jpg").write_text("cat")
    for words in ([], ["--default"]):
        run = run_ustad("verify", *words, "--tables", tmp_path)
        assert (run.status, run.out) == (2, "")
        assert "nothing to check" in run.err


def test_default_tables_have_the_values_that_are_built(
    run_ustad: Ustad, one_game: None, built: Path
) -> None:
    run = run_ustad("verify", "--default", "--tables", built)
    assert run.status == 0
    assert run.out.endswith(f"{len(list(built.iterdir()))} default tables, 0 bad\n")


def test_a_default_table_of_other_values_is_found(
    run_ustad: Ustad, one_game: None, built: Path, tmp_path: Path
) -> None:
    """It is sound in itself, whatever digests it holds; those that ship tell."""
    table = open_table(TABLES.spec({}), built)
    values = np.array(table.values)
    values[-1] = np.nextafter(values[-1], np.inf)
    structure = TABLES.structure(table.spec.options)
    write_table(table.spec, tmp_path, values, table.counts, structure)
    assert run_ustad("verify", "--tables", tmp_path).status == 0
    run = run_ustad("verify", "--default", "--tables", tmp_path, "--json")
    assert run.status == 1
    [row] = run.json["tables"]
    assert "expected values of digest" in row["error"]
    assert "ustad build dice_poker" in row["error"]


def test_the_shipped_digests_are_of_the_default_tables() -> None:
    specs = checks.default_specs()
    assert set(checks.shipped_digests()) >= {spec.file_name for spec in specs}


def test_the_write_error_says_why(tmp_path: Path) -> None:
    assert TableWriteError(tmp_path, "no room").reason == "no room"
