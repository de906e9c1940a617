"""The turn solver of :mod:`ustad.runtime.games.five_dice.turn`, compiled.

The problem.  A solver asks the same question half a million times: given what
stopping pays on each of the 252 rolls after the first, the second and the third
roll, what is a turn worth?

The algorithm.  The sweeps over the lattice of keeps that
:mod:`ustad.runtime.games.five_dice.turn` describes, three down and two up.  ``WIDTH`` positions
stand side by side, so that each step is one vector operation over a row.  The
additions come in the same order as there: both give the same bits, for any
width and any number of threads.

Shapes.  ``stop`` arrays are ``(252, WIDTH)`` float64, ``work`` is
``(462, WIDTH)``, in the order of :data:`ustad.runtime.games.five_dice.turn.KEEPS`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.game import TIE
from ustad.runtime.core.kernels import compiled
from ustad.runtime.games.five_dice.turn import (
    FACES,
    FIRST_ROLL,
    KEEPS,
    ONE_LESS,
    ONE_MORE,
    ROLLS,
    SIXTH,
)

Floats = NDArray[np.float64]

WIDTH = 64
"""Positions side by side."""

ROLL_COUNT = len(ROLLS)

KEEP_COUNT = len(KEEPS)

# The keeps one die below each keep, filled up to whole threes by repeating the first: the
# sweep takes three at a time, which halves its trips to memory.
_FILLED = [less + less[:1] * (-len(less) % 3) for less in ONE_LESS]
_BELOW = np.array([keep for less in _FILLED for keep in less])
_BELOW_START = np.cumsum([0, *map(len, _FILLED)])


@compiled
def _greater(a: float, b: float) -> float:
    return a if a > b else b


@compiled
def sweep_down(work: Floats) -> None:
    """Fill the keeps of zero to four dice with the mean over the keeps with one die more."""
    # The faces one by one: a loop over them would go to memory six times and take twice as long.
    for keep in range(FIRST_ROLL - 1, -1, -1):
        mean = work[keep]
        one = work[ONE_MORE[keep, 0]]
        two = work[ONE_MORE[keep, 1]]
        three = work[ONE_MORE[keep, 2]]
        four = work[ONE_MORE[keep, 3]]
        five = work[ONE_MORE[keep, 4]]
        six = work[ONE_MORE[keep, 5]]
        for c in range(WIDTH):
            mean[c] = (one[c] + two[c] + three[c] + four[c] + five[c] + six[c]) * SIXTH


@compiled
def sweep_up(stop: Floats, work: Floats) -> None:
    """Raise every keep to the best below it, and every roll to the best of that and stopping."""
    for keep in range(1, KEEP_COUNT):
        best = work[keep]
        if keep >= FIRST_ROLL:
            for c in range(WIDTH):
                best[c] = stop[keep - FIRST_ROLL, c]
        for at in range(_BELOW_START[keep], _BELOW_START[keep + 1], 3):
            one = work[_BELOW[at]]
            two = work[_BELOW[at + 1]]
            three = work[_BELOW[at + 2]]
            for c in range(WIDTH):
                best[c] = _greater(_greater(best[c], one[c]), _greater(two[c], three[c]))


@compiled
def solve_turns(stop_0: Floats, stop_1: Floats, stop_2: Floats, work: Floats) -> None:
    """Leave in ``work[0]`` what the turns are worth before their first roll.

    Args:
        stop_0: (252, WIDTH) what stopping pays on each roll with no roll left.
        stop_1: the same with one roll left; may be the same array.
        stop_2: the same with two rolls left.
        work: (462, WIDTH) scratch space.
    """
    for roll in range(ROLL_COUNT):
        for c in range(WIDTH):
            work[FIRST_ROLL + roll, c] = stop_0[roll, c]
    sweep_down(work)
    sweep_up(stop_1, work)
    sweep_down(work)
    sweep_up(stop_2, work)
    sweep_down(work)


@compiled
def sweep_up_choosing(stop: Floats, work: Floats, choice: Floats) -> None:
    """Do as :func:`sweep_up` and say what each roll does.

    Among keeps within ``TIE`` of the best the first by index counts, and any of them
    before stopping, as the bots have it.

    Args:
        stop: (252, WIDTH) what stopping pays on each roll.
        work: (462, WIDTH) the values of the keeps, of less than five dice.
        choice: (462, WIDTH) filled with keep indices, -1 to stop; float64, so that
            choosing goes as fast as comparing.
    """
    for keep in range(KEEP_COUNT):
        best = work[keep]
        chosen = choice[keep]
        if keep >= FIRST_ROLL:
            for c in range(WIDTH):
                best[c] = -np.inf
                chosen[c] = -1.0
        else:
            for c in range(WIDTH):
                chosen[c] = keep
        for at in range(_BELOW_START[keep], _BELOW_START[keep + 1]):
            below = work[_BELOW[at]]
            below_chosen = choice[_BELOW[at]]
            for c in range(WIDTH):
                more, other = below[c], below_chosen[c]
                # No short circuits: the loop is to run on vectors.
                equal = (more >= best[c] - TIE) & (other < chosen[c])
                chosen[c] = other if (more > best[c] + TIE) | equal else chosen[c]
                best[c] = _greater(best[c], more)
        if keep >= FIRST_ROLL:
            written = stop[keep - FIRST_ROLL]
            for c in range(WIDTH):
                chosen[c] = -1.0 if written[c] > best[c] + TIE else chosen[c]
                best[c] = _greater(best[c], written[c])


@compiled
def _throw(mass: Floats) -> None:
    """Let the chances of the keeps of zero to four dice go to what they become."""
    for keep in range(FIRST_ROLL):
        given = mass[keep]
        for face in range(FACES):
            grown = mass[ONE_MORE[keep, face]]
            for c in range(WIDTH):
                grown[c] += given[c] * SIXTH


@compiled
def _roll_on(choice: Floats, mass: Floats, ended: Floats) -> None:
    """Move the chances of rolls to where they stop, or to the rolls after the next throw."""
    for keep in range(FIRST_ROLL):
        for c in range(WIDTH):
            mass[keep, c] = 0.0
    for roll in range(ROLL_COUNT):
        held = mass[FIRST_ROLL + roll]
        chosen = choice[FIRST_ROLL + roll]
        for c in range(WIDTH):
            if chosen[c] < 0.0:
                ended[roll, c] += held[c]
            else:
                mass[int(chosen[c]), c] += held[c]
            held[c] = 0.0
    _throw(mass)


class Play(NamedTuple):
    """Arrays for turns side by side that are solved and then played by their best choices.

    Attributes:
        stop: (252, WIDTH) what stopping pays on each roll, after any throw.
        ended: (252, WIDTH) the chance that the play stops on each roll.
        work: (462, WIDTH) the values of the keeps; ``work[0]`` is what the turns are worth.
        first: (462, WIDTH) the choices after the first throw.
        second: (462, WIDTH) the choices after the second throw.
        mass: (462, WIDTH) the chances of the keeps between two throws.
    """

    stop: Floats
    ended: Floats
    work: Floats
    first: Floats
    second: Floats
    mass: Floats


@compiled
def new_play() -> Play:
    """Return the arrays, empty."""
    rolls, keeps = (ROLL_COUNT, WIDTH), (KEEP_COUNT, WIDTH)
    return Play(
        np.zeros(rolls),
        np.zeros(rolls),
        np.zeros(keeps),
        np.zeros(keeps),
        np.zeros(keeps),
        np.zeros(keeps),
    )


@compiled
def fill_ended(play: Play) -> None:
    """Solve the turns by their ``stop`` and fill ``ended`` by the best choices."""
    play.work[FIRST_ROLL:] = play.stop
    sweep_down(play.work)
    sweep_up_choosing(play.stop, play.work, play.second)
    sweep_down(play.work)
    sweep_up_choosing(play.stop, play.work, play.first)
    sweep_down(play.work)
    play.mass[:] = 0.0
    play.ended[:] = 0.0
    play.mass[0] = 1.0
    _throw(play.mass)
    _roll_on(play.first, play.mass, play.ended)
    _roll_on(play.second, play.mass, play.ended)
    play.ended[:] += play.mass[FIRST_ROLL:]
