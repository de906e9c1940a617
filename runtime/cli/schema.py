"""``ustad schema``: the JSON Schema of positions, moves, records, requests and answers."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import Any

from ustad.runtime.cli.output import print_json
from ustad.runtime.cli.parser import OK, add_command
from ustad.runtime.core import registry
from ustad.runtime.schema import schema


def add_schema(commands: Any, games: Sequence[str]) -> None:
    """Add the command ``schema``."""
    del games
    text = "JSON Schema (2020-12) of positions, moves, records, requests and answers"
    parser = add_command(commands, "schema", _schema, text)
    parser.add_argument("game", nargs="?", metavar="GAME", help="of one game alone")


def _schema(args: argparse.Namespace) -> int:
    found = schema(registry.NAMES if args.game is None else (registry.entry(args.game).name,))
    if args.json:
        print_json(found)
    else:
        print(json.dumps(found, indent=1))
    return OK
