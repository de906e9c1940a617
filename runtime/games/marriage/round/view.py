"""View."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from ustad.runtime.core.errors import MoveError, OutcomeError, PositionError, shown
from ustad.runtime.core.game import CHANCE, OVER
from ustad.runtime.games.marriage.cards.cards import (
    CARD_NAMES,
    CARDS,
    PUTALI,
    Cards,
    Ints,
    Melds,
    flat,
    in_words,
    without,
)
from ustad.runtime.games.marriage.cards.maal import joker_mask
from ustad.runtime.games.marriage.cards.melds import is_finish_meld
from ustad.runtime.games.marriage.round.known import (
    chance_of_no_tiplu,
    held_by,
    not_in_sight,
    unseen_counts,
)
from ustad.runtime.games.marriage.round.legality import Known, check_move, moves_of
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
from ustad.runtime.games.marriage.round.options import MarriageRules
from ustad.runtime.games.marriage.round.public import Table, sees_at_once

WAITS_FOR_NOTHING, WAITS_FOR_CARD, WAITS_FOR_TIPLU, WAITS_FOR_A_DRAW = range(4)
"""What chance is to bring to a view; the last: whether the stock has a tiplu to draw."""


class View(NamedTuple):
    """What one seat knows of a round.

    ``hand`` is its own, without a card that is still to come; ``drawn`` the card
    it has just drawn; ``waits`` tells what chance is to bring.  ``maal`` and
    ``net`` are known once the round is over and all hands lie open.
    """

    rules: MarriageRules
    table: Table
    seat: int
    hand: Cards
    drawn: int | None
    tiplu: int | None
    waits: int = WAITS_FOR_NOTHING
    maal: tuple[int, ...] | None = None
    net: tuple[float, ...] | None = None

    @property
    def mine(self) -> bool:
        """Whether this seat is to move."""
        return self.table.to_move == self.seat

    def is_over(self) -> bool:
        """Tell whether the round is over."""
        return self.table.over and not self.waits

    def current_player(self) -> int:
        """Return the seat to move, CHANCE or OVER."""
        if self.waits:
            return CHANCE
        return OVER if self.table.over else self.table.to_move

    def _known(self) -> Known:
        return Known(self.hand if self.mine else None, self.drawn, self.tiplu)

    def legal_moves(self) -> Sequence[Move]:
        """Return the legal moves of this seat, none if another is to move."""
        if self.waits or not self.mine:
            return ()
        return moves_of(self.rules, self.table, self._known())

    def chance_outcomes(self) -> Sequence[tuple[int, float]]:
        """Return the cards that may come, each with its share of the cards not seen."""
        if not self.waits:
            return ()
        unseen = self.unseen()
        if self.waits == WAITS_FOR_A_DRAW:
            none = chance_of_no_tiplu(unseen, self.table.stock)
            return [(drawn, p) for drawn, p in ((True, 1 - none), (False, none)) if p > 0]
        if self.waits == WAITS_FOR_TIPLU:
            unseen[PUTALI:] = 0
        elif self.table.any_shown and not self.table.tiplu_drawn:
            unseen[:PUTALI] = 0  # no card of the stock could be the tiplu
        total = int(unseen.sum())
        return [(card, int(count) / total) for card, count in enumerate(unseen) if count]

    def apply(self, move: Any) -> View:
        """Return the view after a legal move of any seat, or after the card that chance brings."""
        if self.waits:
            return self._with_card(move)
        if isinstance(move, int):
            raise OutcomeError("outcome: no chance is to fall here: expected a move")
        check_move(self.rules, self.table, self._known(), move)
        if not self.mine:
            _check_other(self, move)
        if isinstance(move, Show | ShowDublees) and not self.table.any_shown:
            without_tiplu = self._after(move, False)
            none = chance_of_no_tiplu(without_tiplu.unseen(), self.table.stock)
            if 0 < none < 1:
                return without_tiplu._replace(waits=WAITS_FOR_A_DRAW)
            return self._after(move, none == 0)
        return self._after(move, False)

    def _after(self, move: Any, tiplu_exists: bool) -> View:
        """Return the view after a legal move; a first show draws the tiplu if it exists."""
        at_once = sees_at_once(self.rules, self.table)
        table = self.table.after(move, tiplu_exists, at_once)
        if not self.mine:
            return self._replace(table=table)
        hand, drawn, tiplu, waits = self.hand, self.drawn, self.tiplu, WAITS_FOR_NOTHING
        if isinstance(move, Draw):
            if move.source == PILE:
                drawn = self.table.pile[-1]
                hand = tuple(sorted((*hand, drawn)))
            else:
                waits = WAITS_FOR_CARD
        elif isinstance(move, Lay):
            hand = without(hand, move.cards)
        elif isinstance(move, Show | ShowDublees):
            hand = without(hand, flat(move.melds))
            if table.tiplu_drawn and at_once:
                waits = WAITS_FOR_TIPLU
        else:
            cards = (*flat(move.melds), move.discard) if isinstance(move, Finish) else (move.card,)
            hand, drawn = without(hand, cards), None
            if table.seats[self.seat].shown and table.tiplu_drawn and tiplu is None:
                waits = WAITS_FOR_TIPLU
        return self._replace(table=table, hand=hand, drawn=drawn, waits=waits)

    def _with_card(self, card: Any) -> View:
        if self.waits == WAITS_FOR_A_DRAW:
            return self._with_draw(card)
        possible = {found for found, _ in self.chance_outcomes()}
        is_card = isinstance(card, int) and not isinstance(card, bool)
        if not is_card or card not in possible:
            name = CARD_NAMES[card] if is_card and 0 <= card < CARDS else card
            what = "tiplu" if self.waits == WAITS_FOR_TIPLU else "card of the stock"
            raise OutcomeError(f"outcome: expected an unseen card as {what}, got {shown(name)}")
        if self.waits == WAITS_FOR_TIPLU:
            return self._replace(tiplu=card, waits=WAITS_FOR_NOTHING)
        hand = tuple(sorted((*self.hand, card)))
        return self._replace(hand=hand, drawn=card, waits=WAITS_FOR_NOTHING)

    def _with_draw(self, drawn: Any) -> View:
        """Return the view once it is known whether the first show has drawn a tiplu."""
        if not isinstance(drawn, bool):
            raise OutcomeError(
                f"outcome: expected true or false, whether there is a tiplu, got {shown(drawn)}"
            )
        if not drawn:
            return self._replace(waits=WAITS_FOR_NOTHING)
        at_once = sees_at_once(self.rules, self.table)
        table = self.table._replace(tiplu_drawn=True, stock=self.table.stock - 1, blind=not at_once)
        waits = WAITS_FOR_TIPLU if self.mine and at_once else WAITS_FOR_NOTHING
        return self._replace(table=table, waits=waits)

    def not_in_sight(self) -> Ints:
        """Return (54,) how many copies of each card do not lie before this seat's eyes now."""
        return not_in_sight(self.table, self.hand, self.tiplu)

    def unseen(self) -> Ints:
        """Return (54,) how many copies of each card this seat has not seen."""
        return unseen_counts(self.table, self.seat, self.hand, self.tiplu)

    def possible_tiplus(self) -> list[int]:
        """Return the cards that can be the tiplu, by what this seat knows."""
        if self.tiplu is not None:
            return [self.tiplu]
        return [card for card, count in enumerate(self.unseen()[:PUTALI]) if count > 0]

    def returns(self) -> tuple[float, ...]:
        """Return what each seat wins, once all hands lie open."""
        if self.net is None:
            if self.table.over:
                raise PositionError("position: the net is not known: the other hands are hidden")
            return (0.0,) * self.table.players
        return self.net

    def scores(self) -> tuple[float, ...]:
        """Return what each seat wins, nothing before it is known."""
        return self.net or (0.0,) * self.table.players

    def view(self, player: int) -> View:
        """Return this view, or refuse another seat's."""
        if player != self.seat:
            raise PositionError(
                f"position: it is what seat {self.seat} knows, and seat {player} is to move: "
                f"expected the view of seat {player}"
            )
        return self


