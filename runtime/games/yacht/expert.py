"""Yacht's expert: plays to win against the sheets it sees.

The problem.  The highest total wins, so what counts is not the expected total but
the chance to end on top, equals sharing it.

The algorithm.  Opponents are taken to play like level hard from here on; so is the
bot itself after this turn.  With U(t) the share of the win that a final total of t
brings (:func:`ustad.runtime.games.yacht.distributions.win_shares`) and D(s) the score
distribution of a sheet, writing p points into a box is worth

    sum over x of D(sheet after it, x) U(total + p + x),

and the whole turn of three rolls is solved on that: one step of policy improvement
(R. A. Howard, *Dynamic Programming and Markov Processes*, 1960).  Against opponents
who play like hard it cannot do worse than hard.  Choices of the same win share go to
the higher expected total, so a game that is decided is played like hard plays it.
Where best chances are known they count beside D for the own sheet, since the bot will
see on the way what it takes: :func:`ustad.runtime.games.yacht.outlooks.best_chance_weight`.
J. Pawlewicz, "Nearly Optimal Computer Play in Multi-player Yahtzee", 2010, rates
turns by such distributions too.

**The exact gain.**  Under hard play of all the win share is a martingale.  So the
gain of a policy over hard is the expected sum, over its turns, of what each turn is
worth under the policy and hard play after it, less what it is worth under hard play.
:meth:`ExpertBot.advantages` gives that term exactly.

Shapes.  Gains are those of :mod:`ustad.runtime.games.yacht.goals`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.game import Advice, Bot, TurnGains
from ustad.runtime.games.five_dice.bots import FIRST_WRITE, TurnBot
from ustad.runtime.games.five_dice.sheet import ROLLS_A_TURN, SheetState
from ustad.runtime.games.five_dice.turn import (
    HIGHEST_SUM,
    KEEPS,
    ROLLS,
    rolled,
)
from ustad.runtime.games.yacht.distributions import (
    ALONE,
    ON_TOP,
    Nodes,
    Selection,
    mixed_selection,
    win_shares,
)
from ustad.runtime.games.yacht.endgame import EndgameBot
from ustad.runtime.games.yacht.goals import (
    EXTRA,
    GAIN_ROWS,
    UPPER_EXTRA,
    GoalBot,
    GoalTurns,
    played,
)
from ustad.runtime.games.yacht.levels import (
    PAYMENTS,
    ROLL_ENDING,
    TableBot,
    after_payments,
    sheet_numbers,
    side_by_side,
)
from ustad.runtime.games.yacht.outlooks import Outlooks, best_chance_weight, open_outlooks
from ustad.runtime.games.yacht.rules import (
    BONUS,
    BONUS_AT,
    EXTRA_YACHT,
    PLAIN,
    UPPER_BOXES,
    WRITES,
    YACHT,
    YACHT_0,
    YACHT_50,
    Sheet,
    State,
    Yacht,
)
from ustad.runtime.games.yacht.states import OPEN_COUNT, States, open_counts, state_index
from ustad.runtime.games.yacht.tables import TABLES
from ustad.tables import MissingTableError, Table, open_table, tables_folder

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_ABSENT = 10_000
"""A lead that nobody makes good: the place of an opponent who is not there."""

_SIDE_BY_SIDE = 32
"""Turns that are evaluated at once."""

MOST_A_TURN = HIGHEST_SUM + BONUS + EXTRA_YACHT
"""No turn brings more points."""

# Payments into lower boxes but the yacht box lead to one state a box, whatever they pay.
_SHARED = np.flatnonzero((PAYMENTS.box >= UPPER_BOXES) & (PAYMENTS.box != YACHT))
_SINGLE = np.flatnonzero((PAYMENTS.box < UPPER_BOXES) | (PAYMENTS.box == YACHT))
_, _SHARED_FIRST, _SHARED_BOX = np.unique(
    PAYMENTS.box[_SHARED], return_index=True, return_inverse=True
)
_SHARED_POINTS, _SHARED_SHIFT = np.unique(PAYMENTS.points[_SHARED], return_inverse=True)


class Opponent(NamedTuple):
    """An opponent's state by its index, and how far their total is behind one's own."""

    state: int
    behind: int


class Key(NamedTuple):
    """All that expert's turn depends on: the own state, and the opponents in ascending order."""

    state: State
    others: tuple[Opponent, ...]


