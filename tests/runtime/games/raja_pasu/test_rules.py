"""The rules of Raja Pasu, its rounds and matches, its JSON and text.

Single moves are compared with a plain player of the rules in the tests of the solver.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ustad.runtime.core.errors import (
    MoveError,
    OptionError,
    OutcomeError,
    PositionError,
    UstadError,
)
from ustad.runtime.core.game import OVER
from ustad.runtime.games.raja_pasu.codec import CODEC
from ustad.runtime.games.raja_pasu.rules import (
    ALL_SEEDS,
    HOLES,
    MOVES,
    ROW,
    Match,
    RajaPasu,
    RajaPasuState,
    closed_holes,
    ring,
)
from ustad.runtime.games.raja_pasu.tables import TABLES
from ustad.runtime.games.raja_pasu.text import TEXT
from ustad.runtime.questions import Advisor

KNOWN = json.loads((Path(__file__).parents[3] / "data" / "raja_pasu.json").read_text())


def position(board: list[int], to_move: int = 0, **more: Any) -> dict[str, Any]:
    return {"game": "raja_pasu", "board": board, "to_move": to_move, **more}


def state(board: list[int], to_move: int = 0, **more: Any) -> RajaPasuState:
    return CODEC.state_from_json(position(board, to_move, **more))


def holes(**seeds: int) -> list[int]:
    """Return a board that is empty but for some holes: ``holes(h3=1)``."""
    return [seeds.get(f"h{hole}", 0) for hole in range(HOLES)]


# Moves.


@pytest.mark.parametrize("known", KNOWN["moves"], ids=lambda known: known["id"])
def test_moves_worked_by_hand(known: dict[str, Any]) -> None:
    before, move = CODEC.state_from_json(known["position"]), CODEC.move_from_json(known["move"])
    after = before.apply(move)
    assert list(after.board) == known["board_after"]
    assert list(after.captured) == known["captured"]
    assert after.to_move == 1 - before.to_move
    events = CODEC.events(before, move, after)
    assert sum("lap" in event for event in events) == known["laps"]


def animated(before: RajaPasuState, events: list[dict[str, Any]]) -> tuple[list[int], list[int]]:
    """Return board and captures that follow from the events of a move alone, hole by hole."""
    board, captured = list(before.board), list(before.captured)
    for at, event in enumerate(events):
        if "lap" in event:
            assert board[event["hole"]] == event["seeds"] == len(event["sown"])
            board[event["hole"]] = 0
            fours = []
            for later in events[at + 1 :]:
                if "pasu" not in later:
                    break
                fours.append((later["after"], later["pasu"], later["seat"]))
            for sown, hole in enumerate(event["sown"], 1):
                board[hole] += 1
                if board[hole] == 4:
                    assert (sown, hole, hole // ROW) in fours
                    captured[hole // ROW] += 4
                    board[hole] = 0
        elif "pussa" in event:
            assert board[event["pussa"]] == event["seeds"]
            captured[event["seat"]] += board[event["pussa"]]
            board[event["pussa"]] = 0
    return board, captured


boards = st.one_of(
    st.lists(st.integers(0, 3), min_size=14, max_size=14),
    st.lists(st.sampled_from([0, 0, 1, 2, 7, 8, 9, 11]), min_size=14, max_size=14),
    st.lists(st.integers(0, 7), min_size=14, max_size=14),
).filter(lambda board: sum(board) <= 98)


@settings(deadline=None)
@given(boards, st.sets(st.integers(0, 13), max_size=6), st.integers(0, 1), st.booleans())
def test_events_animate_every_move(
    board: list[int], closed: set[int], to_move: int, skipped: bool
) -> None:
    """The events alone rebuild board and captures; seeds are conserved."""
    board = [0 if hole in closed else seeds for hole, seeds in enumerate(board)]
    options = {"origin": "skipped"} if skipped else {}
    before = state(board, to_move, closed=sorted(closed), options=options)
    for move in before.legal_moves():
        after = before.apply(move)
        assert sum(after.board) + sum(after.captured) == sum(board)
        assert all(after.board[hole] == 0 for hole in closed)
        seeds, captured = animated(before, CODEC.events(before, move, after))
        assert seeds == list(after.board)
        assert captured == list(after.captured)


def test_a_relay_without_end_is_stopped_and_said_so() -> None:
    """On one open hole the seed goes round for ever; nothing is captured."""
    before = state(holes(h3=1), closed=[hole for hole in range(HOLES) if hole != 3])
    move = before.legal_moves()[0]
    after = before.apply(move)
    assert after.board == before.board
    assert CODEC.events(before, move, after)[:2] == [
        {"lap": 1, "hole": 3, "seeds": 1, "sown": [3]},
        {"endless": True},
    ]


def test_the_origin_can_be_skipped() -> None:
    """Fourteen seeds in one hole: sown on, the last falls into it; skipped, into the next."""
    board = holes(h2=14)
    sown, skipped = state(board), state(board, options={"origin": "skipped"})
    first = [CODEC.events(it, MOVES[2], it.apply(MOVES[2]))[0] for it in (sown, skipped)]
    assert first[0]["sown"] == [*range(3, 14), 0, 1, 2]
    assert first[1]["sown"] == [*range(3, 14), 0, 1, 3]


# Rounds.


def test_a_round_ends_when_the_mover_has_nothing_to_sow() -> None:
    """North's one seed moves on; South cannot, and North takes what is left."""
    before = state(holes(h7=1, h12=3), 1, captured=[50, 44])
    after = before.apply(MOVES[7])
    assert after.board == tuple(holes(h8=1, h12=3))
    assert after.is_over()
    assert after.current_player() == OVER
    assert after.legal_moves() == ()
    assert after.captured == (50, 44)
    assert after.returns() == (2.0, -2.0)
    assert after.scores() == (50.0, 48.0)
    assert CODEC.events(before, MOVES[7], after)[-1] == {"over": [0, 4], "repeated": False}
    with pytest.raises(MoveError, match="the round is over"):
        after.apply(MOVES[8])


