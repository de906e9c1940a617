"""The law of imports: who may import whom, held against the sources.

The sources are read, not run, so that an import hidden in a function counts too.  The floors
are those of the house: a module imports from its own floor and from those below, never from
above; on no floor do imports go round in a circle.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

from ustad.runtime.core.registry import NAMES

ROOT = Path(__file__).parents[1]
HOUSE = ("tables", "runtime", "solver")

FLOORS = (
    ("tables",),
    ("runtime.core",),
    (
        "runtime.answers",
        "runtime.methods",
        "runtime.questions",
        "runtime.schema",
        "runtime.arena",
        "runtime.play",
        "runtime.record",
        "runtime.review",
        "runtime.checks",
        "runtime.export",
        "runtime.games.five_dice",
    ),
    ("runtime.games",),
    ("runtime.serve", "runtime.cli", "runtime", "solver.build"),
    ("solver.five_dice",),
    ("solver",),
)
"""The floors from the ground up, by the beginnings of module names; the longest one counts."""

ROOMS = (
    ("rules", "cards", "round"),
    ("states",),
    ("tables",),
    ("levels",),
    ("words",),
    ("codec",),
    ("text",),
    ("facts",),
    ("kernels",),
    ("export",),
    ("entry",),
)
"""The modules of a game's folder, each needing those before it alone."""

OTHERS = ROOMS.index(("states",)), ROOMS.index(("levels",))
"""The places of modules with other names: they help ``tables`` or ``levels``, or hold bots, so
they may need what ``levels`` needs, and be needed by whatever comes after ``states``."""

FIND_BY_NAME = {
    "runtime.core.registry": "the entries",
    "runtime.cli.main": "the modules of commands",
    "runtime.cli.serve": "the HTTP server, whose libraries are an extra",
    "runtime.cli.build": "the solver, which only the build command starts",
    "solver.build": "the solvers of games",
}
"""The modules that load others of the house by name."""

OPTIONAL = {
    "numba",
    "scipy",
    "tqdm",
    "distributed",
    "matplotlib",
    "starlette",
    "uvicorn",
    "prometheus_client",
}
"""Libraries of extras; they may be imported where they are used."""


class Import(NamedTuple):
    """One import: what, from where in the file, and whether inside a function."""

    name: str
    line: int
    inside: bool


def module_name(path: Path) -> str:
    """Return the name of a module without ``ustad.``."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


SOURCES = {
    module_name(path): path for folder in HOUSE for path in sorted((ROOT / folder).rglob("*.py"))
}


class Source(NamedTuple):
    """What the law asks of a source.

    Its text, its imports, the arguments of its calls of ``import_module``, and the games that it
    names.
    """

    text: str
    imports: tuple[Import, ...]
    found: tuple[ast.expr, ...]
    games: frozenset[str]


@cache
def source(module: str) -> Source:
    """Return what is asked of a module; its imports of the house are names without ``ustad.``."""
    text = SOURCES[module].read_text(encoding="utf-8")
    imports: list[Import] = []
    found: list[ast.expr] = []
    games: set[str] = set()

    def visit(node: ast.AST, inside: bool) -> None:
        if isinstance(node, ast.Import):
            imports.extend(Import(name.name, node.lineno, inside) for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: relative import in line {node.lineno}"
            for name in node.names:
                full = f"{node.module}.{name.name}"
                inner = full.removeprefix("ustad.") in SOURCES
                imports.append(Import(full if inner else str(node.module), node.lineno, inside))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id == "import_module":
                found.append(node.args[0])
        elif isinstance(node, ast.Constant) and node.value in NAMES:
            games.add(str(node.value))
        inside = inside or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for child in ast.iter_child_nodes(node):
            visit(child, inside)

    visit(ast.parse(text), False)
    short = (one._replace(name=one.name.removeprefix("ustad.")) for one in imports)
    return Source(text, tuple(short), tuple(found), frozenset(games))


def imports(module: str) -> tuple[Import, ...]:
    """Return what a module imports."""
    return source(module).imports


def of_the_house(module: str) -> Iterator[Import]:
    """Yield the modules of the house that a module imports."""
    return (one for one in imports(module) if one.name in SOURCES)


def floor(module: str) -> int:
    """Return the floor that a module stands on."""
    begins = {name: at for at, names in enumerate(FLOORS) for name in names}
    fits = [name for name in begins if module == name or module.startswith(name + ".")]
    return begins[max(fits, key=len)]


class Room(NamedTuple):
    """A module's game, the first place that may need it, and the last place that it may need."""

    game: str
    first: int
    last: int


def room(module: str) -> Room | None:
    """Return where a module stands in the folder of its game, None for one of no game."""
    parts = module.split(".")
    if parts[:2] != ["runtime", "games"] or len(parts) < 4 or parts[2] not in NAMES:
        return None
    places = [at for at, names in enumerate(ROOMS) if parts[3] in names]
    return Room(parts[2], *((places[0], places[0]) if places else OTHERS))


