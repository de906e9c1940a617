"""``ustad ask`` and ``ustad apply``: one position judged, and the position after a move."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ustad.runtime.cli.output import prepare, print_json
from ustad.runtime.cli.parser import (
    OK,
    add_flags,
    add_for_each_game,
    folder_given,
    whole_number_if_given,
)
from ustad.runtime.core import registry
from ustad.runtime.core.errors import UsageError, shown
from ustad.runtime.core.game import LEVELS
from ustad.runtime.core.strict_json import LARGEST_TEXT, loads, without_mark
from ustad.runtime.core.texts import advice_text, narrow
from ustad.runtime.methods import check_top
from ustad.runtime.questions import Advisor, advice_to_json, read_position


def _add_position(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--position", metavar="FILE", help="a JSON position, - for standard input")


def add_ask(commands: Any, games: Sequence[str]) -> None:
    """Add the command ``ask``."""
    text = "the best move of a position, and what each other move costs"
    for entry, parser in add_for_each_game(commands, "ask", _ask, text, games):
        _add_position(parser)
        parser.add_argument("--level", default="expert", metavar="LEVEL", help=", ".join(LEVELS))
        parser.add_argument("--top", metavar="N", help="show the best N options only")
        parser.add_argument("--facts", action="store_true", help="tell what speaks for each option")
        parser.add_argument("--move", metavar="JSON", help="a legal move: tell what it gives up")
        add_flags(parser, entry.flags.of_adviser)
        add_flags(parser, entry.flags.flags, entry.flags.title)


def add_apply(commands: Any, games: Sequence[str]) -> None:
    """Add the command ``apply``."""
    text = "the position after a move or an outcome of chance"
    for entry, parser in add_for_each_game(commands, "apply", _apply, text, games):
        _add_position(parser)
        parser.add_argument("--move", metavar="JSON", help="a legal move")
        parser.add_argument("--outcome", metavar="JSON", help="what chance brings")
        parser.add_argument("--seed", metavar="N", help="draws what chance brings")
        add_flags(parser, entry.flags.flags, entry.flags.title)


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
    top = whole_number_if_given("--top", args.top)
    if top is not None:
        check_top(top)
    position = _position(args, registry.entry(args.game).flags.position(vars(args)))
    entry, state = read_position(position)
    adviser = entry.flags.adviser(vars(args), state.rules, folder_given(args))
    prepare(entry)
    move = None if args.move is None else loads(args.move, "move")
    _, state, advice, asked, reasons = Advisor(folder_given(args)).advise(
        position, args.level, top, args.facts, move, adviser
    )
    if args.json:
        print_json(advice_to_json(entry.codec, advice, top, asked, reasons))
    else:
        told = None if top is None else [*(move for move, _ in advice.options[:top]), asked]
        print(narrow(entry.text.describe(state)))
        print(narrow(advice_text(entry.text, advice, told, reasons, state)))
    return OK


def _apply(args: argparse.Namespace) -> int:
    position = _position(args, registry.entry(args.game).flags.position(vars(args)))
    answer = Advisor(folder_given(args)).apply(
        position,
        None if args.move is None else loads(args.move, "move"),
        None if args.outcome is None else loads(args.outcome, "outcome"),
        whole_number_if_given("--seed", args.seed),
    )
    if args.json:
        print_json(answer)
    else:
        entry = registry.entry(args.game)
        for event in answer["events"]:
            print(json.dumps(event))
        if "seed" in answer:
            print(f"seed {answer['seed']}")
        print(narrow(entry.text.describe(entry.codec.state_from_json(answer["position"]))))
        print(json.dumps(answer["position"]))
    return OK


def _read_file(name: str) -> str:
    """Return the text of a file, or of standard input for ``-``."""
    try:
        if name == "-":
            return without_mark(sys.stdin.read(LARGEST_TEXT + 2))
        with Path(name).open(encoding="utf-8") as file:
            return without_mark(file.read(LARGEST_TEXT + 2))
    except OSError as error:
        raise UsageError(f"--position: {name}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise UsageError(f"--position: {name}: expected JSON in UTF-8") from None
