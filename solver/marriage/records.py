"""What a round of compiled code leaves for the learner: features, luck, and predictors.

- **Features.**  With noise, the features of each chosen option less what the noise expects,
  summed over a seat's decisions.
- **Luck.**  How good the dealt hand is, and for each card from the stock whether it helped,
  less the chance that it did.
- **Predictors.**  What the net is predicted by, decision by decision.
- **Decisions.**  What was decided, and which predictors tell the net of it: a card taken from
  the pile, a tanela laid and a show are worth what the move after them is.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

from ustad.runtime.core.kernels import compiled
from ustad.runtime.games.marriage.cards.cards import COPIES, MASTER, NO_CARD, PUTALI, Floats, Ints
from ustad.runtime.games.marriage.cards.shows import dublee_count
from ustad.runtime.games.marriage.decisions import Action, Decision
from ustad.runtime.games.marriage.features import (
    Work,
    add_neighbours,
    discard_kind,
    fill_predictors,
    rate_after_show,
    rate_before_show,
)
from ustad.runtime.games.marriage.round.course import sees_at_once
from ustad.runtime.games.marriage.round.known import Sight, has_dublees, has_shown
from ustad.runtime.games.marriage.round.options import RuleNumbers
from ustad.runtime.games.marriage.states import (
    LONGEST_ROW,
    NOTHING,
    POST_SHOW_TAKE,
    PRE_SHOW_TAKE,
    WEIGHTS,
    Kind,
    PreShow,
    Weights,
)

MOST_NOTED = 160
"""Of so many decisions of a seat in one round the predictors are noted."""


class Played(IntEnum):
    """What was decided, as errors of predictions are told apart."""

    STOCK = 0
    PILE = 1
    LAY = 2
    SHOW = 3
    DEALT_SHOW = 4
    FINISH = 5
    DISCARD_BEFORE_SHOW = 6
    DISCARD_AFTER_SHOW = 7
    BLIND_DISCARD = 8


class Luck(IntEnum):
    """The numbers that tell the luck of a seat: nine of its deal, nine of its draws."""

    DEALT_DISTANCE = 0  # the first of four: whether the dealt distance is 0, 1, 2, 3
    DEALT_TURNS = 4
    DEALT_DUBLEES = 5
    DEALT_PRINTED = 6
    DEALT_TANELAS = 7
    PLACE = 8
    PRE_SHOW_HELP = 9  # the first of three: help at distance 1, 2, and more
    POST_SHOW_HELP = 12  # the same after the show
    PRINTED = 15
    SEVENTH_DUBLEE = 16
    SIXTH_DUBLEE = 17


LUCK = 18


class Record(NamedTuple):
    """What a round leaves, for each seat.

    Attributes:
        learned: (players, WEIGHTS) the features of the chosen options less their
            expectation, summed over the decisions.
        luck: (players, LUCK) how lucky the seat was.
        predictors: (players, MOST_NOTED, LONGEST_ROW) what the net is predicted by,
            decision by decision.
        kinds: (players, MOST_NOTED) their kinds.
        noted: (players,) how many.
        played: (players, MOST_NOTED) what was decided.
        lines: (players, MOST_NOTED) which of the predictors tell the net of it.
        moves: (players,) how many decisions are noted.
        maal: (players,) the maal that counts.
        net: (players,) what the seat wins.
    """

    learned: Floats
    luck: Floats
    predictors: Floats
    kinds: Ints
    noted: Ints
    played: Ints
    lines: Ints
    moves: Ints
    maal: Ints
    net: Ints


def new_record(players: int) -> Record:
    """Return an empty record."""
    return Record(
        np.zeros((players, WEIGHTS)),
        np.zeros((players, LUCK)),
        np.zeros((players, MOST_NOTED, LONGEST_ROW)),
        np.zeros((players, MOST_NOTED), dtype=np.int64),
        np.zeros(players, dtype=np.int64),
        np.zeros((players, MOST_NOTED), dtype=np.int64),
        np.zeros((players, MOST_NOTED), dtype=np.int64),
        np.zeros(players, dtype=np.int64),
        np.zeros(players, dtype=np.int64),
        np.zeros(players, dtype=np.int64),
    )


@compiled
def clear(record: Record) -> None:
    """Empty a record for another round."""
    record.learned[:] = 0.0
    record.luck[:] = 0.0
    record.noted[:] = 0
    record.moves[:] = 0


@compiled
def rate_hand(work: Work, numbers: RuleNumbers, sight: Sight) -> Any:
    """Rate a hand as it is, before or after the show, and return its row."""
    if has_shown(sight):
        rate_after_show(work, sight, has_dublees(sight), False)
        return work.post_show[NOTHING]
    rate_before_show(work, numbers, sight, False)
    return work.pre_show[NOTHING]


# Features.


@compiled
def learn_from_noise(
    record: Record, work: Work, sight: Sight, decision: Decision, temperature: float
) -> None:
    """Add the features of what was drawn or discarded less what the noise expects."""
    learned, shown = record.learned[sight.seat], has_shown(sight)
    if decision.action == Action.DISCARD:
        if work.valid[decision.card] and not shown:
            rows, first = work.pre_show, Weights.PRE_SHOW_DISCARD
            learn_discard(learned, work, rows, sight, decision.card, temperature, first)
        elif work.valid[decision.card] and sight.tiplu >= 0:
            rows, first = work.post_show, Weights.POST_SHOW_DISCARD
            learn_discard(learned, work, rows, sight, decision.card, temperature, first)
    elif decision.action in (Action.DRAW_STOCK, Action.DRAW_PILE) and sight.top >= 0:
        take = 1.0 / (1.0 + np.exp(-work.weighed[NOTHING] / temperature))
        share = (1.0 if decision.action == Action.DRAW_PILE else 0.0) - take
        first, width = Weights.PRE_SHOW_DRAW, PRE_SHOW_TAKE
        if shown:
            first, width = Weights.POST_SHOW_DRAW, POST_SHOW_TAKE
        for k in range(width):
            learned[first + k] += share * work.take[k]


@compiled
def learn_discard(
    learned: Floats,
    work: Work,
    rows: Floats,
    sight: Sight,
    discard: int,
    temperature: float,
    first: int,
) -> None:
    """Add to ``learned`` the features of the discard less what the noise expects."""
    width, barred = rows.shape[1], sight.course.barred
    highest = -np.inf
    for card in range(NOTHING):
        if work.valid[card] and card != barred:
            highest = max(highest, work.weighed[card])
    total = 0.0
    for card in range(NOTHING):
        if work.valid[card] and card != barred:
            total += np.exp((work.weighed[card] - highest) / temperature)
    for card in range(NOTHING):
        if work.valid[card] and card != barred:
            share = np.exp((work.weighed[card] - highest) / temperature) / total
            for k in range(width):
                learned[first + k] -= share * rows[card, k]
    for k in range(width):
        learned[first + k] += rows[discard, k]


# Luck.


@compiled
def note_deal_luck(
    record: Record, work: Work, numbers: RuleNumbers, sight: Sight, place: int
) -> None:
    """Note how good a dealt hand is, of the seat that plays in a place."""
    luck, hand = record.luck[sight.seat], sight.hand
    before_turning_up = Sight(
        sight.course, sight.seat, hand, sight.laid, sight.table, COPIES - hand, NO_CARD, NO_CARD,
        False,
    )  # fmt: skip
    row = rate_hand(work, numbers, before_turning_up)
    distance = int(row[PreShow.DISTANCE])
    if distance < 4:
        luck[Luck.DEALT_DISTANCE + distance] = 1.0
    luck[Luck.DEALT_TURNS] = row[PreShow.TURNS]
    luck[Luck.DEALT_DUBLEES] = 1.0 if numbers.dublee and dublee_count(hand) >= 5 else 0.0
    luck[Luck.DEALT_PRINTED] = 5.0 * hand[PUTALI] + 10.0 * hand[MASTER]
    luck[Luck.DEALT_TANELAS] = (hand == 3).sum()
    luck[Luck.PLACE] = place


@compiled
def note_draw_luck(record: Record, sight: Sight, before: Floats, after: Floats, card: int) -> None:
    """Note how much better a card of the stock was than could be expected.

    ``before`` and ``after`` rate the hand without and with the card.
    """
    luck, unseen = record.luck[sight.seat], sight.unseen
    hit = 1.0 if after[PreShow.DISTANCE] < before[PreShow.DISTANCE] else 0.0
    distance = int(before[PreShow.DISTANCE])
    first = Luck.POST_SHOW_HELP if has_shown(sight) else Luck.PRE_SHOW_HELP
    if distance > 0:
        outs = before[PreShow.OUTS_1] + before[PreShow.OUTS_2] + before[PreShow.OUTS_3]
        luck[first + min(3, distance) - 1] += hit - outs / 10.0
    if not has_shown(sight):
        if before[PreShow.SIX_DUBLEES] > 0.0:
            came = 1.0 if after[PreShow.CAN_SHOW] > 0.0 else 0.0
            luck[Luck.SEVENTH_DUBLEE] += came - before[PreShow.DUBLEE_OUTS_6] / 10.0
        if before[PreShow.FIVE_DUBLEES] > 0.0:
            came = 1.0 if after[PreShow.SIX_DUBLEES] > 0.0 else 0.0
            luck[Luck.SIXTH_DUBLEE] += came - before[PreShow.DUBLEE_OUTS_5] / 10.0
    share = (5.0 * unseen[PUTALI] + 10.0 * unseen[MASTER]) / unseen.sum()
    points = 5.0 if card == PUTALI else (10.0 if card == MASTER else 0.0)
    luck[Luck.PRINTED] += points - share


# Predictors.


@compiled
def note_stock(record: Record, numbers: RuleNumbers, sight: Sight, row: Floats) -> None:
    """Note what the net is predicted by before a card of the stock is drawn."""
    kind = Kind.POST_SHOW_STOCK if has_shown(sight) else Kind.PRE_SHOW_STOCK
    note(record, numbers, sight, kind, row, has_dublees(sight))


@compiled
def note_move(
    record: Record, work: Work, numbers: RuleNumbers, sight: Sight, decision: Decision
) -> None:
    """Note what the net is predicted by after a discard, a finish, or a show that sees the tiplu.

    After another show that is noted with the discard that follows.  ``sight`` is that of the
    decision, its hand, tanelas and table those after it.
    """
    action, card = decision
    if action == Action.FINISH:
        note(record, numbers, sight, Kind.FINISH, work.take[:0], has_dublees(sight))
    elif action in (Action.SHOW, Action.SHOW_DUBLEES) and sees_at_once(sight.course, numbers):
        dublees = action == Action.SHOW_DUBLEES
        rate_after_show(work, sight, dublees, False)
        note(record, numbers, sight, Kind.SHOW, work.post_show[NOTHING], dublees)
    elif action == Action.DISCARD:
        row = rate_hand(work, numbers, sight)
        if not has_shown(sight) and card < PUTALI:
            sight.hand[card] += 1
            add_neighbours(row, sight.hand, sight.unseen, card)
            sight.hand[card] -= 1
        note(record, numbers, sight, discard_kind(sight), row, has_dublees(sight))


@compiled
def note(
    record: Record, numbers: RuleNumbers, sight: Sight, kind: Kind, row: Floats, dublees: bool
) -> None:
    """Note what a net is predicted by, if there is room for it."""
    at = record.noted[sight.seat]
    if at < MOST_NOTED:
        into, owned = record.predictors[sight.seat, at], sight.hand + sight.table
        fill_predictors(into, numbers, sight, kind, row, owned, dublees)
        record.kinds[sight.seat, at] = kind
        record.noted[sight.seat] += 1


@compiled
def note_decision(record: Record, sight: Sight, action: Action) -> None:
    """Note what is decided, and that its net is predicted by what is noted next."""
    at = record.moves[sight.seat]
    if at < MOST_NOTED:
        record.played[sight.seat, at] = played(sight, action)
        record.lines[sight.seat, at] = record.noted[sight.seat]
        record.moves[sight.seat] += 1


@compiled
def played(sight: Sight, action: Action) -> Played:
    """Return what is decided by an action."""
    if action == Action.DRAW_STOCK:
        return Played.STOCK
    if action == Action.DRAW_PILE:
        return Played.PILE
    if action == Action.LAY:
        return Played.LAY
    if action == Action.FINISH:
        return Played.FINISH
    if action in (Action.SHOW, Action.SHOW_DUBLEES):
        return Played.SHOW if sight.course.has_drawn else Played.DEALT_SHOW
    if not has_shown(sight):
        return Played.DISCARD_BEFORE_SHOW
    return Played.BLIND_DISCARD if sight.tiplu < 0 else Played.DISCARD_AFTER_SHOW
