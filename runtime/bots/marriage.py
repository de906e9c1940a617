"""The four levels of Marriage: one way to look at a hand, four ways to weigh it.

**The problem.**  A player decides which card to draw, which to throw, and which
melds to show.  The other hands and the stock are hidden; a round is too long to
search.  So each option is described by *features* of the hand that it leads to,
and the option with the greatest weighted sum is played.

**Features before the show** (:func:`rate_before_show`): the distance to three pure
melds and its *outs* (the unseen cards that lessen it) as a share of all unseen
cards, the same for seven dublees, estimated turns until the show on the cheaper of
the two routes, and whether somebody has shown.  **After the show**
(:func:`rate_after_show`): distance, outs and estimated turns until the finish, and
maal.  A card of the pile is judged by the difference that it makes.

**The levels** are weights on these features:

- *easy* looks at the exact distance alone, through noise;
- *medium* looks at the exact distance alone;
- *hard* goes by the estimated turns; it lays dealt tanelas and shows the melds that
  leave the best finish;
- *expert* weighs all features by what they were found to be worth in net points:
  the weights are slopes learned from randomised self-play, see
  ``ustad.solver.marriage``, and ship with the package.

**Measured** (net points a round, four players, each deal with the hero in all four
seats, 95% intervals): medium against easy +10.1 +- 0.8, hard against easy
+15.0 +- 0.8, hard against medium +6.0 +- 0.4, expert against hard +1.47 +- 0.29,
against medium +7.2 +- 0.6, against easy +17.8 +- 0.8.  The features *soon* (how
likely a show or a finish is within some turns) are much of expert's gain: without
them it was +1.3 +- 0.4.  Averaging the show and the blind discard after it over the
tiplus that can come gained nothing (+1.29 +- 0.45 with it, +1.33 +- 0.44 without): a
show is judged with putali and master as its jokers.

No level throws a putali or the master while it has anything else; every level
shows and finishes as soon as it can.

**Estimated turns.**  With a share s of the unseen cards useful, a turn helps with
probability ``1 - (1 - s)(1 - PILE_HELPS * s)``, the second factor being the top of
the pile.  The first step is counted with the hand's own outs, each further step
with the share usual at that distance.

Everything is a function of the seat's view.  The same functions play whole rounds
in compiled code when the weights are learned.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.errors import OptionError
from ustad.runtime.games import marriage as rules
from ustad.runtime.games import melds
from ustad.runtime.games.base import Advice, Bot, rank
from ustad.runtime.games.marriage import Marriage, View
from ustad.runtime.games.melds import (
    CARD_NAMES,
    CARDS,
    MASTER,
    NO_JOKERS,
    PUTALI,
    RANKS,
    SHOW_MELDS,
    add_covers,
    alter,
    copies_pay,
    dublee_count,
    finish_work,
    how_many,
    jhiplu,
    joker_mask,
    marriage_points,
    poplu,
    putali_covers,
    remembered_covers,
    search_finish,
    show_distance,
    suit_key,
)
from ustad.tables import MissingTableError, TableSpec, open_table, tables_folder

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NOTHING = CARDS
"""The row of a rating for the hand as it is, nothing thrown."""

# Features of a hand before the show.
BEFORE_NAMES = (
    "distance",
    "turns",
    "distance is 1",
    "distance is 2",
    "distance is 3",
    "outs at distance 1",
    "outs at distance 2",
    "outs at distance 3 or more",
    "four dublees",
    "five dublees",
    "six dublees",
    "dublee outs at five",
    "dublee outs at six",
    "turns, somebody has shown",
    "distance is 1, somebody has shown",
    "distance is 2, somebody has shown",
    "outs at distance 1, somebody has shown",
    "six dublees, somebody has shown",
    "live neighbours of the card thrown, distance 1",
    "live neighbours of the card thrown, distance 2 or more",
    "own neighbours of the card thrown",
    "own cards of the rank thrown, other suits",
    "show soon",
    "show soon, somebody has shown",
    "other route soon",
    "can show",
)
BEFORE = len(BEFORE_NAMES)
TAKE_BEFORE_NAMES = (
    "take",
    "take, distance falls",
    "take, somebody has shown",
    "take, distance falls, somebody has shown",
    "take, distance falls from 3 or more, somebody has shown",
    "take a putali or master",
)
TAKE_BEFORE = len(TAKE_BEFORE_NAMES)
# Features of a hand after the show.
AFTER_NAMES = (
    "distance",
    "turns",
    "distance is 1",
    "distance is 2",
    "distance is 3",
    "outs at distance 1",
    "outs at distance 2",
    "outs at distance 3 or more",
    "finish soon",
    "can finish",
)
AFTER = len(AFTER_NAMES)
TAKE_AFTER_NAMES = ("take", "take, distance falls", "take a joker", "maal of the card taken")
TAKE_AFTER = len(TAKE_AFTER_NAMES)

# One vector of weights: four decisions, each with its own.
DISCARD_BEFORE = 0
DRAW_BEFORE = DISCARD_BEFORE + BEFORE
DISCARD_AFTER = DRAW_BEFORE + BEFORE + TAKE_BEFORE
DRAW_AFTER = DISCARD_AFTER + AFTER
WEIGHTS = DRAW_AFTER + AFTER + TAKE_AFTER

FEATURE_NAMES = (
    *(f"discard before the show: {name}" for name in BEFORE_NAMES),
    *(f"draw before the show: {name}" for name in (*BEFORE_NAMES, *TAKE_BEFORE_NAMES)),
    *(f"discard after the show: {name}" for name in AFTER_NAMES),
    *(f"draw after the show: {name}" for name in (*AFTER_NAMES, *TAKE_AFTER_NAMES)),
)

PILE_HELPS = 0.6
MOST_TURNS = 60.0
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


def estimated_turns(distance: int, share: float, usual: Floats) -> float:
    """Return the turns until a distance is gone, the first step with a share of outs."""
    turns = 0.0
    for step in range(1, distance + 1):
        s = max(share, 0.004) if step == distance else usual[step]
        turns += 1.0 / (1.0 - (1.0 - s) * (1.0 - PILE_HELPS * s))
    return min(turns, MOST_TURNS)


def _before_row(
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


def _neighbours(row: Floats, hand: Ints, unseen: Ints, card: int) -> None:
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
        memory: see :func:`ustad.runtime.games.melds.remembered_covers`.
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
        dublees = pairs
        loose = single_outs
        if card < CARDS:
            if hand[card] == 1:
                loose -= unseen[card]
            elif hand[card] == 2:
                dublees -= 1
                loose += unseen[card]
        _before_row(rows[card], distance, outs / total, dublees, loose / total, dublee, somebody)
        if card < CARDS:
            _neighbours(rows[card], hand, unseen, card)


def _after_row(row: Floats, distance: int, outs: float) -> None:
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
        groups: working space, see :func:`ustad.runtime.games.melds.finish_work`.
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
                _after_row(rows[card], 0 if pairs > 0 else 1, loose / total)
            elif throw and hand[card] > 0 and not jokers >> card & 1:
                valid[card] = True
                left = loose - (unseen[card] if hand[card] == 1 else 0)
                left_pairs = pairs - (1 if hand[card] == 2 else 0)
                _after_row(rows[card], 0 if left_pairs > 0 else 1, left / total)
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
            _after_row(rows[card], distance, share / total)


def maal_of_card(hand: Ints, card: int, tiplu: int) -> int:
    """Return the maal that one more copy of a card adds to the cards of a hand, after the show."""
    if card == MASTER:
        return 10
    if card == PUTALI:
        return copies_pay(hand[card] + 1, 5, 15, 25) - copies_pay(hand[card], 5, 15, 25)
    if tiplu < 0:
        return 0
    if card == alter(tiplu):
        return copies_pay(hand[card] + 1, 5, 15, 25) - copies_pay(hand[card], 5, 15, 25)
    t, p, j = hand[tiplu], hand[poplu(tiplu)], hand[jhiplu(tiplu)]
    before = marriage_points(t, p, j)
    if card == tiplu:
        return marriage_points(t + 1, p, j) - before
    if card == poplu(tiplu):
        return marriage_points(t, p + 1, j) - before
    if card == jhiplu(tiplu):
        return marriage_points(t, p, j + 1) - before
    return 0


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


def noise(seed: int, moment: int, option: int, temperature: float) -> float:
    """Return the noise of an option: Gumbel noise makes the greatest a softmax choice.

    Without temperature it is too small to matter but between equals.
    """
    u = mixed(seed if temperature > 0.0 else 0, moment, option)
    if temperature > 0.0:
        return float(-temperature * math.log(-math.log(u * 0.999999 + 5e-7)))
    return 1e-7 * u


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


def best_row(
    rows: Floats,
    valid: NDArray[np.bool_],
    weights: Floats,
    first: int,
    barred: int,
    seed: int,
    moment: int,
    temperature: float,
    values: Floats,
) -> int:
    """Return the card whose row weighs most, and fill ``values`` with all weights.

    ``barred`` is a card that may not be thrown, -1 for none.
    """
    best = -1
    highest = -np.inf
    for card in range(CARDS):
        if not valid[card] or card == barred:
            continue
        values[card] = weigh(rows[card], weights, first)
        value = values[card] + noise(seed, moment, card, temperature)
        if value > highest:
            best, highest = card, value
    return best


def least_maal(hand: Ints, barred: int, tiplu: int) -> int:
    """Return the card of a hand that pays least, for a hand of jokers alone."""
    best = -1
    least = 1 << 20
    less = hand.copy()
    for card in range(CARDS):
        if hand[card] > 0 and card != barred:
            less[card] -= 1
            points = maal_of_card(less, card, tiplu)
            less[card] += 1
            if points < least:
                best, least = card, points
    return best


def choose_take_before(
    rate_before: Any,
    memory: Ints,
    hand: Ints,
    laid: Ints,
    unseen: Ints,
    top: int,
    dublee: bool,
    master_is_pure: bool,
    somebody: float,
    weights: Floats,
    rows: Floats,
    valid: NDArray[np.bool_],
    values: Floats,
    row: Floats,
) -> float:
    """Return the weight of taking the pile's card before the show, the stock weighing 0.

    ``row`` (BEFORE + TAKE_BEFORE) is filled with its features.
    """
    rate_before(memory, hand, laid, unseen, dublee, master_is_pure, somebody, False, rows, valid)
    before = rows[NOTHING].copy()
    hand[top] += 1
    rate_before(memory, hand, laid, unseen, dublee, master_is_pure, somebody, True, rows, valid)
    after = rows[NOTHING]
    if after[BEFORE - 1] == 0.0:
        best = best_row(rows, valid, weights, DISCARD_BEFORE, top, 0, 0, 0.0, values)
        after = rows[best]
    hand[top] -= 1
    take_row(before, after, top, somebody, row[: BEFORE + TAKE_BEFORE])
    return weigh(row[: BEFORE + TAKE_BEFORE], weights, DRAW_BEFORE)


def choose_take_after(
    rate_after: Any,
    hand: Ints,
    table: Ints,
    unseen: Ints,
    top: int,
    tiplu: int,
    dublees: bool,
    weights: Floats,
    groups: Ints,
    outs: Ints,
    rows: Floats,
    valid: NDArray[np.bool_],
    values: Floats,
    row: Floats,
) -> float:
    """Return the weight of taking the pile's card after the show, the stock weighing 0.

    ``table`` (54,) holds one's own cards on the table; ``row`` (AFTER + TAKE_AFTER) is
    filled with the features.
    """
    jokers = joker_mask(tiplu)
    rate_after(hand, unseen, jokers, dublees, False, groups, outs, rows, valid)
    before = rows[NOTHING].copy()
    points = maal_of_card(hand + table, top, tiplu)
    hand[top] += 1
    rate_after(hand, unseen, jokers, dublees, True, groups, outs, rows, valid)
    best = best_row(rows, valid, weights, DISCARD_AFTER, top, 0, 0, 0.0, values)
    hand[top] -= 1
    if best < 0:
        return -1e9
    take_row_after(before, rows[best], jokers >> top & 1 == 1, points, row[: AFTER + TAKE_AFTER])
    return weigh(row[: AFTER + TAKE_AFTER], weights, DRAW_AFTER)


# The show.

MOST_MELDS = 128
MOST_SHOWS = 512


def list_pure(hand: Ints, master_is_pure: bool, found: Ints) -> int:
    """Fill ``found`` (MOST_MELDS, 3) with the pure melds that a hand holds; return how many."""
    count = 0
    for card in range(MASTER):
        if hand[card] == 3:
            found[count, :] = card
            count += 1
    for suit in range(4):
        for low in range(12):
            first = suit * RANKS
            a, b, c = first + low, first + low + 1, first + (low + 2) % RANKS
            have = min(1, hand[a]) + min(1, hand[b]) + min(1, hand[c])
            if have == 3:
                found[count, 0], found[count, 1], found[count, 2] = a, b, c
                count += 1
            if master_is_pure and hand[MASTER] > 0:
                for gap in range(3):
                    two = have - min(1, hand[(a, b, c)[gap]])
                    if two == 2 and count < MOST_MELDS:
                        found[count, 0], found[count, 1], found[count, 2] = a, b, c
                        found[count, gap] = MASTER
                        count += 1
    return count


def take_cards(hand: Ints, cards: Ints) -> bool:
    """Take cards out of a hand; tell whether it held them (else it is left as it was)."""
    able = True
    for card in cards:
        hand[card] -= 1
        if hand[card] < 0:
            able = False
    if not able:
        for card in cards:
            hand[card] += 1
    return able


def rate_blind(
    rate_after: Any,
    hand: Ints,
    unseen: Ints,
    tiplu: int,
    throw: bool,
    barred: int,
    tiplus: int,
    weights: Floats,
    groups: Ints,
    outs: Ints,
    rows: Floats,
    valid: NDArray[np.bool_],
    values: Floats,
) -> int:
    """Rate the hand after a show, averaged over the tiplus that can come; return the best discard.

    Args:
        rate_after: :func:`rate_after_show`, plain or compiled.
        hand: (54,) the cards left in hand.
        unseen: (54,) the cards not seen.
        tiplu: the tiplu if it is known, else -1.
        throw: whether a card is to be thrown; else the hand itself is rated, in the
            last place of ``values``.
        barred: a card that may not be thrown, -1 for none.
        tiplus: over how many tiplus to average; 0 counts putali and master alone.
        weights: of the level.
        groups: working space.
        outs: working space.
        rows: working space.
        valid: working space.
        values: (55,) filled with the averages, minus infinity where there is none.
    """
    one = np.zeros(CARDS + 1)
    values[:] = 0.0
    times = 0.0
    candidates = 1 if tiplu >= 0 or tiplus == 0 else 52
    step = max(1, candidates // max(1, tiplus))
    for at in range(0, candidates, step):
        # Neighbouring tiplus are alike: a stride over the ranks meets all suits.
        guess = tiplu if candidates == 1 else at * 15 % 52
        weight = 1.0 if candidates == 1 else float(unseen[guess])
        if weight == 0.0:
            continue
        jokers = joker_mask(guess)
        rate_after(hand, unseen, jokers, False, throw, groups, outs, rows, valid)
        lowest = np.inf
        for card in range(CARDS + 1):
            if valid[card]:
                one[card] = weigh(rows[card], weights, DISCARD_AFTER)
                lowest = min(lowest, one[card])
        for card in range(CARDS + 1):
            if valid[card]:
                values[card] += weight * one[card]
            elif card < CARDS and hand[card] > 0:
                # A joker thrown, or a card that the finish needs: a step lost, and points.
                lost = 12.0 * maal_of_card(hand, card, guess) / 4.0 if jokers >> card & 1 else 0.0
                values[card] += weight * (lowest - 8.0 - lost)
        times += weight
    best = -1
    for card in range(CARDS + 1):
        able = (card == NOTHING and not throw) or (card < CARDS and throw and hand[card] > 0)
        if able and card != barred:
            values[card] /= max(times, 1.0)
            if best < 0 or values[card] > values[best]:
                best = card
        else:
            values[card] = -np.inf
    return best


def choose_show(
    rate_after: Any,
    hand: Ints,
    wanted: int,
    unseen: Ints,
    tiplu: int,
    master_is_pure: bool,
    throw: bool,
    barred: int,
    evaluations: int,
    weights: Floats,
    groups: Ints,
    outs: Ints,
    rows: Floats,
    valid: NDArray[np.bool_],
    values: Floats,
    shown_melds: Ints,
) -> float:
    """Find the melds to show that leave the best hand; fill ``shown_melds`` (3, 3).

    Args:
        rate_after: :func:`rate_after_show`, plain or compiled.
        hand: (54,) the cards in hand.
        wanted: how many melds are to be shown, 0 to 3.
        unseen: (54,) the cards not seen.
        tiplu: the tiplu if it will be known before the discard, else -1.
        master_is_pure: the option.
        throw: whether a card is thrown after the show.
        barred: a card that may not be thrown, -1 for none.
        evaluations: how many pairs of show and tiplu to look at; 0: each show once,
            with putali and master as its jokers; -1: the first show.
        weights: of the level.
        groups: working space.
        outs: working space.
        rows: working space.
        valid: working space.
        values: working space.
        shown_melds: filled with the melds.

    Returns:
        What the hand left weighs; minus infinity if there is no show.
    """
    pure = np.zeros((MOST_MELDS, 3), dtype=np.int64)
    count = list_pure(hand, master_is_pure, pure)
    shows = np.zeros((MOST_SHOWS, 3), dtype=np.int64)
    marks = np.zeros(MOST_SHOWS, dtype=np.int64)
    found = 0
    left = hand.copy()
    choice = np.zeros(3, dtype=np.int64)
    # Choices i <= j <= k of melds; those that leave the same cards are one.
    for i in range(count if wanted > 0 else 1):
        if wanted > 0 and not take_cards(left, pure[i]):
            continue
        for j in range(i if wanted > 1 else 0, count if wanted > 1 else 1):
            if wanted > 1 and not take_cards(left, pure[j]):
                continue
            for k in range(j if wanted > 2 else 0, count if wanted > 2 else 1):
                if wanted > 2 and not take_cards(left, pure[k]):
                    continue
                mark = 0
                for card in range(CARDS):
                    mark = (mark * 31 + int(left[card])) & 0xFFFFFFFFFFFF
                known = found >= MOST_SHOWS
                for other in range(found):
                    if marks[other] == mark:
                        known = True
                        break
                if not known:
                    choice[0], choice[1], choice[2] = i, j, k
                    shows[found] = choice
                    marks[found] = mark
                    found += 1
                if wanted > 2:
                    for card in pure[k]:
                        left[card] += 1
            if wanted > 1:
                for card in pure[j]:
                    left[card] += 1
        if wanted > 0:
            for card in pure[i]:
                left[card] += 1
    best = -1
    highest = -np.inf
    tiplus = 0
    if evaluations > 0 and found > 0:
        tiplus = min(52, max(4, evaluations // found))
    for show in range(found):
        if evaluations < 0:
            best, highest = 0, 0.0
            break
        for m in range(wanted):
            for card in pure[shows[show, m]]:
                left[card] -= 1
        card = rate_blind(
            rate_after,
            left,
            unseen,
            tiplu,
            throw,
            barred,
            tiplus,
            weights,
            groups,
            outs,
            rows,
            valid,
            values,
        )
        value = values[card] if card >= 0 else -1e9
        for m in range(wanted):
            for card in pure[shows[show, m]]:
                left[card] += 1
        if value > highest:
            best, highest = show, value
    if best >= 0:
        for m in range(wanted):
            shown_melds[m] = pure[shows[best, m]]
    return highest


def lay_is_good(
    rate_before: Any,
    memory: Ints,
    hand: Ints,
    laid: Ints,
    unseen: Ints,
    card: int,
    dublee: bool,
    master_is_pure: bool,
    rows: Floats,
    valid: NDArray[np.bool_],
) -> bool:
    """Tell whether to lay a dealt tanela: it costs no distance and breaks no dublees."""
    if dublee and dublee_count(hand) >= 6:
        return False
    rate_before(memory, hand, laid, unseen, dublee, master_is_pure, 0.0, False, rows, valid)
    before = rows[NOTHING, 0]
    hand[card] -= 3
    laid[card] += 3
    rate_before(memory, hand, laid, unseen, dublee, master_is_pure, 0.0, False, rows, valid)
    after = rows[NOTHING, 0]
    hand[card] += 3
    laid[card] -= 3
    return bool(after <= before)


# The decision.

TO_STOCK, TO_PILE, TO_LAY, TO_SHOW, TO_SHOW_DUBLEES, TO_FINISH, TO_DISCARD = range(7)


def work_space() -> tuple[Any, ...]:
    """Return the working arrays of :func:`decide`."""
    groups, outs = finish_work()
    return (
        np.zeros(1 << 16, dtype=np.int64),
        groups,
        outs,
        np.zeros((CARDS + 1, BEFORE)),
        np.zeros((CARDS + 1, AFTER)),
        np.zeros(CARDS + 1, dtype=np.bool_),
        np.zeros(CARDS + 1),
        np.zeros(BEFORE + TAKE_BEFORE),
        np.zeros((3, 3), dtype=np.int64),
    )


def blind_tiplus(evaluations: int) -> int:
    """Return over how many tiplus a blind discard is averaged."""
    return min(52, max(4, evaluations)) if evaluations > 0 else 0


def finish_discard(
    hand: Ints, table: Ints, tiplu: int, barred: int, groups: Ints, outs: Ints
) -> int:
    """Return the card to discard with a finish, the least maal, -1 if the hand cannot finish."""
    jokers = joker_mask(tiplu)
    chosen = np.zeros(4, dtype=np.int64)
    if search_finish(hand, jokers, 0, groups, outs, chosen, False) > 0:
        return -1
    best = -1
    least = 1 << 20
    for card in range(CARDS):
        if hand[card] == 0 or card == barred:
            continue
        hand[card] -= 1
        points = maal_of_card(hand + table, card, tiplu) if jokers >> card & 1 else 0
        if points < least and search_finish(hand, jokers, 0, groups, outs, chosen, False) == 0:
            best, least = card, points
        hand[card] += 1
    return best


def decide(
    rate_before: Any,
    rate_after: Any,
    work: Any,
    hand: Ints,
    laid: Ints,
    table: Ints,
    unseen: Ints,
    tiplu: int,
    has_shown: bool,
    dublees: bool,
    somebody: float,
    drawn: bool,
    first: bool,
    top: int,
    barred: int,
    dublee: bool,
    master_is_pure: bool,
    at_once: bool,
    weights: Floats,
    temperature: float,
    lays: bool,
    evaluations: int,
    seed: int,
    moment: int,
) -> tuple[int, int]:
    """Decide one move.

    Args:
        rate_before: :func:`rate_before_show`, plain or compiled.
        rate_after: :func:`rate_after_show`, likewise.
        work: :func:`work_space`; the ratings stay there: rows, values, the row of
            the pile's card, the melds to show.
        hand: (54,) the cards in hand.
        laid: (54,) one's tanelas laid.
        table: (54,) all one's cards on the table.
        unseen: (54,) the cards not seen.
        tiplu: the tiplu if it is seen, else -1.
        has_shown: whether this seat has shown,
        dublees: and whether seven dublees.
        somebody: 1 if anybody has shown, else 0.
        drawn: whether a card has been drawn in this turn.
        first: whether this is before one's first draw.
        top: the top of the pile, -1 for none.
        barred: the card just taken from the pile, -1 for none.
        dublee: the option.
        master_is_pure: the option.
        at_once: whether a show made now lets the tiplu be seen at once.
        weights: (WEIGHTS,) of the level.
        temperature: of the noise, in the unit of the weights.
        lays: whether the level lays tanelas.
        evaluations: see :func:`choose_show`.
        seed: of the noise.
        moment: a number for this decision, told apart from others by the hand too.

    Returns:
        What to do, and the card to throw, to lay or to finish with, else -1.
    """
    memory, groups, outs, rows, rows_after, valid, values, row, melds_out = work
    for card in range(CARDS):
        moment = (moment * 5 + int(hand[card])) & _BITS31
    if has_shown:
        return decide_after(
            rate_after,
            work,
            hand,
            table,
            unseen,
            tiplu,
            dublees,
            drawn,
            top,
            barred,
            weights,
            temperature,
            evaluations,
            seed,
            moment,
        )
    if first and lays and (laid > 0).sum() < SHOW_MELDS:
        for card in range(MASTER):
            if hand[card] == 3 and lay_is_good(
                rate_before, memory, hand, laid, unseen, card, dublee, master_is_pure, rows, valid
            ):
                return TO_LAY, card
    if drawn or first:
        rate_before(
            memory, hand, laid, unseen, dublee, master_is_pure, somebody, drawn, rows, valid
        )
        if rows[NOTHING, BEFORE - 1] > 0.0:
            seven = dublee and dublee_count(hand) >= 7
            if rows[NOTHING, 0] > 0.0:
                return TO_SHOW_DUBLEES, -1
            wanted = SHOW_MELDS - (laid > 0).sum()
            value = choose_show(
                rate_after,
                hand,
                wanted,
                unseen,
                -1,
                master_is_pure,
                drawn and not at_once,
                barred,
                evaluations,
                weights,
                groups,
                outs,
                rows_after,
                valid,
                values,
                melds_out,
            )
            if seven and value < dublee_show_value(hand, unseen, weights, rows_after):
                return TO_SHOW_DUBLEES, -1
            return TO_SHOW, -1
    if drawn:
        best = best_row(
            rows, valid, weights, DISCARD_BEFORE, barred, seed, moment, temperature, values
        )
        if best < 0:
            best = least_maal(hand, barred, -1)
        return TO_DISCARD, best
    if top < 0:
        return TO_STOCK, -1
    value = choose_take_before(
        rate_before,
        memory,
        hand,
        laid,
        unseen,
        top,
        dublee,
        master_is_pure,
        somebody,
        weights,
        rows,
        valid,
        values,
        row,
    )
    return take_or_not(value, values, seed, moment, temperature), -1


def take_or_not(value: float, values: Floats, seed: int, moment: int, temperature: float) -> int:
    """Return what a draw is from, and note the weight of the pile's card in ``values``."""
    values[NOTHING] = value
    value += noise(seed, moment, 1, temperature) - noise(seed, moment, 0, temperature)
    return TO_PILE if value > 0.0 else TO_STOCK


