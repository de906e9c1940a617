"""Expert of yacht: wins, near the end exactly; and the chances of a total."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ustad.runtime.core.game import TIE
from ustad.runtime.games.five_dice.sheet import Keep, SheetState
from ustad.runtime.games.five_dice.turn import (
    KEEP_INDEX,
    KEEPS,
    ROLLS,
    sub_keeps,
    transition_matrix,
)
from ustad.runtime.games.yacht.codec import possible_points as boxes_points
from ustad.runtime.games.yacht.entry import ENTRY
from ustad.runtime.games.yacht.expert import AloneBot, ExpertBot, final_totals
from ustad.runtime.games.yacht.levels import TableBot
from ustad.runtime.games.yacht.outlooks import Outlooks, best_chance_weight
from ustad.runtime.games.yacht.rules import BOXES, SECOND_YACHT, Sheet, Yacht, make_sheet
from ustad.runtime.games.yacht.states import state_index
from ustad.runtime.games.yacht.tables import read_outlook
from ustad.runtime.games.yacht.target import make_target_bot
from ustad.runtime.questions import ask
from ustad.solver.build import Builder
from ustad.solver.yacht import outlooks as outlook
from ustad.tables import MissingTableError, open_table

FEW = 2
"""Open boxes of the sheets met here."""

TRANSITION = transition_matrix()

DATA = Path(__file__).parents[3] / "data"


@pytest.fixture(scope="session")
def experts(tables: Path) -> dict[str, ExpertBot]:
    """Expert by setting, for sheets with few open boxes."""
    found = {}
    for number, setting in enumerate(SECOND_YACHT):
        game = Yacht(setting)
        table = open_table(ENTRY.tables.spec(game.options), tables)
        known, bonus = outlook.solve(number, table.values, threads=1, most_open=FEW)
        outlooks = Outlooks("full", known, bonus, True)
        found[setting] = ExpertBot(TableBot(game, table), outlooks)
    return found


def random_sheet(source: random.Random, open_boxes: int) -> Sheet:
    """Return a sheet with so many open boxes and random points in the others."""
    points = [source.choice(sorted(boxes_points(box))) for box in range(len(BOXES))]
    for box in source.sample(range(len(BOXES)), open_boxes):
        points[box] = -1
    return make_sheet(tuple(points), 0)


def position(
    game: Yacht, sheets: list[Sheet], to_move: int, dice: tuple[int, ...] | None, left: int
) -> SheetState:
    return SheetState(game, tuple(sheets), 0, to_move, (), dice, left)


def last_turn(source: random.Random, setting: str, players: int, open_boxes: int = 1) -> SheetState:
    """Return a position of the last player, the others done and not far away."""
    game = Yacht(setting)
    mine = random_sheet(source, open_boxes)
    others = [random_sheet(source, open_boxes - 1) for _ in range(players - 1)]
    near = [
        sheet._replace(total=mine.total + source.randint(-5, 45) * open_boxes) for sheet in others
    ]
    roll = source.choice(ROLLS)
    return position(game, [*near, mine], players - 1, roll, source.randint(0, 2))


def brute_force(state: SheetState) -> dict[Any, float]:
    """Return the exact win share of every move of the last turn of a game.

    By the matrix of chances from keeps to rolls, and the rules alone.
    """

    def written(roll: tuple[int, ...]) -> float:
        position = state._replace(dice=roll, rolls_left=0)
        shares = [position.apply(move).returns()[state.to_move] for move in position.legal_moves()]
        return max(shares)

    worth = np.array([written(roll) for roll in ROLLS])
    for _ in range(state.rolls_left - 1):
        kept = TRANSITION @ worth
        worth = np.array(
            [
                max(now, *(kept[keep] for keep in sub_keeps(roll)))
                for now, roll in zip([written(roll) for roll in ROLLS], ROLLS, strict=True)
            ]
        )
    kept = TRANSITION @ worth
    return {
        move: kept[KEEP_INDEX[move.dice]]
        if isinstance(move, Keep)
        else state.apply(move).returns()[state.to_move]
        for move in state.legal_moves()
    }


def check_last_boxes(expert: ExpertBot, setting: str, count: int) -> None:
    """Compare every move's win share and the choice with brute force, two to six players."""
    source = random.Random(f"last {setting}")
    for number in range(count):
        state = last_turn(source, setting, 2 + number % 5)
        exact = brute_force(state)
        advice = expert.ask(state)
        assert {move for move, _ in advice.options} == set(exact)
        for move, share in advice.options:
            assert share == pytest.approx(exact[move], abs=1e-12)
        assert advice.value == pytest.approx(max(exact.values()), abs=1e-12)
        chosen = expert.choose(state)
        assert chosen in advice.best
        assert exact[chosen] >= max(exact.values()) - TIE


