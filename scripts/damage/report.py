"""What a part found, and the limits that hold for all."""

from __future__ import annotations

import os
import resource
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

MOST_MEMORY = 500e6
"""Bytes that a reader may take at its peak."""

LONGEST_WAIT = 120.0
"""Seconds after which a case counts as one that hangs."""


@dataclass
class Report:
    """What a part found."""

    cases: int = 0
    answers: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    peak: float = 0.0

    def check(self, holds: bool, fault: str) -> None:
        """Note a fault unless something holds."""
        if not holds:
            self.faults.append(fault)


def peak_memory() -> float:
    """Return the bytes that this process took at its peak.

    What the system counts as used counts the parent too, up to the moment this one was made.
    """
    if own := peak_of(os.getpid()):
        return own
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return float(peak * (1 if sys.platform == "darwin" else 1024))


def peak_of(process: int) -> float:
    """Return the peak memory of a running process in bytes, 0 where nobody tells."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((1024.0 * int(li.split()[1]) for li in lines if li.startswith("VmHWM")), 0.0)


Progress = Callable[[int, str], None]
"""Called with how many cases are done and the one that comes."""
