"""The four levels of Raja Pasu; the README of this folder says what each plays.

All of them play for the margin of the round, in a match too, but expert: in a match it is that of
:mod:`ustad.runtime.games.raja_pasu.matches`.

**Looking up.**  Expert plays every legal move and looks the position after it up
in the table of the number of closed holes (``tables.RoundTable``): the code of the
position by binary search among the codes of its pattern.  Every position that can
arise from a start of a round is there, and every position with few seeds.

**Searching.**  An odd position that someone typed in is searched
(:class:`Search`): negamax with alpha-beta and a transposition table, deepened ply
by ply, with the tables as leaves, until all is proven or so many positions were
looked at.  A value is *proven* if no guess had a part in it: ``exact`` in the
answer says so.  Positions are the seeds of the ring seen by the mover; no search
knows which hole is which.

**Ties.**  A move that keeps the value may still lead nowhere: equally good moves
can go round for ever, and the third repetition pays what it likes.  So of equals
a move that captures comes first, since captured seeds do not return; if none
does, expert plays the one whose value can be made good in the fewest moves
(:meth:`TableBot.prefer`), hard one that leads to no earlier position.

**Repetition.**  Tables and search ask about a position without a past.  A past in
which nothing has stood twice changes no margin.  Where something has, expert solves
the positions around once more (:mod:`ustad.runtime.games.raja_pasu.repetitions`);
hard values the moves that make a third repetition by what they bring, and says of
all others that they are not exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from copy import copy
from functools import partial
from time import monotonic
from typing import NamedTuple, Self

from ustad.runtime.core.chance import Chance
from ustad.runtime.core.game import TIE, Advice, Bot, Pace, RatedMove, RuleOfThumb, rank
from ustad.runtime.games.raja_pasu.repetitions import (
    Node,
    Repetitions,
    stood_twice,
    third_time,
)
from ustad.runtime.games.raja_pasu.rules import (
    MOVER,
    NO_LOG,
    OPPONENT,
    ROW,
    RajaPasu,
    RajaPasuState,
    Seeds,
    Sow,
    play_hole,
)
from ustad.runtime.games.raja_pasu.tables import RoundTable

UNIT = "margin"


class EasyBot(RuleOfThumb[RajaPasuState, Sow]):
    """Plays a random move, of those that capture something if there are any.

    ``chance`` gives its draw in a position.
    """

    def __init__(self, chance: Callable[[RajaPasuState], Chance]) -> None:
        self._chance = chance

    def choose(self, view: RajaPasuState) -> Sow:
        """Return the move."""
        moves = view.legal_moves()
        capturing = [move for move in moves if view.sown(move).mine > 0]
        return self._chance(view).choice(capturing or moves)


class MediumBot(RuleOfThumb[RajaPasuState, Sow]):
    """Plays the move that gains most at once, the first of equals."""

    def choose(self, view: RajaPasuState) -> Sow:
        """Return the move."""
        return max(view.legal_moves(), key=lambda move: view.sown(move).gain)


Position = tuple[Seeds, int]
"""The seeds of a ring, and how many of its holes are the mover's."""

Leaf = Callable[[Seeds, int], int | None]


def played_hole(seeds: Sequence[int], own: int, hole: int, skipped: bool) -> tuple[int, Seeds]:
    """Return what the mover gains by a hole, and the seeds after it as the opponent sees them."""
    board, taken = [0] * len(seeds), [0, 0]
    play_hole(seeds, own, hole, skipped, board, taken, NO_LOG)
    return taken[MOVER] - taken[OPPONENT], (*board[own:], *board[:own])


class Child(NamedTuple):
    """A move in a search: what it gains, the position after it, the most that it can bring."""

    gain: int
    after: Seeds
    most: int


class _TooFarError(Exception):
    """The search has looked at as many positions as it may."""


_AT_LEAST, _AT_MOST, _EXACT = range(3)
"""What a margin found is: one that the true margin is not below, not above, or the true one."""

_TO_THE_END = 1000

DEEPEST = 100
"""Moves that a search looks ahead at most; a round from the start has some thirty."""


