"""The phone engine answers as Python does: whole games, request by request.

Nothing here comes from outside: the right answers are Python's, which have tests of their own.
The script ``scripts/differential.py`` plays and compares; here it does so over small tables.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from differential import differential
from hypothesis import given
from hypothesis import strategies as st

from ustad.runtime.core.errors import ExportError
from ustad.runtime.core.registry import entry as entry_of
from ustad.runtime.core.registry import exporter
from ustad.runtime.export import GameFiles, write_package
from ustad.runtime.export.folder import word_sum
from ustad.runtime.games.five_dice import export as five_dice_export
from ustad.solver.build import build_table

SMALL: dict[str, tuple[dict[str, Any], ...]] = {
    "yacht": ({"second_yacht": "bonus_and_joker"}, {"second_yacht": "plain"}),
    "dice_poker": ({}, {"dash": "sacrifice", "chance_after_miss": True}),
    "pasa": ({"players": 2, "chips": 24}, {"players": 3, "chips": 9, "cap": "first_come"}),
    "raja_pasu": ({"closed": 5}, {"closed": 6}),
}
"""Tables that are quickly built."""


@pytest.fixture(scope="module")
def node() -> str:
    """The program node; without it the engine cannot be run."""
    found = shutil.which("node")
    if found is None:
        assert "USTAD_NEED_NODE" not in os.environ, "node is needed here and is not installed"
        pytest.skip("node is not installed: the engine is not run")
    return found


@pytest.fixture(scope="module")
def folder(
    tables: Path, tmp_path_factory: pytest.TempPathFactory, write_outlook: Callable[[Path], None]
) -> Path:
    """A folder of the tables of all games, those of yacht with an outlook."""
    found = tmp_path_factory.mktemp("engine-tables")
    for path in tables.glob("yacht*.h5"):
        shutil.copy(path, found)
    write_outlook(found)
    for name, sets in SMALL.items():
        for options in sets:
            build_table(entry_of(name), entry_of(name).tables.spec(options).options, found)
    return found


@pytest.fixture(scope="module")
def package(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package of these tables; the proof over all of yacht is left to another test."""
    out = tmp_path_factory.mktemp("with space") / "ustad package"
    games = []
    with pytest.MonkeyPatch.context() as patch:
        # What the proofs of yacht and dice poker find is below half a hundredth of a point.
        patch.setattr(five_dice_export, "prove", lambda *_: {"largest_cost": 0.005})
        for name, sets in SMALL.items():
            entry, made = entry_of(name), exporter(name)
            contents = {
                f"table {at}": made.content(entry.tables.spec(options).options, folder, None)
                for at, options in enumerate(sets)
            }
            games.append(GameFiles(entry, made.engine, contents))
    write_package(games, out)
    return out


@pytest.mark.parametrize(
    "count", [250, pytest.param(3000, marks=pytest.mark.slow)], ids=lambda count: f"{count}"
)
@pytest.mark.parametrize("game", SMALL)
def test_whole_games_are_answered_as_python_answers_them(
    game: str, count: int, package: Path, folder: Path, node: str
) -> None:
    found = differential(game, package, folder, count, seed=count)
    assert found.wrong == []
    assert sum(found.requests.values()) == count
    assert min(found.requests[method] for method in ("new", "apply", "ask", "move")) > 0
    assert 0 < found.refused < count


