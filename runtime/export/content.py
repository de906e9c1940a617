"""What an export holds, and what games share in making it."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.entry import Codec
from ustad.runtime.core.game import CHANCE, Bot
from ustad.runtime.core.work import Progress
from ustad.runtime.questions import advice_to_json
from ustad.tables import Table

Floats = NDArray[np.float64]

DTYPES = {
    "uint8": "|u1",
    "int8": "|i1",
    "uint16": "<u2",
    "int16": "<i2",
    "uint32": "<u4",
    "int32": "<i4",
    "float64": "<f8",
}
"""The types of arrays, by the names that JavaScript gives them in lower case."""


@dataclass(frozen=True)
class Packed:
    """An array of an export.

    Attributes:
        numbers: of one of :data:`DTYPES`.
        scale: with ``offset`` says that ``offset + scale * number`` is meant, None if the
            numbers are meant themselves.
        offset: see ``scale``.
        differences: whether the file holds differences, which compress better; only numbers
            of 16 bits are written so.  See :func:`to_differences`.
    """

    numbers: NDArray[Any]
    scale: float | None = None
    offset: float = 0.0
    differences: bool = False

    @property
    def dtype(self) -> str:
        """The name of the type."""
        by_numpy = {given: name for name, given in DTYPES.items()}
        return by_numpy[self.numbers.dtype.str]

    def values(self) -> Floats:
        """Return what the numbers mean, as a reader computes it."""
        found: Floats = self.numbers.astype(np.float64)
        return found if self.scale is None else self.offset + self.scale * found


def to_differences(numbers: NDArray[np.uint16]) -> bytes:
    """Return numbers as differences along the first axis, of the first from 0.

    The low bytes of all stand first, then the high bytes; differences are modulo 2 ** 16.
    """
    steps = np.diff(numbers, axis=0, prepend=np.zeros_like(numbers[:1]))
    low, high = (steps & 0xFF).astype(np.uint8), (steps >> 8).astype(np.uint8)
    return low.tobytes() + high.tobytes()


def from_differences(content: bytes, shape: Sequence[int]) -> NDArray[np.uint16]:
    """Return the numbers that :func:`to_differences` wrote."""
    low, high = np.frombuffer(content, np.uint8).reshape(2, *shape).astype("<u2")
    return np.cumsum(low + (high << 8), axis=0, dtype="<u2")


def rounded(values: Floats, least_scale: float = 0.0) -> Packed:
    """Return values rounded to 16 bits, 0 staying 0 exactly.

    Args:
        values: finite numbers.
        least_scale: the step between neighbouring numbers is no finer; what it saves is
            the size of a compressed file.
    """
    low, high = min(float(values.min()), 0.0), max(float(values.max()), 0.0)
    scale = max((high - low) / 65534, least_scale) or 1.0
    below = int(np.ceil(-low / scale))
    numbers = np.rint(values / scale) + below
    return Packed(numbers.astype("<u2"), scale, -scale * below, differences=True)


@dataclass(frozen=True)
class Content:
    """All that an export is made of.

    Attributes:
        options: the full option set, as the game's tables are keyed.
        facts: entries of the manifest beside the common ones, by key.
        files: the arrays of each binary file, by the names of file and array.
        reader: the JavaScript modules, that with ``open`` first.
        levels: the levels that the reader plays, with the units of their values.
        proof: what was measured of the rounding.
        vectors: positions with their answers; see :func:`vectors`.
    """

    options: Mapping[str, Any]
    facts: Mapping[str, Any]
    files: Mapping[str, Mapping[str, Packed]]
    reader: Sequence[str]
    levels: Mapping[str, str]
    proof: Mapping[str, Any]
    vectors: Sequence[Mapping[str, Any]] = field(default_factory=tuple)


@dataclass(frozen=True)
class Exporter:
    """How a game is exported: ``EXPORTER`` of its module ``export``.

    Attributes:
        content: makes the content of an export from options and the folder of the tables.
        option_sets: returns the option sets of the default exports.
        engine: the module of the engine that plays the game, and its class there.
        play: makes the content of one export that suffices to play, where that is smaller than
            what answers every question.
    """

    content: Callable[[Mapping[str, Any], Path, Progress | None], Content]
    option_sets: Callable[[], Sequence[Mapping[str, Any]]]
    engine: tuple[str, str]
    play: Callable[[Mapping[str, Any], Path, Progress | None], Content] | None = None


ENCODING = {
    "arrays": (
        "An array lies in its file as little-endian numbers of its dtype from byte `at` on, of its "
        "shape, the last axis running fastest."
    ),
    "scale, offset": (
        "Where an array has them, its number q stands for offset + scale * q in float64; else the "
        "numbers stand for themselves."
    ),
    "differences": (
        "Where true, the array of n numbers q of uint16 lies in the file as n low bytes and then n "
        "high bytes. With d[k] = low[k] + 256 * high[k] and s the product of all sides of the "
        "shape but the first, q[k] = d[k] for k < s, else (q[k - s] + d[k]) modulo 65536."
    ),
    "sums": (
        "Of a file as 32-bit words, little-endian, zeros filled in at the end, two sums modulo "
        "2^32: s = s * f + word, from 0, with f = 16777619 and f = 2246822507."
    ),
    "sha256": (
        "The manifest's last key: the SHA-256 of its bytes up to, and without, the comma and line "
        "end before that key."
    ),
}
"""How the numbers of an export lie in its files, in words, for the manifest."""


def table_facts(table: Table, index_formula: str) -> dict[str, Any]:
    """Return what a manifest says of the table that an export was made of.

    Args:
        table: the table.
        index_formula: where a value stands among the arrays of the export, in words.
    """
    spec = table.spec
    return {
        "quantity": spec.quantity,
        "unit": spec.unit,
        "index_formula": index_formula,
        "index_version": spec.index_version,
        "counts": dict(table.counts),
        "table": {
            "file": spec.file_name,
            "solver_version": spec.solver_version,
            "start_value": table.start_value,
            "values_sha256": hashlib.sha256(table.values.tobytes()).hexdigest(),
        },
    }


_RANKING = ("best", "value", "unit", "options")


def vectors(
    codec: Codec[Any, Any, Any],
    starts: Sequence[Any],
    exact: Bot[Any, Any],
    read: Bot[Any, Any],
    count: int,
    seed: int,
    level: str | None = None,
) -> list[dict[str, Any]]:
    """Return positions of games played at random, with what a reader must answer.

    Each holds the ``position``, the ``best`` moves, the exact ``value``, and what the rounded
    values give: ``read``, all ``options``, and ``beside`` what else an answer holds.
    Positions where the rounding changes which moves are best are passed over; what they
    cost is part of the proof.  A manifest has no room for all options: :func:`brief` leaves
    them out.

    Args:
        codec: the game's.
        starts: states to start games from, in turn.
        exact: answers by the exact values.
        read: answers by the rounded ones, as the reader must.
        count: how many.
        seed: what the games are drawn from.
        level: what the reader is to play, if it knows several.
    """
    found: list[dict[str, Any]] = []
    for state in _positions(starts, read, seed):
        answer = advice_to_json(codec, read.ask(state))
        true = advice_to_json(codec, exact.ask(state))
        if sorted(map(str, answer["best"])) != sorted(map(str, true["best"])):
            continue
        found.append(
            {
                **({} if level is None else {"level": level}),
                "position": codec.state_to_json(state),
                "best": answer["best"],
                "value": true["value"],
                "read": answer["value"],
                "unit": answer["unit"],
                "options": [list(option.values()) for option in answer["options"]],
                "beside": {key: held for key, held in answer.items() if key not in _RANKING},
            }
        )
        if len(found) == count:
            break
    return found


def brief(found: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return vectors without their options."""
    return [{key: held for key, held in vector.items() if key != "options"} for vector in found]


def _positions(starts: Sequence[Any], bot: Bot[Any, Any], seed: int) -> Iterator[Any]:
    """Yield positions of games, each at random out of some moves, half of them the bot's."""
    source = random.Random(seed)
    while True:
        for state in starts:
            until = source.randrange(2, 9)
            while not state.is_over():
                if state.current_player() == CHANCE:
                    outcomes = state.chance_outcomes()
                    chances = [chance for _, chance in outcomes]
                    state = state.apply(source.choices(outcomes, chances)[0][0])
                    continue
                until -= 1
                if until == 0:
                    yield state
                    until = source.randrange(2, 9)
                moves = state.legal_moves()
                move = bot.choose(state) if source.random() < 0.5 else source.choice(moves)
                state = state.apply(move)