class Search:
    """Alpha-beta over positions of a ring, with a transposition table.

    Args:
        skipped: whether a lap leaves out the hole it began from.
        leaf: the margin of a position that is known, None for others.
    """

    _REMEMBERED = 100_000
    """Positions whose children a search remembers at most."""

    _KEPT = 10_000
    """How many it may still remember when it is done: a server keeps many bots."""

    def __init__(self, skipped: bool, leaf: Leaf | None = None) -> None:
        self.skipped = skipped
        self.leaf = leaf
        self.positions = 0
        self._most = math.inf
        self._until = math.inf
        self._found: dict[Position, tuple[int, int, int]] = {}
        self._children: dict[Position, list[Child]] = {}

    def children(self, seeds: Seeds, own: int) -> list[Child]:
        """Return what each move leads to, those with the greatest gain first."""
        key = (seeds, own)
        known = self._children.get(key)
        if known is None:
            if len(self._children) > self._REMEMBERED:
                self._children.clear()
            played = (played_hole(seeds, own, at, self.skipped) for at in range(own) if seeds[at])
            known = [Child(gain, after, gain + sum(after)) for gain, after in played]
            known.sort(key=lambda child: -child.gain)
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
        if self.positions >= self._most or monotonic() > self._until:
            raise _TooFarError
        self.positions += 1
        key = (seeds, own)
        searched, margin, kind = self._found.get(key, (-1, 0, _EXACT))
        if searched >= depth and (
            kind == _EXACT
            or (kind == _AT_LEAST and margin >= beta)
            or (kind == _AT_MOST and margin <= alpha)
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
        exact_or_less = _EXACT if best > alpha else _AT_MOST
        kind = _AT_LEAST if best >= beta else exact_or_less
        self._found[key] = (_TO_THE_END if proven else depth, best, kind)
        return best, proven

    def margins(
        self,
        positions: Sequence[Position],
        depth: int,
        most: int | None = None,
        seconds: float = math.inf,
    ) -> list[tuple[int, bool]]:
        """Return the margin of each position, and whether it is proven.

        Args:
            positions: seeds and how many holes are the mover's.
            depth: how many moves to look ahead at most.
            most: deepen ply by ply and stop after so many positions; without it,
                search to that depth at once.
            seconds: stop after so many too.
        """
        try:
            return self._margins(positions, depth, most, monotonic() + seconds)
        finally:
            self._found.clear()  # what was asked before must not change the answer
            if len(self._children) > self._KEPT:
                self._children.clear()

    def _margins(
        self, positions: Sequence[Position], depth: int, most: int | None, until: float
    ) -> list[tuple[int, bool]]:
        self.positions = 0
        self._most = self._until = math.inf
        if most is None:
            return [self.margin(seeds, own, depth) for seeds, own in positions]
        found = [self.margin(seeds, own, 0) for seeds, own in positions]
        self._most, self._until = most, until
        for deeper in range(1, depth + 1):
            if all(proven for _, proven in found):
                break
            try:
                found = [self.margin(seeds, own, deeper) for seeds, own in positions]
            except _TooFarError:
                break
        return found


def final_score(view: RajaPasuState, margin: float) -> tuple[int, int]:
    """Return the seeds of the mover and of the other at the end of the round.

    Args:
        view: the position.
        margin: what the mover will gain over the other from here on.
    """
    every = sum(view.board) + sum(view.captured)
    ahead = int(margin) + view.captured[view.to_move] - view.captured[1 - view.to_move]
    mine = (every + ahead) // 2
    return mine, every - mine


class Rater(Bot[RajaPasuState, Sow]):
    """A level that knows the margin of every move."""

    def after(self, positions: Sequence[Position]) -> list[tuple[int, bool]]:
        """Return the mover's margin of each position, and whether it is exact."""
        raise NotImplementedError

    def for_margins(self) -> Rater:
        """Return the bot that plays for the margin of the round alone."""
        return self

    def prefer(self, view: RajaPasuState, tied: Sequence[Sow]) -> Sow:
        """Return one of equally good moves: one that captures most, then one that leads on."""

        def leads_on(move: Sow) -> tuple[int, bool]:
            sown = view.sown(move)
            return sown.taken, sown.board not in view.earlier

        return max(tied, key=leads_on)

    def ask(self, view: RajaPasuState) -> Advice[Sow]:
        """Return every legal move with its margin, and whether all are exact.

        The first of the best moves is the one that the bot plays.
        """
        if view.is_over():
            rest = view.remainder()
            margin = rest[view.to_move] - rest[1 - view.to_move]
            return Advice((), float(margin), UNIT, (), {"exact": True})
        moves, values, exact = self._rate(view)
        best, options = rank(moves, values)
        if len(best) > 1:
            first = self.prefer(view, best)
            options.sort(key=lambda option: (-option.value, option.move != first))
            best.sort(key=lambda move: move != first)
        extra = {"exact": exact}
        notes = partial(self._notes, view, options)
        return Advice(best, options[0].value, UNIT, options, extra, notes=notes)

    def _notes(self, view: RajaPasuState, options: Sequence[RatedMove[Sow]]) -> list[str]:
        """Return for each move what it takes, the best reply, and the score that it leads to."""
        lines = []
        for move, value in options:
            sown, after = view.sown(move), view.after_sowing(move)
            reply = "ends the round" if after.is_over() else f"reply {self.choose(after).hole}"
            mine, other = final_score(view, value)
            lines.append(
                f"  hole {move.hole}: takes {sown.mine}, gives {sown.other}, {reply}; "
                f"final score {mine} to {other}"
            )
        return lines

    def choose(self, view: RajaPasuState) -> Sow:
        """Return the best move."""
        moves, values, _ = self._rate(view)
        least = max(values) - TIE
        tied = [move for move, value in zip(moves, values, strict=True) if value >= least]
        return tied[0] if len(tied) == 1 else self.prefer(view, tied)

    def _rate(self, view: RajaPasuState) -> tuple[Sequence[Sow], list[float], bool]:
        """Return the legal moves, their margins, and whether all are exact."""
        holes, own = view.ring()
        seeds, skipped = view.seeds(), view.rules.skipped
        moves = view.legal_moves()
        played = [played_hole(seeds, own, holes.index(move.hole), skipped) for move in moves]
        gains = [gain for gain, _ in played]
        positions = [(after, len(holes) - own) for _, after in played]
        margins = self.after(positions)
        if twice := stood_twice(view):
            margins = self.with_past(view, twice, positions, margins)
        values = [float(gain - margin) for gain, (margin, _) in zip(gains, margins, strict=True)]
        return moves, values, all(sure for _, sure in margins)

    def with_past(
        self,
        view: RajaPasuState,
        twice: frozenset[Node],
        positions: Sequence[Position],
        margins: Sequence[tuple[int, bool]],
    ) -> list[tuple[int, bool]]:
        """Return the mover's margins, and whether they are exact, with the past of a view.

        Args:
            view: the position with its past.
            twice: what has stood twice in it, not nothing.
            positions: what each move leads to.
            margins: the margins there without a past, and whether they are exact.
        """
        del view
        return [
            (third_time(seeds, own), True) if (seeds, 1) in twice else (margin, False)
            for (seeds, own), (margin, _) in zip(positions, margins, strict=True)
        ]


class SearchBot(Rater):
    """Looks some moves ahead, without tables; what lies beyond is taken as even."""

    def __init__(self, rules: RajaPasu, depth: int) -> None:
        self._search = Search(rules.skipped)
        self._depth = depth

    def after(self, positions: Sequence[Position]) -> list[tuple[int, bool]]:
        """Return the mover's margin of each position, and whether it is exact."""
        return self._search.margins(positions, self._depth - 1)


class TableBot(Rater):
    """Plays the exact tables; positions outside them are searched.

    Args:
        rules: the rules.
        table: returns the table of a number of closed holes of one side.
        most: how many positions are looked at where one outside the tables is searched.
    """

    def __init__(
        self, rules: RajaPasu, table: Callable[[int], RoundTable], most: int = 150_000
    ) -> None:
        self._table = table
        self._most = most
        self._seconds = math.inf
        self._search = Search(rules.skipped, self.margin)

    def margin(self, seeds: Seeds, own: int) -> int | None:
        """Return the margin of a position that is over or in the tables, None for others."""
        if not any(seeds[:own]):
            return -sum(seeds)
        closed = 2 * ROW - len(seeds)
        if closed >= ROW or ROW not in (own, len(seeds) - own):
            return None
        return self._table(closed).margin(seeds, own)

    def after(self, positions: Sequence[Position]) -> list[tuple[int, bool]]:
        """Return the mover's margin of each position, and whether it is exact."""
        found = []
        for seeds, own in positions:
            margin = self.margin(seeds, own)
            if margin is None:
                return self._search.margins(positions, DEEPEST, self._most, self._seconds)
            found.append((margin, True))
        return found

    def within(self, seconds: float) -> Self:
        """Return the bot that searches so long at most."""
        found = copy(self)
        found._seconds = seconds
        return found

    def pace(self, view: RajaPasuState) -> Pace:
        """Return how long an answer takes: what the tables hold is looked up."""
        if view.is_over():
            return Pace.AT_ONCE
        if stood_twice(view):
            return Pace.LATER
        holes, own = view.ring()
        replies = self._search.children(tuple(view.seeds()), own)
        known = (self.margin(reply.after, len(holes) - own) is not None for reply in replies)
        return Pace.AT_ONCE if all(known) else Pace.LATER

    def with_past(
        self,
        view: RajaPasuState,
        twice: frozenset[Node],
        positions: Sequence[Position],
        margins: Sequence[tuple[int, bool]],
    ) -> list[tuple[int, bool]]:
        """Return the mover's margins, and whether they are exact, with the past of a view."""

        def moves(seeds: Seeds, own: int) -> list[tuple[int, Seeds]]:
            return [(gain, after) for gain, after, _ in self._search.children(seeds, own)]

        around = Repetitions(view, twice, moves, self.margin)
        found = []
        for (seeds, _), (margin, _) in zip(positions, margins, strict=True):
            lower, upper = around.bounds(seeds)
            found.append((min(max(margin, lower), upper), lower == upper))
        return found

    def prefer(self, view: RajaPasuState, tied: Sequence[Sow]) -> Sow:
        """Return one of equally good moves: one that captures most, else the quickest.

        A move without capture is made good in d moves if the mover can be sure of
        its value however the seeds are shared that are still there after d moves
        without capture.  Each move then leads to a position that needs fewer, so
        no position comes twice.  That holds without a past: where a position has stood
        twice any of the moves will do.
        """
        if stood_twice(view):
            return super().prefer(view, tied)
        captures = {move: view.sown(move).taken for move in tied}
        most = max(tied, key=captures.__getitem__)
        if captures[most]:
            return most
        replies = []
        for move in tied:
            after = view.after_sowing(move)
            if after.is_over():
                return move
            seeds, own = tuple(after.seeds()), after.ring().own
            replies.append((move, seeds, own, self.margin(seeds, own)))
        known: dict[tuple[Seeds, int, int], int] = {}
        for depth in range(1, DEEPEST):
            for move, seeds, own, margin in replies:
                if margin is None:
                    return super().prefer(view, tied)
                if self._bound(seeds, own, depth, 1, known) <= margin:
                    return move
        return super().prefer(view, tied)

    def _bound(
        self,
        seeds: Seeds,
        own: int,
        depth: int,
        sign: int,
        known: dict[tuple[Seeds, int, int], int],
    ) -> int:
        """Return the mover's margin if the mover gets all that is left after d moves, or none.

        Args:
            seeds: of the ring's holes, the mover's first.
            own: how many of the holes are the mover's.
            depth: how many moves without capture are looked at.
            sign: 1 if the mover gets what is left then, -1 if the opponent does.
            known: what was found before for seeds, own and sign times depth.
        """
        here = sum(seeds)
        if not any(seeds[:own]):
            return -here
        if depth == 0:
            return sign * here
        key = (seeds, own, sign * depth)
        if key not in known:
            best, other = -here, len(seeds) - own
            for gain, after, _ in self._search.children(seeds, own):
                margin = self.margin(after, other) if sum(after) < here else None
                if margin is None:
                    margin = self._bound(after, other, depth - 1, -sign, known)
                best = max(best, gain - margin)
            known[key] = best
        return known[key]
