"""Expert in a match: it keeps every win and draw of the match, and then the larger margin.

**The problem.**  Who leads the next round matters, so that the largest margin of a round is not
always best in a match.  The tables of matches tell the result where that can be so
(``ustad.solver.raja_pasu.matches`` has the algorithm and its proof).

**Ahead.**  How far the mover is *ahead* are the seeds that he will own at the end of the round if
both play for the margin, less half of all.  More than :func:`near` ahead wins, more than that
behind loses, whatever the position.  In between the table is asked, and where it does not have
the position, some moves are searched; a result that is not found is None.

**Repetition.**  Results of the table hold however repeated positions are ruled.  So that a won
match is not played round and round, of equals without capture that move is played whose result can
be made good in the fewest moves; and once a position has stood twice this comes before the margin.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from ustad.runtime.core.game import Advice, Pace, RatedMove
from ustad.runtime.games.raja_pasu.levels import DEEPEST, UNIT, Leaf, Search, TableBot
from ustad.runtime.games.raja_pasu.repetitions import stood_twice
from ustad.runtime.games.raja_pasu.results import DRAW, LOSS, RESULTS, WIN, Bounds, near
from ustad.runtime.games.raja_pasu.rules import (
    ALL_SEEDS,
    NORTH,
    ROW,
    SEEDS_A_HOLE,
    SOUTH,
    RajaPasu,
    RajaPasuState,
    Seeds,
    Sow,
)
from ustad.runtime.games.raja_pasu.tables import MatchTable, RoundTable

HALF = ALL_SEEDS // 2

MOST_SEARCHED = 1_000
"""Positions looked at where the table does not have the result of a move."""


ANY = Bounds(LOSS, WIN)


class Rated(NamedTuple):
    """A move, its margin, the bounds of its result, and the position after it."""

    move: Sow
    margin: float
    result: Bounds
    after: RajaPasuState

    @property
    def known(self) -> int | None:
        """The result, None if it is not known."""
        return self.result.least if self.result.least == self.result.most else None


def turned(bounds: Bounds) -> Bounds:
    """Return bounds as the other player sees them."""
    return Bounds(WIN - bounds.most, WIN - bounds.least)


def compared(mine: int, half: int = HALF) -> Bounds:
    """Return the result of owning so many seeds at the end of the match."""
    result = DRAW if mine == half else WIN if mine > half else LOSS
    return Bounds(result, result)


class Results:
    """The results of positions, by table and by search.

    Args:
        table: returns the table of matches for a number of closed holes.
        search: knows the moves.
        margin: the mover's margin of a position, None where it is not known.
    """

    def __init__(self, table: Callable[[int], MatchTable], search: Search, margin: Leaf) -> None:
        self._table = table
        self._search = search
        self._margin = margin
        self._left = 0

    def after_round(self, owned: int, leads: bool, to_go: int) -> Bounds:
        """Return the result of a player after a round.

        Args:
            owned: the player's seeds.
            leads: whether he leads the next round.
            to_go: the rounds to go, the one that is over counted.
        """
        if to_go == 1 or min(owned, ALL_SEEDS - owned) < SEEDS_A_HOLE:
            return compared(owned)
        if not leads:
            return turned(self.after_round(ALL_SEEDS - owned, True, to_go))
        result = self._table(0).leader(owned, to_go - 1)
        return Bounds(result, result)

    def known(
        self, seeds: Seeds, own: int, ahead: int, to_go: int, in_table: bool = True
    ) -> Bounds | None:
        """Return the mover's result as far as it is known without a search, else None."""
        if not any(seeds[:own]):
            return self.after_round(HALF + ahead, False, to_go)
        if to_go == 1 or abs(ahead) > near(to_go):
            return compared(ahead, 0)
        if not in_table:
            return None
        closed = 2 * ROW - len(seeds)
        if closed >= ROW or ROW not in (own, len(seeds) - own):
            return None
        return self._table(closed).result(seeds, own, ahead, to_go)

    def bounds(self, seeds: Seeds, own: int, ahead: int, to_go: int) -> Bounds:
        """Return what is known of the mover's result by table, else by a search."""
        found = self.known(seeds, own, ahead, to_go)
        if found is not None:
            return found
        found, self._left = ANY, MOST_SEARCHED
        for depth in range(1, DEEPEST):
            if found.least == found.most or self._left <= 0:
                break
            found = self.within(seeds, own, ahead, to_go, depth)
        return found

    def within(
        self, seeds: Seeds, own: int, ahead: int, to_go: int, depth: int, fewer: int = ALL_SEEDS + 1
    ) -> Bounds:
        """Return the bounds of the mover's result that so many moves show.

        Args:
            seeds: of the ring's holes, the mover's first.
            own: how many of the holes are the mover's.
            ahead: how far ahead the mover is.
            to_go: the rounds to go, this one counted.
            depth: how many moves to look ahead.
            fewer: the table is asked of positions with fewer seeds than so many.
        """
        known = self.known(seeds, own, ahead, to_go, sum(seeds) < fewer)
        if known is not None:
            return known
        margin = self._margin(seeds, own)
        self._left -= 1
        if depth == 0 or margin is None or self._left < 0:
            return ANY
        found, other = Bounds(LOSS, LOSS), len(seeds) - own
        for gain, after, _ in self._search.children(seeds, own):
            reply = self._margin(after, other)
            bounds = ANY
            if reply is not None:
                behind = (margin - gain + reply) // 2 - ahead
                bounds = turned(self.within(after, other, behind, to_go, depth - 1, fewer))
            found = Bounds(max(found.least, bounds.least), max(found.most, bounds.most))
            if found.least == WIN:
                break
        return found

    def moves_needed(self, rated: Rated, before: int, to_go: int) -> int:
        """Return in how many moves without capture a move's result is made good.

        ``before`` are the seeds on the board before the move: where there are fewer, something
        was captured, and the table may be asked.
        """
        after = rated.after
        seeds, own = tuple(after.seeds()), after.ring().own
        behind = self.ahead(after)
        if after.is_over() or behind is None:
            return 0
        self._left = MOST_SEARCHED
        for depth in range(DEEPEST):
            found = turned(self.within(seeds, own, behind, to_go, depth, before))
            if found.least >= rated.result.least:
                return depth
            if self._left < 0:
                break
        return DEEPEST

    def ahead(self, view: RajaPasuState) -> int | None:
        """Return how far ahead the mover is, None if the margin is not known."""
        margin = self._margin(tuple(view.seeds()), view.ring().own)
        if margin is None:
            return None
        return owned_now(view)[view.to_move] + (sum(view.board) + margin) // 2 - HALF


