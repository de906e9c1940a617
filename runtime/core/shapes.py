"""What JSON values may be, as data: what a codec reads, and the JSON Schema of it.

A *shape* is a JSON Schema (2020-12) made of few words: no ``oneOf`` and no ``prefixItems``, so
that what a validator says of a wrong value is one sentence, and types can be made from it.
:class:`Keys` are the keys of an object; the codec reads an object through them, so a key that
is not declared cannot be read.  What a shape cannot say, such as dice that belong to no roll,
the codec checks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

from ustad.runtime.core.errors import PositionError, UstadError
from ustad.runtime.core.options import Option, WholeNumber
from ustad.runtime.core.strict_json import Fields

Shape: TypeAlias = dict[str, Any]
"""A JSON Schema."""

TRUTH: Shape = {"type": "boolean"}
NUMBER: Shape = {"type": "number"}
TEXT: Shape = {"type": "string"}
TEXTS: Shape = {"type": ["string", "array"], "items": TEXT}
ANYTHING: Shape = {}


def whole(low: int, high: int) -> Shape:
    """Return the shape of a whole number in a range."""
    return {"type": "integer", "minimum": low, "maximum": high}


def one_of(choices: Iterable[Any]) -> Shape:
    """Return the shape of one of some values."""
    return {"enum": list(choices)}


def list_of(item: Shape, least: int = 0, most: int | None = None) -> Shape:
    """Return the shape of a list of so many items."""
    many = {"minItems": least} | ({} if most is None else {"maxItems": most})
    return {"type": "array", "items": item, **many}


def or_null(shape: Shape) -> Shape:
    """Return the shape of a value that may be null too."""
    if "enum" in shape:
        return {**shape, "enum": [*shape["enum"], None]}
    if "type" in shape:
        kinds = shape["type"] if isinstance(shape["type"], list) else [shape["type"]]
        return {**shape, "type": [*kinds, "null"]}
    return {"if": {"type": "null"}, "else": shape}


def ref(name: str) -> Shape:
    """Return the shape that a schema defines under a name."""
    return {"$ref": f"#/$defs/{name}"}


def case(key: str, value: Any, then: Shape, within: str | None = None) -> Shape:
    """Return the shape of an object that looks so if a key has a value.

    Args:
        key: the key.
        value: its value.
        then: the shape.
        within: the key of an object in which the key stands, the object itself by default.
    """
    holds: Shape = {"required": [key], "properties": {key: {"const": value}}}
    if within is not None:
        holds = {"required": [within], "properties": {within: holds}}
    return {"if": holds, "then": then}


def object_of(values: Shape) -> Shape:
    """Return the shape of an object with any keys, all with such values."""
    return {"type": "object", "additionalProperties": values}


@dataclass(frozen=True)
class Keys:
    """The keys of an object: those that it must have, and those that it may have."""

    required: Mapping[str, Shape] = field(default_factory=dict)
    optional: Mapping[str, Shape] = field(default_factory=dict)

    def schema(self, closed: bool = True) -> Shape:
        """Return the shape; an open one has further keys."""
        shape: Shape = {
            "type": "object",
            "required": list(self.required),
            "properties": {**self.required, **self.optional},
        }
        return {**shape, "additionalProperties": False} if closed else shape

    def read(
        self, value: Any, name: str, error: Callable[[str], UstadError] = PositionError
    ) -> Fields:
        """Return an object to be read key by key, or raise the error."""
        return Fields(value, name, error, self._names)

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset((*self.required, *self.optional))


def move_of(keys: Mapping[str, Shape], beside: Mapping[str, str] | None = None) -> Shape:
    """Return the shape of a move: an object with one of some keys.

    Args:
        keys: what stands under each.
        beside: keys that another one needs beside it.
    """
    shape: Shape = {
        "type": "object",
        "properties": dict(keys),
        "additionalProperties": False,
        "minProperties": 1,
        "maxProperties": 1,
    }
    for key, other in (beside or {}).items():
        two = {"required": [other], "maxProperties": 2}
        shape |= {"if": {"required": [key]}, "then": two, "else": {"maxProperties": 1}}
        shape["maxProperties"] = 2
    return shape


def options_shape(options: Sequence[Option]) -> Shape:
    """Return the shape of an option set; each option may be missing."""

    def of(option: Option) -> Shape:
        if not isinstance(option, WholeNumber):
            return {**one_of(option.choices), "default": option.default}
        number = whole(option.low, option.high)
        shape = or_null(number) if None in option.choices else number
        return {**shape, "default": option.default}

    return Keys({}, {option.name: of(option) for option in options}).schema()


@dataclass(frozen=True)
class Shapes:
    """The shapes of a game: its positions, moves, and what chance brings."""

    position: Shape
    move: Shape
    outcome: Shape
