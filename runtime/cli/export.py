"""``ustad export``: files for an app."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ustad.runtime import export
from ustad.runtime.cli.output import print_json, progress_bar
from ustad.runtime.cli.parser import OK, add_command, folder_of
from ustad.runtime.core import registry
from ustad.runtime.core.entry import AnyEntry
from ustad.runtime.core.errors import ExportError, UsageError
from ustad.runtime.core.options import parse_options
from ustad.tables import TableSpec, escaped, obstacle


def add_export(commands: Any, games: Sequence[str]) -> None:
    """Add the command ``export``."""
    del games
    text = "flat files and a reader in JavaScript, for an app"
    parser = add_command(commands, "export", _export, text)
    parser.add_argument("game", nargs="?", metavar="GAME", help=f"of {', '.join(registry.NAMES)}")
    parser.add_argument("--out", required=True, metavar="DIR", help="the folder to write")
    parser.add_argument(
        "--all",
        action="store_true",
        help="every default table, each in a folder of its own; without a game, of all games",
    )
    parser.add_argument(
        "--npm",
        action="store_true",
        help="a package for npm: the engine, which plays whole games, and all the tables",
    )
    parser.add_argument(
        "--bundled",
        action="store_true",
        help="with --npm: tables in modules, for bundlers that take no other files",
    )
    parser.add_argument(
        "--for",
        dest="use",
        choices=("play", "advice"),
        help="what suffices to play the levels, or what answers every position "
        "(advice, but play with --npm)",
    )
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="the table of these options, instead of the defaults",
    )


def _export(args: argparse.Namespace) -> int:
    if args.all and args.option:
        raise UsageError("export: expected --all or --option, not both")
    if args.bundled and not args.npm:
        raise UsageError(
            "export: expected --npm with --bundled, which says how a package is written"
        )
    if args.game is None and not args.all:
        names = ", ".join(registry.NAMES)
        raise UsageError(f"export: expected a game of {names}, or --all")
    if (reason := obstacle(Path(args.out))) is not None:
        raise ExportError(f"{args.out}: cannot be written: {reason}")
    return _package(args) if args.npm else _folders(args)


def _folders(args: argparse.Namespace) -> int:
    out = Path(args.out)
    rows: list[dict[str, Any]] = []
    for entry, spec in _wanted(args):
        content = _content(args, entry, spec)
        folder = out / Path(spec.file_name).stem if args.all else out
        written = export.write_export(entry, content, folder)
        rows.append({"path": str(folder), "options": dict(content.options), "files": written})
    return _print(args, rows)


def _package(args: argparse.Namespace) -> int:
    games = _packages(args)
    written = export.write_package(games, Path(args.out), args.bundled)
    names = [game.entry.name for game in games]
    return _print(args, [{"path": args.out, "games": names, "files": written}])


def default_packages(args: argparse.Namespace) -> list[export.GameFiles]:
    """Return what suffices to play all games, with their default tables.

    Args:
        args: those of a command, which may name the folder of the tables.
    """
    every: dict[str, Any] = {"game": None, "option": [], "all": True, "npm": True, "use": "play"}
    return _packages(argparse.Namespace(**{**vars(args), **every}))


def _packages(args: argparse.Namespace) -> list[export.GameFiles]:
    """Return the games that are to be exported, with their tables."""
    games: dict[str, export.GameFiles] = {}
    for entry, spec in _wanted(args):
        engine = registry.exporter(entry.name).engine
        game = games.setdefault(entry.name, export.GameFiles(entry, engine, {}))
        game.tables[Path(spec.file_name).stem] = _content(args, entry, spec)
    return list(games.values())


def _wanted(args: argparse.Namespace) -> Iterator[tuple[AnyEntry, TableSpec]]:
    """Yield the tables that are to be exported."""
    for name in registry.NAMES if args.game is None else (args.game,):
        entry = registry.entry(name)
        options = parse_options(entry.name, entry.tables.fields, args.option)
        exporter = registry.exporter(name)
        sets = exporter.option_sets() if args.all else (options,)
        for one in sets[:1] if _for_play(args, exporter) else sets:  # one serves all
            yield entry, entry.tables.spec(one)


def _for_play(args: argparse.Namespace, exporter: registry.GameExporter) -> bool:
    """Tell whether what suffices to play is wanted, and there is less of it."""
    return exporter.play is not None and (args.use or ("play" if args.npm else "")) == "play"


def _content(args: argparse.Namespace, entry: AnyEntry, spec: TableSpec) -> export.Content:
    exporter = registry.exporter(entry.name)
    make = exporter.play if exporter.play and _for_play(args, exporter) else exporter.content
    with progress_bar(f"export {spec.what}", "states") as progress:
        found: export.Content = make(spec.options, folder_of(args), progress)
    return found


def _print(args: argparse.Namespace, rows: Sequence[Mapping[str, Any]]) -> int:
    if args.json:
        print_json({"exports": rows})
    else:
        for row in rows:
            sizes = ", ".join(f"{name} {size:,}" for name, size in row["files"].items())
            print(f"{escaped(row['path'])}: {sizes} bytes")
    return OK
