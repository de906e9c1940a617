"""How Marriage's bots decide: features weighed, the greatest sum played.

A level is a vector of weights for four decisions (``states``): what to discard and whether to
take the pile's card, before the show and after it.  Every level shows and finishes as soon as
it can, discards no putali or master while it has anything else, and takes every joker of the
pile (:func:`joker_is_good` has the exception).

:func:`decide` takes what a seat knows in numbers and gives a move; whole rounds in compiled
code call the same function when the weights are learned.  The functions are flat and plain
Python; those that take nearly all the time are handed in as :class:`Kernels`, plain
or compiled.
"""

from __future__ import annotations

import math
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

from ustad.runtime.games.marriage.cards.cards import (
    CARDS,
    MASTER,
    NO_CARD,
    PUTALI,
    RANKS,
    Floats,
    Ints,
    how_many,
)
from ustad.runtime.games.marriage.cards.finishes import FinishWork, search_finish
from ustad.runtime.games.marriage.cards.maal import PRINTED, joker_mask, maal_of_card
from ustad.runtime.games.marriage.cards.melds import (
    DUBLEES_TO_SHOW,
    SHOW_MELDS,
)
from ustad.runtime.games.marriage.cards.shows import dublee_count
from ustad.runtime.games.marriage.features import (
    Work,
    fill_post_show,
    fill_take_post_show,
    fill_take_pre_show,
    rate_after_show,
    rate_before_show,
)
from ustad.runtime.games.marriage.round.course import (
    may_finish,
    may_lay,
    may_show,
    sees_at_once,
)
from ustad.runtime.games.marriage.round.known import (
    Sight,
    has_dublees,
    has_shown,
    with_hand,
)
from ustad.runtime.games.marriage.round.options import RuleNumbers
from ustad.runtime.games.marriage.round.settlement import tanelas_laid
from ustad.runtime.games.marriage.states import (
    NOTHING,
    POST_SHOW_TAKE,
    PostShow,
    PreShow,
    Weights,
)

ALWAYS_TAKEN = 1e6
"""What a card of the pile weighs that is taken by rule."""
NO_CHOICE = -1e9
"""What one weighs after the show if every card that could be discarded for it is needed."""
NEEDED = 8.0
"""By how much less a discard weighs that costs a step, before what a joker pays."""


class Kernels(NamedTuple):
    """The functions that take nearly all the time of a decision; plain or compiled."""

    rate_before_show: Any
    rate_after_show: Any
    search_finish: Any


PLAIN = Kernels(rate_before_show, rate_after_show, search_finish)


class Player(NamedTuple):
    """How a seat plays.

    Attributes:
        weights: (WEIGHTS,) of its level.
        temperature: of its noise, in the unit of the weights.
        lays: whether it lays tanelas.
        finds_best: whether it looks for the show that leaves the best hand.
        seed: of the noise.
    """

    weights: Floats
    temperature: float
    lays: bool
    finds_best: bool
    seed: int


class Action(IntEnum):
    """What to do."""

    DRAW_STOCK = 0
    DRAW_PILE = 1
    LAY = 2
    SHOW = 3
    SHOW_DUBLEES = 4
    FINISH = 5
    DISCARD = 6


class Decision(NamedTuple):
    """What to do, and the card to lay, to discard or to finish with, else NO_CARD."""

    action: Action
    card: int


# Weights and noise.


def weigh(row: Floats, weights: Floats, first: int) -> float:
    """Return the weighted sum of a row, its weights beginning at ``first``."""
    total = 0.0
    for k in range(len(row)):
        total += row[k] * weights[first + k]
    return total


_BITS31 = (1 << 31) - 1


def mixed(a: int, b: int, c: int) -> float:
    """Return a number from 0 to 1 that looks random and depends on nothing but a, b and c."""
    x = (a & _BITS31) * 73856093 ^ (a >> 31) * 40503 ^ b * 19349663 ^ c * 83492791
    x &= _BITS31
    for _ in range(3):
        x = (x ^ x >> 15) * 739982445 & _BITS31
        x = (x ^ x >> 12) * 695872825 & _BITS31
    x ^= x >> 15
    return x / 2147483648.0


