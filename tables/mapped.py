"""Values too many to read at once: read and checked block by block.

The form.  The user block of the file holds the magic word, the length of the file,
the SHA-256 of all that is not values, and where the values lie: contiguous, as the
dataset ``values``.  The dataset ``block_sha256`` holds the SHA-256 of each block of
``BLOCK_BYTES`` bytes of the values, the last block perhaps shorter.

Reading.  Everything but the values is read and checked before HDF5 sees it; where the
values are it sees zeros.  A block is read when something in it is first asked for, and
what is checked is what was read: numbers come from copies of our own alone.  A file in
mapped memory would change under the reader when somebody writes to it, and end the
process when somebody cuts it short.
"""

from __future__ import annotations

import hashlib
import io
import math
import os
import struct
import weakref
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import IO, Any

import h5py
import numpy as np
from numpy.typing import NDArray

from ustad.tables.errors import CorruptTableError, UnreadableTableError, reason_of

USER_BLOCK = 512
"""Bytes at the head of a file that HDF5 leaves to us."""

MAGIC = b"ustad mapped"
HEADER = struct.Struct("<12sQ32sQQ")
BLOCK_BYTES = 1 << 16
BLOCKS = "block_sha256"

LARGEST_FRAME = 200_000_000
"""Bytes of all but the values, which are read at once."""


BLOCKS_KEPT = 2048
"""Blocks that are kept once they are read: 128 MiB."""


