"""The wheel: the three packages under ``ustad``, typed, and nothing beside them."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
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
def wheel(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The names of the files of a wheel built from a copy of the checkout."""
    work = tmp_path_factory.mktemp("wheel")
    copy = work / "checkout"
    copy.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    without = shutil.ignore_patterns("__pycache__", "built")
    for folder in (*FOLDERS, "scripts", "tests"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=without)
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", work, copy],
        check=True,
        capture_output=True,
    )
    [path] = work.glob("*.whl")
    with zipfile.ZipFile(path) as file:
        return file.namelist()


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
    for folder in folders:
        assert (ROOT / folder / "py.typed").is_file()
        assert f"ustad/{folder.as_posix()}/py.typed" in wheel


def test_folders_with_modules_are_packages() -> None:
    with_modules = {
        path.parent.relative_to(ROOT)
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*.py")
    }
    assert with_modules == set(package_folders())


LEARNED = "ustad/runtime/bots/marriage_weights.json"
"""The one file of numbers that ships; ``ustad build marriage --force`` learns them anew."""


def test_the_wheel_holds_code_and_the_learned_weights_alone(wheel: list[str]) -> None:
    assert LEARNED in wheel
    inside = [name for name in wheel if name.startswith("ustad/") and name != LEARNED]
    assert {Path(name).suffix or Path(name).name for name in inside} <= {".py", ".js", ".typed"}
    readers = {
        f"ustad/{path.relative_to(ROOT).as_posix()}" for path in ROOT.rglob("runtime/**/*.js")
    }
    assert readers == {name for name in inside if name.endswith(".js")}


def test_numpy_and_h5py_are_all_that_a_question_needs() -> None:
    needs = PROJECT["project"]["dependencies"]
    assert sorted(need.split(">")[0] for need in needs) == ["h5py", "numpy"]


def test_there_is_no_folder_ustad() -> None:
    assert not (ROOT / "ustad").exists()
