"""Files that may kill, hang or fill the machine, given to ``ustad verify``, each in a process.

Whoever can write a file can give it right digests.  So here are tables of millions of empty
rows, of zeros that unfold, of thousands of arrays, exports of links to one sparse file, and a
table that is cut short while it is read.  Each must be found bad, in one line, in little time
and memory, and no process may end by a signal.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from damage.report import LONGEST_WAIT, Progress, Report
from damage.table_files import USER_BLOCK, sealed
from ustad.runtime.core.registry import entry as entry_of
from ustad.runtime.export import MANIFEST
from ustad.runtime.export.manifest import manifest_text
from ustad.tables import CorruptTableError, TableSpec, open_table, pieces, write_table

ZEROS = 25_000_000
"""Numbers of 8 bytes that unfold from some 200 KB."""

Bomb = Callable[[Path], object]
"""Makes one in a folder that holds a sound table."""


def _forged(path: Path, change: Callable[[h5py.File], object]) -> None:
    """Change a table file under a right digest."""
    with h5py.File(path, "r+") as file:
        change(file)
    path.write_bytes(sealed(path.read_bytes()[USER_BLOCK:]))


def _zeros(place: str, count: int) -> Callable[[h5py.File], None]:
    def change(file: h5py.File) -> None:
        chunks, packing = pieces.chunks_of((ZEROS,), 8), pieces.COMPRESSION
        for number in range(count):
            data = file.create_dataset(
                f"{place}{number}", (ZEROS,), "<f8", chunks=chunks, **packing
            )
            data[...] = 0.0

    return change


def _small(place: str) -> Callable[[h5py.File], None]:
    def change(file: h5py.File) -> None:
        for number in range(30_000):
            file[f"{place}{number}"] = np.uint8(0)

    return change


def _empty(place: str) -> Callable[[h5py.File], object]:
    return lambda file: file.create_dataset(
        place, (2**46, 0), "<f8", chunks=(1 << 16, 1), maxshape=(None, None)
    )


TABLES: Mapping[str, Callable[[h5py.File], object]] = {
    "rows without end in the structure": _empty("structure/more"),
    "rows without end": _empty("more"),
    "zeros in the structure": _zeros("structure/x", 3),
    "zeros": _zeros("x", 3),
    "thousands of arrays in the structure": _small("structure/x"),
    "thousands of arrays": _small("x"),
}
"""What is added to a sound table."""


def many_patterns(path: Path) -> None:
    """Give a table of Raja Pasu sixteen million patterns, each of them without a position."""
    spec = entry_of("raja_pasu").tables.spec({"closed": 6})

    def change(file: h5py.File) -> None:
        rows = 16_000_000
        shape = (rows, spec.parts["patterns"].shape[-1])
        for name, sides, dtype in (("patterns", shape, "|u1"), ("first", (rows + 1,), "<u4")):
            del file[f"parts/{name}"]
            chunks = pieces.chunks_of(sides, np.dtype(dtype).itemsize)
            file.create_dataset(
                f"parts/{name}", sides, dtype, chunks=chunks, fillvalue=0, **pieces.COMPRESSION
            )[-1:] = 0

    _forged(path, change)


def linked_export(folder: Path) -> None:
    """Make an export of twenty links to one file of zeros that takes no room."""
    with (folder / "zeros").open("wb") as file:
        file.truncate(199_000_000)
    names = [f"{number}.bin" for number in range(20)]
    for name in names:
        (folder / name).symlink_to("zeros")
    held = {"bytes": 199_000_000, "sha256": "0" * 64}
    manifest: dict[str, Any] = {
        "format": "ustad export", "format_version": 2, "game": "pasa",
        "reader": {}, "files": dict.fromkeys(names, held), "arrays": {}, "vectors": [],
    }  # fmt: skip
    (folder / MANIFEST).write_text(manifest_text(manifest))


VERIFY = """
import re, sys
from pathlib import Path
from ustad.runtime.cli.main import main
status, own = main(), Path("/proc/self/status")
told = re.search("VmHWM: *([0-9]+)", own.read_text().replace("\\t", " ")) if own.exists() else None
print(told[1] if told else 0, file=sys.stderr)
sys.exit(status)
"""
"""Verifies, and tells on standard error how many KB that took at its peak."""


def verified(folder: Path, what: str, report: Report) -> None:
    """Verify a folder in a process of its own: it must be found bad, soon and with little."""
    command = [sys.executable, "-c", VERIFY, "verify", "--json", "--tables", str(folder)]
    begin = time.perf_counter()
    report.cases += 1
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST_WAIT)
    except subprocess.TimeoutExpired:
        report.faults.append(f"{what}: verify hangs")
        return
    seconds = time.perf_counter() - begin
    report.check(seconds < LONGEST_WAIT / 4, f"{what}: {seconds:.0f} s")
    if run.returncode != 1:
        report.faults.append(f"{what}: verify left with {run.returncode}: {run.stderr[-300:]}")
        return
    report.answers["found bad"] += 1
    report.peak = max(report.peak, 1024.0 * int(run.stderr.split()[-1]))
    errors = [row["error"] for row in json.loads(run.stdout)["tables"] if not row["ok"]]
    report.check(all(error.isprintable() for error in errors), f"{what}: {errors}")


MAPPED = TableSpec(
    "damage", {}, "chance", "probability", 1, "as they come", (200_000,), 5, mapped=True,
    least=0.0, most=1.0,
)  # fmt: skip
"""A table whose values are read block by block."""


def cut_in_use(folder: Path, report: Report) -> None:
    """Cut a table short, and change it, while it is read: what is read is right or refused."""
    values = np.linspace(0, 1, 200_000)
    path = write_table(MAPPED, folder, values, {}, {})

    def read() -> None:
        table = open_table(MAPPED, folder)
        first = table.read(np.array([0]), 100)
        with path.open("r+b") as file:
            file.seek(4096)
            file.write(b"damage" * 100)
            file.truncate(path.stat().st_size // 2)
        right = np.array_equal(table.read(np.array([0]), 100), first)
        try:
            table.read(np.array([190_000]), 100)
        except CorruptTableError:
            os._exit(0 if right else 2)
        os._exit(3)

    process = os.fork()
    if not process:
        signal.alarm(int(LONGEST_WAIT))
        try:
            read()
        finally:
            os._exit(4)
    _, status = os.waitpid(process, 0)
    left = os.waitstatus_to_exitcode(status)
    report.cases += 1
    report.answers["refused in use"] += left == 0
    report.check(left == 0, f"a table cut short in use: the process left with {left}")


def explode(spec: TableSpec, raja_pasu: TableSpec, folder: Path, progress: Progress) -> Report:
    """Make each bomb and see that it is found.

    Args:
        spec: a small table, built in the folder.
        raja_pasu: a small table of Raja Pasu, built there too.
        folder: where they are.
        progress: called before each case.
    """
    report = Report()
    with tempfile.TemporaryDirectory() as name:
        for what, change in TABLES.items():
            progress(report.cases, what)
            place = Path(name) / what.replace(" ", "-")
            place.mkdir()
            spec.path(place).write_bytes(spec.path(folder).read_bytes())
            _forged(spec.path(place), change)
            verified(place, what, report)
        bombs: Mapping[str, Bomb] = {
            "patterns without end": lambda place: many_patterns(raja_pasu.path(place)),
            "an export of links": linked_export,
        }
        for what, bomb in bombs.items():
            progress(report.cases, what)
            place = Path(name) / what.replace(" ", "-")
            place.mkdir()
            if bomb is not linked_export:
                raja_pasu.path(place).write_bytes(raja_pasu.path(folder).read_bytes())
            bomb(place)
            verified(place, what, report)
        cut_in_use(Path(name) / "mapped", report)
    return report
