"""Bundles: the same tables make the same bytes, and every change of any file is found."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from ustad.runtime.checks import open_file
from ustad.tables import (
    Table,
    TableSpec,
    TableWriteError,
    bundle_faults,
    is_bundle,
    open_table,
    table_files,
    write_bundle,
    write_table,
)

SPECS = [
    TableSpec("nim", {"heaps": heaps}, "what the mover wins", "points", 1, "v[i]", (heaps, 5), 3)
    for heaps in (2, 30)
]


@pytest.fixture
def opened(tmp_path: Path) -> list[Table]:
    """Two tables in a folder of their own."""
    for spec in SPECS:
        values = np.random.default_rng(3).normal(size=spec.shape)
        write_table(spec, tmp_path / "built", values, {"states": 5}, {"rolls": np.arange(4)})
    return [open_table(spec, tmp_path / "built") for spec in SPECS]


@pytest.fixture
def folder(tmp_path: Path, opened: list[Table]) -> Path:
    """A sound bundle."""
    write_bundle(opened, tmp_path / "bundle")
    return tmp_path / "bundle"


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def bad(folder: Path) -> dict[str, str]:
    """Return what is wrong with a bundle, by name of file; tables that do not open left out."""
    tables = {spec.path(folder): open_table(spec, folder) for spec in SPECS}
    faults = bundle_faults(folder, tables)
    return {path.name: fault for path, fault in faults.items() if fault is not None}


def test_what_is_in_a_bundle(folder: Path, opened: list[Table]) -> None:
    assert sorted(content(folder)) == [
        "SHA256SUMS", "nim,heaps=2.h5", "nim,heaps=2.json", "nim,heaps=30.h5", "nim,heaps=30.json",
    ]  # fmt: skip
    told = json.loads((folder / "nim,heaps=30.json").read_text())
    assert (told["game"], told["options"], told["shape"]) == ("nim", {"heaps": 30}, [30, 5])
    assert told["start_value"] == opened[1].start_value
    assert told["bytes"] == (folder / "nim,heaps=30.h5").stat().st_size
    assert "numpy" in told["built_with"]
    assert is_bundle(folder)
    assert not is_bundle(opened[0].path.parent)
    assert bad(folder) == {}


@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="needs sha256sum")
def test_others_can_check_it(folder: Path) -> None:
    command = ["sha256sum", "--check", "--strict", "SHA256SUMS"]
    told = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout
    assert told.count(": OK") == 4


def test_the_same_tables_make_the_same_bytes(
    folder: Path, opened: list[Table], tmp_path: Path
) -> None:
    write_bundle(opened[::-1], tmp_path / "other" / "place")
    assert content(tmp_path / "other" / "place") == content(folder)
    write_bundle(opened, folder)  # over an older one
    assert content(tmp_path / "other" / "place") == content(folder)


def test_a_folder_of_something_else_is_left_alone(opened: list[Table], tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "cat.jpg").write_text("cat")
    with pytest.raises(TableWriteError, match=r"cat\.jpg is there: expected a new folder"):
        write_bundle(opened, tmp_path / "photos")
    assert content(tmp_path / "photos") == {"cat.jpg": b"cat"}
    with pytest.raises(TableWriteError):
        write_bundle(opened, tmp_path / "photos" / "cat.jpg")


def test_a_bundle_cut_short_is_seen_to_be_one(
    opened: list[Table], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever file cannot be put in place any more: not all is well, and a second run mends it."""
    replace = os.replace
    files = 5
    for number in range(2 * files):
        left = [number]

        def fail(*places: Path, left: list[int] = left) -> None:
            left[0] -= 1
            if left[0] < 0:
                raise OSError(28, "No space left on device")
            replace(*places)

        folder = tmp_path / f"bundle {number}"
        with monkeypatch.context() as patch:
            patch.setattr(os, "replace", fail)
            with pytest.raises(TableWriteError, match="No space left"):
                write_bundle(opened, folder)
        # The first five are written aside, then all are put in place.
        assert len(content(folder)) == max(number - files, 0)
        assert table_files(folder) == sorted(folder.glob("*.h5"))
        if number > files + 1:  # before it there is nothing, or a manifest alone: no bundle yet
            faults = bundle_faults(folder, {})
            assert "expected the list of all files" in str(faults[folder / "SHA256SUMS"])
        write_bundle(opened, folder)
        assert bad(folder) == {}


