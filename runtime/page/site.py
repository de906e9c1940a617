"""The files of the page: engine, tables, words, and the modules that show them.

**The problem.**  The page must work without a server of ours, offline after one visit, and take
over a new version without mixing it with the old one.

**The form.**  All code and words lie in one folder that is named by the digest of all of it,
``v-DIGEST``; ``index.html`` names that folder, and the service worker ``sw.js`` keeps each
version whole in a cache of its own.  The tables of the games lie in ``data``, each file compressed
and named by its own digest, so that a version that changes no table fetches none again.  What there
is of tables stands in the module ``tables.js``; the worker that runs the engine fetches what a
position needs, and believes no byte whose digest is another.

Nothing is built that a browser does not read as it stands; comments stay behind.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from ustad.runtime.core.options import WholeNumber
from ustad.runtime.export import GameFiles
from ustad.runtime.export.minify import minified
from ustad.runtime.export.package import check_replaceable, package_files, write_whole
from ustad.runtime.page.wording import LANGUAGES, joined

INDEX = "index.html"
WORKER = "sw.js"
MANIFEST = "manifest.webmanifest"
ROOT_FILES = (INDEX, WORKER, MANIFEST, "icon.svg")
"""The files at the top, whose names are fixed; all others are named by digests."""

_DIGITS = 12
"""How much of the digest of all code names a version."""


def site_files(games: Sequence[GameFiles]) -> dict[str, bytes]:
    """Return the files of a site, by their paths in it.

    Args:
        games: the games and their tables.
    """
    package = package_files(games)
    data = {path: held for path, held in package.items() if path.startswith("data/")}
    packed = {path: gzip.compress(held, 9, mtime=0) for path, held in data.items()}
    tables = {path: f"data/{_digest(held)}.bin" for path, held in packed.items()}
    code = _code(package)
    code["page/tables.js"] = _tables_module(games, data, packed, tables)
    name = f"v-{_digest(b''.join(_sealed(code)))[:_DIGITS]}"
    found = {f"{name}/{path}": held for path, held in sorted(code.items())}
    found |= {tables[path]: held for path, held in packed.items()}
    top = files(__package__) / "web"
    shell = [INDEX, MANIFEST, "icon.svg", *found.keys() - set(tables.values())]
    modules = sorted(path for path in code if path.startswith("page/") and path.endswith(".js"))
    said = {
        "VERSION": name,
        "SHELL": json.dumps(sorted(shell)),
        "DATA": json.dumps(sorted(tables.values())),
        "PRELOADS": "\n".join(
            f'    <link rel="modulepreload" href="{name}/{path}" />'
            for path in modules
            if path != "page/worker.js"
        ),
    }
    for path in ROOT_FILES:
        text = (top / path).read_text(encoding="utf-8")
        for key, held in said.items():
            text = text.replace(f"%{key}%", held)
        found[path] = text.encode()
    return found


def _code(package: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return all that is not data: engine, modules, styles, words and fonts."""
    found = {
        path: held
        for path, held in package.items()
        if path == "index.js" or (path.startswith("lib/") and path.endswith(".js"))
    }
    here = files(__package__)
    for path in _files_in(here / "web" / "page"):
        text = path.read_text(encoding="utf-8")
        found[f"page/{path.name}"] = (
            minified(text) if path.name.endswith(".js") else text
        ).encode()
    for path in _files_in(here / "fonts"):
        found[f"page/fonts/{path.name}"] = path.read_bytes()
    for language in LANGUAGES:
        text = json.dumps(joined(language), ensure_ascii=False, sort_keys=True)
        found[f"page/words.{language}.json"] = text.encode()
    return found


def _files_in(folder: Traversable) -> list[Traversable]:
    return sorted((path for path in folder.iterdir() if path.is_file()), key=lambda one: one.name)


def _sealed(code: Mapping[str, bytes]) -> list[bytes]:
    return [f"{path}:{_digest(held)}\n".encode() for path, held in sorted(code.items())]


def _digest(held: bytes) -> str:
    return hashlib.sha256(held).hexdigest()


def _tables_module(
    games: Sequence[GameFiles],
    data: Mapping[str, bytes],
    packed: Mapping[str, bytes],
    places: Mapping[str, str],
) -> bytes:
    """Return the module that says what games and tables there are."""
    found = {}
    for game in games:
        rules, own = game.entry.rules, f"data/{game.entry.name}/"
        found[game.entry.name] = {
            "players": dict(rules.seats._asdict()),
            "options": {option.name: _may_be(option) for option in rules.options},
            "index": json.loads(data[f"{own}index.json"]),
            "tables": [
                {
                    "name": name,
                    "options": dict(content.options),
                    "files": {
                        path.removeprefix(own): {
                            "path": places[path],
                            "sha256": _digest(held),
                            "size": len(packed[path]),
                        }
                        for path, held in data.items()
                        if path.startswith(f"{own}{name}/")
                    },
                }
                for name, content in game.tables.items()
            ],
            "levels": _levels(game.entry.name),
        }
    told = json.dumps({"version": version("ustad"), "games": found}, ensure_ascii=False)
    return f"export const SITE = {told};\n".encode()


def _may_be(option: Any) -> dict[str, Any]:
    """Return what an option may be."""
    found: dict[str, Any] = {"default": option.default, "choices": list(option.choices)}
    if isinstance(option, WholeNumber):
        found |= {"low": option.low, "high": option.high}
    return found


def _levels(name: str) -> dict[str, Any]:
    """Return what decisions of the levels cost, by unit and kind of decision, and the marks."""
    text = (files("ustad.runtime") / "levels.json").read_text(encoding="utf-8")
    measured = json.loads(text).get(name, {})
    return {
        unit: {"marks": held["marks"], "lucky": held["lucky"], "costs": held["costs"]}
        for unit, held in measured.items()
    }


def write_site(games: Sequence[GameFiles], out: Path) -> dict[str, int]:
    """Write a site into a folder, in the place of one that is there.

    Args:
        games: the games and their tables.
        out: the folder.

    Returns:
        The bytes of each file, by its path.

    Raises:
        ExportError: the folder holds something else, cannot be written or is full.
    """
    check_replaceable(out, {*ROOT_FILES, "data"}, "a page")
    found = site_files(games)
    write_whole(out, found)
    return {path: len(held) for path, held in found.items()}
