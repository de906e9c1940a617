"""Writing files whole or not at all: beside the old one, and put in its place when they are done.

A file is written to a temporary one in the same folder, flushed, checked, and put in place
with ``os.replace``: at every moment the old file or the new one is there, whole.  A writer
that is killed leaves its temporary file, which nobody takes for another; the next writer in
that folder removes it once it has been still for :data:`STALE_AFTER`.  No file is locked:
neither do all file systems know locks, nor does anything here need one.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from ustad.tables.errors import TableWriteError, reason_of

PART_SUFFIX = ".ustad-part"

STALE_AFTER = 3600.0
"""Seconds for which a temporary file must be still until it is known to be left over.

A file is written in far less, and the clocks of machines that share a folder agree
better.
"""


def write_file(path: Path, write: Callable[[IO[bytes]], object]) -> None:
    """Write a file of any kind into a folder, replacing an old one at the last moment.

    Args:
        path: the file; its folder is made if it is not there.
        write: writes the content into an open file.

    Raises:
        TableWriteError: the folder cannot be written or is full; an old file
            stays whole.
    """
    put_file(path, write, lambda temporary: None)


def put_file(
    path: Path, write: Callable[[IO[bytes]], object], check: Callable[[Path], object]
) -> None:
    """Write a temporary file, check it and put it in place, or raise TableWriteError."""
    temporary = None
    try:
        temporary, handle = temporary_file(path)
        with os.fdopen(handle, "w+b") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        check(temporary)
        os.replace(temporary, path)
    except OSError as error:
        raise TableWriteError(path, reason_of(error)) from error
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):
                temporary.unlink()


def obstacle(folder: Path) -> str | None:
    """Return why a folder cannot be written or made, None if nothing is seen to stand in the way.

    Worth asking before minutes of work; nothing is made.
    """
    try:
        there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    except OSError as error:
        return reason_of(error)
    if not there.is_dir():
        return f"{there} is a file, expected a folder"
    return None if os.access(there, os.W_OK | os.X_OK) else f"{there} cannot be written"


def temporary_file(path: Path) -> tuple[Path, int]:
    """Return a new temporary file in the folder of a file to be, and its open handle.

    Who may read and write it is what the umask of the user leaves.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    remove_stale(path.parent)
    temporary = path.parent / _temporary_name(path.name.split(",")[0])
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    return temporary, os.open(temporary, flags, 0o666)


def _temporary_name(of: str) -> str:
    return f".{of}-{secrets.token_hex(8)}{PART_SUFFIX}"


@contextlib.contextmanager
def staged(folder: Path, last: str) -> Iterator[Path]:
    """Give a hidden folder whose files are put into a folder together, when all are written.

    As long as anything can go wrong, a full disk for one, the old files stay as they are.

    Args:
        folder: where the files go; made if it is not there.
        last: the file that vouches for the others: the old one is removed before the first
            of them is put in place, and the new one comes last.

    Raises:
        TableWriteError: a file cannot be written, or put in place.
    """
    stage = folder / _temporary_name(folder.name[:20])
    try:
        stage.mkdir(parents=True)
        remove_stale(folder)
        try:
            yield stage
        except TableWriteError as error:
            raise TableWriteError(folder, error.reason) from error
        names = {path.name for path in stage.iterdir()} - {last}
        (folder / last).unlink(missing_ok=True)
        for name in (*sorted(names), last):
            os.replace(stage / name, folder / name)
    except OSError as error:
        raise TableWriteError(folder, reason_of(error)) from error
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def remove_stale(folder: Path) -> None:
    """Remove the temporary files and folders of writers that were killed."""
    before = time.time() - STALE_AFTER
    for path in folder.glob(f".*{PART_SUFFIX}"):
        with contextlib.suppress(OSError):  # another writer was faster, or it is not ours
            if path.lstat().st_mtime < before:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
