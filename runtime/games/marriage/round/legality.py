"""Which moves are legal, by what the seat to move knows, and why another is not."""

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
from ustad.runtime.games.marriage.round.course import (
    before_first_draw,
    is_over,
    may_finish,
    may_lay,
    may_show,
    sees_tiplu,
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
    cards_given_up,
)
from ustad.runtime.games.marriage.round.options import RuleNumbers
from ustad.runtime.games.marriage.round.public import PublicState


class Known(NamedTuple):
    """What the seat to move knows beside the public state: its hand, and the tiplu if it sees it.

    ``hand`` is None for a seat that another looks at.
    """

    hand: Cards | None
    tiplu: int | None


# Whether a move is legal.


def check_move(numbers: RuleNumbers, public: PublicState, known: Known, move: Any) -> None:
    """Raise MoveError unless the move is legal."""
    course = public.course
    if is_over(course):
        raise MoveError("move: the round is over, no move is left")
    if isinstance(move, Draw):
        _check_draw(public, known, move)
    elif isinstance(move, Lay):
        _check_lay(public, move)
        _check_held(known, move, "lay")
    elif isinstance(move, Show | ShowDublees):
        _check_show(numbers, public, move)
        _check_held(known, move, "show")
    elif isinstance(move, Finish):
        if not course.has_drawn:
            raise MoveError("move: finish: expected a draw first")
        _check_finish(public, known, move)
        _check_held(known, move, "finish")
        _check_not_just_taken(public, move.discard, "finish: discard")
    elif isinstance(move, Discard):
        if not course.has_drawn:
            raise MoveError("move: discard: expected a draw first")
        _check_held(known, move, "discard")
        _check_not_just_taken(public, move.card, "discard")
    else:
        raise MoveError("move: expected a move, since no chance is to fall here")


def _check_draw(public: PublicState, known: Known, move: Draw) -> None:
    if public.course.has_drawn:
        raise MoveError("move: draw: a card was drawn already, expected a discard")
    if move.source == PILE and not public.pile:
        raise MoveError("move: draw: the pile is empty, expected the stock")
    if move.source == PILE and not _leaves_a_discard(public, known.hand):
        raise MoveError("move: draw: the card could not be followed by a discard")


def _leaves_a_discard(public: PublicState, hand: Cards | None) -> bool:
    """Tell whether a hand has a discard after taking the top of the pile, which stays barred."""
    return hand is None or any(card != public.top for card in hand)


def _check_lay(public: PublicState, move: Lay) -> None:
    course = public.course
    if not before_first_draw(course, public.has_discarded):
        raise MoveError("move: lay: tanelas are laid before one's first draw only")
    if not may_lay(course, len(public.seats[public.to_move].laid), public.has_discarded):
        raise MoveError("move: lay: at most three tanelas are laid, and none after the show")
    if not is_tanela(move.cards):
        raise MoveError(f"move: lay: expected three identical cards, got {in_words(move.cards)}")


def _check_show(numbers: RuleNumbers, public: PublicState, move: Show | ShowDublees) -> None:
    if public.shown(public.to_move):
        raise MoveError("move: show: this seat has shown already")
    if not may_show(public.course, public.has_discarded):
        raise MoveError("move: show: expected a draw first, since this is not the first turn")
    if isinstance(move, ShowDublees):
        _check_dublees(numbers, move)
        return
    laid = len(public.seats[public.to_move].laid)
    wanted = SHOW_MELDS - laid
    if len(move.melds) != wanted:
        raise MoveError(
            f"move: show: expected {wanted} melds, since {laid} tanelas are laid, "
            f"got {len(move.melds)}"
        )
    for cards in move.melds:
        if not is_pure(cards, numbers.master_is_pure):
            raise MoveError(f"move: show: {in_words(cards)} is no pure meld of three cards")


def _check_dublees(numbers: RuleNumbers, move: ShowDublees) -> None:
    if not numbers.dublee:
        raise MoveError("move: show_dublees: the option dublee is off")
    pairs = all(len(cards) == 2 and len(set(cards)) == 1 for cards in move.melds)
    if len(move.melds) != DUBLEES_TO_SHOW or not pairs:
        raise MoveError("move: show_dublees: expected seven pairs of identical cards")
    if len(set(move.melds)) < len(move.melds):
        raise MoveError("move: show_dublees: there are not four of one card")


