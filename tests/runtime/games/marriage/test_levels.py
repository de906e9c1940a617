"""The levels of Marriage: plain and compiled ratings, what they see, what they always do."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from ustad.runtime.core.game import LEVELS
from ustad.runtime.core.registry import entry
from ustad.runtime.games.marriage.cards.cards import (
    CARD_NAMES,
    CARD_NUMBER,
    CARDS,
    MASTER,
    PUTALI,
    counts_of,
    flat,
    without,
)
from ustad.runtime.games.marriage.cards.maal import maal_of_card
from ustad.runtime.games.marriage.cards.shows import show_distance
from ustad.runtime.games.marriage.codec import CODEC
from ustad.runtime.games.marriage.decisions import PLAIN
from ustad.runtime.games.marriage.features import (
    USUAL_DUBLEES,
    USUAL_FINISH,
    USUAL_SHOW,
    estimated_turns,
    new_work,
    rate_before_show,
)
from ustad.runtime.games.marriage.kernels import KERNELS
from ustad.runtime.games.marriage.levels import MarriageBot, level_weights
from ustad.runtime.games.marriage.round.moves import PILE, STOCK, Discard, Draw, Finish, Lay, Show
from ustad.runtime.games.marriage.round.rules import RULES, Marriage
from ustad.runtime.games.marriage.round.view import View
from ustad.runtime.games.marriage.states import NOTHING, NUMBER_NAMES, PreShow, Weights
from ustad.runtime.games.marriage.tables import shipped_numbers
from ustad.runtime.games.marriage.text import TEXT

ENTRY = entry("marriage")

NONE = np.zeros(CARDS, dtype=np.int64)


def views(count: int, seed: int, options: dict[str, Any] | None = None) -> Iterator[View]:
    """Yield views of rounds in which hard plays, so that shows and finishes come up."""
    rules = RULES.read(options or {})
    bot = ENTRY.levels.bot("hard", rules, None, 0)
    number = 0
    while True:
        state = rules.deal(2 + number % 4, (seed, number))
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
    rules = view.rules
    memory = np.zeros(1 << 12, dtype=np.int64)
    hand = counts_of(view.hand)
    laid = counts_of(flat(view.public.seats[view.seat].laid))
    unseen = view.unseen()
    if card < CARDS:
        hand[card] -= 1
    distance = show_distance(memory, hand, laid, rules.numbers.master_is_pure)
    outs = 0
    for new in range(CARDS if rules.numbers.master_is_pure else MASTER):
        # The discard lies on the pile: no copy of it comes from elsewhere.
        if unseen[new] and hand[new] < 3:
            hand[new] += 1
            better = show_distance(memory, hand, laid, rules.numbers.master_is_pure) < distance
            outs += int(unseen[new]) * better
            hand[new] -= 1
    return distance, outs


@pytest.mark.parametrize("options", [{}, {"master_is_pure": True}])
def test_distance_and_outs_before_the_show_are_the_solvers(options: dict[str, Any]) -> None:
    work, checked = new_work(), 0
    for view in views(60, 1, options):
        if view.public.shown(view.seat) or checked > 12:
            continue
        sight = view.sight()
        rate_before_show(work, view.rules.numbers, sight, sight.course.has_drawn)
        for card in [*sorted(set(view.hand))[:4], NOTHING]:
            if not work.valid[card]:
                continue
            distance, outs = slow_rating(view, card)
            row = work.pre_show[card]
            assert row[PreShow.DISTANCE] == distance
            share = 10 * outs / sight.unseen.sum()
            if distance:
                assert row[PreShow.OUTS_1 : PreShow.OUTS_3 + 1].sum() == pytest.approx(share)
            checked += 1
    assert checked > 10


def test_plain_and_compiled_functions_agree() -> None:
    for view in views(40, 2):
        found = []
        for kernels in (PLAIN, KERNELS):
            bot = MarriageBot("hard", level_weights("hard"), kernels)
            work, decision = bot.work, bot.decide(view)
            parts = (work.pre_show, work.post_show, work.valid, work.weighed)
            found.append((decision, [part.tolist() for part in parts]))
        assert found[0] == found[1]


@pytest.mark.parametrize("level", LEVELS)
def test_levels_keep_what_every_level_keeps(level: str) -> None:
    """Legal moves alone; a putali or master discarded only with nothing else; a finish taken."""
    rules = Marriage()
    bot = ENTRY.levels.bot(level, rules, None, 5)
    finishes = 0
    for view in views(150, 3):
        move = bot.choose(view)
        legal = view.legal_moves()
        assert move in legal
        if any(isinstance(other, Finish) for other in legal):
            assert isinstance(move, Finish)
            finishes += 1
        if isinstance(move, Discard) and move.card >= PUTALI:
            assert all(other.card >= PUTALI for other in legal if isinstance(other, Discard))
    assert finishes


class OnlyView:
    """A view that breaks when anything is touched that is not in a seat's view."""

    def __init__(self, view: View) -> None:
        self._view = view

    def __getattr__(self, name: str) -> Any:
        if name not in {
            "rules", "public", "seat", "hand", "drawn", "tiplu", "waits", "mine",
            "current_player", "legal_moves", "sight",
        }:  # fmt: skip
            raise AssertionError(f"a bot reached for {name}")
        return getattr(self._view, name)


