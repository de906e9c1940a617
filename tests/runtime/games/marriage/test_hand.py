"""The command ``hand``: distances, outs and partitions against plain enumeration."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from ustad.runtime.games.marriage.cards.cards import (
    CARD_NAMES,
    CARD_NUMBER,
    CARDS,
    COPIES,
    Cards,
    counts_of,
    without,
)
from ustad.runtime.games.marriage.cards.maal import joker_mask
from ustad.runtime.games.marriage.cards.melds import is_finish_meld, pure_targets
from ustad.runtime.games.marriage.cards.shows import dublee_count, show_distance
from ustad.runtime.games.marriage.expert import ExpertBot
from ustad.runtime.games.marriage.hand import (
    HAND_COMMAND,
    Hand,
    as_text,
    finish_distance,
    judge_finish,
    judge_hand,
)
from ustad.runtime.games.marriage.round.moves import Discard
from ustad.runtime.games.marriage.round.rules import Marriage
from ustad.runtime.games.marriage.tables import shipped_numbers

DECK = np.repeat(np.arange(CARDS), COPIES).tolist()
MEMORY = np.zeros(1 << 16, dtype=np.int64)


def hands(count: int, size: int, seed: int) -> Iterator[tuple[Cards, int]]:
    """Yield hands, each other one of few ranks so that much fits, and a tiplu that is free."""
    choose = random.Random(seed)
    for number in range(count):
        few = [card for card in DECK if card > 51 or card % 13 < 5 or card // 13 == number % 4]
        hand = choose.sample(few if number % 2 else DECK, size)
        tiplu = choose.choice([card for card in range(52) if hand.count(card) < 3])
        yield tuple(sorted(hand)), tiplu


def distance_to_show(cards: Cards, master_is_pure: bool, tiplu: int) -> int:
    gone = counts_of([tiplu])
    return show_distance(MEMORY, counts_of(cards), gone, master_is_pure)


def told_outs(answer: dict[str, Any], name: str = "outs") -> dict[int, int]:
    outs = {CARD_NUMBER[row["card"]]: row["unseen"] for row in answer[name]}
    assert sum(outs.values()) == answer[f"{name}_unseen"]
    return outs


def free(cards: Cards, tiplu: int) -> dict[int, int]:
    """Return the copies of each card that are not in sight."""
    seen = Counter((*cards, tiplu))
    return {card: int(COPIES[card]) - seen[card] for card in range(CARDS)}


@pytest.mark.parametrize("size", [21, 22])
@pytest.mark.parametrize("master_is_pure", [False, True])
def test_outs_of_a_show_are_those_of_every_card_tried(size: int, master_is_pure: bool) -> None:
    rules = Marriage(master_is_pure=master_is_pure)
    for cards, tiplu in hands(12 if size == 21 else 4 - 3 * master_is_pure, size, 1):
        twice = [card for card in range(52) if cards.count(card) == 2]
        tiplu = twice[0] if twice else tiplu
        answer = judge_hand(Hand(rules, cards, (), tiplu))
        distance = distance_to_show(cards, master_is_pure, tiplu)
        assert answer["show_distance"] == distance
        if distance == 0:
            assert answer["outs"] == []
            continue

        def outs(held: Cards, tiplu: int = tiplu, all_cards: Cards = cards) -> dict[int, int]:
            least = distance_to_show(held, master_is_pure, tiplu)
            unseen = free(all_cards, tiplu)
            return {
                card: many
                for card, many in unseen.items()
                if many and distance_to_show((*held, card), master_is_pure, tiplu) < least
            }

        if size == 21:
            assert told_outs(answer) == outs(cards)
        else:
            left = {card: without(cards, [card]) for card in set(cards)}
            ways = {
                card: outs(held)
                for card, held in left.items()
                if distance_to_show(held, master_is_pure, tiplu) == distance
            }
            assert told_outs(answer) == ways[CARD_NUMBER[answer["discard"]]]
            assert answer["outs_unseen"] == max(sum(way.values()) for way in ways.values())


def test_outs_of_seven_dublees_are_those_of_every_card_tried() -> None:
    for cards, tiplu in hands(16, 21, 2):
        answer = judge_hand(Hand(Marriage(), cards, (), tiplu))
        pairs = dublee_count(counts_of(cards))
        assert answer["dublee_distance"] == max(0, 7 - pairs)
        better = {
            card: many
            for card, many in free(cards, tiplu).items()
            if many and pairs < 7 < 8 and dublee_count(counts_of((*cards, card))) > pairs
        }
        assert told_outs(answer, "dublee_outs") == better


@pytest.mark.parametrize("size", [12, 13])
def test_outs_of_a_finish_are_those_of_every_card_tried(size: int) -> None:
    for cards, tiplu in hands(14, size, 3):
        answer = judge_finish(Hand(Marriage(), cards, (), tiplu))
        jokers = joker_mask(tiplu)
        distance = finish_distance(cards, jokers)
        assert answer["finish_distance"] == distance
        if distance == 0:
            assert answer["outs"] == []
            continue
        unseen = free(cards, tiplu)

        def outs(held: Cards, jokers: int = jokers, unseen: dict[int, int] = unseen) -> Any:
            least = finish_distance(held, jokers)
            return {
                card: many
                for card, many in unseen.items()
                if many and finish_distance((*held, card), jokers) < least
            }

        if size == 12:
            assert told_outs(answer) == outs(cards)
            continue
        left = {card: without(cards, [card]) for card in set(cards)}
        ways = {
            card: outs(held)
            for card, held in left.items()
            if finish_distance(held, jokers) == distance
        }
        assert told_outs(answer) == ways[CARD_NUMBER[answer["discard"]]]
        plain = [card for card in ways if not jokers >> card & 1]
        assert answer["outs_unseen"] == max(sum(ways[card].values()) for card in plain)


def test_the_partition_misses_what_the_distance_says() -> None:
    for cards, tiplu in hands(20, 21, 4):
        hand = Hand(Marriage(), cards, (), tiplu)
        answer = judge_hand(hand)
        rows = answer["partition"]
        assert sum(len(row["missing"]) for row in rows) == answer["show_distance"]
        kept = [CARD_NUMBER[name] for row in rows for name in row["cards"]]
        rest = [CARD_NUMBER[name] for name in answer["rest"]]
        assert sorted([*kept, *rest]) == list(cards)
        for row in rows:
            meld = tuple(sorted(CARD_NUMBER[name] for name in row["cards"] + row["missing"]))
            assert meld in pure_targets()
        left = finish_distance(tuple(rest), hand.jokers)
        assert sum(row["missing"] for row in answer["finish"]) == left
        assert answer["finish_distance"] <= answer["show_distance"] + left


def test_the_melds_nearest_to_a_finish_are_melds_once_jokers_fill_them() -> None:
    for cards, tiplu in hands(60, 13, 5):
        jokers = joker_mask(tiplu)
        answer = judge_finish(Hand(Marriage(), cards, (), tiplu))
        rows = answer["partition"]
        assert sum(row["missing"] for row in rows) == answer["finish_distance"]
        used = Counter(CARD_NUMBER[name] for row in rows for name in row["cards"])
        assert not used - Counter(cards)
        for row in rows:
            meld = tuple(sorted(CARD_NUMBER[name] for name in row["cards"]))
            twins = len(meld) == 2 and meld[0] == meld[1] and not jokers >> meld[0] & 1
            filled = (*meld, *(meld[:1] if twins else (52,) * row["missing"]))
            assert is_finish_meld(tuple(sorted(filled)), jokers), row


Ustad = Callable[..., Any]


def test_what_is_laid_or_the_tiplu_is_not_waited_for(run_ustad: Ustad) -> None:
    """Two tanelas, two 7H: a third is a show, unless it is the tiplu."""
    held = "7H 7H 2S 2S 2S 9C 9C 9C 4H 10H KH 5S 8S JS 3C 6C QC 2D 5D 8D JD"
    words = ["hand", "--json", "--cards", held]
    free = run_ustad(*words).json
    assert (free["show_distance"], free["outs"]) == (1, [{"card": "7H", "unseen": 1}])
    gone = run_ustad(*words, "--tiplu", "7H").json
    assert gone["show_distance"] == 2
    assert all("7H" not in row["missing"] for row in gone["partition"] + gone["whole_show"])
    assert gone["finish_distance"] == 5
    # A run that needs the laid card is none either.
    held = held.replace("4H 10H", "6S 7S").replace("7H 7H", "8S 9S")
    laid = run_ustad("hand", "--json", "--cards", held, "--laid", "2S 2S 2S").json
    assert laid["show_distance"] == 0


def test_after_the_show_with_laid_tanelas_their_maal_counts(run_ustad: Ustad) -> None:
    held = "5C 6C 7S 9D 9S 9C KD KS 10C 2H 3H 4H JS"
    plain = run_ustad("hand", "--json", "--after-show", "--tiplu", "7H", "--cards", held).json
    words = ["hand", "--json", "--after-show", "--tiplu", "7H", "--laid", "4S 4S 4S"]
    laid = run_ustad(*words, "--cards", f"{held} 4S 4S 4S").json
    assert laid["finish_distance"] == plain["finish_distance"] == 1
    assert laid["maal"] == plain["maal"] + 5


def test_after_seven_dublees_an_eighth_finishes(run_ustad: Ustad) -> None:
    words = ["hand", "--json", "--after-show", "--tiplu", "7H", "--cards"]
    answer = run_ustad(*words, "2C 2C 5S 9D JH KC AS 8H").json
    assert (answer["can_finish"], answer["melds"]) == (True, [["2C", "2C"]])
    short = run_ustad(*words, "2C 3C 5S 9D JH KC AS 8H").json
    assert (short["can_finish"], short["finish_distance"]) == (False, 1)
    # The discard brings the fewest: all have two copies unseen but what is a joker stays.
    assert short["outs_unseen"] == 14
    before = run_ustad(*words, "2C 3C 5S 9D JH KC PJ").json
    assert before["outs_unseen"] == 6 * 2 + 2


@pytest.mark.parametrize(
    ("words", "key"),
    [
        (["--after-show", "--not-shown", "--cards", "7H"], "--not-shown"),
        (["--after-show", "--cards", "7H 8H"], "13 cards"),
        (["--after-show", "--laid", "PJ PJ PJ", "--cards", "PJ PJ PJ 7H"], "beside those laid"),
    ],
)
def test_what_makes_no_sense_after_the_show(words: list[str], key: str, run_ustad: Ustad) -> None:
    run = run_ustad("hand", *words)
    assert run.status == 2
    assert key in run.err
    assert run.err.count("\n") == 1


def test_the_text_tells_what_the_object_tells(run_ustad: Ustad) -> None:
    cards = "AS AS 6S 6S 10S 2H 2H 6H 7H QH 2D 2D 4D 5D 5D 7D 8D QD 2C 9C 10C"
    answer = run_ustad("hand", "--json", "--cards", cards).json
    text = run_ustad("hand", "--cards", cards).out
    assert f"show distance    {answer['show_distance']}" in text
    first = answer["outs"][0]
    assert f"{first['card']} ({first['unseen']})" in text
    assert "6H 7H (+ 5H)" in text or "6H 7H (+ 8H)" in text
    assert as_text({"melds": None, "can_show": False}) == "can show         no"
    assert CARD_NAMES[0] == "AS"


def test_of_fewer_cards_than_a_hand_no_finish_is_told(run_ustad: Callable[..., Any]) -> None:
    """Three of seven dublees, six cards of nine missing until a show; maal counts as ever."""
    answer = run_ustad("hand", "--json", "--cards", "7H 7H 8S 8S 2D 2D PJ").json
    assert answer["missing_cards"] == 14
    assert (answer["dublees"], answer["dublee_distance"], answer["maal"]) == (3, 4, 5)
    assert not {key for key in answer if "finish" in key}
    text = run_ustad("hand", "--cards", "7H 7H 8S 8S 2D 2D PJ").out
    assert text.startswith("missing cards    14\n")
    assert "finish" not in text
    whole = run_ustad("hand", "--json", "--cards", " ".join(CARD_NAMES[:21])).json
    assert "missing_cards" not in whole
    assert "finish_distance" in whole


def test_hand_says_where_ask_discards_another_card() -> None:
    """The same card as ask in the first turn of a round of four, or which one and why."""
    named = 0
    for cards, _ in hands(4, 22, 4):
        text = " ".join(CARD_NAMES[card] for card in cards)
        given = {"cards": text, "tiplu": None, "laid": None, "not_shown": False}
        answer = HAND_COMMAND.run(given | {"after_show": False, "option": None})
        if answer.get("discard") is None:
            continue
        view = Marriage().deal(4, (1,)).view(0)
        course = view.public.course._replace(has_drawn=True, stock=view.public.course.stock - 1)
        public = view.public._replace(course=course, pile=(), discards=(), taken=())
        view = view._replace(public=public, hand=cards, drawn=cards[0])
        best = ExpertBot(shipped_numbers()).ask(view).best
        asked = Discard(CARD_NUMBER[answer.get("ask_discard", answer["discard"])])
        assert asked in best
        named += "ask_discard" in answer
        assert ("ask_because" in answer) == ("ask_discard" in answer)
    assert named
