"""Views against a model: what a seat's view accepts is what some deal behind it allows.

The model is the round with every card.  A view of the seat to move must accept the very
moves that the round accepts; a view of another seat those for which a deal can be laid
behind it in which the round accepts them.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from ustad.runtime import Advisor
from ustad.runtime.core.errors import MoveError, PositionError
from ustad.runtime.core.game import CHANCE, LEVELS
from ustad.runtime.games.marriage.cards.cards import (
    CARD_NAMES,
    CARD_NUMBER,
    CARDS,
    COPIES,
    MASTER,
    NO_CARD,
    PUTALI,
    sorted_melds,
)
from ustad.runtime.games.marriage.cards.finishes import finish_melds
from ustad.runtime.games.marriage.cards.maal import joker_mask
from ustad.runtime.games.marriage.cards.melds import dublee_choices, show_choices
from ustad.runtime.games.marriage.codec import CODEC
from ustad.runtime.games.marriage.entry import ENTRY
from ustad.runtime.games.marriage.round.course import seat_of_turn
from ustad.runtime.games.marriage.round.deal import Deal
from ustad.runtime.games.marriage.round.moves import (
    Discard,
    Draw,
    Finish,
    Lay,
    Move,
    Show,
    ShowDublees,
    cards_given_up,
)
from ustad.runtime.games.marriage.round.public import SeatCard
from ustad.runtime.games.marriage.round.rules import RULES, Marriage
from ustad.runtime.games.marriage.round.view import View, Waits
from ustad.runtime.games.marriage.text import TEXT

OPTION_SETS: tuple[dict[str, Any], ...] = (
    {},
    {"see_tiplu": "at_once", "master_is_pure": True},
    {"dublee": False},
)
DECK = np.repeat(np.arange(CARDS), COPIES).tolist()


def rich_deal(rules: Marriage, players: int, choose: random.Random) -> Deal:
    """Return a deal full of tanelas, pairs and sequences, now and then with a short stock."""
    left = Counter(DECK)
    hands = []
    for _ in range(players):
        hand: list[int] = []
        while len(hand) < 21:
            card = choose.randrange(MASTER)
            many = choose.choice((2, 3))
            group = [card] * many if choose.random() < 0.6 else [card, card + 1, card + 2]
            if max(group) < PUTALI and all(left[c] >= group.count(c) for c in group):
                if len(hand) + len(group) <= 21:
                    hand += group
                    left -= Counter(group)
            elif len(hand) > 17:
                card = choose.choice(list(left.elements()))
                hand.append(card)
                left -= Counter([card])
        hands.append(hand[:21])
    rest = list(left.elements())
    choose.shuffle(rest)
    if choose.random() < 0.5:
        rest.sort(key=lambda card: card >= PUTALI)  # putali and master at the end
    order = [hands[place % players][place // players] for place in range(21 * players)]
    state = rules.deal_cards(players, order + rest)
    if choose.random() < 0.5:
        kept = choose.randrange(2, 9)
        course, pile = state.public.course, (*state.stock[:-kept], *state.public.pile)
        # Everybody has drawn from the stock and discarded that card again.
        discards = tuple(
            SeatCard(seat_of_turn(course, turn), card) for turn, card in enumerate(pile[1:])
        )
        course = course._replace(stock=kept, turns=len(discards))
        public = state.public._replace(course=course, pile=pile, discards=discards)
        state = state._replace(stock=state.stock[-kept:], public=public)
    return state


def rounds(count: int, seed: int) -> Iterator[tuple[Deal, Move]]:
    """Yield the states of rounds of random moves, what is rare preferred."""
    choose = random.Random(seed)
    for number in range(count):
        rules = RULES.read(OPTION_SETS[number % 3])
        state = rich_deal(rules, 2 + number % 4, choose)
        for _ in range(40):
            if state.is_over():
                break
            moves = list(state.legal_moves())
            rare = [move for move in moves if not isinstance(move, Draw | Discard)]
            move = choose.choice(rare if rare and choose.random() < 0.6 else moves)
            yield state, move
            state = state.apply(move)


def other_moves(state: Deal, choose: random.Random) -> list[Move]:
    """Return moves that may be legal or not: of other hands, in part changed."""
    found: list[Move] = [Draw("stock"), Draw("pile")]
    for hand in state.hands:
        if not hand:
            continue
        card = choose.choice(hand)
        found += [Discard(card), Discard(choose.randrange(CARDS)), Lay((card,) * 3)]
        shows = show_choices(hand, choose.choice((0, 1, 2, 3)), False)[:40]
        pairs = dublee_choices(hand)[:40]
        for chosen in [*shows[:1], *pairs[:1], *shows[-1:], *pairs[-1:]]:
            kind = ShowDublees if chosen and len(chosen[0]) == 2 else Show
            found.append(kind(chosen))
        for tiplu in (state.tiplu, choose.randrange(52)):
            if tiplu is not None and len(hand) >= 13:
                twelve = tuple(sorted(choose.sample(hand, 12)))
                built = finish_melds(twelve, joker_mask(tiplu))
                if built is not None:
                    found.append(Finish(built, choose.choice(hand)))
        twice = [card for card in hand if hand.count(card) > 1]
        if twice:
            found.append(Finish(((twice[0],) * 2,), card))
    for seat in state.public.seats:
        if len(seat.melds) == 3 and all(len(cards) == 3 for cards in seat.melds):
            runs = tuple(tuple(sorted(choose.sample(range(52), 3))) for _ in range(2))
            found.append(Finish(sorted_melds((*runs, (52, 52, 53), (1, 1, 1))), card))
    return found


def tried(state: Any, move: Move) -> Any:
    """Return the state after a move, None if it is refused."""
    try:
        return state.apply(move)
    except MoveError:
        return None


def followed(view: View, after: Deal) -> View:
    """Return a view with the chance fallen as it fell in the round."""
    while view.current_player() == CHANCE:
        assert CODEC.state_from_json(CODEC.state_to_json(view)) == view
        outcomes = dict(view.chance_outcomes())
        assert sum(outcomes.values()) == pytest.approx(1)
        card: Any = after.drawn if view.waits == Waits.CARD else after.tiplu
        if view.waits == Waits.WHETHER_TIPLU:
            card = after.public.course.tiplu_drawn
        assert card in outcomes
        view = view.apply(card)
    return view


def deal_behind(view: View, move: Move, tiplu: int | None, choose: random.Random) -> Deal | None:
    """Return a deal that the view could be of, in which the seat to move holds a move's cards."""
    public, course, known = view.public, view.public.course, view.public.held()
    pool = Counter({card: int(count) for card, count in enumerate(view.not_in_sight())})
    hands: dict[int, list[int]] = {view.seat: list(view.hand)}
    if view.tiplu is None and tiplu is not None:
        pool[tiplu] -= 1
    for seat in range(course.players):
        if seat != view.seat:
            held = Counter(np.repeat(np.arange(CARDS), known[seat]).tolist())
            if seat == public.to_move:
                held |= Counter(cards_given_up(move) if not isinstance(move, Draw) else ())
            hands[seat] = list(held.elements())
            pool.subtract(held)
    if min(pool.values()) < 0:
        return None
    left = list(pool.elements())
    choose.shuffle(left)
    if course.shown and not course.tiplu_drawn:
        left.sort()  # the stock comes last: putali and master
    for seat, hand in sorted(hands.items()):
        missing = public.in_hand(seat) - len(hand)
        if missing < 0:
            return None
        hand += left[:missing]
        left = left[missing:]
    if len(left) != course.stock:
        return None
    all_hands = tuple(tuple(sorted(hands[seat])) for seat in range(course.players))
    return Deal(view.rules, public, all_hands, None, tiplu, tuple(left))


