"""The sentence ``why`` says nothing that is not a number of the answer: taken apart, recomputed.

Each game's sentence is read by a grammar of its own, written from the README and not from the
code; what it does not read to the last letter fails.  Every number read is held against the
facts and values of a fresh answer in which all options are told.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from built import Build

from ustad.runtime.core.registry import entry as entry_of
from ustad.runtime.questions import Advisor, read_position

GAMES = ("yacht", "dice_poker", "pasa", "raja_pasu", "marriage")

FEW = {"yacht": 60, "dice_poker": 60, "pasa": 100, "raja_pasu": 100, "marriage": 15}
"""Positions of each game in the fast tier."""

NUMBER = r"-?\d+(?:\.\d+)?(?:e-\d+)?"

TABLES: dict[str, tuple[dict[str, Any], ...]] = {
    "dice_poker": ({"dash": "sacrifice"}, {"dash": "sacrifice", "by_box": True}),
    "pasa": ({"players": 2, "chips": 20},),
    "raja_pasu": ({"closed": 6},),
}


@pytest.fixture(scope="module")
def folder(tables: Path, build: Build, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the tables of small games, and yacht's values."""
    made = tmp_path_factory.mktemp("why")
    for game, sets in TABLES.items():
        for options in sets:
            build(game, options, made)
    for file in tables.iterdir():
        (made / file.name).symlink_to(file)
    return made


def start_of(game: str, number: int) -> Any:
    """Return the start of a game whose tables are there."""
    entry = entry_of(game)
    if game == "raja_pasu":
        source = random.Random(number)
        closed = [7, 8, 9, 10, 11, 12]
        board = [source.randrange(3) for _ in range(7)] + [0] * 6 + [source.randrange(1, 4)]
        position = {"game": game, "board": board, "closed": closed, "to_move": 0}
        return read_position(position | {"captured": [40, 40]})[1]
    options = {"dash": "sacrifice"} if game == "dice_poker" else {}
    if game == "pasa":
        position = {"game": game, "stacks": [8, 7], "thrower": 0, "turns_left": 2}
        return read_position(position | {"bets": [None] * 2})[1]
    players = {"yacht": 1, "dice_poker": 2, "marriage": 4}[game]
    return entry.rules.read(options).deal(players, (number,))


def positions(game: str, count: int) -> Iterator[Any]:
    """Yield positions of random games in which somebody is to move, as JSON."""
    entry, source, found, number = entry_of(game), random.Random(17), 0, 0
    while found < count:
        state = start_of(game, number)
        number += 1
        while not state.is_over() and found < count:
            if state.current_player() < 0:
                outcomes = state.chance_outcomes()
                chances = [chance for _, chance in outcomes]
                state = state.apply(source.choices([one for one, _ in outcomes], chances)[0])
                continue
            view = state.view(state.current_player())
            legal = view.legal_moves()
            yield entry.codec.state_to_json(view)
            found += 1
            writes = [move for move in legal if type(move).__name__ != "Keep"]
            state = state.apply(source.choice(writes or legal))


def close(text: str, number: float) -> bool:
    """Tell whether a text is a number rounded to as many digits as it has."""
    digits = len(text.partition(".")[2].partition("e")[0])
    exponent = int(text.partition("e")[2] or 0)
    return abs(float(text) - number) <= 0.5001 * 10.0 ** (exponent - digits) + 1e-9


def told_sheet(text: str, numbers: Any) -> bool:
    read = re.fullmatch(
        rf"brings ({NUMBER}) points this turn(?: and the bonus at ({NUMBER})%)?", text
    )
    if read is None or not close(read[1], numbers["points_this_turn"]):
        return False
    if read[2] is None:
        return min(chance := numbers.get("bonus_chance", 0.0), 1 - chance) < 1e-9
    return close(read[2], 100 * numbers["bonus_chance"])


def lost_sheet(text: str, cost: float, best: Any, other: Any) -> bool:
    read = re.fullmatch(rf"gives up ({NUMBER}) points(?:: it (.*))?", text)
    if read is None or not close(read[1], cost):
        return False
    for part in re.split(r" and (?=gains)", read[2] or ""):
        if not part:
            continue
        verb, rest = part.split(" ", 1)
        sign = {"loses": 1, "gains": -1}[verb]
        for one in re.split(r", | and ", rest):
            item = re.fullmatch(rf"({NUMBER}) in ([a-z ]+)", one)
            if item is None:
                return False
            name = item[2].replace(" ", "_")
            if not close(item[1], sign * (best["by_box"][name] - other["by_box"][name])):
                return False
    return True


