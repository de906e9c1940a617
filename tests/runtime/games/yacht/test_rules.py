"""The rules of yacht, its states and its JSON.

The rules are checked against a second reading of them (``points_by_the_rules``,
``legal_by_the_rules``), written from the text of the rules in other words than
the code's.
"""

from __future__ import annotations

import itertools
import json
import random
from collections import Counter
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ustad.runtime.core.errors import MoveError, OptionError, OutcomeError, PositionError
from ustad.runtime.core.game import CHANCE, OVER
from ustad.runtime.games.five_dice.sheet import Keep, SheetState, Write
from ustad.runtime.games.five_dice.turn import COUNTS, FIRST_ROLL, ROLLS
from ustad.runtime.games.yacht.entry import ENTRY
from ustad.runtime.games.yacht.rules import (
    ALL_OPEN,
    BOXES,
    FORCED_JOKER,
    FREE_JOKER,
    OPEN_YACHT,
    PLAIN,
    SECOND_YACHT,
    UPPER_OPEN,
    YACHT_0,
    YACHT_50,
    box_points,
    extra_points,
    five_equal,
    upper_after,
    upper_points,
    write_points,
    yacht_after,
)
from ustad.runtime.games.yacht.states import columns, state_index, yacht_states

UPPER = BOXES[:6]
ROLL_COUNTS = COUNTS[FIRST_ROLL:].tolist()
FIVE_EQUAL = [counts for counts in ROLL_COUNTS if 5 in counts]
SETTINGS = pytest.mark.parametrize("setting", SECOND_YACHT)


# What boxes pay.


def points_by_the_rules(box: str, dice: tuple[int, ...], joker: bool = False) -> int:
    counts = sorted(Counter(dice).values())
    if box in UPPER:
        return sum(die for die in dice if die == UPPER.index(box) + 1)
    rows = {
        size: any(set(range(low, low + size)) <= set(dice) for low in (1, 2, 3)) for size in (4, 5)
    }
    return {
        "three_of_a_kind": sum(dice) * (counts[-1] >= 3),
        "four_of_a_kind": sum(dice) * (counts[-1] >= 4),
        "full_house": 25 * (joker or counts == [2, 3]),
        "small_straight": 30 * (joker or rows[4]),
        "large_straight": 40 * (joker or rows[5]),
        "yacht": 50 * (counts == [5]),
        "chance": sum(dice),
    }[box]


@pytest.mark.parametrize(
    ("dice", "paid"),
    [  # a sheet by hand: ones ... sixes, three, four, full house, small, large, yacht, chance
        ((1, 1, 3, 4, 6), (2, 0, 3, 4, 0, 6, 0, 0, 0, 0, 0, 0, 15)),
        ((5, 5, 5, 6, 6), (0, 0, 0, 0, 15, 12, 27, 0, 25, 0, 0, 0, 27)),
        ((2, 2, 2, 2, 5), (0, 8, 0, 0, 5, 0, 13, 13, 0, 0, 0, 0, 13)),
        ((1, 2, 3, 4, 6), (1, 2, 3, 4, 0, 6, 0, 0, 0, 30, 0, 0, 16)),
        ((3, 4, 5, 5, 6), (0, 0, 3, 4, 10, 6, 0, 0, 0, 30, 0, 0, 23)),
        ((2, 3, 4, 5, 6), (0, 2, 3, 4, 5, 6, 0, 0, 0, 30, 40, 0, 20)),
        ((1, 2, 3, 4, 5), (1, 2, 3, 4, 5, 0, 0, 0, 0, 30, 40, 0, 15)),
        ((6, 6, 6, 6, 6), (0, 0, 0, 0, 0, 30, 30, 30, 0, 0, 0, 50, 30)),
        ((1, 1, 2, 2, 3), (2, 4, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9)),
    ],
)
def test_points_by_hand(dice: tuple[int, ...], paid: tuple[int, ...]) -> None:
    counts = [dice.count(face) for face in range(1, 7)]
    assert tuple(box_points(box, counts, False) for box in range(13)) == paid
    assert tuple(points_by_the_rules(box, dice) for box in BOXES) == paid


