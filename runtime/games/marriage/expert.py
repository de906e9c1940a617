"""The expert of Marriage: the move that learned weights prefer, and what each move is worth.

**Values that can be compared.**  Each kind of decision has a learned function that gives
the net to expect after the best move of that kind (:mod:`ustad.runtime.games.marriage.values`);
moves of one kind differ from their best by the weights, which are net points too, finishes
by their maal.  A tanela laid is worth what the seat can do next, and what laying pays.  The
bot shows, finishes and lays as soon as it can, and no move is rated above the one that it
plays: one of another kind that the learned functions put above it is cut to just below it
(and costs 0.0000).

**Options.**  The functions are learned under the default options.  What tanelas laid pay is
counted as it counts under the options, at a show and later exactly.  Putali and master are
told as if they counted; where they need a show (``printed_need_show``) nets of shows and
finishes are told some 7 points too low at four players, for others' putali count then too.
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
    PUTALI,
    Floats,
    Ints,
    counts_of,
    flat,
)
from ustad.runtime.games.marriage.cards.maal import (
    PRINTED,
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
    TO_PILE,
    TO_STOCK,
    Ratings,
    best_row,
    least_maal,
    rate_blind,
    weigh,
)
from ustad.runtime.games.marriage.features import (
    add_neighbours,
    take_row_after,
    told_row,
)
from ustad.runtime.games.marriage.levels import MarriageBot
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
from ustad.runtime.games.marriage.round.public import DISCARD
from ustad.runtime.games.marriage.round.settlement import (
    DUBLEE_PAYS,
    SHOWN_PAYS,
    UNSHOWN_PAYS,
    player_maal,
)
from ustad.runtime.games.marriage.round.view import WAITS_FOR_CARD, View
from ustad.runtime.games.marriage.states import (
    AFTER,
    BEFORE,
    DISCARD_AFTER,
    DISCARD_BEFORE,
    DISCARD_SHOWN,
    DISCARD_UNSHOWN,
    DRAW_AFTER,
    DRAW_BEFORE,
    DRAW_SHOWN,
    DRAW_UNSHOWN,
    FINISH,
    KIND_STARTS,
    MOST_TOLD,
    NOTHING,
    NUMBER_NAMES,
    SHOW,
    TAKE_AFTER,
    TAKE_BEFORE,
    WEIGHTS,
)

WORSE = 1e-6
"""By how much less, at least, a move is rated that the level never prefers."""


class ExpertBot(MarriageBot):
    """The learned weights; it also tells what net to expect from each move.

    Args:
        seed: of the bot.
        numbers: (NUMBERS,) see :mod:`ustad.runtime.games.marriage.values`.
    """

    unit = "net"

    def __init__(self, seed: int, numbers: Floats, ratings: Ratings = PLAIN) -> None:
        super().__init__("expert", seed, numbers[:WEIGHTS], ratings)
        self.numbers = numbers

    def ask(self, view: View) -> Advice[Move]:
        """Return every legal move with the net to expect, and why the best is the best.

        While chance moves, the net to expect with the hand as it is.
        """
        if view.waits and not view.is_over():
            return Advice([], Rated(view, self).net_waiting(), self.unit)
        if view.current_player() != view.seat:
            return Advice([])
        chosen = self.choose(view)
        rated = Rated(view, self)
        moves = list(view.legal_moves())
        best, options = rank(moves, rated.values(moves, chosen))
        return Advice(best, options[0][1], self.unit, options, {"why": rated.why(chosen)})

    def net_features(self, view: View) -> dict[str, float]:
        """Return what the net of the best move is the sum of, by the names of the numbers.

        Each feature counts its number times; those that are 0 are left out.  (What is certain
        under other options than the default is no feature.)
        """
        first, line, _ = Rated(view, self).told_of(self.choose(view))
        return {NUMBER_NAMES[first + at]: held for at, held in enumerate(line.tolist()) if held}


class Told(NamedTuple):
    """What a net is told by: features, the place of the number of the first, certain points."""

    first: int
    line: Floats
    certain: float


class Rated:
    """One decision of the expert, each move rated by the hand that it leads to."""

    def __init__(self, view: View, bot: ExpertBot) -> None:
        self.view, self.bot = view, bot
        self.memory, self.groups, self.outs, self.rows, self.rows_after, self.valid = bot.work[:6]
        self.own = view.table.seats[view.seat]
        self.unseen = view.unseen()
        self.hand = counts_of(view.hand)
        self.table = counts_of(self.own.cards)
        self.laid = counts_of(flat(self.own.laid))
        self.tiplu = -1 if view.tiplu is None else view.tiplu
        self.opponents = view.table.players - 1
        self.drawn = view.table.phase == DISCARD
        self.blind = self.own.shown and view.tiplu is None
        self.rated: dict[tuple[bytes, bool], tuple[int, float]] = {}

    # Values.

    def values(self, moves: Sequence[Move], chosen: Move) -> list[float]:
        """Return the net to expect from each move, the chosen one being the best."""
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
        """Return the net to expect after a move that is the best of its kind."""
        return self.net_told(self.told_of(move))

    def net_told(self, told: Told) -> float:
        """Return the net that is told by features."""
        first, line, certain = told
        return float(line @ self.bot.numbers[first : first + len(line)]) + certain

    def net_waiting(self) -> float:
        """Return the net to expect before a card or the tiplu comes."""
        view, cards = self.view, self.hand.copy()
        kind, dealt = DRAW_SHOWN if self.own.shown else DRAW_UNSHOWN, False
        if self.own.shown and view.waits != WAITS_FOR_CARD:
            kind = SHOW
            dealt = view.mine and not self.drawn
            if view.mine and self.drawn:
                cards[self.best_blind(cards, self.own.dublees)[0]] -= 1
        return self.net_told(self.told(kind, self.features(cards), self.maal(cards), dealt=dealt))

    def told_of(self, move: Move) -> Told:
        """Return what the net is told by after a move that is the best of its kind."""
        if isinstance(move, Draw):
            kind = DRAW_SHOWN if self.own.shown else DRAW_UNSHOWN
            return self.told(kind, self.features(self.hand), self.maal(self.hand))
        if isinstance(move, Lay):
            return self.after_lay(move)
        if isinstance(move, Finish):
            return self.told(FINISH, np.zeros(0), self.maal_after(move))
        if isinstance(move, Discard):
            return self.after_discard(move.card)
        return self.after_show(move)

    def after_discard(self, card: int) -> Told:
        """Return what the net is told by after the best discard."""
        cards = self.hand.copy()
        cards[card] -= 1
        row = self.features(cards)
        kind = SHOW if self.blind else DISCARD_SHOWN
        if not self.own.shown:
            kind = DISCARD_UNSHOWN
            if card < PUTALI:
                add_neighbours(row, self.hand, self.unseen, card)
        return self.told(kind, row, self.maal(cards), self.own.dublees)

    def after_show(self, move: Show | ShowDublees) -> Told:
        """Return what the net is told by after a show and, after a draw, the best discard."""
        dublees = isinstance(move, ShowDublees)
        owned, cards = self.hand.copy(), self.hand - counts_of(flat(move.melds))
        if self.drawn:
            thrown, _ = self.best_blind(cards, dublees)
            cards[thrown] -= 1
            owned[thrown] -= 1
        row = self.shown_features(cards, PRINTED, dublees)
        return self.told(SHOW, row, self.maal(owned), dublees, not self.drawn)

    def maal_after(self, move: Finish) -> int:
        """Return the maal after a finish."""
        cards = self.hand.copy()
        cards[move.discard] -= 1
        return self.maal(cards)

    def after_lay(self, move: Lay) -> Told:
        """Return what the net of the best move after a tanela laid is told by."""
        after = self.view.apply(move)
        rated = Rated(after, self.bot)
        chosen = self.bot.choose(after)
        return rated.told_of(chosen)

    def told(
        self, kind: int, row: Floats, maal: int, dublees: bool = False, dealt: bool = False
    ) -> Told:
        """Return what the learned function of a kind tells a net by."""
        table = self.view.table
        others = sum(seat.shown for at, seat in enumerate(table.seats) if at != self.view.seat)
        pay, certain = self.laid_pay, 0
        if kind in (DRAW_UNSHOWN, DISCARD_UNSHOWN) and not self.view.rules.numbers.laid_need_tiplu:
            pay, certain = 0, self.opponents * pay
        line = np.zeros(MOST_TOLD)
        size = told_row(
            row, maal, pay, others, table.stock, table.players,
            dublees or self.own.dublees, dealt, line,
        )  # fmt: skip
        return Told(KIND_STARTS[kind], self.opponents * line[:size], float(certain))

    @property
    def laid_pay(self) -> int:
        """What the seat's laid tanelas pay beside their cards, once it counts."""
        laid = self.own.laid
        return laid_points(len(laid), (PUTALI,) * 3 in laid)

    # Hands.

    def features(self, cards: Ints) -> Floats:
        """Return the features of cards in hand, before or after the show as the seat is."""
        if self.own.shown:
            return self.shown_features(cards, joker_mask(self.tiplu), self.own.dublees)
        rules = self.view.rules.numbers
        self.bot.ratings.before_show(
            self.memory, cards, self.laid, self.unseen, rules.dublee, rules.master_is_pure,
            self.somebody, False, self.rows, self.valid,
        )  # fmt: skip
        return np.array(self.rows[NOTHING])

    def shown_features(self, cards: Ints, jokers: int, dublees: bool) -> Floats:
        """Return the features of cards in hand after a show."""
        self.bot.ratings.after_show(
            cards, self.unseen, jokers, dublees, False,
            self.groups, self.outs, self.rows_after, self.valid,
        )  # fmt: skip
        return np.array(self.rows_after[NOTHING])

    @property
    def somebody(self) -> float:
        """1 if somebody has shown, else 0."""
        return float(self.view.table.any_shown)

    def maal(self, cards: Ints) -> int:
        """Return the maal of a hand and the cards on the table, as it is if the seat shows.

        Without what laying pays.
        """
        return maal_points(cards + self.table, self.tiplu, 0, False, True, False)

    def counted(self, cards: Ints) -> int:
        """Return the maal of a hand and the table, as it counts by now."""
        hand = tuple(np.repeat(np.arange(CARDS), cards).tolist())
        return player_maal(self.view.rules, self.own, hand, self.view.tiplu, True)

    # Worth beside the other moves of a kind.

    def worth(self, move: Move) -> float:
        """Return what a move weighs beside the others of its kind, in net points."""
        if isinstance(move, Draw):
            return self._weigh_draw(move)
        if isinstance(move, Discard):
            return self._weigh_discard(move.card)
        assert isinstance(move, Show | ShowDublees)
        cards = self.hand - counts_of(flat(move.melds))
        dublees = isinstance(move, ShowDublees)
        if self.drawn:
            return self.best_blind(cards, dublees)[1]
        key = (cards.tobytes(), dublees)
        if key not in self.rated:
            row = self.shown_features(cards, PRINTED, dublees)
            self.rated[key] = (-1, weigh(row, self.bot.weights, DISCARD_AFTER))
        return self.rated[key][1]

    def best_blind(self, cards: Ints, dublees: bool) -> tuple[int, float]:
        """Return the best discard after a show, and its weight; the same cards are rated once."""
        key = (cards.tobytes(), dublees)
        if key not in self.rated:
            self.rated[key] = self._best_blind(cards, dublees)
        return self.rated[key]

    def _best_blind(self, cards: Ints, dublees: bool) -> tuple[int, float]:
        values = np.zeros(CARDS + 1)
        weights, barred = self.bot.weights, self._barred()
        if dublees:
            self.bot.ratings.after_show(
                cards, self.unseen, PRINTED, True, True,
                self.groups, self.outs, self.rows_after, self.valid,
            )  # fmt: skip
            best = best_row(
                self.rows_after, self.valid, weights, DISCARD_AFTER, barred, 0, 0, 0.0, values
            )
            if best < 0:
                best = next(card for card in range(CARDS) if cards[card] and card != barred)
            return best, float(values[best])
        best = rate_blind(
            self.bot.ratings, cards, self.unseen, True, barred, weights,
            self.groups, self.outs, self.rows_after, self.valid, values,
        )  # fmt: skip
        return best, float(values[best])

    def _weigh_draw(self, move: Draw) -> float:
        if move.source == STOCK:
            return 0.0
        action, _ = self.bot.decide(self.view, passes=True)
        values, row = self.bot.work[6:8]
        if not self._takes_joker(action):
            value = float(values[NOTHING])
            return value if value > NO_CHOICE else self._weigh_forced()
        top = self.view.table.pile[-1]
        points = maal_of_card(self.hand + self.table, top, self.tiplu)
        first = DRAW_AFTER if self.own.shown else DRAW_BEFORE
        width = AFTER + TAKE_AFTER if self.own.shown else BEFORE + TAKE_BEFORE
        # The rule looks at no number; the pile's card brings its maal at least.
        return self.opponents * points + max(0.0, weigh(row[:width], self.bot.weights, first))

    def _weigh_forced(self) -> float:
        """Return what the pile's card weighs after the show if its taker must lose a step."""
        cards = self.hand.copy()
        top = self.view.table.pile[-1]
        cards[top] += 1
        cards[least_maal(cards, top, self.tiplu)] -= 1
        row = np.zeros(AFTER + TAKE_AFTER)
        take_row_after(self.features(self.hand), self.features(cards), False, 0, row)
        return min(0.0, weigh(row, self.bot.weights, DRAW_AFTER))

    def _takes_joker(self, action: int) -> bool:
        top = self.view.table.pile[-1]
        return action == TO_PILE and bool(joker_mask(self.tiplu) >> top & 1)

    def _weigh_discard(self, card: int) -> float:
        if self.blind and not self.own.dublees:
            values = np.zeros(CARDS + 1)
            rate_blind(
                self.bot.ratings, self.hand, self.unseen, True, self._barred(), self.bot.weights,
                self.groups, self.outs, self.rows_after, self.valid, values,
            )  # fmt: skip
            return float(values[card])
        cards = self.hand.copy()
        cards[card] -= 1
        row = self.features(cards)
        first = DISCARD_AFTER if self.own.shown else DISCARD_BEFORE
        if not self.own.shown and card < PUTALI:
            add_neighbours(row, self.hand, self.unseen, card)
        lost = self.maal(self.hand) - self.maal(cards)
        return float(weigh(row, self.bot.weights, first)) - self.opponents * lost

    def _barred(self) -> int:
        table = self.view.table
        return table.taken[-1][1] if table.taken_now else -1

    # Words.

    def why(self, move: Move) -> str:
        """Return in words why a move is played."""
        if isinstance(move, Lay):
            pays = 20 if move.cards[0] == PUTALI else 5
            when = ", once the tiplu is seen" if self.view.rules.numbers.laid_need_tiplu else ""
            return f"the tanela laid before the first draw pays {pays} more from each{when}"
        if isinstance(move, Finish):
            bonus = DUBLEE_PAYS if self.own.dublees else 0
            return (
                f"the finish takes {SHOWN_PAYS + bonus} from each who has shown and "
                f"{UNSHOWN_PAYS + bonus} from each who has not"
            )
        cards = self.hand.copy()
        if isinstance(move, Show | ShowDublees):
            cards -= counts_of(flat(move.melds))
            row = self.shown_features(cards, PRINTED, isinstance(move, ShowDublees))
            return (
                "the show lets the tiplu be seen, and all maal counts from now on; the cards left "
                f"are {int(row[0])} from a finish"
            )
        if isinstance(move, Discard):
            cards[move.card] -= 1
        words = f"{self._standing(cards)}; maal {self.counted(cards)}"
        if isinstance(move, Discard):
            return f"leaves the hand {words}"
        if not self.view.table.pile:
            return f"the pile is empty; hand {words}"
        worth = self.worth(Draw(PILE))
        more = "more" if worth > 0 else "less"
        top = CARD_NAMES[self.view.table.pile[-1]]
        joker = self._takes_joker(TO_PILE if move.source == PILE else TO_STOCK)
        pile = f"{top} of the pile{', a joker,' if joker else ''}"
        return f"{pile} is worth {abs(worth):.1f} {more} than the stock; hand {words}"

    def _standing(self, cards: Ints) -> str:
        """Return in words how far a hand is from its goal, before the show by the nearer route."""
        row = self.features(cards)
        distance, turns = int(row[0]), row[1]
        goal = "finish" if self.own.shown else "show"
        unseen = max(1, int(self.unseen.sum()))
        share = sum(row[5:8]) / 10.0
        text = ""
        if not self.own.shown and self.view.rules.numbers.dublee:
            pairs = dublee_count(cards)
            missing = max(0, DUBLEES_TO_SHOW - pairs)
            if pairs >= 4:
                text = f", {pairs} dublees"
            if missing < distance:
                distance, goal = missing, "show of seven dublees"
                share = int(self.unseen[:MASTER][cards[:MASTER] == 1].sum()) / unseen
        return (
            f"{distance} from a {goal}, {share * unseen:.0f} of {unseen} unseen cards help, "
            f"about {turns:.0f} turns{text}"
        )
