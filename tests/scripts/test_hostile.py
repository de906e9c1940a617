"""A sample of what ``scripts/hostile.py`` does at length, and that it finds what is wrong."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import hostile
import pytest
from built import Build

from damage import exports, lines, table_files
from damage.report import MOST_MEMORY, Report
from ustad.runtime.core.registry import entry as entry_of
from ustad.runtime.export import folder as export_folder
from ustad.runtime.games.yacht.entry import ENTRY
from ustad.runtime.questions import Advisor
from ustad.tables import TableSpec, store

SCRIPT = Path(hostile.__file__)
SMALL: list[tuple[str, dict[str, Any]]] = [
    ("dice_poker", {"dash": "sacrifice"}),
    ("pasa", {"players": 2, "chips": 30}),
]


@pytest.fixture(scope="module")
def small(build: Build, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[TableSpec]]:
    """A folder with some small tables, and what they are."""
    folder = tmp_path_factory.mktemp("small")
    specs = []
    for game, options in SMALL:
        build(game, options, folder)
        specs.append(entry_of(game).tables.spec(options))
    return folder, specs


def test_damaged_tables(small: tuple[Path, list[TableSpec]]) -> None:
    """Some of the systematic damage and of the forgeries, and random ones."""
    folder, specs = small
    report = table_files.damage_tables(specs, folder, 300, 1)
    assert report.faults == []
    assert report.cases >= 300
    assert {"corrupt_table", "mismatched_table", "opened"} == set(report.answers)


def test_every_forgery(small: tuple[Path, list[TableSpec]], tmp_path: Path) -> None:
    folder, specs = small
    sound = table_files.sound_table(specs[0], folder)
    report = Report()
    for case in table_files.forgeries(sound, tmp_path):
        table_files.check_table(sound, case, tmp_path, report)
    assert report.faults == []
    assert report.cases >= 35


def test_a_reader_that_takes_what_is_damaged_is_found(
    small: tuple[Path, list[TableSpec]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The script has eyes: with a digest that is always right it tells of faults."""
    folder, specs = small
    sound, report, luck = table_files.sound_table(specs[0], folder), Report(), random.Random(1)
    monkeypatch.setattr(store, "read_file", lambda path, *_: path.read_bytes())
    for _ in range(20):
        table_files.check_table(sound, table_files.random_damage(sound, luck), tmp_path, report)
    assert report.faults


def test_lines(tables: Path) -> None:
    report = lines.send_lines(tables, 1500, 1, lambda done, name: None)
    assert report.faults == []
    assert report.cases == 1500
    assert report.answers["answered"] > 100
    assert report.peak <= MOST_MEMORY


def test_a_wrong_answer_is_found(tables: Path) -> None:
    advisor, report = Advisor(tables), Report()
    line = b'{"id": 3, "method": "new", "game": "yacht"}'
    for text in (
        b'{"id": 4, "result": {}}',
        b'{"id": 3, "result": NaN}',
        b'{"id": 3, "error": {"kind": "internal", "message": "oh"}}',
        b'{"id": 3, "error": {"kind": "usage", "message": "two\\nlines"}}',
        b'{"id": 3, "res',
    ):
        before = len(report.faults)
        lines.check_answer(line, text, advisor, report)
        assert len(report.faults) > before, text
    luck = random.Random(1)
    [request, *_] = [
        request
        for request in lines.sound_requests(luck, 60)
        if request["method"] == "apply" and request["position"]["game"] == "yacht"
    ]
    report = Report()
    text = json.dumps({"id": request["id"], "result": {"position": {}, "events": []}})
    lines.check_answer(json.dumps(request).encode(), text.encode(), advisor, report)
    assert len(report.faults) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="processes of POSIX")
