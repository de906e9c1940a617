"""The command ``ustad``: text for people, one JSON object with ``--json``.

Errors are one line on standard error, with ``--json`` the object
``{"error": {"kind": ..., "message": ...}}``, and exit status 2.  Progress bars go
to standard error too.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import secrets
import shlex
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache, partial
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from ustad.runtime.core.errors import MissingPackageError, UsageError, UstadError, shown
from ustad.runtime.core.game import (
    LEVELS,
    Advice,
    Command,
    GameType,
    Progress,
    parse_options,
)
from ustad.runtime.core.registry import NAMES, game_type
from ustad.runtime.core.strict_json import LARGEST_TEXT, loads
from ustad.runtime.questions import (
    Advisor,
    advice_to_json,
    check_level,
    check_seed,
    check_top,
    read_position,
)
from ustad.tables import (
    CorruptTableError,
    MismatchedTableError,
    Table,
    TableError,
    bundle_faults,
    check_bundle_folder,
    identity,
    is_bundle,
    open_table,
    remove_stale,
    structure,
    table_files,
    tables_folder,
    write_bundle,
)

OK, BAD_TABLE, WRONG = 0, 1, 2


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, and whose flags are spelt out."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{"allow_abbrev": False, **options})

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}; see {self.prog} --help")


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command.

    Args:
        argv: its words, those of the process by default.

    Returns:
        The exit status: 0, 1 if ``verify`` or ``info`` found a bad table, 2 for an error.
    """
    words = sys.argv[1:] if argv is None else list(argv)
    _open_closed_streams()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # names that a terminal cannot show
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


