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

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.bots.sheet import FIRST_WRITE, KEEP_NUMBER, TurnBot
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
from ustad.runtime.bots.yacht_outlook import Outlooks, open_counts, open_outlooks, table_spec
from ustad.runtime.dice import KEEPS, ROLLS, Turn, keep_values
from ustad.runtime.games.base import TIE, Advice, Bot, Judge, rank
from ustad.runtime.games.sheet import ROLLS_A_TURN, Keep, SheetState
from ustad.runtime.games.yacht import (
    BONUS,
    BONUS_AT,
    BOXES,
    EXTRA_YACHT,
    PLAIN,
    TYPE,
    UPPER_BOXES,
    WRITES,
    YACHT,
    YACHT_0,
    YACHT_50,
    Sheet,
    Yacht,
    state_index,
)
from ustad.runtime.outlook import REACH, win_shares, windows
from ustad.tables import Table, open_table, tables_folder

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

EXTRA = PAYMENTS + 1
"""The row of the first payment with an extra yacht."""

_ALONE = 10_000
"""A lead that nobody makes good: the place of an opponent who is not there."""

_SIDE_BY_SIDE = 64
"""Turns that are evaluated at once."""

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


class Goal(Protocol):
    """What the play of a turn depends on, the own state being part of it."""

    @property
    def sheet(self) -> tuple[int, int, int]:
        """The own state."""


@dataclass(frozen=True)
class GoalTurns(YachtTurns):
    """Turns solved for a goal; what is equal is told apart by the expected total."""

    rating: TableBot
    keys: Sequence[Goal]

    @cached_property
    def expected(self) -> YachtTurns:
        """The same turns solved for the expected total."""
        return self.rating.solve([key.sheet for key in self.keys])


class GoalBot(TurnBot):
    """Maximises a chance, and among equals the expected total.

    Attributes:
        game: the rules.
        rating: level hard: the expected totals.
    """

    writes = WRITES
    unit: str

    def __init__(self, rating: TableBot) -> None:
        super().__init__()
        self.game = rating.game
        self.rating = rating

    def key(self, sheet: Any) -> Any:
        """Refuse: what a turn is to bring does not depend on the sheet alone."""
        raise TypeError("a goal has keys of views, not of sheets")

    def second(self, turns: Any) -> YachtTurns:
        """Return the expected totals, which choose among equal choices."""
        expected: YachtTurns = turns.expected
        return expected

    def goal_turns(self, keys: Sequence[Goal], gains: Floats) -> GoalTurns:
        """Return the turns on gains (2 payments + 1, n) of these keys, solved."""
        setting = self.game.second_yacht
        equal = np.stack([five_equal_payments(setting, key.sheet[0]) for key in keys], axis=-1)
        paid = [setting != PLAIN and key.sheet[1] == YACHT_50 for key in keys]
        equal = np.where((equal != ILLEGAL) & np.array(paid), equal + EXTRA, equal)
        stop = np.maximum.reduce(gains[PAYMENT_BY_BOX], axis=0)
        stop[FIVE_EQUAL] = np.maximum.reduce(gains[equal, np.arange(len(keys))], axis=1)
        extra = np.zeros(len(keys))
        return GoalTurns(gains, equal, extra, Turn((stop, stop, stop)), self.rating, keys)

    def ask(self, view: SheetState) -> Advice:
        """Return every legal move with its chance and the expected total beside it.

        Moves of one chance are told apart by the expected total.
        """
        if view.dice is None:
            return Advice((), self.value(view), self.unit)
        expected = dict(self.rating.ask(view).options)
        turns, lane = self._turns([self.view_key(view)])[0]
        moves, values = self.rated(view, turns, lane)
        _, options = rank(moves, values)
        tied = [option for option in options if option[1] >= options[0][1] - TIE]
        tied.sort(key=lambda option: -expected[option[0]])
        options[: len(tied)] = tied
        most = expected[tied[0][0]] - TIE
        good = {move for move, _ in tied if expected[move] >= most}
        best = [move for move in moves if move in good]
        beside = {"expected_total": [expected[move] for move, _ in options]}
        return Advice(best, options[0][1], self.unit, options, beside=beside)

    def value(self, view: SheetState) -> float:
        """Return the chance in a position that waits for dice, or is over."""
        if view.is_over():
            return self.final(view)
        turns, lane = self._turns([self.view_key(view)])[0]
        if view.rolls_left == ROLLS_A_TURN:
            return float(turns.turn.start[lane])
        return float(turns.turn.keeps(view.rolls_left)[KEEP_NUMBER[Keep(view.kept)], lane])

    @abstractmethod
    def final(self, view: SheetState) -> float:
        """Return what a finished game came to."""


