"""Solve the match of Raja Pasu exactly: who wins, round after round.

**The problem.**  A match is won by owning more seeds at its end, and the leader of a round is
the one who took the remainder of the round before.  So the largest margin of a round is not
always best.  Wanted: whether the mover wins, draws or loses the match.

**Ahead.**  The margins of a round are known (:mod:`ustad.solver.raja_pasu.margins`) and depend
on no rule about repetition.  So a position is told by its board and by ``ahead``: the seeds that
the mover will own at the end of the round if both play for the margin, less half of all (49).  A
move that gives away ``cost`` of these leaves the opponent with ``-ahead + cost``.  With the
rounds to go fixed, let no result of the next round depend on who leads it when a player owns
more than 49 + :data:`NEAR` or less than 49 - NEAR.  Then whoever is further ahead than NEAR wins:
playing for the margin is enough, and further behind he loses.  Only 2 NEAR + 1 values of
``ahead`` are open in each position: bits in place of sets of captured counts, and moves that
cost more than 2 NEAR never matter.

**Bounds.**  As with margins, what a repeated position brings is a rule of the table.  For every
position and ``ahead`` two pairs of facts are computed: what the mover can force if every
repetition goes against him, and if every one goes for him:

    wins(p, a)  = some move to q of cost c with not draws(q, c - a)
    draws(p, a) = some move to q of cost c with not wins(q, c - a)

``wins`` from false and ``draws`` from true gives the least wins and the most draws, and the other
way round.  The steps are monotone, so order does not matter.  **Where both meet, the result
depends on no rule about repetition**; where they do not it is not known.  That happens with all
holes open alone: with a closed hole the rows are not equally long, seeds that walk round and
round come to an end, and every position that is kept has a result.  With two rounds to go the
bounds of the open board leave out how few seeds there are left to share, and can be wider than
they must be.

**Backwards over rounds.**  In the last round the larger margin is right.  The starts of the last
round give the ends of the last but one, and so on; once the starts of a round say what those of
the round after said, every earlier round says the same.  This is checked, so ``max_rounds``
matters in the last two rounds only.

**What is kept.**  Only what can arise from the start of a round, expert leading or not, while
expert plays moves that keep the result and among those the largest margin (all of them, if they
are several), and the opponent plays anything: these positions and what each own move leads to,
and the starts.

**Arrays.**  A :class:`Graph` has positions in the order of ``Task.places``; ``first`` (n + 1,)
int32, ``to`` and ``cost`` (moves,) int32 and uint8; bits (n,) uint32, bit ``5 * fact + NEAR +
ahead``.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.errors import UsageError
from ustad.runtime.core.kernels import compiled
from ustad.runtime.core.work import Progress
from ustad.runtime.games.raja_pasu.kernels import play_hole
from ustad.runtime.games.raja_pasu.results import (
    DRAW,
    LAST_BUT_ONE,
    LOSS,
    MOST_BIT,
    NEAR,
    WIN,
    bit_of,
    near,
)
from ustad.runtime.games.raja_pasu.rules import (
    ALL_SEEDS,
    HOLES,
    MOVER,
    OPPONENT,
    ROW,
    SEEDS_A_HOLE,
)
from ustad.solver.raja_pasu.margins import (
    FEW_SEEDS,
    LOWER,
    Solution,
    look_up,
    place_after,
    solve,
)
from ustad.solver.raja_pasu.positions import (
    Kinds,
    Places,
    Rows,
    Slots,
    blocks,
    kinds_of,
    reachable,
    starts,
)

HALF = ALL_SEEDS // 2

SPAN = 2 * NEAR + 1
"""How many values of ``ahead`` are open."""

FULL = (1 << SPAN) - 1

WINS_AT_LEAST, DRAWS_AT_MOST, WINS_AT_MOST, DRAWS_AT_LEAST = range(4)
"""The facts of a position, SPAN bits each."""

Bits = NDArray[np.uint32]
Results = NDArray[np.int8]
"""(99,) what the leader of a round gets who owns 0 to 98 seeds; see ``runtime``'s results."""


