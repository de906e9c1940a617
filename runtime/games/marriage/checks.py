"""Views and whole rounds read from JSON, held against what a round can have brought about.

Errors name the key that cannot be so, and what was expected.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ustad.runtime.core.errors import MoveError, PositionError
from ustad.runtime.core.strict_json import Fields
from ustad.runtime.games.marriage.cards.cards import (
    CARD_NAMES,
    CARDS,
    COPIES,
    HAND,
    NO_CARD,
    PUTALI,
    counts_of,
    flat,
    in_words,
)
from ustad.runtime.games.marriage.cards.melds import SHOW_MELDS
from ustad.runtime.games.marriage.round.course import NOBODY, is_over, pile_size, seat_of_turn
from ustad.runtime.games.marriage.round.deal import Deal
from ustad.runtime.games.marriage.round.known import chance_of_no_tiplu
from ustad.runtime.games.marriage.round.legality import check_finish_melds
from ustad.runtime.games.marriage.round.public import PublicState, Seat
from ustad.runtime.games.marriage.round.settlement import counted_maal, settlement
from ustad.runtime.games.marriage.round.view import View, Waits


def check_view(fields: Fields, view: View) -> None:
    """Raise PositionError for a view that no round can have brought about."""
    _check_hand(fields, view)
    _check_stock(fields, view.public)
    _check_copies(fields, view)
    _check_tiplu_drawn(fields, view)
    _check_finisher(fields, view)
    if view.maal is not None:
        _check_settlement(fields, view)
    _check_seats(fields, view.public)
    _check_pile(fields, view.public)
    if len(view.public.discards) == view.public.course.turns:
        _check_whole_play(fields, view)


def check_whole(
    fields: Fields, deal: Deal, maal: Sequence[int] | None, net: Sequence[float] | None
) -> None:
    """Raise PositionError for a whole round that cannot be; maal and net are those told."""
    public, course = deal.public, deal.public.course
    for seat, hand in enumerate(deal.hands):
        if len(hand) != public.in_hand(seat):
            fields.fail(f"hands[{seat}]", f"{public.in_hand(seat)} cards", len(hand))
    _check_stock(fields, public)
    tiplu = () if deal.tiplu is None else (deal.tiplu,)
    found = counts_of((*flat(deal.hands), *deal.stock, *tiplu)) + public.open_cards()
    for card in np.flatnonzero(found != COPIES):
        raise PositionError(
            f"position: {CARD_NAMES[card]}: there are {COPIES[card]}, got {found[card]} in hands, "
            "table, pile, stock and tiplu"
        )
    if course.shown and not course.tiplu_drawn and min(deal.stock, default=PUTALI) < PUTALI:
        fields.fail("tiplu_drawn", "true, since somebody has shown", False)
    check_view(fields, deal.view(public.to_move))
    missing = public.held() - np.array([counts_of(hand) for hand in deal.hands])
    if len(public.discards) == course.turns and (missing > 0).any():
        seat, card = np.argwhere(missing > 0)[0]
        named = CARD_NAMES[card]
        raise PositionError(f"position: hands[{seat}]: expected {named}, taken and not thrown")
    for key, told, counted in (("maal", maal, deal.maal), ("net", net, deal.returns)):
        if told is not None and tuple(told) != (true := counted()):
            fields.fail(key, str([int(points) for points in true]), [int(p) for p in told])


# What the seat holds and sees.


def _check_hand(fields: Fields, view: View) -> None:
    """Refuse a hand of another size, and a card drawn that is not there."""
    own = view.public.seats[view.seat]
    holds, drawn = HAND - len(own.cards), view.drawn
    if view.mine and view.public.course.has_drawn and view.waits != Waits.CARD:
        holds += 1
        if drawn is None or drawn not in (*view.hand, *own.cards):
            expected = "the card just drawn, one of the hand or just shown"
            fields.fail("drawn", expected, None if drawn is None else CARD_NAMES[drawn])
    elif drawn is not None:
        fields.fail("drawn", "null, since this seat has not just drawn", CARD_NAMES[drawn])
    if len(view.hand) != holds:
        fields.fail("hand", f"{holds} cards", len(view.hand))


def _check_stock(fields: Fields, public: PublicState) -> None:
    """Refuse a stock with which there are more or less than all cards."""
    stock = public.course.stock + pile_size(public.course) - len(public.pile)
    if public.course.stock != stock:
        fields.fail("stock", f"{stock}, so that there are 160 cards", public.course.stock)


def _check_copies(fields: Fields, view: View) -> None:
    """Refuse a tiplu that cannot be seen, and more copies of a card than there are."""
    public = view.public
    if view.tiplu is not None:
        if view.tiplu >= PUTALI:
            fields.fail("tiplu", "a card of the packs", CARD_NAMES[view.tiplu])
        sees = public.shown(view.seat) or is_over(public.course)
        if not public.course.tiplu_drawn or not sees:
            fields.fail("tiplu", "null, since this seat has not shown", CARD_NAMES[view.tiplu])
    hidden = view.not_in_sight()
    for card in np.flatnonzero(hidden < 0):
        raise PositionError(
            f"position: {CARD_NAMES[card]}: there are {COPIES[card]}, got "
            f"{COPIES[card] - hidden[card]} in hand, table, pile and tiplu"
        )


# Shows and the finish.


def _check_tiplu_drawn(fields: Fields, view: View) -> None:
    """Refuse a tiplu that is drawn or not where that cannot be."""
    public, course = view.public, view.public.course
    none = chance_of_no_tiplu(view.not_in_sight(), course.stock)
    if course.blind and not (public.shown(public.to_move) and course.has_drawn):
        fields.fail("shown_blind", "false, since the seat to move has not just shown", True)
    if view.waits == Waits.WHETHER_TIPLU:
        first_show = course.shown == 1 << public.to_move and course.finisher == NOBODY
        if not first_show or not 0 < none < 1:
            fields.fail("tiplu_drawn", "true or false, since it can be known", None)
    elif course.tiplu_drawn:
        if not course.shown:
            fields.fail("tiplu_drawn", "false, since nobody has shown", True)
        if not view.possible_tiplus():
            fields.fail("tiplu_drawn", "false, since no card is left to be the tiplu", True)
    elif course.shown and none == 0:
        fields.fail("tiplu_drawn", "true, since somebody has shown", False)


def _check_finisher(fields: Fields, view: View) -> None:
    """Refuse a finish that cannot have been made."""
    public, course = view.public, view.public.course
    finisher = course.finisher
    if finisher == NOBODY:
        return
    if (finisher + 1) % course.players != public.to_move or course.has_drawn:
        fields.fail("finisher", "the seat before the one to move, in phase draw", finisher)
    if not (public.shown(finisher) and course.tiplu_drawn):
        fields.fail("finisher", "a seat that has shown and sees the tiplu", finisher)
    if not public.dublees(finisher):
        try:
            check_finish_melds(_finish(public.seats[finisher]), view.possible_tiplus())
        except MoveError as error:
            raise PositionError(f"position: table[{finisher}]: {error}") from None


def _finish(seat: Seat) -> tuple[tuple[int, ...], ...]:
    """Return the melds of a finish, which lie behind those of the show."""
    return seat.melds[SHOW_MELDS - len(seat.laid) :]


def _check_settlement(fields: Fields, view: View) -> None:
    """Refuse a maal that the seat's own cards do not pay, and a net that is not that of maal."""
    public, maal = view.public, view.maal
    assert maal is not None
    if view.tiplu is not None or not public.course.tiplu_drawn:
        own = public.seats[view.seat]
        points = counted_maal(
            view.rules.numbers,
            counts_of((*view.hand, *own.cards)),
            counts_of(flat(own.laid)),
            NO_CARD if view.tiplu is None else view.tiplu,
            public.shown(view.seat),
            public.course.shown != 0,
        )
        if maal[view.seat] != points:
            fields.fail("maal", f"{points} for seat {view.seat}", maal[view.seat])
    net = settlement(public.course, maal)
    if view.net is not None and view.net != net:
        fields.fail("net", f"{list(net)} by this maal", [int(points) for points in view.net])


