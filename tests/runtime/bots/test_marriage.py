"""The levels of Marriage: plain and compiled ratings, what they see, what they always do."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from ustad.runtime.bots import marriage_decisions as decisions
from ustad.runtime.bots import marriage_levels as levels
from ustad.runtime.bots import marriage_ratings as ratings
from ustad.runtime.games import marriage as rules
from ustad.runtime.games import melds
from ustad.runtime.games.base import LEVELS
from ustad.runtime.games.marriage import TYPE, View

NONE = np.zeros(melds.CARDS, dtype=np.int64)


def views(count: int, seed: int, options: dict[str, Any] | None = None) -> Iterator[View]:
    """Yield views of rounds in which hard plays, so that shows and finishes come up."""
    game = TYPE.game(TYPE.read_options(options or {}))
    bot = TYPE.bot("hard", game, None, 0)
    number = 0
    while True:
        state = game.deal(2 + number % 4, (seed, number))
        number += 1
        while not state.is_over():
            view = state.view(state.current_player())
            yield view
            count -= 1
            if count == 0:
                return
            state = state.apply(bot.choose(view))


def slow_rating(view: View, card: int) -> tuple[int, int]:
    """Return distance and outs before the show, each hand judged by the solver alone."""
    game = view.game
    memory = np.zeros(1 << 12, dtype=np.int64)
    hand = melds.counts_of(view.hand)
    laid = melds.counts_of(rules.flat(view.table.seats[view.seat].laid))
    unseen = rules.unseen_counts(view)
    if card < melds.CARDS:
        hand[card] -= 1
    distance = melds.show_distance(memory, hand, laid, game.master_is_pure)
    outs = 0
    for new in range(melds.MASTER):
        # The card thrown lies on the pile: no copy of it comes from elsewhere.
        if unseen[new] and hand[new] < 3:
            hand[new] += 1
            better = melds.show_distance(memory, hand, laid, game.master_is_pure) < distance
            outs += int(unseen[new]) * better
            hand[new] -= 1
    return distance, outs


@pytest.mark.parametrize("options", [{}, {"master_is_pure": True}])
def test_distance_and_outs_before_the_show_are_the_solvers(options: dict[str, Any]) -> None:
    rows = np.zeros((melds.CARDS + 1, ratings.BEFORE))
    valid = np.zeros(melds.CARDS + 1, dtype=np.bool_)
    memory = np.zeros(1 << 12, dtype=np.int64)
    checked = 0
    for view in views(60, 1, options):
        own = view.table.seats[view.seat]
        if own.shown or checked > 12:
            continue
        unseen = rules.unseen_counts(view)
        throw = view.table.phase == rules.DISCARD
        ratings.rate_before_show(
            memory, melds.counts_of(view.hand), melds.counts_of(rules.flat(own.laid)), unseen,
            True, view.game.master_is_pure, 0.0, throw, rows, valid,
        )  # fmt: skip
        for card in [*sorted(set(view.hand))[:4], ratings.NOTHING]:
            if not valid[card]:
                continue
            distance, outs = slow_rating(view, card)
            assert rows[card, 0] == distance
            share = 10 * outs / unseen.sum()
            if distance:
                assert rows[card, 5:8].sum() == pytest.approx(share)
            checked += 1
    assert checked > 10


def test_plain_and_compiled_ratings_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = (decisions.rate_before, decisions.rate_after)
    plain = (ratings.rate_before_show, ratings.rate_after_show)
    for view in views(40, 2):
        found = []
        for before, after in (plain, compiled):
            monkeypatch.setattr(decisions, "rate_before", before)
            monkeypatch.setattr(decisions, "rate_after", after)
            bot = levels.MarriageBot("hard", 3, levels.level_weights("hard"))
            found.append((bot.decide(view), [part.tolist() for part in bot.work[3:7]]))
        assert found[0] == found[1]


@pytest.mark.parametrize("level", LEVELS)
def test_levels_keep_what_every_level_keeps(level: str) -> None:
    """Legal moves alone; a putali or master thrown only with nothing else; a finish taken."""
    game = rules.Marriage()
    bot = TYPE.bot(level, game, None, 5)
    finishes = 0
    for view in views(150, 3):
        move = bot.choose(view)
        legal = view.legal_moves()
        assert move in legal
        if any(isinstance(other, rules.Finish) for other in legal):
            assert isinstance(move, rules.Finish)
            finishes += 1
        if isinstance(move, rules.Discard) and move.card >= melds.PUTALI:
            assert all(
                other.card >= melds.PUTALI for other in legal if isinstance(other, rules.Discard)
            )
    assert finishes


class OnlyView:
    """A view that breaks when anything is touched that is not in a seat's view."""

    def __init__(self, view: View) -> None:
        self._view = view

    def __getattr__(self, name: str) -> Any:
        if name not in {
            "game", "table", "seat", "hand", "drawn", "tiplu", "waits", "mine",
            "current_player", "legal_moves",
        }:  # fmt: skip
            raise AssertionError(f"a bot reached for {name}")
        return getattr(self._view, name)