@pytest.mark.parametrize("module", SOURCES)
def test_nobody_imports_from_a_floor_above(module: str) -> None:
    for one in of_the_house(module):
        assert floor(one.name) <= floor(module), f"{module}:{one.line} imports {one.name}"


@pytest.mark.parametrize("module", [module for module in SOURCES if room(module)])
def test_a_game_knows_itself_alone_and_each_room_those_before_it(module: str) -> None:
    own = room(module)
    for one in of_the_house(module):
        if own and (other := room(one.name)):
            assert other.game == own.game, f"{module}:{one.line} imports {one.name}"
            assert other.first <= own.last, f"{module}:{one.line} imports {one.name}"


def test_no_imports_go_round_in_a_circle() -> None:
    graph = {module: {one.name for one in of_the_house(module)} - {module} for module in SOURCES}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        raise AssertionError(" -> ".join(error.args[1])) from None


def test_entries_are_imported_by_the_registry_alone() -> None:
    """It finds them by name, so no import statement names one."""
    for module in SOURCES:
        for one in of_the_house(module):
            assert not one.name.endswith(".entry") or one.name == "runtime.core.entry", module


def test_imports_inside_functions_are_of_optional_libraries_or_a_games_own_kernels() -> None:
    for module in SOURCES:
        for one in imports(module):
            if one.inside and one.name.split(".")[0] not in OPTIONAL:
                own = f"{module.rpartition('.')[0]}.kernels"
                where = f"{module}:{one.line}"
                assert module.endswith(".entry"), where
                assert one.name == own, where


def test_modules_are_found_by_name_in_few_places() -> None:
    for module in SOURCES:
        inner = [name for name in source(module).found if "ustad." in ast.unparse(name)]
        assert not inner or module in FIND_BY_NAME, module


def test_modules_are_found_in_no_other_way() -> None:
    """Not under another name, nor by a text that is put together elsewhere."""
    for module in SOURCES:
        text = source(module).text
        assert "__import__" not in text, module
        assert "importlib.import_module" not in text, module
        assert "import_module as" not in text, module
        if module in FIND_BY_NAME:
            continue
        for library in source(module).found:
            assert isinstance(library, ast.Constant), module
            assert str(library.value).split(".")[0] in OPTIONAL, module


def test_the_core_names_no_game_but_in_the_list() -> None:
    for module in SOURCES:
        if module.startswith("runtime.core") and module != "runtime.core.registry":
            assert not source(module).games, module


def test_a_solver_knows_its_own_game_and_commands_are_for_the_command_line() -> None:
    for module in SOURCES:
        own = module.split(".")[1] if module.startswith("solver.") else ""
        for one in of_the_house(module):
            other = one.name.split(".")
            if own in NAMES and other[0] == "solver" and other[1] in NAMES:
                assert other[1] == own, f"{module}:{one.line} imports {one.name}"
            if other[:2] == ["runtime", "cli"]:
                allowed = module.startswith("runtime.cli") or module == "runtime.__main__"
                assert allowed, f"{module}:{one.line} imports {one.name}"


def test_the_runtime_names_the_solver_only_to_build() -> None:
    naming = {
        module
        for module in SOURCES
        if module.startswith("runtime") and '"ustad.solver' in source(module).text
    }
    assert naming == {"runtime.cli.build"}


def test_argparse_is_for_commands_and_entries_alone() -> None:
    for module in SOURCES:
        if any(one.name == "argparse" for one in imports(module)):
            assert module.startswith("runtime.cli.") or module.endswith(".entry"), module


def test_numba_is_for_kernels_alone() -> None:
    for module in SOURCES:
        for one in imports(module):
            compiles = one.name == "runtime.core.kernels" and not module.startswith("solver")
            if one.name.split(".")[0] == "numba" or compiles:
                assert module.endswith(".kernels"), f"{module}:{one.line} imports {one.name}"


def test_tables_know_nothing_but_numpy_and_h5py() -> None:
    allowed = {"numpy", "h5py", "tables", *sys.stdlib_module_names}
    for module in SOURCES:
        if floor(module) == 0:
            assert {one.name.split(".")[0] for one in imports(module)} <= allowed, module


@pytest.mark.parametrize("folder", ["scripts", "tests"])
def test_nothing_imports_the_folders_by_their_own_names(folder: str) -> None:
    begin = re.compile(rf"^\s*from\s+(\.|({'|'.join(HOUSE)})\b)", re.MULTILINE)
    for path in sorted((ROOT / folder).rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if begin.search(text) else ():  # prose, or imports
            if isinstance(node, ast.ImportFrom):
                assert node.level == 0, path
                assert (node.module or "").split(".")[0] not in HOUSE, path


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
