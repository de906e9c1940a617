"""The export of pasa: the win shares of one table, and the bets that rounding would change.

The problem.  A bet is chosen by comparing win shares, and the seats after it choose by what
comes out, so a rounding that changes one bet can change what other bets are worth by far
more than the rounding.  With several seats equally good bets of one seat are not at all
equally good for the others.

The form.  The shares are rounded to 16 bits.  A reader enumerates the bets of a throw and
lets each seat choose by the rounded shares: bets within ``tie`` are equals, the smallest of
which is played.  Where the exact table has other equals, or another best bet, its own are
stored.  So at every state and after any bets before it the best bets, equals included, are
those of the exact table, and every share is off by half a step at most.

The bets of a throw are a tree.  A *node* is a state with the bets made so far, numbered

    node = state * paths + path,
    state = (turns left - 1) * splits + before(chips) + split,
    path = 0 before the first bet, width * path + 1 + i after the bet with place i among the
    legal ones;

``stored_nodes`` holds the nodes in ascending order, each as often as it has equals, and
``stored_bets`` their places, in ascending order too.

The proof.  All bets of all states are compared, see :mod:`ustad.runtime.games.pasa.bet_trees`.
The shares found from the exact table must be, to the last bit, those that it holds.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from ustad.runtime.core.errors import ExportError
from ustad.runtime.core.game import TIE, Advice, RatedMove, rank
from ustad.runtime.core.options import read_options
from ustad.runtime.core.work import Progress
from ustad.runtime.export.content import (
    Content,
    Exporter,
    Packed,
    brief,
    rounded,
    table_facts,
    vectors,
)
from ustad.runtime.games.pasa.bet_trees import Comparison, compare, path_count, widest
from ustad.runtime.games.pasa.codec import CODEC
from ustad.runtime.games.pasa.levels import Betting, TableBot, bets_made, in_seats
from ustad.runtime.games.pasa.rules import POSITION_OPTIONS, Pasa, PasaState
from ustad.runtime.games.pasa.states import Floats, least_chips
from ustad.runtime.games.pasa.tables import TABLES, rules_of
from ustad.tables import Table, TableSpec, open_table

ALLOWED_ERROR = 0.001
"""The most that a share may be off."""

VECTORS = 64
VECTORS_SEED = 5

INDEX = (
    "values[turns left - 1, before + split, seat], seats counted from the thrower. With C(n, k) "
    "the binomial coefficient, N players and q_j the chips of the last j seats: split = sum over "
    "j = 1..N - 1 of C(q_j + j - 1, j); before = C(chips on the table + N - 1, N) - "
    "C(pasa.least_chips + N - 1, N). With no turn left the seats with the largest stack share the "
    "win, and so they do when one seat has all chips."
)

IN_WORDS = {
    "throw": (
        "The seats with chips bet in order, from the one after the thrower. Once all have bet, a "
        "seat's share is half its share after paro (the thrower takes every bet and throws again, "
        "with as many turns left) and half its share after tiro (the thrower pays every bet and "
        "the next seat throws, with one turn less; its shares are counted from that seat)."
    ),
    "legal bets": (
        "At most the own stack, what the thrower's stack is more than the bets made, max_bet if "
        "it is not null, and under cap=share the larger of 1 and the thrower's stack divided by "
        "the number of betting seats, rounded down. If that is 0, the bet is 0. Else under "
        "menu=all 1 to that most; under menu=buttons 1, a quarter, half and all of it, rounded "
        "down, each that is more than those before it."
    ),
    "choice": (
        "A seat bets what gives it the largest share when the seats after it choose likewise. All "
        "bets within pasa.tie of that are best; the smallest is played. At a stored node those "
        "stored are best, whatever the shares say."
    ),
    "nodes": (
        "A node is a state with the bets made so far: node = ((turns left - 1) * pasa.splits + "
        "before + split) * pasa.paths + path; path = 0 before the first bet, and pasa.width * "
        "path + 1 + i after the legal bet number i, from 0 in ascending order; seats without "
        "chips are passed over. stored_nodes ascends and holds a node once for each of its best "
        "bets; stored_bets[k] is the number, from 0, of one of them among the legal bets of "
        "stored_nodes[k]."
    ),
}
"""What a reader needs beside the arrays, for the manifest."""

_LARGEST_NUMBER = 2**32


def content(options: Mapping[str, Any], folder: Path, progress: Progress | None = None) -> Content:
    """Return the export of one table.

    Raises:
        OptionError: there is no such table.
        TableError: the table is missing or unfit.
        ExportError: rounding it would cost too much, or it is too large to be exported.
    """
    spec = TABLES.spec(options)
    table = open_table(spec, folder)
    rules = rules_of(spec)
    width, paths = _width_and_paths(rules, spec)
    packed = rounded(table.values)
    read = packed.values()
    error = float(np.abs(read - table.values).max())
    found = compare(rules.numbers, table, read, TIE, width, progress)
    if found.residual > 0 or error >= ALLOWED_ERROR:
        raise ExportError(
            f"export: {spec.what}: shares are off by {max(found.residual, error)}, expected "
            f"less than {ALLOWED_ERROR}"
        )
    nodes, places = found.stored()
    begins = starts(rules, table, VECTORS, VECTORS_SEED)
    exact, reader = OneTableBot(rules, table), RoundedBot(rules, table, read)
    return Content(
        options=spec.options,
        facts={
            **table_facts(table, INDEX),
            "in_words": IN_WORDS,
            "option_defaults": read_options(POSITION_OPTIONS, {}),
            "pasa": _numbers(spec, width, paths),
        },
        files={
            "values.bin": {
                "values": packed,
                "stored_nodes": Packed(nodes.astype("<u4")),
                "stored_bets": Packed(places.astype("|u1")),
            }
        },
        reader=("pasa.js",),
        levels={"expert": "win_share"},
        proof=_proof(found, len(nodes), error),
        vectors=brief(vectors(CODEC, begins, exact, reader, VECTORS, VECTORS_SEED)),
    )


def _numbers(spec: TableSpec, width: int, paths: int) -> dict[str, Any]:
    """Return the numbers that a reader needs to find states and nodes."""
    turns, splits, players = spec.shape
    return {
        "turns": turns,
        "splits": splits,
        "least_chips": least_chips(players, spec.options["chips"]),
        "width": width,
        "paths": paths,
        "tie": TIE,
    }


def _proof(found: Comparison, stored: int, error: float) -> dict[str, Any]:
    """Return what the comparison found and by how much a share is off at most."""
    return {
        "states": found.states,
        "bets": found.bets,
        "changed": found.changed,
        "stored": stored,
        "largest_cost_if_not_stored": found.largest_cost,
        "largest_cost": 0,
        "largest_error": error,
        "residual": found.residual,
        "allowed_error": ALLOWED_ERROR,
    }


def _width_and_paths(rules: Pasa, spec: TableSpec) -> tuple[int, int]:
    """Return the most bets of a throw and its paths, or raise ExportError if they are too many."""
    turns, splits, players = spec.shape
    width = widest(rules.numbers, spec.options["chips"])
    paths = path_count(players, width)
    if turns * splits * paths > _LARGEST_NUMBER:
        raise ExportError(f"export: {spec.what}: too many bets to number them in 32 bits")
    return width, paths


# Test vectors.


def starts(rules: Pasa, table: Table, count: int, seed: int) -> list[PasaState]:
    """Return random states of a table before the first bet of a throw.

    Args:
        rules: the rules.
        table: the table.
        count: how many.
        seed: what they are drawn from.
    """
    source = random.Random(seed)
    players, chips = table.spec.options["players"], table.spec.options["chips"]
    found: list[PasaState] = []
    while len(found) < count:
        total = source.randint(least_chips(players, chips), chips)
        cuts = sorted(source.randint(0, total) for _ in range(players - 1))
        stacks = tuple(high - low for low, high in pairwise([0, *cuts, total]))
        turns = source.randint(1, len(table.values))
        state = rules.start(stacks, source.randrange(players), turns)
        if not state.is_over():
            found.append(state)
    return found


class OneTableBot(TableBot):
    """The bot of level expert, playing one table whatever others are built."""

    def __init__(self, rules: Pasa, table: Table) -> None:
        super().__init__(rules, table.path.parent)
        self._one = table

    def table(self, view: PasaState) -> Table:
        """Return the one table."""
        return self._one


class RoundedBetting(Betting):
    """The bets of one throw, chosen by exact shares, with rounded shares."""

    def __init__(self, exact: Betting, table: Table, turns_left: int) -> None:
        super().__init__(exact.rules, table, exact.stacks, turns_left)
        self._exact = exact

    def chosen(self, bets: tuple[int, ...]) -> int:
        """Return the next seat's best bet by the exact shares, the smallest of equals."""
        return self._exact.chosen(bets)


