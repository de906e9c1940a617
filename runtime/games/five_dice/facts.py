"""What speaks for a keep or a write: what this turn brings, and where the points come from.

The problem.  A value is one number: the expected total, or a chance to win.  A player asks which
boxes it is made of.

The algorithm.  A level's choices on every roll of a turn are known.  Each way to end the turn
has a row of numbers: the points written, the box, what every source (box, bonus, extra yachts)
will hold at the end of the game, and what else a game adds.  The expectations of these rows
follow from the chances of the dice alone, back from the last roll, for all keeps at once.

Shapes.  Rows are (columns,) float64: points, boxes, the sources if their table is there, further
chances.  What the sources will hold adds up to the expected total of the level's play.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.facts import Facts, Numbers, differences, told
from ustad.runtime.core.game import TIE, Advice
from ustad.runtime.games.five_dice.bots import FIRST_WRITE, KEEP_NUMBER, Lane, TurnBot
from ustad.runtime.games.five_dice.sheet import Keep, SheetState
from ustad.runtime.games.five_dice.turn import ROLL_INDEX, ROLLS, keep_values

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

BONUS = "bonus"
"""The source that is no box and no extra yacht."""


class SheetFacts(Facts[SheetState, Any]):
    """Knows what this turn and the rest of the game bring.

    Attributes:
        sources: where points come from, by name, the boxes first.
        bonus: the points of the bonus.
    """

    sources: tuple[str, ...]
    bonus: int

    @abstractmethod
    def player(self, view: SheetState) -> TurnBot:
        """Return who makes the choices of the turn."""

    @abstractmethod
    def open_boxes(self, sheet: Any) -> int:
        """Return the open boxes as bits."""

    @abstractmethod
    def payments(self, rolls_left: int, rolls: Ints, writes: Ints) -> Ints:
        """Return (n,) numbers that tell apart what n rolls bring where they are written.

        Args:
            rolls_left: the rolls not used.
            rolls: (n,) the rolls.
            writes: (n,) the number of the write of each.
        """

    @abstractmethod
    def held(self, sheets: Sequence[Any]) -> Floats:
        """Return (n, sources) what each source of sheets holds already."""

    @abstractmethod
    def to_come(self, sheets: Sequence[Any]) -> Floats | None:
        """Return (n, sources) what each source still brings, None where no table tells."""

    def chances(self, view: SheetState) -> Mapping[str, Lane]:
        """Return by name the turn of a view solved for further chances, to be told of each move."""
        del view
        return {}

    def of(self, view: SheetState, moves: Sequence[Any], advice: Advice[Any]) -> list[Numbers]:
        """Return the numbers of some options."""
        del advice
        ends = _Ends(self, view)
        kept = ends.keeps() if view.rolls_left else np.zeros((0, 0))
        roll = ROLL_INDEX[view.dice or ()]
        writes = {move: at for at, move in enumerate(ends.player.writes)}
        found: list[Numbers] = []
        for move in moves:
            if isinstance(move, Keep):
                row = kept[KEEP_NUMBER[move]]
            else:
                row = ends.rows(view.rolls_left, np.array([roll]), np.array([writes[move]]))[0]
            found.append(self._numbers(view, ends, row))
        return found

    def _numbers(self, view: SheetState, ends: _Ends, row: Floats) -> dict[str, Any]:
        """Return a row by names."""
        boxes = view.rules.boxes
        numbers: dict[str, Any] = {"points_this_turn": float(row[0])}
        places = iter(row[1 + len(ends.player.writes) :].tolist())
        by_box = dict(zip(self.sources, places, strict=False)) if ends.has_sources else {}
        if by_box and self.bonus:
            numbers["bonus_chance"] = min(max(by_box[BONUS] / self.bonus, 0.0), 1.0)
        is_open = self.open_boxes(view.sheet)
        numbers["chance_of"] = {
            name: float(row[1 + box]) for box, name in enumerate(boxes) if is_open >> box & 1
        }
        if by_box:
            numbers["by_box"] = by_box
        return numbers | self.named_chances(dict(zip(ends.chances, places, strict=True)))

    def named_chances(self, chances: Mapping[str, float]) -> dict[str, float]:
        """Return the further chances as they are told."""
        return dict(chances)

    def speaks_for(self, numbers: Numbers) -> str:
        """Return what the turn brings, and how likely the bonus is where that is not certain."""
        parts = f"brings {told(numbers['points_this_turn'])} points this turn"
        chance = numbers.get("bonus_chance", 0.0)
        return f"{parts} and the bonus at {chance:.1%}" if TIE < chance < 1 - TIE else parts

    def gives_up(self, cost: float, best: Numbers, other: Numbers) -> str:
        """Return what another move gives up, and in which boxes."""
        return f"gives up {told(cost)} points{self.where(best, other)}"

    def where(self, best: Numbers, other: Numbers) -> str:
        """Return where another move loses and gains most, nothing where no table tells."""
        found = differences(best.get("by_box", {}), other.get("by_box", {}))
        return f": it {found}" if found else ""


class _Ends:
    """The ways to end one turn, each a row of numbers.

    Args:
        facts: knows the numbers of a game.
        view: the view.
    """

    def __init__(self, facts: SheetFacts, view: SheetState) -> None:
        self.facts = facts
        self.view = view
        self.player = facts.player(view)
        self.chances = facts.chances(view)
        self.has_sources = facts.to_come([view.sheet]) is not None
        self.before = facts.held([view.sheet])

    def keeps(self) -> Floats:
        """Return (462, columns) what follows each keep with the rolls of the view left."""
        choices = self.player.view_choices(self.view)
        kept = np.zeros((0, 0))
        for left in range(self.view.rolls_left):
            writes = choices[left] - FIRST_WRITE
            ends = np.flatnonzero(writes >= 0)
            if not left:  # the last roll is written whatever it is
                after = self.rows(left, ends, writes[ends])
            else:
                after = kept[np.minimum(choices[left], FIRST_WRITE - 1)]
                if len(ends):
                    after[ends] = self.rows(left, ends, writes[ends])
            kept = keep_values(after)
        return kept

    def rows(self, rolls_left: int, rolls: Ints, writes: Ints) -> Floats:
        """Return (n, columns) the rows of n writes.

        Args:
            rolls_left: the rolls not used.
            rolls: (n,) the rolls.
            writes: (n,) the number of the write of each.
        """
        rules, sheet, moves = self.view.rules, self.view.sheet, self.player.writes
        paid = self.facts.payments(rolls_left, rolls, writes)
        _, first, which = np.unique(paid, return_index=True, return_inverse=True)
        sheets = [
            rules.write(sheet, ROLLS[roll], rolls_left, moves[write])
            for roll, write in zip(rolls[first].tolist(), writes[first].tolist(), strict=True)
        ]
        held = self.facts.held(sheets)
        gained = np.delete(held - self.before, self.facts.sources.index(BONUS), axis=1)
        to_come = self.facts.to_come(sheets)
        sources = np.zeros((len(sheets), 0)) if to_come is None else held + to_come
        at = np.arange(len(rolls))
        chances = [
            turns.write_values(rolls, np.full(len(rolls), lane), rolls_left)[at, writes]
            for turns, lane in self.chances.values()
        ]
        return np.column_stack(
            [gained.sum(axis=1)[which], np.eye(len(moves))[writes], sources[which], *chances]
        )
