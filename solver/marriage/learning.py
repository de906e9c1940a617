"""Marriage: whole rounds in compiled code, and the weights of expert learned from them.

**The problem.**  What is each feature of an option worth in net points?  A round
is won or lost by much besides one decision: the standard deviation of a seat's net
is 35 points, that of one decision's effect a few.

**The algorithm.**  All seats play one policy with softmax noise.  For each decision
let x be the features of the chosen option less their expectation over the options;
x has mean zero whatever went before.  A seat's sum of x over a round is regressed on
its net: the slopes are *advantages*, what one more unit of a feature adds to the net
under this play (a linear advantage function, as in R. S. Sutton and others, *Policy
gradient methods for reinforcement learning with function approximation*, 2000, where
the compatible features are these).  The policy that plays the best of them is then
the next to play with noise.  Two such steps are made, the first from *hard*.

**Luck as a control.**  Beside x stand numbers that tell how lucky a seat and its
opponents were: how good the dealt hand is, and for each card from the stock whether
it helped less the chance that it did.  They leave the slopes as they are and take
more than half of the variance away.

**The net to expect** is a second regression, of the net from each opponent on what a seat
knows at a decision, one for each kind of decision.  The rounds are of the learned weights
themselves, of two to five players in turn, and now and then a show, a finish or a tanela
is passed over, so that the net without it is learned too.

Rounds are played in blocks, each with sums of its own, added in order; the numbers
are rounded to ``DECIMALS``: they are the same for any number of threads.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np

from ustad.runtime.core.game import Progress
from ustad.runtime.core.kernels import callable_from_compiled, compiled
from ustad.runtime.games.marriage.cards.melds import (
    CARDS,
    COPIES,
    MASTER,
    PUTALI,
    laid_points,
    maal_points,
)
from ustad.runtime.games.marriage.decisions import (
    TO_DISCARD,
    TO_FINISH,
    TO_LAY,
    TO_PILE,
    TO_SHOW,
    TO_SHOW_DUBLEES,
    TO_STOCK,
    decide,
    mixed,
    rate_after,
    rate_before,
    work_space,
)
from ustad.runtime.games.marriage.ratings import (
    AFTER,
    BEFORE,
    DISCARD_AFTER,
    DISCARD_BEFORE,
    DRAW_AFTER,
    DRAW_BEFORE,
    FEATURE_NAMES,
    TAKE_AFTER,
    TAKE_BEFORE,
    WEIGHTS,
    Floats,
    Ints,
)
from ustad.runtime.games.marriage.round.rules import decisions, levels
from ustad.runtime.games.marriage.round.rules import values as values_of
from ustad.runtime.games.marriage.cards import melds
from ustad.runtime.games.marriage.round import rules as marriage
from ustad.runtime.games.marriage.values import (
    DISCARD_SHOWN,
    DISCARD_UNSHOWN,
    DRAW_SHOWN,
    DRAW_UNSHOWN,
    FINISH,
    KIND_ROWS,
    KIND_STARTS,
    MOST_TOLD,
    NUMBERS,
    SHOW,
    TOLD,
    TOLD_LAID,
    told_row,
)
from ustad.solver.build import Built, available_cores

MOST_TURNS = 2000
MOST_SEEN = 160
"""Of so many decisions of a seat in one round notes are taken."""
KINDS = len(KIND_ROWS)

callable_from_compiled(*decisions.CALLED, told_row)


@compiled
def known_elsewhere(taken: Ints, thrown: Ints, table: Ints, seat: int, unseen: Ints) -> None:
    """Take from ``unseen`` the cards known to be in the hands of the other seats."""
    for other in range(len(table)):
        if other != seat:
            for card in range(CARDS):
                held = max(0, max(0, taken[other, card] - thrown[other, card]) - table[other, card])
                unseen[card] = max(0, unseen[card] - held)


@compiled
def softmax_row(
    rows: Floats,
    valid: Any,
    values: Floats,
    barred: int,
    best: int,
    temperature: float,
    first: int,
    into: Floats,
) -> None:
    """Add to ``into`` the features of the chosen discard less what the noise expects."""
    width = rows.shape[1]
    highest = -np.inf
    for card in range(CARDS):
        if valid[card] and card != barred:
            highest = max(highest, values[card])
    total = 0.0
    for card in range(CARDS):
        if valid[card] and card != barred:
            total += np.exp((values[card] - highest) / temperature)
    for card in range(CARDS):
        if valid[card] and card != barred:
            share = np.exp((values[card] - highest) / temperature) / total
            for k in range(width):
                into[first + k] -= share * rows[card, k]
    for k in range(width):
        into[first + k] += rows[best, k]


LUCK = 18
"""How many numbers tell the luck of a seat: nine of its deal, nine of its draws."""


@compiled
def deal_luck(
    work: Any, hand: Ints, dublee: bool, master_is_pure: bool, place: int, luck: Floats
) -> None:
    """Fill the part of ``luck`` that tells how good a dealt hand is."""
    memory, rows, valid = work[0], work[3], work[5]
    none = np.zeros(CARDS, dtype=np.int64)
    rate_before(memory, hand, none, COPIES - hand, dublee, master_is_pure, 0.0, False, rows, valid)
    distance = int(rows[CARDS, 0])
    if distance < 4:
        luck[distance] = 1.0
    luck[4] = rows[CARDS, 1]
    luck[5] = 1.0 if dublee and melds.dublee_count(hand) >= 5 else 0.0
    luck[6] = 5.0 * hand[PUTALI] + 10.0 * hand[MASTER]
    luck[7] = (hand == 3).sum()
    luck[8] = place


@compiled
def draw_luck(
    before: Floats, after: Floats, has_shown: bool, card: int, printed_share: float, luck: Floats
) -> None:
    """Add to ``luck`` how much better a card of the stock was than could be expected.

    ``before`` and ``after`` rate the hand without and with the card.
    """
    hit = 1.0 if after[0] < before[0] else 0.0
    distance = int(before[0])
    if has_shown:
        if distance > 0:
            luck[11 + min(3, distance)] += hit - (before[5] + before[6] + before[7]) / 10.0
    else:
        if distance > 0:
            luck[8 + min(3, distance)] += hit - (before[5] + before[6] + before[7]) / 10.0
        if before[10] > 0.0:
            luck[16] += (1.0 if after[BEFORE - 1] > 0.0 else 0.0) - before[12] / 10.0
        if before[9] > 0.0:
            luck[17] += (1.0 if after[10] > 0.0 else 0.0) - before[11] / 10.0
    points = 5.0 if card == PUTALI else (10.0 if card == MASTER else 0.0)
    luck[15] += points - printed_share


@compiled
def rate_hand(
    work: Any,
    hand: Ints,
    laid: Ints,
    unseen: Ints,
    tiplu: int,
    has_shown: bool,
    dublees: bool,
    dublee: bool,
    master_is_pure: bool,
    somebody: bool,
) -> None:
    """Rate a hand as it is: the last row of the rows before or after the show."""
    memory, groups, outs, rows, rows_after, valid, _, _, _ = work
    if has_shown:
        jokers = melds.joker_mask(tiplu)
        rate_after(hand, unseen, jokers, dublees, False, groups, outs, rows_after, valid)
    else:
        rate_before(
            memory,
            hand,
            laid,
            unseen,
            dublee,
            master_is_pure,
            1.0 if somebody else 0.0,
            False,
            rows,
            valid,
        )


def option_flags(rules: marriage.Marriage) -> tuple[bool, ...]:
    """Return the options as compiled rounds take them."""
    return (
        rules.dublee,
        rules.master_is_pure,
        rules.see_tiplu == "at_once",
        rules.printed_need_show,
        rules.laid_need_tiplu,
    )


def new_record(players: int) -> tuple[Any, ...]:
    """Return what a round writes down for each seat.

    Returns:
        (players, WEIGHTS): with noise, the features of the chosen options less their
        expectation, summed over the decisions; (players, LUCK): how lucky it was;
        (players, MOST_SEEN, MOST_TOLD): what the net to expect is told by, decision by
        decision; (players, MOST_SEEN): their kinds; (players,): how many.
    """
    return (
        np.zeros((players, WEIGHTS)),
        np.zeros((players, LUCK)),
        np.zeros((players, MOST_SEEN, MOST_TOLD)),
        np.zeros((players, MOST_SEEN), dtype=np.int64),
        np.zeros(players, dtype=np.int64),
    )


@compiled
def take_note(
    told: Floats,
    kinds: Ints,
    seen: Ints,
    kind: int,
    row: Floats,
    hand: Ints,
    table: Ints,
    laid: Ints,
    tiplu: int,
    others_shown: int,
    stock: int,
    players: int,
    dublees: bool,
    at_once: bool,
) -> None:
    """Note what the net to expect is told by at a decision of a seat.

    ``told``, ``kinds`` and ``seen`` (1,) are the seat's part of a record, the others as
    in :func:`ustad.runtime.games.marriage.values.told_row`; ``tiplu`` is -1 if not seen.
    """
    at = seen[0]
    if at < MOST_SEEN:
        tanelas = (laid > 0).sum()
        putali_laid = laid[PUTALI] > 0
        points = maal_points(hand + table, tiplu, 0, False, True, False)
        pay = laid_points(tanelas, putali_laid)
        told_row(row, points, pay, others_shown, stock, players, dublees, at_once, told[at])
        kinds[at] = kind
        seen[0] += 1


@compiled
def lay_show(
    dublees: bool, found: Ints, hand: Ints, laid: Ints, table: Ints, open_cards: Ints
) -> None:
    """Lay a show on the table: the melds found, or the first seven dublees."""
    if dublees:
        pairs = 0
        for card in range(MASTER):
            if hand[card] >= 2 and pairs < melds.DUBLEES_TO_SHOW:
                pairs += 1
                hand[card] -= 2
                table[card] += 2
                open_cards[card] += 2
    else:
        for m in range(melds.SHOW_MELDS - (laid > 0).sum()):
            for card in found[m]:
                hand[card] -= 1
                table[card] += 1
                open_cards[card] += 1


@compiled
def draw_tiplu(stock: Ints, top: int, end: int) -> int:
    """Take the tiplu out of ``stock[top:end]`` and return it, -1 if no card can be it."""
    for at in range(end - 1, top - 1, -1):
        if stock[at] < PUTALI:
            tiplu = stock[at]
            for later in range(at, end - 1):
                stock[later] = stock[later + 1]
            return int(tiplu)
    return -1


@compiled
def settle(
    hands: Ints,
    laid: Ints,
    table: Ints,
    has_shown: Any,
    has_dublees: Any,
    tiplu: int,
    finisher: int,
    printed_need_show: bool,
    laid_need_tiplu: bool,
    net: Ints,
    notes: Ints,
) -> None:
    """Fill ``net`` and, of ``notes``, maal and finisher, at the end of a round."""
    players = len(hands)
    total = 0
    for seat in range(players):
        counts_tiplu = has_shown[seat] and tiplu >= 0
        notes[seat, 2] = maal_points(
            hands[seat] + table[seat],
            tiplu if counts_tiplu else -1,
            (laid[seat] > 0).sum(),
            laid[seat, PUTALI] > 0,
            has_shown[seat] or not has_shown.any() or not printed_need_show,
            counts_tiplu or not laid_need_tiplu,
        )
        notes[seat, 3] = 1 if seat == finisher else 0
        total += notes[seat, 2]
    for seat in range(players):
        net[seat] = players * notes[seat, 2] - total
    if finisher >= 0:
        for seat in range(players):
            if seat != finisher:
                paid = marriage.SHOWN_PAYS if has_shown[seat] else marriage.UNSHOWN_PAYS
                if has_dublees[finisher]:
                    paid += marriage.DUBLEE_PAYS
                net[seat] -= paid
                net[finisher] += paid


@compiled
def play_round(
    order: Ints,
    players: int,
    first_seat: int,
    options: Any,
    weights: Floats,
    temperatures: Floats,
    lays: Ints,
    finds_best: Ints,
    passes: float,
    seed: int,
    work: Any,
    record: Any,
    net: Ints,
    notes: Ints,
) -> int:
    """Play a round with the decisions of the bots and return the number of turns.

    Args:
        order: (160,) the cards as they are dealt.
        players: how many seats.
        first_seat: who plays first.
        options: see :func:`option_flags`.
        weights: (players, WEIGHTS) of each seat.
        temperatures: (players,) the noise of each seat.
        lays: (players,) whether each lays tanelas.
        finds_best: (players,) whether each looks for the best show.
        passes: how often a decision passes over what can be shown, finished or laid;
            with any, the record tells the decisions.
        seed: of the noise.
        work: :func:`ustad.runtime.games.marriage.decisions.work_space`.
        record: see :func:`new_record`; the first two are filled for seats with noise.
        net: (players,) filled with what each wins.
        notes: (players, 4) filled: whether it showed, in which turn, maal, finisher.
    """
    dublee, master_is_pure, at_once, printed_need_show, laid_need_tiplu = options
    learned, luck, told, kinds, seen = record
    _, groups, outs, rows, rows_after, valid, values, row, melds_out = work
    hands = np.zeros((players, CARDS), dtype=np.int64)
    laid = np.zeros((players, CARDS), dtype=np.int64)
    table = np.zeros((players, CARDS), dtype=np.int64)
    taken = np.zeros((players, CARDS), dtype=np.int64)
    thrown = np.zeros((players, CARDS), dtype=np.int64)
    has_shown = np.zeros(players, dtype=np.bool_)
    has_dublees = np.zeros(players, dtype=np.bool_)
    sees = np.zeros(players, dtype=np.bool_)
    learned[:] = 0.0
    luck[:] = 0.0
    notes[:] = 0
    seen[:] = 0
    before = np.zeros(max(BEFORE, AFTER))
    for place in range(21 * players):
        hands[(first_seat + place) % players, order[place]] += 1
    for place in range(players):
        seat = (first_seat + place) % players
        if temperatures[seat] > 0.0:
            deal_luck(work, hands[seat], dublee, master_is_pure, place, luck[seat])
    stock = order[21 * players + 1 :].copy()
    top, end = 0, len(stock)
    pile = np.zeros(MOST_TURNS + 2, dtype=np.int64)
    pile[0] = order[21 * players]
    piled = 1
    open_cards = np.zeros(CARDS, dtype=np.int64)
    open_cards[pile[0]] += 1
    tiplu = -1
    tiplu_drawn = False
    somebody = False
    finisher = -1
    turns = 0
    unseen = np.zeros(CARDS, dtype=np.int64)
    while finisher < 0 and turns < MOST_TURNS and end > top:
        seat = (first_seat + turns) % players
        hand = hands[seat]
        drawn = False
        barred = -1
        while True:
            unseen[:] = COPIES - hand - open_cards
            if sees[seat]:
                unseen[tiplu] -= 1
            known_elsewhere(taken, thrown, table, seat, unseen)
            pile_top = pile[piled - 1] if piled > 0 else -1
            others_shown = has_shown.sum() - has_shown[seat]
            left = end - top
            action, card = decide(
                work,
                hand,
                laid[seat],
                table[seat],
                unseen,
                tiplu if sees[seat] else -1,
                has_shown[seat],
                has_dublees[seat],
                1.0 if somebody else 0.0,
                drawn,
                turns < players and not drawn,
                pile_top,
                barred,
                dublee,
                master_is_pure,
                at_once or not drawn,
                weights[seat],
                temperatures[seat],
                lays[seat] > 0,
                finds_best[seat] > 0,
                passes > 0.0 and mixed(seed, turns * 16 + seat, drawn) < passes,
                seed,
                (turns * 2 + drawn) * 8 + seat,
            )
            temperature = temperatures[seat]
            draws = action in (TO_STOCK, TO_PILE)
            if draws and (temperature > 0.0 or passes > 0.0):
                # The row of the pile's card stays; the rows of the hand are rated anew.
                rate_hand(
                    work,
                    hand,
                    laid[seat],
                    unseen,
                    tiplu if sees[seat] else -1,
                    has_shown[seat],
                    has_dublees[seat],
                    dublee,
                    master_is_pure,
                    somebody,
                )
                if has_shown[seat]:
                    before[:AFTER] = rows_after[CARDS]
                else:
                    before[:BEFORE] = rows[CARDS]
            shows = action in (TO_SHOW, TO_SHOW_DUBLEES)
            sees_now = shows and (at_once or not drawn)
            if action in (TO_DISCARD, TO_FINISH):
                hand[card] -= 1
            elif shows:
                lay_show(
                    action == TO_SHOW_DUBLEES, melds_out, hand, laid[seat], table[seat], open_cards
                )
                has_dublees[seat] = action == TO_SHOW_DUBLEES
            if passes > 0.0:
                kind = -1
                about = before[:0]
                if draws:
                    kind = DRAW_SHOWN if has_shown[seat] else DRAW_UNSHOWN
                    about = before[:AFTER] if has_shown[seat] else before[:BEFORE]
                elif action == TO_FINISH:
                    kind = FINISH
                elif sees_now:
                    kind = SHOW
                    rate_after(
                        hand,
                        unseen,
                        melds.PRINTED,
                        has_dublees[seat],
                        False,
                        groups,
                        outs,
                        rows_after,
                        valid,
                    )
                    about = rows_after[CARDS]
                elif action == TO_DISCARD and valid[card]:
                    if not has_shown[seat]:
                        kind = DISCARD_UNSHOWN
                        about = rows[card]
                    else:
                        kind = DISCARD_SHOWN if sees[seat] else SHOW
                        about = rows_after[card]
                if kind >= 0:
                    take_note(
                        told[seat],
                        kinds[seat],
                        seen[seat : seat + 1],
                        kind,
                        about,
                        hand,
                        table[seat],
                        laid[seat],
                        tiplu if sees[seat] else -1,
                        others_shown,
                        left,
                        players,
                        has_dublees[seat],
                        sees_now,
                    )
            if draws:
                if temperature > 0.0 and pile_top >= 0:
                    take = 1.0 / (1.0 + np.exp(-values[CARDS] / temperature))
                    share = (1.0 if action == TO_PILE else 0.0) - take
                    at, width = DRAW_BEFORE, BEFORE + TAKE_BEFORE
                    if has_shown[seat]:
                        at, width = DRAW_AFTER, AFTER + TAKE_AFTER
                    for k in range(width):
                        learned[seat, at + k] += share * row[k]
                drawn = True
                if action == TO_STOCK:
                    new = stock[top]
                    top += 1
                    hand[new] += 1
                    if temperature > 0.0:
                        rate_hand(
                            work,
                            hand,
                            laid[seat],
                            unseen,
                            tiplu if sees[seat] else -1,
                            has_shown[seat],
                            has_dublees[seat],
                            dublee,
                            master_is_pure,
                            somebody,
                        )
                        share = (5.0 * unseen[PUTALI] + 10.0 * unseen[MASTER]) / unseen.sum()
                        if has_shown[seat]:
                            draw_luck(before, rows_after[CARDS], True, new, share, luck[seat])
                        else:
                            draw_luck(before, rows[CARDS], False, new, share, luck[seat])
                else:
                    barred = pile_top
                    piled -= 1
                    open_cards[barred] -= 1
                    hand[barred] += 1
                    taken[seat, barred] += 1
            elif action == TO_LAY:
                hand[card] -= 3
                laid[seat, card] += 3
                table[seat, card] += 3
                open_cards[card] += 3
            elif shows:
                notes[seat, 0] = 1
                notes[seat, 1] = turns // players
                has_shown[seat] = True
                somebody = True
                if not tiplu_drawn:
                    tiplu = draw_tiplu(stock, top, end)
                    tiplu_drawn = tiplu >= 0
                    end -= tiplu_drawn
                if tiplu_drawn and sees_now:
                    sees[seat] = True
            else:
                if action == TO_FINISH:
                    finisher = seat
                    # What is left in hand goes into melds; nothing of it is lost.
                elif temperatures[seat] > 0.0 and valid[card]:
                    if not has_shown[seat]:
                        softmax_row(
                            rows,
                            valid,
                            values,
                            barred,
                            card,
                            temperatures[seat],
                            DISCARD_BEFORE,
                            learned[seat],
                        )
                    elif sees[seat]:
                        softmax_row(
                            rows_after,
                            valid,
                            values,
                            barred,
                            card,
                            temperatures[seat],
                            DISCARD_AFTER,
                            learned[seat],
                        )
                pile[piled] = card
                piled += 1
                open_cards[card] += 1
                thrown[seat, card] += 1
                if has_shown[seat] and tiplu_drawn:
                    sees[seat] = True
                break
        turns += 1
    settle(
        hands,
        laid,
        table,
        has_shown,
        has_dublees,
        tiplu,
        finisher,
        printed_need_show,
        laid_need_tiplu,
        net,
        notes,
    )
    return turns


DECK: Ints = np.repeat(np.arange(CARDS), COPIES)


@compiled
def add_products(products: Floats, row: Floats, net: float) -> None:
    """Add the products of a row and the net to a matrix one larger than the row."""
    last = len(row)
    for a in range(last):
        if row[a] != 0.0:
            for b in range(last):
                products[a, b] += row[a] * row[b]
            products[a, last] += row[a] * net
            products[last, a] += row[a] * net
    products[last, last] += net * net


@compiled
def add_rounds(
    orders: Ints,
    players: int,
    options: Any,
    weights: Floats,
    temperature: float,
    passes: float,
    seed: int,
    work: Any,
    record: Any,
    products: Floats,
    told_products: Floats,
) -> None:
    """Play rounds and add up the products of the regressions.

    Args:
        orders: (rounds, 160) the decks.
        players: how many seats.
        options: see :func:`option_flags`.
        weights: (WEIGHTS,) what all seats play.
        temperature: of the noise; without any, ``products`` is left alone.
        passes: how often a decision passes over a show, a finish or a tanela to lay; if
            never, ``told_products`` is left alone.
        seed: of the noise.
        work: :func:`ustad.runtime.games.marriage.decisions.work_space`.
        record: :func:`new_record`.
        products: (n, n) added to, n = WEIGHTS + 2 LUCK + 2: the products of the
            features, the luck of the seat and of its opponents, 1, and the net.
        told_products: (KINDS, MOST_TOLD + 1, MOST_TOLD + 1) added to: for each kind of
            decision the products of what a net is told by, and the net from each opponent.
    """
    many = np.zeros((players, WEIGHTS))
    for seat in range(players):
        many[seat] = weights
    temperatures = np.full(players, temperature)
    able = np.ones(players, dtype=np.int64)
    learned, luck, told, kinds, seen = record
    net = np.zeros(players, dtype=np.int64)
    notes = np.zeros((players, 4), dtype=np.int64)
    size = len(products)
    line = np.zeros(size)
    for game in range(len(orders)):
        play_round(
            orders[game],
            players,
            0,
            options,
            many,
            temperatures,
            able,
            able,
            passes,
            seed + game,
            work,
            record,
            net,
            notes,
        )
        for seat in range(players):
            for at in range(seen[seat]):
                from_each = net[seat] / (players - 1)
                add_products(told_products[kinds[seat, at]], told[seat, at], from_each)
            if temperature == 0.0:
                continue
            line[:WEIGHTS] = learned[seat]
            for k in range(LUCK):
                line[WEIGHTS + k] = luck[seat, k]
                line[WEIGHTS + LUCK + k] = luck[:, k].sum() - luck[seat, k]
            line[size - 2] = 1.0
            line[size - 1] = net[seat]
            for a in range(size):
                if line[a] != 0.0:
                    for b in range(size):
                        products[a, b] += line[a] * line[b]


# Learning.

SEED = 2026
PLAYERS = 4
STEPS = ((1.0, 64_000), (2.0, 64_000))
"""The noise and the rounds of each step; the noise of the first is in turns, of the next in
net points."""
VALUE_ROUNDS = 48_000
PASSES = 0.03
"""How often the rounds of values pass over a show, a finish or a tanela: so that it is known
what that costs."""
BLOCK = 500
RIDGE = 1e-3
DECIMALS = 4
LEAST_SPREAD = 1e-7
"""A feature whose mean square is less cannot be learned and weighs nothing."""

ROUNDS = sum(rounds for _, rounds in STEPS) + VALUE_ROUNDS
PRODUCTS = WEIGHTS + 2 * LUCK + 2


def decks(block: int, rounds: int, seed: int) -> Ints:
    """Return (n, 160) the decks of a block of rounds."""
    numbers = range(block * BLOCK, min((block + 1) * BLOCK, rounds))
    return np.array([np.random.default_rng((seed, game)).permutation(DECK) for game in numbers])


def learn_block(block: int, weights: Floats, temperature: float, rounds: int, seed: int) -> Floats:
    """Return the products of the features from one block of rounds; see :func:`add_rounds`."""
    return _block(block, weights, PLAYERS, temperature, 0.0, decks(block, rounds, seed))[0]


def value_block(block: int, weights: Floats, rounds: int, seed: int) -> Floats:
    """Return the products of what a net is told by from one block of rounds.

    The blocks are of two, three, four and five players in turn.
    """
    return _block(block, weights, 2 + block % 4, 0.0, PASSES, decks(block, rounds, seed))[1]


def _block(
    block: int, weights: Floats, players: int, temperature: float, passes: float, orders: Ints
) -> tuple[Floats, Floats]:
    products = (
        np.zeros((PRODUCTS, PRODUCTS)),
        np.zeros((KINDS, MOST_TOLD + 1, MOST_TOLD + 1)),
    )
    add_rounds(
        orders,
        players,
        option_flags(marriage.Marriage()),
        weights,
        temperature,
        passes,
        block * BLOCK,
        work_space(),
        new_record(players),
        *products,
    )
    return products


def slopes(products: Floats, ridge: float = RIDGE) -> Floats:
    """Return the slopes of the last column on the others, from the matrix of their products.

    Args:
        products: (n + 1, n + 1) sums of products.
        ridge: of the penalty, in parts of each column's own square.
    """
    size = len(products) - 1
    squares = np.diag(products)[:size]
    used = squares > LEAST_SPREAD * products[size - 1, size - 1]
    matrix = products[:size, :size][np.ix_(used, used)]
    found = np.zeros(size)
    found[used] = np.linalg.solve(
        matrix + ridge * np.diag(squares[used]), products[:size, size][used]
    )
    return found


def without_column(products: Floats, column: int, slope: float) -> Floats:
    """Return the products with a column taken away from the last one, its slope being known."""
    size = len(products)
    change = np.eye(size)
    change[column, size - 1] = -slope
    change[column, column] = 0.0
    return np.asarray(change.T @ products @ change)


def learn(
    steps: tuple[tuple[float, int], ...] = STEPS,
    seed: int = SEED,
    progress: Progress | None = None,
    threads: int | None = None,
    value_rounds_wanted: int = VALUE_ROUNDS,
) -> Floats:
    """Return (NUMBERS,) the numbers of expert, learned from nothing but the rules.

    Args:
        steps: noise and rounds of each step.
        seed: of the decks.
        progress: called with the rounds played and all rounds.
        threads: how many to use, all cores by default.
        value_rounds_wanted: rounds to learn the net to expect from.
    """
    weights = levels.level_weights("hard")
    done, total = 0, sum(rounds for _, rounds in steps) + value_rounds_wanted
    numbers = np.zeros(NUMBERS)
    with ThreadPoolExecutor(threads or available_cores()) as pool:

        def added(block: Callable[[int], Floats], rounds: int) -> Any:
            """Return the sum of the products of all blocks, in order."""
            nonlocal done
            sums: Any = 0.0
            for products in pool.map(block, range(-(-rounds // BLOCK))):
                sums = sums + products
                done = min(done + BLOCK, total)
                if progress:
                    progress(done, total)
            return sums

        for step, (temperature, rounds) in enumerate(steps):
            block = partial(
                learn_block,
                weights=weights,
                temperature=temperature,
                rounds=rounds,
                seed=seed + step,
            )
            weights = slopes(added(block, rounds))[:WEIGHTS]
            # Jokers are taken by rule.
            weights[_weight("draw before the show: take a putali or master")] = 0.0
            weights[_weight("draw after the show: take a joker")] = 0.0
            weights[_weight("draw after the show: maal of the card taken")] = 0.0
            weights = np.round(weights, DECIMALS)
        numbers[:WEIGHTS] = weights
        block = partial(
            value_block, weights=weights, rounds=value_rounds_wanted, seed=seed + len(steps)
        )
        products = added(block, value_rounds_wanted)
        for kind, row in enumerate(KIND_ROWS):
            told = [*range(row + TOLD), MOST_TOLD]
            of_kind = products[kind][np.ix_(told, told)]
            found = numbers[KIND_STARTS[kind] : KIND_STARTS[kind + 1]]
            if kind in (DRAW_UNSHOWN, DISCARD_UNSHOWN):
                found[:] = slopes(of_kind)
            else:
                fives = row + TOLD_LAID
                found[:] = slopes(without_column(of_kind, fives, 5.0))
                found[fives] = 5.0
    return np.round(numbers, DECIMALS)


def _weight(name: str) -> int:
    return FEATURE_NAMES.index(name)


def build(options: Mapping[str, Any], progress: Progress | None = None) -> Built:
    """Learn the numbers anew."""
    return _built(options, learn(progress=progress))


def shipped(options: Mapping[str, Any]) -> Built:
    """Return the table of the numbers that ship with the package."""
    return _built(options, values_of.shipped_numbers())


def _built(options: Mapping[str, Any], numbers: Floats) -> Built:
    counts = {"players": PLAYERS, "rounds": ROUNDS, "seed": SEED}
    return Built(values_of.weights_spec(options), numbers, counts, {})


def ship(numbers: Floats) -> None:
    """Write the file of numbers that ships with the package."""
    told = {
        "what": "what features of a hand are worth to expert, and the net to expect, in points",
        "command": "ustad build marriage --force",
        "seed": SEED,
        "rounds": ROUNDS,
        "numbers": dict(zip(values_of.NUMBER_NAMES, numbers.tolist(), strict=True)),
    }
    values_of.SHIPPED.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


DEFAULT = marriage.Marriage()


def measure(
    hero: str,
    others: str,
    deals: int,
    seed: int,
    players: int = PLAYERS,
    numbers: Floats | None = None,
    rules: marriage.Marriage = DEFAULT,
    progress: Progress | None = None,
) -> tuple[float, float]:
    """Return how many net points a round a level wins against others, and the 95% half-width.

    Each deal, its deck and so its tiplu fixed, is played with the hero in every
    seat; all against themselves win exactly 0, for the nets of a deal sum to zero.

    Args:
        hero: a level.
        others: the level of all other seats.
        deals: how many.
        seed: of the decks and of the noise of easy.
        players: how many seats.
        numbers: of expert, those that ship by default.
        game: the options.
        progress: called with the deals played and all deals.
    """
    known = (
        values_of.shipped_numbers() if numbers is None and "expert" in (hero, others) else numbers
    )
    pair = (hero, others)
    styles = [levels.STYLES[level] for level in pair]
    weights = np.array(
        [
            levels.level_weights(level) if level != "expert" or known is None else known[:WEIGHTS]
            for level in pair
        ]
    )
    temperatures = np.array([style.temperature for style in styles])
    lays = np.array([int(style.lays) for style in styles])
    finds_best = np.array([int(style.finds_best) for style in styles])
    work = work_space()
    net = np.zeros(players, dtype=np.int64)
    notes = np.zeros((players, 4), dtype=np.int64)
    record = new_record(players)
    means = np.zeros(deals)
    for deal in range(deals):
        order = np.random.default_rng((seed, deal)).permutation(DECK)
        for seat in range(players):
            who = np.array([0 if other == seat else 1 for other in range(players)])
            play_round(
                order,
                players,
                0,
                option_flags(rules),
                weights[who],
                temperatures[who],
                lays[who],
                finds_best[who],
                0.0,
                deal,
                work,
                record,
                net,
                notes,
            )
            means[deal] += net[seat] / players
        if progress:
            progress(deal + 1, deals)
    return float(means.mean()), float(1.96 * means.std(ddof=1) / np.sqrt(deals))
