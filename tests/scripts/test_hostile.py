"""A sample of what ``scripts/hostile.py`` does at length, and that it finds what is wrong."""

from __future__ import annotations

import importlib.util
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from ustad.runtime.advice import Advisor
from ustad.runtime.games import game_type
from ustad.runtime.games.yacht import TYPE
from ustad.solver.build import build_table
from ustad.tables import TableSpec, store

SCRIPT = Path(__file__).parents[2] / "scripts" / "hostile.py"
SMALL: list[tuple[str, dict[str, Any]]] = [
    ("dice_poker", {"dash": "sacrifice"}),
    ("pasa", {"players": 2, "chips": 30}),
]


@pytest.fixture(scope="module")
def hostile() -> Iterator[ModuleType]:
    """The script as a module."""
    spec = importlib.util.spec_from_file_location("hostile", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["hostile"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["hostile"]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[TableSpec]]:
    """A folder with some small tables, and what they are."""
    folder = tmp_path_factory.mktemp("small")
    specs = []
    for game, options in SMALL:
        build_table(game_type(game), options, folder)
        specs.append(game_type(game).table_spec(options))
    return folder, specs


def test_damaged_tables(hostile: ModuleType, small: tuple[Path, list[TableSpec]]) -> None:
    """A third of the systematic damage, a third of the forgeries, and random ones."""
    folder, specs = small
    report = hostile.damage_tables(specs, folder, 500, 1)
    assert report.faults == []
    assert report.cases >= 500
    assert {"corrupt_table", "mismatched_table", "opened"} == set(report.answers)


def test_every_forgery(
    hostile: ModuleType, small: tuple[Path, list[TableSpec]], tmp_path: Path
) -> None:
    folder, specs = small
    sound = hostile.sound_table(specs[0], folder)
    report = hostile.Report()
    for case in hostile.forgeries(sound, tmp_path):
        hostile.check_table(sound, case, tmp_path, report)
    assert report.faults == []
    assert report.cases >= 35


def test_a_reader_that_takes_what_is_damaged_is_found(
    hostile: ModuleType,
    small: tuple[Path, list[TableSpec]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The script has eyes: with a digest that is always right it tells of faults."""
    folder, specs = small
    sound, report, luck = hostile.sound_table(specs[0], folder), hostile.Report(), random.Random(1)
    monkeypatch.setattr(store, "_read_file", lambda path, *_: path.read_bytes())
    for _ in range(20):
        hostile.check_table(sound, hostile.random_damage(sound, luck), tmp_path, report)
    assert report.faults


def test_lines(hostile: ModuleType, tables: Path) -> None:
    report = hostile.send_lines(tables, 1500, 1, lambda sent: None)
    assert report.faults == []
    assert report.cases == 1500
    assert report.answers["answered"] > 100
    assert report.peak <= hostile.MOST_MEMORY


def test_a_wrong_answer_is_found(hostile: ModuleType, tables: Path) -> None:
    advisor, report = Advisor(tables), hostile.Report()
    line = b'{"id": 3, "method": "new", "game": "yacht"}'
    for text in (
        b'{"id": 4, "result": {}}',
        b'{"id": 3, "result": NaN}',
        b'{"id": 3, "error": {"kind": "internal", "message": "oh"}}',
        b'{"id": 3, "error": {"kind": "usage", "message": "two\\nlines"}}',
        b'{"id": 3, "res',
    ):
        before = len(report.faults)
        hostile.check_answer(line, text, advisor, report)
        assert len(report.faults) > before, text
    luck = random.Random(1)
    [request, *_] = [
        request
        for request in hostile.sound_requests(luck, 60)
        if request["method"] == "apply" and request["position"]["game"] == "yacht"
    ]
    report = hostile.Report()
    text = hostile.json.dumps({"id": request["id"], "result": {"position": {}, "events": []}})
    hostile.check_answer(hostile.json.dumps(request).encode(), text.encode(), advisor, report)
    assert len(report.faults) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="processes of POSIX")
def test_killed_and_failed_builds(tmp_path: Path) -> None:
    """In a process of its own: it forks, which a process with many threads should not."""
    code = (
        "import importlib.util, sys\n"
        "spec = importlib.util.spec_from_file_location('hostile', sys.argv[1])\n"
        "hostile = importlib.util.module_from_spec(spec)\n"
        "sys.modules['hostile'] = hostile\n"
        "spec.loader.exec_module(hostile)\n"
        "specs = [hostile.game_type('dice_poker').table_spec({'dash': 'sacrifice'})]\n"
        "for report in (hostile.kill_builds(specs, 8, 1), hostile.fill_disks(specs, 2, 1),\n"
        "               hostile.build_together(specs, 1)):\n"
        "    assert report.cases >= 2, report\n"
        "    assert report.faults == [], report\n"
    )
    subprocess.run([sys.executable, "-c", code, SCRIPT], check=True, cwd=tmp_path)


def test_the_tables_of_a_default_build_are_those_damaged(hostile: ModuleType) -> None:
    specs = hostile.default_specs()
    assert [spec for spec in specs if spec.game == "yacht"] == [
        TYPE.table_spec(options) for options in TYPE.table_options()
    ]
    assert len({spec.game for spec in specs}) >= 4


@pytest.mark.slow
def test_the_script(tmp_path: Path) -> None:
    command = [sys.executable, SCRIPT, "--tables", "500", "--lines", "20000", "--kills", "12"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert run.stdout.endswith("0 faults\n"), run.stdout + run.stderr
    assert run.returncode == 0
