"""The manifest says all that it takes: a second reader, written from its words alone."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property
from itertools import pairwise
from math import comb, inf, prod
from pathlib import Path
from struct import unpack_from
from typing import Any

import numpy as np
import pytest
from exports import (
    DICE_POKER,
    OTHER_DICE_POKER,
    OTHER_PASA,
    OTHER_YACHT,
    PASA,
    PASA_TWO,
    RAJA_PASU,
    RAJA_PASU_SKIPPED,
    YACHT,
    Made,
    Named,
)

from ustad.runtime.core.registry import entry as entry_of
from ustad.runtime.games.dice_poker import states as dice_poker_states
from ustad.runtime.games.pasa import export as pasa_export
from ustad.runtime.games.pasa import rules as pasa
from ustad.runtime.games.raja_pasu import export as raja_pasu_export
from ustad.runtime.games.raja_pasu import rules as raja_pasu
from ustad.runtime.games.raja_pasu.tables import RoundTable
from ustad.runtime.games.yacht import rules as yacht
from ustad.runtime.games.yacht import states as yacht_states
from ustad.runtime.games.yacht.tables import read_compact
from ustad.tables import open_table


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


@pytest.mark.parametrize("named", [YACHT, *OTHER_YACHT, DICE_POKER, *OTHER_DICE_POKER[:3]], ids=str)
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


@pytest.mark.parametrize("named", [PASA, PASA_TWO, *OTHER_PASA], ids=str)
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
