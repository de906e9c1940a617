"""What is loaded when: numpy and h5py for a question, the solver only for a build.

The sources are read, not run, so that an import hidden in a function counts too.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
HOUSE = ("solver", "tables", "runtime", "scripts")


def imports(path: Path) -> Iterator[tuple[str, int]]:
    """Return the full names that a file imports and how many dots each begins with.

    Names given to ``import_module`` as text count too.
    """
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((name.name, 0) for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            yield module, node.level
            yield from ((f"{module}.{name.name}", node.level) for name in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            words = node.value.split()
            if len(words) == 1 and words[0].startswith("ustad.") and words[0].count(".") < 4:
                yield words[0], 0


def sources(folder: str) -> list[Path]:
    found = sorted((ROOT / folder).rglob("*.py"))
    assert found
    return found


@pytest.mark.parametrize("folder", [*HOUSE, "tests"])
def test_no_relative_imports(folder: str) -> None:
    for path in sources(folder):
        assert all(level == 0 for _, level in imports(path)), path


def test_the_runtime_names_the_solver_only_to_build() -> None:
    naming = {
        path.relative_to(ROOT).as_posix(): names
        for path in sources("runtime")
        if (names := {name for name, _ in imports(path) if name.startswith("ustad.solver")})
    }
    assert naming == {"runtime/cli/main.py": {"ustad.solver.build"}}
    # There, inside the function that the build command calls, not where the module is loaded.
    tree = ast.parse((ROOT / "runtime" / "cli" / "main.py").read_text(encoding="utf-8"))
    [builder] = [node for node in tree.body if getattr(node, "name", "") == "_builder"]
    assert "ustad.solver.build" in ast.unparse(builder)


def test_tables_know_nothing_but_numpy_and_h5py() -> None:
    allowed = {"numpy", "h5py", *sys.stdlib_module_names}
    for path in sources("tables"):
        for name, _ in imports(path):
            assert name.startswith("ustad.tables") or name.split(".")[0] in allowed, (path, name)


def test_nothing_imports_the_folders_by_their_own_names() -> None:
    for folder in (*HOUSE, "tests"):
        for path in sources(folder):
            for name, _ in imports(path):
                assert name.split(".")[0] not in HOUSE, (path, name)


def test_numba_comes_in_by_compiled_and_the_bots_that_search_alone() -> None:
    for path in sources("runtime"):
        place = path.relative_to(ROOT / "runtime").as_posix()
        names = {name.split(".")[0] for name, _ in imports(path)}
        if "numba" in names:
            assert place == "compiled.py" or place.startswith("bots/"), place


HEAVY = ("numba", "scipy", "tqdm", "distributed", "ustad.solver", "ustad.runtime.core.kernels")


def loaded_by(script: str, *words: object) -> set[str]:
    """Return the modules that a new process has loaded after a script."""
    code = f"import json, sys\n{script}\nprint(json.dumps(sorted(sys.modules)), file=sys.stderr)"
    run = subprocess.run(
        [sys.executable, "-c", code, *map(str, words)], capture_output=True, text=True, check=True
    )
    return set(json.loads(run.stderr))


def test_a_question_about_yacht_loads_numpy_and_h5py_only(tables: Path) -> None:
    script = (
        "from ustad.runtime.cli.main import main\n"
        "for level in ('easy', 'medium', 'hard', 'expert'):\n"
        "    words = 'ask yacht --sheet ones=3 --dice 1 1 3 4 6 --rolls-left 2 --level'.split()\n"
        "    assert main([*words, level, '--tables', sys.argv[1]]) == 0\n"
    )
    found = loaded_by(script, tables)
    assert {"numpy", "h5py"} <= found
    heavy = [name for name in found if name.startswith(HEAVY)]
    assert heavy == []


def test_a_question_in_python_loads_numpy_and_h5py_only(tables: Path) -> None:
    script = (
        "from ustad.runtime import ask\n"
        "position = {'game': 'yacht', 'sheets': [{}], 'dice': None, 'rolls_left': 3}\n"
        "assert ask(position, tables=sys.argv[1])['value']\n"
    )
    assert [name for name in loaded_by(script, tables) if name.startswith(HEAVY)] == []


def test_tables_load_nothing_of_the_games() -> None:
    found = loaded_by("import ustad.tables")
    assert not any(name.startswith(("ustad.runtime", "ustad.solver")) for name in found)
