"""The command as a process: pipes, terminals, names of folders."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from command_line import FLAGS, POSITION, Ustad


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
