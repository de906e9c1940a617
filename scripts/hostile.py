"""Give every reader what it must refuse, and stop builds at any moment.

Parts, each with the seed, so that what fails can be run again:

``tables``   damaged table files: see ``damage/table_files.py``.
``exports``  damaged exports, manifests and bundles, for Python and for the readers in JavaScript
             (where Node is installed), and positions that cannot be: ``damage/exports.py``.
``bombs``    files that would kill, hang or fill the machine: ``damage/bombs.py``.
``lines``    requests to a running ``ustad serve``: ``damage/lines.py``.
``http``     requests and connections to a running ``ustad serve --http``: ``damage/http.py``.
``builds``   killed at random moments, out of room, in folders that cannot be written or know no
             locks, two at once and with a reader beside them: ``damage/builds.py``.

What must hold: what is damaged is refused with the right error of one line; every line gets one
answer, and never an internal error; no number is wrong; nothing crashes or hangs; no reader takes
more than 500 MB; after every killed or failed build the old table is there, whole, and nothing
else is taken for a table.  Whatever does not hold is told, and the exit status is 1.

    python scripts/hostile.py             # all of it: most of an hour
    python scripts/hostile.py --quick     # a sample, about a minute
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from damage import bombs, builds, exports, http, lines, table_files
from damage.report import MOST_MEMORY, Progress, Report
from ustad.runtime.core.registry import NAMES
from ustad.runtime.core.registry import entry as entry_of
from ustad.tables import TableSpec

SMALL: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("yacht", {"second_yacht": "bonus_and_joker"}),
    ("dice_poker", {}),
    ("pasa", {"players": 3, "chips": 30}),
    ("raja_pasu", {"closed": 6}),
    ("marriage", {}),
)
"""Tables that are built in a moment, one of each game."""

EXPORTED: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("yacht", {"second_yacht": "bonus_and_joker"}),
    ("yacht", {"second_yacht": "free_joker"}),
    ("dice_poker", {}),
    ("dice_poker", {"chance_after_miss": True}),
    ("pasa", {"players": 4, "chips": 40}),
    ("raja_pasu", {"closed": 4}),
    ("marriage", {}),
)
"""The tables whose exports are damaged; the proofs of yacht's take half a minute."""

FULL = {"tables": 10_000, "exports": 10_000, "lines": 1_000_000, "http": 50_000, "kills": 200}
QUICK = {"tables": 300, "exports": 300, "lines": 3_000, "http": 1_000, "kills": 6}

FAULTS_TOLD = 100


def specs_of(named: Sequence[tuple[str, Mapping[str, Any]]]) -> list[TableSpec]:
    """Return the tables of games and options."""
    return [entry_of(game).tables.spec(options) for game, options in named]


def default_specs() -> list[TableSpec]:
    """Return the tables that a default build makes."""
    entries = map(entry_of, NAMES)
    return [entry.tables.spec(options) for entry in entries for options in entry.tables.defaults()]


def copy_built(built: Path, specs: Sequence[TableSpec], folder: Path) -> None:
    """Copy those of some tables that a folder has into another; the folder stays as it is."""
    for spec in specs:
        if spec.path(built).is_file():
            shutil.copy(spec.path(built), folder)


def shower(part: str, of: int) -> Progress:
    """Return what shows how far a part is: over and over on a terminal, else now and then."""
    begin = told = time.perf_counter()

    def progress(done: int, name: str) -> None:
        nonlocal told
        now, terminal = time.perf_counter(), sys.stderr.isatty()
        if now - told < (0.2 if terminal else 30):
            return
        told = now
        line = f"{part}: {done:,} of {of:,}, {now - begin:.0f} s  {name}"[:100]
        print(
            f"\r{line:<100}\r" if terminal else line, end="" if terminal else "\n", file=sys.stderr
        )

    return progress


def apart(part: str, folder: Path, count: int, args: argparse.Namespace) -> Report:
    """Run a part that reads in a process of its own: it may crash, hang or take memory."""
    command = [sys.executable, __file__, "--part", part, "--folder", str(folder)]
    command += ["--count", str(count), "--seed", str(args.seed), *["--quick"] * args.quick]
    report, last, told = Report(), "the start", ""
    show = shower(part, count)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("{"):
                told = line
            else:
                done, _, last = line.strip().partition(" ")
                show(int(done), last)
        status = process.wait()
    if told:
        found = json.loads(told)
        report = Report(found["cases"], Counter(found["answers"]), found["faults"], found["peak"])
    report.check(status == 0, f"{part}: the process left with {status} at {last}")
    return report