def owned_now(view: RajaPasuState) -> tuple[int, int]:
    """Return what South and North own beside the seeds on the board."""
    south, north = view.owned()  # as if the round were over
    left = view.remainder()
    return south - left[SOUTH], north - left[NORTH]


class MatchBot(TableBot):
    """Plays the tables, in a match for its result first.

    Args:
        rules: the rules.
        table: returns the table of the rounds with a number of closed holes of one side.
        matches: returns that of the matches.
    """

    def __init__(
        self,
        rules: RajaPasu,
        table: Callable[[int], RoundTable],
        matches: Callable[[int], MatchTable],
    ) -> None:
        super().__init__(rules, table)
        self._rounds = table
        self._rules = rules
        self._results = Results(matches, self._search, self.margin)

    def for_margins(self) -> TableBot:
        """Return the bot that plays for the margin of the round alone."""
        return TableBot(self._rules, self._rounds)

    def result(self, view: RajaPasuState, after: RajaPasuState) -> Bounds:
        """Return the bounds of the result of a view's mover after a move."""
        to_go = view.rules.max_rounds - _round(view) + 1
        if after.is_over():
            leads = _leader(after) == view.to_move
            return self._results.after_round(after.owned()[view.to_move], leads, to_go)
        behind = self._results.ahead(after)
        if behind is None:
            return ANY
        return turned(self._results.bounds(tuple(after.seeds()), after.ring().own, behind, to_go))

    def _in_match(self, view: RajaPasuState) -> tuple[list[Rated], list[Rated], bool]:
        """Return the moves, best first, those equally good, and whether all is exact."""
        moves, margins, exact = self._rate(view)
        rated = []
        for move, margin in zip(moves, margins, strict=True):
            after = view.after_sowing(move)
            rated.append(Rated(move, margin, self.result(view, after), after))
        rated.sort(key=lambda each: (-sum(each.result), -each.result.least, -each.margin))
        first, twice = rated[0], bool(stood_twice(view))
        same = [each for each in rated if each.result == first.result]
        best = [each for each in same if twice or each.margin == first.margin]
        if len(best) > 1:
            best = self._quickest(view, best, twice)
            rated = [*best, *(each for each in rated if each not in best)]
        exact = exact and not twice and all(each.known is not None for each in rated)
        return rated, [each for each in best if each.margin == best[0].margin], exact

    def _quickest(self, view: RajaPasuState, tied: Sequence[Rated], twice: bool) -> list[Rated]:
        """Return equally good moves, the one to play first."""
        to_go = view.rules.max_rounds - _round(view) + 1
        ahead = self._results.ahead(view)
        if ahead is None or to_go == 1 or abs(ahead) > near(to_go) or tied[0].known in (None, LOSS):
            largest = max(each.margin for each in tied)
            equal = [each for each in tied if each.margin == largest]
            chosen = self.prefer(view, [each.move for each in equal])
            return sorted(equal, key=lambda each: each.move != chosen)
        board = sum(view.board)
        taken = {each.move: board - sum(each.after.board) for each in tied}
        if not twice and max(taken.values()):
            return sorted(tied, key=lambda each: -taken[each.move])
        needed = {each.move: self._results.moves_needed(each, board, to_go) for each in tied}
        return sorted(tied, key=lambda each: needed[each.move])

    def choose(self, view: RajaPasuState) -> Sow:
        """Return the best move."""
        if view.match is None:
            return super().choose(view)
        return self._in_match(view)[1][0].move

    def ask(self, view: RajaPasuState) -> Advice[Sow]:
        """Return every legal move with its margin and, in a match, its result."""
        if view.match is None:
            return super().ask(view)
        if view.is_over():
            over = super().ask(view)
            result = compared(view.owned()[view.to_move]).least
            return Advice((), over.value, UNIT, (), {"exact": True, "match": RESULTS[result]})
        rated, best, exact = self._in_match(view)
        options = [RatedMove(each.move, each.margin) for each in rated]
        return Advice(
            [each.move for each in best],
            options[0].value,
            UNIT,
            options,
            {"exact": exact, "match": _name(rated[0].known)},
            {"match": [_name(each.known) for each in rated]},
        )

    def pace(self, view: RajaPasuState) -> Pace:
        """Return how long an answer takes: what the tables hold is looked up."""
        found = super().pace(view)
        if view.match is None or found is not Pace.AT_ONCE or view.is_over():
            return found
        to_go = view.rules.max_rounds - _round(view) + 1
        return (
            Pace.AT_ONCE
            if all(self._is_held(after, to_go) for after in _after(view))
            else Pace.LATER
        )

    def _is_held(self, after: RajaPasuState, to_go: int) -> bool:
        """Tell whether a result is known without a search."""
        behind = self._results.ahead(after)
        if after.is_over() or behind is None:
            return True
        seeds, own = tuple(after.seeds()), after.ring().own
        return self._results.known(seeds, own, behind, to_go) is not None


def _after(view: RajaPasuState) -> Iterable[RajaPasuState]:
    """Return what each move leads to."""
    return map(view.after_sowing, view.legal_moves())


def _name(result: int | None) -> str | None:
    """Return the name of a result, None where it is not known."""
    return None if result is None else RESULTS[result]


def _round(view: RajaPasuState) -> int:
    """Return the number of the round of a match."""
    if view.match is None:
        raise ValueError("expected a position of a match")
    return view.match.round


def _leader(view: RajaPasuState) -> int:
    """Return who leads the round after one that is over."""
    if view.match is None:
        raise ValueError("expected a position of a match")
    return 1 - (view.match.leader if view.repeated() else view.to_move)
