"""The words of the page: what all games share, each game's own, and the page's, a language each."""

from __future__ import annotations

import json
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from ustad.runtime.core import registry

LANGUAGES = ("en", "ne", "bn")


def joined(language: str) -> dict[str, Any]:
    """Return all words of a language: ``core``, ``page``, and by its name each game's.

    >>> sorted(joined("en"))[:3]
    ['core', 'dice_poker', 'marriage']
    """
    runtime = files("ustad.runtime")
    found = {
        "core": _words(runtime / "core" / "words", language),
        "page": _words(runtime / "page" / "words", language),
    }
    for name in registry.NAMES:
        found[name] = _words(runtime / "games" / name / "words", language)
    return found


def _words(folder: Traversable, language: str) -> dict[str, Any]:
    path = folder / f"{language}.json"
    if not path.is_file():
        return {}
    held: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return held
