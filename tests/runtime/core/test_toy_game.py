"""A game is added by its folder and one line: nim, whose folder lies with the data of the tests.

Nothing else in the house knows it.  It is asked and played through Python, the arena and the
commands, and the suite that all games must pass is run on it.
"""

from __future__ import annotations

import importlib.util
import inspect
import json
import sys
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import ustad.runtime.games
from ustad.runtime import arena
from ustad.runtime.core import registry
from ustad.runtime.core.entry import AnyEntry
from ustad.runtime.core.errors import UsageError
from ustad.runtime.questions import Advisor

TESTS = Path(__file__).parents[2]

FOUR_STONES = {"game": "nim", "options": {"misere": False}, "stones": 4, "to_move": 0, "die": 2}


@pytest.fixture
def nim(monkeypatch: pytest.MonkeyPatch) -> Iterator[AnyEntry]:
    """The entry of nim, its folder and its line added for a while."""
    folders = [*ustad.runtime.games.__path__, str(TESTS / "data" / "games")]
    monkeypatch.setattr(ustad.runtime.games, "__path__", folders)
    monkeypatch.setattr(registry, "NAMES", (*registry.NAMES, "nim"))
    yield registry.entry("nim")
    for name in [name for name in sys.modules if name.startswith("ustad.runtime.games.nim")]:
        del sys.modules[name]


def test_without_its_line_there_is_no_such_game() -> None:
    with pytest.raises(UsageError, match='got "nim"'):
        Advisor().new("nim")


def test_it_is_asked_and_played_through_python(nim: AnyEntry) -> None:
    """By hand: whoever is to throw with 1, 2, 3 stones left wins with chance 1, 2/3, 5/9."""
    advisor = Advisor()
    assert advisor.legal(FOUR_STONES) == {"legal": [{"take": 1}, {"take": 2}]}
    answer = advisor.ask(FOUR_STONES)
    assert answer["unit"] == "win_share"
    values = {option["move"]["take"]: option["value"] for option in answer["options"]}
    assert values == pytest.approx({1: 1 - 5 / 9, 2: 1 - 2 / 3})
    assert answer["best"] == [advisor.move(FOUR_STONES)["move"]] == [{"take": 1}]
    after = advisor.apply(FOUR_STONES, {"take": 1}, 3)
    assert after["position"] == {**FOUR_STONES, "stones": 3, "to_move": 1, "die": 3}
    assert after["events"] == [{"seat": 0, "taken": 1}, {"seat": 1, "thrown": 3}]
    assert advisor.new("nim", {"misere": True}, first=1)["position"]["to_move"] == 1


def test_it_is_played_in_the_arena(nim: AnyEntry, tmp_path: Path) -> None:
    match = arena.Match("nim", {"misere": False}, ("expert", "easy"), 200, 0, str(tmp_path))
    expert, easy = arena.run(match)["levels"]
    assert expert["level"] == "expert"
    assert expert["win_share"]["mean"] > easy["win_share"]["mean"]


def test_it_is_asked_applied_and_played_by_commands(
    nim: AnyEntry, run_ustad: Callable[..., Any]
) -> None:
    told = run_ustad("ask", "nim", "--position", "-", stdin=json.dumps(FOUR_STONES))
    assert "best: take 1" in told.out
    assert run_ustad("ask", "nim", "--position", "-", "--json", stdin=json.dumps(FOUR_STONES)).json[
        "best"
    ] == [{"take": 1}]
    words = ("apply", "nim", "--position", "-", "--move", '{"take": 2}', "--outcome", "1", "--json")
    assert run_ustad(*words, stdin=json.dumps(FOUR_STONES)).json["position"]["stones"] == 2
    # One stone a move, each settled by Enter, until the heap is gone; then no other game.
    played = run_ustad("play", "nim", "--level", "easy", "--seed", 1, stdin="1\n\n" * 6 + "q\n")
    assert played.status == 0
    assert "you won, 1 to 0" in played.out
    arena_told = run_ustad("arena", "nim", "hard", "medium", "--games", 20)
    assert arena_told.status == 0
    assert "win share" in arena_told.out.replace("_", " ")
    assert "nim" in run_ustad("ask", "--help").out


def conformance() -> Any:
    """Return the suite that every game must pass, as a module."""
    path = TESTS / "conformance" / "test_conformance.py"
    spec = importlib.util.spec_from_file_location("conformance_of_the_toy", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


CHECKS = {name: check for name, check in vars(conformance()).items() if name.startswith("test_")}


@pytest.mark.parametrize("name", CHECKS)
def test_it_passes_the_suite_of_all_games(nim: AnyEntry, name: str, tmp_path: Path) -> None:
    check = CHECKS[name]
    given = {"entry": [nim], "folder": [tmp_path], "tmp_path": [tmp_path]}
    for mark in getattr(check, "pytestmark", ()):
        given[mark.args[0]] = mark.args[1]
    needed = inspect.signature(check).parameters
    for values in product(*(given[name] for name in needed)):
        check(**dict(zip(needed, values, strict=True)))
