"""How Marriage's bots decide: features weighed, the greatest sum played.

A level is a vector of weights (:data:`FEATURE_NAMES`) for four decisions: what to throw
and whether to take the pile's card, before the show and after it.  Every level shows and
finishes as soon as it can, throws no putali or master while it has anything else, and takes
every joker of the pile (:func:`joker_is_good` has the exception).

:func:`decide` takes the numbers of a view and gives a move; whole rounds in compiled code
call the same function when the weights are learned.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

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
from ustad.runtime.games.marriage.cards.finishes import finish_work, search_finish
from ustad.runtime.games.marriage.cards.maal import PRINTED, joker_mask, maal_of_card
from ustad.runtime.games.marriage.cards.melds import SHOW_MELDS
from ustad.runtime.games.marriage.cards.shows import dublee_count
from ustad.runtime.games.marriage.features import (
    after_row,
    rate_after_show,
    rate_before_show,
    take_row,
    take_row_after,
)
from ustad.runtime.games.marriage.states import (
    AFTER,
    BEFORE,
    DISCARD_AFTER,
    DISCARD_BEFORE,
    DRAW_AFTER,
    DRAW_BEFORE,
    NOTHING,
    TAKE_AFTER,
    TAKE_BEFORE,
)


class Ratings(NamedTuple):
    """The two functions that take nearly all the time of a decision, plain or compiled."""

    before_show: Any
    after_show: Any


PLAIN = Ratings(rate_before_show, rate_after_show)


ALWAYS_TAKEN = 1e6
"""What a card of the pile weighs that is taken by rule."""
NO_CHOICE = -1e9
"""What one weighs after the show if every card that could be thrown for it is needed."""


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
    ratings: Ratings,
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
    ratings.before_show(
        memory, hand, laid, unseen, dublee, master_is_pure, somebody, False, rows, valid
    )
    before = rows[NOTHING].copy()
    hand[top] += 1
    ratings.before_show(
        memory, hand, laid, unseen, dublee, master_is_pure, somebody, True, rows, valid
    )
    after = rows[NOTHING]
    if after[BEFORE - 1] == 0.0:
        best = best_row(rows, valid, weights, DISCARD_BEFORE, top, 0, 0, 0.0, values)
        after = rows[best]
    hand[top] -= 1
    take_row(before, after, top, somebody, row[: BEFORE + TAKE_BEFORE])
    return weigh(row[: BEFORE + TAKE_BEFORE], weights, DRAW_BEFORE)


def joker_is_good(
    hand: Ints, table: Ints, top: int, tiplu: int, dublees: bool, groups: Ints, outs: Ints
) -> bool:
    """Tell whether to take a joker of the pile after the show.

    It is, while there is another card to throw.  Who holds jokers alone, or melds that need
    only any card to finish (with seven dublees: an eighth), throws another card in its place:
    then it must not pay less than that one, and the hand must still finish.
    """
    jokers = joker_mask(tiplu)
    points = maal_of_card(hand + table, top, tiplu)
    held = hand.copy()
    held[top] += 1
    if dublees:
        for card in range(MASTER):
            if hand[card] >= 2:
                held[card] -= 2
                break
    else:
        chosen = np.zeros(4, dtype=np.int64)
        if search_finish(hand, jokers, 12, groups, outs, chosen, False) == 0:
            thrown = finish_discard(held, table, tiplu, top, groups, outs)
            if thrown < 0:
                return False
            held[thrown] -= 1
            lost = maal_of_card(held + table, thrown, tiplu) if jokers >> thrown & 1 else 0
            return lost <= points
    for card in range(CARDS):
        if held[card] > 0 and card != top and not jokers >> card & 1:
            return True
    thrown = least_maal(held, top, tiplu)
    if thrown < 0:
        return False
    held[thrown] -= 1
    return maal_of_card(held + table, thrown, tiplu) <= points


def choose_take_after(
    ratings: Ratings,
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
    ratings.after_show(hand, unseen, jokers, dublees, False, groups, outs, rows, valid)
    before = rows[NOTHING].copy()
    points = maal_of_card(hand + table, top, tiplu)
    hand[top] += 1
    ratings.after_show(hand, unseen, jokers, dublees, True, groups, outs, rows, valid)
    best = best_row(rows, valid, weights, DISCARD_AFTER, top, 0, 0, 0.0, values)
    hand[top] -= 1
    if best < 0:
        row[:] = 0.0
        return NO_CHOICE
    take_row_after(before, rows[best], jokers >> top & 1 == 1, points, row[: AFTER + TAKE_AFTER])
    return weigh(row[: AFTER + TAKE_AFTER], weights, DRAW_AFTER)


# The show.

MOST_MELDS = 128
MOST_SHOWS = 512
MARK_BITS = (1 << 48) - 1


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
    ratings: Ratings,
    hand: Ints,
    unseen: Ints,
    throw: bool,
    barred: int,
    weights: Floats,
    groups: Ints,
    outs: Ints,
    rows: Floats,
    valid: NDArray[np.bool_],
    values: Floats,
) -> int:
    """Rate the hand after a show, its tiplu not seen, and return the best discard.

    Putali and master alone are jokers then.

    Args:
        ratings: plain or compiled.
        hand: (54,) the cards left in hand.
        unseen: (54,) the cards not seen.
        throw: whether a card is to be thrown; else the hand itself is rated, in the
            last place of ``values``.
        barred: a card that may not be thrown, -1 for none.
        weights: of the level.
        groups: working space.
        outs: working space.
        rows: working space.
        valid: working space.
        values: (55,) filled with what each weighs, minus infinity where there is none.
    """
    ratings.after_show(hand, unseen, PRINTED, False, throw, groups, outs, rows, valid)
    lowest = np.inf
    for card in range(CARDS + 1):
        if valid[card]:
            values[card] = weigh(rows[card], weights, DISCARD_AFTER)
            lowest = min(lowest, values[card])
    best = -1
    for card in range(CARDS + 1):
        able = (card == NOTHING and not throw) or (card < CARDS and throw and hand[card] > 0)
        if not able or card == barred:
            values[card] = -np.inf
            continue
        if not valid[card]:
            # A joker thrown, or a card that the finish needs: a step lost, and points.
            lost = 3.0 * maal_of_card(hand, card, -1) if PRINTED >> card & 1 else 0.0
            values[card] = lowest - 8.0 - lost
        if best < 0 or values[card] > values[best]:
            best = card
    return best


def choose_show(
    ratings: Ratings,
    hand: Ints,
    wanted: int,
    unseen: Ints,
    master_is_pure: bool,
    throw: bool,
    barred: int,
    finds_best: bool,
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
        ratings: plain or compiled.
        hand: (54,) the cards in hand.
        wanted: how many melds are to be shown, 0 to 3.
        unseen: (54,) the cards not seen.
        master_is_pure: the option.
        throw: whether a card is thrown after the show.
        barred: a card that may not be thrown, -1 for none.
        finds_best: whether to look for the best show; else the first is taken.
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
    found = 0
    left = hand.copy()
    choice = np.zeros(3, dtype=np.int64)
    # A mark tells the cards of melds: the sum of a power for each card.
    powers = np.zeros(CARDS, dtype=np.int64)
    powers[CARDS - 1] = 1
    for card in range(CARDS - 1, 0, -1):
        powers[card - 1] = powers[card] * 31 & MARK_BITS
    of_meld = np.zeros(MOST_MELDS, dtype=np.int64)
    for m in range(count):
        for card in pure[m]:
            of_meld[m] += powers[card]
    most = MOST_SHOWS if finds_best else 1
    places = np.full(4 * MOST_SHOWS, -1, dtype=np.int64)
    # Choices i <= j <= k of melds; those that leave the same cards are one.
    for i in range(count if wanted > 0 else 1):
        if found >= most:
            break
        if wanted > 0 and not take_cards(left, pure[i]):
            continue
        for j in range(i if wanted > 1 else 0, count if wanted > 1 else 1):
            if found >= most:
                break
            if wanted > 1 and not take_cards(left, pure[j]):
                continue
            for k in range(j if wanted > 2 else 0, count if wanted > 2 else 1):
                if found >= most:
                    break
                if wanted > 2:
                    if not take_cards(left, pure[k]):
                        continue
                    for card in pure[k]:
                        left[card] += 1
                mark = 0
                if wanted > 0:
                    mark += of_meld[i]
                if wanted > 1:
                    mark += of_meld[j]
                if wanted > 2:
                    mark += of_meld[k]
                mark &= MARK_BITS
                # A table of marks, the next free place being taken.
                at = (mark ^ mark >> 20) % len(places)
                while places[at] >= 0 and places[at] != mark:
                    at = (at + 1) % len(places)
                if places[at] < 0:
                    places[at] = mark
                    choice[0], choice[1], choice[2] = i, j, k
                    shows[found] = choice
                    found += 1
            if wanted > 1:
                for card in pure[j]:
                    left[card] += 1
        if wanted > 0:
            for card in pure[i]:
                left[card] += 1
    best = -1
    highest = -np.inf
    for show in range(found):
        if not finds_best:
            best, highest = 0, 0.0
            break
        for m in range(wanted):
            for card in pure[shows[show, m]]:
                left[card] -= 1
        card = rate_blind(
            ratings,
            left,
            unseen,
            throw,
            barred,
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
    after_row(rows[NOTHING], 1, loose / max(1, how_many(unseen)))
    return weigh(rows[NOTHING], weights, DISCARD_AFTER)


# The decision.

TO_STOCK, TO_PILE, TO_LAY, TO_SHOW, TO_SHOW_DUBLEES, TO_FINISH, TO_DISCARD = range(7)


def tanelas_laid(laid: Ints) -> int:
    """Return how many tanelas lie on the table, from their cards."""
    return how_many(laid) // 3


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


def lay_is_good(
    ratings: Ratings,
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
    """Tell whether to lay a dealt tanela: it costs no distance.

    Six dublees and more are kept for their own show, unless three melds can be shown.
    """
    ratings.before_show(memory, hand, laid, unseen, dublee, master_is_pure, 0.0, False, rows, valid)
    before = rows[NOTHING, 0]
    if before > 0.0 and dublee and dublee_count(hand) >= 6:
        return False
    hand[card] -= 3
    laid[card] += 3
    ratings.before_show(memory, hand, laid, unseen, dublee, master_is_pure, 0.0, False, rows, valid)
    after = rows[NOTHING, 0]
    hand[card] += 3
    laid[card] -= 3
    return bool(after <= before)


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
    ratings: Ratings,
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
    finds_best: bool,
    passes: bool,
    seed: int,
    moment: int,
) -> tuple[int, int]:
    """Decide one move.

    Args:
        ratings: plain or compiled.
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
        finds_best: see :func:`choose_show`.
        passes: whether to pass over tanelas to lay, a show and a finish.
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
            ratings,
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
            passes,
            seed,
            moment,
        )
    if first and lays and not passes and tanelas_laid(laid) < SHOW_MELDS:
        for card in range(MASTER):
            if hand[card] == 3 and lay_is_good(
                ratings, memory, hand, laid, unseen, card, dublee, master_is_pure, rows, valid
            ):
                return TO_LAY, card
    if drawn or first:
        ratings.before_show(
            memory, hand, laid, unseen, dublee, master_is_pure, somebody, drawn, rows, valid
        )
        if rows[NOTHING, BEFORE - 1] > 0.0 and not passes:
            seven = dublee and dublee_count(hand) >= 7
            if rows[NOTHING, 0] > 0.0:
                return TO_SHOW_DUBLEES, -1
            wanted = SHOW_MELDS - tanelas_laid(laid)
            value = choose_show(
                ratings,
                hand,
                wanted,
                unseen,
                master_is_pure,
                drawn and not at_once,
                barred,
                finds_best,
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
        ratings,
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
    return take_or_not(value, top >= PUTALI, values, seed, moment, temperature), -1


def take_or_not(
    value: float, always: bool, values: Floats, seed: int, moment: int, temperature: float
) -> int:
    """Return what a draw is from, and note the weight of the pile's card in ``values``.

    What is always taken weighs ALWAYS_TAKEN there: nothing is learned from it.
    """
    if always:
        values[NOTHING] = ALWAYS_TAKEN
        return TO_PILE
    values[NOTHING] = value
    value += noise(seed, moment, 1, temperature) - noise(seed, moment, 0, temperature)
    return TO_PILE if value > 0.0 else TO_STOCK


def decide_after(
    ratings: Ratings,
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
    passes: bool,
    seed: int,
    moment: int,
) -> tuple[int, int]:
    """Decide one move after the show; see :func:`decide`."""
    _, groups, outs, _, rows_after, valid, values, row, _ = work
    if not drawn:
        if top < 0:
            return TO_STOCK, -1
        value = choose_take_after(
            ratings,
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
        always = joker_mask(tiplu) >> top & 1 == 1 and joker_is_good(
            hand, table, top, tiplu, dublees, groups, outs
        )
        return take_or_not(value, always, values, seed, moment, temperature), -1
    if tiplu < 0 and not dublees:
        best = rate_blind(
            ratings,
            hand,
            unseen,
            True,
            barred,
            weights,
            groups,
            outs,
            rows_after,
            valid,
            values,
        )
        return TO_DISCARD, best
    jokers = joker_mask(tiplu)
    ratings.after_show(hand, unseen, jokers, dublees, True, groups, outs, rows_after, valid)
    if tiplu >= 0 and rows_after[NOTHING, AFTER - 1] > 0.0 and not passes:
        thrown = -1
        if not dublees:
            thrown = finish_discard(hand, table, tiplu, barred, groups, outs)
        elif how_many(hand) > 2:
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


def get_ready(ratings: Ratings) -> None:
    """Load or compile the ratings, so that no move waits for it."""
    memory, groups, outs, rows, rows_after, valid, *_ = work_space()
    none = np.zeros(CARDS, dtype=np.int64)
    ratings.before_show(memory, none, none, none, True, False, 0.0, True, rows, valid)
    ratings.after_show(none, none, PRINTED, False, True, groups, outs, rows_after, valid)
