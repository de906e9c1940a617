"""The text of a manifest: a line for each key, the last its own digest, over the bytes before."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from typing import Any

FORMAT = "ustad export"
FORMAT_VERSION = 2
DIGEST = "sha256"

LARGEST_MANIFEST = 4_000_000
"""Characters of the largest manifest that is read."""


def _number(value: float) -> str:
    """Return a float as JavaScript writes it: the same digits, another form of exponent."""
    if not math.isfinite(value):
        raise ValueError(f"{value} has no place in a manifest")
    if value == int(value):
        return canonical(int(value))
    digits, _, power = repr(value).partition("e")
    if not power:
        return digits
    if int(power) < -6:
        return f"{digits}e{int(power)}"
    sign = "-" * (digits[0] == "-")
    return f"{sign}0.{'0' * (-int(power) - 1)}{digits.lstrip('-').replace('.', '')}"


def canonical(value: Any) -> str:
    """Return a JSON value as ``JSON.stringify`` of JavaScript writes it.

    Keys that look like whole numbers would change their order there; they are refused.

    Raises:
        ValueError: a number that is not finite or too large to be exact, or such a key.
    """
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, int):
        if abs(value) > 2**53:
            raise ValueError(f"{value} is no exact number in JavaScript")
        return str(value)
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str) or key.isdecimal():
                raise ValueError(f"the key {key!r} has no place in a manifest")
        pairs = (f"{canonical(key)}:{canonical(held)}" for key, held in value.items())
        return "{" + ",".join(pairs) + "}"
    return "[" + ",".join(map(canonical, value)) + "]"


def _seal(digested: bytes) -> bytes:
    """Return the end of a manifest's bytes, all that its digest is not over."""
    return f',\n"{DIGEST}": "{hashlib.sha256(digested).hexdigest()}"\n}}\n'.encode()


def is_sealed(content: bytes) -> bool:
    """Tell whether bytes end in the digest of those before it, as those of a manifest do."""
    size = len(_seal(b""))
    return content[-size:] == _seal(content[:-size])


def manifest_text(manifest: Mapping[str, Any]) -> str:
    """Return the text of a manifest with its digest, a line for each key."""
    canonical(dict.fromkeys(manifest))  # refuses keys that JavaScript would reorder
    parts = [(canonical(key), canonical(held)) for key, held in manifest.items() if key != DIGEST]
    digested = "{\n" + ",\n".join(f"{key}: {held}" for key, held in parts)
    return digested + _seal(digested.encode()).decode()
