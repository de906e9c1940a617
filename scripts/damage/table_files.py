"""Damaged table files: each must be refused with a table error of one line.

Files are cut at every region, each byte of the header changed, bits flipped, pages lost or
swapped, exchanged for another game's table or one of another version; and forged under a
right digest: links and storage outside of the file, claims of ten gigabytes, pieces that
unfold without end, bits of HDF5 itself.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import itertools
import math
import os
import random
import struct
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from damage.accidents import accident
from damage.report import LONGEST_WAIT, Progress, Report, peak_memory
from ustad.runtime.core.registry import entry as entry_of
from ustad.tables import (
    CorruptTableError,
    MismatchedTableError,
    Table,
    TableError,
    TableSpec,
    identity,
    open_table,
    pieces,
    store,
    structure,
    writing,
)

USER_BLOCK = 512
HEADER = struct.Struct("<12sQ32s")


@dataclass(frozen=True)
class Sound:
    """A table that was built, and where the regions of its file begin.

    Its content is read when it is asked for: the peak of memory is to be the readers'.
    """

    spec: TableSpec
    folder: Path
    values: str
    regions: tuple[int, ...]
    outside: NDArray[np.int64]

    @property
    def content(self) -> bytes:
        """The bytes of the file."""
        return self.spec.path(self.folder).read_bytes()

    @property
    def table(self) -> Table:
        """The table."""
        return open_table(self.spec, self.folder)


def digest(values: NDArray[Any]) -> str:
    """Return the SHA-256 of values."""
    return hashlib.sha256(np.ascontiguousarray(values).data).hexdigest()


def sound_table(spec: TableSpec, folder: Path) -> Sound:
    """Return a table with the places at which its file is worth cutting or changing."""
    path = spec.path(folder)
    content = path.read_bytes()
    places: list[tuple[int, int]] = []
    objects: list[int] = []

    def visit(_: str, thing: Any) -> None:
        objects.append(h5py.h5o.get_info(thing.id).addr)
        if isinstance(thing, h5py.Dataset) and thing.chunks is not None:
            for number in range(thing.id.get_num_chunks()):
                info = thing.id.get_chunk_info(number)
                places.append((info.byte_offset, info.size))

    with h5py.File(path, "r") as file:
        file.visititems(visit)
    begins = {0, *HEADER_FIELDS, USER_BLOCK, USER_BLOCK + 96, *objects}
    begins |= {USER_BLOCK + at for at in objects}
    begins |= {at for begin, size in places for at in (begin, begin + size // 2, begin + size)}
    covered = np.zeros(len(content), dtype=bool)
    covered[:USER_BLOCK] = True
    for begin, size in places:
        covered[begin : begin + size] = True
    regions = tuple(sorted(at for at in begins if at < len(content)))
    values = digest(open_table(spec, folder).values)
    return Sound(spec, folder, values, regions, np.flatnonzero(~covered))


SYSTEMATIC = 0.7
"""The share of cases that are systematic rather than random, if so many there are."""

HEADER_FIELDS = (12, 20, 52)
"""Where the length, the digest and the zeros of the header begin."""


def sealed(body: bytes, length: int | None = None) -> bytes:
    """Return a table file of this body under a right digest."""
    size = USER_BLOCK + len(body) if length is None else length
    header = HEADER.pack(b"ustad table\n", size, hashlib.sha256(body).digest())
    return header.ljust(USER_BLOCK, b"\0") + body


Expected = tuple[type[TableError], ...]
Case = tuple[str, bytes, Expected]
CORRUPT: Expected = (CorruptTableError,)
MISMATCHED: Expected = (MismatchedTableError,)
EITHER: Expected = (CorruptTableError, MismatchedTableError)


def systematic_damage(sound: Sound, others: Sequence[Sound]) -> Iterator[Case]:
    """Yield the damage that is done to every table: a name, the bytes, the errors allowed."""
    content = sound.content
    for at in sound.regions:
        for size in {max(at - 1, 0), at, at + 1} - {len(content)}:
            yield f"cut at {size}", content[:size], CORRUPT
    for at in range(USER_BLOCK):
        changed = bytearray(content)
        changed[at] ^= 1 << at % 8
        yield f"header byte {at}", bytes(changed), CORRUPT
    yield "nothing", b"", CORRUPT
    yield "one byte more", content + b"\0", CORRUPT
    yield "twice", content * 2, CORRUPT
    yield "without its header", content[USER_BLOCK:], CORRUPT
    yield "packed", gzip.compress(content, 1), CORRUPT
    yield "as text", content.replace(b"\n", b"\r\n"), CORRUPT
    yield "through another code page", content.decode("latin-1").encode("utf-8"), CORRUPT
    for length in (0, 511, 512, 10**10, 2**63, 2**64 - 1):
        yield f"claims {length} bytes", sealed(content[USER_BLOCK:], length), CORRUPT
    for other in others:
        if other.spec != sound.spec:
            yield f"the table of {other.spec.what}", other.content, MISMATCHED


def random_damage(sound: Sound, luck: random.Random) -> Case:
    """Return a damage by accident, often where HDF5 keeps its own bytes."""
    if luck.random() < 0.15:
        content, at = bytearray(sound.content), int(luck.choice(sound.outside))
        content[at] ^= 1 << luck.randrange(8)
        return f"a bit of HDF5 at {at}", bytes(content), CORRUPT
    what, changed = accident(sound.content, luck)
    return what, changed, CORRUPT


def random_forgery(sound: Sound, luck: random.Random) -> Case:
    """Return a file with bits of HDF5 or of its values changed under a right digest.

    Where the change means nothing, the table may open, with the right values.
    """
    content = bytearray(sound.content)
    places: Sequence[int] = range(USER_BLOCK, len(content))
    if luck.random() < 0.9:
        places = sound.outside  # type: ignore[assignment]
    for _ in range(luck.choice([1, 1, 1, 2, 8])):
        how, at = luck.randrange(4), int(luck.choice(places))
        if how == 0:
            content[at] ^= 1 << luck.randrange(8)
        elif how == 1:
            content[at] = luck.choice([0, 1, 0x7F, 0x80, 0xFF, luck.randrange(256)])
        else:
            width = luck.choice([2, 4, 8])
            number = luck.choice([0, 1, 2**31, 2**40, 10**10, 2**63, 2**64 - 1])
            content[at : at + width] = (number % 256**width).to_bytes(width, "little")
    return "forged bits", sealed(bytes(content[USER_BLOCK:])), EITHER


def forgeries(sound: Sound, work: Path) -> Iterator[Case]:
    """Yield files that HDF5 reads and that are not what they should be, under a right digest."""
    outside = work / "outside.h5"
    values = np.asarray(sound.table.values)
    with h5py.File(outside, "w") as file:
        file["values"] = values
    raw = work / "outside.raw"
    raw.write_bytes(values.tobytes())
    usual: dict[str, Any] = {
        "chunks": pieces.chunks_of(values.shape, values.itemsize),
        "compression": "gzip",
        "shuffle": True,
    }

    halves = (*usual["chunks"][:-1], usual["chunks"][-1] // 2)

    def put(file: h5py.File, data: Any = None, **how: Any) -> None:
        del file["values"]
        file.create_dataset("values", data=data, **how)

    def put_values(file: h5py.File, data: Any) -> None:
        put(file, data, **usual)
        arrays = {"values": np.asarray(data), **sound.table.parts}
        writing.set_attribute(file, "values_sha256", store.values_sha256(arrays))
        file.attrs["start_value"] = float(arrays["values"].flat[sound.spec.start_index])

    def put_part(file: h5py.File, name: str, rows: int) -> None:
        array = sound.table.parts[name]
        shape = (rows if rows > 0 else len(array) + rows, *array.shape[1:])
        changed = array[: shape[0]]
        place, chunks = f"parts/{name}", pieces.chunks_of(shape, array.itemsize)
        plain = name in sound.spec.plain
        how = {"chunks": chunks} if plain else {**usual, "chunks": chunks}
        del file[place]
        if rows > 0:
            file.create_dataset(place, shape=shape, dtype=array.dtype, **how)
            return
        file.create_dataset(place, data=changed, **how)
        arrays = {"values": values, **sound.table.parts, name: changed}
        writing.set_attribute(file, "values_sha256", store.values_sha256(arrays))

    def link(file: h5py.File, to: Any) -> None:
        file.move("values", "elsewhere")
        file["values"] = to

    def virtual(file: h5py.File, source: str) -> None:
        file.move("values", "elsewhere")
        layout = h5py.VirtualLayout(shape=values.shape, dtype=values.dtype)
        layout[...] = h5py.VirtualSource(source, "elsewhere", shape=values.shape)
        file.create_virtual_dataset("values", layout)

    def unfold(file: h5py.File) -> None:
        stream = zlib.compressobj(1)
        zeros = b"".join(stream.compress(bytes(10**7)) for _ in range(60)) + stream.flush()
        put(file, shape=values.shape, dtype=values.dtype, **usual)
        file["values"].id.write_direct_chunk((0,) * values.ndim, zeros)

    def attribute(name: str, value: Any) -> Callable[[h5py.File], None]:
        if isinstance(value, str):
            return lambda file: writing.set_attribute(file, name, value)
        return lambda file: file.attrs.__setitem__(name, value)

    other = values.copy()
    other.flat[-1] += 1
    changes: dict[str, tuple[Callable[[h5py.File], None], Expected]] = {
        "a link to another file": (
            lambda file: link(file, h5py.ExternalLink(str(outside), "values")), CORRUPT),
        "a link within": (lambda file: link(file, h5py.SoftLink("/elsewhere")), CORRUPT),
        "a link to itself": (lambda file: link(file, h5py.SoftLink("/values")), CORRUPT),
        "storage outside": (
            lambda file: put(file, shape=values.shape, dtype=values.dtype,
                             external=[(str(raw), 0, values.nbytes)]), CORRUPT),
        "storage in a device": (
            lambda file: put(file, shape=values.shape, dtype=values.dtype,
                             external=[("/dev/zero", 0, values.nbytes)]), CORRUPT),
        "virtual values": (lambda file: virtual(file, "."), CORRUPT),
        "virtual values of another file": (lambda file: virtual(file, str(outside)), CORRUPT),
        "ten gigabytes of values": (
            lambda file: put(file, shape=(10**10 // 8,), dtype="<f8", chunks=(1 << 16,),
                             compression="gzip", shuffle=True), EITHER),
        "ten gigabytes in one piece": (
            lambda file: put(file, shape=values.shape, maxshape=(None,) * values.ndim,
                             dtype=values.dtype, compression="gzip", shuffle=True,
                             chunks=(*(1,) * (values.ndim - 1), 2**32 // 8 - 1)), CORRUPT),
        "a piece without end": (unfold, CORRUPT),
        "no pieces": (
            lambda file: put(file, shape=values.shape, dtype=values.dtype, **usual), CORRUPT),
        "no filters": (lambda file: put(file, values), CORRUPT),
        "other pieces": (lambda file: put(file, values, **{**usual, "chunks": halves}), CORRUPT),
        "another filter": (lambda file: put(file, values, compression="lzf"), CORRUPT),
        "another type": (lambda file: put(file, values.astype(">f4")), MISMATCHED),
        "another shape": (lambda file: put(file, values[:-1]), EITHER),
        "no numbers": (lambda file: put(file, np.full(3, b"text")), MISMATCHED),
        "a group for values": (
            lambda file: (file.move("values", "old"), file.create_group("values"))[1], CORRUPT),
        "no values": (lambda file: file.__delitem__("values"), CORRUPT),
        "other values": (
            lambda file: put(file, other, **usual), CORRUPT),
        "another start value": (attribute("start_value", 0.125), CORRUPT),
        "a start value that is none": (attribute("start_value", float("nan")), CORRUPT),
        "deep counts": (attribute("counts", "[" * 60_000), CORRUPT),
        "counts with NaN": (attribute("counts", '{"states": NaN}'), CORRUPT),
        "keys twice": (
            attribute("options", sound.spec.options_json.replace("{", '{"x":1,"x":2,', 1)),
            MISMATCHED),
        "another game": (attribute("game", "chess"), MISMATCHED),
        "long text": (attribute("unit", "points\n" * 9_000), MISMATCHED),
        "text in a heap": (
            lambda file: file.attrs.__setitem__("format", "ustad table"), MISMATCHED),
        "a number for text": (attribute("quantity", 7), MISMATCHED),
        "many numbers for one": (attribute("index_version", [1, 2, 3]), EITHER),
        "what no table has": (
            lambda file: file.create_dataset("more", (2**46, 0), "<f8"), CORRUPT),
        "thousands of arrays": (
            lambda file: [file.create_dataset(f"x{n}", data=n) for n in range(3000)], CORRUPT),
    }  # fmt: skip
    for part, form in sound.spec.parts.items():
        if form.is_open_ended:
            changes[f"{part} too short"] = (partial(put_part, name=part, rows=-1), CORRUPT)
            changes[f"{part} without end"] = (partial(put_part, name=part, rows=2**40), EITHER)
    for name in ("format_version", "index_version", "solver_version"):
        changes[f"an older {name}"] = (attribute(name, 0), MISMATCHED)
        changes[f"a newer {name}"] = (attribute(name, 2**40), MISMATCHED)
    if values.dtype.kind == "f":
        for number in (math.nan, math.inf, -math.inf, 1e308, -1e308):
            changed = values.copy()
            changed.flat[values.size // 2] = number
            changes[f"{number} among the values"] = (
                lambda file, changed=changed: put_values(file, changed), CORRUPT)  # fmt: skip
    if sound.spec.check is not None and values.dtype.kind == "f":
        changes["zeros for values"] = (lambda file: put_values(file, 0 * values), CORRUPT)
    copy = work / "forged.h5"
    for name, (change, expected) in changes.items():
        copy.write_bytes(sound.content)
        with h5py.File(copy, "r+") as file:
            change(file)
        yield f"forged: {name}", sealed(copy.read_bytes()[USER_BLOCK:]), expected


def check_table(sound: Sound, case: Case, folder: Path, report: Report) -> None:
    """Give a file to every reader of tables."""
    name, content, expected = case
    path = sound.spec.path(folder)
    path.write_bytes(content)
    os.utime(path, ns=(report.cases, report.cases))  # never the file that was read before
    report.cases += 1
    where = f"{sound.spec.what}: {name}"
    if content == sound.content:  # a page of zeros that was lost, for instance
        return
    found: Any
    readers: list[Callable[[], Any]] = [lambda: open_table(sound.spec, folder)]
    if name.startswith("forged"):
        carried = entry_of(sound.spec.game).tables.structure(sound.spec.options)
        readers.append(lambda: identity(path, "build it"))
        readers.append(lambda: structure(path, carried, "build it"))
    for read in readers:
        begin = time.perf_counter()
        try:
            found = read()
        except TableError as error:
            message = str(error)
            report.answers[error.kind] += 1
            right = read is not readers[0] or isinstance(error, expected)
            report.check(right, f"{where}: {error.kind}: {message}")
            report.check("\n" not in message and len(message) < 2000, f"{where}: {message[:300]}")
        except Exception as error:
            report.faults.append(f"{where}: {type(error).__name__}: {error}")
        else:
            if isinstance(found, Table):
                report.answers["opened"] += 1
                report.check(name == "forged bits", f"{where}: opened")
                report.check(digest(found.values) == sound.values, f"{where}: wrong values")
        report.check(time.perf_counter() - begin < LONGEST_WAIT, f"{where}: hangs")


def damage_tables(
    specs: Sequence[TableSpec],
    folder: Path,
    count: int,
    seed: int,
    progress: Progress = lambda done, name: None,
) -> Report:
    """Damage tables and see that every reader refuses them.

    Args:
        specs: the tables, built in the folder.
        folder: where they are.
        count: how many damaged files; those that are systematic come first.
        seed: what the random ones are drawn from.
        progress: called before each case.
    """
    report = Report()
    luck = random.Random(seed)
    sounds = [sound_table(spec, folder) for spec in specs]
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        for sound in sounds:
            share = SYSTEMATIC * count / len(sounds)
            chance = share / (USER_BLOCK + 3 * len(sound.regions) + 60)
            for case in itertools.chain(forgeries(sound, work), systematic_damage(sound, sounds)):
                if luck.random() < chance:
                    progress(report.cases, f"{sound.spec.what}: {case[0]}")
                    check_table(sound, case, work, report)
        small = sorted(sounds, key=lambda sound: sound.spec.path(folder).stat().st_size)[
            : max(len(sounds) // 3, 1)
        ]
        while report.cases < count:
            if luck.random() < 0.5:
                sound = luck.choice(sounds)
                case = random_damage(sound, luck)
            else:
                sound = luck.choice(small if luck.random() < 0.9 else sounds)
                case = random_forgery(sound, luck)
            progress(report.cases, f"{sound.spec.what}: {case[0]}")
            check_table(sound, case, work, report)
        sparse = sounds[0].spec.path(work)
        with sparse.open("wb") as file:
            file.write(sealed(b"", 10**10))
            file.truncate(10**10)
        report.cases += 1
        with contextlib.suppress(CorruptTableError):
            open_table(sounds[0].spec, work)
            report.faults.append("a file of ten gigabytes: opened")
    report.peak = peak_memory()
    return report