class Key(NamedTuple):
    """All that expert's turn depends on.

    ``sheet`` is the own state; ``others`` holds for each opponent the state's index
    and my total less theirs, in ascending order.
    """

    sheet: tuple[int, int, int]
    others: tuple[tuple[int, int], ...]


class ExpertBot(GoalBot):
    """Maximises its share of the win; alone at the table, the expected total.

    Attributes:
        game: the rules.
        rating: level hard: the expected totals.
        outlooks: what it goes by.
    """

    unit = "win_share"

    def __init__(self, rating: TableBot, outlooks: Outlooks) -> None:
        super().__init__(rating)
        self.outlooks = outlooks

    def choose_many(self, views: Sequence[SheetState]) -> list[Any]:
        """Return the best move for each view, the first of equals."""
        alone = [len(view.sheets) == 1 for view in views]
        if not any(alone):
            return super().choose_many(views)
        return [
            self.rating.choose(view) if single else super(ExpertBot, self).choose_many([view])[0]
            for view, single in zip(views, alone, strict=True)
        ]

    def view_key(self, view: SheetState) -> Key:
        """Return the own state, and of each opponent the state and how far it is behind."""
        own = view.sheet
        others = [
            (_index(self.game, sheet), own.total - sheet.total)
            for seat, sheet in enumerate(view.sheets)
            if seat != view.to_move
        ]
        return Key(self.game.state(own), tuple(sorted(others)))

    def solve(self, keys: Sequence[Key]) -> GoalTurns:
        """Solve the turns of these keys, a lane each."""
        gains, _ = self._gains(keys, self._weights(keys))
        return self.goal_turns(keys, gains)

    def _shares(self, keys: Sequence[Key], count: int) -> Floats:
        """Return (n, count) the share of the win with 0, 1, ... points more than now."""
        seats = max(1, *(len(key.others) for key in keys))
        nobody = (state_index(0, YACHT_0, 0), _ALONE)
        others = np.array([key.others + (nobody,) * (seats - len(key.others)) for key in keys])
        # Games on the same dice have opponents in common.
        states, which = np.unique(others[:, :, 0], return_inverse=True)
        rows = self.outlooks.field.rows(states)
        return win_shares(rows, which.reshape(len(keys), seats), others[:, :, 1], count)

    def _weights(self, keys: Sequence[Key]) -> Floats:
        """Return (n,) what best chances count; see :func:`learnt`."""
        if self.outlooks.best is None:
            return np.zeros(len(keys))
        counts = open_counts(self.game.second_yacht)
        return np.array(
            [
                learnt(key.sheet[0].bit_count(), [int(counts[state]) for state, _ in key.others])
                for key in keys
            ]
        )

    def _gains(self, keys: Sequence[Key], weights: Floats) -> tuple[Floats, Floats]:
        """Return what each payment is worth, and what points more than now are.

        Args:
            keys: n of them.
            weights: (n,) what best chances count for the own sheet.

        Returns:
            (2 payments + 1, n) and (n, points) shares of the win.
        """
        setting = self.game.second_yacht
        open_boxes, held, upper = np.array([key.sheet for key in keys]).T
        states, rewards, is_open = after_payments(setting, open_boxes, held, upper)
        gains = np.full((2 * PAYMENTS + 1, len(keys)), -np.inf)
        at, lane = np.nonzero(is_open[_SINGLE])
        single = _SINGLE[at]
        first = _SHARED[_SHARED_FIRST]
        box, box_lane = np.nonzero(is_open[first])
        after = np.concatenate([states[single, lane], states[first[box], box_lane]])
        lanes = np.concatenate([lane, box_lane])
        rows = self.outlooks.own_rows(after, weights[lanes])
        width = int(np.flatnonzero(rows.any(axis=0))[-1]) + 1
        rows = rows[:, :width]
        shares = self._shares(keys, width + _MOST)
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
            gains[EXTRA + _SHARED[:, None], paid] = np.where(
                closed[:, paid],
                -np.inf,
                _shifted(shared[paid], run[paid], _SHARED_POINTS + EXTRA_YACHT),
            )
            use = np.flatnonzero(np.isin(single, _UPPER_EXTRA) & np.isin(lane, paid))
            more = rewards[single[use], lane[use]] + EXTRA_YACHT
            gains[EXTRA + single[use], lane[use]] = np.einsum(
                "mx,mx->m", rows[use], run[lane[use], more]
            )
        return gains, shares

    def begins_turn(self, state: SheetState, player: int) -> bool:
        """Tell whether a state is one at which the player's turn begins."""
        return state.to_move == player and state.rolls_left == ROLLS_A_TURN and not state.is_over()

    def advantages(self, states: Sequence[SheetState], player: TurnBot) -> Floats:
        """Return (n,) how much win share the turn of a player gains over hard's.

        Args:
            states: positions at the start of a turn.
            player: whose choices count; hard play follows them.
        """
        parts = [
            self._advantages(states[begin : begin + _SIDE_BY_SIDE], player)
            for begin in range(0, len(states), _SIDE_BY_SIDE)
        ]
        return np.concatenate(parts) if parts else np.zeros(0)

    def _advantages(self, views: Sequence[SheetState], player: TurnBot) -> Floats:
        keys = [self.view_key(view) for view in views]
        gains, shares = self._gains(keys, np.zeros(len(keys)))
        base = self.goal_turns(keys, gains)
        choices = player.key_choices([player.view_key(view) for view in views])
        rows = self.outlooks.field.rows(np.array([state_index(*key.sheet) for key in keys]))
        width = min(rows.shape[1], shares.shape[1])
        before: Floats = np.einsum("nx,nx->n", rows[:, :width], shares[:, :width])
        return played(base, choices) - before

    def ask(self, view: SheetState) -> Advice:
        """Return every legal move with its win share and the expected total beside it."""
        if len(view.sheets) == 1:
            note = "alone at the table: expert maximises the expected total"
            advice = replace(self.rating.ask(view), extra={"note": note})
        else:
            note = f"win shares by the outlook {self.outlooks.name}"
            advice = replace(super().ask(view), extra={"outlook": self.outlooks.name})
        return replace(advice, notes=self._notes(view, note))

    def final(self, view: SheetState) -> float:
        """Return the share of the win of a finished game."""
        return view.returns()[view.to_move]

    def _notes(self, view: SheetState, *more: str) -> Callable[[], Sequence[str]]:
        """Return what makes the lines on the final total and the bonus."""
        return lambda: [*more, *sheet_notes(self.rating, self.outlooks, view)]


