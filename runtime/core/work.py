"""Long work: how it tells what is done, and how many cores it may use."""

from __future__ import annotations

import os
from collections.abc import Callable

Progress = Callable[[int, int], None]
"""Called with the work done so far and all the work, 0 while unknown, in any one unit.

Work done that is less than before begins another stage.
"""


def available_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