class _File:
    """An open file that is read at any place, by any thread, and closed with its last user."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = os.dup(descriptor)
        self._lock = Lock()
        weakref.finalize(self, os.close, self._descriptor)

    def read(self, at: int, size: int) -> bytes:
        """Return the bytes from a place on, fewer if the file ends."""
        if hasattr(os, "pread"):
            return os.pread(self._descriptor, size, at)
        with self._lock:  # Windows
            os.lseek(self._descriptor, at, os.SEEK_SET)
            return os.read(self._descriptor, size)


@dataclass(eq=False)
class Blocks:
    """The values of a file, read block by block.

    Attributes:
        path: the file.
        file: the same, open: whoever puts another file in its place changes nothing here.
        offset: where the values begin.
        dtype: their type.
        shape: their shape.
        bounds: the least and the greatest that a value may be.
        digests: (blocks, 32) uint8: the SHA-256 of each block.
        remedy: the command that builds the file anew.
    """

    path: Path
    file: _File
    offset: int
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    bounds: tuple[float, float]
    digests: NDArray[np.uint8]
    remedy: str

    def __post_init__(self) -> None:
        self._kept: OrderedDict[int, NDArray[np.uint8]] = OrderedDict()
        self._lock = Lock()

    @property
    def size(self) -> int:
        """How many values there are."""
        return math.prod(self.shape)

    def read(self, begin: NDArray[np.int64], count: int) -> NDArray[Any]:
        """Return runs of values.

        Args:
            begin: (n,) the flat index of the first value of each run.
            count: how many values each run has, at least 1.

        Returns:
            (n, count) of the type of the values.

        Raises:
            CorruptTableError: the bytes of a block are not those that were written.
            IndexError: a run is not within the values.
        """
        if len(begin) and not 0 <= begin.min() <= begin.max() <= self.size - count:
            raise IndexError(f"runs of {count} out of {self.size} values")
        length = count * self.dtype.itemsize
        raw = np.empty((len(begin), length), dtype=np.uint8)
        for row, low in zip(raw, (begin * self.dtype.itemsize).tolist(), strict=True):
            filled = 0
            while filled < length:
                number, at = divmod(low + filled, BLOCK_BYTES)
                part = self._block(number)[at : at + length - filled]
                row[filled : filled + len(part)] = part
                filled += len(part)
        return raw.view(self.dtype)

    def all(self) -> NDArray[Any]:
        """Return all values, checked; as long as they are held they take all their room."""
        raw = np.empty(self.size * self.dtype.itemsize, dtype=np.uint8)
        for number in range(len(self.digests)):
            begin = number * BLOCK_BYTES
            raw[begin : begin + BLOCK_BYTES] = self._read_block(number)
        found = raw.view(self.dtype).reshape(self.shape)
        found.flags.writeable = False
        return found

    def verify(self) -> None:
        """Check all blocks anew, or raise CorruptTableError."""
        for number in range(len(self.digests)):
            self._read_block(number)

    def _block(self, number: int) -> NDArray[np.uint8]:
        """Return the bytes of a block, from those that are kept if it is among them."""
        with self._lock:
            found = self._kept.get(number)
            if found is not None:
                self._kept.move_to_end(number)
                return found
        found = self._read_block(number)
        with self._lock:
            self._kept[number] = found
            if len(self._kept) > BLOCKS_KEPT:
                self._kept.popitem(last=False)
        return found

    def _read_block(self, number: int) -> NDArray[np.uint8]:
        """Read and check a block."""
        begin = number * BLOCK_BYTES
        size = min(BLOCK_BYTES, self.size * self.dtype.itemsize - begin)
        try:
            content = self.file.read(self.offset + begin, size)
        except OSError as error:
            raise UnreadableTableError(self.path, reason_of(error)) from None
        found, expected = hashlib.sha256(content).digest(), self.digests[number].tobytes()
        if found != expected:
            wanted = f"digest {expected.hex()[:16]} of block {number} of the values"
            raise CorruptTableError(self.path, wanted, found.hex()[:16], self.remedy)
        raw = np.frombuffer(content, dtype=np.uint8)
        if (fault := out_of_bounds(raw.view(self.dtype), self.bounds)) is not None:
            wanted = f"values from {self.bounds[0]:g} to {self.bounds[1]:g}"
            raise CorruptTableError(self.path, wanted, fault, self.remedy)
        return raw


def out_of_bounds(values: NDArray[Any], bounds: tuple[float, float]) -> str | None:
    """Return a value that is not finite or out of bounds, in words, None if all are right."""
    if values.size:
        least, most = float(values.min()), float(values.max())  # NaN if one is NaN
        for value, right in ((least, least >= bounds[0]), (most, most <= bounds[1])):
            if not (right and math.isfinite(value)):
                return repr(value)
    return None


def block_digests(values: NDArray[Any]) -> NDArray[np.uint8]:
    """Return (blocks, 32) uint8: the SHA-256 of each block of the values."""
    raw = np.ascontiguousarray(values).reshape(-1).view(np.uint8)
    digests = b"".join(_digest(raw, block) for block in range(-(-len(raw) // BLOCK_BYTES)))
    return np.frombuffer(digests, dtype=np.uint8).reshape(-1, 32)


def _digest(raw: NDArray[np.uint8], block: int) -> bytes:
    part = raw[block * BLOCK_BYTES : (block + 1) * BLOCK_BYTES]
    return hashlib.sha256(part.data).digest()


@dataclass(frozen=True)
class Frame:
    """All of a file but its values.

    Attributes:
        length: of the file in bytes.
        offset: where the values begin.
        size: how many bytes they have.
        head: the bytes before them.
        rest: the bytes after them.
        source: the file, open.
    """

    length: int
    offset: int
    size: int
    head: bytes
    rest: bytes
    source: _File

    def digest(self) -> bytes:
        """Return the SHA-256 of where the values lie and of all else but the user block."""
        digest = hashlib.sha256(struct.pack("<QQ", self.offset, self.size))
        digest.update(memoryview(self.head)[USER_BLOCK:])
        digest.update(self.rest)
        return digest.digest()

    def file(self) -> IO[bytes]:
        """Return the file as HDF5 may see it: with zeros for values."""
        return _Framed(self)  # type: ignore[return-value]


class _Framed(io.RawIOBase):
    """A :class:`Frame` as a file that can be read."""

    def __init__(self, frame: Frame) -> None:
        super().__init__()
        self._frame = frame
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._frame.length}
        self._at = start[whence] + offset
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer).cast("B")
        end = min(self._at + len(view), self._frame.length)
        size = max(end - self._at, 0)
        view[:size] = bytes(size)
        rest = self._frame.offset + self._frame.size
        for begin, part in ((0, self._frame.head), (rest, self._frame.rest)):
            low, high = max(self._at, begin), min(end, begin + len(part))
            if low < high:
                view[low - self._at : high - self._at] = part[low - begin : high - begin]
        self._at = max(end, self._at)
        return size


def read_frame(file: IO[bytes], header: bytes, path: Path, remedy: str) -> Frame:
    """Return all of an open file but its values after checking its digest.

    Raises:
        CorruptTableError: its bytes are not those of a table that was written.
    """
    found = os.fstat(file.fileno()).st_size
    _, length, digest, offset, size = HEADER.unpack_from(header)
    if found != length or not USER_BLOCK <= offset <= offset + size <= length:
        raise CorruptTableError(path, f"{length} bytes", f"{found}", remedy)
    if header[HEADER.size :].strip(b"\0"):
        raise CorruptTableError(path, "zeros after the header", "other bytes", remedy)
    if length - size > LARGEST_FRAME:
        limit = f"at most {LARGEST_FRAME} bytes beside the values"
        raise CorruptTableError(path, limit, f"{length - size}", remedy)
    file.seek(0)
    head = file.read(offset)
    file.seek(offset + size)
    rest = file.read(length - offset - size)
    frame = Frame(length, offset, size, head, rest, _File(file.fileno()))
    if frame.digest() != digest:
        wanted = f"digest {digest.hex()[:16]} of all but the values"
        raise CorruptTableError(path, wanted, frame.digest().hex()[:16], remedy)
    return frame


def blocks_of(
    frame: Frame,
    path: Path,
    data: h5py.Dataset,
    digests: NDArray[np.uint8],
    bounds: tuple[float, float],
    remedy: str,
) -> Blocks:
    """Return the values of a file whose dataset of values HDF5 has found."""
    place = (data.id.get_offset(), data.id.get_storage_size())
    size = math.prod(data.shape) * data.dtype.itemsize
    if data.chunks is not None or place != (frame.offset, frame.size) or size != frame.size:
        raise CorruptTableError(path, "values where the header says", f"{place}", remedy)
    where = path, frame.source, frame.offset
    return Blocks(*where, data.dtype, data.shape, bounds, digests, remedy)


def write(
    file: IO[bytes],
    values: NDArray[Any],
    digests: NDArray[np.uint8],
    fill: Callable[[h5py.File], None],
) -> None:
    """Write a file of mapped values.

    Args:
        file: open for reading and writing, empty.
        values: the values.
        digests: those of their blocks.
        fill: writes everything else.
    """
    with h5py.File(file, "w", userblock_size=USER_BLOCK, libver="v108") as hdf5:
        fill(hdf5)
        hdf5.create_dataset(BLOCKS, data=digests, track_times=False)
        data = hdf5.create_dataset("values", data=values, track_times=False)
        offset, size = data.id.get_offset(), data.id.get_storage_size()
    length = file.seek(0, os.SEEK_END)
    file.seek(0)
    head = file.read(offset)
    file.seek(offset + size)
    frame = Frame(length, offset, size, head, file.read(), _File(file.fileno()))
    file.seek(0)
    file.write(HEADER.pack(MAGIC, length, frame.digest(), offset, size).ljust(USER_BLOCK, b"\0"))
