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
  :func:`ustad.runtime.games.marriage.cards.melds.maal_points`.  All cards in hand and on the
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

**States.**  :class:`Deal` is a whole round with every card; its draws are decided
by the order of its stock, so it never waits for chance.  :class:`View` is what one
seat knows of it, and what JSON writes.  A view can be played on by itself: the
cards it cannot know are then chance.  In a view that waits for a card drawn from
the stock, ``drawn`` is null in phase ``discard``; one that waits for the tiplu has
``shown`` for its own seat and no tiplu although it could see it.  If at the first show
so few cards are left in the stock that all can be putali and master, chance brings
whether there is a tiplu (true or false), and ``tiplu_drawn`` is null until then.  What
another seat does is refused where it cannot be, by what this seat knows.

**JSON beside the design's keys**, only where they are needed: ``finisher`` (a seat,
or null if the stock was used up) once the round is over, with ``maal`` and ``net``
where all hands are known; ``"drawn_from":"stock"`` if the card just drawn could be
mistaken for one taken from the pile; ``"shown_blind":true`` while another seat has yet
to throw in the turn of its show and does not see the tiplu.  ``discards`` and ``taken``
may begin late: they hold the last ones known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, combinations_with_replacement
from typing import Any, NamedTuple

import numpy as np

from ustad.runtime.core.errors import MoveError, OutcomeError, PositionError, shown
from ustad.runtime.core.game import CHANCE, OVER, Option
from ustad.runtime.games.marriage.cards import melds
from ustad.runtime.games.marriage.cards.melds import (
    CARD_NAMES,
    COPIES,
    MASTER,
    PUTALI,
    RANKS,
)

HAND = 21

DRAW, DISCARD = "draw", "discard"

STOCK, PILE = "stock", "pile"

SHOWN_PAYS, UNSHOWN_PAYS, DUBLEE_PAYS = 3, 10, 5

Cards = tuple[int, ...]

Melds = tuple[Cards, ...]


# Moves.  Cards are numbers, sorted; melds are sorted too, so equal moves are equal.


@dataclass(frozen=True, slots=True)
class Draw:
    """Draw from the stock or take the top of the pile."""

    source: str


@dataclass(frozen=True, slots=True)
class Lay:
    """Lay a dealt tanela."""

    cards: Cards


@dataclass(frozen=True, slots=True)
class Show:
    """Lay the pure melds that make three with the tanelas already laid."""

    melds: Melds


@dataclass(frozen=True, slots=True)
class ShowDublees:
    """Lay seven dublees."""

    melds: Melds


@dataclass(frozen=True, slots=True)
class Finish:
    """Lay the last twelve cards in melds, or an eighth dublee, and discard one card."""

    melds: Melds
    discard: int


@dataclass(frozen=True, slots=True)
class Discard:
    """Throw a card."""

    card: int


Move = Draw | Lay | Show | ShowDublees | Finish | Discard


def sorted_melds(found: Iterable[Iterable[int]]) -> Melds:
    """Return melds in their one order."""
    return tuple(sorted(tuple(sorted(cards)) for cards in found))


def flat(found: Iterable[Cards]) -> Cards:
    """Return the cards of melds."""
    return tuple(card for cards in found for card in cards)


def without(hand: Cards, cards: Iterable[int]) -> Cards:
    """Return a hand without some of its cards; ValueError if it does not hold them."""
    left = list(hand)
    for card in cards:
        left.remove(card)
    return tuple(left)


# Melds.


def is_tanela(cards: Cards) -> bool:
    """Tell whether the cards are three of one rank and suit, or three putali."""
    return len(cards) == 3 and cards[0] == cards[1] == cards[2]


