"""The host's position of Marriage: read back as it was, and played to its end.

No card that the seat to move cannot see has a part in an answer.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from ustad.runtime.core.errors import PositionError, UsageError
from ustad.runtime.core.game import LEVELS
from ustad.runtime.games.marriage.cards.cards import PUTALI
from ustad.runtime.games.marriage.codec import CODEC
from ustad.runtime.games.marriage.round.deal import Deal
from ustad.runtime.games.marriage.round.rules import Marriage
from ustad.runtime.questions import Advisor

PLAYED = ("hard", "medium", "easy", "expert", "hard")


@pytest.fixture(scope="module")
def advisor() -> Advisor:
    return Advisor()


def rounds(advisor: Advisor, seed: int, players: int = 4, **options: Any) -> Iterator[Any]:
    """Yield the whole positions of a round of levels, and the last answer."""
    answer: Any = advisor.new("marriage", options, players, seed, seed % players, True)
    while answer["status"]["to"] == "move":
        position = answer["position"]
        yield position
        level = PLAYED[answer["status"]["seat"]]
        move = advisor.move(position, level, seed)["move"]
        answer = advisor.apply(position, move)
    yield answer


@pytest.fixture(scope="module")
def played(advisor: Advisor) -> list[Any]:
    """The positions of some rounds, each with its last answer."""
    settings: list[dict[str, Any]] = [{}, {"see_tiplu": "at_once"}, {"dublee": False}]
    return [
        list(rounds(advisor, seed, 2 + seed % 4, **options))
        for seed, options in enumerate(settings)
    ]


def test_a_round_is_read_back_as_it_was(played: list[Any]) -> None:
    for positions in played:
        for position in (*positions[:-1], positions[-1]["position"]):
            state = CODEC.state_from_json(json.loads(json.dumps(position)))
            assert isinstance(state, Deal)
            assert CODEC.state_to_json(state) == position


def test_a_round_ends_with_maal_nets_and_the_next_dealer(played: list[Any]) -> None:
    for positions in played:
        end = positions[-1]
        position, status, event = end["position"], end["status"], end["events"][-1]
        state = CODEC.state_from_json(position)
        assert (status["to"], status["seat"]) == ("over", None)
        assert status["scores"] == list(state.maal()) == position["maal"] == event["maal"]
        assert status["returns"] == list(state.returns()) == position["net"] == event["net"]
        assert sum(status["returns"]) == 0
        assert status["returns"][status["winners"][0]] == max(status["returns"])
        assert event["finisher"] == position["finisher"]
        assert event["next_dealer"] == (position["dealer"] + 1) % position["players"]


def test_the_stock_is_drawn_from_its_end_and_the_tiplu_from_its_beginning(
    played: list[Any], advisor: Advisor
) -> None:
    draws = tiplus = 0
    for positions in played:
        for position in positions[:-1]:
            stock, moves = position["stock"], advisor.legal(position)["legal"]
            if {"draw": "stock"} in moves:
                after = advisor.apply(position, {"draw": "stock"})["position"]
                assert after["drawn"] == stock[-1]
                assert after["stock"] == stock[:-1]
                draws += 1
            show = next((move for move in moves if "show" in move), None)
            if show and not any(row["shown"] for row in position["table"]):
                after = advisor.apply(position, show)["position"]
                at = next(at for at, card in enumerate(stock) if card not in ("PJ", "MJ"))
                assert after["tiplu"] == stock[at]
                assert after["stock"] == stock[:at] + stock[at + 1 :]
                tiplus += 1
    assert draws > 20
    assert tiplus > 0


def permuted(state: Deal, luck: random.Random) -> Deal:
    """Return the round with every card that the seat to move cannot see dealt anew."""
    public, mover = state.public, state.public.to_move
    held = public.held()
    known = [
        [card for card, many in enumerate(row) for _ in range(many)] if seat != mover else []
        for seat, row in enumerate(held.tolist())
    ]
    hidden = list(state.stock)
    for seat, hand in enumerate(state.hands):
        if seat != mover:
            rest = list(hand)
            for card in known[seat]:
                rest.remove(card)
            hidden += rest
    sees = state.view(mover).tiplu is not None
    if state.tiplu is not None and not sees:
        hidden.append(state.tiplu)
    luck.shuffle(hidden)
    tiplu = state.tiplu
    if state.tiplu is not None and not sees:
        tiplu = next(card for card in hidden if card < PUTALI)
        hidden.remove(tiplu)
    hands = []
    for seat, hand in enumerate(state.hands):
        if seat == mover:
            hands.append(hand)
        else:
            wanted = len(hand) - len(known[seat])
            hands.append(tuple(sorted([*known[seat], *hidden[:wanted]])))
            del hidden[:wanted]
    return state._replace(hands=tuple(hands), tiplu=tiplu, stock=tuple(hidden))


@pytest.mark.parametrize("level", LEVELS)
def test_no_hidden_card_has_a_part_in_an_answer(
    level: str, played: list[Any], advisor: Advisor
) -> None:
    luck, changed = random.Random(7), 0
    for positions in played:
        for position in luck.sample(positions[:-1], 5):
            state = CODEC.state_from_json(position)
            other = CODEC.state_to_json(permuted(state, luck))
            changed += other != position
            assert advisor.ask(other, level) == advisor.ask(position, level)
            assert advisor.move(other, level, 3) == advisor.move(position, level, 3)
            assert advisor.legal(other) == advisor.legal(position)
            seat = position["to_move"]
            assert advisor.view(other, seat) == advisor.view(position, seat)
    assert changed == 5 * len(played)


def test_a_view_of_a_round_is_a_position_of_its_own(played: list[Any], advisor: Advisor) -> None:
    for positions in played:
        for position in positions[:-1:7]:
            state = CODEC.state_from_json(position)
            for seat in range(position["players"]):
                told = advisor.view(position, seat)
                assert CODEC.state_from_json(told["position"]) == state.view(seat)
                assert told["status"]["seat"] == position["to_move"]
                assert told["status"]["scores"] is None
                assert "hands" not in told["position"]


def test_new_deals_the_same_round_whole_or_not(advisor: Advisor) -> None:
    whole = advisor.new("marriage", seed=4, first=2, whole=True)
    view = advisor.new("marriage", seed=4, first=2)
    assert advisor.view(whole["position"], 2)["position"] == view["position"]
    assert whole["position"]["sees"] == [False] * 4
    assert whole["status"] == {**view["status"], "scores": whole["status"]["scores"]}


def start() -> dict[str, Any]:
    position: dict[str, Any] = CODEC.state_to_json(Marriage().new(3, 0, 1))
    return position


def with_card_too_many(position: dict[str, Any]) -> None:
    position["hands"][1].append("7H")


def with_card_in_place_of_another(position: dict[str, Any]) -> None:
    position["stock"][5] = next(card for card in position["stock"] if card != position["stock"][5])


def with_a_card_of_stock_in_hand(position: dict[str, Any]) -> None:
    position["hands"][0].append(position["stock"].pop())


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (with_card_too_many, r"hands\[1\]: expected 21 cards, got 22"),
        (with_card_in_place_of_another, "there are 3, got [24] in hands"),
        (with_a_card_of_stock_in_hand, r"hands\[0\]: expected 21 cards, got 22"),
        (lambda p: p["stock"].append("2C"), "stock: expected 96"),
        (lambda p: p["hands"].pop(), "hands: expected a list with the cards of each of 3 seats"),
        (lambda p: p["hands"][2].append(7), r"hands\[2\]: expected a card"),
        (lambda p: p.update(hands=None), "hands: expected a list"),
        (lambda p: p.update(stock=96), "stock: expected a list of cards"),
        (lambda p: p.update(sees=[True, False, False]), "sees: expected .false, false, false"),
        (lambda p: p.update(sees=[0, 0, 0]), "sees: expected a list of true or false"),
        (lambda p: p.update(tiplu_drawn=True), "tiplu_drawn: expected false, by the tiplu"),
        (lambda p: p.update(tiplu_drawn=None), "tiplu_drawn: expected false, by the tiplu"),
        (lambda p: p.update(seat=0), 'unknown key "seat"'),
        (lambda p: p.update(maal=[1, 2, 3]), "finisher: expected a seat or null beside maal"),
        (lambda p: p.pop("sees"), '"sees" is missing'),
    ],
)
def test_wrong_rounds_are_refused(damage: Any, message: str) -> None:
    position = start()
    damage(position)
    with pytest.raises(PositionError, match=message):
        CODEC.state_from_json(position)


def test_what_does_not_go_with_the_cards_is_refused(played: list[Any]) -> None:
    end = played[0][-1]["position"]
    wrong = [points + (1 if at else -1) for at, points in enumerate(end["net"][:2])]
    with pytest.raises(PositionError, match="net: expected"):
        CODEC.state_from_json({**end, "net": [*wrong, *end["net"][2:]]})
    with pytest.raises(PositionError, match="maal: expected"):
        CODEC.state_from_json({**end, "maal": [99] * len(end["maal"])})
    shown = next(p for p in played[0] if "sees" in p and any(row["shown"] for row in p["table"]))
    seat = next(row["seat"] for row in shown["table"] if row["shown"])
    with pytest.raises(PositionError, match="sees: expected"):
        CODEC.state_from_json({**shown, "sees": [at != seat for at in range(shown["players"])]})


def test_a_seat_that_is_not_there_has_no_view(advisor: Advisor) -> None:
    for seat in (-1, 3, None, "0", 1.0):
        with pytest.raises(UsageError, match="seat: expected a seat from 0 to 2"):
            advisor.view(start(), seat)
    with pytest.raises(PositionError, match="what seat 0 knows"):
        advisor.view(advisor.view(start(), 0)["position"], 1)
