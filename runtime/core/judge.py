"""What positions are worth to every seat: what reviews and the arena split results by.

The problem.  A bot rates the moves of the seat to move.  To tell luck from skill, every
position is to be rated for every seat: what a step changes is luck where chance moved, and
skill where a seat did.

The parts.  A :class:`Judge` rates states for all seats in one unit.  Where its values are exact,
the value of a state that waits for chance is the mean of the values that chance leads to, and
that of a decision the value after the best move; so luck has mean 0, and no decision gains.

Shapes.  Values are (n, seats) float64.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Generic, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.game import Bot, MoveT, StateT

Floats: TypeAlias = NDArray[np.float64]


class Judge(ABC, Generic[StateT, MoveT]):
    """Rates positions for every seat, for one review or one arena.

    Attributes:
        unit: what the values are.
        exact: whether values are exact; it may turn false when a position is rated.
        fair: whether chance changes no value on the mean, exactly.
        bot: the level whose values they are.
    """

    unit: str
    exact = True
    fair = True
    bot: Bot[StateT, MoveT]

    @abstractmethod
    def values(self, states: Sequence[StateT]) -> Floats:
        """Return (n, seats) what states are worth to each seat, finished ones what they came to.

        The states are of one rule set and number of seats.
        """

    def expected(
        self, states: Sequence[StateT], moves: Sequence[MoveT], following: Floats
    ) -> Floats:
        """Return (n, seats) what moves were expected to bring each seat when they were made.

        Args:
            states: n states of which a seat is to move.
            moves: what it played in each.
            following: (n, seats) the values of the states that followed, which it is where
                nothing but the move came between.
        """
        del states, moves
        return following

    def luck(
        self, before: Sequence[StateT], after: Sequence[StateT], seated: Sequence[Sequence[Any]]
    ) -> Floats:
        """Return (n, seats) what falls of chance changed, where these bots play.

        A judge that knows how bots go on may rate by that.  On the mean it is nothing.

        Args:
            before: n states that waited for chance.
            after: the states that chance led to.
            seated: the bot of every seat of each game.
        """
        del seated
        values = self.values([*before, *after])
        found: Floats = values[len(before) :] - values[: len(before)]
        return found

    def best(self, state: StateT, player: int) -> Sequence[MoveT]:
        """Return the best moves of a state for the seat to move."""
        return self.bot.ask(state.view(player)).best  # type: ignore[attr-defined]

    def part(self, state: StateT) -> int:
        """Return which part of a game a state is of: parts are judged one by one."""
        del state
        return 0

    def brings_luck(self, state: StateT, move: MoveT, after: StateT) -> bool:
        """Tell whether chance comes with a move, as with a card drawn from a dealt stock."""
        del state, move, after
        return False

    def kind(self, state: StateT) -> str:
        """Return which kind of decision a state asks for, to compare costs with those of levels."""
        del state
        return "move"
