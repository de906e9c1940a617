"""Table files, believed only when every byte is right.

The problem.  Users bet on these numbers, so a file that was cut short, changed,
or made for other rules must never answer.  The HDF5 library does not tell
that: it reads what it is given, and a damaged file can even crash it.

The form.  A file is an HDF5 file with a *user block*, the 512 bytes that HDF5
leaves to applications: the magic word, the length of the file and the SHA-256
of all that follows.  Every reader of HDF5 opens it as usual.  This one checks the
digest first and hands the bytes to HDF5 only if they are those that were written.

The file of a spec that says ``mapped`` is not read whole: its values are read and
checked block by block by :meth:`Table.read`, see :mod:`ustad.tables.mapped`.

Inside, the root attributes say what the table is (see :class:`TableSpec`), the
dataset ``values`` holds the numbers, mostly in little-endian float64, the group
``parts`` what else is needed to find a value, if anything, and the group
``structure`` what a reader in another language needs to find its way (for the
games of dice: the rolls, the keeps, the chances between them).

Reading.  Who can write the file can also write a right digest, so what a file claims
of itself is bounded too before memory is asked for: it must hold the arrays of the spec
and no others, of their types and shapes, of so many bytes in all, cut and packed as
:mod:`ustad.tables.writing` does it, see :mod:`ustad.tables.pieces`.  What was read must be in
the bounds of the spec, and its parts must go together.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import math
import os
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import h5py
import numpy as np
from numpy.typing import NDArray

from ustad.tables import mapped
from ustad.tables.errors import (
    CorruptTableError,
    MismatchedTableError,
    MissingTableError,
    TableError,
    UnreadableTableError,
    reason_of,
)
from ustad.tables.pieces import read_pieces, stored_dataset
from ustad.tables.spec import SUFFIX, TableSpec, sha256_of_text

FORMAT = "ustad table"
FORMAT_VERSION = 1

LARGEST_FILE = 200_000_000
"""Bytes of the largest file that is read whole."""

LARGEST_ARRAYS = 250_000_000
"""Bytes of all arrays of a table whose lengths only the file says."""

BLOCK = mapped.USER_BLOCK
MAGIC = b"ustad table\n"
HEADER = struct.Struct("<12sQ32s")
VALUES = "values"
PARTS = "parts"
STRUCTURE = "structure"
_LARGEST_ATTRIBUTE = 1 << 16


@dataclass(frozen=True)
class Table:
    """An open table; the file itself is closed, but where the values are read block by block.

    Attributes:
        spec: what the table is.
        path: the file it came from.
        source: the values, of the type and shape of the spec, read-only; or their blocks.
        parts: the further arrays of the spec, read-only, by name.
        counts: how many states of each kind it covers.
        start_value: the value of the start of the game.
        bytes: the size of the file.
        file_state: what the file system said of the file when it was read.
        built_with: the versions of what wrote it.
        values_sha256: of values and parts; where values are read block by block, of their
            blocks' digests instead.
    """

    spec: TableSpec
    path: Path
    source: NDArray[Any] | mapped.Blocks
    parts: Mapping[str, NDArray[Any]]
    counts: Mapping[str, int]
    start_value: float
    bytes: int
    file_state: tuple[int, ...] | None = None
    built_with: str = ""
    values_sha256: str = ""

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the values."""
        return self.source.shape

    @cached_property
    def values(self) -> NDArray[Any]:
        """All values; where they are read block by block, :meth:`read` takes less room."""
        return self.source.all() if isinstance(self.source, mapped.Blocks) else self.source

    def read(self, begin: NDArray[np.int64], count: int) -> NDArray[Any]:
        """Return runs of values, checked.

        Args:
            begin: (n,) the flat index of the first value of each run.
            count: how many values each run has.

        Returns:
            (n, count) of the type of the values.

        Raises:
            CorruptTableError: they are not what was written.
        """
        if isinstance(self.source, mapped.Blocks):
            return self.source.read(begin, count)
        runs = np.lib.stride_tricks.sliding_window_view(self.source.reshape(-1), count)
        found: NDArray[Any] = runs[begin]
        return found

    def damage(self, expected: str, found: str) -> CorruptTableError:
        """Return the error to raise where what was read cannot be."""
        remedy = self.spec.build_command(self.path.parent, force=True)
        return CorruptTableError(self.path, expected, found, remedy)

    def verify(self) -> None:
        """Check what opening leaves for later, or raise CorruptTableError."""
        if isinstance(self.source, mapped.Blocks):
            self.source.verify()


_OPEN: WeakValueDictionary[Path, Table] = WeakValueDictionary()
"""Tables in use, so that a second bot of the same rules costs no second opening."""