@pytest.mark.parametrize("level", LEVELS)
def test_a_bot_that_reaches_for_more_than_a_view_would_fail(level: str) -> None:
    """What it plays follows from its view: nothing else is touched, nothing hidden is there."""
    bot: Any = ENTRY.levels.bot(level, Marriage(), None, 1)
    for view in views(40, 4):
        assert bot.choose(OnlyView(view)) == bot.choose(view)
        assert bot.ask(OnlyView(view)).best
    state = Marriage().deal(4, (1,))
    for name in ("hands", "stock"):
        assert not hasattr(state.view(0), name)


def test_expert_rates_every_move_and_says_why() -> None:
    bot: Any = ENTRY.levels.bot("expert", Marriage(), None, 0)
    words = set()
    for view in random.Random(1).sample(list(views(200, 5)), 60):
        advice = bot.ask(view)
        assert {move for move, _ in advice.options} == set(view.legal_moves())
        assert bot.choose(view) in advice.best
        assert advice.value == advice.options[0].value
        assert advice.unit == "net"
        words.add(advice.extra["why"].split()[0])
    assert len(words) > 2


def test_the_first_pair_is_worth_more_maal_than_the_card() -> None:
    """A second putali is worth 10, as two pay 15; a poplu that makes a marriage 10 - 5."""
    hand = counts_of([PUTALI])
    tiplu = CARD_NUMBER["7H"]
    assert maal_of_card(hand, PUTALI, tiplu) == 10
    pair = counts_of([tiplu, CARD_NUMBER["6H"]])
    assert maal_of_card(pair, CARD_NUMBER["8H"], tiplu) == 5
    assert maal_of_card(NONE, CARD_NUMBER["7D"], tiplu) == 5
    assert maal_of_card(NONE, CARD_NUMBER["7D"], -1) == 0


@pytest.mark.parametrize("usual", [USUAL_SHOW, USUAL_DUBLEES, USUAL_FINISH])
def test_few_outs_are_no_further_away_than_some_steps_back(usual: Any) -> None:
    """Always more turns with less outs, but at most twice those usual from one step away more."""
    for distance in range(1, len(usual)):
        turns = [estimated_turns(distance, k / 138, usual) for k in range(1, 60)]
        assert all(more > less for more, less in pairwise(turns))
        if distance + 1 < len(usual):
            back = estimated_turns(distance + 1, usual[distance + 1], usual)
            assert turns[0] < 2 * back


def test_estimated_turns_fall_with_outs_and_rise_with_distance() -> None:
    usual = USUAL_SHOW
    assert estimated_turns(0, 0.5, usual) == 0
    assert estimated_turns(1, 1.0, usual) == pytest.approx(1)
    assert estimated_turns(1, 0.2, usual) < estimated_turns(1, 0.1, usual)
    assert estimated_turns(2, 0.1, usual) > estimated_turns(1, 0.1, usual)


