"""Writing table files: the old file or the new one, whole."""

from __future__ import annotations

import contextlib
import errno
import gc
import hashlib
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from small_table import SPEC, VALUES, refused, write

from ustad.tables import (
    TableError,
    TableWriteError,
    files,
    open_table,
    table_files,
)


def whole(path: Path) -> None:
    """Assert that the old table stands and that nothing else is left behind."""
    assert np.array_equal(open_table(SPEC, path.parent).values, VALUES)
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("call", ["fsync", "replace", "open", "fdopen"])
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES, errno.EIO])
def test_a_write_that_fails_leaves_the_old_file(
    path: Path, monkeypatch: pytest.MonkeyPatch, call: str, number: int
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patch:
        patch.setattr(os, call, fail)
        with pytest.raises(TableWriteError) as error:
            write(path.parent, values=VALUES + 1)
    message = str(error.value)
    assert str(path) in message
    assert os.strerror(number) in message
    assert "make room or choose another folder" in message
    whole(path)


def test_what_does_not_read_back_the_same_is_not_put_in_place(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(hashlib, "file_digest", lambda file, name: hashlib.sha256(b"other"))
        with pytest.raises(TableWriteError, match="read back"):
            write(path.parent, values=VALUES + 1)
    whole(path)


def test_what_wrote_a_file_is_told(path: Path) -> None:
    told = open_table(SPEC, path.parent).built_with
    assert f"h5py {h5py.__version__}" in told
    assert f"numpy {np.__version__}" in told


def test_a_temporary_file_is_removed_when_it_is_known_to_be_left_over(path: Path) -> None:
    """A writer that was killed leaves its file; one that is at work must keep it."""
    content = path.read_bytes()
    stale, alive = path.parent / ".nim-killed.ustad-part", path.parent / ".nim-at-work.ustad-part"
    for at, age in ((stale, files.STALE_AFTER + 60), (alive, files.STALE_AFTER - 60)):
        at.write_bytes(content[:-1])
        os.utime(at, (time.time() - age,) * 2)
    foreign = path.parent / ".film.part"
    foreign.write_bytes(b"")
    os.utime(foreign, (0, 0))
    assert table_files(path.parent) == [path]
    write(path.parent)
    assert foreign.exists()
    assert not stale.exists()
    assert alive.read_bytes() == content[:-1]


@pytest.mark.skipif(sys.platform == "win32", reason="locks of POSIX")
def test_no_lock_is_needed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody else holds a lock on each file, as where a file system has none to give.

    HDF5 locks what it opens by name, and refuses what it cannot lock.
    """
    import fcntl

    monkeypatch.setenv("HDF5_USE_FILE_LOCKING", "TRUE")
    with contextlib.ExitStack() as held:

        def lock(at: Path, mode: int) -> None:
            del mode
            fcntl.flock(held.enter_context(at.open("rb")), fcntl.LOCK_EX)

        lock(path, 0)
        with pytest.raises(OSError, match="lock"):
            h5py.File(path, "r")
        open_table(SPEC, path.parent)
        monkeypatch.setattr(os, "chmod", lock)  # the new file, once it is written
        write(path.parent, values=VALUES + 1)
        assert np.array_equal(open_table(SPEC, path.parent).values, VALUES + 1)


@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX")
def test_a_file_system_that_takes_no_more(path: Path) -> None:
    """A true failure of write: the process may not make files above 4,000 bytes."""
    script = (
        "import resource, sys; from pathlib import Path; import numpy as np\n"
        "from ustad.tables import TableSpec, TableWriteError, write_table\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))\n"
        "spec = TableSpec('nim', {}, 'what', 'points', 1, 'f', (9999,), 0)\n"
        "values = np.random.default_rng(1).normal(size=9999)\n"
        "try: write_table(spec, Path(sys.argv[1]), values, {}, {})\n"
        "except TableWriteError as error: print(error)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", script, str(path.parent)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "File too large; make room or choose another folder with --tables" in run.stdout
    whole(path)


def test_a_file_where_the_folder_should_be(tmp_path: Path) -> None:
    folder = tmp_path / "file"
    folder.write_text("not a folder")
    for place in (folder, folder / "below"):
        with pytest.raises(TableWriteError, match="choose another folder with --tables"):
            write(place)
        with pytest.raises(TableError):
            open_table(SPEC, place)
    assert folder.read_text() == "not a folder"


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="permissions of POSIX")
def test_a_folder_that_may_not_be_written(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if os.geteuid() == 0:  # who may do all: let the system call refuse instead

        def fail(*_: Any, **__: Any) -> None:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

        monkeypatch.setattr(os, "open", fail)
    else:
        path.parent.chmod(0o555)
    try:
        with pytest.raises(TableWriteError, match="Permission denied"):
            write(path.parent, values=VALUES + 1)
    finally:
        path.parent.chmod(0o755)
    whole(path)


def test_a_folder_in_the_place_of_the_file(tmp_path: Path) -> None:
    SPEC.path(tmp_path).mkdir()
    with pytest.raises(TableWriteError):
        write(tmp_path)
    assert [found.name for found in tmp_path.iterdir()] == [SPEC.file_name]


def test_damage_while_a_table_is_open_is_seen_once_it_is_gone(path: Path) -> None:
    table = open_table(SPEC, path.parent)
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    os.utime(path, ns=(1, 1))
    refused(path)
    assert np.array_equal(table.values, VALUES)
    del table
    gc.collect()
    refused(path)
