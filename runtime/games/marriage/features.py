"""How Marriage's bots look at a hand: its features before the show and after it.

**Before the show** (:func:`rate_before_show`): the distance to three pure melds and its
*outs* (the unseen cards that lessen it) as a share of all unseen cards, the same for seven
dublees, estimated turns until the show on the cheaper of the two routes, and whether
a seat has shown.  **After the show** (:func:`rate_after_show`): distance, outs and
estimated turns until the finish.  A card of the pile is described by the difference that it
makes (:func:`fill_take_pre_show`, :func:`fill_take_post_show`).

**Estimated turns.**  With a share s of the unseen cards useful, a turn helps with
probability ``1 - (1 - s)(1 - PILE_HELPS * s)``, the second factor being the top of
the pile.  The first step is counted with the hand's own outs, each further step
with the share usual at that distance.  A hand with few outs can also take a step back, or
get other outs by other cards: what is more than the turns usual from one step further away
(say u of them) counts less and less, ``u (2 - u / turns)``, so more outs are always
better and no hand is further away than 2 u.

All functions are flat and plain Python; the two ratings take nearly all the time of a
decision, and ``kernels`` compiles them.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.games.marriage.cards.cards import (
    CARDS,
    MASTER,
    PUTALI,
    RANKS,
    Floats,
    Ints,
    how_many,
)
from ustad.runtime.games.marriage.cards.finishes import FinishWork, finish_work, search_finish
from ustad.runtime.games.marriage.cards.maal import joker_mask, laid_points, maal_points
from ustad.runtime.games.marriage.cards.melds import DUBLEES_TO_SHOW, FINISH_PLACES, SHOW_MELDS
from ustad.runtime.games.marriage.cards.shows import (
    add_covers,
    dublee_count,
    putali_covers,
    remembered_covers,
    show_distance,
    suit_key,
)
from ustad.runtime.games.marriage.round.course import among, before_first_draw
from ustad.runtime.games.marriage.round.known import Sight, has_shown
from ustad.runtime.games.marriage.round.options import RuleNumbers
from ustad.runtime.games.marriage.round.settlement import tanelas_laid
from ustad.runtime.games.marriage.states import (
    BESIDE,
    POST_SHOW,
    PRE_SHOW,
    PRE_SHOW_TAKE,
    Beside,
    Kind,
    PostShow,
    PostShowTake,
    PreShow,
    PreShowTake,
)


class Work(NamedTuple):
    """The working arrays of decisions; the ratings of the last one stay there.

    Attributes:
        memory: see :func:`ustad.runtime.games.marriage.cards.shows.remembered_covers`.
        finish: for the search of finishes.
        pre_show: (55, PRE_SHOW) the hand that each discard leaves before the show, in the
            last row the hand with nothing discarded.
        post_show: (55, POST_SHOW) the same after the show.
        valid: (55,) which rows are filled.
        weighed: (55,) what each row weighs; in the last place what the pile's card does.
        take: (PRE_SHOW_TAKE,) the features of the pile's card.
        show: (3, 3) the melds to show.
    """

    memory: Ints
    finish: FinishWork
    pre_show: Floats
    post_show: Floats
    valid: NDArray[np.bool_]
    weighed: Floats
    take: Floats
    show: Ints


def new_work() -> Work:
    """Return new working arrays."""
    return Work(
        np.zeros(1 << 16, dtype=np.int64),
        finish_work(),
        np.zeros((CARDS + 1, PRE_SHOW)),
        np.zeros((CARDS + 1, POST_SHOW)),
        np.zeros(CARDS + 1, dtype=np.bool_),
        np.zeros(CARDS + 1),
        np.zeros(PRE_SHOW_TAKE),
        np.zeros((SHOW_MELDS, 3), dtype=np.int64),
    )


# Turns.

PILE_HELPS = 0.6
LEAST_SHARE = 0.004
"""A step without outs is counted as with half an out or so."""
SHOW_SOON, FINISH_SOON = 8.0, 4.0
"""Turns: what is n of them away is *soon* to the extent of exp(-n / these)."""
USUAL_SHOW: Floats = np.array([1.0, 0.05, 0.11, 0.18, 0.26, 0.34, 0.42, 0.5, 0.6, 0.7])
"""The usual share of outs at each distance from a show."""
USUAL_DUBLEES: Floats = np.array([1.0, 0.16, 0.19, 0.22, 0.25, 0.28, 0.3, 0.3])
"""The usual share of outs by dublees still missing."""
USUAL_FINISH: Floats = np.array(
    [1.0, 0.2, 0.3, 0.38, 0.45, 0.5, 0.55, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6]
)
"""The usual share of outs at each distance from a finish."""


def step_turns(share: float) -> float:
    """Return the turns until a card comes, of which there is a share among the unseen."""
    return 1.0 / (1.0 - (1.0 - share) * (1.0 - PILE_HELPS * share))


def estimated_turns(distance: int, share: float, usual: Floats) -> float:
    """Return the turns until a distance is gone, the first step with a share of outs."""
    if distance == 0:
        return 0.0
    later = 0.0
    for step in range(1, distance):
        later += step_turns(usual[step])
    turns = later + step_turns(max(share, LEAST_SHARE))
    back = usual[min(distance + 1, len(usual) - 1)]
    around = later + step_turns(usual[distance]) + step_turns(back)
    return turns if turns <= around else around * (2.0 - around / turns)


# Before the show.


def fill_pre_show(
    row: Floats,
    distance: int,
    outs: float,
    dublees: int,
    dublee_outs: float,
    dublee: bool,
    shown: float,
) -> None:
    """Fill a row with the features of a hand before the show.

    Args:
        row: (PRE_SHOW,) filled.
        distance: to three pure melds.
        outs: the share of cards that lessen it.
        dublees: how many pairs there are.
        dublee_outs: the share of cards that bring one more.
        dublee: whether seven dublees are a show.
        shown: 1 if a seat has shown, else 0.
    """
    row[:] = 0.0
    turns = estimated_turns(distance, outs, USUAL_SHOW)
    if dublee:
        missing = max(0, DUBLEES_TO_SHOW - dublees)
        other = estimated_turns(missing, dublee_outs, USUAL_DUBLEES)
        row[PreShow.OTHER_SOON] = math.exp(-max(turns, other) / SHOW_SOON)
        turns = min(turns, other)
        if dublees == 4:
            row[PreShow.FOUR_DUBLEES] = 1.0
        elif dublees == 5:
            row[PreShow.FIVE_DUBLEES] = 1.0
            row[PreShow.DUBLEE_OUTS_5] = 10.0 * dublee_outs
        elif dublees == 6:
            row[PreShow.SIX_DUBLEES] = 1.0
            row[PreShow.DUBLEE_OUTS_6] = 10.0 * dublee_outs
            row[PreShow.SIX_DUBLEES_SHOWN] = shown
    row[PreShow.DISTANCE] = distance
    row[PreShow.TURNS] = turns
    row[PreShow.TURNS_SHOWN] = shown * turns
    row[PreShow.SOON] = math.exp(-turns / SHOW_SOON)
    row[PreShow.SOON_SHOWN] = shown * row[PreShow.SOON]
    if distance == 1:
        row[PreShow.DISTANCE_1] = 1.0
        row[PreShow.OUTS_1] = 10.0 * outs
        row[PreShow.DISTANCE_1_SHOWN] = shown
        row[PreShow.OUTS_1_SHOWN] = shown * 10.0 * outs
    elif distance == 2:
        row[PreShow.DISTANCE_2] = 1.0
        row[PreShow.OUTS_2] = 10.0 * outs
        row[PreShow.DISTANCE_2_SHOWN] = shown
    elif distance >= 3:
        row[PreShow.DISTANCE_3] = 1.0 if distance == 3 else 0.0
        row[PreShow.OUTS_3] = 10.0 * outs
    if distance == 0 or (dublee and dublees >= DUBLEES_TO_SHOW):
        row[PreShow.CAN_SHOW] = 1.0


def add_neighbours(row: Floats, hand: Ints, unseen: Ints, card: int) -> None:
    """Add to a row what the discard has beside it, in the hand and among the unseen."""
    suit, place = card // RANKS, card % RANKS
    live = 0.0
    own = 0.0
    for step in range(-2, 3):
        at = place + step
        if 0 <= at <= RANKS and (at < RANKS or place > 2):
            other = suit * RANKS + at % RANKS
            live += unseen[other]
            if step != 0:
                own += min(1, hand[other])
            elif hand[other] > 1:
                own += 1.0
    if place == 0:
        for at in (11, 12):
            other = suit * RANKS + at
            live += unseen[other]
            own += min(1, hand[other])
    mates = 0.0
    for other in range(place, PUTALI, RANKS):
        if other != card and hand[other] > 0:
            mates += 1.0
    row[PreShow.LIVE_1 if row[PreShow.DISTANCE] <= 1 else PreShow.LIVE_2] = live
    row[PreShow.OWN_NEIGHBOURS] = own
    row[PreShow.OWN_RANK] = mates


class Covers(NamedTuple):
    """How many cards of the wanted target melds the parts of a hand hold; see ``shows``.

    Attributes:
        keys: (4,) the cards of each suit.
        blocked: (4,) the ranks of which no target can be.
        held: (4,) the covers of each suit.
        plus: (4, 13) those with one card more, 0 where none can come.
        others: (4,) the covers of putali and all suits but this one.
        putali: the covers of the putali.
        more_putali: those with one more, 0 if none can come.
        missing: how many target melds are wanted.
    """

    keys: Ints
    blocked: Ints
    held: Ints
    plus: Ints
    others: Ints
    putali: int
    more_putali: int
    missing: int


def covers_of(memory: Ints, sight: Sight) -> Covers:
    """Return what the parts of a hand hold of the target melds."""
    hand, laid, unseen = sight.hand, sight.laid, sight.unseen
    keys = np.zeros(4, dtype=np.int64)
    blocked = np.zeros(4, dtype=np.int64)
    held = np.zeros(4, dtype=np.int64)
    plus = np.zeros((4, RANKS), dtype=np.int64)
    others = np.zeros(4, dtype=np.int64)
    putali = putali_covers(hand[PUTALI]) if laid[PUTALI] == 0 else 0
    more = 0
    if laid[PUTALI] == 0 and hand[PUTALI] < 3 and unseen[PUTALI] > 0:
        more = putali_covers(hand[PUTALI] + 1)
    for suit in range(4):
        keys[suit] = suit_key(hand, suit)
        for rank in range(RANKS):
            if laid[suit * RANKS + rank] > 0:
                blocked[suit] |= 1 << rank
        held[suit] = remembered_covers(memory, keys[suit], blocked[suit], 0)
        for rank in range(RANKS):
            card = suit * RANKS + rank
            if unseen[card] > 0 and hand[card] < 3 and laid[card] == 0:
                key = keys[suit] + (1 << 2 * rank)
                plus[suit, rank] = remembered_covers(memory, key, blocked[suit], 0)
    covers = Covers(
        keys, blocked, held, plus, others, putali, more, SHOW_MELDS - tanelas_laid(laid)
    )
    for suit in range(4):
        others[suit] = with_suits(covers, putali, suit, suit)
    return covers


def with_suits(covers: Covers, total: int, suit: int, other: int) -> int:
    """Return some covers with those of all suits but two added."""
    for third in range(4):
        if third not in (suit, other):
            total = add_covers(total, covers.held[third])
    return total


def most_held(covers: Covers, total: int) -> int:
    """Return the most cards that the wanted melds hold, of the covers of a whole hand."""
    return total >> 4 * (covers.missing - 1) & 15


def distance_and_outs(memory: Ints, covers: Covers, sight: Sight, discard: int) -> tuple[int, int]:
    """Return the distance to three pure melds and its outs, without the master.

    Args:
        memory: see :class:`Work`.
        covers: see :func:`covers_of`.
        sight: what the seat knows.
        discard: the card discarded, NOTHING for none.
    """
    unseen = sight.unseen
    suit = discard // RANKS if discard < CARDS else 0
    key, own, rest = covers.keys[suit], covers.held[suit], covers.others[suit]
    if discard < CARDS:
        key -= 1 << 2 * (discard % RANKS)
        own = remembered_covers(memory, key, covers.blocked[suit], 0)
    most = most_held(covers, add_covers(rest, own))
    distance = 3 * covers.missing - most
    outs = 0
    if distance == 0:
        return distance, outs
    for rank in range(RANKS):
        new = suit * RANKS + rank
        if unseen[new] > 0 and sight.laid[new] == 0 and key >> 2 * rank & 3 < 3:
            more = covers.plus[suit, rank]
            if discard < CARDS:
                more = covers.held[suit]
                if discard % RANKS != rank:
                    grown = key + (1 << 2 * rank)
                    more = remembered_covers(memory, grown, covers.blocked[suit], 0)
            if most_held(covers, add_covers(rest, more)) > most:
                outs += unseen[new]
    for other in range(4):
        if other == suit:
            continue
        rest = with_suits(covers, add_covers(covers.putali, own), suit, other)
        for rank in range(RANKS):
            more = covers.plus[other, rank]
            if more > 0 and most_held(covers, add_covers(rest, more)) > most:
                outs += unseen[other * RANKS + rank]
    if covers.more_putali > 0:
        rest = with_suits(covers, add_covers(covers.more_putali, own), suit, suit)
        if most_held(covers, rest) > most:
            outs += unseen[PUTALI]
    return distance, outs


def tried_outs(memory: Ints, hand: Ints, sight: Sight) -> tuple[int, int]:
    """Return the distance to three pure melds of a hand with a wild master, and its outs."""
    distance = show_distance(memory, hand, sight.laid, True)
    outs = 0
    for new in range(MASTER):
        if sight.unseen[new] > 0 and hand[new] < 3 and sight.laid[new] == 0:
            hand[new] += 1
            if show_distance(memory, hand, sight.laid, True) < distance:
                outs += sight.unseen[new]
            hand[new] -= 1
    return distance, outs


def master_is_out(memory: Ints, hand: Ints, sight: Sight, distance: int) -> bool:
    """Tell whether a pure master would lessen the distance of a hand."""
    if sight.unseen[MASTER] == 0 or distance == 0:
        return False
    hand[MASTER] += 1
    nearer = show_distance(memory, hand, sight.laid, True) < distance
    hand[MASTER] -= 1
    return nearer


def rate_before_show(work: Work, numbers: RuleNumbers, sight: Sight, discards: bool) -> None:
    """Rate the hand that each discard leaves, before the show.

    Args:
        work: rows and ``valid`` are filled.
        numbers: the options.
        sight: what the seat knows.
        discards: whether a card is to be discarded; else only the hand as it is is rated.
    """
    memory, rows, valid = work.memory, work.pre_show, work.valid
    hand, unseen = sight.hand, sight.unseen
    shown = 1.0 if sight.course.shown else 0.0
    total = max(1, how_many(unseen))
    covers = covers_of(memory, sight)
    pairs = dublee_count(hand)
    singles = 0
    for card in range(MASTER):
        if hand[card] == 1:
            singles += unseen[card]
    left = hand.copy()
    valid[:] = False
    for card in range(CARDS + 1):
        dublees, loose = pairs, singles
        if card < CARDS:
            if not discards or card >= PUTALI or hand[card] == 0:
                continue
            if hand[card] == 1:
                loose -= unseen[card]
            elif hand[card] == 2:
                dublees -= 1
                loose += unseen[card]
            left[card] -= 1
        distance, outs = 0, 0
        if covers.missing > 0:
            if numbers.master_is_pure and hand[MASTER] > 0:
                distance, outs = tried_outs(memory, left, sight)
            else:
                distance, outs = distance_and_outs(memory, covers, sight, card)
                if numbers.master_is_pure and master_is_out(memory, left, sight, distance):
                    outs += unseen[MASTER]
        valid[card] = True
        row = rows[card]
        fill_pre_show(row, distance, outs / total, dublees, loose / total, numbers.dublee, shown)
        if card < CARDS:
            left[card] += 1
            add_neighbours(row, hand, unseen, card)


# After the show.


def fill_post_show(row: Floats, distance: int, outs: float) -> None:
    """Fill a row with the features of a hand after the show; outs are a share."""
    row[:] = 0.0
    row[PostShow.DISTANCE] = distance
    row[PostShow.TURNS] = estimated_turns(distance, outs, USUAL_FINISH)
    row[PostShow.SOON] = math.exp(-row[PostShow.TURNS] / FINISH_SOON)
    if distance == 0:
        row[PostShow.CAN_FINISH] = 1.0
    elif distance == 1:
        row[PostShow.DISTANCE_1] = 1.0
        row[PostShow.OUTS_1] = 10.0 * outs
    elif distance == 2:
        row[PostShow.DISTANCE_2] = 1.0
        row[PostShow.OUTS_2] = 10.0 * outs
    else:
        row[PostShow.DISTANCE_3] = 1.0 if distance == 3 else 0.0
        row[PostShow.OUTS_3] = 10.0 * outs


def rate_after_show(work: Work, sight: Sight, dublees: bool, discards: bool) -> None:
    """Rate the hand that each discard leaves, after the show.

    Discards that cost distance are left out, jokers too while there is another.

    Args:
        work: rows and ``valid`` are filled.  Of the hand as it is, with a card too many, the
            outs mean nothing.
        sight: what the seat knows; without a tiplu putali and master alone are jokers.
        dublees: whether seven dublees are shown: an eighth is wanted.
        discards: whether a card is to be discarded; else only the hand as it is is rated.
    """
    work.valid[:] = False
    if dublees:
        rate_dublees(work, sight, discards)
    else:
        rate_melds(work, sight, discards)


def rate_dublees(work: Work, sight: Sight, discards: bool) -> None:
    """Rate hands after a show of seven dublees."""
    hand, unseen, jokers = sight.hand, sight.unseen, joker_mask(sight.tiplu)
    total = max(1, how_many(unseen))
    loose, pairs = 0, 0
    for card in range(MASTER):
        if hand[card] == 1:
            loose += unseen[card]
        elif hand[card] >= 2:
            pairs += 1
    for card in range(CARDS + 1):
        left, left_pairs = loose, pairs
        if card < CARDS:
            if not discards or hand[card] == 0 or jokers >> card & 1:
                continue
            left -= unseen[card] if hand[card] == 1 else 0
            left_pairs -= 1 if hand[card] == 2 else 0
        work.valid[card] = True
        fill_post_show(work.post_show[card], 0 if left_pairs > 0 else 1, left / total)


def rate_melds(work: Work, sight: Sight, discards: bool) -> None:
    """Rate hands after a show of three pure melds."""
    hand, unseen, jokers = sight.hand, sight.unseen, joker_mask(sight.tiplu)
    total = max(1, how_many(unseen))
    distance = search_finish(work.finish, hand, jokers, FINISH_PLACES, True, 0)
    outs = work.finish.outs
    for card in range(CARDS + 1):
        if card < CARDS:
            if not discards or hand[card] == 0 or jokers >> card & 1:
                continue
            if distance > 0 and outs[card] == 0:
                continue
        share = 0
        if distance > 0:
            for new in range(CARDS):
                if outs[card] >> new & 1:
                    share += unseen[new]
        work.valid[card] = True
        fill_post_show(work.post_show[card], distance, share / total)


# Draws.


def fill_take_pre_show(row: Floats, before: Floats, after: Floats, card: int, shown: float) -> None:
    """Fill a row with what taking the pile's card changes before the show.

    ``before`` rates the hand as it is, ``after`` the hand with the card and the best
    discard; ``shown`` is 1 if a seat has shown.
    """
    for k in range(PRE_SHOW):
        row[k] = after[k] - before[k]
    falls = 1.0 if after[PreShow.DISTANCE] < before[PreShow.DISTANCE] else 0.0
    far = 1.0 if before[PreShow.DISTANCE] >= 3 else 0.0
    row[PreShowTake.TAKE] = 1.0
    row[PreShowTake.FALLS] = falls
    row[PreShowTake.SHOWN] = shown
    row[PreShowTake.FALLS_SHOWN] = falls * shown
    row[PreShowTake.FALLS_FAR_SHOWN] = falls * shown * far
    row[PreShowTake.PRINTED] = 1.0 if card >= PUTALI else 0.0


def fill_take_post_show(
    row: Floats, before: Floats, after: Floats, joker: bool, points: int
) -> None:
    """Fill a row with what taking the pile's card, that pays so much, changes after the show."""
    for k in range(POST_SHOW):
        row[k] = after[k] - before[k]
    falls = after[PostShow.DISTANCE] < before[PostShow.DISTANCE]
    row[PostShowTake.TAKE] = 1.0
    row[PostShowTake.FALLS] = 1.0 if falls else 0.0
    row[PostShowTake.JOKER] = 1.0 if joker else 0.0
    row[PostShowTake.MAAL] = points


