"""The hot rule functions, compiled with numba once for solver and searching bots.

The functions stand in :mod:`ustad.runtime.games` as plain Python; here those
very functions are compiled, so that solver and game cannot disagree.  Numba is
needed from here on: it comes with the extra ``build``.

A machine compiles them once: kernels are kept on disk, see
:mod:`ustad.runtime.kernel_store`.  Numba's own cache would not notice when a function
that another one calls has changed, and a stale rule would be worse than some seconds
of compilation; here any change of any source of the package makes all kernels anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib import import_module
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core.caching import _Cache
from numba.extending import register_jitable

from ustad.runtime.games import dice_poker, melds, pasa, raja_pasu, yacht
from ustad.runtime.kernel_store import KernelStore, is_source

# These parts of numba and below carry no types.
_llvmlite: Any = import_module("llvmlite")
_config: Any = numba.config
_serialize: Any = import_module("numba.core.serialize")
_dispatcher: Any = import_module("numba.core.dispatcher")
_result: Any = import_module("numba.core.compiler").CompileResult
_array_runtime: Any = import_module("numba.core.runtime").rtsys

Function = TypeVar("Function", bound=Callable[..., object])


@cache
def _store() -> KernelStore:
    settings = (_config.OPT, _config.BOUNDSCHECK, _config.DEBUGINFO_DEFAULT)
    versions = (numba.__version__, _llvmlite.__version__, np.__version__)
    return KernelStore(repr((versions, settings)))


_listeners: list[Callable[[str], None]] = []


@contextmanager
def compilation_told(announce: Callable[[str], None] | None) -> Iterator[None]:
    """Tell in one line, within the context, if kernels have to be compiled."""
    if announce:
        _listeners.append(announce)
    try:
        yield
    finally:
        _listeners.clear()


class _Kept(_Cache):
    """The specialisations of one function that are kept on disk, as numba asks for them."""

    def __init__(self, function: Callable[..., object]) -> None:
        self._name = f"{function.__module__}.{function.__qualname__}"

    def _key(self, signature: Any, codegen: Any) -> str:
        return repr((self._name, str(signature), codegen.magic_tuple()))

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled function of a signature, None if it is not kept."""
        kernel = _store().read(self._key(sig, target_context.codegen()))
        if kernel is not None:
            # All that running needs: numba's own cache gets ready to compile, too, which
            # takes longer than all the rest.
            _array_runtime.initialize(target_context)
            with suppress(Exception):  # it was made otherwise than it seems
                return _result._rebuild(target_context, *_serialize.loads(kernel))
        while _listeners:
            _listeners.pop()("compiling, once for this machine: some seconds")
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a compiled function, unless it holds addresses of this process."""
        if not data.lifted and not data.library.has_dynamic_globals:
            kernel = _serialize.dumps(data._reduce())
            _store().write(self._key(sig, data.codegen), kernel)

    @property
    def cache_path(self) -> str:
        """Where the kernels lie."""
        return str(_store().path(""))

    def enable(self) -> None:
        """Do nothing: it is always on."""

    def disable(self) -> None:
        """Do nothing: it is always on."""

    def flush(self) -> None:
        """Do nothing: nothing waits to be written."""


def compiled(function: Function) -> Function:
    """Return the function compiled, running without the interpreter's lock.

    Division by zero gives infinity and integers wrap around, as in C.  What is no part
    of the package's sources, or refers to what only this process holds, is not kept.
    """
    kernel: Any = numba.njit(nogil=True, error_model="numpy")(function)
    known = is_source(function.__code__.co_filename) and function.__closure__ is None
    if isinstance(kernel, _dispatcher.Dispatcher) and known:
        kernel._cache = _Kept(function)
    return cast(Function, kernel)


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
    melds.how_many,
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
