"""What commands print: answers, errors, announcements, and progress."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ustad.runtime.cli.parser import WRONG
from ustad.runtime.core import work
from ustad.runtime.core.entry import AnyEntry
from ustad.runtime.core.errors import AnswerError
from ustad.runtime.core.work import Progress
from ustad.tables import escaped


def fail(kind: str, message: str, as_json: bool) -> int:
    """Print an error on standard error, and return the exit status that goes with it."""
    line = escaped(" ".join(message.split()))
    error = {"error": {"kind": kind, "message": line}}
    print(json.dumps(error) if as_json else f"ustad: {line}", file=sys.stderr)
    return WRONG


def print_json(answer: Any) -> None:
    """Print one JSON object, or raise AnswerError."""
    try:
        print(json.dumps(answer, allow_nan=False))
    except ValueError as error:
        raise AnswerError(f"answer: expected finite numbers: {error}") from None


def prepare(*entries: AnyEntry) -> None:
    """Get games ready to move, and say so if something is compiled: it is once for a machine."""
    lines = ["compiling, once for this machine: some seconds"]

    def told() -> None:
        if lines:
            work.tell(lines.pop())

    work.compiling.append(told)
    try:
        for entry in entries:
            entry.levels.prepare()
    finally:
        work.compiling.remove(told)


@contextmanager
def progress_bar(title: str, unit: str) -> Iterator[Progress]:
    """Show a progress bar on standard error; none where tqdm is not installed, or with --json."""
    if work.quiet:
        yield lambda done, of: None
        return
    try:
        from tqdm import tqdm
    except ImportError:
        yield lambda done, of: None
        return
    # What is done at once needs no bar; and no bar where nobody looks (disable=None), so that
    # standard error holds what is wrong alone.
    bar = tqdm(
        desc=title,
        unit=f" {unit}",
        unit_scale=True,
        leave=False,
        delay=0.5,
        mininterval=0.5,
        disable=None,
    )
    with bar as shown_bar:

        def progress(done: int, of: int) -> None:
            shown_bar.total = of or None  # 0: nobody knows yet how many
            shown_bar.update(done - shown_bar.n)

        yield progress
