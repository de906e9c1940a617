"""The levels of Marriage but expert: their weights, and the bot that plays by weights.

The weights are in cards (easy, medium) or in turns (hard); see
:mod:`ustad.runtime.games.marriage.bots`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from ustad.runtime.core.game import Advice
from ustad.runtime.games.marriage.cards.cards import Floats, counts_of, flat, sorted_melds, without
from ustad.runtime.games.marriage.cards.finishes import finish_melds
from ustad.runtime.games.marriage.cards.maal import joker_mask
from ustad.runtime.games.marriage.cards.melds import SHOW_MELDS, dublee_choices
from ustad.runtime.games.marriage.decisions import (
    PLAIN,
    TO_FINISH,
    TO_LAY,
    TO_PILE,
    TO_SHOW,
    TO_SHOW_DUBLEES,
    TO_STOCK,
    Ratings,
    decide,
    work_space,
)
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
)
from ustad.runtime.games.marriage.round.public import DISCARD, sees_at_once
from ustad.runtime.games.marriage.round.view import View
from ustad.runtime.games.marriage.states import (
    DISCARD_AFTER,
    DISCARD_BEFORE,
    DRAW_AFTER,
    DRAW_BEFORE,
    FEATURE_NAMES,
)


def _by_name(first: int, weights: Mapping[str, float]) -> dict[str, float]:
    return {f"{FEATURE_NAMES[first].split(':')[0]}: {k}": v for k, v in weights.items()}


@cache
def level_weights(level: str) -> Floats:
    """Return (WEIGHTS,) the weights of a level that has learned nothing.

    They are in cards (easy, medium) or turns (hard).
    """
    what = "turns" if level == "hard" else "distance"
    # Medium takes from the pile what lessens the distance; hard what saves 2.5 turns,
    # or half a turn if the distance falls.
    take = {"take": -2.5, "take, distance falls": 2.0} if level == "hard" else {"take": -0.5}
    take_after = {"take": -1.0 if level == "hard" else -0.5}
    named = {
        **_by_name(DISCARD_BEFORE, {what: -1.0}),
        **_by_name(DRAW_BEFORE, {what: -1.0, **take}),
        **_by_name(DISCARD_AFTER, {what: -1.0}),
        **_by_name(DRAW_AFTER, {what: -1.0, **take_after}),
    }
    return np.array([named.get(name, 0.0) for name in FEATURE_NAMES])


@dataclass(frozen=True)
class Style:
    """How a level plays beside its weights.

    Attributes:
        temperature: of its noise, in the unit of its weights.
        lays: whether it lays dealt tanelas.
        finds_best: whether it looks for the show that leaves the best hand.
    """

    temperature: float
    lays: bool
    finds_best: bool


STYLES = {
    "easy": Style(0.7, False, False),
    "medium": Style(0.0, False, False),
    "hard": Style(0.0, True, True),
    "expert": Style(0.0, True, True),
}


def moment_of(turns: int, drawn: bool, seat: int) -> int:
    """Return the number of a decision within a round."""
    return (turns * 2 + drawn) * 8 + seat


class MarriageBot:
    """A level of Marriage; the working arrays make it unfit for two threads at once."""

    def __init__(self, level: str, seed: int, weights: Floats, ratings: Ratings = PLAIN) -> None:
        self.style = STYLES[level]
        self.seed = seed
        self.weights = weights
        self.ratings = ratings
        self.work = work_space()

    def choose(self, view: View) -> Move:
        """Return the move for the view's seat to move."""
        return self._move(view, *self.decide(view))

    def choose_many(self, views: Sequence[View]) -> list[Move]:
        """Return the move for each of many views."""
        return [self.choose(view) for view in views]

    def ask(self, view: View) -> Advice[Move]:
        """Return the move it would play, alone."""
        if view.current_player() != view.seat:
            return Advice([])
        return Advice([self.choose(view)])

    def decide(self, view: View, passes: bool = False) -> tuple[int, int]:
        """Return what to do, and with which card; ``passes``: no show, no finish, nothing laid."""
        rules, table = view.rules, view.table
        own = table.seats[view.seat]
        drawn = table.phase == DISCARD
        return decide(
            self.ratings,
            self.work,
            counts_of(view.hand),
            counts_of(flat(own.laid)),
            counts_of(own.cards),
            view.unseen(),
            -1 if view.tiplu is None else view.tiplu,
            own.shown,
            own.dublees,
            float(table.any_shown),
            drawn,
            table.first_draw_to_come,
            table.pile[-1] if table.pile else -1,
            table.taken[-1][1] if table.taken_now else -1,
            rules.numbers.dublee,
            rules.numbers.master_is_pure,
            sees_at_once(rules, table),
            self.weights,
            self.style.temperature,
            self.style.lays,
            self.style.finds_best,
            passes,
            self.seed,
            moment_of(table.turns, drawn, view.seat),
        )

    def _move(self, view: View, action: int, card: int) -> Move:
        if action == TO_STOCK:
            return Draw(STOCK)
        if action == TO_PILE:
            return Draw(PILE)
        if action == TO_LAY:
            return Lay((card,) * 3)
        if action == TO_SHOW:
            wanted = SHOW_MELDS - len(view.table.seats[view.seat].laid)
            return Show(sorted_melds(self.work[-1][:wanted].tolist()))
        if action == TO_SHOW_DUBLEES:
            return ShowDublees(dublee_choices(view.hand)[0])
        if action == TO_FINISH:
            rest = without(view.hand, [card])
            if view.table.seats[view.seat].dublees:
                pair = next(one for one in rest if rest.count(one) >= 2)
                return Finish(((pair, pair),), card)
            found = finish_melds(rest, joker_mask(-1 if view.tiplu is None else view.tiplu))
            assert found is not None
            return Finish(found, card)
        return Discard(card)
