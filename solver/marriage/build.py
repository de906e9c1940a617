"""The solver of Marriage: its one table holds the learned numbers of expert."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ustad.runtime.core.work import Progress
from ustad.runtime.games.marriage.cards.cards import Floats
from ustad.runtime.games.marriage.tables import TABLES, shipped_numbers
from ustad.solver.build import Built, Solver
from ustad.solver.marriage.learning import PLAYERS, ROUNDS, SEED, learn


class MarriageSolver(Solver):
    """Learns the numbers, or writes those that ship."""

    def build(self, options: Mapping[str, Any], progress: Progress | None = None) -> Built:
        """Return the table of numbers learned anew."""
        return _built(options, learn(progress=progress))

    def shipped(self, options: Mapping[str, Any]) -> Built:
        """Return the table of the numbers that ship with the package."""
        return _built(options, shipped_numbers())


def _built(options: Mapping[str, Any], numbers: Floats) -> Built:
    counts = {"players": PLAYERS, "rounds": ROUNDS, "seed": SEED}
    return Built(TABLES.spec(options), numbers, counts, {})


SOLVER = MarriageSolver
