"""What positions of yacht are worth: every seat's share of the win.

The problem.  Expert rates the moves of the seat to move by its share of the win
(:mod:`ustad.runtime.games.yacht.expert`).  To tell luck from skill the share of every
other seat is wanted too, at every moment of the turn.

The algorithm.  With T the final total of the seat whose turn it is, and y that of another
seat, whose distribution is known, the other seat's share is

    W(T) = sum over y > T of P(y) S(y) + P(T) S'(T),

S(y) being its share among the remaining seats with y points, S' the same if one more seat has
just as many.  Equal totals share: both are integrals over [0, 1] of a product over the remaining
seats of ``below + x equal`` (S' with a further x), polynomials that three nodes of Gauss and
Legendre integrate exactly.  Rating the writes of the turn by W instead of the own share, and
making the choices of expert, gives the other seat's share at every moment.

The shares are predictions: opponents, and the seat itself after this turn, are taken to play
like hard.  With ``by_hard`` this turn is played like hard too: then nothing is gained by a turn
but by playing better than hard, which is what an arena wants to know.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.judge import Floats, Judge
from ustad.runtime.games.five_dice.bots import KEEP_NUMBER, Followed, follow
from ustad.runtime.games.five_dice.judge import KINDS
from ustad.runtime.games.five_dice.sheet import Keep, SheetState
from ustad.runtime.games.five_dice.turn import ROLL_INDEX
from ustad.runtime.games.yacht.distributions import NODES
from ustad.runtime.games.yacht.expert import ExpertBot
from ustad.runtime.games.yacht.levels import YachtTurns
from ustad.runtime.games.yacht.rules import WRITES

Ints = NDArray[np.int64]

_SIDE_BY_SIDE = 32
"""Turns that are solved at once."""

_REMEMBERED = 1024
"""Turns that are kept from one call to the next at most; they take some 20 KB a seat."""

_NUMBER = {write: number for number, write in enumerate(WRITES)}

TurnKey = tuple[tuple[Any, ...], int]
"""The sheets at the start of a turn, and whose turn it is."""


class SeatTurns(NamedTuple):
    """What the turns of some games are worth to one seat, a lane each."""

    turns: YachtTurns
    followed: Followed


class Turn(NamedTuple):
    """One turn: what it is worth to each seat, and its lane there."""

    seats: list[SeatTurns]
    lane: int


class WinShares(Judge[SheetState, Any]):
    """Every seat's share of the win, by the outlook of expert."""

    unit = "win_share"
    exact = False

    def __init__(self, bot: ExpertBot, by_hard: bool = False) -> None:
        self.bot: ExpertBot = bot
        self.by_hard = by_hard
        self._turns: dict[TurnKey, Turn] = {}

    def values(self, states: Sequence[SheetState]) -> Floats:
        """Return (n, seats) the shares of the win."""
        if len(self._turns) > _REMEMBERED:
            self._turns.clear()
        self._solve([state for state in states if not state.is_over()])
        return np.array([self._shares(state) for state in states])

    def _shares(self, state: SheetState) -> Sequence[float]:
        if state.is_over():
            return state.returns()
        seats, lane = self._turns[state.sheets, state.to_move]
        if state.dice is not None:
            roll = ROLL_INDEX[state.dice]
            return [one.followed.rolled[state.rolls_left][roll, lane] for one in seats]
        return self._kept(state, Keep(state.kept))

    def _kept(self, state: SheetState, keep: Keep) -> list[float]:
        """Return what keeping dice is worth to each seat while rolls are left."""
        seats, lane = self._turns[state.sheets, state.to_move]
        number, left = KEEP_NUMBER[keep], state.rolls_left - 1
        return [one.followed.kept[left][number, lane] for one in seats]

    def expected(
        self, states: Sequence[SheetState], moves: Sequence[Any], following: Floats
    ) -> Floats:
        """Return (n, seats) what the turn says of moves; the turn after it may say more."""
        del following
        return np.array([self._after(*made) for made in zip(states, moves, strict=True)])

    def _after(self, state: SheetState, move: Any) -> list[float]:
        if isinstance(move, Keep):
            return self._kept(state, move)
        seats, lane = self._turns[state.sheets, state.to_move]
        roll, number = ROLL_INDEX[state.dice or ()], _NUMBER[move]
        return [one.turns.roll_values(roll, lane, state.rolls_left)[number] for one in seats]

    def best(self, state: SheetState, player: int) -> Sequence[Any]:
        """Return the best moves by the outlook, as the values are."""
        del player
        return (
            self.bot.by_outlook(state).best if len(state.sheets) > 1 else self.bot.ask(state).best
        )

    def kind(self, state: SheetState) -> str:
        """Return whether dice are kept or a box is written."""
        return KINDS[state.rolls_left]

    # The turns.

    def _solve(self, states: Sequence[SheetState]) -> None:
        """Solve the turns of states that are not known yet."""
        new = {(state.sheets, state.to_move): state for state in states}
        todo = [key for key in new if key not in self._turns]
        for begin in range(0, len(todo), _SIDE_BY_SIDE):
            keys = todo[begin : begin + _SIDE_BY_SIDE]
            seats = self._solved([new[key] for key in keys])
            self._turns |= {key: Turn(seats[lane], lane) for lane, key in enumerate(keys)}

    def _solved(self, states: Sequence[SheetState]) -> list[list[SeatTurns]]:
        """Return for each of n states what its turn is worth to each seat, a lane each."""
        bot = self.bot
        keys = [bot.view_key(state) for state in states]
        endings = bot.endings(keys, by_best=not self.by_hard)
        own = bot.goal_turns(keys, endings.gains(endings.shares))
        player, turns = (bot.rating, own.expected) if self.by_hard else (bot, own)
        choices = player.choices(turns, np.arange(len(keys)))
        mine = SeatTurns(own, follow(own, choices))
        others = []
        for shares in self._other_shares(states, endings.shares.shape[1]):
            turns = bot.goal_turns(keys, endings.gains(shares))
            others.append(SeatTurns(turns, follow(turns, choices)))
        # In the order of the seats from the one whose turn it is.
        around = [mine, *others]
        count = len(around)
        return [[around[(s - state.to_move) % count] for s in range(count)] for state in states]

    def _other_shares(self, states: Sequence[SheetState], count: int) -> list[Floats]:
        """Return for each other seat (n, count) its share by the points more of the mover.

        The seats come in the order in which they follow the mover.
        """
        players = len(states[0].sheets)
        if players == 1:
            return []
        order = np.array([[(s.to_move + k) % players for k in range(1, players)] for s in states])
        index = [[self.bot.index(sheet) for sheet in state.sheets] for state in states]
        totals = np.array([state.totals() for state in states])
        at = np.arange(len(states))[:, None]
        rows, which = np.unique(np.array(index)[at, order], return_inverse=True)
        chances = self.bot.outlooks.hard.rows(rows)
        movers = np.array([state.to_move for state in states])
        leads = totals[at, movers[:, None]] - totals[at, order]
        return other_shares(chances, which.reshape(order.shape), leads, count)


