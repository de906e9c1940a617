"""The rules of dice poker: what rows score, what may be written, and what sheets can be.

The examples are those of the source, its slips mended; the definitions are told once more
here, in another way than the rules tell them.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustad.runtime.core.errors import MoveError, OptionError, PositionError, UstadError
from ustad.runtime.core.game import CHANCE
from ustad.runtime.games.dice_poker.codec import possible_points
from ustad.runtime.games.dice_poker.entry import ENTRY
from ustad.runtime.games.dice_poker.rules import (
    ALL_OPEN,
    PASS,
    ROWS,
    SCHOOL,
    DicePoker,
    row_points,
    rows_made,
    settlement,
)
from ustad.runtime.games.dice_poker.states import columns, state_count, state_index
from ustad.runtime.games.five_dice.sheet import Keep, SheetState, Write
from ustad.runtime.games.five_dice.turn import ROLLS

SCHOOL_FULL = dict.fromkeys(ROWS[:6], 0)
COMBINATIONS = ROWS[6:14]


def rules(**options: Any) -> DicePoker:
    return ENTRY.rules.read(options)


def position(**changes: Any) -> dict[str, Any]:
    start = {"game": "dice_poker", "sheets": [{}], "to_move": 0, "dice": None, "rolls_left": 3}
    return {**start, **changes}


def state(**changes: Any) -> SheetState:
    return ENTRY.codec.state_from_json(position(**changes))


def scored(row: str, dice: tuple[int, ...], rolls_left: int = 0, **options: Any) -> int:
    counts = [dice.count(face) for face in range(1, 7)]
    return row_points(rules(**options).numbers, ROWS.index(row), counts, rolls_left)


# What rows score.


@pytest.mark.parametrize(
    ("row", "dice", "points"),
    [
        ("chance", (1, 3, 5, 5, 6), 20),  # the source prints 19
        ("sixes", (6, 6, 6, 6, 6), 12),  # the source prints 2 x 5 = 10
        ("twos", (1, 2, 2, 2, 3), 0),  # the source calls 2-3-2-2-1 a pair of deuces
        ("three", (1, 2, 2, 2, 3), 6),
        ("pair", (1, 2, 3, 3, 6), 6),  # the source: a pair of threes is 3 + 3 = 6
        ("fives", (1, 2, 3, 5, 5), -5),
        ("fours", (1, 2, 3, 5, 5), -12),
        ("poker", (4, 4, 4, 4, 4), 70),
        ("small_straight", (1, 2, 3, 4, 5), 15),
        ("large_straight", (2, 3, 4, 5, 6), 20),
        ("small_straight", (1, 2, 3, 4, 6), 0),
        ("full_house", (2, 2, 5, 5, 5), 19),
        ("two_pairs", (2, 2, 5, 5, 5), 14),
    ],
)
def test_examples_of_the_source(row: str, dice: tuple[int, ...], points: int) -> None:
    assert scored(row, dice) == points


def by_the_book(row: str, dice: tuple[int, ...], five_full: bool, four_pairs: bool) -> int:
    """Return the plain points of a combination, from the words of the rules."""
    groups = Counter(dice)

    def faces(least: int) -> list[int]:
        return sorted(face for face, n in groups.items() if n >= least)

    pairs, shape = faces(2), sorted(groups.values())
    if row == "pair":
        return 2 * max(pairs, default=0)
    if row == "two_pairs":
        if len(pairs) == 2:
            return 2 * sum(pairs)
        return 4 * sum(faces(4)) if four_pairs else 0
    if row in ("three", "four"):
        size = {"three": 3, "four": 4}[row]
        return size * sum(faces(size))
    if row == "small_straight":
        return 15 if set(dice) == {1, 2, 3, 4, 5} else 0
    if row == "large_straight":
        return 20 if set(dice) == {2, 3, 4, 5, 6} else 0
    if row == "full_house":
        return sum(dice) if shape == [2, 3] or (five_full and shape == [5]) else 0
    if row == "poker":
        return 5 * dice[0] + 50 if shape == [5] else 0
    return sum(dice)


@pytest.mark.parametrize("five_full", [False, True])
@pytest.mark.parametrize("four_pairs", [False, True])
def test_all_rolls_in_all_rows_of_part_two(five_full: bool, four_pairs: bool) -> None:
    given_options = {"five_as_full_house": five_full, "four_as_two_pairs": four_pairs}
    chosen = rules(**given_options).numbers
    for dice in ROLLS:
        counts = [dice.count(face) for face in range(1, 7)]
        made = rows_made(chosen, counts)
        for number, row in enumerate(ROWS[6:], 6):
            book = by_the_book(row, dice, five_full, four_pairs)
            assert row_points(chosen, number, counts, 0) == book
            assert row_points(chosen, number, counts, 1) == book
            assert bool(made >> number & 1) == (book > 0 and row != "chance")


def test_each_roll_in_each_row_of_the_school() -> None:
    for dice in ROLLS:
        for face, row in enumerate(ROWS[:6], 1):
            for rolls_left in range(3):
                assert scored(row, dice, rolls_left) == (dice.count(face) - 3) * face


@pytest.mark.parametrize(
    ("options", "poker", "pair", "chance"),
    [
        ({}, 10 * 6 + 50, 24, 30),
        ({"first_throw": "double_with_poker_bonus"}, 10 * 6 + 100, 24, 30),
        ({"first_throw": "none"}, 5 * 6 + 50, 12, 30),
        ({"chance_doubles": True}, 10 * 6 + 50, 24, 60),
    ],
)
def test_what_doubles_straight_after_the_first_throw(
    options: dict[str, Any], poker: int, pair: int, chance: int
) -> None:
    dice = (6, 6, 6, 6, 6)
    found = [scored(row, dice, 2, **options) for row in ("poker", "pair", "chance")]
    assert found == [poker, pair, chance]
    later = [scored(row, dice, 1, **options) for row in ("poker", "pair", "chance")]
    assert later == [80, 12, 30]
    assert scored("sixes", dice, 2, **options) == 12


# What may be written.


def names(found: SheetState) -> list[str]:
    return [
        ENTRY.text.describe_move(move) for move in found.legal_moves() if not isinstance(move, Keep)
    ]


def written(found: SheetState) -> list[str]:
    return [name.removeprefix("write ") for name in names(found)]


def test_the_school_comes_first() -> None:
    sheet = {**SCHOOL_FULL}
    del sheet["fours"]
    found = state(sheets=[sheet], dice=[1, 2, 3, 5, 5], rolls_left=0)
    assert written(found) == ["fours"]
    assert len(found.legal_moves()) == 1


def test_part_two_fills_what_the_dice_make_or_passes() -> None:
    found = state(sheets=[SCHOOL_FULL], turns_left=[9], dice=[2, 2, 5, 5, 5], rolls_left=1)
    assert written(found) == ["pair", "two_pairs", "three", "full_house", "chance", "pass"]


def test_sacrifice_writes_any_open_row_with_0_where_the_dice_miss() -> None:
    found = state(
        options={"dash": "sacrifice"}, sheets=[SCHOOL_FULL], dice=[1, 2, 3, 5, 6], rolls_left=0
    )
    assert written(found) == list(ROWS[6:])
    after = found.apply(Write("poker"))
    assert ENTRY.codec.sheet_to_json(after.rules, after.sheets[0])["poker"] == 0


def test_the_free_order_opens_every_row_at_once() -> None:
    options = {"dash": "sacrifice", "order": "free"}
    found = state(options=options, dice=[1, 2, 3, 5, 6], rolls_left=2)
    assert written(found) == list(ROWS)


def test_chance_after_a_miss_alone() -> None:
    def at(dice: list[int], **rows: int) -> list[str]:
        return written(
            state(
                options={"chance_after_miss": True},
                sheets=[{**SCHOOL_FULL, **rows}],
                turns_left=[9 - len(rows)],
                dice=dice,
                rolls_left=0,
            )
        )

    assert "chance" not in at([1, 3, 5, 5, 6])
    assert at([1, 3, 5, 5, 6], pair=12) == ["chance", "pass"]
    assert at([1, 2, 3, 5, 6]) == ["chance", "pass"]


def test_chance_after_a_miss_waits_for_the_third_throw() -> None:
    """The source: "even after using three attempts".  With chance alone open one must throw on."""
    alone = dict.fromkeys(ROWS[:14], 0)
    options = {"chance_after_miss": True, "dash": "sacrifice"}
    for rolls_left in (1, 2):
        early = state(options=options, sheets=[alone], dice=[6, 6, 6, 6, 6], rolls_left=rolls_left)
        assert written(early) == []
        with pytest.raises(MoveError, match="write chance is not legal"):
            early.apply(Write("chance"))
    last = state(options=options, sheets=[alone], dice=[6, 6, 6, 6, 6], rolls_left=0)
    assert written(last) == ["chance"]
    assert last.apply(Write("chance")).totals() == (50 + 30,)


def test_rows_empty_after_nine_turns_get_a_dash() -> None:
    sheet = {**SCHOOL_FULL, "pair": 24}
    found = state(sheets=[sheet], turns_left=[1], dice=[1, 2, 3, 5, 6], rolls_left=0)
    over = found.apply(PASS)
    assert over.is_over()
    assert over.totals() == (50 + 24,)
    told = ENTRY.codec.state_to_json(over)
    assert told["turns_left"] == [0]
    assert told["sheets"] == [{**dict.fromkeys(ROWS, 0), "pair": 24}]
    assert ENTRY.codec.state_from_json(told) == over


def test_a_pass_is_no_move_in_the_school_nor_under_sacrifice() -> None:
    full = {"sheets": [SCHOOL_FULL], "options": {"dash": "sacrifice"}}
    for found in (
        state(dice=[1, 1, 1, 1, 1], rolls_left=0),
        state(**full, dice=[1, 1, 1, 1, 1], rolls_left=0),
    ):
        with pytest.raises(MoveError, match="pass is not legal"):
            found.apply(PASS)


@pytest.mark.parametrize(
    ("sixes", "threshold", "bonus", "total"), [(0, 0, 50, 50), (-6, 0, 50, -6), (-6, -6, 30, 24)]
)
def test_the_bonus_goes_with_the_last_school_row(
    sixes: int, threshold: int, bonus: int, total: int
) -> None:
    sheet = dict.fromkeys(ROWS[:5], 0)
    found = state(
        options={"school_threshold": threshold, "school_bonus": bonus},
        sheets=[sheet],
        dice=[5, 6, 6, 6, 6] if sixes > 0 else [1, 6, 6, 6, 5] if sixes == 0 else [1, 2, 6, 6, 5],
        rolls_left=0,
    )
    assert found.totals() == (0,)
    after = found.apply(Write("sixes"))
    assert after.totals() == (total,)
    assert after.sheet.turns_left == 9


@given(st.integers(0, 10**6), st.sampled_from([{}, {"dash": "sacrifice"}, {"order": "free"}]))
def test_a_sheet_takes_15_turns_whatever_is_played(seed: int, options: dict[str, Any]) -> None:
    if "order" in options:
        options = {**options, "dash": "sacrifice"}
    game, choose = rules(**options), random.Random(seed)
    luck = game.luck(2, (seed,))
    found, turns = game.new(2), 0
    while not found.is_over():
        if found.current_player() == CHANCE:
            turns += found.rolls_left == 3
            found = found.apply(luck.outcome(found))
        else:
            found = found.apply(choose.choice(found.legal_moves()))
    assert turns == 30
    assert sum(found.returns()) == 0.0
    for sheet, total in zip(found.sheets, found.totals(), strict=True):
        subtotal = sum(sheet.points[:6])
        assert total == sum(sheet.points) + (50 if subtotal >= 0 else 0)


# Settlement.


@given(st.lists(st.integers(-63, 12_000), min_size=1, max_size=6))
def test_payments_sum_to_zero_exactly_in_any_order(totals: list[int]) -> None:
    payments = settlement(totals)
    assert all(sum(order) == 0.0 for order in list(permutations(payments))[:40])
    mean = sum(totals) / len(totals)
    for total, payment in zip(totals, payments, strict=True):
        assert math.isclose(payment, total - mean, abs_tol=1e-10)


def test_a_settlement_of_three() -> None:
    """Totals of 200, 129 and 130 have the mean 153."""
    assert settlement([200, 129, 130]) == (47.0, -24.0, -23.0)


# Options.


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"order": "free"}, "order: free goes with dash=sacrifice"),
        ({"chance_doubles": True, "first_throw": "none"}, "chance_doubles: expected false"),
        ({"chance_doubles": True, "chance_after_miss": True}, "chance_doubles: expected false"),
        ({"dash": "never"}, "dash"),
        ({"school_bonus": -1_000_001}, "school_bonus"),
        ({"school_bonus": 50.0}, "school_bonus"),
        ({"school_threshold": "0"}, "school_threshold"),
        ({"five_as_full_house": 1}, "five_as_full_house"),
        ({"jokers": True}, "jokers"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, Any], named: str) -> None:
    with pytest.raises(OptionError, match=named):
        ENTRY.rules.read_options(options)
    with pytest.raises(OptionError):
        ENTRY.tables.spec(options)


# JSON.


@pytest.mark.parametrize(
    "changes",
    [
        {"turns_left": [15]},
        {"sheets": [{"ones": -3, "sixes": 12}], "turns_left": [13], "dice": [1, 2, 2, 2, 6]},
        {"sheets": [SCHOOL_FULL], "turns_left": [4], "dice": [1, 2, 2, 2, 6]},
        {"sheets": [{**SCHOOL_FULL, "poker": 110, "pair": 4}], "turns_left": [7]},
        {"sheets": [{**SCHOOL_FULL, "pair": 4}, SCHOOL_FULL], "turns_left": [7, 8], "to_move": 1},
    ],
)
def test_positions_go_through_json(changes: dict[str, Any]) -> None:
    rolls_left = 2 if "dice" in changes else 3
    given_position = position(**changes, rolls_left=rolls_left)
    told = ENTRY.codec.state_to_json(ENTRY.codec.state_from_json(given_position))
    assert told["sheets"] == given_position["sheets"]
    assert told["turns_left"] == given_position["turns_left"]
    assert ENTRY.codec.state_to_json(ENTRY.codec.state_from_json(told)) == told


def test_in_the_school_the_turns_left_go_without_saying() -> None:
    assert state(sheets=[{"ones": 0}]).sheet.turns_left == 14


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"sheets": [{"pair": 4}]}, "pair: expected no points before the school is full"),
        ({"sheets": [{"ones": 3}]}, "ones: expected one of -3, -2, -1, 0, 1, 2, got 3"),
        ({"sheets": [{"sixes": -5}]}, "sixes"),
        ({"sheets": [{"twos": True}]}, "twos"),
        ({"sheets": [{"twos": 2.0}]}, "twos"),
        ({"sheets": [{**SCHOOL_FULL, "pair": 5}], "turns_left": [8]}, "pair"),
        ({"sheets": [{**SCHOOL_FULL, "pair": 0}], "turns_left": [8]}, "pair"),
        ({"sheets": [{**SCHOOL_FULL, "chance": 0}], "turns_left": [8]}, "chance"),
        ({"sheets": [{**SCHOOL_FULL, "chance": 40}], "turns_left": [8]}, "chance"),
        ({"sheets": [{**SCHOOL_FULL, "poker": 85}], "turns_left": [8]}, "poker"),
        ({"sheets": [{**SCHOOL_FULL, "poker": 160}], "turns_left": [8]}, "poker"),
        ({"sheets": [{**SCHOOL_FULL, "full_house": 5}], "turns_left": [8]}, "full_house"),
        ({"sheets": [SCHOOL_FULL]}, "turns_left: expected a list with one number a sheet"),
        ({"sheets": [SCHOOL_FULL], "turns_left": [10]}, r"turns_left\[0\]: expected 0 to 9"),
        ({"sheets": [{**SCHOOL_FULL, "pair": 4}], "turns_left": [9]}, "expected 0 to 8"),
        ({"sheets": [{"ones": 0}], "turns_left": [15]}, r"turns_left\[0\]: expected 14"),
        ({"sheets": [{}], "turns_left": [0]}, r"turns_left\[0\]: expected 15"),
        ({"turns_left": 15}, "turns_left: expected a list with 1 numbers"),
        ({"turns_left": [15, 15]}, "turns_left"),
        ({"turns_left": [True]}, "turns_left"),
        ({"turns_left": ["15"]}, "turns_left"),
        ({"options": {"dash": "sacrifice"}, "turns_left": [15]}, 'unknown key "turns_left"'),
        ({"sheets": [{"yacht": 50}]}, "yacht"),
        ({"sheets": [{}, {"ones": 0}], "to_move": 0}, "turns taken"),
        ({"sheets": [SCHOOL_FULL, SCHOOL_FULL], "turns_left": [9, 8]}, "turns taken"),
    ],
)
def test_sheets_that_cannot_be_are_refused(changes: dict[str, Any], named: str) -> None:
    with pytest.raises(PositionError, match=named):
        state(**changes)


@pytest.mark.parametrize(
    ("options", "poker"),
    [
        ({}, {55, 60, 65, 70, 75, 80, 90, 100, 110}),
        ({"first_throw": "none"}, {55, 60, 65, 70, 75, 80}),
        (
            {"first_throw": "double_with_poker_bonus"},
            {55, 60, 65, 70, 75, 80, 110, 120, 130, 140, 150, 160},
        ),
        ({"dash": "sacrifice"}, {0, 55, 60, 65, 70, 75, 80, 90, 100, 110}),
    ],
)
def test_what_a_poker_can_hold(options: dict[str, Any], poker: set[int]) -> None:
    """5 x face + 50; straight after the first throw 10 x face + 50, or + 100."""
    assert possible_points(rules(**options).numbers, ROWS.index("poker"), 0) == poker


def test_a_chance_after_a_miss_holds_what_dice_without_the_open_rows_can_make() -> None:
    """With all rows open a miss is five faces in no straight: 16 to 19 points."""
    chosen = rules(chance_after_miss=True).numbers
    assert possible_points(chosen, ROWS.index("chance"), ALL_OPEN & ~SCHOOL) == {16, 17, 18, 19}
    changes = {"options": {"chance_after_miss": True}, "turns_left": [8]}
    with pytest.raises(PositionError, match="chance: expected one of 16, 17, 18, 19, got 30"):
        state(sheets=[{**SCHOOL_FULL, "chance": 30}], **changes)
    done = {"options": {"chance_after_miss": True}, "turns_left": [7]}
    state(sheets=[{**SCHOOL_FULL, "chance": 24, "pair": 12}], **done)  # 3-4-5-6-6, a pair alone


def test_moves_go_through_json() -> None:
    for move in (PASS, Keep((1, 2)), Keep(()), Write("pair")):
        assert ENTRY.codec.move_from_json(ENTRY.codec.move_to_json(move)) == move
    for wrong in ({"pass": False}, {"pass": 1}, {"pass": True, "keep": []}, {"write": "pass"}):
        with pytest.raises(UstadError):
            ENTRY.codec.move_from_json(wrong)


# Text.


def test_a_pass_can_be_typed_and_told() -> None:
    found = state(sheets=[SCHOOL_FULL], turns_left=[9], dice=[1, 2, 3, 5, 6], rolls_left=0)
    assert ENTRY.text.move_from_text(found, "pass") == PASS
    assert ENTRY.text.prompt(found).endswith("or pass")
    assert "9 turns left" in ENTRY.text.describe(found)
    assert "school -3: the bonus of 50 from +0 on" in ENTRY.text.describe(
        state(sheets=[{"ones": -3}])
    )


# The numbers of the states.


def test_columns_merge_just_the_subtotals_with_one_future() -> None:
    """3,013 pairs of open school rows and subtotal, and 106 full schools in one column."""
    known = columns(0)
    assert known.reachable == 3_013 + 106
    assert known.count == 1_638 + 1
    assert set(known.column[0]) == {0}
    for open_rows in range(1, SCHOOL + 1):
        amounts = {0}
        for face in range(1, 7):
            if open_rows >> face - 1 & 1:
                amounts = {had + (n - 3) * face for had in amounts for n in range(6)}
        futures: dict[int, set[tuple[bool, ...]]] = {}
        for place, column in enumerate(known.column[open_rows].tolist()):
            if column >= 0:
                future = tuple(place - 63 + amount >= 0 for amount in sorted(amounts))
                futures.setdefault(column, set()).add(future)
        assert all(len(found) == 1 for found in futures.values())
        assert len(set.union(*futures.values())) == len(futures)


@pytest.mark.parametrize(
    ("options", "holes"),
    [({"dash": "sacrifice"}, 0), ({}, 2_304), ({"dash": "sacrifice", "school_threshold": 7}, 0)],
)
def test_states_are_numbered_one_by_one(options: dict[str, Any], holes: int) -> None:
    """Under deferred no game comes to the 5,120 - 2,816 parts with more turns than rows."""
    chosen = rules(**options).numbers
    known = columns(chosen.school_threshold)
    school = [
        state_index(chosen, ALL_OPEN & ~SCHOOL | open_rows, 9 + open_rows.bit_count(), int(upper))
        for open_rows in range(1, 64)
        for upper in known.upper[slice(*known.bounds[open_rows : open_rows + 2])]
    ]
    part_two = [
        state_index(chosen, rows << 6, turns_left, 0)
        for rows in range(512)
        for turns_left in (range(rows.bit_count() + 1) if chosen.deferred else [rows.bit_count()])
    ]
    found = sorted(school + part_two)
    assert len(set(found)) == len(found) == state_count(chosen) - holes
    assert found[-1] == state_count(chosen) - 1


def test_states_of_the_free_order_are_numbered_one_by_one() -> None:
    chosen = rules(dash="sacrifice", order="free").numbers
    known = columns(0)
    found = {
        state_index(chosen, rows << 6 | open_rows, 0, int(upper))
        for rows in (0, 1, 300, 511)
        for open_rows in range(64)
        for upper in known.upper[slice(*known.bounds[open_rows : open_rows + 2])]
    }
    assert found == {row * known.count + c for row in (0, 1, 300, 511) for c in range(known.count)}
    assert state_count(chosen) == 512 * known.count
