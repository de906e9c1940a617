"""The last turns of yacht, exactly: everybody plays for the own share of the win.

**The problem.**  Expert takes all later turns for play by the average.  People do not play so at
the end: they need a total and play for it, and so do their opponents.

**What is solved.**  Two seats with at most two open boxes each, and more seats with at most one.
A seat that is indifferent takes the higher expected total.

**Two seats.**  What one wins the other loses, so ties change no value.  A *node* is the state of
the seat to move, that of the other, and the lead in points.  Its value is that of the turn whose
writes are worth one less the value of the node after them.  All nodes of one depth are solved
side by side, those that are decided by more points than can still be made apart.

**More seats.**  Each has one turn.  For who moves later only the highest total so far counts,
``top``, and how many seats hold it.  T(k, top, c) is the share of each of these c seats if seat k
and those after it are to move: seat k's turn is solved on its own share, and what its choices
then leave to the c seats is T.  A seat that cannot reach the top drops out.

Shapes.  Nodes are (n, 3) int64: index of the state to move, of the other, and the lead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.game import Advice
from ustad.runtime.games.five_dice.sheet import SheetState
from ustad.runtime.games.yacht.goals import (
    EXTRA,
    GAIN_ROWS,
    UPPER_EXTRA,
    GoalBot,
    GoalTurns,
    played,
)
from ustad.runtime.games.yacht.levels import PAYMENTS, AfterPayments, after_payments, side_by_side
from ustad.runtime.games.yacht.rules import (
    BONUS,
    BONUS_AT,
    BOXES,
    EXTRA_YACHT,
    OPEN_YACHT,
    PLAIN,
    UPPER_BOXES,
    YACHT_50,
    State,
)
from ustad.runtime.games.yacht.states import OPEN_COUNT, every_state, state_index, state_of

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_NOBODY = -10_000
"""The top total where no sheet is full yet."""

_EQUAL_ROWS = np.union1d(UPPER_EXTRA, np.flatnonzero(PAYMENTS.box >= UPPER_BOXES))
"""The payments that a further yacht can make."""


Top: TypeAlias = tuple[int, int]
"""The highest total of the sheets that are full, and how many hold it."""


class Rival(NamedTuple):
    """Another seat: its state, and how far its total is behind that of the seat to move."""

    state: State
    behind: int


class LastTurns(NamedTuple):
    """All that a turn depends on: the own state, and the others in the order in which they play."""

    state: State
    others: tuple[Rival, ...]


class _Own(NamedTuple):
    """A turn of which the own state is all that is asked for."""

    state: State


class EndgameBot(GoalBot):
    """Plays the last turns exactly."""

    unit = "win_share"

    def holds(self, view: SheetState) -> bool:
        """Tell whether a position is one of the last turns, a seat being to move or to roll."""
        sheets = view.sheets
        most = 2 if len(sheets) == 2 else 1
        counts = [int(OPEN_COUNT[sheet.open_boxes]) for sheet in sheets]
        return len(sheets) > 1 and max(counts) <= most and not view.is_over()

    def view_key(self, view: SheetState) -> LastTurns:
        """Return the own state, and the others in the order in which they play."""
        seats = len(view.sheets)
        around = [view.sheets[(view.to_move + step) % seats] for step in range(1, seats)]
        state, total = self.rules.state, view.sheet.total
        others = tuple(Rival(state(sheet), total - sheet.total) for sheet in around)
        return LastTurns(state(view.sheet), others)

    def solve(self, keys: Sequence[LastTurns]) -> GoalTurns:
        """Solve the turns of these keys, a lane each."""
        gains = [self._of_two(key) if len(key.others) == 1 else self._of_more(key) for key in keys]
        return self.goal_turns(keys, np.concatenate(gains, axis=1))

    def ask(self, view: SheetState) -> Advice[Any]:
        """Return every legal move with its exact win share and the expected total beside it."""
        return replace(super().ask(view), extra={"exact": True})

    def final(self, view: SheetState) -> float:
        """Return the share of the win of a finished game."""
        return view.returns()[view.to_move]

    def _payments(self, states: Sequence[State]) -> AfterPayments:
        return after_payments(self.rules.second_yacht, side_by_side(states))

    def _paid_twice(self, held: int) -> bool:
        """Tell whether further yachts pay extra."""
        return self.rules.second_yacht != PLAIN and held == YACHT_50

    # Two seats.

    def _of_two(self, key: LastTurns) -> Floats:
        """Return (2 payments + 1, 1) what each payment is worth."""
        [rival] = key.others
        node = [state_index(*key.state), state_index(*rival.state), rival.behind]
        return self._gains(np.array([node]), [key.state])

    def _gains(self, nodes: Ints, states: Sequence[State]) -> Floats:
        """Return (2 payments + 1, n) what each payment is worth in n nodes.

        Args:
            nodes: (n, 3) the nodes.
            states: the state to move of each.
        """
        after = self._payments(states)
        row, lane = np.nonzero(after.is_open)
        paid = np.array([self._paid_twice(state.held) for state in states])
        more = np.flatnonzero(paid[lane] & np.isin(row, _EQUAL_ROWS))
        rows = np.concatenate([row, EXTRA + row[more]])
        lanes = np.concatenate([lane, lane[more]])
        brings = np.concatenate([after.rewards[row, lane], after.rewards[row, lane][more]])
        brings[len(row) :] += EXTRA_YACHT
        mine = np.concatenate([after.states[row, lane], after.states[row, lane][more]])
        found = np.full((GAIN_ROWS, len(nodes)), -np.inf)
        follow = np.column_stack([nodes[lanes, 1], mine, -(nodes[lanes, 2] + brings)])
        found[rows, lanes] = 1 - self._values(follow)
        return found

    def _values(self, nodes: Ints) -> Floats:
        """Return (n,) the share of the win of the seat to move."""
        mover, other, lead = nodes.T
        most = _most_points()
        found = np.where(lead > 0, 1.0, 0.5 * (lead == 0))
        open_now = (lead <= most[other]) & (lead + most[mover] >= 0)
        open_now &= _boxes()[mover] > 0
        found[~open_now & (lead + most[mover] < 0)] = 0.0
        waits = (_boxes()[mover] == 0) & (_boxes()[other] > 0)
        if waits.any():
            found[waits] = 1 - self._values(nodes[waits][:, [1, 0, 2]] * [1, 1, -1])
        if open_now.any():
            unique, which = np.unique(nodes[open_now], axis=0, return_inverse=True)
            states = [state_of(index) for index in unique[:, 0].tolist()]
            turns = self.goal_turns(list(map(_Own, states)), self._gains(unique, states))
            found[open_now] = turns.turn.start[which.ravel()]
        return found

    # More seats, each with one turn.

    def _of_more(self, key: LastTurns) -> Floats:
        """Return (2 payments + 1, 1) what each payment is worth."""
        later = [rival for rival in key.others if rival.state.open_boxes]
        full = [-rival.behind for rival in key.others if not rival.state.open_boxes]
        top = max(full, default=_NOBODY)
        count = full.count(top)
        seats = [_Seat(self, Rival(key.state, 0)), *(_Seat(self, rival) for rival in later)]
        reached = [{(top, count)}]
        for seat in seats[:-1]:
            reached.append({after for before in reached[-1] for after in seat.leads_to(*before)})
        shares = {
            (top, count): 1.0 / max(count, 1)
            for top, count in {
                after for before in reached[-1] for after in seats[-1].leads_to(*before)
            }
        }
        for seat, tops in zip(reversed(seats[1:]), reversed(reached[1:]), strict=True):
            shares = seat.solved(sorted(tops), shares)
        return seats[0].gains([(top, count)], shares)


class _Seat:
    """A seat with one turn left.

    Args:
        bot: who plays it.
        rival: its state, and how far its total is behind.
    """

    def __init__(self, bot: EndgameBot, rival: Rival) -> None:
        self._bot = bot
        self._state, self._total = rival.state, -rival.behind
        after = bot._payments([rival.state])
        rows = np.flatnonzero(after.is_open[:, 0])
        rewards = after.rewards[rows, 0]
        if bot._paid_twice(rival.state.held):
            more = np.isin(rows, _EQUAL_ROWS)
            rewards = np.concatenate([rewards, rewards[more] + EXTRA_YACHT])
            rows = np.concatenate([rows, EXTRA + rows[more]])
        self._rows: Ints = rows
        self._totals: Ints = self._total + rewards

    def leads_to(self, top: int, count: int) -> set[Top]:
        """Return the tops that can be after this turn, and how many seats hold each."""
        higher = {(total, 1) for total in self._totals.tolist() if total > top}
        equal = {(top, count + 1)} if top in self._totals else set()
        return {(top, count), *higher, *equal}

    def gains(self, tops: Sequence[Top], shares: Mapping[Top, float]) -> Floats:
        """Return (2 payments + 1, n) the own share after each payment, by n tops."""
        alone = np.array([shares.get((total, 1), 0.0) for total in self._totals.tolist()])
        equal = np.array([shares.get((top, count + 1), 0.0) for top, count in tops])
        top, totals = np.array(tops)[:, 0], self._totals[:, None]
        return self._filled(
            np.where(totals > top, alone[:, None], np.where(totals == top, equal, 0.0))
        )

    def _filled(self, worth: Floats | Ints) -> Floats:
        """Return (2 payments + 1, n) gains of what the payments that are open are worth."""
        found = np.full((GAIN_ROWS, worth.shape[1]), -np.inf)
        found[self._rows] = worth
        return found

    def solved(self, tops: Sequence[Top], shares: Mapping[Top, float]) -> dict[Top, float]:
        """Return what this turn leaves to each of those who hold the top, by the tops before it.

        Args:
            tops: the highest totals so far, and how many seats hold each.
            shares: the same after the turn.
        """
        highest = self._totals.max()
        found = {top: shares[top] for top in tops if top[0] > highest}  # it is out of reach
        asked = [top for top in tops if top[0] <= highest]
        if not asked:
            return found
        # Tops between the same totals are one question: the turn is solved once for all of them.
        top = np.array(asked)[:, 0]
        equal = np.array([shares.get((held, count + 1), 0.0) for held, count in asked])
        totals = np.sort(self._totals)
        place = [np.searchsorted(totals, top, side) for side in ("left", "right")]
        _, first, which = np.unique(
            np.column_stack([*place, equal]), axis=0, return_index=True, return_inverse=True
        )
        keys = [_Own(self._state)] * len(first)
        own = self._bot.goal_turns(keys, self.gains([asked[at] for at in first], shares))
        choices = self._bot.choices(own, np.arange(len(first)))
        below, level = (
            played(self._bot.goal_turns(keys, self._filled(where.astype(float))), choices)
            for where in (
                self._totals[:, None] < top[first],
                self._totals[:, None] == top[first],
            )
        )
        kept = np.array([shares[before] for before in asked])
        left = below[which.ravel()] * kept + level[which.ravel()] * equal
        return found | dict(zip(asked, left.tolist(), strict=True))


@cache
def _boxes() -> Ints:
    """Return (states,) how many boxes are open."""
    found: Ints = OPEN_COUNT[every_state().open_boxes]
    return found


@cache
def _most_points() -> Ints:
    """Return (states,) a bound on the points that are still to come."""
    states = every_state()
    highest = [int(PAYMENTS.points[PAYMENTS.box == box].max()) for box in range(len(BOXES))]
    is_open = states.open_boxes[:, None] >> np.arange(len(BOXES)) & 1
    some_upper = (is_open[:, :UPPER_BOXES].any(axis=1)) & (states.upper < BONUS_AT)
    boxes = is_open.sum(axis=1)
    yachts = np.where(states.held == YACHT_50, boxes, 0)
    yachts = np.where(states.held == OPEN_YACHT, np.maximum(boxes - 1, 0), yachts)
    found: Ints = is_open @ np.array(highest) + BONUS * some_upper + EXTRA_YACHT * yachts
    return found
