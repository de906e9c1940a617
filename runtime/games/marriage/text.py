"""Marriage in words.

What one seat knows is told to the person in that seat, who is "you".  Shows and finishes have
numbers, in the order of the legal moves, wherever they are told or typed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from ustad.runtime.core.entry import Text
from ustad.runtime.core.errors import MoveError, shown
from ustad.runtime.core.game import CHANCE
from ustad.runtime.games.marriage.cards.cards import (
    CARD_NAMES,
    NO_CARD,
    PUTALI,
    Melds,
    in_words,
)
from ustad.runtime.games.marriage.cards.melds import SHOW_MELDS, meld_names
from ustad.runtime.games.marriage.codec import CODEC
from ustad.runtime.games.marriage.hand_text import hand_lines, outlook_in_words, tiplu_in_words
from ustad.runtime.games.marriage.round.course import NOBODY, before_first_draw, is_over
from ustad.runtime.games.marriage.round.deal import Deal
from ustad.runtime.games.marriage.round.moves import (
    PILE,
    STOCK,
    Discard,
    Draw,
    Finish,
    Lay,
    Move,
    Show,
    ShowDublees,
)
from ustad.runtime.games.marriage.round.view import View, Waits

TOLD = 6
"""How many shows, and how many finishes, are told on the screen; the help tells all."""

NUMBERED = {Show: "show", ShowDublees: "dublees", Finish: "finish"}
"""The word for each kind of move that is typed by its number."""


class MarriageText(Text[View, Move]):
    """Hands, melds and moves in words."""

    note = (
        "Who has shown is told at once. Three laid tanelas are a show only once it is called. "
        "A putali or master thrown costs its points even in a round one wins."
    )
    again = "another round"
    outline = (
        "Bring 21 cards into melds. Each turn: draw a card from the\n"
        "stock or take the top of the pile, show or finish if you can\n"
        "and want, discard one card.\n"
        "Tanela: three cards of one rank and suit. Pure sequence:\n"
        "three following ranks of one suit, the ace low or high.\n"
        "Dublee: two identical cards. Trial: one rank, three suits.\n"
        "Show: three melds of three cards at once, tanelas or pure\n"
        "sequences, no joker; or seven dublees. The first show draws\n"
        "the tiplu, which you see once you have shown.\n"
        "Before your first draw, and only then, you may lay dealt\n"
        "tanelas (5 points each, once you see the tiplu) and show\n"
        "the dealt hand.\n"
        "Finish: after the show the other twelve cards in melds,\n"
        "trials and jokers too, and one card to discard; after seven\n"
        "dublees an eighth one.\n"
        "Maal, for all your cards: tiplu 3; poplu, the next rank, and\n"
        "jhiplu, the rank below, 2; all three, a marriage, 10; alter,\n"
        "the other suit of the colour, 5; putali (PJ) 5; master (MJ)\n"
        "10. All are jokers, the tiplu's rank in the other colour\n"
        "too. Who never shows scores putali and master alone.\n"
        "At the end each pays each the difference of their maal;\n"
        "who finishes takes 3 from each who has shown, 10 from each\n"
        "who has not.\n"
        "Cards: rank and S, H, D, C: 7H, 10D, AS. Type stock or pile\n"
        "to draw; lay 7H; show 1, dublees 1, finish 1 by the number;\n"
        "a card to discard it."
    )

    # Text.

    def describe(self, state: View | Deal) -> str:
        """Return what the seat to move knows, as text; at the end of a round, all of it."""
        view = state if isinstance(state, View) else state.view(self._reader(state))
        told = self._of(state)
        public, course = view.public, view.public.course
        lines = list(told._table(view))
        top = "empty" if public.top == NO_CARD else f"{CARD_NAMES[public.top]} on top"
        dealt = f"{told.name(course.dealer)} dealt"
        lines.append(f"pile: {top}; stock: {course.stock} cards; {dealt}")
        if view.tiplu is not None:
            lines.append(tiplu_in_words(view.tiplu))
        elif course.tiplu_drawn:
            lines.append("the tiplu is drawn; you do not see it yet")
        if is_over(course):
            hands = dict(enumerate(state.hands)) if isinstance(state, Deal) else {}
            for seat, hand in (hands or {view.seat: view.hand}).items():
                if hand:
                    lines.append(f"{told._whose(seat)} hand: {in_words(hand)}")
        else:
            lines += hand_lines(view)
        # Who plays finds all of many choices in the help, who asks finds them here.
        most = None if self.you is None else TOLD
        lines += [*told._end(view), *told._what_comes(view), *_choices(view, most)]
        return "\n".join(lines)

    def describe_move(self, move: Move) -> str:
        """Return a move in a few words."""
        if isinstance(move, Draw):
            return f"draw {move.source}"
        if isinstance(move, Lay):
            return f"lay {in_words(move.cards)}"
        if isinstance(move, Discard):
            return f"discard {CARD_NAMES[move.card]}"
        if isinstance(move, Finish):
            return f"finish {_in_melds(move.melds)}, discard {CARD_NAMES[move.discard]}"
        if isinstance(move, Show):
            return f"show {_in_melds(move.melds)}".strip()
        return f"show dublees {_in_melds(move.melds)}"

    def describe_step(self, before: Any, move: Any, after: Any) -> str:
        """Return what a seat did, and what the person in another comes to see by it."""
        if before.current_player() == CHANCE:
            return super().describe_step(before, move, after)
        seat, told = before.public.to_move, self if isinstance(before, Deal) else self._of(before)
        line = told._does(seat, move, before, after)
        if after.public.course.tiplu_drawn and not before.public.course.tiplu_drawn:
            line += "; the tiplu is drawn"
        if isinstance(after, Deal) and self.you is not None and not after.is_over():
            tiplu = after.view(self.you).tiplu
            if tiplu is not None and before.view(self.you).tiplu is None:
                line += f"; you see the tiplu: {CARD_NAMES[tiplu]}"
        return line

    def describe_outcome(self, outcome: int) -> str:
        """Return the card that came, or whether there is a tiplu."""
        return shown(CODEC.outcome_to_json(outcome))

    def describe_choice(self, state: View | Deal, move: Move) -> str:
        """Return a move; a show or finish by its number, with its cards."""
        number = self.choice(state, move)
        if type(move) not in NUMBERED:
            return number
        return _choice(number, move)

    def choice(self, state: View | Deal, move: Move) -> str:
        """Return what a legal move is called: shows and finishes by their numbers."""
        if type(move) not in NUMBERED:
            return self.describe_move(move)
        return next(
            (name for name, found in numbered(state.legal_moves()) if found == move),
            self.describe_move(move),
        )

    def outlook(self, state: View | Deal, move: Move) -> str:
        """Return how far the hand is from a show or finish after a discard, and by what outs."""
        if not isinstance(move, Discard):
            return ""
        view = state if isinstance(state, View) else state.view(state.public.to_move)
        return outlook_in_words(view, move.card)

    def help(self, state: View | Deal) -> str:
        """Return the rules, the terms, and every show and finish by its number."""
        lines = [f"  {_choice(*choice)}" for choice in numbered(state.legal_moves())]
        return "\n".join([self.outline, *(["you can:"] if lines else []), *lines])

    def result(self, state: Any) -> str:
        """Return who won a finished round, and how much, and what you have."""
        net, finisher = state.returns(), state.public.course.finisher
        most = max(net)
        winners = [seat for seat, points in enumerate(net) if points == most]
        won = f"{' and '.join(map(self.name, winners))} won the round with {most:+g}"
        if finisher == NOBODY:
            won += " by maal alone"
        elif winners != [finisher]:
            won += f" by maal; {self.name(finisher)} finished"
        loses = self.you is not None and self.you not in winners
        return f"{won}\nyou: {net[self.you]:+g}" if loses else won

    def account(self, returns: Sequence[Sequence[float]]) -> str:
        """Return what each seat has won or lost over the rounds."""
        sums = [sum(points) for points in zip(*returns, strict=True)]
        rounds = f"{len(returns)} round{'s' if len(returns) > 1 else ''}"
        seats = ", ".join(f"{self.name(seat)} {points:+g}" for seat, points in enumerate(sums))
        return f"after {rounds}: {seats}"

    def prompt(self, state: View | Deal) -> str:
        """Return what can be typed now."""
        moves = list(state.legal_moves())
        words = [self.describe_move(move) for move in moves if isinstance(move, Draw)]
        if Draw(PILE) in moves:
            words[-1] += f" ({CARD_NAMES[state.public.top]})"
        words += [f"lay {CARD_NAMES[move.cards[0]]}" for move in moves if isinstance(move, Lay)]
        for kind, word in NUMBERED.items():
            count = sum(isinstance(move, kind) for move in moves)
            if count:
                words.append(f"{word} 1" if count == 1 else f"{word} 1 to {word} {count}")
        cards = [move.card for move in moves if isinstance(move, Discard)]
        if cards:
            words.append(f"a card to discard, such as {CARD_NAMES[cards[0]]}")
        return ", ".join(words)

    def move_from_text(self, state: View | Deal, text: str) -> Move:
        """Return the legal move typed: ``stock``, ``pile``, ``lay 7H``, ``show 2``, ``7H``."""
        moves = list(state.legal_moves())
        typed = " ".join(text.strip().lower().split())
        choices: dict[str, Move] = {}
        for name, move in numbered(moves):
            # The first one of each kind may be typed without its number.
            for key in (name.removesuffix(" 1"), name, self.describe_move(move)):
                choices.setdefault(key.lower(), move)
        for move in moves:
            for key in _keys(move):
                choices.setdefault(key.lower(), move)
        if typed not in choices:
            raise MoveError(f"{shown(text.strip())}: expected {self.prompt(state)}")
        return choices[typed]

    # Who reads.

    def _reader(self, deal: Deal) -> int:
        """Return who looks at a whole round: the person, else the seat to move."""
        return deal.public.to_move if self.you is None else self.you

    def _of(self, state: View | Deal) -> MarriageText:
        """Return the words for who looks: the person, else the seat whose view it is."""
        if self.you is not None or (isinstance(state, Deal) and state.is_over()):
            return self
        return self.read_by(state.seat if isinstance(state, View) else state.public.to_move)

    def _whose(self, seat: int) -> str:
        return "your" if seat == self.you else f"{self.name(seat)}'s"

    def _does(self, seat: int, move: Move, before: Any, after: Any) -> str:
        """Return what a seat does, a card that it draws only if it is the person's."""
        if isinstance(move, Draw):
            if move.source != STOCK:
                return f"{self.does(seat, 'take')} {CARD_NAMES[before.public.top]} from the pile"
            mine = isinstance(after, Deal) and seat == self.you and after.drawn is not None
            card = f" {CARD_NAMES[after.drawn]}" if mine else ""
            return f"{self.does(seat, 'draw')}{card} from the stock"
        if isinstance(move, Discard):
            return f"{self.does(seat, 'discard')} {CARD_NAMES[move.card]}"
        if isinstance(move, Lay):
            return f"{self.does(seat, 'lay')} the tanela {in_words(move.cards)}"
        if isinstance(move, Finish):
            finishes, discards = self.does(seat, "finish"), CARD_NAMES[move.discard]
            return f"{finishes}: {_in_melds(move.melds)}, and the discard {discards}"
        if isinstance(move, ShowDublees):
            return f"{self.does(seat, 'show')} seven dublees: {_in_melds(move.melds)}"
        return f"{self.does(seat, 'show')} {_in_melds(move.melds) or 'the tanelas laid'}"

    # Parts of the screen.

    def _table(self, view: View) -> Iterator[str]:
        """Yield what lies before each seat."""
        public, bare = view.public, []
        for seat, (melds, laid) in enumerate(public.seats):
            parts = ["laid " + _in_melds(laid)] if laid else []
            if public.shown(seat):
                parts.append(f"shown {_in_melds(melds)}".strip())
            if parts:
                yield f"{self.name(seat)}: {'; '.join(parts)}"
            else:
                bare.append(self.name(seat))
        if bare:
            yield "nothing on the table: " + ", ".join(bare)

    def _end(self, view: View) -> Iterator[str]:
        """Yield how the round has ended, if it has."""
        course, finisher = view.public.course, view.public.course.finisher
        if not is_over(course):
            return
        end = "the stock is used up, nobody has finished"
        if finisher != NOBODY:
            end = f"{self.name(finisher)} {'have' if finisher == self.you else 'has'} finished"
        yield f"the round is over: {end}"
        if view.maal is not None and view.net is not None:
            yield f"{'':<8}{'maal':>6}{'net':>6}"
            for seat, (maal, net) in enumerate(zip(view.maal, view.net, strict=True)):
                unshown = "" if view.public.shown(seat) else "  not shown"
                yield f"{self.name(seat):<8}{maal:>6}{net:>+6g}{unshown}"

    def _what_comes(self, view: View) -> Iterator[str]:
        """Yield what is to come, and what a player is told that beginners overlook."""
        public, course = view.public, view.public.course
        if is_over(course):
            return
        if view.waits == Waits.WHETHER_TIPLU:
            yield "it is to be seen whether the stock has a card that can be the tiplu"
        elif view.waits:
            what = "tiplu" if view.waits == Waits.TIPLU else "card from the stock"
            yield f"{self.does(view.seat, 'wait')} for the {what}"
        else:
            drawn = "" if view.drawn is None else f"; drawn: {CARD_NAMES[view.drawn]}"
            what = "discard" if course.has_drawn else "draw"
            yield f"{'your turn:' if view.mine else self.name(public.to_move)} to {what}{drawn}"
            all_laid = len(public.seats[view.seat].laid) == SHOW_MELDS
            uncalled = view.mine and all_laid and not public.shown(view.seat)
            if uncalled and before_first_draw(course, public.has_discarded):
                yield "three laid tanelas are a show only once it is called: show"
            if view.mine and course.has_drawn and view.hand and view.hand[-1] >= PUTALI:
                yield "a putali or master thrown costs its points even if you win"


