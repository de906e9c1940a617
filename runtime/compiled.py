"""The hot rule functions, compiled with numba once for solver and searching bots.

The functions stand in :mod:`ustad.runtime.games` as plain Python; here those
very functions are compiled, so that solver and game cannot disagree.  Numba is
needed from here on: it comes with the extra ``build``.

Nothing is cached on disk: numba's cache does not notice when a function that
another one calls has changed, and a stale rule in a solver would be worse than
some seconds of compilation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

import numba
from numba.extending import register_jitable

from ustad.runtime.games import dice_poker, melds, pasa, raja_pasu, yacht

Function = TypeVar("Function", bound=Callable[..., object])


def compiled(function: Function) -> Function:
    """Return the function compiled, running without the interpreter's lock.

    Division by zero gives infinity and integers wrap around, as in C.
    """
    return cast(Function, numba.njit(nogil=True, error_model="numpy")(function))


def callable_from_compiled(*functions: Callable[..., object]) -> None:
    """Let compiled code call these plain functions."""
    for function in functions:
        register_jitable(function)


callable_from_compiled(yacht.five_equal, yacht.box_points, yacht.has_jokers)

yacht_write_points = compiled(yacht.write_points)
yacht_extra_points = compiled(yacht.extra_points)
yacht_upper_after = compiled(yacht.upper_after)
yacht_upper_points = compiled(yacht.upper_points)
yacht_state_number = compiled(yacht.state_number)
yacht_after = compiled(yacht.yacht_after)

callable_from_compiled(dice_poker.part_count)

dice_poker_writable_rows = compiled(dice_poker.writable_rows)
dice_poker_may_pass = compiled(dice_poker.may_pass)
dice_poker_bonus_points = compiled(dice_poker.bonus_points)
dice_poker_state_number = compiled(dice_poker.state_number)

pasa_most_allowed = compiled(pasa.most_allowed)
pasa_next_bet = compiled(pasa.next_bet)

callable_from_compiled(
    raja_pasu.note,
    raja_pasu.sow_laps,
    raja_pasu.copy_holes,
    raja_pasu.same_holes,
    raja_pasu.play_long,
)

raja_pasu_play_hole = compiled(raja_pasu.play_hole)
raja_pasu_touched_code = compiled(raja_pasu.touched_code)

callable_from_compiled(
    melds.poplu,
    melds.jhiplu,
    melds.alter,
    melds.joker_mask,
    melds.copies_pay,
    melds.marriage_points,
    melds.maal_points,
    melds.suit_key,
    melds.suit_covers,
    melds.remembered_covers,
    melds.add_covers,
    melds.max_covers,
    melds.putali_covers,
    melds.dublee_count,
    melds.run_outs,
    melds.other_suits,
    melds._add_group,
    melds._fits,
    melds._distance,
    melds.list_groups,
    melds.search_finish,
    melds.show_distance,
)

marriage_show_distance = compiled(melds.show_distance)
marriage_search_finish = compiled(melds.search_finish)