@pytest.mark.parametrize("setting", SECOND_YACHT)
def test_the_last_box_of_the_last_player_is_exactly_optimal(
    experts: dict[str, ExpertBot], setting: str
) -> None:
    check_last_boxes(experts[setting], setting, 40)


@pytest.mark.slow
def test_the_last_box_is_exactly_optimal_by_the_tables_as_they_are_built(tmp_path: Path) -> None:
    """500 positions by each kind of outlook: one after the other is taken away."""
    builder = Builder(tmp_path)
    for options in ENTRY.tables.asked_for({"outlook": "best"}):
        builder.build(ENTRY, options)
    del builder  # it holds the distributions of every state
    for name in ("best", "full", "best_compact", "compact"):
        expert = ENTRY.levels.bot("expert", Yacht(), tmp_path, 0)
        assert isinstance(expert, ExpertBot)
        assert expert.outlooks.name == name
        check_last_boxes(expert, "bonus_and_joker", 500)
        del expert
        ENTRY.tables.spec({"outlook": name}).path(tmp_path).unlink()


def test_two_open_boxes_against_enumeration_of_the_next_turn(
    experts: dict[str, ExpertBot],
) -> None:
    """What a write is worth: hard's last turn played out, roll by roll and choice by choice."""
    source = random.Random(8)
    expert = experts["bonus_and_joker"]
    for _ in range(6):
        state = last_turn(source, "bonus_and_joker", 2, 2)._replace(rolls_left=0)
        other = state.sheets[0]._replace(open_boxes=0)
        state = state._replace(sheets=(other, state.sheets[1]))
        shares = dict(expert.by_outlook(state).options)
        for move in state.legal_moves():
            after = state.apply(move).sheets[1]
            totals, _ = final_totals(
                expert.rating, expert.outlooks, position(state.rules, [other, after], 1, None, 3)
            )
            wins = totals[other.total + 1 :].sum() + totals[other.total] / 2
            assert shares[move] == pytest.approx(wins, abs=1e-12)


def test_final_totals_are_those_of_the_values(experts: dict[str, ExpertBot]) -> None:
    source = random.Random(5)
    for setting, expert in experts.items():
        for left in (0, 1, 2):
            state = last_turn(source, setting, 2, FEW)._replace(rolls_left=left)
            totals, bonus = final_totals(expert.rating, expert.outlooks, state)
            assert totals.sum() == pytest.approx(1, abs=1e-12)
            value = expert.rating.ask(state).value
            assert totals @ np.arange(len(totals)) == pytest.approx(value, abs=1e-9)
            assert -1e-12 <= bonus <= 1 + 1e-12


# The last player, one box open, behind: what can win is not what scores most.


def exact_values(state: SheetState, worth: Callable[[int], Fraction]) -> dict[Any, Fraction]:
    """Return what every move of a last turn is worth, in fractions, by the rules alone.

    Args:
        state: the sheet to move has one box open.
        worth: what a final total is worth.
    """

    def written(dice: tuple[int, ...]) -> Fraction:
        done = state._replace(dice=dice, rolls_left=0)
        return max(
            worth(done.apply(move).sheets[state.to_move].total) for move in done.legal_moves()
        )

    stop = {roll: written(roll) for roll in ROLLS}
    after = stop
    for left in range(1, state.rolls_left + 1):
        kept = dict(after)
        for keep in reversed(KEEPS[: KEEPS.index(ROLLS[0])]):
            kept[keep] = sum(kept[tuple(sorted((*keep, face)))] for face in range(1, 7)) / 6
        if left < state.rolls_left:
            after = {
                roll: max(stop[roll], *(kept[KEEPS[keep]] for keep in sub_keeps(roll)))
                for roll in ROLLS
            }
    return {
        move: kept[move.dice] if isinstance(move, Keep) else stop[state.dice or ()]
        for move in state.legal_moves()
    }


