"""Where table files are."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from ustad.tables.errors import NoFolderError

VARIABLE = "USTAD_TABLES"
"""The environment variable that names the folder."""


def _checkout_folder() -> Path | None:
    """Return ``tables/built`` of the checkout this code runs from, None outside of one."""
    here = Path(__file__).resolve().parent
    in_checkout = here.name == "tables" and (here.parent / "pyproject.toml").is_file()
    return here / "built" if in_checkout else None


def user_folder(cache: bool = False) -> Path:
    """Return our folder among the user's, by the custom of the system.

    Args:
        cache: that for what can be made again, not that for data.

    Raises:
        RuntimeError: the user has no home.
    """
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / ("Caches" if cache else "Application Support")
    elif cache:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    else:
        base = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return base / "ustad"


def tables_folder(given: Path | str | None = None) -> Path:
    """Return the folder of the tables.

    The first of these that applies: the one given, the one that the environment
    variable ``USTAD_TABLES`` names, ``tables/built`` of a checkout, the user's
    data folder.  It need not exist.

    Raises:
        NoFolderError: none is named, and the user has no home.
    """
    if given is not None:
        return Path(given)
    if named := os.environ.get(VARIABLE):
        return Path(named)
    if (built := _checkout_folder()) is not None:
        return built
    try:
        return user_folder() / "tables"
    except RuntimeError:
        raise NoFolderError(VARIABLE) from None
