"""The outlooks that yacht's expert goes by: which are built, and what they hold."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.games.yacht.distributions import ScoreDistributions
from ustad.runtime.games.yacht.tables import (
    BONUS_PARTS,
    MIX,
    outlook_spec,
    read_outlook,
)
from ustad.tables import MissingTableError, Table, open_table, tables_folder

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Outlooks:
    """What expert goes by.

    Attributes:
        name: the table that says most, as the option ``outlook`` names it.
        hard: the score distributions under the play of level hard.
        bonus: (states,) the chance of the upper bonus under the play of level hard.
        exact: whether ``hard`` has every point.
        best: the score distributions by best chances, or ``hard`` mixed with them; None
            where they are not known.
        best_part: what best chances count in ``best``.
    """

    name: str
    hard: ScoreDistributions
    bonus: Floats
    exact: bool
    best: ScoreDistributions | None = None
    best_part: float = 1.0


def best_chance_weight(open_boxes: Any, early: Any, share: Any) -> Any:
    """Return what best chances are to count beside hard play: how much is yet to be seen.

    A player who knew from now on what the others will make could play for that total with
    the best chance there is; one who saw nothing more would do as hard does.  Expert's later
    turns lie between: on the mean they bring this part of the difference, a rounded fit to
    the gains of later turns with 2, 4 and 6 players (:mod:`ustad.solver.yacht.gain`).  The
    fewer boxes are open, the more is known at the turns to come.  Arrays give an array.

    Args:
        open_boxes: how many boxes are open, the one to be written now among them.
        early: the part of the opponents who have played this round.
        share: the share of the win before the turn.
    """
    last = (1 + early / 2) / open_boxes**1.5
    return np.minimum(0.3 + 0.1 * early + last + np.maximum(0.24 - 1.2 * share, 0.0), 1.0)


def open_outlooks(options: Mapping[str, Any], folder: Path | None) -> Outlooks:
    """Return the best outlooks that are built.

    Raises:
        MissingTableError: there is none; the message says how to build the compact one.
        TableError: a table is damaged or unfit; the message names the way out.
    """
    for name in ("best", "full", "best_compact"):
        with suppress(MissingTableError):
            return named_outlooks(options, name, folder)
    return named_outlooks(options, "compact", folder)


def named_outlooks(options: Mapping[str, Any], name: str, folder: Path | None) -> Outlooks:
    """Return the outlooks of a name, whatever else is built.

    Raises:
        TableError: a table is missing, damaged or unfit.
    """

    def opened(outlook: str) -> Table:
        return open_table(outlook_spec(options, outlook), tables_folder(folder))

    exact = name in {"full", "best"}
    best = read_outlook(opened(name)) if name in {"best", "best_compact"} else None
    table = opened("full" if exact else "compact")
    hard, bonus = read_outlook(table), table.parts["bonus"]
    if exact:
        return Outlooks(name, hard, bonus, exact, best)
    return Outlooks(name, hard, bonus / BONUS_PARTS, exact, best, MIX)


def open_if_built(options: Mapping[str, Any], outlook: str, folder: Path | None) -> Table | None:
    """Return the table of an outlook, None if there is none.

    Raises:
        TableError: it is damaged or unfit.
    """
    try:
        return open_table(outlook_spec(options, outlook), tables_folder(folder))
    except MissingTableError:
        return None
