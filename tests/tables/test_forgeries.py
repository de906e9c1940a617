"""Forged table files: the digest is right (``sealed``), the content is not."""

from __future__ import annotations

import random
import tracemalloc
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from small_table import COUNTS, PARTS, SPEC, STRUCTURE, VALUES, refused, sealed, write

from ustad.tables import (
    ArrayForm,
    CorruptTableError,
    MismatchedTableError,
    Table,
    TableError,
    identity,
    open_table,
    store,
    structure,
    write_table,
    writing,
)


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
        writing.set_attribute(
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
        writing.set_attribute(file, name, value + "?" if isinstance(value, str) else value + 1)

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
            writing.set_attribute(file, name, value)
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
        ({"parts": {"column": ArrayForm("<i2", (7,))}}, "column"),
        ({"parts": {"column": ArrayForm("<i4", (6,))}}, "column"),
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


ANY_LENGTH = replace(SPEC, shape=(-1, 5), parts={"column": ArrayForm("<i2", (-1,))})


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


AT_MOST = replace(ANY_LENGTH, shape=(-40, 5), parts={"column": ArrayForm("<i2", (-6,))})


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
        for attribute, value in (store.attributes_of(SPEC) | rest).items():
            writing.set_attribute(file, attribute, value)
    forge(path, change)
    assert "8000000 bytes" in refused(path)


def test_a_long_attribute_is_told_short(path: Path) -> None:
    forge(path, lambda file: writing.set_attribute(file, "unit", "points\n" * 9_000))
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
    forge(path, lambda file: writing.set_attribute(file, "counts", counts))
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
    forge(path, lambda file: writing.set_attribute(file, "options", options or " "))
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