BARE = """
const vm = require("node:vm"), fs = require("node:fs"), path = require("node:path");
const folder = process.argv[2];
// A new world has the language alone: no TextEncoder, crypto, atob, structuredClone, DOM.
const context = vm.createContext({});
for (const name of ["WebAssembly", "Intl", "BigInt", "SharedArrayBuffer", "Atomics"]) {
  vm.runInContext(`delete globalThis.${name}`, context);
}
const known = {};
const load = (file) => {
  if (known[file]) return known[file];
  const exports = (known[file] = {});
  const wrapped = `(function (exports, require) {${fs.readFileSync(file)}\\n})`;
  const make = vm.runInContext(wrapped, context);
  make(exports, (name) => load(path.join(path.dirname(file), name)));
  return exports;
};
const { open } = load(path.join(folder, "index.cjs"));
const Bytes = vm.runInContext("Uint8Array", context);
const read = (name) => Bytes.from(fs.readFileSync(path.join(folder, name)));
(async () => {
  const told = {};
  for (const game of ["yacht", "dice_poker", "pasa", "raja_pasu"]) {
    const engine = await open({ game, read });
    let { position, status } = engine.call("new", { game, players: 2, seed: 5 });
    let steps = 0;
    for (; status.to !== "over" && steps < 2000; steps++) {
      const level = ["easy", "medium"][steps % 2];
      const step =
        status.to === "chance"
          ? { seed: steps }
          : { move: engine.call("move", { position, level, seed: steps }).move };
      ({ position, status } = engine.call("apply", { position, ...step }));
    }
    told[game] = status;
  }
  const kinds = [];
  for (const at of [0, 1, 777, -1]) {
    const flipped = (name) => {
      const bytes = read(name);
      if (name.endsWith(".bin")) bytes[(at + bytes.length) % bytes.length] ^= 4;
      return bytes;
    };
    await open({ game: "pasa", read: flipped }).catch((error) => kinds.push(error.kind));
    await open({ game: "pasa", read: flipped, verify: false });
  }
  await open({ game: "pasa", read: (name) => read(name).subarray(1) }).catch((error) =>
    kinds.push(error.kind),
  );
  console.log(JSON.stringify([told, kinds]));
})();
"""


def test_it_runs_where_there_is_the_language_alone(
    package: Path, node: str, tmp_path: Path
) -> None:
    """As CommonJS, without what the engines of phones may lack; games are played to the end."""
    script = tmp_path / "bare.cjs"
    script.write_text(BARE)
    run = subprocess.run(
        [node, str(script), str(package)], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr[-2000:]
    told, kinds = json.loads(run.stdout)
    assert {game: status["to"] for game, status in told.items()} == dict.fromkeys(SMALL, "over")
    assert all(status["winners"] for status in told.values())
    assert kinds == ["corrupt_export"] * 5  # by sums of words, without a digest


@given(st.binary(max_size=80), st.sampled_from([5, 0x01000193, 2**32 - 1]))
def test_a_sum_of_words_is_what_its_rule_says(content: bytes, factor: int) -> None:
    padded = content + bytes(-len(content) % 4)
    total = 0
    for at in range(0, len(padded), 4):
        total = (total * factor + int.from_bytes(padded[at : at + 4], "little")) % 2**32
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ustad.runtime.export.folder._WORDS_AT_ONCE", 3)
        assert word_sum(content, factor) == total


def test_a_package_names_what_it_has(package: Path) -> None:
    held = json.loads((package / "package.json").read_text())
    entry = held["exports"]["."]
    for condition in (entry["import"], entry["require"]):
        assert all((package / path).is_file() for path in condition.values())
    assert {path.name for path in package.iterdir()} >= {"README.md", "lib", "data"}
    index = json.loads((package / "data" / "pasa" / "index.json").read_text())
    assert index["tables"] == ["table 0", "table 1"]


def test_a_package_takes_the_place_of_one_and_of_nothing_else(
    package: Path, folder: Path, tmp_path: Path
) -> None:
    entry, made = entry_of("pasa"), exporter("pasa")
    content = made.content(entry.tables.spec(SMALL["pasa"][0]).options, folder, None)
    games = [GameFiles(entry, made.engine, {"pasa": content})]
    first = write_package(games, tmp_path / "one")
    (tmp_path / "one" / "lib" / "old.js").write_text("")
    assert write_package(games, tmp_path / "one") == first
    assert not (tmp_path / "one" / "lib" / "old.js").exists()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter").write_text("")
    with pytest.raises(ExportError, match="new or empty folder"):
        write_package(games, tmp_path / "mine")
    assert (tmp_path / "mine" / "letter").exists()
