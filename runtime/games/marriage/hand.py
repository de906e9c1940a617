"""The command ``hand`` of Marriage: what a hand is, what it needs, and which cards bring it.

**The problem.**  A hand is to hold three pure melds, or seven dublees, and after the show
melds of twelve more cards.  How many cards must be replaced, which melds are the nearest,
and which unseen cards (the *outs*) bring them nearer?

**Before the show** the *partition* is the choice of pure melds that hold most cards
(``show_distance`` tells how many) and, among those, leaves the best finish.  The distance to a
finish is that of the whole hand: of all choices of pure melds, those that hold fewer cards
too, each with what it leaves, it is the least (:func:`nearest_finish`).  So it can be less
than what the best show leaves even when the hand can show.  The choices are searched from
those that hold most; one card less held is one more to replace, and what a choice leaves is
never nearer to a finish than the whole hand, so few sizes are looked at.

No meld needs a copy that is not to be had: those on the table, the tiplu, and all copies
held are known.  A missing place of the finish where a joker helps is taken to be fillable.

An out is a card not in sight that lessens the distance of the cards given.  Of 22 cards
(13 after the show) one is to be discarded: the one that keeps the distance and has most outs.
Expert discards by the predicted net, for which outs count with dublees, turns and what else a
card can become; where that is another card the answer says so (:func:`by_net`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ustad.runtime.core.entry import Command, Flag, Given, Takes
from ustad.runtime.core.errors import UsageError, shown
from ustad.runtime.core.game import TIE
from ustad.runtime.core.options import options_help, parse_options
from ustad.runtime.games.marriage.cards.cards import (
    CARD_NAMES,
    CARD_NUMBER,
    CARDS,
    COPIES,
    HAND,
    MASTER,
    NO_CARD,
    PUTALI,
    Cards,
    Ints,
    Melds,
    counts_of,
    flat,
    names_of,
    sorted_melds,
    without,
)
from ustad.runtime.games.marriage.cards.finishes import (
    arrange,
    finish_melds,
    finish_work,
    search_finish,
)
from ustad.runtime.games.marriage.cards.maal import joker_mask
from ustad.runtime.games.marriage.cards.melds import (
    DUBLEES_TO_SHOW,
    FINISH_PLACES,
    SHOW_MELDS,
    is_tanela,
    meld_names,
    melds_to_json,
    pure_targets,
)
from ustad.runtime.games.marriage.cards.shows import dublee_count, show_distance
from ustad.runtime.games.marriage.decisions import PLAIN, decide
from ustad.runtime.games.marriage.features import new_work
from ustad.runtime.games.marriage.levels import player_of
from ustad.runtime.games.marriage.round.course import first_turn
from ustad.runtime.games.marriage.round.known import Sight
from ustad.runtime.games.marriage.round.options import NAME, OPTIONS
from ustad.runtime.games.marriage.round.rules import RULES, Marriage
from ustad.runtime.games.marriage.round.settlement import counted_maal
from ustad.runtime.games.marriage.states import WEIGHTS
from ustad.runtime.games.marriage.tables import expert_numbers

HELD_DUBLEES = HAND - 2 * DUBLEES_TO_SHOW
"""How many cards are in hand after a show of seven dublees."""


class Hand(NamedTuple):
    """A hand to be judged: all cards, the tanelas laid among them, the tiplu, the options."""

    rules: Marriage
    cards: Cards
    laid: Melds = ()
    tiplu: int | None = None
    has_shown: bool = True

    @property
    def rest(self) -> Cards:
        """The cards that are not laid."""
        return without(self.cards, flat(self.laid))

    @property
    def jokers(self) -> int:
        """Which cards are jokers, as bits."""
        return joker_mask(-1 if self.tiplu is None else self.tiplu)

    @property
    def out_of_play(self) -> Ints:
        """(54,) how many copies of each card are laid or the tiplu."""
        tiplu = () if self.tiplu is None else (self.tiplu,)
        return counts_of((*flat(self.laid), *tiplu))

    @property
    def gone(self) -> int:
        """The cards of the packs, as bits, of which no copy is left out of sight."""
        unseen = self.unseen
        return sum(1 << card for card in range(PUTALI) if unseen[card] == 0)

    @property
    def places(self) -> int:
        """How many cards the show is still to lay."""
        return 3 * (SHOW_MELDS - len(self.laid))

    @property
    def unseen(self) -> Ints:
        """(54,) how many copies of each card are not in sight."""
        seen = self.cards if self.tiplu is None else (*self.cards, self.tiplu)
        return np.asarray(COPIES - counts_of(seen))

    def maal(self, cards: Cards) -> int:
        """Return the maal of cards in hand with what is laid."""
        laid = flat(self.laid)
        tiplu = NO_CARD if self.tiplu is None else self.tiplu
        return counted_maal(
            self.rules.numbers,
            counts_of((*cards, *laid)),
            counts_of(laid),
            tiplu,
            self.has_shown,
            any_shown=True,
        )


# Before the show.


class Partition(NamedTuple):
    """Pure melds, as far as a hand holds them.

    ``targets`` are the melds, ``kept`` the cards of the hand in them.
    """

    targets: Melds
    kept: Cards

    @property
    def missing(self) -> Counter[int]:
        """The cards of the melds that the hand does not hold."""
        return Counter(flat(self.targets)) - Counter(self.kept)


def judge_hand(hand: Hand) -> dict[str, Any]:
    """Return what a hand is before the show.

    Returns:
        ``three_pure``, ``seven_dublees``, ``can_show``; ``show_distance``,
        ``dublee_distance``, ``finish_distance``: the cards to replace until three pure
        melds, seven dublees, three pure melds and a finish; ``dublees`` (pairs); ``maal``;
        ``melds`` and ``dublee_melds`` that show it, null if none do; ``partition``, the pure
        melds nearest to a show, each with what is missing, ``rest``, the other cards, and
        ``finish``, the melds nearest to a finish that they make; ``whole_show`` and
        ``whole_finish``, the same of the whole hand nearest to a finish; ``discard``, of 22
        cards the one to discard; ``outs`` and ``dublee_outs``, each with how many are unseen,
        and their sums.
    """
    counts = counts_of(hand.rest)
    distance = _show_distance(hand, hand.rest)
    pairs = int(dublee_count(counts))
    near, left = nearest(hand, hand.places - distance)
    whole, least = nearest_finish(hand, Nearest(near, distance + left))
    rest = without(hand.rest, near.kept)
    seven = [(card,) * 2 for card in range(MASTER) if counts[card] >= 2][:DUBLEES_TO_SHOW]
    can_dublees = pairs >= DUBLEES_TO_SHOW
    answer: dict[str, Any] = {
        "three_pure": distance == 0,
        "seven_dublees": can_dublees,
        "can_show": distance == 0 or (can_dublees and hand.rules.numbers.dublee),
        "show_distance": distance,
        "dublee_distance": max(0, DUBLEES_TO_SHOW - pairs),
        "finish_distance": least,
        "dublees": pairs,
        "maal": hand.maal(hand.rest),
        "melds": melds_to_json(near.targets) if distance == 0 else None,
        "dublee_melds": melds_to_json(tuple(seven)) if can_dublees else None,
        "partition": _partition_to_json(near),
        "rest": names_of(rest),
        "finish": _finish_to_json(hand, rest),
        "whole_show": _partition_to_json(whole),
        "whole_finish": _finish_to_json(hand, without(hand.rest, whole.kept)),
    }
    discard, outs = show_outs(hand, distance)
    if discard is not None:
        answer["discard"] = CARD_NAMES[discard]
    dublee_outs = [card for card in range(MASTER) if counts[card] == 1] if not can_dublees else []
    return (
        answer | _outs_to_json(hand, "outs", outs) | _outs_to_json(hand, "dublee_outs", dublee_outs)
    )


def _show_distance(hand: Hand, cards: Cards) -> int:
    counts = counts_of(cards)
    return int(show_distance(_MEMORY, counts, hand.out_of_play, hand.rules.numbers.master_is_pure))


_MEMORY = np.zeros(1 << 16, dtype=np.int64)


def show_outs(hand: Hand, distance: int) -> tuple[int | None, list[int]]:
    """Return the card to discard, None unless there are 22, and the outs of the others."""
    if distance == 0:
        return None, []
    ways = list(partitions(hand, hand.places - distance))
    if len(hand.cards) <= HAND:
        return None, _show_outs(hand, hand.rest, ways, distance)
    best: tuple[int | None, list[int]] = (None, [])
    most = -1
    unseen = hand.unseen
    for card in sorted(set(hand.rest), key=lambda card: (hand.jokers >> card & 1, card)):
        copies = hand.rest.count(card)
        left = [way for way in ways if way.kept.count(card) < copies]
        if left:
            outs = _show_outs(hand, without(hand.rest, [card]), left, distance)
            many = int(unseen[outs].sum())
            if many > most:
                best, most = (card, outs), many
    return best


def _show_outs(hand: Hand, cards: Cards, ways: Sequence[Partition], distance: int) -> list[int]:
    """Return the unseen cards that lessen the distance of some cards to a show.

    Those that one of the choices of pure melds holding most cards misses (``ways``); the
    master, and all if a choice leaves a whole meld open, are tried.
    """
    outs = {card for way in ways for card in way.missing}
    is_open = any(3 * len(way.targets) < hand.places for way in ways)
    unseen = hand.unseen
    return [
        card
        for card in range(CARDS)
        if unseen[card]
        and (
            _show_distance(hand, (*cards, card)) < distance
            if is_open or card == MASTER
            else card in outs
        )
    ]


def partitions(hand: Hand, least: int) -> Iterator[Partition]:
    """Yield the choices of pure melds that hold at least so many cards of a hand."""
    counts = Counter(hand.rest)
    free = COPIES - hand.out_of_play
    targets = [*pure_targets()]
    if hand.rules.numbers.master_is_pure and counts[MASTER]:
        runs = [cards for cards in targets if not is_tanela(cards)]
        targets += [(*cards[:at], *cards[at + 1 :], MASTER) for cards in runs for at in range(3)]
    held = {cards: (counts & Counter(cards)).total() for cards in targets}
    order = sorted((cards for cards in held if held[cards] > 0), key=lambda cards: -held[cards])

    def extend(chosen: tuple[Cards, ...], first: int, places: int) -> Iterator[Partition]:
        need = Counter(flat(chosen))
        if any(copies > free[card] for card, copies in need.items()):
            return
        kept = counts & need
        if kept.total() >= least:
            yield Partition(sorted_melds(chosen), tuple(sorted(kept.elements())))
        for at in range(first, len(order) if places else 0):
            if kept.total() + places * held[order[at]] < least:
                return
            yield from extend((*chosen, order[at]), at, places - 1)

    yield from extend((), 0, hand.places // 3)


class Nearest(NamedTuple):
    """A partition, and the finish distance that counts with it."""

    partition: Partition
    distance: int


def nearest(hand: Hand, most: int) -> Nearest:
    """Return the pure melds that hold most cards and leave the least finish distance.

    Args:
        hand: the hand.
        most: how many cards pure melds can hold.
    """
    known: dict[Cards, int] = {}
    unseen = hand.unseen
    least = FINISH_PLACES

    def rating(found: Partition) -> tuple[int, int]:
        nonlocal least
        if found.kept not in known:
            known[found.kept] = _distance_left(hand, found.kept, least)
            least = min(least, known[found.kept])
        return known[found.kept], -sum(int(unseen[card]) for card in found.missing)

    best = min(partitions(hand, most), key=rating)
    return Nearest(best, known[best.kept])


def nearest_finish(hand: Hand, near: Nearest) -> Nearest:
    """Return the pure melds with which a hand is nearest to a finish, and how near.

    Args:
        hand: the hand.
        near: the partition nearest to a show, and the distance to show and finish with it.
    """
    best = near
    least_left = _distance_left(hand, (), FINISH_PLACES)
    known: set[Cards] = {near.partition.kept}
    for size in range(len(near.partition.kept), -1, -1):
        missing = hand.places - size
        if missing + least_left >= best.distance:
            break
        for found in partitions(hand, size):
            if len(found.kept) == size and found.kept not in known:
                known.add(found.kept)
                most = best.distance - missing - 1
                whole = missing + _distance_left(hand, found.kept, most)
                if whole < best.distance:
                    best = Nearest(found, whole)
                    if missing + least_left >= whole:
                        break
    return best


def _distance_left(hand: Hand, kept: Cards, most: int) -> int:
    """Return the finish distance of what pure melds leave, ``most + 1`` if it is more."""
    left = counts_of(without(hand.rest, kept))
    return search_finish(finish_work(), left, hand.jokers, most, False, hand.gone)


# The finish.


def finish_distance(cards: Cards, jokers: int) -> int:
    """Return how many cards must be replaced until a finish."""
    return search_finish(finish_work(), counts_of(cards), jokers, FINISH_PLACES, False, 0)


def judge_finish(hand: Hand) -> dict[str, Any]:
    """Return what the cards in hand after the show are.

    Returns:
        ``can_finish``, ``finish_distance``, ``maal`` of these cards and those laid;
        ``melds`` and ``discard`` that finish, ``melds`` null if none do; ``partition``,
        the melds nearest to a finish, each with how many cards it misses; ``outs`` with
        how many are unseen, and their sum, after ``discard``.
    """
    cards = hand.rest
    work = finish_work()
    counts = counts_of(cards)
    distance = search_finish(work, counts, hand.jokers, FINISH_PLACES, True, hand.gone)
    outs = work.outs
    found: Melds | None = None
    discard: int | None = None
    # Jokers last: their points go with them.
    order = sorted(set(cards), key=lambda card: (hand.jokers >> card & 1, card))
    helpful: list[int] = []
    if len(cards) == FINISH_PLACES:
        helpful = _bits(outs[CARDS])
    elif distance == 0:
        tried = ((card, finish_melds(without(cards, [card]), hand.jokers)) for card in order)
        discard, found = next((card, made) for card, made in tried if made is not None)
    else:
        ways = [card for card in order if outs[card]] or order
        discard = max(ways, key=lambda card: int(hand.unseen[_bits(outs[card])].sum()))
        helpful = _bits(outs[discard])
    return {
        "can_finish": found is not None,
        "finish_distance": distance,
        "maal": hand.maal(cards),
        "melds": None if found is None else melds_to_json(found),
        "discard": None if discard is None else CARD_NAMES[discard],
        "partition": _finish_to_json(hand, cards if discard is None else without(cards, [discard])),
    } | _outs_to_json(hand, "outs", helpful if distance else [])


def judge_dublee_finish(hand: Hand) -> dict[str, Any]:
    """Return what the cards in hand after a show of seven dublees are; an eighth finishes."""
    counts = Counter(hand.rest)
    pair = next((card for card, copies in sorted(counts.items()) if copies >= 2), None)
    drawn = len(hand.rest) > HELD_DUBLEES - 3 * len(hand.laid)
    order = sorted(set(hand.rest), key=lambda card: (hand.jokers >> card & 1, card))
    discard: int | None = None
    outs = [card for card in sorted(counts) if card < MASTER] if pair is None else []
    if drawn and pair is not None:
        left = without(hand.rest, [pair] * 2)
        discard = next((card for card in order if card in left), None)
    elif drawn:
        discard = min(order, key=lambda card: (hand.jokers >> card & 1, hand.unseen[card]))
        outs = [card for card in outs if card != discard]
    done = pair is not None and discard is not None
    return {
        "can_finish": done,
        "finish_distance": 0 if pair is not None else 1,
        "maal": hand.maal(hand.rest),
        "melds": melds_to_json(((pair, pair),)) if done and pair is not None else None,
        "discard": None if discard is None else CARD_NAMES[discard],
    } | _outs_to_json(hand, "outs", outs)


# What expert discards.


def by_net(hand: Hand, discard: int, after_show: bool, dublees: bool) -> dict[str, Any]:
    """Return which card expert discards and why, nothing if it is the one given.

    It is asked in the first turn of four players, after the show in the second, of whom it
    knows nothing; with other players, cards in sight and turns it may decide otherwise.

    Args:
        hand: the hand, of which one card is to be discarded.
        discard: the card that keeps the distance and has most outs.
        after_show: whether these are the cards after the show.
        dublees: whether it was one of dublees.
    """
    players, tiplu = (
        RULES.seats.usual,
        hand.tiplu if after_show and hand.tiplu is not None else NO_CARD,
    )
    course = first_turn(players, players - 1)
    course = course._replace(
        turns=players if after_show else 0, has_drawn=True, stock=course.stock - 1,
        shown=int(after_show), dublees=int(dublees), tiplu_drawn=tiplu != NO_CARD,
    )  # fmt: skip
    laid = counts_of(flat(hand.laid))
    sight = Sight(
        course, 0, counts_of(hand.rest), laid, laid, hand.unseen, tiplu, NO_CARD, after_show
    )
    expert, work = player_of("expert", expert_numbers(None)[:WEIGHTS], 0), new_work()
    best = decide(PLAIN, work, hand.rules.numbers, sight, expert, passes=True).card
    if not work.valid[best] or work.weighed[best] <= work.weighed[discard] + TIE:
        return {}
    more = ""
    if work.valid[discard]:
        more = f", here {work.weighed[best] - work.weighed[discard]:.1f} more by {CARD_NAMES[best]}"
    return {
        "ask_discard": CARD_NAMES[best],
        "ask_because": (
            f"{CARD_NAMES[discard]} keeps the distance and leaves most outs; ask goes by the "
            f"predicted net{more}: it weighs dublees, turns and what else a card can become too"
        ),
    }


# JSON and text.


def _bits(mask: Any) -> list[int]:
    return [card for card in range(CARDS) if int(mask) >> card & 1]


def _outs_to_json(hand: Hand, name: str, outs: Sequence[int]) -> dict[str, Any]:
    unseen = [(card, int(hand.unseen[card])) for card in outs if hand.unseen[card] > 0]
    return {
        name: [{"card": CARD_NAMES[card], "unseen": many} for card, many in unseen],
        f"{name}_unseen": sum(many for _, many in unseen),
    }


def _partition_to_json(found: Partition) -> list[dict[str, Any]]:
    """Return pure melds with the cards held and the cards missing."""
    left = Counter(found.kept)
    rows = []
    for target in found.targets:
        held = left & Counter(target)
        left -= held
        missing = Counter(target) - held
        cards = meld_names(tuple(sorted(held.elements())))
        rows.append({"cards": cards, "missing": names_of(sorted(missing.elements()))})
    return rows


def _finish_to_json(hand: Hand, cards: Cards) -> list[dict[str, Any]]:
    """Return the melds nearest to a finish, each with how many cards it misses."""
    work = finish_work()
    search_finish(work, counts_of(cards), hand.jokers, FINISH_PLACES, False, hand.gone)
    return [
        {"cards": meld_names(meld.cards), "missing": meld.missing}
        for meld in arrange(cards, hand.jokers, work)
    ]


FLAGS = (
    Flag("--cards", '"7H 10D PJ MJ ..."', "CARDS", required=True),
    Flag("--tiplu", "the tiplu, once it is seen", "CARD"),
    Flag(
        "--laid",
        "a tanela laid before the first draw, among --cards; repeats",
        "CARDS",
        Takes.ONE_EACH_TIME,
    ),
    Flag("--not-shown", "the hand never shows", takes=Takes.NOTHING),
    Flag(
        "--after-show",
        "the cards in hand after the show: 13, or 12 before the draw (8 and 7 after "
        "seven dublees), and those laid",
        takes=Takes.NOTHING,
    ),
    Flag("--option", options_help(OPTIONS), "NAME=VALUE", Takes.ONE_EACH_TIME),
)


OF_A_WHOLE_HAND = {"finish_distance", "finish", "whole_show", "whole_finish"}
"""What cannot be said of fewer cards than a hand has: a finish takes them all."""


def answer(given: Given) -> dict[str, Any]:
    """Return what ``ustad hand`` answers."""
    hand = _hand_from_flags(given)
    after_show, dublees = bool(given["after_show"]), False
    if not after_show:
        answered = judge_hand(hand)
        missing = HAND - len(hand.cards)
        if missing > 0:
            answered = {key: told for key, told in answered.items() if key not in OF_A_WHOLE_HAND}
            answered = {"missing_cards": missing} | answered
    elif len(hand.rest) in (FINISH_PLACES, FINISH_PLACES + 1):
        answered = judge_finish(hand)
    else:
        dublees = True
        _check_after_dublees(hand)
        answered = judge_dublee_finish(hand)
    if answered.get("discard") is None or answered.get("can_finish"):
        return answered
    discard = CARD_NUMBER[answered["discard"]]
    return answered | by_net(hand, discard, after_show, dublees)


def _check_after_dublees(hand: Hand) -> None:
    """Raise UsageError if these cannot be the cards in hand after a show."""
    held, dublees = FINISH_PLACES, HELD_DUBLEES - len(flat(hand.laid))
    if hand.rules.numbers.dublee and len(hand.rest) in (dublees, dublees + 1):
        return
    beside = " beside those laid" if hand.laid else ""
    raise UsageError(
        f"--cards: expected with --after-show {held + 1} cards{beside}, or {held} before the "
        f"draw, {dublees + 1} or {dublees} after seven dublees, got {len(hand.rest)}"
    )


def _hand_from_flags(given: Given) -> Hand:
    """Return the hand that the flags describe, or raise UsageError."""
    rules = RULES.read(parse_options(NAME, OPTIONS, given["option"] or ()))
    cards = _cards_from_text("--cards", given["cards"])
    laid = sorted_melds(_cards_from_text("--laid", text) for text in given["laid"] or ())
    if not 0 < len(cards) <= HAND + 1:
        raise UsageError(f"--cards: expected 1 to {HAND + 1} cards, got {len(cards)}")
    if given["after_show"] and given["not_shown"]:
        raise UsageError(
            "hand: expected --after-show or --not-shown: who has shown is not one who never shows"
        )
    if len(laid) > SHOW_MELDS or not all(map(is_tanela, laid)):
        raise UsageError("--laid: expected at most three tanelas, each three identical cards")
    if Counter(flat(laid)) - Counter(cards):
        raise UsageError("--laid: expected cards that are among --cards")
    tiplu: Cards = ()
    if given["tiplu"] is not None:
        tiplu = _cards_from_text("--tiplu", given["tiplu"])
        if len(tiplu) != 1 or max(tiplu) >= PUTALI:
            named = shown(given["tiplu"])
            raise UsageError(f"--tiplu: expected one card of the packs, got {named}")
    for card, count in Counter((*cards, *tiplu)).items():
        if count > COPIES[card]:
            raise UsageError(
                f"--cards: {CARD_NAMES[card]}: there are {COPIES[card]}, got {count} "
                "in cards and tiplu"
            )
    return Hand(rules, cards, laid, next(iter(tiplu), None), not given["not_shown"])


def _cards_from_text(flag: str, text: str) -> Cards:
    words = text.replace(",", " ").upper().split()
    for word in words:
        if word not in CARD_NUMBER:
            raise UsageError(
                f"{flag}: expected cards such as 7H, 10D, PJ (putali) or MJ (master), "
                f"got {shown(word)}"
            )
    if len(words) > HAND + 1:
        raise UsageError(f"{flag}: expected at most {HAND + 1} cards, got {len(words)}")
    return tuple(sorted(CARD_NUMBER[word] for word in words))


def as_text(answered: Mapping[str, Any]) -> str:
    """Return the answer of ``ustad hand`` for people."""
    rows = [(key.replace("_", " "), _in_words(value)) for key, value in answered.items()]
    return "\n".join(f"{key:<16} {words}" for key, words in rows if words)


def _in_words(value: Any) -> str:
    """Return a value of the answer in words, nothing for what is not there."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, list):
        return "" if value is None else str(value)
    if value and isinstance(value[0], str):
        return " ".join(value)
    return (", " if value and "unseen" in value[0] else " | ").join(map(_row_in_words, value))


def _row_in_words(row: Any) -> str:
    """Return a meld, a meld with what it misses, or an out."""
    if isinstance(row, list):
        return " ".join(row)
    if "unseen" in row:
        return f"{row['card']} ({row['unseen']})"
    missing = row["missing"]
    if isinstance(missing, list):
        missing = " ".join(missing)
    else:
        missing = f"{missing} more" if missing else ""
    return " ".join(row["cards"]) + (f" (+ {missing})" if missing else "")


HAND_COMMAND = Command(
    "hand", "Marriage: what a hand is, and what it needs", FLAGS, answer, as_text
)
