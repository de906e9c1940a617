"""The hand solver of Marriage against exhaustive enumerations that share no code with it."""

from __future__ import annotations

from functools import cache
from itertools import combinations, combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, sparse

from ustad.runtime.games.marriage import kernels
from ustad.runtime.games.marriage.cards.cards import (
    CARD_NUMBER,
    CARDS,
    COPIES,
    MASTER,
    PUTALI,
    counts_of,
)
from ustad.runtime.games.marriage.cards.finishes import finish_work, search_finish
from ustad.runtime.games.marriage.cards.maal import joker_mask
from ustad.runtime.games.marriage.cards.shows import (
    add_covers,
    dublee_count,
    putali_covers,
    remembered_covers,
    show_distance,
    suit_key,
)
from ustad.runtime.games.marriage.hand import Hand, judge_hand
from ustad.runtime.games.marriage.round.rules import Marriage

DECK = np.repeat(np.arange(CARDS), COPIES)
NONE = np.zeros(CARDS, dtype=np.int64)


def dealt(cards: int, hands: int, seed: int) -> list[list[int]]:
    random = np.random.default_rng(seed)
    return [sorted(random.permutation(DECK)[:cards].tolist()) for _ in range(hands)]


# Three pure melds: every choice of three targets, written out.


@cache
def pure_targets() -> list[list[int]]:
    """Return the 53 tanelas and 48 sequences of three as lists of cards."""
    tanelas = [[card] * 3 for card in range(53)]
    runs = [
        [13 * suit + rank % 13 for rank in range(first, first + 3)]
        for suit in range(4)
        for first in range(12)
    ]
    return tanelas + runs


@cache
def target_matrix(melds_wanted: int) -> np.ndarray:
    """Return (choices, 162): whether a choice of targets has a k-th copy of each card."""
    single = np.array([np.bincount(t, minlength=54) for t in pure_targets()], dtype=np.int8)
    choices = np.array(list(combinations_with_replacement(range(len(single)), melds_wanted)))
    counts = single[choices].sum(axis=1, dtype=np.int8)
    counts = counts[counts.max(axis=1) <= 3]
    return np.concatenate([counts >= k for k in (1, 2, 3)], axis=1).astype(np.float32)


def enumerated_show_distance(hands: list[list[int]]) -> list[int]:
    counts = np.array([np.bincount(hand, minlength=54) for hand in hands])
    held = np.concatenate([counts >= k for k in (1, 2, 3)], axis=1).astype(np.float32)
    covered = (target_matrix(3) @ held.T).max(axis=0)
    return [9 - int(most) for most in covered]


def solved_show_distance(hand: list[int], pure: bool = False) -> int:
    memory = np.zeros(1 << 12, dtype=np.int64)
    return show_distance(memory, counts_of(hand), NONE, pure)


def check_show_distance(hands: list[list[int]]) -> None:
    memory = np.zeros(1 << 12, dtype=np.int64)
    found = [kernels.show_distance(memory, counts_of(hand), NONE, False) for hand in hands]
    assert found == enumerated_show_distance(hands)


def narrow_hands(cards: int, hands: int, seed: int) -> list[list[int]]:
    """Return hands of few ranks and suits, where targets fight for the same cards."""
    random = np.random.default_rng(seed)
    deck = np.repeat(np.array([0, 1, 2, 3, 9, 10, 11, 12, 13, 14, 15, 52]), 3)
    return [sorted(random.permutation(deck)[:cards].tolist()) for _ in range(hands)]


def test_show_distance_is_that_of_every_choice_of_targets() -> None:
    check_show_distance(
        dealt(21, 60, 1) + dealt(22, 60, 2) + narrow_hands(12, 60, 3) + narrow_hands(21, 20, 4)
    )


@pytest.mark.slow
def test_show_distance_on_a_thousand_hands() -> None:
    check_show_distance(dealt(21, 500, 5) + dealt(22, 500, 6))


