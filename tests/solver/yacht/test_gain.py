"""What expert gains over hard: against the bots, and against counting wins."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from ustad.runtime.games.five_dice.sheet import SheetState
from ustad.runtime.games.yacht.codec import possible_points
from ustad.runtime.games.yacht.distributions import BestChances
from ustad.runtime.games.yacht.entry import ENTRY
from ustad.runtime.games.yacht.expert import ExpertBot
from ustad.runtime.games.yacht.levels import TableBot
from ustad.runtime.games.yacht.outlooks import Outlooks
from ustad.runtime.games.yacht.rules import BOXES, Sheet, Yacht, make_sheet
from ustad.runtime.games.yacht.states import section, state_index
from ustad.runtime.games.yacht.tables import widths
from ustad.solver.five_dice.turn import WIDTH
from ustad.solver.yacht import chances
from ustad.solver.yacht import outlooks as outlook
from ustad.solver.yacht.gain import SHEET, Games
from ustad.tables import open_table

OPEN = 2
"""Boxes open at the start of each game here."""


@pytest.fixture(scope="module")
def known(tables: Path) -> tuple[ExpertBot, Games]:
    """Expert with best chances, and what its games are played with."""
    game = Yacht()
    table = open_table(ENTRY.tables.spec(game.options), tables)
    hard, bonus = outlook.solve(0, table.values, threads=1, most_open=OPEN)
    best = BestChances(chances.solve(0, threads=1, most_open=OPEN), widths(0), section())
    outlooks = Outlooks("best", hard, bonus, True, best)
    bot = ExpertBot(TableBot(game, table), outlooks)
    return bot, Games(0, np.array(table.values), hard, outlooks)


def random_sheets(random: np.random.Generator, players: int) -> list[Sheet]:
    """Return sheets with two boxes open, with about the same totals."""
    sheets = []
    for _ in range(players):
        points = [int(random.choice(sorted(possible_points(box)))) for box in range(len(BOXES))]
        for box in random.choice(len(BOXES), OPEN, replace=False):
            points[box] = -1
        sheet = make_sheet(tuple(points), 0)
        sheets.append(sheet._replace(total=200 + int(random.integers(0, 25))))
    return sheets


def numbers(game: Yacht, sheets: list[Sheet]) -> np.ndarray:
    return np.array([(*game.state(sheet), sheet.total) for sheet in sheets], dtype=SHEET)


def played_from(table: Games, sheets: Any, seat: int, blocks: int, seed: int) -> tuple[Any, Any]:
    """Play games from sheets (players,) at the start of a round.

    Returns:
        (games, rounds) the gains of the turns of the player at ``seat``; (games,) the shares of
        the win.
    """
    start = np.repeat(sheets[:, None], WIDTH, axis=1)
    luck = np.random.default_rng(seed)
    gained, won = table._from(np.repeat(start[None], blocks, axis=0), seat, luck)
    return gained.transpose(0, 2, 1).reshape(won.size, -1), won.ravel()


@pytest.mark.parametrize("players", [2, 3, 6])
def test_the_gain_of_a_turn_is_that_of_the_bot(
    known: tuple[ExpertBot, Games], players: int
) -> None:
    """Exactly, for the first to play with two boxes open and with one."""
    bot, table = known
    random = np.random.default_rng(players)
    for boxes in (2, 1):
        sheets = random_sheets(random, players)
        if boxes == 1:
            sheets = [
                sheet._replace(open_boxes=sheet.open_boxes & -sheet.open_boxes) for sheet in sheets
            ]
        gained, _ = played_from(table, numbers(bot.rules, sheets), 0, 1, 1)
        state = SheetState(bot.rules, tuple(sheets), 0, 0, (), None, 3)
        assert gained[:, 0] == pytest.approx(bot.advantages([state], bot)[0], abs=1e-9)
        assert np.ptp(gained[:, 0]) == 0


@pytest.mark.parametrize(("players", "seat"), [(2, 0), (2, 1), (4, 2)])
def test_gains_and_counted_wins_have_one_mean(
    known: tuple[ExpertBot, Games], players: int, seat: int
) -> None:
    """From positions near the end; the interval of the gains is the narrower by far."""
    bot, table = known
    random = np.random.default_rng(seat)
    sheets = random_sheets(random, players)
    gained, won = played_from(table, numbers(bot.rules, sheets), seat, 200, 5)
    # What hard wins from there: all outlooks are independent.
    totals = [
        np.concatenate([np.zeros(sheet.total), row])
        for sheet, row in zip(sheets, rows_of(bot, sheets), strict=True)
    ]
    start = share_of(totals, seat)
    sums = start + gained.sum(axis=1)
    error = won.std() / np.sqrt(won.size)
    assert abs(sums.mean() - won.mean()) < 4 * error
    assert sums.std() < 0.2 * won.std()
    assert gained.mean() > 0


def rows_of(bot: ExpertBot, sheets: list[Sheet]) -> np.ndarray:
    states = np.array([state_index(*bot.rules.state(sheet)) for sheet in sheets])
    return bot.outlooks.hard.rows(states)


def share_of(totals: list[np.ndarray], seat: int) -> float:
    """Return the share of the win of a seat by the distributions of final totals.

    By the chance of how many others are level and none above, total by total.
    """
    longest = max(map(len, totals))
    padded = [np.pad(row, (0, longest - len(row))) for row in totals]
    below = [np.cumsum(row) - row for row in padded]
    share = 0.0
    for total in range(longest):
        level = np.array([1.0])  # by how many others are level, none being above
        for other, row in enumerate(padded):
            if other != seat:
                level = np.convolve(level, [below[other][total], row[total]])
        share += padded[seat][total] * (level / np.arange(1, len(level) + 1)).sum()
    return float(share)


def test_the_same_seed_gives_the_same_games(known: tuple[ExpertBot, Games]) -> None:
    bot, table = known
    sheets = numbers(bot.rules, random_sheets(np.random.default_rng(3), 3))
    one, two = (played_from(table, sheets, 1, 2, 9) for _ in range(2))
    other = played_from(table, sheets, 1, 2, 10)
    assert one[0].tobytes() == two[0].tobytes()
    assert one[1].tobytes() == two[1].tobytes()
    assert one[1].tobytes() != other[1].tobytes()


class Fixed(NamedTuple):
    """The same distribution of points in every state."""

    chances: list[float]

    def rows(self, states: Any) -> Any:
        """Return (n, points) the chances of 0, 1, 2, ... points."""
        return np.tile(self.chances, (len(states), 1))


@pytest.mark.parametrize(("players", "share"), [(2, 0.25 + 0.5 / 2), (4, 0.25 + 0.5 / 4)])
def test_no_policy_wins_more_than_who_knows_what_it_takes(players: int, share: float) -> None:
    """The others make 3: one wins with 5, shares with 3, loses with 2."""
    best: Any = Fixed([0, 0, 0.25, 0.5, 0, 0.25])
    hard: Any = Fixed([0, 0, 0, 1.0, 0, 0])
    assert chances.most_any_policy_wins(hard, best, players) == pytest.approx(share)