def search_trailing(count: int) -> list[dict[str, Any]]:
    """Return positions of the last player, one box open and 20 to 40 points behind.

    Random sheets and dice, kept where no move that makes the most points on the mean has
    the best chance to win, and that chance is not 0; at most five for a box.
    """
    source = random.Random("trailing")
    found: list[dict[str, Any]] = []
    boxes: Counter[int] = Counter()
    while len(found) < count:
        state = last_turn(source, "bonus_and_joker", 2 + source.randrange(3))
        mine = state.sheet
        ahead = [make_sheet(sheet.points, sheet.extra_yachts) for sheet in state.sheets[:-1]]
        behind = max(sheet.total for sheet in ahead) - mine.total
        state = state._replace(sheets=(*ahead, mine), rolls_left=source.randint(1, 2))
        if not 20 <= behind <= 40 or boxes[mine.open_boxes] == 5:
            continue
        totals = [sheet.total for sheet in ahead]
        most = max(totals)

        def share(total: int, most: int = most, level: int = totals.count(most)) -> Fraction:
            return Fraction(total > most) + Fraction(total == most, 1 + level)

        shares, points = exact_values(state, share), exact_values(state, Fraction)
        wins = [move for move, value in shares.items() if value == max(shares.values())]
        scores = [move for move, value in points.items() if value == max(points.values())]
        if not max(shares.values()) or set(wins) & set(scores):
            continue
        boxes[mine.open_boxes] += 1
        found.append(
            {
                "position": ENTRY.codec.state_to_json(state),
                "wins_most": [ENTRY.codec.move_to_json(move) for move in wins],
                "share": str(max(shares.values())),
                "scores_most": [ENTRY.codec.move_to_json(move) for move in scores],
                "share_of_those": str(max(shares[move] for move in scores)),
            }
        )
    return found


TRAILING = json.loads((DATA / "yacht_trailing.json").read_text())["positions"]


@pytest.mark.parametrize("case", TRAILING, ids=range(len(TRAILING)))
def test_the_last_box_of_one_behind_is_played_to_win(
    experts: dict[str, ExpertBot], case: dict[str, Any]
) -> None:
    """Found by :func:`search_trailing`, with exact chances in fractions."""
    state = ENTRY.codec.state_from_json(case["position"])
    bot = experts["bonus_and_joker"]
    advice = bot.ask(state)
    chances = {json.dumps(ENTRY.codec.move_to_json(move)): share for move, share in advice.options}
    assert advice.value == pytest.approx(float(Fraction(case["share"])), abs=1e-12)
    assert ENTRY.codec.move_to_json(bot.choose(state)) in case["wins_most"]
    assert ENTRY.codec.move_to_json(bot.rating.choose(state)) in case["scores_most"]
    assert all(ENTRY.codec.move_to_json(move) in case["wins_most"] for move in advice.best)
    given_away = max(chances[json.dumps(move)] for move in case["scores_most"])
    assert given_away == pytest.approx(float(Fraction(case["share_of_those"])), abs=1e-12)
    assert given_away < advice.value


@pytest.mark.slow
def test_the_search_finds_these_positions_again() -> None:
    assert search_trailing(len(TRAILING)) == TRAILING


def test_a_decided_game_is_played_like_hard(experts: dict[str, ExpertBot]) -> None:
    """Nothing changes who wins, so the expected total decides."""
    source = random.Random(21)
    for setting, bot in experts.items():
        for ahead in (-900, 900):
            for _ in range(8):
                state = last_turn(source, setting, 3, FEW)
                done = [s._replace(total=state.sheet.total - ahead) for s in state.sheets[:2]]
                state = state._replace(sheets=(*done, state.sheet))
                advice, rated = bot.ask(state), bot.rating.ask(state)
                won = float(ahead > 0)
                assert all(abs(share - won) < 1e-9 for _, share in advice.options)
                assert set(advice.best) == set(rated.best)
                assert advice.beside["expected_total"][0] == rated.value
                assert bot.choose(state) == bot.rating.choose(state)


def test_one_answer_alone_and_among_many(experts: dict[str, ExpertBot]) -> None:
    source = random.Random(2)
    bot = experts["bonus_and_joker"]
    views = [
        last_turn(source, "bonus_and_joker", 2 + n % 5, 1 + n % FEW)._replace(rolls_left=n % 3)
        for n in range(60)
    ]
    together = bot.choose_many(views)
    bot.forget()
    assert [bot.choose(view) for view in views] == together
    for view, move in zip(views, together, strict=True):
        assert move in bot.ask(view).best


