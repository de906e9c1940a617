"""Values too many to read at once: mapped into memory and checked block by block.

The form.  The user block of the file holds the magic word, the length of the file,
the SHA-256 of all that is not values, and where the values lie: contiguous, as the
dataset ``values``.  The dataset ``block_sha256`` holds the SHA-256 of each block of
``BLOCK_BYTES`` bytes of the values, the last block perhaps shorter.

Reading.  Everything but the values is read and checked before HDF5 sees it; where the
values are it sees zeros.  A block is checked when something in it is first asked for.
"""

from __future__ import annotations

import hashlib
import io
import os
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import h5py
import numpy as np
from numpy.typing import NDArray

from ustad.tables.errors import CorruptTableError

USER_BLOCK = 512
"""Bytes at the head of a file that HDF5 leaves to us."""

MAGIC = b"ustad mapped"
HEADER = struct.Struct("<12sQ32sQQ")
BLOCK_BYTES = 1 << 16
BLOCKS = "block_sha256"

LARGEST_FRAME = 200_000_000
"""Bytes of all but the values, which are read at once."""


@dataclass
class Blocks:
    """The values of a file, mapped, and which of their blocks are known to be sound.

    Attributes:
        path: the file.
        values: the values, read-only.
        digests: (blocks, 32) uint8: the SHA-256 of each block.
        remedy: the command that builds the file anew.
    """

    path: Path
    values: NDArray[Any]
    digests: NDArray[np.uint8]
    remedy: str

    def __post_init__(self) -> None:
        self._bytes: NDArray[np.uint8] = self.values.reshape(-1).view(np.uint8)
        self._sound = np.zeros(len(self.digests), dtype=bool)

    def ensure(self, begin: NDArray[np.int64], count: int) -> None:
        """Check what is not yet checked of the blocks of some runs of values.

        Args:
            begin: (n,) the flat index of the first value of each run.
            count: how many values each run has, at least 1, of at most a block in all.

        Raises:
            CorruptTableError: the bytes of a block are not those that were written.
        """
        size = self.values.itemsize
        first, last = begin * size // BLOCK_BYTES, ((begin + count) * size - 1) // BLOCK_BYTES
        if not (self._sound[first].all() and self._sound[last].all()):
            for block in np.unique(np.concatenate([first, last])).tolist():
                self._check(block)

    def verify(self) -> None:
        """Check all blocks anew, or raise CorruptTableError."""
        self._sound[:] = False
        for block in range(len(self._sound)):
            self._check(block)

    def _check(self, block: int) -> None:
        if self._sound[block]:
            return
        found = _digest(self._bytes, block)
        expected = self.digests[block].tobytes()
        if found != expected:
            wanted = f"digest {expected.hex()[:16]} of block {block} of the values"
            raise CorruptTableError(self.path, wanted, found.hex()[:16], self.remedy)
        self._sound[block] = True


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
    """

    length: int
    offset: int
    size: int
    head: bytes
    rest: bytes

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
    frame = Frame(length, offset, size, head, file.read(length - offset - size))
    if frame.digest() != digest:
        wanted = f"digest {digest.hex()[:16]} of all but the values"
        raise CorruptTableError(path, wanted, frame.digest().hex()[:16], remedy)
    return frame


def map_values(
    frame: Frame, path: Path, data: h5py.Dataset, digests: NDArray[np.uint8], remedy: str
) -> Blocks:
    """Map the values of a file whose dataset of values HDF5 has found."""
    place = (data.id.get_offset(), data.id.get_storage_size())
    if data.chunks is not None or place != (frame.offset, frame.size):
        raise CorruptTableError(path, "values where the header says", f"{place}", remedy)
    mapped = np.memmap(path, data.dtype, "r", frame.offset, data.shape)
    return Blocks(path, mapped, digests, remedy)


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
    frame = Frame(length, offset, size, head, file.read())
    file.seek(0)
    file.write(HEADER.pack(MAGIC, length, frame.digest(), offset, size).ljust(USER_BLOCK, b"\0"))