class RoundedBot(OneTableBot):
    """Answers as a reader of the export must: the bets of the exact table, rounded shares.

    Args:
        rules: the rules.
        table: the exact table.
        read: (turns, splits, seats) the shares to answer with.
    """

    def __init__(self, rules: Pasa, table: Table, read: Floats) -> None:
        super().__init__(rules, table)
        self._read = replace(table, source=read)

    def ask(self, view: PasaState) -> Advice[int]:
        """Return the bets that are best by the exact table, all bets rated, and all shares."""
        exact, bets = self.betting(view), bets_made(view)
        seat, legal = exact.bettors[len(bets)], exact.legal_bets(bets)
        best, _ = rank(legal, [shares[seat] for shares in exact.after_each(bets)])
        rounded_betting = RoundedBetting(exact, self._read, view.turns_left)
        after = dict(zip(legal, rounded_betting.after_each(bets), strict=True))
        options = [RatedMove(bet, shares[seat]) for bet, shares in after.items()]
        options.sort(key=lambda option: (option.move not in best, -option.value))
        first = after[best[0]]
        extra = {"win_shares": in_seats(view, first)}
        return Advice(best, first[seat], self.unit, options, extra)


EXPORTER = Exporter(content, TABLES.defaults, ("pasa.js", "Pasa"))