def possible(view: View, move: Move, choose: random.Random) -> bool:
    """Tell whether a deal is found behind a view in which the move is legal."""
    tiplus: list[int | None] = [None]
    if view.public.course.tiplu_drawn:
        tiplus = [*view.possible_tiplus()]
    choose.shuffle(tiplus)
    for _ in range(2):
        for tiplu in tiplus:
            deal = deal_behind(view, move, tiplu, choose)
            if deal is not None and tried(deal, move) is not None:
                return True
    return False


@pytest.mark.parametrize("count", [20, pytest.param(80, marks=pytest.mark.slow)])
def test_views_accept_what_some_deal_behind_them_allows(count: int) -> None:
    choose = random.Random(8)
    accepted: Counter[tuple[str, bool]] = Counter()
    for state, played in rounds(count, 9):
        mover = state.current_player()
        view = state.view(mover)
        assert CODEC.state_from_json(json.loads(json.dumps(CODEC.state_to_json(view)))) == view
        assert list(view.legal_moves()) == list(state.legal_moves())
        for move in [played, *choose.sample(other_moves(state, choose), 6)]:
            after = tried(state, move)
            mine = tried(view, move)
            assert (mine is None) == (after is None), (move, CODEC.state_to_json(view))
            if after is not None and not after.is_over():
                assert followed(mine, after) == after.view(mover)
            players = state.public.course.players
            seat = (mover + choose.randrange(1, players)) % players
            other = state.view(seat)
            written = json.dumps(CODEC.state_to_json(other))
            assert CODEC.state_from_json(json.loads(written)) == other
            theirs = tried(other, move)
            if after is not None:
                assert theirs is not None, (move, written)
                if not after.is_over():
                    assert followed(theirs, after) == after.view(seat)
            else:
                assert (theirs is not None) == possible(other, move, choose), (move, written)
            accepted[type(move).__name__, theirs is not None] += 1
    for kind in (Lay, Show, ShowDublees, Finish, Discard):
        assert min(accepted[kind.__name__, fine] for fine in (True, False)) > 1, accepted


