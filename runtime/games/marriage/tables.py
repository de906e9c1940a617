"""The one table of Marriage: the learned numbers of expert."""

from __future__ import annotations

from __future__ import annotations
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, combinations_with_replacement
from pathlib import Path
from typing import Any, NamedTuple
import numpy as np
from ustad.runtime.core.errors import MoveError, OutcomeError, PositionError, shown
from ustad.runtime.core.game import CHANCE, OVER, Bot, Command, GameType, Option
from ustad.runtime.core.strict_json import Fields
from ustad.runtime.games.marriage.cards.melds import (
    CARD_NAMES,
    CARD_NUMBER,
    COPIES,
    MASTER,
    PUTALI,
    RANKS,
)
from ustad.runtime.games.marriage.cards import melds
from ustad.tables import TableSpec


class MarriageTables(Tables):
    """The one table of Marriage."""

    @property
    def table_fields(self) -> tuple[Option, ...]:
        """The weights of expert are for all rules alike."""
        return ()

    def table_options(self) -> tuple[dict[str, Any], ...]:
        """Return the one table of weights."""
        return ({},)

    def table_spec(self, options: Mapping[str, Any]) -> TableSpec:
        """Return the identity of the table of expert's weights."""
        from ustad.runtime.games.marriage.values import weights_spec

        return weights_spec(dict(options))
