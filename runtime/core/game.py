"""What a game is: rules, states, luck, and the bots that play it.

The terms are OpenSpiel's (https://github.com/google-deepmind/open_spiel): *rules*
are a game with its options and never change; a *state* says whose turn it is,
what is legal, and what follows; chance is a player of its own, with outcomes
and probabilities.  Everything here is immutable: ``apply`` returns a new state.

The type variables: ``StateT`` is a game's state (or what one seat sees of it),
``MoveT`` its moves.  What ties a game's rules to everything else is its
:class:`ustad.runtime.core.entry.Entry`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Generic, NamedTuple, NoReturn, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.chance import Seed
from ustad.runtime.core.errors import OutcomeError

StateT = TypeVar("StateT")
StateT_contra = TypeVar("StateT_contra", contravariant=True)
MoveT = TypeVar("MoveT")
MoveT_co = TypeVar("MoveT_co", covariant=True)

CHANCE = -1
"""``current_player()`` of a state that waits for dice or cards."""

OVER = -4
"""``current_player()`` of a finished game."""

LEVELS = ("easy", "medium", "hard", "expert")
"""The four levels of bots, weakest first."""

TIE = 1e-9
"""Moves whose values differ by no more are equally good."""


class Pace(Enum):
    """How long an answer takes: a server lets no quick one wait for a slow one."""

    AT_ONCE = "a few milliseconds, a table being looked up"
    SOON = "some hundredths of a second"
    LATER = "a search that may take seconds"


class Luck(Protocol):
    """The dice or cards of one game, fixed beforehand from a seed.

    The same luck given to two games falls alike in both, as far as the game
    allows: that is how an arena compares players on the same dice.
    """

    def outcome(self, state: Any) -> Any:
        """Return the outcome that falls in a state that waits for chance."""


@dataclass(frozen=True)
class NoLuck:
    """The luck of a game in which nothing is left to chance; ``reason`` says why."""

    reason: str

    def outcome(self, state: Any) -> NoReturn:
        """Refuse: no state waits for chance."""
        raise OutcomeError(f"outcome: {self.reason}")


class State(Protocol[MoveT_co]):
    """A position of a game.  Moves and outcomes are hashable, and equal if they mean the same."""

    @property
    def rules(self) -> Game:
        """The rules that it is a state of."""

    def current_player(self) -> int:
        """Return the seat to move, :data:`CHANCE` or :data:`OVER`."""

    def legal_moves(self) -> Sequence[MoveT_co]:
        """Return the moves of the seat to move, in a fixed order; none at chance or at the end."""

    def apply(self, move: Any) -> State[MoveT_co]:
        """Return the state after a legal move, or after an outcome where chance is to fall.

        Raises:
            MoveError: the move is not legal here.
            OutcomeError: the outcome cannot fall here.
        """

    def chance_outcomes(self) -> Sequence[tuple[Any, float]]:
        """Return the outcomes that can fall now with their probabilities, which sum to 1."""

    def is_over(self) -> bool:
        """Tell whether the game is finished."""

    def returns(self) -> tuple[float, ...]:
        """Return what each seat gains by the finished game, in the unit the game is about."""

    def scores(self) -> tuple[float, ...]:
        """Return each seat's points so far, as a player reads them off the table."""

    def view(self, player: int) -> Any:
        """Return what that seat may know and nothing else."""


State_contra = TypeVar("State_contra", bound="State[Any]", contravariant=True)


class Game(Protocol):
    """The rules of a game with its options."""

    @property
    def name(self) -> str:
        """The game's name."""

    @property
    def options(self) -> Mapping[str, Any]:
        """The options that a position tells; others matter to :meth:`new` alone."""

    def new(self, players: int, first: int = 0, seed: Seed = 0) -> State[Any]:
        """Return the start of a game for so many seats, seat ``first`` beginning.

        What is dealt comes from the seed; games that always start alike have no use for it.
        """

    def deal(self, players: int, seed: Sequence[int]) -> State[Any]:
        """Return the start of a game as an arena deals it, from a seed.

        Games that always start alike return :meth:`new`; a game without chance
        may open with random moves, so that its bots do not play one game for ever.
        """

    def luck(self, players: int, seed: Sequence[int]) -> Luck:
        """Return the chance of a whole game from a seed."""


