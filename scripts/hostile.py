"""Give every reader what it must refuse, and stop builds at any moment.

Four parts, each with a seed, so that what fails can be run again:

``tables``  damaged table files: cut at every region, each byte of the header changed, bits
            flipped, pages lost or swapped, another game's table, other rules, other versions;
            and forgeries under a right digest: links and storage outside of the file, claims of
            ten gigabytes, pieces that unfold without end, bits of HDF5 itself.
``lines``   requests to a running ``ustad serve``: sound ones, and such whose values, keys, text
            or bytes were changed; NaN and infinities, keys twice, deep and huge JSON.
``kills``   builds that are killed at random moments.
``folders`` builds on a full disk, in a folder that cannot be written, two at once, and with a
            reader beside them.

What must hold: every damaged file is refused with a table error of one line; every line gets
one answer, and never an internal error; no number is wrong; nothing crashes or hangs; no reader
takes more than 500 MB; after every killed or failed build the old table is there, whole, and
nothing else is taken for a table.  Whatever does not hold is told, and the exit status is 1.

    python scripts/hostile.py --tables 20000 --lines 1000000 --kills 200 --seed 0
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import hashlib
import itertools
import json
import math
import os
import random
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from ustad.runtime.advice import Advisor, read_position
from ustad.runtime.errors import UstadError
from ustad.runtime.games import NAMES, game_type
from ustad.runtime.serve import METHODS
from ustad.runtime.strict_json import LARGEST_TEXT, loads
from ustad.tables import (
    CorruptTableError,
    MismatchedTableError,
    Table,
    TableError,
    TableSpec,
    TableWriteError,
    identity,
    open_table,
    store,
    structure,
    table_files,
    write_table,
)

MOST_MEMORY = 500e6
"""Bytes that a reader may take at its peak."""

LONGEST_WAIT = 120.0
"""Seconds after which a case counts as one that hangs."""

USER_BLOCK = 512
HEADER = struct.Struct("<12sQ32s")


@dataclass
class Report:
    """What a part found."""

    cases: int = 0
    answers: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    peak: float = 0.0

    def check(self, holds: bool, fault: str) -> None:
        """Note a fault unless something holds."""
        if not holds:
            self.faults.append(fault)


def peak_memory() -> float:
    """Return the bytes that this process took at its peak."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return float(peak * (1 if sys.platform == "darwin" else 1024))