class Noise(NamedTuple):
    """What the noise of a decision depends on."""

    seed: int
    moment: int
    temperature: float


FIRST_OF_EQUALS = -1
"""The seed of a player without noise who takes the first of equals; others pick any of them."""
FAINT = 1e-10
"""By how much at most the noise of a player without noise moves a weight: less than TIE."""


def noise_of(noise: Noise, option: int) -> float:
    """Return the noise of an option: Gumbel noise makes the greatest a softmax choice.

    Without temperature it is too small to matter but between equals.
    """
    if noise.temperature > 0.0:
        u = mixed(noise.seed, noise.moment, option)
        return float(-noise.temperature * math.log(-math.log(u * 0.999999 + 5e-7)))
    if noise.seed == FIRST_OF_EQUALS:
        return 0.0
    return FAINT * mixed(noise.seed, noise.moment, option)


def noise_in(sight: Sight, player: Player) -> Noise:
    """Return the noise of a player's decision, told apart from others by turn, seat and hand."""
    moment = (sight.course.turns * 2 + sight.course.has_drawn) * 8 + sight.seat
    for card in range(CARDS):
        moment = (moment * 5 + int(sight.hand[card])) & _BITS31
    return Noise(player.seed, moment, player.temperature)


def best_discard(
    work: Work, rows: Floats, weights: Floats, first: int, barred: int, noise: Noise
) -> int:
    """Return the card whose row weighs most, and fill ``work.weighed`` with all weights."""
    best = NO_CARD
    highest = -np.inf
    for card in range(CARDS):
        if not work.valid[card] or card == barred:
            continue
        work.weighed[card] = weigh(rows[card], weights, first)
        value = work.weighed[card] + noise_of(noise, card)
        if value > highest:
            best, highest = card, value
    return best


def least_maal(hand: Ints, barred: int, tiplu: int) -> int:
    """Return the card of a hand that pays least, for a hand of jokers alone."""
    best = NO_CARD
    least = 1 << 20
    left = hand.copy()
    for card in range(CARDS):
        if hand[card] > 0 and card != barred:
            left[card] -= 1
            points = maal_of_card(left, card, tiplu)
            left[card] += 1
            if points < least:
                best, least = card, points
    return best


# Taking the pile's card.


def weigh_take_pre_show(
    kernels: Kernels, work: Work, numbers: RuleNumbers, sight: Sight, weights: Floats
) -> float:
    """Return the weight of taking the pile's card before the show, the stock weighing 0.

    ``work.take`` is filled with its features.
    """
    kernels.rate_before_show(work, numbers, sight, False)
    before = work.pre_show[NOTHING].copy()
    sight.hand[sight.top] += 1
    kernels.rate_before_show(work, numbers, sight, True)
    after = work.pre_show[NOTHING]
    if after[PreShow.CAN_SHOW] == 0.0:
        quiet = Noise(0, 0, 0.0)
        best = best_discard(
            work, work.pre_show, weights, Weights.PRE_SHOW_DISCARD, sight.top, quiet
        )
        after = work.pre_show[best]
    sight.hand[sight.top] -= 1
    shown = 1.0 if sight.course.shown else 0.0
    fill_take_pre_show(work.take, before, after, sight.top, shown)
    return weigh(work.take, weights, Weights.PRE_SHOW_DRAW)


def weigh_take_post_show(kernels: Kernels, work: Work, sight: Sight, weights: Floats) -> float:
    """Return the weight of taking the pile's card after the show, the stock weighing 0.

    ``work.take`` is filled with its features.
    """
    dublees = has_dublees(sight)
    kernels.rate_after_show(work, sight, dublees, False)
    before = work.post_show[NOTHING].copy()
    points = maal_of_card(sight.hand + sight.table, sight.top, sight.tiplu)
    joker = joker_mask(sight.tiplu) >> sight.top & 1 == 1
    sight.hand[sight.top] += 1
    kernels.rate_after_show(work, sight, dublees, True)
    quiet = Noise(0, 0, 0.0)
    best = best_discard(work, work.post_show, weights, Weights.POST_SHOW_DISCARD, sight.top, quiet)
    sight.hand[sight.top] -= 1
    if best < 0:
        work.take[:] = 0.0
        return NO_CHOICE
    row = work.take[:POST_SHOW_TAKE]
    fill_take_post_show(row, before, work.post_show[best], joker, points)
    return weigh(row, weights, Weights.POST_SHOW_DRAW)


