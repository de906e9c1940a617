"""Dice poker's tables built."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ustad.runtime.core.work import Progress
from ustad.runtime.games.dice_poker.rules import OPTIONS, DicePoker
from ustad.runtime.games.dice_poker.tables import TABLES
from ustad.runtime.games.five_dice.tables import BY_BOX
from ustad.solver.build import Built, Solver
from ustad.solver.dice_poker import by_box
from ustad.solver.dice_poker.values import reachable_states, solve

RULE_NAMES = tuple(option.name for option in OPTIONS)


class DicePokerSolver(Solver):
    """Solves one option set after the other."""

    def build(self, options: Mapping[str, Any], progress: Progress | None = None) -> Built:
        """Solve one option set and return what its table holds."""
        rules = DicePoker(**{name: options[name] for name in RULE_NAMES})
        numbers = rules.numbers
        values = solve(numbers, progress)
        values[np.isinf(values)] = 0.0
        if options.get(BY_BOX.name):
            spec = TABLES.spec(options)
            terms = by_box.solve(rules, values, progress).T.astype(spec.dtype)
            return Built(spec, terms, {"values": terms.size}, TABLES.structure(options))
        counts = {**reachable_states(numbers), "values": len(values)}
        return Built(TABLES.spec(options), values, counts, TABLES.structure(options))


SOLVER = DicePokerSolver
