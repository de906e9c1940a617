"""Building the tables of Raja Pasu."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ustad.runtime.core.work import Progress
from ustad.solver.build import Built, Solver
from ustad.solver.raja_pasu import margins


class RajaPasuSolver(Solver):
    """Solves one table after the other; nothing is kept between them."""

    def build(self, options: Mapping[str, Any], progress: Progress | None = None) -> Built:
        """Solve the rounds with one number of closed holes and return what their table holds."""
        return margins.build(options, progress)


SOLVER = RajaPasuSolver
