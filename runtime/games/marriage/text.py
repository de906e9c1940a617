"""Marriage in words."""

from __future__ import annotations

from collections import Counter
from typing import Any

from ustad.runtime.core.entry import Text
from ustad.runtime.core.errors import MoveError, shown
from ustad.runtime.games.marriage.cards.cards import CARD_NAMES, PUTALI, in_words
from ustad.runtime.games.marriage.cards.melds import meld_names
from ustad.runtime.games.marriage.codec import CODEC
from ustad.runtime.games.marriage.round.deal import Deal
from ustad.runtime.games.marriage.round.moves import (
    PILE,
    Discard,
    Draw,
    Finish,
    Lay,
    Move,
    Show,
    ShowDublees,
)
from ustad.runtime.games.marriage.round.public import DISCARD
from ustad.runtime.games.marriage.round.view import WAITS_FOR_A_DRAW, WAITS_FOR_TIPLU, View


class MarriageText(Text[View, Move]):
    """Hands, melds and moves in words."""

    note = (
        "Who has shown is told at once. Three laid tanelas are a show only once it is called. "
        "A putali or master thrown costs its points even in a round one wins."
    )

    # Text.

    def describe(self, state: View | Deal) -> str:
        """Return what the seat to move knows, as text; at the end of a round, all of it."""
        view = state if isinstance(state, View) else state.view(state.table.to_move)
        table = view.table
        lines = []
        for at, seat in enumerate(table.seats):
            parts = [f"seat {at}:"]
            if seat.laid:
                parts.append("laid " + " | ".join(map(in_words, seat.laid)))
            if seat.shown:
                parts.append("shown " + " | ".join(" ".join(meld_names(m)) for m in seat.melds))
            lines.append(" ".join(parts) if len(parts) > 1 else f"seat {at}: nothing on the table")
        lines.append(
            "pile: "
            + (CARD_NAMES[table.pile[-1]] + " on top" if table.pile else "empty")
            + f", stock: {table.stock} cards"
        )
        if view.tiplu is not None:
            lines.append(f"tiplu: {CARD_NAMES[view.tiplu]}")
        elif table.tiplu_drawn:
            lines.append("tiplu: drawn, not seen by this seat")
        hands = {view.seat: view.hand}
        if isinstance(state, Deal) and table.over:
            hands = dict(enumerate(state.hands))  # all lie open at the end
        lines += [f"hand of seat {seat}: {in_words(hand)}".rstrip() for seat, hand in hands.items()]
        if table.over:
            end = "nobody finished" if table.finisher is None else f"seat {table.finisher} finished"
            lines.append(f"the round is over: {end}")
            if view.maal is not None and view.net is not None:
                lines.append(
                    "maal "
                    + " ".join(map(str, view.maal))
                    + ", net "
                    + " ".join(str(int(points)) for points in view.net)
                )
        elif view.waits == WAITS_FOR_A_DRAW:
            lines.append("it is to be seen whether the stock has a card that can be the tiplu")
        elif view.waits:
            what = "tiplu" if view.waits == WAITS_FOR_TIPLU else "card from the stock"
            lines.append(f"seat {view.seat} waits for the {what}")
        else:
            drawn = "" if view.drawn is None else f", has drawn {CARD_NAMES[view.drawn]}"
            lines.append(f"seat {table.to_move} to {table.phase}{drawn}")
            lines += self._reminders(view)
        return "\n".join(lines)

    @staticmethod
    def _reminders(view: View) -> list[str]:
        """Return what a player is told that beginners overlook."""
        found = []
        table, own = view.table, view.table.seats[view.seat]
        if table.first_draw_to_come and view.mine and len(own.laid) == 3 and not own.shown:
            found.append("three laid tanelas are a show only once it is called: show")
        if view.mine and table.phase == DISCARD and view.hand and view.hand[-1] >= PUTALI:
            found.append("a putali or master thrown costs its points even in a round one wins")
        return found

    def describe_move(self, move: Move) -> str:
        """Return a move in a few words."""
        if isinstance(move, Draw):
            return f"draw {move.source}"
        if isinstance(move, Lay):
            return f"lay {in_words(move.cards)}"
        if isinstance(move, Discard):
            return f"discard {CARD_NAMES[move.card]}"
        laid = " | ".join(" ".join(meld_names(cards)) for cards in move.melds)
        if isinstance(move, Finish):
            return f"finish {laid}, discard {CARD_NAMES[move.discard]}"
        if isinstance(move, Show):
            return f"show {laid}".strip()
        return f"show dublees {laid}"

    def describe_step(self, before: Any, move: Any, after: Any) -> str:
        """Return what a move did, with the card if it was taken from the pile."""
        told = super().describe_step(before, move, after)
        if isinstance(move, Draw) and move.source == PILE:
            told += f", the {CARD_NAMES[before.table.pile[-1]]}"
        if after.table.tiplu_drawn and not before.table.tiplu_drawn:
            told += "; the tiplu is drawn"
        return told

    def describe_outcome(self, outcome: int) -> str:
        """Return the card that came, or whether there is a tiplu."""
        return shown(CODEC.outcome_to_json(outcome))

    def prompt(self, state: View | Deal) -> str:
        """Return what can be typed now."""
        moves = list(state.legal_moves())
        words = [self.describe_move(move) for move in moves if isinstance(move, Draw | Lay)]
        for kind, word in ((Show, "show"), (ShowDublees, "show dublees"), (Finish, "finish")):
            count = sum(isinstance(move, kind) for move in moves)
            if count:
                words.append(word if count == 1 else f"{word} 1 to {word} {count}")
        if any(isinstance(move, Discard) for move in moves):
            words.append("a card to discard, such as 7H")
        return ", ".join(words)

    def move_from_text(self, state: View | Deal, text: str) -> Move:
        """Return the legal move typed: ``stock``, ``pile``, ``lay 7H``, ``show 2``, ``7H``."""
        moves = list(state.legal_moves())
        words = text.strip().lower().split()
        typed = " ".join(words)
        choices: dict[str, Move] = {}
        numbers: Counter[str] = Counter()
        for move in moves:
            if isinstance(move, Draw):
                keys = [move.source, f"draw {move.source}"]
            elif isinstance(move, Lay):
                keys = ["lay", f"lay {CARD_NAMES[move.cards[0]]}", f"lay {in_words(move.cards)}"]
            elif isinstance(move, Discard):
                name = CARD_NAMES[move.card]
                keys = [name, f"discard {name}", f"throw {name}"]
            else:
                word = {Show: "show", ShowDublees: "show dublees", Finish: "finish"}[type(move)]
                numbers[word] += 1
                keys = [word, f"{word} {numbers[word]}", self.describe_move(move)]
            for key in keys:
                choices.setdefault(key.lower(), move)
        if typed not in choices:
            raise MoveError(f"{shown(text.strip())}: expected {self.prompt(state)}")
        return choices[typed]


TEXT = MarriageText()