def _check_finish(public: PublicState, known: Known, move: Finish) -> None:
    player = public.to_move
    if not public.shown(player):
        raise MoveError("move: finish: expected a show first")
    if not sees_tiplu(public.course, player):
        raise MoveError("move: finish: this seat does not see the tiplu yet")
    if public.dublees(player):
        pair = flat(move.melds)
        if len(move.melds) != 1 or len(pair) != 2 or len(set(pair)) != 1:
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


def check_finish_melds(found: Iterable[Cards], tiplus: Sequence[int]) -> None:
    """Raise MoveError unless cards are melds of the finish under one of these tiplus."""
    masks = [joker_mask(tiplu) for tiplu in tiplus]
    if not any(all(is_finish_meld(cards, mask) for cards in found) for mask in masks):
        raise MoveError(
            "move: finish: " + " | ".join(map(in_words, found)) + " are no melds under any tiplu"
        )


def _check_held(known: Known, move: Move, what: str) -> None:
    if known.hand is None:
        return
    missing = Counter(cards_given_up(move)) - Counter(known.hand)
    if missing:
        names = in_words(sorted(missing.elements()))
        raise MoveError(f"move: {what}: {names} is not in the hand {in_words(known.hand)}")


def _check_not_just_taken(public: PublicState, card: int, what: str) -> None:
    if card == public.course.barred:
        raise MoveError(f"move: {what}: {CARD_NAMES[card]} was just taken from the pile")


# The legal moves.


def moves_of(numbers: RuleNumbers, public: PublicState, known: Known) -> list[Move]:
    """Return the legal moves of the seat to move, whose hand must be known.

    Every way to show is listed, and one finish for each card that may be
    discarded with it (any other melds of the same cards are accepted too).
    """
    hand = known.hand
    if is_over(public.course) or hand is None:
        return []
    draws = [] if public.course.has_drawn else _draws_and_lays(public, hand)
    discards = _finishes_and_discards(public, hand, known) if public.course.has_drawn else []
    return [*draws, *_shows(numbers, public, hand), *discards]


def _draws_and_lays(public: PublicState, hand: Cards) -> list[Move]:
    found: list[Move] = [Draw(STOCK)]
    if public.pile and _leaves_a_discard(public, hand):
        found.append(Draw(PILE))
    if may_lay(public.course, len(public.seats[public.to_move].laid), public.has_discarded):
        threes = [card for card, count in sorted(Counter(hand).items()) if count == 3]
        found += [Lay((card,) * 3) for card in threes]
    return found


def _shows(numbers: RuleNumbers, public: PublicState, hand: Cards) -> list[Move]:
    if not may_show(public.course, public.has_discarded):
        return []
    wanted = SHOW_MELDS - len(public.seats[public.to_move].laid)
    choices = dict.fromkeys(show_choices(hand, wanted, numbers.master_is_pure))
    found: list[Move] = [Show(choice) for choice in choices]
    if numbers.dublee:
        found += [ShowDublees(choice) for choice in dublee_choices(hand)]
    return found


def _finishes_and_discards(public: PublicState, hand: Cards, known: Known) -> list[Move]:
    discards = [card for card in sorted(set(hand)) if card != public.course.barred]
    found: list[Move] = []
    if may_finish(public.course) and known.tiplu is not None:
        if public.dublees(public.to_move):
            found += _dublee_finishes(hand, discards)
        else:
            found += _finishes(hand, joker_mask(known.tiplu), discards)
    return [*found, *map(Discard, discards)]


def _finishes(hand: Cards, jokers: int, discards: Sequence[int]) -> list[Finish]:
    if not finish_melds_exist(hand, jokers):
        return []
    tried = ((card, finish_melds(without(hand, [card]), jokers)) for card in discards)
    return [Finish(found, card) for card, found in tried if found is not None]


def _dublee_finishes(hand: Cards, discards: Sequence[int]) -> list[Finish]:
    return [
        Finish(((card, card),), other)
        for card, count in sorted(Counter(hand).items())
        if count >= 2
        for other in discards
        if other != card or count > 2
    ]