def dance() -> list[RajaPasuState]:
    """Return the states of two seeds that chase each other round the board, until it is over."""
    states = [state(holes(h0=1, h6=1))]
    while not states[-1].is_over():
        states.append(states[-1].apply(states[-1].legal_moves()[-1]))
    return states


def test_the_third_time_a_position_ends_the_round() -> None:
    """Two lone seeds chase each other round the board: fourteen moves a turn."""
    states = dance()
    last = states[-1]
    assert last.repeated()
    assert [it.board for it in states].count(last.board) == 3
    assert not any(it.is_over() for it in states[:-1])
    assert last.legal_moves() == ()
    assert last.remainder() == (last.row(0), last.row(1))
    assert last.returns() == (float(last.row(0) - last.row(1)), float(last.row(1) - last.row(0)))
    again = CODEC.state_from_json(json.loads(json.dumps(CODEC.state_to_json(last))))
    assert again == last
    assert again.is_over()


@pytest.mark.parametrize("seed", range(20))
def test_only_positions_that_can_come_again_are_remembered(seed: int) -> None:
    """The past is a run of the last boards; a capture forgets it; nothing forgotten comes back."""
    random_ = random.Random(seed)
    now, past = RajaPasu().new(), []
    while not now.is_over():
        past.append(now)
        now = now.apply(random_.choice(now.legal_moves()))
        remembered = len(now.earlier)
        assert now.earlier == tuple(it.board for it in past[len(past) - remembered :])
        assert not remembered or now.captured == past[-1].captured
        forgotten = past[: len(past) - remembered]
        assert now.board not in [it.board for it in forgotten if it.to_move == now.to_move]


# Matches.


