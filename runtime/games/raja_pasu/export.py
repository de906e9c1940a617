"""The export of Raja Pasu: the exact margins of the rounds with one number of closed holes.

The form.  Margins are whole numbers and stay what they are.  Positions are told by their
pattern and code as in the table (see its index formula); the codes of a pattern ascend, and
``gaps`` holds from each to the next, the first counted from 0, in groups of seven bits, the
lowest first, all but the last of a number with 128 added.

The proof.  Every code and every margin is read back from the export and compared.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.errors import ExportError
from ustad.runtime.core.work import Progress
from ustad.runtime.export.content import Content, Exporter, Packed, brief, table_facts, vectors
from ustad.runtime.games.raja_pasu.codec import CODEC
from ustad.runtime.games.raja_pasu.levels import TableBot
from ustad.runtime.games.raja_pasu.rules import (
    HOLES,
    MOST_ROUNDS,
    NORTH,
    PASU,
    ROW,
    RULES,
    SEEDS_A_HOLE,
    SOUTH,
    RajaPasu,
    RajaPasuState,
)
from ustad.runtime.games.raja_pasu.tables import TABLES, RoundTable
from ustad.tables import Table, open_table

VECTORS = 64
VECTORS_SEED = 6

INDEX = (
    "values[first[p] + i] is the margin of the mover, from here to the end of the round, in a "
    "position seen as the seeds of the open holes in the order of sowing, the mover's first. p is "
    "the row of patterns that holds its seeds, 0 for each hole with at most 3, and as last number "
    "how many of the holes are the mover's. i is the place, from 0, of its code among the codes "
    "of pattern p. A position that is not there does not arise; with no seed in the mover's row "
    "the margin is minus all seeds on the board."
)

IN_WORDS = {
    "code": (
        "The sum of seeds * 4 ** n over the holes with at most 3 seeds, n counting these holes "
        "from 0 in order."
    ),
    "gaps": (
        "Pattern p has first[p + 1] - first[p] codes, which ascend. For each, pattern after "
        "pattern, gaps holds by how much it is more than the one before it in its pattern, the "
        "first of a pattern by how much it is more than 0. A number lies in groups of seven bits, "
        "the lowest first, one byte each; 128 is added to every byte of it but the last."
    ),
    "holes": (
        "The holes are numbered in the order of sowing, the first raja_pasu.row of them seat 0's, "
        "and 0 follows the last; a closed hole does not exist."
    ),
    "move": (
        "All seeds of an own hole are taken and sown one by one into the holes that follow, not "
        "into the one they came from under origin=skipped. A hole that a seed brings to "
        "raja_pasu.pasu is emptied at once for the owner of its row. If the hole after the last "
        "seed holds seeds, these are sown in turn; else the mover takes what the hole after that "
        "one holds, and the move ends. A move also ends, and takes nothing more, where seeds "
        "would be taken up from a hole and board that it has had. It is worth what the mover "
        "takes, less what the other takes, less the margin of the position after it."
    ),
    "end": (
        "A round ends when the player to move has no seed in the own row; the other takes the "
        "rest. A position that stands for the third time ends it too, each taking the own row."
    ),
}
"""What a reader needs beside the arrays, for the manifest."""

_BITS = 7
_MORE = 1 << _BITS
_MOST_BYTES = 5


def gaps_in_bytes(gaps: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """Return numbers in groups of seven bits; see the top."""
    lengths = np.ones(len(gaps), dtype=np.int64)
    for count in range(1, _MOST_BYTES):
        lengths += gaps >> np.uint32(_BITS * count) > 0
    ends = np.cumsum(lengths)
    found = np.empty(int(ends[-1]), dtype=np.uint8)
    for count in range(_MOST_BYTES):
        there = np.flatnonzero(lengths > count)
        group = (gaps[there] >> np.uint32(_BITS * count)) & np.uint32(_MORE - 1)
        more = (lengths[there] > count + 1) * np.uint32(_MORE)
        found[ends[there] - lengths[there] + count] = group + more
    return found


def bytes_to_gaps(content: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """Return the numbers that :func:`gaps_in_bytes` wrote."""
    ends = np.flatnonzero(content < _MORE)
    begins = np.concatenate([[0], ends[:-1] + 1])
    found = np.zeros(len(ends), dtype=np.uint32)
    for count in range(_MOST_BYTES):
        there = np.flatnonzero(ends - begins >= count)
        group = content[begins[there] + count].astype(np.uint32) & np.uint32(_MORE - 1)
        found[there] |= group << np.uint32(_BITS * count)
    return found


def starts(rules: RajaPasu, closed: int) -> list[RajaPasuState]:
    """Return the starts of a round with so many closed holes of one side."""
    sides = (range(closed), range(ROW, ROW + closed))
    found = []
    for side, leader in product(sides, (SOUTH, NORTH)):
        holes = tuple(side)
        board = tuple(0 if hole in holes else SEEDS_A_HOLE for hole in range(HOLES))
        found.append(RajaPasuState(rules, board, holes, leader, (0, 0), (), None))
    return found


def content(options: Mapping[str, Any], folder: Path, progress: Progress | None = None) -> Content:
    """Return the export of one number of closed holes.

    Raises:
        TableError: the table is missing or unfit.
        ExportError: what was to be written does not read back the same.
    """
    spec = TABLES.spec(options)
    table = open_table(spec, folder)
    codes = np.cumsum(table.parts["steps"], dtype=np.uint32)
    first = table.parts["first"].astype(np.int64)
    gaps = np.diff(codes, prepend=np.uint32(0))
    begins = first[:-1][np.diff(first) > 0]
    gaps[begins] = codes[begins]
    packed = gaps_in_bytes(gaps)
    restored = np.cumsum(bytes_to_gaps(packed).astype(np.int64))
    before = np.repeat(restored[begins] - codes[begins], np.diff([*begins, len(codes)]))
    compared = int(np.count_nonzero(restored - before == codes))
    if compared != len(codes):
        raise ExportError(f"export: {spec.what}: the codes do not read back the same")
    if progress:
        progress(compared, len(codes))
    rules = RajaPasu(origin=spec.options["origin"])
    bot = _bot(rules, table)
    found = vectors(CODEC, starts(rules, spec.options["closed"]), bot, bot, VECTORS, VECTORS_SEED)
    return Content(
        options=spec.options,
        facts={
            **table_facts(table, INDEX),
            "in_words": IN_WORDS,
            "option_defaults": RULES.read_options({}),
            "raja_pasu": {
                "holes": HOLES,
                "row": ROW,
                "pasu": PASU,
                "seeds_a_hole": SEEDS_A_HOLE,
                "most_rounds": MOST_ROUNDS,
            },
        },
        files={
            "values.bin": {
                "values": Packed(table.values),
                "patterns": Packed(table.parts["patterns"]),
                "first": Packed(table.parts["first"]),
                "gaps": Packed(packed),
            }
        },
        reader=("raja_pasu.js", "export.js"),
        levels={"expert": "margin"},
        proof={"positions": compared, "changed": 0, "largest_cost": 0},
        vectors=brief(found),
    )


def _bot(rules: RajaPasu, table: Table) -> TableBot:
    """Return the bot that plays a table."""
    known = RoundTable(table)
    return TableBot(rules, lambda closed: known)


EXPORTER = Exporter(content, TABLES.defaults)
