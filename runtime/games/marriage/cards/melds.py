"""Which cards are melds, of the show and of the finish, and which of them a hand holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import combinations, combinations_with_replacement

from ustad.runtime.games.marriage.cards.cards import (
    MASTER,
    PUTALI,
    RANKS,
    Cards,
    Melds,
    flat,
    names_of,
    sorted_melds,
)

SHOW_MELDS = 3
DUBLEES_TO_SHOW = 7
FINISH_PLACES = 12


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
def pure_runs() -> tuple[Cards, ...]:
    """Return every pure sequence of three cards, without the master."""
    return tuple(
        tuple(sorted(RANKS * suit + rank % RANKS for rank in range(low, low + 3)))
        for suit in range(4)
        for low in range(12)
    )


@cache
def pure_targets() -> tuple[Cards, ...]:
    """Return every pure meld of three cards, without the master."""
    return (*((card,) * 3 for card in range(MASTER)), *pure_runs())


def pure_melds(hand: Cards, master_is_pure: bool) -> list[Cards]:
    """Return every kind of pure meld of three cards that a hand holds."""
    held = Counter(hand)
    found: list[Cards] = [(card,) * 3 for card in range(MASTER) if held[card] == 3]
    found += [run for run in pure_runs() if all(map(held.__contains__, run))]
    if master_is_pure and MASTER in held:
        pairs = {pair for run in pure_runs() for pair in combinations(run, 2)}
        held_pairs = sorted(pair for pair in pairs if all(map(held.__contains__, pair)))
        found += [(*pair, MASTER) for pair in held_pairs]
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
    return list(combinations(pairs, DUBLEES_TO_SHOW))


def meld_names(cards: Cards) -> list[str]:
    """Return the cards of a meld by name, an ace above the king last.

    >>> meld_names((0, 11, 12))
    ['QS', 'KS', 'AS']
    """
    if fits_sequence(cards, 5) and cards[0] % RANKS == 0 and cards[-1] % RANKS > 4:
        cards = (*cards[1:], cards[0])
    return names_of(cards)


def melds_to_json(found: Melds) -> list[list[str]]:
    """Return melds as lists of cards."""
    return [meld_names(cards) for cards in found]
