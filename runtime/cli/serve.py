"""``ustad serve``: the protocol over lines."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from ustad.runtime.cli.parser import OK, add_command, folder_given
from ustad.runtime.questions import Advisor
from ustad.runtime.serve.lines import serve


def add_serve(commands: Any, games: Sequence[str]) -> None:
    """Add the command ``serve``."""
    del games
    add_command(commands, "serve", _serve, "answer one JSON request a line on standard input")


def _serve(args: argparse.Namespace) -> int:
    serve(sys.stdin.buffer, sys.stdout, Advisor(folder_given(args)))
    return OK