def values_sha256(arrays: Mapping[str, NDArray[Any]]) -> str:
    """Return the SHA-256 over the name, type, shape and bytes of arrays, by order of name."""
    digest = hashlib.sha256()
    for name, array in sorted(arrays.items()):
        head = f"{name} {array.dtype.str} {'x'.join(map(str, array.shape))}\n"
        digest.update(head.encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def place_of(name: str) -> str:
    """Return where an array stands in the file."""
    return name if name == VALUES else f"{PARTS}/{name}"


def attributes_of(spec: TableSpec) -> dict[str, Any]:
    """Return the root attributes that say what a table is, in the order they are checked."""
    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "game": spec.game,
        "options": spec.options_json,
        "options_sha256": sha256_of_text(spec.options_json),
        "quantity": spec.quantity,
        "unit": spec.unit,
        "index_version": spec.index_version,
        "index_formula": spec.index_formula,
        "solver_version": spec.solver_version,
        "start_index": spec.start_index,
    }


def open_table(spec: TableSpec, folder: Path) -> Table:
    """Read and check the table of a spec.

    Raises:
        MissingTableError: there is no such file.
        UnreadableTableError: the system does not let it be read.
        CorruptTableError: its bytes are not those of a table that was written.
        MismatchedTableError: it is a table of other rules or of another version.
    """
    path = spec.path(folder)
    known = _file_state(path)
    table = _OPEN.get(path)
    if table is None or table.file_state != known or known is None or table.spec != spec:
        image = read_file(path, spec.what, spec.build_command(folder))
        table = read_table(spec, path, image, folder, known)
        _OPEN[path] = table
    return table


def open_tables() -> list[Path]:
    """Return the files of the tables that this process holds open."""
    return sorted(_OPEN)