def _check_seats(fields: Fields, public: PublicState) -> None:
    """Refuse more than a hand before a seat, and anything before one that has not played."""
    course = public.course
    for at, seat in enumerate(public.seats):
        if len(seat.cards) > HAND:
            fields.fail(f"table[{at}]", f"at most {HAND} cards", len(seat.cards))
    for at, seat in enumerate(public.seats):
        first_turn = (at - course.dealer - 1) % course.players
        if (seat.laid or public.shown(at)) and first_turn > course.turns:
            raise PositionError(
                f"position: table[{at}]: expected nothing, since seat {at} has not played yet"
            )


# The pile, discards, and cards taken.


def _check_pile(fields: Fields, public: PublicState) -> None:
    """Refuse a pile, discards and taken cards that no round can have brought about.

    Each turn leaves one card more on the pile than it takes from it.  What a seat
    remembers of who discarded and took what may begin late, and is then held against the
    length of the pile only.  Discards beside 0 turns come from a person who has not counted
    the turns.
    """
    course, pile, discards = public.course, public.pile, public.discards
    if not course.has_drawn and discards and discards[-1].card != public.top:
        name = CARD_NAMES[discards[-1].card]
        raise PositionError(f"position: pile: expected {name} on top, since it was thrown last")
    may_be_taken = not public.taken or public.taken[-1].seat == public.to_move
    if not pile and not (course.has_drawn and may_be_taken):
        fields.fail("pile", "a card, since none was just taken from it", [])
    turns = max(course.turns, len(discards))
    if len(pile) > turns + 1:
        fields.fail("pile", f"at most {turns + 1} cards after {turns} turns", len(pile))
    if len(discards) > course.turns:
        if course.turns >= course.players:
            fields.fail("discards", f"at most {course.turns}, one a turn", len(discards))
        return
    gone = turns + 1 - len(pile)
    if len(public.taken) > gone:
        fields.fail("taken", f"at most {gone} cards, by turns and pile", len(public.taken))