def kinds_rated(bot: Any, view: View) -> dict[str, float]:
    """Return the best net of each kind of move, draws by their source."""
    found: dict[str, float] = {}
    for move, value in bot.ask(view).options:
        kind = move.source if isinstance(move, Draw) else type(move).__name__
        found.setdefault(kind, value)
    return found


def test_nets_of_different_kinds_of_moves_can_be_compared() -> None:
    """What a tanela laid, a show and a finish gain is in the range that rounds pay."""
    bot: Any = ENTRY.levels.bot("expert", Marriage(), None, 0)
    gains: dict[str, list[float]] = {"Lay": [], "Show": [], "Finish": []}
    same = 0
    for number in range(40):
        state = Marriage().deal(4, (number, 12))
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


def seat_to_json(seat: int, shown: str = "", laid: str = "", dublees: bool = False) -> Any:
    """Return what lies before a seat; melds are told apart by |."""
    rows = [[meld.split() for meld in text.split("|") if meld] for text in (shown, laid)]
    return {
        "seat": seat, "melds": rows[0], "laid_before_draw": rows[1],
        "shown": bool(shown), "dublees": dublees,
    }  # fmt: skip


def position(
    hand: str,
    pile: str,
    own: Any = None,
    drawn: str | None = None,
    tiplu: str | None = None,
    options: dict[str, Any] | None = None,
) -> View:
    """Return what seat 0 of four knows; others hold their hands still."""
    held = len(hand.split()) + sum(map(len, own["melds"])) if own else len(hand.split())
    stock = 160 - 3 * 21 - held - len(pile.split()) - (tiplu is not None)
    return CODEC.state_from_json(
        {
            "game": "marriage", "options": options or {}, "players": 4, "seat": 0, "to_move": 0,
            "dealer": 3, "turns": 4 if own else 0, "phase": "discard" if drawn else "draw",
            "hand": hand.split(), "drawn": drawn,
            "table": [own or seat_to_json(0), *(seat_to_json(seat) for seat in (1, 2, 3))],
            "tiplu_drawn": tiplu is not None, "tiplu": tiplu, "pile": pile.split(),
            "discards": [], "taken": [], "stock": stock,
        }
    )  # fmt: skip


def nets_and_why(view: View) -> tuple[dict[str, float], str]:
    """Return expert's net for each move, by its words, and why the best is the best."""
    advice = ENTRY.levels.bot("expert", view.rules, None, 0).ask(view)
    assert advice.extra is not None
    nets = {TEXT.describe_move(move): net for move, net in advice.options}
    return nets, advice.extra["why"]


SHOWN = seat_to_json(0, "7H 8H 9H|6D 7D 8D|AC 2C 3C")
LOOSE = "6S 6S 7S 9S 4H KH 3D 5C 7C 9C KC KC"


@pytest.mark.parametrize("level", ["hard", "expert"])
@pytest.mark.parametrize(
    ("hand", "top", "tiplu", "source"),
    [
        (LOOSE, "PJ", "5H", "pile"),  # nearer by a step that only one card could follow
        (LOOSE, "6H", "5H", "pile"),  # the poplu
        (LOOSE, "5C", "5H", "pile"),  # a joker that pays nothing
        # Any card finishes these four tanelas, but not with a joker to keep.
        ("6S 6S 6S 2H 2H 2H 9D 9D 9D JC JC JC", "PJ", "5H", "stock"),
        # Here the joker stands in for the discard.
        ("6S 6S 6S 2H 2H 2H 9D 9D 9D JC QC KC", "PJ", "5H", "pile"),
    ],
)
def test_a_joker_on_the_pile_is_taken(
    level: str, hand: str, top: str, tiplu: str, source: str
) -> None:
    view = position(hand, f"3S QH JD 8C {top}", SHOWN, tiplu=tiplu)
    assert ENTRY.levels.bot(level, view.rules, None, 0).choose(view) == Draw(source)


