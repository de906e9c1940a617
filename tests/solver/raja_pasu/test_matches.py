"""Matches solved, against a plain solver of rounds that keeps every count of seeds owned.

:class:`PlainRound` knows nothing of margins or of how far ahead a player is: for each position,
and each number of seeds that the mover may own, it has the least and the most that the mover can
get, found by stepping every position until nothing changes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations_with_replacement, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from plain_raja_pasu import Board, plain_move

from ustad.runtime.games.raja_pasu.entry import ENTRY
from ustad.runtime.games.raja_pasu.matches import MatchBot
from ustad.runtime.games.raja_pasu.results import DRAW, LAST_BUT_ONE, LOSS, RESULTS, WIN, near
from ustad.runtime.games.raja_pasu.rules import (
    ALL_SEEDS,
    HOLES,
    PASU,
    ROW,
    Match,
    RajaPasu,
    RajaPasuState,
)
from ustad.runtime.games.raja_pasu.tables import TABLES, MatchTable, RoundTable
from ustad.runtime.questions import Advisor
from ustad.solver.build import Builder
from ustad.solver.raja_pasu.build import round_arrays, table_arrays
from ustad.solver.raja_pasu.margins import solve
from ustad.solver.raja_pasu.matches import (
    HALF,
    NEAR,
    Graph,
    graph_of,
    results_of,
    solve_round,
    table_values,
)
from ustad.solver.raja_pasu.positions import kinds_of, reachable, starts
from ustad.tables import Table, open_table

KNOWN = json.loads((Path(__file__).parents[2] / "data" / "raja_pasu_match.json").read_text())


def leaders(to_go: int) -> list[int]:
    """Return what the leader gets by the seeds owned, from the known values."""
    known = KNOWN["leaders"]["last" if to_go == 1 else "earlier"]
    return [
        RESULTS.index(known[str(owned)]) if str(owned) in known else WIN if owned > HALF else LOSS
        for owned in range(ALL_SEEDS + 1)
    ]


class PlainRound:
    """The least and the most that the mover can get, by board, mover and seeds owned.

    Args:
        closed: how many of South's holes are closed.
        most: the most seeds of the boards.
        to_go: the rounds to go.
    """

    def __init__(self, closed: int, most: int, to_go: int) -> None:
        self.closed = frozenset(range(closed))
        self.after = leaders(to_go - 1) if to_go > 1 else None
        self.bounds: dict[tuple[Board, int, int], tuple[int, int]] = {}
        boards = [
            tuple(places.count(hole) for hole in range(HOLES))
            for seeds in range(most + 1)
            for places in combinations_with_replacement(range(closed, HOLES), seeds)
            if max(map(places.count, places), default=0) < PASU
        ]
        for seeds in range(most + 1):
            self.solve([board for board in boards if sum(board) == seeds])

    def lead(self, owned: int) -> int:
        """Return what the leader of the next round gets."""
        if self.after is None:
            return DRAW if owned == HALF else WIN if owned > HALF else LOSS
        return self.after[owned]

    def solve(self, boards: list[Board]) -> None:
        """Step the boards with one number of seeds until nothing changes."""
        steps: list[tuple[Board, int, list[tuple[Board, int]]]] = []
        for board, mover in product(boards, (0, 1)):
            left = sum(board)
            row = board[:ROW] if mover == 0 else board[ROW:]
            for owned in range(ALL_SEEDS - left + 1):
                over = WIN - self.lead(ALL_SEEDS - owned)
                shares = [self.lead(owned + part) for part in range(left + 1)]
                shares += [WIN - self.lead(ALL_SEEDS - owned - part) for part in range(left + 1)]
                known = (over, over) if not any(row) else (min(shares), max(shares))
                self.bounds[board, mover, owned] = known
            if any(row):
                first = ROW * mover
                moves = [
                    plain_move(board, self.closed, mover, hole)[:2]
                    for hole in range(first, first + ROW)
                    if board[hole]
                ]
                steps.append((board, mover, [(after, taken[mover]) for after, taken in moves]))
        changed = True
        while changed:
            changed = False
            for board, mover, moves in steps:
                for owned in range(ALL_SEEDS - sum(board) + 1):
                    behind = [
                        self.bounds[after, 1 - mover, ALL_SEEDS - owned - taken - sum(after)]
                        for after, taken in moves
                    ]
                    found = (
                        WIN - min(most for _, most in behind),
                        WIN - min(least for least, _ in behind),
                    )
                    if found != self.bounds[board, mover, owned]:
                        self.bounds[board, mover, owned] = found
                        changed = True


@pytest.fixture(scope="module")
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(2) as threads:
        yield threads


def graph(closed: int, few: int, pool: ThreadPoolExecutor) -> Graph:
    """Return a round solved, with all boards of so many seeds."""
    kinds = kinds_of(closed)
    first = starts(kinds)
    if not closed:  # the open board is too large: the boards with few seeds alone
        first = np.array([[1] + [0] * 13 + [0]], dtype=np.int8)
    return graph_of(solve(reachable(first, kinds, pool), few, pool), pool)


@pytest.mark.parametrize(
    ("closed", "few"),
    [
        (6, 3),
        pytest.param(3, 5, marks=pytest.mark.slow),
        pytest.param(0, 4, marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("to_go", [2, 3])
def test_every_position_with_few_seeds(
    closed: int, few: int, to_go: int, pool: ThreadPoolExecutor
) -> None:
    """Every board, mover and count of seeds owned; only the open board knows unknown results."""
    solved, plain = graph(closed, few, pool), PlainRound(closed, few, to_go)
    after = np.array(leaders(to_go - 1), dtype=np.int8)
    lower, upper = results_of(solve_round(solved, after, to_go))
    holes, task = HOLES - closed, solved.solution.task
    number = {int(place): at for at, place in enumerate(task.places)}
    open_results = 0
    for (board, mover, owned), (least, most) in plain.bounds.items():
        south, north = board[closed:ROW], board[ROW:]
        ring = south + north if mover == 0 else north + south
        kind = mover if closed else 0
        code = sum(held << 2 * hole for hole, held in enumerate(ring))
        at = number[kind << 2 * holes | code]
        ahead = owned + (sum(board) + int(solved.margins[at])) // 2 - HALF
        if abs(ahead) > near(to_go):
            assert least == most == (WIN if ahead > 0 else LOSS), (board, mover, owned)
        else:
            found = lower[at, NEAR + ahead], upper[at, NEAR + ahead]
            if closed == 0 and to_go == LAST_BUT_ONE:
                # The plain round knows besides how few seeds are left to share.
                assert found[0] <= least <= most <= found[1], (board, mover, owned)
            else:
                assert found == (least, most), (board, mover, owned)
            open_results += least < most
    assert (open_results > 0) == (closed == 0)


@pytest.mark.parametrize("held", [True, False])
def test_the_bot_answers_as_the_plain_round(held: bool, pool: ThreadPoolExecutor) -> None:
    """Every option of positions with six closed holes, from a table of all and by search alone."""
    closed, most, number = 6, 3, 19
    solved, plain = graph(closed, most, pool), PlainRound(closed, most, 2)
    bits = solve_round(solved, np.array(leaders(1), dtype=np.int8), LAST_BUT_ONE)
    kept = ~solved.solution.task.over
    if not held:
        kept &= solved.solution.task.seeds > 2 * most  # none of those asked about
    margins, parts = round_arrays(solved.solution)
    rounds = RoundTable(Table(TABLES.spec({"closed": closed}), Path(), margins, parts, {}, 0.0, 0))
    values, parts = table_arrays(solved.solution, table_values(bits, bits, kept), kept)
    parts["leaders"] = np.array([leaders(1), leaders(2)], dtype=np.uint8)
    spec = TABLES.spec({"closed": closed, "match": True})
    matches = MatchTable(Table(spec, Path(), values, parts, {}, 0.0, 0))
    bot = MatchBot(RajaPasu(match=True), lambda _: rounds, lambda _: matches)
    seen = set()
    for (board, mover, owned), (least, _) in plain.bounds.items():
        row = board[:ROW] if mover == 0 else board[ROW:]
        if not any(row) or not 44 <= owned <= 53:
            continue
        mine = (owned, ALL_SEEDS - sum(board) - owned)
        south, north = mine if mover == 0 else mine[::-1]
        match = Match((13, 85), number, 0)
        captured = (south - 6, north - 36)  # what is in reserve is owned too
        state = RajaPasuState(
            RajaPasu(match=True), board, tuple(range(closed)), mover, captured, (), match
        )
        advice = bot.ask(state)
        assert (advice.extra or {})["match"] == RESULTS[least], state
        for (move, _), result in zip(advice.options, advice.beside["match"], strict=True):
            after = state.after_sowing(move)
            left = ALL_SEEDS - owned - sum(board)
            taken = after.captured[1 - mover] - captured[1 - mover]
            assert result == RESULTS[WIN - plain.bounds[after.board, 1 - mover, left + taken][0]]
            seen.add(result)
        assert advice.best[0] == bot.choose(state)
    assert seen == set(RESULTS)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the default tables of Raja Pasu; one solver makes those of all matches."""
    made = tmp_path_factory.mktemp("raja_pasu")
    builder = Builder(made)
    for options in TABLES.defaults():
        builder.build(ENTRY, options)
    return made