@dataclass(frozen=True)
class Graph:
    """The positions and moves of the rounds with one number of closed holes.

    Attributes:
        solution: the margins.
        margins: (n,) int8.
        first: (n + 1,) where the moves of each position begin.
        to: (moves,) what each leads to.
        cost: (moves,) half of what each gives away of the margin.
        layers: the positions that are not over by number of seeds, ascending.
    """

    solution: Solution
    margins: NDArray[np.int8]
    first: NDArray[np.int32]
    to: NDArray[np.int32]
    cost: NDArray[np.uint8]
    layers: tuple[NDArray[np.uint32], ...]

    def start(self, kind: int) -> int:
        """Return the position in which a round begins, the short row to move (0) or the long."""
        rows = self.solution.positions.untouched.count
        return len(self.margins) - rows + kind


@compiled
def _moves(
    places: Places,
    kinds: Kinds,
    rows: Rows,
    slots: Slots,
    every: Places,
    margins: NDArray[np.int8],
    margins_here: NDArray[np.int8],
    counts: NDArray[np.int32],
    to: NDArray[np.int32],
    cost: NDArray[np.uint8],
) -> int:
    """Fill in the moves of some positions; return how many there are.

    Args:
        places: of the positions.
        kinds: of the rounds.
        rows: the positions with an untouched hole.
        slots: where they are found.
        every: the places of all positions, ascending.
        margins: of all positions.
        margins_here: of the positions in question.
        counts: filled with the moves of each.
        to: filled with what each move leads to.
        cost: filled with half of what each gives away.
    """
    holes, owns, skipped = kinds
    position = np.empty(holes, np.int64)
    board = np.empty(holes, np.int64)
    turned = np.empty(holes, np.int64)
    taken = np.empty(2, np.int64)
    log = np.empty((0, 4), np.int64)
    count = 0
    for at in range(len(places)):
        kind = look_up(places[at], len(owns), rows, position)
        own, other = owns[kind], len(owns) - 1 - kind
        begin = count
        for hole in range(own):
            if position[hole] == 0:
                continue
            play_hole(position, own, hole, skipped, board, taken, log)
            place = place_after(board, own, other, len(owns), rows, slots, turned)
            number = np.searchsorted(every, np.uint32(place))
            gain = taken[MOVER] - taken[OPPONENT]
            given = np.int64(margins_here[at]) - gain + np.int64(margins[number])
            to[count] = number
            cost[count] = given // 2
            count += 1
        counts[at] = count - begin
    return count


def graph_of(solution: Solution, pool: ThreadPoolExecutor) -> Graph:
    """Return the positions and moves of rounds that are solved; no more can be looked up in these.

    Raises:
        UsageError: a margin depends on how repetition is ruled.
    """
    positions, task = solution.positions, solution.task
    if not solution.met.all():
        raise UsageError(
            f"build: {(~solution.met).sum()} margins are not known; no match can be solved"
        )
    margins = solution.bounds[:, LOWER].copy()
    kinds, untouched = positions.kinds, positions.untouched
    most = int(kinds.owns.max())

    def fill(numbers: NDArray[np.int64]) -> tuple[NDArray[Any], ...]:
        counts = np.empty(len(numbers), np.int32)
        to = np.empty(len(numbers) * most, np.int32)
        cost = np.empty(len(to), np.uint8)
        begin, end = numbers[0], numbers[-1] + 1
        found = _moves(
            task.places[begin:end], kinds, untouched.known, untouched.slots, task.places,
            margins, margins[begin:end], counts, to, cost,
        )  # fmt: skip
        return counts, to[:found].copy(), cost[:found].copy()

    parts = list(pool.map(fill, blocks(np.arange(len(margins)))))
    counts, to, cost = (np.concatenate(part) for part in zip(*parts, strict=True))
    # What finding and solving needed is let go of: seven rounds are held at a time.
    untouched.rows, untouched.slots = untouched.known.copy(), untouched.slots[:0].copy()
    positions.touched = positions.touched[:0].copy()
    first = np.zeros(len(margins) + 1, np.int32)
    np.cumsum(counts, out=first[1:])
    layers = tuple(layer[~task.over[layer]] for layer in task.layers())
    return Graph(solution, margins, first, to, cost.astype(np.uint8), layers)


# One round.


