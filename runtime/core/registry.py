"""The rules of the games, one module a game, and the list of games.

A game is added by its module's name here and nowhere else.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ustad.runtime.errors import UsageError, shown
from ustad.runtime.games.base import GameType

NAMES = ("yacht", "dice_poker", "pasa", "raja_pasu", "marriage")
"""The games, each a module of this package that holds its :class:`GameType` as ``TYPE``."""


def game_type(name: Any) -> GameType:
    """Return the registered object of a game, or raise UsageError naming those there are."""
    if not isinstance(name, str) or name not in NAMES:
        raise UsageError(f"game: expected one of {', '.join(NAMES)}, got {shown(name)}")
    found: GameType = import_module(f"ustad.runtime.games.{name}").TYPE
    return found