class _Others(NamedTuple):
    """The opponents of n games, (n, opponents) each."""

    states: Ints
    behind: Ints


def _opponents(keys: Sequence[Key]) -> _Others:
    """Return the opponents of n games, absent ones filled in where a game has fewer."""
    seats = max(1, *(len(key.others) for key in keys))
    absent = Opponent(state_index(0, YACHT_0, 0), _ABSENT)
    filled = [key.others + (absent,) * (seats - len(key.others)) for key in keys]
    return _Others(*np.moveaxis(np.array(filled), -1, 0))


@dataclass(frozen=True)
class _Writes:
    """The states that the payments of n turns lead to: first those of one payment each.

    Payments into lower boxes but the yacht box lead to one state a box, whatever they pay.

    Attributes:
        payments: (k,) the payments that have a state each.
        rewards: (k,) what they add to the total.
        boxes: (m,) the places of the other boxes among :data:`_SHARED_FIRST`.
        states: (k + m,) the states after the write.
        lanes: (k + m,) the turn that each belongs to.
        more_yachts: whether further yachts pay extra.
    """

    payments: Ints
    rewards: Ints
    boxes: Ints
    states: Ints
    lanes: Ints
    more_yachts: bool

    @classmethod
    def of(cls, second_yacht: int, before: States) -> _Writes:
        """Return the states after the writes of turns that begin in these states."""
        after = after_payments(second_yacht, before)
        at, lane = np.nonzero(after.is_open[_SINGLE])
        single, first = _SINGLE[at], _SHARED[_SHARED_FIRST]
        boxes, box_lane = np.nonzero(after.is_open[first])
        states = np.concatenate([after.states[single, lane], after.states[first[boxes], box_lane]])
        lanes = np.concatenate([lane, box_lane])
        more_yachts = second_yacht != PLAIN
        return cls(single, after.rewards[single, lane], boxes, states, lanes, more_yachts)

    def gains(self, rated: Selection, held: Ints, shares: Floats) -> Floats:
        """Return (2 payments + 1, n) what each payment is worth.

        Args:
            rated: the score distributions of ``states``.
            held: (n,) what the yacht boxes hold.
            shares: (n, points) the shares of the win.
        """
        gains = np.full((GAIN_ROWS, len(held)), -np.inf)
        number, count = np.arange(len(self.states)), len(self.payments)
        single, shared = rated.select(number[:count]), rated.select(number[count:])
        lanes, box_lanes = self.lanes[:count], self.lanes[count:]
        gains[self.payments, lanes] = single.each(lanes, self.rewards, shares)
        _fill_shared(gains, shared, self.boxes, box_lanes, shares)
        if self.more_yachts and (held == YACHT_50).any():
            paid = np.flatnonzero(held[box_lanes] == YACHT_50)
            _fill_shared(
                gains[EXTRA:],
                shared.select(paid),
                self.boxes[paid],
                box_lanes[paid],
                shares,
                EXTRA_YACHT,
            )
            use = np.flatnonzero(np.isin(self.payments, UPPER_EXTRA) & (held[lanes] == YACHT_50))
            more = self.rewards[use] + EXTRA_YACHT
            worth = single.select(use).each(lanes[use], more, shares)
            gains[EXTRA + self.payments[use], lanes[use]] = worth
        return gains


def _fill_shared(
    gains: Floats, after: Selection, boxes: Ints, lanes: Ints, shares: Floats, extra: int = 0
) -> None:
    """Fill in the payments into boxes that lead to one state each, whatever they pay."""
    worth = after.every(lanes, _SHARED_POINTS + extra, shares)
    for place in range(len(_SHARED_FIRST)):
        here = np.flatnonzero(boxes == place)
        payments = _SHARED[place == _SHARED_BOX]
        points = _SHARED_SHIFT[place == _SHARED_BOX]
        gains[payments[:, None], lanes[here]] = worth[here][:, points].T


