"""The four levels of nim: one stone, any number, as many as may be, and the exact best."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from ustad.runtime.core.chance import Chance
from ustad.runtime.core.game import CHANCE, Advice, Bot, RuleOfThumb, rank
from ustad.runtime.games.nim.rules import FACES, Nim, NimState, Take


class EasyBot(RuleOfThumb[NimState, Take]):
    """Takes one stone."""

    def choose(self, view: NimState) -> Take:
        """Return the move."""
        return view.legal_moves()[0]


class MediumBot(RuleOfThumb[NimState, Take]):
    """Takes any number."""

    def __init__(self, chance: Callable[[NimState], Chance]) -> None:
        self._chance = chance

    def choose(self, view: NimState) -> Take:
        """Return the move."""
        return self._chance(view).choice(view.legal_moves())


class HardBot(RuleOfThumb[NimState, Take]):
    """Takes as many as it may."""

    def choose(self, view: NimState) -> Take:
        """Return the move."""
        return view.legal_moves()[-1]


@cache
def chance_to_win(rules: Nim, stones: int) -> float:
    """Return the mover's chance to win before the die falls, both playing their best."""
    if not stones:
        return float(rules.misere)
    best = [
        max(1 - chance_to_win(rules, stones - take) for take in range(1, min(face, stones) + 1))
        for face in FACES
    ]
    return sum(best) / len(best)


class ExpertBot(Bot[NimState, Take]):
    """Plays for the largest chance to win."""

    def choose(self, view: NimState) -> Take:
        """Return the best move, the first of equals."""
        return self.ask(view).best[0]

    def ask(self, view: NimState) -> Advice[Take]:
        """Return every move with the chance to win after it."""
        if view.current_player() == CHANCE or view.is_over():
            return Advice((), chance_to_win(view.rules, view.stones), "win_share")
        moves = view.legal_moves()
        values = [1 - chance_to_win(view.rules, view.stones - move.stones) for move in moves]
        best, options = rank(moves, values)
        return Advice(best, max(values), "win_share", options)
