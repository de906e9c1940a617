"""Levels between: a bot that is beaten by the right amount.

**The problem.**  Apps want opponents between the levels: ``hard:0.6`` is level hard at strength
0.6.  Its mistakes must look like a player's: small ones often, large ones seldom.

**The bot.**  With the probability of its strength it plays the move of its level.  Else it plays
move m with a probability proportional to exp(-c(m) / T), c(m) being what m costs by the values
of the game (a Gibbs distribution: the more a move costs, the less often it is played).  T, the
*temperature*, is measured so that these moves cost on average what level easy's do; so the mean
cost falls linearly from that of easy to that of the level, and strength .5 halves the way.  A
move that costs more than 99 of 100 decisions of level easy, the *most*, is played at strength 0
alone.  The scales by game and unit are measured by ``scripts/measure_levels.py`` and ship as
``strengths.json``.

Level easy of pasa plays worse than chance: no temperature costs as much.  There the moves that
cost something are played *easy* times as often, up to always.

**The draw** is :class:`~ustad.runtime.core.chance.Chance` of the method ``strength``: a fraction
below 1 - (1 - strength) easy means the level's move; else an outcome among the moves in the
rules' order.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import cache, partial
from importlib.resources import files
from math import exp
from pathlib import Path
from typing import Any, NamedTuple

from ustad.runtime.core.chance import Chance
from ustad.runtime.core.entry import AnyEntry
from ustad.runtime.core.errors import UsageError, shown
from ustad.runtime.core.game import LEVELS, Advice, Bot, Pace

GRADE = rf"^({'|'.join(LEVELS)})(:(0|1|0?\.[0-9]+))?$(?!\n)"
"""What a level, or a level at a strength, looks like."""


class Scale(NamedTuple):
    """What moves may cost, in a unit.

    Attributes:
        temperature: the cost at which a move is played e times less often than the best.
        most: what a move may cost at all above strength 0.
        easy: how many times more level easy's moves cost on average than those so played.
    """

    temperature: float
    most: float
    easy: float


class Grade(NamedTuple):
    """A level and a strength at it, None for the level itself."""

    level: str
    strength: float | None = None


@cache
def scales(game: str) -> Mapping[str, Scale]:
    """Return the scale of each unit of a game."""
    text = files("ustad.runtime").joinpath("strengths.json").read_text(encoding="utf-8")
    return {unit: Scale(**found) for unit, found in json.loads(text).get(game, {}).items()}


def check_strength(strength: Any) -> float:
    """Return the strength if it is one, else raise UsageError."""
    is_number = isinstance(strength, int | float) and not isinstance(strength, bool)
    if not is_number or not 0 <= strength <= 1:
        raise UsageError(f"strength: expected a number from 0 to 1, got {shown(strength)}")
    return float(strength)


def read_grade(text: str) -> Grade:
    """Return the level and the strength of a text, or raise UsageError.

    >>> read_grade("hard:0.6")
    Grade(level='hard', strength=0.6)
    >>> read_grade("easy")
    Grade(level='easy', strength=None)
    """
    if not is_grade(text):
        expected = f"one of {', '.join(LEVELS)}, or at a strength from 0 to 1 such as hard:0.6"
        raise UsageError(f"level: expected {expected}, got {shown(text)}")
    level, colon, strength = text.partition(":")
    return Grade(level, float(strength) if colon else None)


def is_grade(text: Any) -> bool:
    """Tell whether this is a level, or a level at a strength."""
    return isinstance(text, str) and re.search(GRADE, text, re.ASCII) is not None


def graded_bot(
    entry: AnyEntry, grade: str, rules: Any, tables: Path | None, seed: int
) -> Bot[Any, Any]:
    """Return the bot of a level, or of a level at a strength such as ``hard:0.6``.

    Raises:
        UsageError: there is no such level or strength.
        TableError: a table that it needs is missing or unfit.
    """
    level, strength = read_grade(grade)
    make = partial(entry.levels.bot, rules=rules, tables=tables, seed=seed)
    bot = make(level)
    if strength is None:
        return bot
    rater = rating_level(entry, level)
    return BetweenBot(entry, bot, bot if rater == level else make(rater), strength, seed)


def rating_level(entry: AnyEntry, level: str) -> str:
    """Return the level that rates the moves for a level: itself if it knows the game's values."""
    known = list(entry.levels.units.values())
    return level if level in known else known[0]


class BetweenBot(Bot[Any, Any]):
    """A level at a strength.

    Args:
        entry: the game.
        bot: the level.
        rater: who rates the moves; an attribute too.
        strength: from 0 to 1.
        seed: what it draws from.
    """

    def __init__(
        self, entry: AnyEntry, bot: Bot[Any, Any], rater: Bot[Any, Any], strength: float, seed: int
    ) -> None:
        self.rater = rater
        self._bot, self._strength = bot, strength
        self._scales = scales(entry.name)
        easy = max(scale.easy for scale in self._scales.values())
        self._by_level = 1 - min(1.0, (1 - strength) * easy)
        self._chance: Callable[[Any], Chance] = lambda view: Chance(
            seed, "strength", entry.codec.state_to_json(view)
        )

    def choose(self, view: Any) -> Any:
        """Return the level's move, or one that costs something."""
        return self.choose_many([view])[0]

    def choose_many(self, views: Sequence[Any]) -> list[Any]:
        """Return a move for each of many views."""
        draws = [self._chance(view) for view in views]
        plays_level = [draw.fraction() < self._by_level for draw in draws]
        asked = [view for view, level in zip(views, plays_level, strict=True) if level]
        of_level = iter(self._bot.choose_many(asked))
        return [
            next(of_level) if level else draw.outcome(list(self.falls(view).items()))
            for view, draw, level in zip(views, draws, plays_level, strict=True)
        ]

    def falls(self, view: Any) -> dict[Any, float]:
        """Return how likely each move is where the level's is not played, in the rules' order."""
        advice = self.rater.ask(view)
        scale = self._scales[advice.unit or ""]
        values = dict(advice.options)
        top = max(values.values())
        weights = {
            move: exp((values[move] - top) / scale.temperature)
            for move in view.legal_moves()
            if move in values and (self._strength == 0 or top - values[move] <= scale.most)
        }
        total = sum(weights.values())
        return {move: weight / total for move, weight in weights.items()}

    def ask(self, view: Any) -> Advice[Any]:
        """Return what the moves are worth, and beside it how likely it is to play each."""
        advice = self.rater.ask(view)
        if not advice.options:
            return advice
        falls, chosen = self.falls(view), self._bot.choose(view)
        likely = [
            (1 - self._by_level) * falls.get(move, 0.0) + self._by_level * (move == chosen)
            for move, _ in advice.options
        ]
        return Advice(
            advice.best,
            advice.value,
            advice.unit,
            advice.options,
            advice.extra,
            {**advice.beside, "probability": likely},
            advice.notes,
        )

    def within(self, seconds: float) -> BetweenBot:
        """Return the bot whose searches take so long at most."""
        found = copy(self)
        found._bot, found.rater = self._bot.within(seconds), self.rater.within(seconds)
        return found

    def pace(self, view: Any) -> Pace:
        """Return the slower pace of the level and of who rates the moves."""
        paces = {self._bot.pace(view), self.rater.pace(view)}
        return next(pace for pace in (Pace.LATER, Pace.SOON, Pace.AT_ONCE) if pace in paces)
