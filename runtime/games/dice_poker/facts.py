"""What speaks for a keep, a write or a pass of dice poker."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.games.dice_poker.levels import TableBot, roll_payments
from ustad.runtime.games.dice_poker.rules import ROW_COUNT, SCHOOL, Sheet
from ustad.runtime.games.dice_poker.states import state_index
from ustad.runtime.games.dice_poker.tables import BONUS_SOURCE, SOURCES
from ustad.runtime.games.five_dice.facts import SheetFacts
from ustad.runtime.games.five_dice.sheet import SheetState
from ustad.runtime.games.five_dice.tables import by_source
from ustad.tables import Table

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class DicePokerFacts(SheetFacts):
    """Knows the turn of level expert, and by a table where the points come from.

    Args:
        bot: the level.
        table: what the rows bring, None if it is not built.
    """

    sources = SOURCES

    def __init__(self, bot: TableBot, table: Table | None) -> None:
        self._bot = bot
        self._table = table
        self.bonus = bot.numbers.school_bonus

    def player(self, view: SheetState) -> TableBot:
        """Return who makes the choices of the turn."""
        del view
        return self._bot

    def open_boxes(self, sheet: Sheet) -> int:
        """Return the open rows as bits."""
        return sheet.open_rows

    def payments(self, rolls_left: int, rolls: Ints, writes: Ints) -> Ints:
        """Return (n,) the payments."""
        found: Ints = roll_payments(self._bot.numbers).at(rolls_left)[writes, rolls]
        return found

    def held(self, sheets: Sequence[Sheet]) -> Floats:
        """Return (n, sources) what each source of sheets holds already."""
        numbers = self._bot.numbers
        found = np.zeros((len(sheets), len(SOURCES)))
        found[:, :ROW_COUNT] = [[points or 0 for points in sheet.points] for sheet in sheets]
        found[:, BONUS_SOURCE] = [
            numbers.school_bonus
            * (sheet.open_rows & SCHOOL == 0 and sheet.subtotal >= numbers.school_threshold)
            for sheet in sheets
        ]
        return found

    def to_come(self, sheets: Sequence[Sheet]) -> Floats | None:
        """Return (n, sources) what each source still brings, None where no table tells."""
        if self._table is None:
            return None
        states = np.array(
            [
                state_index(self._bot.numbers, sheet.open_rows, sheet.turns_left, sheet.subtotal)
                for sheet in sheets
            ]
        )
        return by_source(self._table, states, self._bot.table.values[states])
