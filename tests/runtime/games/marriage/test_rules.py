"""The rules of Marriage: the known answers, what is legal, what a seat may know, the settlement."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ustad.runtime.core.errors import MoveError, OptionError, OutcomeError, PositionError
from ustad.runtime.core.game import CHANCE
from ustad.runtime.games.marriage.cards.cards import (
    CARD_NAMES,
    CARD_NUMBER,
    CARDS,
    COPIES,
    NO_CARD,
    PUTALI,
    counts_of,
    flat,
    sorted_melds,
    without,
)
from ustad.runtime.games.marriage.cards.finishes import finish_melds, finish_melds_exist
from ustad.runtime.games.marriage.cards.maal import joker_mask
from ustad.runtime.games.marriage.cards.melds import is_finish_meld, is_pure, show_choices
from ustad.runtime.games.marriage.codec import CODEC
from ustad.runtime.games.marriage.hand import Hand, finish_distance, judge_hand
from ustad.runtime.games.marriage.round.course import (
    NOBODY,
    Course,
    before_first_draw,
    first_turn,
    sees_tiplu,
)
from ustad.runtime.games.marriage.round.deal import Deal
from ustad.runtime.games.marriage.round.moves import Discard, Draw, Finish, Lay, Show, ShowDublees
from ustad.runtime.games.marriage.round.rules import RULES, Marriage
from ustad.runtime.games.marriage.round.settlement import counted_maal, settlement
from ustad.runtime.games.marriage.round.view import Waits
from ustad.runtime.games.marriage.text import TEXT

CASES = json.loads(
    (Path(__file__).parents[3] / "data" / "marriage.json").read_text(encoding="utf-8")
)["cases"]


def cards(text: str) -> tuple[int, ...]:
    return tuple(sorted(CARD_NUMBER[name] for name in text.split()))


def words(text: str) -> list[str]:
    return text.split()


def of_kind(*kinds: str) -> Any:
    return pytest.mark.parametrize(
        "case", [case for case in CASES if case["kind"] in kinds], ids=lambda case: case["id"]
    )


# The known answers, through the command.


@of_kind("can_show", "maal", "finish")
def test_hand_answers_as_known(case: dict[str, Any], run_ustad: Callable[..., Any]) -> None:
    flags = ["hand", "--json", "--cards", " ".join(case.get("hand") or case["cards"])]
    if case["kind"] == "finish":
        flags.append("--after-show")
    if "tiplu" in case:
        flags += ["--tiplu", case["tiplu"]]
    if case.get("player_has_shown") is False:
        flags.append("--not-shown")
    for tanela in case["laid"]:
        flags += ["--laid", " ".join(tanela)]
    for name, value in case.get("options", {}).items():
        flags += ["--option", f"{name}={json.dumps(value)}"]
    run = run_ustad(*flags)
    assert run.status == 0
    assert {key: run.json[key] for key in case["expect"]} == case["expect"]


@of_kind("score")
def test_payments_are_as_known(case: dict[str, Any]) -> None:
    seats = case["players"]
    maal = [seat["maal"] if seat["shown"] else 0 for seat in seats]
    shown = [seat["shown"] for seat in seats]
    course = ended(shown, case["finisher"], case["finished_by_dublee"])
    assert list(settlement(course, maal)) == case["expect"]["net"]


def ended(shown: list[bool], finisher: int | None, by_dublee: bool) -> Course:
    """Return the course of a round at its end."""
    bits = sum(1 << seat for seat, has in enumerate(shown) if has)
    who = NOBODY if finisher is None else finisher
    dublees = 1 << who if by_dublee else 0
    return first_turn(len(shown), 0)._replace(shown=bits, dublees=dublees, finisher=who)


def maal(
    hand: str, tiplu: str | None, laid: tuple[str, ...] = (), shown: bool = True, **options: Any
) -> int:
    number = NO_CARD if tiplu is None else CARD_NUMBER[tiplu]
    return counted(hand, number, laid, shown, any_shown=shown, **options)


def counted(
    hand: str, tiplu: int, laid: tuple[str, ...], shown: bool, any_shown: bool, **options: Any
) -> int:
    tanelas = counts_of(cards(" ".join(laid)))
    owned = counts_of(cards(hand)) + tanelas
    return counted_maal(Marriage(**options).numbers, owned, tanelas, tiplu, shown, any_shown)


@pytest.mark.parametrize(
    ("hand", "tiplu", "points"),
    [  # The rows of the table of maal; the king's poplu is the ace.
        ("7H", "7H", 3),
        ("8H 8H 8H", "7H", 10),
        ("6H 6H", "7H", 5),
        ("7D 7D 7D", "7H", 25),
        ("7S 7C", "7H", 0),
        ("PJ PJ PJ", "7H", 25),
        ("MJ", "7H", 10),
        ("6H 7H 8H", "7H", 10),
        ("6H 6H 7H 7H 8H 8H", "7H", 30),
        ("6H 7H 8H 8H", "7H", 12),  # a marriage, and a poplu beside it
        ("6H 6H 6H 7H 8H 8H 8H", "7H", 23),  # 10 + 3 + 10 apart, 10 + 5 + 5 married
        ("KH AH QH", "KH", 10),
        ("AS 2S KS", "AS", 10),
        ("7C", "7S", 5),  # spades and clubs are of one colour
    ],
)
def test_maal_of_cards(hand: str, tiplu: str, points: int) -> None:
    assert maal(hand, tiplu) == points


def test_maal_of_laid_tanelas_and_of_who_never_shows() -> None:
    putali = ("PJ PJ PJ",)
    assert maal("2C", "7H", putali) == 45
    assert maal("2C", "7H", putali, shown=False) == 25
    assert maal("2C", "7H", putali, shown=False, laid_need_tiplu=False) == 45
    # The 45 are for laying: a seat that has not shown has them whole though its cards count 0.
    laid = ("PJ PJ PJ", "4S 4S 4S")
    options = {"laid_need_tiplu": False, "printed_need_show": True}
    assert counted("MJ 2C", 5, laid, False, any_shown=True, **options) == 50
    assert counted("MJ 2C", 5, laid, False, any_shown=False, **options) == 60
    assert maal("7H", "7H", ("4S 4S 4S",), shown=False) == 0
    assert maal("7H PJ MJ", "7H", shown=False) == 15
    # Nobody showed in this round: putali and master count even under the option.
    assert maal("PJ MJ", None, shown=False, printed_need_show=True) == 15
    assert counted("PJ MJ", 5, (), False, any_shown=True, printed_need_show=True) == 0


def test_a_finish_by_dublee_takes_five_more_from_each() -> None:
    assert settlement(ended([True, True, False], 0, True), [0, 0, 0]) == (23, -8, -15)


# The deal.


@pytest.mark.parametrize(("players", "stock"), [(2, 117), (3, 96), (4, 75), (5, 54)])
def test_the_deal(players: int, stock: int) -> None:
    state = Marriage().deal(players, (1,))
    assert len(state.stock) == state.public.course.stock == stock
    assert [len(hand) for hand in state.hands] == [21] * players
    assert state.public.course.dealer == players - 1
    assert state.current_player() == 0
    assert Counter(all_cards(state)) == Counter(DECK)


DECK = np.repeat(np.arange(CARDS), COPIES).tolist()


def all_cards(state: Deal) -> list[int]:
    found = [card for hand in state.hands for card in hand]
    found += [card for seat in state.public.seats for card in seat.cards]
    found += [*state.public.pile, *state.stock]
    return found if state.tiplu is None else [*found, state.tiplu]


def test_cards_are_dealt_one_at_a_time_from_the_dealers_left_and_the_deal_moves() -> None:
    order = list(range(52)) * 3 + [52, 52, 52, 53]
    state = Marriage().deal_cards(4, order, first=2)
    assert state.hands[2] == tuple(sorted(order[0:84:4]))
    assert state.hands[1] == tuple(sorted(order[3:84:4]))
    assert state.public.pile == (order[84],)
    assert state.public.course.dealer == 1
    after = Marriage().next_round(state, (3,))
    assert after.public.course.dealer == 2
    assert after.current_player() == 3


# Play.


OPTION_SETS: tuple[dict[str, Any], ...] = (
    {},
    {"see_tiplu": "at_once", "master_is_pure": True},
    {"dublee": False, "printed_need_show": True, "laid_need_tiplu": False},
)


def random_round(players: int, seed: int, options: dict[str, Any]) -> Iterator[tuple[Deal, Any]]:
    """Yield each state of a round of random moves, shows and finishes preferred."""
    choose = random.Random(seed)
    state = RULES.read(options).deal(players, (seed,))
    while not state.is_over():
        moves = list(state.legal_moves())
        rare = [move for move in moves if not isinstance(move, Draw | Discard)]
        move = choose.choice(rare if rare and choose.random() < 0.7 else moves)
        yield state, move
        state = state.apply(move)
    yield state, None


@settings(max_examples=6, deadline=None)
@given(st.integers(2, 5), st.integers(0, 10**6), st.sampled_from(OPTION_SETS))
def test_a_round_keeps_its_cards_and_sums_to_zero(
    players: int, seed: int, options: dict[str, Any]
) -> None:
    for state, _ in random_round(players, seed, options):
        assert Counter(all_cards(state)) == Counter(DECK)
    assert sum(state.returns()) == 0
    course = state.public.course
    assert course.finisher != NOBODY or course.stock == 0


@settings(max_examples=4, deadline=None)
@given(st.integers(2, 5), st.integers(0, 10**6), st.sampled_from(OPTION_SETS))
def test_a_view_follows_the_round_and_tells_no_more(
    players: int, seed: int, options: dict[str, Any]
) -> None:
    """A seat's view, moved on by what it sees and the cards it gets, stays that seat's view."""
    for state, move in random_round(players, seed, options):
        if move is None:
            break
        view = state.view(state.current_player())
        again = CODEC.state_from_json(json.loads(json.dumps(CODEC.state_to_json(view))))
        assert again == view
        after = state.apply(move)
        followed = again.apply(CODEC.move_from_json(CODEC.move_to_json(move)))
        while followed.current_player() == CHANCE:
            assert CODEC.state_from_json(CODEC.state_to_json(followed)) == followed
            outcomes = dict(followed.chance_outcomes())
            assert sum(outcomes.values()) == pytest.approx(1)
            card = after.drawn if followed.waits == Waits.CARD else after.tiplu
            assert card in outcomes
            followed = followed.apply(card)
        if not after.is_over():
            assert followed == after.view(view.seat)
        other = state.view((view.seat + 1) % players)
        assert list(other.legal_moves()) == []
        if not after.is_over():
            assert other.apply(move) == after.view(other.seat)


def shuffled_behind(state: Deal, seat: int, seed: int) -> Deal:
    """Return the round with everything that the seat does not know dealt anew."""
    view = state.view(seat)
    hidden = [card for other, hand in enumerate(state.hands) if other != seat for card in hand]
    hidden += state.stock
    if view.tiplu is None and state.tiplu is not None:
        hidden.append(state.tiplu)
    random.Random(seed).shuffle(hidden)
    hands = list(state.hands)
    tiplu = state.tiplu
    for other in range(len(hands)):
        if other != seat:
            size = len(hands[other])
            hands[other], hidden = tuple(sorted(hidden[:size])), hidden[size:]
    if view.tiplu is None and tiplu is not None:
        at = next(at for at, card in enumerate(hidden) if card < PUTALI)
        tiplu = hidden.pop(at)
    return state._replace(hands=tuple(hands), tiplu=tiplu, stock=tuple(hidden))


def test_a_view_depends_on_nothing_hidden() -> None:
    for seed in range(6):
        for state, move in random_round(2 + seed % 4, seed, {}):
            if move is not None:
                seat = state.current_player()
                assert shuffled_behind(state, seat, seed).view(seat) == state.view(seat)


def test_tiplu_is_seen_after_the_discard_or_at_once_and_by_showers_alone() -> None:
    for options, at_once in (({}, False), ({"see_tiplu": "at_once"}, True)):
        seen = 0
        for seed in range(12):
            for state, move in random_round(4, seed, options):
                if not isinstance(move, Show | ShowDublees):
                    continue
                player = state.current_player()
                before_draw = not state.public.course.has_drawn
                after = state.apply(move)
                if after.tiplu is None:
                    continue
                seen += 1
                assert (after.view(player).tiplu is not None) == (at_once or before_draw)
                for other in range(4):
                    if not after.public.shown(other):
                        assert after.view(other).tiplu is None
        assert seen > 5


def test_finishes_and_lays_are_what_the_rules_say() -> None:
    laid = finished = 0
    for seed in range(10):
        for state, move in random_round(3, seed, {}):
            if isinstance(move, Lay):
                assert before_first_draw(state.public.course, state.public.has_discarded)
                laid += 1
            elif isinstance(move, Finish):
                assert state.public.shown(state.current_player())
                assert sees_tiplu(state.public.course, state.current_player())
                finished += 1
    assert laid
    assert finished


def position(**changes: Any) -> dict[str, Any]:
    """Return a view of seat 0 in its first turn, before the draw, with changes."""
    names = words("9H 9H 9H 5H 6H 7H QD KD AD 2C 4C 8C KC 2D 4D 7D JD 3S 6S JS KS")
    table = [
        {"seat": at, "melds": [], "laid_before_draw": [], "shown": False, "dublees": False}
        for at in range(4)
    ]
    start = {
        "game": "marriage", "options": {}, "players": 4, "seat": 0, "to_move": 0, "dealer": 3,
        "turns": 0, "phase": "draw", "hand": names, "drawn": None, "table": table,
        "tiplu_drawn": False, "tiplu": None, "pile": ["5C"], "discards": [], "taken": [],
        "stock": 75,
    }  # fmt: skip
    return {**start, **changes}


def test_the_card_just_taken_may_not_be_discarded() -> None:
    state = CODEC.state_from_json(position()).apply(Draw("pile"))
    five = CARD_NUMBER["5C"]
    assert Discard(five) not in state.legal_moves()
    with pytest.raises(MoveError, match="5C was just taken"):
        state.apply(Discard(five))


def test_a_trial_or_a_joker_is_no_show_and_the_message_names_it() -> None:
    names = words("9H 9H 9H 5H 6H PJ 10S 10D 10C QD KD AD 4C 8C KC 2D 4D 7D JD 3S 6S")
    state = CODEC.state_from_json(position(hand=names))
    for bad in (["10S", "10D", "10C"], ["5H", "6H", "PJ"]):
        written = {"show": [["9H"] * 3, bad, ["QD", "KD", "AD"]]}
        with pytest.raises(MoveError, match="no pure meld"):
            state.apply(CODEC.move_from_json(written))


def test_three_laid_tanelas_need_the_show_to_be_called() -> None:
    names = words("9H 9H 9H 5H 5H 5H QD QD QD 2C 4C 8C KC 2D 4D 7D JD 3S 6S JS KS")
    state: Any = CODEC.state_from_json(position(hand=names))
    for name in ("9H", "5H", "QD"):
        state = state.apply(Lay((CARD_NUMBER[name],) * 3))
    assert "called" in TEXT.describe(state)
    assert Show(()) in state.legal_moves()
    shown = state.apply(Show(()))
    assert shown.current_player() == CHANCE
    assert shown.public.course.stock == 74
    assert shown.apply(CARD_NUMBER["7H"]).tiplu == CARD_NUMBER["7H"]


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"stock": 74}, "stock"),
        ({"hand": ["9H"] * 4 + ["2C"] * 17}, "9H"),
        ({"hand": ["9H"]}, "hand"),
        ({"to_move": 4}, "to_move"),
        ({"to_move": True}, "to_move"),
        ({"tiplu": "7H"}, "tiplu"),
        ({"tiplu_drawn": True, "stock": 74}, "tiplu_drawn"),
        ({"phase": "discard", "stock": 74, "drawn": "AH"}, "drawn"),
        ({"drawn": "9H"}, "drawn"),
        ({"pile": ["5X"]}, "pile"),
        ({"discards": [{"seat": 3, "card": "6C"}]}, "pile"),
        ({"discards": [{"seat": 4, "card": "5C"}]}, "seat"),
        ({"turns": -1}, "turns"),
        ({"surprise": 1}, "surprise"),
    ],
)
def test_positions_that_cannot_be_are_refused_by_key(changes: dict[str, Any], key: str) -> None:
    with pytest.raises(PositionError, match=key):
        CODEC.state_from_json(position(**changes))


@pytest.mark.parametrize("value", [True, False])
def test_true_and_false_are_no_cards(value: bool) -> None:
    """As numbers they would be the ace and the two of spades."""
    drawing = CODEC.state_from_json(position()).apply(Draw("stock"))
    assert {0, 1} <= {card for card, _ in drawing.chance_outcomes()}
    shown = CODEC.state_from_json(position()).apply(
        Show(sorted_melds(map(cards, ("9H 9H 9H", "5H 6H 7H", "QD KD AD"))))
    )
    for state, what in ((drawing, "card of the stock"), (shown, "tiplu")):
        with pytest.raises(OutcomeError, match=f"outcome: expected an unseen card as {what}, got"):
            state.apply(CODEC.outcome_from_json(value))


@pytest.mark.parametrize("key", [*position(), "finisher", "maal", "net", "drawn_from"])
@pytest.mark.parametrize("value", [True, 1.0, -1, -1.0])
def test_no_key_takes_a_value_of_another_kind(key: str, value: Any) -> None:
    if key == "tiplu_drawn" and value is True:
        return
    with pytest.raises((PositionError, OptionError), match=key):
        CODEC.state_from_json(position(**{key: value}))


def test_unknown_options_are_refused() -> None:
    with pytest.raises(OptionError, match="jokers"):
        CODEC.state_from_json(position(options={"jokers": 2}))


@pytest.mark.parametrize(
    ("flags", "key"),
    [
        (["--cards", "7X"], "7X"),
        (["--cards", "7H 7H 7H", "--tiplu", "7H"], "7H"),
        (["--cards", "7H", "--laid", "PJ PJ PJ"], "--laid"),
        (["--cards", "7H", "--tiplu", "PJ"], "--tiplu"),
        (["--cards", "7H", "--option", "master_is_pure=maybe"], "master_is_pure"),
    ],
)
def test_wrong_hands_are_one_line_errors(
    flags: list[str], key: str, run_ustad: Callable[..., Any]
) -> None:
    run = run_ustad("hand", *flags)
    assert run.status == 2
    assert run.out == ""
    assert run.err.count("\n") == 1
    assert key in run.err


def test_hand_prints_the_best_show_and_the_finish() -> None:
    """The show printed leaves the least finish distance of all shows."""
    found = 0
    for seed in range(60):
        hand = Marriage().deal(4, (seed,)).hands[0]
        answer = judge_hand(Hand(Marriage(), hand, (), 6))
        if answer["melds"] is None:
            continue
        found += 1
        jokers = joker_mask(6)
        left = [
            finish_distance(without(hand, flat(choice)), jokers)
            for choice in show_choices(hand, 3, False)
        ]
        assert sum(row["missing"] for row in answer["finish"]) == min(left)
        assert answer["finish_distance"] <= min(left)
        found_melds = sorted_melds([CARD_NUMBER[name] for name in meld] for meld in answer["melds"])
        assert all(is_pure(meld, False) for meld in found_melds)
    assert found


def test_melds_of_a_finish_are_melds_and_every_discard_is_found() -> None:
    """Thirteen cards built as melds and one more: the finish is found, whatever hides it."""
    choose = random.Random(4)
    tiplu = CARD_NUMBER["7H"]
    jokers = joker_mask(tiplu)
    for _ in range(40):
        built: list[int] = []
        for size in choose.choice([(3, 3, 3, 3), (3, 4, 5), (4, 4, 4)]):
            low, suit = choose.randrange(14 - size + 1), choose.randrange(4)
            run = [13 * suit + (low + step) % 13 for step in range(size)]
            run[choose.randrange(size)] = choose.choice([52, 53, 19])
            built += run
        extra = choose.randrange(52)
        hand = tuple(sorted([*built, extra]))
        counts = Counter(hand)
        if any(counts[card] > COPIES[card] for card in counts):
            continue
        found = finish_melds(without(hand, [extra]), jokers)
        assert found is not None
        assert sorted(flat(found)) == sorted(built)
        assert all(is_finish_meld(meld, jokers) for meld in found)
        assert finish_melds_exist(hand, jokers)


@pytest.mark.parametrize(("given", "counted"), [(5, 5), (1, 1), (9, 9), (0, 1), (2, 9)])
def test_turns_of_the_round_or_of_the_seat_to_move(given: int, counted: int) -> None:
    """Seat 0 begins; seat 1 is to move after 1, 5, 9, ... turns, having had 0, 1, 2, ..."""
    written = position(turns=given, to_move=1)
    state = CODEC.state_from_json(written)
    assert state.public.course.turns == counted
    assert before_first_draw(state.public.course, state.public.has_discarded) == (counted < 4)
    assert CODEC.state_to_json(state)["turns"] == counted


def test_a_seat_that_has_discarded_is_past_its_first_draw() -> None:
    discards = [{"seat": 0, "card": "3H"}, {"seat": 1, "card": "5C"}]
    state = CODEC.state_from_json(position(discards=discards))
    assert not before_first_draw(state.public.course, state.public.has_discarded)
    assert all(not isinstance(move, Lay) for move in state.legal_moves())


def test_a_first_show_on_an_empty_stock_stands_without_a_tiplu() -> None:
    """The last card of the stock is drawn, nobody has shown: there is no card left to be tiplu."""
    hand = words("9H 9H 9H 5H 6H 7H QD KD AD 2C 4C 8C KC 2D 4D 7D JD 3S 6S JS KS 3H")
    held = Counter(hand)
    others = [name for name in CARD_NAMES for _ in range(COPIES[CARD_NUMBER[name]] - held[name])]
    pile = others[:75]
    written = position(
        turns=76, phase="discard", hand=hand, drawn="3H", pile=pile, stock=0, discards=[]
    )
    state = CODEC.state_from_json(written)
    show = next(move for move in state.legal_moves() if isinstance(move, Show))
    after = state.apply(show)
    assert (after.public.course.stock, after.public.course.tiplu_drawn) == (0, False)
    again = CODEC.state_from_json(CODEC.state_to_json(after))
    assert again == after
    assert again.legal_moves()


def test_another_seat_cannot_discard_a_card_that_this_seat_holds_whole() -> None:
    written = position(turns=1, to_move=1, phase="discard", stock=74)
    state = CODEC.state_from_json(written)
    with pytest.raises(MoveError, match="more copies"):
        state.apply(Discard(CARD_NUMBER["9H"]))
    assert state.apply(Discard(CARD_NUMBER["3H"])).public.top == CARD_NUMBER["3H"]


def test_a_card_that_leaves_nothing_to_discard_is_not_taken() -> None:
    """Two tanelas laid and seven dublees shown: the last card's twin could not be followed."""
    pairs = [[name] * 2 for name in words("2C 3C 4C 5C 6C 7C 8C")]
    table = position()["table"]
    table[0] |= {"melds": pairs, "laid_before_draw": [["9H"] * 3, ["5S"] * 3]}
    table[0] |= {"shown": True, "dublees": True}
    written = position(
        turns=4, hand=["KD"], table=table, pile=["KD"], stock=74, tiplu_drawn=True, tiplu="JH"
    )
    state = CODEC.state_from_json(written)
    assert list(state.legal_moves()) == [Draw("stock")]
    with pytest.raises(MoveError, match="followed by a discard"):
        state.apply(Draw("pile"))


def test_at_the_end_of_a_round_all_hands_are_told() -> None:
    for state, move in random_round(3, 5, {}):
        written = TEXT.describe(state)
        assert ("your hand:" in written) == (move is not None)
        hands = [seat for seat in range(3) if f"seat {seat}'s hand:" in written]
        assert hands == ([seat for seat in range(3) if state.hands[seat]] if move is None else [])
    assert "net" in written
