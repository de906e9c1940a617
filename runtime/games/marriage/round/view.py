"""What one seat knows of a round: a position that can be played on by itself.

The cards that it cannot know are then chance: those drawn from the stock, and the tiplu.  What
another seat does is refused where it cannot be, by what this seat knows.

If at the first show so few cards are left in the stock that all can be putali and master,
chance brings first whether there is a tiplu (true or false).
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

from ustad.runtime.core.errors import MoveError, OutcomeError, PositionError, shown
from ustad.runtime.core.game import CHANCE, OVER
from ustad.runtime.games.marriage.cards.cards import (
    CARD_NAMES,
    CARDS,
    NO_CARD,
    PUTALI,
    Cards,
    Ints,
    counts_of,
    flat,
    in_words,
    with_card,
    without,
)
from ustad.runtime.games.marriage.round.course import (
    after_tiplu_drawn,
    draws_tiplu,
    is_over,
    sees_tiplu,
)
from ustad.runtime.games.marriage.round.known import (
    Sight,
    cards_not_in_sight,
    chance_of_no_tiplu,
    unseen_cards,
)
from ustad.runtime.games.marriage.round.legality import (
    Known,
    check_finish_melds,
    check_move,
    moves_of,
)
from ustad.runtime.games.marriage.round.moves import (
    PILE,
    Draw,
    Finish,
    Move,
    Show,
    ShowDublees,
    cards_given_up,
)
from ustad.runtime.games.marriage.round.options import MarriageRules
from ustad.runtime.games.marriage.round.public import PublicState


class Waits(IntEnum):
    """What chance is to bring to a view."""

    NOTHING = 0
    CARD = 1
    TIPLU = 2
    WHETHER_TIPLU = 3


class View(NamedTuple):
    """What one seat knows of a round.

    Attributes:
        rules: the rules.
        public: what everybody sees.
        seat: who knows this.
        hand: its cards, without one that is still to come.
        drawn: the card that it has just drawn.
        tiplu: the tiplu if the seat sees it, or once the round is over.
        waits: what chance is to bring.
        maal: what each seat's cards pay, once the round is over and all hands lie open.
        net: what each seat wins, then too.
    """

    rules: MarriageRules
    public: PublicState
    seat: int
    hand: Cards
    drawn: int | None
    tiplu: int | None
    waits: Waits = Waits.NOTHING
    maal: tuple[int, ...] | None = None
    net: tuple[float, ...] | None = None

    @property
    def mine(self) -> bool:
        """Whether this seat is to move."""
        return self.public.to_move == self.seat

    def is_over(self) -> bool:
        """Tell whether the round is over."""
        return is_over(self.public.course) and not self.waits

    def current_player(self) -> int:
        """Return the seat to move, CHANCE or OVER."""
        if self.waits:
            return CHANCE
        return OVER if is_over(self.public.course) else self.public.to_move

    def _known(self) -> Known:
        return Known(self.hand if self.mine else None, self.tiplu)

    def legal_moves(self) -> Sequence[Move]:
        """Return the legal moves of this seat, none if another is to move."""
        if self.waits or not self.mine:
            return ()
        return moves_of(self.rules.numbers, self.public, self._known())

    def chance_outcomes(self) -> Sequence[tuple[int, float]]:
        """Return the cards that may come, each with its share of the cards not seen."""
        if not self.waits:
            return ()
        course, unseen = self.public.course, self.unseen()
        if self.waits == Waits.WHETHER_TIPLU:
            none = chance_of_no_tiplu(unseen, course.stock)
            return [(drawn, p) for drawn, p in ((True, 1 - none), (False, none)) if p > 0]
        if self.waits == Waits.TIPLU:
            unseen[PUTALI:] = 0
        elif course.shown and not course.tiplu_drawn:
            unseen[:PUTALI] = 0  # no card of the stock could be the tiplu
        total = int(unseen.sum())
        return [(card, int(count) / total) for card, count in enumerate(unseen) if count]

    # What follows.

    def apply(self, move: Any) -> View:
        """Return the view after a legal move of any seat, or after the card that chance brings."""
        if self.waits:
            return self._after_chance(move)
        if isinstance(move, int):
            raise OutcomeError("outcome: no chance is to fall here: expected a move")
        check_move(self.rules.numbers, self.public, self._known(), move)
        if not self.mine:
            _check_other(self, move)
        if isinstance(move, Show | ShowDublees) and draws_tiplu(self.public.course):
            without_tiplu = self._after(move, False)
            none = chance_of_no_tiplu(without_tiplu.unseen(), self.public.course.stock)
            if 0 < none < 1:
                return without_tiplu._replace(waits=Waits.WHETHER_TIPLU)
            return self._after(move, none == 0)
        return self._after(move, False)

    def _after(self, move: Any, tiplu_exists: bool) -> View:
        """Return the view after a legal move; a first show draws the tiplu if it exists."""
        public = self.public.after(move, tiplu_exists, self.rules.numbers)
        if not self.mine:
            return self._replace(public=public)
        if isinstance(move, Draw):
            if move.source == PILE:
                return self._replace(public=public)._with_card(self.public.top)
            return self._replace(public=public, waits=Waits.CARD)
        return self._replace(
            public=public,
            hand=without(self.hand, cards_given_up(move)),
            drawn=self.drawn if public.course.has_drawn else None,
        )._waiting_for_tiplu()

    def _waiting_for_tiplu(self) -> View:
        """Return the view, waiting for the tiplu if its seat comes to see it."""
        comes = self.tiplu is None and sees_tiplu(self.public.course, self.seat)
        return self._replace(waits=Waits.TIPLU if comes else Waits.NOTHING)

    def _with_card(self, card: int) -> View:
        return self._replace(hand=with_card(self.hand, card), drawn=card, waits=Waits.NOTHING)

    def _after_chance(self, outcome: Any) -> View:
        if self.waits == Waits.WHETHER_TIPLU:
            return self._after_whether(outcome)
        possible = {card for card, _ in self.chance_outcomes()}
        is_card = isinstance(outcome, int) and not isinstance(outcome, bool)
        if not is_card or outcome not in possible:
            name = CARD_NAMES[outcome] if is_card and 0 <= outcome < CARDS else outcome
            what = "tiplu" if self.waits == Waits.TIPLU else "card of the stock"
            raise OutcomeError(f"outcome: expected an unseen card as {what}, got {shown(name)}")
        if self.waits == Waits.TIPLU:
            return self._replace(tiplu=outcome, waits=Waits.NOTHING)
        return self._with_card(outcome)

    def _after_whether(self, drawn: Any) -> View:
        """Return the view once it is known whether the first show has drawn a tiplu."""
        if not isinstance(drawn, bool):
            raise OutcomeError(
                f"outcome: expected true or false, whether there is a tiplu, got {shown(drawn)}"
            )
        if not drawn:
            return self._replace(waits=Waits.NOTHING)
        course = after_tiplu_drawn(self.public.course, self.rules.numbers)
        return self._replace(public=self.public._replace(course=course))._waiting_for_tiplu()

    # What is known.

    def not_in_sight(self) -> Ints:
        """Return (54,) how many copies of each card do not lie before this seat's eyes now."""
        tiplu = NO_CARD if self.tiplu is None else self.tiplu
        return cards_not_in_sight(counts_of(self.hand), self.public.open_cards(), tiplu)

    def unseen(self) -> Ints:
        """Return (54,) how many copies of each card this seat has not seen."""
        return unseen_cards(self.not_in_sight(), self.public.held(), self.seat)

    def sight(self) -> Sight:
        """Return what this seat knows in numbers and counts, as bots take it."""
        own = self.public.seats[self.seat]
        return Sight(
            self.public.course,
            self.seat,
            counts_of(self.hand),
            counts_of(flat(own.laid)),
            counts_of(own.cards),
            self.unseen(),
            NO_CARD if self.tiplu is None else self.tiplu,
            self.public.top,
            self.public.discarded(self.seat),
        )

    def possible_tiplus(self) -> list[int]:
        """Return the cards that can be the tiplu, by what this seat knows."""
        if self.tiplu is not None:
            return [self.tiplu]
        return [card for card, count in enumerate(self.unseen()[:PUTALI]) if count > 0]

    def returns(self) -> tuple[float, ...]:
        """Return what each seat wins, once all hands lie open."""
        if self.net is None:
            if is_over(self.public.course):
                raise PositionError("position: the net is not known: the other hands are hidden")
            return (0.0,) * self.public.course.players
        return self.net

    def scores(self) -> tuple[float, ...]:
        """Return what each seat wins, nothing before it is known."""
        return self.net or (0.0,) * self.public.course.players

    def view(self, player: int) -> View:
        """Return this view, or refuse another seat's."""
        if player != self.seat:
            raise PositionError(
                f"position: it is what seat {self.seat} knows: expected the view of seat {player}"
            )
        return self


def _check_other(view: View, move: Move) -> None:
    """Raise MoveError if another seat cannot make a move, by what the view's seat knows."""
    if isinstance(move, Draw):
        return
    public, player = view.public, view.public.to_move
    cards, in_hand = cards_given_up(move), public.in_hand(player)
    if len(cards) > in_hand:
        raise MoveError(f"move: seat {player} holds {in_hand} cards only")
    if len(public.discards) == public.course.turns:
        held, unseen = public.held()[player], view.unseen()
    else:  # what was taken may have been discarded again, unremembered
        held, unseen = counts_of(()), view.not_in_sight()
    fresh = np.maximum(counts_of(cards) - held, 0)
    for card in cards:
        if fresh[card] > unseen[card]:
            raise MoveError(
                f"move: {CARD_NAMES[card]}: more copies of a card than there are: "
                "this seat sees the others"
            )
    room = in_hand - int(held.sum())
    if fresh.sum() > room:
        known = in_words(np.repeat(np.arange(CARDS), held).tolist())
        raise MoveError(f"move: seat {player} holds {known} and {room} other cards only")
    if isinstance(move, Finish) and not public.dublees(player):
        check_finish_melds(move.melds, view.possible_tiplus())
