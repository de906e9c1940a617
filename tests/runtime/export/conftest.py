"""What tests of exports share: node, tables, and the exports of these, each made once."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from built import Build
from exports import Made, Named

from ustad.runtime.core.registry import entry as entry_of
from ustad.runtime.core.registry import exporter
from ustad.runtime.export import (
    write_export,
)
from ustad.runtime.games.five_dice import export as five_dice_export
from ustad.runtime.games.marriage.tables import shipped_numbers
from ustad.tables import Table


@pytest.fixture(scope="session")
def node() -> str:
    """The program node; without it the readers cannot be run."""
    found = shutil.which("node")
    if found is None:
        assert "USTAD_NEED_NODE" not in os.environ, "node is needed here and is not installed"
        pytest.skip("node is not installed: the JavaScript readers are not run")
    return found


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
def made(
    folder: Path, build: Build, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[Named], Made]:
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
                table = build(name, spec.options, folder)
            with pytest.MonkeyPatch.context() as patch:
                if name == "yacht":
                    patch.setattr(five_dice_export, "prove", lambda *_: {"largest_cost": 0.0})
                content = exporter(name).content(spec.options, folder, None)
            out = tmp_path_factory.mktemp(name)
            known[spec.file_name] = Made(table, content, out, write_export(entry, content, out))
        return known[spec.file_name]

    return make