def test_changed_positions_are_refused_or_mean_something() -> None:
    """One key of a position changed: it is refused, or it is a view that can be played on."""
    choose = random.Random(5)
    refused = 0
    for state, _ in rounds(30, 6):
        written = CODEC.state_to_json(state.view(choose.randrange(state.public.course.players)))
        key = choose.choice([*written, "finisher", "shown_blind", "drawn_from"])
        changes: dict[str, list[Any]] = {
            "phase": ["draw", "discard"],
            "tiplu_drawn": [True, False, None],
            "shown_blind": [True, False],
            "drawn_from": ["stock"],
            "finisher": [None, 0, 1],
            "to_move": [0, 1, 2],
            "stock": [0, 1, 3, 60],
            "drawn": [None, "7H"],
            "tiplu": [None, "7H", "PJ"],
        }
        written[key] = choose.choice(changes.get(key, [written.get(key)]))
        try:
            view = CODEC.state_from_json(written)
        except PositionError:
            refused += 1
            continue
        assert CODEC.state_from_json(CODEC.state_to_json(view)) == view
        assert TEXT.describe(view)
        if view.current_player() == CHANCE:
            outcomes = view.chance_outcomes()
            assert sum(share for _, share in outcomes) == pytest.approx(1)
            for outcome, _ in outcomes[:2]:
                view.apply(outcome)
        for move in list(view.legal_moves())[:3]:
            view.apply(move)
    assert refused > 50


def blind_show(options: dict[str, Any]) -> tuple[View, Move, Move]:
    """Return seat 1's view of seat 0 before its show, the show, and a finish after it."""
    rules = RULES.read(options)
    built = [0, 1, 2, 4, 5, 6, 8, 9, 10, 13, 14, 15, 17, 18, 19, 21, 22, 23, 26, 27, 28]
    left = list((Counter(DECK) - Counter(built)).elements())
    random.Random(3).shuffle(left)
    order = [card for pair in zip(built, left[:21], strict=True) for card in pair] + left[21:]
    state = rules.deal_cards(2, order).apply(Draw("stock"))
    show = Show(((0, 1, 2), (4, 5, 6), (8, 9, 10)))
    rest = ((13, 14, 15), (17, 18, 19), (21, 22, 23), (26, 27, 28))
    return state.view(1), show, Finish(rest, state.hands[1][0])


def test_another_seat_that_has_shown_blind_does_not_finish_in_that_turn() -> None:
    for options, refused in (({}, True), ({"see_tiplu": "at_once"}, False)):
        view, show, finish = blind_show(options)
        shown = view.apply(show)
        again = CODEC.state_from_json(CODEC.state_to_json(shown))
        assert again == shown
        twin = next(card for card in range(30, 52) if shown.unseen()[card])
        for seen in (shown, again):
            if refused:
                with pytest.raises(MoveError, match="does not see the tiplu"):
                    seen.apply(Finish(finish.melds, twin))  # type: ignore[union-attr]
            else:
                over = seen.apply(Finish(finish.melds, twin))  # type: ignore[union-attr]
                assert over.public.course.finisher == 0