def test_a_full_disk_leaves_the_older_bundle_whole(
    opened: list[Table], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever file has no room any more, down to the last."""
    before, sync = content(folder), os.fsync
    for number in range(5):
        left = [number]

        def fail(handle: int, left: list[int] = left) -> None:
            left[0] -= 1
            if left[0] < 0:
                raise OSError(28, "No space left on device")
            sync(handle)

        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", fail)
            with pytest.raises(TableWriteError, match="No space left") as error:
                write_bundle(opened, folder)
        assert "ustad-part" not in str(error.value)
        assert content(folder) == before
        assert bad(folder) == {}


def test_every_changed_byte_is_found(folder: Path) -> None:
    for name, whole in content(folder).items():
        if name.endswith(".h5"):
            continue  # the reader of tables finds those, and the digest below
        for at in range(0, len(whole), 7):
            changed = bytearray(whole)
            changed[at] ^= 1
            (folder / name).write_bytes(changed)
            assert bad(folder), (name, at)
        for size in range(0, len(whole), 11):
            (folder / name).write_bytes(whole[:size])
            assert bad(folder), (name, size)
        (folder / name).write_bytes(whole)
    assert bad(folder) == {}


@pytest.mark.parametrize(
    ("change", "name", "word"),
    [
        (lambda f: (f / "SHA256SUMS").unlink(), "SHA256SUMS", "the list of all files"),
        (lambda f: (f / "nim,heaps=2.json").unlink(), "nim,heaps=2.json", "a file"),
        (lambda f: (f / "cat.jpg").write_text("cat"), "cat.jpg", "only what SHA256SUMS lists"),
        (lambda f: (f / "SHA256SUMS").write_bytes(b"\xff\n"), "SHA256SUMS", "a readable list"),
        (lambda f: (f / "SHA256SUMS").write_text("x" * 3_000_000), "SHA256SUMS", "a digest and"),
        (
            lambda f: (f / "SHA256SUMS").write_text(f"{'0' * 64}  ../../secret\n"),
            "SHA256SUMS",
            "a digest and a new file name",
        ),
        (
            lambda f: (f / "SHA256SUMS").write_text(f"{'0' * 64}  {'long' * 80}\n"),
            "long" * 80,
            "a file that this user can read",
        ),
        (
            lambda f: (f / "SHA256SUMS").write_text((f / "SHA256SUMS").read_text() * 2),
            "SHA256SUMS",
            "a digest and a new file name",
        ),
    ],
)
def test_what_is_missing_too_many_or_no_list(
    folder: Path, change: Callable[[Path], None], name: str, word: str
) -> None:
    change(folder)
    message = bad(folder)[name]
    assert f"expected {word}" in message
    assert "\n" not in message
    assert len(message) < 1_000
    assert ("ustad bundle --out" in message) == ("cannot be read" not in message)


def test_a_manifest_must_be_of_its_table_even_if_the_list_says_so(folder: Path) -> None:
    import hashlib

    path, sums = folder / "nim,heaps=2.json", folder / "SHA256SUMS"
    old = hashlib.sha256(path.read_bytes()).hexdigest()
    path.write_text(path.read_text().replace("points", "dollars"))
    sums.write_text(sums.read_text().replace(old, hashlib.sha256(path.read_bytes()).hexdigest()))
    assert list(bad(folder)) == [path.name]


def test_a_sound_table_that_is_not_the_one_bundled(folder: Path) -> None:
    write_table(SPECS[0], folder, np.ones(SPECS[0].shape), {"states": 5}, {})
    assert list(bad(folder)) == ["nim,heaps=2.h5"]


def test_a_game_that_is_not_known_is_no_table_of_ours(folder: Path) -> None:
    with pytest.raises(Exception, match="nim"):
        open_file(folder / "nim,heaps=2.h5")


def test_a_file_without_end_is_not_read(folder: Path) -> None:
    """Ten terabytes that take no room, listed with a digest: known by its size."""
    with (folder / "more.json").open("wb") as file:
        file.truncate(10**13)
    with (folder / "SHA256SUMS").open("a") as file:
        file.write(f"{'0' * 64}  more.json\n")
    assert "at most 1000000 bytes, found 10000000000000" in bad(folder)["more.json"]
