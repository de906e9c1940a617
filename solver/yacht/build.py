"""Yacht's tables built: values, and the outlooks, which are made of each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.work import Progress
from ustad.runtime.games.five_dice.tables import BY_BOX
from ustad.runtime.games.yacht import tables
from ustad.runtime.games.yacht.distributions import (
    BestChances,
    LatticeDistributions,
    MixedDistributions,
    ScoreDistributions,
)
from ustad.runtime.games.yacht.rules import SECOND_YACHT
from ustad.runtime.games.yacht.states import section, state_count
from ustad.runtime.games.yacht.tables import TABLES
from ustad.solver.build import Built, Solver
from ustad.solver.yacht import by_box, chances, compact, outlooks, values


class YachtSolver(Solver):
    """Solves one setting after the other, keeping what several tables of one are made of.

    What is kept is most of what it needs of memory: the score distribution of every state, and
    its best chances.
    """

    def __init__(self) -> None:
        self._setting = -1
        self._hard: tuple[LatticeDistributions, NDArray[np.float64]] | None = None
        self._best: BestChances | None = None

    def build(self, options: Mapping[str, Any], progress: Progress | None = None) -> Built:
        """Solve one setting and return what its table holds: values, or an outlook."""
        second_yacht = SECOND_YACHT.index(options["second_yacht"])
        if self._setting != second_yacht:  # two settings at once would take twice the memory
            self._setting, self._hard, self._best = second_yacht, None, None
        spec, structure = TABLES.spec(options), TABLES.structure(options)
        if options.get(BY_BOX.name):
            solved = values.solve(second_yacht, progress)
            terms = by_box.solve(second_yacht, solved, progress).T.astype(spec.dtype)
            return Built(spec, terms, {"values": terms.size}, structure)
        name = options.get("outlook")
        if name is None:
            found = values.solve(second_yacht, progress)
            counts = {
                "reachable_states": values.reachable_states(second_yacht),
                "values": len(found),
            }
            return Built(spec, found, counts, structure)
        counts = {"values": state_count(second_yacht)}
        if name == "best":
            best = self._best_chances(second_yacht, progress)
            return Built(spec, best.laid_out, counts, structure)
        hard, bonus = self._hard_play(second_yacht, progress)
        if name == "full":
            parts = {"tail": hard.tail, "tail_points": hard.tail_points, "bonus": bonus}
            return Built(spec, hard.laid_out, counts, structure, parts)
        made: ScoreDistributions = hard
        if name == "best_compact":
            made = MixedDistributions(hard, self._best_chances(second_yacht, progress), tables.MIX)
        gaps, small = _compact(second_yacht, made, bonus)
        return Built(spec, gaps, counts, structure, small)

    def _hard_play(
        self, second_yacht: int, progress: Progress | None
    ) -> tuple[LatticeDistributions, NDArray[np.float64]]:
        """Return the distribution of every state under hard play, and the chance of the bonus."""
        if self._hard is None:
            solved = values.solve(second_yacht, progress)
            self._hard = outlooks.solve(second_yacht, solved, progress)
        return self._hard

    def _best_chances(self, second_yacht: int, progress: Progress | None) -> BestChances:
        """Return the best chances of every state."""
        if self._best is None:
            best = chances.solve(second_yacht, progress)
            self._best = BestChances(best, tables.widths(second_yacht), section())
        return self._best


SOLVER = YachtSolver


def _compact(
    second_yacht: int, made: ScoreDistributions, bonus: NDArray[np.float64]
) -> tuple[NDArray[Any], dict[str, NDArray[Any]]]:
    """Return the gaps and the parts of a compact table."""
    kinds = tables.kinds(second_yacht)
    far = compact.quantiles(made, np.flatnonzero(kinds == tables.FAR))
    small = {
        "shift": far.shift,
        "bonus": np.rint(bonus * tables.BONUS_PARTS).astype("<u2"),
    }
    for kind, step in enumerate(tables.STEPS):
        found = compact.steps(made, np.flatnonzero(kinds == kind), step.parts)
        small[step.name] = found.parts.astype(step.dtype)
        small[f"{step.name}_lengths"] = np.diff(found.start).astype("<u2")
        small[f"{step.name}_first"] = found.first.astype("<u2")
    return far.gaps, small
