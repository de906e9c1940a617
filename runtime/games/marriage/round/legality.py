"""Legal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from ustad.runtime.core.errors import MoveError
from ustad.runtime.games.marriage.cards.cards import CARD_NAMES, Cards, flat, in_words, without
from ustad.runtime.games.marriage.cards.finishes import finish_melds, finish_melds_exist
from ustad.runtime.games.marriage.cards.maal import joker_mask
from ustad.runtime.games.marriage.cards.melds import (
    DUBLEES_TO_SHOW,
    FINISH_PLACES,
    SHOW_MELDS,
    dublee_choices,
    is_finish_meld,
    is_pure,
    is_tanela,
    show_choices,
)
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
from ustad.runtime.games.marriage.round.options import MarriageRules
from ustad.runtime.games.marriage.round.public import DISCARD, DRAW, Seat, Table


class Known(NamedTuple):
    """What the seat to move knows beside the table: its hand, the card just drawn, the tiplu.

    ``hand`` is None for a seat that somebody else looks at.
    """

    hand: Cards | None
    drawn: int | None
    tiplu: int | None


def check_move(rules: MarriageRules, table: Table, known: Known, move: Any) -> None:
    """Raise MoveError unless the move is legal."""
    if table.over:
        raise MoveError("move: the round is over, no move is left")
    seat = table.seats[table.to_move]
    before_draw = table.phase == DRAW
    if isinstance(move, Draw):
        if not before_draw:
            raise MoveError("move: draw: a card was drawn already, expected a discard")
        if move.source == PILE and not table.pile:
            raise MoveError("move: draw: the pile is empty, expected the stock")
        if move.source == PILE and not _leaves_a_discard(table, known.hand):
            raise MoveError("move: draw: the card could not be followed by a discard")
    elif isinstance(move, Lay):
        _check_lay(table, seat, move)
        _check_held(known, move.cards, "lay")
    elif isinstance(move, Show | ShowDublees):
        _check_show(rules, table, seat, move)
        _check_held(known, flat(move.melds), "show")
    elif isinstance(move, Finish):
        if before_draw:
            raise MoveError("move: finish: expected a draw first")
        _check_finish(table, seat, known, move)
        _check_held(known, (*flat(move.melds), move.discard), "finish")
        _check_not_just_taken(table, known, move.discard, "finish: discard")
    elif isinstance(move, Discard):
        if before_draw:
            raise MoveError("move: discard: expected a draw first")
        _check_held(known, (move.card,), "discard")
        _check_not_just_taken(table, known, move.card, "discard")
    else:
        raise MoveError("move: expected a move, since no chance is to fall here")


def _leaves_a_discard(table: Table, hand: Cards | None) -> bool:
    """Tell whether a hand can throw a card after taking the top of the pile, which stays barred."""
    return hand is None or any(card != table.pile[-1] for card in hand)


def _check_lay(table: Table, seat: Seat, move: Lay) -> None:
    if not table.first_draw_to_come:
        raise MoveError("move: lay: tanelas are laid before one's first draw only")
    if seat.shown or len(seat.laid) == SHOW_MELDS:
        raise MoveError("move: lay: at most three tanelas are laid, and none after the show")
    if not is_tanela(move.cards):
        raise MoveError(f"move: lay: expected three identical cards, got {in_words(move.cards)}")


def _check_show(rules: MarriageRules, table: Table, seat: Seat, move: Show | ShowDublees) -> None:
    if seat.shown:
        raise MoveError("move: show: this seat has shown already")
    if table.phase == DRAW and not table.first_draw_to_come:
        raise MoveError("move: show: expected a draw first, since this is not the first turn")
    if isinstance(move, ShowDublees):
        if not rules.numbers.dublee:
            raise MoveError("move: show_dublees: the option dublee is off")
        pairs = all(len(cards) == 2 and cards[0] == cards[1] for cards in move.melds)
        if len(move.melds) != DUBLEES_TO_SHOW or not pairs:
            raise MoveError("move: show_dublees: expected seven pairs of identical cards")
        if len(set(move.melds)) < len(move.melds):
            raise MoveError("move: show_dublees: there are not four of one card")
        return
    wanted = SHOW_MELDS - len(seat.laid)
    if len(move.melds) != wanted:
        raise MoveError(
            f"move: show: expected {wanted} melds, since {len(seat.laid)} tanelas are laid, "
            f"got {len(move.melds)}"
        )
    for cards in move.melds:
        if not is_pure(cards, rules.numbers.master_is_pure):
            raise MoveError(f"move: show: {in_words(cards)} is no pure meld of three cards")


def _check_finish(table: Table, seat: Seat, known: Known, move: Finish) -> None:
    if not seat.shown:
        raise MoveError("move: finish: expected a show first")
    if not table.tiplu_drawn or table.blind or (known.hand is not None and known.tiplu is None):
        raise MoveError("move: finish: this seat does not see the tiplu yet")
    if seat.dublees:
        if len(move.melds) != 1 or len(move.melds[0]) != 2 or len(set(move.melds[0])) != 1:
            raise MoveError("move: finish: after seven dublees expected an eighth one")
        return
    if len(flat(move.melds)) != FINISH_PLACES:
        raise MoveError("move: finish: expected melds of twelve cards in all")
    if known.tiplu is None:
        return
    jokers = joker_mask(known.tiplu)
    for cards in move.melds:
        if not is_finish_meld(cards, jokers):
            raise MoveError(f"move: finish: {in_words(cards)} is no meld")


def _check_held(known: Known, cards: Iterable[int], what: str) -> None:
    if known.hand is None:
        return
    missing = Counter(cards) - Counter(known.hand)
    if missing:
        names = in_words(sorted(missing.elements()))
        raise MoveError(f"move: {what}: {names} is not in the hand {in_words(known.hand)}")


def _check_not_just_taken(table: Table, known: Known, card: int, what: str) -> None:
    if not table.taken_now or card != table.taken[-1][1]:
        return
    raise MoveError(f"move: {what}: {CARD_NAMES[card]} was just taken from the pile")


def moves_of(rules: MarriageRules, table: Table, known: Known) -> list[Move]:
    """Return the legal moves of the seat to move, whose hand must be known.

    Every way to show is listed, and one finish for each card that may be
    discarded with it (any other melds of the same cards are accepted too).
    """
    hand = known.hand
    if table.over or hand is None:
        return []
    seat = table.seats[table.to_move]
    found: list[Move] = []
    may_show = not seat.shown and (table.phase == DISCARD or table.first_draw_to_come)
    if table.phase == DRAW:
        found.append(Draw(STOCK))
        if table.pile and _leaves_a_discard(table, hand):
            found.append(Draw(PILE))
        if table.first_draw_to_come and not seat.shown and len(seat.laid) < SHOW_MELDS:
            threes = [card for card, count in sorted(Counter(hand).items()) if count == 3]
            found += [Lay((card,) * 3) for card in threes]
    if may_show:
        wanted = SHOW_MELDS - len(seat.laid)
        choices = dict.fromkeys(show_choices(hand, wanted, rules.numbers.master_is_pure))
        found += [Show(choice) for choice in choices]
        if rules.numbers.dublee:
            found += [ShowDublees(choice) for choice in dublee_choices(hand)]
    if table.phase == DISCARD:
        barred = table.taken[-1][1] if table.taken_now else -1
        thrown = [card for card in sorted(set(hand)) if card != barred]
        if seat.shown and known.tiplu is not None:
            found += _finishes(seat, hand, known.tiplu, thrown)
        found += [Discard(card) for card in thrown]
    return found


def _finishes(seat: Seat, hand: Cards, tiplu: int, thrown: Sequence[int]) -> list[Move]:
    if seat.dublees:
        return [
            Finish(((card, card),), other)
            for card, count in sorted(Counter(hand).items())
            if count >= 2
            for other in thrown
            if (other != card or count > 2)
        ]
    jokers = joker_mask(tiplu)
    if finish_melds_exist(hand, jokers):
        tried = ((card, finish_melds(without(hand, [card]), jokers)) for card in thrown)
        return [Finish(found, card) for card, found in tried if found is not None]
    return []