@pytest.mark.parametrize("level", ["hard", "expert"])
def test_a_printed_joker_on_the_pile_is_taken_before_the_show(level: str) -> None:
    bot = ENTRY.levels.bot(level, Marriage(), None, 0)
    taken = 0
    for number in range(30):
        for top in (PUTALI, MASTER):
            view = Marriage().deal(4, (number, 5)).view(0)
            if top not in view.hand:
                view = view._replace(public=view.public._replace(pile=(top,)))
                move = bot.choose(view)
                # It may lay a tanela or show first.
                assert move != Draw(STOCK)
                taken += move == Draw(PILE)
    assert taken > 20


def test_what_a_joker_is_worth_is_told_in_net_points() -> None:
    nets, why = nets_and_why(position(LOOSE, "2H QH JD 10C PJ", SHOWN, tiplu="5H"))
    assert "PJ of the pile, a joker, is worth" in why
    # It pays 5 from each of three, and cannot be worth more than a finish beside.
    assert 15 <= nets["draw pile"] - nets["draw stock"] < 50


SIX_PAIRS_AND_SHOW = "8H 8H 8H 7S 7S 7S 8S 6S 8S 10S QS 5S QS 3S 10S 8S JS KS 6S 6S 3S"


@pytest.mark.parametrize("level", ["hard", "expert"])
@pytest.mark.parametrize(
    ("hand", "lays"),
    [
        (SIX_PAIRS_AND_SHOW, True),
        ("2C 2C 2C QC KC AC 3C 4C 5C 6S 8S 9S AC 4C 8C 9C 9C JC QC KC KC", True),
        # Six pairs and no three melds: the pairs are kept.
        ("2C 2C 2C 9S 9S 4H 4H JD JD 6D 6D 8S 8S 10C KC AH QH 7H 3D 5C 7C", False),
    ],
)
def test_a_tanela_is_laid_before_a_dealt_show(level: str, hand: str, lays: bool) -> None:
    view = position(hand, "5D")
    move = ENTRY.levels.bot(level, view.rules, None, 0).choose(view)
    assert isinstance(move, Lay) == lays


PUTALI_HAND = "PJ PJ PJ 7S 8S 9S 2H 3H 4H 6D 9D QD KC JC 5C 3C 8H JH AS 4S 10D"
TANELA_HAND = "3S 6S 6S 7S 7S 8S 8S 10S QS 2H 4H 5H 8H 8H 8H 5D 9D QD 9C JC KC"


@pytest.mark.parametrize("laid_need_tiplu", [True, False])
@pytest.mark.parametrize(
    ("hand", "lay", "show", "more"),
    [
        (PUTALI_HAND, "lay PJ PJ PJ", "show 7S 8S 9S | 2H 3H 4H | PJ PJ PJ", 20),
        (TANELA_HAND, "lay 8H 8H 8H", "show 6S 7S 8S | 6S 7S 8S | 8H 8H 8H", 5),
    ],
)
def test_a_tanela_laid_brings_what_it_pays(
    laid_need_tiplu: bool, hand: str, lay: str, show: str, more: int
) -> None:
    """45 for three putali instead of 25, and 5 for others, from each of three."""
    nets, why = nets_and_why(position(hand, "KD", options={"laid_need_tiplu": laid_need_tiplu}))
    assert nets[lay] - nets[show] == pytest.approx(3 * more)
    assert f"pays {more} more from each" in why
    assert ("once the tiplu is seen" in why) == laid_need_tiplu


def test_finishes_differ_by_the_maal_of_the_discard() -> None:
    """Tiplu KS: the QS may be kept, for 2 from each, or discarded."""
    own = seat_to_json(0, "9H 9H 9H|5H 6H 7H|QD KD AD")
    view = position("2C 3C 4C 6C 7C 8C 2D 3D 4D 8S 9S 10S QS", "5C 6S 7C 8D", own, "QS", "KS")
    by_discard: dict[str, float] = {}
    for move, net in ENTRY.levels.bot("expert", view.rules, None, 0).ask(view).options:
        if isinstance(move, Finish):
            by_discard[CARD_NAMES[move.discard]] = net
    assert len(by_discard) > 1
    assert max(by_discard.values()) - by_discard["QS"] == pytest.approx(3 * 2)


