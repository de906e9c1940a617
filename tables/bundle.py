"""A bundle: a folder of tables to hand on, which whoever receives it can check.

It holds table files; beside each its manifest, JSON under the same name, which says what
the table is, how large, and what wrote it; and ``SHA256SUMS``, as ``sha256sum --check``
reads it, with every other file.  The same tables make the same bytes: nothing depends on
when or where.  All files are written before the first is put in place, ``SHA256SUMS`` last: a
disk that fills leaves an older bundle whole, and a bundle whose making was cut short between
is seen to be one.
"""

from __future__ import annotations

import hashlib
import json
import re
import shlex
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from ustad.tables.errors import (
    CorruptBundleError,
    TableError,
    TableWriteError,
    UnreadableTableError,
    reason_of,
)
from ustad.tables.files import obstacle, staged, write_file
from ustad.tables.spec import TableSpec
from ustad.tables.store import Table, open_table, table_files

SUMS = "SHA256SUMS"
MANIFEST_SUFFIX = ".json"

_LARGEST_TEXT = 1_000_000
_LINE = re.compile(r"([0-9a-f]{64})  ([^/\\\0]+)")


def manifest(table: Table, sha256: str) -> dict[str, Any]:
    """Return what a bundle says of a table.

    Args:
        table: the table.
        sha256: of its file, in hexadecimal.
    """
    spec = table.spec
    return {
        "file": spec.file_name,
        "bytes": table.bytes,
        "sha256": sha256,
        "game": spec.game,
        "options": dict(spec.options),
        "quantity": spec.quantity,
        "unit": spec.unit,
        "index_version": spec.index_version,
        "index_formula": spec.index_formula,
        "solver_version": spec.solver_version,
        "shape": list(table.shape),
        "dtype": spec.dtype,
        "start_index": spec.start_index,
        "start_value": table.start_value,
        "counts": dict(table.counts),
        "built_with": table.built_with,
    }


def check_bundle_folder(specs: Iterable[TableSpec], folder: Path) -> None:
    """Raise TableWriteError unless a folder is new, empty or an older bundle of these tables."""
    if folder.exists() and not folder.is_dir():
        raise TableWriteError(folder, "it is a file: expected a new folder or an older bundle")
    if (reason := obstacle(folder)) is not None:
        raise TableWriteError(folder, reason)
    names = {spec.file_name for spec in specs}
    names |= {_manifest_name(name) for name in names} | {SUMS}
    others = {path.name for path in _entries(folder) if not path.name.startswith(".")} - names
    if others:
        reason = f"{min(others)} is there: expected a new folder or an older bundle"
        raise TableWriteError(folder, reason)


def write_bundle(tables: Sequence[Table], folder: Path) -> list[Path]:
    """Write a bundle of tables into a folder that is new, empty or an older bundle of them.

    Returns:
        The files, ``SHA256SUMS`` last.

    Raises:
        TableWriteError: something else is in the folder, or it cannot be written.
        TableError: a table is no longer what it was when it was opened.
    """
    check_bundle_folder([table.spec for table in tables], folder)
    sums: dict[str, str] = {}
    with staged(folder, SUMS) as stage:
        for table in sorted(tables, key=lambda table: table.spec.file_name):
            name = table.spec.file_name
            write_file(stage / name, _copier(table.path))
            copied = open_table(table.spec, stage)
            copied.verify()
            sums[name] = _sha256(stage / name)
            text = _manifest_text(copied, sums[name])
            write_file(stage / _manifest_name(name), _writer(text))
            sums[_manifest_name(name)] = hashlib.sha256(text).hexdigest()
        lines = "".join(f"{digest}  {name}\n" for name, digest in sorted(sums.items()))
        write_file(stage / SUMS, _writer(lines.encode()))
    return [folder / name for name in [*sorted(sums), SUMS]]


def is_bundle(folder: Path) -> bool:
    """Tell whether a folder is a bundle, even if it lacks the list or some manifests."""
    names = {path.name for path in _entries(folder)}
    return SUMS in names or any(_manifest_name(path.name) in names for path in table_files(folder))


