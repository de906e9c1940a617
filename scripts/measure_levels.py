"""Measure what decisions cost the levels, and how far luck goes: the numbers of reviews.

    python scripts/measure_levels.py [GAME ...]

Games of levels drawn at random, by the default rules, are reviewed; for each game and unit are
found: the costs that half, three quarters, and nine tenths of all mistakes stay below (the marks
of mistakes), the change that nine tenths of the falls of chance stay below (the marks of luck),
the quantiles of a seat's luck in a game, and the mean cost of a decision by its kind and level.
They are written to ``runtime/levels.json``, which ships with the package.  It takes minutes.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

import ustad.runtime
from ustad.runtime import Advisor
from ustad.runtime.core.game import CHANCE, LEVELS, OVER, TIE
from ustad.runtime.core.registry import NAMES
from ustad.runtime.core.registry import entry as entry_of
from ustad.runtime.record import Player, Record, returns_of
from ustad.runtime.review import Review, level_of

NUMBERS = Path(ustad.runtime.__file__).with_name("levels.json")
GAMES = {"marriage": 60, "yacht": 40}
USUAL = 400
"""Games for each number of seats; fewer where they take long."""

ALIKE = {"expected_total"}
"""Units in which a seat's luck does not depend on how many seats there are."""


def a_game(advisor: Advisor, name: str, seats: int, seed: int) -> Record:
    """Return a game of levels drawn from a seed."""
    entry, drawn = entry_of(name), random.Random(f"{name} {seats} {seed}")
    rules = entry.rules.read({})
    levels = [drawn.choice(LEVELS) for _ in range(seats)]
    bots = [advisor.bot(entry, rules, level, seed) for level in levels]
    state, luck = rules.deal(seats, (seed,)), rules.luck(seats, (seed,))
    steps: list[Any] = []
    states = [state]
    while (player := state.current_player()) != OVER:
        chance = player == CHANCE
        steps.append(luck.outcome(state) if chance else bots[player].choose(state.view(player)))
        state = state.apply(steps[-1])
        states.append(state)
    players = tuple(Player(level, level) for level in levels)
    return Record(entry, players, tuple(steps), tuple(states), returns_of(state))


def rounded(number: float) -> float:
    """Return a number with four digits that are not 0."""
    return float(f"{number:.4g}")


def measure(advisor: Advisor, name: str, unit: str) -> dict[str, Any]:
    """Return the numbers of one game in one unit."""
    entry = entry_of(name)
    least, most, usual = entry.rules.seats
    counts = [usual] if unit in ALIKE or least == most else list(range(max(2, least), most + 1))
    _, level = level_of(entry, unit, None)
    bot = advisor.bot(entry, entry.rules.read({}), level)
    mistakes: list[float] = []
    falls: list[float] = []
    costs: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    luck: dict[str, list[float]] = {}
    for seats in counts:
        lucks: list[float] = []
        for seed in range(GAMES.get(name, USUAL)):
            game = a_game(advisor, name, seats, seed)
            found = Review(game, entry.levels.judge(unit, bot))
            for at, decision in found.decisions.items():
                kind = found.judge.kind(game.states[at])
                player = game.players[decision.seat]
                costs[kind][player.name].append(decision.cost)
                if decision.cost > TIE:
                    mistakes.append(decision.cost)
            falls += np.abs(found.luck[found.luck != 0]).tolist()
            lucks += found.luck.sum(axis=0).tolist()
        luck[str(seats)] = [rounded(q) for q in np.quantile(lucks, np.linspace(0, 1, 101))]
    if not falls:
        luck = {}
    elif unit in ALIKE:
        luck = {str(seats): luck[str(usual)] for seats in range(least, most + 1)}
    return {
        "marks": [rounded(q) for q in np.quantile(mistakes, (0.5, 0.75, 0.9))],
        "lucky": rounded(np.quantile(falls, 0.9)) if falls else 0.0,
        "luck": luck,
        "costs": {
            kind: {level: rounded(np.mean(by[level])) for level in LEVELS if by[level]}
            for kind, by in sorted(costs.items())
        },
    }


def main() -> None:
    """Measure the games that are named, and write the numbers."""
    parser = argparse.ArgumentParser(description="measure what decisions cost the levels")
    parser.add_argument("games", nargs="*", metavar="GAME", help="all if none is named")
    parser.add_argument("--tables", metavar="DIR", help="folder of the table files")
    args = parser.parse_args()
    advisor = Advisor(args.tables)
    numbers = json.loads(NUMBERS.read_text(encoding="utf-8"))
    for name in args.games or NAMES:
        numbers[name] = {unit: measure(advisor, name, unit) for unit in entry_of(name).levels.units}
        text = json.dumps(numbers, separators=(",", ":"))
        NUMBERS.write_text(f"{text}\n", encoding="utf-8")
        print(f"{name}: measured")


if __name__ == "__main__":
    main()