def test_a_short_stock_may_hold_no_tiplu_and_chance_says_so() -> None:
    """Three cards in the stock, four putali and master unseen, 22 cards with the other seat."""
    view, show, _ = blind_show({})
    hidden = view.not_in_sight()
    hidden[52:] = 0
    hidden[[0, 1, 2, 4, 5, 6, 8, 9, 10, 29]] -= 1
    spare = np.repeat(np.arange(54), hidden).tolist()[-(view.public.course.stock - 3) :]
    pile = (*spare, *view.public.pile)
    course = view.public.course._replace(stock=3, turns=len(pile) // 2 * 2)
    public = view.public._replace(course=course, pile=pile)
    waiting = view._replace(public=public).apply(show)
    assert waiting.current_player() == CHANCE
    outcomes = dict(waiting.chance_outcomes())
    # Each of the three is one of the four, of 16 cards not seen once nine are shown.
    assert outcomes[False] == pytest.approx(4 * 3 * 2 / (16 * 15 * 14))
    none = waiting.apply(False)
    assert (none.public.course.tiplu_drawn, none.public.course.stock) == (False, 3)
    drawn = waiting.apply(True)
    course = drawn.public.course
    assert (course.tiplu_drawn, course.stock, course.blind) == (True, 2, True)
    for after in (waiting, none, drawn):
        assert CODEC.state_from_json(CODEC.state_to_json(after)) == after
    # What is left of such a stock are putali and master alone.
    mine = none.apply(Discard(29)).apply(Draw("stock"))
    assert {card for card, _ in mine.chance_outcomes()} == {52, 53}


def test_more_cards_than_a_hand_has_are_not_laid() -> None:
    table = [{"seat": at, "melds": [], "laid_before_draw": [], "shown": False, "dublees": False}
             for at in range(2)]  # fmt: skip
    table[1] |= {"laid_before_draw": [["AS"] * 3, ["2S"] * 3, ["3S"] * 3]}
    written = {
        "game": "marriage", "options": {}, "players": 2, "seat": 0, "to_move": 1, "dealer": 0,
        "turns": 0, "phase": "discard", "drawn": None, "table": table, "tiplu_drawn": False,
        "tiplu": None, "pile": ["4C"], "discards": [], "taken": [], "stock": 116,
        "hand": list(CARD_NAMES[13:34]),
    }  # fmt: skip
    view = CODEC.state_from_json(written)
    with pytest.raises(MoveError, match="holds 13 cards only"):
        view.apply(ShowDublees(tuple((card,) * 2 for card in range(34, 41))))
    pairs = [[CARD_NAMES[card]] * 2 for card in range(34, 41)]
    table[1] |= {"melds": pairs, "shown": True, "dublees": True}
    with pytest.raises(PositionError, match="at most 21 cards"):
        CODEC.state_from_json({**written, "tiplu_drawn": True, "stock": 115})


def changed(written: dict[str, Any], choose: random.Random) -> dict[str, Any] | None:
    """Return a position of a round with one thing of its play changed that cannot be so."""
    written = json.loads(json.dumps(written))
    players, seat = written["players"], written["seat"]
    discards, taken, pile = written["discards"], written["taken"], written["pile"]
    kind = choose.randrange(5)
    if kind == 0 and discards:  # discarded out of turn
        row = choose.choice(discards)
        row["seat"] = (row["seat"] + choose.randrange(1, players)) % players
    elif kind == 1 and taken:  # taken out of turn
        row = choose.choice(taken)
        row["seat"] = (row["seat"] + choose.randrange(1, players)) % players
        # The same card may have been on top in that seat's turn too.
        if sum(entry["card"] == row["card"] for entry in discards) > 1 or row == taken[0]:
            return None
    elif kind == 2:  # what this seat holds whole was taken by another
        whole = [card for card in written["hand"] if written["hand"].count(card) == 3]
        if not whole:
            return None
        taken.append({"seat": (seat + 1) % players, "card": whole[0]})
    elif kind == 3 and written["phase"] == "draw" and "finisher" not in written:
        written["stock"] += len(pile)  # the pile is gone
        pile.clear()
    elif kind == 4 and len(pile) > 1:  # another order of the pile
        pile[0], pile[-1] = pile[-1], pile[0]
        if pile[0] == pile[-1]:
            return None
    else:
        return None
    return written


def test_play_that_cannot_have_been_is_refused() -> None:
    """Every view of real rounds is read back; with its play changed it is refused."""
    choose = random.Random(11)
    refused: Counter[int] = Counter()
    for number in range(24):
        rules = RULES.read(OPTION_SETS[number % 3])
        state = rules.deal(2 + number % 4, (number,))
        while not state.is_over() and state.public.course.turns < 30:
            moves = list(state.legal_moves())
            piles = [move for move in moves if move == Draw("pile")]
            state = state.apply(choose.choice(piles if piles and number % 2 else moves))
            view = state.view(choose.randrange(state.public.course.players))
            written = CODEC.state_to_json(view)
            assert CODEC.state_from_json(written) == view
            impossible = changed(written, choose)
            if impossible is not None:
                refused[state.public.course.players] += 1
                with pytest.raises(PositionError):
                    CODEC.state_from_json(impossible)
    assert min(refused.values()) > 20


SEEN = "9H 9H 9H 5H 6H 7H QD KD AD 2C 4C 8C KC 2D 4D 7D JD 3S 6S JS KS"


def play_so_far(
    turns: int, pile: str, discards: str = "", taken: str = "", hand: str = SEEN, **keys: Any
) -> dict[str, Any]:
    """Return a position of four seats; cards discarded and taken are written as ``0:6C``."""

    def entries(written: str) -> list[dict[str, Any]]:
        pairs = (entry.split(":") for entry in written.split())
        return [{"seat": int(seat), "card": card} for seat, card in pairs]

    return {
        "game": "marriage", "options": {}, "players": 4, "seat": 0, "to_move": 0, "dealer": 3,
        "turns": turns, "phase": "draw", "hand": hand.split(), "drawn": None,
        "table": [
            {"seat": at, "melds": [], "laid_before_draw": [], "shown": False, "dublees": False}
            for at in range(4)
        ],
        "tiplu_drawn": False, "tiplu": None, "pile": pile.split(),
        "discards": entries(discards), "taken": entries(taken),
        "stock": 160 - 84 - len(pile.split()) - (keys.get("phase") == "discard"),
        **keys,
    }  # fmt: skip


DISCARDED = "0:6C 1:7C 2:8D 3:10C"


@pytest.mark.parametrize(
    ("written", "key"),
    [
        (play_so_far(0, ""), "pile"),
        (play_so_far(0, "5C 6C 7C"), "pile: expected at most 1"),
        (play_so_far(4, "5C 6C 7C 8D 10C", DISCARDED, "1:9H"), "taken: expected at most 0"),
        (play_so_far(4, "5C 6C 8D 10C", DISCARDED, "1:9H"), "pile"),
        (play_so_far(4, "5C 6C 7C 8D 10C", "2:QS 2:3C 2:8D 2:10C"), r"discards\[0\].*seat 0"),
        (play_so_far(4, "5C 6C 7C 8S 10C", DISCARDED), "pile"),
        (
            play_so_far(
                0, "5C", "", "2:QH 2:QH 1:QH 3:QH", SEEN + " 3H", phase="discard", drawn="3H"
            ),
            "taken: expected at most 0",
        ),
        # Seat 2 took a 7C that seat 1 discarded, all three of which this seat holds.
        (
            play_so_far(4, "5C 6C 8D 10C", DISCARDED, "2:7C", SEEN.replace("9H", "7C")),
            "taken: 7C: there are 3, got 4",
        ),
        # This seat took the first card, discarded another, and does not hold the first.
        (play_so_far(4, "6C 7C 8D 10C", DISCARDED, "0:5C"), "hand: expected 5C"),
    ],
)
def test_what_no_round_can_have_brought_about_is_refused(written: dict[str, Any], key: str) -> None:
    with pytest.raises(PositionError, match=key):
        CODEC.state_from_json(written)


@pytest.mark.parametrize(
    "written",
    [
        play_so_far(0, "5C", "1:5C", "2:9S"),  # the turns not counted
        play_so_far(4, "5C 6C 7C 8D 10C", DISCARDED),
        play_so_far(4, "5C 6C 8D 10C", DISCARDED, "2:7C"),
        play_so_far(4, "5C 6C 8D 10C", DISCARDED),  # who took the 7C is forgotten
        play_so_far(8, "5C 10C", "3:10C", "2:9S"),  # much is forgotten
        play_so_far(2, "5C 6C 7C 8D 10C", "3:10C"),  # two turns of each seat
    ],
)
def test_what_some_round_can_have_brought_about_is_read(written: dict[str, Any]) -> None:
    view = CODEC.state_from_json(written)
    assert CODEC.state_from_json(CODEC.state_to_json(view)) == view


def test_what_is_not_remembered_counts_as_unseen() -> None:
    """Seat 2 took the 7C that seat 1 discarded, and later discarded it again: it is on top."""
    discards = "0:6C 1:7C 2:8D 3:10C 0:2C 1:3C 2:7C"
    whole = play_so_far(7, "5C 6C 8D 10C 2C 3C 7C", discards, "2:7C", to_move=3)
    assert CODEC.state_from_json(whole).unseen()[CARD_NUMBER["7C"]] == 2
    for missing in ({"discards"}, {"taken"}, {"discards", "taken"}):
        view = CODEC.state_from_json({k: v for k, v in whole.items() if k not in missing})
        assert view.unseen().tolist() == view.not_in_sight().tolist()
        assert view.unseen()[CARD_NUMBER["7C"]] == 2
    # Not on the pile, it is in the hand of seat 2 or has been taken again.
    held = play_so_far(4, "5C 6C 8D 10C", DISCARDED, "2:7C")
    assert CODEC.state_from_json(held).unseen()[CARD_NUMBER["7C"]] == 2
    del held["discards"]
    assert CODEC.state_from_json(held).unseen()[CARD_NUMBER["7C"]] == 2


def test_a_card_taken_from_the_pile_stays_barred_without_what_was_taken() -> None:
    drawn = {"phase": "discard", "drawn": "10C", "hand": f"{SEEN} 10C"}
    pile = "5C 6C 7C 8D"
    told = play_so_far(4, pile, DISCARDED, "0:10C", **drawn)
    barred = CARD_NUMBER["10C"]
    assert CODEC.state_from_json(told).public.course.barred == barred
    del told["taken"]  # the last discard is gone from the pile
    assert CODEC.state_from_json(told).public.course.barred == barred
    del told["discards"]  # nobody can tell
    assert CODEC.state_from_json(told).public.course.barred == NO_CARD
    view = CODEC.state_from_json({**told, "drawn_from": "pile"})
    assert view.public.course.barred == barred
    assert Discard(barred) not in view.legal_moves()
    assert CODEC.state_from_json(CODEC.state_to_json(view)) == view
    alone = play_so_far(0, "", "", "", **drawn)
    del alone["taken"], alone["discards"]
    assert CODEC.state_from_json(alone).public.course.barred == barred


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"drawn_from": "pile"}, 'drawn_from: expected "stock" or nothing'),
        ({"drawn_from": "hand"}, 'drawn_from: expected "stock" or "pile"'),
        (
            {"phase": "discard", "drawn": "3H", "hand": [*SEEN.split(), "3H"],
             "pile": ["5C", "6C", "7C", "8D"], "stock": 71},
            "drawn: expected 10C, taken from the pile",
        ),
    ],
)  # fmt: skip
def test_where_a_card_cannot_come_from_is_told(changes: dict[str, Any], message: str) -> None:
    written = play_so_far(4, "5C 6C 7C 8D 10C", DISCARDED)
    with pytest.raises(PositionError, match=re.escape(message)):
        CODEC.state_from_json({**written, **changes})


def test_every_level_answers_without_what_was_discarded_and_taken() -> None:
    """A round of hard bots; what the seat to move knows, a key or two forgotten."""
    state: Any = RULES.read({}).deal(3, (2,))
    hard = ENTRY.levels.bot("hard", state.rules, None, 0)
    asked: Counter[str] = Counter()
    while not state.is_over():
        view = state.view(state.current_player())
        move = hard.choose(view)
        if state.public.course.turns % 9 == 4 or not isinstance(move, Draw | Discard):
            position = CODEC.state_to_json(view)
            for missing in ({"discards"}, {"taken"}, {"discards", "taken"}):
                for level in LEVELS:
                    kept = {key: held for key, held in position.items() if key not in missing}
                    answer = Advisor().ask(kept, level)
                    assert answer["best"]
            asked[type(move).__name__] += 1
        state = state.apply(move)
    assert asked["Show"] > 0
    assert asked["Discard"] > 1