def test_owned_seeds_close_holes_from_the_left() -> None:
    assert closed_holes((49, 49)) == ()
    assert closed_holes((57, 41)) == (7, 8)
    assert closed_holes((48, 50)) == (0,)
    assert closed_holes((7, 91)) == (0, 1, 2, 3, 4, 5)


def match_state(board: list[int], to_move: int, captured: list[int], **match: Any) -> RajaPasuState:
    owned = match.pop("owned", [49, 49])
    about = {"owned": owned, "round": 1, "leader": 0, **match}
    shut = list(closed_holes(tuple(owned)))
    return state(board, to_move, captured=captured, closed=shut, match=about)


def test_the_next_round_is_laid_out_and_led_by_who_took_the_remainder() -> None:
    """North takes four more: 50 and 48, so North closes one hole and leads."""
    before = match_state(holes(h7=1, h12=3), 1, [50, 44])
    after = before.apply(MOVES[7])
    assert after.match == Match((50, 48), 2, 1)
    assert after.closed == (7,)
    assert after.board == (7,) * 7 + (0,) + (7,) * 6
    assert (after.to_move, after.captured, after.earlier) == (1, (0, 0), ())
    assert CODEC.events(before, MOVES[7], after)[-2:] == [
        {"over": [0, 4], "repeated": False},
        {"owned": [50, 48], "round": 2, "leader": 1, "closed": [7]},
    ]


def test_reserves_carry_over() -> None:
    """With 50 owned a player fills seven holes and keeps one seed, here South."""
    before = match_state(holes(h8=1), 1, [40, 50], owned=[50, 48], round=2, leader=1)
    after = before.apply(MOVES[8])
    assert after.match == Match((41, 57), 3, 1)
    assert after.closed == (0, 1)


def test_a_match_ends_when_a_player_can_open_no_hole() -> None:
    before = match_state(holes(h7=1, h12=3), 1, [5, 89])
    after = before.apply(MOVES[7])
    assert after.is_over()
    assert after.returns() == (-88.0, 88.0)
    assert after.match == before.match


def test_a_match_ends_after_its_last_round() -> None:
    given_ = CODEC.state_to_json(match_state(holes(h7=1, h12=3), 1, [50, 44], round=3))
    last = CODEC.state_from_json({**given_, "options": {"max_rounds": 3}})
    over = last.apply(MOVES[7])
    assert over.is_over()
    assert over.returns() == (2.0, -2.0)
    assert TEXT.describe(over).endswith("the match is over: South 50, North 48")
    assert (
        not CODEC.state_from_json({**given_, "options": {"max_rounds": 4}})
        .apply(MOVES[7])
        .is_over()
    )


def test_the_other_leads_after_a_repetition() -> None:
    twice = dance()[-2]
    before = twice._replace(
        rules=RajaPasu(match=True), captured=(48, 48), match=Match((49, 49), 1, 0)
    )
    move = next(move for move in before.legal_moves() if before.after_sowing(move).repeated())
    after = before.apply(move)
    assert after.match is not None
    assert after.match.leader == 1
    assert sum(after.match.owned) == ALL_SEEDS


@pytest.mark.parametrize("seed", range(12))
def test_matches_of_random_play_come_to_their_end(seed: int) -> None:
    random_ = random.Random(seed)
    now = RajaPasu(match=True, max_rounds=8).new()
    while not now.is_over():
        assert now.match is not None
        assert now.closed == closed_holes(now.match.owned)
        assert sum(now.match.owned) == ALL_SEEDS
        filled = HOLES - len(now.closed)
        assert sum(now.board) + sum(now.captured) == 7 * filled
        assert CODEC.state_from_json(CODEC.state_to_json(now)) == now
        now = now.apply(random_.choice(now.legal_moves()))
    assert now.match is not None
    assert now.match.round == 8 or min(now.owned()) < 7
    assert sum(now.returns()) == 0


# Starts.


