"""``ustad export``: files for an app."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ustad.runtime import export
from ustad.runtime.cli.output import print_json, progress_bar
from ustad.runtime.cli.parser import OK, add_for_each_game, folder_of
from ustad.runtime.core import registry
from ustad.runtime.core.errors import UsageError
from ustad.runtime.core.options import parse_options
from ustad.tables import escaped


def add_export(commands: Any, games: Sequence[str]) -> None:
    """Add the command ``export``."""
    text = "flat files and a reader in JavaScript, for an app"
    for entry, parser in add_for_each_game(commands, "export", _export, text, games):
        parser.add_argument("--out", required=True, metavar="DIR", help="the folder to write")
        parser.add_argument(
            "--all", action="store_true", help="every default table, each in a folder of its own"
        )
        fields = ", ".join(option.name for option in entry.tables.fields)
        parser.add_argument(
            "--option",
            action="append",
            default=[],
            metavar="NAME=VALUE",
            help=f"the table of these options, instead of the defaults: {fields}",
        )


def _export(args: argparse.Namespace) -> int:
    entry, out = registry.entry(args.game), Path(args.out)
    exporter = registry.exporter(entry.name)
    if args.all and args.option:
        raise UsageError("export: expected --all or --option, not both")
    options = parse_options(entry.name, entry.tables.fields, args.option)
    wanted = exporter.option_sets() if args.all else [options]
    rows: list[dict[str, Any]] = []
    for one in wanted:
        spec = entry.tables.spec(one)
        folder = out / Path(spec.file_name).stem if args.all else out
        with progress_bar(f"export {spec.what}", "states") as progress:
            content = exporter.content(spec.options, folder_of(args), progress)
        written = export.write_export(entry, content, folder)
        options = dict(content.options)
        rows.append({"path": str(folder), "options": options, "files": written})
    if args.json:
        print_json({"exports": rows})
    else:
        for row in rows:
            sizes = ", ".join(f"{name} {size:,}" for name, size in row["files"].items())
            print(f"{escaped(row['path'])}: {sizes} bytes")
    return OK