def _file_state(path: Path) -> tuple[int, ...] | None:
    """Return what changes when a file is replaced or written to, None if there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


Image = bytes | mapped.Frame
"""What is read of a file at once: all of it, or all but its values."""


def read_file(path: Path, what: str, remedy: str) -> Image:
    """Return what is read of a file at once, its digest being right."""
    expected = f"a file that begins with {MAGIC!r} and its digest"
    anew = remedy if remedy.endswith("--force") else f"{remedy} --force"
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise OSError("not a file")  # a pipe would be waited for
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            header = file.read(BLOCK)
            if len(header) < BLOCK:
                raise CorruptTableError(path, f"at least {BLOCK} bytes", f"{size}", anew)
            magic, length, digest = HEADER.unpack_from(header)
            if magic == mapped.MAGIC:
                return mapped.read_frame(file, header, path, anew)
            if magic != MAGIC:
                raise CorruptTableError(path, expected, repr(magic), anew)
            if header[HEADER.size :].strip(b"\0"):
                raise CorruptTableError(path, "zeros after the header", "other bytes", anew)
            if size != length or size > LARGEST_FILE:
                limit = f"{length} bytes, at most {LARGEST_FILE}"
                raise CorruptTableError(path, limit, f"{size}", anew)
            file.seek(0)
            content = file.read(length + 1)
    except FileNotFoundError:
        raise MissingTableError(path, what, remedy) from None
    except OSError as error:
        raise UnreadableTableError(path, reason_of(error)) from None
    found = hashlib.sha256(memoryview(content)[BLOCK:]).digest()
    if found != digest or len(content) != length:
        raise CorruptTableError(path, f"digest {digest.hex()[:16]}", f"{found.hex()[:16]}", anew)
    return content


@contextlib.contextmanager
def _hdf5(path: Path, image: Image, remedy: str) -> Iterator[h5py.File]:
    """Open the bytes of a file as HDF5; whatever HDF5 cannot read is a corrupt table."""
    try:
        source = io.BytesIO(image) if isinstance(image, bytes) else image.file()
        with h5py.File(source, "r") as file:
            yield file
    except TableError:
        raise
    except _OtherFormError as error:
        raise MismatchedTableError(path, f"{FORMAT} {FORMAT_VERSION}", str(error), remedy) from None
    except Exception as error:  # h5py raises errors of many kinds over bytes that make no sense
        reason = str(error) or type(error).__name__
        raise CorruptTableError(path, "a readable HDF5 table", reason, remedy) from None


class _OtherFormError(ValueError):
    """A table is written as another version of this module writes."""


def _attribute(file: h5py.File, name: str) -> Any:
    """Return a root attribute, None if there is none.

    Raises:
        _OtherFormError: it is text of no fixed length, which another version wrote.
        ValueError: it is no number and no text, or too long.
    """
    if name not in file.attrs:
        return None
    found = file.attrs.get_id(name)
    kind, size = found.get_type(), found.get_storage_size()
    text = isinstance(kind, h5py.h5t.TypeStringID)
    if text and kind.is_variable_str():
        raise _OtherFormError(f"attribute {name}: text of no fixed length, of another version")
    number = isinstance(kind, h5py.h5t.TypeIntegerID | h5py.h5t.TypeFloatID)
    if not (text or number) or found.shape != () or size > _LARGEST_ATTRIBUTE:
        raise ValueError(f"attribute {name}: {size} bytes of {type(kind).__name__}")
    value = file.attrs[name]
    return value.decode() if text else value


def _check_version(file: h5py.File, path: Path, remedy: str) -> None:
    """Check the version of the form of a file, on which depends how all else is to be read."""
    version = _attribute(file, "format_version")
    if version != FORMAT_VERSION:
        wanted = f"format_version {FORMAT_VERSION}"
        raise MismatchedTableError(path, wanted, f"{version}", remedy)


def read_table(
    spec: TableSpec,
    path: Path,
    image: Image,
    folder: Path,
    file_state: tuple[int, ...] | None = None,
) -> Table:
    """Return the table that a file holds, checked, given what :func:`read_file` read of it."""
    remedy = spec.build_command(folder, force=True)
    with _hdf5(path, image, remedy) as file:
        _check_version(file, path, remedy)
        for name, expected in attributes_of(spec).items():
            found = _attribute(file, name)
            if found is None or found != expected:
                raise MismatchedTableError(path, f"{name} {expected}", f"{found}", remedy)
        counts = _counts(_attribute(file, "counts"))
        start_value = float(_attribute(file, "start_value"))
        digest = str(_attribute(file, "values_sha256"))
        built_with = _attribute(file, "built_with")
        if not isinstance(built_with, str):
            raise ValueError("built_with is no text")
        data = _checked_datasets(file, spec, path, remedy)
        source: NDArray[Any] | mapped.Blocks
        arrays = {
            name: read_pieces(data[name], place_of(name), path, remedy, name in spec.plain)
            for name in data
            if isinstance(image, bytes) or name != VALUES
        }
        if isinstance(image, bytes):
            source = arrays[VALUES]
        else:
            arrays[VALUES] = _block_digests(file, data[VALUES].nbytes, path, remedy)
            bounds = spec.least, spec.most
            given = image, path, data[VALUES], arrays[VALUES]
            source = mapped.blocks_of(*given, bounds, remedy)
    found = values_sha256(arrays)
    if found != digest:
        raise CorruptTableError(path, f"values_sha256 {digest}", found, remedy)
    size = len(image) if isinstance(image, bytes) else image.length
    parts = {name: array for name, array in arrays.items() if name != VALUES}
    told = counts, start_value, size, file_state, built_with, digest
    table = Table(spec, path, source, parts, *told)
    _check_values(table, remedy)
    return table


def _check_values(table: Table, remedy: str) -> None:
    """Check that what a table holds can be, however it came about, or raise CorruptTableError."""
    spec, path, source = table.spec, table.path, table.source
    arrays = dict(table.parts)
    if not isinstance(source, mapped.Blocks):
        arrays[VALUES] = source
    for name, array in arrays.items():
        bounds = (spec.least, spec.most) if name == VALUES else (-math.inf, math.inf)
        if (fault := mapped.out_of_bounds(array, bounds)) is not None:
            wanted = f"{name} from {bounds[0]:g} to {bounds[1]:g}, finite"
            raise CorruptTableError(path, wanted, fault, remedy)
    if source.size <= spec.start_index:
        wanted = f"more than {spec.start_index} values"
        raise CorruptTableError(path, wanted, f"{source.size}", remedy)
    at_start = float(table.read(np.array([spec.start_index]), 1).item())
    if at_start != table.start_value:
        raise CorruptTableError(path, f"start_value {table.start_value!r}", f"{at_start!r}", remedy)
    if spec.check is not None:
        try:
            spec.check(arrays)
        except ValueError as error:
            raise CorruptTableError(path, "parts that go together", str(error), remedy) from None


def _checked_datasets(
    file: h5py.File, spec: TableSpec, path: Path, remedy: str
) -> dict[str, h5py.Dataset]:
    """Return the datasets of the spec, unread, after checking that there are no others.

    What all of them hold together is known then, and bounded.
    """
    groups: dict[str, set[str]] = {"/": {VALUES, STRUCTURE}}
    if spec.parts:
        groups["/"].add(PARTS)
        groups[PARTS] = set(spec.parts)
    if spec.mapped:
        groups["/"].add(mapped.BLOCKS)
    for group, names in groups.items():
        _check_names(file, group, names, path, remedy)
    found = {name: _checked_dataset(file, name, spec, path, remedy) for name in spec.arrays}
    size = sum(found[name].nbytes for name, form in spec.arrays.items() if form.is_open_ended)
    if size > LARGEST_ARRAYS:
        wanted = f"arrays of {LARGEST_ARRAYS} bytes at most"
        raise CorruptTableError(path, wanted, f"{size}", remedy)
    return found


def _check_names(file: h5py.File, group: str, names: set[str], path: Path, remedy: str) -> None:
    """Check that a group of a file holds these and nothing else."""
    if group != "/" and not isinstance(file.get(group, getlink=True), h5py.HardLink):
        raise CorruptTableError(path, f"{group} in this file", "none", remedy)
    held = file[group]
    if not isinstance(held, h5py.Group):
        raise CorruptTableError(path, f"a group {group}", "another thing", remedy)
    if len(held) != len(names) or set(held) != names:
        found = f"{len(held)} things, not these"
        raise CorruptTableError(path, f"{', '.join(sorted(names))} in {group}", found, remedy)


def _checked_dataset(
    file: h5py.File, name: str, spec: TableSpec, path: Path, remedy: str
) -> h5py.Dataset:
    """Return a dataset after checking that it is what and where it says."""
    place = place_of(name)
    data = stored_dataset(file, place, path, remedy)
    form = spec.arrays[name]
    if not form.fits(data.dtype, data.shape):
        found = f"{data.dtype.str} of shape {data.shape}"
        raise MismatchedTableError(path, f"{place} {form}", found, remedy)
    return data


def _block_digests(file: h5py.File, size: int, path: Path, remedy: str) -> NDArray[np.uint8]:
    """Return the digests of the blocks of values of so many bytes, if there are so many."""
    data = stored_dataset(file, mapped.BLOCKS, path, remedy)
    shape = (-(-size // mapped.BLOCK_BYTES), 32)
    found = (data.shape, data.dtype.str, data.chunks)
    if found != (shape, "|u1", None):
        raise CorruptTableError(path, f"a digest for each block {shape}", f"{found}", remedy)
    digests: NDArray[np.uint8] = data[()]
    return digests


def _counts(text: Any) -> dict[str, int]:
    """Return the counts of states, or raise ValueError."""
    counts = json.loads(text)
    if not isinstance(counts, dict) or not all(type(n) is int for n in counts.values()):
        raise ValueError("counts are not whole numbers by name")
    return counts


def identity(path: Path, remedy: str) -> tuple[str, dict[str, Any]]:
    """Return the game and the options that a table file says it is of.

    Only the digest is checked, not that the rest is right: open the table of
    that spec for it.

    Raises:
        TableError: as for :func:`open_table`.
    """
    content = read_file(path, path.stem, remedy)
    with _hdf5(path, content, remedy) as file:
        _check_version(file, path, remedy)
        game, options = str(_attribute(file, "game")), json.loads(_attribute(file, "options"))
        if not isinstance(options, dict):
            raise ValueError("options are not a JSON object")
    return game, options


def structure(
    path: Path, expected: Mapping[str, NDArray[Any]], remedy: str
) -> dict[str, NDArray[Any]]:
    """Return the arrays that a table file carries for readers in other languages.

    Args:
        path: the file.
        expected: what it must carry; nothing of another name, type or shape is read.
        remedy: the command that builds it anew.

    Raises:
        TableError: as for :func:`open_table`.
    """
    content = read_file(path, path.stem, remedy)
    with _hdf5(path, content, remedy) as file:
        _check_names(file, STRUCTURE, set(expected), path, remedy)
        found = {}
        for name, wanted in expected.items():
            place = f"{STRUCTURE}/{name}"
            data = stored_dataset(file, place, path, remedy)
            if data.shape != wanted.shape or data.dtype != wanted.dtype:
                words = f"{place}: {wanted.dtype} of shape {wanted.shape}"
                raise CorruptTableError(path, words, f"{data.dtype} of {data.shape}", remedy)
            found[name] = read_pieces(data, place, path, remedy)
        return found


def table_files(folder: Path) -> list[Path]:
    """Return the table files of a folder in order of name; none if there is no folder.

    Raises:
        UnreadableTableError: the folder cannot be read.
    """
    try:
        names = os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise UnreadableTableError(folder, reason_of(error)) from None
    found = (name for name in names if name.endswith(SUFFIX) and not name.startswith("."))
    return [folder / name for name in sorted(found)]
