"""Marriage in words."""

from __future__ import annotations

from collections import Counter
from typing import Any

from ustad.runtime.core.entry import Text
from ustad.runtime.core.errors import MoveError, shown
from ustad.runtime.games.marriage.cards.cards import CARD_NAMES, NO_CARD, PUTALI, in_words
from ustad.runtime.games.marriage.cards.melds import SHOW_MELDS, meld_names
from ustad.runtime.games.marriage.codec import CODEC
from ustad.runtime.games.marriage.round.course import NOBODY, before_first_draw, is_over
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
from ustad.runtime.games.marriage.round.public import PublicState
from ustad.runtime.games.marriage.round.view import View, Waits


class MarriageText(Text[View, Move]):
    """Hands, melds and moves in words."""

    note = (
        "Who has shown is told at once. Three laid tanelas are a show only once it is called. "
        "A putali or master thrown costs its points even in a round one wins."
    )

    # Text.

    def describe(self, state: View | Deal) -> str:
        """Return what the seat to move knows, as text; at the end of a round, all of it."""
        view = state if isinstance(state, View) else state.view(state.public.to_move)
        public, course = view.public, view.public.course
        lines = [_seat_text(public, seat) for seat in range(course.players)]
        top = "empty" if public.top == NO_CARD else f"{CARD_NAMES[public.top]} on top"
        lines.append(f"pile: {top}, stock: {course.stock} cards")
        if view.tiplu is not None:
            lines.append(f"tiplu: {CARD_NAMES[view.tiplu]}")
        elif course.tiplu_drawn:
            lines.append("tiplu: drawn, not seen by this seat")
        hands = {view.seat: view.hand}
        if isinstance(state, Deal) and state.is_over():
            hands = dict(enumerate(state.hands))  # all lie open at the end
        lines += [f"hand of seat {seat}: {in_words(hand)}".rstrip() for seat, hand in hands.items()]
        return "\n".join([*lines, *_end(view), *_what_comes(view)])

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
        step = super().describe_step(before, move, after)
        if isinstance(move, Draw) and move.source == PILE:
            step += f", the {CARD_NAMES[before.public.top]}"
        if after.public.course.tiplu_drawn and not before.public.course.tiplu_drawn:
            step += "; the tiplu is drawn"
        return step

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


def _seat_text(public: PublicState, seat: int) -> str:
    """Return what lies before a seat."""
    melds, laid = public.seats[seat]
    parts = ["laid " + " | ".join(map(in_words, laid))] if laid else []
    if public.shown(seat):
        parts.append("shown " + " | ".join(" ".join(meld_names(cards)) for cards in melds))
    return f"seat {seat}: " + (" ".join(parts) or "nothing on the table")


def _end(view: View) -> list[str]:
    """Return how the round has ended, if it has."""
    finisher = view.public.course.finisher
    if not is_over(view.public.course):
        return []
    end = "nobody finished" if finisher == NOBODY else f"seat {finisher} finished"
    lines = [f"the round is over: {end}"]
    if view.maal is not None and view.net is not None:
        maal, net = (" ".join(f"{int(points)}" for points in row) for row in (view.maal, view.net))
        lines.append(f"maal {maal}, net {net}")
    return lines


def _what_comes(view: View) -> list[str]:
    """Return what is to come, and what a player is told that beginners overlook."""
    public, course = view.public, view.public.course
    if is_over(course):
        return []
    if view.waits == Waits.WHETHER_TIPLU:
        return ["it is to be seen whether the stock has a card that can be the tiplu"]
    if view.waits:
        what = "tiplu" if view.waits == Waits.TIPLU else "card from the stock"
        return [f"seat {view.seat} waits for the {what}"]
    drawn = "" if view.drawn is None else f", has drawn {CARD_NAMES[view.drawn]}"
    lines = [f"seat {public.to_move} to {'discard' if course.has_drawn else 'draw'}{drawn}"]
    all_laid = len(public.seats[view.seat].laid) == SHOW_MELDS and not public.shown(view.seat)
    if view.mine and all_laid and before_first_draw(course, public.has_discarded):
        lines.append("three laid tanelas are a show only once it is called: show")
    if view.mine and course.has_drawn and view.hand and view.hand[-1] >= PUTALI:
        lines.append("a putali or master thrown costs its points even in a round one wins")
    return lines


TEXT = MarriageText()
