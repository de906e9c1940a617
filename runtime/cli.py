"""The command ``ustad``: text for people, one JSON object with ``--json``.

Errors are one line on standard error, with ``--json`` the object
``{"error": {"kind": ..., "message": ...}}``, and exit status 2.  Progress bars go
to standard error too.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from ustad.runtime.advice import Advisor, advice_to_json
from ustad.runtime.errors import MissingPackageError, UsageError, UstadError, shown
from ustad.runtime.games import NAMES, game_type
from ustad.runtime.games.base import LEVELS, Advice, Command, GameType, parse_options
from ustad.runtime.strict_json import LARGEST_TEXT, loads
from ustad.tables import (
    MismatchedTableError,
    Table,
    TableError,
    identity,
    open_table,
    table_files,
    tables_folder,
)

OK, BAD_TABLE, WRONG = 0, 1, 2


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{self.prog}: {message}; see {self.prog} --help")


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command.

    Args:
        argv: its words, those of the process by default.

    Returns:
        The exit status: 0, 1 if ``verify`` found a bad table, 2 for an error.
    """
    words = sys.argv[1:] if argv is None else list(argv)
    try:
        args = _parser().parse_args(words)
        status: int = args.run(args)
        sys.stdout.flush()
        return status
    except (UstadError, TableError) as error:
        return _fail(error.kind, str(error), "--json" in words)
    except BrokenPipeError:
        # The reader of our output went away: nothing is left to say.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except OSError as error:
        return _fail("system", str(error), "--json" in words)
    except KeyboardInterrupt:
        return _fail("interrupted", "interrupted", "--json" in words)


def _fail(kind: str, message: str, as_json: bool) -> int:
    line = " ".join(message.split())
    if as_json:
        line = json.dumps({"error": {"kind": kind, "message": line}}, ensure_ascii=False)
    else:
        line = f"ustad: {line}"
    print(line, file=sys.stderr)
    return WRONG


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="ustad", description="Optimal play, precomputed, for table games.")
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and leave")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for add in (_add_build, _add_info, _add_verify, _add_ask, _add_apply):
        add(commands)
    for name in NAMES:
        for extra in game_type(name).commands():
            _add_extra(commands, extra)
    return parser


class _Version(argparse.Action):
    """Prints the version of the package."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> NoReturn:
        from importlib.metadata import version  # slow to import, and seldom asked for

        print(f"ustad {version('ustad')}")
        parser.exit()


def _command(commands: Any, name: str, run: Callable[[Any], int], text: str) -> _Parser:
    parser: _Parser = commands.add_parser(name, help=text, description=text)
    parser.set_defaults(run=run)
    _add_common(parser)
    return parser


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--tables", metavar="DIR", help="folder of the table files (else USTAD_TABLES, ...)"
    )


def _add_for_each_game(
    commands: Any, name: str, run: Callable[[Any], int], text: str
) -> list[tuple[GameType, _Parser]]:
    """Add a command whose first word is a game, and return the parser of each game."""
    parser = commands.add_parser(name, help=text, description=text)
    games = parser.add_subparsers(dest="game", metavar="GAME", required=True)
    found = []
    for game in NAMES:
        kind = game_type(game)
        one = games.add_parser(game, help=kind.title, description=f"{kind.title}: {text}")
        one.set_defaults(run=run)
        _add_common(one)
        found.append((kind, one))
    return found


def _folder(args: argparse.Namespace) -> Path | None:
    return None if args.tables is None else Path(args.tables)


def _print_json(answer: Any) -> None:
    print(json.dumps(answer, ensure_ascii=False, allow_nan=False))


# build


def _add_build(commands: Any) -> None:
    parser = _command(commands, "build", _build, "build the tables of all or the named games")
    add_build_flags(parser)


def add_build_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the build command but the common ones."""
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"of {', '.join(NAMES)}")
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="the table of these options, of the one game named",
    )
    parser.add_argument("--force", action="store_true", help="build even what is there and sound")


