"""A small table of no game, and how its file is written and refused."""

from __future__ import annotations

import hashlib
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ustad.tables import (
    ArrayForm,
    CorruptTableError,
    MissingTableError,
    TableError,
    TableSpec,
    UnreadableTableError,
    open_table,
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
    parts={"column": ArrayForm("<i2", (6,))},
)
VALUES = np.random.default_rng(1).normal(size=(40, 5))
PARTS = {"column": np.arange(6, dtype="<i2")}
STRUCTURE = {"rolls": np.arange(10, dtype=np.uint8), "chances": np.eye(3)}
COUNTS = {"states": 200, "values": 200}


def write(folder: Path, spec: TableSpec = SPEC, values: Any = VALUES) -> Path:
    return write_table(spec, folder, values, COUNTS, STRUCTURE, PARTS)


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


def sealed(body: bytes) -> bytes:
    """Return a file of this body whose header is right."""
    digest = hashlib.sha256(body).digest()
    header = struct.pack("<12sQ32s", b"ustad table\n", 512 + len(body), digest)
    return header.ljust(512, b"\0") + body
