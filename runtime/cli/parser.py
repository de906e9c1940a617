"""Reading command lines: the parser, what commands share, and the flags of games."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from ustad.runtime.core.entry import AnyEntry, Flag, Takes
from ustad.runtime.core.entry import whole_number as read_whole_number
from ustad.runtime.core.errors import UsageError
from ustad.runtime.core.options import options_help, parse_options
from ustad.runtime.core.registry import entry
from ustad.tables import UnreadableTableError, reason_of, tables_folder

OK, BAD_TABLE, WRONG = 0, 1, 2
"""Exit statuses: all is well, a table is bad, the command is wrong or cannot be done."""

Run = Callable[[argparse.Namespace], int]


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, and whose flags are spelt out."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{"allow_abbrev": False, **options})

    def error(self, message: str) -> NoReturn:
        """Raise UsageError."""
        raise UsageError(f"{message}; see {self.prog} --help")


def add_command(commands: Any, name: str, run: Run, text: str) -> Parser:
    """Add a command with the common flags, and return its parser."""
    parser: Parser = commands.add_parser(name, help=text, description=text)
    parser.set_defaults(run=run)
    _add_common(parser)
    return parser


def add_for_each_game(
    commands: Any, name: str, run: Run, text: str, games: Sequence[str]
) -> list[tuple[AnyEntry, Parser]]:
    """Add a command whose first word is a game, and return the parser of each of these games."""
    parser = commands.add_parser(name, help=text.replace("%", "%%"), description=text)
    choices = parser.add_subparsers(dest="game", metavar="GAME", required=True)
    found = []
    for game in map(entry, games):
        one = choices.add_parser(game.name, help=game.title, description=f"{game.title}: {text}")
        one.set_defaults(run=run)
        _add_common(one)
        found.append((game, one))
    return found


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON, errors too")
    parser.add_argument(
        "--tables", metavar="DIR", help="folder of the table files (else USTAD_TABLES, ...)"
    )


_HOW: dict[Takes, dict[str, Any]] = {
    Takes.NOTHING: {"action": "store_true"},
    Takes.ONE: {},
    Takes.SEVERAL: {"nargs": "+"},
    Takes.ONE_EACH_TIME: {"action": "append"},
}


def add_flags(parser: argparse.ArgumentParser, flags: Sequence[Flag], title: str = "") -> None:
    """Add flags that a game declares, under a title of their own if one is given."""
    group = parser.add_argument_group(title) if title else parser
    for flag in flags:
        more: dict[str, Any] = {} if flag.takes is Takes.NOTHING else {"metavar": flag.metavar}
        if flag.required:
            more["required"] = True
        group.add_argument(flag.name, help=flag.help, **more, **_HOW[flag.takes])


def add_options(parser: argparse.ArgumentParser, game: AnyEntry) -> None:
    """Add the flag for the options of a game's rules."""
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help=options_help(game.rules.options),
    )


def options_of(args: argparse.Namespace) -> tuple[AnyEntry, dict[str, Any]]:
    """Return the game of a command and the full option set of its rules."""
    game = entry(args.game)
    given = parse_options(game.name, game.rules.options, args.option)
    return game, game.rules.read_options(given)


def folder_given(args: argparse.Namespace) -> Path | None:
    """Return the folder that ``--tables`` names, None for the usual places.

    These are looked for when a table is read: most positions need none.
    """
    if args.tables is None:
        return None
    if args.tables == "":
        raise UsageError("--tables: expected a folder, got nothing")
    return _no_file(Path(args.tables))


def folder_of(args: argparse.Namespace) -> Path:
    """Return the folder of the tables, for a command that is about the folder itself.

    Raises:
        UsageError: it is a file.
        NoFolderError: none is named, and there is no usual place.
    """
    return folder_given(args) or _no_file(tables_folder())


def _no_file(folder: Path) -> Path:
    try:
        if folder.exists() and not folder.is_dir():
            raise UsageError(f"{folder}: expected the folder of the tables, got a file")
    except OSError as error:
        raise UnreadableTableError(folder, reason_of(error)) from None
    return folder


def whole_number(flag: str, text: str) -> int:
    """Return the whole number that a flag gives, or raise UsageError."""
    return read_whole_number(flag, text, UsageError)


def whole_number_if_given(flag: str, text: str | None) -> int | None:
    """Return the whole number that a flag gives, None if it is not given."""
    return None if text is None else whole_number(flag, text)
