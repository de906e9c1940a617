"""Builds that go wrong: killed, out of room, forbidden, two at once.

After each the old table is there, whole, and nothing else is taken for a table.
"""

from __future__ import annotations

import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from damage.report import Progress, Report
from ustad.runtime.core.registry import entry as entry_of
from ustad.solver.build import build_table, solver_of
from ustad.tables import (
    Table,
    TableError,
    TableSpec,
    TableWriteError,
    files,
    open_table,
    table_files,
    write_bundle,
    write_table,
)

Build = Callable[[], object]


def _silent(done: int, name: str) -> None:
    """Report nothing."""


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
    hidden = all(name.startswith(".") and name.endswith(files.PART_SUFFIX) for name in left)
    report.check(hidden, f"{what}: {left} left behind")


def builder(game: str, options: Mapping[str, Any], folder: Path, force: bool = True) -> Build:
    """Return what builds a table, anew even if a sound one is there."""
    return lambda: build_table(entry_of(game), options, folder, force=force)


def rewriter(table: Table, folder: Path) -> Build:
    """Return what writes a table again and again."""

    def write() -> None:
        while True:
            write_table(table.spec, folder, table.values, table.counts, {}, table.parts)

    return write


def kill_builds(
    specs: Sequence[TableSpec], count: int, seed: int, progress: Progress = _silent
) -> Report:
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
                progress(report.cases, spec.what)
                report.answers["killed" if os.WIFSIGNALED(status) else "built before"] += 1
                check_folder(folder, whole, report, f"kill {case}")
            left = list(folder.glob(f".*{files.PART_SUFFIX}"))
            report.answers["left a temporary file"] += len(left)
            for part in left:
                os.utime(part, (0, 0))  # long ago
            build()
            report.check(list(folder.iterdir()) == [path], f"{spec.what}: left over files stay")
            report.check(path.read_bytes() == built, f"{spec.what}: not the same bytes")
    return report


def fill_disks(
    specs: Sequence[TableSpec], count: int, seed: int, progress: Progress = _silent
) -> Report:
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
                progress(report.cases, spec.what)
                report.answers["table_write"] += 1
                check_folder(folder, whole, report, "full disk")
                left = [p.name for p in folder.iterdir() if p.name.startswith(".")]
                report.check(not left, f"{left} left behind on a full disk")
            path.unlink()
    return report


def fill_bundles(spec: TableSpec, progress: Progress = _silent) -> Report:
    """Bundle over an older bundle where a file may have so many bytes and no more."""
    report = Report()
    with tempfile.TemporaryDirectory() as name:
        tables, folder = Path(name) / "tables", Path(name) / "bundle"
        builder(spec.game, spec.options, tables)()
        table = open_table(spec, tables)
        whole = {path: path.read_bytes() for path in write_bundle([table], folder)}
        sizes = sorted(len(content) for content in whole.values())
        for limit in (0, *(size - 1 for size in sizes)):

            def limited(limit: int = limit) -> None:
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
                try:
                    write_bundle([table], folder)
                except TableWriteError as error:
                    os._exit(0 if "make room" in str(error) else 2)

            _, status = os.waitpid(in_child(limited), 0)
            report.cases += 1
            progress(report.cases, spec.what)
            report.answers["table_write"] += 1
            report.check(os.waitstatus_to_exitcode(status) == 0, f"bundle, {limit} bytes: no error")
            found = {path: path.read_bytes() for path in folder.iterdir()}
            report.check(found == whole, f"bundle, {limit} bytes: not the older bundle")
    return report


def build_together(specs: Sequence[TableSpec], count: int, progress: Progress = _silent) -> Report:
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
                        progress(report.cases, spec.what)
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


LOCKLESS = """
#include <errno.h>
#include <fcntl.h>
int flock(int file, int how) { errno = ENOLCK; return -1; }
int lockf(int file, int how, off_t size) { errno = ENOLCK; return -1; }
"""
"""What a file system without locks answers, in C."""


def without_locks(spec: TableSpec) -> Report:
    """Build, ask and verify where every lock is refused; HDF5 is told to insist on locks."""
    report = Report()
    compiler = shutil.which("cc")
    if compiler is None or not sys.platform.startswith("linux"):
        report.answers["no compiler here to take the locks away"] += 1
        return report
    with tempfile.TemporaryDirectory() as name:
        source, library, tables = (Path(name) / part for part in ("none.c", "none.so", "tables"))
        source.write_text(LOCKLESS)
        subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source], check=True)
        given = {"LD_PRELOAD": str(library), "HDF5_USE_FILE_LOCKING": "TRUE"}
        words = spec.build_command(tables).split(" ")[1:]
        locked = "import h5py; h5py.File(__import__('sys').argv[1] + '/x.h5', 'w')"
        check = subprocess.run(
            [sys.executable, "-c", locked, name], env={**os.environ, **given}, capture_output=True
        )
        report.check(check.returncode != 0, "without locks: HDF5 did not ask for any")
        for command in (words, [*words, "--force"], ["verify", "--tables", str(tables)]):
            run = subprocess.run(
                [sys.executable, "-m", "ustad.runtime", *command],
                env={**os.environ, **given},
                capture_output=True,
                text=True,
            )
            report.cases += 1
            report.answers["no locks needed"] += run.returncode == 0
            report.check(run.returncode == 0, f"without locks: {command}: {run.stderr}")
        report.check(table_files(tables) == [spec.path(tables)], "without locks: no table")
    return report


def quick(specs: Sequence[TableSpec], folder: Path, count: int = 3) -> list[TableSpec]:
    """Return the tables that are built soonest, code being compiled, at most one of a game.

    Numbers that ship are left out: they are learned, which takes minutes.
    """
    seconds: dict[str, tuple[float, TableSpec]] = {}
    for spec in sorted(specs, key=lambda spec: spec.path(folder).stat().st_size):
        if spec.game not in seconds and solver_of(spec.game).shipped(spec.options) is None:
            build = builder(spec.game, spec.options, folder)
            build()
            begin = time.perf_counter()
            build()
            seconds[spec.game] = (time.perf_counter() - begin, spec)
    return [spec for _, spec in sorted(seconds.values(), key=lambda pair: pair[0])[:count]]
