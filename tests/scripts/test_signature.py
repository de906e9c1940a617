"""The signature of behaviour, in small: the same twice, another when anything it covers changes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import signature
from built import Build

from ustad.runtime import Advisor
from ustad.runtime.core.registry import NAMES
from ustad.runtime.core.registry import entry as entry_of
from ustad.tables import MissingTableError, open_table, write_table

SMALL: dict[str, list[dict[str, Any]]] = {
    "yacht": [{"second_yacht": value} for value in ("bonus_and_joker", "plain", "free_joker")],
    "pasa": [{"players": 2, "chips": 20}],
}
GAMES = dict.fromkeys(SMALL, 1)


@pytest.fixture
def folder(
    tables: Path, build: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """A folder with a few small tables, taken for the default ones."""
    specs = {
        name: [entry_of(name).tables.spec(options) for options in found]
        for name, found in SMALL.items()
    }
    for spec in specs["yacht"]:
        (tmp_path / spec.file_name).write_bytes(spec.path(tables).read_bytes())
    build("pasa", SMALL["pasa"][0], tmp_path)
    monkeypatch.setattr(signature, "default_tables", specs.__getitem__)
    return tmp_path


def measure(folder: Path) -> dict[str, Any]:
    """Return the signature of a few positions of two games, and its parts."""
    found: dict[str, Any] = signature.measure(folder, tuple(SMALL), 40, GAMES)
    return found


def changed(before: Any, after: Any, path: tuple[str, ...] = ()) -> set[tuple[str, ...]]:
    """Return the names of the parts that differ."""
    if not isinstance(before, dict):
        return {path} if before != after else set()
    assert before.keys() == after.keys()
    return {at for key in before for at in changed(before[key], after[key], (*path, key))}


class LastMove:
    """Plays the last legal move and answers like another bot."""

    def __init__(self, bot: Any) -> None:
        self.ask = bot.ask

    def choose(self, view: Any) -> Any:
        """Return the last legal move."""
        return view.legal_moves()[-1]


def test_a_choice_changes_its_own_part_and_the_signature(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = measure(folder)
    again = measure(folder)
    assert (before["signature"], before["parts"]) == (again["signature"], again["parts"])
    assert len(before["signature"]) == 16
    assert signature.as_text(before).splitlines()[0] == before["signature"]
    for name in SMALL:
        assert before["parts"][name]["positions"] >= 40
        assert all(level["asked"] > 0 for level in before["parts"][name]["levels"].values())

    made = Advisor.bot

    def bot(self: Advisor, entry: Any, rules: Any, level: str, **more: Any) -> Any:
        found = made(self, entry, rules, level, **more)
        return LastMove(found) if (entry.name, level) == ("pasa", "hard") else found

    monkeypatch.setattr(Advisor, "bot", bot)
    after = measure(folder)
    assert changed(before["parts"], after["parts"]) == {("pasa", "levels", "hard", "choices")}
    assert before["signature"] != after["signature"]


def test_other_tables_in_the_folder_do_not_count(build: Build, folder: Path) -> None:
    before = signature.measure(folder, ["pasa"], 40, GAMES)
    build("pasa", {"players": 2, "chips": 100}, folder)
    after = signature.measure(folder, ["pasa"], 40, GAMES)
    assert before["signature"] == after["signature"]


def test_one_value_of_a_table_changes_its_digest(folder: Path) -> None:
    [spec] = signature.default_tables("pasa")
    before = signature.table_digest([spec], folder)
    table = open_table(spec, folder)
    values = table.values.copy()
    del table
    write_table(spec, folder, values, {}, {})
    assert signature.table_digest([spec], folder) == before  # how it was written does not matter
    values[0, 0, 0] += 1e-12
    write_table(spec, folder, values, {}, {})
    assert signature.table_digest([spec], folder) != before


def test_a_missing_table_is_told_with_the_command_that_builds_it(folder: Path) -> None:
    [spec] = signature.default_tables("pasa")
    spec.path(folder).unlink()
    with pytest.raises(MissingTableError, match="ustad build pasa"):
        signature.measure(folder, ["pasa"], 40, GAMES)


def test_the_order_of_sums_and_moves_does_not_matter() -> None:
    ones, twos = {"write": "ones"}, {"write": "twos"}
    first = {
        "best": [ones, twos],
        "value": 0.1 + 0.2,
        "options": [{"move": ones, "value": 0.1 + 0.2}, {"move": twos, "value": 1e-17}],
    }
    second = {
        "best": [twos, ones],
        "value": 0.3,
        "options": [{"move": twos, "value": -0.0}, {"move": ones, "value": 0.3, "more": 1}],
    }
    assert signature.essence(first) == signature.essence(second)
    assert signature.essence({**first, "value": 0.3001}) != signature.essence(first)


@pytest.mark.parametrize("name", NAMES)
def test_every_option_and_every_number_of_seats_is_covered(name: str) -> None:
    rulebook = entry_of(name).rules
    played = [rulebook.read_options(options) for options, _ in signature.SETTINGS[name]]
    for option in rulebook.options:
        found = [options[option.name] for options in played]
        assert set(option.choices) <= set(found), option.name
        assert len(set(found)) > 1, option.name
    seats = {number for _, numbers in signature.SETTINGS[name] for number in numbers}
    assert seats == set(range(rulebook.seats.least, rulebook.seats.most + 1))
    assert signature.GAMES.keys() == signature.SETTINGS.keys() == set(NAMES)