@pytest.mark.parametrize("joker", [False, True])
def test_points_of_every_roll_in_every_box(joker: bool) -> None:
    for dice, counts in zip(ROLLS, ROLL_COUNTS, strict=True):
        for number, box in enumerate(BOXES):
            expected = points_by_the_rules(box, dice, joker)
            assert box_points(number, counts, joker) == expected


def test_five_equal() -> None:
    for dice, counts in zip(ROLLS, ROLL_COUNTS, strict=True):
        assert five_equal(counts) == (dice[0] if len(set(dice)) == 1 else 0)


# A further yacht.


def legal_by_the_rules(setting: str, open_boxes: set[str], face: int) -> dict[str, int]:
    """Return the boxes five dice of a face may be written into, and what they pay there."""
    dice, own = (face,) * 5, UPPER[face - 1]
    plain = {box: points_by_the_rules(box, dice) for box in open_boxes}
    full = {box: points_by_the_rules(box, dice, joker=True) for box in open_boxes}
    if setting == "plain" or "yacht" in open_boxes:
        return plain
    if setting == "free_joker":
        return plain if own in open_boxes else full
    if own in open_boxes:
        return {own: 5 * face}
    lower = {box: full[box] for box in open_boxes if box not in UPPER}
    return lower or dict.fromkeys(open_boxes, 0)


@SETTINGS
def test_where_five_equal_dice_may_be_written(setting: str) -> None:
    second_yacht = SECOND_YACHT.index(setting)
    # All lower sets and the yacht box with no, one, some and all upper boxes open.
    uppers = [0, *(1 << bit for bit in range(6)), 0b101001, 0b010110, UPPER_OPEN]
    for upper, lower in itertools.product(uppers, range(128)):
        open_bits = upper | lower << 6
        open_boxes = {box for number, box in enumerate(BOXES) if open_bits >> number & 1}
        for counts in FIVE_EQUAL:
            points = [write_points(second_yacht, open_bits, box, counts) for box in range(13)]
            found = {BOXES[box]: paid for box, paid in enumerate(points) if paid >= 0}
            assert found == legal_by_the_rules(setting, open_boxes, five_equal(counts))
            assert found or not open_bits


@SETTINGS
def test_other_dice_may_be_written_anywhere_at_plain_points(setting: str) -> None:
    second_yacht = SECOND_YACHT.index(setting)
    for open_bits in (ALL_OPEN, 0b0100000100001, 0b1011111000000, 1):
        for counts in ROLL_COUNTS:
            if counts in FIVE_EQUAL:
                continue
            for box in range(13):
                expected = box_points(box, counts, False) if open_bits >> box & 1 else -1
                assert write_points(second_yacht, open_bits, box, counts) == expected


def test_extra_points_need_fifty_in_the_yacht_box() -> None:
    for second_yacht, held, counts in itertools.product(range(3), range(3), ROLL_COUNTS):
        expected = 100 * (second_yacht != PLAIN and held == YACHT_50 and counts in FIVE_EQUAL)
        assert extra_points(second_yacht, held, counts) == expected


def test_the_bonus_is_paid_once_when_the_upper_sum_reaches_63() -> None:
    assert upper_points(5, 18, 44) == 18
    assert upper_points(5, 18, 45) == 18 + 35
    assert upper_points(5, 18, 63) == 18
    assert upper_points(0, 0, 63) == 0
    assert upper_points(12, 30, 62) == 30
    assert upper_after(5, 18, 44) == 62
    assert upper_after(5, 18, 46) == 63
    assert upper_after(12, 30, 40) == 40


def test_what_the_yacht_box_holds_after_a_write() -> None:
    for second_yacht in range(3):
        full = YACHT_0 if second_yacht == PLAIN else YACHT_50
        assert yacht_after(second_yacht, OPEN_YACHT, 11, 50) == full
        assert yacht_after(second_yacht, OPEN_YACHT, 11, 0) == YACHT_0
        for held in range(3):
            assert yacht_after(second_yacht, held, 12, 30) == held


# The states.


