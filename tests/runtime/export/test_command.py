"""``ustad export``, and ``ustad verify`` of what it wrote."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from exports import (
    DICE_POKER,
    PASA_TWO,
    RAJA_PASU,
    YACHT,
    Made,
    Named,
)

from ustad.runtime.core.registry import NAMES, exporter
from ustad.runtime.core.registry import entry as entry_of
from ustad.runtime.export import (
    check_export,
    write_export,
)
from ustad.runtime.games.marriage import export as marriage_export


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
    assert (found.status, found.out.splitlines()[-1]) == (0, "11 files of an export, 0 bad")
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
    assert (found.status, found.out.splitlines()[-1]) == (0, "27 files of exports, 0 bad")
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
