"""Checking folders: every file of tables, bundles and exports, from end to end."""

from __future__ import annotations

import json
import os
import shlex
from contextlib import suppress
from importlib.resources import files
from pathlib import Path

import numpy as np

from ustad.runtime.core import registry
from ustad.runtime.core.errors import UstadError
from ustad.runtime.core.options import parse_options
from ustad.runtime.export import export_faults, is_export
from ustad.tables import (
    CorruptTableError,
    MismatchedTableError,
    MissingTableError,
    Table,
    TableError,
    TableSpec,
    UnreadableTableError,
    bundle_faults,
    identity,
    is_bundle,
    open_table,
    reason_of,
    structure,
    table_files,
)


def _remedy(path: Path) -> str:
    """Return the command that builds the table that a file is by its name."""
    game, *options = path.stem.split(",")
    with suppress(UstadError):
        tables = registry.entry(game).tables
        spec = tables.spec(parse_options(game, tables.fields, options))
        if spec.file_name == path.name:
            return spec.build_command(path.parent, force=True)
    return shlex.join(["ustad", "build", "--tables", str(path.parent), "--force"])


def open_file(path: Path) -> Table:
    """Open a table file by what it says it is of, and check it from end to end.

    Raises:
        TableError: it is damaged, of another version, or not what its name says.
    """
    remedy = _remedy(path)
    name, options = identity(path, remedy)
    try:
        spec = registry.entry(name).tables.spec(options)
    except UstadError as error:
        known = f"a table of {', '.join(registry.NAMES)}"
        raise MismatchedTableError(path, known, str(error), remedy) from None
    if path.name != spec.file_name:
        raise MismatchedTableError(path, f"the name {spec.file_name}", path.name, remedy)
    return open_table(spec, path.parent)


def exports(folder: Path) -> list[Path]:
    """Return the exports in a folder, itself and all folders in it, but hidden ones and links.

    Raises:
        UnreadableTableError: one of the folders cannot be read.
    """

    def fail(error: OSError) -> None:
        raise UnreadableTableError(Path(error.filename), reason_of(error))

    found = []
    for name, inside, _ in os.walk(folder, onerror=fail):
        inside[:] = sorted(each for each in inside if not each.startswith("."))
        if is_export(Path(name)):
            found.append(Path(name))
    return found


def folder_faults(folder: Path) -> dict[Path, str | None]:
    """Return what is wrong with each file of a folder of tables, a bundle, an export or exports.

    None stands for what is right, from end to end.
    """
    sound: dict[Path, Table] = {}
    faults: dict[Path, str | None] = {}
    for export in exports(folder):
        faults |= export_faults(export)
    for path in table_files(folder):
        try:
            table = open_file(path)
            table.verify()
            _check_structure(table)
            sound[path] = table
        except TableError as error:
            faults[path] = str(error)
    bundled = bundle_faults(folder, sound) if is_bundle(folder) else {}
    return dict.fromkeys(sound) | bundled | faults


def _check_structure(table: Table) -> None:
    """Check what a table carries for readers in other languages, or raise CorruptTableError."""
    spec, remedy = table.spec, table.spec.build_command(table.path.parent, force=True)
    expected = registry.entry(spec.game).tables.structure(spec.options)
    found = structure(table.path, expected, remedy)
    for name, array in expected.items():
        if not np.array_equal(array, found[name]):
            raise CorruptTableError(table.path, f"structure/{name} of the rules", "another", remedy)


def shipped_digests() -> dict[str, str]:
    """Return the SHA-256 of the values of each default table as this version builds it, by file.

    ``python scripts/table_digests.py`` writes them from tables that were built.
    """
    text = (files("ustad.runtime") / "default_tables.json").read_text(encoding="utf-8")
    found: dict[str, str] = json.loads(text)
    return found


def default_faults(folder: Path) -> dict[Path, str | None]:
    """Return which default tables of a folder have other values than this version builds.

    Builds are reproducible, so a digest of the values tells: whoever wrote the file, and
    whatever digests it holds of itself.

    Returns:
        What is wrong with each of those that are there, by path, None for what is right.
    """
    digests = shipped_digests()
    faults: dict[Path, str | None] = {}
    for spec in default_specs():
        path = spec.path(folder)
        try:
            table = open_table(spec, folder)
            table.verify()
            expected = f"values of digest {digests.get(spec.file_name, 'none')[:16]}"
            if table.values_sha256 != digests.get(spec.file_name):
                raise table.damage(expected, table.values_sha256[:16])
            faults[path] = None
        except MissingTableError:
            continue
        except TableError as error:
            faults[path] = str(error)
    return faults


def default_specs() -> list[TableSpec]:
    """Return the tables that a default build makes."""
    entries = map(registry.entry, registry.NAMES)
    return [each.tables.spec(options) for each in entries for options in each.tables.defaults()]