def decide_after(
    rate_after: Any,
    work: Any,
    hand: Ints,
    table: Ints,
    unseen: Ints,
    tiplu: int,
    dublees: bool,
    drawn: bool,
    top: int,
    barred: int,
    weights: Floats,
    temperature: float,
    evaluations: int,
    seed: int,
    moment: int,
) -> tuple[int, int]:
    """Decide one move after the show; see :func:`decide`."""
    _, groups, outs, _, rows_after, valid, values, row, _ = work
    if not drawn:
        if top < 0:
            return TO_STOCK, -1
        value = choose_take_after(
            rate_after,
            hand,
            table,
            unseen,
            top,
            tiplu,
            dublees,
            weights,
            groups,
            outs,
            rows_after,
            valid,
            values,
            row,
        )
        return take_or_not(value, values, seed, moment, temperature), -1
    if tiplu < 0 and not dublees:
        best = rate_blind(
            rate_after,
            hand,
            unseen,
            -1,
            True,
            barred,
            blind_tiplus(evaluations),
            weights,
            groups,
            outs,
            rows_after,
            valid,
            values,
        )
        return TO_DISCARD, best
    jokers = joker_mask(tiplu)
    rate_after(hand, unseen, jokers, dublees, True, groups, outs, rows_after, valid)
    if tiplu >= 0 and rows_after[NOTHING, AFTER - 1] > 0.0:
        thrown = -1
        if not dublees:
            thrown = finish_discard(hand, table, tiplu, barred, groups, outs)
        elif hand.sum() > 2:
            for card in range(MASTER):
                if hand[card] >= 2:
                    hand[card] -= 2
                    thrown = least_maal(hand, barred, tiplu)
                    hand[card] += 2
                    if thrown >= 0:
                        break
        if thrown >= 0:
            return TO_FINISH, thrown
    best = best_row(
        rows_after, valid, weights, DISCARD_AFTER, barred, seed, moment, temperature, values
    )
    if best < 0:
        best = least_maal(hand, barred, tiplu)
    return TO_DISCARD, best


