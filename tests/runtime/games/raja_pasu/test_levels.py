"""The four levels of Raja Pasu: exact answers, searches, ties that lead on, play.

The fast tests use the small tables with four to six closed holes; what needs the table of the
open board is slow.
"""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from built import Build

from ustad.runtime.core.game import Pace
from ustad.runtime.core.texts import advice_text
from ustad.runtime.games.raja_pasu.codec import CODEC
from ustad.runtime.games.raja_pasu.entry import ENTRY
from ustad.runtime.games.raja_pasu.levels import Search, SearchBot, TableBot
from ustad.runtime.games.raja_pasu.rules import (
    HOLES,
    NO_LOG,
    ROW,
    RULES,
    RajaPasu,
    RajaPasuState,
    Sow,
    play_hole,
)
from ustad.runtime.games.raja_pasu.text import TEXT
from ustad.runtime.questions import Advisor, ask
from ustad.solver.build import build_table
from ustad.tables import MissingTableError

KNOWN = json.loads((Path(__file__).parents[3] / "data" / "raja_pasu.json").read_text())
ROUND = RajaPasu()


@pytest.fixture(scope="module")
def folder(build: Build, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the tables for four to six closed holes."""
    made = tmp_path_factory.mktemp("raja_pasu")
    for closed in (4, 5, 6):
        build("raja_pasu", {"closed": closed}, made)
    return made


def start(closed: int, to_move: int = 0) -> RajaPasuState:
    """Return the start of a round with holes of South closed."""
    board = [0] * closed + [7] * (HOLES - closed)
    return state(board, to_move, closed=list(range(closed)))


def state(board: list[int], to_move: int = 0, **more: Any) -> RajaPasuState:
    return CODEC.state_from_json({"game": "raja_pasu", "board": board, "to_move": to_move, **more})


def random_states(now: RajaPasuState, games: int) -> Iterator[RajaPasuState]:
    """Yield the states of games of random moves."""
    random_ = random.Random(5)
    for _ in range(games):
        at = now
        while not at.is_over():
            yield at
            at = at.apply(random_.choice(at.legal_moves()))


# Expert.


@pytest.mark.parametrize("closed", [4, 5, 6])
def test_expert_knows_the_rounds_with_closed_holes(closed: int, folder: Path) -> None:
    """South's margin by who leads, as known; a question needs no other table."""
    for seat, leader in enumerate(("south", "north")):
        answer = ask(CODEC.state_to_json(start(closed, seat)), "expert", folder)
        south = answer["value"] * (1 - 2 * seat)
        assert south == KNOWN["rounds"][str(closed)][leader]
        assert (answer["unit"], answer["exact"]) == ("margin", True)


def test_options_are_sorted_and_the_best_are_tied(folder: Path) -> None:
    bot = ENTRY.levels.bot("expert", ROUND, folder, 0)
    for now in random_states(start(4), 30):
        advice = bot.ask(now)
        values = [value for _, value in advice.options]
        assert values == sorted(values, reverse=True)
        assert {move for move, _ in advice.options} == set(now.legal_moves())
        assert [move for move, value in advice.options if value == values[0]] == advice.best
        assert bot.choose(now) == advice.best[0]
        assert advice.extra == {"exact": True}


def test_expert_makes_its_value_good_against_anyone(folder: Path) -> None:
    """From any position that random play meets, with either side, against random replies."""
    bot = ENTRY.levels.bot("expert", ROUND, folder, 0)
    random_ = random.Random(2)
    for now in itertools.islice(random_states(start(5, 1), 40), 0, None, 3):
        mover = now.to_move
        value = bot.ask(now).value
        for seat in (mover, 1 - mover):
            at = now
            while not at.is_over():
                replies = at.legal_moves()
                at = at.apply(bot.choose(at) if at.to_move == seat else random_.choice(replies))
            gained = at.returns()[seat] - (now.captured[seat] - now.captured[1 - seat])
            assert gained >= (value if seat == mover else -value)


def least(bot: TableBot, now: RajaPasuState, seat: int) -> float:
    """Return the least that a seat ends with if the bot plays for it, over all replies."""
    if now.is_over():
        return now.returns()[seat]
    if now.to_move == seat:
        return least(bot, now.apply(bot.choose(now)), seat)
    return min(least(bot, now.apply(move), seat) for move in now.legal_moves())


def test_equal_moves_lead_on(folder: Path) -> None:
    """With few seeds equal moves can go round for ever; expert still makes its value good.

    All positions with one or two seeds and six closed holes, against every reply.
    """
    bot = ENTRY.levels.bot("expert", ROUND, folder, 0)
    open_holes = range(6, HOLES)
    pairs = [*itertools.combinations_with_replacement(open_holes, 2), *((h,) for h in open_holes)]
    for seeds, to_move in itertools.product(pairs, (0, 1)):
        board = [seeds.count(hole) for hole in range(HOLES)]
        now = state(board, to_move, closed=[0, 1, 2, 3, 4, 5])
        if not now.is_over():
            value = bot.ask(now).value
            assert least(bot, now, to_move) == value
            assert least(bot, now, 1 - to_move) == -value


@pytest.mark.parametrize("closed", [[], [0, 7], [1, 2]])
def test_expert_without_its_table_names_the_command(
    closed: list[int], folder: Path, tmp_path: Path
) -> None:
    """No table at all, or not the one that a position needs: never a weaker answer."""
    board = [0 if hole in closed else 2 for hole in range(HOLES)]
    asked = CODEC.state_to_json(state(board, closed=closed))
    if closed != [0, 7]:  # that one has no table and is searched
        for place in (tmp_path, folder):
            with pytest.raises(MissingTableError, match=f"--option closed={len(closed)} "):
                ask(asked, "expert", place)


def test_a_match_asks_for_all_its_tables_at_once(folder: Path) -> None:
    rules = RULES.read({"match": True})
    with pytest.raises(MissingTableError, match="ustad build raja_pasu --option closed="):
        ENTRY.levels.bot("expert", rules, folder, 0)


def test_skipped_origins_need_their_own_table(folder: Path) -> None:
    asked = {**CODEC.state_to_json(start(6)), "options": {"origin": "skipped"}}
    with pytest.raises(MissingTableError, match="--option origin=skipped"):
        ask(asked, "expert", folder)


def test_which_holes_are_closed_makes_no_difference(folder: Path) -> None:
    """Four closed holes of one side: only the order of the open ones counts."""
    one = state([0, 0, 0, 0, 1, 0, 2, 0, 3, 1, 0, 2, 0, 1], closed=[0, 1, 2, 3])
    other = state([0, 1, 0, 0, 2, 0, 0, 0, 3, 1, 0, 2, 0, 1], closed=[0, 3, 5, 6])
    values = [ask(CODEC.state_to_json(it), "expert", folder)["value"] for it in (one, other)]
    assert values[0] == values[1]


def test_a_round_that_is_over_is_worth_what_is_left(folder: Path) -> None:
    over = CODEC.state_to_json(state([0] * 7 + [0, 2, 0, 1, 0, 0, 0]))
    answer = ask(over, "expert", folder)
    assert (answer["best"], answer["value"], answer["exact"]) == ([], -3.0, True)


def test_a_third_repetition_is_worth_what_it_brings(folder: Path) -> None:
    """South's only way on is the hole that makes the position come for the third time."""
    closed = [0, 1, 2, 3, 4, 5]
    board, after = [0] * 14, [0] * 14
    board[6] = board[10] = after[7] = after[10] = 1
    now = state(board, 0, closed=closed, earlier=[after, board, after])
    assert now.apply(Sow(6)).repeated()
    answer = ask(CODEC.state_to_json(now), "expert", folder)
    assert answer["options"] == [{"move": {"hole": 6}, "value": -2.0}]


def test_advice_for_people_tells_captures_the_reply_and_the_final_score(folder: Path) -> None:
    """The score that is told is the one that expert against expert ends with, for every move."""
    bot = ENTRY.levels.bot("expert", ROUND, folder, 0)
    for now in itertools.islice(random_states(start(5), 5), 0, None, 4):
        advice = bot.ask(now)
        told = advice_text(TEXT, advice).splitlines()[-len(advice.options) :]
        for (move, _), line in zip(advice.options, told, strict=True):
            sown, at = now.sown(move), now.apply(move)
            reply = "ends the round" if at.is_over() else f"reply {bot.choose(at).hole}"
            while not at.is_over():
                at = at.apply(bot.choose(at))
            mine, other = (int(at.scores()[seat]) for seat in (now.to_move, 1 - now.to_move))
            assert line == (
                f"  hole {move.hole}: takes {sown.mine}, gives {sown.other}, {reply}; "
                f"final score {mine} to {other}"
            )


# A position given by flags.


def test_a_position_typed_by_flags_is_the_one_of_the_file(
    folder: Path, run_ustad: Callable[..., Any]
) -> None:
    board = "0 0 0 0 1 0 2 0 3 1 0 2 0 1"
    words = f"--board {board} --closed 0 1 2 3 --to-move north --captured 5 7".split()
    told = run_ustad("ask", "raja_pasu", *words, "--tables", folder, "--json")
    at = state([*map(int, board.split())], 1, closed=[0, 1, 2, 3], captured=[5, 7])
    assert told.json == ask(CODEC.state_to_json(at), "expert", folder)
    south = run_ustad("ask", "raja_pasu", "--board", *[7] * 14, "--level", "medium", "--json")
    assert south.json == ask(CODEC.state_to_json(ROUND.new()), "medium")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--to-move north", "--board: expected the seeds of the 14 holes"),
        ("--board 7 7", "position: board: expected a list of 14"),
        ("--board 7 x", '--board: expected whole numbers, got "7 x"'),
        ("--board 1 --to-move west", '--to-move: expected south or north, got "west"'),
    ],
)
def test_flags_that_are_wrong_are_named(
    words: str, message: str, run_ustad: Callable[..., Any]
) -> None:
    told = run_ustad("ask", "raja_pasu", *words.split())
    assert told.status == 2
    assert message in told.err


