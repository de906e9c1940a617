"""Table files: what goes in comes out, and whatever is not that file is refused.

The forged files here carry a right digest (``sealed``): they test what is checked
after it.
"""

from __future__ import annotations

import contextlib
import errno
import gc
import hashlib
import json
import os
import random
import struct
import subprocess
import sys
import time
import tracemalloc
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ustad.tables import (
    CorruptTableError,
    MismatchedTableError,
    MissingTableError,
    Table,
    TableError,
    TableSpec,
    TableWriteError,
    UnreadableTableError,
    files,
    identity,
    open_table,
    store,
    structure,
    table_files,
    write_table,
)

SPEC = TableSpec(
    game="nim",
    options={"heaps": 3, "misere": False, "rule": "last takes"},
    quantity="what the mover wins",
    unit="points",
    index_version=4,
    index_formula="values[heap]",
    shape=(40, 5),
    start_index=7,
    parts={"column": ("<i2", (6,))},
)
VALUES = np.random.default_rng(1).normal(size=(40, 5))
PARTS = {"column": np.arange(6, dtype="<i2")}
STRUCTURE = {"rolls": np.arange(10, dtype=np.uint8), "chances": np.eye(3)}
COUNTS = {"states": 200, "values": 200}


def write(folder: Path, spec: TableSpec = SPEC, values: Any = VALUES) -> Path:
    return write_table(spec, folder, values, COUNTS, STRUCTURE, PARTS)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A sound table file in a folder of its own."""
    return write(tmp_path)


def refused(path: Path, kind: type[TableError] = CorruptTableError, spec: TableSpec = SPEC) -> str:
    """Assert that the file is refused in one line that names it and the way out."""
    with pytest.raises(TableError) as error:
        open_table(spec, path.parent)
    message = str(error.value)
    assert type(error.value) is kind, message
    assert str(path) in message
    assert "ustad build nim --option heaps=3 --option misere=false" in message
    assert str(path.parent) in message.split("--tables", 1)[1]
    assert ("--force" in message) == (kind is not MissingTableError)
    assert "\n" not in message
    return message


def unreadable(path: Path) -> str:
    """Assert that the file cannot be read and that nobody is told to build it anew."""
    with pytest.raises(UnreadableTableError) as error:
        open_table(SPEC, path.parent)
    message = str(error.value)
    assert error.value.kind == "unreadable"
    assert str(path) in message
    assert "ustad build" not in message
    return message


# What goes in comes out.


def test_round_trip(path: Path) -> None:
    table = open_table(SPEC, path.parent)
    assert table.values.tobytes() == VALUES.tobytes()
    assert table.values.dtype == np.dtype("<f8")
    assert table.values.shape == (40, 5)
    assert np.array_equal(table.parts["column"], PARTS["column"])
    assert table.counts == COUNTS
    assert table.start_value == VALUES.flat[7]
    assert (table.path, table.bytes, table.spec) == (path, path.stat().st_size, SPEC)
    found = structure(path, STRUCTURE, "")
    assert set(found) == set(STRUCTURE)
    assert all(np.array_equal(found[name], STRUCTURE[name]) for name in STRUCTURE)
    assert identity(path, "") == ("nim", SPEC.options)


def test_values_are_read_only(path: Path) -> None:
    table = open_table(SPEC, path.parent)
    for array in (table.values, table.parts["column"]):
        with pytest.raises(ValueError, match="read-only"):
            array.flat[0] = 0


def test_the_file_is_closed(path: Path) -> None:
    table = open_table(SPEC, path.parent)
    path.unlink()
    assert table.values.sum() == VALUES.sum()
    if Path("/proc/self/fd").is_dir():
        links = Path("/proc/self/fd").iterdir()
        assert not any(str(path) in os.readlink(link) for link in links if link.is_symlink())


def test_bytes_depend_on_the_content_alone(tmp_path: Path) -> None:
    first, second = write(tmp_path / "a"), write(tmp_path / "b" / "c")
    assert first.name == second.name == "nim,heaps=3,misere=false,rule=last takes.h5"
    assert first.read_bytes() == second.read_bytes()


def test_any_reader_of_hdf5_opens_it(path: Path) -> None:
    with h5py.File(path, "r") as file:
        assert file.attrs["game"] == b"nim"
        assert json.loads(file.attrs["options"]) == SPEC.options
        digest = hashlib.sha256(file.attrs["options"]).hexdigest().encode()
        assert file.attrs["options_sha256"] == digest
        assert file.attrs["unit"] == b"points"
        assert file.attrs["index_version"] == 4
        assert json.loads(file.attrs["counts"]) == COUNTS
        assert np.array_equal(file["values"], VALUES)


def test_text_need_not_be_ascii(tmp_path: Path) -> None:
    spec = replace(SPEC, unit="पैसा")
    write(tmp_path, spec)
    assert open_table(spec, tmp_path).spec.unit == "पैसा"
    refused(SPEC.path(tmp_path), MismatchedTableError)


def test_whole_numbers_may_be_stored_as_such(tmp_path: Path) -> None:
    spec = replace(SPEC, dtype="|i1", shape=(9,), start_index=0, parts={})
    values = np.arange(9, dtype=np.int8)
    write_table(spec, tmp_path, values, {}, {})
    found = open_table(spec, tmp_path)
    assert found.values.dtype == np.int8
    assert np.array_equal(found.values, values)


def test_an_opened_table_is_shared_until_its_file_changes(path: Path) -> None:
    first = open_table(SPEC, path.parent)
    assert open_table(SPEC, path.parent) is first
    write(path.parent, values=VALUES + 1)
    second = open_table(SPEC, path.parent)
    assert np.array_equal(second.values, VALUES + 1)
    assert np.array_equal(first.values, VALUES)
    path.unlink()
    refused(path, MissingTableError)


NAMED = replace(SPEC, defaults={"heaps": 3, "misere": True, "rule": "last takes"})


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({}, "nim,misere=false.h5"),
        ({"misere": True}, "nim.h5"),
        ({"heaps": 4, "misere": True}, "nim,heaps=4.h5"),
        ({"more": None}, "nim,misere=false,more=null.h5"),
    ],
)
def test_a_file_is_named_by_what_differs_from_the_defaults(
    options: dict[str, Any], name: str
) -> None:
    assert replace(NAMED, options={**SPEC.options, **options}).file_name == name


def test_a_name_that_would_be_too_long_ends_in_a_digest() -> None:
    """Of at most 100 bytes, with the suffix of a manifest too; no two are the same."""
    names = set()
    for count in range(1, 30):
        for last in (1, 2):
            options = {f"option{number:02}": "as usual" for number in range(count)}
            spec = replace(SPEC, options={**options, "zone": last})
            names.add(spec.file_name)
            assert len(spec.file_name.encode()) <= 98
            whole = ",".join(["nim", *(f"{name}={value}" for name, value in spec.options.items())])
            if len(whole) <= 95:
                assert spec.file_name == f"{whole}.h5"
            else:
                digest = hashlib.sha256(spec.options_json.encode()).hexdigest()[:16]
                assert spec.file_name.endswith(f",{digest}.h5")
                assert spec.file_name.startswith("nim,option00=as usual,")
    assert len(names) == 58


@pytest.mark.skipif(not hasattr(os, "umask"), reason="permissions of POSIX")
@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
def test_files_follow_the_umask(tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        path = write(tmp_path)
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o666 & ~mask


def test_messages_are_escaped(tmp_path: Path) -> None:
    """A name may hold line ends and what moves a terminal's cursor; a message does not."""
    folder = tmp_path / "a\nb\x1b[2J"
    with pytest.raises(MissingTableError) as error:
        open_table(SPEC, folder)
    assert "a\\nb\\x1b[2J" in str(error.value)
    assert str(error.value).isprintable()


