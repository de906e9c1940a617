"""A package for npm: the engine once, for all its games, and the tables of each in files.

**The form.**  ``index.js`` is the main module, ``index.cjs`` the same for CommonJS, with the
modules of the engine in ``lib``; ``index.d.ts`` has the types
(:mod:`ustad.runtime.export.types`).  The tables of a game lie in
``data/GAME``, a folder each, with their names in ``data/GAME/index.json``; or, for bundlers that
take no files beside modules, they are the module ``data/GAME.js``, in base64.  Modules for CommonJS
are the same text, their imports and exports written the other way: no tool is needed.  Comments
stay behind (:mod:`ustad.runtime.export.minify`).

A package is written whole beside an older one before it takes its place.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from base64 import b64encode
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from ustad.runtime.core.entry import AnyEntry
from ustad.runtime.core.errors import ExportError
from ustad.runtime.core.game import LEVELS
from ustad.runtime.core.strength import scales
from ustad.runtime.export.content import Content
from ustad.runtime.export.folder import MANIFEST, reader_files, sealed
from ustad.runtime.export.manifest import FORMAT, FORMAT_VERSION, manifest_text
from ustad.runtime.export.minify import minified
from ustad.runtime.export.types import methods_of, package_types
from ustad.runtime.review import Levels, measured
from ustad.tables import reason_of

README = "README.md"
"""What every package tells of itself, in the folder ``npm`` beside this module."""

_FROM = re.compile(r'^(?:import|export) \{([^}]*)\} from "\./([a-z_]+)\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:const|class|function) (\w+))", re.MULTILINE)


class GameFiles(NamedTuple):
    """What a package has of a game: its tables by the names of their folders."""

    entry: AnyEntry
    engine: tuple[str, str]
    tables: dict[str, Content]


def package_files(games: Sequence[GameFiles], bundled: bool = False) -> dict[str, bytes]:
    """Return the files of a package of some games, by their paths in it.

    Args:
        games: the games.
        bundled: whether tables lie in modules instead of files.
    """
    found: dict[str, bytes] = {}
    for game in games:
        name = f"data/{game.entry.name}"
        data = {f"{name}/{path}": held for path, held in _data(game).items()}
        found |= _data_modules(name, data) if bundled else data
    main = _main(games)
    for name, held in _modules(main + _READER * bundled).items():
        found[f"lib/{name}.js"] = held.encode()
        found[f"lib/{name}.cjs"] = common_js(held).encode()
    found["index.js"] = main.replace('"./', '"./lib/').encode()
    found["index.cjs"] = common_js(main).replace('"./', '"./lib/').encode()
    found[README] = (files(__package__) / "npm" / README).read_bytes()
    methods = methods_of(reader_files()["engine.js"].decode())
    found["index.d.ts"] = package_types([game.entry for game in games], methods).encode()
    found["index.d.cts"] = found["index.d.ts"]
    described = json.dumps(_package_json(games, bundled), indent=2)
    found["package.json"] = f"{described}\n".encode()
    return found


def write_package(games: Sequence[GameFiles], out: Path, bundled: bool = False) -> dict[str, int]:
    """Write a package into a folder, in the place of one that is there.

    Args:
        games: the games.
        out: the folder.
        bundled: whether tables lie in modules instead of files.

    Returns:
        The bytes of each file, by its path.

    Raises:
        ExportError: the folder holds something else, cannot be written or is full.
    """
    check_replaceable(out, {"package.json", "index.js", "lib", "data"}, "a package")
    found = package_files(games, bundled)
    write_whole(out, found)
    return {path: len(held) for path, held in found.items()}


def check_replaceable(out: Path, own: Set[str], what: str) -> None:
    """Raise ExportError unless a folder is new, empty, or holds what was written here before.

    Args:
        out: the folder.
        own: names that what is written here has.
        what: what that is, with its article.
    """
    if not out.exists():
        return
    names = {path.name for path in out.iterdir()} if out.is_dir() else None
    if names is None or (names and not own <= names):
        raise ExportError(f"{out}: expected a new or empty folder, or {what} of before")


def write_whole(out: Path, files: Mapping[str, bytes]) -> None:
    """Write a folder beside an older one, and then put it in its place.

    Args:
        out: the folder.
        files: the bytes of each file, by its path.

    Raises:
        ExportError: it cannot be written, or the disk is full; the older one stays.
    """
    stage = out.with_name(f".{out.name[:60]}.{os.getpid()}.part")
    try:
        for path, held in files.items():
            place = stage / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(held)
        shutil.rmtree(out, ignore_errors=True)
        os.replace(stage, out)
    except OSError as error:
        raise ExportError(f"{out}: cannot be written: {reason_of(error)}") from error
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def _data(game: GameFiles) -> dict[str, bytes]:
    """Return the tables of a game, by their paths in its folder."""
    found: dict[str, bytes] = {}
    for name, content in game.tables.items():
        manifest, written = sealed(game.entry, replace(content, vectors=()), {})
        found |= {f"{name}/{file}": held for file, held in written.items()}
        found[f"{name}/{MANIFEST}"] = manifest_text(manifest).encode()
    index = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "version": version("ustad"),
        "game": game.entry.name,
        "title": game.entry.title,
        "tables": list(game.tables),
        "scales": {unit: scale._asdict() for unit, scale in scales(game.entry.name).items()},
        "measured": {
            unit: _measured(levels)
            for unit in game.entry.levels.units
            if (levels := measured(game.entry.name, unit)) is not None
        },
    }
    return {"index.json": manifest_text(index).encode(), **found}


def _measured(levels: Levels) -> dict[str, Any]:
    """Return what the levels were measured to do; lists stand for keys that are no names."""
    return {
        "marks": list(levels.marks),
        "lucky": levels.lucky,
        "luck": [[int(seats), list(luck)] for seats, luck in levels.luck.items()],
        "costs": [[kind, [by[level] for level in LEVELS]] for kind, by in levels.costs.items()],
    }


_READER = 'import { reader } from "./bundled.js";\n'


def _data_modules(name: str, data: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the modules that hold the files of a game, by their paths in the package."""
    held = {path: b64encode(content).decode() for path, content in data.items()}
    module = f"{_READER}export const read = reader({json.dumps(held, indent=0)});\n"
    types = b"export const read: (name: string) => Uint8Array;\n"
    texts = {"js": module, "cjs": common_js(module)}
    found = {
        f"{name}.{end}": text.replace('"./bundled', '"../lib/bundled', 1).encode()
        for end, text in texts.items()
    }
    return {**found, f"{name}.d.ts": types, f"{name}.d.cts": types}


