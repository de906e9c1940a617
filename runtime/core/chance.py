"""Chance from a seed: one draw, defined in words, that any language can write again.

**The problem.**  A seed given with a request repeats the answer, in Python and on a phone, and
yet two positions must not get the same dice because somebody gave both the same seed.

**The draw.**  The *text* is the canonical JSON (keys sorted, no spaces, ASCII) of
``[seed, method, position]``.  Block i = 0, 1, ... is the SHA-256 of the text followed by ``#``
and i in decimal; it gives eight 32-bit words, big-endian, in order.  Everything is made of them:

- :meth:`Chance.below`: the next word w; if w >= floor(2^32 / n) n the next one; else w mod n;
- :meth:`Chance.fraction`: two words a and b: ((a >> 5) 2^26 + (b >> 6)) / 2^53;
- :meth:`Chance.outcome`: running sums of the probabilities in the rules' order; the first that
  exceeds the fraction times the last of them;
- :meth:`Chance.shuffled`: Fisher-Yates from the end, i with ``below(i + 1)``.

**Who draws from what.**  ``position`` is as the codec writes it.  ``apply``: the position in
which chance falls, so a move and a seed together bring what both bring one after the other.
``move``: the position as the seat to move sees it; a bot's random choices are drawn from it.
``new``, where cards are dealt: game, options, players and first, defaults filled in.

Python's own ``random`` and numpy's are for what no other language repeats: arenas and learning.
"""

from __future__ import annotations

import json
import secrets
import struct
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from itertools import accumulate
from typing import Any, TypeAlias, TypeVar

ItemT = TypeVar("ItemT")

Seed: TypeAlias = int | Sequence[int]
"""What a game's chance is drawn from: a request's seed, or a seed and the number of a game."""

FRESH_SEEDS = 2**53
"""How many seeds there are to draw from: whole numbers that JavaScript holds."""

_WORDS = 2**32


def fresh_seed() -> int:
    """Return a seed that nobody can foresee."""
    return secrets.randbelow(FRESH_SEEDS)


class Chance:
    """Random numbers that follow from seed, method and position alone.

    >>> draw = Chance(7, "apply", {"game": "yacht"})
    >>> [draw.below(6) + 1 for _ in range(5)]
    [6, 5, 1, 4, 6]

    Args:
        seed: the seed.
        method: what it is drawn for.
        position: where it is drawn, as JSON.
    """

    def __init__(self, seed: Seed, method: str, position: Any) -> None:
        known = [seed, method, position]
        self._text = json.dumps(known, sort_keys=True, separators=(",", ":")).encode()
        self._blocks = 0
        self._words: list[int] = []

    def word(self) -> int:
        """Return the next whole number below 2^32."""
        if not self._words:
            block = sha256(self._text + b"#%d" % self._blocks).digest()
            self._blocks += 1
            self._words = list(reversed(struct.unpack(">8I", block)))
        return self._words.pop()

    def below(self, count: int) -> int:
        """Return a whole number from 0 to ``count`` - 1, each equally likely."""
        fair = _WORDS // count * count
        while (word := self.word()) >= fair:
            pass
        return word % count

    def fraction(self) -> float:
        """Return a number from 0 to below 1."""
        high, low = self.word() >> 5, self.word() >> 6
        return (high * 2**26 + low) / 2**53

    def choice(self, items: Sequence[ItemT]) -> ItemT:
        """Return one of the items, each equally likely."""
        return items[self.below(len(items))]

    def outcome(self, outcomes: Sequence[tuple[ItemT, float]]) -> ItemT:
        """Return one of the outcomes, each with its probability."""
        sums = list(accumulate(probability for _, probability in outcomes))
        reached = self.fraction() * sums[-1]
        first = next((at for at, total in enumerate(sums) if total > reached), -1)
        return outcomes[first][0]

    def shuffled(self, items: Iterable[ItemT]) -> list[ItemT]:
        """Return the items in random order."""
        order = list(items)
        for at in range(len(order) - 1, 0, -1):
            other = self.below(at + 1)
            order[at], order[other] = order[other], order[at]
        return order


def move_chance(seed: int, to_json: Callable[[Any], Any]) -> Callable[[Any], Chance]:
    """Return what gives a bot its draw in a view.

    Args:
        seed: the bot's seed.
        to_json: writes a view as a position.
    """
    return lambda view: Chance(seed, "move", to_json(view))