@pytest.mark.parametrize("level", LEVELS)
def test_a_bot_that_reaches_for_more_than_a_view_would_fail(level: str) -> None:
    """What it plays follows from its view: nothing else is touched, nothing hidden is there."""
    bot: Any = TYPE.bot(level, rules.Marriage(), None, 1)
    for view in views(40, 4):
        assert bot.choose(OnlyView(view)) == bot.choose(view)
        assert bot.ask(OnlyView(view)).best
    state = rules.Marriage().deal(4, (1,))
    for name in ("hands", "stock", "sees"):
        assert not hasattr(state.view(0), name)


def test_expert_rates_every_move_and_says_why() -> None:
    bot: Any = TYPE.bot("expert", rules.Marriage(), None, 0)
    words = set()
    for view in random.Random(1).sample(list(views(200, 5)), 60):
        advice = bot.ask(view)
        assert {move for move, _ in advice.options} == set(view.legal_moves())
        assert bot.choose(view) in advice.best
        assert advice.value == advice.options[0][1]
        assert advice.unit == "net"
        words.add(advice.extra["why"].split()[0])
    assert len(words) > 2


def test_the_first_pair_is_worth_more_maal_than_the_card() -> None:
    """A second putali is worth 10, as two pay 15; a poplu that makes a marriage 10 - 5."""
    hand = melds.counts_of([melds.PUTALI])
    tiplu = melds.CARD_NUMBER["7H"]
    assert ratings.maal_of_card(hand, melds.PUTALI, tiplu) == 10
    pair = melds.counts_of([tiplu, melds.CARD_NUMBER["6H"]])
    assert ratings.maal_of_card(pair, melds.CARD_NUMBER["8H"], tiplu) == 5
    assert ratings.maal_of_card(NONE, melds.CARD_NUMBER["7D"], tiplu) == 5
    assert ratings.maal_of_card(NONE, melds.CARD_NUMBER["7D"], -1) == 0


def test_estimated_turns_fall_with_outs_and_rise_with_distance() -> None:
    usual = ratings.USUAL_SHOW
    assert ratings.estimated_turns(0, 0.5, usual) == 0
    assert ratings.estimated_turns(1, 1.0, usual) == pytest.approx(1)
    assert ratings.estimated_turns(1, 0.2, usual) < ratings.estimated_turns(1, 0.1, usual)
    assert ratings.estimated_turns(2, 0.1, usual) > ratings.estimated_turns(1, 0.1, usual)


def kinds_rated(bot: Any, view: View) -> dict[str, float]:
    """Return the best net of each kind of move, draws by their source."""
    found: dict[str, float] = {}
    for move, value in bot.ask(view).options:
        kind = move.source if isinstance(move, rules.Draw) else type(move).__name__
        found.setdefault(kind, value)
    return found


def test_nets_of_different_kinds_of_moves_can_be_compared() -> None:
    """What a tanela laid, a show and a finish gain is in the range that rounds pay."""
    bot: Any = TYPE.bot("expert", rules.Marriage(), None, 0)
    gains: dict[str, list[float]] = {"Lay": [], "Show": [], "Finish": []}
    same = 0
    for number in range(40):
        state = rules.Marriage().deal(4, (number, 12))
        while not state.is_over():
            view = state.view(state.current_player())
            move = bot.choose(view)
            kind = type(move).__name__
            if kind in gains:
                rated = kinds_rated(bot, view)
                assert rated[kind] == max(rated.values())
                others = [value for other, value in rated.items() if other not in gains]
                gains[kind].append(rated[kind] - max(others))
                same += len(set(others)) < len(others)
            state = state.apply(move)
    assert same < sum(map(len, gains.values())) / 10
    # 5 from each of three for a tanela, 3 or 10 from each for a finish that would come later.
    assert 10 < np.mean(gains["Lay"]) < 20
    assert 3 < np.mean(gains["Show"]) < 20
    assert 5 < np.mean(gains["Finish"]) < 25