@lru_cache(maxsize=1 << 16)
def _index(game: Yacht, sheet: Sheet) -> int:
    """Return the index of a sheet's state."""
    return state_index(*game.state(sheet))


def learnt(open_boxes: int, others: Sequence[int]) -> float:
    """Return how much of what opponents will make is known when the later turns are played.

    Of an opponent with m turns to go, of whom j are over at one of my turns, j / m of the
    spread is known then.  The mean over my turns after this one, and over opponents: 1/2 for
    those who have still a turn this round, k / (2 (k - 1)) for those who have not, with k
    boxes open.  One who knew all could play for that total; one who knew nothing plays like
    hard.  So this is what best chances are to count.

    Args:
        open_boxes: how many boxes I have open, the one to be written now among them.
        others: how many each opponent has open.
    """
    if open_boxes < 2 or not others:
        return 0.0
    early = open_boxes / (2 * (open_boxes - 1))
    return sum(early if count < open_boxes else 0.5 for count in others) / len(others)


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


class Unseeing(TableBot):
    """Stands in where no outlook is built: plays like hard, and says so."""

    def ask(self, view: SheetState) -> Advice:
        """Return every legal move with the expected final total after it."""
        spec = table_spec(self.game.options, "compact")
        note = (
            "no outlook of these rules is built, so expert maximises the expected total; "
            f"build one with: {spec.build_command(self.table.path.parent)}"
        )
        return replace(super().ask(view), extra={"note": note}, notes=lambda: (note,))


