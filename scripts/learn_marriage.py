"""Learn the numbers of Marriage's expert anew, as those that ship with the package came about.

Takes some minutes, and the numbers are the same on every run.  Tells how many differ from
those that ship; with ``--write`` writes the file that ships.  ``ustad build marriage --force``
learns them too, into a table.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import numpy as np

from ustad.runtime.games.marriage.cards.cards import Floats
from ustad.runtime.games.marriage.states import NUMBER_NAMES
from ustad.runtime.games.marriage.tables import SHIPPED, shipped_numbers
from ustad.solver.marriage.learning import ROUNDS, SEED, learn


def write(numbers: Floats, path: Path) -> None:
    """Write a file of numbers as it ships."""
    content = {
        "what": "what features of a hand are worth to expert, and the predicted net, in points",
        "command": "python scripts/learn_marriage.py --write",
        "seed": SEED,
        "rounds": ROUNDS,
        "numbers": dict(zip(NUMBER_NAMES, numbers.tolist(), strict=True)),
    }
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def main() -> int:
    """Learn, compare, and write if told to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"write {SHIPPED.name}")
    args = parser.parse_args()

    def progress(done: int, total: int) -> None:
        print(f"\r{done} of {total} rounds", end="", file=sys.stderr, flush=True)

    numbers = learn(progress=progress)
    print(file=sys.stderr)
    different = np.flatnonzero(numbers != shipped_numbers())
    print(f"{len(different)} of {len(numbers)} numbers differ from those that ship")
    if args.write:
        write(numbers, SHIPPED)
    return 0


if __name__ == "__main__":
    sys.exit(main())