def dublee_show_value(hand: Ints, unseen: Ints, weights: Floats, rows: Floats) -> float:
    """Return what the hand left after a show of seven dublees weighs, the bonus counted in."""
    pairs = 0
    loose = 0
    for card in range(MASTER):
        if hand[card] >= 2 and pairs < 7:
            pairs += 1
            if hand[card] == 3:
                loose += unseen[card]
        elif hand[card] >= 2:
            loose = 100
        elif hand[card] == 1:
            loose += unseen[card]
    _after_row(rows[NOTHING], 1, loose / max(1, how_many(unseen)))
    return weigh(rows[NOTHING], weights, DISCARD_AFTER)


CALLED = (
    estimated_turns,
    _before_row,
    _neighbours,
    _after_row,
    maal_of_card,
    weigh,
    mixed,
    noise,
    take_row,
    take_row_after,
    best_row,
    least_maal,
    choose_take_before,
    choose_take_after,
    list_pure,
    take_cards,
    rate_blind,
    choose_show,
    lay_is_good,
    blind_tiplus,
    finish_discard,
    take_or_not,
    rate_after_show,
    dublee_show_value,
    decide_after,
    decide,
)
"""What compiled code calls beside the kernels."""


@dataclass(frozen=True)
class Kernels:
    """The two functions that take the time, plain or compiled."""

    before: Any
    after: Any


