"""The JavaScript readers refuse positions that cannot be, and answer all others."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from exports import (
    AFTER_MISS,
    AFTER_MISS_WITH_SACRIFICE,
    DICE_POKER,
    OTHER_YACHT,
    PASA,
    RAJA_PASU,
    YACHT,
    Made,
    Named,
    run,
    write_lines,
)

from ustad.runtime.core.errors import PositionError
from ustad.runtime.core.registry import entry as entry_of
from ustad.runtime.games.dice_poker import rules as dice_poker
from ustad.runtime.games.raja_pasu import export as raja_pasu_export
from ustad.runtime.games.raja_pasu import rules as raja_pasu
from ustad.runtime.games.yacht import codec as yacht_codec
from ustad.runtime.games.yacht import rules as yacht

BAD: tuple[tuple[Named, Sequence[dict[str, Any]]], ...] = (
    (YACHT, (
        {"sheets": [{"ones": 6}], "dice": [1, 1, 1, 1, 1], "rolls_left": 0},
        {"sheets": [{"onez": 3}], "dice": [1, 1, 1, 1, 1], "rolls_left": 0},
        {"sheets": [{}], "dice": [1, 1, 1, 1, 7], "rolls_left": 0},
        {"sheets": [{}], "dice": [1, 1, 1, 1], "rolls_left": 0},
        {"sheets": [{}], "dice": [1, 1, 1, 1, 1], "rolls_left": 3},
        {"sheets": [{}], "dice": None, "rolls_left": 1},
        {"sheets": [{}], "rolls_left": 3},
        {"sheets": [{}], "dice": None, "rolls_left": 3, "first": None},
        {"sheets": [{"extra_yachts": None}], "dice": None, "rolls_left": 3},
        {"sheets": [{}, {}], "dice": None, "rolls_left": 3},
        {"sheets": [{"extra_yachts": 1}], "dice": None, "rolls_left": 3},
        {"sheets": [], "to_move": 0, "dice": None, "rolls_left": 3},
        {"sheets": [{}], "dice": None, "rolls_left": 3, "colour": 1},
        {"sheets": [{}], "dice": None, "rolls_left": 3, "options": {"second_yacht": "plain"}},
        {"sheets": [{}], "dice": None, "rolls_left": 3, "options": {"third_yacht": "plain"}},
    )),
    (DICE_POKER, (
        {"sheets": [{"ones": 3}], "dice": None, "rolls_left": 3},
        {"sheets": [{}], "turns_left": [16], "dice": None, "rolls_left": 3},
        {"sheets": [{"pair": 10}], "turns_left": [14], "dice": None, "rolls_left": 3},
        *({"sheets": [{**dict.fromkeys(dice_poker.ROWS[:6], 0), "pair": 0}], "turns_left": left,
           "dice": None, "rolls_left": 3} for left in ([8], [1], None)),
        {"sheets": [{}], "turns_left": [15, 15], "dice": None, "rolls_left": 3},
    )),
    (PASA, (
        {"stacks": [10, 10, 10], "thrower": 0, "turns_left": 8, "bets": [None] * 4},
        {"stacks": [0, 20, 10, 10], "thrower": 0, "turns_left": 8, "bets": [None] * 4},
        {"stacks": [10, 10, 10, 10], "thrower": 0, "turns_left": 8, "bets": [None, 4, None, None]},
        {"stacks": [10, 10, 10, 10], "thrower": 0, "turns_left": 8, "bets": [None, None, 1, None]},
    )),
    (RAJA_PASU, (
        {"board": [7] * 14, "closed": [0, 1, 2, 3, 4], "to_move": 0},
        {"board": [0] * 5 + [7] * 9, "closed": [0, 1, 2, 3, 4], "to_move": 2},
        *({"board": [0] * 5 + [7] * 9, "closed": [*range(5)], "to_move": 0, **held} for held in (
            {"captured": [1]}, {"captured": [30, 30]}, {"captured": None}, {"options": None},
            {"earlier": None}, {"options": {"match": 1}},
            {"options": {"match": True}}, {"options": {"max_rounds": 1001}},
            {"match": {"owned": [14, 84], "round": 21, "leader": 0}},
            {"match": {"owned": [14, 84], "round": 1, "leader": 0}},
            {"match": {"owned": [15, 84], "round": 2, "leader": 0}},
            {"match": {"owned": [21, 77], "round": 2, "leader": 0}},
            {"match": {"owned": [14, 84], "round": 2, "leader": 0}, "captured": [1, 0]},
            {"match": {"owned": [14, 84], "round": 2}},
            {"earlier": [[0] * 5 + [8, 6] + [7] * 7]},
        )),
    )),
)  # fmt: skip


def test_a_position_of_a_match_is_answered(
    made: Callable[[Named], Made], node: str, tmp_path: Path
) -> None:
    position = {"game": "raja_pasu", "board": [0] * 5 + [7] * 9, "closed": [0, 1, 2, 3, 4],
                "to_move": 0, "match": {"owned": [14, 84], "round": 2, "leader": 0}}  # fmt: skip
    entry, export = entry_of("raja_pasu"), made(RAJA_PASU)
    bot = raja_pasu_export._bot(raja_pasu.RajaPasu(), export.table)
    advice = bot.ask(entry.codec.state_from_json(position))
    best = [entry.codec.move_to_json(move) for move in advice.best]
    vector = {"position": position, "best": best, "read": advice.value}
    run(node, "answers.mjs", export.folder, write_lines(tmp_path / "vectors", [vector]))


def test_a_past_is_judged_alike(made: Callable[[Named], Made], node: str, tmp_path: Path) -> None:
    """Random pasts, possible or not, in which positions stood up to twice."""
    entry, export = entry_of("raja_pasu"), made(RAJA_PASU)
    rules = raja_pasu.RajaPasu()
    bot = raja_pasu_export._bot(rules, export.table)
    source, closed = random.Random(12), tuple(range(5))
    lines: list[dict[str, Any]] = []
    for _ in range(300):
        seeds = source.choices(range(5, 14), k=source.choice((2, 2, 3, 4)))
        board = tuple(map(seeds.count, range(14)))
        state = raja_pasu.RajaPasuState(rules, board, closed, 0, (0, 0), (), None)
        met = [state]
        for _ in range(30):
            after = [met[-1].after_sowing(move) for move in met[-1].legal_moves()]
            met.append(source.choice([one for one in after if one.earlier] or [state]))
        mine, other = (sorted({one.board for one in met[at::2]}) * 2 for at in (0, 1))
        count = source.randint(1, min(len(mine), len(other)))
        pairs = zip(source.sample(mine, count), source.sample(other, count), strict=True)
        past = [board for pair in pairs for board in pair]
        state = state._replace(earlier=tuple(past))
        if max(map(past.count, past)) > 2 or state.is_over():
            continue
        advice = bot.ask(state)
        lines.append({
            "position": entry.codec.state_to_json(state),
            "best": [entry.codec.move_to_json(move) for move in advice.best],
            "read": advice.value,
            "options": [[{"hole": move.hole}, value] for move, value in advice.options],
            "beside": advice.extra,
        })  # fmt: skip
    assert len(lines) > 20
    run(node, "answers.mjs", export.folder, write_lines(tmp_path / "vectors", lines))


NO_TABLE: tuple[tuple[Named, Sequence[dict[str, Any]]], ...] = (
    (PASA, (
        {"stacks": [10, 10, 10], "thrower": 0, "turns_left": 8, "bets": [None] * 3},
        {"stacks": [10, 10, 10, 11], "thrower": 0, "turns_left": 8, "bets": [None] * 4},
        {"stacks": [10, 10, 10, 10], "thrower": 0, "turns_left": 9, "bets": [None] * 4},
    )),
    (RAJA_PASU, ({"board": [7] * 14, "closed": [], "to_move": 0},)),
)  # fmt: skip
"""Positions that can be, and that other tables are of."""


def answers(
    export: Made,
    named: Named,
    positions: Sequence[dict[str, Any]],
    node: str,
    tmp_path: Path,
    *level: str,
) -> list[str]:
    """Return the line that the reader of an export answers each position of a game with."""
    lines = write_lines(tmp_path / "positions", [{"game": named[0], **held} for held in positions])
    found = run(node, "positions.mjs", export.folder, lines, *level).splitlines()
    assert len(found) == len(positions)
    return found


@pytest.mark.parametrize(("named", "positions"), NO_TABLE, ids=lambda held: str(held)[:20])
def test_positions_of_other_tables_are_told(
    named: Named,
    positions: Sequence[dict[str, Any]],
    made: Callable[[Named], Made],
    node: str,
    tmp_path: Path,
) -> None:
    expert = answers(made(named), named, positions, node, tmp_path)
    assert all(line.startswith("missing_table: expert: no table") for line in expert)
    easy = answers(made(named), named, positions, node, tmp_path, "easy")
    assert easy == ["answered"] * len(positions)


@pytest.mark.parametrize(("named", "positions"), BAD, ids=lambda held: str(held)[:20])
def test_the_reader_refuses_positions_that_cannot_be(
    named: Named,
    positions: Sequence[dict[str, Any]],
    made: Callable[[Named], Made],
    node: str,
    tmp_path: Path,
) -> None:
    found = answers(made(named), named, positions, node, tmp_path)
    assert all(line.startswith(("position: ", "option: ")) for line in found)


@pytest.mark.parametrize("named", [YACHT, *OTHER_YACHT], ids=str)
def test_the_reader_knows_how_many_further_yachts_a_sheet_can_have_had(
    named: Named, made: Callable[[Named], Made], node: str, tmp_path: Path
) -> None:
    """Of random sheets, many of points that further yachts leave: as many as Python allows."""
    entry, source, found = entry_of("yacht"), random.Random(11), []
    for _ in range(800):
        sheet: dict[str, int] = {"yacht": source.choice([50, 50, 50, 50, 0])}
        share, few = source.random(), source.random()
        for box, name in enumerate(yacht.BOXES):
            possible = sorted(yacht_codec.possible_points(box))
            fives = [points for points in possible if points % 5 == 0]
            if name != "yacht" and source.random() < share:
                sheet[name] = source.choice(fives[:1] if source.random() < few else fives)
        found += [{**sheet, "extra_yachts": extra} for extra in range(14)]
    found.append({"yacht": 50, "extra_yachts": 1e9})
    found += [{"yacht": 50, "extra_yachts": extra} for extra in (-1, 0.5, "1", True, [])]
    positions = [
        {"game": "yacht", "options": named[1], "sheets": [sheet], "dice": None, "rolls_left": 3}
        for sheet in found
    ]
    lines = write_lines(tmp_path / "sheets", positions)
    told = run(node, "positions.mjs", made(named).folder, lines, "hard").splitlines()
    assert len(told) == len(positions)
    assert told.count("answered") >= 800
    for position, answer in zip(positions, told, strict=True):
        try:
            entry.codec.state_from_json(position)
        except PositionError:
            assert answer.startswith("position: "), (position, answer)
        else:
            assert answer == "answered", (position, answer)


@pytest.mark.parametrize(
    ("named", "left"), [(AFTER_MISS, True), (AFTER_MISS_WITH_SACRIFICE, False)], ids=str
)
def test_the_reader_refuses_a_chance_that_a_made_row_forbade(
    named: Named, left: bool, made: Callable[[Named], Made], node: str, tmp_path: Path
) -> None:
    """Chance is written after a miss alone: no points of it that only dice of an open row give."""
    entry, school = entry_of("dice_poker"), dict.fromkeys(dice_poker.ROWS[:6], 0)
    positions = [
        {
            "game": "dice_poker",
            "options": named[1],
            "sheets": [{**school, "chance": points, **more}],
            **({"turns_left": [8 - len(more)]} if left else {}),
            "dice": None,
            "rolls_left": 3,
        }
        for points in range(5, 31)
        for more in ({}, {"pair": 12}, {"pair": 12, "two_pairs": 22}, {"small_straight": 15})
    ]
    lines = write_lines(tmp_path / "chances", positions)
    told = run(node, "positions.mjs", made(named).folder, lines).splitlines()
    expected = []
    for position in positions:
        try:
            entry.codec.state_from_json(position)
            expected.append(True)
        except PositionError:
            expected.append(False)
    assert [answer == "answered" for answer in told] == expected
    assert 0 < sum(expected) < len(expected)


ODD: tuple[tuple[Named, str, bool], ...] = (
    (YACHT, "sheets: [{}], dice: [1,,3,4,6], rolls_left: 2", False),
    (YACHT, "sheets: [{}], dice: new Array(5), rolls_left: 2", False),
    (YACHT, "sheets: new Array(2), to_move: 0, dice: null, rolls_left: 3", False),
    (YACHT, "sheets: [{}, null], to_move: 0, dice: null, rolls_left: 3", False),
    (YACHT, "sheets: [{}], dice: null, kept: new Array(2), rolls_left: 2", False),
    (YACHT, "sheets: [{yacht: null}], dice: [1, 1, 3, 4, 6], kept: null, rolls_left: 2", True),
    (YACHT, "sheets: [{yacht: null}], dice: null, kept: null, rolls_left: 3", True),
    (YACHT, "sheets: [{yacht: 50, extra_yachts: null}], dice: null, rolls_left: 3", False),
    (DICE_POKER, "sheets: [{pair: null}], turns_left: null, dice: null, rolls_left: 3", True),
    (DICE_POKER, "sheets: [{}], turns_left: new Array(1), dice: null, rolls_left: 3", False),
    (PASA, "stacks: new Array(4), thrower: 0, turns_left: 8, bets: Array(4).fill(null)", False),
    (PASA, "stacks: [10, 10, 10, 10], thrower: 0, turns_left: 8, bets: new Array(4)", False),
    (RAJA_PASU, "board: new Array(14), closed: [0, 1, 2, 3, 4], to_move: 0", False),
    (RAJA_PASU, "board: [0,0,0,0,0,7,7,7,7,7,7,7,7,7], closed: new Array(5), to_move: 0", False),
    (RAJA_PASU, "board: [0,0,0,0,0,7,7,7,7,7,7,7,7,7], closed: [0, 1, 2, 3, 4], to_move: 0, "
                "earlier: new Array(1)", False),
    (RAJA_PASU, "board: [0,0,0,0,0,7,7,7,7,7,7,7,7,7], closed: [0, 1, 2, 3, 4], to_move: 0, "
                "captured: new Array(2)", False),
)  # fmt: skip


def test_lists_with_holes_are_refused_and_null_is_what_it_is_in_python(
    made: Callable[[Named], Made], node: str, tmp_path: Path
) -> None:
    for named in {named[0]: named for named, _, _ in ODD}.values():
        chosen = [(text, fits) for other, text, fits in ODD if other == named]
        path = tmp_path / "odd"
        path.write_text("".join(f"{{game: '{named[0]}', {text}}}\n" for text, _ in chosen))
        words = ["hard"] * (named == YACHT)
        found = run(node, "positions.mjs", made(named).folder, path, *words).splitlines()
        assert len(found) == len(chosen)
        for (text, fits), answer in zip(chosen, found, strict=True):
            refused = ("position: ", "json: ")
            assert answer.startswith("answered" if fits else refused), (text, answer)
