"""Yacht's expert: plays to win against the sheets it sees.

The problem.  The highest total wins, so what counts is not the expected total but
the chance to end on top, equals sharing it.

The algorithm.  Opponents are taken to play like level hard from here on; so is the
bot itself after this turn.  With U(t) the share of the win that a final total of t
brings (:func:`ustad.runtime.games.yacht.distributions.win_shares`) and D(s) the outlook of a sheet,
writing p points into a box is worth

    sum over x of D(sheet after it, x) U(total + p + x),

and the whole turn of three rolls is solved on that: one step of policy improvement
(R. A. Howard, *Dynamic Programming and Markov Processes*, 1960).  Against opponents
who play like hard it cannot do worse than hard.  Choices of the same win share go to
the higher expected total, so a game that is decided is played like hard plays it.
Where best chances are known they count beside D for the own sheet, since the bot will
see on the way what it takes: :func:`ustad.runtime.games.yacht.outlooks.learnt`.
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

from ustad.runtime.core.game import Advice, Bot, TurnGains, rank
from ustad.runtime.games.five_dice.bots import FIRST_WRITE, KEEP_NUMBER, TurnBot
from ustad.runtime.games.five_dice.sheet import ROLLS_A_TURN, Keep, SheetState
from ustad.runtime.games.five_dice.turn import KEEPS, ROLLS, Turn, keep_values
from ustad.runtime.games.yacht.distributions import REACH, Spread, mixed, win_shares
from ustad.runtime.games.yacht.levels import (
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
from ustad.runtime.games.yacht.outlooks import (
    Outlooks,
    learnt,
    open_outlooks,
)
from ustad.runtime.games.yacht.rules import (
    BONUS,
    BONUS_AT,
    BOXES,
    EXTRA_YACHT,
    PLAIN,
    UPPER_BOXES,
    WRITES,
    YACHT,
    YACHT_0,
    YACHT_50,
    Sheet,
    Yacht,
)
from ustad.runtime.games.yacht.states import state_index
from ustad.runtime.games.yacht.tables import TABLES, open_counts
from ustad.tables import MissingTableError, Table, open_table, tables_folder

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

EXTRA = PAYMENTS + 1
"""The row of the first payment with an extra yacht."""

_ALONE = 10_000
"""A lead that nobody makes good: the place of an opponent who is not there."""

_SIDE_BY_SIDE = 32
"""Turns that are evaluated at once."""

_MOST = 30 + BONUS + EXTRA_YACHT
"""The most points of one turn."""

# Payments into lower boxes but the yacht box lead to one state a box, whatever they pay.
_SHARED = np.flatnonzero((PAYMENT_BOX >= UPPER_BOXES) & (PAYMENT_BOX != YACHT))
_SINGLE = np.flatnonzero((PAYMENT_BOX < UPPER_BOXES) | (PAYMENT_BOX == YACHT))
_, _SHARED_FIRST, _SHARED_BOX = np.unique(
    PAYMENT_BOX[_SHARED], return_index=True, return_inverse=True
)
_SHARED_POINTS, _SHARED_SHIFT = np.unique(PAYMENT_POINTS[_SHARED], return_inverse=True)
# With a further yacht an upper box takes all five dice or, as a joker, none.
_UPPER_EXTRA = np.flatnonzero(
    (PAYMENT_BOX < UPPER_BOXES)
    & ((PAYMENT_POINTS == 0) | (PAYMENT_POINTS == 5 * (PAYMENT_BOX + 1)))
)


_BITS: Ints = np.array([members.bit_count() for members in range(1 << len(BOXES))])


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
        rules: the rules.
        rating: level hard: the expected totals.
    """

    writes = WRITES
    unit: str

    def __init__(self, rating: TableBot) -> None:
        super().__init__()
        self.rules = rating.rules
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
        setting = self.rules.second_yacht
        equal = np.stack([five_equal_payments(setting, key.sheet[0]) for key in keys], axis=-1)
        paid = [setting != PLAIN and key.sheet[1] == YACHT_50 for key in keys]
        equal = np.where((equal != ILLEGAL) & np.array(paid), equal + EXTRA, equal)
        stop = np.maximum.reduce(gains[PAYMENT_BY_BOX], axis=0)
        stop[FIVE_EQUAL] = np.maximum.reduce(gains[equal, np.arange(len(keys))], axis=1)
        extra = np.zeros(len(keys))
        return GoalTurns(gains, equal, extra, Turn((stop, stop, stop)), self.rating, keys)

    def ask(self, view: SheetState) -> Advice[Any]:
        """Return every legal move with its chance and the expected total beside it.

        Moves of one chance are told apart by the expected total.
        """
        if view.dice is None:
            return Advice((), self.value(view), self.unit)
        expected = dict(self.rating.ask(view).options)
        turns, lane = self._turns([self.view_key(view)])[0]
        moves, values = self.rated(view, turns, lane)
        values = [min(value, 1.0) for value in values]  # sums of chances, rounded
        tied, options = rank(moves, values)
        top = options[0][1]
        best, by_total = rank(tied, [expected[move] for move in tied])
        options[: len(tied)] = [(move, top) for move, _ in by_total]
        expected |= dict(by_total)
        beside = {"expected_total": [expected[move] for move, _ in options]}
        return Advice(best, top, self.unit, options, beside=beside)

    def value(self, view: SheetState) -> float:
        """Return the chance in a position that waits for dice, or is over."""
        if view.is_over():
            return self.final(view)
        turns, lane = self._turns([self.view_key(view)])[0]
        if view.rolls_left == ROLLS_A_TURN:
            return min(float(turns.turn.start[lane]), 1.0)
        keeps = turns.turn.keeps(view.rolls_left)
        return min(float(keeps[KEEP_NUMBER[Keep(view.kept)], lane]), 1.0)

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
        rules: the rules.
        rating: level hard: the expected totals.
        outlooks: what it goes by.
    """

    unit = "win_share"

    def __init__(self, rating: TableBot, outlooks: Outlooks) -> None:
        super().__init__(rating)
        self.outlooks = outlooks
        state = self.rules.state
        self._index = lru_cache(1 << 16)(lambda sheet: state_index(*state(sheet)))

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
        total, index = view.sheet.total, self._index
        others = [(index(sheet), total - sheet.total) for sheet in view.sheets]
        del others[view.to_move]
        others.sort()
        return Key(self.rules.state(view.sheet), tuple(others))

    def solve(self, keys: Sequence[Key]) -> GoalTurns:
        """Solve the turns of these keys, a lane each."""
        gains, _ = self._gains(keys)
        return self.goal_turns(keys, gains)

    def _shares(self, others: Ints, count: int) -> Floats:
        """Return (n, count) the share of the win with 0, 1, ... points more than now.

        Args:
            others: (n, opponents, 2) their states and how far they are behind.
            count: for how many points.
        """
        # Games on the same dice have opponents in common.
        states, which = np.unique(others[:, :, 0], return_inverse=True)
        rows = self.outlooks.field.rows(states)
        return win_shares(rows, which.reshape(others.shape[:2]), others[:, :, 1], count)

    def _weights(self, open_boxes: Ints, others: Ints, shares: Floats) -> Floats:
        """Return (n,) what best chances count; see :func:`learnt`.

        Args:
            open_boxes: (n,) bit b set: box b is open.
            others: (n, opponents, 2) their states and how far they are behind.
            shares: (n,) the share of the win before the turn.
        """
        counts = open_counts(self.rules.second_yacht)
        own = _BITS[open_boxes]
        there = others[:, :, 1] < _ALONE
        early = (there & (counts[others[:, :, 0]] < own[:, None])).sum(axis=1)
        found: Floats = learnt(own, early / np.maximum(there.sum(axis=1), 1), shares)
        return found

    def _gains(self, keys: Sequence[Key], by_best: bool = True) -> tuple[Floats, Floats]:
        """Return what :meth:`_few_gains` does, for so many keys at once that caches hold them."""
        parts = [
            self._few_gains(keys[begin : begin + _SIDE_BY_SIDE], by_best)
            for begin in range(0, len(keys), _SIDE_BY_SIDE)
        ]
        gains, before = zip(*parts, strict=True)
        return np.concatenate(gains, axis=1), np.concatenate(before)

    def _few_gains(self, keys: Sequence[Key], by_best: bool) -> tuple[Floats, Floats]:
        """Return what each payment is worth, and what the turn is if hard plays it.

        Args:
            keys: n of them.
            by_best: let best chances count for the own sheet, where they are known.

        Returns:
            (2 payments + 1, n) and (n,) shares of the win.
        """
        setting = self.rules.second_yacht
        open_boxes, held, upper = np.array([key.sheet for key in keys]).T
        states, rewards, is_open = after_payments(setting, open_boxes, held, upper)
        gains = np.full((2 * PAYMENTS + 1, len(keys)), -np.inf)
        at, lane = np.nonzero(is_open[_SINGLE])
        single = _SINGLE[at]
        first = _SHARED[_SHARED_FIRST]
        box, box_lane = np.nonzero(is_open[first])
        after = np.concatenate([states[single, lane], states[first[box], box_lane]])
        lanes = np.concatenate([lane, box_lane])
        seats = max(1, *(len(key.others) for key in keys))
        nobody = (state_index(0, YACHT_0, 0), _ALONE)
        others = np.array([key.others + (nobody,) * (seats - len(key.others)) for key in keys])
        known = self.outlooks
        now = known.field.spread(np.array([state_index(*key.sheet) for key in keys]))
        rated = known.field.spread(after)
        best = known.best.spread(after) if known.best is not None and by_best else None
        width = max(spread.width for spread in (now, rated, best) if spread is not None)
        shares = self._shares(others, width + _MOST)
        games = np.arange(len(keys))
        before = now.each(games, np.zeros(len(keys), dtype=np.int64), shares)
        if best is not None:
            weights = self._weights(open_boxes, others, before) / known.best_part
            rated = mixed(rated, best, weights[lanes])
        number = np.arange(len(after))
        alone, together = rated.select(number[: len(at)]), rated.select(number[len(at) :])
        gains[single, lane] = alone.each(lane, rewards[single, lane], shares)

        def spread_out(extra: int, add: int, of: Spread, boxes: Ints, games: Ints) -> None:
            """Fill in the payments into the boxes that lead to one state each."""
            worth = of.every(games, _SHARED_POINTS + add, shares)
            for place in range(len(first)):
                here = np.flatnonzero(boxes == place)
                payments = _SHARED[place == _SHARED_BOX]
                points = _SHARED_SHIFT[place == _SHARED_BOX]
                gains[extra + payments[:, None], games[here]] = worth[here][:, points].T

        spread_out(0, 0, together, box, box_lane)
        if setting != PLAIN and (held == YACHT_50).any():
            paid = np.flatnonzero(held[box_lane] == YACHT_50)
            spread_out(EXTRA, EXTRA_YACHT, together.select(paid), box[paid], box_lane[paid])
            use = np.flatnonzero(np.isin(single, _UPPER_EXTRA) & (held[lane] == YACHT_50))
            more = rewards[single[use], lane[use]] + EXTRA_YACHT
            gains[EXTRA + single[use], lane[use]] = alone.select(use).each(lane[use], more, shares)
        return gains, before

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
        gains, before = self._gains(keys, by_best=False)
        base = self.goal_turns(keys, gains)
        choices = player.key_choices([player.view_key(view) for view in views])
        return played(base, choices) - before

    def ask(self, view: SheetState) -> Advice[Any]:
        """Return every legal move with its win share and the expected total beside it."""
        if len(view.sheets) == 1:
            return told_alone(self.rating.ask(view), lambda: self._notes(view))
        advice = replace(super().ask(view), extra={"outlook": self.outlooks.name})
        note = f"win shares by the outlook {self.outlooks.name}"
        return replace(advice, notes=lambda: (note, *self._notes(view)))

    def final(self, view: SheetState) -> float:
        """Return the share of the win of a finished game."""
        return view.returns()[view.to_move]

    def _notes(self, view: SheetState) -> Sequence[str]:
        """Return the lines on the final total and the bonus."""
        return sheet_notes(self.rating, self.outlooks, view)


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


class AloneBot(TableBot):
    """Expert where no outlook is built: alone at the table it needs none.

    Attributes:
        missing: what it answers where others play too.
    """

    def __init__(self, rules: Yacht, table: Table, missing: MissingTableError) -> None:
        super().__init__(rules, table)
        self.missing = missing

    def choose_many(self, views: Sequence[SheetState]) -> list[Any]:
        """Return the best move for each view, the first of equals."""
        for view in views:
            self._check(view)
        return super().choose_many(views)

    def ask(self, view: SheetState) -> Advice[Any]:
        """Return every legal move with the expected final total after it."""
        self._check(view)
        return told_alone(super().ask(view))

    def _check(self, view: SheetState) -> None:
        if len(view.sheets) > 1:
            raise self.missing.with_traceback(None)


_ALONE_NOTE = "alone at the table: expert maximises the expected total"


def told_alone(advice: Advice[Any], notes: Callable[[], Sequence[str]] = tuple) -> Advice[Any]:
    """Return the advice of level hard as expert gives it to one who plays alone."""
    extra = {"note": _ALONE_NOTE}
    return replace(advice, extra=extra, notes=notes)


def make_turn_gains(rules: Yacht, tables: Path | None) -> TurnGains | None:
    """Return who knows exactly what a turn gains, None without the full outlook."""
    try:
        outlooks = open_outlooks(rules.options, tables)
    except MissingTableError:
        return None
    if not outlooks.exact:
        return None
    table = open_table(TABLES.spec(rules.options), tables_folder(tables))
    return ExpertBot(TableBot(rules, table), outlooks)


def make_expert(rules: Yacht, table: Table, tables: Path | None) -> Bot[SheetState, Any]:
    """Return expert with the best outlook that is built; without one, for who plays alone.

    Args:
        rules: the rules.
        table: the table of their values.
        tables: the folder of table files, None for the usual places.

    Raises:
        TableError: an outlook is damaged or unfit.
    """
    try:
        outlooks = open_outlooks(rules.options, tables)
    except MissingTableError as missing:
        return AloneBot(rules, table, missing)
    return ExpertBot(TableBot(rules, table), outlooks)


# For people: what the sheet will come to.


def sheet_notes(rating: TableBot, outlooks: Outlooks, view: SheetState) -> list[str]:
    """Return lines on the final total and the upper bonus of the sheet whose turn it is."""
    chance, bonus = final_totals(rating, outlooks, view)
    sums = np.cumsum(chance)
    low, middle, high = (int(np.searchsorted(sums, part)) for part in (0.05, 0.5, 0.95))
    about = "" if outlooks.exact else "about "
    return [
        f"final total under hard play: {about}{low} / {middle} / {high} (5 / 50 / 95%); "
        f"chance of the upper bonus {bonus:.1%}"
    ]


def final_totals(rating: TableBot, outlooks: Outlooks, view: SheetState) -> tuple[Floats, float]:
    """Return how the sheet whose turn it is ends, level hard playing it from here on.

    Returns:
        (totals,) the chance of each final total from 0 on; the chance of the upper bonus.
    """
    rules, sheet = rating.rules, view.sheet
    if view.is_over() or view.rolls_left == ROLLS_A_TURN:
        ending = _ending(outlooks, rules, sheet, sheet.total)
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
            after = rules.write(sheet, dice, left, WRITES[chosen - FIRST_WRITE])
            if after not in known:
                known[after] = _ending(outlooks, rules, after, sheet.total)
            rolled.append(known[after])
        kept = keep_values(np.array(rolled))
    place = KEEPS.index(view.dice if view.dice is not None else view.kept)
    return kept[place, :-1], float(kept[place, -1])


def _ending(outlooks: Outlooks, rules: Yacht, sheet: Sheet, total: int) -> Floats:
    """Return the chance of each final total of a sheet, and last that of the upper bonus.

    Args:
        outlooks: what is to come.
        rules: the rules.
        sheet: the sheet, at the start of a turn.
        total: its total at most a turn ago.
    """
    state = state_index(*rules.state(sheet))
    row = outlooks.field.rows(np.array([state]))[0]
    found = np.zeros(total + _MOST + REACH + 1)
    found[sheet.total : sheet.total + len(row)] = row
    found[-1] = 1.0 if sheet.upper >= BONUS_AT else outlooks.bonus[state]
    return found
