"""``ustad arena``: levels against each other."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ustad.runtime import arena
from ustad.runtime.cli.output import prepare, print_json, progress_bar
from ustad.runtime.cli.parser import (
    OK,
    add_for_each_game,
    add_options,
    folder_given,
    options_of,
    whole_number,
)
from ustad.runtime.core.game import LEVELS
from ustad.runtime.core.strength import read_grade
from ustad.runtime.methods import check_seed


def add_arena(commands: Any, games: Sequence[str]) -> None:
    """Add the command ``arena``."""
    text = "levels against each other, seats rotated, with 95% intervals"
    for entry, parser in add_for_each_game(commands, "arena", _arena, text, games):
        parser.add_argument(
            "levels",
            nargs="+",
            metavar="LEVEL",
            help=f"{', '.join(LEVELS)}, or at a strength from 0 to 1: hard:0.6",
        )
        parser.add_argument("--games", default="1000", metavar="N", help="how many games (1000)")
        parser.add_argument("--seed", default="0", metavar="S", help="what luck is drawn from (0)")
        parser.add_argument("--jobs", default="1", metavar="N", help="local processes (1)")
        parser.add_argument(
            "--luck", metavar="UNIT", help="what luck is measured in, if not as usual"
        )
        parser.add_argument("--records", metavar="DIR", help="write each game down, a file each")
        parser.add_argument("--cluster", metavar="ADDRESS", help="a Dask scheduler to play on")
        add_options(parser, entry)


def _arena(args: argparse.Namespace) -> int:
    entry, options = options_of(args)
    prepare(entry)
    folder = folder_given(args)
    for grade in args.levels:
        read_grade(grade)
    match = arena.Match(
        game=args.game,
        options=options,
        levels=tuple(args.levels),
        games=whole_number("--games", args.games),
        seed=check_seed(whole_number("--seed", args.seed)),
        tables=None if folder is None else str(folder.resolve()),
        luck=args.luck,
        records=None if args.records is None else str(Path(args.records).resolve()),
    )
    jobs = whole_number("--jobs", args.jobs)
    with progress_bar(f"arena {args.game}", "games") as progress:
        summary = arena.run(match, jobs, args.cluster, progress)
    rules = entry.rules.make(**options)
    for row in summary["levels"]:
        if told := entry.levels.plays_by(row["level"], rules, folder):
            row["plays_by"] = told
    if args.json:
        print_json(summary)
    else:
        print(arena.as_text(summary))
    return OK