@cache
def upper_sets_by_state(second_yacht: int) -> dict[tuple[int, int], int]:
    """Play every roll into every legal box from the empty sheet on.

    Returns:
        For open boxes and what the yacht box holds, the upper sums that can be
        (63 and more as 63), as bits.
    """
    mixed = [
        {box_points(box, counts, False) for counts in ROLL_COUNTS if counts not in FIVE_EQUAL}
        for box in range(13)
    ]
    sums: dict[tuple[int, int], int] = {(ALL_OPEN, OPEN_YACHT): 1}
    for count in range(13, 0, -1):
        layer = [(state, bits) for state, bits in sums.items() if state[0].bit_count() == count]
        for (open_boxes, held), bits in layer:
            for box in range(13):
                if not open_boxes >> box & 1:
                    continue
                paid = {write_points(second_yacht, open_boxes, box, five) for five in FIVE_EQUAL}
                for points in (paid | mixed[box]) - {-1}:
                    after = (open_boxes ^ 1 << box, yacht_after(second_yacht, held, box, points))
                    moved = bits << points if box < 6 else bits
                    capped = moved & (1 << 63) - 1 | (moved >> 63 > 0) << 63
                    sums[after] = sums.get(after, 0) | capped
    return sums


# By the number of open boxes, finished sheets first.  The sum under the forced joker is the known
# count of 536,448 reachable states; the rest comes from the enumeration above.
WITH_JOKER = [
    128, 1_598, 9_135, 31_322, 71_237, 112_596, 126_219, 100_619,
    56_283, 21_377, 5_178, 711, 44, 1,
]  # fmt: skip
BY_OPEN_BOXES = {
    "bonus_and_joker": WITH_JOKER,
    "free_joker": WITH_JOKER,  # the same states, since each can also be had without a joker
    "plain": [
        64, 831, 4_951, 17_753, 42_403, 70_715, 84_050, 71_394,
        42_754, 17_453, 4_551, 669, 43, 1,
    ],
}  # fmt: skip


@SETTINGS
def test_reachable_states_by_number_of_open_boxes(setting: str) -> None:
    found = [0] * 14
    for (open_boxes, _), bits in upper_sets_by_state(SECOND_YACHT.index(setting)).items():
        found[open_boxes.bit_count()] += bits.bit_count()
    assert found == BY_OPEN_BOXES[setting]
    assert sum(found) == {"plain": 357_632}.get(setting, 536_448)


@SETTINGS
def test_columns_hold_exactly_the_reachable_states(setting: str) -> None:
    second_yacht = SECOND_YACHT.index(setting)
    column = columns().column
    sums = upper_sets_by_state(second_yacht)
    for (open_boxes, _), bits in sums.items():
        known = sum(
            1 << upper for upper in range(64) if column[open_boxes & UPPER_OPEN, upper] >= 0
        )
        assert bits == known
    # Every content of a written yacht box goes with every set of other boxes.
    assert len(sums) == yacht_states(second_yacht) * 2**12


@SETTINGS
def test_states_are_numbered_one_by_one(setting: str) -> None:
    second_yacht = SECOND_YACHT.index(setting)
    known = columns()
    first_sums = [[int(known.upper[c]) for c in range(*known.bounds[o : o + 2])] for o in range(64)]
    found = [
        state_index(open_boxes, held, upper)
        for open_boxes in range(1 << 13)
        for held in ([0] if open_boxes >> 11 & 1 else range(1, yacht_states(second_yacht)))
        for upper in first_sums[open_boxes & UPPER_OPEN]
    ]
    size = {"plain": 209_920}.get(setting, 314_880)  # 2 or 3 times 64 times 1,640
    assert sorted(found) == list(range(size))
    assert ENTRY.tables.spec({"second_yacht": setting}).shape == (size,)


def test_merged_upper_sums_earn_the_bonus_together() -> None:
    """Two sums share a column just if the open upper boxes lift both to 63 or neither."""
    known = columns()
    assert known.count == 1_640
    assert known.reachable == 2_794
    for open_upper in range(64):
        amounts = {0}
        for face in range(1, 7):
            if open_upper >> face - 1 & 1:
                amounts = {had + face * count for had in amounts for count in range(6)}
        futures: dict[int, set[tuple[bool, ...]]] = {}
        for upper in range(64):
            if known.column[open_upper, upper] >= 0:
                future = tuple(upper + amount >= 63 for amount in sorted(amounts))
                futures.setdefault(int(known.column[open_upper, upper]), set()).add(future)
        assert all(len(found) == 1 for found in futures.values())
        assert len(set.union(*futures.values())) == len(futures)
        assert set(futures) == set(range(*known.bounds[open_upper : open_upper + 2]))


