"""Tables that are built once, for all tests of all workers of pytest-xdist."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ustad.runtime.core.registry import entry as entry_of
from ustad.solver.build import build_table
from ustad.tables import Table, open_table

fcntl: Any = None
with contextlib.suppress(ImportError):  # Windows has none
    import fcntl

Build = Callable[[str, Mapping[str, Any], Path], Table]
"""Puts the table of a game and its options into a folder, and opens it there."""


def built_once(shared: Path) -> Build:
    """Return a function that builds a table the first time, and copies it from then on."""

    def put(game: str, options: Mapping[str, Any], folder: Path) -> Table:
        spec = entry_of(game).tables.spec(options)
        with one_at_a_time(shared / f"{spec.file_name}.lock"):
            if not spec.path(shared).exists():
                build_table(entry_of(game), spec.options, shared)
        shutil.copy(spec.path(shared), folder)
        return open_table(spec, folder)

    return put


@contextlib.contextmanager
def one_at_a_time(path: Path) -> Iterator[None]:
    """Hold a lock on a file, where the system has such locks."""
    with path.open("w") as file:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
