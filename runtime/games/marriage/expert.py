"""The expert of Marriage: the move that learned weights prefer, and the predicted net of each.

**Values that can be compared.**  Each kind of decision has a learned function that predicts
the net after the best move of that kind, in points from each opponent, so that one function
serves two to five players.  Draws and discards are described by the hand that they leave, a show by
the cards left after the best discard, putali and master its jokers, a finish by what it pays.
Moves of one kind differ from their best by the weights, which are net points too, finishes by
their maal.  A tanela laid is worth what the seat can do next, and what laying pays.  The bot
shows, finishes and lays as soon as it can, and no move is rated above the one that it plays:
one of another kind that the learned functions put above it is cut to just below it (and costs
0.0000).

**Options.**  The functions are learned under the default options.  What tanelas laid pay is
counted in fives: before the show by what a five was worth on average, at a show and later
exactly, as it counts under the options.  Putali and master are predicted as if they counted;
where they need a show (``printed_need_show``) nets of shows and finishes are predicted too
low, for others' putali count then too.
"""

from __future__ import annotations

from collections.abc import Sequence
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
)
from ustad.runtime.games.marriage.cards.maal import (
    joker_mask,
    laid_points,
    maal_of_card,
    maal_points,
)
from ustad.runtime.games.marriage.cards.melds import DUBLEES_TO_SHOW
from ustad.runtime.games.marriage.cards.shows import dublee_count
from ustad.runtime.games.marriage.decisions import (
    NO_CHOICE,
    PLAIN,
    Action,
    Kernels,
    Noise,
    best_discard,
    least_maal,
    rate_blind,
    weigh,
)
from ustad.runtime.games.marriage.features import (
    Standing,
    add_neighbours,
    fill_predictors,
    fill_take_post_show,
)
from ustad.runtime.games.marriage.levels import MarriageBot
from ustad.runtime.games.marriage.round.known import has_dublees, has_shown, with_hand
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
    tanelas_laid,
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
        chosen = self.choose(view)
        rated = Rated(view, self)
        moves = list(view.legal_moves())
        values = rated.values(moves, chosen)
        best, options = rank(moves, values)
        return Advice(best, max(values), self.unit, options, {"why": rated.why(chosen)})

    def net_features(self, view: View) -> dict[str, float]:
        """Return what the net of the best move is the sum of, by the names of the numbers.

        Each feature counts its number times; those that are 0 are left out.  (What is certain
        under other options than the default is no feature.)
        """
        first, line, _ = Rated(view, self).predictors(self.choose(view))
        return {NUMBER_NAMES[first + at]: held for at, held in enumerate(line.tolist()) if held}


