"""Marriage (म्यारिज), Nepali rummy with 21 cards for two to five players: the rules and the deal.

How it is played, and what is ours where the source is silent, stands in the README of this
game.  What the rules say stands in this folder once: the course of a round in numbers
(``course``), moves and their legality, what is known, who pays whom; a whole round is a
:class:`~ustad.runtime.games.marriage.round.deal.Deal`, what one seat knows of it a
:class:`~ustad.runtime.games.marriage.round.view.View`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ustad.runtime.core.entry import Rulebook, Seats
from ustad.runtime.core.errors import OutcomeError
from ustad.runtime.games.marriage.cards.cards import CARDS, COPIES, HAND, Cards
from ustad.runtime.games.marriage.round.course import first_turn, seat_of_turn
from ustad.runtime.games.marriage.round.deal import Deal
from ustad.runtime.games.marriage.round.options import NAME, OPTIONS, RuleNumbers
from ustad.runtime.games.marriage.round.public import PublicState, Seat


class NoLuck:
    """The chance of a round that is dealt: none is left, the order of the stock decides."""

    def outcome(self, state: Any) -> Any:
        """Refuse: a dealt round never waits for chance."""
        raise OutcomeError("outcome: a dealt round never waits for chance")


@dataclass(frozen=True)
class Marriage:
    """The rules with their options."""

    dublee: bool = True
    master_is_pure: bool = False
    see_tiplu: str = "after_discard"
    printed_need_show: bool = False
    laid_need_tiplu: bool = True

    @property
    def options(self) -> dict[str, Any]:
        """The full option set."""
        return {option.name: getattr(self, option.name) for option in OPTIONS}

    @cached_property
    def numbers(self) -> RuleNumbers:
        """The options for flat functions."""
        return RuleNumbers(
            self.dublee,
            self.master_is_pure,
            self.see_tiplu == "at_once",
            self.printed_need_show,
            self.laid_need_tiplu,
        )

    @property
    def name(self) -> str:
        """The game's name."""
        return NAME

    def new(self, players: int, first: int = 0, seed: Sequence[int] = (0,)) -> Deal:
        """Return the round dealt from a seed, seat ``first`` to play."""
        return self.deal(players, seed, first)

    def deal(self, players: int, seed: Sequence[int], first: int = 0) -> Deal:
        """Return a round dealt from a seed, seat ``first`` to play, the seat before it dealing."""
        deck = np.repeat(np.arange(CARDS), COPIES)
        order = np.random.default_rng(seed).permutation(deck).tolist()
        return self.deal_cards(players, order, first)

    def deal_cards(self, players: int, order: Sequence[int], first: int = 0) -> Deal:
        """Return a round dealt from 160 cards in order, one at a time from seat ``first``."""
        course = first_turn(players, (first - 1) % players)
        hands: list[Cards] = [()] * players
        for place in range(players):
            cards = order[place : HAND * players : players]
            hands[seat_of_turn(course, place)] = tuple(sorted(cards))
        turned_up, *stock = order[HAND * players :]
        public = PublicState(course, (Seat(),) * players, (turned_up,))
        return Deal(self, public, tuple(hands), None, None, tuple(stock))

    def next_round(self, state: Deal, seed: Sequence[int]) -> Deal:
        """Return the round after a finished one: the deal moves one seat."""
        course = state.public.course
        return self.deal(course.players, seed, (course.dealer + 2) % course.players)

    def luck(self, players: int, seed: Sequence[int]) -> NoLuck:
        """Return the chance of a round: none, the deal holds it all."""
        del players, seed
        return NoLuck()


RULES = Rulebook(Marriage, OPTIONS, Seats(2, 5, 4), hidden=True)
