"""The compiled turn solver against the one in numpy: the same bits."""

from __future__ import annotations

import numpy as np
import pytest

from ustad.runtime.games.five_dice.turn import FIRST_ROLL, Turn, best_keeps, keep_values
from ustad.solver.five_dice.turn import ROLL_COUNT, WIDTH, solve_turns, sweep_down, sweep_up


def random_stops(seed: int, low: float = -50, high: float = 300) -> np.ndarray:
    return np.random.default_rng(seed).uniform(low, high, (3, ROLL_COUNT, WIDTH))


@pytest.mark.parametrize("seed", range(4))
def test_turns_equal_numpy_bit_for_bit(seed: int) -> None:
    stop = random_stops(seed)
    if seed == 3:  # one array for all three, as yacht has it
        stop[1:] = stop[0]
    work = np.empty((FIRST_ROLL + ROLL_COUNT, WIDTH))
    solve_turns(stop[0], stop[1], stop[2], work)
    assert work[0].tobytes() == Turn((stop[0], stop[1], stop[2])).start.tobytes()


def test_each_sweep_equals_numpy_bit_for_bit() -> None:
    stop = random_stops(5)
    work = np.empty((FIRST_ROLL + ROLL_COUNT, WIDTH))
    work[FIRST_ROLL:] = stop[0]
    sweep_down(work)
    keeps = keep_values(stop[0])
    assert work.tobytes() == keeps.tobytes()
    sweep_up(stop[1], work)
    assert work[FIRST_ROLL:].tobytes() == np.maximum(stop[1], best_keeps(keeps)).tobytes()


def test_scratch_space_may_hold_anything() -> None:
    stop = random_stops(6)
    found = []
    for fill in (0.0, np.inf, np.nan):
        work = np.full((FIRST_ROLL + ROLL_COUNT, WIDTH), fill)
        solve_turns(stop[0], stop[1], stop[2], work)
        found.append(work[0].tobytes())
    assert len(set(found)) == 1


def test_lanes_do_not_touch_each_other() -> None:
    stop = random_stops(7)
    alone = stop.copy()
    stop[:, :, 1:] = np.inf  # a lane that leaked into lane 0 would show
    work = np.empty((FIRST_ROLL + ROLL_COUNT, WIDTH))
    solve_turns(stop[0], stop[1], stop[2], work)
    assert work[0, 0] == Turn(tuple(alone[:, :, 0])).start
    assert np.isposinf(work[0, 1:]).all()