def other_shares(rows: Floats, which: Ints, leads: Ints, count: int) -> list[Floats]:
    """Return the shares of opponents by the final points of one whose turn it is.

    Args:
        rows: (m, w) what opponents may still make; those of many games share rows.
        which: (n, opponents) the row of each opponent.
        leads: (n, opponents) the mover's total less that of each opponent.
        count: how many points of the mover to answer for.

    Returns:
        For each opponent (n, count): its share of the win if the mover makes 0, 1, ... points
        more.
    """
    width, opponents = rows.shape[1], which.shape[1]
    below = np.zeros((len(rows), width + 1))
    np.cumsum(rows, axis=1, out=below[:, 1:])
    points = np.arange(width)
    nodes, weights = NODES[-1]
    found = []
    for one in range(opponents):
        chance = rows[which[:, one]]
        share, tied = np.zeros_like(chance), np.zeros_like(chance)
        # The points at which another opponent has as many as this one with 0, 1, ... more.
        level = [points + (leads[:, other] - leads[:, one])[:, None] for other in range(opponents)]
        parts = [
            _below_and_equal(below, which[:, other], level[other], width)
            for other in range(opponents)
            if other != one
        ]
        for node, weight in zip(nodes, weights, strict=True):
            product = np.full(chance.shape, weight)
            for less, equal in parts:
                product *= less + node * equal
            share += product
            tied += node * product
        above = np.zeros((len(which), width + 1))
        above[:, :-1] = np.cumsum((chance * share)[:, ::-1], axis=1)[:, ::-1]
        place = np.arange(count) + leads[:, one, None]
        at = np.arange(len(which))[:, None]
        inside = (place >= 0) & (place < width)
        equal = np.where(inside, (chance * tied)[at, np.clip(place, 0, width - 1)], 0.0)
        found.append(above[at, np.clip(place + 1, 0, width)] + equal)
    return found


def _below_and_equal(below: Floats, which: Ints, points: Ints, width: int) -> tuple[Floats, Floats]:
    """Return (n, w) each: the chance of fewer points than these, and of just as many."""
    row = which[:, None]
    less = below[row, np.clip(points, 0, width)]
    up_to = below[row, np.clip(points + 1, 0, width)]
    return less, up_to - less