EIGHTH = seat_to_json(0, "AS AS|6S 6S|10S 10S|2H 2H|7H 7H|2D 2D|5D 5D", dublees=True)


def test_words_tell_what_an_eighth_dublee_takes() -> None:
    view = position("4S 4S 6H 3D 4D 7D AC 9C", "5C 6C 7C 8D", EIGHTH, "4S", "KS")
    assert "takes 8 from each who has shown and 15 from each who has not" in nets_and_why(view)[1]


def test_words_tell_the_nearer_route() -> None:
    hand = "3S 3S 4S QS QS 2H 2H 6H 7H 8H 8H 10H 6D 6D 7D 4C 5C 8C 8C 10C QC"
    # Nine single cards, two copies of each unseen.
    assert (
        "1 from a show of seven dublees, 18 of 138 unseen cards help"
        in nets_and_why(position(hand, "KD"))[1]
    )


def test_a_pure_master_is_an_out() -> None:
    hand = "3S 4S 6S 7S 8S 9S JS KS AH 6H 8H QH 2D 3D 5D JD QD KD 2C 4C QC"
    plain, pure = (
        nets_and_why(position(hand, "10H", options={"master_is_pure": pure}))[1]
        for pure in (False, True)
    )
    assert "1 from a show, 27 of 138 unseen cards help" in plain
    assert "1 from a show, 28 of 138 unseen cards help" in pure


def test_a_show_leaves_the_best_of_very_many() -> None:
    """Thousands of shows: those that leave the same cards are rated alike, the best is played."""
    hand = "AS AS 2S 3S 4S 5S 6S 7S 8S 9S 10S JS QS KS AH 2H 3H 4H 5H 6H MJ 9C"
    view = position(hand, "5C", drawn="AS", options={"master_is_pure": True})
    bot = ENTRY.levels.bot("expert", view.rules, None, 0)
    advice = bot.ask(view)
    assert bot.choose(view) in advice.best
    assert len([move for move, _ in advice.options if isinstance(move, Show)]) > 1000
    left: dict[tuple[int, ...], set[float]] = {}
    for move, net in advice.options:
        if isinstance(move, Show):
            rest = without(view.hand, flat(move.melds))
            left.setdefault(rest, set()).add(round(net, 4))
    assert all(len(nets) == 1 for nets in left.values())


def test_a_net_is_told_while_chance_moves() -> None:
    """Before the card comes: the net of the hand as it is, as before the draw."""
    for view in views(120, 9):
        if not view.public.course.has_drawn and not view.public.pile:
            continue
        bot = ENTRY.levels.bot("expert", view.rules, None, 0)
        for move in view.legal_moves()[:1]:
            after = view.apply(move)
            if after.waits:
                advice = bot.ask(after)
                assert (advice.best, advice.unit) == ([], "net")
                assert advice.value is not None
                assert abs(advice.value) < 400
    view = position(LOOSE, "2H QH JD 10C 4S", SHOWN, tiplu="5H")
    bot = ENTRY.levels.bot("expert", view.rules, None, 0)
    waiting = bot.ask(view.apply(Draw(STOCK)))
    nets_before = dict(bot.ask(view).options)
    assert waiting.value == pytest.approx(max(nets_before.values()), abs=0.5)


def test_no_net_is_told_that_no_round_pays() -> None:
    """Every card is needed or a joker: what is taken instead costs a step, not the world."""
    hand = "6S 6S 6S 2H 2H 2H 5D 5S 5C 4H 6H PJ"
    nets, _ = nets_and_why(position(hand, "3S QH JD 8C", SHOWN, tiplu="5H"))
    assert all(abs(net) < 400 for net in nets.values())


def expert() -> Any:
    """Return expert under the default options, with the numbers that ship."""
    return ENTRY.levels.bot("expert", Marriage(), None, 0)