def joker_is_good(kernels: Kernels, work: FinishWork, sight: Sight) -> bool:
    """Tell whether to take a joker of the pile after the show.

    It is, while there is another card to discard.  Who holds jokers alone, or melds that need
    only any card to finish (with seven dublees: an eighth), discards another card in its
    place: then it must not pay less than that one, and the hand must still finish.
    """
    top, tiplu, table, jokers = sight.top, sight.tiplu, sight.table, joker_mask(sight.tiplu)
    points = maal_of_card(sight.hand + table, top, tiplu)
    held = sight.hand.copy()
    held[top] += 1
    if has_dublees(sight):
        pair = first_pair(sight.hand)
        if pair >= 0:
            held[pair] -= 2
    elif kernels.search_finish(work, sight.hand, jokers, 0, False, 0) == 0:
        discard = finish_discard(kernels, work, with_hand(sight, held), top)
        if discard < 0:
            return False
        held[discard] -= 1
        lost = maal_of_card(held + table, discard, tiplu) if jokers >> discard & 1 else 0
        return lost <= points
    for card in range(CARDS):
        if held[card] > 0 and card != top and not jokers >> card & 1:
            return True
    discard = least_maal(held, top, tiplu)
    if discard < 0:
        return False
    held[discard] -= 1
    return maal_of_card(held + table, discard, tiplu) <= points


def draw_from(work: Work, weight: float, always: bool, noise: Noise) -> Decision:
    """Return what to draw from, and note the weight of the pile's card in ``work.weighed``.

    What is always taken weighs ALWAYS_TAKEN there: nothing is learned from it.
    """
    work.weighed[NOTHING] = ALWAYS_TAKEN if always else weight
    if always or weight + (noise_of(noise, 1) - noise_of(noise, 0)) > 0.0:
        return Decision(Action.DRAW_PILE, NO_CARD)
    return Decision(Action.DRAW_STOCK, NO_CARD)


# Laying, and the show.

MOST_MELDS = 128
MOST_SHOWS = 512
MARK_BITS = (1 << 48) - 1


def lay_is_good(
    kernels: Kernels, work: Work, numbers: RuleNumbers, sight: Sight, card: int
) -> bool:
    """Tell whether to lay a dealt tanela: it costs no distance.

    Six dublees and more are kept for their own show, unless three melds can be shown.
    """
    kernels.rate_before_show(work, numbers, sight, False)
    before = work.pre_show[NOTHING, PreShow.DISTANCE]
    if before > 0.0 and numbers.dublee and dublee_count(sight.hand) >= DUBLEES_TO_SHOW - 1:
        return False
    sight.hand[card] -= 3
    sight.laid[card] += 3
    kernels.rate_before_show(work, numbers, sight, False)
    after = work.pre_show[NOTHING, PreShow.DISTANCE]
    sight.hand[card] += 3
    sight.laid[card] -= 3
    return bool(after <= before)


def list_pure(hand: Ints, master_is_pure: bool, found: Ints) -> int:
    """Fill ``found`` (MOST_MELDS, 3) with the pure melds that a hand holds; return how many."""
    count = 0
    for card in range(MASTER):
        if hand[card] == 3:
            found[count] = card
            count += 1
    gaps = 3 if master_is_pure and hand[MASTER] > 0 else 0
    for suit in range(4):
        for low in range(12):
            for gap in range(-1, gaps):  # the place of the master, -1 for none
                if count == MOST_MELDS:
                    return count
                held = 0
                for place in range(3):
                    card = suit * RANKS + (low + place) % RANKS
                    found[count, place] = MASTER if place == gap else card
                    held += min(1, hand[found[count, place]])
                if held == 3:
                    count += 1
    return count


