"""The list of games, and what each registers: found by its name, loaded when asked for.

A game is added by its folder in :mod:`ustad.runtime.games` and its name here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from ustad.runtime.core.entry import AnyEntry, Command
from ustad.runtime.core.errors import UsageError, shown
from ustad.runtime.core.work import Progress

NAMES = ("yacht", "dice_poker", "pasa", "raja_pasu", "marriage")
"""The games, each a folder of :mod:`ustad.runtime.games`."""

OWN_COMMANDS = {"hand": "marriage"}
"""The commands that one game alone has, and which."""


def entry(name: Any) -> AnyEntry:
    """Return the entry of a game, ``ENTRY`` of its module ``entry``.

    Raises:
        UsageError: there is no such game; the message names those there are.

    >>> entry("yacht").rules.read({"second_yacht": "plain"}).options
    {'second_yacht': 'plain'}
    """
    if not isinstance(name, str) or name not in NAMES:
        raise UsageError(f"game: expected one of {', '.join(NAMES)}, got {shown(name)}")
    found: AnyEntry = import_module(f"ustad.runtime.games.{name}.entry").ENTRY
    return found


def command(name: str) -> Command:
    """Return a command of one game alone, a name among :data:`OWN_COMMANDS`."""
    return next(own for own in entry(OWN_COMMANDS[name]).commands if own.name == name)


class GameExporter(Protocol):
    """How a game is exported: what :class:`ustad.runtime.export.Exporter` is."""

    @property
    def content(self) -> Callable[[Mapping[str, Any], Path, Progress | None], Any]:
        """Makes the content of an export from options and the folder of the tables."""

    @property
    def option_sets(self) -> Callable[[], Sequence[Mapping[str, Any]]]:
        """Returns the option sets of the default exports."""

    @property
    def engine(self) -> tuple[str, str]:
        """The module of the phone engine that plays the game and its class."""

    @property
    def play(self) -> Callable[[Mapping[str, Any], Path, Progress | None], Any] | None:
        """Makes the content of one export that suffices to play, None where that is no smaller."""


def exporter(name: Any) -> GameExporter:
    """Return what exports a game, ``EXPORTER`` of its module ``export``.

    Raises:
        UsageError: there is no such game, or it has no export.
    """
    module = f"ustad.runtime.games.{entry(name).name}.export"
    try:
        found: GameExporter = import_module(module).EXPORTER
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        raise UsageError(f"export: {name} has no export") from None
    return found