def test_draws_are_told_by_what_follows() -> None:
    """The pile's card is worth the best move after it; the stock as much while it comes."""
    bot, piles = expert(), 0
    for view in views(120, 21):
        told = dict(bot.ask(view).options)
        for draw in (Draw(STOCK), Draw(PILE)):
            if draw in told:
                assert bot.ask(view.apply(draw)).value == pytest.approx(told[draw], abs=1e-9)
                piles += draw.source == PILE
    assert piles > 20


def test_laying_a_tanela_leaves_the_order_of_draws() -> None:
    """It costs no turn, and adds as much to the stock as to the pile."""
    bot, laid = expert(), 0
    for number in range(150):
        view = Marriage().deal(4, (number, 31)).view(0)
        told = dict(bot.ask(view).options)
        for lay in (move for move in told if isinstance(move, Lay)):
            after = dict(bot.ask(view.apply(lay)).options)
            assert told[lay] == pytest.approx(max(after.values()), abs=1e-9)
            apart = told[Draw(PILE)] - told[Draw(STOCK)]
            apart_after = after[Draw(PILE)] - after[Draw(STOCK)]
            assert apart * apart_after > 0 or abs(apart - apart_after) < 2
            laid += 1
    assert laid > 5


def test_only_moves_of_equal_net_are_best() -> None:
    """Discards that are best beside the one played keep the distance and weigh as much."""
    bot, several = expert(), 0
    for view in views(200, 22):
        advice = bot.ask(view)
        assert bot.choose(view) in advice.best
        discards = [move.card for move in advice.best if isinstance(move, Discard)]
        if len(discards) < 2:
            continue
        several += 1
        work, sight = bot.work, view.sight()
        rows, first = work.pre_show, Weights.PRE_SHOW_DISCARD
        if view.public.shown(view.seat):
            rows, first = work.post_show, Weights.POST_SHOW_DISCARD
            bot.kernels.rate_after_show(work, sight, view.public.dublees(view.seat), True)
        else:
            bot.kernels.rate_before_show(work, view.rules.numbers, sight, True)
        assert work.valid[discards].all()
        assert np.ptp(rows[discards] @ bot.player.weights[first : first + rows.shape[1]]) < 1e-8
    assert several > 5


def test_a_discard_that_costs_a_step_is_no_tie() -> None:
    """Two melds, a run of two and four singles: to break a meld costs a step, and net."""
    hand = "6S 7S 8S 2H 3H 4H 9D 10D 2C 5C 7C QC KD"
    nets, _ = nets_and_why(position(hand, "3S QH JD 8C", SHOWN, "KD", "5H"))
    kept = max(net for move, net in nets.items() if move in ("discard 2C", "discard QC"))
    for broken in ("6S", "7S", "8S", "2H", "3H", "4H"):
        if f"discard {broken}" in nets:
            assert nets[f"discard {broken}"] < kept - 0.1


def test_net_features_sum_to_the_net() -> None:
    bot = expert()
    numbers = dict(zip(NUMBER_NAMES, shipped_numbers().tolist(), strict=True))
    for options in ({}, {"laid_need_tiplu": False}):
        for view in views(60, 23, options):
            found = sum(numbers[name] * held for name, held in bot.net_features(view).items())
            assert found == pytest.approx(bot.ask(view).value, abs=1e-6)


@pytest.mark.slow
def test_the_stock_is_told_as_the_mean_of_what_it_may_bring() -> None:
    """The function learned from draws of the stock against the mean over the unseen cards."""
    bot, apart = expert(), []
    for view in random.Random(2).sample(list(views(300, 24)), 60):
        told = dict(bot.ask(view).options)
        if Draw(STOCK) in told:
            waiting = view.apply(Draw(STOCK))
            outcomes = waiting.chance_outcomes()
            mean = sum(p * bot.ask(waiting.apply(card)).value for card, p in outcomes)
            apart.append(told[Draw(STOCK)] - mean)
    assert abs(np.mean(apart)) < 1 + 2 * np.std(apart) / np.sqrt(len(apart))
