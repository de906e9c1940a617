"""The command ``ustad``: text for people, one JSON object with ``--json``.

Errors are one line on standard error, with ``--json`` the object
``{"error": {"kind": ..., "message": ...}}``, and exit status 2.  Progress bars go
to standard error too.

A command's module is loaded when its name is the first word, and a game's entry when
its name is the second: what is not asked for costs no time.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from typing import Any, NoReturn

from ustad.runtime.cli.output import fail, print_json
from ustad.runtime.cli.parser import OK, Parser, add_command, add_flags
from ustad.runtime.core import registry, work
from ustad.runtime.core.entry import Command
from ustad.runtime.core.errors import UstadError
from ustad.tables import TableError

MODULES = {
    "build": "build",
    "info": "tables",
    "verify": "tables",
    "bundle": "build",
    "ask": "ask",
    "apply": "ask",
    "arena": "arena",
    "play": "play",
    "record": "record",
    "review": "review",
    "serve": "serve",
    "export": "export",
    "page": "page",
    "schema": "schema",
}
"""The module of each command, in the order of the help; it has a function ``add_COMMAND``."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command.

    Args:
        argv: its words, those of the process by default.

    Returns:
        The exit status: 0, 1 if ``verify`` or ``info`` found a bad table, 2 for an error.
    """
    words = sys.argv[1:] if argv is None else list(argv)
    with warnings.catch_warnings():
        work.quiet = "--json" in words
        if work.quiet:
            warnings.simplefilter("ignore")  # standard error holds JSON alone
        try:
            return _status(words)
        finally:
            work.quiet = False


def _status(words: Sequence[str]) -> int:
    """Run a command, whatever comes of it, and return its exit status."""
    closed = sys.stdout is None
    _open_closed_streams()
    if closed:
        return fail("system", "standard output is closed: nobody can read the answer", work.quiet)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # names that a terminal cannot show
    try:
        status = _run(words)
        sys.stdout.flush()
        return status
    except (UstadError, TableError) as error:
        return fail(error.kind, str(error), work.quiet)
    except BrokenPipeError:
        _give_up_output()  # its reader went away: nothing is left to say
        return OK
    except OSError as error:
        try:
            sys.stdout.flush()
        except OSError:
            _give_up_output()  # a full disk, for one
        return fail("system", str(error), work.quiet)
    except KeyboardInterrupt:
        return fail("interrupted", "interrupted", work.quiet)


def _run(words: Sequence[str]) -> int:
    """Run a command and return its exit status; what it printed may still be on its way."""
    try:
        args = _parser(words).parse_args(words)
        status: int = args.run(args)
    except SystemExit as leave:  # after --help or --version
        status = int(leave.code or OK)
    return status


def _give_up_output() -> None:
    """Let nothing more be written to standard output, not when the process ends either."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _open_closed_streams() -> None:
    """Give a process that was started without a standard stream an empty one."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def _parser(words: Sequence[str]) -> Parser:
    """Return the parser of the command that these words begin with, else of all commands."""
    command, game = (*words, "", "")[:2]
    games = (game,) if game in registry.NAMES else registry.NAMES
    parser = Parser(prog="ustad", description="Optimal play, precomputed, for table games.")
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and leave")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in (command,) if command in MODULES else MODULES:
        module = import_module(f"ustad.runtime.cli.{MODULES[name]}")
        getattr(module, f"add_{name}")(commands, games)
    if command not in MODULES:
        for name in registry.NAMES:
            for own in registry.entry(name).commands:
                _add_own(commands, own)
    return parser


class _Version(argparse.Action):
    """Prints the version of the package."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> NoReturn:
        print(f"ustad {version('ustad')}")
        parser.exit()


def _add_own(commands: Any, own: Command) -> None:
    """Add a command of one game alone."""

    def run(args: argparse.Namespace) -> int:
        answer = own.run(vars(args))
        if args.json:
            print_json(answer)
        else:
            print(own.text(answer))
        return OK

    add_flags(add_command(commands, own.name, run, own.help), own.flags)
