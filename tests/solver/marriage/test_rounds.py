"""Random rounds under every option: the whole round, all views, and compiled code, step by step.

The rules are flat functions that all three call; what differs is where each keeps its cards.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from ustad.runtime.core.game import CHANCE
from ustad.runtime.games.marriage.cards.cards import (
    NO_CARD,
    PUTALI,
    Cards,
    counts_of,
    flat,
)
from ustad.runtime.games.marriage.decisions import Action, Decision
from ustad.runtime.games.marriage.kernels import KERNELS
from ustad.runtime.games.marriage.levels import MarriageBot, level_weights
from ustad.runtime.games.marriage.round.course import Course, pile_size
from ustad.runtime.games.marriage.round.deal import Deal
from ustad.runtime.games.marriage.round.moves import (
    PILE,
    STOCK,
    Discard,
    Draw,
    Finish,
    Lay,
    Move,
    Show,
    ShowDublees,
    cards_laid,
)
from ustad.runtime.games.marriage.round.options import OPTIONS
from ustad.runtime.games.marriage.round.rules import RULES
from ustad.runtime.games.marriage.round.view import View, Waits
from ustad.solver.marriage.learning import DECK
from ustad.solver.marriage.rounds import (
    Layout,
    after_move,
    dealt,
    settle_round,
    sight_of,
    tiplu_of,
)

ROUNDS = 50
"""How many rounds of each option set are played."""

OPTION_SETS: tuple[dict[str, Any], ...] = (
    {},
    *({one.name: other} for one in OPTIONS for other in one.choices if other != one.default),
)
"""The default options, and each option changed alone."""


def deck(choose: random.Random, number: int) -> list[int]:
    """Return a shuffled deck, in every fifth round with putali and master at the bottom."""
    order: list[int] = DECK.tolist()
    choose.shuffle(order)
    return sorted(order, key=lambda card: card >= PUTALI) if number % 5 == 0 else order


def some_move(state: Deal, bot: MarriageBot, choose: random.Random, late: int) -> Move:
    """Return a bot's move, now and then a random one.

    With more than ``late`` cards in the stock the bot passes over shows.
    """
    course, view = state.public.course, state.view(state.public.to_move)
    if choose.random() < 0.02:
        return choose.choice(list(state.legal_moves()))
    if choose.random() < 0.06:
        if course.has_drawn:
            return Discard(choose.choice([card for card in view.hand if card != course.barred]))
        return Draw(choose.choice((STOCK, PILE)) if len(set(view.hand)) > 1 else STOCK)
    return bot.move_of(view, bot.decide(view, passes=course.stock > late))


def numbers_of(move: Move) -> Decision:
    """Return a move as compiled code takes it."""
    if isinstance(move, Draw):
        return Decision(Action.DRAW_STOCK if move.source == STOCK else Action.DRAW_PILE, NO_CARD)
    if isinstance(move, Lay):
        return Decision(Action.LAY, move.cards[0])
    if isinstance(move, Show | ShowDublees):
        shows = Action.SHOW if isinstance(move, Show) else Action.SHOW_DUBLEES
        return Decision(shows, NO_CARD)
    if isinstance(move, Finish):
        return Decision(Action.FINISH, move.discard)
    return Decision(Action.DISCARD, move.card)


def followed(view: View, move: Move, after: Deal) -> View:
    """Return a view after a move, chance falling as it fell in the round."""
    view = view.apply(move)
    while view.current_player() == CHANCE:
        fallen: Any = after.drawn if view.waits == Waits.CARD else after.tiplu
        if view.waits == Waits.WHETHER_TIPLU:
            fallen = after.public.course.tiplu_drawn
        view = view.apply(fallen)
    return view


def check_layout(layout: Layout, course: Course, state: Deal) -> None:
    """Hold compiled code against the whole round."""
    public = state.public
    assert course == public.course
    assert tiplu_of(layout, course) == (NO_CARD if state.tiplu is None else state.tiplu)
    assert layout.pile[: pile_size(course)].tolist() == list(public.pile)

    def rows(of_seats: Iterator[Cards]) -> Any:
        return np.array([counts_of(cards) for cards in of_seats])

    assert (layout.hands == rows(iter(state.hands))).all()
    assert (layout.laid == rows(flat(seat.laid) for seat in public.seats)).all()
    assert (layout.table == rows(seat.cards for seat in public.seats)).all()


def check_sight(layout: Layout, course: Course, view: View) -> None:
    """Hold what a seat knows in compiled code against its view."""
    for mine, other in zip(view.sight(), sight_of(layout, course, view.seat), strict=True):
        assert np.array_equal(mine, other)  # type: ignore[arg-type]


@pytest.mark.parametrize("options", OPTION_SETS, ids=str)
def test_rounds_are_the_same_whole_in_views_and_compiled(options: dict[str, Any]) -> None:
    rules = RULES.read(options)
    bot = MarriageBot("hard", level_weights("hard"), KERNELS)
    done: set[tuple[str, bool]] = set()
    for number in range(ROUNDS):
        choose = random.Random(number)
        players, first = 2 + number % 4, choose.randrange(2)
        order = deck(choose, number)
        state = rules.deal_cards(players, order, first)
        views = [state.view(seat) for seat in range(players)]
        course = state.public.course
        layout = dealt(np.array(order), course)
        late = choose.choice((3, 7, 200)) if number % 5 == 0 else 200
        while not state.is_over():
            check_layout(layout, course, state)
            mover = views[state.current_player()]
            check_sight(layout, course, mover)
            check_sight(layout, course, choose.choice(views))
            move = some_move(state, bot, choose, late)
            if choose.random() < 0.02:
                assert list(mover.legal_moves()) == list(state.legal_moves())
            state = state.apply(move)
            laid = counts_of(cards_laid(move))
            course = after_move(layout, course, rules.numbers, numbers_of(move), laid)
            done.add((type(move).__name__, course.tiplu_drawn))
            if not state.is_over():
                views = [followed(view, move, state) for view in views]
                assert views == [state.view(seat) for seat in range(players)]
        maal, net = np.zeros((2, players), dtype=np.int64)
        settle_round(layout, course, rules.numbers, maal, net)
        assert course == state.public.course
        assert maal.tolist() == list(state.maal())
        assert net.tolist() == list(state.returns())
    shows = {"Show", "ShowDublees"} if rules.dublee else {"Show"}
    assert done >= {("Lay", False), ("Finish", True), *((show, True) for show in shows)}
