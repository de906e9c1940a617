"""Marriage on the screen: the hand, choices by number, outs, the account over rounds."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from ustad.runtime import play
from ustad.runtime.core.entry import NARROW
from ustad.runtime.core.texts import advice_text, narrow
from ustad.runtime.games.marriage.cards.cards import (
    CARD_NUMBER,
    CARDS,
    Cards,
    counts_of,
    without,
)
from ustad.runtime.games.marriage.cards.maal import joker_mask
from ustad.runtime.games.marriage.cards.shows import show_distance
from ustad.runtime.games.marriage.codec import CODEC
from ustad.runtime.games.marriage.entry import ENTRY
from ustad.runtime.games.marriage.features import new_work
from ustad.runtime.games.marriage.hand import finish_distance
from ustad.runtime.games.marriage.hand_text import marked, outlook
from ustad.runtime.games.marriage.round.deal import Deal
from ustad.runtime.games.marriage.round.moves import Discard
from ustad.runtime.games.marriage.round.rules import RULES
from ustad.runtime.games.marriage.round.view import View
from ustad.runtime.games.marriage.text import TEXT, numbered
from ustad.runtime.record import Player, new


def card(name: str) -> int:
    """Return a card by its name."""
    return CARD_NUMBER[name]


def hard_round(players: int, seed: int) -> Iterator[Deal]:
    """Yield the states of a round of hard bots."""
    state = RULES.read({}).deal(players, (seed,))
    bot = ENTRY.levels.bot("hard", state.rules, None, 0)
    yield state
    while not state.is_over():
        state = state.apply(bot.choose(state.view(state.current_player())))
        yield state


@pytest.mark.parametrize(("players", "seed"), [(2, 32), (5, 8)])
def test_sixty_columns_hold_every_screen(players: int, seed: int) -> None:
    expert = ENTRY.levels.bot("expert", RULES.read({}), None, 0)
    for at, state in enumerate(hard_round(players, seed)):
        if at % 6:
            continue
        text = TEXT.read_by(state.current_player()) if state.current_player() >= 0 else TEXT
        told = [text.describe(state)]
        if at % 24 == 0 and not state.is_over():
            view = state.view(state.current_player())
            told += [text.prompt(view), text.help(view)]
            advice = expert.ask(view)
            told.append(advice_text(text, advice, None, None, view))
            for line in told[-1].splitlines()[-len(advice.options) :]:
                assert len(line) <= NARROW, line
        for line in narrow("\n".join(told)).splitlines():
            assert len(line) <= NARROW, line


def test_shows_and_finishes_have_one_number_everywhere() -> None:
    """What a number names on the screen, in the help and in the prompt is what typing it makes."""
    seen: set[str] = set()
    for state in (*hard_round(2, 32), *hard_round(3, 21)):
        if state.is_over():
            continue
        view = state.view(state.current_player())
        choices = list(numbered(view.legal_moves()))
        asked = " ".join(TEXT.describe(view).split())
        for name, move in choices:
            seen.add(name.split()[0])
            assert TEXT.move_from_text(view, name) == move
            assert TEXT.choice(view, move) == name
            cards = TEXT.describe_choice(view, move)
            assert cards.startswith(f"{name}: ")
            assert cards in asked
            assert cards in " ".join(TEXT.help(view).split())
        if choices:
            assert choices[-1][0] in TEXT.prompt(view)
    assert seen == {"show", "finish"}


def view_of(hand: str, **changes: Any) -> View:
    """Return what seat 0 of four knows after its draw from the stock, its turn to discard."""
    cards = hand.split()
    return CODEC.state_from_json(
        {
            "game": "marriage", "options": {}, "players": 4, "seat": 0, "to_move": 0, "dealer": 3,
            "turns": 0, "phase": "discard", "hand": cards, "drawn": cards[-1],
            "table": [
                {"seat": at, "melds": [], "laid_before_draw": [], "shown": False, "dublees": False}
                for at in range(4)
            ],
            "tiplu_drawn": False, "tiplu": None, "pile": ["5C"], "stock": 74, **changes,
        }
    )  # fmt: skip


DEALT = "4S 5S 8S AH 9H KH 2D 2D 4D 7D 8D 8D 9D QD QD KD 6C 7C 8C 9C PJ 10C"


def test_a_hand_lies_in_suits_and_melds() -> None:
    lines = TEXT.describe(view_of(DEALT)).splitlines()
    assert "your hand: 22 cards, maal 5 (+ maal, * joker alone)" in lines
    assert "  spades    4S 5S 8S" in lines
    assert "  diamonds  2D 2D 4D 7D 8D 8D 9D QD QD KD" in lines
    assert "  printed   PJ+" in lines
    # 4S 5S miss a card at either end, of which three are unseen each; the first is told.
    assert "nearest to a show, 1 card missing:" in lines
    assert any("(3S) 4S 5S | 7D 8D 9D" in line for line in lines)


def test_six_dublees_are_told_beside_the_show() -> None:
    pairs = "2S 2S 4S 4S 6S 6S 8S 8S 10S 10S 5H 5H"
    told = " ".join(TEXT.describe(view_of(f"{pairs} QS KH 2D 4D 6D 8D 10D QD AC 3C")).split())
    assert "dublees: 6, 1 card missing of seven: 2S, 4S, 6S, 8S, 10S, 5H" in told


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("7H", "7H+"), ("8H", "8H+"), ("6H", "6H+"), ("7D", "7D+"), ("7S", "7S*"), ("7C", "7C*"),
        ("9H", "9H"), ("8D", "8D"), ("PJ", "PJ+"), ("MJ", "MJ+"),
    ],
)  # fmt: skip
def test_maal_and_jokers_are_marked_by_the_tiplu(name: str, told: str) -> None:
    """The tiplu is the 7 of hearts, as in the source."""
    assert marked(card(name), card("7H")) == told


def brute_outs(view: View, cards: Cards, distance: Callable[[Cards], int]) -> tuple[int, int]:
    """Return the distance of cards in hand, and how many unseen cards lessen it."""
    now, unseen = distance(cards), view.unseen()
    nearer = (new for new in range(CARDS) if unseen[new] and distance((*cards, new)) < now)
    return now, sum(int(unseen[new]) for new in nearer) if now else 0


def test_outs_of_a_discard_are_the_unseen_cards_that_bring_it_nearer() -> None:
    memory, none = new_work().memory, counts_of(())
    view = view_of(DEALT)
    for name in ("2D", "8D", "4S", "PJ"):
        left = without(view.hand, [card(name)])
        found = brute_outs(
            view, left, lambda cards: show_distance(memory, counts_of(cards), none, False)
        )
        assert outlook(view, left)[:2] == found


def test_outs_after_the_show_are_those_of_a_finish() -> None:
    choose = random.Random(3)
    states = [state for state in hard_round(2, 32) if not state.is_over()]
    shown = [state.view(state.current_player()) for state in states]
    shown = [view for view in shown if view.tiplu is not None and len(view.hand) == 13]
    assert shown
    jokers = joker_mask(states[-1].tiplu)
    for view in choose.sample(shown, 2):
        name = choose.choice(view.hand)
        left = without(view.hand, [name])
        told = outlook(view, left)
        assert told[:2] == brute_outs(view, left, lambda cards: finish_distance(cards, jokers))
        words = TEXT.outlook(view, Discard(name))
        assert words == f"{told.distance} missing, {told.outs} outs" or told.distance == 0


def played_by_keys(seed: int) -> tuple[Deal, str]:
    """Return a round in which the person draws and throws the first card, and what was shown."""
    shown: list[str] = []

    def read(prompt: str) -> str:
        shown.append(prompt)
        if "Enter to go on" in prompt:
            return ""
        return prompt.rsplit("such as ", 1)[1].split()[0] if "such as" in prompt else "stock"

    start = RULES.read({}).deal(5, (seed,))
    bot = ENTRY.levels.bot("hard", start.rules, None, 0)
    players = [Player("you", None) if seat == 1 else Player("bot", "hard") for seat in range(5)]
    game, terminal = new(ENTRY, start, players, (seed,)), play.Terminal(read, shown.append)
    seats = [None if player.level is None else bot for player in players]
    ended = play.Table(game, seats, lambda: bot, terminal).play(start.rules.luck(5, (seed,)))
    assert ended is not None
    return ended.last, "\n".join(shown)


def test_a_round_is_told_to_you_and_the_account_goes_over_rounds() -> None:
    first, shown = played_by_keys(4)
    net = first.returns()
    finisher = first.public.course.finisher
    assert "you draw " in shown
    assert "you discard " in shown
    assert "seat 1" not in shown
    assert f"the round is over: seat {finisher} has finished" in shown
    winner = max(range(5), key=net.__getitem__)
    assert f"seat {winner} won the round with {net[winner]:+g}" in shown
    assert shown.splitlines()[-1] == f"you: {net[1]:+g}"
    second = RULES.read({}).next_round(first, (5,))
    assert second.public.course.dealer == (first.public.course.dealer + 1) % 5
    account = TEXT.read_by(1).account([net, (4.0, -1.0, -1.0, -1.0, -1.0)])
    assert account.startswith(f"after 2 rounds: seat 0 {net[0] + 4:+g}, you {net[1] - 1:+g}, ")
