"""Yacht's expert: plays to win against the sheets it sees.

The problem.  The highest total wins, so what counts is not the expected total but
the chance to end on top, equals sharing it.

The algorithm.  Opponents are taken to play like level hard from here on; so is the
bot itself after this turn.  With U(t) the share of the win that a final total of t
brings (:func:`ustad.runtime.outlook.win_shares`) and D(s) the outlook of a sheet,
writing p points into a box is worth

    sum over x of D(sheet after it, x) U(total + p + x),

and the whole turn of three rolls is solved on that: one step of policy improvement
(R. A. Howard, *Dynamic Programming and Markov Processes*, 1960).  Against opponents
who play like hard it cannot do worse than hard.  Choices of the same win share go to
the higher expected total, so a game that is decided is played like hard plays it.
J. Pawlewicz, "Nearly Optimal Computer Play in Multi-player Yahtzee", 2010, rates
turns by such distributions too.

**The exact gain.**  Under hard play of all the win share is a martingale.  So the
gain of a policy over hard is the expected sum, over its turns, of what each turn is
worth under the policy and hard play after it, less what it is worth under hard play.
:meth:`ExpertBot.advantages` gives that term exactly.

Shapes.  Gains are (2 payments + 1, n): what each payment is worth for each of n
sheets, minus infinity in row ``ILLEGAL``, then each payment with an extra yacht.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.bots.sheet import FIRST_WRITE, TurnBot
from ustad.runtime.bots.yacht import (
    FIVE_EQUAL,
    ILLEGAL,
    PAYMENT_BOX,
    PAYMENT_BY_BOX,
    PAYMENT_POINTS,
    PAYMENTS,
    TableBot,
    YachtTurns,
    after_payments,
    five_equal_payments,
)
from ustad.runtime.dice import Turn, keep_values
from ustad.runtime.games.base import Advice
from ustad.runtime.games.sheet import SheetState
from ustad.runtime.games.yacht import (
    BONUS,
    BOXES,
    EXTRA_YACHT,
    PLAIN,
    UPPER_BOXES,
    WRITES,
    YACHT,
    YACHT_0,
    YACHT_50,
    state_index,
)
from ustad.runtime.outlook import REACH, Outlook, win_shares, windows

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_EXTRA = PAYMENTS + 1
"""The row of the first payment with an extra yacht."""

_ALONE = 10_000
"""A lead that nobody makes good: the place of an opponent who is not there."""

_MOST = 30 + BONUS + EXTRA_YACHT
"""The most points of one turn."""

# Payments into lower boxes but the yacht box lead to one state a box, whatever they pay.
_SHARED = np.flatnonzero((PAYMENT_BOX >= UPPER_BOXES) & (PAYMENT_BOX != YACHT))
_SINGLE = np.flatnonzero((PAYMENT_BOX < UPPER_BOXES) | (PAYMENT_BOX == YACHT))
_SHARED_BOXES, _SHARED_FIRST, _SHARED_BOX = np.unique(
    PAYMENT_BOX[_SHARED], return_index=True, return_inverse=True
)
_SHARED_POINTS, _SHARED_SHIFT = np.unique(PAYMENT_POINTS[_SHARED], return_inverse=True)
# With a further yacht an upper box takes all five dice or, as a joker, none.
_UPPER_EXTRA = np.flatnonzero(
    (PAYMENT_BOX < UPPER_BOXES)
    & ((PAYMENT_POINTS == 0) | (PAYMENT_POINTS == 5 * (PAYMENT_BOX + 1)))
)


class Key(NamedTuple):
    """All that the play of a turn depends on.

    ``sheet`` is the own state; ``others`` holds for each opponent the state's index
    and my total less theirs, in ascending order.
    """

    sheet: tuple[int, int, int]
    others: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class _ExpertTurns(YachtTurns):
    """Turns solved for the win share; what is equal is told apart by the expected total."""

    rating: TableBot
    keys: Sequence[Key]

    @cached_property
    def expected(self) -> YachtTurns:
        """The same turns solved for the expected total."""
        return self.rating.solve([key.sheet for key in self.keys])


class ExpertBot(TurnBot):
    """Maximises its share of the win.

    Attributes:
        game: the rules.
        rating: level hard: the expected totals.
        field: the outlooks of the opponents, and of hard play.
        own: what the own sheet may still make as this bot rates it.
    """

    writes = WRITES
    unit = "win_share"

    def __init__(self, rating: TableBot, field: Outlook, own: Outlook | None = None) -> None:
        super().__init__()
        self.game = rating.game
        self.rating = rating
        self.field = field
        self.own = own or field

    def key(self, sheet: Any) -> Key:
        """Return the key of a sheet alone."""
        return Key(self.game.state(sheet), ())

    def view_key(self, view: SheetState) -> Key:
        """Return the own state, and of each opponent the state and how far it is behind."""
        others = [
            (state_index(*self.game.state(sheet)), view.sheet.total - sheet.total)
            for seat, sheet in enumerate(view.sheets)
            if seat != view.to_move
        ]
        return Key(self.game.state(view.sheet), tuple(sorted(others)))

    def second(self, turns: Any) -> YachtTurns:
        """Return the expected totals, which choose among choices of the same win share."""
        expected: YachtTurns = turns.expected
        return expected

    def solve(self, keys: Sequence[Key]) -> _ExpertTurns:
        """Solve the turns of these keys, a lane each."""
        gains = self._gains(keys, self._shares(keys), self.own)
        turn, equal = self._turn(keys, gains)
        extra = np.zeros(len(keys))
        return _ExpertTurns(gains, equal, extra, turn, self.rating, keys)

    def _turn(self, keys: Sequence[Key], gains: Floats) -> tuple[Turn, Ints]:
        """Return the turns on these gains, and (6, 13, n) what rolls of five equal dice pay."""
        setting = self.game.second_yacht
        equal = np.stack([five_equal_payments(setting, key.sheet[0]) for key in keys], axis=-1)
        paid = [setting != PLAIN and key.sheet[1] == YACHT_50 for key in keys]
        equal = np.where((equal != ILLEGAL) & np.array(paid), equal + _EXTRA, equal)
        stop = np.maximum.reduce(gains[PAYMENT_BY_BOX], axis=0)
        stop[FIVE_EQUAL] = np.maximum.reduce(gains[equal, np.arange(len(keys))], axis=1)
        return Turn((stop, stop, stop)), equal

    def _shares(self, keys: Sequence[Key]) -> Floats:
        """Return (n, points) the share of the win with 0, 1, ... points more than now."""
        seats = max(1, *(len(key.others) for key in keys))
        nobody = (state_index(0, YACHT_0, 0), _ALONE)
        others = np.array([key.others + (nobody,) * (seats - len(key.others)) for key in keys])
        rows = self.field.rows(others[:, :, 0].ravel())
        return win_shares(rows.reshape(len(keys), seats, -1), others[:, :, 1], REACH + _MOST)

    def _gains(self, keys: Sequence[Key], shares: Floats, own: Outlook) -> Floats:
        """Return (2 payments + 1, n) what each payment is worth."""
        setting = self.game.second_yacht
        open_boxes, held, upper = np.array([key.sheet for key in keys]).T
        states, rewards, is_open = after_payments(setting, open_boxes, held, upper)
        gains = np.full((2 * PAYMENTS + 1, len(keys)), -np.inf)
        at, lane = np.nonzero(is_open[_SINGLE])
        single = _SINGLE[at]
        first = _SHARED[_SHARED_FIRST]
        box, box_lane = np.nonzero(is_open[first])
        rows = own.rows(np.concatenate([states[single, lane], states[first[box], box_lane]]))
        width = int(np.flatnonzero(rows.any(axis=0))[-1]) + 1
        rows = rows[:, :width]
        run = windows(shares, width)
        gains[single, lane] = np.einsum(
            "mx,mx->m", rows[: len(at)], run[lane, rewards[single, lane]]
        )
        shared = np.zeros((len(keys), len(first), width))
        shared[box_lane, box] = rows[len(at) :]
        closed = ~is_open[_SHARED]
        gains[_SHARED] = np.where(closed, -np.inf, _shifted(shared, run, _SHARED_POINTS))
        paid = np.flatnonzero(held == YACHT_50) if setting != PLAIN else np.zeros(0, np.int64)
        if len(paid):
            gains[_EXTRA + _SHARED[:, None], paid] = np.where(
                closed[:, paid],
                -np.inf,
                _shifted(shared[paid], run[paid], _SHARED_POINTS + EXTRA_YACHT),
            )
            use = np.flatnonzero(np.isin(single, _UPPER_EXTRA) & np.isin(lane, paid))
            more = rewards[single[use], lane[use]] + EXTRA_YACHT
            gains[_EXTRA + single[use], lane[use]] = np.einsum(
                "mx,mx->m", rows[use], run[lane[use], more]
            )
        return gains

    def advantages(self, views: Sequence[SheetState]) -> Floats:
        """Return (n,) what this bot's turn gains over hard's, hard play following.

        Args:
            views: positions at the start of a turn.
        """
        keys = [self.view_key(view) for view in views]
        shares = self._shares(keys)
        gains = self._gains(keys, shares, self.field)
        turn, equal = self._turn(keys, gains)
        before = self._before(keys, shares)
        if self.own is self.field:
            return turn.start - before
        base = YachtTurns(gains, equal, np.zeros(len(keys)), turn)
        return played(base, self.key_choices(keys)) - before

    def hard_shares(self, views: Sequence[SheetState]) -> Floats:
        """Return (n,) the win share at the start of a turn under hard play of all."""
        keys = [self.view_key(view) for view in views]
        return self._before(keys, self._shares(keys))

    def _before(self, keys: Sequence[Key], shares: Floats) -> Floats:
        rows = self.field.rows(np.array([state_index(*key.sheet) for key in keys]))
        before: Floats = np.einsum("nx,nx->n", rows, shares[:, : rows.shape[1]])
        return before

    def ask(self, view: SheetState) -> Advice:
        """Return every legal move with its win share and the expected total beside it."""
        if len(view.sheets) == 1:
            return self.rating.ask(view)
        raise NotImplementedError


def _shifted(rows: Floats, run: Any, points: Ints) -> Floats:
    """Return (shared payments, n) what the rows (n, boxes, width) bring with points added."""
    worth = rows @ run[:, points].transpose(0, 2, 1)
    shared: Floats = worth[:, _SHARED_BOX, _SHARED_SHIFT].T
    return shared


def played(turns: YachtTurns, choices: Ints) -> Floats:
    """Return (n,) what turns are worth when these choices are made.

    Args:
        turns: rate the writes.
        choices: (3, n, 252) by rolls left, as :meth:`TurnBot.key_choices` gives them.
    """
    lanes, rolls = np.indices(choices.shape[1:])
    worth = np.empty((0, 0))
    for rolls_left, chosen in enumerate(choices):
        written = turns.write_values(rolls.ravel(), lanes.ravel(), rolls_left)
        written = written.reshape(*chosen.shape, len(BOXES))
        box = np.maximum(chosen - FIRST_WRITE, 0)[:, :, None]
        value = np.take_along_axis(written, box, axis=2)[:, :, 0]
        if rolls_left:
            kept = worth[np.minimum(chosen, FIRST_WRITE - 1), lanes]
            value = np.where(chosen < FIRST_WRITE, kept, value)
        worth = keep_values(np.ascontiguousarray(value.T))
    start: Floats = worth[0]
    return start
