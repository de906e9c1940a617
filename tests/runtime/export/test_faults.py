"""What ``ustad verify`` finds in exports: other readers, wrong vectors, bombs, nested folders."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import tracemalloc
from codecs import BOM_UTF8
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from built import Build

from ustad.runtime import checks
from ustad.runtime.core import work
from ustad.runtime.core.errors import ExportError
from ustad.runtime.core.registry import entry, exporter
from ustad.runtime.export import MANIFEST, export_faults, read_export, write_export
from ustad.runtime.export.manifest import manifest_text
from ustad.tables import CorruptTableError, UnreadableTableError

Manifest = dict[str, Any]

NODE = shutil.which("node")


@pytest.fixture(scope="module")
def content(build: Build, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What an export of a small table of pasa holds."""
    folder, options = tmp_path_factory.mktemp("tables"), {"players": 2, "chips": 20}
    spec = build("pasa", options, folder).spec
    return exporter("pasa").content(spec.options, folder, None)


@pytest.fixture
def folder(content: Any, tmp_path: Path) -> Path:
    """A sound export."""
    write_export(entry("pasa"), content, tmp_path / "export")
    return tmp_path / "export"


def lie(folder: Path, change: Callable[[Manifest], object]) -> None:
    """Change a manifest under a right digest."""
    manifest = json.loads((folder / MANIFEST).read_text())
    change(manifest)
    (folder / MANIFEST).write_text(manifest_text(manifest))


def fault(folder: Path) -> str:
    """Return the one fault of an export, which is told of its manifest."""
    [(path, found)] = export_faults(folder).items()
    assert path == folder / MANIFEST
    assert found is not None
    assert "\n" not in found
    return found


def test_a_sound_export(folder: Path) -> None:
    assert set(export_faults(folder).values()) == {None}


def test_readers_that_are_not_the_package_s_own(folder: Path) -> None:
    """A sound export of code that somebody else wrote: its own digests are right."""
    name = next(iter(json.loads((folder / MANIFEST).read_text())["reader"]))
    code = (folder / name).read_bytes() + b"// and more\n"
    (folder / name).write_bytes(code)

    def change(manifest: Manifest) -> None:
        digest = hashlib.sha256(code).hexdigest()
        manifest["reader"][name] = {"bytes": len(code), "sha256": digest}

    lie(folder, change)
    read_export(folder)
    assert f"expected the readers of this version, found {name}" in fault(folder)


def test_no_readers(folder: Path) -> None:
    lie(folder, lambda manifest: manifest.update(reader={}))
    assert "expected the readers of this version, found none" in fault(folder)


@pytest.mark.parametrize("vectors", [[], {}, None])
def test_vectors_must_be_there(folder: Path, vectors: Any) -> None:
    lie(folder, lambda manifest: manifest.update(vectors=vectors))
    assert "expected test vectors, found none" in fault(folder)


@pytest.mark.skipif(NODE is None, reason="node answers vectors")
@pytest.mark.parametrize("key", ["best", "read", "position"])
def test_vectors_are_answered(folder: Path, key: str) -> None:
    other: dict[str, Any] = {"best": [{"bet": 99}], "read": 0.5, "position": {}}

    def change(manifest: Manifest) -> None:
        manifest["vectors"][-1][key] = other[key]

    lie(folder, change)
    assert "readers that answer the test vectors" in fault(folder)


def test_without_node_a_line_says_what_was_not_done(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(work, "quiet", False)
    assert set(export_faults(folder).values()) == {None}
    assert "the test vectors were not answered" in capsys.readouterr().err


def test_a_shape_without_end(folder: Path) -> None:
    def change(manifest: Manifest) -> None:
        manifest["arrays"]["values"]["shape"] = [99] * 1_000_000

    lie(folder, change)
    assert "a shape of 1000000 axes" in fault(folder)


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="links of POSIX")
def test_many_links_to_one_sparse_file(folder: Path) -> None:
    """The sum of all files is known before one is read."""
    with (folder / "zeros").open("wb") as file:
        file.truncate(199_000_000)
    for number in range(20):
        (folder / f"{number}.bin").symlink_to("zeros")

    def change(manifest: Manifest) -> None:
        for number in range(20):
            held = {"bytes": 199_000_000, "sha256": "0" * 64}
            manifest["files"][f"{number}.bin"] = held

    lie(folder, change)
    tracemalloc.start()
    assert "expected 200000000 bytes at most in all" in fault(folder)
    assert tracemalloc.get_traced_memory()[1] < 20_000_000
    tracemalloc.stop()


