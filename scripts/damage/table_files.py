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


Change = Callable[[h5py.File], object]


def attribute(name: str, value: Any) -> Change:
    """Return the change that gives a file another root attribute."""
    if isinstance(value, str):
        return lambda file: writing.set_attribute(file, name, value)
    return lambda file: file.attrs.__setitem__(name, value)


class Forger:
    """Changes a table file through HDF5; each change takes the open file.

    Args:
        sound: the table.
        work: a folder for files that forged ones point at.
    """

    def __init__(self, sound: Sound, work: Path) -> None:
        self.sound = sound
        self.values = np.asarray(sound.table.values)
        self.outside, self.raw = work / "outside.h5", work / "outside.raw"
        with h5py.File(self.outside, "w") as file:
            file["values"] = self.values
        self.raw.write_bytes(self.values.tobytes())
        self.usual: dict[str, Any] = {
            "chunks": pieces.chunks_of(self.values.shape, self.values.itemsize),
            "compression": "gzip",
            "shuffle": True,
        }
        self.alike: dict[str, Any] = {"shape": self.values.shape, "dtype": self.values.dtype}

    def put(self, data: Any = None, **how: Any) -> Change:
        """Put other values in, or the same in another way; nothing is said of them."""

        def change(file: h5py.File) -> None:
            del file["values"]
            file.create_dataset("values", data=data, **how)

        return change

    def put_values(self, data: Any) -> Change:
        """Put other values in, with their digest and start value."""

        def change(file: h5py.File) -> None:
            self.put(data, **self.usual)(file)
            self._seal(file, values=np.asarray(data))
            file.attrs["start_value"] = float(np.asarray(data).flat[self.sound.spec.start_index])

        return change

    def put_part(self, name: str, rows: int) -> Change:
        """Claim so many rows of a part, or leave out so many, with the right digest."""

        def change(file: h5py.File) -> None:
            array = self.sound.table.parts[name]
            shape = (rows if rows > 0 else len(array) + rows, *array.shape[1:])
            chunks = pieces.chunks_of(shape, array.itemsize)
            plain = name in self.sound.spec.plain
            how = ({} if plain else self.usual) | {"chunks": chunks}
            place = f"parts/{name}"
            del file[place]
            if rows > 0:
                file.create_dataset(
                    place, shape=shape, dtype=array.dtype, **how | {"chunks": chunks}
                )
                return
            changed = array[: shape[0]]
            file.create_dataset(place, data=changed, **how)
            self._seal(file, **{name: changed})

        return change

    def _seal(self, file: h5py.File, **changed: Any) -> None:
        arrays = {"values": self.values, **self.sound.table.parts, **changed}
        writing.set_attribute(file, "values_sha256", store.values_sha256(arrays))

    def link(self, to: Any) -> Change:
        """Put a link in the place of the values."""

        def change(file: h5py.File) -> None:
            file.move("values", "elsewhere")
            file["values"] = to

        return change

    def virtual(self, source: str) -> Change:
        """Let the values be those of another dataset."""

        def change(file: h5py.File) -> None:
            file.move("values", "elsewhere")
            layout = h5py.VirtualLayout(**self.alike)
            layout[...] = h5py.VirtualSource(source, "elsewhere", shape=self.values.shape)
            file.create_virtual_dataset("values", layout)

        return change

    def unfold(self, file: h5py.File) -> None:
        """Let a small piece of the values unfold to 600 million bytes."""
        stream = zlib.compressobj(1)
        zeros = b"".join(stream.compress(bytes(10**7)) for _ in range(60)) + stream.flush()
        self.put(**self.alike, **self.usual)(file)
        file["values"].id.write_direct_chunk((0,) * self.values.ndim, zeros)

    def places(self) -> Iterator[tuple[str, Change, Expected]]:
        """Yield values that lie elsewhere."""
        put, link, size = self.put, self.link, self.values.nbytes
        to_file = h5py.ExternalLink(str(self.outside), "values")
        yield "a link to another file", link(to_file), CORRUPT
        yield "a link within", link(h5py.SoftLink("/elsewhere")), CORRUPT
        yield "a link to itself", link(h5py.SoftLink("/values")), CORRUPT
        for name, place in (("storage outside", self.raw), ("storage in a device", "/dev/zero")):
            yield name, put(**self.alike, external=[(str(place), 0, size)]), CORRUPT
        yield "virtual values", self.virtual("."), CORRUPT
        yield "virtual values of another file", self.virtual(str(self.outside)), CORRUPT

    def forms(self) -> Iterator[tuple[str, Change, Expected]]:
        """Yield values of another size, cut or packed in another way, or of another type."""
        put, values, usual = self.put, self.values, self.usual
        packed = {"compression": "gzip", "shuffle": True}
        ten = put(shape=(10**10 // 8,), dtype="<f8", chunks=(1 << 16,), **packed)
        yield "ten gigabytes of values", ten, EITHER
        one_piece = (*(1,) * (values.ndim - 1), 2**32 // 8 - 1)
        endless = {**self.alike, "maxshape": (None,) * values.ndim, "chunks": one_piece}
        yield "ten gigabytes in one piece", put(**endless, **packed), CORRUPT
        yield "a piece without end", self.unfold, CORRUPT
        yield "no pieces", put(**self.alike, **usual), CORRUPT
        yield "no filters", put(values), CORRUPT
        halves = (*usual["chunks"][:-1], usual["chunks"][-1] // 2)
        yield "other pieces", put(values, **{**usual, "chunks": halves}), CORRUPT
        yield "another filter", put(values, compression="lzf"), CORRUPT
        yield "another type", put(values.astype(">f4")), MISMATCHED
        yield "another shape", put(values[:-1]), EITHER
        yield "no numbers", put(np.full(3, b"text")), MISMATCHED

        def group(file: h5py.File) -> None:
            file.move("values", "old")
            file.create_group("values")

        yield "a group for values", group, CORRUPT
        yield "no values", lambda file: file.__delitem__("values"), CORRUPT
        other = values.copy()
        other.flat[-1] += 1
        yield "other values", put(other, **usual), CORRUPT

    def attributes(self) -> Iterator[tuple[str, Change, Expected]]:
        """Yield attributes that say something else, and things that no table has."""
        options = self.sound.spec.options_json.replace("{", '{"x":1,"x":2,', 1)
        yield "another start value", attribute("start_value", 0.125), CORRUPT
        yield "a start value that is none", attribute("start_value", float("nan")), CORRUPT
        yield "deep counts", attribute("counts", "[" * 60_000), CORRUPT
        yield "counts with NaN", attribute("counts", '{"states": NaN}'), CORRUPT
        yield "keys twice", attribute("options", options), MISMATCHED
        yield "another game", attribute("game", "chess"), MISMATCHED
        yield "long text", attribute("unit", "points\n" * 9_000), MISMATCHED
        yield (
            "text in a heap",
            lambda file: file.attrs.__setitem__("format", "ustad table"),
            MISMATCHED,
        )
        yield "a number for text", attribute("quantity", 7), MISMATCHED
        yield "many numbers for one", attribute("index_version", [1, 2, 3]), EITHER
        yield (
            "what no table has",
            lambda file: file.create_dataset("more", (2**46, 0), "<f8"),
            CORRUPT,
        )
        yield (
            "thousands of arrays",
            lambda file: [file.create_dataset(f"x{n}", data=n) for n in range(3000)],
            CORRUPT,
        )
        for name in ("format_version", "index_version", "solver_version"):
            yield f"an older {name}", attribute(name, 0), MISMATCHED
            yield f"a newer {name}", attribute(name, 2**40), MISMATCHED

    def numbers(self) -> Iterator[tuple[str, Change, Expected]]:
        """Yield parts of another length, and values that cannot be, with right digests."""
        for part, form in self.sound.spec.parts.items():
            if form.is_open_ended:
                yield f"{part} too short", self.put_part(part, -1), CORRUPT
                yield f"{part} without end", self.put_part(part, 2**40), EITHER
        if self.values.dtype.kind != "f":
            return
        for number in (math.nan, math.inf, -math.inf, 1e308, -1e308):
            changed = self.values.copy()
            changed.flat[changed.size // 2] = number
            yield f"{number} among the values", self.put_values(changed), CORRUPT
        if self.sound.spec.check is not None:
            yield "zeros for values", self.put_values(0 * self.values), CORRUPT


def forgeries(sound: Sound, work: Path) -> Iterator[Case]:
    """Yield files that HDF5 reads and that are not what they should be, under a right digest."""
    forger, copy = Forger(sound, work), work / "forged.h5"
    kinds = forger.places(), forger.forms(), forger.attributes(), forger.numbers()
    for name, change, expected in itertools.chain(*kinds):
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
