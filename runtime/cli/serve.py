"""``ustad serve``: the protocol over lines, or over HTTP."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from ustad.runtime.cli.parser import OK, add_command, folder_given, whole_number
from ustad.runtime.core.errors import MissingPackageError, UsageError, shown
from ustad.runtime.core.registry import NAMES, entry
from ustad.runtime.core.work import available_cores
from ustad.runtime.questions import Advisor
from ustad.runtime.serve.lines import serve
from ustad.tables import TableError, open_table, tables_folder

MOST_WORKERS = 256


def add_serve(commands: Any, games: Sequence[str]) -> None:
    """Add the command ``serve``."""
    del games
    text = "answer one JSON request a line on standard input, or requests over HTTP"
    parser = add_command(commands, "serve", _serve, text)
    parser.add_argument(
        "--http", metavar="[HOST:]PORT", help="serve HTTP there; without a host on 127.0.0.1 alone"
    )
    parser.add_argument(
        "--workers",
        metavar="N",
        help="with --http: processes for searches, reviews and batches (as many as cores)",
    )
    parser.add_argument(
        "--limit", metavar="SECONDS", help="with --http: how long a request may take (30)"
    )
    parser.add_argument(
        "--log", action="store_true", help="with --http: a line of JSON for each request"
    )
    parser.add_argument(
        "--page", metavar="DIR", help="with --http: the page that `ustad page` wrote, shown at /"
    )


def _serve(args: argparse.Namespace) -> int:
    if args.http is not None:
        return _serve_http(args)
    for name in ("workers", "limit", "log", "page"):
        if getattr(args, name):
            raise UsageError(f"--{name}: expected --http beside it")
    serve(sys.stdin.buffer, sys.stdout, Advisor(folder_given(args)))
    return OK


class Address(NamedTuple):
    """Where to listen."""

    host: str
    port: int


def read_address(text: str) -> Address:
    """Return the address that ``--http`` names, or raise UsageError.

    >>> read_address("8000")
    Address(host='127.0.0.1', port=8000)
    >>> read_address("[::1]:8000")
    Address(host='::1', port=8000)
    """
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]") if host else "127.0.0.1"
    if not port.isdecimal() or int(port) > 65535:
        raise UsageError(f"--http: expected [HOST:]PORT, a port from 0 to 65535, got {shown(text)}")
    return Address(host, int(port))


def _between(flag: str, text: str | None, least: int, most: int, usual: int) -> int:
    number = usual if text is None else whole_number(flag, text)
    if not least <= number <= most:
        raise UsageError(f"{flag}: expected {least} to {most}, got {number}")
    return number


def _serve_http(args: argparse.Namespace) -> int:
    address = read_address(args.http)
    workers = _between("--workers", args.workers, 1, MOST_WORKERS, available_cores())
    limit = _between("--limit", args.limit, 1, 3600, 30)
    try:
        http = import_module("ustad.runtime.serve.http")
    except ImportError as error:
        raise MissingPackageError(
            f'serve --http: {error.name} is not installed: pip install "ustad[http]"'
        ) from None
    folder = folder_given(args)
    for line in missing_tables(folder):
        print(f"ustad: {line}", file=sys.stderr)
    tables = None if folder is None else str(folder)
    page = page_folder(args.page)
    http.run(http.Settings(*address, workers, tables, limit=limit, log=args.log, page=page))
    return OK


def page_folder(text: str | None) -> str | None:
    """Return the folder that ``--page`` names, or raise UsageError if no page lies there."""
    if text is None:
        return None
    if not (Path(text) / "index.html").is_file():
        raise UsageError(
            f"--page: expected a folder with a page, got {shown(text)}: write one with "
            f"`ustad page --out {text}`"
        )
    return str(Path(text).resolve())


def missing_tables(folder: Any) -> list[str]:
    """Return a line for every default table that is missing or unfit, with what to do."""
    found = []
    for name in NAMES:
        game = entry(name)
        for options in game.tables.defaults():
            try:
                open_table(game.tables.spec(options), tables_folder(folder))
            except TableError as error:
                found.append(str(error))
    return found