def take_meld(hand: Ints, meld: Ints) -> bool:
    """Take the cards of a meld out of a hand; tell whether it held them, else it is as it was."""
    able = True
    for card in meld:
        hand[card] -= 1
        if hand[card] < 0:
            able = False
    if not able:
        give_meld_back(hand, meld)
    return able


def give_meld_back(hand: Ints, meld: Ints) -> None:
    """Put the cards of a meld into a hand."""
    for card in meld:
        hand[card] += 1


def marks_of(melds: Ints) -> Ints:
    """Return (n,) marks that tell the cards of melds (n, 3): the sum of a power for each card."""
    powers = np.zeros(CARDS, dtype=np.int64)
    powers[CARDS - 1] = 1
    for card in range(CARDS - 1, 0, -1):
        powers[card - 1] = powers[card] * 31 & MARK_BITS
    marks = np.zeros(len(melds), dtype=np.int64)
    for meld in range(len(melds)):
        for card in melds[meld]:
            marks[meld] += powers[card]
    return marks


def is_new(marks: Ints, mark: int) -> bool:
    """Tell whether a mark is not among some marks, and add it.

    Args:
        marks: a table with -1 in free places; a mark takes the next free one from its own.
        mark: the mark.
    """
    at = (mark ^ mark >> 20) % len(marks)
    while marks[at] >= 0 and marks[at] != mark:
        at = (at + 1) % len(marks)
    if marks[at] == mark:
        return False
    marks[at] = mark
    return True


def list_shows(hand: Ints, melds: Ints, wanted: int, most: int, shows: Ints) -> int:
    """Fill ``shows`` (MOST_SHOWS, 3) with choices of so many disjoint melds; return how many.

    The melds of a choice ascend; choices that leave the same cards are one.
    """
    left = hand.copy()
    of_meld = marks_of(melds)
    marks = np.full(4 * MOST_SHOWS, -1, dtype=np.int64)
    choice = np.zeros(SHOW_MELDS + 1, dtype=np.int64)
    depth, found = 0, 0
    while found < most:
        if depth == wanted:
            mark = 0
            for level in range(wanted):
                mark += of_meld[choice[level]]
            if is_new(marks, mark & MARK_BITS):
                shows[found] = choice[:SHOW_MELDS]
                found += 1
        elif choice[depth] < len(melds):
            if take_meld(left, melds[choice[depth]]):
                choice[depth + 1] = choice[depth]
                depth += 1
            else:
                choice[depth] += 1
            continue
        # All ways on from here are seen: back to the meld before, and the next in its place.
        if depth == 0:
            break
        depth -= 1
        give_meld_back(left, melds[choice[depth]])
        choice[depth] += 1
    return found


def rate_blind(kernels: Kernels, work: Work, sight: Sight, discards: bool, weights: Floats) -> int:
    """Rate the hand after a show whose tiplu is not seen, and return the best discard.

    Putali and master alone are jokers then.

    Args:
        kernels: plain or compiled.
        work: ``weighed`` is filled with what each discard weighs, minus infinity where there
            is none.
        sight: what the seat knows, with the cards left in hand.
        discards: whether a card is to be discarded; else the hand itself is rated, in the
            last place.
        weights: of the level.
    """
    weighed, valid = work.weighed, work.valid
    kernels.rate_after_show(work, sight, False, discards)
    lowest = np.inf
    for card in range(CARDS + 1):
        if valid[card]:
            weighed[card] = weigh(work.post_show[card], weights, Weights.POST_SHOW_DISCARD)
            lowest = min(lowest, weighed[card])
    best = NO_CARD
    for card in range(CARDS + 1):
        able = not discards if card == NOTHING else discards and sight.hand[card] > 0
        if not able or card == sight.course.barred:
            weighed[card] = -np.inf
            continue
        if not valid[card]:
            # A joker discarded, or a card that the finish needs: a step lost, and points.
            lost = 3.0 * maal_of_card(sight.hand, card, NO_CARD) if PRINTED >> card & 1 else 0.0
            weighed[card] = lowest - NEEDED - lost
        if best < 0 or weighed[card] > weighed[best]:
            best = card
    return best


