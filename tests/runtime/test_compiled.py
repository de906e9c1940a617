"""Compiled kernels are kept on disk, and give what the plain functions give."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ustad.runtime import compiled as made
from ustad.runtime.games import pasa
from ustad.runtime.kernel_store import KernelStore

ARGUMENTS = (pasa.SHARE, 1000, 40, 3, 30, 5)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder in which kernels are kept."""
    monkeypatch.setenv("USTAD_KERNELS", str(tmp_path))
    store = KernelStore("a test", float("inf"))
    monkeypatch.setattr(made, "_store", lambda: store)
    return tmp_path


def hits(kernel: Any) -> int:
    return sum(kernel.stats.cache_hits.values())


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def call(kernel: Any) -> Any:
    return kernel(*ARGUMENTS)


def test_the_second_time_a_kernel_comes_from_disk(folder: Path) -> None:
    first, second = made.compiled(pasa.most_allowed), made.compiled(pasa.most_allowed)
    told: list[str] = []
    with made.compilation_told(told.append):
        assert call(first) == call(second) == pasa.most_allowed(*ARGUMENTS)
    assert (hits(first), hits(second)) == (0, 1)
    assert len(told) == 1
    assert len(files(folder)) == 1
    with made.compilation_told(told.append):
        call(made.compiled(pasa.most_allowed))
    assert len(told) == 1


def test_what_is_no_kernel_is_compiled_over(folder: Path) -> None:
    call(made.compiled(pasa.most_allowed))
    [path] = files(folder)
    store = made._store()
    for content in (b"", b"garbage", b"\x80\x04N.", b"\x80\x04]."):
        # Sound as a file, but no kernel.
        store.path = lambda name: path  # type: ignore[method-assign]
        store.write("any", content)
        again = made.compiled(pasa.most_allowed)
        assert call(again) == pasa.most_allowed(*ARGUMENTS)
        assert hits(again) == 0
        assert hits_of_a_new_one() == 1


def hits_of_a_new_one() -> int:
    kernel = made.compiled(pasa.most_allowed)
    call(kernel)
    return hits(kernel)


def test_what_is_not_of_the_package_is_not_kept(folder: Path) -> None:
    def double(number: int) -> int:
        return 2 * number

    assert made.compiled(double)(4) == 8
    assert files(folder) == []


SCRIPT = """
from ustad.runtime.compiled import compilation_told, raja_pasu_play_hole, marriage_show_distance
from ustad.runtime.games import melds
import numpy as np
told = []
with compilation_told(told.append):
    none = np.zeros(54, dtype=np.int64)
    print(marriage_show_distance(np.zeros(1 << 12, dtype=np.int64), none, none, False))
print(len(told))
"""


def test_two_processes_compile_at_once_and_a_third_loads(tmp_path: Path) -> None:
    """A new process that only loads has never made numba ready to compile."""
    environment = {**os.environ, "USTAD_KERNELS": str(tmp_path)}

    def start() -> subprocess.Popen[str]:
        words = [sys.executable, "-c", SCRIPT]
        return subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, text=True)

    assert [run.communicate()[0].split() for run in (start(), start())] == [["9", "1"]] * 2
    [path] = files(tmp_path)
    assert start().communicate()[0].split() == ["9", "0"]
    path.write_bytes(path.read_bytes()[:-1000])
    assert start().communicate()[0].split() == ["9", "1"]