# Tables


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
    pieces: list[tuple[int, int]] = []
    objects: list[int] = []

    def visit(_: str, thing: Any) -> None:
        objects.append(h5py.h5o.get_info(thing.id).addr)
        if isinstance(thing, h5py.Dataset) and thing.chunks is not None:
            for number in range(thing.id.get_num_chunks()):
                info = thing.id.get_chunk_info(number)
                pieces.append((info.byte_offset, info.size))

    with h5py.File(path, "r") as file:
        file.visititems(visit)
    begins = {0, *HEADER_FIELDS, USER_BLOCK, USER_BLOCK + 96, *objects}
    begins |= {USER_BLOCK + at for at in objects}
    begins |= {at for begin, size in pieces for at in (begin, begin + size // 2, begin + size)}
    covered = np.zeros(len(content), dtype=bool)
    covered[:USER_BLOCK] = True
    for begin, size in pieces:
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
    """Return a damage by accident: somewhere, bytes are not what was written."""
    content = bytearray(sound.content)
    page = 4096
    kind = luck.choice(["bit", "bits", "hdf5", "lost", "swapped", "inserted", "removed", "cut"])
    at = luck.randrange(len(content))
    if kind == "bit":
        content[at] ^= 1 << luck.randrange(8)
    elif kind == "bits":
        for _ in range(luck.randrange(2, 50)):
            content[luck.randrange(len(content))] ^= luck.randrange(1, 256)
    elif kind == "hdf5":
        content[int(luck.choice(sound.outside))] ^= 1 << luck.randrange(8)
    elif kind == "lost":
        at -= at % page
        content[at : at + page] = bytes(len(content[at : at + page]))
    elif kind == "swapped":
        first, second = (page * luck.randrange(max(len(content) // page, 1)) for _ in range(2))
        one, two = bytes(content[first : first + page]), bytes(content[second : second + page])
        content[first : first + page], content[second : second + page] = two, one
    elif kind == "inserted":
        content[at:at] = luck.randbytes(luck.randrange(1, 20))
    elif kind == "removed":
        del content[at : at + luck.randrange(1, 20)]
    else:
        del content[at:]
    return f"{kind} at {at}", bytes(content), CORRUPT


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
        "chunks": store._chunks(values.shape, values.itemsize),
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
        store._set_attribute(file, "values_sha256", store.values_sha256(arrays))
        file.attrs["start_value"] = float(arrays["values"].flat[sound.spec.start_index])

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
        file["values"].id.write_direct_chunk((0,) * values.ndim, zeros)

    def attribute(name: str, value: Any) -> Callable[[h5py.File], None]:
        if isinstance(value, str):
            return lambda file: store._set_attribute(file, name, value)
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
            lambda file: file.attrs.__setitem__("format", "ustad table"), CORRUPT),
        "a number for text": (attribute("quantity", 7), MISMATCHED),
        "many numbers for one": (attribute("index_version", [1, 2, 3]), EITHER),
    }  # fmt: skip
    for name in ("format_version", "index_version", "solver_version"):
        changes[f"an older {name}"] = (attribute(name, 0), MISMATCHED)
        changes[f"a newer {name}"] = (attribute(name, 2**40), MISMATCHED)
    if values.dtype.kind == "f":
        for number in (math.nan, math.inf, -math.inf):
            changed = values.copy()
            changed.flat[values.size // 2] = number
            changes[f"{number} among the values"] = (
                lambda file, changed=changed: put_values(file, changed), CORRUPT)  # fmt: skip
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
        readers += [lambda: identity(path, "build it"), lambda: structure(path, "build it")]
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
    begin: Callable[[str], None] = lambda name: None,
) -> Report:
    """Damage tables and see that every reader refuses them.

    Args:
        specs: the tables, built in the folder.
        folder: where they are.
        count: how many damaged files; those that are systematic come first.
        seed: what the random ones are drawn from.
        begin: called with each table before its cases, and with each random case.
    """
    report = Report()
    luck = random.Random(seed)
    sounds = [sound_table(spec, folder) for spec in specs]
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        for sound in sounds:
            begin(sound.spec.what)
            share = SYSTEMATIC * count / len(sounds)
            chance = share / (USER_BLOCK + 3 * len(sound.regions) + 60)
            for case in itertools.chain(forgeries(sound, work), systematic_damage(sound, sounds)):
                if luck.random() < chance:
                    check_table(sound, case, work, report)
        small = sorted(sounds, key=lambda sound: sound.spec.path(folder).stat().st_size)[
            : max(len(sounds) // 3, 1)
        ]
        while report.cases < count:
            begin(f"random case {report.cases}")
            if luck.random() < 0.5:
                sound = luck.choice(sounds)
                case = random_damage(sound, luck)
            else:
                sound = luck.choice(small if luck.random() < 0.9 else sounds)
                case = random_forgery(sound, luck)
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


# Lines


HOSTILE_VALUES: tuple[Any, ...] = (
    None, True, False, -1, 0, 1, 2, 3, 5, 6, 7, 13, 2**31, 2**63, -(2**63), 10**400, 0.5, -0.0,
    1e308, 5e-324, "", "x", "yacht", "expert", "0", "\0", "\ud800", "उस्ताद", "x" * 1000, [], {},
    [[]], [None] * 5, [1, 2, 3, 4, 5], [0] * 1000, {"keep": [1]}, {"": 0}, {"write": "ones"},
)  # fmt: skip

HOSTILE_TEXTS = (
    "NaN", "Infinity", "-Infinity", "1e999", "-1e999", "01", "1.", ".5", "+1", "0x10", "'x'", "",
    "nul", "[", "]", "{", "}", '"', "\\", ",", ":", "\ufeff", "\u2028", "/**/", "9" * 5000,
    "1" + "0" * 400, "[" * 100, '{"a":' * 100, '"\\ud800"', '"\\u0000"', '{"a":1,"a":2}',
)  # fmt: skip


def sound_requests(luck: random.Random, count: int) -> list[dict[str, Any]]:
    """Return requests that are right, over positions of games played at random."""
    requests: list[dict[str, Any]] = []
    for game in NAMES:
        kind = game_type(game)
        left = count // len(NAMES)
        while left > 0:
            rules = kind.game(kind.read_options({}))
            players = luck.randint(kind.least_players, kind.most_players)
            state = rules.deal(players, (luck.randrange(2**32),))
            while not state.is_over() and left > 0:
                position = kind.state_to_json(state)
                seed = luck.randrange(2**32)
                if state.current_player() < 0:
                    outcomes = state.chance_outcomes()
                    step = outcomes[luck.randrange(len(outcomes))][0]
                    given: dict[str, Any] = {"outcome": kind.outcome_to_json(step)}
                else:
                    step = luck.choice(list(state.legal_moves()))
                    given = {"move": kind.move_to_json(step)}
                if luck.random() < 0.1:
                    some = luck.choice([{"seed": seed}, {"level": "easy"}, {"level": "expert"}])
                    request = luck.choice(
                        [
                            {"method": "legal", "position": position},
                            {"method": "apply", "position": position, **given},
                            {"method": "ask", "position": position, "level": "hard", "top": 3},
                            {"method": "move", "position": position, **some},
                            {"method": "new", "game": game, "players": players, "seed": seed},
                        ]
                    )
                    requests.append({"id": len(requests), **request})
                    left -= 1
                state = state.apply(step)
    return requests


SLOW = 1e-4
"""How many lines are made of requests that take long: bots that search."""


def sorted_by_speed(
    requests: Sequence[dict[str, Any]], advisor: Advisor
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the requests that are answered in five milliseconds, and those that are not."""
    fast: list[dict[str, Any]] = []
    slow: list[dict[str, Any]] = []
    for request in requests:
        given = {key: value for key, value in request.items() if key not in ("id", "method")}
        answer = getattr(advisor, request["method"])
        begin = 0.0
        for _ in range(2):  # the second is what counts: a table is opened once
            begin = time.perf_counter()
            with contextlib.suppress(UstadError, TableError):  # a move while dice are to fall
                answer(**given)
        (fast if time.perf_counter() - begin < 0.005 else slow).append(request)
    return fast, slow


def places(value: Any, way: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the way to every value inside of a JSON value."""
    found = [way]
    if isinstance(value, dict | list):
        inside: Any = value.items() if isinstance(value, dict) else enumerate(value)
        for key, part in inside:
            found += places(part, (*way, key))
    return found


def changed_request(request: Mapping[str, Any], luck: random.Random) -> Any:
    """Return a request with one value, key or item changed, removed, added or doubled."""
    copy: Any = json.loads(json.dumps(request))
    *way, last = luck.choice(places(copy)[1:])
    holder = copy
    for key in way:
        holder = holder[key]
    value, how = holder[last], luck.randrange(7)
    if how == 0:
        del holder[last]
    elif how == 1 and isinstance(holder, dict):
        holder[luck.choice(["x", "", last + " ", last.upper(), "extra"])] = holder.pop(last)
    elif how == 2 and isinstance(holder, list):
        holder.insert(last, value)
    elif how == 3 and isinstance(value, int):
        holder[last] = value + luck.choice([-1, 1])
    elif how == 4:
        deep: Any = value
        for _ in range(luck.choice([1, 2, 50])):
            deep = [deep] if luck.random() < 0.5 else {"a": deep}
        holder[last] = deep
    elif how == 5 and isinstance(value, list):
        luck.shuffle(value)
    else:
        holder[last] = luck.choice(HOSTILE_VALUES)
    return copy


def hostile_line(requests: Sequence[Mapping[str, Any]], luck: random.Random) -> bytes:
    """Return one line, without its end: a right request now and then, mostly a wrong one."""
    request: Any = luck.choice(requests)
    for _ in range(luck.choice([0, 1, 1, 1, 2, 3])):
        request = changed_request(request, luck)
        if not isinstance(request, dict) or len(places(request)) < 2:
            break
    text = json.dumps(request, ensure_ascii=luck.random() < 0.5)
    how = luck.random()
    if how < 0.10:
        at = luck.randrange(len(text))
        text = text[:at] + luck.choice(HOSTILE_TEXTS) + text[at + luck.randrange(3) :]
    elif how < 0.15:  # a key twice
        text = text.replace("{", '{"id": 1, "method": "legal", ', 1)
    elif how < 0.1502:
        text = luck.choice(["[", '{"a":', '{"position":[']) * luck.choice([1000, 10**5])
    elif how < 0.1504:
        text = text[:-1] + ', "x": "' + "x" * luck.choice([10**5, LARGEST_TEXT]) + '"}'
    line = bytearray(text.encode("utf-8", "surrogatepass"))
    how = luck.random()
    if how < 0.08:
        for _ in range(luck.choice([1, 1, 3])):
            line[luck.randrange(len(line))] = luck.randrange(256)
    elif how < 0.12:
        del line[luck.randrange(len(line)) :]
    elif how < 0.13:
        line = bytearray(luck.randbytes(luck.randrange(200)))
    return bytes(line).replace(b"\n", b" ")


KINDS = {
    "json", "usage", "position", "option", "move", "outcome", "missing_table", "missing_package",
}  # fmt: skip
"""What a line may be refused as; a table that was never built may be asked for."""


def check_answer(line: bytes, text: bytes, advisor: Advisor | None, report: Report) -> None:
    """Check the answer to a line; with an adviser, that the same is answered once more."""
    shown = f"{line[:400]!r} -> {text[:300]!r}"

    def no_number(name: str) -> Any:
        raise ValueError(f"{name} in an answer")

    try:
        answer = json.loads(text, parse_constant=no_number)
        request = loads(line.decode("utf-8"), "request")
    except UstadError:
        request = None
    except UnicodeDecodeError:
        request = None
    except ValueError as error:
        report.faults.append(f"{shown}: {error}")
        return
    if (
        request is not None
        and isinstance(request, dict)
        and not isinstance(request.get("id"), dict | list)
    ):
        report.check(answer.get("id") == request.get("id"), f"{shown}: another id")
    if "error" in answer:
        kind, message = answer["error"]["kind"], answer["error"]["message"]
        report.answers[kind] += 1
        report.check(kind in KINDS, shown)
        report.check("\n" not in message and len(message) < 2000, shown)
        return
    report.answers["answered"] += 1
    if not isinstance(request, dict) or request.get("method") not in METHODS:
        report.faults.append(f"{shown}: an answer to no request")
        return
    if advisor is not None and "position" in request:
        # The same position, written as the game writes it, must have the same answer.
        game, state = read_position(request["position"])
        given = {key: value for key, value in request.items() if key not in ("id", "method")}
        given = {key: value for key, value in given.items() if value is not None}
        given["position"] = game.state_to_json(state)
        again = getattr(advisor, request["method"])(**given)
        report.check(json.loads(json.dumps(again)) == answer["result"], f"{shown}: {again}")


def send_lines(folder: Path, count: int, seed: int, progress: Callable[[int], None]) -> Report:
    """Send lines to a running ``ustad serve`` and check every answer.

    Args:
        folder: of the tables.
        count: how many lines.
        seed: what they are drawn from.
        progress: called with the lines sent.
    """
    report, luck = Report(), random.Random(seed)
    advisor = Advisor(folder)
    fast, slow = sorted_by_speed(sound_requests(luck, 1000), advisor)
    command = [sys.executable, "-m", "ustad.runtime", "serve", "--tables", str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        while report.cases < count and server.poll() is None:
            lines = [
                hostile_line(slow if slow and luck.random() < SLOW else fast, luck)
                for _ in range(min(1000, count - report.cases))
            ]
            asked = [line for line in lines if line.strip()]
            watch = threading.Timer(LONGEST_WAIT, server.kill)
            watch.start()
            sent = b"".join(line + b"\n" for line in lines)
            writer = threading.Thread(target=_send, args=(server.stdin, sent))
            writer.start()
            for line in asked:
                text = server.stdout.readline()
                if not text.endswith(b"\n"):
                    report.faults.append(f"{line[:400]!r}: the server ended or hangs")
                    break
                check_answer(line, text, advisor if luck.random() < 0.02 else None, report)
            writer.join()
            watch.cancel()
            report.cases += len(lines)
            progress(report.cases)
        report.peak = _peak_of(server.pid)
        with contextlib.suppress(OSError):
            server.stdin.close()
        report.check(server.stdout.read() == b"", "more answers than lines")
        report.check(server.wait(LONGEST_WAIT) == 0, f"the server left with {server.returncode}")
    return report


def _send(stream: Any, content: bytes) -> None:
    with contextlib.suppress(BrokenPipeError):
        stream.write(content)
        stream.flush()


def _peak_of(process: int) -> float:
    """Return the peak memory of a running process in bytes, 0 where nobody tells."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((1024.0 * int(li.split()[1]) for li in lines if li.startswith("VmHWM")), 0.0)


# Builds


Build = Callable[[], object]


def in_child(work: Build) -> int:
    """Start work in a copy of this process, compiled code included, and return its number."""
    process = os.fork()
    if process:
        return process
    status = 1
    try:
        work()
        status = 0
    finally:
        os._exit(status)


def check_folder(folder: Path, whole: Mapping[Path, bytes], report: Report, what: str) -> None:
    """See that the tables of a folder are whole and that nothing else is taken for one."""
    present = table_files(folder)
    report.check(set(present) <= set(whole), f"{what}: {present} taken for tables")
    for path in present:
        report.check(path.read_bytes() == whole[path], f"{what}: {path.name} is not whole")
    left = [path.name for path in folder.iterdir() if path not in whole]
    hidden = all(name.startswith(".") and name.endswith(".part") for name in left)
    report.check(hidden, f"{what}: {left} left behind")


def builder(game: str, options: Mapping[str, Any], folder: Path) -> Build:
    """Return what builds a table anew."""
    from ustad.solver.build import build_table

    return lambda: build_table(game_type(game), options, folder, force=True)


def rewriter(table: Table, folder: Path) -> Build:
    """Return what writes a table again and again."""

    def write() -> None:
        while True:
            write_table(table.spec, folder, table.values, table.counts, {}, table.parts)

    return write


def kill_builds(specs: Sequence[TableSpec], count: int, seed: int) -> Report:
    """Kill builds at random moments: half of them while they solve, half while they write."""
    report, luck = Report(), random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        for number, spec in enumerate(specs):
            folder = Path(name) / str(number)
            build = builder(spec.game, spec.options, folder)
            build()
            begin = time.perf_counter()
            build()
            seconds = time.perf_counter() - begin
            path = spec.path(folder)
            table = open_table(spec, folder)
            rewrite = rewriter(table, folder)
            built = path.read_bytes()
            write_table(spec, folder, table.values, table.counts, {}, table.parts)
            rewritten = path.read_bytes()
            for case in range(number, count, len(specs)):
                whole = {path: built if case % 2 else rewritten}
                work, longest = (build, 1.1 * seconds) if case % 2 else (rewrite, 0.1)
                if luck.random() < 0.2:
                    path.unlink(missing_ok=True)  # the first build of all
                else:
                    path.write_bytes(whole[path])
                process = in_child(work)
                time.sleep(luck.uniform(0, longest))
                os.kill(process, signal.SIGKILL)
                _, status = os.waitpid(process, 0)
                report.cases += 1
                report.answers["killed" if os.WIFSIGNALED(status) else "built before"] += 1
                check_folder(folder, whole, report, f"kill {case}")
            left = list(folder.glob(".*.part"))
            report.answers["left a temporary file"] += len(left)
            for part in left:
                os.utime(part, (0, 0))  # long ago
            build()
            report.check(list(folder.iterdir()) == [path], f"{spec.what}: left over files stay")
            report.check(path.read_bytes() == built, f"{spec.what}: not the same bytes")
    return report


def fill_disks(specs: Sequence[TableSpec], count: int, seed: int) -> Report:
    """Build where a file may have so many bytes and no more."""
    report, luck = Report(), random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for spec in specs:
            build = builder(spec.game, spec.options, folder)
            build()
            path = spec.path(folder)
            whole = {path: path.read_bytes()}

            def limited(build: Build = build, size: int = len(whole[path])) -> None:
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                limit = luck.randrange(size)
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
                try:
                    build()
                except TableWriteError as error:
                    os._exit(0 if "make room" in str(error) else 2)

            for _ in range(count // len(specs)):
                luck.random()  # the child draws from a copy
                _, status = os.waitpid(in_child(limited), 0)
                # A child that ends without an error built on a full disk: that is a fault too.
                report.check(os.waitstatus_to_exitcode(status) == 0, f"{spec.what}: no error")
                report.cases += 1
                report.answers["table_write"] += 1
                check_folder(folder, whole, report, "full disk")
                left = [p.name for p in folder.iterdir() if p.name.startswith(".")]
                report.check(not left, f"{left} left behind on a full disk")
            path.unlink()
    return report


def build_together(specs: Sequence[TableSpec], count: int) -> Report:
    """Build one table twice at once while somebody reads it."""
    report = Report()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for spec in specs:
            build = builder(spec.game, spec.options, folder)
            build()
            path = spec.path(folder)
            whole = {path: path.read_bytes()}
            values = open_table(spec, folder).values.tobytes()
            for _ in range(max(count // len(specs), 1)):
                running = {in_child(build), in_child(build)}
                while running:
                    try:
                        found = open_table(spec, folder).values.tobytes()
                        report.answers["read meanwhile"] += 1
                        report.check(found == values, f"{spec.what}: wrong values meanwhile")
                    except TableError as error:
                        report.faults.append(f"{spec.what}: a reader meanwhile: {error}")
                    process, status = os.waitpid(-1, os.WNOHANG)
                    if process in running:
                        running.remove(process)
                        report.check(status == 0, f"{spec.what}: a build at once failed")
                        report.cases += 1
                check_folder(folder, whole, report, "two at once")
                report.check(list(folder.iterdir()) == [path], f"{spec.what}: files left behind")
            path.unlink()
    return report


MOUNTED = {
    "a full disk": (
        "mount -t tmpfs -o size={size} none {mount} && cp {tables}/* {mount}",
        "No space left on device",
    ),
    "a folder that cannot be written": (
        "mount --bind {tables} {mount} && mount -o remount,bind,ro {mount}",
        "Read-only file system",
    ),
}
"""File systems that only the kernel can make: how, and what it says."""


def mounted_folders(spec: TableSpec) -> Report:
    """Build, ask and verify on a full disk and where nothing can be written (Linux)."""
    report = Report()
    try:
        subprocess.run(["unshare", "-rm", "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        report.answers["no file systems to be had here"] += 1
        return report
    with tempfile.TemporaryDirectory() as name:
        tables, mount = Path(name) / "tables", Path(name) / "mount"
        mount.mkdir()
        builder(spec.game, spec.options, tables)()
        size = int(1.5 * spec.path(tables).stat().st_size)
        for what, (how, said) in MOUNTED.items():
            ustad = f"{sys.executable} -m ustad.runtime"
            words = spec.build_command(mount, force=True).split(" ", 1)[1]
            script = (
                f"{how.format(size=size, mount=mount, tables=tables)} && "
                f"{{ {ustad} {words} >/dev/null 2>&1; "
                f"{ustad} {words} 2>&1 | tail -n 1; "
                f"ls -A {mount} | wc -l; {ustad} verify --tables {mount} | tail -n 1; }}"
            )
            command = ["unshare", "-rm", "sh", "-c", script]
            run = subprocess.run(command, capture_output=True, text=True)
            report.cases += 1
            lines = run.stdout.splitlines()
            right = len(lines) == 3 and said in lines[0] and "cannot write the table" in lines[0]
            right = right and lines[1:] == ["1", "1 tables, 0 bad"]
            report.answers["table_write"] += right
            report.check(right, f"{what}: {run.stdout}{run.stderr}")
    return report


# All of it


def default_specs() -> list[TableSpec]:
    """Return the tables that a default build makes."""
    kinds = map(game_type, NAMES)
    return [kind.table_spec(options) for kind in kinds for options in kind.table_options()]


def quick(specs: Sequence[TableSpec], folder: Path, count: int = 3) -> list[TableSpec]:
    """Return the tables that are built soonest, code being compiled, at most one of a game."""
    seconds: dict[str, tuple[float, TableSpec]] = {}
    for spec in sorted(specs, key=lambda spec: spec.path(folder).stat().st_size):
        if spec.game not in seconds:
            build = builder(spec.game, spec.options, folder)
            build()
            begin = time.perf_counter()
            build()
            seconds[spec.game] = (time.perf_counter() - begin, spec)
    return [spec for _, spec in sorted(seconds.values(), key=lambda pair: pair[0])[:count]]


def apart(part: str, folder: Path, count: int, seed: int) -> Report:
    """Run a part that reads in a process of its own: it may crash, hang or take memory."""
    command = [sys.executable, __file__, "--part", part, "--folder", str(folder)]
    command += ["--count", str(count), "--seed", str(seed)]
    report, last, told = Report(), "the start", ""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("{"):
                told = line
            else:
                last = line.strip()
        status = process.wait()
    if told:
        found = json.loads(told)
        report = Report(found["cases"], Counter(found["answers"]), found["faults"], found["peak"])
    report.check(status == 0, f"{part}: the process left with {status} at {last}")
    return report


def _run_part(args: argparse.Namespace) -> int:
    folder = Path(args.folder)
    if args.part == "tables":
        report = damage_tables(
            default_specs(), folder, args.count, args.seed, lambda name: print(name, flush=True)
        )
    else:
        report = send_lines(folder, args.count, args.seed, lambda sent: print(sent, flush=True))
    print(json.dumps(vars(replace(report, faults=report.faults[:100]))))
    return 0


def main() -> int:
    """Run all parts, or those that are asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", type=int, default=20_000, metavar="N", help="damaged files")
    parser.add_argument("--lines", type=int, default=1_000_000, metavar="N", help="requests")
    parser.add_argument("--kills", type=int, default=200, metavar="N", help="builds killed")
    parser.add_argument("--seed", type=int, default=0)
    for flag in ("--part", "--folder"):
        parser.add_argument(flag, help=argparse.SUPPRESS)
    parser.add_argument("--count", type=int, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.part:
        return _run_part(args)
    specs = default_specs()
    bad = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for spec in specs:
            builder(spec.game, spec.options, folder)()
        few = quick(specs, folder) if args.kills else []
        parts: dict[str, Callable[[], Report]] = {}
        if args.tables:
            parts["damaged tables"] = lambda: apart("tables", folder, args.tables, args.seed)
        if args.lines:
            parts["lines"] = lambda: apart("lines", folder, args.lines, args.seed)
        if args.kills:
            parts["killed builds"] = lambda: kill_builds(few, args.kills, args.seed)
            parts["full disks"] = lambda: fill_disks(few, max(args.kills // 4, 3), args.seed)
            parts["builds at once"] = lambda: build_together(few, max(args.kills // 10, 3))
            parts["file systems"] = lambda: mounted_folders(few[0])
        for part, run in parts.items():
            begin = time.perf_counter()
            report = run()
            report.check(report.peak <= MOST_MEMORY, f"{part}: {report.peak / 1e6:.0f} MB")
            told = ", ".join(f"{count:,} {what}" for what, count in report.answers.most_common())
            memory = f", peak {report.peak / 1e6:.0f} MB" if report.peak else ""
            seconds = time.perf_counter() - begin
            print(f"{part}: {report.cases:,} in {seconds:.0f} s{memory}: {told}", flush=True)
            for fault in report.faults:
                print(f"  FAULT {fault}", flush=True)
            bad += len(report.faults)
    print(f"{bad} faults")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
