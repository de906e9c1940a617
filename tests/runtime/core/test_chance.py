"""The draw from a seed: the numbers another language gets, fair, and unrelated between positions.

The expected numbers come from the definition written again in JavaScript (Node's ``crypto``).
"""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from typing import Any

import pytest

from ustad.runtime.core.chance import FRESH_SEEDS, Chance, fresh_seed
from ustad.runtime.questions import Advisor

POSITION = {"sheets": [{"ones": 3}], "game": "yacht", "dice": None}


def chance() -> Chance:
    return Chance(7, "apply", POSITION)


def test_the_numbers_are_those_of_the_definition() -> None:
    words = chance()
    assert [words.word() for _ in range(10)] == [
        3529501935, 1228645226, 3706723049, 1454065859, 2078860386,
        1582091811, 3613300457, 3818748228, 4095695483, 3015068575,
    ]  # fmt: skip
    dice, large, fractions = chance(), chance(), chance()
    assert [dice.below(6) for _ in range(10)] == [3, 2, 5, 5, 0, 3, 5, 0, 5, 1]
    # Words of 3,000,000,000 and more are drawn again.
    kept = [1228645226, 1454065859, 2078860386, 1582091811]
    assert [large.below(3_000_000_000) for _ in range(4)] == kept
    found = [fractions.fraction() for _ in range(3)]
    assert found == [0.8217762059425283, 0.8630387137722305, 0.4840224040177423]
    assert chance().shuffled(range(10)) == [8, 3, 9, 4, 6, 0, 7, 1, 2, 5]


def test_an_outcome_is_the_first_whose_running_sum_exceeds_the_fraction() -> None:
    # The fraction is 0.8217...; of a sum of 2 it reaches 1.6435.
    assert chance().outcome([("a", 0.8), ("b", 0.02), ("c", 0.18)]) == "c"
    assert chance().outcome([("a", 0.8), ("b", 0.03), ("c", 0.17)]) == "b"
    assert chance().outcome([("a", 1.7), ("b", 0.3)]) == "a"
    assert chance().outcome([("a", 0.0), ("b", 1.0), ("c", 0.0)]) == "b"


def test_every_order_is_equally_likely() -> None:
    # 24 orders, 100 each of 2,400 expected; 5 standard deviations are 49.
    found = Counter(tuple(Chance(seed, "", None).shuffled("abcd")) for seed in range(2_400))
    assert set(found) == set(permutations("abcd"))
    assert all(abs(count - 100) < 49 for count in found.values())


def test_fresh_seeds_differ_and_fit_a_double() -> None:
    seeds = {fresh_seed() for _ in range(100)}
    assert len(seeds) == 100
    assert all(0 <= seed < FRESH_SEEDS == 2**53 for seed in seeds)


def waiting(**change: Any) -> dict[str, Any]:
    start = {"game": "yacht", "sheets": [{}, {}], "to_move": 0, "dice": None, "rolls_left": 3}
    return {**start, **change}


def test_without_a_seed_chance_is_fresh_and_its_seed_repeats_it() -> None:
    advisor = Advisor()
    answers = [advisor.apply(waiting()) for _ in range(20)]
    assert len({answer["seed"] for answer in answers}) == 20
    # 20 throws alike have a chance of less than 1e-40.
    assert len({tuple(answer["position"]["dice"]) for answer in answers}) > 1
    assert advisor.apply(waiting(), seed=answers[0]["seed"]) == answers[0]
    deals = [advisor.new("marriage") for _ in range(2)]
    assert deals[0]["position"] != deals[1]["position"]
    assert advisor.new("marriage", seed=deals[0]["seed"]) == deals[0]


def test_two_positions_with_one_seed_get_unrelated_dice() -> None:
    """Alike once in 252 expected throws of which the likeliest has a share of 1/65."""
    advisor, alike = Advisor(), 0
    for seed in range(300):
        one = advisor.apply(waiting(), seed=seed)["position"]["dice"]
        other = advisor.apply(waiting(to_move=1, first=1), seed=seed)["position"]["dice"]
        alike += one == other
    # The chance that two throws of five dice are alike is the sum of squares, 0.0090: 2.7 of 300.
    assert alike <= 12


@pytest.mark.parametrize(("level", "game"), [("medium", "pasa"), ("easy", "raja_pasu")])
def test_moves_at_random_follow_from_seed_and_position(level: str, game: str) -> None:
    advisor = Advisor()
    start = advisor.new(game, seed=1)["position"]
    moves = [advisor.move(start, level) for _ in range(30)]
    assert len({str(found["move"]) for found in moves}) > 1
    assert advisor.move(start, level, moves[0]["seed"]) == moves[0]
