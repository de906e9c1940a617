"""How Marriage's bots look at a hand: its features before the show and after it.

**Before the show** (:func:`rate_before_show`): the distance to three pure melds and its
*outs* (the unseen cards that lessen it) as a share of all unseen cards, the same for seven
dublees, estimated turns until the show on the cheaper of the two routes, and whether
somebody has shown.  **After the show** (:func:`rate_after_show`): distance, outs and
estimated turns until the finish, and maal.  A card of the pile is described by the
difference that it makes (:func:`take_row`, :func:`take_row_after`).

**Estimated turns.**  With a share s of the unseen cards useful, a turn helps with
probability ``1 - (1 - s)(1 - PILE_HELPS * s)``, the second factor being the top of
the pile.  The first step is counted with the hand's own outs, each further step
with the share usual at that distance.  A hand with few outs can also take a step back, or
get other outs by other cards: what is more than the turns usual from one step further away
(say u of them) counts less and less, ``u (2 - u / turns)``, so more outs are always
better and no hand is further away than 2 u.

Rows of features are float64: BEFORE or AFTER long for a hand, longer by TAKE_BEFORE or
TAKE_AFTER for a draw.  All functions are plain Python; the two ratings take nearly all the
time of a decision, and are compiled (:func:`compiled_ratings`).
"""

from __future__ import annotations

import math

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
from ustad.runtime.games.marriage.cards.finishes import search_finish
from ustad.runtime.games.marriage.cards.melds import SHOW_MELDS
from ustad.runtime.games.marriage.cards.shows import (
    add_covers,
    dublee_count,
    putali_covers,
    remembered_covers,
    show_distance,
    suit_key,
)
from ustad.runtime.games.marriage.states import AFTER, BEFORE, NOTHING, TOLD

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


def before_row(
    row: Floats,
    distance: int,
    outs: float,
    dublees: int,
    dublee_outs: float,
    dublee: bool,
    somebody: float,
) -> None:
    """Fill a row with the features of a hand; outs are shares."""
    row[:] = 0.0
    turns = estimated_turns(distance, outs, USUAL_SHOW)
    if dublee:
        missing = max(0, 7 - dublees)
        other = estimated_turns(missing, dublee_outs, USUAL_DUBLEES)
        row[24] = math.exp(-max(turns, other) / SHOW_SOON)
        turns = min(turns, other)
        if dublees == 4:
            row[8] = 1.0
        elif dublees == 5:
            row[9] = 1.0
            row[11] = 10.0 * dublee_outs
        elif dublees == 6:
            row[10] = 1.0
            row[12] = 10.0 * dublee_outs
            row[17] = somebody
    row[0] = distance
    row[1] = turns
    row[13] = somebody * turns
    row[22] = math.exp(-turns / SHOW_SOON)
    row[23] = somebody * row[22]
    if 1 <= distance <= 3:
        row[1 + distance] = 1.0
    if distance == 1:
        row[5] = 10.0 * outs
        row[14] = somebody
        row[16] = somebody * 10.0 * outs
    elif distance == 2:
        row[6] = 10.0 * outs
        row[15] = somebody
    elif distance >= 3:
        row[7] = 10.0 * outs
    if distance == 0 or (dublee and dublees >= 7):
        row[BEFORE - 1] = 1.0


def add_neighbours(row: Floats, hand: Ints, unseen: Ints, card: int) -> None:
    """Add to a row what the card thrown has beside it, in the hand and among the unseen."""
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
    if row[0] <= 1:
        row[18] = live
    else:
        row[19] = live
    row[20] = own
    row[21] = mates


