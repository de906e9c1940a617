"""The identity of a table: of what game and options, what its numbers mean, how they lie."""

from __future__ import annotations

import hashlib
import json
import math
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

SUFFIX = ".h5"

LONGEST_STEM = 95
"""Bytes of the longest name of a table file without its suffix: with that of a manifest, 100,
which every file system and every archive takes."""

_DIGITS = 16
"""Digits of the digest that ends a name that would be longer."""

Check = Callable[[Mapping[str, NDArray[Any]]], None]
"""Raises ValueError if ``values`` and the parts, by name, do not go together.

It gets the parts alone where values are read block by block.
"""


def canonical_json(options: Mapping[str, Any]) -> str:
    """Return options as JSON with sorted keys and no spaces: one text for one option set."""
    return json.dumps(options, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def sha256_of_text(text: str) -> str:
    """Return the SHA-256 of a text in UTF-8, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def option_text(value: Any) -> str:
    """Return an option's value as a command line gives it."""
    return value if isinstance(value, str) else json.dumps(value)


class ArrayForm(NamedTuple):
    """The type of an array, little-endian, and its shape.

    A side that only the solver knows is -n, at most n but not 0, or -1, any length but 0.

    >>> ArrayForm("<u2", (-8, 3)).fits(np.dtype("<u2"), (5, 3))
    True
    """

    dtype: str
    shape: tuple[int, ...]

    @property
    def is_open_ended(self) -> bool:
        """Whether only the solver knows a side."""
        return min(self.shape, default=0) < 0

    def fits(self, dtype: np.dtype[Any], shape: tuple[int, ...] | None) -> bool:
        """Tell whether an array, of no shape if it is a null dataset, is of this form."""

        def side_fits(side: int, wanted: int) -> bool:
            return side == wanted or (wanted < 0 < side and (wanted == -1 or side <= -wanted))

        return (
            dtype == np.dtype(self.dtype)
            and shape is not None
            and len(shape) == len(self.shape)
            and all(map(side_fits, shape, self.shape))
        )

    def __str__(self) -> str:
        return f"{self.dtype} of shape {self.shape}"


@dataclass(frozen=True)
class TableSpec:
    """What a table must be.  A file that differs in any of this is refused.

    Attributes:
        game: the game's name.
        options: the full option set.
        quantity: what one number of the table is, in words.
        unit: its unit.
        index_version: counts up when the index formula changes.
        index_formula: which position has which index, in words.
        shape: the shape of the values, see :class:`ArrayForm`.
        start_index: the flat index of the start of the game.
        dtype: the type of the values, little-endian: ``<f8`` unless they are
            whole numbers by nature.
        parts: further arrays that a reader needs to find a value, by name; they are read and
            checked with the values.
        plain: the names of arrays (``values`` or a part) that are stored without
            compression, since unpacking them would take longer than reading them.
        mapped: whether the values, being too many to read at once, are read and checked
            block by block.
        solver_version: counts up when the solver's answers change.
        defaults: the options of the usual table; the name of the file tells those that differ.
        least: no value is less.
        most: no value is more.
        check: sees on opening that values and parts go together; it gets the parts alone
            where values are read block by block.
    """

    game: str
    options: Mapping[str, Any]
    quantity: str
    unit: str
    index_version: int
    index_formula: str
    shape: tuple[int, ...]
    start_index: int
    dtype: str = "<f8"
    parts: Mapping[str, ArrayForm] = field(default_factory=dict)
    plain: tuple[str, ...] = ()
    mapped: bool = False
    solver_version: int = 1
    defaults: Mapping[str, Any] = field(default_factory=dict)
    least: float = -math.inf
    most: float = math.inf
    check: Check | None = None

    @property
    def arrays(self) -> dict[str, ArrayForm]:
        """The arrays that a table of this spec holds, ``values`` and the parts."""
        return {"values": ArrayForm(self.dtype, self.shape), **self.parts}

    @property
    def options_json(self) -> str:
        """The options as canonical JSON."""
        return canonical_json(self.options)

    @property
    def file_name(self) -> str:
        """The name of the file: the game and the options that differ from the defaults.

        Where that would be too long, as many of them as have room, and a digest of all.
        """
        words = [
            f"{name}={option_text(value)}"
            for name, value in sorted(self.options.items())
            if name not in self.defaults or self.defaults[name] != value
        ]
        stem = ",".join([self.game, *words])
        digest = sha256_of_text(self.options_json)[:_DIGITS]
        while len(stem.encode()) > LONGEST_STEM:
            words.pop()
            stem = ",".join([self.game, *words, digest])
        return stem + SUFFIX

    def path(self, folder: Path) -> Path:
        """Return the file's place in a folder of tables."""
        return folder / self.file_name

    @property
    def what(self) -> str:
        """The game and options in words, for messages."""
        options = (f"{name}={option_text(value)}" for name, value in sorted(self.options.items()))
        return " ".join([self.game, *options])

    def build_command(self, folder: Path, force: bool = False) -> str:
        """Return the command that builds this table in a folder."""
        words = ["ustad", "build", self.game]
        for name, value in sorted(self.options.items()):
            words += ["--option", f"{name}={option_text(value)}"]
        words += ["--tables", str(folder)]
        return shlex.join(words + ["--force"] * force)
