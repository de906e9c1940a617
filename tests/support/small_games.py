"""Games with small tables, as they are written into packages and pages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from built import Build

from ustad.runtime.core.registry import entry as entry_of
from ustad.runtime.core.registry import exporter
from ustad.runtime.export import GameFiles
from ustad.runtime.games.five_dice import export as five_dice_export
from ustad.runtime.games.marriage import export as marriage_export

SMALL: dict[str, tuple[dict[str, Any], ...]] = {
    "yacht": ({"second_yacht": "bonus_and_joker"}, {"second_yacht": "plain"}),
    "dice_poker": ({}, {"dash": "sacrifice", "chance_after_miss": True}),
    "pasa": ({"players": 2, "chips": 24}, {"players": 3, "chips": 9, "cap": "first_come"}),
    "raja_pasu": ({"closed": 5}, {"closed": 6}),
    "marriage": ({},),
}
"""Tables that are quickly built; the numbers of Marriage ship with the package."""


def small_tables(
    tables: Path, folder: Path, build: Build, write_outlook: Callable[[Path], None]
) -> None:
    """Put the tables of all games into a folder, those of yacht with an outlook.

    Args:
        tables: a folder with the tables of yacht.
        folder: where they are put.
        build: puts a table into a folder.
        write_outlook: writes yacht's outlook.
    """
    for path in tables.glob("yacht*.h5"):
        (folder / path.name).write_bytes(path.read_bytes())
    write_outlook(folder)
    for name, sets in SMALL.items():
        for options in sets if name != "marriage" else ():
            build(name, options, folder)


def small_games(folder: Path) -> list[GameFiles]:
    """Return all games with their small tables; the proof over all of yacht is left out."""
    games = []
    with pytest.MonkeyPatch.context() as patch:
        # What the proofs of yacht and dice poker find is below half a hundredth of a point.
        patch.setattr(five_dice_export, "prove", lambda *_: {"largest_cost": 0.005})
        patch.setattr(marriage_export, "_vectors", lambda folder: [])  # a package has none
        for name, sets in SMALL.items():
            entry, made = entry_of(name), exporter(name)
            contents = {
                f"table {at}": made.content(entry.tables.spec(options).options, folder, None)
                for at, options in enumerate(sets)
            }
            games.append(GameFiles(entry, made.engine, contents))
    return games
