"""Checking folders: every file of tables, bundles and exports, from end to end."""

from __future__ import annotations

import shlex
from contextlib import suppress
from pathlib import Path

import numpy as np

from ustad.runtime.core import registry
from ustad.runtime.core.errors import UstadError
from ustad.runtime.core.options import parse_options
from ustad.runtime.export import export_faults, is_export
from ustad.tables import (
    CorruptTableError,
    MismatchedTableError,
    Table,
    TableError,
    bundle_faults,
    identity,
    is_bundle,
    open_table,
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
    """Return a folder and those in it that are exports."""
    inside = sorted(path for path in folder.iterdir() if path.is_dir())
    return [path for path in (folder, *inside) if is_export(path)]


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
    found = structure(table.path, remedy)
    for name in sorted(expected.keys() | found.keys()):
        if name not in found or name not in expected:
            have = ", ".join(sorted(found)) or "nothing"
            raise CorruptTableError(table.path, f"structure {', '.join(expected)}", have, remedy)
        one, other = expected[name], found[name]
        if one.dtype != other.dtype or not np.array_equal(one, other):
            raise CorruptTableError(table.path, f"structure/{name} of the rules", "another", remedy)