def choose_show(
    kernels: Kernels, work: Work, numbers: RuleNumbers, sight: Sight, player: Player
) -> float:
    """Find the melds to show that leave the best hand; fill ``work.show``.

    Returns:
        What the hand left weighs; minus infinity if there is no show, 0 for a player that
        takes the first one.
    """
    wanted = SHOW_MELDS - tanelas_laid(sight.laid)
    all_pure = np.zeros((MOST_MELDS, 3), dtype=np.int64)
    pure = all_pure[: list_pure(sight.hand, numbers.master_is_pure, all_pure)]
    shows = np.zeros((MOST_SHOWS, SHOW_MELDS), dtype=np.int64)
    found = list_shows(sight.hand, pure, wanted, MOST_SHOWS if player.finds_best else 1, shows)
    discards = not sees_at_once(sight.course, numbers)
    left = sight.hand.copy()
    best = -1
    highest = -np.inf
    for show in range(found):
        value = 0.0
        if player.finds_best:
            for place in range(wanted):
                take_meld(left, pure[shows[show, place]])
            card = rate_blind(kernels, work, with_hand(sight, left), discards, player.weights)
            value = work.weighed[card] if card >= 0 else NO_CHOICE
            for place in range(wanted):
                give_meld_back(left, pure[shows[show, place]])
        if value > highest:
            best, highest = show, value
    if best >= 0:
        for place in range(wanted):
            work.show[place] = pure[shows[best, place]]
    return highest


def dublee_show_value(work: Work, sight: Sight, weights: Floats) -> float:
    """Return what the hand left after a show of seven dublees weighs, the bonus counted in."""
    pairs = 0
    loose = 0
    for card in range(MASTER):
        if sight.hand[card] >= 2 and pairs < DUBLEES_TO_SHOW:
            pairs += 1
            if sight.hand[card] == 3:
                loose += sight.unseen[card]
        elif sight.hand[card] >= 2:
            loose = 100
        elif sight.hand[card] == 1:
            loose += sight.unseen[card]
    row = work.post_show[NOTHING]
    fill_post_show(row, 1, loose / max(1, how_many(sight.unseen)))
    return weigh(row, weights, Weights.POST_SHOW_DISCARD)


# The decision.


def first_pair(hand: Ints) -> int:
    """Return the first card of which a hand has two, NO_CARD if there is none."""
    for card in range(MASTER):
        if hand[card] >= 2:
            return card
    return NO_CARD


def finish_discard(kernels: Kernels, work: FinishWork, sight: Sight, barred: int) -> int:
    """Return the discard of a finish that pays least, NO_CARD if the hand cannot finish."""
    hand, table, jokers = sight.hand, sight.table, joker_mask(sight.tiplu)
    best = NO_CARD
    if kernels.search_finish(work, hand, jokers, 0, False, 0) > 0:
        return best
    least = 1 << 20
    for card in range(CARDS):
        if hand[card] == 0 or card == barred:
            continue
        hand[card] -= 1
        points = maal_of_card(hand + table, card, sight.tiplu) if jokers >> card & 1 else 0
        if points < least and kernels.search_finish(work, hand, jokers, 0, False, 0) == 0:
            best, least = card, points
        hand[card] += 1
    return best


def dublee_finish_discard(sight: Sight) -> int:
    """Return the discard beside an eighth dublee that pays least, NO_CARD if there is none."""
    hand = sight.hand
    best = NO_CARD
    for card in range(MASTER if how_many(hand) > 2 else 0):
        if hand[card] >= 2 and best < 0:
            hand[card] -= 2
            best = least_maal(hand, sight.course.barred, sight.tiplu)
            hand[card] += 2
    return best