@dataclass(frozen=True)
class Endings:
    """How n sheets end after each write.

    Attributes:
        writes: the writes.
        rated: the score distributions after them.
        held: (n,) what the yacht boxes hold.
        shares: (n, points) the own share of the win with 0, 1, ... points more than now.
        by_hard: (n,) the share of the win if hard plays the turn.
    """

    writes: _Writes
    rated: Selection
    held: Ints
    shares: Floats
    by_hard: Floats

    def gains(self, shares: Floats) -> Floats:
        """Return (2 payments + 1, n) what each payment is worth by (n, points) such shares."""
        return self.writes.gains(self.rated, self.held, shares)


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
        self.endgame = EndgameBot(rating)
        state = self.rules.state
        self.index = lru_cache(1 << 16)(lambda sheet: state_index(*state(sheet)))

    def choose_many(self, views: Sequence[SheetState]) -> list[Any]:
        """Return the best move for each view, the first of equals."""
        found: list[Any] = [None] * len(views)
        for player, places in self._players(views):
            choose = super().choose_many if player is self else player.choose_many
            for at, move in zip(places, choose([views[at] for at in places]), strict=True):
                found[at] = move
        return found

    def get_ready(self, views: Sequence[SheetState]) -> None:
        """Solve the turns of views side by side."""
        for player, places in self._players(views):
            ready = super().get_ready if player is self else player.get_ready
            ready([views[at] for at in places])

    def _players(self, views: Sequence[SheetState]) -> list[tuple[TurnBot, list[int]]]:
        """Return who plays views, with their places: alone, in the last turns, and else."""
        places: dict[TurnBot, list[int]] = {}
        for at, view in enumerate(views):
            last = self.endgame if self.endgame.holds(view) else self
            places.setdefault(self.rating if len(view.sheets) == 1 else last, []).append(at)
        return list(places.items())

    def view_choices(self, view: SheetState) -> Ints:
        """Return (3, 252) the choice with 0, 1 and 2 rolls left on every roll, for a view."""
        if self.endgame.holds(view):
            return self.endgame.view_choices(view)
        return super().view_choices(view)

    def view_key(self, view: SheetState) -> Key:
        """Return the own state, and of each opponent the state and how far it is behind."""
        total, index = view.sheet.total, self.index
        others = [Opponent(index(sheet), total - sheet.total) for sheet in view.sheets]
        del others[view.to_move]
        others.sort()
        return Key(self.rules.state(view.sheet), tuple(others))

    def solve(self, keys: Sequence[Key]) -> GoalTurns:
        """Solve the turns of these keys, a lane each."""
        gains, _ = self._gains(keys)
        return self.goal_turns(keys, gains)

    def outcome_turns(self, view: SheetState) -> Mapping[str, GoalTurns]:
        """Return the turn of a view valued by the chance to win alone, and by that to be on top.

        What it is worth to be on top and not alone is a tie.
        """
        keys = [self.view_key(view)]
        others, endings = _opponents(keys), self.endings(keys)
        count = endings.shares.shape[1]
        return {
            name: self.goal_turns(keys, endings.gains(self._shares(others, count, nodes)))
            for name, nodes in (("alone", ALONE), ("on_top", ON_TOP))
        }

    def _shares(self, others: _Others, count: int, nodes: Nodes | None = None) -> Floats:
        """Return (n, count) the share of the win with 0, 1, ... points more than now.

        ``nodes`` say what equals count, by default what makes it the share of the win.
        """
        # Games on the same dice have opponents in common.
        states, which = np.unique(others.states, return_inverse=True)
        rows = self.outlooks.hard.rows(states)
        return win_shares(rows, which.reshape(others.states.shape), others.behind, count, nodes)

    def _weights(self, open_boxes: Ints, others: _Others, shares: Floats) -> Floats:
        """Return (n,) what best chances count; see :func:`best_chance_weight`.

        Args:
            open_boxes: (n,) bit b set: box b is open.
            others: the opponents.
            shares: (n,) the share of the win before the turn.
        """
        counts = open_counts(self.rules.second_yacht)
        own = OPEN_COUNT[open_boxes]
        there = others.behind < _ABSENT
        early = (there & (counts[others.states] < own[:, None])).sum(axis=1)
        found: Floats = best_chance_weight(own, early / np.maximum(there.sum(axis=1), 1), shares)
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
        found = self.endings(keys, by_best)
        return found.gains(found.shares), found.by_hard

    def endings(self, keys: Sequence[Key], by_best: bool = True) -> Endings:
        """Return how the sheets end after each write; see :meth:`_few_gains`."""
        before = side_by_side([key.state for key in keys])
        others = _opponents(keys)
        known, writes = self.outlooks, _Writes.of(self.rules.second_yacht, before)
        now = known.hard.select(np.array([state_index(*key.state) for key in keys]))
        rated = known.hard.select(writes.states)
        best = known.best.select(writes.states) if known.best is not None and by_best else None
        width = max(one.width for one in (now, rated, best) if one is not None)
        shares = self._shares(others, width + MOST_A_TURN)
        nothing = np.zeros(len(keys), dtype=np.int64)
        worth = now.each(np.arange(len(keys)), nothing, shares)
        if best is not None:
            weights = self._weights(before.open_boxes, others, worth) / known.best_part
            rated = mixed_selection(rated, best, weights[writes.lanes])
        return Endings(writes, rated, before.held, shares, worth)

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
        for at, view in enumerate(views):
            if player is self and self.endgame.holds(view):
                choices[:, at] = self.view_choices(view)
        return played(base, choices) - before

    def ask(self, view: SheetState) -> Advice[Any]:
        """Return every legal move with its win share and the expected total beside it."""
        if len(view.sheets) == 1:
            return alone_advice(self.rating.ask(view), lambda: self._notes(view))
        if self.endgame.holds(view):
            return replace(self.endgame.ask(view), notes=lambda: self._notes(view))
        return self.by_outlook(view)

    def by_outlook(self, view: SheetState) -> Advice[Any]:
        """Return every legal move with its win share by the outlook, in the last turns too."""
        advice = replace(super().ask(view), extra={"outlook": self.outlooks.name})
        note = f"win shares by the outlook {self.outlooks.name}"
        return replace(advice, notes=lambda: (note, *self._notes(view)))

    def final(self, view: SheetState) -> float:
        """Return the share of the win of a finished game."""
        return view.returns()[view.to_move]

    def _notes(self, view: SheetState) -> Sequence[str]:
        """Return the lines on the final total and the bonus."""
        return sheet_notes(self.rating, self.outlooks, view)


