"""The four levels of Raja Pasu.

- **easy** plays a random move, of those that capture something if there are any;
- **medium** plays for the greatest gain of the move itself;
- **hard** looks four moves ahead, without tables;
- **expert** plays the exact tables: no play gains more against the best reply.

All of them play for the margin of the round, in a match too.

**Looking up.**  Expert plays every legal move and looks the position after it up
in the table of the number of closed holes (:class:`RoundTable`): the code of the
position by binary search among the codes of its pattern.  Every position that can
arise from a start of a round is there, and every position with few seeds.

**Searching.**  An odd position that someone typed in is searched
(:class:`Search`): negamax with alpha-beta and a transposition table, deepened ply
by ply, with the tables as leaves, until all is proven or the time is up.  A value
is *proven* if no guess had a part in it: ``exact`` in the answer says so.
Positions are the seeds of the ring seen by the mover; no search knows which hole
is which.

**Ties.**  Of moves with the same value a bot of search or table plays the one
that captures most, then one that leads to no earlier position: so an endless
dance of equally good moves ends, as the value promises.

**Repetition.**  Tables and search ask about a position without a past.  If a past
is given, moves that make a third repetition are valued by what they bring; as
long as an earlier position has stood twice already, other values may be led
astray by it, and ``exact`` is false.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from ustad.runtime.games.base import TIE, Advice, Bot, rank
from ustad.runtime.games.raja_pasu import (
    NO_LOG,
    PASU,
    ROW,
    TYPE,
    RajaPasu,
    RajaPasuState,
    Sow,
    play_hole,
    touched_code,
)
from ustad.tables import Table, TableSpec, open_table, tables_folder

UNIT = "margin"

Seeds = tuple[int, ...]
"""The seeds of a ring, the mover's holes first."""


class _RuleOfThumb:
    """A level without values: it says what it would play."""

    def choose(self, view: RajaPasuState) -> Sow:
        raise NotImplementedError

    def choose_many(self, views: Sequence[RajaPasuState]) -> list[Sow]:
        return [self.choose(view) for view in views]

    def ask(self, view: RajaPasuState) -> Advice:
        """Return the move it would play, alone."""
        return Advice([] if view.is_over() else [self.choose(view)])


class EasyBot(_RuleOfThumb):
    """Plays a random move, of those that capture something if there are any.

    The choice hangs on the seed and the position alone, so it is the same
    whatever was asked before.
    """

    def __init__(self, seed: int) -> None:
        self._key = seed.to_bytes(16, "little")

    def choose(self, view: RajaPasuState) -> Sow:
        """Return the move."""
        moves = view.legal_moves()
        capturing = [move for move in moves if view.sown(move)[1][0] > 0]
        drawn = hashlib.blake2b(bytes((*view.board, view.to_move)), key=self._key, digest_size=8)
        moves = tuple(capturing) or moves
        return moves[int.from_bytes(drawn.digest(), "little") % len(moves)]


class MediumBot(_RuleOfThumb):
    """Plays the move that gains most at once, the first of equals."""

    def choose(self, view: RajaPasuState) -> Sow:
        """Return the move."""

        def gain(move: Sow) -> int:
            _, (mine, other), _ = view.sown(move)
            return mine - other

        return max(view.legal_moves(), key=gain)


# The table.


class RoundTable:
    """The exact values of the rounds with one number of closed holes.

    The positions of a pattern have ascending codes (uint32) and their margins
    beside them (int8).
    """

    def __init__(self, table: Table) -> None:
        codes = np.cumsum(table.parts["steps"], dtype=np.uint32)
        first = table.parts["first"].tolist()
        patterns = map(tuple, table.parts["patterns"].tolist())
        self._patterns = {
            pattern: (codes[begin:end], table.values[begin:end])
            for pattern, begin, end in zip(patterns, first[:-1], first[1:], strict=True)
        }

    def margin(self, seeds: Sequence[int], own: int) -> int | None:
        """Return the mover's margin of a position that is not over, None if it is not there.

        Args:
            seeds: of the ring's holes, the mover's first.
            own: how many of the holes are the mover's.
        """
        pattern = (*(held if held >= PASU else 0 for held in seeds), own)
        known = self._patterns.get(pattern)
        if known is None:
            return None
        codes, margins = known
        code = np.uint32(touched_code(seeds))  # another type would have the codes copied
        at = codes.searchsorted(code)
        if at == len(codes) or codes[at] != code:
            return None
        return int(margins[at])


Leaf = Callable[[Seeds, int], int | None]


class _OutOfTimeError(Exception):
    """The search has used up its time."""


_BOUND_BELOW, _BOUND_ABOVE, _EXACT = range(3)
_TO_THE_END = 1000
_DEEPEST = 100
"""Moves that a search looks ahead at most; a round from the start has some thirty."""


