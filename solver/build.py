"""Building tables: which solver makes which table, and what is already there.

A game's solver is the module of its name in this package, with a function
``build(options, progress)`` that returns a :class:`Built`.  Where a table can be
too large or take long, it also has ``forecast(options)``, a line of text about it.
Where numbers that were learned ship with the package, ``shipped(options)`` returns
them; they are learned anew only if that is asked for.  Where something is kept from one
table to the next, ``release()`` lets go of it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from ustad.runtime.games.base import GameType, Progress
from ustad.tables import (
    Table,
    TableError,
    TableSpec,
    check_writable,
    open_table,
    write_table,
)


@dataclass(frozen=True)
class Built:
    """What a solver found: the content of a table file.

    Attributes:
        spec: what the table is.
        values: of the type and shape of the spec.
        counts: how many states of each kind it covers.
        structure: arrays for readers in other languages, by name.
    """

    spec: TableSpec
    values: NDArray[Any]
    counts: Mapping[str, int]
    structure: Mapping[str, NDArray[Any]]
    parts: Mapping[str, NDArray[Any]] = field(default_factory=dict)


def available_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def build_table(
    game: GameType,
    options: Mapping[str, Any],
    folder: Path,
    force: bool = False,
    progress: Progress | None = None,
    announce: Callable[[str], None] | None = None,
) -> tuple[Table, bool]:
    """Build the table of an option set, unless a sound one is there.

    Args:
        game: the game.
        options: the option set.
        folder: where the table is or will be.
        force: build it even if a sound one is there.
        progress: called with the states done and all states.
        announce: called, before the work starts, with a line that says how large
            the table will be and how long it will take, if the solver can tell.

    Returns:
        The table, opened and checked, and whether it was built now.

    Raises:
        OptionError: the game has no such table.
        TableWriteError: the folder cannot be written; an old file stays whole.
    """
    spec = game.table_spec(options)
    if not force:
        try:
            return open_table(spec, folder), False
        except TableError:
            pass
    check_writable(spec, folder)
    solver = import_module(f"ustad.solver.{game.name}")
    build: Callable[[Mapping[str, Any], Progress | None], Built] = solver.build
    if announce and hasattr(solver, "forecast"):
        announce(solver.forecast(spec.options))
    if not force and hasattr(solver, "shipped"):
        built = solver.shipped(spec.options)
    else:
        built = build(spec.options, progress)
    write_table(spec, folder, built.values, built.counts, built.structure, built.parts)
    del built  # opening the file makes a second copy of the values
    return open_table(spec, folder), True


def release(games: Iterable[GameType]) -> None:
    """Let go of what the solvers of games keep from one table to the next."""
    for game in games:
        solver = sys.modules.get(f"ustad.solver.{game.name}")
        if solver is not None and hasattr(solver, "release"):
            solver.release()