def make_judge(game: Yacht, tables: Path | None) -> Judge | None:
    """Return who knows exactly what a turn gains, None without the full outlook."""
    outlooks = open_outlooks(game.options, tables)
    if outlooks is None or not outlooks.exact:
        return None
    table = open_table(TYPE.table_spec(game.options), tables_folder(tables))
    return ExpertBot(TableBot(game, table), outlooks)


def make_expert(game: Yacht, table: Table, tables: Path | None) -> Bot:
    """Return expert with the best outlook that is built.

    Args:
        game: the rules.
        table: the table of their values.
        tables: the folder of table files, None for the usual places.

    Raises:
        TableError: an outlook is damaged or unfit.
    """
    outlooks = open_outlooks(game.options, tables)
    if outlooks is None:
        return Unseeing(game, table)
    return ExpertBot(TableBot(game, table), outlooks)


# For people: what the sheet will come to.


def sheet_notes(rating: TableBot, outlooks: Outlooks, view: SheetState) -> list[str]:
    """Return lines on the final total and the upper bonus of the sheet whose turn it is."""
    chance, bonus = final_totals(rating, outlooks, view)
    sums = np.cumsum(chance)
    low, middle, high = (int(np.searchsorted(sums, part)) for part in (0.05, 0.5, 0.95))
    return [
        f"final total under hard play: {low} / {middle} / {high} (5 / 50 / 95%); "
        f"chance of the upper bonus {bonus:.1%}"
    ]


def final_totals(rating: TableBot, outlooks: Outlooks, view: SheetState) -> tuple[Floats, float]:
    """Return how the sheet whose turn it is ends, level hard playing it from here on.

    Returns:
        (totals,) the chance of each final total from 0 on; the chance of the upper bonus.
    """
    game, sheet = rating.game, view.sheet
    if view.is_over() or view.rolls_left == ROLLS_A_TURN:
        ending = _ending(outlooks, game, sheet, sheet.total)
        return ending[:-1], float(ending[-1])
    choices = rating.turn_choices([sheet])[:, 0]
    known: dict[Any, Floats] = {}
    kept = np.zeros((0, 0))
    # By the rolls left after a throw: how each roll ends, and each keep before that throw.
    for left in range(view.rolls_left + (view.dice is not None)):
        rolled = []
        for roll, dice in enumerate(ROLLS):
            chosen = int(choices[left, roll])
            if chosen < FIRST_WRITE:
                rolled.append(kept[chosen])
                continue
            after = game.write(sheet, dice, left, WRITES[chosen - FIRST_WRITE])
            if after not in known:
                known[after] = _ending(outlooks, game, after, sheet.total)
            rolled.append(known[after])
        kept = keep_values(np.array(rolled))
    place = KEEPS.index(view.dice if view.dice is not None else view.kept)
    return kept[place, :-1], float(kept[place, -1])


def _ending(outlooks: Outlooks, game: Yacht, sheet: Sheet, total: int) -> Floats:
    """Return the chance of each final total of a sheet, and last that of the upper bonus.

    Args:
        outlooks: what is to come.
        game: the rules.
        sheet: the sheet, at the start of a turn.
        total: its total at most a turn ago.
    """
    state = state_index(*game.state(sheet))
    row = outlooks.field.rows(np.array([state]))[0]
    found = np.zeros(total + _MOST + REACH + 1)
    found[sheet.total : sheet.total + len(row)] = row
    found[-1] = 1.0 if sheet.upper >= BONUS_AT else outlooks.bonus[state]
    return found