def fits_sequence(cards: Sequence[int], places: int) -> bool:
    """Tell whether cards of the packs can lie in one sequence of so many places."""
    if not cards or cards[-1] >= PUTALI or len({card // RANKS for card in cards}) > 1:
        return False
    ranks = {card % RANKS for card in cards}
    high = {rank or RANKS for rank in ranks}
    span = min(max(ranks) - min(ranks), max(high) - min(high)) + 1
    return len(ranks) == len(cards) and span <= places


def is_pure(cards: Cards, master_is_pure: bool) -> bool:
    """Tell whether three sorted cards are a meld of the show."""
    if len(cards) != 3:
        return False
    if is_tanela(cards):
        return True
    plain = cards[:-1] if master_is_pure and cards[-1] == MASTER else cards
    return fits_sequence(plain, 3)


def is_finish_meld(cards: Cards, jokers: int) -> bool:
    """Tell whether sorted cards are a meld of the finish.

    A maal card counts as a joker here: wherever it fits as an ordinary card, a
    joker fits too, and three equal ones are a meld of jokers.
    """
    if not 3 <= len(cards) <= 5:
        return False
    if is_tanela(cards):
        return True
    plain = [card for card in cards if not jokers >> card & 1]
    if not plain or fits_sequence(plain, len(cards)):
        return True
    suits = {card // RANKS for card in plain}
    ranks = {card % RANKS for card in plain}
    return len(cards) == 3 and len(ranks) == 1 and len(suits) == len(plain)


@cache
def pure_targets() -> tuple[Cards, ...]:
    """Return every pure meld of three cards, without the master."""
    tanelas = [(card,) * 3 for card in range(MASTER)]
    runs = [
        tuple(sorted(RANKS * suit + rank % RANKS for rank in range(low, low + 3)))
        for suit in range(4)
        for low in range(12)
    ]
    return (*tanelas, *runs)


def pure_melds(hand: Cards, master_is_pure: bool) -> list[Cards]:
    """Return every kind of pure meld of three cards that a hand holds."""
    held = Counter(hand)
    found = [cards for cards in pure_targets() if all(held[c] >= cards.count(c) for c in cards)]
    if master_is_pure and held[MASTER]:
        pairs = {
            pair
            for run in pure_targets()[MASTER:]
            for pair in combinations(run, 2)
            if held[pair[0]] and held[pair[1]]
        }
        found += [(*pair, MASTER) for pair in sorted(pairs)]
    return found


def show_choices(hand: Cards, wanted: int, master_is_pure: bool) -> list[Melds]:
    """Return every choice of so many disjoint pure melds of three cards from a hand."""
    held = Counter(hand)
    choices = []
    for choice in combinations_with_replacement(pure_melds(hand, master_is_pure), wanted):
        if all(held[card] >= count for card, count in Counter(flat(choice)).items()):
            choices.append(sorted_melds(choice))
    return choices


def dublee_choices(hand: Cards) -> list[Melds]:
    """Return every choice of seven dublees from a hand."""
    pairs = [(card, card) for card, count in sorted(Counter(hand).items()) if count >= 2]
    return list(combinations(pairs, melds.DUBLEES_TO_SHOW))


def finish_melds(hand: Cards, jokers: int) -> Melds | None:
    """Return twelve cards in melds of the finish, None if they are none."""
    counts = melds.counts_of(hand)
    groups, outs = melds.finish_work()
    chosen = np.zeros(4, dtype=np.int64)
    if melds.search_finish(counts, jokers, 0, groups, outs, chosen, False) > 0:
        return None
    return sorted_melds(cards for cards, _ in arrange(hand, jokers, groups, chosen))


def arrange(hand: Cards, jokers: int, groups: Any, chosen: Any) -> list[tuple[Cards, int]]:
    """Return the melds of the finish that a search has found, each with the places it misses.

    Args:
        hand: the cards; some are left out if there are more than places.
        jokers: the jokers, as bits by card.
        groups: as filled by :func:`ustad.runtime.games.marriage.cards.melds.search_finish`.
        chosen: the groups of the finish.
    """
    rows = [groups[group] for group in chosen if group >= 0]
    built = [[int(row[melds.G_MEMBERS]) >> 6 * k & 63 for k in range(row[melds.G_SIZE])]
             for row in rows]  # fmt: skip
    left = without(hand, [card for cards in built for card in cards])
    loose = [card for card in left if not jokers >> card & 1]
    wild = [card for card in left if jokers >> card & 1]
    best: list[tuple[Cards, int]] = []
    least = melds.FINISH_PLACES + 1
    for shape in ((3, 3, 3, 3), (3, 4, 5), (4, 4, 4)):
        for sizes in sorted(set(_orders(shape))):
            fits = len(rows) <= len(shape) and all(
                size == 3 if row[melds.G_EXACT] else row[melds.G_NEED] <= size
                for size, row in zip(sizes, rows, strict=False)
            )
            if not fits:
                continue
            places = [*built, *([card] for card in loose)][: len(shape)]
            places += [[] for _ in range(len(shape) - len(places))]
            # No joker helps a tanela.
            closed = [bool(row[melds.G_HOLE]) for row in rows] + [False] * len(shape)
            filled, spare = [], list(wild)
            for cards, size, no_joker in zip(places, sizes, closed, strict=False):
                take = 0 if no_joker else size - len(cards)
                whole = tuple(sorted([*cards, *spare[:take]]))
                spare = spare[take:]
                filled.append((whole, size - len(whole)))
            missing = sum(places for _, places in filled)
            if missing < least:
                best, least = filled, missing
    return best


def _orders(shape: Cards) -> Iterable[Cards]:
    if len(shape) == 1:
        return [shape]
    return [
        (size, *rest)
        for at, size in enumerate(shape)
        for rest in _orders(shape[:at] + shape[at + 1 :])
    ]


# What everybody sees.


class Seat(NamedTuple):
    """What lies on the table before a seat.

    ``melds`` are those of its show and finish, ``laid`` the tanelas laid before
    its first draw.
    """

    melds: Melds = ()
    laid: Melds = ()
    shown: bool = False
    dublees: bool = False

    @property
    def cards(self) -> Cards:
        """All cards on the table before the seat."""
        return flat(self.laid) + flat(self.melds)


class Table(NamedTuple):
    """The open part of a round; it says whose turn it is.

    ``turns`` counts the turns that are over; ``stock`` the cards of the stock;
    ``discards`` and ``taken`` are (seat, card) in order; ``finisher`` is None
    until somebody finishes; ``taken_now`` tells that the card just drawn came
    from the pile; ``blind`` that the seat to move has shown in this turn and does
    not see the tiplu before its discard.
    """

    dealer: int
    turns: int
    phase: str
    seats: tuple[Seat, ...]
    tiplu_drawn: bool
    pile: Cards
    discards: tuple[tuple[int, int], ...]
    taken: tuple[tuple[int, int], ...]
    stock: int
    finisher: int | None = None
    taken_now: bool = False
    blind: bool = False

    @property
    def players(self) -> int:
        """How many seats there are."""
        return len(self.seats)

    @property
    def to_move(self) -> int:
        """The seat whose turn it is."""
        return self.seat_of(self.turns)

    def seat_of(self, turn: int) -> int:
        """Return whose turn is that after so many others."""
        return (self.dealer + 1 + turn) % len(self.seats)

    @property
    def over(self) -> bool:
        """Whether somebody has finished, or no card is left to draw."""
        return self.finisher is not None or (self.phase == DRAW and self.stock == 0)

    @property
    def first_draw_to_come(self) -> bool:
        """Whether the seat to move has not yet drawn in this round."""
        threw = any(seat == self.to_move for seat, _ in self.discards)
        return self.phase == DRAW and self.turns < len(self.seats) and not threw

    @property
    def any_shown(self) -> bool:
        """Whether a seat has shown."""
        return any(seat.shown for seat in self.seats)

    def in_hand(self, seat: int) -> int:
        """Return how many cards a seat holds; the finisher has thrown one of its own."""
        drawn = self.phase == DISCARD and seat == self.to_move
        return HAND - len(self.seats[seat].cards) + drawn

    def with_seat(self, seat: Seat) -> Table:
        """Return the table with other cards before the seat to move."""
        at = self.to_move
        return self._replace(seats=(*self.seats[:at], seat, *self.seats[at + 1 :]))

    def after(self, move: Move, tiplu_exists: bool, at_once: bool) -> Table:
        """Return the table after a legal move of the seat to move.

        ``tiplu_exists`` tells, for the first show, whether the stock had a card
        that can be the tiplu; ``at_once`` whether a shower sees it before the discard.
        """
        player, seat = self.to_move, self.seats[self.to_move]
        if isinstance(move, Draw):
            if move.source == STOCK:
                return self._replace(phase=DISCARD, stock=self.stock - 1, taken_now=False)
            taken = (*self.taken, (player, self.pile[-1]))
            return self._replace(phase=DISCARD, pile=self.pile[:-1], taken=taken, taken_now=True)
        if isinstance(move, Lay):
            return self.with_seat(seat._replace(laid=(*seat.laid, move.cards)))
        if isinstance(move, Show | ShowDublees):
            dublees = isinstance(move, ShowDublees)
            table = self.with_seat(seat._replace(melds=move.melds, shown=True, dublees=dublees))
            if not self.tiplu_drawn and tiplu_exists:
                table = table._replace(tiplu_drawn=True, stock=self.stock - 1)
            return table._replace(blind=table.tiplu_drawn and not at_once)
        table = self
        card = move.discard if isinstance(move, Finish) else move.card
        if isinstance(move, Finish):
            table = self.with_seat(seat._replace(melds=(*seat.melds, *move.melds)))
            table = table._replace(finisher=player)
        return table._replace(
            turns=self.turns + 1,
            phase=DRAW,
            pile=(*self.pile, card),
            discards=(*self.discards, (player, card)),
            taken_now=False,
            blind=False,
        )


# Legality, from what the seat to move knows.


class Known(NamedTuple):
    """What the seat to move knows beside the table: its hand, the card just drawn, the tiplu.

    ``hand`` is None for a seat that somebody else looks at.
    """

    hand: Cards | None
    drawn: int | None
    tiplu: int | None


def check_move(rules: Marriage, table: Table, known: Known, move: Any) -> None:
    """Raise MoveError unless the move is legal."""
    if table.over:
        raise MoveError("move: the round is over, no move is left")
    seat = table.seats[table.to_move]
    before_draw = table.phase == DRAW
    if isinstance(move, Draw):
        if not before_draw:
            raise MoveError("move: draw: a card was drawn already, expected a discard")
        if move.source == PILE and not table.pile:
            raise MoveError("move: draw: the pile is empty, expected the stock")
        if move.source == PILE and not _leaves_a_discard(table, known.hand):
            raise MoveError("move: draw: the card could not be followed by a discard")
    elif isinstance(move, Lay):
        _check_lay(table, seat, move)
        _check_held(known, move.cards, "lay")
    elif isinstance(move, Show | ShowDublees):
        _check_show(rules, table, seat, move)
        _check_held(known, flat(move.melds), "show")
    elif isinstance(move, Finish):
        if before_draw:
            raise MoveError("move: finish: expected a draw first")
        _check_finish(table, seat, known, move)
        _check_held(known, (*flat(move.melds), move.discard), "finish")
        _check_not_just_taken(table, known, move.discard, "finish: discard")
    elif isinstance(move, Discard):
        if before_draw:
            raise MoveError("move: discard: expected a draw first")
        _check_held(known, (move.card,), "discard")
        _check_not_just_taken(table, known, move.card, "discard")
    else:
        raise MoveError("move: expected a move, since no chance is to fall here")


def _leaves_a_discard(table: Table, hand: Cards | None) -> bool:
    """Tell whether a hand can throw a card after taking the top of the pile, which stays barred."""
    return hand is None or any(card != table.pile[-1] for card in hand)


def _check_lay(table: Table, seat: Seat, move: Lay) -> None:
    if not table.first_draw_to_come:
        raise MoveError("move: lay: tanelas are laid before one's first draw only")
    if seat.shown or len(seat.laid) == melds.SHOW_MELDS:
        raise MoveError("move: lay: at most three tanelas are laid, and none after the show")
    if not is_tanela(move.cards):
        raise MoveError(f"move: lay: expected three identical cards, got {_names(move.cards)}")


def _check_show(rules: Marriage, table: Table, seat: Seat, move: Show | ShowDublees) -> None:
    if seat.shown:
        raise MoveError("move: show: this seat has shown already")
    if table.phase == DRAW and not table.first_draw_to_come:
        raise MoveError("move: show: expected a draw first, since this is not the first turn")
    if isinstance(move, ShowDublees):
        if not rules.dublee:
            raise MoveError("move: show_dublees: the option dublee is off")
        pairs = all(len(cards) == 2 and cards[0] == cards[1] for cards in move.melds)
        if len(move.melds) != melds.DUBLEES_TO_SHOW or not pairs:
            raise MoveError("move: show_dublees: expected seven pairs of identical cards")
        if len(set(move.melds)) < len(move.melds):
            raise MoveError("move: show_dublees: there are not four of one card")
        return
    wanted = melds.SHOW_MELDS - len(seat.laid)
    if len(move.melds) != wanted:
        raise MoveError(
            f"move: show: expected {wanted} melds, since {len(seat.laid)} tanelas are laid, "
            f"got {len(move.melds)}"
        )
    for cards in move.melds:
        if not is_pure(cards, rules.master_is_pure):
            raise MoveError(f"move: show: {_names(cards)} is no pure meld of three cards")


def _check_finish(table: Table, seat: Seat, known: Known, move: Finish) -> None:
    if not seat.shown:
        raise MoveError("move: finish: expected a show first")
    if not table.tiplu_drawn or table.blind or (known.hand is not None and known.tiplu is None):
        raise MoveError("move: finish: this seat does not see the tiplu yet")
    if seat.dublees:
        if len(move.melds) != 1 or len(move.melds[0]) != 2 or len(set(move.melds[0])) != 1:
            raise MoveError("move: finish: after seven dublees expected an eighth one")
        return
    if len(flat(move.melds)) != melds.FINISH_PLACES:
        raise MoveError("move: finish: expected melds of twelve cards in all")
    if known.tiplu is None:
        return
    jokers = melds.joker_mask(known.tiplu)
    for cards in move.melds:
        if not is_finish_meld(cards, jokers):
            raise MoveError(f"move: finish: {_names(cards)} is no meld")


def _check_held(known: Known, cards: Iterable[int], what: str) -> None:
    if known.hand is None:
        return
    missing = Counter(cards) - Counter(known.hand)
    if missing:
        names = _names(sorted(missing.elements()))
        raise MoveError(f"move: {what}: {names} is not in the hand {_names(known.hand)}")


def _check_not_just_taken(table: Table, known: Known, card: int, what: str) -> None:
    if not table.taken_now or card != table.taken[-1][1]:
        return
    raise MoveError(f"move: {what}: {CARD_NAMES[card]} was just taken from the pile")


def moves_of(rules: Marriage, table: Table, known: Known) -> list[Move]:
    """Return the legal moves of the seat to move, whose hand must be known.

    Every way to show is listed, and one finish for each card that may be
    discarded with it (any other melds of the same cards are accepted too).
    """
    hand = known.hand
    if table.over or hand is None:
        return []
    seat = table.seats[table.to_move]
    found: list[Move] = []
    may_show = not seat.shown and (table.phase == DISCARD or table.first_draw_to_come)
    if table.phase == DRAW:
        found.append(Draw(STOCK))
        if table.pile and _leaves_a_discard(table, hand):
            found.append(Draw(PILE))
        if table.first_draw_to_come and not seat.shown and len(seat.laid) < melds.SHOW_MELDS:
            threes = [card for card, count in sorted(Counter(hand).items()) if count == 3]
            found += [Lay((card,) * 3) for card in threes]
    if may_show:
        wanted = melds.SHOW_MELDS - len(seat.laid)
        choices = dict.fromkeys(show_choices(hand, wanted, rules.master_is_pure))
        found += [Show(choice) for choice in choices]
        if rules.dublee:
            found += [ShowDublees(choice) for choice in dublee_choices(hand)]
    if table.phase == DISCARD:
        barred = table.taken[-1][1] if table.taken_now else -1
        thrown = [card for card in sorted(set(hand)) if card != barred]
        if seat.shown and known.tiplu is not None:
            found += _finishes(seat, hand, known.tiplu, thrown)
        found += [Discard(card) for card in thrown]
    return found


def _finishes(seat: Seat, hand: Cards, tiplu: int, thrown: Sequence[int]) -> list[Move]:
    if seat.dublees:
        return [
            Finish(((card, card),), other)
            for card, count in sorted(Counter(hand).items())
            if count >= 2
            for other in thrown
            if (other != card or count > 2)
        ]
    jokers = melds.joker_mask(tiplu)
    if finish_melds_exist(hand, jokers):
        tried = ((card, finish_melds(without(hand, [card]), jokers)) for card in thrown)
        return [Finish(found, card) for card, found in tried if found is not None]
    return []


def finish_melds_exist(hand: Cards, jokers: int) -> bool:
    """Tell whether twelve of thirteen cards lie in melds of the finish."""
    groups, outs = melds.finish_work()
    chosen = np.zeros(4, dtype=np.int64)
    counts = melds.counts_of(hand)
    return melds.search_finish(counts, jokers, 0, groups, outs, chosen, False) == 0


# Payment.


def player_maal(
    rules: Marriage, seat: Seat, hand: Cards, tiplu: int | None, any_shown: bool
) -> int:
    """Return the maal of a seat at the end of a round.

    Args:
        game: the options.
        seat: what lies before it on the table.
        hand: the cards it still holds.
        tiplu: the tiplu of the round, None if none was drawn.
        any_shown: whether anybody showed in this round.
    """
    sees = seat.shown and tiplu is not None
    return int(
        melds.maal_points(
            melds.counts_of(hand + seat.cards),
            tiplu if sees and tiplu is not None else -1,
            len(seat.laid),
            (PUTALI,) * 3 in seat.laid,
            seat.shown or not any_shown or not rules.printed_need_show,
            sees or not rules.laid_need_tiplu,
        )
    )


def payments(
    maal: Sequence[int], has_shown: Sequence[bool], finisher: int | None, by_dublee: bool
) -> tuple[int, ...]:
    """Return what each seat wins in a round; the sum is zero.

    Args:
        maal: the maal of each seat, already what counts for it.
        has_shown: whether each seat has shown.
        finisher: who finished, None if the stock was used up.
        by_dublee: whether the finish was an eighth dublee.
    """
    net = [len(maal) * own - sum(maal) for own in maal]
    if finisher is not None:
        for seat, has in enumerate(has_shown):
            if seat != finisher:
                paid = (SHOWN_PAYS if has else UNSHOWN_PAYS) + DUBLEE_PAYS * by_dublee
                net[seat] -= paid
                net[finisher] += paid
    return tuple(net)


# The game.


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

    def new(self, players: int, first: int = 0) -> Deal:
        """Return the round dealt from seed 0, seat ``first`` to play."""
        return self.deal(players, (0,), first)

    def deal(self, players: int, seed: Sequence[int], first: int = 0) -> Deal:
        """Return a round dealt from a seed, seat ``first`` to play, the seat before it dealing."""
        deck = np.repeat(np.arange(melds.CARDS), COPIES)
        order = np.random.default_rng(seed).permutation(deck).tolist()
        return self.deal_cards(players, order, first)

    def deal_cards(self, players: int, order: Sequence[int], first: int = 0) -> Deal:
        """Return a round dealt from 160 cards in order, one at a time from seat ``first``."""
        hands: list[Cards] = [()] * players
        for place in range(players):
            cards = order[place : HAND * players : players]
            hands[(first + place) % players] = tuple(sorted(cards))
        stock = tuple(order[HAND * players + 1 :])
        table = Table(
            dealer=(first - 1) % players,
            turns=0,
            phase=DRAW,
            seats=(Seat(),) * players,
            tiplu_drawn=False,
            pile=(order[HAND * players],),
            discards=(),
            taken=(),
            stock=len(stock),
        )
        return Deal(self, table, tuple(hands), None, None, (False,) * players, stock)

    def next_round(self, state: Deal, seed: Sequence[int]) -> Deal:
        """Return the round after a finished one: the deal moves one seat."""
        return self.deal(state.table.players, seed, (state.table.dealer + 2) % state.table.players)

    def luck(self, players: int, seed: Sequence[int]) -> NoLuck:
        """Return the chance of a round: none, the deal holds it all."""
        del players, seed
        return NoLuck()


class Deal(NamedTuple):
    """A round with every card.

    ``stock`` is in the order of drawing, the tiplu coming from its end; ``sees``
    tells who sees the tiplu; ``drawn`` is the card just drawn by the seat to move.
    """

    rules: Marriage
    table: Table
    hands: tuple[Cards, ...]
    drawn: int | None
    tiplu: int | None
    sees: tuple[bool, ...]
    stock: Cards

    def is_over(self) -> bool:
        """Tell whether somebody has finished or the stock is used up."""
        return self.table.over

    def current_player(self) -> int:
        """Return the seat to move, or OVER."""
        return OVER if self.table.over else self.table.to_move

    def chance_outcomes(self) -> Sequence[tuple[int, float]]:
        """Return nothing: a dealt round never waits for chance."""
        return ()

    def _known(self) -> Known:
        player = self.table.to_move
        tiplu = self.tiplu if self.sees[player] else None
        return Known(self.hands[player], self.drawn, tiplu)

    def legal_moves(self) -> Sequence[Move]:
        """Return the legal moves of the seat to move; see :func:`moves_of`."""
        return moves_of(self.rules, self.table, self._known())

    def apply(self, move: Any) -> Deal:
        """Return the state after a legal move."""
        check_move(self.rules, self.table, self._known(), move)
        player = self.table.to_move
        hand = self.hands[player]
        stock, tiplu, drawn, sees = self.stock, self.tiplu, self.drawn, self.sees
        exists = True
        if isinstance(move, Draw):
            drawn = stock[0] if move.source == STOCK else self.table.pile[-1]
            stock = stock[1:] if move.source == STOCK else stock
            hand = tuple(sorted((*hand, drawn)))
        elif isinstance(move, Lay):
            hand = without(hand, move.cards)
        elif isinstance(move, Show | ShowDublees):
            hand = without(hand, flat(move.melds))
            if not self.table.tiplu_drawn:
                tiplu, stock = draw_tiplu(stock)
                exists = tiplu is not None
            if tiplu is not None and sees_at_once(self.rules, self.table):
                sees = _with(sees, player)
        else:
            if isinstance(move, Finish):
                hand = without(hand, (*flat(move.melds), move.discard))
            else:
                hand = without(hand, (move.card,))
            drawn = None
            if self.table.seats[player].shown and tiplu is not None:
                sees = _with(sees, player)
        hands = (*self.hands[:player], hand, *self.hands[player + 1 :])
        table = self.table.after(move, exists, sees_at_once(self.rules, self.table))
        return Deal(self.rules, table, hands, drawn, tiplu, sees, stock)

    def maal(self) -> tuple[int, ...]:
        """Return the maal of each seat if the round ended now."""
        return tuple(
            player_maal(self.rules, seat, hand, self.tiplu, self.table.any_shown)
            for seat, hand in zip(self.table.seats, self.hands, strict=True)
        )

    def returns(self) -> tuple[float, ...]:
        """Return what each seat wins in the finished round, in points."""
        if not self.table.over:
            return (0.0,) * self.table.players
        finisher = self.table.finisher
        seats = self.table.seats
        by_dublee = finisher is not None and seats[finisher].dublees
        net = payments(self.maal(), [seat.shown for seat in seats], finisher, by_dublee)
        return tuple(float(points) for points in net)

    def scores(self) -> tuple[float, ...]:
        """Return what each seat wins: nothing before the end."""
        return self.returns()

    def view(self, player: int) -> View:
        """Return what a seat knows: the table, its hand, and the tiplu if it has seen it."""
        over = self.table.over
        mine = self.table.to_move == player and not over
        return View(
            self.rules,
            self.table,
            player,
            self.hands[player],
            self.drawn if mine else None,
            self.tiplu if self.sees[player] or over else None,
            WAITS_FOR_NOTHING,
            self.maal() if over else None,
            self.returns() if over else None,
        )


def _with(sees: tuple[bool, ...], player: int) -> tuple[bool, ...]:
    return (*sees[:player], True, *sees[player + 1 :])


def draw_tiplu(stock: Cards) -> tuple[int | None, Cards]:
    """Return the tiplu and the stock without it: the lowest card that is no putali or master."""
    for at in range(len(stock) - 1, -1, -1):
        if stock[at] < PUTALI:
            return stock[at], stock[:at] + stock[at + 1 :]
    return None, stock


def sees_at_once(rules: Marriage, table: Table) -> bool:
    """Tell whether a show made now lets its shower see the tiplu at once."""
    return table.phase == DRAW or rules.see_tiplu == "at_once"


# What a seat knows.

WAITS_FOR_NOTHING, WAITS_FOR_CARD, WAITS_FOR_TIPLU, WAITS_FOR_A_DRAW = range(4)
"""What chance is to bring to a view; the last: whether the stock has a tiplu to draw."""


class View(NamedTuple):
    """What one seat knows of a round.

    ``hand`` is its own, without a card that is still to come; ``drawn`` the card
    it has just drawn; ``waits`` tells what chance is to bring.  ``maal`` and
    ``net`` are known once the round is over and all hands lie open.
    """

    rules: Marriage
    table: Table
    seat: int
    hand: Cards
    drawn: int | None
    tiplu: int | None
    waits: int = WAITS_FOR_NOTHING
    maal: tuple[int, ...] | None = None
    net: tuple[float, ...] | None = None

    @property
    def mine(self) -> bool:
        """Whether this seat is to move."""
        return self.table.to_move == self.seat

    def is_over(self) -> bool:
        """Tell whether the round is over."""
        return self.table.over and not self.waits

    def current_player(self) -> int:
        """Return the seat to move, CHANCE or OVER."""
        if self.waits:
            return CHANCE
        return OVER if self.table.over else self.table.to_move

    def _known(self) -> Known:
        return Known(self.hand if self.mine else None, self.drawn, self.tiplu)

    def legal_moves(self) -> Sequence[Move]:
        """Return the legal moves of this seat, none if another is to move."""
        if self.waits or not self.mine:
            return ()
        return moves_of(self.rules, self.table, self._known())

    def chance_outcomes(self) -> Sequence[tuple[int, float]]:
        """Return the cards that may come, each with its share of the cards not seen."""
        if not self.waits:
            return ()
        unseen = unseen_counts(self)
        if self.waits == WAITS_FOR_A_DRAW:
            none = _chance_of_no_tiplu(unseen, self.table.stock)
            return [(drawn, p) for drawn, p in ((True, 1 - none), (False, none)) if p > 0]
        if self.waits == WAITS_FOR_TIPLU:
            unseen[PUTALI:] = 0
        elif self.table.any_shown and not self.table.tiplu_drawn:
            unseen[:PUTALI] = 0  # no card of the stock could be the tiplu
        total = int(unseen.sum())
        return [(card, int(count) / total) for card, count in enumerate(unseen) if count]

    def apply(self, move: Any) -> View:
        """Return the view after a legal move of any seat, or after the card that chance brings."""
        if self.waits:
            return self._with_card(move)
        if isinstance(move, int):
            raise OutcomeError("outcome: no chance is to fall here: expected a move")
        check_move(self.rules, self.table, self._known(), move)
        if not self.mine:
            _check_other(self, move)
        if isinstance(move, Show | ShowDublees) and not self.table.any_shown:
            without_tiplu = self._after(move, False)
            none = _chance_of_no_tiplu(unseen_counts(without_tiplu), self.table.stock)
            if 0 < none < 1:
                return without_tiplu._replace(waits=WAITS_FOR_A_DRAW)
            return self._after(move, none == 0)
        return self._after(move, False)

    def _after(self, move: Any, tiplu_exists: bool) -> View:
        """Return the view after a legal move; a first show draws the tiplu if it exists."""
        at_once = sees_at_once(self.rules, self.table)
        table = self.table.after(move, tiplu_exists, at_once)
        if not self.mine:
            return self._replace(table=table)
        hand, drawn, tiplu, waits = self.hand, self.drawn, self.tiplu, WAITS_FOR_NOTHING
        if isinstance(move, Draw):
            if move.source == PILE:
                drawn = self.table.pile[-1]
                hand = tuple(sorted((*hand, drawn)))
            else:
                waits = WAITS_FOR_CARD
        elif isinstance(move, Lay):
            hand = without(hand, move.cards)
        elif isinstance(move, Show | ShowDublees):
            hand = without(hand, flat(move.melds))
            if table.tiplu_drawn and at_once:
                waits = WAITS_FOR_TIPLU
        else:
            cards = (*flat(move.melds), move.discard) if isinstance(move, Finish) else (move.card,)
            hand, drawn = without(hand, cards), None
            if table.seats[self.seat].shown and table.tiplu_drawn and tiplu is None:
                waits = WAITS_FOR_TIPLU
        return self._replace(table=table, hand=hand, drawn=drawn, waits=waits)

    def _with_card(self, card: Any) -> View:
        if self.waits == WAITS_FOR_A_DRAW:
            return self._with_draw(card)
        possible = {found for found, _ in self.chance_outcomes()}
        is_card = isinstance(card, int) and not isinstance(card, bool)
        if not is_card or card not in possible:
            name = CARD_NAMES[card] if is_card and 0 <= card < melds.CARDS else card
            what = "tiplu" if self.waits == WAITS_FOR_TIPLU else "card of the stock"
            raise OutcomeError(f"outcome: expected an unseen card as {what}, got {shown(name)}")
        if self.waits == WAITS_FOR_TIPLU:
            return self._replace(tiplu=card, waits=WAITS_FOR_NOTHING)
        hand = tuple(sorted((*self.hand, card)))
        return self._replace(hand=hand, drawn=card, waits=WAITS_FOR_NOTHING)

    def _with_draw(self, drawn: Any) -> View:
        """Return the view once it is known whether the first show has drawn a tiplu."""
        if not isinstance(drawn, bool):
            raise OutcomeError(
                f"outcome: expected true or false, whether there is a tiplu, got {shown(drawn)}"
            )
        if not drawn:
            return self._replace(waits=WAITS_FOR_NOTHING)
        at_once = sees_at_once(self.rules, self.table)
        table = self.table._replace(tiplu_drawn=True, stock=self.table.stock - 1, blind=not at_once)
        waits = WAITS_FOR_TIPLU if self.mine and at_once else WAITS_FOR_NOTHING
        return self._replace(table=table, waits=waits)

    def returns(self) -> tuple[float, ...]:
        """Return what each seat wins, once all hands lie open."""
        if self.net is None:
            if self.table.over:
                raise PositionError("position: the net is not known: the other hands are hidden")
            return (0.0,) * self.table.players
        return self.net

    def scores(self) -> tuple[float, ...]:
        """Return what each seat wins, nothing before it is known."""
        return self.net or (0.0,) * self.table.players

    def view(self, player: int) -> View:
        """Return this view, or refuse another seat's."""
        if player != self.seat:
            raise PositionError(
                f"position: it is what seat {self.seat} knows, and seat {player} is to move: "
                f"expected the view of seat {player}"
            )
        return self


def held_by(table: Table, seat: int) -> Counter[int]:
    """Return the cards known to be in a hand: taken from the pile, and not seen since."""
    held = Counter(card for who, card in table.taken if who == seat)
    held -= Counter(card for who, card in table.discards if who == seat)
    return held - Counter(table.seats[seat].cards)


def held_by_others(table: Table, seat: int) -> Counter[int]:
    """Return the cards known to be in the hands of all other seats."""
    others = [held_by(table, other) for other in range(table.players) if other != seat]
    return sum(others, Counter())


def _chance_of_no_tiplu(unseen: melds.Ints, stock: int) -> float:
    """Return how likely it is that no card of the stock can be the tiplu."""
    printed, all_cards = int(unseen[PUTALI:].sum()), int(unseen.sum())
    if stock > printed:
        return 0.0
    chance = 1.0
    for drawn in range(stock):
        chance *= (printed - drawn) / (all_cards - drawn)
    return chance


def possible_tiplus(view: View) -> list[int]:
    """Return the cards that can be the tiplu, by what a seat knows."""
    if view.tiplu is not None:
        return [view.tiplu]
    return [card for card, count in enumerate(unseen_counts(view)[:PUTALI]) if count > 0]


def _check_other(view: View, move: Move) -> None:
    """Raise MoveError if another seat cannot make a move, by what the view's seat knows."""
    if isinstance(move, Draw):
        return
    table, player = view.table, view.table.to_move
    if isinstance(move, Lay | Discard):
        cards: Cards = move.cards if isinstance(move, Lay) else (move.card,)
    else:
        cards = flat(move.melds)
        if isinstance(move, Finish):
            cards = (*cards, move.discard)
    if len(cards) > table.in_hand(player):
        raise MoveError(f"move: seat {player} holds {table.in_hand(player)} cards only")
    held, unseen = held_by(table, player), unseen_counts(view)
    if len(table.discards) != table.turns:
        # What was taken may have been thrown again, unremembered.
        held, unseen = Counter(), not_in_sight(view)
    fresh = Counter(cards) - held
    for card, count in fresh.items():
        if count > unseen[card]:
            raise MoveError(
                f"move: {CARD_NAMES[card]}: more copies of a card than there are: "
                "this seat sees the others"
            )
    room = table.in_hand(player) - held.total()
    if fresh.total() > room:
        known = _names(sorted(held.elements()))
        raise MoveError(f"move: seat {player} holds {known} and {room} other cards only")
    if isinstance(move, Finish) and not view.table.seats[player].dublees:
        check_finish_melds(move.melds, possible_tiplus(view))


def check_finish_melds(found: Melds, tiplus: Sequence[int]) -> None:
    """Raise MoveError unless cards are melds of the finish under one of these tiplus."""
    masks = [melds.joker_mask(tiplu) for tiplu in tiplus]
    if not any(all(is_finish_meld(cards, mask) for cards in found) for mask in masks):
        raise MoveError(
            "move: finish: " + " | ".join(map(_names, found)) + " are no melds under any tiplu"
        )


def not_in_sight(view: View) -> melds.Ints:
    """Return (54,) how many copies of each card do not lie before a seat's eyes now."""
    seen = Counter(view.hand)
    seen.update(view.table.pile)
    for seat in view.table.seats:
        seen.update(seat.cards)
    if view.tiplu is not None:
        seen[view.tiplu] += 1
    return np.asarray(COPIES - melds.counts_of(seen.elements()))


def unseen_counts(view: View) -> melds.Ints:
    """Return (54,) how many copies of each card a seat has not seen: stock and other hands.

    Cards that others have taken from the pile and still hold count as seen.
    """
    unseen = not_in_sight(view)
    for card, count in held_by_others(view.table, view.seat).items():
        unseen[card] = max(0, unseen[card] - count)
    return unseen


def _names(cards: Iterable[int]) -> str:
    return " ".join(CARD_NAMES[card] for card in cards)


def _name_list(cards: Iterable[int]) -> list[str]:
    return [CARD_NAMES[card] for card in cards]


def meld_names(cards: Cards) -> list[str]:
    """Return the cards of a meld by name, an ace above the king last."""
    if fits_sequence(cards, 5) and cards[0] % RANKS == 0 and cards[-1] % RANKS > 4:
        cards = (*cards[1:], cards[0])
    return _name_list(cards)


def melds_to_json(found: Melds) -> list[list[str]]:
    """Return melds as lists of cards."""
    return [meld_names(cards) for cards in found]


OPTIONS = (
    Option("dublee", True, (True, False), "whether seven dublees are a show"),
    Option(
        "master_is_pure",
        False,
        (True, False),
        "whether the master may fill one place of a sequence and leave it pure",
    ),
    Option(
        "see_tiplu", "after_discard", ("after_discard", "at_once"), "when a shower sees the tiplu"
    ),
    Option(
        "printed_need_show",
        False,
        (True, False),
        "whether putali and master of a seat that has not shown score nothing",
    ),
    Option(
        "laid_need_tiplu",
        True,
        (True, False),
        "whether laying tanelas pays only those who come to see the tiplu",
    ),
)