def test_sums_above_63_count_as_63() -> None:
    assert state_index(1 << 6, YACHT_0, 105) == state_index(1 << 6, YACHT_0, 63)


# The game.


def start(players: int = 1, setting: str = "bonus_and_joker") -> SheetState:
    return ENTRY.rules.make(second_yacht=setting).new(players)


def random_state(seed: int, setting: str, steps: int | None = None) -> SheetState:
    """Return a position of a game at random, in which five equal dice fall often."""
    luck = random.Random(seed)
    players = luck.randint(1, 3)
    state: Any = ENTRY.rules.make(second_yacht=setting).new(players, luck.randrange(players))
    for _ in range(luck.randrange(13 * players * 4) if steps is None else steps):
        if state.is_over():
            break
        if state.current_player() == CHANCE:
            count = 5 - len(state.kept)
            face = state.kept[0] if state.kept else luck.randint(1, 6)
            thrown = [luck.randint(1, 6) for _ in range(count)]
            state = state.apply(tuple(sorted([face] * count if luck.random() < 0.4 else thrown)))
        else:
            moves = state.legal_moves()
            writes = [move for move in moves if isinstance(move, Write)]
            state = state.apply(luck.choice(writes if luck.random() < 0.6 else moves))
    return state


def test_a_turn_step_by_step() -> None:
    state = start(2)
    assert state.current_player() == CHANCE
    assert state.legal_moves() == ()
    state = state.apply((1, 3, 1, 6, 4))
    assert (state.current_player(), state.dice, state.rolls_left) == (0, (1, 1, 3, 4, 6), 2)
    state = state.apply(Keep((1, 1)))
    assert (state.current_player(), state.kept, state.rolls_left) == (CHANCE, (1, 1), 2)
    assert len(state.chance_outcomes()) == 56
    state = state.apply((1, 1, 5))
    assert (state.dice, state.rolls_left) == ((1, 1, 1, 1, 5), 1)
    state = state.apply(Keep((5,))).apply((1, 2, 3, 4))
    assert (state.dice, state.rolls_left) == ((1, 2, 3, 4, 5), 0)
    assert state.legal_moves() == tuple(map(Write, BOXES))
    state = state.apply(Write("large_straight"))
    assert (state.current_player(), state.to_move, state.rolls_left) == (CHANCE, 1, 3)
    assert state.totals() == (40, 0)


def test_moves_that_are_not_legal() -> None:
    state = start().apply((1, 1, 3, 4, 6))
    for move in (Keep((5,)), Keep((1, 1, 1)), Keep((1, 1, 3, 4, 6)), Write("nothing")):
        with pytest.raises(MoveError):
            state.apply(move)
    last = state._replace(rolls_left=0)
    with pytest.raises(MoveError, match="no roll is left"):
        last.apply(Keep((1,)))
    written = last.apply(Write("ones")).apply((1, 1, 1, 2, 2))
    with pytest.raises(MoveError, match="write ones is not legal"):
        written.apply(Write("ones"))


@pytest.mark.parametrize("outcome", [(1, 2, 3, 4), (1, 2, 3, 4, 7), (0, 1, 1, 1, 1), Keep(()), 5])
def test_outcomes_that_cannot_fall(outcome: Any) -> None:
    with pytest.raises(OutcomeError):
        start().apply(outcome)


def test_a_further_yacht_pays_a_hundred_to_the_total_alone() -> None:
    state = start().apply((6,) * 5).apply(Write("yacht")).apply((6,) * 5)
    assert [move for move in state.legal_moves() if isinstance(move, Write)] == [Write("sixes")]
    sheet = state.apply(Write("sixes")).sheets[0]
    assert (sheet.total, sheet.upper, sheet.extra_yachts) == (50 + 30 + 100, 30, 1)


