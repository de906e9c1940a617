"""What speaks for keeps and writes, held against turns and games played out roll by roll.

The play-outs know nothing of tables by box: they ask the bot for its choice on every roll, apply
it by the rules, and read the boxes off the finished sheets.  Chances come from the transition
matrix, not from the sweeps over keeps.
"""

from __future__ import annotations

import shutil
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from built import Build
from numpy.typing import NDArray

from ustad.runtime.core.registry import entry as entry_of
from ustad.runtime.games.dice_poker.rules import RULES as DICE_POKER
from ustad.runtime.games.five_dice.sheet import ROLLS_A_TURN, Keep, SheetState, Write
from ustad.runtime.games.five_dice.turn import (
    KEEP_INDEX,
    ROLLS,
    transition_matrix,
)
from ustad.runtime.games.yacht.tables import SOURCES, TABLES
from ustad.runtime.questions import Advisor, read_position
from ustad.solver.dice_poker.policy import exact_totals
from ustad.solver.yacht import by_box
from ustad.tables import open_table, write_table

Floats = NDArray[np.float64]

TRANSITION = transition_matrix()
FEW = 2
"""The open boxes of the sheets here: their part of yacht's tables is built in a moment."""


@pytest.fixture(scope="module")
def advisor(tables: Path, build: Build, tmp_path_factory: pytest.TempPathFactory) -> Advisor:
    """Who answers by tables of yacht with few open boxes, and of dice poker with sacrifices."""
    folder = tmp_path_factory.mktemp("by-box")
    for number, setting in enumerate(("bonus_and_joker", "plain")):
        options = {"second_yacht": setting}
        values = open_table(TABLES.spec(options), tables)
        shutil.copy(values.path, folder)
        spec = TABLES.spec(options | {"by_box": True})
        terms = by_box.solve(number, values.values, most_open=FEW).T.astype(spec.dtype)
        write_table(spec, folder, terms, {}, TABLES.structure(options))
    for extra in ({}, {"by_box": True}):
        build("dice_poker", {"dash": "sacrifice"} | extra, folder)
    return Advisor(folder)


def yacht(setting: str, written: dict[str, int], dice: list[int], rolls_left: int) -> Any:
    return {
        "game": "yacht",
        "options": {"second_yacht": setting},
        "sheets": [written],
        "dice": dice,
        "rolls_left": rolls_left,
    }


UPPER = {"ones": 2, "twos": 6, "threes": 9, "fours": 12, "fives": 15}
LOWER = {
    "three_of_a_kind": 20,
    "four_of_a_kind": 0,
    "full_house": 25,
    "small_straight": 30,
    "large_straight": 0,
}
SCHOOL = {"ones": 0, "twos": 2, "threes": 0, "fours": -4, "fives": 5, "sixes": 0}
PART_TWO = {"two_pairs": 18, "three": 12, "small_straight": 0, "large_straight": 20, "four": 16}


def dice_poker(written: dict[str, int], dice: list[int], rolls_left: int) -> Any:
    return {
        "game": "dice_poker",
        "options": {"dash": "sacrifice"},
        "sheets": [SCHOOL | PART_TWO | written],
        "dice": dice,
        "rolls_left": rolls_left,
    }


POSITIONS = [
    yacht("bonus_and_joker", {**UPPER, **LOWER, "yacht": 50}, [1, 3, 6, 6, 6], 2),
    yacht("bonus_and_joker", {**UPPER, **LOWER, "chance": 20}, [2, 2, 2, 2, 6], 1),
    yacht("bonus_and_joker", {**UPPER, **LOWER, "yacht": 50}, [6, 6, 6, 6, 6], 0),
    yacht("plain", {**UPPER, **LOWER, "chance": 20, "sixes": 18}, [1, 2, 3, 4, 5], 2),
    dice_poker({"full_house": 0, "poker": 0}, [1, 1, 4, 5, 6], 2),
    dice_poker({"pair": 12, "chance": 22}, [5, 5, 5, 6, 6], 1),
]


