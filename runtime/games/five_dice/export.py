"""Exports of the games of dice and a sheet: the rules as arrays, and the rounded values.

The rules are in the form of :mod:`ustad.runtime.games.five_dice.arrays`; that rounding costs
next to nothing is proven by :mod:`ustad.runtime.games.five_dice.rounding`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ustad.runtime.core.entry import Rulebook
from ustad.runtime.core.errors import OptionError
from ustad.runtime.core.game import Bot
from ustad.runtime.core.work import Progress, available_cores
from ustad.runtime.export.content import Content, Packed, brief, rounded, table_facts, vectors
from ustad.runtime.games.five_dice.arrays import SheetArrays, structure
from ustad.runtime.games.five_dice.codec import SheetCodec
from ustad.runtime.games.five_dice.rounding import prove
from ustad.runtime.games.five_dice.tables import BY_BOX
from ustad.tables import Table

LEAST_SCALE = 0.0049
"""Points between neighbouring rounded values, at least: a choice costs at most one step."""

INDEX = (
    "values[column_start[o] + column[o, sum - lowest_sum] + stride[o] * part] is what a sheet at "
    "the start of a turn still brings. o: the open boxes among the first `counting` ones, box b "
    "as bit 2 ** b; sum: the points written in those, at most the sum of the last column; part: "
    "the sum of part_weight over all open boxes + held_weight * held + turns_weight * turns left; "
    "held: 0 while box held_box is open or where held_box is null, else what held_by_points, "
    "pairs of points and this, says of its points. column is an array, 255 where the sum cannot "
    "be; the rest stands under `sheet`. Once no box is open, or no turn is left, the value is 0 "
    "and need not be looked up."
)

IN_WORDS = {
    "boxes": "Boxes are numbered from 0 in the order of `boxes`; in a set of them box b is 2 ** b.",
    "turn": (
        "keeps holds the dice of each keep in ascending order, by size, the rolls of five dice "
        "last: roll r is keeps[len(grown) + r]. grown[k][f - 1] is the keep that k becomes when "
        "one more die shows f; each face is equally likely. With n rolls left a keep of fewer "
        "than five dice is worth the mean over f of what grown[k][f - 1] is worth, five dice "
        "counting there as a roll with n - 1 left. A roll with n left is worth the most of its "
        "writes and, if n > 0, of the keeps of fewer than five dice that it contains. A turn "
        "starts with keep 0, no dice, and rolls_a_turn rolls left."
    ),
    "writes": (
        "Roll r is under the first of cases[roll_cases[r]] whose any_open is 0 or has an open box. "
        "With n rolls left an open box b of its `write` may be written, one of its `last` only if "
        "n is 0, for pays[pays of the case[n]][r][b] points; if the case passes, the turn may end "
        "without. "
        "A write or pass is worth its points, the bonus if the sheet has earned it after and not "
        "before, the extra, and the value of the sheet after it, with one turn less."
    ),
    "bonus": (
        "A sheet has earned `bonus` points if bonus_from[o] is not null and its sum, counted as "
        "far as for the value, is at least that."
    ),
    "extra": (
        "Where box held_box holds extra_held, each write with a roll of extra_rolls brings "
        "extra_points more; the position counts these under extra_key, else there are none. The "
        "most that there can have been is the largest count over extra_ways, each [zero, written, "
        "some], where each box of zero holds 0, each of written is written, and one of some is, "
        "if it has any: the boxes of zero, and those extra_marks, each [box, points, any_of], "
        "whose box holds these points, where any_of is 0 or has a written box that is not in zero."
    ),
    "position": (
        "The value of a sheet's total is its points, the bonus it has earned and its extras; a "
        "move's value is this total and what the move is worth."
    ),
}
"""What a reader needs beside the arrays, for the manifest."""


def values_alone(options: Mapping[str, Any]) -> None:
    """Raise OptionError for the table of what values consist of, which no export holds."""
    if options.get(BY_BOX.name):
        raise OptionError(f"option {BY_BOX.name}: expected false, exports hold the values alone")


VECTORS = 52
VECTORS_SEED = 9


def sheet_content(
    codec: SheetCodec,
    rulebook: Rulebook[Any],
    rules: Any,
    table: Table,
    arrays: SheetArrays,
    bot: Callable[[Any, Table], Bot[Any, Any]],
    level: str,
    returns: str,
    thumbs: Mapping[str, str],
    progress: Progress | None = None,
) -> Content:
    """Return the export of a table of a game of dice and a sheet.

    Args:
        codec: the game's.
        rulebook: its rules before the options are chosen.
        rules: its rules.
        table: its table.
        arrays: the rules as arrays.
        bot: makes the bot that plays a table.
        level: what that bot is.
        returns: what a finished game is about: "win_share" or "settlement".
        thumbs: the levels without a table, each a rule of thumb of the engine.
        progress: called with the states proven and all states.

    Raises:
        ExportError: rounding it would cost too much.
    """
    packed = rounded(table.values, LEAST_SCALE)
    read = packed.values()
    proof = prove(arrays, rules.turns, table.values, read, available_cores(), progress)
    rounded_bot = bot(rules, replace(table, source=read))
    starts = [rules.new(players, players - 1) for players in (1, 2, 3)]
    return Content(
        options=table.spec.options,
        facts={
            **table_facts(table, INDEX),
            "in_words": IN_WORDS,
            "option_defaults": rulebook.read_options({}),
            "seats": [rulebook.seats.least, rulebook.seats.most],
            "moves": list(codec.moves),
            "returns": returns,
            "thumbs": dict(thumbs),
            "turn": structure(),
            "sheet": arrays.to_json(),
        },
        files={"values.bin": {"values": packed, "column": Packed(arrays.column)}},
        reader=("sheet.js", "positions.js", "sheet_facts.js", "turns.js", "thumbs.js"),
        levels={level: "expected_total"},
        proof=proof,
        vectors=brief(
            vectors(codec, starts, bot(rules, table), rounded_bot, VECTORS, VECTORS_SEED, level)
        ),
    )
