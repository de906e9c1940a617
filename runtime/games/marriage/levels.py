"""The four levels of Marriage: one way to look at a hand, four ways to weigh it.

**The problem.**  A player decides which card to draw, which to discard, and which melds to
show.  The other hands and the stock are hidden; a round is too long to search.  So each
option is described by *features* of the hand that it leads to (``features``), and the option
with the greatest weighted sum is played (``decisions``).

**The levels** are weights on these features:

- *easy* looks at the exact distance alone, through noise;
- *medium* looks at the exact distance alone;
- *hard* goes by the estimated turns; it lays dealt tanelas and shows the melds that
  leave the best finish;
- *expert* weighs all features by what they were found to be worth in net points: the weights
  are slopes learned from randomised self-play (``solver/marriage``), and ship with the
  package.  It also predicts the net of each move (``expert``).

Everything is a function of the seat's view.  How strong the levels are stands in the README
of this game.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache

import numpy as np

from ustad.runtime.core.chance import Chance
from ustad.runtime.core.game import Advice, Bot, Pace
from ustad.runtime.games.marriage.cards.cards import Floats, sorted_melds, without
from ustad.runtime.games.marriage.cards.finishes import finish_melds
from ustad.runtime.games.marriage.cards.maal import joker_mask
from ustad.runtime.games.marriage.cards.melds import SHOW_MELDS, dublee_choices
from ustad.runtime.games.marriage.decisions import (
    PLAIN,
    Action,
    Decision,
    Kernels,
    Player,
    decide,
)
from ustad.runtime.games.marriage.features import new_work
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
from ustad.runtime.games.marriage.round.view import View
from ustad.runtime.games.marriage.states import FEATURE_NAMES, Weights


def _by_name(first: Weights, weights: Mapping[str, float]) -> dict[str, float]:
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
        **_by_name(Weights.PRE_SHOW_DISCARD, {what: -1.0}),
        **_by_name(Weights.PRE_SHOW_DRAW, {what: -1.0, **take}),
        **_by_name(Weights.POST_SHOW_DISCARD, {what: -1.0}),
        **_by_name(Weights.POST_SHOW_DRAW, {what: -1.0, **take_after}),
    }
    return np.array([named.get(name, 0.0) for name in FEATURE_NAMES])


def player_of(level: str, weights: Floats, seed: int = 0) -> Player:
    """Return how a level plays by some weights; the noise of easy is in cards."""
    able = level in ("hard", "expert")
    return Player(weights, 0.7 if level == "easy" else 0.0, able, able, seed)


class MarriageBot(Bot[View, Move]):
    """A level of Marriage; the working arrays make it unfit for two threads at once.

    Args:
        level: the level.
        weights: (WEIGHTS,) what it weighs features by.
        kernels: plain or compiled.
        chance: gives its chance in a view; a level with noise draws what seeds it.
    """

    def __init__(
        self,
        level: str,
        weights: Floats,
        kernels: Kernels = PLAIN,
        chance: Callable[[View], Chance] = lambda view: Chance(0, "move", None),
    ) -> None:
        self.player = player_of(level, weights)
        self.chance = chance
        self.kernels = kernels
        self.work = new_work()

    def choose(self, view: View) -> Move:
        """Return the move for the view's seat to move."""
        return self.move_of(view, self.decide(view))

    def choose_many(self, views: Sequence[View]) -> list[Move]:
        """Return the move for each of many views."""
        return [self.choose(view) for view in views]

    def ask(self, view: View) -> Advice[Move]:
        """Return the move it would play, alone."""
        if view.current_player() != view.seat:
            return Advice([])
        return Advice([self.choose(view)])

    def pace(self, view: View) -> Pace:
        """Return how long an answer takes: a millisecond or some hundred of them."""
        del view
        return Pace.SOON if self.kernels is PLAIN else Pace.AT_ONCE

    def decide(self, view: View, passes: bool = False) -> Decision:
        """Return what to do, and with which card; ``passes``: no show, no finish, nothing laid."""
        numbers, sight, player = view.rules.numbers, view.sight(), self.player
        if player.temperature > 0:
            player = player._replace(seed=self.chance(view).word())
        return decide(self.kernels, self.work, numbers, sight, player, passes)

    def move_of(self, view: View, decision: Decision) -> Move:
        """Return the move that a decision for a view means; its melds are those found last."""
        action, card = decision
        if action == Action.DRAW_STOCK:
            return Draw(STOCK)
        if action == Action.DRAW_PILE:
            return Draw(PILE)
        if action == Action.LAY:
            return Lay((card,) * 3)
        if action == Action.SHOW:
            wanted = SHOW_MELDS - len(view.public.seats[view.seat].laid)
            return Show(sorted_melds(self.work.show[:wanted].tolist()))
        if action == Action.SHOW_DUBLEES:
            return ShowDublees(dublee_choices(view.hand)[0])
        if action == Action.FINISH:
            return _finish(view, card)
        return Discard(card)


def _finish(view: View, discard: int) -> Finish:
    """Return a finish with a discard."""
    rest = without(view.hand, [discard])
    if view.public.dublees(view.seat):
        pair = next(card for card in rest if rest.count(card) >= 2)
        return Finish(((pair, pair),), discard)
    assert view.tiplu is not None
    found = finish_melds(rest, joker_mask(view.tiplu))
    assert found is not None
    return Finish(found, discard)
