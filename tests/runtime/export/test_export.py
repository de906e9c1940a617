"""Exports: the JavaScript reader answers as the Python rules do, and damage is refused.

Nothing here comes from outside: the right answers are those of the bots, the exact tables
and the rules of the games, which have tests of their own.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import pairwise
from math import comb, inf, prod
from pathlib import Path
from struct import unpack_from
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustad.runtime.core.errors import ExportError, PositionError
from ustad.runtime.core.registry import NAMES, exporter
from ustad.runtime.core.registry import entry as entry_of
from ustad.runtime.export import (
    Content,
    check_export,
    read_export,
    rounded,
    vectors,
    write_export,
)
from ustad.runtime.export.folder import reader_files
from ustad.runtime.export.manifest import canonical, manifest_text
from ustad.runtime.games.dice_poker import export as dice_poker_export
from ustad.runtime.games.dice_poker import levels as dice_poker_bots
from ustad.runtime.games.dice_poker import rules as dice_poker
from ustad.runtime.games.dice_poker import states as dice_poker_states
from ustad.runtime.games.five_dice import export as five_dice_export
from ustad.runtime.games.five_dice import rounding
from ustad.runtime.games.five_dice.arrays import reachable
from ustad.runtime.games.five_dice.bots import FIRST_WRITE
from ustad.runtime.games.five_dice.turn import KEEPS, ROLLS
from ustad.runtime.games.marriage import export as marriage_export
from ustad.runtime.games.marriage.states import NUMBER_NAMES
from ustad.runtime.games.marriage.tables import shipped_numbers
from ustad.runtime.games.pasa import export as pasa_export
from ustad.runtime.games.pasa import rules as pasa
from ustad.runtime.games.pasa import states as pasa_states
from ustad.runtime.games.raja_pasu import export as raja_pasu_export
from ustad.runtime.games.raja_pasu import rules as raja_pasu
from ustad.runtime.games.raja_pasu.tables import RoundTable
from ustad.runtime.games.yacht import codec as yacht_codec
from ustad.runtime.games.yacht import export as yacht_export
from ustad.runtime.games.yacht import levels as yacht_bots
from ustad.runtime.games.yacht import rules as yacht
from ustad.runtime.games.yacht import states as yacht_states
from ustad.runtime.games.yacht.tables import read_compact
from ustad.solver.build import build_table
from ustad.tables import Table, TableError, open_table

HERE = Path(__file__).parent

# One table of each kind of game, small where that changes nothing.
YACHT = ("yacht", {"second_yacht": "bonus_and_joker"})
DICE_POKER = ("dice_poker", {})
PASA = ("pasa", {"players": 4, "chips": 40})
PASA_TWO = ("pasa", {"players": 2, "chips": 60})
RAJA_PASU = ("raja_pasu", {"closed": 5})
RAJA_PASU_SKIPPED = ("raja_pasu", {"closed": 6, "origin": "skipped"})
ALL = (YACHT, DICE_POKER, PASA, PASA_TWO, RAJA_PASU, RAJA_PASU_SKIPPED)

Named = tuple[str, Mapping[str, Any]]


@pytest.fixture(scope="session")
def node() -> str:
    """The program node; without it the readers cannot be run."""
    found = shutil.which("node")
    if found is None:
        assert "USTAD_NEED_NODE" not in os.environ, "node is needed here and is not installed"
        pytest.skip("node is not installed: the JavaScript readers are not run")
    return found


@dataclass(frozen=True)
class Made:
    """A table and its export."""

    table: Table
    content: Content
    folder: Path
    sizes: Mapping[str, int]


@pytest.fixture(scope="session")
def folder(
    tables: Path, tmp_path_factory: pytest.TempPathFactory, write_outlook: Callable[[Path], None]
) -> Path:
    """A folder of tables for these tests: those of yacht, with an outlook, and more to come."""
    found = tmp_path_factory.mktemp("export-tables")
    for path in tables.glob("yacht*.h5"):
        shutil.copy(path, found)
    write_outlook(found)
    return found


@pytest.fixture(scope="session")
def made(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[Named], Made]:
    """A function that exports a table, once; the proof over all of yacht is left to a slow test."""
    known: dict[str, Made] = {}

    def make(named: Named) -> Made:
        name, options = named
        entry = entry_of(name)
        spec = entry.tables.spec(options)
        if spec.file_name not in known:
            if name == "marriage":  # its numbers ship with the package
                table = Table(spec, folder, shipped_numbers(), {}, {}, 0.0, 0)
            else:
                table, _ = build_table(entry, spec.options, folder)
            with pytest.MonkeyPatch.context() as patch:
                if name == "yacht":
                    patch.setattr(five_dice_export, "prove", lambda *_: {"largest_cost": 0.0})
                content = exporter(name).content(spec.options, folder, None)
            out = tmp_path_factory.mktemp(name)
            known[spec.file_name] = Made(table, content, out, write_export(entry, content, out))
        return known[spec.file_name]

    return make


def run(node: str, script: str, *words: object) -> Any:
    """Run a script of this folder; return what it printed."""
    found = subprocess.run(
        [node, str(HERE / script), *map(str, words)], capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, (found.stdout[-2000:], found.stderr[-2000:])
    return found.stdout


def write_lines(path: Path, lines: Sequence[Any]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


# The readers answer as the rules do.


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


def level(named: Named) -> str:
    """Return the level that plays a table."""
    return "hard" if named[0] == "yacht" else "expert"


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


OTHER_RULES = (
    ("yacht", {"second_yacht": "plain"}),
    ("yacht", {"second_yacht": "free_joker"}),
    ("dice_poker", {"dash": "sacrifice"}),
    ("dice_poker", {"chance_after_miss": True, "five_as_full_house": True}),
    ("dice_poker", {"dash": "sacrifice", "chance_doubles": True, "school_threshold": -4}),
    ("dice_poker", {"first_throw": "double_with_poker_bonus", "four_as_two_pairs": True}),
    ("dice_poker", {"dash": "sacrifice", "first_throw": "none", "chance_after_miss": True}),
    ("pasa", {"players": 3, "chips": 14, "menu": "all"}),
    ("pasa", {"players": 4, "chips": 12, "cap": "first_come", "max_bet": 2}),
    ("pasa", {"players": 6, "chips": 9, "laps": 1, "cap": "first_come", "menu": "all"}),
)


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


@pytest.mark.parametrize("named", [PASA, PASA_TWO, OTHER_RULES[-1]], ids=str)
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


# The manifest says all that it takes: a second reader, written from its words alone.


class Decoder:
    """Finds values by the words of a manifest: nothing of the games is known here."""

    def __init__(self, folder: Path) -> None:
        self.manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        self.files = {name: (folder / name).read_bytes() for name in self.manifest["files"]}
        self.array = cache(self._array)

    def _array(self, name: str) -> list[Any]:
        """Return the numbers of an array one after another, by the words of ``encoding``."""
        place = self.manifest["arrays"][name]
        count = prod(place["shape"])
        letter = {"uint8": "B", "int8": "b", "uint16": "H", "uint32": "I"}[place["dtype"]]
        if place.get("differences"):
            held = self.files[place["file"]][place["at"] : place["at"] + 2 * count]
            step, numbers = prod(place["shape"][1:]), []
            for k in range(count):
                before = numbers[k - step] if k >= step else 0
                numbers.append((before + held[k] + 256 * held[count + k]) % 65536)
        else:
            numbers = list(unpack_from(f"<{count}{letter}", self.files[place["file"]], place["at"]))
        if "scale" in place:
            return [place["offset"] + place["scale"] * number for number in numbers]
        return numbers

    # Dice and a sheet.

    def sheet_place(self, written: Mapping[str, int], turns: int) -> int:
        """Return the number of the value of the sheet with these points."""
        known = self.manifest["sheet"]
        boxes, counting = known["boxes"], known["counting"]
        columns = self.manifest["arrays"]["column"]["shape"][1]
        o = sum(1 << b for b in range(counting) if boxes[b] not in written)
        total = sum(written.get(name, 0) for name in boxes[:counting])
        total = min(total, columns - 1 + known["lowest_sum"])
        pairs = zip(boxes, known["part_weight"], strict=True)
        part = sum(weight for name, weight in pairs if name not in written)
        if known["held_box"] is not None and boxes[known["held_box"]] in written:
            part += (
                known["held_weight"]
                * dict(known["held_by_points"])[written[boxes[known["held_box"]]]]
            )
        part += known["turns_weight"] * turns
        column = self.array("column")[o * columns + total - known["lowest_sum"]]
        assert column != 255
        return int(known["column_start"][o] + column + known["stride"][o] * part)

    def sheet_value(self, written: Mapping[str, int], turns: int) -> float:
        """Return what a sheet still brings, by ``index_formula``."""
        over = turns == 0 or len(written) == len(self.manifest["sheet"]["boxes"])
        return 0.0 if over else float(self.array("values")[self.sheet_place(written, turns)])

    def earned(self, written: Mapping[str, int]) -> int:
        """Return the bonus that a sheet has earned."""
        known, counting = self.manifest["sheet"], self.manifest["sheet"]["counting"]
        names = known["boxes"][:counting]
        least = known["bonus_from"][
            sum(1 << b for b, name in enumerate(names) if name not in written)
        ]
        highest = self.manifest["arrays"]["column"]["shape"][1] - 1 + known["lowest_sum"]
        total = min(sum(written.get(name, 0) for name in names), highest)
        return int(known["bonus"]) if least is not None and total >= least else 0

    def turn(self, written: Mapping[str, int], turns: int) -> float:
        """Return what a turn is worth at its start, by the words on turns and writes."""
        known, dice = self.manifest["sheet"], self.manifest["turn"]
        keeps, grown, boxes = dice["keeps"], dice["grown"], known["boxes"]
        is_open = {b for b, name in enumerate(boxes) if name not in written}
        open_bits = sum(1 << b for b in is_open)

        @cache
        def after(b: int, points: int) -> float:
            then = {**written, boxes[b]: points} if b >= 0 else written
            brings = self.earned(then) - self.earned(written)
            return points + brings + self.sheet_value(then, turns - 1)

        held = 0
        if known["held_box"] is not None and boxes[known["held_box"]] in written:
            held = dict(known["held_by_points"])[written[boxes[known["held_box"]]]]

        @cache
        def roll(r: int, n: int) -> float:
            cases = known["cases"][known["roll_cases"][r]]
            case = next(c for c in cases if not c["any_open"] or c["any_open"] & open_bits)
            pays = known["pays"][case["pays"][n]][r]
            may = case["write"] & ~case["last"] if n else case["write"]
            ways = [after(b, pays[b]) for b in is_open if may >> b & 1]
            ways += [after(-1, 0)] * case["passes"]
            extra = r in known["extra_rolls"] and held == known["extra_held"]
            found = max(ways, default=-inf) + extra * known["extra_points"]
            if n:
                own = Counter(keeps[len(grown) + r])
                found = max(found, *(keep(k, n) for k in range(len(grown)) if kept[k] <= own))
            return found

        @cache
        def keep(k: int, n: int) -> float:
            if k >= len(grown):
                return roll(k - len(grown), n - 1)
            return sum(keep(more, n) for more in grown[k]) / dice["faces"]

        kept = [Counter(held) for held in keeps]
        return keep(0, dice["rolls_a_turn"])

    def chances(self, state: int) -> list[float]:
        """Return the chances of 0, 1, ... points to come, by the words on the outlook."""
        known, form = self.manifest["outlook"], self.array("outlook_kind")
        i = form[:state].count(form[state])
        if form[state] < len(known["steps"]):
            name = known["steps"][form[state]]
            begin, count = sum(self.array(f"{name}_lengths")[:i]), self.array(f"{name}_lengths")[i]
            parts = self.array(name)[begin : begin + count]
            return [0.0] * self.array(f"{name}_first")[i] + [part / sum(parts) for part in parts]
        count, rows = self.manifest["arrays"]["knots"]["shape"]
        whole, sixteenths = divmod(self.array("knot_shift")[i], known["shifts"])
        gaps = [self.array("knots")[j * rows + i] for j in range(count)]
        knots = [min(max(sum(gaps[: j + 1]) + whole, -1), known["reach"] - 2) for j in range(count)]
        found = [0.0] * (max(knots[-1], 0) + 2)
        for a, b in pairwise(knots):
            for points in range(a + 1, b + 1) if a < b else [max(a, 0)]:
                found[points] += 1 / (count - 1) / max(b - a, 1)
        moved = sixteenths / known["shifts"]
        return [
            (1 - moved) * here + moved * before
            for here, before in zip(found, [0.0, *found], strict=False)
        ]

    # Pasa.

    def row(self, stacks: Sequence[int]) -> int:
        """Return before + split, the thrower's stack first."""
        players, chips = len(stacks), sum(stacks)
        least = self.manifest["pasa"]["least_chips"]
        split = sum(comb(sum(stacks[-j:]) + j - 1, j) for j in range(1, players))
        return split + comb(chips + players - 1, players) - comb(least + players - 1, players)

    def bets(self, stacks: Sequence[int], turns: int, made: Sequence[int]) -> tuple[Any, Any]:
        """Return the best bets of the next seat, none if all have bet, and everybody's shares."""
        known, rules = self.manifest["pasa"], self.manifest["options"]
        bettors = [seat for seat in range(1, len(stacks)) if stacks[seat]]

        def shares(stacks: Sequence[int], turns: int) -> list[float]:
            if turns == 0:
                most = max(stacks)
                return [(held == most) / list(stacks).count(most) for held in stacks]
            at = ((turns - 1) * known["splits"] + self.row(stacks)) * len(stacks)
            return self.array("values")[at : at + len(stacks)]

        def legal(bets: Sequence[int]) -> list[int]:
            most = min(stacks[bettors[len(bets)]], stacks[0] - sum(bets))
            if rules["max_bet"] is not None:
                most = min(most, rules["max_bet"])
            if rules["cap"] == "share":
                most = min(most, max(1, stacks[0] // len(bettors)))
            if most == 0:
                return [0]
            if rules["menu"] == "all":
                return list(range(1, most + 1))
            return sorted({1, *(most // part for part in (4, 2, 1))} - {0})

        def solve(bets: Sequence[int], path: int) -> tuple[list[int], list[float]]:
            if len(bets) == len(bettors):
                paro, tiro = list(stacks), list(stacks)
                for seat, bet in zip(bettors, bets, strict=True):
                    paro[seat] -= bet
                    tiro[seat] += bet
                paro[0] += sum(bets)
                tiro[0] -= sum(bets)
                lost = shares([*tiro[1:], tiro[0]], turns - 1)
                lost = [lost[-1], *lost[:-1]]
                won = shares(paro, turns)
                return [], [(one + other) / 2 for one, other in zip(won, lost, strict=True)]
            after = [
                solve([*bets, bet], known["width"] * path + 1 + i)[1]
                for i, bet in enumerate(legal(bets))
            ]
            own = [found[bettors[len(bets)]] for found in after]
            node = ((turns - 1) * known["splits"] + self.row(stacks)) * known["paths"] + path
            best = self.stored.get(node)
            if best is None:
                best = [i for i, share in enumerate(own) if share >= max(own) - known["tie"]]
            return [legal(bets)[i] for i in best], after[best[0]]

        path = 0
        for count, bet in enumerate(made):
            path = known["width"] * path + 1 + legal(made[:count]).index(bet)
        return solve(made, path)

    @cached_property
    def stored(self) -> dict[int, list[int]]:
        """The best bets that are stored, by node."""
        found: dict[int, list[int]] = {}
        for node, bet in zip(self.array("stored_nodes"), self.array("stored_bets"), strict=True):
            found.setdefault(node, []).append(bet)
        return found

    # Raja Pasu.

    @cached_property
    def margins(self) -> dict[tuple[tuple[int, ...], int], int]:
        """The margins by pattern and code."""
        first, width = self.array("first"), self.manifest["arrays"]["patterns"]["shape"][1]
        gaps, found = iter(self.array("gaps")), {}
        for p in range(len(first) - 1):
            pattern, code = tuple(self.array("patterns")[width * p : width * (p + 1)]), 0
            for at in range(first[p], first[p + 1]):
                group, shift = next(gaps), 0
                while group >= 128:
                    code += (group - 128) << shift
                    group, shift = next(gaps), shift + 7
                code += group << shift
                found[pattern, code] = self.array("values")[at]
        return found

    def margin(self, seeds: Sequence[int], own: int) -> int:
        """Return the mover's margin of a position."""
        if not any(seeds[:own]):
            return -sum(seeds)
        few = [held for held in seeds if held <= 3]
        code = sum(held * 4**n for n, held in enumerate(few))
        pattern = (*(held if held > 3 else 0 for held in seeds), own)
        return self.margins[pattern, code]


def random_states(starts: Sequence[Any], count: int, seed: int) -> list[Any]:
    """Return states of games at random in which somebody is to move."""
    source, found = random.Random(seed), []
    while len(found) < count:
        state = source.choice(starts)
        while not state.is_over():
            if state.current_player() < 0:
                outcomes = state.chance_outcomes()
                chances = [chance for _, chance in outcomes]
                state = state.apply(source.choices(outcomes, chances)[0][0])
            else:
                found.append(state)
                state = state.apply(source.choice(state.legal_moves()))
    return found[:count]


@pytest.mark.parametrize(
    "named", [YACHT, OTHER_RULES[0], OTHER_RULES[1], DICE_POKER, *OTHER_RULES[2:5]], ids=str
)
def test_sheets_are_found_by_the_words_of_the_manifest(
    named: Named, made: Callable[[Named], Made]
) -> None:
    export, entry = made(named), entry_of(named[0])
    decoder, table, game = (
        Decoder(export.folder),
        export.table,
        entry.rules.make(**export.table.spec.options),
    )
    half_a_step = decoder.manifest["arrays"]["values"]["scale"] * 0.50001
    for number, state in enumerate(random_states([game.new(1)], 300, 3)):
        sheet = state.sheet
        if named[0] == "yacht":
            held = min(sheet.yacht, 1) if named[1]["second_yacht"] == "plain" else sheet.yacht
            index = yacht_states.state_index(sheet.open_boxes, held, sheet.upper)
            turns = sheet.open_boxes.bit_count()
        else:
            turns = sheet.turns_left
            index = dice_poker_states.state_index(
                game.numbers, sheet.open_rows, turns, sheet.subtotal
            )
        written = entry.codec.sheet_to_json(game, sheet)
        written.pop("extra_yachts", None)
        assert decoder.sheet_place(written, turns) == index
        value = decoder.sheet_value(written, turns)
        assert abs(value - table.values[index]) <= half_a_step
        if number < 4:
            assert decoder.turn(written, turns) == pytest.approx(table.values[index], abs=0.005)
    turns = len(decoder.manifest["sheet"]["boxes"])
    assert decoder.sheet_value({}, turns) == pytest.approx(table.start_value, abs=0.005)
    assert decoder.turn({}, turns) == pytest.approx(table.start_value, abs=0.005)


def test_outlooks_are_found_by_the_words_of_the_manifest(
    made: Callable[[Named], Made], folder: Path
) -> None:
    decoder = Decoder(made(YACHT).folder)
    outlook = open_table(entry_of("yacht").tables.spec({**YACHT[1], "outlook": "compact"}), folder)
    known = read_compact(yacht.SECOND_YACHT.index(YACHT[1]["second_yacht"]), outlook)
    for state in random.Random(2).sample(range(len(known.kind)), 200):
        expected = known.rows(np.array([state]))[0]
        row = decoder.chances(state)
        assert len(row) >= np.flatnonzero(expected)[-1] + 1
        row += [0.0] * (len(expected) - len(row))
        assert row[: len(expected)] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("named", [PASA, PASA_TWO, *OTHER_RULES[7:]], ids=str)
def test_bets_are_found_by_the_words_of_the_manifest(
    named: Named, made: Callable[[Named], Made]
) -> None:
    export = made(named)
    decoder, options = Decoder(export.folder), export.table.spec.options
    game = pasa.Pasa(**{key: options[key] for key in ("cap", "max_bet", "menu")})
    bot = pasa_export.OneTableBot(game, export.table)
    begins = pasa_export.starts(game, export.table, 150, 6)
    for state in random_states(begins, 200, 4):
        seats = [(state.thrower + step) % len(state.stacks) for step in range(len(state.stacks))]
        stacks = [state.stacks[seat] for seat in seats]
        bets = [state.bets[seat] for seat in seats[1:] if state.stacks[seat]]
        best, shares = decoder.bets(
            stacks, state.turns_left, [bet for bet in bets if bet is not None]
        )
        advice = bot.ask(state)
        assert best == advice.best
        told = [advice.extra["win_shares"][seat] for seat in seats]
        assert shares == pytest.approx(told, abs=0.001)
    first = game.start((options["chips"] // options["players"],) * options["players"], 0,
                       len(export.table.values))  # fmt: skip
    if sum(first.stacks) == options["chips"]:
        at = decoder.row(first.stacks) * options["players"]
        at += (
            (len(export.table.values) - 1) * decoder.manifest["pasa"]["splits"] * options["players"]
        )
        assert decoder.array("values")[at] == pytest.approx(export.table.start_value, abs=0.001)


@pytest.mark.parametrize("named", [RAJA_PASU, RAJA_PASU_SKIPPED], ids=str)
def test_margins_are_found_by_the_words_of_the_manifest(
    named: Named, made: Callable[[Named], Made]
) -> None:
    export = made(named)
    decoder, options = Decoder(export.folder), export.table.spec.options
    known = RoundTable(export.table)
    begins = raja_pasu_export.starts(
        raja_pasu.RajaPasu(origin=options["origin"]), options["closed"]
    )
    for state in random_states(begins, 300, 5):
        seeds, (_, own) = state.seeds(), state.ring()
        assert decoder.margin(seeds, own) == known.margin(tuple(seeds), own)


# The choice of moves survives.


def test_the_proof_counts_what_the_bots_choose(made: Callable[[Named], Made]) -> None:
    # An independent way: the bot of the rounded table chooses, the bot of the exact one rates.
    export = made(("dice_poker", {"dash": "sacrifice"}))
    rules = dice_poker.DicePoker(**export.table.spec.options)
    packed = rounded(export.table.values, 0.02)
    exact = dice_poker_bots.TableBot(rules, export.table)
    told = dice_poker_bots.TableBot(rules, replace(export.table, source=packed.values()))
    arrays = dice_poker_export.sheet_arrays(rules.numbers)
    states = rounding._one_of_each_future(arrays, reachable(arrays, 15))
    some = states.at(np.random.default_rng(2).permutation(len(states.open))[:60])
    keys = [
        dice_poker.State(int(opened), int(opened).bit_count(), int(total))
        for opened, total in zip(some.open, some.sum, strict=True)
    ]
    choices = [bot.solve(keys) for bot in (told, exact)]
    changed, most, compared = 0, 0.0, 0
    for rolls_left in range(3):
        lanes, rolls = (axis.ravel() for axis in np.indices((len(keys), 252)))
        worth = _worth(choices[1], rolls, lanes, rolls_left)
        seen = _worth(choices[0], rolls, lanes, rolls_left)
        tied = seen >= seen.max(axis=1, keepdims=True) - 1e-9
        cost = worth.max(axis=1) - np.where(tied, worth, np.inf).min(axis=1)
        changed += int((cost > 1e-9).sum())
        most = max(most, float(cost.max()))
        compared += len(cost)
    proof = rounding.Proof()
    for block in rounding._blocks(arrays, some):
        values = rounding.Values(export.table.values, packed.values())
        proof.add(rounding._prove_block(arrays, values, block))
    assert (proof.decisions, proof.changed) == (compared, changed)
    assert changed > 0
    assert proof.largest_cost == pytest.approx(most, abs=1e-12)


def _worth(turns: Any, rolls: Any, lanes: Any, rolls_left: int) -> Any:
    """Return (m, choices) what each keep and write is worth, minus infinity for none."""
    writes = turns.write_values(rolls, lanes, rolls_left)
    if not rolls_left:
        return writes
    keeps = turns.turn.keeps(rolls_left)[:FIRST_WRITE, lanes].T.copy()
    allowed = np.zeros((252, FIRST_WRITE), dtype=bool)
    for roll, dice in enumerate(ROLLS):
        allowed[roll, list(_sub_keeps(dice))] = True
    keeps[~allowed[rolls]] = -np.inf
    return np.concatenate([keeps, writes], axis=1)


def _sub_keeps(dice: tuple[int, ...]) -> set[int]:
    from itertools import combinations

    places = {keep: at for at, keep in enumerate(KEEPS)}
    return {places[kept] for size in range(5) for kept in combinations(dice, size)}


@pytest.mark.parametrize("named", [DICE_POKER, *OTHER_RULES[2:7]], ids=str)
def test_all_of_dice_poker_survives_rounding(named: Named, made: Callable[[Named], Made]) -> None:
    proof = made(named).content.proof
    assert proof["residual"] == 0.0
    assert 0 < proof["changed"] < proof["decisions"] / 1000
    assert 0 < proof["largest_cost"] < 0.005


@pytest.mark.slow
@pytest.mark.parametrize("options", yacht_export.option_sets(), ids=str)
def test_all_of_yacht_survives_rounding(options: dict[str, Any], folder: Path) -> None:
    proof = yacht_export.content(options, folder).proof
    # All reachable states but the finished sheets: 64 x 2,794 for each content of the yacht box.
    contents = 2 if options["second_yacht"] == "plain" else 3
    assert proof["states"] == contents * 64 * 2794 - (contents - 1) * 64
    assert proof["residual"] == 0.0
    assert proof["largest_cost"] < 0.005


def test_a_rounding_that_costs_too_much_is_refused(
    made: Callable[[Named], Made], monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    made(DICE_POKER)
    monkeypatch.setattr(five_dice_export, "LEAST_SCALE", 0.05)
    with pytest.raises(ExportError, match="a move chosen by the rounded values costs"):
        dice_poker_export.content({}, folder)


@pytest.mark.parametrize(
    "wrong",
    [
        {"bonus": 49},
        {"part_weight": [0] * 6 + [2, 1, 4, 8, 16, 32, 64, 128, 256]},
        {"roll_cases": [0] * 252},
    ],
    ids=str,
)
def test_arrays_that_do_not_say_what_the_rules_say_are_refused(
    wrong: dict[str, Any], made: Callable[[Named], Made]
) -> None:
    export = made(DICE_POKER)
    rules = dice_poker.DicePoker(**export.table.spec.options).numbers
    arrays = replace(dice_poker_export.sheet_arrays(rules), **wrong)
    read = export.content.files["values.bin"]["values"].values()
    with pytest.raises(ExportError, match=r"off the table|do not share"):
        rounding.prove(arrays, 15, export.table.values, read, 1)


@pytest.mark.parametrize("named", [PASA, PASA_TWO, *OTHER_RULES[7:]], ids=str)
def test_every_bet_of_pasa_is_that_of_the_table(
    named: Named, made: Callable[[Named], Made]
) -> None:
    content = made(named).content
    proof = content.proof
    assert proof["residual"] == 0.0
    assert proof["largest_error"] < 0.001
    nodes, bets = (
        content.files["values.bin"][name].numbers.astype(np.int64)
        for name in ("stored_nodes", "stored_bets")
    )
    assert len(nodes) == proof["stored"]
    assert len(np.unique(nodes)) == proof["changed"] < proof["bets"] / 2
    assert (np.diff(nodes * 256 + bets) > 0).all()


def test_splits_of_pasa_are_in_the_order_of_their_numbers() -> None:
    for players, chips in ((2, 9), (3, 7), (5, 6)):
        stacks = pasa_states.all_splits(players, chips)
        assert [pasa_states.split_number(held) for held in stacks.tolist()] == list(
            range(len(stacks))
        )
        assert (stacks.sum(axis=1) == chips).all()
        assert (pasa_states.split_numbers(stacks) == np.arange(len(stacks))).all()


@given(st.lists(st.integers(0, 2**32 - 1), min_size=1))
def test_gaps_come_back_from_bytes(numbers: list[int]) -> None:
    gaps = np.array(numbers, dtype=np.uint32)
    content = raja_pasu_export.gaps_in_bytes(gaps)
    assert (raja_pasu_export.bytes_to_gaps(content) == gaps).all()


@given(st.lists(st.floats(-1e6, 1e6), min_size=1), st.sampled_from([0.0, 0.01]))
def test_rounded_values_are_off_by_half_a_step_and_zero_stays(
    numbers: list[float], least: float
) -> None:
    values = np.array([0.0, *numbers])
    packed = rounded(values, least)
    assert packed.scale is not None
    assert packed.scale >= least
    read = packed.values()
    assert read[0] == 0.0
    assert np.abs(read - values).max() <= packed.scale * 0.5 * (1 + 1e-6)


# Files.


def test_a_manifest_is_written_as_javascript_writes_it(node: str, tmp_path: Path) -> None:
    source = random.Random(1)
    numbers = [source.uniform(-1, 1) * 10.0 ** source.randint(-20, 15) for _ in range(2000)]
    numbers += [0.0, -0.0, 1.0, 1e-6, 1e-7, 1.5e-7, -2.5e-6, 123456789.125, 2.0**53, 5e-324, 0.1]
    value = {"numbers": numbers, "text": 'याट "\\\u2028\x7f/', "more": [None, True, -3, {}, []]}
    path = tmp_path / "text.json"
    path.write_text(canonical(value), encoding="utf-8")
    script = tmp_path / "stringify.mjs"
    script.write_text(
        'import fs from "node:fs"; const text = fs.readFileSync(process.argv[2], "utf8");'
        "process.stdout.write(JSON.stringify(JSON.parse(text)));"
    )
    assert run(node, script, path) == canonical(value)
    assert json.loads(canonical(value))["numbers"] == numbers


@pytest.mark.parametrize("value", [{"1": 2}, [float("nan")], [float("inf")], [2**60]], ids=str)
def test_what_javascript_would_change_is_not_written(value: Any) -> None:
    with pytest.raises(ValueError, match=r"place in a manifest|no exact number"):
        canonical(value)


def test_an_export_reads_back(made: Callable[[Named], Made]) -> None:
    for named in ALL:
        export = made(named)
        manifest, arrays = read_export(export.folder)
        assert manifest["game"] == named[0]
        assert manifest["options"] == export.table.spec.options
        assert manifest["unit"] == export.table.spec.unit
        for files in export.content.files.values():
            for name, packed in files.items():
                assert (arrays[name].numbers == packed.numbers).all()
                assert arrays[name].scale == packed.scale
        off = np.abs(arrays["values"].values() - export.table.values).max()
        assert off <= (arrays["values"].scale or 0.0) / 2 * (1 + 1e-9)


def test_the_same_table_gives_the_same_bytes(
    made: Callable[[Named], Made], folder: Path, tmp_path: Path
) -> None:
    export = made(PASA_TWO)
    content = pasa_export.content(export.table.spec.options, folder)
    write_export(entry_of("pasa"), content, tmp_path)
    for path in export.folder.iterdir():
        assert path.read_bytes() == (tmp_path / path.name).read_bytes()


@pytest.mark.parametrize("named", ALL, ids=str)
def test_the_reader_refuses_damage(named: Named, made: Callable[[Named], Made], node: str) -> None:
    found = json.loads(run(node, "damage.mjs", made(named).folder, 48))
    assert set(found["refused"]) == {"corrupt_export", "mismatched_export"}


def test_python_refuses_damage(made: Callable[[Named], Made], tmp_path: Path) -> None:
    export = made(PASA_TWO)
    copy = tmp_path / "export"
    source = random.Random(7)
    for path in sorted(export.folder.iterdir()):
        if path.suffix == ".js":
            continue
        content = path.read_bytes()
        for _ in range(60):
            shutil.copytree(export.folder, copy, dirs_exist_ok=True)
            at = source.randrange(len(content))
            changed = bytearray(content)
            changed[at] ^= 1 << source.randrange(8)
            bad = bytes(changed) if source.random() < 0.8 else content[:at]
            (copy / path.name).write_bytes(bad)
            with pytest.raises(TableError) as refused:
                check_export(copy)
            assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"format_version": 1}, "build the right one with: ustad export"),
        ({"format_version": 3}, "found ustad export 3, written by .*: pip install --upgrade ustad"),
        ({"files": {"../values.bin": {"bytes": 1, "sha256": ""}}}, "no name of a file"),
        ({"files": {"values.bin": {"bytes": 10**10, "sha256": ""}}}, "200000000 bytes at most"),
        ({"arrays": {"values": {"file": "values.bin", "dtype": "uint16", "shape": [10**9],
                                "at": 0}}}, "shape"),
    ],
    ids=str,
)  # fmt: skip
def test_python_refuses_a_sealed_manifest_that_lies(
    change: dict[str, Any], says: str, made: Callable[[Named], Made], tmp_path: Path
) -> None:
    folder = tmp_path / "export"
    shutil.copytree(made(PASA_TWO).folder, folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(manifest_text({**manifest, **change}))
    with pytest.raises(TableError, match=says):
        check_export(folder)


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


@pytest.mark.parametrize(("named", "positions"), NO_TABLE, ids=lambda held: str(held)[:20])
def test_positions_of_other_tables_are_told(
    named: Named,
    positions: Sequence[dict[str, Any]],
    made: Callable[[Named], Made],
    node: str,
    tmp_path: Path,
) -> None:
    lines = write_lines(tmp_path / "other", [{"game": named[0], **held} for held in positions])
    found = run(node, "positions.mjs", made(named).folder, lines).splitlines()
    assert len(found) == len(positions)
    assert all(line.startswith("missing_table: expert: no table") for line in found)
    easy = run(node, "positions.mjs", made(named).folder, lines, "easy").splitlines()
    assert easy == ["answered"] * len(positions)


@pytest.mark.parametrize(("named", "positions"), BAD, ids=lambda held: str(held)[:20])
def test_the_reader_refuses_positions_that_cannot_be(
    named: Named,
    positions: Sequence[dict[str, Any]],
    made: Callable[[Named], Made],
    node: str,
    tmp_path: Path,
) -> None:
    lines = write_lines(tmp_path / "bad", [{"game": named[0], **held} for held in positions])
    found = run(node, "positions.mjs", made(named).folder, lines).splitlines()
    assert len(found) == len(positions)
    assert all(line.startswith(("position: ", "option: ")) for line in found)


@pytest.mark.parametrize("named", [YACHT, OTHER_RULES[0], OTHER_RULES[1]], ids=str)
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
    ("named", "left"), [(OTHER_RULES[3], True), (OTHER_RULES[6], False)], ids=str
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


# Sizes, and the command.


def packed_size(folder: Path, names: Sequence[str]) -> int:
    """Return the bytes of some files, each compressed."""
    return sum(len(gzip.compress((folder / name).read_bytes(), 9)) for name in names)


def test_sizes(made: Callable[[Named], Made]) -> None:
    data = ("values.bin", "manifest.json")
    assert packed_size(made(YACHT).folder, data) <= 600_000
    assert packed_size(made(DICE_POKER).folder, data) <= 40_000


def test_the_command(
    made: Callable[[Named], Made], run_ustad: Callable[..., Any], folder: Path, tmp_path: Path
) -> None:
    made(DICE_POKER)
    found = run_ustad("export", "dice_poker", "--out", tmp_path, "--tables", folder, "--json")
    assert found.status == 0
    [row] = found.json["exports"]
    assert set(row["files"]) == {path.name for path in tmp_path.iterdir()}
    assert row["options"] == check_export(tmp_path)["options"]
    found = run_ustad("export", "dice_poker", "--out", tmp_path, "--tables", folder)
    assert "manifest.json" in found.out


def test_verify_checks_an_export(
    made: Callable[[Named], Made], run_ustad: Callable[..., Any], tmp_path: Path
) -> None:
    folder = tmp_path / "export"
    shutil.copytree(made(PASA_TWO).folder, folder)
    found = run_ustad("verify", "--tables", folder)
    assert (found.status, found.out.splitlines()[-1]) == (0, "8 files of an export, 0 bad")
    for name in ("pasa.js", "values.bin", "manifest.json"):
        whole = (folder / name).read_bytes()
        for content in (whole[:-1], whole + b" ", whole[:-5] + b"x" + whole[-4:]):
            (folder / name).write_bytes(content)
            found = run_ustad("verify", "--tables", folder, "--json")
            assert found.status == 1, name
            assert "--out" in found.json["tables"][0]["error"]
        (folder / name).write_bytes(whole)
    (folder / "values.bin").unlink()
    assert run_ustad("verify", "--tables", folder).status == 1


def test_verify_checks_exports_without_a_manifest_in_folders_and_with_more_in_them(
    made: Callable[[Named], Made], run_ustad: Callable[..., Any], tmp_path: Path
) -> None:
    """Neither a lost manifest nor a folder around exports makes verify find nothing to check."""
    shutil.copytree(made(PASA_TWO).folder, tmp_path / "pasa")
    shutil.copytree(made(RAJA_PASU).folder, tmp_path / "raja")
    found = run_ustad("verify", "--tables", tmp_path)
    assert (found.status, found.out.splitlines()[-1]) == (0, "21 files of exports, 0 bad")
    manifest = tmp_path / "pasa" / "manifest.json"
    text = manifest.read_bytes()
    manifest.unlink()
    for folder in (tmp_path, tmp_path / "pasa"):
        found = run_ustad("verify", "--tables", folder)
        assert found.status == 1
        assert "1 bad" in found.out.splitlines()[-1]
    manifest.symlink_to(tmp_path / "nowhere")
    assert run_ustad("verify", "--tables", tmp_path / "pasa").status == 1
    manifest.unlink()
    manifest.write_bytes(text + b"\n")
    assert run_ustad("verify", "--tables", tmp_path / "pasa").status == 1
    manifest.write_bytes(text)
    (tmp_path / "pasa" / "yacht.js").write_text("")
    found = run_ustad("verify", "--tables", tmp_path, "--json")
    assert [row["path"] for row in found.json["tables"] if not row["ok"]] == [
        str(tmp_path / "pasa" / "yacht.js")
    ]


def test_an_export_over_another_removes_what_was_the_other_s(
    made: Callable[[Named], Made], run_ustad: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "app.js").write_text("")  # no file of an export
    for named in (YACHT, RAJA_PASU):
        write_export(entry_of(named[0]), made(named).content, tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {
        "app.js", *(path.name for path in made(RAJA_PASU).folder.iterdir())
    }  # fmt: skip
    (tmp_path / "app.js").unlink()
    assert run_ustad("verify", "--tables", tmp_path).status == 0


def test_all_exports_of_a_game(
    run_ustad: Callable[..., Any],
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(marriage_export, "_vectors", lambda folder: [])  # a test of their own
    found = run_ustad(
        "export", "marriage", "--all", "--out", tmp_path, "--tables", folder, "--json"
    )
    assert [Path(row["path"]) for row in found.json["exports"]] == [tmp_path / "marriage"]
    assert check_export(tmp_path / "marriage")["game"] == "marriage"
    for name in NAMES:
        entry = entry_of(name)
        sets = [entry.tables.spec(options).options for options in exporter(name).option_sets()]
        assert all(options in map(table_key(entry), entry.tables.defaults()) for options in sets)
    assert len(exporter("yacht").option_sets()) == 3
    assert len(exporter("pasa").option_sets()) == 6


def table_key(entry: Any) -> Callable[[Mapping[str, Any]], Mapping[str, Any]]:
    return lambda options: entry.tables.spec(options).options


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["yacht"], "--out"),
        (["yacht", "--out", "OUT", "--all", "--option", "second_yacht=plain"], "not both"),
        (["yacht", "--out", "OUT", "--option", "second_yacht=none"], "second_yacht"),
        (["yacht", "--out", "OUT", "--option", "outlook=compact"], "exported with the values"),
        (["dice_poker", "--out", "OUT", "--option", "by_box=true"], "the values alone"),
        (["--out", "OUT"], "expected a game of yacht, "),
        (["pasa", "--out", "OUT", "--tables", "OUT"], "ustad build pasa"),
    ],
    ids=str,
)
def test_errors_of_the_command(
    words: list[str], says: str, run_ustad: Callable[..., Any], tmp_path: Path
) -> None:
    found = run_ustad("export", *(word.replace("OUT", str(tmp_path)) for word in words))
    assert found.status == 2
    assert says in found.err
    assert found.err.count("\n") == 1


def test_a_folder_that_cannot_be_written(
    made: Callable[[Named], Made], run_ustad: Callable[..., Any], folder: Path, tmp_path: Path
) -> None:
    made(PASA_TWO)
    (tmp_path / "file").write_text("")
    words = [f"--option={name}" for name in ("players=2", "chips=60")]
    found = run_ustad("export", "pasa", *words, "--out", tmp_path / "file", "--tables", folder)
    assert found.status == 2
    assert "cannot be written" in found.err
