"""Values read block by block: what was written comes back, damage is seen when it is read."""

from __future__ import annotations

import gc
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ustad.tables import (
    ArrayForm,
    CorruptTableError,
    MismatchedTableError,
    Table,
    TableError,
    TableSpec,
    mapped,
    open_table,
    write_table,
)
from ustad.tables.mapped import BLOCK_BYTES

COUNT = 3 * BLOCK_BYTES // 8 + 100
VALUES = np.random.default_rng(1).random(COUNT)
SPEC = TableSpec(
    game="game",
    options={"option": 1},
    quantity="chance",
    unit="probability",
    index_version=1,
    index_formula="as they come",
    shape=(COUNT,),
    start_index=5,
    parts={"lengths": ArrayForm("<i8", (-1,))},
    mapped=True,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    parts = {"lengths": np.arange(77)}
    return write_table(SPEC, tmp_path, VALUES, {"values": COUNT}, {"rolls": np.eye(3)}, parts)


def opened(path: Path) -> Table:
    return open_table(SPEC, path.parent)


def place_of_values(path: Path) -> int:
    with h5py.File(path, "r") as file:
        return int(file["values"].id.get_offset())


def flip(path: Path, at: int) -> None:
    content = bytearray(path.read_bytes())
    content[at] ^= 1
    path.write_bytes(content)


def test_round_trip(path: Path) -> None:
    table = opened(path)
    begin = np.array([0, 5, 8190, COUNT - 10])
    assert np.array_equal(table.read(begin, 10), [VALUES[at : at + 10] for at in begin])
    assert table.read(begin[:0], 10).shape == (0, 10)
    assert np.array_equal(table.read(np.array([0]), COUNT), VALUES[None])
    assert np.array_equal(table.values, VALUES)
    assert table.shape == (COUNT,)
    assert np.array_equal(table.parts["lengths"], np.arange(77))
    assert (table.start_value, table.bytes) == (VALUES[5], path.stat().st_size)
    table.verify()
    with pytest.raises(ValueError, match="read-only"):
        table.values[0] = 1.0


def test_the_bytes_depend_on_the_content_alone(path: Path, tmp_path: Path) -> None:
    parts = {"lengths": np.arange(77)}
    other = write_table(
        SPEC, tmp_path / "b", VALUES, {"values": COUNT}, {"rolls": np.eye(3)}, parts
    )
    assert other.read_bytes() == path.read_bytes()


def test_damage_is_seen_when_the_block_is_read(path: Path) -> None:
    """The file opens, whole blocks may be read, the bad one may not."""
    flip(path, place_of_values(path) + BLOCK_BYTES + 17)
    table = opened(path)
    table.read(np.array([0]), 100)
    table.read(np.array([2 * BLOCK_BYTES // 8]), 100)
    with pytest.raises(CorruptTableError, match="block 1 of the values"):
        table.read(np.array([0, BLOCK_BYTES // 8]), 100)
    with pytest.raises(CorruptTableError, match="--force"):
        # A run that only ends in the bad block.
        table.read(np.array([BLOCK_BYTES // 8 - 1]), 2)
    with pytest.raises(CorruptTableError, match="block 1"):
        table.verify()


@pytest.mark.parametrize("begin", [-1, COUNT - 9])
def test_a_run_out_of_the_values(path: Path, begin: int) -> None:
    with pytest.raises(IndexError, match="runs of 10"):
        opened(path).read(np.array([0, begin]), 10)


def test_a_file_that_is_cut_short_in_use(path: Path) -> None:
    """What was read stays right, what was not is refused: no signal ends the process."""
    table = opened(path)
    first = table.read(np.array([0]), 10)
    os.truncate(path, place_of_values(path) + 100)
    assert np.array_equal(table.read(np.array([0]), 10), first)
    with pytest.raises(CorruptTableError, match="block 2 of the values"):
        table.read(np.array([2 * BLOCK_BYTES // 8]), 10)


def test_damage_after_a_block_was_read_is_never_believed(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Numbers come from the checked copy, and a block that was let go of is checked again."""
    monkeypatch.setattr(mapped, "BLOCKS_KEPT", 1)
    table = opened(path)
    assert table.read(np.array([7]), 1) == VALUES[7]
    with path.open("r+b") as file:
        file.seek(place_of_values(path) + 7 * 8)
        file.write(np.float64(0.125).tobytes())
    assert table.read(np.array([7]), 1) == VALUES[7]
    table.read(np.array([2 * BLOCK_BYTES // 8]), 1)
    with pytest.raises(CorruptTableError, match="block 0"):
        table.read(np.array([7]), 1)


def test_another_file_in_its_place_changes_nothing(path: Path) -> None:
    table = opened(path)
    write_table(SPEC, path.parent, VALUES[::-1].copy(), {}, {}, {"lengths": np.arange(77)})
    assert np.array_equal(table.values, VALUES)
    assert np.array_equal(opened(path).values, VALUES[::-1])


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e308, -0.5])
def test_a_block_with_what_cannot_be(path: Path, value: float) -> None:
    """Under right digests: the bounds of the spec hold for every block."""
    values = VALUES.copy()
    values[2 * BLOCK_BYTES // 8] = value
    bounded = replace(SPEC, least=0.0, most=1.0)
    with pytest.raises(ValueError, match="finite"):
        write_table(bounded, path.parent, values, {}, {}, {"lengths": np.arange(77)})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mapped, "out_of_bounds", lambda values, bounds: None)
        write_table(SPEC, path.parent, values, {}, {}, {"lengths": np.arange(77)})
    table = open_table(bounded, path.parent)
    table.read(np.array([0]), 10)
    with pytest.raises(CorruptTableError, match="values from 0 to 1"):
        table.read(np.array([2 * BLOCK_BYTES // 8]), 10)
    with pytest.raises(CorruptTableError, match="values from 0 to 1"):
        table.verify()


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="open files as Linux lists them")
def test_the_file_is_closed_with_the_table(path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    table = opened(path)
    assert len(os.listdir("/proc/self/fd")) == before + 1
    del table
    gc.collect()
    assert len(os.listdir("/proc/self/fd")) == before


def test_damage_to_the_start_value_is_seen_at_once(path: Path) -> None:
    flip(path, place_of_values(path) + 5 * 8)
    with pytest.raises(CorruptTableError):
        opened(path)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(where=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
def test_any_flipped_bit_outside_of_the_values_is_refused(
    path: Path, where: float, bit: int
) -> None:
    whole = path.read_bytes()
    begin, size = place_of_values(path), VALUES.nbytes
    at = int(where * (len(whole) - size))
    at += size if at >= begin else 0
    content = bytearray(whole)
    content[at] ^= 1 << bit
    try:
        path.write_bytes(content)
        with pytest.raises(TableError):
            opened(path)
    finally:
        path.write_bytes(whole)


@pytest.mark.parametrize("length", [0, 100, 511, 4096, -8, -1])
def test_cut_short_or_longer(path: Path, length: int) -> None:
    content = path.read_bytes()
    path.write_bytes(content[:length])
    with pytest.raises(CorruptTableError):
        opened(path)
    path.write_bytes(content + b"\0")
    with pytest.raises(CorruptTableError, match="bytes"):
        opened(path)


def test_another_table_under_this_name(path: Path) -> None:
    parts = {"lengths": np.arange(77)}
    other = TableSpec(**{**SPEC.__dict__, "quantity": "another"})
    write_table(other, path.parent, VALUES, {}, {}, parts)
    with pytest.raises(MismatchedTableError, match="quantity"):
        opened(path)


def test_digests_of_values_without_end(path: Path) -> None:
    """The header claims what it likes: how many blocks there are is known from the identity."""
    content = path.read_bytes()
    magic, _, _, offset, _ = mapped.HEADER.unpack_from(content)
    size = 2**43
    with path.open("r+b") as file:
        length = size + offset
        head = content[:offset]
        frame = mapped.Frame(length, offset, size, head, b"", mapped._File(file.fileno()))
        file.write(mapped.HEADER.pack(magic, length, frame.digest(), offset, size))
        file.truncate(length)
    with pytest.raises(CorruptTableError):
        opened(path)


def test_parts_of_values_read_by_blocks_are_checked(path: Path) -> None:
    def even(arrays: Any) -> None:
        assert arrays.keys() == {"lengths"}
        if (arrays["lengths"] % 2).any():
            raise ValueError("odd lengths")

    with pytest.raises(CorruptTableError, match="odd lengths"):
        open_table(replace(SPEC, check=even), path.parent)