def _check_whole_play(fields: Fields, view: View) -> None:
    """Refuse what cannot be where the discards of every turn are known.

    They leave no doubt: the seats discard in turn, what was taken was on top, and what
    others took and have not discarded they hold.
    """
    public, course = view.public, view.public.course
    for turn, (seat, _) in enumerate(public.discards):
        whose = seat_of_turn(course, turn)
        if seat != whose:
            fields.fail(f"discards[{turn}]", f"seat {whose}, whose turn it was", seat)
    if not _pile_can_be(public):
        raise PositionError(
            "position: pile: expected what the discards leave of it, each card taken by the "
            "seat after the one that threw it"
        )
    held = public.held()
    hidden = view.not_in_sight() - (held.sum(axis=0) - held[view.seat])
    for card in np.flatnonzero(hidden < 0):
        raise PositionError(
            f"position: taken: {CARD_NAMES[card]}: there are {COPIES[card]}, got "
            f"{COPIES[card] - hidden[card]} with those that others have taken and hold"
        )
    for seat in range(course.players):
        if seat == view.seat:
            missing = np.maximum(held[seat] - counts_of(view.hand), 0)
            if missing.any():
                names = in_words(np.repeat(np.arange(CARDS), missing).tolist())
                raise PositionError(f"position: hand: expected {names}, taken and not thrown")
        elif held[seat].sum() > public.in_hand(seat):
            raise PositionError(
                f"position: taken: seat {seat} holds {public.in_hand(seat)} cards only, "
                f"got {held[seat].sum()} taken and not thrown"
            )


def _pile_can_be(public: PublicState) -> bool:
    """Tell whether some choice of cards taken leaves the pile, the last of them those listed.

    In turn order each card was on top once: the card turned up at the deal, then each
    discard.  It was taken in the next turn, or has stayed; the latter make up the pile.
    Walked from the last to the first, the pile and the cards taken are read off from
    their ends; equal cards leave several ways, each told by how many were taken.
    """
    course, pile, known = public.course, public.pile, public.taken
    taken_now = course.barred != NO_CARD
    tops: list[int | None] = [None, *(card for _, card in public.discards)]
    ways = {0}
    for turn in range(len(tops) - 1, -1, -1):
        card, after = tops[turn], set()
        present = turn == course.turns
        for taken in ways:
            stayed = len(tops) - 1 - turn - taken
            may_stay = stayed < len(pile) and not (present and taken_now)
            if may_stay and card in (None, pile[-1 - stayed]):
                after.add(taken)
            if present and not taken_now:
                continue
            if taken < len(known):
                entry = known[-1 - taken]
                if entry.seat != seat_of_turn(course, turn) or card not in (None, entry.card):
                    continue
            after.add(taken + 1)
        ways = after
    return len(tops) - len(pile) in ways
