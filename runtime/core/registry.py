"""The list of games, and what each registers: found by its name, loaded when asked for.

A game is added by its folder in :mod:`ustad.runtime.games` and its name here.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ustad.runtime.core.entry import AnyEntry, Command
from ustad.runtime.core.errors import UsageError, shown

NAMES = ("yacht", "dice_poker", "pasa", "raja_pasu", "marriage")
"""The games, each a folder of :mod:`ustad.runtime.games`."""

OWN_COMMANDS = {"hand": "marriage"}
"""The commands that one game alone has, and which."""


def entry(name: Any) -> AnyEntry:
    """Return the entry of a game, ``ENTRY`` of its module ``entry``.

    Raises:
        UsageError: there is no such game; the message names those there are.
    """
    if not isinstance(name, str) or name not in NAMES:
        raise UsageError(f"game: expected one of {', '.join(NAMES)}, got {shown(name)}")
    found: AnyEntry = import_module(f"ustad.runtime.games.{name}.entry").ENTRY
    return found


def command(name: str) -> Command:
    """Return a command of one game alone, a name among :data:`OWN_COMMANDS`."""
    return next(own for own in entry(OWN_COMMANDS[name]).commands if own.name == name)


def exporter(name: Any) -> Any:
    """Return what exports a game, ``EXPORTER`` of its module ``export``.

    It is a :class:`ustad.runtime.export.Exporter`.

    Raises:
        UsageError: there is no such game, or it has no export.
    """
    module = f"ustad.runtime.games.{entry(name).name}.export"
    try:
        return import_module(module).EXPORTER
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        raise UsageError(f"export: {name} has no export") from None
