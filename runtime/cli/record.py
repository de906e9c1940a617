"""``ustad record``: what can be done with a game that is written down."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ustad.runtime.cli.parser import OK, Parser, whole_number
from ustad.runtime.record import read, redacted


def add_record(commands: Any, games: Sequence[str]) -> None:
    """Add the command ``record``."""
    del games
    text = "games that are written down"
    parser: Parser = commands.add_parser("record", help=text, description=text)
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    text = "print what one seat knew of a game, as a record"
    one = actions.add_parser("redact", help=text, description=text)
    one.set_defaults(run=_redact)
    one.add_argument("file", metavar="FILE", help="the record")
    one.add_argument("--seat", required=True, metavar="N", help="whose knowledge is left")


def _redact(args: argparse.Namespace) -> int:
    known = redacted(read(Path(args.file)), whole_number("--seat", args.seat))
    for told in known.lines():
        print(json.dumps(told, separators=(",", ":")))
    return OK