def decide(
    kernels: Kernels,
    work: Work,
    numbers: RuleNumbers,
    sight: Sight,
    player: Player,
    passes: bool,
) -> Decision:
    """Decide one move.

    Args:
        kernels: plain or compiled.
        work: the ratings stay there.
        numbers: the options.
        sight: what the seat knows.
        player: how it plays.
        passes: whether to pass over tanelas to lay, a show and a finish.
    """
    if has_shown(sight):
        if not sight.course.has_drawn:
            return decide_draw_post_show(kernels, work, sight, player)
        return decide_discard_post_show(kernels, work, sight, player, passes)
    tanelas = tanelas_laid(sight.laid)
    if player.lays and not passes and may_lay(sight.course, tanelas, sight.has_discarded):
        for card in range(MASTER):
            if sight.hand[card] == 3 and lay_is_good(kernels, work, numbers, sight, card):
                return Decision(Action.LAY, card)
    if may_show(sight.course, sight.has_discarded):
        kernels.rate_before_show(work, numbers, sight, sight.course.has_drawn)
        if work.pre_show[NOTHING, PreShow.CAN_SHOW] > 0.0 and not passes:
            return decide_show(kernels, work, numbers, sight, player)
    if sight.course.has_drawn:
        return decide_discard_pre_show(work, sight, player)
    if sight.top < 0:
        return Decision(Action.DRAW_STOCK, NO_CARD)
    weight = weigh_take_pre_show(kernels, work, numbers, sight, player.weights)
    return draw_from(work, weight, sight.top >= PUTALI, noise_in(sight, player))


def decide_show(
    kernels: Kernels, work: Work, numbers: RuleNumbers, sight: Sight, player: Player
) -> Decision:
    """Decide which of the ways to show to take; the hand is rated."""
    if work.pre_show[NOTHING, PreShow.DISTANCE] > 0.0:
        return Decision(Action.SHOW_DUBLEES, NO_CARD)
    value = choose_show(kernels, work, numbers, sight, player)
    seven = numbers.dublee and dublee_count(sight.hand) >= DUBLEES_TO_SHOW
    if seven and value < dublee_show_value(work, sight, player.weights):
        return Decision(Action.SHOW_DUBLEES, NO_CARD)
    return Decision(Action.SHOW, NO_CARD)


def decide_discard_pre_show(work: Work, sight: Sight, player: Player) -> Decision:
    """Decide what to discard before the show; the hands left are rated."""
    barred = sight.course.barred
    first, noise = Weights.PRE_SHOW_DISCARD, noise_in(sight, player)
    best = best_discard(work, work.pre_show, player.weights, first, barred, noise)
    if best < 0:
        best = least_maal(sight.hand, barred, NO_CARD)
    return Decision(Action.DISCARD, best)


def decide_draw_post_show(kernels: Kernels, work: Work, sight: Sight, player: Player) -> Decision:
    """Decide what to draw from after the show."""
    if sight.top < 0:
        return Decision(Action.DRAW_STOCK, NO_CARD)
    weight = weigh_take_post_show(kernels, work, sight, player.weights)
    joker = joker_mask(sight.tiplu) >> sight.top & 1 == 1
    always = joker and joker_is_good(kernels, work.finish, sight)
    return draw_from(work, weight, always, noise_in(sight, player))


def decide_discard_post_show(
    kernels: Kernels, work: Work, sight: Sight, player: Player, passes: bool
) -> Decision:
    """Decide what to discard after the show, or with what to finish."""
    dublees, tiplu, barred = has_dublees(sight), sight.tiplu, sight.course.barred
    if tiplu < 0 and not dublees:
        return Decision(Action.DISCARD, rate_blind(kernels, work, sight, True, player.weights))
    kernels.rate_after_show(work, sight, dublees, True)
    can_finish = work.post_show[NOTHING, PostShow.CAN_FINISH] > 0.0
    if may_finish(sight.course) and can_finish and not passes:
        discard = (
            dublee_finish_discard(sight)
            if dublees
            else finish_discard(kernels, work.finish, sight, barred)
        )
        if discard >= 0:
            return Decision(Action.FINISH, discard)
    first, noise = Weights.POST_SHOW_DISCARD, noise_in(sight, player)
    best = best_discard(work, work.post_show, player.weights, first, barred, noise)
    if best < 0:
        best = least_maal(sight.hand, barred, tiplu)
    return Decision(Action.DISCARD, best)