PLAIN = Kernels(rate_before_show, rate_after_show)


@cache
def compiled_kernels() -> Kernels:
    """Return the kernels compiled, with all that they call."""
    from ustad.runtime.compiled import callable_from_compiled, compiled

    callable_from_compiled(*CALLED)
    return Kernels(compiled(rate_before_show), compiled(rate_after_show))


@cache
def ready_kernels() -> Kernels:
    """Return the kernels, loaded or compiled by now; plain ones where numba is not installed."""
    try:
        kernels = compiled_kernels()
    except ImportError:
        return PLAIN
    memory, groups, outs, rows, rows_after, valid, *_ = work_space()
    none = np.zeros(CARDS, dtype=np.int64)
    kernels.before(memory, none, none, none, True, False, 0.0, True, rows, valid)
    kernels.after(none, none, NO_JOKERS, False, True, groups, outs, rows_after, valid)
    return kernels


# Weights.

VALUE_BEFORE = WEIGHTS
VALUE_AFTER = VALUE_BEFORE + BEFORE + 2
NUMBERS = VALUE_AFTER + AFTER + 2
"""A set of learned numbers: the weights, then the net to expect before the show (the
features of the hand, one's maal, 1) and after it."""

NUMBER_NAMES = (
    *FEATURE_NAMES,
    *(f"net before the show: {name}" for name in (*BEFORE_NAMES, "maal", "always")),
    *(f"net after the show: {name}" for name in (*AFTER_NAMES, "maal", "always")),
)