class Search:
    """Alpha-beta over positions of a ring, with a transposition table that it keeps.

    Args:
        skipped: whether a lap leaves out the hole it began from.
        leaf: the margin of a position that is known, None for others.
    """

    _REMEMBERED = 400_000

    def __init__(self, skipped: bool, leaf: Leaf | None = None) -> None:
        self.skipped = skipped
        self.leaf = leaf
        self.positions = 0
        self._deadline = float("inf")
        self._found: dict[tuple[Seeds, int], tuple[int, int, int]] = {}
        self._children: dict[tuple[Seeds, int], list[tuple[int, Seeds, int]]] = {}

    def children(self, seeds: Seeds, own: int) -> list[tuple[int, Seeds, int]]:
        """Return gain, position after it and the most that it can bring, for each move.

        The moves with the greatest gain come first.
        """
        key = (seeds, own)
        known = self._children.get(key)
        if known is None:
            known = []
            board, taken = [0] * len(seeds), [0, 0]
            for hole in range(own):
                if seeds[hole]:
                    play_hole(seeds, own, hole, self.skipped, board, taken, NO_LOG)
                    gain, after = taken[0] - taken[1], (*board[own:], *board[:own])
                    known.append((gain, after, gain + sum(after)))
            known.sort(key=lambda child: -child[0])
            self._children[key] = known
        return known

    def margin(
        self, seeds: Seeds, own: int, depth: int, alpha: int = -1000, beta: int = 1000
    ) -> tuple[int, bool]:
        """Return the mover's margin as far as some moves ahead can tell, and if it is proven.

        What lies beyond is guessed to bring both the same.  As usual with
        alpha-beta, a margin not above ``alpha`` or not below ``beta`` is a bound.
        """
        if not any(seeds[:own]):
            return -sum(seeds), True
        if self.leaf is not None and (known := self.leaf(seeds, own)) is not None:
            return known, True
        if depth == 0:
            return 0, False
        self.positions += 1
        if self.positions % 256 == 0 and time.monotonic() > self._deadline:
            raise _OutOfTimeError
        key = (seeds, own)
        searched, margin, kind = self._found.get(key, (-1, 0, _EXACT))
        if searched >= depth and (
            kind == _EXACT
            or (kind == _BOUND_BELOW and margin >= beta)
            or (kind == _BOUND_ABOVE and margin <= alpha)
        ):
            return margin, searched == _TO_THE_END
        best, proven, floor = -1000, True, alpha
        other = len(seeds) - own
        for gain, after, most in self.children(seeds, own):
            if most <= max(floor, best):
                best = max(best, most)
                continue
            margin, sure = self.margin(
                after, other, depth - 1, gain - beta, gain - max(floor, best)
            )
            margin = gain - margin
            if margin > best:
                best = margin
            if best >= beta:
                proven = sure
                break
            proven = proven and sure
        kind = _BOUND_BELOW if best >= beta else _EXACT if best > alpha else _BOUND_ABOVE
        self._found[key] = (_TO_THE_END if proven else depth, best, kind)
        return best, proven

    def margins(
        self, positions: Sequence[tuple[Seeds, int]], depth: int, seconds: float | None = None
    ) -> list[tuple[int, bool]]:
        """Return the margin of each position, and whether it is proven.

        Args:
            positions: seeds and how many holes are the mover's.
            depth: how many moves to look ahead at most.
            seconds: deepen ply by ply and stop after so long; without it, search
                to that depth at once.
        """
        if len(self._found) > self._REMEMBERED:
            self._found.clear()
            self._children.clear()
        if seconds is None:
            self._deadline = float("inf")
            return [self.margin(seeds, own, depth) for seeds, own in positions]
        found = [self.margin(seeds, own, 0) for seeds, own in positions]
        self._deadline = time.monotonic() + seconds
        for deeper in range(1, depth + 1):
            if all(proven for _, proven in found):
                break
            try:
                found = [self.margin(seeds, own, deeper) for seeds, own in positions]
            except _OutOfTimeError:
                break
        return found


