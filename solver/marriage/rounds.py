"""Whole rounds of Marriage in compiled code, by the rules and decisions of the runtime.

The cards lie in arrays of counts (:class:`Layout`); the course of the round, what a seat
knows, its decisions and the settlement are the flat functions of
``ustad.runtime.games.marriage``.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import ustad.runtime.games.marriage.kernels  # noqa: F401  # lets compiled code call the rules
from ustad.runtime.core.kernels import compiled
from ustad.runtime.games.marriage.cards.cards import (
    ALL_CARDS,
    CARDS,
    HAND,
    NO_CARD,
    Floats,
    Ints,
)
from ustad.runtime.games.marriage.cards.finishes import search_finish
from ustad.runtime.games.marriage.cards.melds import DUBLEES_TO_SHOW, SHOW_MELDS
from ustad.runtime.games.marriage.decisions import (
    Action,
    Decision,
    Kernels,
    Player,
    decide,
    first_pair,
    mixed,
)
from ustad.runtime.games.marriage.features import Work, rate_after_show, rate_before_show
from ustad.runtime.games.marriage.round.course import (
    Course,
    after_discard,
    after_draw,
    after_show,
    after_tiplu_drawn,
    among,
    draws_tiplu,
    first_turn,
    is_over,
    pile_size,
    seat_of_turn,
    seat_to_move,
    sees_tiplu,
    tiplu_place,
)
from ustad.runtime.games.marriage.round.known import (
    Sight,
    cards_not_in_sight,
    has_dublees,
    held_cards,
    unseen_cards,
)
from ustad.runtime.games.marriage.round.options import RuleNumbers
from ustad.runtime.games.marriage.round.settlement import counted_maal, settle, tanelas_laid
from ustad.solver.marriage.records import (
    Record,
    clear,
    learn_from_noise,
    note_deal_luck,
    note_decision,
    note_draw_luck,
    note_move,
    note_stock,
    rate_hand,
)

MOST_TURNS = 2000
"""A round of the learner that lasts longer is broken off."""


class Layout(NamedTuple):
    """Where the cards of a round lie; all but pile and stock are counts.

    Attributes:
        hands: (players, 54) in hand.
        laid: (players, 54) tanelas laid before the first draw.
        table: (players, 54) all that lies before each seat, these among it.
        taken: (players, 54) taken from the pile.
        discarded: (players, 54) discarded.
        open_cards: (54,) pile and table.
        pile: (160,) from the bottom; as many count as the course has.
        stock: (n,) all that was there, in the order of drawing; at its end the tiplu once it
            is drawn.
    """

    hands: Ints
    laid: Ints
    table: Ints
    taken: Ints
    discarded: Ints
    open_cards: Ints
    pile: Ints
    stock: Ints


class Players(NamedTuple):
    """How the seats play: (players, ...) of each what ``Player`` has of one."""

    weights: Floats
    temperatures: Floats
    lays: NDArray[np.bool_]
    finds_best: NDArray[np.bool_]
    seeds: Ints


class Notes(IntEnum):
    """What the record of a round tells of nets."""

    NOTHING = 0
    ALL = 1  # what the net of each move is predicted by
    EXPLORED = 2  # one decision is not what the seat would play; what comes from there on


def seated(players: Sequence[Player]) -> Players:
    """Return players as the rounds take them; the seeds of noise do not matter."""
    return Players(
        np.array([one.weights for one in players]),
        np.array([one.temperature for one in players]),
        np.array([one.lays for one in players]),
        np.array([one.finds_best for one in players]),
        np.array([one.seed for one in players]),
    )


# The rules, as far as they move cards.


@compiled
def dealt(order: Ints, course: Course) -> Layout:
    """Return the layout of a round dealt from (160,) cards in order."""
    players = course.players
    hands = np.zeros((players, CARDS), dtype=np.int64)
    for place in range(HAND * players):
        hands[seat_of_turn(course, place), order[place]] += 1
    open_cards = np.zeros(CARDS, dtype=np.int64)
    pile = np.zeros(ALL_CARDS, dtype=np.int64)
    pile[0] = order[HAND * players]
    open_cards[pile[0]] += 1
    return Layout(
        hands,
        np.zeros((players, CARDS), dtype=np.int64),
        np.zeros((players, CARDS), dtype=np.int64),
        np.zeros((players, CARDS), dtype=np.int64),
        np.zeros((players, CARDS), dtype=np.int64),
        open_cards,
        pile,
        order[HAND * players + 1 :].copy(),
    )


@compiled
def next_of_stock(layout: Layout, course: Course) -> int:
    """Return the place of the card of the stock that is drawn next."""
    return len(layout.stock) - course.stock - course.tiplu_drawn


@compiled
def take_tiplu(layout: Layout, course: Course) -> bool:
    """Move the tiplu to the end of the stock; tell whether a card can be it."""
    end = len(layout.stock)
    place = tiplu_place(layout.stock, next_of_stock(layout, course), end)
    if place < 0:
        return False
    tiplu = layout.stock[place]
    for later in range(place, end - 1):
        layout.stock[later] = layout.stock[later + 1]
    layout.stock[end - 1] = tiplu
    return True


@compiled
def tiplu_of(layout: Layout, course: Course) -> int:
    """Return the tiplu, NO_CARD if it is not drawn."""
    return layout.stock[-1] if course.tiplu_drawn else NO_CARD


@compiled
def sight_of(layout: Layout, course: Course, seat: int) -> Sight:
    """Return what a seat knows; hand, tanelas and table are those of the layout themselves."""
    hand = layout.hands[seat]
    tiplu = tiplu_of(layout, course) if sees_tiplu(course, seat) else NO_CARD
    hidden = cards_not_in_sight(hand, layout.open_cards, tiplu)
    held = held_cards(layout.taken, layout.discarded, layout.table)
    piled = pile_size(course)
    return Sight(
        course,
        seat,
        hand,
        layout.laid[seat],
        layout.table[seat],
        unseen_cards(hidden, held, seat),
        tiplu,
        layout.pile[piled - 1] if piled > 0 else NO_CARD,
        layout.discarded[seat].any(),
    )


@compiled
def cards_to_lay(work: Work, sight: Sight, decision: Decision) -> Ints:
    """Return (54,) the cards that a decision lays on the table."""
    found = np.zeros(CARDS, dtype=np.int64)
    if decision.action == Action.LAY:
        found[decision.card] = 3
    elif decision.action == Action.SHOW:
        for place in range(SHOW_MELDS - tanelas_laid(sight.laid)):
            for card in work.show[place]:
                found[card] += 1
    elif decision.action == Action.SHOW_DUBLEES:
        left = sight.hand.copy()
        for _ in range(DUBLEES_TO_SHOW):
            pair = first_pair(left)
            left[pair] = 0
            found[pair] = 2
    elif decision.action == Action.FINISH:
        found[:] = sight.hand
        found[decision.card] -= 1
        if has_dublees(sight):
            pair = first_pair(found)
            found[:] = 0
            found[pair] = 2
    return found


@compiled
def after_move(
    layout: Layout, course: Course, numbers: RuleNumbers, decision: Decision, laid: Ints
) -> Course:
    """Move the cards of a legal move, and return the course after it.

    Args:
        layout: changed.
        course: before the move.
        numbers: the options.
        decision: what is done.
        laid: (54,) the cards that it lays on the table.
    """
    action, card = decision
    seat = seat_to_move(course)
    hand, piled = layout.hands[seat], pile_size(course)
    if action == Action.DRAW_STOCK:
        hand[layout.stock[next_of_stock(layout, course)]] += 1
        return after_draw(course, NO_CARD)
    if action == Action.DRAW_PILE:
        top = layout.pile[piled - 1]
        hand[top] += 1
        layout.open_cards[top] -= 1
        layout.taken[seat, top] += 1
        return after_draw(course, top)
    hand -= laid
    layout.table[seat] += laid
    layout.open_cards[:] += laid
    if action == Action.LAY:
        layout.laid[seat] += laid
        return course
    if action in (Action.SHOW, Action.SHOW_DUBLEES):
        first = draws_tiplu(course)
        course = after_show(course, action == Action.SHOW_DUBLEES, numbers)
        return (
            after_tiplu_drawn(course, numbers) if first and take_tiplu(layout, course) else course
        )
    hand[card] -= 1
    layout.pile[piled] = card
    layout.open_cards[card] += 1
    layout.discarded[seat, card] += 1
    return after_discard(course, action == Action.FINISH)


@compiled
def settle_round(
    layout: Layout, course: Course, numbers: RuleNumbers, maal: Ints, net: Ints
) -> None:
    """Fill (players,) the maal that counts for each seat, and what it wins."""
    tiplu = tiplu_of(layout, course)
    for seat in range(course.players):
        maal[seat] = counted_maal(
            numbers,
            layout.hands[seat] + layout.table[seat],
            layout.laid[seat],
            tiplu,
            among(course.shown, seat),
            course.shown != 0,
        )
    settle(course, maal, net)


# Rounds of bots.


@compiled
def explored(
    work: Work,
    numbers: RuleNumbers,
    sight: Sight,
    player: Player,
    decision: Decision,
    passing: bool,
) -> Decision:
    """Return another decision than the one made, if there is one of the sort looked for.

    With ``passing`` a tanela, a show or a finish is passed over, else the other draw is made.
    """
    if passing:
        if decision.action in (Action.LAY, Action.SHOW, Action.SHOW_DUBLEES, Action.FINISH):
            kernels = Kernels(rate_before_show, rate_after_show, search_finish)
            return decide(kernels, work, numbers, sight, player, True)
    elif sight.top >= 0 and decision.action == Action.DRAW_STOCK:
        return Decision(Action.DRAW_PILE, NO_CARD)
    elif decision.action == Action.DRAW_PILE:
        return Decision(Action.DRAW_STOCK, NO_CARD)
    return decision


LAST_EXPLORED = 40
"""The turn at which a round explores at the latest, if it lasts so long."""


@compiled
def player_in(players: Players, seat: int, seed: int) -> Player:
    """Return how a seat plays; noise is drawn from the seed of the round."""
    temperature = players.temperatures[seat]
    return Player(
        players.weights[seat],
        temperature,
        players.lays[seat],
        players.finds_best[seat],
        seed if temperature > 0.0 else players.seeds[seat],
    )


@compiled
def note_deal(
    record: Record,
    work: Work,
    numbers: RuleNumbers,
    layout: Layout,
    course: Course,
    players: Players,
) -> None:
    """Note the luck of the deal for the seats with noise."""
    for place in range(course.players):
        seat = seat_of_turn(course, place)
        if players.temperatures[seat] > 0.0:
            note_deal_luck(record, work, numbers, sight_of(layout, course, seat), place)


@compiled
def play_round(
    order: Ints,
    first: int,
    numbers: RuleNumbers,
    players: Players,
    notes: Notes,
    seed: int,
    work: Work,
    record: Record,
) -> Course:
    """Play a round with the decisions of the bots and return how it ended.

    Args:
        order: (160,) the cards as they are dealt.
        first: who plays first.
        numbers: the options.
        players: how each seat plays.
        notes: what the record is to tell of nets.
        seed: of the noise and of what is explored.
        work: working arrays.
        record: filled; the features and the luck of seats with noise alone.
    """
    many = len(players.temperatures)
    course = first_turn(many, (first - 1) % many)
    layout = dealt(order, course)
    clear(record)
    note_deal(record, work, numbers, layout, course, players)
    explores = notes == Notes.EXPLORED
    begin, passing = int(LAST_EXPLORED * mixed(seed, 1, 0)), mixed(seed, 2, 0) < 0.5
    while not is_over(course) and course.turns < MOST_TURNS:
        seat = seat_to_move(course)
        noisy = players.temperatures[seat] > 0.0
        sight = sight_of(layout, course, seat)
        player = player_in(players, seat, seed)
        kernels = Kernels(rate_before_show, rate_after_show, search_finish)
        decision = decide(kernels, work, numbers, sight, player, False)
        if explores and course.turns >= begin:
            other = explored(work, numbers, sight, player, decision, passing)
            if other.action != decision.action:
                decision, explores = other, False
                record.noted[:], record.moves[:] = 0, 0
        laid = cards_to_lay(work, sight, decision)
        if noisy:
            learn_from_noise(record, work, sight, decision, player.temperature)
        if decision.action == Action.DRAW_STOCK and (noisy or notes != Notes.NOTHING):
            before = rate_hand(work, numbers, sight).copy()
            if notes != Notes.NOTHING:
                note_decision(record, sight, decision.action)
                note_stock(record, numbers, sight, before)
            course = after_move(layout, course, numbers, decision, laid)
            if noisy:
                card = layout.stock[next_of_stock(layout, course) - 1]
                note_draw_luck(record, sight, before, rate_hand(work, numbers, sight), card)
            continue
        if notes != Notes.NOTHING:
            note_decision(record, sight, decision.action)
        course = after_move(layout, course, numbers, decision, laid)
        if notes != Notes.NOTHING:
            note_move(record, work, numbers, sight, decision)
    if explores:
        record.noted[:], record.moves[:] = 0, 0
    settle_round(layout, course, numbers, record.maal, record.net)
    return course