SHIPPED = Path(__file__).with_name("marriage_weights.json")


def weights_spec(options: Mapping[str, Any]) -> TableSpec:
    """Return the identity of the table of expert's numbers."""
    if options:
        raise OptionError(f"option {next(iter(options))}: marriage has one table, without options")
    return TableSpec(
        game="marriage",
        options={},
        quantity="what features of a hand are worth, and the net to expect",
        unit="net points",
        index_version=1,
        index_formula="in order: " + "; ".join(NUMBER_NAMES),
        shape=(NUMBERS,),
        start_index=0,
    )


@cache
def shipped_numbers() -> Floats:
    """Return (NUMBERS,) the numbers that ship with the package."""
    told = json.loads(SHIPPED.read_text(encoding="utf-8"))["numbers"]
    return np.array([told[name] for name in NUMBER_NAMES])


def _by_name(first: int, weights: Mapping[str, float]) -> dict[str, float]:
    return {f"{FEATURE_NAMES[first].split(':')[0]}: {k}": v for k, v in weights.items()}


@cache
def level_weights(level: str) -> Floats:
    """Return (WEIGHTS,) the weights of a level that has learned nothing.

    They are in cards (easy, medium) or turns (hard); a joker of the pile is always
    taken.
    """
    what = "turns" if level == "hard" else "distance"
    # Medium takes from the pile what lessens the distance; hard what saves 2.5 turns,
    # or half a turn if the distance falls.
    take = {"take": -2.5, "take, distance falls": 2.0} if level == "hard" else {"take": -0.5}
    take_after = {"take": -1.0 if level == "hard" else -0.5}
    named = {
        **_by_name(DISCARD_BEFORE, {what: -1.0}),
        **_by_name(DRAW_BEFORE, {what: -1.0, **take, "take a putali or master": 30.0}),
        **_by_name(DISCARD_AFTER, {what: -1.0}),
        **_by_name(DRAW_AFTER, {what: -1.0, **take_after, "take a joker": 30.0}),
    }
    return np.array([named.get(name, 0.0) for name in FEATURE_NAMES])