def test_no_hundred_with_nothing_in_the_yacht_box_or_in_plain_games() -> None:
    state = start().apply((1, 2, 3, 4, 6)).apply(Write("yacht")).apply((6,) * 5)
    assert state.apply(Write("sixes")).sheets[0].total == 30
    state = start(setting="plain").apply((6,) * 5).apply(Write("yacht")).apply((6,) * 5)
    assert state.apply(Write("full_house")).sheets[0].total == 50
    assert state.apply(Write("sixes")).sheets[0].total == 80


@SETTINGS
def test_totals_along_whole_games(setting: str) -> None:
    """A sheet's total is always its boxes, the bonus from 63 on, and its extra yachts."""
    for seed in range(60):
        state = random_state(seed, setting, steps=200)
        assert state.current_player() == OVER
        for sheet in state.sheets:
            upper = sum(sheet.points[:6])
            expected = sum(sheet.points) + 35 * (upper >= 63) + 100 * sheet.extra_yachts
            assert (sheet.total, sheet.upper) == (expected, upper)
            assert sheet.extra_yachts == 0 or (setting != "plain" and sheet.points[11] == 50)


def test_highest_total_wins_and_equals_share() -> None:
    game = ENTRY.rules.make(second_yacht="plain")
    assert game.returns((200, 180)) == (1, 0)
    assert game.returns((200, 180, 200)) == (0.5, 0, 0.5)
    assert game.returns((7,)) == (1,)


# JSON.


@SETTINGS
@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_positions_of_games_go_through_json_and_back(setting: str, seed: int) -> None:
    state = random_state(seed, setting)
    position = json.loads(json.dumps(ENTRY.codec.state_to_json(state)))
    assert ENTRY.codec.state_from_json(position) == state
    for move in state.legal_moves():
        assert (
            ENTRY.codec.move_from_json(json.loads(json.dumps(ENTRY.codec.move_to_json(move))))
            == move
        )