def test_plain_and_compiled_functions_agree() -> None:
    memory = np.zeros(1 << 12, dtype=np.int64)
    work, other = finish_work(), finish_work()
    for hand in dealt(13, 10, 7):
        counts = counts_of(hand)
        jokers = joker_mask(hand[0] % 52)
        assert show_distance(memory, counts, NONE, True) == (
            kernels.show_distance(memory, counts, NONE, True)
        )
        plain = search_finish(work, counts, jokers, 12, True, 0)
        fast = kernels.search_finish(other, counts, jokers, 12, True, 0)
        assert plain == fast
        assert (work.outs == other.outs).all()
        assert (work.chosen == other.chosen).all()


def pure_with_master(hand: list[int]) -> int:
    """Return the distance when the master may stand for one card of one sequence."""
    plain = [card for card in hand if card != MASTER]
    held = np.bincount(plain, minlength=54)
    best = solved_show_distance(plain)
    # One suit: only targets of that suit and any two others can matter.
    targets = np.array([np.bincount(t, minlength=54) for t in pure_targets() if max(t) < 13])
    pairs = [
        targets[list(pair)].sum(axis=0)
        for pair in combinations_with_replacement(range(len(targets)), 2)
    ]
    for run in pure_targets()[53:65]:
        for place in range(3):
            need = [card for at, card in enumerate(run) if at != place]
            total = np.array(pairs) + np.bincount(need, minlength=54)
            covered = np.minimum(total, held).sum(axis=1)[total.max(axis=1) <= 3]
            best = min(best, 8 - int(covered.max()))
    return best


def test_pure_master_fills_one_place_of_one_sequence() -> None:
    random = np.random.default_rng(8)
    deck = np.repeat(np.arange(13), 3)
    for cards in (5, 7, 9, 12, 12, 12):
        hand = [*random.permutation(deck)[:cards].tolist(), MASTER]
        assert solved_show_distance(hand, pure=True) == pure_with_master(hand)


def test_laid_tanela_counts_and_its_cards_are_gone() -> None:
    # 9H laid: nothing may complete 8-9-10 of hearts, which would be 1 away otherwise.
    hand = [CARD_NUMBER[name] for name in ["8H", "10H", "2S", "3S", "4S", "KC", "KC", "KC"]]
    laid = counts_of([CARD_NUMBER["9H"]] * 3)
    memory = np.zeros(1 << 12, dtype=np.int64)
    assert show_distance(memory, counts_of(hand), laid, False) == 0
    hand.remove(CARD_NUMBER["KC"])
    hand.remove(CARD_NUMBER["KC"])
    # What is left beside 2-3-4: 8H, 10H, KC, of which no two fit one meld without 9H.
    assert show_distance(memory, counts_of(hand), laid, False) == 2


def test_no_target_needs_the_copy_that_is_the_tiplu() -> None:
    """Against every choice of targets with a copy less of one card, and some cases by hand."""
    memory = np.zeros(1 << 12, dtype=np.int64)
    for number, hand in enumerate(narrow_hands(12, 25, 30) + dealt(21, 15, 31)):
        tiplu = max(set(hand), key=lambda card: (hand.count(card) == 2, card < 52, card))
        if hand.count(tiplu) == 3 or tiplu > 51:
            continue
        pool = target_matrix(3)[target_matrix(3)[:, 108 + tiplu] == 0]
        counts = np.bincount(hand, minlength=54)
        held = np.concatenate([counts >= k for k in (1, 2, 3)]).astype(np.float32)
        gone = counts_of([tiplu])
        for distance in (show_distance, kernels.show_distance):
            found = distance(memory, counts, gone, False)
            assert found == 9 - int((pool @ held).max()), (number, hand, tiplu)


# The finish: every way to put physical cards into places.


def run_span(ranks: list[int]) -> int:
    """Return the least span of distinct ranks, the ace low or high, 99 if two are equal."""
    if len(set(ranks)) < len(ranks):
        return 99
    low = max(ranks) - min(ranks) + 1
    high = [13 if rank == 0 else rank for rank in ranks]
    return min(low, max(high) - min(high) + 1)


