"""Nim with a die: two seats, one heap; a die says how many stones may be taken at most.

Before each move the die falls on 1, 2 or 3; the seat to move then takes at least one stone
and at most so many.  Who takes the last stone wins, or loses under the option ``misere``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ustad.runtime.core.chance import Chance, Seed
from ustad.runtime.core.entry import Rulebook, Seats
from ustad.runtime.core.errors import MoveError, OutcomeError, shown
from ustad.runtime.core.game import CHANCE, OVER
from ustad.runtime.core.options import Option

NAME = "nim"

FACES = (1, 2, 3)

STONES = 11


class Take(NamedTuple):
    """Take so many stones."""

    stones: int


@dataclass(frozen=True)
class NimLuck:
    """The die of one game: what falls depends on the stones that are left."""

    seed: tuple[int, ...]

    def outcome(self, state: NimState) -> int:
        """Return the face that falls now."""
        return Chance(self.seed, "luck", state.stones).choice(FACES)


@dataclass(frozen=True)
class Nim:
    """The rules."""

    misere: bool = False

    name = NAME

    @property
    def options(self) -> dict[str, Any]:
        """The options by name."""
        return {"misere": self.misere}

    def new(self, players: int = 2, first: int = 0, seed: Seed = 0) -> NimState:
        """Return the start of a game."""
        return NimState(self, STONES, first, None)

    def deal(self, players: int, seed: Sequence[int]) -> NimState:
        """Return the start of a game: all start alike."""
        return self.new(players)

    def luck(self, players: int, seed: Sequence[int]) -> NimLuck:
        """Return the die of a whole game from a seed."""
        return NimLuck(tuple(seed))


class NimState(NamedTuple):
    """A position: the stones left, the seat to move, and the die, None before it falls."""

    rules: Nim
    stones: int
    to_move: int
    die: int | None

    def is_over(self) -> bool:
        """Tell whether no stone is left."""
        return self.stones == 0

    def current_player(self) -> int:
        """Return the seat to move, CHANCE or OVER."""
        return OVER if self.is_over() else CHANCE if self.die is None else self.to_move

    def legal_moves(self) -> Sequence[Take]:
        """Return how many stones may be taken."""
        most = 0 if self.die is None else min(self.die, self.stones)
        return [Take(stones) for stones in range(1, most + 1)]

    def chance_outcomes(self) -> Sequence[tuple[int, float]]:
        """Return the faces of the die, if it is to fall."""
        return [(face, 1 / 3) for face in FACES] if self.current_player() == CHANCE else ()

    def apply(self, move: Any) -> NimState:
        """Return the state after a move or a fall of the die."""
        if self.current_player() == CHANCE:
            if move not in FACES or isinstance(move, Take):
                raise OutcomeError(f"outcome: expected one of 1, 2, 3, got {shown(move)}")
            return self._replace(die=move)
        if not isinstance(move, Take) or move not in self.legal_moves():
            legal = ", ".join(str(legal.stones) for legal in self.legal_moves()) or "no move"
            raise MoveError(f"move: take: expected {legal}, got {shown(move)}")
        return NimState(self.rules, self.stones - move.stones, 1 - self.to_move, None)

    def returns(self) -> tuple[float, float]:
        """Return 1 for the winner and 0 for the loser."""
        winner = self.to_move if self.rules.misere else 1 - self.to_move
        return (1.0, 0.0) if winner == 0 else (0.0, 1.0)

    def scores(self) -> tuple[float, float]:
        """Return the points on the table: there are none before the end."""
        return self.returns() if self.is_over() else (0.0, 0.0)

    def view(self, player: int) -> NimState:
        """Return the state: everything lies open."""
        return self


OPTIONS = (Option("misere", False, (False, True), "whether who takes the last stone loses"),)
RULES = Rulebook(Nim, OPTIONS, Seats(least=2, most=2, usual=2))