def _open_closed_streams() -> None:
    """Give a process that was started without a standard stream an empty one."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def _fail(kind: str, message: str, as_json: bool) -> int:
    line = " ".join(message.split())
    error = {"error": {"kind": kind, "message": line}}
    print(json.dumps(error) if as_json else f"ustad: {line}", file=sys.stderr)
    return WRONG


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="ustad", description="Optimal play, precomputed, for table games.")
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and leave")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for add in (
        _add_build,
        _add_info,
        _add_verify,
        _add_bundle,
        _add_ask,
        _add_apply,
        _add_arena,
        _add_play,
        _add_serve,
        _add_export,
    ):
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
    parser.add_argument("--json", action="store_true", help="print JSON, errors too")
    parser.add_argument(
        "--tables", metavar="DIR", help="folder of the table files (else USTAD_TABLES, ...)"
    )


def _add_for_each_game(
    commands: Any, name: str, run: Callable[[Any], int], text: str
) -> list[tuple[GameType, _Parser]]:
    """Add a command whose first word is a game, and return the parser of each game."""
    parser = commands.add_parser(name, help=text.replace("%", "%%"), description=text)
    games = parser.add_subparsers(dest="game", metavar="GAME", required=True)
    found = []
    for game in NAMES:
        kind = game_type(game)
        one = games.add_parser(game, help=kind.title, description=f"{kind.title}: {text}")
        one.set_defaults(run=run)
        _add_common(one)
        found.append((kind, one))
    return found


def _folder(args: argparse.Namespace) -> Path:
    """Return the folder of the tables, which ``--tables`` may name."""
    if args.tables == "":
        raise UsageError("--tables: expected a folder, got nothing")
    folder = tables_folder(args.tables)
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder}: expected the folder of the tables, got a file")
    return folder


def _print_json(answer: Any) -> None:
    print(json.dumps(answer, allow_nan=False))


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
    if args.option and len(args.games) != 1:
        raise UsageError("build: --option goes with exactly one game")
    wanted = _default_tables(dict.fromkeys(args.games or NAMES))
    if args.option:
        kind = game_type(args.games[0])
        asked = kind.tables_asked_for(parse_options(kind.name, kind.table_fields, args.option))
        wanted = [(kind, kind.table_spec(options).options) for options in asked]
    rows = [row for _, row in _built(wanted, _folder(args), args.force)]
    _prepare(*dict.fromkeys(kind for kind, _ in wanted))
    if args.json:
        _print_json({"tables": rows})
    else:
        _print_built(rows)
    return OK


def _built(
    wanted: Sequence[tuple[GameType, Mapping[str, Any]]], folder: Path, force: bool
) -> Iterator[tuple[Table, dict[str, Any]]]:
    """Build tables where they are not built yet, and yield each with what to tell of it."""
    builder = _builder()
    remove_stale(folder)
    try:
        for kind, options in wanted:
            begin = time.perf_counter()
            with _bar(kind.table_spec(options).what, "states") as progress:
                table, new = builder.build_table(kind, options, folder, force, progress, _announce)
            seconds = time.perf_counter() - begin
            yield table, {**_table_row(table), "built": new, "seconds": round(seconds, 3)}
    finally:
        builder.release(kind for kind, _ in wanted)


def _print_built(rows: Sequence[dict[str, Any]]) -> None:
    """Print the table that closes a build."""
    for row in rows:
        done = f"built in {row['seconds']:.1f} s" if row["built"] else "was there"
        print(_table_line(row, done))
    size, seconds = (sum(row[key] for row in rows) for key in ("bytes", "seconds"))
    print(f"{size:>12,} bytes  in {len(rows)} tables, {seconds:.1f} s")


def _default_tables(games: Iterable[str]) -> list[tuple[GameType, Mapping[str, Any]]]:
    """Return the tables that a build makes when nobody says which, each with its full options."""
    return [
        (kind, kind.table_spec(options).options)
        for kind in map(game_type, games)
        for options in kind.table_options()
    ]


def _builder() -> Any:
    """Return the module that builds tables."""
    try:
        build: Any = import_module("ustad.solver.build")
        import_module("ustad.runtime.core.kernels")
    except ImportError as error:
        raise MissingPackageError(
            f"building tables needs the package {error.name}: pip install 'ustad[build]'"
        ) from None
    return build


def _announce(line: str) -> None:
    """Print a line on standard error, above the progress bar if there is one."""
    try:
        from tqdm import tqdm
    except ImportError:
        print(line, file=sys.stderr)
    else:
        tqdm.write(line, file=sys.stderr)


def _prepare(*kinds: GameType) -> None:
    """Get games ready to move, and say so if that takes long: it does once for a machine."""
    told = threading.Timer(1.0, _announce, ["compiling, once for this machine: some seconds"])
    told.daemon = True
    told.start()
    try:
        for kind in kinds:
            kind.prepare()
    finally:
        told.cancel()


@contextmanager
def _bar(title: str, unit: str) -> Iterator[Progress]:
    """Show a progress bar on standard error; where tqdm is not installed, none."""
    try:
        from tqdm import tqdm
    except ImportError:
        yield lambda done, of: None
        return
    # What is done at once needs no bar; and no bar where nobody looks (disable=None), so that
    # standard error holds what is wrong alone.
    bar = tqdm(
        desc=title,
        unit=f" {unit}",
        unit_scale=True,
        leave=False,
        delay=0.5,
        mininterval=0.5,
        disable=None,
    )
    with bar as shown_bar:

        def progress(done: int, of: int) -> None:
            shown_bar.total = of or None  # 0: nobody knows yet how many
            shown_bar.update(done - shown_bar.n)

        yield progress


# info and verify


def _add_info(commands: Any) -> None:
    _command(commands, "info", _info, "list the tables that are built")


def _add_verify(commands: Any) -> None:
    _command(
        commands,
        "verify",
        _verify,
        "check every file of a folder of tables, a bundle, an export or exports from end to end",
    )


def _table_row(table: Table) -> dict[str, Any]:
    start, unit = game_type(table.spec.game).start_value(table)
    return {
        "game": table.spec.game,
        "options": dict(table.spec.options),
        "path": str(table.path),
        "bytes": table.bytes,
        "quantity": table.spec.quantity,
        "unit": unit,
        "start_value": start,
    }


def _table_line(row: dict[str, Any], done: str | None = None) -> str:
    """Return what is to tell of a table in columns, its long name last."""
    start = f"start {row['start_value']:.9f} {row['unit']}"
    doing = "" if done is None else f"  {done:<16}"
    return f"{row['bytes']:>12,} bytes  {start:<30}{doing}  {Path(row['path']).name}"


def _remedy(path: Path) -> str:
    """Return the command that builds the table that a file is by its name."""
    game, *options = path.stem.split(",")
    with suppress(UstadError):
        kind = game_type(game)
        spec = kind.table_spec(parse_options(kind.name, kind.table_fields, options))
        if spec.file_name == path.name:
            return spec.build_command(path.parent, force=True)
    return shlex.join(["ustad", "build", "--tables", str(path.parent), "--force"])


def open_file(path: Path) -> Table:
    """Open a table file by what it says it is of, and check it from end to end.

    Raises:
        TableError: it is damaged, of another version, or not what its name says.
    """
    remedy = _remedy(path)
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
    folder = _folder(args)
    rows: list[dict[str, Any]] = []
    faults: list[TableError] = []
    for path in table_files(folder):
        try:
            rows.append(_table_row(open_file(path)))
        except TableError as error:
            faults.append(error)
    if args.json:
        _print_json({"tables": rows})
    elif not rows:
        command = shlex.join(["ustad", "build", "--tables", str(folder)])
        print(f"{folder}: no tables; build them with: {command}")
    else:
        print(folder)
        print("\n".join(map(_table_line, rows)))
    for fault in faults:
        _fail(fault.kind, str(fault), args.json)
    return BAD_TABLE if faults else OK


def _exports(folder: Path) -> list[Path]:
    """Return a folder and those in it that are exports."""
    from ustad.runtime.export import is_export  # only here

    inside = sorted(path for path in folder.iterdir() if path.is_dir())
    return [path for path in (folder, *inside) if is_export(path)]


def folder_faults(folder: Path) -> dict[Path, str | None]:
    """Return what is wrong with each file of a folder of tables, a bundle, an export or exports.

    None stands for what is right, from end to end.
    """
    from ustad.runtime.export import export_faults  # only here

    sound: dict[Path, Table] = {}
    faults: dict[Path, str | None] = {}
    for export in _exports(folder):
        faults |= export_faults(export)
    for path in table_files(folder):
        try:
            table = open_file(path)
            table.verify()
            _check_structure(table)
            sound[path] = table
        except TableError as error:
            faults[path] = str(error)
    bundled = bundle_faults(folder, sound) if is_bundle(folder) else {}
    return dict.fromkeys(sound) | bundled | faults


def _check_structure(table: Table) -> None:
    """Check what a table carries for readers in other languages, or raise CorruptTableError."""
    spec, remedy = table.spec, table.spec.build_command(table.path.parent, force=True)
    expected = game_type(spec.game).structure(spec.options)
    found = structure(table.path, remedy)
    for name in sorted(expected.keys() | found.keys()):
        if name not in found or name not in expected:
            have = ", ".join(sorted(found)) or "nothing"
            raise CorruptTableError(table.path, f"structure {', '.join(expected)}", have, remedy)
        one, other = expected[name], found[name]
        if one.dtype != other.dtype or not np.array_equal(one, other):
            raise CorruptTableError(table.path, f"structure/{name} of the rules", "another", remedy)


def _verify(args: argparse.Namespace) -> int:
    folder = _folder(args)
    if not folder.is_dir():
        command = f"ustad build --tables {shlex.quote(str(folder))}"
        raise UsageError(f"{folder}: expected a folder of tables; build them with: {command}")
    found = folder_faults(folder)
    rows = [
        {"path": str(path), "ok": found[path] is None, "error": found[path]}
        for path in sorted(found)
    ]
    if args.json:
        _print_json({"tables": rows})
    else:
        for row in rows:
            print(f"ok   {row['path']}" if row["ok"] else f"BAD  {row['error']}")
        exports = _exports(folder)
        what = "files of a bundle" if is_bundle(folder) else "tables"
        if exports:
            what = "files of an export" if exports == [folder] else "files of exports"
        if exports and table_files(folder):
            what = "files"
        print(f"{len(rows)} {what}, {sum(not row['ok'] for row in rows)} bad")
    return OK if all(row["ok"] for row in rows) else BAD_TABLE


# bundle


def _add_bundle(commands: Any) -> None:
    text = (
        "put all default tables, their manifests and SHA256SUMS into a folder to hand on; "
        "those that are missing are built first"
    )
    parser = _command(commands, "bundle", _bundle, text)
    parser.add_argument("--out", required=True, metavar="DIR", help="a new folder, or a bundle")


def _bundle(args: argparse.Namespace) -> int:
    wanted = _default_tables(NAMES)
    out = Path(args.out)
    check_bundle_folder((kind.table_spec(options) for kind, options in wanted), out)
    built = list(_built(wanted, _folder(args), force=False))
    files = write_bundle([table for table, _ in built], out)
    rows = [{"path": str(path), "bytes": path.stat().st_size} for path in files]
    if args.json:
        _print_json({"files": rows})
    else:
        for row in rows:
            print(f"{row['bytes']:>12,} bytes  {row['path']}")
    return OK


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
    if top is not None:
        check_top(top)
    position = _position(args, game_type(args.game).position_from_flags(args))
    kind, state = read_position(position)
    adviser = kind.adviser_from_flags(args, state.game, _folder(args))
    _prepare(kind)
    game, state, advice = Advisor(_folder(args)).advise(position, args.level, adviser)
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
    for name, told in (advice.extra or {}).items():
        if isinstance(told, list) and all(isinstance(number, float) for number in told):
            lines.append(f"{name.replace('_', ' ')}: {' '.join(f'{n:.4f}' for n in told)}")
        elif isinstance(told, str):
            lines.append(f"{name.replace('_', ' ')}: {told}")
        elif isinstance(told, bool):
            lines.append(f"{name.replace('_', ' ')}: {'yes' if told else 'no'}")
    for at, (move, value) in enumerate(advice.options[:top]):
        cost = (advice.value or 0.0) - value
        costs = "best" if move in advice.best else f"costs {cost:.4f}"
        beside = "".join(
            f"  {name.replace('_', ' ')} {numbers[at]:.2f}"
            for name, numbers in advice.beside.items()
        )
        line = f"  {game.describe_move(move):<28}{value:>12.4f}  {costs:<14}{beside}"
        lines.append(line.rstrip())
    return "\n".join([*lines, *advice.notes()])


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
            print(json.dumps(event))
        print(kind.describe(kind.state_from_json(answer["position"])))
        print(json.dumps(answer["position"]))
    return OK


# arena, play and serve


def _add_options(parser: argparse.ArgumentParser, kind: GameType) -> None:
    parser.add_argument(
        "--option", action="append", default=[], metavar="NAME=VALUE", help=kind.options_help()
    )


def _rules(args: argparse.Namespace) -> tuple[GameType, Any]:
    """Return the game and its rules with the options of a command."""
    kind = game_type(args.game)
    return kind, kind.game(kind.read_options(kind.parse_options(args.option)))


def _number(flag: str, text: str) -> int:
    found = _whole_number(flag, text)
    return 0 if found is None else found


def _add_arena(commands: Any) -> None:
    text = "levels against each other, seats rotated, with 95% intervals"
    for kind, parser in _add_for_each_game(commands, "arena", _arena, text):
        parser.add_argument("levels", nargs="+", metavar="LEVEL", help=", ".join(LEVELS))
        parser.add_argument("--games", default="1000", metavar="N", help="how many games (1000)")
        parser.add_argument("--seed", default="0", metavar="S", help="what luck is drawn from (0)")
        parser.add_argument("--jobs", default="1", metavar="N", help="local processes (1)")
        parser.add_argument("--cluster", metavar="ADDRESS", help="a Dask scheduler to play on")
        _add_options(parser, kind)


def _arena(args: argparse.Namespace) -> int:
    from ustad.runtime import arena  # multiprocessing is slow to import

    kind = game_type(args.game)
    _prepare(kind)
    match = arena.Match(
        game=args.game,
        options=kind.read_options(kind.parse_options(args.option)),
        levels=tuple(check_level(level) for level in args.levels),
        games=_number("--games", args.games),
        seed=check_seed(_number("--seed", args.seed)),
        tables=str(_folder(args).resolve()),
    )
    jobs = _number("--jobs", args.jobs)
    with _bar(f"arena {args.game}", "games") as progress:
        summary = arena.run(match, jobs, args.cluster, progress)
    rules = kind.game(match.options)
    for row in summary["levels"]:
        if told := kind.plays_by(row["level"], rules, _folder(args)):
            row["plays_by"] = told
    if args.json:
        _print_json(summary)
    else:
        print(arena.as_text(summary))
    return OK


def _add_play(commands: Any) -> None:
    text = "a person against bots in the terminal"
    for kind, parser in _add_for_each_game(commands, "play", _play, text):
        parser.add_argument("--level", default="expert", metavar="LEVEL", help=", ".join(LEVELS))
        seats = f"{kind.least_players} to {kind.most_players}"
        parser.add_argument("--players", metavar="N", help=f"{seats} ({kind.usual_players})")
        parser.add_argument("--seat", default="0", metavar="N", help="where you sit (0)")
        parser.add_argument("--seed", metavar="S", help="what luck is drawn from; drawn if absent")
        _add_options(parser, kind)


def _play(args: argparse.Namespace) -> int:
    from ustad.runtime import play  # only here

    kind, rules = _rules(args)
    if args.json:
        raise UsageError("play: a game for people has no --json; programs use ustad serve")
    level = check_level(args.level)
    players = _whole_number("--players", args.players)
    players = kind.check_players(kind.usual_players if players is None else players)
    seat = play.check_seat(_number("--seat", args.seat), players)
    seed = _whole_number("--seed", args.seed)
    seed = secrets.randbelow(10**6) if seed is None else check_seed(seed)
    _prepare(kind)
    adviser = cache(partial(kind.bot, "expert", rules, _folder(args), seed))
    bot = kind.bot(level, rules, _folder(args), seed)
    bot.ask(kind.start(rules, players, (seed,)).view(0))  # tells now which table is missing
    bots = [None if at == seat else bot for at in range(players)]
    print(f"{kind.title}: you sit in seat {seat} of {players}; seed {seed}")
    if kind.note:
        print(kind.note)
    # The seat that begins moves on from game to game.
    for number in count():
        luck = (seed, number) if number else (seed,)
        first = number % players
        ended = play.play(kind, rules, bots, adviser, luck, first, _typed, print, _short_advice)
        if ended is None or not play.wants_another(_typed):
            return OK
    return OK


def _typed(prompt: str) -> str:
    """Return the line typed at a prompt; what is not text in the terminal's code is refused."""
    try:
        return input(prompt)
    except UnicodeDecodeError:
        return "\N{REPLACEMENT CHARACTER}"