def _choices(view: View, most: int | None) -> Iterator[str]:
    """Yield the shows and finishes by their numbers, of each kind so many at most."""
    moves = list(view.legal_moves())
    for kind, word in NUMBERED.items():
        named = [(name, move) for name, move in numbered(moves) if isinstance(move, kind)]
        for name, move in named[:most]:
            yield f"  {_choice(name, move)}"
        if most is not None and len(named) > most:
            yield f"  ... up to {word} {len(named)}: h tells all"


def numbered(moves: Sequence[Move]) -> Iterator[tuple[str, Move]]:
    """Yield the shows and finishes among moves, each with its name: ``show 2``."""
    counts: Counter[type] = Counter()
    for move in moves:
        if type(move) in NUMBERED:
            counts[type(move)] += 1
            yield f"{NUMBERED[type(move)]} {counts[type(move)]}", move


def _choice(name: str, move: Move) -> str:
    """Return a show or finish by its number, and its cards."""
    assert isinstance(move, Show | ShowDublees | Finish)
    discard = f", discard {CARD_NAMES[move.discard]}" if isinstance(move, Finish) else ""
    return f"{name}: {_in_melds(move.melds) or 'the tanelas laid'}{discard}"


def _keys(move: Move) -> list[str]:
    """Return what a draw, a tanela to lay, or a discard can be typed as."""
    if isinstance(move, Draw):
        return [move.source, f"draw {move.source}"]
    if isinstance(move, Lay):
        return ["lay", f"lay {CARD_NAMES[move.cards[0]]}", f"lay {in_words(move.cards)}"]
    if isinstance(move, Finish):
        return [f"finish {CARD_NAMES[move.discard]}"]
    if isinstance(move, Discard):
        name = CARD_NAMES[move.card]
        return [name, f"discard {name}", f"throw {name}"]
    return []


def _in_melds(melds: Melds) -> str:
    return " | ".join(" ".join(meld_names(cards)) for cards in melds)


TEXT = MarriageText()
