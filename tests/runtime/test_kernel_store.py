"""Kernels on disk: found again, never stale, and nothing that lies there can do harm."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from ustad.runtime import kernel_store
from ustad.runtime.kernel_store import KernelStore


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of two sources, long unchanged, with a folder of kernels beside it."""
    package = tmp_path / "package"
    for name in ("runtime/kernel_store.py", "solver/pasa.py"):
        source = package / name
        source.parent.mkdir(parents=True)
        source.write_text("old = 1\n")
        os.utime(source, (1e9, 1e9))
    monkeypatch.setattr(kernel_store, "_PACKAGE", package)
    monkeypatch.setattr(kernel_store, "__file__", str(package / "runtime/kernel_store.py"))
    monkeypatch.setenv("USTAD_KERNELS", str(tmp_path / "kernels"))
    return package


def store(made_by: str = "numba 1") -> KernelStore:
    return KernelStore(made_by)


def test_a_kernel_is_found_again_by_its_name_alone(package: Path) -> None:
    store().write("add", b"code")
    assert store().read("add") == b"code"
    assert store().read("subtract") is None
    assert store("numba 2").read("add") is None


def test_any_change_of_any_source_makes_all_kernels_anew(package: Path) -> None:
    store().write("add", b"code")
    source = package / "solver/pasa.py"
    source.write_text("old = 2\n")
    os.utime(source, (1e9, 1e9))  # even a change that leaves size and time as they were
    assert store().read("add") is None
    source.write_text("old = 1\n")
    os.utime(source, (1e9, 1e9))
    assert store().read("add") == b"code"
    (package / "tables").mkdir()
    (package / "tables/new.py").write_text("")
    os.utime(package / "tables/new.py", (1e9, 1e9))
    assert store().read("add") is None


def test_sources_changed_since_the_process_loaded_them_keep_nothing(package: Path) -> None:
    running = store()
    running.write("add", b"code")
    source = package / "solver/pasa.py"
    source.write_text("new = 1\n")
    assert running.read("add") is None
    running.write("subtract", b"code")
    late = KernelStore("numba 1", source.stat().st_mtime - 1)
    late.write("add", b"code")
    assert late.path("add") is None
    os.utime(source, (1e9, 1e9))
    assert store().read("subtract") is None
    assert store().read("add") is None


def test_no_sources_keep_nothing(package: Path) -> None:
    (package / "runtime/kernel_store.py").unlink()
    store().write("add", b"code")
    assert store().path("add") is None
    assert store().read("add") is None


@pytest.mark.parametrize("damage", ["cut", "empty", "flip", "more", "folder"])
def test_a_damaged_file_is_passed_over_and_written_anew(package: Path, damage: str) -> None:
    store().write("add", b"some code")
    path = store().path("add")
    assert path
    content = path.read_bytes()
    if damage == "folder":
        path.unlink()
        path.mkdir()
    else:
        made = {
            "cut": content[:-1],
            "empty": b"",
            "flip": content[:-1] + bytes([content[-1] ^ 1]),
            "more": content + b" ",
        }
        path.write_bytes(made[damage])
    assert store().read("add") is None
    store().write("add", b"some code")
    if damage != "folder":
        assert store().read("add") == b"some code"
    left = [path] if damage == "folder" else []
    assert [file for file in path.parent.iterdir() if file.is_dir()] == left
    assert len(list(path.parent.iterdir())) == 1, "temporary files are left"


@pytest.mark.parametrize("place", ["a file", "no folder may be made"])
def test_a_place_that_cannot_be_written_costs_no_more_than_a_compilation(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    if place == "a file":
        (tmp_path / "kernels").write_text("")
    else:

        def refuse(*_: object, **__: object) -> None:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(Path, "mkdir", refuse)
    store().write("add", b"code")
    assert store().read("add") is None


def test_without_a_home_nothing_is_kept(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    for name in ("USTAD_KERNELS", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    store().write("add", b"code")
    assert store().read("add") is None


def test_folders_long_unused_are_removed_and_nothing_else(package: Path, tmp_path: Path) -> None:
    old, used, foreign = "key-" + "0" * 32, "key-" + "1" * 32, "photographs"
    for name in (old, used, foreign):
        folder = tmp_path / "kernels" / name
        folder.mkdir(parents=True)
        (folder / "file").write_text("")
        long_ago = time.time() - (kernel_store.KEPT_DAYS + 1) * 86_400
        if name != used:
            os.utime(folder, (long_ago, long_ago))
    store().write("add", b"code")
    left = {folder.name for folder in (tmp_path / "kernels").iterdir()}
    path = store().path("add")
    assert path
    assert left == {used, foreign, path.parent.name}