@given(seed=st.integers(0, 2**32), order=st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_the_order_of_dice_never_matters(seed: int, order: random.Random) -> None:
    state = random_state(seed, "bonus_and_joker")
    position = ENTRY.codec.state_to_json(state)
    for key in ("dice", "kept"):
        if position.get(key):
            order.shuffle(position[key])
    assert ENTRY.codec.state_from_json(position) == state
    if state.chance_outcomes():
        dice = list(order.choice(state.chance_outcomes())[0])
        mixed = order.sample(dice, len(dice))
        assert state.apply(ENTRY.codec.outcome_from_json(mixed)) == state.apply(tuple(dice))


def test_the_position_of_the_design() -> None:
    position = {
        "game": "yacht",
        "options": {"second_yacht": "bonus_and_joker"},
        "sheets": [
            {"ones": 3, "chance": 22, "extra_yachts": 0},
            {"sixes": 18, "yacht": 50, "extra_yachts": 0},
        ],
        "first": 0,
        "to_move": 0,
        "dice": [1, 1, 3, 4, 6],
        "rolls_left": 2,
    }
    state = ENTRY.codec.state_from_json(position)
    assert state.totals() == (25, 68)
    assert ENTRY.codec.state_to_json(state) == position


def test_what_may_be_left_out() -> None:
    short = {"game": "yacht", "sheets": [{}], "dice": None, "rolls_left": 3}
    assert ENTRY.codec.state_from_json(short) == start()


def test_extra_yachts_that_can_be_are_taken() -> None:
    def most(setting: str, **boxes: int) -> int:
        """Return the most extra yachts with which the sheet is not refused."""
        for extra in range(13):
            sheet = {**boxes, "extra_yachts": extra}
            position = {"game": "yacht", "options": {"second_yacht": setting}, "sheets": [sheet]}
            try:
                ENTRY.codec.state_from_json({**position, "dice": None, "rolls_left": 3})
            except PositionError:
                return extra - 1
        return 12

    assert most("bonus_and_joker", yacht=50) == 0
    assert most("bonus_and_joker", yacht=50, sixes=30) == 1
    assert most("bonus_and_joker", yacht=50, sixes=24) == 0
    assert most("bonus_and_joker", yacht=50, sixes=30, full_house=25, chance=30) == 3
    assert most("bonus_and_joker", yacht=50, full_house=0) == 0
    assert most("bonus_and_joker", yacht=0, sixes=30) == 0
    # Under the free joker five equal dice may be a full house of 0 while sixes are open.
    assert most("free_joker", yacht=50, full_house=0) == 1
    assert most("free_joker", yacht=50, fives=0) == 1
    assert most("plain", yacht=50, sixes=30) == 0
    lower = dict.fromkeys(("three_of_a_kind", "four_of_a_kind", "full_house"), 0)
    straights = {"small_straight": 0, "large_straight": 0}
    written = {**lower, **straights, "yacht": 50, "chance": 17}
    assert most("bonus_and_joker", **written, ones=0) == 0  # twos are open, or ones were
    assert most("bonus_and_joker", **written, ones=0, twos=4) == 1  # rule 3: a 0 above
    assert most("bonus_and_joker", yacht=50, ones=0) == 0


GOOD = {"game": "yacht", "sheets": [{}], "dice": [1, 1, 3, 4, 6], "rolls_left": 2}
TWO = {**GOOD, "sheets": [{}, {}], "to_move": 0}


@pytest.mark.parametrize(
    ("position", "words"),
    [
        ([], "position: expected an object"),
        ({**GOOD, "dice": [1, 1, 3, 4, 6, 6]}, "dice: expected a list of 5 dice from 1 to 6"),
        ({**GOOD, "dice": [1, 1, 3, 4]}, "dice: expected a list of 5"),
        ({**GOOD, "dice": [1, 1, 3, 4, 7]}, "dice: .* from 1 to 6, got \\[1, 1, 3, 4, 7\\]"),
        ({**GOOD, "dice": [1, 1, 3, 4, 0]}, "dice: "),
        ({**GOOD, "dice": [1, 1, 3, 4, "6"]}, "dice: "),
        ({**GOOD, "dice": [1, 1, 3, 4, 6.0]}, "dice: "),
        ({**GOOD, "dice": [1, 1, 3, 4, True]}, "dice: "),
        ({**GOOD, "dice": [1, 1, 3, 4, None]}, "dice: "),
        ({**GOOD, "dice": [1, 1, 3, 4, [6]]}, "dice: "),
        ({**GOOD, "dice": "11346"}, "dice: "),
        ({**GOOD, "dice": {"1": 5}}, "dice: "),
        ({**GOOD, "rolls_left": 5}, "rolls_left: expected a whole number from 0 to 2, got 5"),
        ({**GOOD, "rolls_left": 3}, "rolls_left"),
        ({**GOOD, "rolls_left": -1}, "rolls_left"),
        ({**GOOD, "rolls_left": "2"}, "rolls_left"),
        ({**GOOD, "rolls_left": 1.0}, "rolls_left"),
        ({**GOOD, "rolls_left": True}, "rolls_left"),
        ({**GOOD, "dice": None}, "rolls_left: expected 3"),
        ({**GOOD, "dice": None, "kept": [1], "rolls_left": 3}, "rolls_left"),
        ({**GOOD, "dice": None, "kept": [1, 2, 3, 4, 5]}, "kept: expected a list of 0 to 4"),
        ({**GOOD, "dice": None, "kept": [9]}, "kept: "),
        ({**GOOD, "kept": [1]}, "kept: expected nothing beside dice"),
        ({**GOOD, "sheets": [{"ones": 7}]}, "ones: expected one of 0, 1, 2, 3, 4, 5, got 7"),
        ({**GOOD, "sheets": [{"full_house": 24}]}, "full_house: expected one of 0, 25, got 24"),
        ({**GOOD, "sheets": [{"sixes": 7}]}, "sixes"),
        ({**GOOD, "sheets": [{"chance": 4}]}, "chance"),
        ({**GOOD, "sheets": [{"chance": 0}]}, "chance"),
        ({**GOOD, "sheets": [{"yacht": 100}]}, "yacht"),
        ({**GOOD, "sheets": [{"ones": True}]}, "ones"),
        ({**GOOD, "sheets": [{"ones": 3.0}]}, "ones"),
        ({**GOOD, "sheets": [{"ones": "3"}]}, "ones"),
        ({**GOOD, "sheets": [{"ones": -1}]}, "ones"),
        ({**GOOD, "sheets": [{"aces": 3}]}, 'unknown key "aces", expected .*ones'),
        ({**GOOD, "sheets": [{"extra_yachts": 1}]}, "extra_yachts: expected 0, got 1"),
        ({**GOOD, "sheets": [{"yacht": 50, "extra_yachts": 1}]}, "extra_yachts"),
        ({**GOOD, "sheets": [{"yacht": 0, "ones": 5, "extra_yachts": 1}]}, "extra_yachts"),
        ({**GOOD, "sheets": [{"extra_yachts": None}]}, "extra_yachts"),
        ({**GOOD, "sheets": []}, "sheets: expected a list"),
        ({**GOOD, "sheets": {}}, "sheets: expected a list"),
        ({**GOOD, "sheets": [[]]}, "expected an object"),
        (
            {**GOOD, "sheets": [{}] * 7, "to_move": 0},
            "sheets: expected a list with one sheet a seat, 1 to 6 seats",
        ),
        ({**GOOD, "to_move": 1}, "to_move"),
        ({**GOOD, "first": 1}, "first"),
        ({**TWO, "to_move": 2}, "to_move"),
        ({**TWO, "to_move": None}, "to_move"),
        ({key: TWO[key] for key in TWO if key != "to_move"}, '"to_move" is missing'),
        ({**TWO, "sheets": [{"ones": 3}, {}]}, "turns taken"),
        ({**TWO, "to_move": 1}, "turns taken"),
        ({**TWO, "sheets": [{}, {"ones": 3}], "first": 0}, "turns taken"),
        ({**GOOD, "sides": 6}, 'unknown key "sides"'),
        ({key: GOOD[key] for key in GOOD if key != "dice"}, '"dice" is missing'),
        ({key: GOOD[key] for key in GOOD if key != "sheets"}, '"sheets" is missing'),
        ({key: GOOD[key] for key in GOOD if key != "rolls_left"}, '"rolls_left" is missing'),
        ({**GOOD, "game": "chess"}, "game: expected one of yacht"),
    ],
)
def test_positions_that_cannot_be(position: Any, words: str) -> None:
    with pytest.raises(PositionError, match=words) as error:
        ENTRY.codec.state_from_json(position)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"second_yacht": "none"}, "second_yacht: expected one of bonus_and_joker, plain"),
        ({"second_yacht": True}, "second_yacht"),
        ({"second_yacht": ["plain"]}, "second_yacht"),
        ({"joker": True}, 'unknown key "joker"'),
        ([], "options: expected an object"),
        (None, "options: expected an object"),
    ],
)
def test_options_that_cannot_be(options: Any, words: str) -> None:
    with pytest.raises(OptionError, match=words):
        ENTRY.codec.state_from_json({**GOOD, "options": options})


