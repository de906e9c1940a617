"""Files of exports: how they are written, read back, and refused when damaged."""

from __future__ import annotations

import gzip
import json
import random
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from exports import (
    ALL,
    DICE_POKER,
    PASA_TWO,
    YACHT,
    Made,
    Named,
    run,
)

from ustad.runtime.core.registry import entry as entry_of
from ustad.runtime.export import (
    check_export,
    read_export,
    write_export,
)
from ustad.runtime.export.manifest import canonical, manifest_text
from ustad.runtime.games.pasa import export as pasa_export
from ustad.tables import TableError


def test_a_manifest_is_written_as_javascript_writes_it(node: str, tmp_path: Path) -> None:
    source = random.Random(1)
    numbers = [source.uniform(-1, 1) * 10.0 ** source.randint(-20, 15) for _ in range(2000)]
    numbers += [0.0, -0.0, 1.0, 1e-6, 1e-7, 1.5e-7, -2.5e-6, 123456789.125, 2.0**53, 5e-324, 0.1]
    value = {"numbers": numbers, "text": 'याट "\\\u2028\x7f/', "more": [None, True, -3, {}, []]}
    path = tmp_path / "text.json"
    path.write_text(canonical(value), encoding="utf-8")
    script = tmp_path / "stringify.mjs"
    script.write_text(
        'import fs from "node:fs"; const text = fs.readFileSync(process.argv[2], "utf8");'
        "process.stdout.write(JSON.stringify(JSON.parse(text)));"
    )
    assert run(node, script, path) == canonical(value)
    assert json.loads(canonical(value))["numbers"] == numbers


@pytest.mark.parametrize("value", [{"1": 2}, [float("nan")], [float("inf")], [2**60]], ids=str)
def test_what_javascript_would_change_is_not_written(value: Any) -> None:
    with pytest.raises(ValueError, match=r"place in a manifest|no exact number"):
        canonical(value)


def test_an_export_reads_back(made: Callable[[Named], Made]) -> None:
    for named in ALL:
        export = made(named)
        manifest, arrays = read_export(export.folder)
        assert manifest["game"] == named[0]
        assert manifest["options"] == export.table.spec.options
        assert manifest["unit"] == export.table.spec.unit
        for files in export.content.files.values():
            for name, packed in files.items():
                assert (arrays[name].numbers == packed.numbers).all()
                assert arrays[name].scale == packed.scale
        off = np.abs(arrays["values"].values() - export.table.values).max()
        assert off <= (arrays["values"].scale or 0.0) / 2 * (1 + 1e-9)


def test_the_same_table_gives_the_same_bytes(
    made: Callable[[Named], Made], folder: Path, tmp_path: Path
) -> None:
    export = made(PASA_TWO)
    content = pasa_export.content(export.table.spec.options, folder)
    write_export(entry_of("pasa"), content, tmp_path)
    for path in export.folder.iterdir():
        assert path.read_bytes() == (tmp_path / path.name).read_bytes()


@pytest.mark.parametrize("named", ALL, ids=str)
def test_the_reader_refuses_damage(named: Named, made: Callable[[Named], Made], node: str) -> None:
    found = json.loads(run(node, "damage.mjs", made(named).folder, 48))
    assert set(found["refused"]) == {"corrupt_export", "mismatched_export"}


def test_python_refuses_damage(made: Callable[[Named], Made], tmp_path: Path) -> None:
    export = made(PASA_TWO)
    copy = tmp_path / "export"
    source = random.Random(7)
    for path in sorted(export.folder.iterdir()):
        if path.suffix == ".js":
            continue
        content = path.read_bytes()
        for _ in range(60):
            shutil.copytree(export.folder, copy, dirs_exist_ok=True)
            at = source.randrange(len(content))
            changed = bytearray(content)
            changed[at] ^= 1 << source.randrange(8)
            bad = bytes(changed) if source.random() < 0.8 else content[:at]
            (copy / path.name).write_bytes(bad)
            with pytest.raises(TableError) as refused:
                check_export(copy)
            assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"format_version": 1}, "build the right one with: ustad export"),
        ({"format_version": 3}, "found ustad export 3, written by .*: pip install --upgrade ustad"),
        ({"files": {"../values.bin": {"bytes": 1, "sha256": ""}}}, "no name of a file"),
        ({"files": {"values.bin": {"bytes": 10**10, "sha256": ""}}}, "200000000 bytes at most"),
        ({"arrays": {"values": {"file": "values.bin", "dtype": "uint16", "shape": [10**9],
                                "at": 0}}}, "shape"),
    ],
    ids=str,
)  # fmt: skip
def test_python_refuses_a_sealed_manifest_that_lies(
    change: dict[str, Any], says: str, made: Callable[[Named], Made], tmp_path: Path
) -> None:
    folder = tmp_path / "export"
    shutil.copytree(made(PASA_TWO).folder, folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(manifest_text({**manifest, **change}))
    with pytest.raises(TableError, match=says):
        check_export(folder)


def packed_size(folder: Path, names: Sequence[str]) -> int:
    """Return the bytes of some files, each compressed."""
    return sum(len(gzip.compress((folder / name).read_bytes(), 9)) for name in names)


def test_sizes(made: Callable[[Named], Made]) -> None:
    data = ("values.bin", "manifest.json")
    assert packed_size(made(YACHT).folder, data) <= 600_000
    assert packed_size(made(DICE_POKER).folder, data) <= 40_000
