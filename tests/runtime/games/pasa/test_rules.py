"""The rules of pasa: the throws of the source, what may be bet, and positions as JSON."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from itertools import pairwise, product
from math import comb
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ustad.runtime.core.errors import MoveError, OptionError, OutcomeError, PositionError
from ustad.runtime.core.game import CHANCE, OVER
from ustad.runtime.games.pasa.codec import CODEC
from ustad.runtime.games.pasa.entry import ENTRY
from ustad.runtime.games.pasa.rules import (
    FACES,
    NAMED,
    RULES,
    Menu,
    Pasa,
    PasaState,
    legal_bets,
    most_allowed,
    result,
    throws,
    to_stakes,
    win_shares,
)
from ustad.runtime.games.pasa.states import even_split, first_split, split_number
from ustad.runtime.games.pasa.tables import TABLES
from ustad.runtime.games.pasa.text import TEXT
from ustad.solver.build import build_table

PARO, TIRO, BACHYO = (1, 6, 6), (2, 2, 2), (1, 1, 5)

every_rules = st.builds(
    Pasa,
    cap=st.sampled_from(("share", "first_come")),
    max_bet=st.one_of(st.none(), st.integers(1, 5)),
    menu=st.sampled_from(("buttons", "all")),
    stack=st.integers(1, 12),
    laps=st.integers(1, 3),
)


def every_throw() -> list[tuple[int, ...]]:
    return list(product(FACES, repeat=3))


# The throws: every number of the source document, by enumeration.


def test_the_64_throws_are_14_paro_14_tiro_and_36_bachyo() -> None:
    found = Counter(result(throw) for throw in every_throw())
    assert found == {"paro": 14, "tiro": 14, "bachyo": 36}


def test_the_sums_from_3_to_18_fall_as_the_source_says() -> None:
    """Paro 13, 15, 17, 18; tiro 3, 4, 6, 9; bachyo the other eight sums that fall."""
    by_result: dict[str, set[int]] = {}
    for throw in every_throw():
        by_result.setdefault(result(throw), set()).add(sum(throw))
    assert by_result["paro"] == {13, 15, 17, 18}
    assert by_result["tiro"] == {3, 4, 6, 9}
    assert by_result["bachyo"] == {5, 7, 8, 10, 11, 12, 14, 16}


def test_thirteen_falls_in_nine_ways_three_of_them_tike_tehra() -> None:
    """The other six are of 6, 5 and 2 and have no name."""
    ways = Counter(tuple(sorted(throw)) for throw in every_throw() if sum(throw) == 13)
    assert ways == {(1, 6, 6): 3, (2, 5, 6): 6}
    assert NAMED[1, 6, 6] == "tike_tehra"
    assert (2, 5, 6) not in NAMED


def test_halhale_is_the_only_six() -> None:
    assert [throw for throw in every_throw() if sum(throw) == 6] == [(2, 2, 2)]
    assert NAMED[2, 2, 2] == "halhale"
    assert result((2, 2, 2)) == "tiro"


def test_fifteen_falls_once_in_64() -> None:
    assert [throw for throw in every_throw() if sum(throw) == 15] == [(5, 5, 5)]


def test_a_five_with_a_one_is_always_bachyo() -> None:
    """The third die makes 7, 8, 11 or 12."""
    with_both = [throw for throw in every_throw() if {1, 5} <= set(throw)]
    assert {sum(throw) for throw in with_both} == {7, 8, 11, 12}
    assert {result(throw) for throw in with_both} == {"bachyo"}


def test_the_outcomes_of_chance_are_the_64_throws() -> None:
    expected = Counter(tuple(sorted(throw)) for throw in every_throw())
    assert dict(throws()) == {throw: ways / 64 for throw, ways in expected.items()}
    assert len(throws()) == 20


# What may be bet.


@pytest.mark.parametrize(
    ("most", "bets"),
    [
        (0, (0,)),
        (1, (1,)),
        (2, (1, 2)),
        (3, (1, 3)),
        (4, (1, 2, 4)),
        (7, (1, 3, 7)),
        (8, (1, 2, 4, 8)),
        (40, (1, 10, 20, 40)),
    ],
)
def test_buttons_are_one_a_quarter_a_half_and_all(most: int, bets: tuple[int, ...]) -> None:
    """Worked by hand from the rules: rounded down, at least 1, duplicates dropped."""
    assert legal_bets(Menu.BUTTONS, most) == bets


@given(st.integers(0, 500))
def test_the_menus_rise_to_the_most_allowed(most: int) -> None:
    everything = legal_bets(Menu.ALL, most)
    assert isinstance(everything, range)  # as many bets as chips would take memory
    assert list(everything) == (list(range(1, most + 1)) or [0])
    buttons = legal_bets(Menu.BUTTONS, most)
    expected = {max(1, part) for part in (1, most // 4, most // 2, most)} if most else {0}
    assert list(buttons) == sorted(expected)


def test_how_much_may_be_bet() -> None:
    """By hand: thrower 10 against three seats, one of which has bet 8 first come."""
    share, first_come = Pasa().numbers, Pasa(cap="first_come").numbers
    assert most_allowed(share, 10, 3, 10, 0) == 3
    assert most_allowed(share, 2, 3, 10, 0) == 1
    assert most_allowed(share, 2, 3, 10, 2) == 0
    assert most_allowed(share, 10, 3, 2, 0) == 2
    assert most_allowed(first_come, 10, 3, 10, 8) == 2
    assert most_allowed(first_come, 10, 3, 10, 10) == 0
    assert most_allowed(Pasa(cap="first_come", max_bet=2).numbers, 10, 3, 10, 0) == 2


def allowed_by_the_rules(state: PasaState, bet: int) -> bool:
    """Tell whether a bet is within the limits, told here anew in the words of the rules."""
    seat = state.current_player()
    thrower = state.stacks[state.thrower]
    left = thrower - sum(bet or 0 for bet in state.bets)
    if left == 0:
        return bet == 0
    with_chips = [s for s, stack in enumerate(state.stacks) if stack and s != state.thrower]
    share = max(1, thrower // len(with_chips))
    return (
        1 <= bet <= min(state.stacks[seat], left)
        and (state.rules.options["max_bet"] is None or bet <= state.rules.options["max_bet"])
        and (state.rules.options["cap"] == "first_come" or bet <= share)
    )


@settings(max_examples=60, deadline=None)
@given(every_rules, st.integers(2, 6), st.integers(0, 2**32))
def test_play_keeps_the_chips_and_never_offers_what_the_rules_forbid(
    rules: Pasa, players: int, seed: int
) -> None:
    choose = random.Random(seed)
    luck = rules.luck(players, (seed,))
    state = rules.new(players, choose.randrange(players))
    chips, turns = sum(state.stacks), state.turns_left
    while not state.is_over():
        assert state.stacks[state.thrower] > 0
        assert all(
            bet == 0 for bet, stack in zip(state.bets, state.stacks, strict=True) if not stack
        )
        if state.current_player() == CHANCE:
            assert 0 < sum(bet or 0 for bet in state.bets) <= state.stacks[state.thrower]
            state = state.apply(luck.outcome(state))
        else:
            legal = state.legal_moves()
            assert legal
            assert all(allowed_by_the_rules(state, bet) for bet in legal)
            state = state.apply(choose.choice(legal))
        assert sum(state.stacks) == chips
        assert min(state.stacks) >= 0
        assert state.turns_left <= turns
        turns = state.turns_left
        assert CODEC.state_from_json(CODEC.state_to_json(state)) == state
        assert TEXT.describe(state)
    assert sum(state.returns()) == pytest.approx(1)


# The course of a game.


def test_a_throw_moves_the_chips_as_the_source_says() -> None:
    rules = Pasa(menu="all", stack=10)
    state = rules.new(3)
    for bet in (2, 5):
        state = state.apply(bet)
    assert state.current_player() == CHANCE
    paro = state.apply(PARO)
    assert (paro.stacks, paro.thrower, paro.turns_left) == ((17, 8, 5), 0, 6)
    assert paro.bets == (None, None, None)
    tiro = state.apply(TIRO)
    assert (tiro.stacks, tiro.thrower, tiro.turns_left) == ((3, 12, 15), 1, 5)
    assert state.apply(BACHYO) == state


def test_events_tell_the_throw_its_name_and_what_it_moved() -> None:
    state = Pasa().new(2)
    bet = state.apply(5)
    assert CODEC.events(state, 5, bet) == [{"seat": 1, "bet": 5}]
    paro = {"seat": 0, "thrown": [1, 6, 6], "sum": 13, "result": "paro", "gained": [5, -5]}
    assert CODEC.events(bet, PARO, bet.apply(PARO)) == [{**paro, "named": "tike_tehra"}]
    tiro = {"seat": 0, "thrown": [2, 2, 2], "sum": 6, "result": "tiro", "gained": [-5, 5]}
    assert CODEC.events(bet, TIRO, bet.apply(TIRO)) == [{**tiro, "named": "halhale"}]
    other = CODEC.events(bet, (2, 5, 6), bet.apply((2, 5, 6)))
    assert "named" not in other[0]
    assert other[0]["result"] == "paro"
    assert CODEC.events(bet, BACHYO, bet.apply(BACHYO))[0]["gained"] == [0, 0]


def test_a_seat_without_chips_does_not_bet_and_its_turn_is_skipped_but_counts() -> None:
    rules = Pasa(menu="all")
    state = rules.start((5, 0, 4, 3), 0, 4)
    assert state.bets == (None, 0, None, None)
    assert state.current_player() == 2
    state = state.apply(1).apply(1)
    after = state.apply(TIRO)
    assert (after.stacks, after.thrower, after.turns_left) == ((3, 0, 5, 4), 2, 2)
    assert CODEC.events(state, TIRO, after)[1:] == [{"skipped": 1}]
    assert "seat 1 has no chips" in TEXT.describe_step(state, TIRO, after)


def test_the_game_ends_with_the_turns_or_with_all_chips_in_one_hand() -> None:
    rules = Pasa(menu="all")
    last = rules.start((5, 4), 0, 1).apply(4)
    assert last.apply(TIRO).is_over()
    assert last.apply(TIRO).returns() == (0.0, 1.0)
    won = last.apply(PARO)
    assert won.is_over()
    assert (won.stacks, won.turns_left) == ((9, 0), 1)
    assert won.returns() == (1.0, 0.0)
    assert won.current_player() == OVER
    # Skipping the chipless can use up the turns: seat 2 does not get the dice again.
    skipped = rules.start((2, 0, 2), 0, 2).apply(1).apply(TIRO)
    assert skipped.is_over()
    assert (skipped.stacks, skipped.turns_left) == ((1, 0, 3), 0)


def test_a_thrower_with_less_than_a_stake_for_each_covers_the_first_bets_alone() -> None:
    state = Pasa().start((2, 5, 5, 5), 0, 3)
    state = state.apply(1).apply(1)
    assert list(state.legal_moves()) == [0]
    assert state.apply(0).current_player() == CHANCE


def test_seats_that_tie_on_top_share_the_win() -> None:
    assert win_shares((3, 5, 5, 1)) == (0.0, 0.5, 0.5, 0.0)
    assert win_shares((2, 2, 2)) == (1 / 3, 1 / 3, 1 / 3)


def test_a_new_game_has_stack_and_laps_and_positions_have_neither() -> None:
    rules = RULES.read({"stack": 7, "laps": 1})
    position = CODEC.state_to_json(rules.new(3))
    assert position == {
        "game": "pasa",
        "options": {"cap": "share", "max_bet": None, "menu": "buttons"},
        "stacks": [7, 7, 7],
        "thrower": 0,
        "turns_left": 3,
        "bets": [None, None, None],
    }
    with pytest.raises(OptionError, match="laps"):
        CODEC.state_from_json({**position, "options": {"laps": 1}})


def test_the_same_seed_gives_the_same_dice_however_a_turn_goes() -> None:
    """The n-th throw with so many turns left is fixed, far beyond the first block too."""
    rules = Pasa(menu="all")
    one, other = rules.luck(2, (3,)), rules.luck(2, (3,))
    state = rules.new(2).apply(1)
    fallen = []
    for _ in range(200):
        fallen.append(one.outcome(state))
        state = state.apply(BACHYO)
    again = rules.new(2).apply(5)
    for throw in fallen:
        assert other.outcome(again) == throw
        again = again.apply(BACHYO)
    assert set(map(result, fallen)) == {"paro", "tiro", "bachyo"}
    assert len(set(fallen)) > 10


def test_a_player_is_told_where_the_rules_come_from(
    run_ustad: Callable[..., Any], tmp_path: Path
) -> None:
    """The source wants a player told, and that chips are no money."""
    build_table(ENTRY, {"players": 2, "chips": 20}, tmp_path)
    told = run_ustad("play", "pasa", "--players", 2, "--tables", tmp_path, stdin="q\n")
    assert "own reading, taken from kauda. Chips are no money." in told.out


# Positions, moves and outcomes as JSON.

POSITION: dict[str, Any] = {
    "game": "pasa",
    "options": {"cap": "share", "max_bet": None, "menu": "buttons"},
    "stacks": [10, 10, 10, 10],
    "thrower": 0,
    "turns_left": 8,
    "bets": [None, 3, None, None],
}


def test_the_position_of_the_design_is_read_and_written() -> None:
    state = CODEC.state_from_json(POSITION)
    assert state.current_player() == 2
    assert CODEC.state_to_json(state) == POSITION


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"stacks": [10]}, "stacks: expected 2 to 6 seats"),
        ({"stacks": [1] * 7}, "stacks: expected 2 to 6 seats"),
        ({"stacks": [10**9, 1]}, "stacks: expected 1 to 100000 chips in all"),
        ({"stacks": [10, 10, -1, 10]}, "stacks"),
        ({"stacks": [10, 10, True, 10]}, "stacks"),
        ({"stacks": [10, 10, 10.0, 10]}, "stacks"),
        ({"stacks": [0, 0, 0, 0]}, "stacks"),
        ({"thrower": 4}, "thrower"),
        ({"stacks": [0, 10, 10, 10]}, "thrower"),
        ({"turns_left": -1}, "turns_left"),
        ({"bets": [None, 3, None]}, "bets"),
        ({"bets": [1, 3, None, None]}, r"bets\[0\]"),
        ({"bets": [None, 2, None, None]}, r"bets\[1\]"),
        ({"bets": [None, 0, None, None]}, r"bets\[1\]"),
        ({"bets": [None, True, None, None]}, r"bets\[1\]"),
        ({"bets": [None, None, 3, None]}, r"bets\[2\]"),
        ({"stacks": [10, 0, 10, 10], "bets": [None, None, None, None]}, r"bets\[1\]"),
        ({"stacks": [10, 0, 10, 10], "bets": [None, False, None, None]}, r"bets\[1\]"),
        ({"turns_left": 0}, r"bets\[1\]"),
        ({"surprise": 1}, "surprise"),
    ],
)
def test_positions_that_cannot_be_are_refused(change: dict[str, Any], named: str) -> None:
    with pytest.raises(PositionError, match=named) as error:
        CODEC.state_from_json({**POSITION, **change})
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("options", [{"max_bet": 0}, {"menu": "some"}, {"cap": None}, {"laps": 2}])
def test_wrong_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match=next(iter(options))):
        CODEC.state_from_json({**POSITION, "options": options})


@pytest.mark.parametrize("outcome", [(1, 6), (1, 6, 3), (1, 6, 6, 6), (1.0, 6, 6), (True, 6, 6)])
def test_throws_that_cannot_fall_are_refused(outcome: tuple[Any, ...]) -> None:
    state = Pasa().new(2).apply(1)
    with pytest.raises(OutcomeError):
        state.apply(outcome)
    with pytest.raises(OutcomeError):
        CODEC.outcome_from_json(list(outcome))


def test_a_bet_for_a_throw_and_a_throw_for_a_bet_are_refused() -> None:
    state = Pasa().new(2)
    with pytest.raises(MoveError):
        state.apply(PARO)
    with pytest.raises(OutcomeError):
        state.apply(1).apply(1)


# Numbers of states and stakes.


@pytest.mark.parametrize(("players", "chips"), [(2, 9), (3, 7), (4, 6), (5, 4), (6, 4)])
def test_the_numbers_of_the_splits_are_a_bijection_largest_thrower_first(
    players: int, chips: int
) -> None:
    splits = [s for s in product(range(chips + 1), repeat=players) if sum(s) == chips]
    splits.sort(key=split_number)
    assert list(map(split_number, splits)) == list(range(comb(chips + players - 1, players - 1)))
    throwers = [split[0] for split in splits]
    assert throwers == sorted(throwers, reverse=True)


def test_a_table_of_two_seats_holds_every_total_and_others_one() -> None:
    rows = [first_split(2, 100, total) for total in range(1, 102)]
    assert [b - a for a, b in pairwise(rows)] == [total + 1 for total in range(1, 101)]
    assert rows[0] == 0
    assert first_split(2, 101, 101) == 0
    assert first_split(2, 101, 102) == 102
    # C(N S + N - 1, N - 1) splits for four seats with ten stakes each.
    assert first_split(4, 40, 40) == 0
    assert first_split(4, 40, 41) == comb(43, 3) == 12341


def test_a_table_that_cannot_fit_is_refused_with_its_numbers() -> None:
    """C(65, 5) splits in 12 turns, six numbers of 8 bytes each."""
    with pytest.raises(OptionError) as error:
        TABLES.spec({"players": 6, "chips": 60})
    assert f"{12 * comb(65, 5):,} states" in str(error.value)
    assert f"{12 * comb(65, 5) * 6 * 8:,} bytes" in str(error.value)


def test_a_table_is_keyed_by_all_chips_those_of_a_new_game_by_default() -> None:
    assert TABLES.spec({"players": 3}).options["chips"] == 60
    assert TABLES.spec({"players": 3, "chips": 31}).shape == (6, comb(33, 2), 3)
    assert even_split(3, 31) == (11, 10, 10)


def test_chip_counts_become_stakes_by_largest_remainder() -> None:
    """By hand: 40 stakes for 2,000 chips are 50 a stake; 24.8, 6.2, 8.98, 0.02 stakes."""
    assert to_stakes((1240, 310, 449, 1), 40) == (25, 6, 9, 0)
    assert to_stakes((1, 1, 1), 10) == (4, 3, 3)
    with pytest.raises(PositionError):
        to_stakes((0, 0), 10)


@given(st.lists(st.integers(0, 10**6), min_size=2, max_size=6), st.integers(1, 1000))
def test_stakes_add_up_and_are_less_than_one_off(chips: list[int], stakes: int) -> None:
    if not any(chips):
        return
    found = to_stakes(chips, stakes)
    assert sum(found) == stakes
    for count, stake in zip(chips, found, strict=True):
        assert abs(stake * sum(chips) - count * stakes) < sum(chips)
        assert stake == 0 or count > 0
    assert to_stakes(found, stakes) == found


# Text for people.


def test_a_throw_is_told_with_who_pays_whom() -> None:
    state = Pasa(stack=10).new(3).apply(1).apply(5)
    told = [TEXT.read_by(1).describe_step(state, fell, state.apply(fell)) for fell in (PARO, TIRO)]
    assert told[0].endswith("paro\n  you pay seat 0 1\n  seat 2 pays seat 0 5")
    assert told[1].endswith("tiro\n  seat 0 pays you 1\n  seat 0 pays seat 2 5")
    again = TEXT.describe_step(state, BACHYO, state.apply(BACHYO))
    assert again.endswith("bachyo, nobody pays, seat 0 throws again")
    assert "sum is 13, tike tehra: paro" in TEXT.describe_step(state, (1, 6, 6), state)


def test_the_person_with_the_dice_throws_them() -> None:
    state = Pasa(stack=10).new(2).apply(1)
    assert TEXT.read_by(0).chance_prompt(state) == "you have the dice: Enter to throw"
    assert TEXT.read_by(1).chance_prompt(state) == TEXT.chance_prompt(state) == ""
    assert TEXT.read_by(0).describe(state).splitlines()[1].endswith("  you")
    assert TEXT.read_by(0).describe(state).endswith("you throw, 4 turns left")