class Predictors(NamedTuple):
    """What a net is predicted by: where its numbers begin, features, and certain points."""

    first: int
    line: Floats
    certain: float


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
    """One decision of the expert, each move rated by the hand that it leads to."""

    def __init__(self, view: View, bot: ExpertBot) -> None:
        self.view, self.bot = view, bot
        self.sight = view.sight()
        self.opponents = view.public.course.players - 1
        self.shown, self.dublees = has_shown(self.sight), has_dublees(self.sight)
        self.drawn = view.public.course.has_drawn
        self.rated: dict[tuple[bytes, bool], Weighed] = {}

    # Values.

    def values(self, moves: Sequence[Move], chosen: Move) -> list[float]:
        """Return the predicted net of each move, the chosen one being the best."""
        found: dict[Move, float] = {}
        for kind in (Draw, Discard, Show, ShowDublees):
            alike = [move for move in moves if isinstance(move, kind)]
            if alike:
                worth = {move: self.worth(move) for move in alike}
                best = chosen if chosen in worth else max(alike, key=worth.__getitem__)
                net = self.net(best)
                found |= {move: net + min(0.0, worth[move] - worth[best]) for move in alike}
        finishes = [move for move in moves if isinstance(move, Finish)]
        if finishes:
            maal = {move: self.maal_after(move) for move in finishes}
            finish = max(finishes, key=maal.__getitem__)
            net, most = self.net(finish), maal[finish]
            found |= {move: net + self.opponents * (maal[move] - most) for move in finishes}
        found |= {move: self.net(move) for move in moves if isinstance(move, Lay)}
        top = found[chosen]
        return [
            found[move] if type(move) is type(chosen) and found[move] <= top
            else min(found[move], top - WORSE)
            for move in moves
        ]  # fmt: skip

    def net(self, move: Move) -> float:
        """Return the predicted net of a move that is the best of its kind."""
        return self.predicted(self.predictors(move))

    def predicted(self, predictors: Predictors) -> float:
        """Return the net that is predicted by features."""
        first, line, certain = predictors
        return float(line @ self.bot.numbers[first : first + len(line)]) + certain

    def net_waiting(self) -> float:
        """Return the predicted net before a card or the tiplu comes."""
        view, cards = self.view, self.sight.hand.copy()
        kind, dealt = self._draw_kind, False
        if self.shown and view.waits != Waits.CARD:
            kind = Kind.SHOW
            dealt = view.mine and not self.drawn
            if view.mine and self.drawn:
                cards[self.best_blind(cards, self.dublees).discard] -= 1
        row, maal = self.features(cards), self.maal(cards)
        return self.predicted(self.predictors_of(kind, row, maal, self.dublees, dealt))

    # What nets are predicted by.

    def predictors(self, move: Move) -> Predictors:
        """Return what the net of a move that is the best of its kind is predicted by."""
        if isinstance(move, Draw):
            hand = self.sight.hand
            return self.predictors_of(
                self._draw_kind, self.features(hand), self.maal(hand), self.dublees
            )
        if isinstance(move, Lay):
            return self._after_lay(move)
        if isinstance(move, Finish):
            return self.predictors_of(Kind.FINISH, np.zeros(0), self.maal_after(move), self.dublees)
        if isinstance(move, Discard):
            return self._after_discard(move.card)
        return self._after_show(move)

    @property
    def discard_kind(self) -> Kind:
        """What nets after a discard are predicted by."""
        if not self.shown:
            return Kind.PRE_SHOW_DISCARD
        return Kind.SHOW if self.sight.tiplu < 0 else Kind.POST_SHOW_DISCARD

    @property
    def _draw_kind(self) -> Kind:
        return Kind.POST_SHOW_DRAW if self.shown else Kind.PRE_SHOW_DRAW

    def _after_discard(self, card: int) -> Predictors:
        cards = self.sight.hand.copy()
        cards[card] -= 1
        row = self.features(cards)
        if not self.shown and card < PUTALI:
            add_neighbours(row, self.sight.hand, self.sight.unseen, card)
        return self.predictors_of(self.discard_kind, row, self.maal(cards), self.dublees)

    def _after_show(self, move: Show | ShowDublees) -> Predictors:
        """Return the predictors after a show and, after a draw, the best discard."""
        dublees = isinstance(move, ShowDublees)
        owned = self.sight.hand.copy()
        cards = owned - counts_of(flat(move.melds))
        if self.drawn:
            discard = self.best_blind(cards, dublees).discard
            cards[discard] -= 1
            owned[discard] -= 1
        row = self.post_show_features(cards, dublees)
        return self.predictors_of(Kind.SHOW, row, self.maal(owned), dublees, not self.drawn)

    def _after_lay(self, move: Lay) -> Predictors:
        """Return the predictors of the best move after a tanela laid."""
        after = self.view.apply(move)
        rated = Rated(after, self.bot)
        return rated.predictors(self.bot.choose(after))

    def predictors_of(
        self, kind: Kind, row: Floats, maal: int, dublees: bool, at_once: bool = False
    ) -> Predictors:
        """Return what the learned function of a kind predicts a net by."""
        course, sight = self.sight.course, self.sight
        pay, certain = laid_points(tanelas_laid(sight.laid), bool(sight.laid[PUTALI])), 0
        pre_show = kind in (Kind.PRE_SHOW_DRAW, Kind.PRE_SHOW_DISCARD)
        if pre_show and not self.view.rules.numbers.laid_need_tiplu:
            pay, certain = 0, self.opponents * pay
        others = (course.shown & ~(1 << sight.seat)).bit_count()
        standing = Standing(maal, pay, others, course.stock, course.players, dublees, at_once)
        line = np.zeros(LONGEST_ROW)
        size = fill_predictors(line, row, standing)
        return Predictors(KIND_STARTS[kind], self.opponents * line[:size], float(certain))

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

    # Worth beside the other moves of a kind.

    def worth(self, move: Move) -> float:
        """Return what a move weighs beside the others of its kind, in net points."""
        if isinstance(move, Draw):
            return 0.0 if move.source == STOCK else self.pile_worth()
        if isinstance(move, Discard):
            return self._discard_worth(move.card)
        assert isinstance(move, Show | ShowDublees)
        cards = self.sight.hand - counts_of(flat(move.melds))
        dublees = isinstance(move, ShowDublees)
        if self.drawn:
            return self.best_blind(cards, dublees).weight
        key = (cards.tobytes(), dublees)
        if key not in self.rated:
            row = self.post_show_features(cards, dublees)
            weight = self._weigh(row, Weights.POST_SHOW_DISCARD)
            self.rated[key] = Weighed(NO_CARD, weight)
        return self.rated[key].weight

    def _weigh(self, row: Floats, first: Weights) -> float:
        return float(weigh(row, self.bot.player.weights, first))

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

    def pile_worth(self) -> float:
        """Return what the pile's card weighs, the stock weighing 0."""
        work, sight = self.bot.work, self.sight
        decision = self.bot.decide(self.view, passes=True)
        if not self.takes_joker(decision.action):
            weight = float(work.weighed[NOTHING])
            return weight if weight > NO_CHOICE else self._forced_worth()
        points = maal_of_card(sight.hand + sight.table, sight.top, sight.tiplu)
        first, width = Weights.PRE_SHOW_DRAW, PRE_SHOW_TAKE
        if self.shown:
            first, width = Weights.POST_SHOW_DRAW, POST_SHOW_TAKE
        # The rule looks at no number; the pile's card brings its maal at least.
        return self.opponents * points + max(0.0, self._weigh(work.take[:width], first))

    def _forced_worth(self) -> float:
        """Return what the pile's card weighs after the show if its taker must lose a step."""
        sight, cards = self.sight, self.sight.hand.copy()
        cards[sight.top] += 1
        cards[least_maal(cards, sight.top, sight.tiplu)] -= 1
        row = np.zeros(POST_SHOW_TAKE)
        fill_take_post_show(row, self.features(sight.hand), self.features(cards), False, 0)
        return min(0.0, self._weigh(row, Weights.POST_SHOW_DRAW))

    def takes_joker(self, action: Action) -> bool:
        """Tell whether a draw takes a joker of the pile."""
        jokers = joker_mask(self.sight.tiplu)
        return action == Action.DRAW_PILE and bool(jokers >> self.sight.top & 1)

    def _discard_worth(self, card: int) -> float:
        sight, bot = self.sight, self.bot
        if self.shown and sight.tiplu < 0 and not self.dublees:
            rate_blind(bot.kernels, bot.work, sight, True, bot.player.weights)
            return float(bot.work.weighed[card])
        cards = sight.hand.copy()
        cards[card] -= 1
        row = self.features(cards)
        first = Weights.POST_SHOW_DISCARD if self.shown else Weights.PRE_SHOW_DISCARD
        if not self.shown and card < PUTALI:
            add_neighbours(row, sight.hand, sight.unseen, card)
        lost = self.maal(sight.hand) - self.maal(cards)
        return self._weigh(row, first) - self.opponents * lost

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
        worth = self.pile_worth()
        taken = Action.DRAW_PILE if move.source == PILE else Action.DRAW_STOCK
        joker = ", a joker," if self.takes_joker(taken) else ""
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
    hand = rated.sight.hand
    kind = rated.discard_kind
    return rated.predicted(
        rated.predictors_of(kind, rated.features(hand), rated.maal(hand), rated.dublees)
    )
