"""``ustad build`` and ``ustad bundle``: the tables made, and put together to hand on."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

from ustad.runtime.cli.output import fail, prepare, print_json, progress_bar
from ustad.runtime.cli.parser import OK, add_command, folder_of
from ustad.runtime.cli.tables import table_line, table_row
from ustad.runtime.core import registry, work
from ustad.runtime.core.entry import AnyEntry
from ustad.runtime.core.errors import MissingPackageError, UsageError, UstadError
from ustad.runtime.core.options import parse_options
from ustad.tables import (
    Table,
    TableError,
    check_bundle_folder,
    escaped,
    open_table,
    remove_stale,
    write_bundle,
)

Wanted = tuple[AnyEntry, Mapping[str, Any]]
"""A table to build: its game and its full option set."""


def add_build(commands: Any, games: Sequence[str]) -> None:
    """Add the command ``build``."""
    del games
    parser = add_command(commands, "build", _build, "build the tables of all or the named games")
    add_build_flags(parser)


def add_build_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the build command but the common ones."""
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"of {', '.join(registry.NAMES)}")
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="the table of these options, of the one game named",
    )
    parser.add_argument("--force", action="store_true", help="build even what is there and sound")


def _build(args: argparse.Namespace) -> int:
    if args.option and len(args.games) != 1:
        raise UsageError("build: --option goes with exactly one game")
    wanted = _default_tables(dict.fromkeys(args.games or registry.NAMES))
    if args.option:
        entry = registry.entry(args.games[0])
        tables = entry.tables
        asked = tables.asked_for(parse_options(entry.name, tables.fields, args.option))
        wanted = [(entry, tables.spec(options).options) for options in asked]
    folder = folder_of(args)
    made, rows, status = _Making(folder, args.force), [], OK
    for entry, options in wanted:
        try:
            _, row = made.make(entry, options)
            rows.append(row)
        except (UstadError, TableError) as error:
            if isinstance(error, MissingPackageError) or not folder.is_dir():
                raise  # no table can be built
            status = fail(error.kind, str(error), args.json)
    prepare(*dict.fromkeys(entry for entry, _ in wanted))
    if args.json and (rows or status == OK):
        print_json({"tables": rows})
    elif rows:
        _print_built(rows)
    return status


class _Making:
    """Builds tables into a folder where they are not built yet.

    Args:
        folder: where the tables are or will be.
        force: build also what is there and sound.
    """

    def __init__(self, folder: Path, force: bool = False) -> None:
        self._folder = folder
        self._force = force
        remove_stale(folder)

    def make(self, entry: AnyEntry, options: Mapping[str, Any]) -> tuple[Table, dict[str, Any]]:
        """Return a table, built if need be, and what to tell of it."""
        begin = time.perf_counter()
        table, new = self._sound(entry, options), False
        if table is None:
            with progress_bar(entry.tables.spec(options).what, "states") as progress:
                table, new = self._builder.build(entry, options, progress)
        seconds = time.perf_counter() - begin
        return table, {**table_row(table), "built": new, "seconds": round(seconds, 3)}

    def _sound(self, entry: AnyEntry, options: Mapping[str, Any]) -> Table | None:
        """Return the table that is there, None if there is none or it is to be built anew."""
        if not self._force:
            with suppress(TableError):
                return open_table(entry.tables.spec(options), self._folder)
        return None

    @cached_property
    def _builder(self) -> Any:
        """What builds, a :class:`ustad.solver.build.Builder`; it needs the extra ``build``."""
        try:
            import_module("ustad.runtime.core.kernels")
            build: Any = import_module("ustad.solver.build")
        except ImportError as error:
            raise MissingPackageError(
                f"building tables needs the package {error.name}: pip install 'ustad[build]'"
            ) from None
        return build.Builder(self._folder, self._force, work.tell)


def _print_built(rows: Sequence[dict[str, Any]]) -> None:
    """Print the table that closes a build."""
    for row in rows:
        done = f"built in {row['seconds']:.1f} s" if row["built"] else "was there"
        print(table_line(row, done))
    size, seconds = (sum(row[key] for row in rows) for key in ("bytes", "seconds"))
    print(f"{size:>12,} bytes  in {len(rows)} tables, {seconds:.1f} s")


def _default_tables(games: Iterable[str]) -> list[Wanted]:
    """Return the tables that a build makes when nobody says which, each with its full options."""
    return [
        (entry, entry.tables.spec(options).options)
        for entry in map(registry.entry, games)
        for options in entry.tables.defaults()
    ]


def add_bundle(commands: Any, games: Sequence[str]) -> None:
    """Add the command ``bundle``."""
    del games
    text = (
        "put all default tables, their manifests and SHA256SUMS into a folder to hand on; "
        "those that are missing are built first"
    )
    parser = add_command(commands, "bundle", _bundle, text)
    parser.add_argument("--out", required=True, metavar="DIR", help="a new folder, or a bundle")


def _bundle(args: argparse.Namespace) -> int:
    wanted = _default_tables(registry.NAMES)
    out = Path(args.out)
    check_bundle_folder((entry.tables.spec(options) for entry, options in wanted), out)
    made = _Making(folder_of(args))
    tables = [table for table, _ in (made.make(entry, options) for entry, options in wanted)]
    files = write_bundle(tables, out)
    rows = [{"path": str(path), "bytes": path.stat().st_size} for path in files]
    if args.json:
        print_json({"files": rows})
    else:
        for row in rows:
            print(f"{row['bytes']:>12,} bytes  {escaped(row['path'])}")
    return OK
