"""Compiling flat functions with numba, and keeping on disk what was compiled.

The rules stand in :mod:`ustad.runtime.games` as plain Python; a game's module ``kernels``
compiles those very functions, so that solver and game cannot disagree.  Numba is
needed from here on: it comes with the extra ``build``.

A machine compiles them once: numba keeps them on disk (:func:`kernels_folder`).  By
itself numba would not notice when a function that another one calls has changed, and a
stale rule would be worse than some seconds of compilation; so the folder is named by a
digest of all sources of the package, and any change of any of them makes all kernels
anew.  The folder can be deleted at any time.

What numba keeps it reads back as a pickle, which can do anything.  So nobody else may be
able to write there: the folders that are made are for their owner alone, and where one of
them, or one above them, lets another write, nothing is kept and a line says why.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.extending import register_jitable

from ustad.runtime.core.work import compiling, tell
from ustad.tables import escaped, reason_of
from ustad.tables.folder import user_folder

# These parts of numba carry no types.
_FunctionCache: Any = import_module("numba.core.caching").FunctionCache
_event: Any = import_module("numba.core.event")
_config: Any = numba.config

Function = TypeVar("Function", bound=Callable[..., object])

VARIABLE = "USTAD_KERNELS"
"""The environment variable that names the folder in which the compiled kernels lie."""

_PARTS = ("runtime", "solver", "tables")


@cache
def kernels_folder() -> Path | None:
    """Return the folder for kernels of these sources, None if there can be none.

    It lies in the folder that ``USTAD_KERNELS`` names, else in the user's cache folder.
    Numba itself tells apart its own versions, those of Python, and processors.
    """
    package = Path(__file__).parents[2]
    digest = hashlib.sha256()
    with suppress(OSError, RuntimeError):  # no sources, or no home
        for part in _PARTS:
            for path in sorted((package / part).rglob("*.py")):
                digest.update(hashlib.sha256(path.read_bytes()).digest())
        named = os.environ.get(VARIABLE)
        kept = Path(named) if named else user_folder(cache=True) / "kernels"
        return private_folder(kept / digest.hexdigest()[:32])
    return None


def private_folder(folder: Path) -> Path | None:
    """Return a folder that its owner alone can change, made if it is not there, else None.

    A line on standard error says why not.
    """
    try:
        _make_private(folder)
        fault = _open_to_others(folder)
        if fault is None and not os.access(folder, os.W_OK):
            fault = f"{folder} cannot be written"
    except OSError as error:
        fault = f"{folder}: {reason_of(error)}"
    if fault is not None:
        tell(escaped(f"ustad: what is compiled is not kept: {fault}; see {VARIABLE}"))
        return None
    return folder


def _make_private(folder: Path) -> None:
    """Make a folder and those above it that are not there, for their owner alone."""
    if not folder.is_dir():
        _make_private(folder.parent)
        folder.mkdir(0o700, exist_ok=True)


def _open_to_others(folder: Path) -> str | None:
    """Return why another than this user could change what is in a folder, None if nobody can.

    The folders above count too: who can write there can put another folder in its place,
    unless the sticky bit, as of ``/tmp``, keeps others from renaming what is not theirs.
    """
    if not hasattr(os, "getuid"):
        return None  # Windows: the user's folders are the user's
    inside = True
    for path in (folder.resolve(), *folder.resolve().parents):
        found = path.stat()
        if found.st_uid not in (os.getuid(), 0) or (inside and found.st_uid != os.getuid()):
            return f"{path} belongs to another user"
        shared = found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
        if shared and (inside or not found.st_mode & stat.S_ISVTX):
            return f"{path} can be written by others"
        inside = False
    return None


class _Compiling(_event.Listener):  # type: ignore[misc]
    """Tells those who want to know that numba compiles."""

    def on_start(self, event: Any) -> None:
        """Tell them."""
        del event
        for hear in tuple(compiling):
            hear()

    def on_end(self, event: Any) -> None:
        """Nothing to tell."""


_event.register("numba:compile", _Compiling())


class _Kept(_FunctionCache):  # type: ignore[misc]
    """Numba's cache of one function, where a damaged file is as good as none."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled function of a signature, None if no sound one is kept."""
        with suppress(Exception):  # unpickling garbage can raise anything
            return super().load_overload(sig, target_context)
        with suppress(OSError):
            self.flush()
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a compiled function, if it can be written."""
        with suppress(OSError):
            super().save_overload(sig, data)


def _keep(kernel: Any, function: Callable[..., object], folder: Path) -> None:
    """Let numba keep a kernel in a folder."""
    usual, _config.CACHE_DIR = _config.CACHE_DIR, str(folder)
    try:
        kernel._cache = _Kept(function)
    finally:
        _config.CACHE_DIR = usual


def compiled(function: Function) -> Function:
    """Return the function compiled, running without the interpreter's lock.

    Division by zero gives infinity and integers wrap around, as in C.
    """
    kernel = numba.njit(nogil=True, error_model="numpy")(function)
    folder = kernels_folder() if function.__module__.startswith("ustad.") else None
    if folder and kernel is not function:
        _keep(kernel, function, folder)
    return cast(Function, kernel)


def callable_from_compiled(*functions: Callable[..., object]) -> None:
    """Let compiled code call these plain functions."""
    for function in functions:
        register_jitable(function)
