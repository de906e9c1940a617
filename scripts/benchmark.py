"""Measure speed and size; each figure with its target and, where one is known, its limit.

Prints a line a benchmark, or with ``--json`` one object a line: ``name``, ``wall_s`` and
``cpu_s`` of one run or the median of many, ``target``, and what else helps.  ``--markdown``
writes ``scripts/README.md`` from this one run.  Without names all benchmarks run but those
that take minutes (``SLOW``).  Machines differ and are shared: compare figures of one run.

The name ``signature``, alone, measures no speed: it prints the signature of behaviour, see
``signature.py``.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import signature

from benchmarks.common import BENCHMARKS, SLOW, Row
from ustad.tables import TableError

for module in ("yacht", "dice_poker", "pasa", "raja_pasu", "marriage", "facts", "reviews", "http"):
    import_module(f"benchmarks.{module}")

MARKDOWN = Path(__file__).with_name("README.md")


def main() -> int:
    """Run the benchmarks named, without names all that are not slow."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="signature, or of: " + ", ".join(BENCHMARKS)
    )
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--json", action="store_true", help="one JSON object a line")
    how.add_argument("--markdown", action="store_true", help=f"write {MARKDOWN.name} too")
    args = parser.parse_args()
    if args.names == ["signature"]:
        return print_signature(args.json)
    if unknown := [name for name in args.names if name not in BENCHMARKS]:
        parser.error(f"unknown benchmark {unknown[0]}: expected one of {', '.join(BENCHMARKS)}")
    names = args.names or [name for name in BENCHMARKS if name not in SLOW]
    rows = []
    for row in measured(names):
        print(json.dumps(row) if args.json else line(row), flush=True)
        rows.append(row)
    if args.markdown:
        MARKDOWN.write_text(markdown(rows), encoding="utf-8")
    return 0


def print_signature(as_json: bool) -> int:
    """Print the signature of behaviour; see :mod:`signature`."""
    try:
        found = signature.measure()
    except TableError as error:
        print(error, file=sys.stderr)
        return 1
    print(json.dumps(found) if as_json else signature.as_text(found))
    return 0


def measured(names: Sequence[str]) -> Iterator[Row]:
    """Yield what each benchmark found, with its name."""
    return ({"name": name, **BENCHMARKS[name]()} for name in names)


def line(row: Row) -> str:
    """Return a benchmark in one line for people."""
    told = (f"{key} {in_words(key, value)}" for key, value in row.items() if key != "name")
    return f"{row['name']}: {', '.join(told)}"


_SCALES = {"s": ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")), "bytes": ((1e9, "GB"), (1e6, "MB"))}


def in_words(key: str, value: Any) -> str:
    """Return a figure with its unit, which the last word of its name tells: ``wall_s``."""
    if isinstance(value, Mapping):
        return "; ".join(f"{name} {in_words(key, held)}" for name, held in value.items())
    if not isinstance(value, int | float) or isinstance(value, bool):
        return str(value)
    unit_word = "" if "_per_" in key else key.rpartition("_")[2]
    for least, unit in _SCALES.get(unit_word, ()):
        if value >= least:
            return f"{value / least:.3g} {unit}"
    return f"{value:.4g}" if isinstance(value, float) else f"{value:,}"


def machine() -> str:
    """Return what the figures were measured on, and with."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "numba", "h5py"))
    return (
        f"Measured on {datetime.now(UTC):%Y-%m-%d} on {os.cpu_count()} cores of a "
        f"{platform.machine()} machine with {platform.system()}, Python "
        f"{platform.python_version()}, {packages}, ustad {version('ustad')}."
    )


def markdown(rows: Sequence[Row]) -> str:
    """Return the rows as a page: what each measures, what was found, and the target."""
    table = [
        "| benchmark | measures | found | target |",
        "|---|---|---|---|",
        *(
            f"| `{row['name']}` | {_what(BENCHMARKS[row['name']])} | {_found(row)} "
            f"| {row.get('target', '')} |"
            for row in rows
        ),
    ]
    command = "python scripts/benchmark.py --markdown"
    missing = BENCHMARKS.keys() - {row["name"] for row in rows}
    head = f"""# Measurements

{machine()} Machines are shared and noisy: compare figures of one run. This page is written by
`{command}`; `python scripts/benchmark.py NAME` measures one row, `--json` prints
objects. Not measured in this run: {", ".join(f"`{name}`" for name in sorted(missing)) or "none"}.

`python scripts/benchmark.py signature` prints one digest that changes when a value of a default
table or a choice of a level changes, and below it the parts it is made of; commits that change
behaviour quote it.

"""
    return head + "\n".join(table) + "\n"


def _what(function: Callable[[], Row]) -> str:
    return (function.__doc__ or "").strip().splitlines()[0].rstrip(".")


def _found(row: Mapping[str, Any]) -> str:
    """Return all figures of a row but what the target says of them."""
    hidden = {"name", "target", "ok", "runs"}
    return ", ".join(
        f"{key.removesuffix('_s').replace('_', ' ')} {in_words(key, value)}"
        for key, value in row.items()
        if key not in hidden
    )


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main())
