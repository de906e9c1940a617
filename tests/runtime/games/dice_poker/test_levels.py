"""The levels of dice poker: what they count, what they choose, and that their answers agree."""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from built import Build

from ustad.runtime.core.game import CHANCE, LEVELS
from ustad.runtime.games.dice_poker.entry import ENTRY
from ustad.runtime.games.dice_poker.levels import RowBot, row_alone
from ustad.runtime.games.dice_poker.rules import PASS, ROWS, DicePoker
from ustad.runtime.games.five_dice.bots import FIRST_WRITE, RatingBot, TurnBot
from ustad.runtime.games.five_dice.sheet import KEEP_MOVES, Keep, SheetState, Write
from ustad.runtime.games.five_dice.turn import ROLLS
from ustad.tables import MissingTableError

SCHOOL_FULL = dict.fromkeys(ROWS[:6], 0)
OPTION_SETS: tuple[dict[str, Any], ...] = (
    {},
    {"dash": "sacrifice"},
    {"dash": "sacrifice", "chance_after_miss": True, "first_throw": "double_with_poker_bonus"},
    {"chance_doubles": True, "school_threshold": 5},
)


@pytest.fixture(scope="session")
def folder(build: Build, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the tables of :data:`OPTION_SETS`."""
    made = tmp_path_factory.mktemp("dice_poker_bots")
    for options in OPTION_SETS:
        build("dice_poker", options, made)
    return made


def rules(**options: Any) -> DicePoker:
    return ENTRY.rules.read(options)


def bot(level: str, folder: Path | None = None, **options: Any) -> TurnBot:
    made = ENTRY.levels.bot(level, rules(**options), folder, 0)
    assert isinstance(made, TurnBot)
    return made


def state(dice: list[int], rolls_left: int, **changes: Any) -> SheetState:
    start = {"game": "dice_poker", "sheets": [{}], "to_move": 0}
    return ENTRY.codec.state_from_json({**start, "dice": dice, "rolls_left": rolls_left, **changes})


def random_states(game: DicePoker, seed: int) -> list[SheetState]:
    """Return the states of a game of random moves in which dice lie."""
    choose, luck = random.Random(seed), game.luck(2, (seed,))
    found, at = [], game.new(2)
    while not at.is_over():
        if at.current_player() == CHANCE:
            at = at.apply(luck.outcome(at))
        else:
            found.append(at)
            at = at.apply(choose.choice(at.legal_moves()))
    return found


def test_what_rows_bring_alone() -> None:
    """In fractions by brute force: pair 101177465/6377292, poker 143804395/45349632, chance 70/3.

    A turn for sixes alone ends with 5 x (1 - (5/6)^3) of them expected.
    """
    alone = dict(zip(ROWS, row_alone(rules().numbers).tolist(), strict=True))
    assert alone["pair"] == pytest.approx(float(Fraction(101177465, 6377292)), abs=1e-12)
    assert alone["poker"] == pytest.approx(float(Fraction(143804395, 45349632)), abs=1e-12)
    assert alone["chance"] == pytest.approx(70 / 3, abs=1e-12)
    assert alone["sixes"] == pytest.approx(6 * (5 * (1 - (5 / 6) ** 3) - 3), abs=1e-12)


def test_easy_takes_the_most_points_of_the_turn() -> None:
    """2-2-5-5-5: chance and full house pay 19, the first on the sheet of these two."""
    found = state([2, 2, 5, 5, 5], 0, sheets=[SCHOOL_FULL], turns_left=[9])
    assert bot("easy").choose(found) == Write("full_house")
    # 5-5-5-5-6 in the school: the fifth five is worth 5 more, a write now 5.
    assert bot("easy").choose(state([5, 5, 5, 5, 6], 1)) == Keep((5, 5, 5, 5))


def test_hard_spends_no_row_on_less_than_it_is_good_for() -> None:
    """1-1-2-3-6: a pair of ones is 2 of the 15.9 that pair brings alone; chance 13 of 23.3.

    Passing costs 3.17, what the poker brings alone, the least of all rows.
    """
    found = state([1, 1, 2, 3, 6], 0, sheets=[SCHOOL_FULL], turns_left=[9])
    assert bot("hard").choose(found) == PASS
    assert bot("easy").choose(found) == Write("chance")
    # 20 in chance is 3.33 less than it brings alone.  With poker and small straight given up
    # already, a pass gives up the large straight too, which is 4.24.
    sheet = {**SCHOOL_FULL, "pair": 24}
    for turns_left, best in ((8, PASS), (6, Write("chance"))):
        late = state([1, 3, 5, 5, 6], 0, sheets=[sheet], turns_left=[turns_left])
        assert bot("hard").choose(late) == best


def test_medium_looks_one_throw_ahead_and_hard_to_the_end_of_the_turn() -> None:
    """With two throws left the keeps differ in worth; with one they are rated alike."""
    game = rules(dash="sacrifice")
    medium, hard = bot("medium", dash="sacrifice"), bot("hard", dash="sacrifice")
    views = [view for seed in range(4) for view in random_states(game, seed)]
    for view in views:
        if view.rolls_left < 2:
            assert medium.choose(view) == hard.choose(view)
    assert any(medium.choose(view) != hard.choose(view) for view in views)


@pytest.mark.parametrize("options", OPTION_SETS, ids=str)
@pytest.mark.parametrize("level", LEVELS)
def test_answers_alone_and_side_by_side_agree(
    level: str, options: dict[str, Any], folder: Path
) -> None:
    game = rules(**options)
    views = random_states(game, 1) + random_states(game, 2)
    together = bot(level, folder, **options).choose_many(views)
    alone = bot(level, folder, **options)
    for view, move in zip(views, together, strict=True):
        assert move in view.legal_moves()
        assert isinstance(alone, RatingBot | RowBot)
        assert move in alone.ask(view).best
        alone.forget()
        assert alone.choose(view) == move


@pytest.mark.parametrize("level", LEVELS)
def test_choices_of_whole_turns_are_those_of_the_single_positions(level: str, folder: Path) -> None:
    options = OPTION_SETS[2]
    player = bot(level, folder, **options)
    views = random_states(rules(**options), 3)[::6]
    choices = player.turn_choices([view.sheet for view in views])
    assert choices.shape == (3, len(views), len(ROLLS))
    moves = (*KEEP_MOVES, *player.writes)
    assert moves[FIRST_WRITE] == Write("ones")
    for lane, view in enumerate(views):
        for rolls_left in range(3):
            for roll in range(0, len(ROLLS), 50):
                there = view._replace(dice=ROLLS[roll], rolls_left=rolls_left)
                assert player.choose(there) == moves[choices[rolls_left, lane, roll]]


@pytest.mark.parametrize("options", OPTION_SETS, ids=str)
def test_a_keep_is_worth_the_mean_of_what_may_fall(options: dict[str, Any], folder: Path) -> None:
    expert = bot("expert", folder, **options)
    assert isinstance(expert, RatingBot)
    for view in random_states(rules(**options), 4)[::5]:
        rated = dict(expert.ask(view).options)
        assert set(rated) == set(view.legal_moves())
        for move, value in list(rated.items())[:: max(len(rated) // 4, 1)]:
            after = view.apply(move)
            if not isinstance(move, Keep):
                after = after._replace(to_move=view.to_move)
            assert expert.ask(after).value == pytest.approx(value, abs=1e-9)
            if isinstance(move, Keep):
                mean = sum(
                    chance * (expert.ask(after.apply(outcome)).value or 0.0)
                    for outcome, chance in after.chance_outcomes()
                )
                assert mean == pytest.approx(value, abs=1e-9)


def test_the_last_turn_of_deferred_dashes_may_fill_the_dearest_row(folder: Path) -> None:
    """Chance, 6 + 6 + 6 + 6 + 5, beats the pair of sixes and the four; the rest is dashed."""
    found = state([5, 6, 6, 6, 6], 0, sheets=[SCHOOL_FULL], turns_left=[1])
    expert = bot("expert", folder)
    assert expert.choose(found) == Write("chance")
    assert isinstance(expert, RatingBot)
    advice = expert.ask(found)
    assert advice.value == 50 + 29
    assert dict(advice.options)[PASS] == 50


def test_expert_alone_needs_a_table(tmp_path: Path) -> None:
    for level in ("easy", "medium", "hard"):
        bot(level, tmp_path)
    with pytest.raises(MissingTableError, match="ustad build dice_poker"):
        bot("expert", tmp_path)