def bundle_faults(folder: Path, tables: Mapping[Path, Table]) -> dict[Path, str | None]:
    """Check what a bundle says of its files.

    Args:
        folder: the bundle.
        tables: the tables of it that are sound, by path.

    Returns:
        What is wrong with each file, by path, None for what is right; files that should
        be there and those that should not included.
    """
    try:
        sums = _read_sums(folder)
    except TableError as error:
        return {folder / SUMS: str(error)}
    found: dict[Path, str | None] = {folder / SUMS: None}
    present = {path.name for path in _entries(folder) if not path.name.startswith(".")}
    for name in sorted(present - {SUMS} | sums.keys()):
        try:
            _check(folder / name, sums.get(name), tables)
            found[folder / name] = None
        except TableError as error:
            found[folder / name] = str(error)
    for path, table in tables.items():
        beside = path.with_name(_manifest_name(path.name))
        if found.get(path) is None and found.get(beside) is None:
            try:
                _check_manifest(beside, table, sums[path.name])
            except TableError as error:
                found[beside] = str(error)
    return found


def _check(path: Path, digest: str | None, tables: Mapping[Path, Table]) -> None:
    if digest is None:
        raise _fault(path, f"only what {SUMS} lists", "another file")
    try:
        if not path.is_file():
            raise _fault(path, "a file", "none")
        size = path.stat().st_size
        if path not in tables and size > _LARGEST_TEXT:  # of a sound table the size is known
            raise _fault(path, f"a sound table, or at most {_LARGEST_TEXT} bytes", f"{size}")
        found = _sha256(path)
    except OSError as error:
        raise UnreadableTableError(path, reason_of(error)) from None
    if found != digest:
        raise _fault(path, f"SHA-256 {digest}", found)


def _check_manifest(path: Path, table: Table, sha256: str) -> None:
    expected = _manifest_text(table, sha256)
    if not path.is_file():
        raise _fault(path, "a manifest", "none")
    with path.open("rb") as file:
        if file.read(len(expected) + 1) != expected:
            raise _fault(path, f"what {table.path.name} is", "another manifest")


def _read_sums(folder: Path) -> dict[str, str]:
    """Return the digests by name of file."""
    path = folder / SUMS
    if not path.is_file():
        raise _fault(path, "the list of all files", "none")
    try:
        with path.open("rb") as file:
            *lines, rest = file.read(_LARGEST_TEXT).decode().split("\n")
    except OSError as error:
        raise UnreadableTableError(path, reason_of(error)) from None
    except UnicodeDecodeError as error:
        raise _fault(path, "a readable list of digests and files", str(error)) from None
    sums: dict[str, str] = {}
    for line in lines:
        match = _LINE.fullmatch(line)
        if match is None or match[2] in sums or match[2] in (SUMS, ".", ".."):
            raise _fault(path, "a digest and a new file name a line", repr(line[:200]))
        sums[match[2]] = match[1]
    if rest:
        raise _fault(path, "a digest and a new file name a line", repr(rest[:200]))
    return sums


def _fault(path: Path, expected: str, found: str) -> CorruptBundleError:
    remedy = shlex.join(["ustad", "bundle", "--out", str(path.parent)])
    return CorruptBundleError(path, expected, found, remedy)


def _entries(folder: Path) -> list[Path]:
    return list(folder.iterdir()) if folder.is_dir() else []


def _manifest_name(name: str) -> str:
    """Return the name of the manifest of a table file."""
    return str(Path(name).with_suffix(MANIFEST_SUFFIX))


def _manifest_text(table: Table, sha256: str) -> bytes:
    return (json.dumps(manifest(table, sha256), indent=2, allow_nan=False) + "\n").encode()


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _copier(source: Path) -> Callable[[IO[bytes]], None]:
    """Return what copies a file into an open one."""

    def copy(file: IO[bytes]) -> None:
        with source.open("rb") as content:
            shutil.copyfileobj(content, file, 1 << 20)

    return copy


def _writer(content: bytes) -> Callable[[IO[bytes]], Any]:
    return lambda file: file.write(content)
