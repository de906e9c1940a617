"""``ustad info`` and ``ustad verify``: which tables there are, and whether they are sound."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ustad.runtime.checks import default_faults, exports, folder_faults, open_file
from ustad.runtime.cli.output import fail, print_json
from ustad.runtime.cli.parser import BAD_TABLE, OK, add_command, folder_of
from ustad.runtime.core import registry
from ustad.runtime.core.errors import UsageError
from ustad.tables import Table, TableError, escaped, is_bundle, table_files


def add_info(commands: Any, games: Sequence[str]) -> None:
    """Add the command ``info``."""
    del games
    add_command(commands, "info", _info, "list the tables that are built")


def add_verify(commands: Any, games: Sequence[str]) -> None:
    """Add the command ``verify``."""
    del games
    parser = add_command(
        commands,
        "verify",
        _verify,
        "check every file of a folder of tables, a bundle, an export or exports from end to end",
    )
    parser.add_argument(
        "--default",
        action="store_true",
        help="compare the default tables with the values that this version builds",
    )


def table_row(table: Table) -> dict[str, Any]:
    """Return what is to tell of a table, by name."""
    start, unit = registry.entry(table.spec.game).tables.start_value(table)
    return {
        "game": table.spec.game,
        "options": dict(table.spec.options),
        "path": str(table.path),
        "bytes": table.bytes,
        "quantity": table.spec.quantity,
        "unit": unit,
        "start_value": start,
    }


def table_line(row: dict[str, Any], done: str | None = None) -> str:
    """Return what is to tell of a table in columns, its long name last."""
    start = f"start {row['start_value']:.9f} {row['unit']}"
    doing = "" if done is None else f"  {done:<16}"
    return f"{row['bytes']:>12,} bytes  {start:<30}{doing}  {escaped(Path(row['path']).name)}"


def _info(args: argparse.Namespace) -> int:
    folder = folder_of(args)
    rows: list[dict[str, Any]] = []
    faults: list[TableError] = []
    for path in table_files(folder):
        try:
            rows.append(table_row(open_file(path)))
        except TableError as error:
            faults.append(error)
    if args.json:
        print_json({"tables": rows})
    elif not rows:
        command = shlex.join(["ustad", "build", "--tables", str(folder)])
        print(f"{escaped(folder)}: no tables; build them with: {command}")
    else:
        print(escaped(folder))
        print("\n".join(map(table_line, rows)))
    for fault in faults:
        fail(fault.kind, str(fault), args.json)
    return BAD_TABLE if faults else OK


def _verify(args: argparse.Namespace) -> int:
    folder = folder_of(args)
    if not folder.is_dir():
        command = f"ustad build --tables {shlex.quote(str(folder))}"
        raise UsageError(f"{folder}: expected a folder of tables; build them with: {command}")
    found = default_faults(folder) if args.default else folder_faults(folder)
    if not found:
        what = "default tables" if args.default else "tables, a bundle or exports"
        raise UsageError(f"{folder}: nothing to check: expected {what}, found none")
    rows = [
        {"path": str(path), "ok": found[path] is None, "error": found[path]}
        for path in sorted(found)
    ]
    if args.json:
        print_json({"tables": rows})
    else:
        for row in rows:
            print(f"ok   {escaped(row['path'])}" if row["ok"] else f"BAD  {escaped(row['error'])}")
        what = "default tables" if args.default else _what(folder)
        print(f"{len(rows)} {what}, {sum(not row['ok'] for row in rows)} bad")
    return OK if all(row["ok"] for row in rows) else BAD_TABLE


def _what(folder: Path) -> str:
    """Return what the files of a folder are, in words."""
    found_exports = exports(folder)
    if found_exports and table_files(folder):
        return "files"
    if found_exports:
        return "files of an export" if found_exports == [folder] else "files of exports"
    return "files of a bundle" if is_bundle(folder) else "tables"
