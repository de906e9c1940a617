"""Dice poker's tables built."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ustad.runtime.core.work import Progress
from ustad.runtime.games.dice_poker.rules import DicePoker
from ustad.runtime.games.dice_poker.tables import TABLES
from ustad.solver.build import Built, Solver
from ustad.solver.dice_poker.values import reachable_states, solve


class DicePokerSolver(Solver):
    """Solves one option set after the other."""

    def build(self, options: Mapping[str, Any], progress: Progress | None = None) -> Built:
        """Solve one option set and return what its table holds."""
        numbers = DicePoker(**options).numbers
        values = solve(numbers, progress)
        values[np.isinf(values)] = 0.0
        counts = {**reachable_states(numbers), "values": len(values)}
        return Built(TABLES.spec(options), values, counts, TABLES.structure(options))


SOLVER = DicePokerSolver
