"""JSON read strictly: what a reader might take in two ways is refused.

Keys that stand twice, NaN and infinities, nesting beyond reason and keys that
nobody asked for are errors, each a line that names the key and what was
expected.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Iterable
from typing import Any, NoReturn

from ustad.runtime.core.errors import JsonError, PositionError, UstadError, shown

LARGEST_TEXT = 1_000_000
"""Characters of the largest text that is parsed; a position has a few hundred."""

_LONGEST_NUMBER = 400
"""Characters of the longest whole number that is read: any of 64 bits, and any float."""

_REQUIRED: Any = object()


MARK = "\ufeff"
"""The byte-order mark that some editors put before a text."""


def without_mark(text: str) -> str:
    """Return the text of a file without the byte-order mark that it may begin with."""
    return text.removeprefix(MARK)


def loads(text: str, what: str, most: int = LARGEST_TEXT) -> Any:
    """Parse JSON.

    >>> loads('{"dice": [1, 1, 3, 4, 6]}', "position")
    {'dice': [1, 1, 3, 4, 6]}
    >>> loads('{"dice": 1, "dice": 2}', "position")
    Traceback (most recent call last):
        ...
    ustad.runtime.core.errors.JsonError: position: the key "dice" stands twice

    Args:
        text: the text.
        what: its name in error messages, such as ``position``.
        most: the most characters that it may have.

    Raises:
        JsonError: if it is not strict JSON, is too long, or is nested too deep.
    """
    if len(text) > most:
        raise JsonError(f"{what}: {len(text)} characters, expected at most {most}")

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in items:
            if key in found:
                raise JsonError(f"{what}: the key {shown(key)} stands twice")
            found[key] = value
        return found

    def constant(name: str) -> NoReturn:
        raise JsonError(f"{what}: {shown(name)[1:-1]} is no finite number")

    def finite(number: str) -> float:
        value = float(number)
        return value if math.isfinite(value) else constant(number)

    def whole(number: str) -> int:
        if len(number) > _LONGEST_NUMBER:
            raise JsonError(f"{what}: a number of {len(number)} characters is too long")
        return int(number)

    try:
        return json.loads(
            text,
            object_pairs_hook=pairs,
            parse_constant=constant,
            parse_float=finite,
            parse_int=whole,
        )
    except json.JSONDecodeError as error:
        where = f"line {error.lineno} column {error.colno}"
        raise JsonError(f"{what}: not JSON at {where}: {error.msg}") from None
    except RecursionError:
        raise JsonError(f"{what}: nested too deep") from None
    except ValueError as error:
        raise JsonError(f"{what}: {error}".splitlines()[0]) from None


def is_int(value: Any, low: int, high: int) -> bool:
    """Tell whether the value is a whole number (true and false are none) in the range."""
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


class Fields:
    """One JSON object, read key by key; :meth:`done` refuses what was not read."""

    def __init__(
        self,
        value: Any,
        name: str,
        error: Callable[[str], UstadError] = PositionError,
        declared: Collection[str] | None = None,
    ) -> None:
        self._declared = declared
        self._name = name
        self._error = error
        if not isinstance(value, dict):
            raise error(f"{name}: expected an object, got {shown(value)}")
        self._left = dict(value)
        self._read: list[str] = []

    def fail(self, key: str, expected: str, got: Any) -> NoReturn:
        """Raise the error for a key whose value is not what was expected."""
        raise self._error(f"{self._name}: {key}: expected {expected}, got {shown(got)}")

    def take(self, key: str, default: Any = _REQUIRED) -> Any:
        """Return the value of a key; without a default the key must be there."""
        assert self._declared is None or key in self._declared, f"{key} is not declared"
        self._read.append(key)
        if key in self._left:
            return self._left.pop(key)
        if default is _REQUIRED:
            raise self._error(f"{self._name}: the key {shown(key)} is missing")
        return default

    def integer(self, key: str, low: int, high: int, default: Any = _REQUIRED) -> int:
        """Return a whole number in the range ``low`` to ``high``."""
        value = self.take(key, default)
        if not is_int(value, low, high):
            expected = f"{low}" if low == high else f"a whole number from {low} to {high}"
            self.fail(key, expected, value)
        return int(value)

    def one_of(self, key: str, choices: Iterable[str], default: Any = _REQUIRED) -> str:
        """Return one of the given words."""
        value = self.take(key, default)
        choices = tuple(choices)
        if not isinstance(value, str) or value not in choices:
            self.fail(key, "one of " + ", ".join(choices), value)
        return value

    def done(self) -> None:
        """Refuse the keys that nobody read."""
        for key in self._left:
            expected = ", ".join(sorted(self._read))
            raise self._error(f"{self._name}: unknown key {shown(key)}, expected {expected}")
