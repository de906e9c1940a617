"""Long work: how it tells what is done, what it says of itself, how many cores it may use."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

Progress = Callable[[int, int], None]
"""Called with the work done so far and all the work, 0 while unknown, in any one unit.

Work done that is less than before begins another stage.
"""

compiling: list[Callable[[], None]] = []
"""What is called when a function is compiled; see :mod:`ustad.runtime.core.kernels`."""

quiet = False
"""Whether nothing is to be told on standard error beside errors: a program reads it."""


def tell(line: str) -> None:
    """Say something about the work on standard error, above the progress bar if there is one."""
    if quiet:
        return
    try:
        from tqdm import tqdm
    except ImportError:
        print(line, file=sys.stderr)
    else:
        tqdm.write(line, file=sys.stderr)


def available_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
