"""Games of five dice in words: the sheets side by side, the dice, and what a player types."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ustad.runtime.core.entry import NARROW, Text
from ustad.runtime.core.errors import MoveError, shown
from ustad.runtime.games.five_dice.codec import SheetCodec
from ustad.runtime.games.five_dice.sheet import Keep, SheetState, Write
from ustad.runtime.games.five_dice.turn import FACES, ROLL_INDEX, ROLLS, Turn, sub_keeps

OPEN, DASH = ".", "-"
"""What stands in a box that is open, and for what brings nothing more."""


class Payment(NamedTuple):
    """What a write brings: the points that the box will hold, and others by name."""

    points: int
    beside: Mapping[str, int]

    def __str__(self) -> str:
        others = ", ".join(f"{points:+} {name}" for name, points in self.beside.items())
        return f"{self.points} ({others})" if others else str(self.points)


class SheetText(Text[SheetState, Any]):
    """Sheets, dice, keeps and writes in words.

    Args:
        codec: the same game as JSON, whose sheets hold what there is to tell.

    Attributes:
        upper_name: what the sum of the boxes ones to sixes is called.
        given_up: what stands in a box that was given up.
    """

    upper_name: str
    given_up: str

    def __init__(self, codec: SheetCodec) -> None:
        self._codec = codec

    # What each game says of its sheets.

    @abstractmethod
    def upper(self, sheet: Any) -> int:
        """Return the sum of the boxes ones to sixes."""

    @abstractmethod
    def bonus(self, rules: Any, sheet: Any) -> str:
        """Return what stands for the bonus: its points, open, or a dash if it is out of reach."""

    @abstractmethod
    def beside(self, rules: Any, sheet: Any) -> Mapping[str, int]:
        """Return the points of a sheet that stand in no box, by name; the bonus is one."""

    @abstractmethod
    def gives_up(self, box: str, points: int) -> bool:
        """Tell whether a box that holds so many points was given up."""

    @abstractmethod
    def wants_five(self, rules: Any, sheet: Any) -> bool:
        """Tell whether five equal dice would bring 50 points or more this turn."""

    @abstractmethod
    def remark(self, state: SheetState, seat: int) -> str:
        """Return a line on the sheet of a seat, empty for none."""

    # Moves.

    def describe_move(self, move: Any) -> str:
        """Return a keep or write in a few words."""
        if isinstance(move, Write):
            return f"write {move.box}"
        return f"keep {_dice_text(move.dice)}"

    def describe_step(self, before: SheetState, move: Any, after: SheetState) -> str:
        """Return the dice thrown, the dice kept, or the box written and what it brought."""
        seat = before.to_move
        if before.dice is None:
            return f"{self.does(seat, 'roll')} {_dice_text(move)}"
        if isinstance(move, Keep):
            return f"{self.does(seat, 'keep')} {_dice_text(move.dice)}"
        total = after.rules.total(after.sheets[seat])
        return f"{self.does(seat, 'write')} {self._written(before, move)}, total {total}"

    def describe_choice(self, state: SheetState, move: Any) -> str:
        """Return a keep, or a write with its points."""
        if isinstance(move, Write):
            return f"write {self._written(state, move)}"
        return self.describe_move(move)

    def _written(self, state: SheetState, move: Write) -> str:
        payment = self.payment(state, move)
        dash = ", a dash" if self._held(move.box, payment.points) == DASH else ""
        return f"{move.box} for {payment}{dash}"

    def payment(self, state: SheetState, move: Write) -> Payment:
        """Return what a legal write brings."""
        rules, old = state.rules, state.sheet
        new = rules.write(old, state.dice, state.rolls_left, move)
        before, after = self.beside(rules, old), self.beside(rules, new)
        gained = {name: after[name] - before[name] for name in after if after[name] != before[name]}
        return Payment(self._codec.sheet_to_json(rules, new)[move.box], gained)

    def wastes(self, state: SheetState, move: Any) -> bool:
        """Tell whether a write gives a box up though one may roll on or write another for more."""
        if not isinstance(move, Write) or not self._gives_up_now(state, move):
            return False
        others = [other for other in state.legal_moves() if isinstance(other, Write)]
        return state.rolls_left > 0 or not all(self._gives_up_now(state, o) for o in others)

    def _gives_up_now(self, state: SheetState, move: Write) -> bool:
        return self.gives_up(move.box, self.payment(state, move).points)

    def shortlist(self, options: Sequence[Any], top: int) -> Sequence[Any]:
        """Return the best keeps and the best writes, so many in all if there are as many."""
        keeps = [move for move in options if isinstance(move, Keep)]
        ends = [move for move in options if not isinstance(move, Keep)]
        kept = max(top // 2, top - len(ends))
        chosen = {*keeps[:kept], *ends[: top - len(keeps[:kept])]}
        return [move for move in options if move in chosen]

    def chances(self, view: SheetState) -> str:
        """Return the chance of five equal dice this turn, where these bring their points."""
        if not view.dice or not view.rolls_left or not self.wants_five(view.rules, view.sheet):
            return ""
        return f"five equal this turn, if you go for them: {_five_equal(view):.2%}"

    # What a player types.

    def prompt(self, state: SheetState) -> str:
        """Return what can be typed now."""
        keep = ["the dice to keep (0 to roll all)"] if state.rolls_left else []
        writes = any(isinstance(move, Write) for move in state.legal_moves())
        return ", or ".join(keep + ["a box to write"] * writes)

    def move_from_text(self, state: SheetState, text: str) -> Any:
        """Return the keep typed as its dice (``33 5``, ``0`` for none) or the box by its name.

        A box may be cut short as long as one open box alone begins that way.
        """
        word = text.strip().lower().removeprefix("keep").removeprefix("write").strip()
        digits = "0" if word == "nothing" else word.replace(" ", "").replace(",", "")
        move: Any
        if digits.isascii() and digits.isdigit():
            dice = () if digits == "0" else tuple(sorted(map(int, digits)))
            move = Keep(dice)
        else:
            name = word.replace(" ", "_").replace("-", "_")
            names = self._ends(state)
            found = [name] if name in names else [n for n in names if name and n.startswith(name)]
            if len(found) != 1:
                raise MoveError(f"{shown(text)}: expected {self._expected(state)}")
            move = names[found[0]]
        if move not in state.legal_moves():
            raise MoveError(f"{shown(text)}: expected {self._expected(state)}")
        return move

    def _ends(self, state: SheetState) -> dict[str, Any]:
        """Return the moves that end the turn, by what is typed for them."""
        ends = [move for move in state.legal_moves() if not isinstance(move, Keep)]
        return {self.describe_move(move).removeprefix("write "): move for move in ends}

    def _expected(self, state: SheetState) -> str:
        """Return what can be typed, the boxes by name."""
        dice = _dice_text(state.dice or ())
        keep = [f"some of the dice {dice} to keep (0 for none)"] if state.rolls_left else []
        ends = self._ends(state)
        return ", or ".join(keep + ([f"one of {', '.join(ends)}"] if ends else []))

    # The sheets.

    def describe(self, state: SheetState) -> str:
        """Return the sheets side by side, what each open box would hold now, and the dice.

        Where that is wider than :data:`NARROW`, the sheet of who is to move stands first with
        what the boxes would hold, and the others below.
        """
        sheets = [self._column(state, seat) for seat in range(len(state.sheets))]
        lines = self._table(state, sheets)
        if state.dice is not None:
            pays = self._pays_now(state)
            lines = self._table(state, [*sheets, pays])
            if max(map(len, lines)) > NARROW:
                own = sheets.pop(state.to_move)
                lines = [*self._table(state, [own, pays]), "", *self._table(state, sheets)]
        seat = self.you if state.is_over() else state.to_move
        remark = "" if seat is None else self.remark(state, seat)
        return "\n".join([*lines, *filter(None, [remark]), self._describe_turn(state)])

    def _table(self, state: SheetState, columns: Sequence[Mapping[str, str]]) -> list[str]:
        """Return the rows that columns have, in the order of the sheet, as lines."""
        boxes = state.rules.boxes
        names = ["", *boxes[:FACES], self.upper_name, "bonus", *boxes[FACES:]]
        others = {name for column in columns for name in column} - {*names, "total"}
        return [
            (f"{name:<15}" + "".join(column.get(name, " " * 7) for column in columns)).rstrip()
            for name in [*names, *sorted(others), "total"]
        ]

    def _column(self, state: SheetState, seat: int) -> dict[str, str]:
        """Return the sheet of a seat, a cell a row, its head under the empty name."""
        rules, sheet = state.rules, state.sheets[seat]
        held = self._codec.sheet_to_json(rules, sheet)
        others = {name: str(points) for name, points in self.beside(rules, sheet).items() if points}
        cells = {
            "": self.name(seat),
            **{box: self._held(box, held.get(box)) for box in rules.boxes},
            self.upper_name: str(self.upper(sheet)),
            **others,
            "bonus": self.bonus(rules, sheet),
            "total": str(rules.total(sheet)),
        }
        return {name: f"{cell:>7}" for name, cell in cells.items()}

    def _held(self, box: str, points: int | None) -> str:
        if points is None:
            return OPEN
        return self.given_up if self.gives_up(box, points) else str(points)

    def _pays_now(self, state: SheetState) -> dict[str, str]:
        """Return what each box that may be written would hold, and what it brings beside."""
        cells = {"": f"{'pays now':>9}"}
        for move in state.legal_moves():
            if isinstance(move, Write):
                payment = self.payment(state, move)
                others = "".join(f"  {n:+} {name}" for name, n in payment.beside.items())
                cells[move.box] = f"{self._held(move.box, payment.points):>9}{others}"
        return cells

    def _describe_turn(self, state: SheetState) -> str:
        if state.is_over():
            return "the game is over"
        if state.dice is not None:
            dice = f"dice {_dice_text(state.dice)}"
        else:
            dice = "to roll" + (f", keeping {_dice_text(state.kept)}" if state.kept else "")
        plural = "roll" if state.rolls_left == 1 else "rolls"
        return f"{self.name(state.to_move)}: {dice}, {state.rolls_left} {plural} left"


@cache
def _turn_for_five() -> Turn:
    """Return the turn that is worth 1 if it ends with five equal dice, else 0."""
    equal = np.array([float(roll[0] == roll[-1]) for roll in ROLLS])
    return Turn((equal, equal, equal))


def _five_equal(view: SheetState) -> float:
    """Return the chance that a turn ends with five equal dice if these alone are played for."""
    turn, roll = _turn_for_five(), view.dice or ()
    keeps = turn.keeps(view.rolls_left)[list(sub_keeps(roll))]
    return max(float(turn.stop[0][ROLL_INDEX[roll]]), float(keeps.max()))


def _dice_text(dice: Sequence[int]) -> str:
    return " ".join(map(str, dice)) or "nothing"
