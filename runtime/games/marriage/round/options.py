"""The options of Marriage."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from ustad.runtime.core.game import Game
from ustad.runtime.core.options import Option

NAME = "marriage"

OPTIONS = (
    Option("dublee", True, (True, False), "whether seven dublees are a show"),
    Option(
        "master_is_pure",
        False,
        (True, False),
        "whether the master may fill one place of a sequence and leave it pure",
    ),
    Option(
        "see_tiplu", "after_discard", ("after_discard", "at_once"), "when a shower sees the tiplu"
    ),
    Option(
        "printed_need_show",
        False,
        (True, False),
        "whether putali and master of a seat that has not shown score nothing",
    ),
    Option(
        "laid_need_tiplu",
        True,
        (True, False),
        "whether laying tanelas pays only those who come to see the tiplu",
    ),
)


class RuleNumbers(NamedTuple):
    """The options as flat functions take them; numba compiles it.

    Attributes:
        dublee: whether seven dublees are a show.
        master_is_pure: whether the master may fill one place of a sequence of the show.
        see_at_once: whether a shower sees the tiplu before the discard.
        printed_need_show: whether putali and master of who has not shown score nothing.
        laid_need_tiplu: whether laying tanelas pays only those who see the tiplu.
    """

    dublee: bool
    master_is_pure: bool
    see_at_once: bool
    printed_need_show: bool
    laid_need_tiplu: bool


class MarriageRules(Game, Protocol):
    """The rules as the states of a round know them."""

    @property
    def numbers(self) -> RuleNumbers:
        """The options for flat functions."""
