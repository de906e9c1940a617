"""Margins with a past, against every line of play with the whole past.

Few seeds on the open board and on one with six closed holes.  The right answers come from the
rules alone: :class:`Whole` plays every line on to its end, repetitions and all.
"""

from __future__ import annotations

import itertools
import random
import time
from collections import Counter
from functools import cache
from typing import Any

import pytest
from built import Build

from ustad.runtime.core.errors import PositionError
from ustad.runtime.games.raja_pasu.codec import CODEC, MOST_EARLIER
from ustad.runtime.games.raja_pasu.entry import ENTRY
from ustad.runtime.games.raja_pasu.levels import TableBot
from ustad.runtime.games.raja_pasu.repetitions import stood_twice
from ustad.runtime.games.raja_pasu.rules import HOLES, ROW, RajaPasu, RajaPasuState, Seeds, Sow

ROUND = RajaPasu()
SIX_CLOSED = (0, 1, 2, 3, 4, 5)

Bots = dict[tuple[int, ...], Any]


def state(
    *seeds: int, to_move: int = 0, closed: tuple[int, ...] = (), **more: Any
) -> RajaPasuState:
    """Return the position with one seed in each of some holes."""
    board = tuple(map(seeds.count, range(HOLES)))
    return RajaPasuState(ROUND, board, closed, to_move, (0, 0), (), None)._replace(**more)


class Whole:
    """The mover's margins, every line being played to its end."""

    def __init__(self) -> None:
        self._known: dict[Any, int] = {}

    def margin(self, now: RajaPasuState) -> int:
        """Return the margin of a position with its past, or from its fresh start."""
        if now.is_over():
            rest = now.remainder()
            return rest[now.to_move] - rest[1 - now.to_move]
        times = Counter((at % 2, board) for at, board in enumerate(reversed(now.earlier)))
        key = now.board, now.closed, now.to_move, frozenset(times.items())
        if key not in self._known:
            self._known[key] = max(self.values(now).values())
        return self._known[key]

    def values(self, now: RajaPasuState) -> dict[Sow, int]:
        """Return the margin of each move."""
        found = {}
        for move in now.legal_moves():
            after = now.after_sowing(move)
            found[move] = now.sown(move).gain - self.margin(after)
        return found


@cache
def fresh(seeds: Seeds) -> int:
    """Return the mover's margin of an open board without a past."""
    return Whole().margin(RajaPasuState(ROUND, seeds, (), 0, (0, 0), (), None))


class OpenBoard:
    """The margins that the table of the open board has, by playing every line."""

    def margin(self, seeds: Seeds, own: int) -> int:
        """Return the mover's margin."""
        assert own == ROW
        return fresh(seeds)


@pytest.fixture(scope="module")
def bots(build: Build, tmp_path_factory: pytest.TempPathFactory) -> Bots:
    """Expert by the closed holes."""
    folder = tmp_path_factory.mktemp("six-closed")
    build("raja_pasu", {"closed": 6}, folder)
    open_board: Any = lambda closed: OpenBoard()  # noqa: E731
    return {
        (): TableBot(ROUND, open_board),
        SIX_CLOSED: ENTRY.levels.bot("expert", ROUND, folder, 0),
    }


def chase() -> RajaPasuState:
    """Return South to move with both seeds in its row for the second time.

    Two seeds chase each other round the board.  Every move but one of South's is forced.
    """
    now = state(5, 12, to_move=1)
    for _ in range(17):
        now = now.apply(now.legal_moves()[-1])
    assert now.board == state(0, 6).board
    assert now.earlier[-2::-2].count(now.board) == 1
    return now


def test_a_move_that_only_comes_round_again_is_not_best(bots: Bots) -> None:
    """Without a past holes 0 and 6 both bring 2; now hole 6 leads to a third repetition.

    By hand: after hole 6 all is forced until the seeds are in 5 and 13 for the third time,
    one in each row.
    """
    assert bots[()].ask(state(0, 6)).best == [Sow(0), Sow(6)]
    advice = bots[()].ask(chase())
    assert dict(advice.options) == {Sow(0): 2, Sow(6): 0}
    assert (advice.best, advice.extra) == ([Sow(0)], {"exact": True})


def test_a_forced_line_to_the_third_time_is_told_all_along(bots: Bots) -> None:
    """Once hole 6 is sown every position of the line is worth 0, as it ends."""
    now = chase().apply(Sow(6))
    while not now.is_over():
        advice = bots[()].ask(now)
        assert (advice.value, advice.extra) == (0, {"exact": True})
        now = now.apply(*now.legal_moves())
    assert now.repeated()
    assert now.returns() == (0, 0)


@pytest.mark.parametrize("closed", [(), SIX_CLOSED], ids=["open board", "six closed"])
def test_what_is_told_with_a_past_is_what_every_line_of_play_gives(
    closed: tuple[int, ...], bots: Bots
) -> None:
    """Long walks without captures: values, best moves and ``exact`` at every step."""
    random_ = random.Random(4)
    told_twice = 0
    for _ in range(200):
        holes = [hole for hole in range(HOLES) if hole not in closed]
        seeds = random_.choices(holes, k=random_.randint(2, 4) if closed else 2)
        now = state(*seeds, to_move=random_.randrange(2), closed=closed)
        for _ in range(45):
            moves = [move for move in now.legal_moves() if now.after_sowing(move).earlier]
            if not moves:
                break
            now = now.apply(random_.choice(moves))
            advice = bots[closed].ask(now)
            right = Whole().values(now) or Whole().margin(now)
            assert advice.extra == {"exact": True}
            if now.is_over():
                assert advice.value == right
            else:
                assert dict(advice.options) == right
                assert all(right[move] == max(right.values()) for move in advice.best)
                assert bots[closed].choose(now) in advice.best
            told_twice += bool(stood_twice(now))
    assert told_twice > 100 or closed


@pytest.mark.parametrize("seed", range(6))
def test_expert_makes_its_value_good_from_any_past(seed: int, bots: Bots) -> None:
    """From somewhere in a walk on, against random replies."""
    random_ = random.Random(seed)
    now, seat = chase(), random_.randrange(2)
    if seed % 2:
        now = now.apply(Sow(0))
    told = bots[()].ask(now).value
    value = told if now.to_move == seat else -told
    while not now.is_over():
        mine = now.to_move == seat
        now = now.apply(bots[()].choose(now) if mine else random_.choice(now.legal_moves()))
    assert now.returns()[seat] >= value


def test_hard_says_that_it_is_not_sure_after_something_stood_twice() -> None:
    bot = ENTRY.levels.bot("hard", ROUND, None, 0)
    advice = bot.ask(chase())
    assert advice.extra == {"exact": False}


def test_a_long_past_is_read_at_once_and_one_too_long_is_refused() -> None:
    """Time grows with the boards, not with their square: 4,000 boards take some 0.1 s."""
    boards = [
        list(map(seeds.count, range(HOLES))) for seeds in itertools.combinations(range(HOLES), 5)
    ]
    position = CODEC.state_to_json(state(2, 3, 4, 9, 12)) | {"earlier": boards[1:] * 2}
    begin = time.process_time()
    ENTRY.levels.bot("hard", ROUND, None, 0).ask(CODEC.state_from_json(position))
    assert time.process_time() - begin < 3
    position["earlier"] = boards[:1] * (MOST_EARLIER + 1)
    with pytest.raises(PositionError, match=f"earlier: expected at most {MOST_EARLIER} boards"):
        CODEC.state_from_json(position)