class RatedMove(NamedTuple, Generic[MoveT]):
    """A legal move and what it is worth, in the unit of the advice that it is part of."""

    move: MoveT
    value: float


@dataclass(frozen=True)
class Advice(Generic[MoveT]):
    """The answer to "what is the best move here, and what does each other cost?".

    ``best`` holds the moves tied within 1e-9.  ``options`` holds every legal
    move with its value, best first.  ``value`` and ``unit`` are None for levels
    that play by rule of thumb and rate nothing.  ``extra`` holds what a game
    tells beside, by the names it has in JSON.  ``beside`` holds what else is
    told of each option, in the order of the options, by name.  ``notes`` makes lines for
    people, which no program reads.
    """

    best: Sequence[MoveT]
    value: float | None = None
    unit: str | None = None
    options: Sequence[RatedMove[MoveT]] = ()
    extra: Mapping[str, Any] | None = None
    beside: Mapping[str, Sequence[float | str | None]] = field(default_factory=dict)
    notes: Callable[[], Sequence[str]] = tuple


def rank(
    moves: Sequence[MoveT], values: Sequence[float]
) -> tuple[list[MoveT], list[RatedMove[MoveT]]]:
    """Return the moves tied for best and all moves with their values, best first.

    Ties keep the order of ``moves``.  What is tied with the best has its value: what they
    differ by comes from the order of sums, and no order of moves should depend on it.

    >>> best, options = rank(["wait", "bet", "pass"], [0.25, 0.5, 0.5 - 1e-12])
    >>> best, options[-1]
    (['bet', 'pass'], RatedMove(move='wait', value=0.25))
    """
    top = max(values)
    evened = [top if value >= top - TIE else value for value in values]
    options = [RatedMove(*rated) for rated in zip(moves, evened, strict=True)]
    options.sort(key=lambda option: -option.value)
    return [move for move, value in options if value == top], options


class Bot(Protocol[StateT_contra, MoveT]):
    """A player of one level.

    What it plays depends on its seed and the view alone, never on what it was
    asked before: see :func:`ustad.runtime.core.chance.move_chance`.
    """

    @abstractmethod
    def choose(self, view: StateT_contra) -> MoveT:
        """Return a legal move for the view's seat to move."""

    def choose_many(self, views: Sequence[StateT_contra]) -> list[MoveT]:
        """Return a legal move for each of many views, of any games at any stage."""
        return [self.choose(view) for view in views]

    @abstractmethod
    def ask(self, view: StateT_contra) -> Advice[MoveT]:
        """Return the best move and, at levels that rate moves, the value of every move."""

    def get_ready(self, views: Sequence[StateT_contra]) -> None:
        """Do at once what questions about these views share; the answers stay the same."""
        del views

    def within(self, seconds: float) -> Self:
        """Return the bot that searches so long at most; one that looks up is as it is."""
        del seconds
        return self

    def pace(self, view: StateT_contra) -> Pace:
        """Return how long an answer about a view takes."""
        del view
        return Pace.AT_ONCE


class RuleOfThumb(Bot[State_contra, MoveT], Protocol[State_contra, MoveT]):
    """A bot without values: it says what it would play."""

    def ask(self, view: State_contra) -> Advice[MoveT]:
        """Return the move it would play, alone."""
        return Advice([self.choose(view)] if view.current_player() >= 0 else [])


class TurnGains(Protocol):
    """Knows exactly what the turns of a bot gain where all others play level hard."""

    def begins_turn(self, state: Any, player: int) -> bool:
        """Tell whether a state is one at which the player's turn begins."""

    def advantages(self, states: Sequence[Any], player: Any) -> NDArray[np.float64]:
        """Return (n,) how much win share the turn of a bot gains over level hard's.

        Summed over a bot's turns and added to the share of equals this has the mean of
        the win share, and far less spread.
        """