def test_where_the_others_sit_does_not_matter(experts: dict[str, ExpertBot]) -> None:
    source = random.Random(4)
    bot = experts["bonus_and_joker"]
    state = last_turn(source, "bonus_and_joker", 4, 2)
    sheets = state.sheets
    turned = state._replace(sheets=(sheets[2], sheets[0], sheets[1], sheets[3]))
    assert bot.ask(turned).options == bot.ask(state).options


def test_gains_are_exact_and_never_negative(experts: dict[str, ExpertBot]) -> None:
    """Before the last turn, share and gain together are the best share there is."""
    source = random.Random(6)
    bot = experts["bonus_and_joker"]
    states = [
        last_turn(source, "bonus_and_joker", 2 + n % 5)._replace(dice=None, rolls_left=3)
        for n in range(40)
    ]
    gains = bot.advantages(states, bot)
    assert gains.min() >= -1e-12
    for state, gain in zip(states, gains, strict=True):
        totals, _ = final_totals(bot.rating, bot.outlooks, state)
        others = [sheet.total for sheet in state.sheets[:-1]]
        most, level = max(others), others.count(max(others))
        share = totals[most + 1 :].sum() + totals[most] / (1 + level)
        assert bot.value(state) == pytest.approx(share + gain, abs=1e-12)
    hard = bot.advantages(states, _Hard(bot))
    assert np.abs(hard).max() < 1e-12


class _Hard(ExpertBot):
    """Level hard, with expert's keys."""

    def __init__(self, bot: ExpertBot) -> None:
        super().__init__(bot.rating, bot.outlooks)

    def key_choices(self, keys: Any) -> Any:
        return self.rating.key_choices([key.state for key in keys])


# As it is asked.


@pytest.mark.parametrize("setting", SECOND_YACHT)
def test_without_an_outlook_expert_plays_alone_or_not_at_all(tables: Path, setting: str) -> None:
    """It never silently plays weaker: with others it says what to build."""
    asked = {
        "game": "yacht", "options": {"second_yacht": setting}, "sheets": [{}, {}], "to_move": 0,
        "dice": [1, 1, 3, 4, 6], "rolls_left": 2,
    }  # fmt: skip
    command = f"--option outlook=compact --option second_yacht={setting}"
    for _ in range(2):
        with pytest.raises(MissingTableError, match=command):
            ask(asked, "expert", tables)
    bot = ENTRY.levels.bot("expert", Yacht(setting), tables, 0)
    state = ENTRY.codec.state_from_json(asked)
    with pytest.raises(MissingTableError, match=command):
        bot.choose(state)
    alone = {**asked, "sheets": [{}]}
    answer, hard = ask(alone, "expert", tables), ask(alone, "hard", tables)
    assert "alone" in answer.pop("note")
    assert answer == hard
    one = ENTRY.codec.state_from_json(alone)
    assert bot.choose(one) == ENTRY.levels.bot("hard", Yacht(setting), tables, 0).choose(one)


def test_alone_at_the_table(experts: dict[str, ExpertBot]) -> None:
    source = random.Random(1)
    bot = experts["bonus_and_joker"]
    state = last_turn(source, "bonus_and_joker", 2, 2)
    alone = state._replace(sheets=(state.sheet,), to_move=0)
    advice = bot.ask(alone)
    assert advice.unit == "expected_total"
    assert advice.options == bot.rating.ask(alone).options
    assert "alone" in (advice.extra or {})["note"]
    assert "5 / 50 / 95%" in advice.notes()[0]
    assert bot.choose(alone) == bot.rating.choose(alone)


def test_a_finished_game_and_one_that_waits(experts: dict[str, ExpertBot]) -> None:
    bot = experts["bonus_and_joker"]
    done = make_sheet((0,) * len(BOXES), 0)
    state = position(Yacht(), [done, done, done._replace(total=0)], 2, None, 3)
    assert bot.ask(state).value == pytest.approx(1 / 3)
    assert bot.ask(state).unit == "win_share"
    source = random.Random(9)
    waiting = last_turn(source, "bonus_and_joker", 3)._replace(dice=None, kept=(6,), rolls_left=1)
    exact = sum(
        chance * max(brute_force(waiting.apply(thrown)).values())
        for thrown, chance in waiting.chance_outcomes()
    )
    assert bot.ask(waiting).value == pytest.approx(exact, abs=1e-12)