# Bots.


@dataclass(frozen=True)
class Style:
    """How a level plays beside its weights.

    Attributes:
        temperature: of its noise, in the unit of its weights.
        lays: whether it lays dealt tanelas.
        evaluations: see :func:`choose_show`.
    """

    temperature: float
    lays: bool
    evaluations: int


STYLES = {
    "easy": Style(0.7, False, -1),
    "medium": Style(0.0, False, -1),
    "hard": Style(0.0, True, 0),
    "expert": Style(0.0, True, 0),
}


class MarriageBot:
    """A level of Marriage; the working arrays make it unfit for two threads at once."""

    def __init__(self, level: str, seed: int, weights: Floats) -> None:
        self.style = STYLES[level]
        self.seed = seed
        self.weights = weights
        self._kernels = ready_kernels()
        self._work = work_space()

    def choose(self, view: View) -> rules.Move:
        """Return the move for the view's seat to move."""
        return self._move(view, *self._decide(view, self._kernels))

    def choose_many(self, views: Sequence[View]) -> list[rules.Move]:
        """Return the move for each of many views."""
        return [self.choose(view) for view in views]

    def ask(self, view: View) -> Advice:
        """Return the move it would play, alone."""
        if view.current_player() != view.seat:
            return Advice([])
        return Advice([self.choose(view)])

    def _decide(self, view: View, kernels: Kernels) -> tuple[int, int]:
        game, table = view.game, view.table
        own = table.seats[view.seat]
        drawn = table.phase == rules.DISCARD
        return decide(
            kernels.before,
            kernels.after,
            self._work,
            melds.counts_of(view.hand),
            melds.counts_of(rules.flat(own.laid)),
            melds.counts_of(own.cards),
            rules.unseen_counts(view),
            -1 if view.tiplu is None else view.tiplu,
            own.shown,
            own.dublees,
            float(table.any_shown),
            drawn,
            table.first_draw_to_come,
            table.pile[-1] if table.pile else -1,
            table.taken[-1][1] if table.taken_now else -1,
            game.dublee,
            game.master_is_pure,
            rules.sees_at_once(game, table),
            self.weights,
            self.style.temperature,
            self.style.lays,
            self.style.evaluations,
            self.seed,
            moment_of(table.turns, drawn, view.seat),
        )

    def _move(self, view: View, action: int, card: int) -> rules.Move:
        if action == TO_STOCK:
            return rules.Draw(rules.STOCK)
        if action == TO_PILE:
            return rules.Draw(rules.PILE)
        if action == TO_LAY:
            return rules.Lay((card,) * 3)
        if action == TO_SHOW:
            wanted = SHOW_MELDS - len(view.table.seats[view.seat].laid)
            return rules.Show(rules.sorted_melds(self._work[-1][:wanted].tolist()))
        if action == TO_SHOW_DUBLEES:
            return rules.ShowDublees(rules.dublee_choices(view.hand)[0])
        if action == TO_FINISH:
            rest = rules.without(view.hand, [card])
            if view.table.seats[view.seat].dublees:
                pair = next(one for one in rest if rest.count(one) >= 2)
                return rules.Finish(((pair, pair),), card)
            found = rules.finish_melds(rest, joker_mask(-1 if view.tiplu is None else view.tiplu))
            assert found is not None
            return rules.Finish(found, card)
        return rules.Discard(card)


