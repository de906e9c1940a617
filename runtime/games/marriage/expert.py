"""The expert of Marriage: the move that learned weights prefer, and the predicted net of each.

**Nets.**  For each kind of move (``states.Kind``) a learned function predicts the net after
it, in points from each opponent, so that one function serves two to five players.  It looks at
the hand that the move leaves (a show after the draw: with its best discard).

- The *pile's card* is worth what the best move after taking it is: nothing unknown falls
  between.  A *tanela laid* likewise, as laying costs no turn.
- The *stock* is rated by a function learned from draws of the stock alone.
- Of *discards* the best is rated by what it leaves, and the others that are weighed by how much
  less they weigh: the weights were learned from that very comparison.  What is not weighed
  (jokers, and after the show cards that cost a step) is rated by what it leaves.
- *Shows* differ from the best by weight too, *finishes* by their maal.

**One rating.**  What is played is rated highest.  The bot draws and discards by weight, and
shows, finishes and lays as soon as it can; where two predictions disagree with that, weights
know better, for a prediction is of one hand and a weight of the difference of two.  If the
stock is preferred though the pile is predicted to bring more, or the other way round, the
stock is told to differ by its weight; anything else that is predicted to bring more than what
is played is told to bring a little less (and costs 0.0000).

**Options.**  Each option has an intercept of its own.  What tanelas laid pay is counted in
fives: before the show by what a five was worth on average if it needs the tiplu, else exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ustad.runtime.core.game import Advice, rank
from ustad.runtime.games.marriage.cards.cards import (
    CARD_NAMES,
    CARDS,
    MASTER,
    NO_CARD,
    PUTALI,
    Floats,
    Ints,
    counts_of,
    flat,
    with_card,
)
from ustad.runtime.games.marriage.cards.maal import (
    joker_mask,
    laid_points,
    maal_points,
)
from ustad.runtime.games.marriage.cards.melds import DUBLEES_TO_SHOW
from ustad.runtime.games.marriage.cards.shows import dublee_count
from ustad.runtime.games.marriage.decisions import (
    ALWAYS_TAKEN,
    NO_CHOICE,
    PLAIN,
    Action,
    Kernels,
    Noise,
    best_discard,
    rate_blind,
    weigh,
)
from ustad.runtime.games.marriage.features import add_neighbours, discard_kind, fill_predictors
from ustad.runtime.games.marriage.levels import MarriageBot
from ustad.runtime.games.marriage.round.course import after_show, after_tiplu_drawn, sees_at_once
from ustad.runtime.games.marriage.round.known import Sight, has_dublees, has_shown, with_hand
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
    cards_given_up,
)
from ustad.runtime.games.marriage.round.settlement import (
    DUBLEE_PAYS,
    SHOWN_PAYS,
    UNSHOWN_PAYS,
    counted_maal,
)
from ustad.runtime.games.marriage.round.view import View, Waits
from ustad.runtime.games.marriage.states import (
    KIND_STARTS,
    LONGEST_ROW,
    NOTHING,
    NUMBER_NAMES,
    POST_SHOW_TAKE,
    PRE_SHOW_TAKE,
    WEIGHTS,
    Kind,
    PostShow,
    PreShow,
    Weights,
)

WORSE = 1e-6
"""By how much less, at least, a move is rated that the level never prefers."""


class ExpertBot(MarriageBot):
    """The learned weights; it also predicts the net of each move.

    Args:
        numbers: (NUMBERS,) see ``states``.
        kernels: plain or compiled.
    """

    unit = "net"

    def __init__(self, numbers: Floats, kernels: Kernels = PLAIN) -> None:
        super().__init__("expert", numbers[:WEIGHTS], kernels)
        self.numbers = numbers

    def ask(self, view: View) -> Advice[Move]:
        """Return every legal move with its predicted net, and why the best is the best.

        While chance moves, the predicted net of the hand as it is.
        """
        if view.waits and not view.is_over():
            return Advice([], Rated(view, self).net_waiting(), self.unit)
        if view.current_player() != view.seat:
            return Advice([])
        rated = Rated(view, self)
        moves = list(view.legal_moves())
        values = rated.values(moves)
        best, options = rank(moves, values)
        return Advice(best, max(values), self.unit, options, {"why": rated.why(rated.chosen)})

    def net_features(self, view: View) -> dict[str, float]:
        """Return what the net of the best move is the sum of, by the names of the numbers.

        Each feature counts its number times; those that are 0 are left out.
        """
        rated = Rated(view, self)
        found = rated.predictors(rated.chosen).named
        if rated.chosen == Draw(STOCK) and rated.stock_is_raised:
            found = rated.predictors(Draw(PILE)).named
            first = Weights.POST_SHOW_DRAW if rated.shown else Weights.PRE_SHOW_DRAW
            size = POST_SHOW_TAKE if rated.shown else PRE_SHOW_TAKE
            self.decide(view, passes=True)
            found |= Predictors(int(first), -self.work.take[:size]).named
        return found


class Predictors(NamedTuple):
    """What a net is predicted by: where its numbers begin, and features."""

    first: int
    line: Floats

    @property
    def named(self) -> dict[str, float]:
        """The features that are not 0, by the names of their numbers."""
        held = self.line.tolist()
        return {NUMBER_NAMES[self.first + at]: one for at, one in enumerate(held) if one}


class Weighed(NamedTuple):
    """What the best discard after a show weighs; NO_CARD if none is to be made."""

    discard: int
    weight: float


class Prospect(NamedTuple):
    """How far a hand is from its goal.

    Attributes:
        goal: what it is far from, in words.
        distance: the cards to be replaced.
        outs: the unseen cards that lessen it.
        unseen: all unseen cards.
        turns: about how many turns it takes.
    """

    goal: str
    distance: int
    outs: int
    unseen: int
    turns: float


class Rated:
    """One decision of the expert, each move rated by the hand that it leads to.

    Attributes:
        chosen: the move that is played, None if the seat is not to move.
    """

    def __init__(self, view: View, bot: ExpertBot) -> None:
        self.view, self.bot = view, bot
        self.sight = view.sight()
        self.opponents = view.public.course.players - 1
        self.shown, self.dublees = has_shown(self.sight), has_dublees(self.sight)
        self.drawn = view.public.course.has_drawn
        self.rated: dict[tuple[bytes, bool], Weighed] = {}

    @cached_property
    def chosen(self) -> Move:
        """The move that is played."""
        return self.bot.choose(self.view)

    # Values.

    def values(self, moves: Sequence[Move]) -> list[float]:
        """Return the predicted net of each move, that of the one played being the greatest."""
        of_kinds = (
            self._draws([move for move in moves if isinstance(move, Draw)]),
            self._discards([move for move in moves if isinstance(move, Discard)]),
            self._shows([move for move in moves if isinstance(move, Show)]),
            self._finishes([move for move in moves if isinstance(move, Finish)]),
            {move: self.net(move) for move in moves if isinstance(move, Lay | ShowDublees)},
        )
        found = {move: net for of_kind in of_kinds for move, net in of_kind.items()}
        top = found[self.chosen]
        return [found[move] if found[move] <= top else top - WORSE for move in moves]

    def _draws(self, draws: Sequence[Draw]) -> dict[Move, float]:
        """Return the nets of draws, of which the stock is always one."""
        stock, pile = Draw(STOCK), Draw(PILE)
        found: dict[Move, float] = {draw: self.net(draw) for draw in draws}
        if pile in found:
            taken, weight = self.pile_weight
            if taken and found[stock] >= found[pile]:
                found[stock] = found[pile] - max(WORSE, weight)
            elif self.stock_is_raised:
                found[stock] = found[pile] + max(WORSE, -weight)
        return found

    @cached_property
    def stock_is_raised(self) -> bool:
        """Whether the stock is preferred though the pile is predicted to bring more."""
        if self.sight.top < 0 or self.pile_weight[0]:
            return False
        return self.net(Draw(STOCK)) <= self.net(Draw(PILE))

    def _discards(self, discards: Sequence[Discard]) -> dict[Move, float]:
        """Return the nets of discards, that of the one with the greatest weight being greatest."""
        if not discards:
            return {}
        decision = self.bot.decide(self.view, passes=True)
        valid, weighed = self.bot.work.valid.copy(), self.bot.work.weighed.copy()
        best = decision.card
        top = self.net(Discard(best))
        found: dict[Move, float] = {}
        for move in discards:
            if valid[move.card] and valid[best]:
                # Noise too faint to matter can have picked the one that weighs less.
                found[move] = top + min(0.0, float(weighed[move.card] - weighed[best]))
            else:
                net = self.net(move)
                found[move] = net if move.card == best or net < top else top - WORSE
        return found

    def _shows(self, shows: Sequence[Show]) -> dict[Move, float]:
        """Return the nets of shows of three melds, the others by weight beside the best."""
        if not shows:
            return {}
        weights = {move: self.show_weight(move) for move in shows}
        best = max(shows, key=weights.__getitem__)
        if isinstance(self.chosen, Show):
            best = self.chosen
        net = self.net(best)
        return {move: net + min(0.0, weights[move] - weights[best]) for move in shows}

    def _finishes(self, finishes: Sequence[Finish]) -> dict[Move, float]:
        """Return the nets of finishes, the others by maal beside the one that keeps most."""
        if not finishes:
            return {}
        maal = {move: self.maal_after(move) for move in finishes}
        best = max(finishes, key=maal.__getitem__)
        net, most = self.net(best), maal[best]
        return {move: net + self.opponents * (maal[move] - most) for move in finishes}

    def net(self, move: Move) -> float:
        """Return the predicted net of a move that is the best of its kind."""
        return self.predicted(self.predictors(move))

    def predicted(self, predictors: Predictors) -> float:
        """Return the net that is predicted by features."""
        first, line = predictors
        return float(line @ self.bot.numbers[first : first + len(line)])

    def net_waiting(self) -> float:
        """Return the predicted net before a card or the tiplu comes, as that of the move before."""
        view, sight = self.view, self.sight
        course = sight.course
        if view.waits == Waits.CARD:
            course = course._replace(has_drawn=False, stock=course.stock + 1)
            public = view.public._replace(course=course)
            before = Rated(view._replace(public=public, waits=Waits.NOTHING), self.bot)
            draws = [Draw(STOCK), Draw(PILE)] if sight.top >= 0 else [Draw(STOCK)]
            return before._draws(draws)[Draw(STOCK)]
        if view.mine and course.tiplu_drawn and course.shown == 1 << view.seat:
            sight = sight._replace(course=course._replace(stock=course.stock + 1))
        row = self.features(sight.hand)
        return self.predicted(self.predictors_of(Kind.SHOW, row, sight, self.dublees))

    # What nets are predicted by.

    def predictors(self, move: Move) -> Predictors:
        """Return what the net of a move that is the best of its kind is predicted by."""
        sight = self.sight
        if isinstance(move, Lay) or (isinstance(move, Draw) and move.source == PILE):
            after = Rated(self._after(move), self.bot)
            return after.predictors(after.chosen)
        if isinstance(move, Draw):
            row = self.features(sight.hand)
            return self.predictors_of(self._stock_kind, row, sight, self.dublees)
        if isinstance(move, Show | ShowDublees):
            return self._after_show(move)
        thrown = move.card if isinstance(move, Discard) else move.discard
        left = sight.hand.copy()
        left[thrown] -= 1
        after_move = with_hand(sight, left)
        if isinstance(move, Finish):
            return self.predictors_of(Kind.FINISH, np.zeros(0), after_move, self.dublees)
        row = self.features(left)
        if not self.shown and thrown < PUTALI:
            add_neighbours(row, sight.hand, sight.unseen, thrown)
        return self.predictors_of(discard_kind(sight), row, after_move, self.dublees)

    def _after(self, move: Lay | Draw) -> View:
        """Return what the seat knows once it has laid a tanela or taken the pile's card."""
        if isinstance(move, Lay):
            return self.view.apply(move)
        view, top = self.view, self.sight.top
        public = view.public.after(move, False, view.rules.numbers)
        return View(view.rules, public, view.seat, with_card(view.hand, top), top, view.tiplu)

    @property
    def _stock_kind(self) -> Kind:
        return Kind.POST_SHOW_STOCK if self.shown else Kind.PRE_SHOW_STOCK

    def _after_show(self, move: Show | ShowDublees) -> Predictors:
        """Return the predictors after a show and, if the tiplu is not seen yet, a discard."""
        numbers, sight, dublees = self.view.rules.numbers, self.sight, isinstance(move, ShowDublees)
        melds = counts_of(flat(move.melds))
        cards = sight.hand - melds
        course = after_show(sight.course, dublees, numbers)
        if not sees_at_once(sight.course, numbers):
            cards[self.best_blind(cards, dublees).discard] -= 1
            course = after_tiplu_drawn(course, numbers) if not sight.course.shown else course
        after = sight._replace(hand=cards, table=sight.table + melds, course=course)
        return self.predictors_of(
            Kind.SHOW, self.post_show_features(cards, dublees), after, dublees
        )

    def predictors_of(self, kind: Kind, row: Floats, sight: Sight, dublees: bool) -> Predictors:
        """Return what the learned function of a kind predicts a net by, for what a move leaves."""
        line = np.zeros(LONGEST_ROW)
        owned = sight.hand + sight.table
        size = fill_predictors(line, self.view.rules.numbers, sight, kind, row, owned, dublees)
        return Predictors(int(KIND_STARTS[kind]), self.opponents * line[:size])

    # Hands.

    def features(self, cards: Ints) -> Floats:
        """Return the features of cards in hand, before or after the show as the seat is."""
        if self.shown:
            return self.post_show_features(cards, self.dublees)
        sight, work = with_hand(self.sight, cards), self.bot.work
        self.bot.kernels.rate_before_show(work, self.view.rules.numbers, sight, False)
        return np.array(work.pre_show[NOTHING])

    def post_show_features(self, cards: Ints, dublees: bool) -> Floats:
        """Return the features of cards in hand after a show."""
        work = self.bot.work
        self.bot.kernels.rate_after_show(work, with_hand(self.sight, cards), dublees, False)
        return np.array(work.post_show[NOTHING])

    def maal(self, cards: Ints) -> int:
        """Return the maal of a hand and the cards on the table, as it is if the seat shows.

        Without what laying pays.
        """
        return maal_points(cards + self.sight.table, self.sight.tiplu, 0, False, True, False)

    def maal_after(self, move: Finish) -> int:
        """Return the maal after a finish."""
        cards = self.sight.hand.copy()
        cards[move.discard] -= 1
        return self.maal(cards)

    # Weights beside the other moves of a kind.

    def show_weight(self, move: Show) -> float:
        """Return what the cards left by a show of three melds weigh, the same ones once."""
        cards = self.sight.hand - counts_of(flat(move.melds))
        if not sees_at_once(self.sight.course, self.view.rules.numbers):
            return self.best_blind(cards, dublees=False).weight
        key = (cards.tobytes(), False)
        if key not in self.rated:
            row, first = self.post_show_features(cards, False), Weights.POST_SHOW_DISCARD
            weight = float(weigh(row, self.bot.player.weights, first))
            self.rated[key] = Weighed(NO_CARD, weight)
        return self.rated[key].weight

    def best_blind(self, cards: Ints, dublees: bool) -> Weighed:
        """Return the best discard after a show, and its weight; the same cards are rated once."""
        key = (cards.tobytes(), dublees)
        if key not in self.rated:
            self.rated[key] = self._best_blind(cards, dublees)
        return self.rated[key]

    def _best_blind(self, cards: Ints, dublees: bool) -> Weighed:
        bot, work, barred = self.bot, self.bot.work, self.sight.course.barred
        sight, weights = with_hand(self.sight, cards), bot.player.weights
        if not dublees:
            best = rate_blind(bot.kernels, work, sight, True, weights)
            return Weighed(best, float(work.weighed[best]))
        bot.kernels.rate_after_show(work, sight, True, True)
        work.weighed[:] = 0.0
        first = Weights.POST_SHOW_DISCARD
        best = best_discard(work, work.post_show, weights, first, barred, Noise(0, 0, 0.0))
        if best < 0:
            best = next(card for card in range(CARDS) if cards[card] and card != barred)
        return Weighed(best, float(work.weighed[best]))

    @cached_property
    def pile_weight(self) -> tuple[bool, float]:
        """Whether the pile's card is taken, and what it weighs, the stock weighing 0.

        What is taken or left by a rule, which looks at no number, weighs 0.
        """
        decision = self.bot.decide(self.view, passes=True)
        weight = float(self.bot.work.weighed[NOTHING])
        by_rule = weight in (ALWAYS_TAKEN, NO_CHOICE)
        return decision.action == Action.DRAW_PILE, 0.0 if by_rule else weight

    # Words.

    def why(self, move: Move) -> str:
        """Return in words why a move is played."""
        if isinstance(move, Lay):
            tanela = counts_of(move.cards)
            pays = laid_points(1, bool(tanela[PUTALI]))
            when = ", once the tiplu is seen" if self.view.rules.numbers.laid_need_tiplu else ""
            return f"the tanela laid before the first draw pays {pays} more from each{when}"
        if isinstance(move, Finish):
            bonus = DUBLEE_PAYS if self.dublees else 0
            return (
                f"the finish takes {SHOWN_PAYS + bonus} from each who has shown and "
                f"{UNSHOWN_PAYS + bonus} from each who has not"
            )
        cards = self.sight.hand - counts_of(cards_given_up(move))
        if isinstance(move, Show | ShowDublees):
            row = self.post_show_features(cards, isinstance(move, ShowDublees))
            return (
                "the show lets the tiplu be seen, and all maal counts from now on; the cards left "
                f"are {int(row[PostShow.DISTANCE])} from a finish"
            )
        hand = f"{self._distance_in_words(cards)}; maal {self.counted(cards)}"
        if isinstance(move, Discard):
            return f"leaves the hand {hand}"
        if self.sight.top < 0:
            return f"the pile is empty; hand {hand}"
        nets = self._draws([Draw(STOCK), Draw(PILE)])
        worth = nets[Draw(PILE)] - nets[Draw(STOCK)]
        is_joker = move.source == PILE and joker_mask(self.sight.tiplu) >> self.sight.top & 1
        joker = ", a joker," if is_joker else ""
        more = "more" if worth > 0 else "less"
        card = f"{CARD_NAMES[self.sight.top]} of the pile{joker}"
        return f"{card} is worth {abs(worth):.1f} {more} than the stock; hand {hand}"

    def counted(self, cards: Ints, shows: bool = False) -> int:
        """Return the maal of a hand and the table, as it counts by now, or once the seat shows."""
        sight, numbers = self.sight, self.view.rules.numbers
        owned, shown = cards + sight.table, self.shown or shows
        return counted_maal(numbers, owned, sight.laid, sight.tiplu, shown, any_shown=True)

    def prospect(self, cards: Ints) -> Prospect:
        """Return how far a hand is from its goal, before the show by the nearer route."""
        found = self._prospect("a finish" if self.shown else "a show", self.features(cards))
        missing = max(0, DUBLEES_TO_SHOW - dublee_count(cards))
        if self.shown or not self.view.rules.numbers.dublee or missing >= found.distance:
            return found
        outs = int(self.sight.unseen[:MASTER][cards[:MASTER] == 1].sum())
        return found._replace(goal="a show of seven dublees", distance=missing, outs=outs)

    def prospect_after(self, show: Show | ShowDublees) -> tuple[Prospect, int]:
        """Return how far the hand that a show leaves is from a finish, and the maal then."""
        dublees = isinstance(show, ShowDublees)
        laid = counts_of(flat(show.melds))
        cards = self.sight.hand - laid
        if self.drawn:
            cards[self.best_blind(cards, dublees).discard] -= 1
        left = self._prospect("a finish", self.post_show_features(cards, dublees))
        return left, self.counted(cards + laid, shows=True)

    def _prospect(self, goal: str, row: Floats) -> Prospect:
        """Return what the features of a hand say; both kinds have these at the same places."""
        unseen = int(self.sight.unseen.sum())
        share = sum(row[PreShow.OUTS_1 : PreShow.OUTS_3 + 1]) / 10.0
        distance, turns = int(row[PreShow.DISTANCE]), float(row[PreShow.TURNS])
        return Prospect(goal, distance, round(share * unseen), unseen, turns)

    def _distance_in_words(self, cards: Ints) -> str:
        """Return how far a hand is from its goal."""
        goal, distance, outs, unseen, turns = self.prospect(cards)
        pairs = dublee_count(cards) if self.view.rules.numbers.dublee and not self.shown else 0
        text = f", {pairs} dublees" if pairs >= 4 else ""
        return (
            f"{distance} from {goal}, {outs} of {unseen} unseen cards help, "
            f"about {turns:.0f} turns{text}"
        )


def net_off_turn(bot: ExpertBot, view: View) -> float:
    """Return the predicted net of a seat that is not to move, as after a discard of its own."""
    rated = Rated(view, bot)
    sight = rated.sight
    kind, row = discard_kind(sight), rated.features(sight.hand)
    return rated.predicted(rated.predictors_of(kind, row, sight, rated.dublees))
