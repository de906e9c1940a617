"""The phone engine answers as Python does: whole games, request by request.

Nothing here comes from outside: the right answers are Python's, which have tests of their own.
The script ``scripts/differential.py`` plays and compares; here it does so over small tables.
"""

from __future__ import annotations

import gzip
import json
import subprocess
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from built import Build
from differential import differential
from hypothesis import given
from hypothesis import strategies as st
from small_games import SMALL, small_games, small_tables

from ustad.runtime.core.errors import ExportError
from ustad.runtime.core.registry import entry as entry_of
from ustad.runtime.core.registry import exporter
from ustad.runtime.export import GameFiles, write_package
from ustad.runtime.export.folder import word_sum
from ustad.runtime.export.package import package_files


@pytest.fixture(scope="module")
def folder(
    tables: Path,
    build: Build,
    tmp_path_factory: pytest.TempPathFactory,
    write_outlook: Callable[[Path], None],
) -> Path:
    """A folder of the tables of all games, those of yacht with an outlook."""
    found = tmp_path_factory.mktemp("engine-tables")
    small_tables(tables, found, build, write_outlook)
    return found


@pytest.fixture(scope="module")
def package(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package of these tables; the proof over all of yacht is left to another test."""
    out = tmp_path_factory.mktemp("with space") / "ustad package"
    write_package(small_games(folder), out)
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
  for (const game of ["yacht", "dice_poker", "pasa", "raja_pasu", "marriage"]) {
    const engine = await open({ game, read });
    let { position, status } = engine.call("new", { game, players: 2, seed: 5, whole: true });
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


VERSIONS = """
import fs from "node:fs";
import { createHash } from "node:crypto";
const [folder] = process.argv.slice(2);
const { open } = await import(`${folder}/index.js`);
const bytes = (name) => fs.readFileSync(`${folder}/${name}`);
const sealed = (text) => {
  const body = text.slice(0, -81);
  return `${body},\\n"sha256": "${createHash("sha256").update(body).digest("hex")}"\\n}\\n`;
};
const told = {};
for (const [game, name] of [["pasa", "index"], ["pasa", "manifest"], ["yacht", "manifest"],
                            ["raja_pasu", "manifest"], ["dice_poker", "index"]]) {
  for (const [key, other] of [["format_version", 1], ["format_version", 9],
                              ["index_version", 0], ["index_version", 9]]) {
    const changed = (text) => text.replace(new RegExp(`"${key}": [0-9]+`), `"${key}": ${other}`);
    const read = (path) => path.endsWith(`${name}.json`)
      ? Buffer.from(sealed(changed(`${bytes(path)}`)))
      : bytes(path);
    const found = await open({ game, read }).catch((error) => `${error.kind}: ${error.message}`);
    told[`${game} ${name} ${key} ${other}`] = typeof found === "string" ? found : "opened";
  }
}
console.log(JSON.stringify(told));
"""


def run_script(node: str, script: str, package: Path, tmp_path: Path, *words: str) -> Any:
    """Return what a script prints that is given the folder of a package."""
    path = tmp_path / "script.mjs"
    path.write_text(script)
    run = subprocess.run([node, path, package, *words], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr[-2000:]
    return json.loads(run.stdout)


def test_data_of_another_version_are_refused_and_what_to_update_is_said(
    package: Path, node: str, tmp_path: Path
) -> None:
    told = run_script(node, VERSIONS, package, tmp_path)
    for case, message in told.items():
        if "index index_version" in case:  # an index numbers nothing
            assert message == "opened"
            continue
        assert message.startswith("mismatched_export: "), case
        assert f"written by ustad {version('ustad')}" in message
        newer = case.endswith("9")
        assert ("update the engine" if newer else "export them anew") in message, case


HOSTILE = """
const [folder] = process.argv.slice(2);
const fs = await import("node:fs");
const { open, UstadError } = await import(`${folder}/index.js`);
const read = (name) => fs.readFileSync(`${folder}/${name}`);
const holes = [];
holes.length = 5_000_000;
const endless = { get position() { return { get position() { return this; } }; } };
const circle = {};
circle.position = circle;
const throws = { get x() { throw new TypeError("mine"); } };
const proxy = new Proxy({}, { ownKeys() { throw new Error("mine"); } });
const values = [
  holes, new Array(2_000_000).fill(1), endless, circle, throws, proxy, () => 1, Symbol("s"),
  10n, new Date(0), new Map([[1, 2]]), new Uint8Array(9), NaN, -Infinity, -0, "x".repeat(1e6),
  JSON.parse('{"__proto__": {"dice": [1]}}'), Object.create({ game: "pasa" }), [,], "\\ud800",
  new String("pasa"), new Number(3), { toJSON() { return 1; } }, { length: 3 }, { then: 1 },
  "__proto__", "constructor", "toString",
];
const bad = [];
let asked = 0;
const attempt = (engine, method, request, what) => {
  asked += 1;
  try {
    engine.call(method, request);
  } catch (error) {
    if (!(error instanceof UstadError) || /\\n/.test(error.message) || error.message.length > 500) {
      bad.push(`${what}: ${error.stack}`.slice(0, 300));
    }
  }
};
for (const game of ["yacht", "dice_poker", "pasa", "raja_pasu", "marriage"]) {
  const engine = await open({ game, read, verify: false });
  const { position } = engine.call("new", { game, players: 2, seed: 1 });
  const before = JSON.stringify(engine.call("legal", { position }));
  for (const value of values) {
    attempt(engine, value, {}, "method");
    for (const method of ["new", "status", "view", "legal", "apply", "ask", "move", "review",
                          "hand"]) {
      attempt(engine, method, value, `${game} ${method}`);
    }
    for (const key of ["move", "outcome", "seed"]) {
      attempt(engine, "apply", { position, [key]: value }, `${game} apply ${key}`);
    }
    for (const key of ["level", "top", "move", "max_ms", "facts", "target"]) {
      attempt(engine, "ask", { position, level: "easy", [key]: value }, `${game} ask ${key}`);
    }
    for (const key of ["cards", "tiplu", "laid", "not_shown", "after_show", "options"]) {
      attempt(engine, "hand", { cards: "7H PJ", [key]: value }, `${game} hand ${key}`);
    }
    for (const key of Object.keys(position)) {
      attempt(engine, "status", { position: { ...position, [key]: value } }, `${game} ${key}`);
    }
    for (const key of ["game", "options", "players", "first", "seed", "whole"]) {
      attempt(engine, "new", { game, [key]: value }, `${game} new ${key}`);
    }
  }
  // A getter that answers something else each time is read once.
  let reads = 0;
  const shifty = { ...position, get game() { reads += 1; return reads > 1 ? "x" : game; } };
  engine.call("status", { position: shifty });
  if (reads !== 1) bad.push(`${game}: read ${reads} times`);
  Object.prototype.level = "easy";
  Object.prototype.dice = [1, 1, 1, 1, 1];
  if (JSON.stringify(engine.call("legal", { position })) !== before) bad.push(`${game}: prototype`);
  delete Object.prototype.level;
  delete Object.prototype.dice;
  if (Object.keys(Object.prototype).length > 0 || "dice" in {}) bad.push("polluted");
}
console.log(JSON.stringify({ asked, bad: bad.slice(0, 5) }));
"""


def test_getters_prototypes_huge_lists_and_wrong_types_are_refused_in_one_line(
    package: Path, node: str, tmp_path: Path
) -> None:
    told = run_script(node, HOSTILE, package, tmp_path)
    assert told["bad"] == []
    assert told["asked"] > 3000


def test_the_code_of_a_package_is_small(package: Path) -> None:
    """Of all games, with their names as written; an app's bundler shortens those."""
    code = b"".join(path.read_bytes() for path in sorted((package / "lib").glob("*.js")))
    assert len(gzip.compress(code)) < 77_000
    assert b"/**" not in code


def test_a_package_names_what_it_has(package: Path) -> None:
    held = json.loads((package / "package.json").read_text())
    entry = held["exports"]["."]
    for condition in (entry["import"], entry["require"]):
        assert all((package / path).is_file() for path in condition.values())
    assert {path.name for path in package.iterdir()} >= {"README.md", "lib", "data"}
    index = json.loads((package / "data" / "pasa" / "index.json").read_text())
    assert index["tables"] == ["table 0", "table 1"]


BUNDLED = """
const [folder] = process.argv.slice(2);
const { createRequire } = await import("node:module");
const { readFileSync } = await import("node:fs");
const { open } = await import(`${folder}/index.js`);
const data = await import(`${folder}/data/pasa.js`);
const other = createRequire(`${folder}/`)("./data/pasa.cjs");
delete globalThis.atob;
const engine = await open({ game: "pasa", read: data.read });
const { position } = engine.call("new", { game: "pasa", players: 2 });
let wrong = "";
try { data.read("data/yacht/index.json"); } catch (error) { wrong = error.message; }
const files = process.argv[3].split(",");
const bytes = (read) => files.map((name) => [...read(name)].join());
const held = files.map((name) => [...readFileSync(`${folder}/../${name}`)].join()).join();
console.log(JSON.stringify({
  best: engine.call("ask", { position }).best,
  same: [data, other].map(({ read }) => bytes(read).join() === held),
  wrong,
}));
"""


def test_tables_in_modules_are_the_files(folder: Path, node: str, tmp_path: Path) -> None:
    entry, made = entry_of("pasa"), exporter("pasa")
    content = made.content(entry.tables.spec(SMALL["pasa"][0]).options, folder, None)
    games = [GameFiles(entry, made.engine, {"two seats": content})]
    held = package_files(games)
    files = [name for name in held if name.startswith("data/")]
    for name in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(held[name])
    written = write_package(games, tmp_path / "package", bundled=True)
    exported = json.loads((tmp_path / "package" / "package.json").read_text())["exports"]
    for condition in ("import", "require"):
        assert all(path[2:] in written for path in exported["./data/pasa"][condition].values())
    assert not set(files) & set(written)
    told = run_script(node, BUNDLED, tmp_path / "package", tmp_path, ",".join(files))
    assert told["same"] == [True, True]
    assert told["best"]
    assert told["wrong"] == 'read: this module has files of pasa, not "data/yacht/index.json"'


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
