"""Pasa in words: stacks, bets and throws, and what a player types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ustad.runtime.core.entry import Text
from ustad.runtime.core.errors import MoveError, shown
from ustad.runtime.core.game import CHANCE, OVER
from ustad.runtime.games.pasa.codec import CODEC
from ustad.runtime.games.pasa.rules import PasaState, Result, bets_in_words


class PasaText(Text[PasaState, int]):
    """Stacks, bets and throws in words."""

    note = (
        "The list of throws is documented (2020); the betting is this app's own reading, taken "
        "from kauda. Chips are no money."
    )

    outline = (
        "The seats with chips bet against the thrower, then three\n"
        "dice with the faces 1, 2, 5, 6 fall. Paro, a sum of 13, 15,\n"
        "17 or 18: the thrower takes every bet and throws again.\n"
        "Tiro, 3, 4, 6 or 9: the thrower pays every bet and the next\n"
        "seat gets the dice. Bachyo, any other sum: the bets stay and\n"
        "the dice are thrown again. The largest stack wins when the\n"
        "turns are played. Type a bet in stakes, such as 2."
    )

    def describe(self, state: PasaState) -> str:
        """Return each seat's stack and bet, who has the dice, and how long the game goes on."""
        lines = [f"{'seat':>4}{'stack':>8}{'bet':>6}"]
        for seat, (stack, bet) in enumerate(zip(state.stacks, state.bets, strict=True)):
            has_dice = seat == state.thrower and not state.is_over()
            shown_bet = "dice" if has_dice else "." if bet is None else str(bet)
            mine = "  you" if seat == self.you else ""
            lines.append(f"{seat:>4}{stack:>8}{shown_bet:>6}{mine}")
        turns = "1 turn" if state.turns_left == 1 else f"{state.turns_left} turns"
        seat = state.current_player()
        if seat == OVER:
            lines.append("the game is over")
        elif seat == CHANCE:
            lines.append(f"{self.does(state.thrower, 'throw')}, {turns} left")
        else:
            bets, thrower = self.does(seat, "bet"), self.name(state.thrower)
            lines.append(f"{bets} against {thrower}, {turns} left")
        return "\n".join(lines)

    def describe_move(self, move: int) -> str:
        """Return a bet in a few words."""
        return f"bet {move}"

    def describe_step(self, before: PasaState, move: Any, after: PasaState) -> str:
        """Return a bet, or a throw with its sum, its name, and who pays whom."""
        if before.current_player() != CHANCE:
            return f"{self.name(before.current_player())}: {self.describe_move(move)}"
        event, *skipped = CODEC.events(before, move, after)
        name = f", {event['named'].replace('_', ' ')}" if "named" in event else ""
        faces = " ".join(map(str, move))
        skips = "".join(
            f"; {self.name(skip['skipped'])} {self._has(skip['skipped'])} no chips, skipped"
            for skip in skipped
        )
        return (
            f"{self.does(before.thrower, 'throw')} {faces}, the sum is {event['sum']}{name}: "
            f"{event['result']}{self._payments(before, event)}{skips}"
        )

    def _has(self, seat: int) -> str:
        return "have" if seat == self.you else "has"

    def _payments(self, before: PasaState, event: Mapping[str, Any]) -> str:
        """Return who pays whom after a throw, a line each."""
        if event["result"] == Result.BACHYO:
            return f", nobody pays, {self.does(before.thrower, 'throw')} again"
        bets = [(seat, bet) for seat, bet in enumerate(before.bets) if bet]
        thrower = self.name(before.thrower)
        if event["result"] == Result.PARO:
            paid = [f"{self.does(seat, 'pay')} {thrower} {bet}" for seat, bet in bets]
        else:
            pays = self.does(before.thrower, "pay")
            paid = [f"{pays} {self.name(seat)} {bet}" for seat, bet in bets]
        return "".join(f"\n  {payment}" for payment in paid)

    def chance_prompt(self, state: PasaState) -> str:
        """Return that it is on the person to throw."""
        mine = state.current_player() == CHANCE and state.thrower == self.you
        return "you have the dice: Enter to throw" if mine else ""

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
