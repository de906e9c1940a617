"""Numbering the positions of Raja Pasu: the code of a position among those of its pattern."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.games.raja_pasu.rules import PASU


def touched_code(board: Sequence[int] | NDArray[np.int64]) -> int:
    """Return the seeds of the touched holes, those with 0 to 3, two bits a hole.

    The first touched hole has the lowest bits; a hole with more is left out.
    With no such hole this is the 28-bit code of the position (26 bits with one
    closed hole, and so on).
    """
    code = 0
    shift = 0
    for hole in range(len(board)):
        if board[hole] < PASU:
            code |= board[hole] << shift
            shift += 2
    return code
