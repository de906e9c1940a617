"""The text of a hand: its suits, the melds it is nearest to, and what each discard leaves.

A person who plays sees what the solver sees: which melds bring the hand nearest to a show, or
after it to a finish, which cards they miss, and for each discard the distance that it leaves
and its *outs*, the unseen cards that lessen it.  The melds are those that hold most cards and,
among these, miss cards of which most are unseen; distances and outs are those that the bots
go by (``features``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from ustad.runtime.games.marriage.cards.cards import (
    CARD_NAMES,
    CARD_NUMBER,
    CARDS,
    MASTER,
    NO_CARD,
    RANKS,
    Cards,
    Floats,
    Ints,
    counts_of,
    flat,
    in_words,
    without,
)
from ustad.runtime.games.marriage.cards.finishes import arrange, finish_work, search_finish
from ustad.runtime.games.marriage.cards.maal import (
    PRINTED,
    alter,
    jhiplu,
    joker_mask,
    poplu,
)
from ustad.runtime.games.marriage.cards.melds import (
    DUBLEES_TO_SHOW,
    FINISH_PLACES,
    meld_names,
)
from ustad.runtime.games.marriage.cards.shows import dublee_count, show_distance
from ustad.runtime.games.marriage.features import (
    Work,
    new_work,
    rate_after_show,
    rate_before_show,
)
from ustad.runtime.games.marriage.hand import Hand, Partition, partitions
from ustad.runtime.games.marriage.round.known import with_hand
from ustad.runtime.games.marriage.round.rules import RULES
from ustad.runtime.games.marriage.round.settlement import counted_maal
from ustad.runtime.games.marriage.round.view import View
from ustad.runtime.games.marriage.states import NOTHING, PostShow, PreShow

SUIT_NAMES = ("spades", "hearts", "diamonds", "clubs")
PAYS, JOKER = "+", "*"
"""The marks of a maal card, which is a joker too, and of a joker that pays nothing."""
MARKS = f" ({PAYS} maal, {JOKER} joker alone)"
DUBLEES_TOLD = 4
"""From how many dublees on they are told beside the nearest show."""


# The cards.


def marked(card: int, tiplu: int) -> str:
    """Return a card's name, marked if it is maal or a joker; ``tiplu`` is NO_CARD if not seen."""
    name = CARD_NAMES[card]
    if not joker_mask(tiplu) >> card & 1:
        return name
    pays = PRINTED >> card & 1 or card in (tiplu, poplu(tiplu), jhiplu(tiplu), alter(tiplu))
    return name + (PAYS if pays else JOKER)


def tiplu_in_words(tiplu: int) -> str:
    """Return the maal that a tiplu makes."""
    same_rank = range(tiplu % RANKS, 4 * RANKS, RANKS)
    free = [card for card in same_rank if card not in (tiplu, alter(tiplu))]
    return (
        f"tiplu {CARD_NAMES[tiplu]}, poplu {CARD_NAMES[poplu(tiplu)]}, jhiplu "
        f"{CARD_NAMES[jhiplu(tiplu)]}, alter {CARD_NAMES[alter(tiplu)]}, jokers {in_words(free)}"
    )