class PlayOut:
    """A game of one sheet played out by a bot from any position on."""

    def __init__(self, bot: Any, sources: tuple[str, ...], codec: Any) -> None:
        self.bot = bot
        self.sources = sources
        self.codec = codec
        self.final = lru_cache(maxsize=None)(self._final)

    def _final(self, state: SheetState) -> Floats:
        """Return the expected points of each source at the end, from the start of a turn on."""
        if state.is_over():
            told = self.codec.sheet_to_json(state.rules, state.sheet)
            boxes = [told.get(source, 0) for source in self.sources]
            boxes[self.sources.index("bonus")] = state.totals()[0] - self._points(state.sheet)
            if "extra_yachts" in self.sources:
                boxes[self.sources.index("extra_yachts")] *= 100
            return np.array(boxes, dtype=np.float64)
        return self.keeps(state, ROLLS_A_TURN, self.after)[0]

    @staticmethod
    def _points(sheet: Any) -> int:
        return sum(points or 0 for points in sheet.points) + 100 * getattr(sheet, "extra_yachts", 0)

    def after(self, state: SheetState, move: Any) -> Floats:
        """Return what each source will hold after a write."""
        return self.final(state.apply(move))

    def this_turn(self, state: SheetState, move: Any) -> Floats:
        """Return the points that a write brings, and for each box whether it is written."""
        after = state.apply(move).sheet
        boxes = state.rules.boxes
        box = boxes.index(move.box)
        extra = 100 * (getattr(after, "extra_yachts", 0) - getattr(state.sheet, "extra_yachts", 0))
        return np.array([after.points[box] + extra, *np.eye(len(boxes))[box]])

    def keeps(self, state: SheetState, rolls_left: int, rate: Any) -> Floats:
        """Return (462, ...) what follows each keep with so many rolls left, as writes are rated."""
        kept: Floats = np.zeros(0)
        for left in range(rolls_left):
            rolled = [state._replace(dice=dice, rolls_left=left, kept=()) for dice in ROLLS]
            moves = self.bot.choose_many(rolled)
            rows = [
                kept[KEEP_INDEX[move.dice]] if isinstance(move, Keep) else rate(here, move)
                for here, move in zip(rolled, moves, strict=True)
            ]
            kept = TRANSITION @ np.array(rows)
        return kept


@pytest.mark.parametrize("position", POSITIONS)
def test_facts_are_those_of_the_game_played_out(advisor: Advisor, position: Any) -> None:
    entry, state = read_position(position)
    bot = advisor.bot(entry, state.rules, "expert")
    answer = advisor.ask(position, facts=True)
    sources = tuple(answer["options"][0]["facts"]["by_box"])
    play = PlayOut(bot, sources, entry.codec)
    kept = kept_turn = np.zeros((0, 0))
    if state.rolls_left:
        kept = play.keeps(state, state.rolls_left, play.after)
        kept_turn = play.keeps(state, state.rolls_left, play.this_turn)
    for option in answer["options"]:
        move, facts = entry.codec.move_from_json(option["move"]), option["facts"]
        write = isinstance(move, Write)
        final = play.after(state, move) if write else kept[KEEP_INDEX[move.dice]]
        turn = play.this_turn(state, move) if write else kept_turn[KEEP_INDEX[move.dice]]
        assert list(facts["by_box"].values()) == pytest.approx(final, abs=1e-5)  # float32
        assert sum(facts["by_box"].values()) == pytest.approx(option["value"], abs=1e-9)
        assert facts["points_this_turn"] == pytest.approx(turn[0], abs=1e-9)
        chances = dict(zip(state.rules.boxes, turn[1:], strict=True))
        for box, chance in facts["chance_of"].items():
            assert chance == pytest.approx(chances.pop(box), abs=1e-9)
        assert not any(chances.values())
        bonus = final[sources.index("bonus")]
        assert facts["bonus_chance"] == pytest.approx(bonus / (35 if "yacht" in sources else 50))


def test_the_school_bonus_at_the_start(advisor: Advisor) -> None:
    """By the forward pass over all games, which knows no parts."""
    rules = DICE_POKER.read({"dash": "sacrifice"})
    totals = exact_totals(advisor.bot(entry_of("dice_poker"), rules, "expert"), rules)
    spec = entry_of("dice_poker").tables.spec(rules.options | {"by_box": True})
    *rows, bonus = open_table(spec, advisor.tables or Path()).values[:, spec.start_index].tolist()
    assert bonus / 50 == pytest.approx(totals.bonus, abs=1e-6)
    assert sum(rows) + bonus == pytest.approx(totals.mean, abs=1e-4)


def test_without_their_table_the_boxes_are_not_told(tables: Path) -> None:
    answer = Advisor(tables).ask(POSITIONS[0], facts=True)
    assert set(answer["options"][0]["facts"]) == {"points_this_turn", "chance_of"}
    assert "bonus" not in answer["why"]


def test_rows_add_up_to_the_values(tables: Path) -> None:
    values = open_table(TABLES.spec({}), tables).values
    terms = by_box.solve(0, values, most_open=FEW)
    few = np.flatnonzero(terms.sum(axis=1))
    assert len(few) > 1000
    assert terms[few].sum(axis=1) == pytest.approx(values[few], abs=1e-11)
    assert terms.shape[1] == len(SOURCES)
    assert terms.min() >= 0
