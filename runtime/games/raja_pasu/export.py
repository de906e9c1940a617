"""The export of Raja Pasu: the exact margins of the rounds with one number of closed holes.

The form.  Margins are whole numbers and stay what they are.  Positions are told by their
pattern and code as in the table (see its index formula); the codes of a pattern ascend, and
``gaps`` holds from each to the next, the first counted from 0, in groups of seven bits, the
lowest first, all but the last of a number with 128 added.

The proof.  Every code and every margin is read back from the export and compared.

**For play** (:func:`play_content`) one export holds what arises if expert always plays its own
move, for all rounds of a match, with expert's move (:mod:`ustad.runtime.games.raja_pasu.lines`).
"""

from __future__ import annotations

import random
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
from ustad.runtime.games.raja_pasu.lines import FEW, Choice, expert_positions, few_margins
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
    Seeds,
)
from ustad.runtime.games.raja_pasu.states import touched_code
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

FACTS = {
    "holes": HOLES,
    "row": ROW,
    "pasu": PASU,
    "seeds_a_hole": SEEDS_A_HOLE,
    "most_rounds": MOST_ROUNDS,
}

READER = ("raja_pasu.js", "board.js", "margins.js", "repetitions.js", "search.js", "sowing.js")

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
    first = table.parts["first"].astype(np.int64)
    packed, compared = _pack(table.parts["steps"], first, spec.what)
    if progress:
        progress(compared, len(table.values))
    rules = RajaPasu(origin=spec.options["origin"])
    bot = _bot(rules, table)
    found = vectors(CODEC, starts(rules, spec.options["closed"]), bot, bot, VECTORS, VECTORS_SEED)
    return Content(
        options=spec.options,
        facts={
            **table_facts(table, INDEX),
            "in_words": IN_WORDS,
            "option_defaults": RULES.read_options({}),
            "raja_pasu": FACTS,
        },
        files={
            "values.bin": {
                "values": Packed(table.values),
                "patterns": Packed(table.parts["patterns"]),
                "first": Packed(table.parts["first"]),
                "gaps": Packed(packed),
            }
        },
        reader=READER,
        levels={"expert": "margin"},
        proof={"positions": compared, "changed": 0, "largest_cost": 0},
        vectors=brief(found),
    )


_AT_ONCE = 250_000


def _pack(
    steps: NDArray[np.uint32], first: NDArray[np.int64], what: str
) -> tuple[NDArray[np.uint8], int]:
    """Return the gaps of the codes in bytes, and how many codes were read back the same.

    Some codes at a time, so that a large table takes little memory.

    Args:
        steps: from each code of a table to the next, from pattern to pattern too, modulo 2^32.
        first: where the codes of each pattern begin, and the end.
        what: the table, for an error.
    """
    begins = first[:-1][np.diff(first) > 0]
    found, compared, before = [], 0, np.uint32(0)
    for at in range(0, len(steps), _AT_ONCE):
        codes = np.cumsum(steps[at : at + _AT_ONCE], dtype=np.uint32) + before
        low, high = np.searchsorted(begins, (at, at + len(codes)))
        packed = gaps_in_bytes(gaps_of(codes, begins[low:high] - at, before))
        compared += int(np.count_nonzero(codes_of(packed, begins[low:high] - at, before) == codes))
        found.append(packed)
        before = codes[-1]
    if compared != len(steps):
        raise ExportError(f"export: {what}: the codes do not read back the same")
    return np.concatenate(found), compared


def gaps_of(
    codes: NDArray[np.uint32], begins: NDArray[np.int64], before: np.uint32
) -> NDArray[np.uint32]:
    """Return from each code to the next, codes that begin a pattern counted from 0.

    Args:
        codes: (n,) the codes.
        begins: where patterns begin.
        before: the code before the first.
    """
    gaps = np.diff(codes, prepend=before)
    gaps[begins] = codes[begins]
    return gaps


def codes_of(
    packed: NDArray[np.uint8], begins: NDArray[np.int64], before: np.uint32
) -> NDArray[np.int64]:
    """Return the codes whose gaps these bytes are; see :func:`gaps_of`."""
    sums = np.cumsum(bytes_to_gaps(packed).astype(np.int64))
    lengths = np.diff([0, *begins, len(sums)])
    shift = np.concatenate([[int(before)], -np.concatenate([[0], sums])[begins]])
    codes: NDArray[np.int64] = sums + np.repeat(shift, lengths)
    return codes


