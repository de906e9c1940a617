"""What speaks for a move of Marriage, held against the hand solver of the command ``hand``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from ustad.runtime.core.registry import entry
from ustad.runtime.games.marriage.cards.cards import CARD_NUMBER, without
from ustad.runtime.games.marriage.codec import CODEC
from ustad.runtime.games.marriage.hand import Hand, judge_hand
from ustad.runtime.games.marriage.round.known import has_shown
from ustad.runtime.games.marriage.round.moves import STOCK, Discard, Draw, Finish
from ustad.runtime.games.marriage.round.rules import RULES
from ustad.runtime.games.marriage.round.view import View
from ustad.runtime.questions import Advisor

ENTRY = entry("marriage")


def views(rounds: int) -> Iterator[View]:
    """Yield the views of rounds in which expert plays."""
    rules = RULES.read({})
    bot = ENTRY.levels.bot("expert", rules, None, 0)
    for number in range(rounds):
        state = rules.deal(2 + number % 4, (21, number))
        while not state.is_over():
            view = state.view(state.current_player())
            yield view
            state = state.apply(bot.choose(view))


@pytest.fixture(scope="module")
def answers() -> list[tuple[View, dict[str, Any]]]:
    advisor = Advisor()
    asked = [view for at, view in enumerate(views(3)) if at % 7 < 2]
    return [(view, advisor.ask(CODEC.state_to_json(view), facts=True, top=3)) for view in asked]


def test_distance_and_outs_are_those_of_the_hand_solver(
    answers: list[tuple[View, dict[str, Any]]],
) -> None:
    """Before the show; cards in sight beside the own hand are not unseen to the view."""
    checked = 0
    for view, answer in answers:
        sight = view.sight()
        if has_shown(sight) or sight.laid.any():
            continue
        for option in answer["options"][:1]:
            move, facts = CODEC.move_from_json(option["move"]), option["facts"]
            if not isinstance(move, Discard):
                continue
            cards = without(view.hand, [move.card])
            judged = judge_hand(Hand(view.rules, cards, has_shown=False))
            distance, outs = judged["show_distance"], judged["outs"]
            if judged["dublee_distance"] < distance:
                distance, outs = judged["dublee_distance"], judged["dublee_outs"]
            numbers = [CARD_NUMBER[out["card"]] for out in outs]
            assert facts["distance"] == distance
            assert facts["outs"] == sight.unseen[numbers].sum()
            assert facts["unseen"] == sight.unseen.sum()
            assert facts["maal"] == judged["maal"]
            checked += 1
    assert checked > 8


def test_what_each_move_leaves(answers: list[tuple[View, dict[str, Any]]]) -> None:
    seen = set()
    for view, answer in answers:
        for option in answer["options"]:
            move, facts = CODEC.move_from_json(option["move"]), option["facts"]
            seen.add(type(move).__name__)
            assert list(facts) == ["distance", "outs", "unseen", "turns", "maal"]
            if isinstance(move, Finish):
                assert (facts["distance"], facts["outs"], facts["turns"]) == (0, 0, 0.0)
            if isinstance(move, Draw) and move.source == STOCK:
                assert facts["unseen"] == view.sight().unseen.sum()
    assert {"Draw", "Discard"} <= seen


def test_the_sentence_replaces_the_one_without_facts(
    answers: list[tuple[View, dict[str, Any]]],
) -> None:
    _, answer = answers[0]
    best = answer["options"][0]["facts"]
    assert f"maal {best['maal']}" in answer["why"]
    assert f"distance {best['distance']}" in answer["why"]
