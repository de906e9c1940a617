"""What speaks for each option: named numbers, and one sentence made of them.

The problem.  A value says which move is best and what another costs, but not why.

The parts.  A game tells named numbers of moves and how they read (:class:`Facts`);
:func:`explain` asks it about the options that are wanted and joins what speaks for the best
move and what the next best and the one asked about give up.  A sentence says nothing that is
not one of the numbers or a value.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias

from ustad.runtime.core.game import TIE, Advice, MoveT, StateT

Numbers: TypeAlias = Mapping[str, Any]
"""Named numbers as JSON has them, some of them by further names."""

LEAST_TOLD = 0.005
"""What rounds to 0.00 is not worth a word."""


class Facts(ABC, Generic[StateT, MoveT]):
    """Knows what speaks for the moves that one bot rates."""

    @abstractmethod
    def of(self, view: StateT, moves: Sequence[MoveT], advice: Advice[MoveT]) -> Sequence[Numbers]:
        """Return the numbers of each of some options of the bot's advice."""

    def about(self, view: StateT) -> Numbers:
        """Return the numbers of the position itself, by the names that they have in answers."""
        del view
        return {}

    @abstractmethod
    def speaks_for(self, numbers: Numbers) -> str:
        """Return what speaks for a move, to be read after its name."""

    @abstractmethod
    def gives_up(self, cost: float, best: Numbers, other: Numbers) -> str:
        """Return what another move gives up, to be read after its name.

        Args:
            cost: the value of the best move less that of the other, more than 0.
            best: the numbers of the best move.
            other: those of the other.
        """


@dataclass(frozen=True)
class Reasons(Generic[MoveT]):
    """What speaks for moves.

    Attributes:
        of: the numbers of each move that was asked about.
        about: the numbers of the position.
        why: the sentence, None where no move is rated.
    """

    of: Mapping[MoveT, Numbers]
    about: Numbers
    why: str | None


def explain(
    facts: Facts[StateT, MoveT],
    describe: Callable[[MoveT], str],
    view: StateT,
    advice: Advice[MoveT],
    top: int | None = None,
    asked: MoveT | None = None,
) -> Reasons[MoveT]:
    """Return what speaks for the options of some advice.

    Args:
        facts: knows it.
        describe: names a move in a few words.
        view: the view that the advice is for.
        advice: the advice.
        top: how many options are wanted, all by default.
        asked: a move that is asked about, one of the options.
    """
    if not advice.options:
        return Reasons({}, facts.about(view), None)
    values = dict(advice.options)
    best = advice.best[0]
    behind = next((move for move, _ in advice.options if move not in advice.best), None)
    others = [move for move in (behind, asked) if move is not None]
    moves = list(dict.fromkeys([*[m for m, _ in advice.options[:top]], best, *others]))
    numbers = dict(zip(moves, facts.of(view, moves, advice), strict=True))
    parts = [f"{describe(best)} {facts.speaks_for(numbers[best])}"]
    if behind is None:
        parts.append("every other move is as good" if len(values) > 1 else "it is the only move")
    for move in dict.fromkeys(others):
        if move in advice.best or abs(values[best] - values[move]) <= TIE:
            if move != best and behind is not None:
                parts.append(f"{describe(move)} is as good")
        else:
            lost = facts.gives_up(values[best] - values[move], numbers[best], numbers[move])
            parts.append(f"{describe(move)} {lost}")
    return Reasons(numbers, facts.about(view), "; ".join(parts))


def told(number: float) -> str:
    """Return a number with two decimals, or two digits that are not 0 where these would be 0."""
    return f"{number:.2f}" if abs(number) >= LEAST_TOLD or number == 0 else f"{number:.2g}"


def differences(best: Mapping[str, float], other: Mapping[str, float], most: int = 3) -> str:
    """Return where a move gives up most and gains most against the best, the largest first.

    Args:
        best: numbers by name of the best move.
        other: the same of the other; a name that is missing counts 0.
        most: how many are named at most.
    """
    names = dict.fromkeys([*best, *other])
    found = {name: best.get(name, 0.0) - other.get(name, 0.0) for name in names}
    large = sorted(
        (name for name in found if abs(found[name]) >= LEAST_TOLD),
        key=lambda name: -abs(found[name]),
    )[:most]
    lost = [f"{told(found[name])} in {words(name)}" for name in large if found[name] > 0]
    gained = [f"{told(-found[name])} in {words(name)}" for name in large if found[name] < 0]
    parts = [f"loses {listed(lost)}"] if lost else []
    return " and ".join([*parts, f"gains {listed(gained)}"] if gained else parts)


def words(name: str) -> str:
    """Return a name of JSON as people read it."""
    return name.replace("_", " ")


def listed(parts: Sequence[str]) -> str:
    """Return parts as a list that is read: ``a, b and c``."""
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last