def rate_before_show(
    memory: Ints,
    hand: Ints,
    laid: Ints,
    unseen: Ints,
    dublee: bool,
    master_is_pure: bool,
    somebody: float,
    throw: bool,
    rows: Floats,
    valid: NDArray[np.bool_],
) -> None:
    """Rate the hand that each discard leaves, before the show.

    Args:
        memory: see :func:`ustad.runtime.games.marriage.cards.melds.remembered_covers`.
        hand: (54,) the cards in hand.
        laid: (54,) the tanelas laid.
        unseen: (54,) the cards not seen.
        dublee: the option.
        master_is_pure: the option.
        somebody: 1 if somebody has shown, else 0.
        throw: whether a card is to be thrown; else only the hand as it is is rated.
        rows: (55, BEFORE) filled: a row for each card thrown, the last for none.
        valid: (55,) filled: which rows are.
    """
    valid[:] = False
    total = max(1, how_many(unseen))
    keys = np.zeros(4, dtype=np.int64)
    blocked = np.zeros(4, dtype=np.int64)
    down = 0
    for suit in range(4):
        keys[suit] = suit_key(hand, suit)
        for rank_ in range(RANKS):
            if laid[suit * RANKS + rank_] > 0:
                blocked[suit] |= 1 << rank_
                down += 1
    if laid[PUTALI] > 0:
        down += 1
    missing = SHOW_MELDS - down
    place = 4 * (missing - 1)
    pairs = dublee_count(hand)
    single_outs = 0
    for card in range(MASTER):
        if hand[card] == 1:
            single_outs += unseen[card]
    wild = master_is_pure and hand[MASTER] > 0
    covers = np.zeros(4, dtype=np.int64)
    plus = np.zeros((4, RANKS), dtype=np.int64)
    others = np.zeros(4, dtype=np.int64)
    putali = putali_covers(hand[PUTALI]) if laid[PUTALI] == 0 else 0
    putali_more = laid[PUTALI] == 0 and hand[PUTALI] < 3 and unseen[PUTALI] > 0
    if missing > 0 and not wild:
        for suit in range(4):
            covers[suit] = remembered_covers(memory, keys[suit], blocked[suit], 0)
            for rank_ in range(RANKS):
                card = suit * RANKS + rank_
                if unseen[card] > 0 and hand[card] < 3 and laid[card] == 0:
                    key = keys[suit] + (1 << 2 * rank_)
                    plus[suit, rank_] = remembered_covers(memory, key, blocked[suit], 0)
        for suit in range(4):
            rest = putali
            for other in range(4):
                if other != suit:
                    rest = add_covers(rest, covers[other])
            others[suit] = rest
    less = hand.copy()
    for card in range(CARDS + 1):
        if card < CARDS and (not throw or card >= PUTALI or hand[card] == 0):
            continue
        valid[card] = True
        outs = 0
        distance = 0
        if missing > 0 and wild:
            if card < CARDS:
                less[card] -= 1
            distance = show_distance(memory, less, laid, True)
            for new in range(MASTER):
                if unseen[new] > 0 and less[new] < 3 and laid[new] == 0:
                    less[new] += 1
                    if show_distance(memory, less, laid, True) < distance:
                        outs += unseen[new]
                    less[new] -= 1
            if card < CARDS:
                less[card] += 1
        elif missing > 0:
            suit = card // RANKS if card < CARDS else 0
            key = keys[suit]
            own = covers[suit]
            if card < CARDS:
                key -= 1 << 2 * (card % RANKS)
                own = remembered_covers(memory, key, blocked[suit], 0)
            most = add_covers(others[suit], own) >> place & 15
            distance = 3 * missing - most
            if distance > 0:
                for rank_ in range(RANKS):
                    new = suit * RANKS + rank_
                    if unseen[new] > 0 and laid[new] == 0 and key >> 2 * rank_ & 3 < 3:
                        if card < CARDS:
                            if card % RANKS == rank_:
                                with_new = covers[suit]
                            else:
                                with_new = remembered_covers(
                                    memory, key + (1 << 2 * rank_), blocked[suit], 0
                                )
                        else:
                            with_new = plus[suit, rank_]
                        if add_covers(others[suit], with_new) >> place & 15 > most:
                            outs += unseen[new]
                for other in range(4):
                    if other == suit:
                        continue
                    rest = add_covers(putali, own)
                    for third in range(4):
                        if third != suit and third != other:
                            rest = add_covers(rest, covers[third])
                    for rank_ in range(RANKS):
                        if (
                            plus[other, rank_] > 0
                            and add_covers(rest, plus[other, rank_]) >> place & 15 > most
                        ):
                            outs += unseen[other * RANKS + rank_]
                if putali_more:
                    rest = add_covers(putali_covers(hand[PUTALI] + 1), own)
                    for third in range(4):
                        if third != suit:
                            rest = add_covers(rest, covers[third])
                    if rest >> place & 15 > most:
                        outs += unseen[PUTALI]
                if master_is_pure and unseen[MASTER] > 0:
                    if card < CARDS:
                        less[card] -= 1
                    less[MASTER] += 1
                    if show_distance(memory, less, laid, True) < distance:
                        outs += unseen[MASTER]
                    less[MASTER] -= 1
                    if card < CARDS:
                        less[card] += 1
        dublees = pairs
        loose = single_outs
        if card < CARDS:
            if hand[card] == 1:
                loose -= unseen[card]
            elif hand[card] == 2:
                dublees -= 1
                loose += unseen[card]
        before_row(rows[card], distance, outs / total, dublees, loose / total, dublee, somebody)
        if card < CARDS:
            add_neighbours(rows[card], hand, unseen, card)


def after_row(row: Floats, distance: int, outs: float) -> None:
    """Fill a row with the features of a hand after the show; outs are a share."""
    row[:] = 0.0
    row[0] = distance
    row[1] = estimated_turns(distance, outs, USUAL_FINISH)
    row[8] = math.exp(-row[1] / FINISH_SOON)
    if 1 <= distance <= 3:
        row[1 + distance] = 1.0
    if distance == 0:
        row[AFTER - 1] = 1.0
    elif distance == 1:
        row[5] = 10.0 * outs
    elif distance == 2:
        row[6] = 10.0 * outs
    else:
        row[7] = 10.0 * outs