def _check_other(view: View, move: Move) -> None:
    """Raise MoveError if another seat cannot make a move, by what the view's seat knows."""
    if isinstance(move, Draw):
        return
    table, player = view.table, view.table.to_move
    if isinstance(move, Lay | Discard):
        cards: Cards = move.cards if isinstance(move, Lay) else (move.card,)
    else:
        cards = flat(move.melds)
        if isinstance(move, Finish):
            cards = (*cards, move.discard)
    if len(cards) > table.in_hand(player):
        raise MoveError(f"move: seat {player} holds {table.in_hand(player)} cards only")
    held, unseen = held_by(table, player), view.unseen()
    if len(table.discards) != table.turns:
        # What was taken may have been thrown again, unremembered.
        held, unseen = Counter(), view.not_in_sight()
    fresh = Counter(cards) - held
    for card, count in fresh.items():
        if count > unseen[card]:
            raise MoveError(
                f"move: {CARD_NAMES[card]}: more copies of a card than there are: "
                "this seat sees the others"
            )
    room = table.in_hand(player) - held.total()
    if fresh.total() > room:
        known = in_words(sorted(held.elements()))
        raise MoveError(f"move: seat {player} holds {known} and {room} other cards only")
    if isinstance(move, Finish) and not view.table.seats[player].dublees:
        check_finish_melds(move.melds, view.possible_tiplus())


def check_finish_melds(found: Melds, tiplus: Sequence[int]) -> None:
    """Raise MoveError unless cards are melds of the finish under one of these tiplus."""
    masks = [joker_mask(tiplu) for tiplu in tiplus]
    if not any(all(is_finish_meld(cards, mask) for cards in found) for mask in masks):
        raise MoveError(
            "move: finish: " + " | ".join(map(in_words, found)) + " are no melds under any tiplu"
        )