@pytest.mark.slow
def test_leaders(folder: Path) -> None:
    """What the leader of a round gets, by the seeds owned: the known values."""
    table = MatchTable(open_table(TABLES.spec({"match": True}), folder))
    for to_go in (1, 2, 3, 20):
        found = [table.leader(owned, to_go) for owned in range(ALL_SEEDS + 1)]
        assert found == leaders(to_go)


@pytest.mark.slow
@pytest.mark.parametrize("case", KNOWN["cases"])
def test_reference(case: dict[str, Any], folder: Path) -> None:
    """The result of a position, and the holes that keep it."""
    answer = Advisor(folder).ask(case["position"])
    assert answer["match"] == case["result"]
    keep = [each["move"]["hole"] for each in answer["options"] if each["match"] == case["result"]]
    assert sorted(keep) == case["best"]
    assert answer["best"][0]["hole"] in case["best"]


def others(folder: Path) -> dict[str, Any]:
    """Return who plays against expert: random captures, a search, and play for the margin."""
    rules = RajaPasu(match=True)
    bots = {level: ENTRY.levels.bot(level, rules, folder, 3) for level in ("easy", "medium")}
    expert = ENTRY.levels.bot("expert", rules, folder, 0)
    return {**bots, "margin": expert.for_margins(), "expert": expert}