class ExpertBot(MarriageBot):
    """The learned weights; it also tells what net to expect from each move.

    Args:
        seed: of the bot.
        numbers: (NUMBERS,) the weights and the numbers of the expected net.
    """

    unit = "net"

    def __init__(self, seed: int, numbers: Floats) -> None:
        super().__init__("expert", seed, numbers[:WEIGHTS])
        self._numbers = numbers

    def ask(self, view: View) -> Advice:
        """Return every legal move with the net to expect, and why the best is the best.

        The level shows, finishes and lays as soon as it can, so no other move is
        rated above such a one.
        """
        if view.current_player() != view.seat:
            return Advice([])
        chosen = self.choose(view)
        moves = list(view.legal_moves())
        rated = _Rated(view, self.weights, self._numbers, self._work, self._kernels)
        values = rated.values(moves, chosen)
        best, options = rank(moves, values)
        return Advice(best, options[0][1], self.unit, options, {"why": rated.why(chosen)})

    def net_features(self, view: View, move: rules.Move) -> dict[str, float]:
        """Return what the net after a move is the sum of, by the names of the numbers.

        Each feature counts its number times; those that are 0 are left out.
        """
        rated = _Rated(view, self.weights, self._numbers, self._work, self._kernels)
        at, line = rated.net_features(move, rated.own.shown)
        return {NUMBER_NAMES[at + n]: held for n, held in enumerate(line.tolist()) if held}


