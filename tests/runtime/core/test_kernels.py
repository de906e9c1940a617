"""Compiled kernels are kept on disk, and give what the plain functions give."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ustad.runtime.core import kernels as made
from ustad.runtime.games.pasa import rules as pasa

ARGUMENTS = (pasa.Pasa(max_bet=1000).numbers, 40, 3, 30, 5)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder in which kernels are kept."""
    monkeypatch.setenv(made.VARIABLE, str(tmp_path))
    made.kernels_folder.cache_clear()
    yield tmp_path
    made.kernels_folder.cache_clear()


def loaded() -> bool:
    """Compile a function, check what it gives, and tell whether it came from disk."""
    kernel: Any = made.compiled(pasa.most_allowed)
    assert kernel(*ARGUMENTS) == pasa.most_allowed(*ARGUMENTS)
    return sum(kernel.stats.cache_hits.values()) == 1


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_the_second_time_a_kernel_comes_from_disk(folder: Path) -> None:
    assert not loaded()
    assert loaded()


@pytest.mark.parametrize("at", [0, 1])
@pytest.mark.parametrize("size", [0, 50, 700])
def test_a_damaged_kernel_is_compiled_over(folder: Path, at: int, size: int) -> None:
    """Its index and its code, cut short, or something else."""
    loaded()
    for content in (files(folder)[at].read_bytes()[:size], b"garbage\n" * size):
        files(folder)[at].write_bytes(content)
        assert not loaded()
        assert loaded()


def test_a_changed_source_makes_all_kernels_anew(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "runtime" / "core").mkdir(parents=True)
    (tmp_path / "solver").mkdir()
    monkeypatch.setattr(made, "__file__", str(tmp_path / "runtime" / "core" / "kernels.py"))
    names = []
    for name, text in (("solver/a.py", ""), ("solver/a.py", "x = 1"), ("runtime/b.py", "")):
        (tmp_path / name).write_text(text)
        made.kernels_folder.cache_clear()
        names.append(made.kernels_folder())
    assert None not in names
    assert len(set(names)) == 3


def test_without_a_folder_to_write_in_nothing_is_kept(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "file").write_text("")
    monkeypatch.setenv(made.VARIABLE, str(folder / "file"))
    made.kernels_folder.cache_clear()
    assert made.kernels_folder() is None
    assert not loaded()
    assert not loaded()


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="owners and permissions of POSIX")
def test_folders_of_kernels_are_their_owner_s_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = os.umask(0)
    try:
        assert made.private_folder(tmp_path / "a" / "b" / "c") == tmp_path / "a" / "b" / "c"
    finally:
        os.umask(before)
    for path in (tmp_path / "a", tmp_path / "a" / "b", tmp_path / "a" / "b" / "c"):
        assert path.stat().st_mode & 0o777 == 0o700


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="owners and permissions of POSIX")
@pytest.mark.parametrize(
    ("at", "mode", "kept"),
    [
        ("a/b", 0o755, True),
        ("a/b", 0o770, False),
        ("a/b", 0o707, False),
        ("a", 0o777, False),
        ("a", 0o775, False),
        ("a", 0o1777, True),
        ("a/b", 0o1777, False),
    ],
)
def test_where_others_may_write_nothing_is_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], at: str, mode: int, kept: bool
) -> None:
    """A pickle of somebody else would run here.  Above, the sticky bit keeps others out."""
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / at).chmod(mode)
    assert (made.private_folder(tmp_path / "a" / "b") is not None) == kept
    told = capsys.readouterr().err
    assert ("" if kept else "can be written by others") in told
    assert told.count("\n") == (not kept)


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="owners and permissions of POSIX")
def test_what_another_user_owns_is_not_kept_in(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "getuid", lambda: 4321)
    assert made.private_folder(tmp_path / "a") is None
    assert "belongs to another user" in capsys.readouterr().err


def test_what_is_not_of_the_package_is_not_kept(folder: Path) -> None:
    def double(number: int) -> int:
        return 2 * number

    assert made.compiled(double)(4) == 8
    assert files(folder) == []


SCRIPT = """
from ustad.runtime.games.pasa.kernels import most_allowed as kernel
from ustad.runtime.games.pasa.rules import Pasa
print(kernel(Pasa(max_bet=1000).numbers, 40, 3, 30, 5), sum(kernel.stats.cache_hits.values()))
"""


def test_two_processes_compile_at_once_and_a_third_loads(tmp_path: Path) -> None:
    environment = {**os.environ, made.VARIABLE: str(tmp_path)}

    def start() -> subprocess.Popen[str]:
        words = [sys.executable, "-c", SCRIPT]
        return subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, text=True)

    both = [start(), start()]
    assert [run.communicate()[0].split()[0] for run in both] == [
        str(pasa.most_allowed(*ARGUMENTS))
    ] * 2
    assert start().communicate()[0].split() == [str(pasa.most_allowed(*ARGUMENTS)), "1"]
