"""The methods of the protocol: their keys, what stands under each, and what is checked of it.

:data:`METHODS` is the one table: requests are read by it, the JSON Schemas are made of it, and
each method is one of :class:`ustad.runtime.questions.Advisor`, with the same keys.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ustad.runtime.core import registry
from ustad.runtime.core.chance import fresh_seed
from ustad.runtime.core.errors import UsageError, shown
from ustad.runtime.core.game import LEVELS
from ustad.runtime.core.shapes import TEXT, TEXTS, TRUTH, Shape, list_of, one_of, ref, whole
from ustad.runtime.core.strict_json import is_int

LARGEST_SEED = 2**63 - 1

MOST_SEATS = 6

MOST_OPTIONS = 10**9

MOST_POINTS = 9_999
"""The most points that a target may be."""

MOST_MS = 10**7

LARGEST_BATCH = 10_000
"""Requests of the largest batch."""


class Method(NamedTuple):
    """The keys of a method, and which of them a request must have."""

    keys: tuple[str, ...] = ()
    required: tuple[str, ...] = ()


METHODS: dict[str, Method] = {
    "games": Method(),
    "new": Method(("game", "options", "players", "first", "seed", "whole"), ("game",)),
    "status": Method(("position",), ("position",)),
    "view": Method(("position", "seat"), ("position", "seat")),
    "legal": Method(("position",), ("position",)),
    "apply": Method(("position", "move", "outcome", "seed"), ("position",)),
    "ask": Method(
        ("position", "level", "strength", "top", "facts", "move", "target", "max_ms"),
        ("position",),
    ),
    "move": Method(("position", "level", "strength", "seed", "max_ms"), ("position",)),
    "hand": Method(("cards", "tiplu", "laid", "not_shown", "after_show", "options"), ("cards",)),
    "review": Method(("record", "level", "unit"), ("record",)),
    "batch": Method(("requests",), ("requests",)),
    "ping": Method(),
}
"""The methods of the protocol; each is one of :class:`Advisor`, with the same keys."""

KEYS: dict[str, Shape] = {
    "game": one_of(registry.NAMES),
    "options": {"type": "object"},
    "players": whole(1, MOST_SEATS),
    "first": whole(0, MOST_SEATS - 1),
    "seat": whole(0, MOST_SEATS - 1),
    "seed": whole(0, LARGEST_SEED),
    "whole": TRUTH,
    "position": ref("position"),
    "move": ref("move"),
    "outcome": ref("outcome"),
    "level": one_of(LEVELS),
    "strength": {"type": "number", "minimum": 0, "maximum": 1},
    "top": whole(1, MOST_OPTIONS),
    "facts": TRUTH,
    "target": whole(0, MOST_POINTS),
    "max_ms": whole(1, MOST_MS),
    "cards": TEXTS,
    "tiplu": TEXTS,
    "laid": list_of(TEXTS),
    "not_shown": TRUTH,
    "after_show": TRUTH,
    "record": ref("record"),
    "unit": TEXT,
    "requests": list_of({"type": "object"}, 0, LARGEST_BATCH),
}
"""What stands under each key of a request; a key means the same in every method."""


def check_level(level: Any) -> str:
    """Return the level if it is one, else raise UsageError."""
    if not isinstance(level, str) or level not in LEVELS:
        raise UsageError(f"level: expected one of {', '.join(LEVELS)}, got {shown(level)}")
    return level


def check_seed(seed: Any) -> int:
    """Return the seed if it is one, else raise UsageError."""
    if not is_int(seed, 0, LARGEST_SEED):
        raise UsageError(f"seed: expected a whole number from 0 to 2^63 - 1, got {shown(seed)}")
    return int(seed)


def seed_or_fresh(seed: Any) -> int:
    """Return the seed, a fresh one for None, or raise UsageError."""
    return fresh_seed() if seed is None else check_seed(seed)


def check_id(name: Any) -> str | int | float:
    """Return the id of a request if it is one, else raise UsageError."""
    if isinstance(name, str | int | float) and not isinstance(name, bool):
        return name
    raise UsageError(f"id: expected a string or a number, got {shown(name)}")


def error_to_json(kind: str, message: str) -> dict[str, str]:
    """Return an error as answers tell it, its message on one line."""
    return {"kind": kind, "message": " ".join(message.split())}


def check_top(top: Any) -> int:
    """Return how many options to give if it is such a number, else raise UsageError."""
    if not is_int(top, 1, MOST_OPTIONS):
        raise UsageError(f"top: expected a whole number from 1 to {MOST_OPTIONS}, got {shown(top)}")
    return int(top)