def test_what_cannot_be_read_is_no_damage(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(UnreadableTableError, match="Permission denied"):
        read_export(folder)


def test_a_missing_file_is_told_with_the_folder_as_a_shell_has_it(tmp_path: Path) -> None:
    (tmp_path / "my exports").mkdir()
    (tmp_path / "my exports" / MANIFEST).write_text("{}")
    with pytest.raises(CorruptTableError, match=r"ustad export GAME --out '.*my exports'"):
        read_export(tmp_path / "my exports")


def test_a_full_disk_leaves_the_older_export_whole(
    folder: Path, content: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever file has no room any more, down to the last."""
    before, sync = {path.name: path.read_bytes() for path in folder.iterdir()}, os.fsync
    for number in range(len(before)):
        left = [number]

        def full(handle: int, left: list[int] = left) -> None:
            left[0] -= 1
            if left[0] < 0:
                raise OSError(28, "No space left on device")
            sync(handle)

        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", full)
            with pytest.raises(ExportError, match="No space left"):
                write_export(entry("pasa"), content, folder)
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_exports_are_found_however_deep_they_lie(folder: Path) -> None:
    root = folder.parent / "all"
    places = [root / "a", root / "a" / "b", root / "c" / "d" / "e"]
    for place in places:
        shutil.copytree(folder, place)
    shutil.copytree(folder, root / ".hidden")
    assert checks.exports(root) == places
    (places[-1] / "values.bin").unlink()
    faults = checks.folder_faults(root)
    assert {path.parent for path in faults} == set(places)
    assert [path.parent for path, found in faults.items() if found] == places[-1:]


LINE_ENDS = "its line ends were changed"
BYTE_ORDER_MARK = "it begins with a byte-order mark"


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_the_javascript_reader_names_the_argument_that_is_wrong(folder: Path) -> None:
    run = subprocess.run(
        [str(NODE), str(Path(__file__).with_name("arguments.mjs")), str(folder)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    told = json.loads(run.stdout)
    assert {name for name, message in told.items() if message == "opened"} == {
        "sound",
        "without TextEncoder",
        "a buffer of another frame",
    }
    for kind in ("a Buffer", "an ArrayBuffer"):
        assert told[f"{kind} for the manifest"].startswith("manifest: expected its text")
    first = next(iter(json.loads((folder / MANIFEST).read_text())["files"]))
    for kind in ("a detached view", "a detached buffer"):
        assert told[kind].startswith(f"{first}: its bytes are gone")
    assert told["a text for a file"] == (
        f'{first}: expected an ArrayBuffer or a view of bytes, got "text"'
    )
    assert told["nothing for a file"].startswith(f"{first}: expected an ArrayBuffer")
    assert LINE_ENDS in told["line ends"]
    assert BYTE_ORDER_MARK in told["a byte-order mark"]
    assert told["another space"] == "manifest: its digest is wrong: it is not what was written"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text.replace(b"\n", b"\r\n"), LINE_ENDS),
        (lambda text: BOM_UTF8 + text, BYTE_ORDER_MARK),
        (lambda text: text.replace(b": ", b":  ", 1), "its digest is wrong: its bytes changed"),
    ],
)
def test_a_manifest_changed_on_its_way(
    folder: Path, change: Callable[[bytes], bytes], message: str
) -> None:
    (folder / MANIFEST).write_bytes(change((folder / MANIFEST).read_bytes()))
    assert message in fault(folder)