# Search.


@pytest.mark.parametrize("known", KNOWN["values"], ids=lambda known: str(known["value"]))
def test_search_without_tables_proves_known_values(known: dict[str, Any]) -> None:
    """Positions of up to 24 seeds whose values are known from an exhaustive solution."""
    board = tuple(known["position"]["board"])
    search = Search(False)
    for hole, value in known["move_values"].items():
        after, taken = [0] * HOLES, [0, 0]
        play_hole(board, ROW, int(hole), False, after, taken, NO_LOG)
        reply = (*after[ROW:], *after[:ROW])
        [(margin, proven)] = search.margins([(reply, ROW)], 60, 10**6)
        assert proven
        assert taken[0] - taken[1] - margin == value


def test_search_agrees_with_the_table(folder: Path) -> None:
    bot = ENTRY.levels.bot("expert", ROUND, folder, 0)
    assert isinstance(bot, TableBot)
    search = Search(False)
    for now in itertools.islice(random_states(start(5), 60), 5, None, 9):
        seeds, own = tuple(now.seeds()), now.ring().own
        [(margin, proven)] = search.margins([(seeds, own)], 60, 10**6)
        if proven:
            assert margin == bot.margin(seeds, own)
        assert proven or bot.ask(now).extra == {"exact": True}


def test_odd_positions_are_searched_with_the_tables_as_leaves(folder: Path) -> None:
    """A board that no play brings about, seeds of five and six among them."""
    bot = ENTRY.levels.bot("expert", ROUND, folder, 0)
    assert isinstance(bot, TableBot)
    board = [0, 0, 0, 0, 0, 5, 6, 3, 3, 5, 2, 1, 0, 0]
    odd = state(board, closed=[0, 1, 2, 3, 4])
    assert bot.margin(tuple(odd.seeds()), 2) is None
    advice = bot.ask(odd)
    assert advice.extra == {"exact": True}
    assert "exact: yes" in advice_text(TEXT, advice).splitlines()
    [(margin, proven)] = Search(False).margins([(tuple(odd.seeds()), 2)], 60, 10**6)
    assert (margin, proven) == (advice.value, True)


