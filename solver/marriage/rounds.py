"""Whole rounds of Marriage in compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np

import ustad.runtime.games.marriage.kernels  # noqa: F401  # registers what compiled rounds call
from ustad.runtime.core.kernels import compiled
from ustad.runtime.games.marriage.cards.cards import CARDS, COPIES, MASTER, PUTALI, Floats, Ints
from ustad.runtime.games.marriage.cards.maal import PRINTED, joker_mask, laid_points, maal_points
from ustad.runtime.games.marriage.cards.melds import DUBLEES_TO_SHOW, SHOW_MELDS
from ustad.runtime.games.marriage.cards.shows import dublee_count
from ustad.runtime.games.marriage.decisions import (
    TO_DISCARD,
    TO_FINISH,
    TO_LAY,
    TO_PILE,
    TO_SHOW,
    TO_SHOW_DUBLEES,
    TO_STOCK,
    Ratings,
    decide,
    mixed,
)
from ustad.runtime.games.marriage.features import rate_after_show, rate_before_show, told_row
from ustad.runtime.games.marriage.round.settlement import DUBLEE_PAYS, SHOWN_PAYS, UNSHOWN_PAYS
from ustad.runtime.games.marriage.states import (
    AFTER,
    BEFORE,
    DISCARD_AFTER,
    DISCARD_BEFORE,
    DISCARD_SHOWN,
    DISCARD_UNSHOWN,
    DRAW_AFTER,
    DRAW_BEFORE,
    DRAW_SHOWN,
    DRAW_UNSHOWN,
    FINISH,
    KIND_ROWS,
    MOST_TOLD,
    SHOW,
    TAKE_AFTER,
    TAKE_BEFORE,
    WEIGHTS,
)

MOST_TURNS = 2000
MOST_SEEN = 160
"""Of so many decisions of a seat in one round notes are taken."""
KINDS = len(KIND_ROWS)


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
    rate_before_show(
        memory, hand, none, COPIES - hand, dublee, master_is_pure, 0.0, False, rows, valid
    )
    distance = int(rows[CARDS, 0])
    if distance < 4:
        luck[distance] = 1.0
    luck[4] = rows[CARDS, 1]
    luck[5] = 1.0 if dublee and dublee_count(hand) >= 5 else 0.0
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
        jokers = joker_mask(tiplu)
        rate_after_show(hand, unseen, jokers, dublees, False, groups, outs, rows_after, valid)
    else:
        rate_before_show(
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
            if hand[card] >= 2 and pairs < DUBLEES_TO_SHOW:
                pairs += 1
                hand[card] -= 2
                table[card] += 2
                open_cards[card] += 2
    else:
        for m in range(SHOW_MELDS - (laid > 0).sum()):
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
                paid = SHOWN_PAYS if has_shown[seat] else UNSHOWN_PAYS
                if has_dublees[finisher]:
                    paid += DUBLEE_PAYS
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
        options: the options, see RuleNumbers.
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
                Ratings(rate_before_show, rate_after_show),
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
                    rate_after_show(
                        hand,
                        unseen,
                        PRINTED,
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