# The predicted net.


def fill_predictors(
    into: Floats,
    numbers: RuleNumbers,
    sight: Sight,
    kind: Kind,
    row: Floats,
    owned: Ints,
    dublees: bool,
) -> int:
    """Fill ``into`` with what a net is predicted by and return how many numbers that are.

    Args:
        into: (LONGEST_ROW,) filled from the start.
        numbers: the options, of which those that differ from the default count.
        sight: what the seat knows.
        kind: of the move.
        row: the features of the hand that it leaves, none for a finish.
        owned: (54,) that hand and the seat's cards on the table.
        dublees: whether the seat has shown dublees, or shows them now.
    """
    course, size = sight.course, len(row)
    players, others_shown = course.players, 0
    for other in range(players):
        if other != sight.seat and among(course.shown, other):
            others_shown += 1
    fives = laid_points(tanelas_laid(sight.laid), sight.laid[PUTALI] > 0) / 5.0
    before_show = kind in (Kind.PRE_SHOW_STOCK, Kind.PRE_SHOW_DISCARD)
    into[:size] = row
    beside = into[size : size + BESIDE]
    beside[:] = 0.0
    beside[Beside.MAAL] = maal_points(owned, sight.tiplu, 0, False, True, False)
    if before_show and numbers.laid_need_tiplu:
        beside[Beside.FIVES] = fives
    else:
        beside[Beside.CERTAIN_FIVES] = fives
    beside[Beside.OTHERS_SHOWN] = others_shown / (players - 1)
    beside[Beside.STOCK] = course.stock / (10.0 * players)
    beside[Beside.DUBLEES] = 1.0 if dublees else 0.0
    beside[Beside.FIRST] = 1.0 if before_first_draw(course, sight.has_discarded) else 0.0
    beside[Beside.TWO_PLAYERS] = 1.0 if players == 2 else 0.0
    beside[Beside.THREE_PLAYERS] = 1.0 if players == 3 else 0.0
    beside[Beside.FIVE_PLAYERS] = 1.0 if players == 5 else 0.0
    beside[Beside.NO_DUBLEES] = 0.0 if numbers.dublee else 1.0
    beside[Beside.PURE_MASTER] = 1.0 if numbers.master_is_pure else 0.0
    beside[Beside.SEE_AT_ONCE] = 1.0 if numbers.see_at_once else 0.0
    beside[Beside.PRINTED_NEED_SHOW] = 1.0 if numbers.printed_need_show else 0.0
    beside[Beside.LAID_PAY_ALWAYS] = 0.0 if numbers.laid_need_tiplu else 1.0
    beside[Beside.ALWAYS] = 1.0
    return size + BESIDE


def discard_kind(sight: Sight) -> Kind:
    """Return the kind of a discard: one that does not see the tiplu is that of a show."""
    if not has_shown(sight):
        return Kind.PRE_SHOW_DISCARD
    return Kind.SHOW if sight.tiplu < 0 else Kind.POST_SHOW_DISCARD