class AloneBot(TableBot):
    """Expert where no outlook is built: alone at the table, and in the last turns, it needs none.

    Attributes:
        missing: what it answers where others play too and the end is far.
    """

    def __init__(self, rules: Yacht, table: Table, missing: MissingTableError) -> None:
        super().__init__(rules, table)
        self.missing = missing
        self.endgame = EndgameBot(TableBot(rules, table))

    def choose_many(self, views: Sequence[SheetState]) -> list[Any]:
        """Return the best move for each view, the first of equals."""
        last = [self.endgame.holds(view) for view in views]
        for view, holds in zip(views, last, strict=True):
            if not holds:
                self._check(view)
        alone = iter(super().choose_many([v for v, h in zip(views, last, strict=True) if not h]))
        by_share = self.endgame.choose_many([v for v, h in zip(views, last, strict=True) if h])
        exact = iter(by_share)
        return [next(exact) if holds else next(alone) for holds in last]

    def get_ready(self, views: Sequence[SheetState]) -> None:
        """Solve the turns of views side by side, but of those that want an outlook."""
        self.endgame.get_ready([view for view in views if self.endgame.holds(view)])
        super().get_ready([view for view in views if len(view.sheets) == 1])

    def ask(self, view: SheetState) -> Advice[Any]:
        """Return every legal move with its expected final total, at the end its win share."""
        if self.endgame.holds(view):
            return self.endgame.ask(view)
        self._check(view)
        return alone_advice(super().ask(view))

    def _check(self, view: SheetState) -> None:
        if len(view.sheets) > 1:
            raise self.missing.with_traceback(None)


