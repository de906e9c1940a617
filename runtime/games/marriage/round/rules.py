"""Marriage (म्यारिज): Nepali rummy with 21 cards for two to five players.

**The rules as the source has them** (the Nepali document on म्यारिज).

- 160 cards: three packs, three *putali* (printed jokers), one *master*.  21 each;
  the next card is turned up and starts the discard pile; the rest is the stock.
  In the first round the last seat deals and the first one plays; then the deal
  moves one seat a round.
- **Melds**: a tanela is three cards of one rank and suit; a pure sequence three
  or more following ranks of one suit, the ace low or high but not both; a dublee
  two identical cards; a trial one rank in three suits.  Tanelas and pure
  sequences count for a show; trials and melds with jokers only for the finish.
- **A turn**: draw from the stock or take the top of the pile; show or finish if
  one can and wants; discard one card.
- **Before one's first draw** one may lay dealt tanelas, each of which counts as
  one of the three show melds, and show the dealt hand; the tiplu is then drawn
  and seen at once.
- **The show**: three pure melds of three cards at once, tanelas laid already
  counting among them, or seven dublees.  At the first show of a round a stock
  card is drawn unseen: the *tiplu*, out of play from then on.  One sees it after
  the discard of the turn in which one showed.
- **Maal**, points and jokers by the tiplu: see
  ``cards/maal.py``.  All cards in hand and on the
  table count.  Who never shows scores nothing but putali and master.
- **The finish**: after the show the other twelve cards in melds and the last one
  discarded; after seven dublees an eighth one.  When the stock is used up the
  round ends without a finisher.
- **Payment**: each pays each the difference of their maal; the finisher takes
  from every opponent 3 if that one has shown, 10 if not, and 5 more if the finish
  is an eighth dublee (these three from public rules, as is that the card just
  taken from the pile may not be the one discarded).

**Ours**, where the source is silent.  A putali or master drawn as tiplu stays
under the stock and the draw is repeated; if no card of the stock can be the
tiplu there is none, and a show stands without it.  No joker in a tanela or
dublee, no trial of four.  Another copy of the card just taken may not be discarded
either: nobody can tell them apart.  No finish without seeing the tiplu, and so none in
the turn of a show made after the draw, unless the tiplu is seen at once.  After a
dealt-hand show only its shower sees the tiplu.  At most three tanelas are laid,
and none after the show.  The eighth dublee leaves a card to discard.  The tiplu is
taken from the bottom of the stock, so that it does not depend on how long a round
has lasted: who compares two players on one deal compares them on one tiplu.

**The code.**  What the rules say stands in this folder once: the course of a round in numbers
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

from ustad.runtime.core.chance import Chance, Seed
from ustad.runtime.core.entry import Rulebook, Seats
from ustad.runtime.core.game import NoLuck
from ustad.runtime.games.marriage.cards.cards import CARDS, COPIES, HAND, Cards
from ustad.runtime.games.marriage.round.course import first_turn, seat_of_turn
from ustad.runtime.games.marriage.round.deal import Deal
from ustad.runtime.games.marriage.round.options import NAME, OPTIONS, RuleNumbers
from ustad.runtime.games.marriage.round.public import PublicState, Seat

DECK = tuple(card for card in range(CARDS) for _ in range(COPIES[card]))
"""The 160 cards in the order of their numbers."""


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

    def new(self, players: int, first: int = 0, seed: Seed = 0) -> Deal:
        """Return the round dealt from a seed, seat ``first`` to play.

        The deck is shuffled from the order of the cards' numbers.
        """
        asked = {"game": NAME, "options": self.options, "players": players, "first": first}
        return self.deal_cards(players, Chance(seed, "new", asked).shuffled(DECK), first)

    def deal(self, players: int, seed: Sequence[int], first: int = 0) -> Deal:
        """Return a round dealt from a seed, seat ``first`` to play, the seat before it dealing."""
        order = np.random.default_rng(seed).permutation(DECK).tolist()
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
        return NoLuck("a dealt round never waits for chance")


RULES = Rulebook(Marriage, OPTIONS, Seats(2, 5, 4), hidden=True)