class _Rated:
    """One decision of the expert, each move rated by the hand that it leads to."""

    def __init__(
        self, view: View, weights: Floats, numbers: Floats, work: Any, kernels: Kernels
    ) -> None:
        self.kernels = kernels
        self.view, self.weights, self.numbers = view, weights, numbers
        self.memory, self.groups, self.outs, self.rows, self.rows_after, self.valid = work[:6]
        self.row = work[7]
        self.own = view.table.seats[view.seat]
        self.unseen = rules.unseen_counts(view)
        self.hand = melds.counts_of(view.hand)
        self.table = melds.counts_of(self.own.cards)
        self.laid = melds.counts_of(rules.flat(self.own.laid))
        self.tiplu = -1 if view.tiplu is None else view.tiplu
        self.opponents = view.table.players - 1
        self._worth: dict[rules.Move, float] = {}

    def features(self, cards: Ints, has_shown: bool, dublees: bool = False) -> Floats:
        """Return the features of a hand as it is."""
        if has_shown:
            jokers = joker_mask(self.tiplu)
            self.kernels.after(
                cards,
                self.unseen,
                jokers,
                dublees,
                False,
                self.groups,
                self.outs,
                self.rows_after,
                self.valid,
            )
            return np.array(self.rows_after[NOTHING])
        game = self.view.game
        somebody = float(self.view.table.any_shown)
        self.kernels.before(
            self.memory,
            cards,
            self.laid,
            self.unseen,
            game.dublee,
            game.master_is_pure,
            somebody,
            False,
            self.rows,
            self.valid,
        )
        return np.array(self.rows[NOTHING])

    def maal(self, cards: Ints, has_shown: bool) -> int:
        """Return the maal of a hand with what lies on the table."""
        hand = tuple(np.repeat(np.arange(CARDS), cards).tolist())
        seat = self.own._replace(shown=has_shown)
        return rules.player_maal(self.view.game, seat, hand, self.view.tiplu, True)

    def after(self, move: rules.Move) -> tuple[Ints, bool, bool]:
        """Return the hand after a move, whether the seat has then shown, and with dublees."""
        cards = self.hand.copy()
        has_shown, dublees = self.own.shown, self.own.dublees
        if isinstance(move, rules.Discard):
            cards[move.card] -= 1
        elif isinstance(move, rules.Show | rules.ShowDublees):
            cards -= melds.counts_of(rules.flat(move.melds))
            has_shown, dublees = True, isinstance(move, rules.ShowDublees)
        return cards, has_shown, dublees

    def values(self, moves: Sequence[rules.Move], chosen: rules.Move) -> list[float]:
        """Return the net to expect from each move, the chosen one being the best.

        Moves of its kind differ by the weights.  If it is a show, a finish or a
        tanela laid, the others are rated by the hand that they leave.
        """
        net = self.net(chosen, self.own.shown)
        found = []
        for move in moves:
            if _kind(move) == _kind(chosen):
                found.append(net + min(0.0, self.worth(move) - self.worth(chosen)))
            else:
                found.append(min(net - _WORSE, self.net(move, self.own.shown, waits=True)))
        return found

    def net(self, move: rules.Move, has_shown: bool, waits: bool = False) -> float:
        """Return the net to expect after a move; ``waits``: it forgoes a show or a finish."""
        at, line = self.net_features(move, has_shown)
        if waits:
            line[-3] = 0.0  # that a show or a finish is to be had
        return float(line @ self.numbers[at : at + len(line)])

    def net_features(self, move: rules.Move, has_shown: bool) -> tuple[int, Floats]:
        """Return what the net after a move is expected from, and where its numbers begin.

        These are the features of the hand that a discard leaves, else of the hand as it
        is, then the maal and 1.
        """
        cards, dublees = self.hand, self.own.dublees
        if isinstance(move, rules.Discard):
            cards, _, dublees = self.after(move)
        row = self.features(cards, has_shown, dublees)
        at = VALUE_AFTER if has_shown else VALUE_BEFORE
        return at, np.array([*row, self.maal(cards, has_shown), 1.0])

    def worth(self, move: rules.Move) -> float:
        """Return what a move is worth beside the others, in net points."""
        if move not in self._worth:
            self._worth[move] = self._rate(move)
        return self._worth[move]

    def _rate(self, move: rules.Move) -> float:
        rate = {
            rules.Draw: self._rate_draw,
            rules.Lay: self._rate_lay,
            rules.Show: self._rate_show,
            rules.ShowDublees: self._rate_show,
            rules.Finish: self._rate_finish,
            rules.Discard: self._rate_discard,
        }[type(move)]
        return float(rate(move))  # type: ignore[operator]

    def _rate_draw(self, move: rules.Draw) -> float:
        if move.source == rules.STOCK:
            return 0.0
        game, top = self.view.game, self.view.table.pile[-1]
        values = np.zeros(CARDS + 1)
        if self.own.shown:
            return choose_take_after(
                self.kernels.after,
                self.hand,
                self.table,
                self.unseen,
                top,
                self.tiplu,
                self.own.dublees,
                self.weights,
                self.groups,
                self.outs,
                self.rows_after,
                self.valid,
                values,
                self.row,
            )
        somebody = float(self.view.table.any_shown)
        return choose_take_before(
            self.kernels.before,
            self.memory,
            self.hand,
            self.laid,
            self.unseen,
            top,
            game.dublee,
            game.master_is_pure,
            somebody,
            self.weights,
            self.rows,
            self.valid,
            values,
            self.row,
        )

    def _rate_lay(self, move: rules.Lay) -> float:
        # Five points from each opponent, if the tiplu comes to be seen.
        return 5.0 * self.opponents

    def _rate_show(self, move: rules.Show | rules.ShowDublees) -> float:
        cards, _, dublees = self.after(move)
        if dublees:
            row = self.features(cards, True, True)
            return weigh(row, self.weights, DISCARD_AFTER)
        values = np.zeros(CARDS + 1)
        drawn = self.view.table.phase == rules.DISCARD
        throw = drawn and not rules.sees_at_once(self.view.game, self.view.table)
        best = rate_blind(
            self.kernels.after,
            cards,
            self.unseen,
            -1,
            throw,
            self._barred(),
            0,
            self.weights,
            self.groups,
            self.outs,
            self.rows_after,
            self.valid,
            values,
        )
        return values[best] if best >= 0 else 0.0

    def _rate_finish(self, move: rules.Finish) -> float:
        cards = self.hand.copy()
        cards[move.discard] -= 1
        return self.opponents * self.maal(cards, True)

    def _rate_discard(self, move: rules.Discard) -> float:
        cards, has_shown, dublees = self.after(move)
        row = self.features(cards, has_shown, dublees)
        first = DISCARD_AFTER if has_shown else DISCARD_BEFORE
        if has_shown and self.tiplu < 0 and not dublees:
            values = np.zeros(CARDS + 1)
            rate_blind(
                self.kernels.after,
                self.hand,
                self.unseen,
                -1,
                True,
                self._barred(),
                0,
                self.weights,
                self.groups,
                self.outs,
                self.rows_after,
                self.valid,
                values,
            )
            return float(values[move.card])
        if not has_shown and move.card < PUTALI:
            _neighbours(row, self.hand, self.unseen, move.card)
        lost = self.maal(self.hand, has_shown) - self.maal(cards, has_shown)
        return weigh(row, self.weights, first) - self.opponents * lost

    def _barred(self) -> int:
        table = self.view.table
        return table.taken[-1][1] if table.taken_now else -1

    def why(self, move: rules.Move) -> str:
        """Return in words why a move is played."""
        if isinstance(move, rules.Lay):
            return "a tanela laid before the first draw pays 5 from each, once the tiplu is seen"
        if isinstance(move, rules.Finish):
            return "the finish takes 3 from each who has shown and 10 from each who has not"
        cards, has_shown, dublees = self.after(move)
        row = self.features(cards, has_shown, dublees)
        maal = self.maal(cards, has_shown)
        if isinstance(move, rules.Show | rules.ShowDublees):
            return (
                "the show lets the tiplu be seen, and all maal counts from now on; the cards left "
                f"are {int(row[0])} from a finish"
            )
        words = f"{self._standing(row, has_shown)}; maal {maal}"
        if isinstance(move, rules.Discard):
            return f"leaves the hand {words}"
        top = CARD_NAMES[self.view.table.pile[-1]] if self.view.table.pile else "nothing"
        worth = self.worth(rules.Draw(rules.PILE)) if self.view.table.pile else 0.0
        more = "more" if worth > 0 else "less"
        return f"{top} of the pile is worth {abs(worth):.1f} {more} than the stock; hand {words}"

    def _standing(self, row: Floats, has_shown: bool) -> str:
        goal = "finish" if has_shown else "show"
        outs = sum(row[5:8]) / 10.0 * max(1, int(self.unseen.sum()))
        text = (
            f"{int(row[0])} from a {goal}, {outs:.0f} of {int(self.unseen.sum())} unseen cards "
            f"help, about {row[1]:.0f} turns"
        )
        if not has_shown and self.view.game.dublee and dublee_count(self.hand) >= 4:
            text += f", {dublee_count(self.hand)} dublees"
        return text


_WORSE = 1e-6
"""By how much less, at least, a move is rated that the level never prefers."""


def _kind(move: rules.Move) -> int:
    """Return 0 for draws and discards, and other numbers for what is done at once."""
    kinds = {rules.Lay: 1, rules.Show: 2, rules.ShowDublees: 2, rules.Finish: 3}
    return kinds.get(type(move), 0)


def moment_of(turns: int, drawn: bool, seat: int) -> int:
    """Return the number of a decision within a round."""
    return (turns * 2 + drawn) * 8 + seat


def expert_numbers(tables: Path | None) -> Floats:
    """Return the numbers of the table if there is one, else those that ship with the package.

    Raises:
        TableError: there is a table, and it is unfit.
    """
    try:
        return open_table(weights_spec({}), tables_folder(tables)).values
    except MissingTableError:
        return shipped_numbers()


def make_bot(level: str, game: Marriage, tables: Path | None, seed: int) -> Bot:
    """Return a bot of a level; see :meth:`ustad.runtime.games.base.GameType.bot`."""
    del game
    if level == "expert":
        return ExpertBot(seed, expert_numbers(tables))
    return MarriageBot(level, seed, level_weights(level))