def told_pasa(text: str, numbers: Any) -> bool:
    read = re.fullmatch(rf"wins ({NUMBER})% after paro and ({NUMBER})% after tiro", text)
    shares = numbers["if_paro"], numbers["if_tiro"]
    return read is not None and all(map(close, read.groups(), [100 * one for one in shares]))


def told_raja_pasu(text: str, numbers: Any) -> bool:
    read = re.fullmatch(r"takes (\d+)(?: and leads to (\d+) to (\d+))?", text)
    if read is None:
        return False
    told = [int(one) for one in read.groups() if one is not None]
    return told == [numbers["captures"], *numbers.get("final", ())]


def told_marriage(text: str, numbers: Any) -> bool:
    if numbers["distance"] == 0:
        return text == f"leaves distance 0, maal {numbers['maal']}"
    read = re.fullmatch(
        rf"leaves distance (\d+) with (\d+) of (\d+) unseen cards that help, "
        rf"about ({NUMBER}) turns, maal (\d+)",
        text,
    )
    if read is None or not close(read[4], numbers["turns"]):
        return False
    told = [int(read[at]) for at in (1, 2, 3, 5)]
    return told == [numbers[name] for name in ("distance", "outs", "unseen", "maal")]


LOST = {
    "pasa": (rf"gives up ({NUMBER})% of the win: it (.*)", 100, told_pasa),
    "raja_pasu": (rf"gives up ({NUMBER}) seeds?: it (.*)", 1, told_raja_pasu),
    "marriage": (rf"gives up ({NUMBER}) points: it (.*)", 1, told_marriage),
}


def lost(game: str, text: str, cost: float, best: Any, other: Any) -> bool:
    """Tell whether what another move is said to give up is so."""
    if game not in LOST:
        return lost_sheet(text, cost, best, other)
    grammar, scale, told = LOST[game]
    read = re.fullmatch(grammar, text)
    return read is not None and close(read[1], scale * cost) and told(read[2], other)


def told(game: str, text: str, numbers: Any) -> bool:
    """Tell whether what is said for a move is so."""
    sheets = {"yacht": told_sheet, "dice_poker": told_sheet}
    others = {"pasa": told_pasa, "raja_pasu": told_raja_pasu, "marriage": told_marriage}
    return (sheets | others)[game](text, numbers)


def check(advisor: Advisor, fresh: Advisor, position: Any, source: random.Random) -> int:
    """Check the sentence of a position with one of its moves asked about; return its length."""
    entry, _ = read_position(position)
    game, describe = entry.name, entry.text.describe_move
    whole = fresh.ask(position, facts=True)
    options = whole["options"]
    asked = source.choice(options)
    why = advisor.ask(position, facts=True, top=1, move=asked["move"])["why"]
    best = next(one for one in options if one["move"] == whole["best"][0])

    def name(option: Any) -> str:
        return describe(entry.codec.move_from_json(option["move"]))

    first, *rest = why.split("; ")
    assert first.startswith(f"{name(best)} "), why
    assert told(game, first.removeprefix(f"{name(best)} "), best["facts"]), why
    worse = [one for one in options if one["move"] not in whole["best"]]
    expected = [worse[0]] if worse else []
    if not worse:
        only = "it is the only move" if len(options) == 1 else "every other move is as good"
        assert rest == [only], why
        return 1
    if asked not in expected and asked != best:
        expected.append(asked)
    assert len(rest) == len(expected), why
    for text, option in zip(rest, expected, strict=True):
        assert text.startswith(f"{name(option)} "), why
        says = text.removeprefix(f"{name(option)} ")
        if option["move"] in whole["best"]:
            assert says == "is as good", why
        else:
            cost = best["value"] - option["value"]
            assert lost(game, says, cost, best["facts"], option["facts"]), why
    return 1 + len(rest)


@pytest.mark.parametrize("game", GAMES)
def test_sentences_taken_apart(game: str, folder: Path) -> None:
    advisor, fresh, source = Advisor(folder), Advisor(folder), random.Random(5)
    parts = [check(advisor, fresh, position, source) for position in positions(game, FEW[game])]
    assert max(parts) >= 2


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_100_000_sentences_taken_apart(game: str, folder: Path) -> None:
    """The sentences of all games together."""
    advisor, source = Advisor(folder), random.Random(6)
    for position in positions(game, 100_000 // len(GAMES)):
        check(advisor, advisor, position, source)