PLAY_IN_WORDS = {
    "play": (
        "The arrays end in how many holes of one side are closed. They hold the positions alone "
        "in which expert can be to move if it has always played its own move. moves[first[p] + i] "
        "is what it plays: the place of the hole among the mover's, from 0."
    ),
    "few": (
        "The margins of all boards of at most raja_pasu.few seeds, in a row where all holes of the "
        "mover are open, then, if some are closed, in one where they are closed; 127 for those "
        "not known. With q_j the seeds of the last j holes, a board is number sum over j of "
        "C(q_j + j - 1, j)."
    ),
}
"""What a reader of an export for play needs beside, for the manifest."""


def play_content(
    options: Mapping[str, Any], folder: Path, progress: Progress | None = None
) -> Content:
    """Return the export that suffices to play expert in rounds and matches.

    Raises:
        TableError: a table is missing or unfit.
    """
    spec = TABLES.spec(options)
    rules = RajaPasu(origin=spec.options["origin"])
    arrays: dict[str, Packed] = {}
    positions = 0
    found: list[dict[str, Any]] = []
    for closed in range(ROW):
        if progress:
            progress(closed, ROW)
        table = open_table(TABLES.spec({**spec.options, "closed": closed}), folder)
        bot = _bot(rules, table)
        choices = expert_positions(rules, bot, closed)
        positions += len(choices)
        arrays |= {f"{name}_{closed}": held for name, held in _play_arrays(choices).items()}
        few = np.array(few_margins(bot, closed), dtype=np.int8)
        arrays[f"few_{closed}"] = Packed(few)
        if closed == 0:
            start = rules.new()
            found = _play_vectors(start, bot, VECTORS)
    facts = table_facts(table, INDEX)
    del facts["counts"], facts["table"]
    return Content(
        options={"origin": spec.options["origin"]},
        facts={
            **facts,
            "in_words": {**IN_WORDS, **PLAY_IN_WORDS},
            "option_defaults": RULES.read_options({}),
            "raja_pasu": {**FACTS, "few": FEW},
        },
        files={"values.bin": arrays},
        reader=READER,
        levels={"expert": "margin"},
        proof={"positions": positions, "changed": 0, "largest_cost": 0},
        vectors=found,
    )


def _play_arrays(choices: Mapping[tuple[Seeds, int], Choice]) -> dict[str, Packed]:
    """Return positions and what expert plays there, as arrays."""
    by_pattern: dict[tuple[int, ...], list[tuple[int, Choice]]] = {}
    for (seeds, own), choice in choices.items():
        pattern = (*(held if held >= PASU else 0 for held in seeds), own)
        by_pattern.setdefault(pattern, []).append((touched_code(seeds), choice))
    rows = [(pattern, sorted(held)) for pattern, held in sorted(by_pattern.items())]
    first = np.cumsum([0, *(len(held) for _, held in rows)])  # no pattern is empty
    every = [pair for _, held in rows for pair in held]
    codes = np.array([code for code, _ in every], dtype=np.uint32)
    return {
        "values": Packed(np.array([choice.margin for _, choice in every], dtype=np.int8)),
        "moves": Packed(np.array([choice.place for _, choice in every], dtype=np.uint8)),
        "patterns": Packed(np.array([pattern for pattern, _ in rows], dtype=np.uint8)),
        "first": Packed(first.astype(np.uint32)),
        "gaps": Packed(gaps_in_bytes(gaps_of(codes, first[:-1], np.uint32(0)))),
    }


def _play_vectors(start: RajaPasuState, bot: TableBot, count: int) -> list[dict[str, Any]]:
    """Return positions of games of expert against chance, with what is best there."""
    source = random.Random(VECTORS_SEED)
    found: list[dict[str, Any]] = []
    while len(found) < count:
        state, seat = start, source.randrange(2)
        while not state.is_over() and len(found) < count:
            advice = bot.ask(state)
            if state.to_move != seat and source.random() < 0.2:
                best = [CODEC.move_to_json(move) for move in advice.best]
                position = CODEC.state_to_json(state)
                value = advice.value
                found.append({"position": position, "best": best, "value": value, "read": value})
            own = state.to_move == seat
            state = state.apply(advice.best[0] if own else source.choice(state.legal_moves()))
    return found


def _bot(rules: RajaPasu, table: Table) -> TableBot:
    """Return the bot that plays a table."""
    known = RoundTable(table)
    return TableBot(rules, lambda closed: known)


EXPORTER = Exporter(content, TABLES.rounds, ("raja_pasu.js", "RajaPasu"), play_content)
