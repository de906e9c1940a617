"""The types of a package, ``index.d.ts``: TypeScript made from the JSON Schema of the protocol.

A definition of the schema becomes a type of its name.  Where TypeScript cannot say what a schema
does (ranges, lengths), or would only be in the way (which numbers a box may hold, long lists of
words), the type is wider.  All keys are ``readonly``: what is given and answered never changes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ustad.runtime.core.entry import AnyEntry
from ustad.runtime.core.game import LEVELS
from ustad.runtime.core.shapes import Keys, Shape, one_of, ref
from ustad.runtime.schema import request_keys, schema

MOST_WORDS = 20
"""Of how many words a type is one at most, until it is any text."""

_METHODS = re.compile(r"^const METHODS = \{$(.*?)^\};$", re.MULTILINE | re.DOTALL)
_METHOD = re.compile(r"^  (\w+): \{", re.MULTILINE)

_KINDS = {"integer": "number", "object": "JsonObject"}

_HEAD = """\
/** Bots and rules of games, with exact tables: the protocol of `ustad serve`, as types. */

export interface JsonObject {
  readonly [key: string]: unknown;
}
"""

_TAIL = """\
/** Answers requests about one game; nothing that is given or answered is changed later. */
export interface Engine {
  call<M extends keyof Requests>(method: M, request: Requests[M]): Results[M];
}

/** What is wrong with a request or a file; `kind` is a stable word for programs. */
export class UstadError extends Error {
  constructor(kind: string, message: string);
  readonly kind: string;
}

export interface OpenOptions {
  readonly game: GameName;
  /** Gives a file by its path in the package, such as "data/pasa/index.json". */
  readonly read: (
    name: string,
  ) => ArrayBuffer | ArrayBufferView | Promise<ArrayBuffer | ArrayBufferView>;
  /** False where the files are known to be right: no digest is checked. */
  readonly verify?: boolean;
}

export function open(options: OpenOptions): Promise<Engine>;
"""


def methods_of(engine: str) -> list[str]:
    """Return the methods that an engine answers, by the text of its module."""
    found = _METHODS.search(engine)
    return [] if found is None else _METHOD.findall(found[1])


def package_types(games: Sequence[AnyEntry], methods: Sequence[str]) -> str:
    """Return ``index.d.ts`` of a package.

    Args:
        games: those of the package.
        methods: what its engine answers.
    """
    names = [game.name for game in games]
    known = schema(names)["$defs"]
    kinds = ("position", "move", "outcome", "options")
    types = {"game_name": typed(one_of(names)), "level": typed(one_of(LEVELS))}
    types |= {f"{name}_{kind}": typed(known[f"{name}_{kind}"]) for name in names for kind in kinds}
    for kind in kinds:
        types[kind] = " | ".join(_name(f"{name}_{kind}") for name in names)
    shared = ("record", "status") if "review" in methods else ("status",)
    types |= {name: typed(known[name]) for name in (*shared, *map("{}_result".format, methods))}
    parts = [f"export type {_name(name)} = {text};\n" for name, text in types.items()]
    requests = {method: typed(_request(method)) for method in methods}
    results = {method: _name(f"{method}_result") for method in methods}
    for name, by_method in (("Requests", requests), ("Results", results)):
        lines = "".join(f"  {method}: {text};\n" for method, text in by_method.items())
        parts.append(f"export interface {name} {{\n{lines}}}\n")
    return "\n".join([_HEAD, *parts, _TAIL])


def _request(method: str) -> Shape:
    """Return the shape of what a method is asked with, types of the package in it."""
    keys = request_keys(method)
    own = {"game": ref("game_name"), "options": {"if": {"type": "null"}, "else": ref("options")}}

    def named(shapes: Mapping[str, Shape]) -> dict[str, Shape]:
        return {key: own.get(key, shape) for key, shape in shapes.items()}

    return Keys(named(keys.required), named(keys.optional)).schema()


def typed(shape: Shape) -> str:
    """Return the type of a shape.

    >>> typed({"type": ["array", "null"], "items": {"type": "integer"}})
    'readonly number[] | null'
    >>> typed({"enum": [0, 25, None]}), typed({"enum": ["keep", "write"]})
    ('number | null', '"keep" | "write"')
    >>> typed({"if": {"type": "null"}, "else": {"$ref": "#/$defs/pasa_move"}})
    'PasaMove | null'
    """
    if "$ref" in shape:
        return _name(shape["$ref"].rsplit("/", 1)[-1])
    if shape.get("not") == {}:
        return "never"
    if "enum" in shape:
        return _any_of(_words(shape["enum"]))
    if shape.get("if") == {"type": "null"}:
        return _any_of([typed(shape["else"]), "null"])
    if "type" not in shape and "then" in shape:
        return _any_of([typed(shape["then"]), typed(shape["else"])])
    kinds = shape.get("type", ())
    kinds = [kinds] if isinstance(kinds, str) else kinds
    return _any_of(_of_kind(shape, kind) for kind in kinds) or "unknown"


def _of_kind(shape: Shape, kind: str) -> str:
    """Return the type of those values of a shape that are of one kind."""
    if kind == "array":
        item = typed(shape.get("items", {}))
        return f"readonly ({item})[]" if " " in item else f"readonly {item}[]"
    if kind == "object":
        return _object(shape)
    return _KINDS.get(kind, kind)


def _object(shape: Shape) -> str:
    """Return the type of an object; of a move that has one of several keys, each by itself."""
    held = shape.get("properties", {})
    more = shape.get("additionalProperties", True)
    if not held and more is True:
        return "JsonObject"
    if shape.get("minProperties") == shape.get("maxProperties") == 1:
        return _any_of(f"{{ readonly {key}: {typed(one)} }}" for key, one in held.items())
    required = shape.get("required", ())
    keys = [
        f"readonly {key}{'' if key in required else '?'}: {typed(one)}" for key, one in held.items()
    ]
    if more is not False:
        keys.append(f"readonly [key: string]: {'unknown' if more is True else typed(more)}")
    return f"{{ {'; '.join(keys)} }}"


def _words(choices: Sequence[Any]) -> list[str]:
    """Return the types of the values of an enumeration; numbers and many words are any."""
    words = [json.dumps(one) for one in choices if isinstance(one, str)]
    found = words if len(words) <= MOST_WORDS else ["string"]
    for one in choices:
        if isinstance(one, bool):
            found.append("boolean")
        elif not isinstance(one, str):
            found.append("null" if one is None else "number")
    return sorted(found, key=lambda name: name == "null")


def _any_of(types: Iterable[str]) -> str:
    return " | ".join(dict.fromkeys(types))


def _name(name: str) -> str:
    """Return the name of a type: ``yacht_move`` is ``YachtMove``; ``Record`` is taken."""
    if name == "record":
        return "GameRecord"
    return "".join(map(str.capitalize, name.split("_")))
