"""Win shares of every seat: against counting, and as a martingale that adds up to one."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from ustad.runtime import Advisor, record, review
from ustad.runtime.core.game import CHANCE, OVER
from ustad.runtime.core.registry import entry as entry_of
from ustad.runtime.games.yacht.shares import other_shares


def test_shares_of_opponents_are_those_counted() -> None:
    """Every end of three opponents who still make 0 to 3 points, equals sharing the win."""
    random_numbers = np.random.default_rng(2)
    rows = random_numbers.random((3, 4))
    rows /= rows.sum(axis=1, keepdims=True)
    which, leads = np.array([[0, 1, 2], [2, 2, 0]]), np.array([[1, -1, 0], [2, 0, -2]])
    found = other_shares(rows, which, leads, 5)
    for game, mine in itertools.product(range(2), range(5)):
        counted = np.zeros(3)
        for made in itertools.product(range(4), repeat=3):
            chance = np.prod([rows[which[game, k], made[k]] for k in range(3)])
            totals = [mine, *(made[k] - leads[game, k] for k in range(3))]
            best = [k for k in range(4) if totals[k] == max(totals)]
            for k in best:
                if k:
                    counted[k - 1] += chance / len(best)
        assert [found[k][game, mine] for k in range(3)] == pytest.approx(counted.tolist())


@pytest.mark.parametrize("players", [2, 4])
def test_a_review_by_win_share_splits_one_win(
    players: int, tables: Path, write_outlook: Callable[[Path], None], tmp_path: Path
) -> None:
    """In every position the shares add up to one, and the mean of what falls is what was worth."""
    for path in tables.iterdir():
        (tmp_path / path.name).symlink_to(path)
    write_outlook(tmp_path)
    entry, advisor = entry_of("yacht"), Advisor(tmp_path)
    rules = entry.rules.read({})
    state, luck, drawn = rules.new(players, 1), rules.luck(players, (players,)), random.Random(4)
    steps, states = [], [state]
    while (player := state.current_player()) != OVER:
        legal = list(state.legal_moves())
        steps.append(luck.outcome(state) if player == CHANCE else drawn.choice(legal))
        state = state.apply(steps[-1])
        states.append(state)
    seats = tuple(record.Player("", None) for _ in range(players))
    game = record.Record(entry, seats, tuple(steps), tuple(states), state.returns())
    found = advisor.review_of(game, unit="win_share")
    assert np.allclose(found.values.sum(axis=1), 1)
    assert np.allclose(found.expected.sum(axis=1), 1)
    told = found.to_json()
    assert not told["exact"]
    for seat in told["seats"]:
        parts = sum(seat[name] for name in ("start", "luck", "own", "others", "unexplained"))
        assert parts == pytest.approx(seat["result"], abs=1e-9)
        assert seat["result"] == pytest.approx(state.returns()[seat["seat"]])
    unit, level = review.level_of(entry, "win_share", None)
    judge = entry.levels.judge(unit, advisor.bot(entry, rules, level))
    for state in drawn.sample([s for s in states if s.current_player() == CHANCE], 6):
        outcomes, chances = zip(*state.chance_outcomes(), strict=True)
        after = judge.values([state.apply(outcome) for outcome in outcomes])
        assert np.allclose(np.array(chances) @ after, judge.values([state])[0], atol=1e-9)
    for at in drawn.sample(sorted(found.decisions), 6):
        seat, best, cost = found.decisions[at]
        asked = judge.bot.by_outlook(states[at])
        values = dict(asked.options)
        assert list(best) == list(asked.best)
        assert cost == pytest.approx(asked.options[0][1] - values[steps[at]], abs=2e-9)
        assert found.values[at, seat] == pytest.approx(asked.options[0][1], abs=2e-9)
