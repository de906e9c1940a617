"""Arrays in an HDF5 file: how they are cut and packed here, and read without trust.

Arrays lie in pieces of at most 512 KiB, shuffled and compressed, or plain.  The pieces are
unpacked here and not by HDF5, which would follow a compressed piece to any size.
"""

from __future__ import annotations

import itertools
import math
import zlib
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from ustad.tables.errors import CorruptTableError

COMPRESSION = {"compression": "gzip", "compression_opts": 6, "shuffle": True}

_FILTERS = [h5py.h5z.FILTER_SHUFFLE, h5py.h5z.FILTER_DEFLATE]
_HEADERS = 512
"""Bytes that a packed piece may be longer than twice what it holds."""


def chunks_of(shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    """Return the shape of the pieces in which an array is compressed: at most 512 KiB."""
    sides: list[int] = []
    room = (1 << 19) // itemsize
    for side in reversed(shape):
        sides.append(max(1, min(side, room)))
        room //= sides[-1]
    return tuple(reversed(sides))


def stored_dataset(file: h5py.File, place: str, path: Path, remedy: str) -> h5py.Dataset:
    """Return a dataset after checking that it is stored in this file, as it is written here."""
    groups = [place.rsplit("/", 1)[0]] if "/" in place else []
    for at in (*groups, place):
        if not isinstance(file.get(at, getlink=True), h5py.HardLink):
            raise CorruptTableError(path, f"{at} in this file", "none", remedy)
    data = file[place]
    if not isinstance(data, h5py.Dataset) or data.external is not None or data.is_virtual:
        raise CorruptTableError(path, f"{place} stored in this file", "another thing", remedy)
    return data


def read_pieces(
    data: h5py.Dataset, place: str, path: Path, remedy: str, plain: bool = False
) -> NDArray[Any]:
    """Return an array from its pieces, compressed or plain, each of its right length."""
    plan = data.id.get_create_plist()
    filters = [plan.get_filter(i)[0] for i in range(plan.get_nfilters())]
    chunks = chunks_of(data.shape, data.dtype.itemsize)
    if filters != ([] if plain else _FILTERS) or data.chunks != chunks:
        how = "plain" if plain else "by shuffle and gzip"
        found = f"filters {filters} and pieces of {data.chunks}"
        raise CorruptTableError(path, f"{place} {how} in pieces of {chunks}", found, remedy)
    grid = [range(0, side, step) for side, step in zip(data.shape, chunks, strict=True)]
    pieces = math.prod(map(len, grid))
    if data.id.get_num_chunks() != pieces:
        found = f"{data.id.get_num_chunks()}"
        raise CorruptTableError(path, f"{pieces} pieces of {place}", found, remedy)
    array: NDArray[Any] = np.empty(data.shape, dtype=data.dtype)
    size = math.prod(chunks) * data.dtype.itemsize
    for at in itertools.product(*grid):
        stored = data.id.get_chunk_info_by_coord(at).size
        skipped, packed = (
            data.id.read_direct_chunk(at) if stored <= 2 * size + _HEADERS else (1, b"")
        )
        piece = None if skipped else _inflate(packed, size, plain)
        if piece is None:
            wanted = f"a piece of {place} of {size} bytes at {at}"
            raise CorruptTableError(path, wanted, "another", remedy)
        # Shuffled: the first byte of all numbers, then the second of all, and so on.
        straight = piece if plain else piece.reshape(data.dtype.itemsize, -1).T.copy()
        whole = straight.reshape(-1).view(data.dtype).reshape(chunks)
        room = tuple(slice(a, a + step) for a, step in zip(at, chunks, strict=True))
        inside = array[room]
        inside[...] = whole[tuple(map(slice, inside.shape))]
    array.flags.writeable = False
    return array


def _inflate(packed: bytes, size: int, plain: bool) -> NDArray[np.uint8] | None:
    """Return the bytes that were compressed, None if they are not that many."""
    if plain:
        return np.frombuffer(packed, dtype=np.uint8) if len(packed) == size else None
    unpack = zlib.decompressobj()
    try:
        found = unpack.decompress(packed, size + 1)
    except zlib.error:
        return None
    if len(found) != size or not unpack.eof or unpack.unused_data:
        return None
    return np.frombuffer(found, dtype=np.uint8)