@pytest.mark.slow
@pytest.mark.parametrize("first_round", [2, 19])
@pytest.mark.parametrize("name", ["easy", "medium", "margin", "expert"])
def test_expert_keeps_what_it_has(name: str, first_round: int, folder: Path) -> None:
    """From starts where it is close, either seat: what expert can force never falls.

    Where all holes are open a result may depend on repetition; with a closed hole it is known.
    """
    rules = RajaPasu(match=True)
    bots = others(folder)
    expert, other = bots["expert"], bots[name]
    for owned, seat in product((42, 45, 47, 48, 49, 50, 51, 52, 53, 56), (0, 1)):
        state = rules.start_round(Match((owned, ALL_SEEDS - owned), first_round, 0))
        forced = LOSS
        while not state.is_over():
            if state.to_move != seat:
                state = state.apply(other.choose(state))
                continue
            advice = expert.ask(state)
            result = (advice.extra or {})["match"]
            assert result is not None or not state.closed, state
            if result is not None:
                assert RESULTS.index(result) >= forced, state
                forced = RESULTS.index(result)
            assert advice.best[0] == expert.choose(state)
            state = state.apply(advice.best[0])
        margin = state.returns()[seat]
        assert (WIN if margin > 0 else DRAW if margin == 0 else LOSS) >= forced, state