def run_part(args: argparse.Namespace) -> int:
    """Run one part in this process and print what it found as JSON."""
    folder = Path(args.folder)

    def progress(done: int, name: str) -> None:
        print(done, " ".join(name.split()), flush=True)

    if args.part == "tables":
        specs = specs_of(SMALL) if args.quick else default_specs()
        report = table_files.damage_tables(specs, folder, args.count, args.seed, progress)
    elif args.part == "exports":
        specs = specs_of(SMALL if args.quick else EXPORTED)
        report = exports.damage_exports(specs, folder, args.count, args.seed, progress)
    elif args.part == "http":
        report = http.harm_server(folder, args.count, args.seed, progress)
    else:
        report = lines.send_lines(folder, args.count, args.seed, progress)
    print(json.dumps(vars(replace(report, faults=report.faults[:FAULTS_TOLD]))))
    return 0


def parts(folder: Path, args: argparse.Namespace) -> Mapping[str, Callable[[], Report]]:
    """Return what is to be run, by name."""
    found: dict[str, Callable[[], Report]] = {}
    for part in ("tables", "exports", "lines", "http"):
        count = getattr(args, part)
        if count:
            found[part] = lambda part=part, count=count: apart(part, folder, count, args)  # type: ignore[misc]
    if args.tables or args.exports:
        small = specs_of([("dice_poker", {}), ("raja_pasu", {"closed": 6})])
        found["bombs"] = lambda: bombs.explode(*small, folder, shower("bombs", 9))
    if args.kills:
        few = builds.quick(specs_of(SMALL) if args.quick else default_specs(), folder)
        disks, pairs = max(args.kills // 4, 3), max(args.kills // 10, 3)
        found["killed builds"] = lambda: builds.kill_builds(
            few, args.kills, args.seed, shower("killed builds", args.kills)
        )
        found["full disks"] = lambda: builds.fill_disks(
            few, disks, args.seed, shower("full disks", disks)
        )
        found["full disks under bundles"] = lambda: builds.fill_bundles(
            few[0], shower("full disks under bundles", 4)
        )
        found["builds at once"] = lambda: builds.build_together(
            few, pairs, shower("builds at once", 2 * pairs)
        )
        found["file systems"] = lambda: builds.mounted_folders(few[0])
        found["no locks"] = lambda: builds.without_locks(few[0])
    return found


def tell(part: str, report: Report, seconds: float) -> None:
    """Print a line on a part, and one for each fault."""
    report.check(report.peak <= MOST_MEMORY, f"{part}: {report.peak / 1e6:.0f} MB")
    told = ", ".join(f"{count:,} {what}" for what, count in report.answers.most_common())
    memory = f", peak {report.peak / 1e6:.0f} MB" if report.peak else ""
    print(f"{part}: {report.cases:,} in {seconds:.0f} s{memory}: {told}", flush=True)
    for fault in report.faults:
        print(f"  FAULT {fault}", flush=True)


def main() -> int:
    """Run all parts, or those that are asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, what in (
        ("tables", "damaged tables"),
        ("exports", "damaged exports"),
        ("lines", "requests over lines"),
        ("http", "requests over HTTP"),
        ("kills", "builds killed"),
    ):
        text = f"{what}, 0 for none ({FULL[name]:,}; {QUICK[name]:,} with --quick)"
        parser.add_argument(f"--{name}", type=int, metavar="N", help=text)
    parser.add_argument("--quick", action="store_true", help="small tables and few cases")
    parser.add_argument("--seed", type=int, default=0, help="what damage is drawn from (0)")
    parser.add_argument(
        "--built",
        metavar="DIR",
        help="a folder of tables, so as not to build them; what it lacks is built elsewhere",
    )
    for flag in ("--part", "--folder"):
        parser.add_argument(flag, help=argparse.SUPPRESS)
    parser.add_argument("--count", type=int, help=argparse.SUPPRESS)
    args = parser.parse_args()
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    if args.part:
        if args.folder is None or args.count is None:
            parser.error("--part: expected --folder and --count beside it")
        return run_part(args)
    for name, count in (QUICK if args.quick else FULL).items():
        if getattr(args, name) is None:
            setattr(args, name, count)
    bad = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        begin = time.perf_counter()
        specs = specs_of(SMALL) if args.quick else [*default_specs(), *specs_of(EXPORTED)]
        if args.built:
            copy_built(Path(args.built), specs, folder)
        for number, spec in enumerate(specs):
            shower("tables to damage", len(specs))(number, spec.what)
            builds.builder(spec.game, spec.options, folder, force=False)()
        seconds = time.perf_counter() - begin
        print(f"tables to damage: {len(specs)} in {seconds:.0f} s", flush=True)
        for part, run in parts(folder, args).items():
            begin = time.perf_counter()
            report = run()
            tell(part, report, time.perf_counter() - begin)
            bad += len(report.faults)
    print(f"{bad} faults")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
