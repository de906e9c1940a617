"""The wheel: the three packages under ``ustad``, typed, and nothing beside them."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
FOLDERS = ("solver", "tables", "runtime")


def package_folders() -> list[Path]:
    """Return the folders of the checkout that are packages, relative to it."""
    return sorted(
        path.parent.relative_to(ROOT)
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("__init__.py")
    )


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist of a copy of the checkout and the wheel made from that sdist."""
    work = tmp_path_factory.mktemp("wheel")
    copy = work / "checkout"
    copy.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    without = shutil.ignore_patterns("__pycache__", "built")
    for folder in (*FOLDERS, "scripts", "tests"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=without)
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", work, copy],
        check=True,
        capture_output=True,
    )
    return work


@pytest.fixture(scope="module")
def wheel(built: Path) -> list[str]:
    """The names of the files of the wheel."""
    [path] = built.glob("*.whl")
    with zipfile.ZipFile(path) as file:
        return file.namelist()


def test_the_sdist_holds_what_a_wheel_is_built_from(built: Path) -> None:
    [path] = built.glob("*.tar.gz")
    with tarfile.open(path) as file:
        names = {name.split("/", 1)[-1] for name in file.getnames()}
    assert {"pyproject.toml", "README.md", "LICENSE", "runtime/cli/main.py"} <= names
    assert {"runtime/py.typed", "solver/py.typed", "tables/py.typed"} <= names


@pytest.mark.slow
def test_the_wheel_and_the_sdist_answer_with_numpy_and_h5py_alone(
    built: Path, tables: Path, tmp_path: Path
) -> None:
    """Each in a new environment, from the index of packages that pip is set up for."""
    for kind in ("*.whl", "*.tar.gz"):
        [path] = built.glob(kind)
        home = tmp_path / path.name
        venv.create(home, with_pip=True)
        place = home / ("Scripts" if sys.platform == "win32" else "bin")
        subprocess.run([place / "python", "-m", "pip", "install", "--quiet", path], check=True)
        listed = [place / "python", "-m", "pip", "list", "--format=freeze"]
        told = subprocess.run(listed, check=True, capture_output=True, text=True).stdout
        names = {line.partition("==")[0] for line in told.split()}
        assert names - {"pip", "setuptools", "wheel"} == {"ustad", "numpy", "h5py"}
        ask = "ask yacht --dice 1 1 3 4 6 --rolls-left 2 --level hard --json --tables"
        command = [place / "ustad", *ask.split(), tables]
        told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        assert json.loads(told)["best"] == [{"keep": [4]}]
        bad = subprocess.run([place / "ustad", "build"], capture_output=True, text=True)
        assert bad.returncode == 2
        assert "pip install 'ustad[build]'" in bad.stderr


def test_nothing_outside_of_ustad(wheel: list[str]) -> None:
    info = f"ustad-{PROJECT['project']['version']}.dist-info/"
    assert all(name.startswith(("ustad/", info)) for name in wheel)
    assert {name.split("/")[1] for name in wheel if name.startswith("ustad/")} == set(FOLDERS)
    # No __init__.py at the top: ustad is a namespace, its folders are the packages.
    assert "ustad/__init__.py" not in wheel


def test_every_module_of_the_checkout_is_in_the_wheel(wheel: list[str]) -> None:
    modules = {
        "ustad/" + path.relative_to(ROOT).as_posix()
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*.py")
    }
    assert modules == {name for name in wheel if name.endswith(".py")}


def test_every_package_is_in_the_list_and_typed(wheel: list[str]) -> None:
    folders = package_folders()
    assert Path("runtime/games") in folders
    listed = PROJECT["tool"]["setuptools"]["packages"]
    assert sorted(listed) == sorted("ustad." + ".".join(folder.parts) for folder in folders)
    for folder in FOLDERS:  # what lies in a typed package is typed
        assert (ROOT / folder / "py.typed").is_file()
        assert f"ustad/{folder}/py.typed" in wheel


def test_folders_with_modules_are_packages() -> None:
    with_modules = {
        path.parent.relative_to(ROOT)
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*.py")
    }
    assert with_modules == set(package_folders())


LEARNED = "ustad/runtime/games/marriage/weights.json"
"""The one file of numbers that ships; ``ustad build marriage --force`` learns them anew."""

DIGESTS = "ustad/runtime/default_tables.json"
"""What ``ustad verify --default`` compares with."""

MEASURED = "ustad/runtime/levels.json"
"""What reviews compare a player with: what the levels were measured to do."""

STRENGTHS = "ustad/runtime/strengths.json"
"""What a level at a strength plays by: what moves of level easy were measured to cost."""

NPM = "ustad/runtime/export/npm/README.md"
"""What every package for npm tells of itself."""

REPLAY = "ustad/runtime/export/replay.mjs"
"""What answers the vectors of exports; no part of them."""


def test_the_wheel_holds_code_and_the_learned_weights_alone(wheel: list[str]) -> None:
    others = {LEARNED, DIGESTS, MEASURED, STRENGTHS, REPLAY, NPM}
    assert others < set(wheel)
    page = {f"ustad/{path.relative_to(ROOT).as_posix()}" for path in page_files()}
    assert page <= set(wheel)
    others |= {name for name in page if not name.endswith((".py", ".js"))}
    inside = [name for name in wheel if name.startswith("ustad/") and name not in others]
    assert {Path(name).suffix or Path(name).name for name in inside} <= {".py", ".js", ".typed"}
    readers = {
        f"ustad/{path.relative_to(ROOT).as_posix()}" for path in ROOT.rglob("runtime/**/*.js")
    }
    assert readers == {name for name in inside if name.endswith(".js")}


def page_files() -> list[Path]:
    runtime = ROOT / "runtime"
    files = [*(runtime / "page").rglob("*"), *runtime.glob("games/*/words/*.json")]
    kept = (path for path in files if path.is_file() and path.name != "README.md")
    return [path for path in kept if "__pycache__" not in path.parts]


def test_numpy_and_h5py_are_all_that_a_question_needs() -> None:
    needs = PROJECT["project"]["dependencies"]
    assert sorted(need.split(">")[0] for need in needs) == ["h5py", "numpy"]


def test_there_is_no_folder_ustad() -> None:
    assert not (ROOT / "ustad").exists()