def rate_after_show(
    hand: Ints,
    unseen: Ints,
    jokers: int,
    dublees: bool,
    throw: bool,
    groups: Ints,
    outs: Ints,
    rows: Floats,
    valid: NDArray[np.bool_],
) -> None:
    """Rate the hand that each discard leaves, after the show.

    Discards that cost distance are left out, jokers too while there is another.

    Args:
        hand: (54,) the cards in hand.
        unseen: (54,) the cards not seen.
        jokers: which cards are jokers, as bits.
        dublees: whether seven dublees were shown: an eighth is wanted.
        throw: whether a card is to be thrown.
        groups: working space, see :func:`ustad.runtime.games.marriage.cards.melds.finish_work`.
        outs: working space.
        rows: (55, AFTER) filled: a row for each card thrown, the last for none (with a
            card too many in hand its outs mean nothing).
        valid: (55,) filled: which rows are.
    """
    valid[:] = False
    total = max(1, how_many(unseen))
    if dublees:
        loose = 0
        pairs = 0
        for card in range(MASTER):
            if hand[card] == 1:
                loose += unseen[card]
            elif hand[card] >= 2:
                pairs += 1
        for card in range(CARDS + 1):
            if card == NOTHING:
                valid[card] = True
                after_row(rows[card], 0 if pairs > 0 else 1, loose / total)
            elif throw and hand[card] > 0 and not jokers >> card & 1:
                valid[card] = True
                left = loose - (unseen[card] if hand[card] == 1 else 0)
                left_pairs = pairs - (1 if hand[card] == 2 else 0)
                after_row(rows[card], 0 if left_pairs > 0 else 1, left / total)
    else:
        chosen = np.zeros(4, dtype=np.int64)
        distance = search_finish(hand, jokers, 12, groups, outs, chosen, True)
        for card in range(CARDS + 1):
            if card < CARDS:
                if not throw or hand[card] == 0 or jokers >> card & 1:
                    continue
                if distance > 0 and outs[card] == 0:
                    continue
            share = 0
            if distance > 0:
                for new in range(CARDS):
                    if outs[card] >> new & 1:
                        share += unseen[new]
            valid[card] = True
            after_row(rows[card], distance, share / total)


def take_row(before: Floats, after: Floats, card: int, somebody: float, row: Floats) -> None:
    """Fill a row with what taking the pile's card changes before the show.

    ``before`` rates the hand as it is, ``after`` the hand with the card and the best
    discard.
    """
    for k in range(BEFORE):
        row[k] = after[k] - before[k]
    falls = 1.0 if after[0] < before[0] else 0.0
    row[BEFORE] = 1.0
    row[BEFORE + 1] = falls
    row[BEFORE + 2] = somebody
    row[BEFORE + 3] = falls * somebody
    row[BEFORE + 4] = falls * somebody * (1.0 if before[0] >= 3 else 0.0)
    row[BEFORE + 5] = 1.0 if card >= PUTALI else 0.0


def take_row_after(before: Floats, after: Floats, joker: bool, points: int, row: Floats) -> None:
    """Fill a row with what taking the pile's card changes after the show."""
    for k in range(AFTER):
        row[k] = after[k] - before[k]
    row[AFTER] = 1.0
    row[AFTER + 1] = 1.0 if after[0] < before[0] else 0.0
    row[AFTER + 2] = 1.0 if joker else 0.0
    row[AFTER + 3] = points


def told_row(
    row: Floats,
    maal: int,
    laid_pay: int,
    others_shown: int,
    stock: int,
    players: int,
    dublees: bool,
    at_once: bool,
    into: Floats,
) -> int:
    """Fill ``into`` with what a net is told by and return how many numbers that are.

    Args:
        row: the features of the hand, none for a finish.
        maal: the seat's own, without what laying pays.
        laid_pay: what the tanelas that it laid pay beside their cards.
        others_shown: how many opponents have shown.
        stock: how many cards are left.
        players: how many seats.
        dublees: whether the seat has shown dublees, or shows them now.
        at_once: whether a show is made that lets the tiplu be seen at once.
        into: (MOST_TOLD,) filled from the start.
    """
    size = len(row)
    for k in range(size):
        into[k] = row[k]
    into[size] = maal
    into[size + 1] = laid_pay / 5.0
    into[size + 2] = others_shown / (players - 1)
    into[size + 3] = stock / (10.0 * players)
    into[size + 4] = 1.0 if dublees else 0.0
    into[size + 5] = 1.0 if at_once else 0.0
    into[size + 6] = 1.0
    return size + TOLD