def test_a_full_sheet_has_nothing_to_roll() -> None:
    sheet = {box: {"chance": 17}.get(box, 0) for box in BOXES}
    over = {"game": "yacht", "sheets": [sheet], "dice": None, "rolls_left": 3}
    assert ENTRY.codec.state_from_json(over).is_over()
    with pytest.raises(PositionError, match="rolls_left"):
        ENTRY.codec.state_from_json({**over, "dice": [1, 1, 3, 4, 6], "rolls_left": 0})
    with pytest.raises(MoveError, match="over"):
        ENTRY.codec.state_from_json(over).apply((1, 2, 3, 4, 5))


@pytest.mark.parametrize(
    "move",
    [
        None, [], {}, {"keep": [7]}, {"keep": 4}, {"keep": [1, 1, 3, 4, 6]}, {"keep": ["1"]},
        {"write": "aces"}, {"write": 3}, {"write": ["ones"]}, {"write": None},
        {"keep": [1], "write": "ones"}, {"write": "ones", "points": 3}, {"pass": True},
    ],
)  # fmt: skip
def test_moves_that_are_none(move: Any) -> None:
    with pytest.raises(MoveError, match="move"):
        ENTRY.codec.move_from_json(move)


@pytest.mark.parametrize("outcome", [None, 5, [], [7], [0], ["1"], [1] * 6, {"dice": [1]}, [1.0]])
def test_outcomes_that_are_none(outcome: Any) -> None:
    with pytest.raises(OutcomeError, match="outcome"):
        ENTRY.codec.outcome_from_json(outcome)


