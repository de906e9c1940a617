"""``ustad build`` and ``ustad bundle``: the tables made, and put together to hand on."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from ustad.runtime.cli.output import announce, prepare, print_json, progress_bar
from ustad.runtime.cli.parser import OK, add_command, folder_of
from ustad.runtime.cli.tables import table_line, table_row
from ustad.runtime.core import registry
from ustad.runtime.core.entry import AnyEntry
from ustad.runtime.core.errors import MissingPackageError, UsageError
from ustad.runtime.core.options import parse_options
from ustad.tables import Table, check_bundle_folder, remove_stale, write_bundle

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
    rows = [row for _, row in _built(wanted, folder_of(args), args.force)]
    prepare(*dict.fromkeys(entry for entry, _ in wanted))
    if args.json:
        print_json({"tables": rows})
    else:
        _print_built(rows)
    return OK


def _built(
    wanted: Sequence[Wanted], folder: Path, force: bool
) -> Iterator[tuple[Table, dict[str, Any]]]:
    """Build tables where they are not built yet, and yield each with what to tell of it."""
    builder = _builder(folder, force)
    remove_stale(folder)
    for entry, options in wanted:
        begin = time.perf_counter()
        with progress_bar(entry.tables.spec(options).what, "states") as progress:
            table, new = builder.build(entry, options, progress)
        seconds = time.perf_counter() - begin
        yield table, {**table_row(table), "built": new, "seconds": round(seconds, 3)}


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


def _builder(folder: Path, force: bool) -> Any:
    """Return what builds tables into a folder, a :class:`ustad.solver.build.Builder`."""
    try:
        import_module("ustad.runtime.core.kernels")
        build: Any = import_module("ustad.solver.build")
    except ImportError as error:
        raise MissingPackageError(
            f"building tables needs the package {error.name}: pip install 'ustad[build]'"
        ) from None
    return build.Builder(folder, force, announce)


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
    built = list(_built(wanted, folder_of(args), force=False))
    files = write_bundle([table for table, _ in built], out)
    rows = [{"path": str(path), "bytes": path.stat().st_size} for path in files]
    if args.json:
        print_json({"files": rows})
    else:
        for row in rows:
            print(f"{row['bytes']:>12,} bytes  {row['path']}")
    return OK
