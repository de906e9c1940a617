"""The JSON Schema (2020-12) of the protocol: positions, moves, records, requests and answers.

It is made of what the codecs read positions by (:mod:`ustad.runtime.core.shapes`), of the
options, and of the table of methods.  ``game`` and ``method`` select by ``if`` and ``then``;
``$defs`` names everything: ``position``, ``request``, ``answer``, ``record``, ``record_line``,
``METHOD_result``, and of each game ``GAME_position``, ``GAME_move``, ``GAME_outcome`` and
``GAME_options``.  A document is a position by default.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ustad.runtime.core.entry import AnyEntry
from ustad.runtime.core.game import LEVELS
from ustad.runtime.core.registry import NAMES, entry
from ustad.runtime.core.shapes import (
    ANYTHING,
    NUMBER,
    TEXT,
    TRUTH,
    Keys,
    Shape,
    case,
    list_of,
    object_of,
    one_of,
    options_shape,
    or_null,
    ref,
    whole,
)
from ustad.runtime.core.strength import GRADE
from ustad.runtime.methods import KEYS, LARGEST_SEED, METHODS, MOST_SEATS

DIALECT = "https://json-schema.org/draft/2020-12/schema"

_SEAT = whole(0, MOST_SEATS - 1)
_SEED = whole(0, LARGEST_SEED)
_BY_SEAT = list_of(NUMBER, 1, MOST_SEATS)
_ID: Shape = {"type": ["string", "number", "null"]}
_EVENTS = list_of({"type": "object"})

STATUS = Keys(
    {
        "to": one_of(["move", "chance", "over"]),
        "seat": or_null(_SEAT),
        "scores": or_null(_BY_SEAT),
        "returns": or_null(_BY_SEAT),
        "winners": or_null(list_of(_SEAT, 1, MOST_SEATS)),
    }
)
_STATUS = ref("status")

_OPTION = Keys(
    {"default": ANYTHING, "help": TEXT},
    {"choices": list_of(ANYTHING)} | {bound: {"type": "integer"} for bound in ("low", "high")},
)

GAME = Keys(
    {
        "title": TEXT,
        "options": object_of(_OPTION.schema()),
        "players": object_of(whole(1, MOST_SEATS)),
        "levels": list_of(one_of(LEVELS)),
        "tables": object_of(TRUTH),
    }
)

_RATED = Keys({"move": ref("move"), "value": NUMBER}, {"facts": {"type": "object"}}).schema(False)

_SHARES = ("start", "luck", "own", "others", "result")
_REVIEWED = Keys({"seat": _SEAT, **dict.fromkeys(_SHARES, NUMBER)}).schema(False)

RESULTS: dict[str, Shape] = {
    "games": Keys({"games": object_of(GAME.schema())}).schema(),
    "new": Keys({"position": ref("position"), "status": _STATUS, "seed": _SEED}).schema(),
    "status": Keys({"status": _STATUS}).schema(),
    "view": Keys({"position": ref("position"), "status": _STATUS}).schema(),
    "legal": Keys({"legal": list_of(ref("move"))}).schema(),
    "apply": Keys(
        {"position": ref("position"), "events": _EVENTS, "status": _STATUS}, {"seed": _SEED}
    ).schema(),
    "ask": Keys(
        {"best": list_of(ref("move"))},
        {
            "value": NUMBER,
            "unit": TEXT,
            "options": list_of(_RATED),
            "exact": TRUTH,
            "asked": _RATED,
            "why": TEXT,
            "win_shares": _BY_SEAT,
        },
    ).schema(False),
    "move": Keys({"move": ref("move"), "seed": _SEED}).schema(),
    "hand": {"type": "object"},
    "review": Keys(
        {
            "unit": TEXT,
            "exact": TRUTH,
            "seats": list_of(_REVIEWED),
            "steps": list_of(Keys({"step": whole(0, 10**9)}).schema(False)),
        }
    ).schema(False),
    "batch": Keys({"results": list_of(ref("answer"))}).schema(),
    "ping": Keys({"version": TEXT, "seconds": NUMBER, "tables": whole(0, 10**9)}).schema(),
}
"""What each method answers."""

ERROR = Keys({"kind": TEXT, "message": TEXT})

_SEATED = Keys({"name": TEXT}, {"level": {"type": ["string", "null"], "pattern": GRADE}})
_SEATS = list_of(_SEATED.schema(), 1, MOST_SEATS)

_STEP: Shape = {
    "if": {"required": ["outcome"]},
    "then": Keys({"outcome": ref("outcome")}).schema(),
    "else": Keys({"seat": _SEAT, "move": ref("move")}).schema(),
}

_END = Keys({"over": one_of([True]), "returns": _BY_SEAT})

_FIRST_LINE = Keys(
    {"ustad_record": whole(1, 1), "start": ref("position"), "seats": _SEATS},
    {"seed": {"type": ["integer", "array", "null"], "items": _SEED}, "version": TEXT},
)


def schema(games: Sequence[str] = NAMES) -> Shape:
    """Return the JSON Schema of some games."""
    entries = [entry(name) for name in games]
    definitions: dict[str, Shape] = {
        "position": _selected(
            "game", {game.name: ref(f"{game.name}_position") for game in entries}
        ),
        "move": _any_of_games("move", entries),
        "outcome": _any_of_games("outcome", entries),
        "status": STATUS.schema(),
        "request": _request(entries),
        "answer": {
            **Keys({}, {"id": _ID, "result": {"type": "object"}, "error": ERROR.schema()}).schema(),
            "if": {"required": ["error"]},
            "then": {"properties": {"result": False}},
            "else": {"required": ["result"]},
        },
        "record": {
            **Keys(
                {"start": ref("position"), "steps": list_of(_RECORDED)}, {"seats": _SEATS}
            ).schema(),
            "allOf": [_steps_of(game) for game in entries],
        },
        "record_line": {
            "if": {"required": ["ustad_record"]},
            "then": _FIRST_LINE.schema(),
            "else": _RECORDED,
        },
        **{f"{method}_result": result for method, result in RESULTS.items()},
    }
    for game in entries:
        shapes = game.codec.shapes
        definitions |= {
            f"{game.name}_position": shapes.position,
            f"{game.name}_move": shapes.move,
            f"{game.name}_outcome": shapes.outcome,
            f"{game.name}_options": options_shape(game.rules.options),
        }
    return {"$schema": DIALECT, "title": "ustad", **ref("position"), "$defs": definitions}


_RECORDED: Shape = {"if": {"required": ["over"]}, "then": _END.schema(), "else": _STEP}
"""A step of a record, or its end."""


def _selected(key: str, shapes: dict[str, Shape]) -> Shape:
    """Return the shape of an object that looks as one of its keys says."""
    return {
        "type": "object",
        "required": [key],
        "properties": {key: one_of(shapes)},
        "allOf": [case(key, value, shape) for value, shape in shapes.items()],
    }


def _any_of_games(what: str, entries: Sequence[AnyEntry]) -> Shape:
    """Return the shape of a move or an outcome where nothing tells the game."""
    if len(entries) == 1:
        return ref(f"{entries[0].name}_{what}")
    if what == "outcome":
        return {"type": ["array", "string", "boolean"]}
    names = sorted({key for game in entries for key in game.codec.shapes.move["properties"]})
    return {"type": "object", "minProperties": 1, "propertyNames": one_of(names)}


def request_keys(method: str) -> Keys:
    """Return the keys that a method must and may have."""
    keys, required = METHODS[method]
    return Keys(
        {key: KEYS[key] for key in keys if key in required},
        {key: or_null(KEYS[key]) for key in keys if key not in required},
    )


def _request(entries: Sequence[AnyEntry]) -> Shape:
    methods: dict[str, Shape] = {}
    for name in METHODS:
        keys = request_keys(name)
        methods[name] = Keys(
            {"method": one_of([name]), **keys.required}, {"id": _ID, **keys.optional}
        ).schema()
    request = _selected("method", methods)
    for game in entries:
        moves = {key: or_null(ref(f"{game.name}_{key}")) for key in ("move", "outcome")}
        options = {"options": or_null(ref(f"{game.name}_options"))}
        request["allOf"] += [
            case("game", game.name, {"properties": moves}, within="position"),
            case("game", game.name, {"properties": options}),
        ]
    return request


def _steps_of(game: AnyEntry) -> Shape:
    """Return the shape of a record whose steps are those of a game."""
    step: Any = {key: ref(f"{game.name}_{key}") for key in ("move", "outcome")}
    steps = {"properties": {"steps": {"items": {"properties": step}}}}
    return case("game", game.name, steps, within="start")


PROBLEM = Keys(
    {"type": TEXT, "title": TEXT, "status": whole(400, 599), "detail": TEXT, "kind": TEXT},
    {"pointer": TEXT},
)
"""An error over HTTP."""


def openapi(version: str) -> Shape:
    """Return the protocol over HTTP as OpenAPI 3.1; the schemas are those of :func:`schema`."""
    schemas = {**schema()["$defs"], "problem": PROBLEM.schema()}
    document = {
        "openapi": "3.1.0",
        "jsonSchemaDialect": DIALECT,
        "info": {"title": "ustad", "version": version},
        "paths": {
            f"/v1/{method}": {
                "post": {
                    "operationId": method,
                    "requestBody": {
                        "required": True,
                        "content": _json(request_keys(method).schema()),
                    },
                    "responses": {
                        "200": _response("the result", ref(f"{method}_result")),
                        "default": _response("what is wrong", ref("problem"), "problem+json"),
                    },
                }
            }
            for method in METHODS
        },
        "components": {"schemas": schemas},
    }
    found: Shape = json.loads(json.dumps(document).replace("#/$defs/", "#/components/schemas/"))
    return found


def _json(shape: Shape, kind: str = "json") -> Shape:
    return {f"application/{kind}": {"schema": shape}}


def _response(description: str, shape: Shape, kind: str = "json") -> Shape:
    return {"description": description, "content": _json(shape, kind)}
