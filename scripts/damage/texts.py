"""Damage to JSON: values, keys and items that no reader should take for what they are not."""

from __future__ import annotations

import json
import random
from typing import Any

HOSTILE_VALUES: tuple[Any, ...] = (
    None, True, False, -1, 0, 1, 2, 3, 5, 6, 7, 13, 2**31, 2**63, -(2**63), 10**400, 0.5, -0.0,
    1e308, 5e-324, "", "x", "yacht", "expert", "0", "\0", "\ud800", "उस्ताद", "x" * 1000, [], {},
    [[]], [None] * 5, [1, 2, 3, 4, 5], [0] * 1000, {"keep": [1]}, {"": 0}, {"write": "ones"},
)  # fmt: skip

HOSTILE_TEXTS = (
    "NaN", "Infinity", "-Infinity", "1e999", "-1e999", "01", "1.", ".5", "+1", "0x10", "'x'", "",
    "nul", "[", "]", "{", "}", '"', "\\", ",", ":", "\ufeff", "\u2028", "/**/", "9" * 5000,
    "1" + "0" * 400, "[" * 100, '{"a":' * 100, '"\\ud800"', '"\\u0000"', '{"a":1,"a":2}',
)  # fmt: skip


def places(value: Any, way: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the way to every value inside of a JSON value."""
    found = [way]
    if isinstance(value, dict | list):
        inside: Any = value.items() if isinstance(value, dict) else enumerate(value)
        for key, part in inside:
            found += places(part, (*way, key))
    return found


def changed(value: Any, luck: random.Random) -> Any:
    """Return a JSON object with one value, key or item changed, removed, added or doubled."""
    copy: Any = json.loads(json.dumps(value))
    *way, last = luck.choice(places(copy)[1:])
    holder = copy
    for key in way:
        holder = holder[key]
    old, how = holder[last], luck.randrange(7)
    if how == 0:
        del holder[last]
    elif how == 1 and isinstance(holder, dict):
        holder[luck.choice(["x", "", last + " ", last.upper(), "extra"])] = holder.pop(last)
    elif how == 2 and isinstance(holder, list):
        holder.insert(last, old)
    elif how == 3 and isinstance(old, int):
        holder[last] = old + luck.choice([-1, 1])
    elif how == 4:
        deep: Any = old
        for _ in range(luck.choice([1, 2, 50])):
            deep = [deep] if luck.random() < 0.5 else {"a": deep}
        holder[last] = deep
    elif how == 5 and isinstance(old, list):
        luck.shuffle(old)
    else:
        holder[last] = luck.choice(HOSTILE_VALUES)
    return copy