def suits(cards: Cards, tiplu: int) -> list[str]:
    """Return cards as a line a suit, and one for putali and master."""
    lines = []
    for suit, name in enumerate((*SUIT_NAMES, "printed")):
        held = [marked(card, tiplu) for card in cards if min(card // RANKS, 4) == suit]
        if held:
            lines.append(f"  {name:<9} {' '.join(held)}")
    return lines


def hand_lines(view: View) -> list[str]:
    """Return a seat's hand: suits, maal, and the melds that it is nearest to."""
    tiplu = NO_CARD if view.tiplu is None else view.tiplu
    jokers = joker_mask(tiplu)
    any_marked = any(jokers >> card & 1 for card in view.hand)
    lines = [
        f"your hand: {len(view.hand)} cards, maal {maal_now(view)}{MARKS if any_marked else ''}",
        *suits(view.hand, tiplu),
    ]
    if view.waits:
        return lines
    public = view.public
    if not public.shown(view.seat):
        lines += _near_a_show(view)
    elif public.dublees(view.seat):
        lines += _near_an_eighth_dublee(view)
    else:
        lines += _near_a_finish(view, jokers)
    if not public.course.has_drawn and view.hand:
        lines += _helped_by(view)
    return lines


def maal_now(view: View) -> int:
    """Return the maal of a seat's cards, in hand and on the table, as it counts by now."""
    own = view.public.seats[view.seat]
    return counted_maal(
        view.rules.numbers,
        counts_of((*view.hand, *own.cards)),
        counts_of(flat(own.laid)),
        NO_CARD if view.tiplu is None else view.tiplu,
        view.public.shown(view.seat),
        any_shown=True,
    )


# The melds that a hand is nearest to.


def _near_a_show(view: View) -> list[str]:
    own = view.public.seats[view.seat]
    rules = RULES.read(view.rules.options)
    hand = Hand(rules, (*view.hand, *flat(own.laid)), own.laid)
    distance = show_distance(
        _memory(), counts_of(view.hand), hand.out_of_play, view.rules.numbers.master_is_pure
    )
    unseen, lines = view.unseen(), []
    if hand.places:
        nearest = max(
            partitions(hand, hand.places - distance),
            key=lambda found: sum(int(unseen[card]) for card in found.missing),
        )
        what = f"nearest to a show, {_missing(distance)}" if distance else "three pure melds"
        lines += _melds(what, _with_missing(nearest), without(view.hand, nearest.kept))
    pairs = [card for card in range(MASTER) if view.hand.count(card) >= 2]
    if view.rules.numbers.dublee and len(pairs) >= DUBLEES_TOLD:
        short = max(0, DUBLEES_TO_SHOW - len(pairs))
        what = f"dublees: {len(pairs)}, {_missing(short)} of seven" if short else "seven dublees"
        lines.append(f"{what}: {', '.join(CARD_NAMES[card] for card in pairs)}")
    return lines


def _missing(cards: int) -> str:
    return f"{cards} {'card' if cards == 1 else 'cards'} missing"


def _with_missing(found: Partition) -> list[str]:
    """Return pure melds, the cards that are missing in brackets."""
    left, told = Counter(found.kept), []
    for target in found.targets:
        names = []
        for name in meld_names(target):
            card = CARD_NUMBER[name]
            names.append(name if left[card] else f"({name})")
            left[card] -= left[card] > 0
        told.append(" ".join(names))
    return told


def _melds(what: str, melds: Iterable[str], rest: Cards) -> list[str]:
    lines = [f"{what}:", f"  {' | '.join(melds)}"]
    return [*lines, f"  beside them: {in_words(rest)}"] if rest else lines


def _near_a_finish(view: View, jokers: int) -> list[str]:
    work, unseen = finish_work(), view.unseen()
    gone = sum(1 << card for card in range(CARDS) if unseen[card] == 0)
    distance = search_finish(work, counts_of(view.hand), jokers, FINISH_PLACES, False, gone)
    melds = arrange(view.hand, jokers, work)
    told = [
        " ".join(meld_names(meld.cards)) + (f" ({meld.missing} more)" if meld.missing else "")
        for meld in melds
    ]
    what = f"nearest to a finish, {_missing(distance)}" if distance else "all in melds"
    return _melds(what, told, without(view.hand, flat(meld.cards for meld in melds)))


def _near_an_eighth_dublee(view: View) -> list[str]:
    pairs = [card for card in range(MASTER) if view.hand.count(card) >= 2]
    if not pairs:
        return ["an eighth dublee is missing"]
    return [f"the eighth dublee: {', '.join(CARD_NAMES[card] for card in pairs)}"]


# Outs.


class Outlook(NamedTuple):
    """How far a hand is from its goal: ``distance`` cards, and how many unseen ones help.

    ``dublees`` tells that it goes by seven dublees, which are nearer.
    """

    distance: int
    outs: int
    dublees: bool = False


@cache
def _memory() -> Ints:
    return new_work().memory


def _work() -> Work:
    return new_work()._replace(memory=_memory())


def outlook(view: View, cards: Cards) -> Outlook:
    """Return how far cards in hand are from the seat's show or finish, as the bots see it."""
    work, sight = _work(), with_hand(view.sight(), counts_of(cards))
    unseen = max(1, int(sight.unseen.sum()))
    if view.public.shown(view.seat):
        rate_after_show(work, sight, view.public.dublees(view.seat), False)
        row = work.post_show[NOTHING]
        return Outlook(int(row[PostShow.DISTANCE]), _outs(row, unseen))
    rate_before_show(work, view.rules.numbers, sight, False)
    row = work.pre_show[NOTHING]
    distance, missing = int(row[PreShow.DISTANCE]), DUBLEES_TO_SHOW - int(dublee_count(sight.hand))
    if view.rules.numbers.dublee and missing < distance:
        singles = sight.hand[:MASTER] == 1
        return Outlook(max(0, missing), int(sight.unseen[:MASTER][singles].sum()), True)
    return Outlook(distance, _outs(row, unseen))


def _outs(row: Floats, unseen: int) -> int:
    """Return how many unseen cards lessen the distance; PostShow has the same places."""
    return round(float(row[PreShow.OUTS_1 : PreShow.OUTS_3 + 1].sum()) / 10.0 * unseen)


def outlook_in_words(view: View, discard: int) -> str:
    """Return what a discard leaves: how many cards are missing, and how many unseen ones help."""
    found = outlook(view, without(view.hand, [discard]))
    if found.distance == 0:
        return "can finish" if view.public.shown(view.seat) else "can show"
    goal = "dublees " if found.dublees else ""
    return f"{goal}{found.distance} missing, {found.outs} outs"


def _helped_by(view: View) -> list[str]:
    """Return which unseen cards bring a hand nearer that is about to draw."""
    found, unseen = outlook(view, view.hand), view.unseen()
    if found.distance == 0:
        return []
    names = [
        CARD_NAMES[card] + (f"({unseen[card]})" if unseen[card] > 1 else "")
        for card in _outs_of(view, found.dublees)
        if unseen[card] > 0
    ]
    told = " ".join(names) or "none"
    return [f"helped by {found.outs} of {unseen.sum()} unseen cards: {told}"]


def _outs_of(view: View, dublees: bool) -> list[int]:
    """Return the cards that bring a hand nearer, to seven dublees if ``dublees``."""
    hand, public = counts_of(view.hand), view.public
    if dublees or public.dublees(view.seat):
        return [card for card in range(MASTER) if hand[card] == 1]
    if public.shown(view.seat):
        work = finish_work()
        jokers = joker_mask(NO_CARD if view.tiplu is None else view.tiplu)
        search_finish(work, hand, jokers, FINISH_PLACES, True, 0)
        return [card for card in range(CARDS) if int(work.outs[CARDS]) >> card & 1]
    laid = counts_of(flat(public.seats[view.seat].laid))
    pure = view.rules.numbers.master_is_pure
    distance, found = show_distance(_memory(), hand, laid, pure), []
    for card in range(CARDS):
        more = hand.copy()
        more[card] += 1
        if more[card] <= 3 and show_distance(_memory(), more, laid, pure) < distance:
            found.append(card)
    return found
