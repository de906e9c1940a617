"""The best chance to reach a total in yacht, and the moves for it.

The problem.  A player wants 300 points, no matter what else: how likely is that at
best, and how is it played?

The algorithm.  A turn solved on the best chances of the states after it, each with
the points that are then still missing.  The chances stand in the table ``best``;
without it they are solved here and now, the same way, back from the last box, for
sheets with few open boxes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.errors import UsageError
from ustad.runtime.core.game import Advice
from ustad.runtime.games.five_dice.sheet import SheetState
from ustad.runtime.games.yacht.distributions import SPAN, BestChances
from ustad.runtime.games.yacht.expert import sheet_notes
from ustad.runtime.games.yacht.goals import EXTRA, GAIN_ROWS, GoalBot, GoalTurns
from ustad.runtime.games.yacht.levels import TableBot, after_payments, side_by_side
from ustad.runtime.games.yacht.outlooks import open_if_built, open_outlooks
from ustad.runtime.games.yacht.rules import (
    EXTRA_YACHT,
    PLAIN,
    YACHT_50,
    State,
    Yacht,
)
from ustad.runtime.games.yacht.states import state_of
from ustad.runtime.games.yacht.tables import TABLES, outlook_spec, read_best
from ustad.tables import MissingTableError, open_table, tables_folder

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FEW = 4
"""Sheets with at most so many open boxes are solved at once."""

HIGHEST = 9_999
"""No target is higher."""


class Wanted(NamedTuple):
    """The own state, and how many points are missing."""

    state: State
    points: int


class Chances(Protocol):
    """Knows best chances."""

    def at_least(self, states: Ints, points: Ints) -> Floats:
        """Return (n,) the best chance of n states to make at least so many points more."""


class TargetBot(GoalBot):
    """Maximises the chance to reach a total, and then the expected total.

    Attributes:
        target: the total.
        chances: the best chances, None to solve them.
    """

    unit = "chance"

    def __init__(self, rating: TableBot, target: int, chances: Chances | None) -> None:
        super().__init__(rating)
        self.target = target
        self.chances = chances or _Solved(self)

    def view_key(self, view: SheetState) -> Wanted:
        """Return the state and the points that are missing."""
        return Wanted(self.rules.state(view.sheet), max(self.target - view.sheet.total, 0))

    def solve(self, keys: Sequence[Wanted]) -> GoalTurns:
        """Solve the turns of these keys, a lane each."""
        setting = self.rules.second_yacht
        before = side_by_side([key.state for key in keys])
        states, rewards, is_open = after_payments(setting, before)
        missing = np.array([key.points for key in keys]) - rewards
        gains = np.full((GAIN_ROWS, len(keys)), -np.inf)
        gains[: len(missing)][is_open] = self._at_least(states[is_open], missing[is_open])
        if setting != PLAIN:
            paid = is_open & (before.held == YACHT_50)
            more = missing[paid] - EXTRA_YACHT
            gains[EXTRA:][paid] = self._at_least(states[paid], more)
        return self.goal_turns(keys, gains)

    def _at_least(self, states: Ints, points: Ints) -> Floats:
        chances = np.ones(len(states))
        there = points > 0
        if there.any():
            chances[there] = self.chances.at_least(states[there], points[there])
        return chances

    def ask(self, view: SheetState) -> Advice[Any]:
        """Return every legal move with the best chance after it and the expected total.

        Raises:
            MissingTableError: more open boxes than can be solved at once, and no table.
            UsageError: the table does not go so far, to SPAN points more.
        """
        wanted = self.target - view.sheet.total
        few = view.sheet.open_boxes.bit_count() <= FEW
        if isinstance(self.chances, _Solved):
            if wanted > 0 and not few:
                spec = outlook_spec(self.rules.options, "best")
                what = f"{spec.what}, which --target takes with more than {FEW} open boxes"
                folder = self.rating.table.path.parent
                raise MissingTableError(spec.path(folder), what, spec.build_command(folder))
        elif wanted >= SPAN and few:
            return TargetBot(self.rating, self.target, None).ask(view)
        elif wanted >= SPAN:
            most = view.sheet.total + SPAN - 1
            raise UsageError(f"--target: expected at most {most} on this sheet, got {self.target}")
        note = f"best chance of a final total of {self.target} or more"
        return replace(
            super().ask(view),
            extra={"target": self.target},
            notes=lambda: (note, *self._sheet_notes(view)),
        )

    def _sheet_notes(self, view: SheetState) -> Sequence[str]:
        """Return the lines on the final total and the bonus, if an outlook is built."""
        try:
            outlooks = open_outlooks(self.rules.options, self.rating.table.path.parent)
        except MissingTableError:
            return ()
        return sheet_notes(self.rating, outlooks, view)

    def final(self, view: SheetState) -> float:
        """Return 1 if a finished sheet has the total, else 0."""
        return float(view.sheet.total >= self.target)


class _Solved:
    """Best chances, solved when they are asked for and remembered."""

    def __init__(self, bot: TargetBot) -> None:
        self._bot = bot
        self._known: dict[tuple[int, int], float] = {}

    def at_least(self, states: Ints, points: Ints) -> Floats:
        pairs = list(zip(states.tolist(), points.tolist(), strict=True))
        new = [pair for pair in dict.fromkeys(pairs) if pair not in self._known]
        keys = {(state, wanted): Wanted(state_of(state), wanted) for state, wanted in new}
        turns = [pair for pair, key in keys.items() if key.state.open_boxes]
        self._known.update(dict.fromkeys(new, 0.0))
        if turns:
            start = self._bot.solve([keys[pair] for pair in turns]).turn.start
            self._known.update(zip(turns, start.tolist(), strict=True))
        return np.array([self._known[pair] for pair in pairs])


class _Table:
    """Best chances from their table."""

    def __init__(self, best: BestChances) -> None:
        self._best = best

    def at_least(self, states: Ints, points: Ints) -> Floats:
        chances = self._best.chances(states)
        within = points < chances.shape[1]
        found = np.zeros(len(states))
        found[within] = chances[within, points[within]]
        return found


def make_target_bot(rules: Yacht, target: int, tables: Path | None) -> TargetBot:
    """Return who knows the chances of a total.

    Raises:
        UsageError: no such total.
        TableError: a table is missing or unfit.
    """
    if not 0 <= target <= HIGHEST:
        raise UsageError(f"--target: expected 0 to {HIGHEST} points, got {target}")
    rating = TableBot(rules, open_table(TABLES.spec(rules.options), tables_folder(tables)))
    table = open_if_built(rules.options, "best", tables)
    chances = None if table is None else _Table(read_best(rules.second_yacht, table))
    return TargetBot(rating, target, chances)