@compiled
def _turned(bits: int | np.int64) -> int | np.int64:
    """Return SPAN bits in the other order: ``ahead`` as the other player sees it."""
    found = bits & 0
    for at in range(SPAN):
        found |= (bits >> at & 1) << (SPAN - 1 - at)
    return found


@compiled
def _settle(
    layer: NDArray[np.uint32],
    first: NDArray[np.int32],
    to: NDArray[np.int32],
    cost: NDArray[np.uint8],
    sure: int,
    unsure: int,
    bits: Bits,
) -> None:
    """Step the facts of positions with the same number of seeds until nothing changes.

    ``sure`` are the facts of whoever is too far ahead to lose, ``unsure`` the places of those
    that depend on the position.
    """
    changed = True
    while changed:
        changed = False
        for number in layer:
            here = np.int64(0)
            for move in range(first[number], first[number + 1]):
                lost = np.int64(cost[move])
                if lost >= SPAN:
                    continue
                there = np.int64(bits[to[move]])
                for fact in range(4):
                    # Least wins rest on most draws, and so on: 0 on 1, 1 on 0, 2 on 3, 3 on 2.
                    against = ~(there >> SPAN * (fact ^ 1)) & FULL
                    here |= (_turned(against) << lost & FULL) << SPAN * fact
            here = here & unsure | sure
            if here != bits[number]:
                bits[number] = here
                changed = True


def every_fact(bits: int) -> int:
    """Return SPAN bits, repeated for each of the four facts."""
    return sum(bits << SPAN * fact for fact in range(4))


def solve_round(graph: Graph, after: Results, to_go: int) -> Bits:
    """Return the facts of every position of a round.

    Args:
        graph: its positions and moves.
        after: what whoever leads next gets by the seeds owned.
        to_go: the rounds to go, this one counted.
    """
    far = NEAR - near(to_go)
    sure = every_fact(FULL & ~(FULL >> far))
    unsure = every_fact(FULL >> far & FULL << far)
    at_most = FULL << SPAN * DRAWS_AT_MOST | FULL << SPAN * WINS_AT_MOST
    bits = np.full(len(graph.margins), at_most & unsure | sure, np.uint32)
    over = 0
    for at in range(SPAN):
        leader = after[HALF - (at - NEAR)]
        wins, draws = leader == LOSS, leader != WIN
        for fact in (WINS_AT_LEAST, WINS_AT_MOST):
            over |= int(wins) << SPAN * fact + at
        for fact in (DRAWS_AT_LEAST, DRAWS_AT_MOST):
            over |= int(draws) << SPAN * fact + at
    bits[graph.solution.task.over] = over
    for layer in graph.layers:
        _settle(layer, graph.first, graph.to, graph.cost, sure, unsure, bits)
    return bits


