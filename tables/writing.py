"""Writing table files: whole or not at all, and read back before they count.

The file is made in memory, written, flushed, read back and checked, and only then put in place,
see :mod:`ustad.tables.files`.  Nothing in a file depends on when or where it was written, but
``built_with``, the versions of what wrote it.  :mod:`ustad.tables.store` says what it holds.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import platform
import zlib
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import IO, Any

import h5py
import numpy as np
from numpy.typing import NDArray

from ustad.tables import mapped
from ustad.tables.errors import TableWriteError, reason_of
from ustad.tables.files import put_file, temporary_file
from ustad.tables.pieces import COMPRESSION, chunks_of
from ustad.tables.spec import TableSpec
from ustad.tables.store import (
    BLOCK,
    HEADER,
    MAGIC,
    STRUCTURE,
    VALUES,
    attributes_of,
    place_of,
    read_file,
    read_table,
    values_sha256,
)

_BUILDERS = ("ustad", "numpy", "h5py", "numba", "llvmlite", "scipy")


def write_table(
    spec: TableSpec,
    folder: Path,
    values: NDArray[Any],
    counts: Mapping[str, int],
    structure: Mapping[str, NDArray[Any]],
    parts: Mapping[str, NDArray[Any]] | None = None,
) -> Path:
    """Write a table into a folder, replacing an old one at the last moment.

    Args:
        spec: what the table is.
        folder: made if it is not there.
        values: of the type and shape of the spec, within its bounds.
        counts: how many states of each kind it covers.
        structure: arrays for readers in other languages, by name.
        parts: the further arrays that the spec names.

    Returns:
        The path of the file.

    Raises:
        TableWriteError: the folder cannot be written or is full; an old file
            stays whole.
        ValueError: the values are not what the spec says.
    """
    arrays = {VALUES: values, **(parts or {})}
    fits = arrays.keys() == spec.arrays.keys() and all(
        form.fits(arrays[name].dtype, arrays[name].shape) for name, form in spec.arrays.items()
    )
    fault = mapped.out_of_bounds(values, (spec.least, spec.most)) if fits else "others"
    if fault is not None:
        expected = ", ".join(f"{name} {form}" for name, form in spec.arrays.items())
        raise ValueError(f"table of {spec.what}: expected {expected}, finite; found {fault}")
    if spec.check is not None:
        spec.check(arrays)
    path = spec.path(folder)

    def write(file: IO[bytes]) -> None:
        (_write_mapped if spec.mapped else _write_whole)(file, spec, arrays, counts, structure)

    put_file(path, write, lambda temporary: _check_written(spec, temporary, folder, arrays))
    return path


def check_writable(spec: TableSpec, folder: Path) -> None:
    """Make the folder if it is not there and see that a file can be made in it.

    Worth asking before hours of work.

    Raises:
        TableWriteError: it cannot.
    """
    path = spec.path(folder)
    try:
        if path.exists() and not path.is_file():
            raise TableWriteError(path, "something that is no file stands in its place")
        temporary, handle = temporary_file(path)
        os.close(handle)
        temporary.unlink()
    except OSError as error:
        raise TableWriteError(path, reason_of(error)) from error


def _built_with() -> str:
    """Return the versions of what writes a file now."""
    found = [f"Python {platform.python_version()}", f"HDF5 {h5py.version.hdf5_version}"]
    for name in _BUILDERS:
        with contextlib.suppress(PackageNotFoundError):
            found.append(f"{name} {version(name)}")
    return ", ".join([*found, f"zlib {zlib.ZLIB_RUNTIME_VERSION}", platform.machine()])


def _write_whole(
    file: IO[bytes],
    spec: TableSpec,
    arrays: Mapping[str, NDArray[Any]],
    counts: Mapping[str, int],
    structure: Mapping[str, NDArray[Any]],
) -> None:
    """Write a table file that is read whole, user block included."""
    buffer = io.BytesIO()
    with h5py.File(buffer, "w", userblock_size=BLOCK, libver="v108") as hdf5:
        _fill(hdf5, spec, arrays, arrays, counts, structure)
        _add_array(hdf5, spec, VALUES, arrays[VALUES])
    with buffer.getbuffer() as content:
        header = HEADER.pack(MAGIC, len(content), hashlib.sha256(content[BLOCK:]).digest())
        content[: len(header)] = header
        file.write(content)
        digest = hashlib.sha256(content).digest()
    file.flush()
    file.seek(0)
    if hashlib.file_digest(file, "sha256").digest() != digest:  # type: ignore[arg-type]
        raise OSError("what was written does not read back the same")


def _write_mapped(
    file: IO[bytes],
    spec: TableSpec,
    arrays: Mapping[str, NDArray[Any]],
    counts: Mapping[str, int],
    structure: Mapping[str, NDArray[Any]],
) -> None:
    """Write a table file whose values are mapped."""
    values = arrays[VALUES]
    digests = mapped.block_digests(values)
    hashed = {**arrays, VALUES: digests}
    mapped.write(
        file, values, digests, lambda hdf5: _fill(hdf5, spec, arrays, hashed, counts, structure)
    )


def _check_written(
    spec: TableSpec, path: Path, folder: Path, arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Read a file piece by piece, so that no second copy is needed, and compare it."""
    if spec.mapped:
        image = read_file(path, spec.what, spec.build_command(folder))
        table = read_table(spec, path, image, folder)
        table.verify()
        return
    # HDF5 gets the open file and not its name, which it would want to lock.
    with path.open("rb") as written, h5py.File(written, "r") as file:
        for name, array in arrays.items():
            data = file[place_of(name)]
            if not all(np.array_equal(data[at], array[at]) for at in data.iter_chunks()):
                raise OSError(f"{name} does not read back the same")


def _fill(
    file: h5py.File,
    spec: TableSpec,
    arrays: Mapping[str, NDArray[Any]],
    hashed: Mapping[str, NDArray[Any]],
    counts: Mapping[str, int],
    structure: Mapping[str, NDArray[Any]],
) -> None:
    """Write all of a table but its values.

    ``hashed`` holds what ``values_sha256`` is over: the arrays, mapped values by their
    blocks' digests.
    """
    attributes = {
        **attributes_of(spec),
        "counts": json.dumps(dict(counts), sort_keys=True),
        "start_value": float(arrays[VALUES].flat[spec.start_index]),
        "values_sha256": values_sha256(hashed),
        "built_with": _built_with(),
    }
    for attribute, value in attributes.items():
        set_attribute(file, attribute, value)
    for name, array in arrays.items():
        if name != VALUES:
            _add_array(file, spec, name, array)
    group = file.create_group(STRUCTURE)
    for name, array in structure.items():
        chunks = chunks_of(array.shape, array.itemsize)
        group.create_dataset(name, data=array, chunks=chunks, track_times=False, **COMPRESSION)


def _add_array(file: h5py.File, spec: TableSpec, name: str, array: NDArray[Any]) -> None:
    chunks = chunks_of(array.shape, array.itemsize)
    packing = {} if name in spec.plain else COMPRESSION
    file.create_dataset(place_of(name), data=array, chunks=chunks, track_times=False, **packing)


def set_attribute(file: h5py.File, name: str, value: str | float) -> None:
    """Write a root attribute, text with its length.

    The text of no fixed length that h5py writes by itself lies in a heap, and over a
    heap that was damaged HDF5 can run for ever.
    """
    if isinstance(value, str):
        raw = value.encode()
        kind = h5py.string_dtype("utf-8", len(raw))
        file.attrs.create(name, np.array(raw, dtype=kind), dtype=kind)
    else:
        file.attrs[name] = value