def test_table_specs_tell_the_settings_apart() -> None:
    specs = [ENTRY.tables.spec(options) for options in ENTRY.tables.defaults()]
    assert [spec.options["second_yacht"] for spec in specs] == [
        *SECOND_YACHT, *SECOND_YACHT, "bonus_and_joker", "plain"
    ]  # fmt: skip
    assert len({spec.file_name for spec in specs}) == 8
    specs = specs[:3]
    assert {spec.start_index for spec in specs} == {state_index(ALL_OPEN, OPEN_YACHT, 0)}
    assert (FORCED_JOKER, PLAIN, FREE_JOKER) == (0, 1, 2)
    assert np.prod(specs[0].shape) == 314_880


@pytest.mark.parametrize(
    ("sheet", "most"),
    [
        # The forced joker fills the upper box of its face first, so no lower box before that.
        ({"yacht": 50, "full_house": 25, "small_straight": 30, "large_straight": 40}, 0),
        ({"yacht": 50, "three_of_a_kind": 5}, 0),
        ({"yacht": 50, "chance": 15, "sixes": 18}, 0),
        ({"yacht": 50, "chance": 15, "threes": 9}, 1),
        ({"yacht": 50, "chance": 15, "threes": 15}, 2),
        ({"yacht": 50, "full_house": 25, "ones": 0}, 1),
        ({"yacht": 50, "ones": 0, "twos": 0}, 0),
        ({"yacht": 0, "sixes": 30}, 0),
    ],
)
def test_extra_yachts_that_a_sheet_can_have_had(sheet: dict[str, int], most: int) -> None:
    """By hand, from the rule of the forced joker."""
    for extra in range(4):
        position = {"game": "yacht", "sheets": [{**sheet, "extra_yachts": extra}], "dice": None}
        position["rolls_left"] = 3
        if extra <= most:
            ENTRY.codec.state_from_json(position)
        else:
            with pytest.raises(PositionError, match="extra_yachts"):
                ENTRY.codec.state_from_json(position)


def test_an_upper_nought_is_a_joker_only_after_every_lower_box() -> None:
    """All lower boxes written 0 but the yacht: the first nought must be another's face."""
    lower = dict.fromkeys(BOXES[6:], 0) | {"yacht": 50, "chance": 7}

    def most(upper: dict[str, int]) -> int:
        for extra in range(9):
            sheet = {**lower, **upper, "extra_yachts": extra}
            position = {"game": "yacht", "sheets": [sheet], "dice": None, "rolls_left": 3}
            try:
                ENTRY.codec.state_from_json(position)
            except PositionError:
                return extra - 1
        return 9

    assert most({"ones": 0}) == 0
    assert most({"ones": 0, "twos": 0}) == 1
    assert most({"ones": 0, "twos": 4}) == 1
    assert most({"ones": 0, "twos": 10, "threes": 0}) == 3


@given(st.integers(0, 2**32 - 1), st.sampled_from(SECOND_YACHT))
def test_every_sheet_that_play_reaches_can_be(seed: int, setting: str) -> None:
    """Random play with many yachts: whatever comes of it is a position."""
    source = random.Random(seed)
    game = ENTRY.rules.make(second_yacht=setting)
    sheet = game.new_sheet()
    while sheet.open_boxes:
        face = source.randint(1, 6)
        dice = (
            (face,) * 5
            if source.random() < 0.6
            else tuple(sorted(source.choices(range(1, 7), k=5)))
        )
        sheet = game.write(sheet, dice, 0, source.choice(game.writes(sheet, dice, 0)))
        told = ENTRY.codec.sheet_to_json(game, sheet)
        assert ENTRY.codec.sheet_from_json(game, told, "sheet") == sheet