def test_a_search_cut_short_says_that_it_is_not_exact() -> None:
    """The machine has no part in it: it ends after a number of positions."""
    search = Search(False)
    found = search.margins([((7,) * HOLES, ROW)], 100, 500)
    [(_, proven)] = found
    assert not proven
    assert search.positions == 500
    assert search.margins([((7,) * HOLES, ROW)], 100, 500) == found


def plain_margin(now: RajaPasuState, depth: int) -> float:
    """Return the mover's margin some moves ahead, by minimax on states; the rest is even."""
    if now.is_over():
        rest = now.remainder()
        return rest[now.to_move] - rest[1 - now.to_move]
    if depth == 0:
        return 0
    return max(plain_value(now, move, depth) for move in now.legal_moves())


def plain_value(now: RajaPasuState, move: Sow, depth: int) -> float:
    after = now.apply(move)
    me = now.to_move
    gain = [after.captured[seat] - now.captured[seat] for seat in (me, 1 - me)]
    return gain[0] - gain[1] - plain_margin(after, depth - 1)


def test_hard_looks_four_moves_ahead() -> None:
    """Alpha-beta with its table gives what plain minimax gives, for every move."""
    bot = ENTRY.levels.bot("hard", ROUND, None, 0)
    for now in itertools.islice(random_states(ROUND.new(), 12), 0, None, 7):
        if not now.earlier:
            advice = bot.ask(now)
            for move, value in advice.options:
                exact_or_ahead = plain_value(now, move, 4)
                assert value == exact_or_ahead


# Rules of thumb.