def results_of(bits: Bits) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return (n, SPAN) the least and the most that the mover gets, by ``ahead``."""
    fact = [
        (bits[:, None] >> np.arange(SPAN * at, SPAN * (at + 1), dtype=np.uint32) & 1).astype(
            np.uint8
        )
        for at in range(4)
    ]
    return (
        fact[WINS_AT_LEAST] + fact[DRAWS_AT_LEAST],
        fact[WINS_AT_MOST] + fact[DRAWS_AT_MOST],
    )


# Round after round.


def _start(owned: int) -> tuple[int, int, int, int]:
    """Return what a leader who owns so many seeds begins with.

    Returns:
        The closed holes, the kind, the seeds in reserve and those on the board.
    """
    short = min(owned, ALL_SEEDS - owned)
    closed = ROW - short // SEEDS_A_HOLE
    kind = int(closed > 0 and owned > short)
    own = ROW if owned >= HALF else ROW - closed
    return closed, kind, owned - SEEDS_A_HOLE * own, SEEDS_A_HOLE * (HOLES - closed)


LEADERS = range(SEEDS_A_HOLE, ALL_SEEDS - SEEDS_A_HOLE + 1)
"""The seeds that the leader of a round can own."""


def start_ahead(graphs: Sequence[Graph], owned: int) -> int:
    """Return how far ahead the leader of a round is who owns so many seeds."""
    closed, kind, reserve, board = _start(owned)
    graph = graphs[closed]
    return reserve + (board + int(graph.margins[graph.start(kind)])) // 2 - HALF


def leaders(graphs: Sequence[Graph], rounds: Sequence[Bits] | None) -> Results:
    """Return what the leader of a round gets, by the seeds owned.

    Args:
        graphs: by number of closed holes.
        rounds: their facts; None in the last round, which the larger margin wins.
    """
    found = np.where(np.arange(ALL_SEEDS + 1) > HALF, WIN, LOSS).astype(np.int8)
    for owned in LEADERS:
        ahead = start_ahead(graphs, owned)
        if rounds is None:
            found[owned] = DRAW if ahead == 0 else WIN if ahead > 0 else LOSS
        elif abs(ahead) > NEAR:
            found[owned] = WIN if ahead > 0 else LOSS
        else:
            closed, kind, _, _ = _start(owned)
            start = graphs[closed].start(kind)
            least, most = results_of(rounds[closed][start : start + 1])
            if least[0, NEAR + ahead] != most[0, NEAR + ahead]:
                raise UsageError(f"build: who wins as a leader with {owned} depends on repetition")
            found[owned] = least[0, NEAR + ahead]
    if (found[: HALF - NEAR] != LOSS).any() or (found[HALF + NEAR + 1 :] != WIN).any():
        raise UsageError(
            "build: the leader of a round who owns far more does not win: NEAR is too small"
        )
    return found


# What can arise while expert plays.


@compiled
def _spread(
    layer: NDArray[np.uint32],
    first: NDArray[np.int32],
    to: NDArray[np.int32],
    cost: NDArray[np.uint8],
    rank: NDArray[np.uint8],
    mine: NDArray[np.uint64],
    theirs: NDArray[np.uint64],
    needed: NDArray[np.bool_],
) -> None:
    """Note what follows from positions with the same number of seeds.

    Args:
        layer: the positions.
        first: where the moves of each begin.
        to: what each leads to.
        cost: what each gives away.
        rank: (n, SPAN) the better for the mover the higher.
        mine: how far ahead expert can be where expert moves, bit HALF + ahead.
        theirs: the same where the opponent moves.
        needed: set for the positions to keep.
    """
    one = np.uint64(1)
    far = (one << np.uint64(HALF - NEAR)) - one
    valid = (one << np.uint64(HALF + NEAR + 1)) - one
    changed = True
    while changed:
        changed = False
        for number in layer:
            here, other = mine[number], theirs[number]
            if here == 0 and other == 0:
                continue
            for move in range(first[number], first[number + 1]):
                after, given = to[move], np.uint64(cost[move])
                grown = other << given & valid
                if grown & ~mine[after]:
                    mine[after] |= grown
                    changed = True
                if given == 0 and here & far & ~theirs[after]:
                    theirs[after] |= here & far
                    changed = True
            for at in range(SPAN):
                bit = HALF - NEAR + at
                if not here >> np.uint64(bit) & one:
                    continue
                needed[number] = True
                best, least = np.int64(-1), np.int64(0)
                for move in range(first[number], first[number + 1]):
                    lost = np.int64(cost[move])
                    against = SPAN - 1 - at + lost
                    kept = np.int64(0)
                    if against < SPAN:
                        kept = np.int64(WIN * 2) - np.int64(rank[to[move], against])
                    if against < SPAN:
                        needed[to[move]] = True
                    if kept > best or (kept == best and lost < least):
                        best, least = kept, lost
                for move in range(first[number], first[number + 1]):
                    lost = np.int64(cost[move])
                    against = SPAN - 1 - at + lost
                    kept = np.int64(0)
                    if against < SPAN:
                        kept = np.int64(WIN * 2) - np.int64(rank[to[move], against])
                    if kept == best and lost == least and bit >= lost:
                        reached = one << np.uint64(bit - lost)
                        if reached & ~theirs[to[move]]:
                            theirs[to[move]] |= reached
                            changed = True


def ranks_of(bits: Bits) -> NDArray[np.uint8]:
    """Return (n, SPAN) the least that the mover gets and the most, added up."""
    found = np.zeros((len(bits), SPAN), np.uint8)
    for fact in range(4):
        for at in range(SPAN):
            found[:, at] += (bits >> np.uint32(SPAN * fact + at) & np.uint32(1)).astype(np.uint8)
    return found


def arising(graphs: Sequence[Graph], closed: int, bits: Bits) -> NDArray[np.bool_]:
    """Return which positions of a round to keep; see the top."""
    graph = graphs[closed]
    mine, theirs = (np.zeros(len(graph.margins), np.uint64) for _ in range(2))
    for owned in LEADERS:
        at, kind, _, _ = _start(owned)
        if at == closed:
            ahead = start_ahead(graphs, owned)
            start = graph.start(kind)
            if ahead <= NEAR:
                mine[start] |= np.uint64(1 << HALF + ahead)
            if -ahead <= NEAR:
                theirs[start] |= np.uint64(1 << HALF - ahead)
    needed = np.zeros(len(graph.margins), np.bool_)
    rank = ranks_of(bits)
    for layer in reversed(graph.layers):
        _spread(layer, graph.first, graph.to, graph.cost, rank, mine, theirs, needed)
    close = np.uint64(FULL << HALF - NEAR)
    kept: NDArray[np.bool_] = needed | ((mine & close) > 0)
    kept &= ~graph.solution.task.over
    for kind in range(len(graph.solution.positions.kinds.owns)):
        kept[graph.start(kind)] = True
    return kept


@dataclass(frozen=True)
class Matches:
    """Matches solved.

    Attributes:
        graphs: by number of closed holes.
        last_but_one: their facts with two rounds to go.
        earlier: their facts with three or more.
        leads: what the leader gets by the seeds owned: in the last round, in that before, earlier.
    """

    graphs: list[Graph]
    last_but_one: list[Bits]
    earlier: list[Bits]
    leads: tuple[Results, Results, Results]

    def kept(self) -> NDArray[np.bool_]:
        """Return which positions of the last of the rounds here are kept; see the top."""
        closed = len(self.graphs) - 1
        found = arising(self.graphs, closed, self.earlier[closed])
        found |= arising(self.graphs, closed, self.last_but_one[closed])
        return found

    def take(self) -> tuple[Graph, Bits, Bits]:
        """Take the last of the rounds here out, with its facts."""
        return self.graphs.pop(), self.last_but_one.pop(), self.earlier.pop()


def table_values(last_but_one: Bits, earlier: Bits, kept: NDArray[np.bool_]) -> NDArray[np.uint32]:
    """Return (n,) the values of the table where they are kept; see ``runtime``'s results."""
    found = np.zeros(len(kept), np.uint32)
    for to_go, bits in ((LAST_BUT_ONE, last_but_one), (LAST_BUT_ONE + 1, earlier)):
        least, most = results_of(bits[kept])
        results = (least | most << np.uint8(MOST_BIT)).astype(np.uint32)
        for ahead in range(-near(to_go), near(to_go) + 1):
            found[kept] |= results[:, NEAR + ahead] << np.uint32(bit_of(ahead, to_go))
    return found


def solve_matches(
    skipped: bool, pool: ThreadPoolExecutor, progress: Progress | None = None
) -> Matches:
    """Return the matches solved.

    Args:
        skipped: whether a lap leaves out the hole it began from.
        pool: the threads; the results do not depend on how many.
        progress: called with the positions done and all of a round.

    Raises:
        UsageError: a result that is needed depends on how repetition is ruled.
    """
    graphs = []
    for closed in range(ROW):
        kinds = kinds_of(closed, skipped)
        positions = reachable(starts(kinds), kinds, pool, progress)
        graphs.append(graph_of(solve(positions, FEW_SEEDS, pool, progress), pool))
    last = leaders(graphs, None)
    last_but_one = list(pool.map(lambda graph: solve_round(graph, last, LAST_BUT_ONE), graphs))
    before = leaders(graphs, last_but_one)
    earlier = list(pool.map(lambda graph: solve_round(graph, before, LAST_BUT_ONE + 1), graphs))
    earliest = leaders(graphs, earlier)
    if (earliest != before).any():
        raise UsageError("build: the rounds before the last but one are not alike")
    return Matches(graphs, last_but_one, earlier, (last, before, earliest))
