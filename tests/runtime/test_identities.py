"""What the identities of tables say of all games: names, and what no table can hold.

The tables here are written under right digests by a spec without bounds: what is refused is
refused for what it says.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from built import Build

from ustad.runtime.checks import default_specs
from ustad.runtime.core.registry import NAMES, entry
from ustad.runtime.games.pasa.rules import NO_MAXIMUM
from ustad.tables import ArrayForm, CorruptTableError, Table, open_table, write_table

Arrays = dict[str, Any]

SMALL: Mapping[str, Mapping[str, Any]] = {
    "yacht": {"second_yacht": "plain"},
    "dice_poker": {"dash": "sacrifice"},
    "pasa": {"players": 2, "chips": 20},
    "raja_pasu": {"closed": 6},
    "marriage": {},
}


@pytest.fixture(scope="module")
def small(build: Build, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Table]:
    """A small table of each game."""
    folder = tmp_path_factory.mktemp("small")
    return {game: build(game, SMALL[game], folder) for game in NAMES}


def refused(table: Table, folder: Path, change: Callable[[Arrays], object]) -> str:
    """Return why a table is refused whose arrays were changed."""
    arrays: Arrays = {name: np.array(array) for name, array in table.parts.items()}
    arrays["values"] = np.array(table.values)
    change(arrays)
    values = arrays.pop("values")
    open_ended = {name: ArrayForm(array.dtype.str, array.shape) for name, array in arrays.items()}
    free = replace(
        table.spec, shape=values.shape, parts=open_ended, least=-math.inf, most=math.inf, check=None
    )
    write_table(free, folder, values, {}, {}, arrays)
    with pytest.raises(CorruptTableError) as error:
        open_table(table.spec, folder)
    return str(error.value)


# Names.


def test_default_tables_have_short_names_of_their_own() -> None:
    names = [spec.file_name for spec in default_specs()]
    assert len(set(names)) == len(names)
    assert {"yacht.h5", "dice_poker.h5", "pasa.h5", "raja_pasu.h5", "marriage.h5"} < set(names)
    assert "yacht,second_yacht=plain.h5" in names
    assert "dice_poker,dash=sacrifice,order=free.h5" in names
    assert max(map(len, names)) <= 50


def test_every_name_of_pasa_says_what_the_table_is() -> None:
    """A table of pasa is looked for by the names of the files, so none may end in a digest."""
    most = NO_MAXIMUM - 1
    for cap, menu in product(("share", "first_come"), ("buttons", "all")):
        options = {"cap": cap, "menu": menu, "max_bet": most, "players": 6, "chips": 12}
        name = entry("pasa").tables.spec({**options, "laps": 1}).file_name
        longest = name.replace("chips=12", f"chips={NO_MAXIMUM}").replace("laps=1", "laps=1000000")
        assert len(longest.encode()) <= 98
        assert f"max_bet={most}" in name


def test_the_longest_name_of_dice_poker() -> None:
    options = {
        "dash": "sacrifice", "order": "free", "first_throw": "double_with_poker_bonus",
        "five_as_full_house": True, "four_as_two_pairs": True, "school_bonus": 49,
        "school_threshold": -3, "chance_after_miss": True,
    }  # fmt: skip
    spec = entry("dice_poker").tables.spec(options)
    assert len(spec.file_name.encode()) <= 98
    other = entry("dice_poker").tables.spec({**options, "order": "school_first"})
    assert spec.file_name != other.file_name


# What no table can hold.


@pytest.mark.parametrize("value", [1e308, -1e308, 1e6])
@pytest.mark.parametrize("game", ["yacht", "dice_poker", "pasa", "marriage"])
def test_values_out_of_bounds(
    game: str, value: float, small: Mapping[str, Table], tmp_path: Path
) -> None:
    def change(arrays: Arrays) -> None:
        arrays["values"].flat[-1] = value

    assert "expected values from" in refused(small[game], tmp_path, change)


def test_margins_are_seeds(small: Mapping[str, Table], tmp_path: Path) -> None:
    def change(arrays: Arrays) -> None:
        arrays["values"][-1] = 99

    assert "expected values from -98 to 98" in refused(small["raja_pasu"], tmp_path, change)


def test_the_win_of_pasa_is_shared_out(small: Mapping[str, Table], tmp_path: Path) -> None:
    def change(arrays: Arrays) -> None:
        arrays["values"][0] = 0.0

    assert "shares that add up to 0.0" in refused(small["pasa"], tmp_path, change)


def shorter(arrays: Arrays) -> None:
    arrays["first"] = arrays["first"][:-1]


def beyond(arrays: Arrays) -> None:
    arrays["first"][-1] += 5


def backwards(arrays: Arrays) -> None:
    arrays["first"][1:3] = arrays["first"][2:0:-1]


def fewer(arrays: Arrays) -> None:
    arrays["steps"] = arrays["steps"][:-1]


@pytest.mark.parametrize("change", [shorter, beyond, backwards, fewer])
def test_patterns_of_raja_pasu(
    change: Callable[[Arrays], object], small: Mapping[str, Table], tmp_path: Path
) -> None:
    assert "parts that go together" in refused(small["raja_pasu"], tmp_path, change)


def longer_row(arrays: Arrays) -> None:
    arrays["fine_lengths"][0] += 1


def empty_row(arrays: Arrays) -> None:
    arrays["medium_lengths"][:2] = 0, arrays["medium_lengths"][:2].sum()


def zeroed(arrays: Arrays) -> None:
    arrays["coarse"][: arrays["coarse_lengths"][0]] = 0


def far_away(arrays: Arrays) -> None:
    arrays["coarse_first"][-1] = 60_000


def sure_bonus(arrays: Arrays) -> None:
    arrays["bonus"][7] = 1001


@pytest.mark.parametrize("change", [longer_row, empty_row, zeroed, far_away, sure_bonus])
def test_outlooks_of_yacht(
    change: Callable[[Arrays], object], tmp_path: Path, write_outlook: Callable[[Path], None]
) -> None:
    write_outlook(tmp_path)
    table = open_table(entry("yacht").tables.spec({"outlook": "compact"}), tmp_path)
    assert "parts that go together" in refused(table, tmp_path / "changed", change)