def test_easy_prefers_a_capture_and_keeps_to_its_seed() -> None:
    bots = [ENTRY.levels.bot("easy", ROUND, None, seed) for seed in (1, 1, 2)]
    chosen: list[list[Sow]] = [[], [], []]
    for now in random_states(ROUND.new(), 10):
        moves = [bot.choose(now) for bot in bots]
        for told, move in zip(chosen, moves, strict=True):
            told.append(move)
        captures = [move for move in now.legal_moves() if now.sown(move).mine]
        assert not captures or set(moves) <= set(captures)
    assert chosen[0] == chosen[1]
    assert chosen[0] != chosen[2]


def test_medium_takes_the_greatest_gain() -> None:
    bot = ENTRY.levels.bot("medium", ROUND, None, 0)
    for now in random_states(ROUND.new(), 10):
        gains = {move: now.sown(move).gain for move in now.legal_moves()}
        assert gains[bot.choose(now)] == max(gains.values())
        assert bot.ask(now).value is None


# Slow: the open board.


@pytest.fixture(scope="module")
def open_board(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("open_board")
    build_table(ENTRY, {}, made)
    return made


@pytest.mark.slow
def test_known_values_of_every_move(open_board: Path) -> None:
    advisor = Advisor(open_board)
    for known in KNOWN["values"]:
        answer = advisor.ask(known["position"])
        assert answer["value"] == known["value"]
        found = {str(it["move"]["hole"]): it["value"] for it in answer["options"]}
        assert found == known["move_values"]
        assert answer["exact"]
    answer = advisor.ask(CODEC.state_to_json(ROUND.new()))
    by_hole = {it["move"]["hole"]: it["value"] for it in answer["options"]}
    assert [by_hole[hole] for hole in range(ROW)] == KNOWN["start"]["by_hole"]


@pytest.mark.slow
def test_positions_of_play_are_looked_up_not_searched(open_board: Path) -> None:
    bot = ENTRY.levels.bot("expert", ROUND, open_board, 0)
    assert isinstance(bot, TableBot)
    for now in random_states(ROUND.new(), 200):
        assert bot.margin(tuple(now.seeds()), ROW) is not None


def played(now: RajaPasuState, bots: tuple[Any, Any]) -> tuple[float, ...]:
    while not now.is_over():
        now = now.apply(bots[now.to_move].choose(now))
    return now.returns()


@pytest.mark.slow
def test_expert_loses_no_pair(open_board: Path) -> None:
    """From random openings, colours swapped, against every other level and eight moves ahead."""
    expert = ENTRY.levels.bot("expert", ROUND, open_board, 0)
    others = [ENTRY.levels.bot(level, ROUND, None, 1) for level in ("easy", "medium", "hard")]
    for other, pairs in [*((other, 150) for other in others), (SearchBot(ROUND, 8), 30)]:
        assert played(ROUND.new(), (expert, other))[0] >= 16
        assert played(ROUND.new(), (other, expert))[1] >= -16
        for number in range(pairs):
            deal = ROUND.deal(2, (6, number))
            assert played(deal, (expert, other))[0] + played(deal, (other, expert))[1] >= 0


@pytest.mark.slow
def test_hard_beats_medium(open_board: Path) -> None:
    """300 colour-swapped pairs: the margin a game is above zero by far more than chance."""
    hard, medium = (ENTRY.levels.bot(level, ROUND, open_board, 0) for level in ("hard", "medium"))
    margins = []
    for number in range(300):
        deal = ROUND.deal(2, (8, number))
        margins.append((played(deal, (hard, medium))[0] + played(deal, (medium, hard))[1]) / 2)
    error = np.std(margins, ddof=1) / len(margins) ** 0.5
    assert np.mean(margins) > 5 * error


@pytest.mark.slow
def test_boards_of_touched_holes_are_proven_in_time(open_board: Path) -> None:
    """Any board with 0 to 3 seeds a hole: what is not in the table is searched to the end."""
    bot = ENTRY.levels.bot("expert", ROUND, open_board, 0)
    random_ = random.Random(9)
    for _ in range(100):
        now = state([random_.randint(0, 3) for _ in range(HOLES)])
        if not now.is_over():
            assert bot.ask(now).extra == {"exact": True}


def test_pace_says_what_is_looked_up_and_what_is_searched(folder: Path) -> None:
    bot = ENTRY.levels.bot("expert", ROUND, folder, 0)
    assert bot.pace(start(4)) is Pace.AT_ONCE
    # All seeds of ten holes in two of them: no round comes to that.
    assert bot.pace(state([0] * 4 + [35] + [0] * 8 + [35], closed=[0, 1, 2, 3])) is Pace.LATER
