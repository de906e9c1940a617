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
    probability: NotRequired[float]
    match: NotRequired[str | None]
    facts: NotRequired[Mapping[str, Any]]


class AskAnswer(TypedDict):
    """The best moves; at levels that rate moves the value too, its unit, and all options."""

    best: list[Move]
    value: NotRequired[float]
    unit: NotRequired[str]
    options: NotRequired[list[OptionAnswer]]
    exact: NotRequired[bool]
    match: NotRequired[str | None]
    win_shares: NotRequired[list[float]]
    outlook: NotRequired[str]
    asked: NotRequired[OptionAnswer]
    why: NotRequired[str]
    final_total: NotRequired[dict[str, Any]]
    bonus_chance: NotRequired[float]


class Status(TypedDict):
    """Who is to do what: ``to`` is ``move``, ``chance`` or ``over``.

    ``returns`` and ``winners`` are there once it is over; what a view cannot know is None.
    """

    to: str
    seat: int | None
    scores: list[float] | None
    returns: list[float] | None
    winners: list[int] | None


class StatusAnswer(TypedDict):
    """Where a game stands."""

    status: Status


class ViewAnswer(StatusAnswer):
    """A position, and where its game stands."""

    position: Position


class LegalAnswer(TypedDict):
    """The legal moves, none where the position waits for chance or is over."""

    legal: list[Move]


class MoveAnswer(TypedDict):
    """The move that a bot plays, and the seed that repeats it."""

    move: Move
    seed: int


class NewAnswer(ViewAnswer):
    """The start of a game, and the seed that deals it again."""

    seed: int


class ApplyAnswer(ViewAnswer):
    """The position after a move or an outcome, and what happened, in order.

    ``seed`` is there if chance was drawn from one.
    """

    events: list[dict[str, Any]]
    seed: NotRequired[int]


class GameAnswer(TypedDict):
    """What there is to know of a game before it is played."""

    title: str
    options: dict[str, dict[str, Any]]
    players: dict[str, int]
    levels: list[str]
    tables: dict[str, bool]


class GamesAnswer(TypedDict):
    """The games by name."""

    games: dict[str, GameAnswer]


class Response(TypedDict):
    """A result or an error, with the id of the request if it had one."""

    id: NotRequired[str | int | float]
    result: NotRequired[Any]
    error: NotRequired[dict[str, str]]


class BatchAnswer(TypedDict):
    """What came of each request, in their order."""

    results: list[Response]


class PingAnswer(TypedDict):
    """The version, for how many seconds it has run, and how many tables are open."""

    version: str
    seconds: float
    tables: int