def test_table_files_are_listed_by_name(tmp_path: Path) -> None:
    assert table_files(tmp_path / "none") == []
    paths = [write(tmp_path, replace(SPEC, options={"heaps": n})) for n in (2, 1)]
    (tmp_path / "notes.txt").write_text("not a table")
    (tmp_path / ".nim-x.h5").write_text("hidden")
    assert table_files(tmp_path) == sorted(paths)


@pytest.mark.parametrize(
    "values",
    [
        VALUES.astype(np.float32),
        VALUES.T,
        VALUES[:-1],
        np.where(VALUES[3, 3] == VALUES, np.nan, VALUES),
        np.where(VALUES[3, 3] == VALUES, -np.inf, VALUES),
    ],
)
def test_values_that_are_not_those_of_the_spec_are_not_written(tmp_path: Path, values: Any) -> None:
    with pytest.raises(ValueError, match="table of nim"):
        write(tmp_path, values=values)
    assert list(tmp_path.iterdir()) == []


# Damage: every file whose bytes changed is refused.


def test_missing(tmp_path: Path) -> None:
    refused(tmp_path / SPEC.file_name, MissingTableError)
    refused(tmp_path / "no" / "folder" / SPEC.file_name, MissingTableError)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\0",
        b"This is a text file, and no table.\n" * 40,
        b"ustad table\n",
        b"ustad table\n" + b"\0" * 500,
        b"ustad table\n" + b"\xff" * 10_000,
        b"\x89HDF\r\n\x1a\n" + b"\0" * 2_000,
    ],
)
def test_foreign_bytes(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    refused(path)


def test_foreign_hdf5(path: Path) -> None:
    path.unlink()
    with h5py.File(path, "w") as file:
        file["values"] = VALUES
    refused(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes of POSIX")
def test_a_pipe_in_its_place_is_not_waited_for(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)
    assert "not a file" in unreadable(path)


def test_a_folder_in_its_place(path: Path) -> None:
    path.unlink()
    path.mkdir()
    assert "Is a directory" in unreadable(path)


@pytest.mark.parametrize("number", [errno.EACCES, errno.EIO, errno.ELOOP])
def test_what_the_system_does_not_let_be_read_is_no_damage(
    path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(Path, "open", fail)
    assert os.strerror(number) in unreadable(path)


def test_a_folder_whose_name_is_too_long(tmp_path: Path) -> None:
    assert os.strerror(errno.ENAMETOOLONG) in unreadable(SPEC.path(tmp_path / ("x" * 300)))


def test_truncated(tables: Path, tmp_path: Path) -> None:
    """A table of yacht cut at every 997th byte, and at every byte of the header."""
    from ustad.runtime.games.yacht.entry import ENTRY

    spec = ENTRY.tables.spec({"second_yacht": "plain"})
    content = spec.path(tables).read_bytes()
    copy = spec.path(tmp_path)
    copy.write_bytes(content)
    sizes = [*range(997 * (len(content) // 997), 512, -997), *range(512, -1, -1)]
    assert len(sizes) > 1_500
    for size in sizes:
        os.truncate(copy, size)
        with pytest.raises(CorruptTableError):
            open_table(spec, tmp_path)
    copy.write_bytes(content[:-1])
    with pytest.raises(CorruptTableError):
        open_table(spec, tmp_path)
    copy.write_bytes(content + b"\0")
    with pytest.raises(CorruptTableError):
        open_table(spec, tmp_path)


def test_every_byte_of_the_header_counts(path: Path) -> None:
    content = path.read_bytes()
    for at in range(512):
        changed = bytearray(content)
        changed[at] ^= 0x10
        path.write_bytes(changed)
        refused(path)


def test_flipped_bits(tables: Path, tmp_path: Path) -> None:
    """One bit of a table of yacht, 300 times anywhere, 200 times in its structure of HDF5."""
    from ustad.runtime.games.yacht.entry import ENTRY

    spec = ENTRY.tables.spec({"second_yacht": "plain"})
    content = spec.path(tables).read_bytes()
    copy = spec.path(tmp_path)
    copy.write_bytes(content)
    luck = random.Random(9)
    places = [luck.randrange(len(content)) for _ in range(300)]
    places += [luck.randrange(512, 8_192) for _ in range(200)]
    with copy.open("r+b") as file:
        for at in places:
            for byte in (content[at] ^ 1 << luck.randrange(8), content[at]):
                file.seek(at)
                file.write(bytes([byte]))
                file.flush()
                if byte != content[at]:
                    with pytest.raises(CorruptTableError):
                        open_table(spec, tmp_path)
    assert open_table(spec, tmp_path).bytes == len(content)


@settings(max_examples=150, deadline=None)
@given(content=st.binary(max_size=2_000), magic=st.booleans(), seal=st.booleans())
def test_arbitrary_bytes_give_a_table_error(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, magic: bool, seal: bool
) -> None:
    folder = tmp_path_factory.mktemp("bytes", numbered=True)
    path = SPEC.path(folder)
    path.write_bytes(sealed(content) if seal else b"ustad table\n" * magic + content)
    refused(path)
    with pytest.raises(TableError):
        identity(path, "ustad build")
    with pytest.raises(TableError):
        structure(path, STRUCTURE, "ustad build")


# Forgeries: the digest is right, the content is not.


def sealed(body: bytes) -> bytes:
    """Return a file of this body whose header is right."""
    digest = hashlib.sha256(body).digest()
    header = struct.pack("<12sQ32s", b"ustad table\n", 512 + len(body), digest)
    return header.ljust(512, b"\0") + body


def test_sealed_is_how_files_are_made(path: Path) -> None:
    content = path.read_bytes()
    assert sealed(content[512:]) == content


def forge(path: Path, change: Callable[[h5py.File], None]) -> None:
    """Change a table file as HDF5 and seal it again."""
    with h5py.File(path, "r+") as file:
        change(file)
    path.write_bytes(sealed(path.read_bytes()[512:]))


def put(file: h5py.File, values: Any, **how: Any) -> None:
    """Put other values in, and their right digest and start value beside them."""
    del file["values"]
    usual = {"chunks": np.shape(values), "shuffle": True, "compression": "gzip"}
    file.create_dataset("values", data=values, **(usual | how))
    if np.shape(values) == SPEC.shape:
        as_floats = np.asarray(values, dtype="<f8")
        store._set_attribute(
            file, "values_sha256", store.values_sha256({"values": as_floats, **PARTS})
        )
        file.attrs["start_value"] = float(as_floats.flat[7])


def test_a_forgery_of_the_same_content_is_taken(path: Path) -> None:
    # The helpers above make sound files: what is refused below is so for its own reason.
    forge(path, lambda file: put(file, VALUES + 1))
    assert np.array_equal(open_table(SPEC, path.parent).values, VALUES + 1)


@pytest.mark.parametrize(
    "name",
    [
        "format", "format_version", "game", "options", "options_sha256", "quantity", "unit",
        "index_version", "index_formula", "solver_version", "start_index",
    ],
)  # fmt: skip
def test_each_attribute_must_be_right(path: Path, name: str) -> None:
    def change(file: h5py.File) -> None:
        value = store._attribute(file, name)
        store._set_attribute(file, name, value + "?" if isinstance(value, str) else value + 1)

    forge(path, change)
    assert name in refused(path, MismatchedTableError)
    forge(path, lambda file: file.attrs.__delitem__(name))
    assert name in refused(path, MismatchedTableError)


@pytest.mark.parametrize("name", ["format", "format_version", "index_version", "solver_version"])
@pytest.mark.parametrize(
    "value",
    ["x", "", b"\xff\xfe", 1.5, float("nan"), float("inf"), -1, 2**40, [1, 2], h5py.Empty("f8")],
    ids=str,
)
def test_attributes_of_any_type(path: Path, name: str, value: Any) -> None:
    def change(file: h5py.File) -> None:
        file.attrs[name] = value

    forge(path, change)
    with pytest.raises(TableError) as error:
        open_table(SPEC, path.parent)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", ["counts", "start_value", "values_sha256"])
@pytest.mark.parametrize("value", [None, "{", "x", [1.0, 2.0], h5py.Empty("f8")], ids=str)
def test_attributes_that_cannot_be_read(path: Path, name: str, value: Any) -> None:
    def change(file: h5py.File) -> None:
        del file.attrs[name]
        if isinstance(value, str):
            store._set_attribute(file, name, value)
        elif value is not None:
            file.attrs[name] = value

    forge(path, change)
    refused(path)


def test_other_options_under_this_name(path: Path) -> None:
    other = write(path.parent, replace(SPEC, options={**SPEC.options, "heaps": 4}))
    other.replace(path)
    assert "options" in refused(path, MismatchedTableError)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"index_version": 5}, "index_version 5, found 4"),
        ({"solver_version": 2}, "solver_version 2, found 1"),
        ({"index_formula": "other"}, "index_formula"),
        ({"quantity": "other"}, "quantity"),
        ({"shape": (200,)}, "shape"),
        ({"dtype": "<f4"}, "<f4"),
        ({"start_index": 8}, "start_index"),
        ({"parts": {"column": ("<i2", (7,))}}, "column"),
        ({"parts": {"column": ("<i4", (6,))}}, "column"),
    ],
)
def test_a_table_of_another_version(path: Path, change: dict[str, Any], word: str) -> None:
    assert word in refused(path, MismatchedTableError, replace(SPEC, **change))


def test_another_version_of_the_format(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "FORMAT_VERSION", 2)
    assert "format_version 2, found 1" in refused(path, MismatchedTableError)


def test_a_part_that_is_missing(path: Path) -> None:
    forge(path, lambda file: file.__delitem__("parts"))
    refused(path)


@pytest.mark.parametrize(
    "values",
    [
        VALUES.astype("<f4"), VALUES.astype(">f8"), VALUES[:, :4], VALUES.ravel(),
        np.zeros((40, 5), dtype="<i8"), np.float64(3), np.zeros((0, 5)),
        np.full((40, 5), b"text"), h5py.Empty("f8"),
    ],
    ids=str,
)  # fmt: skip
def test_wrong_type_or_shape(path: Path, values: Any) -> None:
    def change(file: h5py.File) -> None:
        del file["values"]
        file["values"] = values

    forge(path, change)
    assert "values <f8 of shape (40, 5)" in refused(path, MismatchedTableError)


ANY_LENGTH = replace(SPEC, shape=(-1, 5), parts={"column": ("<i2", (-1,))})


def test_a_length_that_only_the_solver_knows(tmp_path: Path) -> None:
    path = write(tmp_path, ANY_LENGTH, VALUES[:33])
    table = open_table(ANY_LENGTH, path.parent)
    assert table.values.tolist() == VALUES[:33].tolist()
    assert table.parts["column"].tolist() == list(range(6))


@pytest.mark.parametrize(
    "values", [VALUES[:, :4], VALUES.ravel(), np.zeros((0, 5)), h5py.Empty("f8")], ids=str
)
def test_any_length_is_not_any_shape(tmp_path: Path, values: Any) -> None:
    def change(file: h5py.File) -> None:
        del file["values"]
        file["values"] = values

    path = write(tmp_path, ANY_LENGTH)
    forge(path, change)
    assert "values <f8 of shape (-1, 5)" in refused(path, MismatchedTableError, ANY_LENGTH)


def test_any_length_is_not_without_limit(tmp_path: Path) -> None:
    def change(file: h5py.File) -> None:
        del file["values"]
        file.create_dataset("values", shape=(2**28, 5), dtype="<f8", chunks=(64, 5))

    path = write(tmp_path, ANY_LENGTH)
    forge(path, change)
    assert f"{store.LARGEST_ARRAYS} bytes at most" in refused(path, CorruptTableError, ANY_LENGTH)


AT_MOST = replace(ANY_LENGTH, shape=(-40, 5), parts={"column": ("<i2", (-6,))})


def test_a_length_of_at_most_so_many(tmp_path: Path) -> None:
    assert open_table(AT_MOST, write(tmp_path, AT_MOST).parent).shape == (40, 5)
    with pytest.raises(ValueError, match="expected"):
        write(tmp_path, replace(AT_MOST, shape=(-39, 5)))
    path = write(tmp_path, ANY_LENGTH, np.zeros((41, 5)))
    assert "values <f8 of shape (-40, 5)" in refused(path, MismatchedTableError, AT_MOST)


def test_what_no_table_has_is_refused_unread(path: Path) -> None:
    """Bombs: sound datasets that nobody asked for, each small in the file."""

    def change(file: h5py.File) -> None:
        for number in range(20):
            file.create_dataset(f"structure/x{number}", (2**46, 0), "<f8")
            file.create_dataset(
                f"y{number}", (25_000_000,), "<f8", chunks=(1 << 16,), compression="gzip"
            )

    forge(path, change)
    tracemalloc.start()
    assert "parts, structure, values in /, found 23 things" in refused(path)
    with pytest.raises(CorruptTableError, match="rolls in structure, found 22 things"):
        structure(path, STRUCTURE, "ustad build")
    assert tracemalloc.get_traced_memory()[1] < 5_000_000
    tracemalloc.stop()


def test_values_out_of_bounds(path: Path) -> None:
    """The same with the bounds of the spec: what cannot be is damage, whoever wrote it."""
    wide = write(path.parent / "wide", SPEC, VALUES * 1e307)
    assert np.isfinite(open_table(SPEC, wide.parent).values).all()
    within = replace(SPEC, least=-4.0, most=4.0)
    assert np.abs(VALUES).max() < 4
    open_table(within, path.parent)
    assert "values from -4 to 4, finite" in refused(wide, spec=within)
    with pytest.raises(ValueError, match="finite"):
        write(path.parent, within, VALUES * 10)


def ascending(arrays: Any) -> None:
    if (np.diff(arrays["column"]) < 0).any():
        raise ValueError("columns that do not ascend")
    assert arrays["values"].shape == (40, 5)


def test_parts_that_do_not_go_together(path: Path) -> None:
    spec = replace(SPEC, check=ascending)
    open_table(spec, path.parent)
    write_table(SPEC, path.parent, VALUES, COUNTS, STRUCTURE, {"column": PARTS["column"][::-1]})
    assert "columns that do not ascend" in refused(path, spec=spec)
    with pytest.raises(ValueError, match="ascend"):
        write_table(spec, path.parent, VALUES, COUNTS, STRUCTURE, {"column": -PARTS["column"]})


def test_a_huge_claimed_shape_costs_nothing(path: Path) -> None:
    def change(file: h5py.File) -> None:
        del file["values"]
        file.create_dataset("values", shape=(2**40, 2**10), dtype="<f8", chunks=(64, 64))

    forge(path, change)
    refused(path, MismatchedTableError)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_values_that_are_no_numbers(path: Path, value: float) -> None:
    changed = VALUES.copy()
    changed[30, 2] = value
    forge(path, lambda file: put(file, changed))
    assert "finite" in refused(path)


def test_values_with_another_digest(path: Path) -> None:
    def change(file: h5py.File) -> None:
        file["values"][30, 2] += 1e-9

    forge(path, change)
    assert "values_sha256" in refused(path)


def test_parts_are_under_the_digest_too(path: Path) -> None:
    def change(file: h5py.File) -> None:
        file["parts/column"][2] = 5

    forge(path, change)
    assert "values_sha256" in refused(path)


def test_another_start_value(path: Path) -> None:
    forge(path, lambda file: file.attrs.__setitem__("start_value", 1.25))
    assert "start_value 1.25" in refused(path)


def packed(values: Any, **how: Any) -> Callable[[h5py.File], None]:
    """Return a change that puts values in, stored in this way."""
    return lambda file: put(file, values, **how)


@pytest.mark.parametrize(
    "how",
    [
        {"chunks": (20, 5)},
        {"chunks": (40, 1)},
        {"shuffle": False},
        {"compression": None},
        {"fletcher32": True},
        {"chunks": None, "shuffle": False, "compression": None},
    ],
    ids=str,
)
def test_values_are_stored_as_they_are_written_here(path: Path, how: dict[str, Any]) -> None:
    forge(path, packed(VALUES, **how))
    assert "by shuffle and gzip in pieces of (40, 5)" in refused(path)


def test_a_piece_that_unfolds_to_any_size_is_not_followed(path: Path) -> None:
    """Three megabytes that hold three gigabytes of zeros: refused, and no memory taken."""
    stream = zlib.compressobj()
    zeros = b"".join(stream.compress(bytes(10**7)) for _ in range(30)) + stream.flush()

    def change(file: h5py.File) -> None:
        file["values"].id.write_direct_chunk((0, 0), zeros)

    forge(path, change)
    tracemalloc.start()
    try:
        assert "a piece of values of 1600 bytes" in refused(path)
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("piece", [b"x", zlib.compress(bytes(1599)), zlib.compress(bytes(1601))])
def test_a_piece_of_another_size(path: Path, piece: bytes) -> None:
    forge(path, lambda file: file["values"].id.write_direct_chunk((0, 0), piece))
    assert "a piece of values of 1600 bytes" in refused(path)


def test_a_piece_that_is_not_there(path: Path) -> None:
    def change(file: h5py.File) -> None:
        del file["values"]
        file.create_dataset(
            "values", (40, 5), "<f8", chunks=(40, 5), shuffle=True, compression="gzip"
        )

    forge(path, change)
    assert "1 pieces of values, found 0" in refused(path)


@pytest.mark.parametrize("name", ["format", "counts", "values_sha256", "built_with"])
def test_a_large_attribute(path: Path, name: str) -> None:
    def change(file: h5py.File) -> None:
        del file.attrs[name]
        file.attrs.create(name, np.zeros(10**6, dtype="<f8"))

    # The form of HDF5 that is written here cannot even hold it; the latest can.
    with h5py.File(path, "w", userblock_size=512, libver="latest") as file:
        rest = {"counts": "{}", "start_value": 0.0, "values_sha256": "x", "built_with": "x"}
        for attribute, value in (store._attributes(SPEC) | rest).items():
            store._set_attribute(file, attribute, value)
    forge(path, change)
    assert "8000000 bytes" in refused(path)


def test_a_long_attribute_is_told_short(path: Path) -> None:
    forge(path, lambda file: store._set_attribute(file, "unit", "points\n" * 9_000))
    assert len(refused(path, MismatchedTableError)) < 1_000


@pytest.mark.parametrize("name", ["format", "game", "options", "counts", "values_sha256"])
def test_text_in_a_heap_is_not_read(path: Path, name: str) -> None:
    """Over a heap whose bytes make no sense HDF5 can run for ever; an older version wrote so."""
    forge(path, lambda file: file.attrs.__setitem__(name, "text of no fixed length"))
    assert f"attribute {name}" in refused(path, MismatchedTableError)
    if name in ("game", "options"):
        with pytest.raises(MismatchedTableError, match=f"attribute {name}"):
            identity(path, "build it")


def test_another_version_is_told_before_anything_else(path: Path) -> None:
    forge(path, lambda file: file.attrs.__setitem__("format_version", 0))
    assert "expected format_version 1, found 0" in refused(path, MismatchedTableError)
    with pytest.raises(MismatchedTableError, match="found 0"):
        identity(path, "build it")


@pytest.mark.parametrize("counts", ["[]", '{"states": "many"}', '{"states": NaN}', "[" * 60_000])
def test_counts_that_are_none(path: Path, counts: str) -> None:
    forge(path, lambda file: store._set_attribute(file, "counts", counts))
    refused(path)


def test_links_out_of_the_file(path: Path) -> None:
    other = path.parent / "other.h5"
    with h5py.File(other, "w") as file:
        file["values"] = VALUES
        file["column"] = PARTS["column"]
    for place, name in (("values", "values"), ("parts/column", "column")):
        fresh = write(path.parent)

        def change(file: h5py.File, place: str = place, name: str = name) -> None:
            del file[place]
            file[place] = h5py.ExternalLink(str(other), name)

        forge(fresh, change)
        assert f"{place} in this file" in refused(fresh)


def test_a_soft_link(path: Path) -> None:
    def change(file: h5py.File) -> None:
        file.move("values", "structure/elsewhere")
        file["values"] = h5py.SoftLink("/structure/elsewhere")

    forge(path, change)
    assert "values in this file" in refused(path)


def test_a_group_behind_a_link(path: Path) -> None:
    def change(file: h5py.File) -> None:
        file.move("parts", "structure/elsewhere")
        file["parts"] = h5py.SoftLink("/structure/elsewhere")

    forge(path, change)
    assert "parts in this file" in refused(path)


def test_a_group_where_values_should_be(path: Path) -> None:
    def change(file: h5py.File) -> None:
        del file["values"]
        file.create_group("values")

    forge(path, change)
    refused(path)


def test_external_storage(path: Path) -> None:
    raw = path.parent / "raw"
    raw.write_bytes(VALUES.tobytes())

    def change(file: h5py.File) -> None:
        del file["values"]
        file.create_dataset(
            "values", shape=(40, 5), dtype="<f8", external=[(str(raw), 0, VALUES.nbytes)]
        )

    forge(path, change)
    assert "stored in this file" in refused(path)


def test_a_virtual_dataset(path: Path) -> None:
    def change(file: h5py.File) -> None:
        file.move("values", "structure/elsewhere")
        layout = h5py.VirtualLayout(shape=(40, 5), dtype="<f8")
        layout[:] = h5py.VirtualSource(".", "structure/elsewhere", shape=(40, 5))
        file.create_virtual_dataset("values", layout)

    forge(path, change)
    assert "stored in this file" in refused(path)


def test_other_filters(path: Path) -> None:
    forge(path, lambda file: put(file, VALUES, compression="lzf"))
    assert "filters" in refused(path)


@pytest.mark.parametrize("name", ["structure", "values", "parts"])
def test_bits_of_hdf5_itself_under_a_right_digest(path: Path, name: str) -> None:
    """Garbage that HDF5 has to read: a table error or sound values, never a crash."""
    content = path.read_bytes()
    luck = random.Random(name)
    for _ in range(150):
        changed = bytearray(content)
        for _ in range(luck.choice([1, 1, 8])):
            changed[luck.randrange(512, len(changed))] = luck.randrange(256)
        path.write_bytes(sealed(bytes(changed[512:])))
        for read in (lambda: open_table(SPEC, path.parent), lambda: structure(path, STRUCTURE, "")):
            try:
                found = read()
            except TableError as error:
                assert "\n" not in str(error)
            else:
                if isinstance(found, Table):
                    assert found.values.tobytes() == VALUES.tobytes()


@pytest.mark.parametrize("options", ["[]", "3", "{", "{} {}", ""])
def test_identity_of_options_that_are_none(path: Path, options: str) -> None:
    forge(path, lambda file: store._set_attribute(file, "options", options or " "))
    with pytest.raises(CorruptTableError):
        identity(path, "ustad build")


@pytest.mark.parametrize(
    "kind", ["external link", "soft link", "external storage", "text", "huge", "bare", "group"]
)
def test_a_structure_is_checked_as_values_are(path: Path, kind: str) -> None:
    other = path.parent / "other.h5"
    with h5py.File(other, "w") as file:
        file["rolls"] = STRUCTURE["rolls"]

    def change(file: h5py.File) -> None:
        group = file["structure"]
        del group["rolls"]
        if kind == "external link":
            group["rolls"] = h5py.ExternalLink(str(other), "rolls")
        elif kind == "soft link":
            group["rolls"] = h5py.SoftLink("/values")
        elif kind == "external storage":
            group.create_dataset("rolls", (10,), "|u1", external=[(str(other), 0, 10)])
        elif kind == "text":
            group["rolls"] = [b"one", b"two"]
        elif kind == "huge":
            group.create_dataset("rolls", (2**40,), "<f8", chunks=(1 << 16,), compression="gzip")
        elif kind == "bare":
            group["rolls"] = STRUCTURE["rolls"]
        else:
            group.create_group("rolls")

    forge(path, change)
    with pytest.raises(CorruptTableError, match="rolls"):
        structure(path, STRUCTURE, "ustad build")


def test_a_structure_that_is_none(path: Path) -> None:
    def change(file: h5py.File) -> None:
        del file["structure"]
        file["structure"] = np.zeros(3)

    forge(path, change)
    with pytest.raises(CorruptTableError):
        structure(path, STRUCTURE, "ustad build")


# Writing: the old file or the new one, whole.


def whole(path: Path) -> None:
    """Assert that the old table stands and that nothing else is left behind."""
    assert np.array_equal(open_table(SPEC, path.parent).values, VALUES)
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("call", ["fsync", "replace", "open", "fdopen"])
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES, errno.EIO])
def test_a_write_that_fails_leaves_the_old_file(
    path: Path, monkeypatch: pytest.MonkeyPatch, call: str, number: int
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patch:
        patch.setattr(os, call, fail)
        with pytest.raises(TableWriteError) as error:
            write(path.parent, values=VALUES + 1)
    message = str(error.value)
    assert str(path) in message
    assert os.strerror(number) in message
    assert "make room or choose another folder" in message
    whole(path)


def test_what_does_not_read_back_the_same_is_not_put_in_place(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(hashlib, "file_digest", lambda file, name: hashlib.sha256(b"other"))
        with pytest.raises(TableWriteError, match="read back"):
            write(path.parent, values=VALUES + 1)
    whole(path)


def test_what_wrote_a_file_is_told(path: Path) -> None:
    told = open_table(SPEC, path.parent).built_with
    assert f"h5py {h5py.__version__}" in told
    assert f"numpy {np.__version__}" in told


def test_a_temporary_file_is_removed_when_it_is_known_to_be_left_over(path: Path) -> None:
    """A writer that was killed leaves its file; one that is at work must keep it."""
    content = path.read_bytes()
    stale, alive = path.parent / ".nim-killed.ustad-part", path.parent / ".nim-at-work.ustad-part"
    for at, age in ((stale, files.STALE_AFTER + 60), (alive, files.STALE_AFTER - 60)):
        at.write_bytes(content[:-1])
        os.utime(at, (time.time() - age,) * 2)
    foreign = path.parent / ".film.part"
    foreign.write_bytes(b"")
    os.utime(foreign, (0, 0))
    assert table_files(path.parent) == [path]
    write(path.parent)
    assert foreign.exists()
    assert not stale.exists()
    assert alive.read_bytes() == content[:-1]


@pytest.mark.skipif(sys.platform == "win32", reason="locks of POSIX")
def test_no_lock_is_needed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody else holds a lock on each file, as where a file system has none to give.

    HDF5 locks what it opens by name, and refuses what it cannot lock.
    """
    import fcntl

    monkeypatch.setenv("HDF5_USE_FILE_LOCKING", "TRUE")
    with contextlib.ExitStack() as held:

        def lock(at: Path, mode: int) -> None:
            del mode
            fcntl.flock(held.enter_context(at.open("rb")), fcntl.LOCK_EX)

        lock(path, 0)
        with pytest.raises(OSError, match="lock"):
            h5py.File(path, "r")
        open_table(SPEC, path.parent)
        monkeypatch.setattr(os, "chmod", lock)  # the new file, once it is written
        write(path.parent, values=VALUES + 1)
        assert np.array_equal(open_table(SPEC, path.parent).values, VALUES + 1)


@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX")
def test_a_file_system_that_takes_no_more(path: Path) -> None:
    """A true failure of write: the process may not make files above 4,000 bytes."""
    script = (
        "import resource, sys; from pathlib import Path; import numpy as np\n"
        "from ustad.tables import TableSpec, TableWriteError, write_table\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))\n"
        "spec = TableSpec('nim', {}, 'what', 'points', 1, 'f', (9999,), 0)\n"
        "values = np.random.default_rng(1).normal(size=9999)\n"
        "try: write_table(spec, Path(sys.argv[1]), values, {}, {})\n"
        "except TableWriteError as error: print(error)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", script, str(path.parent)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "File too large; make room or choose another folder with --tables" in run.stdout
    whole(path)


def test_a_file_where_the_folder_should_be(tmp_path: Path) -> None:
    folder = tmp_path / "file"
    folder.write_text("not a folder")
    for place in (folder, folder / "below"):
        with pytest.raises(TableWriteError, match="choose another folder with --tables"):
            write(place)
        with pytest.raises(TableError):
            open_table(SPEC, place)
    assert folder.read_text() == "not a folder"


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="permissions of POSIX")
def test_a_folder_that_may_not_be_written(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if os.geteuid() == 0:  # who may do all: let the system call refuse instead

        def fail(*_: Any, **__: Any) -> None:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

        monkeypatch.setattr(os, "open", fail)
    else:
        path.parent.chmod(0o555)
    try:
        with pytest.raises(TableWriteError, match="Permission denied"):
            write(path.parent, values=VALUES + 1)
    finally:
        path.parent.chmod(0o755)
    whole(path)


def test_a_folder_in_the_place_of_the_file(tmp_path: Path) -> None:
    SPEC.path(tmp_path).mkdir()
    with pytest.raises(TableWriteError):
        write(tmp_path)
    assert [found.name for found in tmp_path.iterdir()] == [SPEC.file_name]


def test_damage_while_a_table_is_open_is_seen_once_it_is_gone(path: Path) -> None:
    table = open_table(SPEC, path.parent)
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    os.utime(path, ns=(1, 1))
    refused(path)
    assert np.array_equal(table.values, VALUES)
    del table
    gc.collect()
    refused(path)
