"""Pasa as everybody else knows it."""

from __future__ import annotations

from __future__ import annotations
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from itertools import product
from math import comb
from pathlib import Path
from typing import Any
import numpy as np
from numpy.typing import NDArray
from ustad.runtime.core.errors import MoveError, OptionError, OutcomeError, PositionError, shown
from ustad.runtime.core.game import CHANCE, OVER, Bot, GameType, Option, WholeNumber, read_options
from ustad.runtime.core.strict_json import Fields, is_int
from ustad.tables import TableSpec


class PasaLevels(Levels[Pasa, PasaState, int]):
    """The bots of pasa."""

    seeded_levels = frozenset({"medium"})

    def bot(self, level: str, rules: Pasa, tables: Path | None, seed: int) -> Bot:
        """Return a bot of a level; expert looks for the table when a position asks for one."""
        from ustad.runtime.games.pasa.levels import make_bot

        return make_bot(level, rules, tables, seed)

    options = (
        *RULE_OPTIONS,
        WholeNumber("stack", 10, (), "each seat's stakes at the start", 1, 10**6),
        WholeNumber("laps", 2, (), "how often the dice go round", 1, 10**6),
    )