def _build(args: argparse.Namespace) -> int:
    kinds = [game_type(name) for name in dict.fromkeys(args.games or NAMES)]
    if args.option and len(args.games) != 1:
        raise UsageError("build: --option goes with exactly one game")
    wanted = [
        (kind, kind.table_spec(options).options)
        for kind in kinds
        for options in _wanted_tables(kind, args.option)
    ]
    build_table, bar = _builder()
    folder = tables_folder(_folder(args))
    rows = []
    for kind, options in wanted:
        begin = time.perf_counter()
        with bar(kind.table_spec(options).what) as progress:
            table, new = build_table(kind, options, folder, args.force, progress)
        seconds = time.perf_counter() - begin
        rows.append({**_table_row(table), "built": new, "seconds": round(seconds, 3)})
    if args.json:
        _print_json({"tables": rows})
    else:
        for row in rows:
            done = f"built in {row['seconds']:.1f} s" if row["built"] else "was there"
            print(f"{_table_line(row)}  {done}")
    return OK


def _wanted_tables(kind: GameType, texts: Sequence[str]) -> Sequence[dict[str, Any]]:
    """Return the option sets of the tables to build."""
    if not texts:
        return kind.table_options()
    return [parse_options(kind.name, kind.table_fields, texts)]


def _builder() -> tuple[Callable[..., tuple[Table, bool]], Callable[[str], Any]]:
    """Return the function that builds a table, and one that makes a progress bar for it."""
    try:
        build: Any = import_module("ustad.solver.build")
        import_module("ustad.solver.turn")
        progress: Any = import_module("ustad.solver.progress")
    except ImportError as error:
        raise MissingPackageError(
            f"building tables needs the package {error.name}: install ustad with its extra "
            "build: pip install 'ustad[build]'"
        ) from None
    return build.build_table, progress.bar


# info and verify


def _add_info(commands: Any) -> None:
    _command(commands, "info", _info, "list the tables that are built")


def _add_verify(commands: Any) -> None:
    _command(commands, "verify", _verify, "check every table file from end to end")


def _table_row(table: Table) -> dict[str, Any]:
    return {
        "game": table.spec.game,
        "options": dict(table.spec.options),
        "path": str(table.path),
        "bytes": table.bytes,
        "quantity": table.spec.quantity,
        "unit": table.spec.unit,
        "start_value": table.start_value,
    }


def _table_line(row: dict[str, Any]) -> str:
    name = Path(row["path"]).name
    return f"{name:<48} {row['bytes']:>10,} bytes  start {row['start_value']:.9f} {row['unit']}"


def open_file(path: Path) -> Table:
    """Open a table file by what it says it is of, and check it from end to end.

    Raises:
        TableError: it is damaged, of another version, or not what its name says.
    """
    remedy = f"ustad build --tables {path.parent} --force"
    name, options = identity(path, remedy)
    try:
        spec = game_type(name).table_spec(options)
    except UstadError as error:
        known = f"a table of {', '.join(NAMES)}"
        raise MismatchedTableError(path, known, str(error), remedy) from None
    if path.name != spec.file_name:
        raise MismatchedTableError(path, f"the name {spec.file_name}", path.name, remedy)
    return open_table(spec, path.parent)


def _info(args: argparse.Namespace) -> int:
    folder = tables_folder(_folder(args))
    rows, faults = [], []
    for path in table_files(folder):
        try:
            rows.append(_table_row(open_file(path)))
        except TableError as error:
            faults.append(str(error))
    if args.json:
        _print_json({"tables": rows})
    elif not rows:
        print(f"{folder}: no tables; build them with: ustad build --tables {folder}")
    else:
        print(folder)
        print("\n".join(map(_table_line, rows)))
    for fault in faults:
        print(f"ustad: {fault}", file=sys.stderr)
    return OK


def _verify(args: argparse.Namespace) -> int:
    folder = tables_folder(_folder(args))
    if not folder.is_dir():
        raise UsageError(f"{folder}: expected a folder of tables; build them with: ustad build")
    rows = []
    for path in table_files(folder):
        fault = None
        try:
            open_file(path)
        except TableError as error:
            fault = str(error)
        rows.append({"path": str(path), "ok": fault is None, "error": fault})
    if args.json:
        _print_json({"tables": rows})
    else:
        for row in rows:
            print(f"ok   {row['path']}" if row["ok"] else f"BAD  {row['error']}")
        print(f"{len(rows)} tables, {sum(not row['ok'] for row in rows)} bad")
    return OK if all(row["ok"] for row in rows) else BAD_TABLE


# ask and apply