def _main(games: Sequence[GameFiles]) -> str:
    """Return the main module, as it would stand beside the others."""
    engines = {game.entry.name: game.engine for game in games}
    imports = [f'import {{ {name} }} from "./{file}";' for file, name in engines.values()]
    known = ", ".join(f"{game}: {name}" for game, (_, name) in engines.items())
    return "\n".join(
        [
            "/** The games of this package and the engine that plays them; see README.md. */",
            "",
            'import { openGame } from "./engine.js";',
            *imports,
            "",
            'export { UstadError } from "./errors.js";',
            "",
            f"const GAMES = {{ {known} }};",
            "",
            "/** Open a game: `open({ game, read, verify })`. */",
            "export const open = (given) => openGame(GAMES, given);",
            "",
        ]
    )


def _modules(main: str) -> dict[str, str]:
    """Return the modules that a module needs, and those that they need, by name."""
    known = {name: minified(held.decode()) for name, held in reader_files().items()}
    found: dict[str, str] = {}
    todo = [main]
    while todo:
        for _, name in _FROM.findall(todo.pop()):
            if name not in found:
                found[name] = known[f"{name}.js"]
                todo.append(found[name])
    return dict(sorted(found.items()))


def common_js(module: str) -> str:
    r"""Return a module as CommonJS has it.

    >>> print(common_js('import { a as b } from "./c.js";\nexport const d = b;\n'))
    "use strict";
    const { a: b } = require("./c.cjs");
    const d = b;
    Object.assign(exports, { d });
    <BLANKLINE>
    """
    exported = _EXPORT.findall(module)

    def required(match: re.Match[str]) -> str:
        names = [name.split(" as ") for name in match[1].replace(",", "\n").split("\n")]
        pairs = [(name[0].strip(), name[-1].strip()) for name in names if name[0].strip()]
        call = f'require("./{match[2]}.cjs")'
        if match[0].startswith("import"):
            taken = ", ".join(one if one == other else f"{one}: {other}" for one, other in pairs)
            return f"const {{ {taken} }} = {call};\n"
        passed = ", ".join(f"{other}: {call}.{one}" for one, other in pairs)
        return f"Object.assign(exports, {{ {passed} }});\n"

    text = _EXPORT.sub("", _FROM.sub(required, module))
    last = f"Object.assign(exports, {{ {', '.join(exported)} }});\n" if exported else ""
    return f'"use strict";\n{text}{last}'


def _package_json(games: Sequence[GameFiles], bundled: bool) -> dict[str, Any]:
    """Return ``package.json``."""
    names = [f"data/{game.entry.name}" for game in games]
    data = {f"./{name}": _exported(name) for name in names} if bundled else _FILES
    titles = ", ".join(game.entry.name for game in games)
    return {
        "name": "ustad",
        "version": version("ustad"),
        "description": f"Bots and rules of games, with exact tables: {titles}",
        "license": "MIT",
        "type": "module",
        "main": "./index.cjs",
        "module": "./index.js",
        "types": "./index.d.ts",
        "exports": {
            ".": _exported("index"),
            **data,
            "./package.json": "./package.json",
        },
        "sideEffects": False,
        "engines": {"node": ">=20"},
        "files": ["index.js", "index.cjs", "index.d.ts", "index.d.cts", "lib", "data"],
    }


_FILES = {"./data/*": "./data/*"}


def _exported(name: str) -> dict[str, dict[str, str]]:
    """Return how ``package.json`` names a module and its types."""
    return {
        "import": {"types": f"./{name}.d.ts", "default": f"./{name}.js"},
        "require": {"types": f"./{name}.d.cts", "default": f"./{name}.cjs"},
    }
