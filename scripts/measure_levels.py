"""Measure what decisions cost the levels, and how far luck goes: the numbers of reviews.

    python scripts/measure_levels.py [GAME ...]

Games of levels drawn at random, by the default rules, are reviewed; for each game and unit are
found: the costs that half, three quarters, and nine tenths of all mistakes stay below (the marks
of mistakes), the change that nine tenths of the falls of chance stay below (the marks of luck),
the quantiles of a seat's luck in a game, and the mean cost of a decision by its kind and level.
They are written to ``runtime/levels.json``, which ships with the package.  Beside them the scales
of levels between (:mod:`ustad.runtime.core.strength`) are found and written to
``runtime/strengths.json``; ``--strengths`` finds these alone.  It takes minutes.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import defaultdict
from collections.abc import Sequence
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
STRENGTHS = NUMBERS.with_name("strengths.json")
DECISIONS = 2000
"""From how many decisions a scale is found."""

GAMES = {"marriage": 60, "yacht": 40}
USUAL = 400
"""Games for each number of seats; fewer where they take long."""

ALIKE = {"expected_total"}
"""Units in which a seat's luck does not depend on how many seats there are."""


def a_game(
    advisor: Advisor, name: str, seats: int, seed: int, choices: Sequence[str] = LEVELS
) -> Record:
    """Return a game of levels drawn from a seed."""
    entry, drawn = entry_of(name), random.Random(f"{name} {seats} {seed}")
    rules = entry.rules.read({})
    levels = [drawn.choice(choices) for _ in range(seats)]
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


def decisions(advisor: Advisor, name: str) -> list[Any]:
    """Return what the seat to move sees in decisions of games of level easy."""
    _, most, usual = entry_of(name).rules.seats
    views: list[Any] = []
    for seed in range(USUAL):
        seats = usual if seed % 2 else min(most, 2)
        states = a_game(advisor, name, seats, seed, ["easy"]).states
        views += [s.view(s.current_player()) for s in states if s.current_player() >= 0]
    drawn = random.Random(name)
    return drawn.sample(views, min(len(views), DECISIONS))


def measure_scale(advisor: Advisor, name: str, unit: str, views: Sequence[Any]) -> dict[str, Any]:
    """Return the scale of one game in one unit."""
    entry = entry_of(name)
    rater = advisor.bot(entry, entry.rules.read({}), entry.levels.units[unit])
    easy_costs, all_costs = [], []
    for seed, view in enumerate(views):
        advice = rater.ask(view)
        if advice.unit != unit:
            continue
        values = dict(advice.options)
        top = max(values.values())
        chosen = advisor.bot(entry, view.rules, "easy", seed).choose(view)
        if chosen in values:
            easy_costs.append(top - values[chosen])
            all_costs.append(top - np.array(list(values.values())))
    wanted, most = float(np.mean(easy_costs)), float(np.quantile(easy_costs, 0.99))
    allowed = [costs[costs <= most] for costs in all_costs]

    def mean_cost(temperature: float) -> float:
        weighed = [(costs, np.exp(-costs / temperature)) for costs in allowed]
        return float(np.mean([np.average(costs, weights=by) for costs, by in weighed]))

    low, high = 1e-6, 1e6
    reached = min(wanted, 0.95 * mean_cost(high))  # easy may play worse than by chance
    for _ in range(100):
        middle = (low * high) ** 0.5
        low, high = (middle, high) if mean_cost(middle) < reached else (low, middle)
    return {
        "temperature": rounded(high),
        "most": rounded(most),
        "easy": rounded(wanted / mean_cost(high)),
    }


def write(path: Path, numbers: Any) -> None:
    """Write numbers that ship."""
    path.write_text(json.dumps(numbers, separators=(",", ":")) + "\n", encoding="utf-8")


def main() -> None:
    """Measure the games that are named, and write the numbers."""
    parser = argparse.ArgumentParser(description="measure what decisions cost the levels")
    parser.add_argument("games", nargs="*", metavar="GAME", help="all if none is named")
    parser.add_argument("--tables", metavar="DIR", help="folder of the table files")
    parser.add_argument("--strengths", action="store_true", help="the scales of strengths alone")
    args = parser.parse_args()
    advisor = Advisor(args.tables)
    numbers = json.loads(NUMBERS.read_text(encoding="utf-8"))
    scales = json.loads(STRENGTHS.read_text(encoding="utf-8"))
    for name in args.games or NAMES:
        units = entry_of(name).levels.units
        views = decisions(advisor, name)
        scales[name] = {unit: measure_scale(advisor, name, unit, views) for unit in units}
        write(STRENGTHS, scales)
        if not args.strengths:
            numbers[name] = {unit: measure(advisor, name, unit) for unit in units}
            write(NUMBERS, numbers)
        print(f"{name}: measured")


if __name__ == "__main__":
    main()
