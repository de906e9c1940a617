"""Learn the numbers of Marriage's expert anew, as those that ship with the package came about.

Takes some minutes, and the numbers are the same on every run.  Tells how many differ from
those that ship; with ``--write`` writes the file that ships.  ``ustad build marriage --force``
learns them too, into a table.

With ``--predictions`` nothing is learned: the nets that expert predicts are held against those
that it realises, for each sort of move, over rounds of two to five players in equal parts,
under the default options and with each option changed alone.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ustad.runtime.games.marriage.cards.cards import Floats
from ustad.runtime.games.marriage.round.rules import RULES
from ustad.runtime.games.marriage.states import NUMBER_NAMES
from ustad.runtime.games.marriage.tables import SHIPPED, shipped_numbers
from ustad.solver.marriage.learning import OPTION_SETS, ROUNDS, SEED, learn
from ustad.solver.marriage.measuring import Errors, error_sums, errors_of

PREDICTED_SEED = 103
SEATS = range(RULES.seats.least, RULES.seats.most + 1)


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


def predictions(rounds: int, options: dict[str, Any]) -> dict[str, Errors]:
    """Return the errors of each sort of move over rounds of two to five players."""
    rules = RULES.read(options)
    each = -(-rounds // len(SEATS))
    return errors_of(
        np.concatenate([error_sums(each, PREDICTED_SEED, seats, rules) for seats in SEATS])
    )


def prediction_lines(rounds: int) -> Iterator[str]:
    """Yield a table of what is predicted less what is realised, a line a sort of move."""
    for options in OPTION_SETS:
        yield f"options {json.dumps(options) if options else 'default'}, {rounds} rounds"
        for sort, (mean, half, moves) in predictions(rounds, options).items():
            off = "" if abs(mean) <= max(1.0, half) else "  off"
            yield f"  {sort:<22}{mean:+6.2f} ± {half:.2f} of {moves} moves{off}"


def main() -> int:
    """Learn, compare, and write if told to; or tell how well nets are predicted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"write {SHIPPED.name}")
    parser.add_argument(
        "--predictions", metavar="ROUNDS", type=int, help="hold nets against what is realised"
    )
    args = parser.parse_args()
    if args.predictions:
        for line in prediction_lines(args.predictions):
            print(line, flush=True)
        return 0

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