def test_what_a_table_tells_of_the_start(
    tables: Path, tmp_path: Path, write_outlook: Callable[[Path], None]
) -> None:
    """Of an outlook the mean of its row, in points; of values what they say."""
    write_outlook(tmp_path)
    table = open_table(ENTRY.tables.spec({"outlook": "compact"}), tmp_path)
    start = state_index((1 << len(BOXES)) - 1, 0, 0)
    row = read_outlook(table).rows(np.array([start]))[0]
    value, unit = ENTRY.tables.start_value(table)
    assert (unit, value) == ("points", pytest.approx(row @ np.arange(len(row))))
    values = open_table(ENTRY.tables.spec({}), tables)
    assert ENTRY.tables.start_value(values) == (values.start_value, "points")


# A total to reach.


def test_the_chance_of_a_total_with_one_box_open(tables: Path) -> None:
    """Sixes open: at least four of five within three rolls, from two now and two rolls left."""
    bot = make_target_bot(Yacht(), 24, tables)
    points = [0] * len(BOXES)
    points[BOXES.index("sixes")] = -1
    sheet = make_sheet(tuple(points), 0)
    state = position(Yacht(), [sheet], 0, (1, 2, 3, 6, 6), 2)
    hit = 11 / 36
    exact = 3 * hit**2 * (1 - hit) + hit**3
    advice = bot.ask(state)
    assert advice.unit == "chance"
    assert advice.value == pytest.approx(exact, abs=1e-12)
    assert list(advice.best) == [Keep((6, 6))]
    assert len(advice.beside["expected_total"]) == len(advice.options)


def test_target_on_the_command_line(run_ustad: Any, tables: Path) -> None:
    words = ["ask", "yacht", "--tables", tables, "--json", "--dice", 1, 2, 3, 6, 6]
    boxes = ",".join(f"{box}=0" for box in BOXES if box not in {"sixes", "chance"})
    few = [*words, "--rolls-left", 2, "--sheet", boxes]
    answer = run_ustad(*few, "--target", 40).json
    assert (answer["unit"], answer["target"]) == ("chance", 40)
    assert 0 < answer["value"] < 1
    assert run_ustad(*few, "--target", 0).json["value"] == 1
    assert run_ustad(*few, "--target", 200).json["value"] == 0
    for target, text in (("-1", "0 to"), ("many", "whole number"), ("10000", "0 to")):
        run = run_ustad(*few, "--target", target)
        assert run.status == 2
        assert text in run.err
    run = run_ustad(*words, "--rolls-left", 2, "--target", 300)
    assert run.status == 2
    assert "outlook=best" in run.err


def test_a_target_is_refused_without_the_table(tables: Path) -> None:
    bot = make_target_bot(Yacht(), 300, tables)
    start = position(Yacht(), [make_sheet((-1,) * len(BOXES), 0)], 0, (1, 1, 2, 3, 4), 2)
    with pytest.raises(MissingTableError, match=r"more than 4 open boxes.*outlook=best"):
        bot.ask(start)


def test_make_bot_gives_each_level_its_own(tables: Path) -> None:
    assert type(ENTRY.levels.bot("hard", Yacht(), tables, 0)) is TableBot
    assert type(ENTRY.levels.bot("expert", Yacht(), tables, 0)) is AloneBot


def test_what_best_chances_count() -> None:
    """The last to play with two boxes open knows all by the last turn; nobody more than all."""
    assert best_chance_weight(2, 1.0, 0.5) == pytest.approx(0.93, abs=0.01)
    assert best_chance_weight(2, 0.0, 0.5) == pytest.approx(0.65, abs=0.01)
    open_boxes = np.arange(2, len(BOXES) + 1)
    for early in (0.0, 0.4, 1.0):
        counts = best_chance_weight(open_boxes, early, 0.5)
        assert (np.diff(counts) < 0).all()
        assert (counts < best_chance_weight(open_boxes, early + 0.1, 0.5)).all()
        assert (counts <= best_chance_weight(open_boxes, early, 0.05)).all()
    assert best_chance_weight(2, 1.0, 0.0) == 1