def _add_position(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--position", metavar="FILE", help="a JSON position, - for standard input")


def _add_ask(commands: Any) -> None:
    text = "the best move of a position, and what each other move costs"
    for kind, parser in _add_for_each_game(commands, "ask", _ask, text):
        _add_position(parser)
        parser.add_argument("--level", default="expert", metavar="LEVEL", help=", ".join(LEVELS))
        parser.add_argument("--top", metavar="N", help="show the best N options only")
        kind.add_flags(parser)


def _add_apply(commands: Any) -> None:
    text = "the position after a move or an outcome of chance"
    for _, parser in _add_for_each_game(commands, "apply", _apply, text):
        _add_position(parser)
        parser.add_argument("--move", metavar="JSON", help="a legal move")
        parser.add_argument("--outcome", metavar="JSON", help="what chance brings")
        parser.add_argument("--seed", metavar="N", help="draws what chance brings")


def _whole_number(flag: str, text: str | None) -> int | None:
    if text is None:
        return None
    try:
        return int(text)
    except ValueError:
        raise UsageError(f"{flag}: expected a whole number, got {shown(text)}") from None


def _read_file(name: str) -> str:
    """Return the text of a file, or of standard input for ``-``."""
    try:
        if name == "-":
            return sys.stdin.read(LARGEST_TEXT + 1)
        with Path(name).open(encoding="utf-8") as file:
            return file.read(LARGEST_TEXT + 1)
    except OSError as error:
        raise UsageError(f"--position: {name}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise UsageError(f"--position: {name}: expected JSON in UTF-8") from None


def _position(args: argparse.Namespace, from_flags: Any) -> Any:
    """Return the JSON position that a command names, of the command's game."""
    if args.position is None:
        if from_flags is None:
            raise UsageError("expected a position: --position FILE, or - for standard input")
        return from_flags
    if from_flags is not None:
        raise UsageError("expected --position or the flags of a position, not both")
    position = loads(_read_file(args.position), "position")
    if isinstance(position, dict) and position.get("game") != args.game:
        found = shown(position.get("game"))
        raise UsageError(f"position: game: expected {shown(args.game)}, got {found}")
    return position


def _ask(args: argparse.Namespace) -> int:
    top = _whole_number("--top", args.top)
    if top is not None and top < 1:
        raise UsageError(f"--top: expected at least 1, got {top}")
    position = _position(args, game_type(args.game).position_from_flags(args))
    game, state, advice = Advisor(_folder(args)).advise(position, args.level)
    if args.json:
        _print_json(advice_to_json(game, advice, top))
    else:
        print(game.describe(state))
        print(advice_text(game, advice, top))
    return OK


def advice_text(game: GameType, advice: Advice, top: int | None = None) -> str:
    """Return advice as text: the best move, then every move with what it costs."""
    lines = []
    if advice.best:
        lines.append("best: " + " or ".join(map(game.describe_move, advice.best)))
    if advice.value is not None:
        lines.append(f"{(advice.unit or '').replace('_', ' ')}: {advice.value:.4f}")
    for move, value in advice.options[:top]:
        cost = (advice.value or 0.0) - value
        costs = f"costs {cost:.4f}" if cost > 0 else "best"
        lines.append(f"  {game.describe_move(move):<28}{value:>12.4f}  {costs}")
    return "\n".join(lines)


def _apply(args: argparse.Namespace) -> int:
    position = _position(args, None)
    answer = Advisor(_folder(args)).apply(
        position,
        None if args.move is None else loads(args.move, "move"),
        None if args.outcome is None else loads(args.outcome, "outcome"),
        _whole_number("--seed", args.seed),
    )
    if args.json:
        _print_json(answer)
    else:
        kind = game_type(args.game)
        for event in answer["events"]:
            print(json.dumps(event, ensure_ascii=False))
        print(kind.describe(kind.state_from_json(answer["position"])))
        print(json.dumps(answer["position"], ensure_ascii=False))
    return OK


# commands of one game


def _add_extra(commands: Any, extra: Command) -> None:
    def run(args: argparse.Namespace) -> int:
        answer = extra.run(args)
        if args.json:
            _print_json(answer)
        else:
            print(extra.text(answer))
        return OK

    extra.add_flags(_command(commands, extra.name, run, extra.help))
