"""Building tables: what a solver is, and what is already there.

A game's solver is the class ``SOLVER`` of the module ``build`` in its folder of this
package.  A :class:`Builder` makes one solver for a game and lets go of it when the next
game's turn comes: what a solver keeps from one table to the next, it keeps in itself.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from ustad.runtime.core.entry import AnyEntry
from ustad.runtime.core.errors import UsageError
from ustad.runtime.core.work import Progress
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
        parts: further arrays that a reader needs to find a value, by name.
    """

    spec: TableSpec
    values: NDArray[Any]
    counts: Mapping[str, int]
    structure: Mapping[str, NDArray[Any]]
    parts: Mapping[str, NDArray[Any]] = field(default_factory=dict)


class Solver(ABC):
    """Makes the tables of one game, one after the other."""

    @abstractmethod
    def build(self, options: Mapping[str, Any], progress: Progress | None = None) -> Built:
        """Return the table of a full option set.

        Args:
            options: what the table is keyed by.
            progress: called with the states done and all states.
        """

    def forecast(self, options: Mapping[str, Any]) -> str | None:
        """Return a line on how large a table will be and how long it takes, if that can be told."""
        del options
        return None

    def shipped(self, options: Mapping[str, Any]) -> Built | None:
        """Return the table of numbers that were learned and ship with the package, if any do."""
        del options
        return None


def solver_of(game: str) -> Solver:
    """Return a new solver of a game.

    Raises:
        UsageError: the game has no solver.
    """
    module = f"ustad.solver.{game}.build"
    try:
        made: Solver = import_module(module).SOLVER()
    except ModuleNotFoundError as error:
        if error.name not in (module, module.rpartition(".")[0]):
            raise
        raise UsageError(f"build: {game} has no solver") from None
    return made


class Builder:
    """Builds tables into a folder.

    Args:
        folder: where the tables are or will be.
        force: build also what is there and sound.
        announce: called, before the work on a table starts, with a line that says how large
            it will be and how long it will take, if its solver can tell.
    """

    def __init__(
        self, folder: Path, force: bool = False, announce: Callable[[str], None] | None = None
    ) -> None:
        self._folder = folder
        self._force = force
        self._announce = announce
        self._game = ""
        self._solver: Solver | None = None

    def build(
        self, entry: AnyEntry, options: Mapping[str, Any], progress: Progress | None = None
    ) -> tuple[Table, bool]:
        """Build the table of an option set, unless a sound one is there.

        Args:
            entry: the game.
            options: the option set.
            progress: called with the states done and all states.

        Returns:
            The table, opened and checked, and whether it was built now.

        Raises:
            OptionError: the game has no such table.
            TableWriteError: the folder cannot be written; an old file stays whole.
        """
        spec = entry.tables.spec(options)
        if not self._force:
            try:
                return open_table(spec, self._folder), False
            except TableError:
                pass
        check_writable(spec, self._folder)
        built = self._built(self._solver_of(entry.name), spec.options, progress)
        write_table(spec, self._folder, built.values, built.counts, built.structure, built.parts)
        del built  # opening the file makes a second copy of the values
        return open_table(spec, self._folder), True

    def _solver_of(self, game: str) -> Solver:
        if self._solver is None or self._game != game:
            self._solver = None  # let go of the last one first
            self._game, self._solver = game, solver_of(game)
        return self._solver

    def _built(
        self, solver: Solver, options: Mapping[str, Any], progress: Progress | None
    ) -> Built:
        if self._announce and (told := solver.forecast(options)) is not None:
            self._announce(told)
        shipped = None if self._force else solver.shipped(options)
        return solver.build(options, progress) if shipped is None else shipped


def build_table(
    entry: AnyEntry,
    options: Mapping[str, Any],
    folder: Path,
    force: bool = False,
    progress: Progress | None = None,
) -> tuple[Table, bool]:
    """Build one table; see :meth:`Builder.build`."""
    return Builder(folder, force).build(entry, options, progress)