def test_a_round_and_a_match_start_alike() -> None:
    assert Advisor().new("raja_pasu")["position"] == {
        "game": "raja_pasu",
        "board": [7] * 14,
        "closed": [],
        "to_move": 0,
        "captured": [0, 0],
    }
    match = Advisor().new("raja_pasu", {"match": True})["position"]
    assert match["match"] == {"owned": [49, 49], "round": 1, "leader": 0}
    assert CODEC.state_from_json(match).rules.match


@pytest.mark.parametrize("origin", ["sown", "skipped"])
def test_deals_are_three_random_plies(origin: str) -> None:
    rules = RajaPasu(origin=origin)
    deals = [rules.deal(2, (1, number)) for number in range(60)]
    assert deals == [rules.deal(2, (1, number)) for number in range(60)]
    assert len(set(deals)) > 20
    assert all(deal.to_move == 1 and not deal.is_over() for deal in deals)


def test_the_ring_holds_the_open_holes_in_the_order_of_sowing() -> None:
    assert ring((), 0) == (tuple(range(14)), 7)
    assert ring((0, 1), 1) == ((7, 8, 9, 10, 11, 12, 13, 2, 3, 4, 5, 6), 7)
    assert ring((7, 9), 1) == ((8, 10, 11, 12, 13, 0, 1, 2, 3, 4, 5, 6), 5)


def test_nothing_is_left_to_chance() -> None:
    with pytest.raises(OutcomeError):
        CODEC.outcome_from_json([1])
    assert RajaPasu().new().chance_outcomes() == ()


# JSON.


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"board": [7] * 13}, "board: expected a list of 14"),
        ({"board": [7] * 13 + [-1]}, "board: expected a list of 14"),
        ({"board": [7] * 13 + [True]}, "board: expected a list of 14"),
        ({"board": [8] * 14}, "board: expected at most 98 seeds"),
        ({"captured": [1, 0]}, "board: expected at most 98 seeds"),
        ({"captured": [0]}, "captured: expected a list of 2"),
        ({"to_move": 2}, "to_move: expected a whole number from 0 to 1"),
        ({"closed": [14]}, "closed: expected a list of holes from 0 to 13"),
        ({"closed": [3, 3]}, "closed: expected each hole once"),
        ({"closed": [3]}, "board: expected no seed in hole 3, which is closed"),
        ({"earlier": 3}, "earlier: expected a list of boards"),
        ({"earlier": [[7] * 13 + [6]]}, "earlier: expected boards with 98 seeds"),
        ({"match": {"owned": [49, 49], "round": 21, "leader": 0}}, "round: expected a whole"),
        ({"match": {"owned": [49, 48], "round": 1, "leader": 0}}, "owned: expected two numbers"),
        ({"match": {"owned": [49, 49], "round": 1, "leader": 1}}, "to_move: expected 1, who leads"),
        ({"match": {"owned": [57, 41], "round": 2, "leader": 0}}, r"closed: expected \[7, 8\]"),
        ({"match": {"owned": [49, 49], "round": 1}}, 'the key "leader" is missing'),
        ({"match": {"owned": [49, 49], "round": 1, "leader": 0, "x": 1}}, 'unknown key "x"'),
        ({"options": {"match": True}}, "match: expected owned, round and leader"),
        ({"surprise": 1}, 'unknown key "surprise"'),
    ],
)
def test_positions_that_cannot_be_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(PositionError, match=message):
        CODEC.state_from_json({**CODEC.state_to_json(RajaPasu().new()), **change})


def test_a_round_of_a_match_must_hold_its_seeds() -> None:
    with pytest.raises(PositionError, match="board: expected 98 seeds"):
        match_state(holes(h0=1), 0, [0, 0])


@pytest.mark.parametrize(
    "options", [{"origin": "kept"}, {"max_rounds": 0}, {"max_rounds": True}, {"rounds": 3}]
)
def test_options_that_cannot_be_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(OptionError):
        state([7] * 14, options=options)