def can_be_in_one_meld(cards: list[int], jokers: int, size: int) -> bool:
    """Tell whether cards can lie in a meld of so many places, the rest to be replaced."""
    if len(cards) > size:
        return False
    if size == 3 and len(set(cards)) == 1:
        return True  # a tanela
    normal = [card for card in cards if not jokers >> card & 1]
    if not normal:
        return True
    suits, ranks = [c // 13 for c in normal], [c % 13 for c in normal]
    if len(set(suits)) == 1 and run_span(ranks) <= size:
        return True
    return size == 3 and len(set(ranks)) == 1 and len(set(suits)) == len(suits)


def enumerated_finish_distance(hand: list[int], jokers: int) -> int:
    """Return 12 less the most cards that 3+3+3+3, 3+4+5 or 4+4+4 places can hold."""
    bits = range(len(hand))
    masks: dict[int, list[int]] = {}
    for size in (3, 4, 5):
        masks[size] = [
            sum(1 << at for at in choice)
            for length in range(1, size + 1)
            for choice in combinations(bits, length)
            if can_be_in_one_meld([hand[at] for at in choice], jokers, size)
        ]
    best = 0
    for shape in ((3, 3, 3, 3), (3, 4, 5), (4, 4, 4)):
        reached = np.zeros(1 << len(hand), dtype=bool)
        reached[0] = True
        index = np.arange(1 << len(hand))
        for size in shape:
            after = reached.copy()
            for mask in masks[size]:
                source = index[reached & (index & mask == 0)]
                after[source | mask] = True
            reached = after
        best = max(best, max(int(at).bit_count() for at in index[reached]))
    return 12 - best


def jokers_of(tiplu: int) -> int:
    suit, rank = divmod(tiplu, 13)
    maal = {13 * suit + (rank + step) % 13 for step in (-1, 0, 1)}
    maal |= {13 * other + rank for other in range(4)} | {52, 53}
    return sum(1 << card for card in maal)


def finish_hands(cards: int, hands: int, seed: int) -> list[tuple[list[int], int]]:
    random = np.random.default_rng(seed)
    return [
        (hand, jokers_of(int(random.integers(52))))
        for hand in dealt(cards, hands // 2, seed) + narrow_hands(cards, hands - hands // 2, seed)
    ]


def solved_finish(hand: list[int], jokers: int, outs: np.ndarray | None = None) -> int:
    work = finish_work()
    distance = kernels.search_finish(work, counts_of(hand), jokers, 12, True, 0)
    if outs is not None:
        outs[:] = work.outs
    return distance


def check_finish(hands: list[tuple[list[int], int]]) -> None:
    for hand, jokers in hands:
        assert solved_finish(hand, jokers) == enumerated_finish_distance(hand, jokers), hand


def test_finish_distance_is_that_of_every_placing_of_the_cards() -> None:
    check_finish(finish_hands(13, 8, 11) + finish_hands(12, 8, 12))


@pytest.mark.slow
def test_finish_distance_on_three_hundred_hands() -> None:
    check_finish(finish_hands(13, 150, 13) + finish_hands(12, 150, 14))


def check_outs(hands: list[tuple[list[int], int]]) -> None:
    """Check the outs of a search against a search of every hand with one card more."""
    outs = np.zeros(CARDS + 1, dtype=np.int64)
    other = outs.copy()
    for hand, jokers in hands:
        distance = solved_finish(hand, jokers, outs)
        if distance == 0:
            continue
        full = np.bincount(hand, minlength=54)
        discards = sorted(set(hand)) if len(hand) == 13 else [CARDS]
        for card in discards:
            rest = list(hand)
            if card < CARDS:
                if jokers >> card & 1:
                    continue
                rest.remove(card)
            if solved_finish(rest, jokers, other) > distance:
                assert outs[card] == 0
                continue
            expected = {
                new
                for new in range(54)
                if full[new] < COPIES[new] and solved_finish([*rest, new], jokers, other) < distance
            }
            found = {new for new in range(54) if outs[card] >> new & 1 and full[new] < COPIES[new]}
            assert found == expected, (hand, card)


def test_outs_are_the_cards_that_lessen_the_distance() -> None:
    check_outs(finish_hands(13, 60, 15) + finish_hands(12, 60, 16))


@pytest.mark.slow
def test_outs_on_many_hands() -> None:
    check_outs(finish_hands(13, 1000, 17) + finish_hands(12, 1000, 18))


@given(st.integers(0, 2**32), st.integers(10, 22))
def test_one_card_more_lowers_a_distance_by_at_most_one(seed: int, cards: int) -> None:
    hand = np.random.default_rng(seed).permutation(DECK)[:cards].tolist()
    before, after = solved_show_distance(hand[:-1]), solved_show_distance(hand)
    assert before - 1 <= after <= before


# The whole hand.


@cache
def finish_patterns() -> list[tuple[tuple[int, ...], int]]:
    """Return every meld of the finish: its cards that are no jokers, and its places."""
    found = {((), size) for size in (3, 4, 5)} | {((card,) * 3, 3) for card in range(52)}
    for suit in range(4):
        for size in (3, 4, 5):
            for low in range(15 - size):
                run = [13 * suit + rank % 13 for rank in range(low, low + size)]
                for many in range(1, size + 1):
                    found |= {(tuple(sorted(c)), size) for c in combinations(run, many)}
    for rank in range(13):
        for many in (1, 2, 3):
            found |= {(c, 3) for c in combinations(range(rank, 52, 13), many)}
    return sorted(found)


@cache
def whole_rows() -> tuple[sparse.csr_array, int, int]:
    """Return the rules of a whole hand as rows of an integer program, and their columns.

    Columns: the targets of the show, the melds of the finish, each card as a joker, each
    card that the hand need not replace, the three shapes of the finish.  Rows: copies
    used (54), cards kept less copies used (54), jokers, targets, shapes, melds by size.
    """
    targets, patterns = pure_targets(), finish_patterns()
    shows, melds_ = len(targets), len(patterns)
    rows = np.zeros((54 + 54 + 6, shows + melds_ + 54 + 54 + 3))
    for at, cards in enumerate([*targets, *(cards for cards, _ in patterns)]):
        np.add.at(rows[:54, at], np.array(cards, dtype=int), 1)
    joker, kept = shows + melds_, shows + melds_ + 54
    rows[:54, joker:kept] = np.eye(54)
    rows[54:108] = -rows[:54]
    rows[54:108, kept : kept + 54] = np.eye(54)
    rows[108, joker:kept] = -1
    rows[109, :shows] = 1
    rows[110, kept + 54 :] = 1
    for at, (cards, size) in enumerate(patterns):
        rows[108, shows + at] = size - len(cards)
        rows[111 + size - 3, shows + at] = 1
    rows[111:, kept + 54 :] = -np.array([[4, 1, 0], [0, 1, 3], [0, 1, 0]])
    return sparse.csr_array(rows), joker, kept


def whole_distance(hand: list[int], laid: list[int], tiplu: int | None) -> int:
    """Return the least cards to replace until show and finish, by integer programming.

    The hand in the end is any show and finish of cards that there are; what it shares
    with the hand at hand need not be replaced.
    """
    rows, joker, kept = whole_rows()
    held = np.bincount(hand, minlength=54)
    free = COPIES - np.bincount(laid if tiplu is None else [*laid, tiplu], minlength=54)
    shows = 3 - len(laid) // 3
    mask = jokers_of(tiplu) if tiplu is not None else 3 << 52
    most = np.full(rows.shape[1], 4.0)
    most[joker:kept] = [free[card] * (mask >> card & 1) for card in range(54)]
    most[kept : kept + 54] = held
    least_rows = np.concatenate([np.full(108, -np.inf), [0, shows, 1, 0, 0, 0]])
    most_rows = np.concatenate([free, np.zeros(54), [0, shows, 1, 0, 0, 0]])
    worth = np.zeros(rows.shape[1])
    worth[kept : kept + 54] = -1
    found = optimize.milp(
        worth,
        integrality=np.ones(len(worth)),
        bounds=optimize.Bounds(0, most),
        constraints=optimize.LinearConstraint(rows, least_rows, most_rows),
        options={"mip_rel_gap": 0},
    )
    assert found.status == 0
    return 3 * shows + 12 + round(found.fun)


def check_whole_hands(count: int, seed: int) -> None:
    """Check the distance of whole hands to a finish, and the melds told, of all kinds of hands.

    Some can show, some are of few suits, some have tanelas laid, some know the tiplu.
    """
    random = np.random.default_rng(seed)
    able = 0
    for number in range(count):
        fond = random.random(4) * (number % 3)
        deck = DECK[np.argsort(random.random(160) + np.append(fond, number % 2)[DECK // 13])]
        laid = [int(deck[0])] * 3 if number % 4 == 3 and deck[0] != MASTER else []
        cards = [card for card in deck.tolist() if card not in laid]
        hand, spare = cards[: 21 - len(laid)], cards[22 - len(laid) :]
        tiplu = next(card for card in spare if card < 52) if number % 3 else None
        if number % 5 == 4:
            hand.append(cards[len(hand)])
        if hand.count(tiplu) == 3:
            continue
        judged = Hand(
            Marriage(),
            tuple(sorted(hand + laid)),
            (tuple(laid),) if laid else (),
            tiplu,
        )
        answer = judge_hand(judged)
        able += answer["show_distance"] == 0
        assert answer["finish_distance"] == whole_distance(hand, laid, tiplu), (hand, laid, tiplu)
        missing = sum(len(row["missing"]) for row in answer["whole_show"])
        missing += sum(row["missing"] for row in answer["whole_finish"])
        assert missing == answer["finish_distance"]
    assert able > count // 20


def test_the_whole_hand_is_as_near_to_a_finish_as_an_integer_program_finds() -> None:
    check_whole_hands(8, 20)
    # It can show, but a show that still misses a card leaves a better finish.
    names = "JD AC 9D 2D 9D 8D 7C 6C 9D 6C 5C 10C KC JC 4C 7C 2C 10D QC AD 6D"
    cards = tuple(sorted(CARD_NUMBER[name] for name in names.split()))
    answer = judge_hand(Hand(Marriage(), cards))
    assert (answer["show_distance"], answer["finish_distance"]) == (0, 3)


@pytest.mark.slow
def test_the_whole_hand_of_many_hands() -> None:
    check_whole_hands(200, 21)


# Dealt hands: the shares in the rules.


@pytest.mark.slow
def test_shares_of_two_hundred_thousand_dealt_hands() -> None:
    # Measured on a prototype: 0, 1, 2 disjoint pure melds 16.0, 40.0, 32.2 %, can show
    # 11.8 %, a tanela 10.2 %, three putali 0.20 %.  Seven dublees are exact: the share of
    # 21 of 160 cards with at least seven kinds held twice or more is 0.000517944.
    hands = 200_000
    random = np.random.default_rng(19)
    memory = np.zeros(1 << 18, dtype=np.int64)
    show = tanela = putali = dublees = 0
    packed = np.zeros(4, dtype=np.int64)
    for _ in range(hands):
        counts = counts_of(random.permutation(DECK)[:21])
        show += kernels.show_distance(memory, counts, NONE, False) == 0
        packed[disjoint_melds(memory, counts)] += 1
        tanela += (counts == 3).any()
        putali += counts[PUTALI] == 3
        dublees += dublee_count(counts) >= 7
    assert packed[3] == show
    shares = (
        *((packed[number], share) for number, share in enumerate((0.16, 0.40, 0.322, 0.118))),
        (tanela, 0.102),
        (putali, 0.0020),
        (dublees, 0.000517944),
    )
    for found, share in shares:
        error = (share * (1 - share) / hands) ** 0.5
        rounding = 0.0005 if share > 0.01 else 0.00005 if share > 0.001 else 0
        assert abs(found / hands - share) <= 4 * error + rounding


def disjoint_melds(memory: np.ndarray, counts: np.ndarray) -> int:
    """Return the most disjoint pure melds of a hand, 3 for more."""
    total = putali_covers(int(counts[PUTALI]))
    for suit in range(4):
        key = suit_key(counts, suit)
        total = add_covers(total, remembered_covers(memory, key, 0, 0))
    return max([k for k in (1, 2, 3) if total >> 4 * (k - 1) & 15 == 3 * k], default=0)
