"""What the methods of :class:`ustad.runtime.Advisor` answer, as types for Python callers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NotRequired, TypeAlias, TypedDict

Position: TypeAlias = dict[str, Any]
"""A position as JSON; its keys are each game's own."""

Move: TypeAlias = dict[str, Any]
"""A move as JSON: one key, or few, such as ``{"keep": [4]}``."""


class OptionAnswer(TypedDict):
    """A legal move and what it is worth."""

    move: Move
    value: float
    expected_total: NotRequired[float]
    facts: NotRequired[Mapping[str, Any]]


class AskAnswer(TypedDict):
    """The best moves; at levels that rate moves the value too, its unit, and all options."""

    best: list[Move]
    value: NotRequired[float]
    unit: NotRequired[str]
    options: NotRequired[list[OptionAnswer]]
    exact: NotRequired[bool]
    win_shares: NotRequired[list[float]]
    outlook: NotRequired[str]
    asked: NotRequired[OptionAnswer]
    why: NotRequired[str]


class LegalAnswer(TypedDict):
    """The legal moves, none where the position waits for chance or is over."""

    legal: list[Move]


class MoveAnswer(TypedDict):
    """The move that a bot plays."""

    move: Move


class NewAnswer(TypedDict):
    """The start of a game."""

    position: Position


class ApplyAnswer(TypedDict):
    """The position after a move or an outcome, and what happened, in order."""

    position: Position
    events: list[dict[str, Any]]