class _Rater:
    """A level that knows the margin of every move."""

    def after(self, positions: Sequence[tuple[Seeds, int]]) -> list[tuple[int, bool]]:
        """Return the mover's margin of each position, and whether it is exact."""
        raise NotImplementedError

    def ask(self, view: RajaPasuState) -> Advice:
        """Return every legal move with its margin, and whether all are exact."""
        if view.is_over():
            rest = view.remainder()
            margin = rest[view.to_move] - rest[1 - view.to_move]
            return Advice((), float(margin), UNIT, (), {"exact": True})
        moves, values, exact = self._rate(view)
        best, options = rank(moves, values)
        return Advice(best, options[0][1], UNIT, options, {"exact": exact})

    def choose(self, view: RajaPasuState) -> Sow:
        """Return the best move; of equals the one that captures most, then one that leads on."""
        moves, values, _ = self._rate(view)
        best = max(values)
        tied = [move for move, value in zip(moves, values, strict=True) if value >= best - TIE]
        if len(tied) == 1:
            return tied[0]

        def leads_on(move: Sow) -> tuple[int, bool]:
            board, taken, _ = view.sown(move)
            return sum(taken), board not in view.earlier

        return max(tied, key=leads_on)

    def choose_many(self, views: Sequence[RajaPasuState]) -> list[Sow]:
        """Return the best move for each view."""
        return [self.choose(view) for view in views]

    def _rate(self, view: RajaPasuState) -> tuple[Sequence[Sow], list[float], bool]:
        """Return the legal moves, their margins, and whether all are exact."""
        holes, own = view.ring()
        seeds, skipped = view.seeds(), view.game.skipped
        board, taken = [0] * len(holes), [0, 0]
        moves, gains, positions = view.legal_moves(), [], []
        for move in moves:
            play_hole(seeds, own, holes.index(move.hole), skipped, board, taken, NO_LOG)
            gains.append(taken[0] - taken[1])
            positions.append(((*board[own:], *board[:own]), len(holes) - own))
        margins = self.after(positions)
        values = [float(gain - margin) for gain, (margin, _) in zip(gains, margins, strict=True)]
        exact = all(sure for _, sure in margins)
        if view.earlier:
            exact = self._rate_repetitions(view, moves, gains, values) and exact
        return moves, values, exact

    @staticmethod
    def _rate_repetitions(
        view: RajaPasuState, moves: Sequence[Sow], gains: list[int], values: list[float]
    ) -> bool:
        """Set the values of moves that end the round by a third repetition.

        Returns:
            Whether no such end lies ahead of the other moves.
        """
        for at, move in enumerate(moves):
            ended = view.after_sowing(move)
            if ended.repeated():
                rest = ended.remainder()
                values[at] = float(gains[at] + rest[view.to_move] - rest[1 - view.to_move])
        past = [*view.earlier, view.board]
        return all(mine.count(board) < 2 for mine in (past[::2], past[1::2]) for board in set(mine))


class SearchBot(_Rater):
    """Looks some moves ahead, without tables; what lies beyond is taken as even."""

    def __init__(self, game: RajaPasu, depth: int) -> None:
        self._search = Search(game.skipped)
        self._depth = depth

    def after(self, positions: Sequence[tuple[Seeds, int]]) -> list[tuple[int, bool]]:
        """Return the mover's margin of each position, and whether it is exact."""
        return self._search.margins(positions, self._depth - 1)


class TableBot(_Rater):
    """Plays the exact tables; positions outside them are searched.

    Args:
        game: the rules.
        folder: the folder of the table files.
        seconds: how long a position outside the tables is searched.

    Each table is read when a question first needs it.

    Raises:
        TableError: the folder has no table of these rules, or later, the one
            that a position needs is missing or unfit; the message names the
            command that builds it.
    """

    def __init__(self, game: RajaPasu, folder: Path, seconds: float = 2.0) -> None:
        self._game = game
        self._folder = folder
        self._seconds = seconds
        self._tables: dict[int, RoundTable] = {}
        self._search = Search(game.skipped, self.margin)
        if not any(self._spec(closed).path(folder).exists() for closed in range(ROW)):
            self._table(0)

    def _spec(self, closed: int) -> TableSpec:
        return TYPE.table_spec({"origin": self._game.origin, "closed": closed})

    def _table(self, closed: int) -> RoundTable:
        if closed not in self._tables:
            self._tables[closed] = RoundTable(open_table(self._spec(closed), self._folder))
        return self._tables[closed]

    def margin(self, seeds: Sequence[int], own: int) -> int | None:
        """Return the margin of a position from the tables, None if it is not there."""
        if ROW not in (own, len(seeds) - own):
            return None
        closed = 2 * ROW - len(seeds)
        if closed == ROW:
            return None
        return self._table(closed).margin(seeds, own)

    def after(self, positions: Sequence[tuple[Seeds, int]]) -> list[tuple[int, bool]]:
        """Return the mover's margin of each position, and whether it is exact."""
        found = []
        for seeds, own in positions:
            margin = self.margin(seeds, own) if any(seeds[:own]) else -sum(seeds)
            if margin is None:
                return self._search.margins(positions, _DEEPEST, self._seconds)
            found.append((margin, True))
        return found


def make_bot(level: str, game: RajaPasu, tables: Path | None, seed: int) -> Bot:
    """Return a bot of a level; see :meth:`ustad.runtime.games.base.GameType.bot`."""
    if level == "easy":
        return EasyBot(seed)
    if level == "medium":
        return MediumBot()
    if level == "hard":
        return SearchBot(game, 4)
    return TableBot(game, tables_folder(tables))
