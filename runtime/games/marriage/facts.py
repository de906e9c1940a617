"""What speaks for a move of Marriage: how far the hand that it leaves is from its goal; its maal.

The goal is a show, by three pure melds or seven dublees, whichever is nearer; after the show a
finish.  A draw of the stock leaves the hand as it is; after a card of the pile or a tanela laid the
hand is that after expert's next move.
"""

from __future__ import annotations

from collections.abc import Sequence

from ustad.runtime.core.facts import Facts, Numbers, told
from ustad.runtime.core.game import Advice
from ustad.runtime.games.marriage.cards.cards import counts_of
from ustad.runtime.games.marriage.expert import ExpertBot, Prospect, Rated
from ustad.runtime.games.marriage.round.moves import (
    STOCK,
    Draw,
    Finish,
    Lay,
    Move,
    Show,
    ShowDublees,
    cards_given_up,
)
from ustad.runtime.games.marriage.round.view import View


class MarriageFacts(Facts[View, Move]):
    """Knows the hands that moves leave.

    Args:
        bot: rates them.
    """

    def __init__(self, bot: ExpertBot) -> None:
        self._bot = bot

    def of(self, view: View, moves: Sequence[Move], advice: Advice[Move]) -> list[Numbers]:
        """Return of the hand after each move its distance, outs, turns and maal."""
        del advice
        rated = Rated(view, self._bot)
        return [self._numbers(rated, move) for move in moves]

    def _numbers(self, rated: Rated, move: Move) -> Numbers:
        """Return the numbers of the hand after a move."""
        if isinstance(move, Lay) or (isinstance(move, Draw) and move.source != STOCK):
            after = rated.view.apply(move)
            return self._numbers(Rated(after, self._bot), self._bot.choose(after))
        hand = rated.sight.hand
        cards = hand if isinstance(move, Draw) else hand - counts_of(cards_given_up(move))
        if isinstance(move, Finish):
            unseen = int(rated.sight.unseen.sum())
            left = Prospect("a finish", 0, 0, unseen, 0.0)
            return _told(left, rated.counted(hand - counts_of((move.discard,))))
        if isinstance(move, Show | ShowDublees):
            return _told(*rated.prospect_after(move))
        return _told(rated.prospect(cards), rated.counted(cards))

    def speaks_for(self, numbers: Numbers) -> str:
        """Return the numbers in words."""
        if numbers["distance"] == 0:
            return f"leaves distance 0, maal {numbers['maal']}"
        return (
            f"leaves distance {numbers['distance']} with {numbers['outs']} of "
            f"{numbers['unseen']} unseen cards that help, about {numbers['turns']:.1f} turns, "
            f"maal {numbers['maal']}"
        )

    def gives_up(self, cost: float, best: Numbers, other: Numbers) -> str:
        """Return the cost of another move, and its numbers."""
        return f"gives up {told(cost)} points: it {self.speaks_for(other)}"


def _told(left: Prospect, maal: int) -> Numbers:
    """Return a prospect and a maal as the numbers of an answer."""
    return {
        "distance": left.distance,
        "outs": left.outs,
        "unseen": left.unseen,
        "turns": left.turns,
        "maal": maal,
    }
