"""``ustad review``: what each decision of a game cost, and what luck did."""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ustad.runtime import review
from ustad.runtime.cli.output import prepare, print_json
from ustad.runtime.cli.parser import OK, add_command, folder_given, whole_number_if_given
from ustad.runtime.questions import Advisor
from ustad.runtime.record import read


def add_review(commands: Any, games: Sequence[str]) -> None:
    """Add the command ``review``."""
    del games
    text = "what each decision of a game that is written down cost, and what luck did"
    parser = add_command(commands, "review", _review, text)
    parser.add_argument("file", metavar="FILE", help="the record")
    parser.add_argument("--seat", metavar="N", help="tell of one seat (all)")
    parser.add_argument("--unit", metavar="U", help="what to judge by, such as win_share")
    parser.add_argument("--plot", metavar="FILE", help="draw the values over the game")


def _review(args: argparse.Namespace) -> int:
    path = Path(args.file)
    record = read(path)
    seat = review.check_seat(record, whole_number_if_given("--seat", args.seat))
    prepare(record.entry)
    advisor = Advisor(folder_given(args))
    found = advisor.review_of(record, unit=args.unit)
    if args.plot is not None:
        review.draw(found, Path(args.plot))
    if args.json:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        print_json({"record_sha256": digest, **found.to_json()})
    else:
        print(review.as_text(found, seat, advisor.tables))
    return OK
