"""Building the tables of pasa."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ustad.runtime.core.work import Progress
from ustad.solver.build import Built, Solver
from ustad.solver.pasa import values


class PasaSolver(Solver):
    """Solves one table after the other; nothing is kept between them."""

    def build(self, options: Mapping[str, Any], progress: Progress | None = None) -> Built:
        """Solve one table and return what its file holds."""
        return values.build(options, progress)

    def forecast(self, options: Mapping[str, Any]) -> str:
        """Return how large a table will be and how long it takes."""
        return values.forecast(options)


SOLVER = PasaSolver