_ALONE_NOTE = "alone at the table: expert maximises the expected total"


def alone_advice(advice: Advice[Any], notes: Callable[[], Sequence[str]] = tuple) -> Advice[Any]:
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


class Band(NamedTuple):
    """The final total of a sheet that level hard plays on.

    Attributes:
        low: with a chance of 5% it is no higher.
        middle: with a chance of 50%.
        high: with a chance of 95%.
        bonus: the chance of the upper bonus.
        exact: whether the outlook has every point.
    """

    low: int
    middle: int
    high: int
    bonus: float
    exact: bool


def final_band(rating: TableBot, outlooks: Outlooks, view: SheetState) -> Band:
    """Return the final total of the sheet whose turn it is, as a band."""
    chance, bonus = final_totals(rating, outlooks, view)
    sums = np.cumsum(chance)
    low, middle, high = (int(np.searchsorted(sums, part)) for part in (0.05, 0.5, 0.95))
    return Band(low, middle, high, min(bonus, 1.0), outlooks.exact)  # rounding kept within 1


def sheet_notes(rating: TableBot, outlooks: Outlooks, view: SheetState) -> list[str]:
    """Return lines on the final total and the upper bonus of the sheet whose turn it is."""
    low, middle, high, bonus, exact = final_band(rating, outlooks, view)
    about = "" if exact else "about "
    return [
        f"final total under hard play: {about}{low} / {middle} / {high} (5 / 50 / 95%); "
        f"chance of the upper bonus {bonus:.1%}"
    ]


def final_totals(rating: TableBot, outlooks: Outlooks, view: SheetState) -> tuple[Floats, float]:
    """Return how the sheet whose turn it is ends, level hard playing it from here on.

    Returns:
        (totals,) the chance of each final total from 0 on; the chance of the upper bonus.
    """
    after = _after_turn(rating, view)
    states = sheet_numbers(rating.rules, list(after))
    rows = outlooks.hard.rows(states)
    totals = np.zeros(max(sheet.total for sheet in after) + rows.shape[1])
    bonus = 0.0
    for (sheet, chance), state, row in zip(after.items(), states, rows, strict=True):
        totals[sheet.total : sheet.total + len(row)] += chance * row
        earned = sheet.upper >= BONUS_AT
        bonus += chance * (1.0 if earned else float(outlooks.bonus[state]))
    return totals, bonus


def _after_turn(rating: TableBot, view: SheetState) -> dict[Sheet, float]:
    """Return the sheets at the start of the next turn if hard plays this one, with their chances.

    The chances go forward: from the dice through the choices on every roll.
    """
    sheet, left = view.sheet, view.rolls_left
    if view.is_over() or left == ROLLS_A_TURN:
        return {sheet: 1.0}
    choices = rating.view_choices(view)
    chances = np.zeros(len(KEEPS))
    chances[KEEPS.index(view.dice if view.dice is not None else view.kept)] = 1.0
    left -= view.dice is None  # the dice about to fall leave one roll less
    found: dict[Sheet, float] = {}
    while chances.any():
        rolls, chosen = rolled(chances), choices[left]
        goes_on = chosen < FIRST_WRITE
        chances = np.zeros(len(KEEPS))
        np.add.at(chances, chosen[goes_on], rolls[goes_on])
        ends = np.flatnonzero((rolls > 0) & ~goes_on)
        paid = ROLL_ENDING[ends, chosen[ends] - FIRST_WRITE]
        _, first, which = np.unique(paid, return_index=True, return_inverse=True)
        weights = np.bincount(which, rolls[ends], len(first)).tolist()
        for roll, weight in zip(ends[first].tolist(), weights, strict=True):
            write = WRITES[chosen[roll] - FIRST_WRITE]
            after = rating.rules.write(sheet, ROLLS[roll], left, write)
            found[after] = found.get(after, 0.0) + weight
        left -= 1
    return found
