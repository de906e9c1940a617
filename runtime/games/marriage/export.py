"""The export of Marriage: the learned numbers of its expert, as they are.

A number belongs to a feature of a decision; :mod:`ustad.runtime.games.marriage.states` says
what each is.  The engine plays all levels, easy to hard by weights of its own.  The vectors are
positions with the expert's moves and nets, and with the ``features`` that the net is the sum of,
so that a reader in another language can check what it counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ustad.runtime.core.work import Progress
from ustad.runtime.export.content import Content, Exporter, Packed
from ustad.runtime.games.marriage.codec import CODEC
from ustad.runtime.games.marriage.expert import ExpertBot
from ustad.runtime.games.marriage.round.rules import RULES
from ustad.runtime.games.marriage.states import NUMBER_NAMES
from ustad.runtime.games.marriage.tables import TABLES, expert_numbers
from ustad.runtime.questions import advice_to_json

READER = (
    "marriage.js",
    "cards.js",
    "course.js",
    "decisions.js",
    "hand_facts.js",
    "finishes.js",
    "hands.js",
    "nets.js",
    "ratings.js",
    "round.js",
    "round_checks.js",
    "round_json.js",
    "shows.js",
)
"""The modules of the engine, that with ``open`` first."""

VECTORS = 64
VECTORS_SEED = 7
_EVERY = 7
"""Of so many moves one becomes a vector."""


def content(options: Mapping[str, Any], folder: Path, progress: Progress | None = None) -> Content:
    """Return the export of the numbers that are built, else of those that ship.

    Raises:
        TableError: the numbers that are built are damaged.
        OptionError: options are given; there are none.
    """
    del progress
    spec = TABLES.spec(options)
    numbers = expert_numbers(folder)
    return Content(
        options={},
        facts={
            "quantity": spec.quantity,
            "unit": spec.unit,
            "index_formula": "values[i] is the number of names[i]",
            "counts": {"values": len(numbers)},
            "option_defaults": RULES.read_options({}),
            "index_version": spec.index_version,
            "names": list(NUMBER_NAMES),
        },
        files={"values.bin": {"values": Packed(np.ascontiguousarray(numbers, dtype="<f8"))}},
        reader=READER,
        levels={"expert": "net"},
        proof={"numbers": len(numbers), "changed": 0, "largest_cost": 0},
        vectors=_vectors(folder),
    )


def _vectors(folder: Path) -> list[dict[str, Any]]:
    """Return positions of rounds of four experts with the expert's answers."""
    rules = RULES.read({})
    bot = ExpertBot(expert_numbers(folder))
    found: list[dict[str, Any]] = []
    moves = 0
    for number in range(VECTORS):
        state = rules.deal(4, (VECTORS_SEED, number))
        while not state.is_over() and len(found) < VECTORS:
            view = state.view(state.current_player())
            moves += 1
            if moves % _EVERY == 0:
                answer = advice_to_json(CODEC, bot.ask(view))
                found.append(
                    {
                        "position": CODEC.state_to_json(view),
                        "best": answer["best"],
                        "value": answer["value"],
                        "read": answer["value"],
                        "features": bot.net_features(view),
                    }
                )
            state = state.apply(bot.choose(view))
    return found


EXPORTER = Exporter(content, TABLES.defaults, ("marriage.js", "Marriage"))
