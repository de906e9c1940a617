"""Games of five dice in words: the sheets side by side, the dice, and what a player types."""

from __future__ import annotations

from typing import Any

from ustad.runtime.core.entry import Text
from ustad.runtime.core.errors import MoveError, shown
from ustad.runtime.games.five_dice.codec import SheetCodec
from ustad.runtime.games.five_dice.sheet import Keep, SheetState, Write


class SheetText(Text[SheetState, Any]):
    """Sheets, dice, keeps and writes in words.

    Args:
        codec: the same game as JSON, whose sheets hold what there is to tell.
    """

    def __init__(self, codec: SheetCodec) -> None:
        self._codec = codec

    def describe_move(self, move: Any) -> str:
        """Return a keep or write in a few words."""
        if isinstance(move, Write):
            return f"write {move.box}"
        return "keep " + (" ".join(map(str, move.dice)) or "nothing")

    def describe_step(self, before: SheetState, move: Any, after: SheetState) -> str:
        """Return the dice thrown, the dice kept, or the box written and what it brought."""
        if before.dice is None:
            return f"seat {before.to_move} rolls {' '.join(map(str, move))}"
        text = f"seat {before.to_move}: {self.describe_move(move)}"
        if isinstance(move, Keep):
            return text
        [event] = self._codec.events(before, move, after)
        return f"{text} for {event['gained']}, total {event['total']}"

    def prompt(self, state: SheetState) -> str:
        """Return what can be typed now."""
        keep = "the dice to keep (0 to roll all), or " if state.rolls_left else ""
        return f"{keep}a box that pays above"

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
            legal = [move for move in state.legal_moves() if not isinstance(move, Keep)]
            names = {self.describe_move(move).removeprefix("write "): move for move in legal}
            found = [name] if name in names else [n for n in names if name and n.startswith(name)]
            if len(found) != 1:
                raise MoveError(f"{shown(text)}: expected {self._expected(state)}")
            move = names[found[0]]
        if move not in state.legal_moves():
            raise MoveError(f"{shown(text)}: expected {self._expected(state)}")
        return move

    def _expected(self, state: SheetState) -> str:
        """Return what can be typed, the boxes by name."""
        boxes = [
            self.describe_move(move).removeprefix("write ")
            for move in state.legal_moves()
            if not isinstance(move, Keep)
        ]
        dice = " ".join(map(str, state.dice or ()))
        keep = f"some of the dice {dice} to keep (0 for none), or " if state.rolls_left else ""
        return f"{keep}one of {', '.join(boxes)}"

    def describe(self, state: SheetState) -> str:
        """Return the sheets side by side, what each open box would pay now, and the dice."""
        seats = range(len(state.sheets))
        columns = [self._codec.sheet_to_json(state.rules, sheet) for sheet in state.sheets]
        heads = [f"seat {seat}" for seat in seats]
        if state.dice is not None:
            columns.append(self._payments(state))
            heads.append("pays now")
        rows = dict.fromkeys([*state.rules.boxes, *(name for column in columns for name in column)])
        lines = [" " * 16 + "".join(f"{head:>10}" for head in heads)]
        lines += [
            f"{name:<16}" + "".join(f"{column.get(name, '.'):>10}" for column in columns)
            for name in rows
        ]
        lines.append(f"{'total':<16}" + "".join(f"{total:>10}" for total in state.totals()))
        lines += filter(None, [self.remark(state), self._describe_turn(state)])
        return "\n".join(lines)

    def remark(self, state: SheetState) -> str:
        """Return a line on the sheet of the seat whose turn it is, empty for none."""
        del state
        return ""

    def _payments(self, state: SheetState) -> dict[str, int]:
        """Return what each box that may be written now would add to the total."""
        writes = [move for move in state.legal_moves() if isinstance(move, Write)]
        total = state.rules.total(state.sheet)
        return {
            move.box: state.rules.total(state.apply(move).sheets[state.to_move]) - total
            for move in writes
        }

    def _describe_turn(self, state: SheetState) -> str:
        if state.is_over():
            return "the game is over"
        if state.dice is not None:
            dice = "dice " + " ".join(map(str, state.dice))
        else:
            dice = "to roll" + (f", keeping {' '.join(map(str, state.kept))}" if state.kept else "")
        plural = "roll" if state.rolls_left == 1 else "rolls"
        return f"seat {state.to_move}: {dice}, {state.rolls_left} {plural} left"
