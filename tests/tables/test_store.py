"""Table files: what goes in comes out, and whatever is not that file is refused."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_table import COUNTS, PARTS, SPEC, STRUCTURE, VALUES, refused, sealed, unreadable, write

from ustad.tables import (
    CorruptTableError,
    MismatchedTableError,
    MissingTableError,
    TableError,
    identity,
    open_table,
    structure,
    table_files,
    write_table,
)

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