def test_killed_and_failed_builds(tmp_path: Path) -> None:
    """In a process of its own: it forks, which a process with many threads should not."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from damage import builds\n"
        "from ustad.runtime.core.registry import entry as entry_of\n"
        "specs = [entry_of('dice_poker').tables.spec({'dash': 'sacrifice'})]\n"
        "for report in (builds.kill_builds(specs, 8, 1), builds.fill_disks(specs, 2, 1),\n"
        "               builds.fill_bundles(specs[0]),\n"
        "               builds.build_together(specs, 1), builds.without_locks(specs[0])):\n"
        "    assert report.cases >= 2 or not report.faults, report\n"
        "    assert report.faults == [], report\n"
    )
    subprocess.run([sys.executable, "-c", code, SCRIPT.parent], check=True, cwd=tmp_path)


def test_the_tables_of_a_default_build_are_those_damaged() -> None:
    specs = hostile.default_specs()
    assert [spec for spec in specs if spec.game == "yacht"] == [
        ENTRY.tables.spec(options) for options in ENTRY.tables.defaults()
    ]
    assert len({spec.game for spec in specs}) >= 4


def test_damaged_exports(small: tuple[Path, list[TableSpec]], tmp_path: Path) -> None:
    """Every lie of a manifest, a share of the rest, and positions that cannot be."""
    folder, specs = small
    report = exports.damage_exports(specs, folder, 120, 1, lambda done, name: None)
    assert report.faults == []
    assert report.cases >= 120
    assert {"corrupt_table", "corrupt_bundle"} <= set(report.answers)
    if shutil.which("node"):
        assert {"corrupt_export", "position refused"} <= set(report.answers)
    sound = exports.make_export(specs[1], folder, tmp_path / "export")
    for case in exports.manifest_damage(sound):
        exports.check_export_case("export", sound, case, tmp_path / "export", None, report)
    assert report.faults == []
    assert "mismatched_table" in report.answers


def flipped(content: bytes) -> bytes:
    """Return a file with a bit of its middle changed."""
    at = len(content) // 2
    return content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]


BLIND = {
    "the digest of a file": (
        "_checked", lambda folder, name, held, remedy: (folder / name).read_bytes(),
        ("values.bin", flipped),
    ),
    "the digest of a manifest": (
        "is_sealed", lambda content: True, ("manifest.json", lambda held: held + b"\n"),
    ),
    "anything": (
        "_read", lambda path, *_: SOUND[path.name], ("values.bin", flipped),
    ),
}  # fmt: skip
"""What a reader may fail to look at: the function of it that is blind, and damage to see it by."""

SOUND: dict[str, bytes] = {}


@pytest.mark.parametrize("what", BLIND)
def test_a_reader_that_takes_a_damaged_export_is_found(
    what: str,
    small: tuple[Path, list[TableSpec]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder, specs = small
    sound, report = exports.make_export(specs[0], folder, tmp_path), Report()
    SOUND.update(sound.files)
    function, blind, (name, damage) = BLIND[what]
    case = (what, lambda: {name: damage(sound.files[name])})
    exports.check_export_case("export", sound, case, tmp_path, None, report)
    assert (report.cases, report.faults) == (1, [])
    monkeypatch.setattr(export_folder, function, blind)
    exports.check_export_case("export", sound, case, tmp_path, None, report)
    assert (report.cases, len(report.faults)) == (2, 1)


def test_a_folder_of_built_tables_is_left_as_it_is(
    small: tuple[Path, list[TableSpec]], tmp_path: Path
) -> None:
    folder, specs = small
    before = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    hostile.copy_built(folder, specs, tmp_path)
    missing = entry_of("pasa").tables.spec({"players": 2, "chips": 10})
    hostile.copy_built(folder, [missing], tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {spec.file_name for spec in specs}
    assert {path.name: path.stat().st_mtime_ns for path in folder.iterdir()} == before


def test_a_part_without_its_folder_is_told_so() -> None:
    run = subprocess.run(
        [sys.executable, SCRIPT, "--part", "exports"], capture_output=True, text=True
    )
    assert run.returncode == 2
    assert "--part: expected --folder and --count beside it" in run.stderr
    assert "Traceback" not in run.stderr


@pytest.mark.slow
def test_the_script(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, SCRIPT, "--quick"], cwd=tmp_path, capture_output=True, text=True
    )
    assert run.stdout.endswith("0 faults\n"), run.stdout + run.stderr
    assert run.returncode == 0