@pytest.mark.parametrize("hole", [7, 3])
def test_a_hole_that_cannot_be_sown_is_refused(hole: int) -> None:
    """One of the other row, and an empty one."""
    with pytest.raises(MoveError, match="hole: expected one of 0, 1"):
        state(holes(h0=2, h1=1, h9=3)).apply(MOVES[hole])


@pytest.mark.parametrize("move", [{"hole": 14}, {"hole": "3"}, {"hole": True}, {}, {"pit": 3}])
def test_what_is_no_move_is_refused(move: Any) -> None:
    with pytest.raises(MoveError):
        CODEC.move_from_json(move)


def test_other_options_than_the_usual_are_told() -> None:
    given_ = position([7] * 14, options={"origin": "skipped"})
    assert CODEC.state_to_json(CODEC.state_from_json(given_))["options"] == {"origin": "skipped"}


def test_table_options() -> None:
    assert [spec["closed"] for spec in TABLES.defaults()] == 2 * list(range(7))
    assert TABLES.spec({}).options == {"origin": "sown", "closed": 0}
    assert TABLES.spec({"match": True}).file_name == "raja_pasu,match=true.h5"
    with pytest.raises(UstadError, match="closed"):
        TABLES.spec({"closed": 7})


# Text.


def test_the_board_is_drawn_as_south_sees_it() -> None:
    drawn = TEXT.describe(state([*range(13), 20], captured=[0, 0], closed=[0]))
    assert drawn == (
        "        13  12  11  10   9   8   7\n"
        "North   20  12  11  10   9   8   7   captured 0\n"
        "South    x   1   2   3   4   5   6   captured 0\n"
        "         0   1   2   3   4   5   6\n"
        "South to move"
    )


def test_the_sowing_is_told_lap_by_lap() -> None:
    """The closed-hole move of the reference."""
    before = CODEC.state_from_json(KNOWN["moves"][3]["position"])
    after = before.apply(MOVES[12])
    assert TEXT.describe_step(before, MOVES[12], after) == (
        "North sows hole 12\n"
        "  lap 1: 3 from hole 12 to 13 2 3\n"
        "  pussa: 1 from hole 5 go to North\n"
        "        13  12  11  10   9   8   7\n"
        "North   2*  0*   0   0   0   0   1   captured 1\n"
        "South    x   x  2*  3*   0  0*   1   captured 0\n"
        "         0   1   2   3   4   5   6"
    )


def test_the_person_is_you_and_finds_the_own_row() -> None:
    mine = TEXT.read_by(1)
    before = CODEC.state_from_json(KNOWN["moves"][3]["position"])
    lines = mine.describe(before).splitlines()
    assert lines[1].endswith("captured 0, your row")
    assert lines[-1] == "you to move"
    told = mine.describe_step(before, MOVES[12], before.apply(MOVES[12]))
    assert told.startswith("you sow hole 12")
    assert "pussa: 1 from hole 5 go to you" in told
    over = state(holes(h9=3), captured=[50, 45])
    assert mine.result(over) == "South won, 50 to your 48"


def test_a_match_is_told_with_its_round_what_is_owned_and_what_is_closed() -> None:
    now = match_state(holes(h7=1, h12=3), 1, [50, 44], round=3)
    told = TEXT.describe(now).splitlines()
    owned = f"owned at its start: South {now.match.owned[0]}, North {now.match.owned[1]}"
    closed = f"closed holes: {', '.join(map(str, now.closed)) or 'none'}"
    assert told[-4:-1] == ["match, round 3 of at most 20", owned, closed]
    assert "--option match=true" in TEXT.note


def test_holes_are_typed_by_number() -> None:
    now = state(holes(h0=2, h5=1, h9=3))
    assert TEXT.move_from_text(now, " 5 ") == MOVES[5]
    assert TEXT.move_from_text(now, "hole 0") == MOVES[0]
    with pytest.raises(MoveError, match="a hole to sow: 0, 5"):
        TEXT.move_from_text(now, "4")
