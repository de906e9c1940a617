"""The JavaScript readers answer as the Python rules do.

Nothing here comes from outside: the right answers are those of the bots and of the rules of the
games, which have tests of their own.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from exports import (
    ALL,
    DICE_POKER,
    OTHER_RULES,
    PASA,
    PASA_SIX,
    PASA_TWO,
    RAJA_PASU,
    YACHT,
    Made,
    Named,
    level,
    run,
    write_lines,
)

from ustad.runtime.core.registry import entry as entry_of
from ustad.runtime.export import (
    vectors,
)
from ustad.runtime.export.folder import reader_files
from ustad.runtime.games.dice_poker import levels as dice_poker_bots
from ustad.runtime.games.dice_poker import rules as dice_poker
from ustad.runtime.games.marriage.states import NUMBER_NAMES
from ustad.runtime.games.marriage.tables import shipped_numbers
from ustad.runtime.games.pasa import export as pasa_export
from ustad.runtime.games.pasa import rules as pasa
from ustad.runtime.games.raja_pasu import export as raja_pasu_export
from ustad.runtime.games.raja_pasu import rules as raja_pasu
from ustad.runtime.games.yacht import export as yacht_export
from ustad.runtime.games.yacht import levels as yacht_bots
from ustad.runtime.games.yacht import rules as yacht
from ustad.tables import open_table


def python_vectors(named: Named, made: Made, count: int) -> list[dict[str, Any]]:
    """Return fresh vectors, all options with values, other than those in the manifest."""
    name, table, entry = named[0], made.table, entry_of(named[0])
    packed = made.content.files["values.bin"]["values"]
    seed = 1234
    if name == "raja_pasu":
        rules = raja_pasu.RajaPasu(origin=table.spec.options["origin"])
        bot = raja_pasu_export._bot(rules, table)
        begins = raja_pasu_export.starts(rules, table.spec.options["closed"])
        found = vectors(entry.codec, begins, bot, bot, count, seed)
        for vector in found:
            vector["move"] = vector["best"][0]
        return found
    if name == "pasa":
        options = table.spec.options
        game = pasa.Pasa(**{key: options[key] for key in ("cap", "max_bet", "menu")})
        begins = pasa_export.starts(game, table, count, seed)
        exact = pasa_export.OneTableBot(game, table)
        told = pasa_export.RoundedBot(game, table, packed.values())
        return vectors(entry.codec, begins, exact, told, count, seed)
    rules = entry.rules.make(**table.spec.options)
    bot = yacht_bots.TableBot if name == "yacht" else dice_poker_bots.TableBot
    begins = [rules.new(players, 0) for players in (1, 2, 6)]
    told = bot(rules, replace(table, source=packed.values()))
    return vectors(entry.codec, begins, bot(rules, table), told, count, seed, level(named))


@pytest.mark.slow
@pytest.mark.parametrize("named", ALL, ids=str)
def test_the_reader_answers_2000_positions_as_the_python_rules_do(
    named: Named, made: Callable[[Named], Made], node: str, tmp_path: Path
) -> None:
    export = made(named)
    lines = python_vectors(named, export, 2000)
    assert len(lines) == 2000
    found = json.loads(
        run(node, "answers.mjs", export.folder, write_lines(tmp_path / "vectors", lines))
    )
    assert found["checked"] == 2000
    assert found["wrong"] == []
    assert found["worst"] <= 1e-9


@pytest.mark.parametrize("count", [200, pytest.param(2000, marks=pytest.mark.slow)])
def test_the_reader_plays_yacht_to_win(
    count: int, made: Callable[[Named], Made], folder: Path, node: str, tmp_path: Path
) -> None:
    export, game = made(YACHT), yacht.Yacht()
    outlook = open_table(entry_of("yacht").tables.spec({**YACHT[1], "outlook": "compact"}), folder)
    read = export.content.files["values.bin"]["values"].values()
    exact, told = yacht_export.experts(game, export.table, outlook, read)
    begins = [game.new(players, 0) for players in range(2, 7)]
    lines = vectors(entry_of("yacht").codec, begins, exact, told, count, 321, "expert")
    found = json.loads(
        run(node, "answers.mjs", export.folder, write_lines(tmp_path / "vectors", lines))
    )
    assert found["checked"] == count
    assert found["wrong"] == []
    assert found["worst"] <= 1e-9


@pytest.mark.slow
def test_the_numbers_of_marriage(made: Callable[[Named], Made], node: str, tmp_path: Path) -> None:
    export = made(("marriage", {}))
    told = json.loads(run(node, "answers.mjs", export.folder))
    assert (told["checked"], told["wrong"]) == (len(export.content.vectors), [])
    numbers = dict(zip(export.content.facts["names"], shipped_numbers().tolist(), strict=True))
    assert [*numbers] == [*NUMBER_NAMES]
    assert export.content.files["values.bin"]["values"].values().tolist() == [*numbers.values()]
    entry = entry_of("marriage")
    bot = entry.levels.bot("expert", entry.rules.read({}), tmp_path, 0)
    assert len(export.content.vectors) >= 50
    for vector in export.content.vectors[::8]:
        summed = sum(numbers[name] * count for name, count in vector["features"].items())
        assert summed == pytest.approx(vector["value"], abs=1e-9)
        advice = bot.ask(entry.codec.state_from_json(vector["position"]))
        assert [entry.codec.move_to_json(move) for move in advice.best] == vector["best"]
        assert advice.value == vector["value"]


@pytest.mark.parametrize("named", OTHER_RULES, ids=str)
def test_the_reader_plays_other_rules(
    named: Named, made: Callable[[Named], Made], node: str, tmp_path: Path
) -> None:
    export = made(named)
    lines = write_lines(tmp_path / "vectors", python_vectors(named, export, 100))
    found = json.loads(run(node, "answers.mjs", export.folder, lines))
    assert found["checked"] == 100
    assert found["wrong"] == []


@pytest.mark.parametrize("named", ALL, ids=str)
def test_the_vectors_of_the_manifest(
    named: Named, made: Callable[[Named], Made], node: str
) -> None:
    export = made(named)
    assert len(export.content.vectors) >= 50
    found = json.loads(run(node, "answers.mjs", export.folder))
    assert found["checked"] == len(export.content.vectors)
    for vector in export.content.vectors:
        assert abs(vector["value"] - vector["read"]) <= 0.005
    levels = {vector.get("level") for vector in export.content.vectors}
    assert levels == ({"hard", "expert"} if named == YACHT else levels)


@pytest.mark.parametrize("named", [PASA, PASA_TWO, PASA_SIX], ids=str)
def test_equals_of_pasa_are_those_of_the_bot(
    named: Named, made: Callable[[Named], Made], folder: Path, node: str, tmp_path: Path
) -> None:
    export, entry = made(named), entry_of("pasa")
    game = pasa.Pasa(**{key: export.table.spec.options[key] for key in ("cap", "max_bet", "menu")})
    bot = entry.levels.bot("expert", game, folder, 0)
    packed = export.content.files["values.bin"]["values"]
    told = pasa_export.RoundedBot(game, export.table, packed.values())
    states = pasa_export.starts(game, export.table, 400, 8)
    tied = [state for state in states if len(bot.ask(state).best) > 1]
    assert len(tied) > 10
    lines = [
        {
            "position": entry.codec.state_to_json(state),
            "best": [entry.codec.move_to_json(move) for move in bot.ask(state).best],
            "read": told.ask(state).value,
        }
        for state in tied
    ]
    run(node, "answers.mjs", export.folder, write_lines(tmp_path / "vectors", lines))


WAITING: tuple[tuple[Named, dict[str, Any]], ...] = (
    (YACHT, {"sheets": [{}], "dice": None, "rolls_left": 3}),
    (YACHT, {"sheets": [{"chance": 22}], "kept": [5, 5], "dice": None, "rolls_left": 1}),
    (YACHT, {"sheets": [{"yacht": 50, "ones": 5, "extra_yachts": 1}], "kept": [], "dice": None,
             "rolls_left": 2}),
    (DICE_POKER, {"sheets": [{}], "turns_left": [15], "dice": None, "rolls_left": 3}),
    (DICE_POKER, {"sheets": [{**dict.fromkeys(dice_poker.ROWS[:6], 0), "pair": 0, "chance": 9}],
                  "turns_left": [0], "dice": None, "rolls_left": 3}),
    (PASA, {"stacks": [10, 10, 10, 10], "thrower": 1, "turns_left": 5, "bets": [3, None, 1, 1]}),
    (PASA, {"stacks": [0, 40, 0, 0], "thrower": 1, "turns_left": 5, "bets": [0, None, 0, 0]}),
    (PASA, {"stacks": [20, 0, 20, 0], "thrower": 0, "turns_left": 0, "bets": [None, 0, None, 0]}),
    (RAJA_PASU, {"board": [0] * 7 + [1] + [0] * 6, "closed": [0, 1, 2, 3, 4], "to_move": 0}),
)  # fmt: skip


@pytest.mark.parametrize(("named", "given"), WAITING, ids=str)
def test_positions_without_a_move(
    named: Named,
    given: dict[str, Any],
    made: Callable[[Named], Made],
    node: str,
    folder: Path,
    tmp_path: Path,
) -> None:
    position = {"game": named[0], **given}
    export, entry = made(named), entry_of(named[0])
    state = entry.codec.state_from_json(position)
    advice = entry.levels.bot(level(named), state.rules, folder, 0).ask(state)
    vector = {"level": level(named), "position": position, "best": [], "options": []}
    vector["read"] = advice.value
    lines = write_lines(tmp_path / "vectors", [vector])
    run(node, "answers.mjs", export.folder, lines, 0.005)


def test_levels_that_an_export_cannot_play_are_refused(
    made: Callable[[Named], Made], node: str, tmp_path: Path
) -> None:
    """Neither by another level's answer nor by playing for the total, which nobody asked for."""
    export = made(YACHT)
    two = {
        "game": "yacht",
        "sheets": [{}, {}],
        "to_move": 0,
        "dice": [1, 1, 3, 4, 6],
        "rolls_left": 2,
    }
    script = f"""
        import fs from "node:fs";
        import * as sheet from "{export.folder}/sheet.js";
        import * as yacht from "{export.folder}/yacht.js";
        const read = (name) => fs.readFileSync(`{export.folder}/${{name}}`);
        const text = read("manifest.json").toString();
        const two = {json.dumps(two)};
        const one = {{ ...two, sheets: [{{}}] }};
        const values = read("values.bin");
        const asked = {{
            easy: () => sheet.open(text, values).ask(one, "easy"),
            number: () => sheet.open(text, values).ask(one, 3),
            without: () => yacht.open(text, values).ask(two),
            other: () => sheet.open(text, values).ask(two),
            unknown: () => sheet.open(text, values).bestKeep(two, "best"),
            alone: () => sheet.open(text, values).ask(one).note,
            hard: () => sheet.open(text, values).bestMove(two, "hard"),
            win: () => yacht.open(text, values, read("outlook.bin")).ask(two).outlook,
        }};
        const told = Object.entries(asked).map(([name, ask]) => {{
            try {{ return [name, ask()]; }}
            catch (error) {{ return [name, error.kind, error.message]; }}
        }});
        console.log(JSON.stringify(told));
    """
    (tmp_path / "levels.mjs").write_text(script)
    told = {name: found for name, *found in json.loads(run(node, tmp_path / "levels.mjs"))}
    known = "level: expected one of easy, medium, hard, expert, got"
    assert told["easy"] == [{"best": [{"keep": [1, 1]}]}]
    assert told["number"] == ["usage", f"{known} 3"]
    assert told["unknown"] == ["usage", f'{known} "best"']
    needs = (
        "expert: needs the outlook, which this export was made without; hard plays for the total"
    )
    assert told["without"] == told["other"] == ["missing_table", needs]
    assert told["alone"] == ["alone at the table: expert maximises the expected total"]
    assert told["hard"] == [{"keep": [4]}]
    assert told["win"] == ["compact"]


def test_an_endless_relay_is_stopped_where_the_rules_stop_it(node: str, tmp_path: Path) -> None:
    # Positions with endless relays, found by search among random boards.
    source = random.Random(3)
    rules, found = raja_pasu.RajaPasu(), []
    while len(found) < 5:
        board = tuple(source.choice((0, 1, 1, 2, 2, 3)) for _ in range(14))
        state = raja_pasu.RajaPasuState(rules, board, (), 0, (0, 0), (), None)
        for move in state.legal_moves():
            sown = state.sown(move)
            if sown.laps < 0:
                found.append([board, move.hole, sown.board, [sown.mine, sown.other]])
    for name, module in reader_files().items():
        (tmp_path / name).write_bytes(module)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    script = (
        'import { playHole } from "./sowing.js";'
        f"for (const [board, hole] of {json.dumps(found)}) {{"
        "const found = playHole(board, 7, hole, false);"
        "console.log(JSON.stringify([found.board, found.taken])); }"
    )
    (tmp_path / "relay.mjs").write_text(script)
    lines = run(node, tmp_path / "relay.mjs").splitlines()
    assert [json.loads(line) for line in lines] == [
        [list(after), list(taken)] for _, _, after, taken in found
    ]
