"""Pasa in words: stacks, bets and throws, and what a player types."""

from __future__ import annotations

from typing import Any

from ustad.runtime.core.entry import Text
from ustad.runtime.core.errors import MoveError, shown
from ustad.runtime.core.game import CHANCE, OVER
from ustad.runtime.games.pasa.codec import CODEC
from ustad.runtime.games.pasa.rules import PasaState, bets_in_words


class PasaText(Text[PasaState, int]):
    """Stacks, bets and throws in words."""

    note = (
        "The list of throws is documented (2020); the betting is this app's own reading, taken "
        "from kauda. Chips are no money."
    )

    def describe(self, state: PasaState) -> str:
        """Return each seat's stack and bet, who has the dice, and how long the game goes on."""
        lines = [f"{'seat':>4}{'stack':>8}{'bet':>6}"]
        for seat, (stack, bet) in enumerate(zip(state.stacks, state.bets, strict=True)):
            has_dice = seat == state.thrower and not state.is_over()
            shown_bet = "dice" if has_dice else "." if bet is None else str(bet)
            lines.append(f"{seat:>4}{stack:>8}{shown_bet:>6}")
        turns = "1 turn" if state.turns_left == 1 else f"{state.turns_left} turns"
        seat = state.current_player()
        if seat == OVER:
            lines.append("the game is over")
        elif seat == CHANCE:
            lines.append(f"seat {state.thrower} throws, {turns} left")
        else:
            lines.append(f"seat {seat} bets against seat {state.thrower}, {turns} left")
        return "\n".join(lines)

    def describe_move(self, move: int) -> str:
        """Return a bet in a few words."""
        return f"bet {move}"

    def describe_step(self, before: PasaState, move: Any, after: PasaState) -> str:
        """Return a bet, or a throw with its sum, its name and what it moved."""
        if before.current_player() != CHANCE:
            return f"seat {before.current_player()}: {self.describe_move(move)}"
        event, *skipped = CODEC.events(before, move, after)
        name = f", {event['named'].replace('_', ' ')}" if "named" in event else ""
        faces = " ".join(map(str, move))
        total = abs(event["gained"][before.thrower])
        moved = {"paro": f" takes {total}", "tiro": f" pays {total}", "bachyo": " throws again"}
        text = f"{faces} is {event['sum']}{name}: {event['result']}, seat {before.thrower}"
        skips = "".join(f"; seat {skip['skipped']} has no chips, skipped" for skip in skipped)
        return text + moved[event["result"]] + skips

    def prompt(self, state: PasaState) -> str:
        """Return what can be typed now."""
        bets = bets_in_words(state.legal_moves())
        return f"your bet in stakes: {bets} (the last is the most allowed)"

    def move_from_text(self, state: PasaState, text: str) -> int:
        """Return the bet typed as a number."""
        word = text.strip().lower().removeprefix("bet").strip()
        if word.isascii() and word.isdigit() and len(word) < 10:
            bet = int(word)
            if bet in state.legal_moves():
                return bet
        raise MoveError(f"{shown(text)}: expected {self.prompt(state)}")


TEXT = PasaText()