def _short_advice(kind: GameType, advice: Advice) -> str:
    return advice_text(kind, advice, 8)


def _add_serve(commands: Any) -> None:
    _command(commands, "serve", _serve, "answer one JSON request a line on standard input")


def _serve(args: argparse.Namespace) -> int:
    from ustad.runtime.serve.lines import serve  # only here

    serve(sys.stdin.buffer, sys.stdout, Advisor(_folder(args)))
    return OK


# export


def _add_export(commands: Any) -> None:
    text = "flat files and a reader in JavaScript, for an app"
    for kind, parser in _add_for_each_game(commands, "export", _export, text):
        parser.add_argument("--out", required=True, metavar="DIR", help="the folder to write")
        parser.add_argument(
            "--all", action="store_true", help="every default table, each in a folder of its own"
        )
        fields = ", ".join(option.name for option in kind.table_fields)
        parser.add_argument(
            "--option",
            action="append",
            default=[],
            metavar="NAME=VALUE",
            help=f"the table of these options, instead of the defaults: {fields}",
        )


def _export(args: argparse.Namespace) -> int:
    from ustad.runtime import export  # only here

    kind, out = game_type(args.game), Path(args.out)
    make = export.exporter(kind.name)
    if args.all and args.option:
        raise UsageError("export: expected --all or --option, not both")
    options = parse_options(kind.name, kind.table_fields, args.option)
    wanted = export.option_sets(kind) if args.all else [options]
    rows: list[dict[str, Any]] = []
    for one in wanted:
        spec = kind.table_spec(one)
        folder = out / Path(spec.file_name).stem if args.all else out
        with _bar(f"export {spec.what}", "states") as progress:
            content = make(spec.options, _folder(args), progress)
        written = export.write_export(kind, content, folder)
        options = dict(content.options)
        rows.append({"path": str(folder), "options": options, "files": written})
    if args.json:
        _print_json({"exports": rows})
    else:
        for row in rows:
            sizes = ", ".join(f"{name} {size:,}" for name, size in row["files"].items())
            print(f"{row['path']}: {sizes} bytes")
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
