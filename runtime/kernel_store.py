"""Compiled kernels on disk, so that a machine compiles them once.

**The danger.**  A kernel holds the machine code of all functions that it calls.  A
kernel kept beyond a change of any of them would play by old rules, unnoticed.

**The key.**  Kernels lie in a folder named by a digest of every Python source of the
package, of Python, and of whatever else the caller says they were made by.  Whatever
changes, the folder is another one.  Sources that have changed since this process
loaded the package are not those that it runs: then nothing is kept or looked for.

**A file** is the SHA-256 of its content, then the content.  One that is damaged is
passed over, and written anew.  Files are put in place whole, so processes may read and
write side by side.  A folder that cannot be written costs a compilation, no more.

The place is ``$USTAD_KERNELS``, else the user's cache folder.  Folders of other keys
that were not used for ``KEPT_DAYS`` are removed when a new one is made.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

LOADED = time.time()
"""When this process loaded the package: sources changed later are not what it runs."""
KEPT_DAYS = 30

_PACKAGE = Path(__file__).parents[1]
_PARTS = ("runtime", "solver", "tables")
_DIGEST = hashlib.sha256().digest_size
_KEY = re.compile("key-[0-9a-f]{32}")

Stamps = dict[str, tuple[int, int]]
"""When each source was last changed, in nanoseconds, and its size."""


def kernels_folder() -> Path:
    """Return the folder of the kernels of all keys."""
    named = os.environ.get("USTAD_KERNELS")
    if named:
        return Path(named)
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "ustad" / "kernels"


def is_source(path: str) -> bool:
    """Tell whether a file is one of the package's sources."""
    return any(Path(path).is_relative_to(_PACKAGE / part) for part in _PARTS)


def _sources() -> Iterator[Path]:
    for part in _PARTS:
        yield from sorted((_PACKAGE / part).rglob("*.py"))


def _stamps(sources: Iterable[Path]) -> Stamps:
    found = ((path, path.stat()) for path in sources)
    return {str(path): (stat.st_mtime_ns, stat.st_size) for path, stat in found}


class KernelStore:
    """The kernels of one key.

    Args:
        made_by: versions and settings that the kernels depend on, beside the sources
            and Python.
        loaded: when this process loaded the package.
    """

    def __init__(self, made_by: str, loaded: float = LOADED) -> None:
        self._folder: Path | None = None
        self._used = False
        with contextlib.suppress(OSError, RuntimeError):  # no home folder
            self._stamps = _stamps(_sources())
            if __file__ not in self._stamps:
                return  # no sources lie there
            if any(changed > loaded * 1e9 for changed, _ in self._stamps.values()):
                return
            digest = hashlib.sha256(f"{sys.version} {sys.platform} {made_by}".encode())
            for path in _sources():
                digest.update(f" {path.relative_to(_PACKAGE)} ".encode())
                digest.update(hashlib.sha256(path.read_bytes()).digest())
            self._folder = kernels_folder() / f"key-{digest.hexdigest()[:32]}"

    def path(self, name: str) -> Path | None:
        """Return where a kernel lies or would lie, None if none is kept."""
        if self._folder is None:
            return None
        return self._folder / hashlib.sha256(name.encode()).hexdigest()

    def read(self, name: str) -> bytes | None:
        """Return a kernel, None if there is no sound one."""
        with contextlib.suppress(OSError):
            path = self.path(name)
            if path is None or not self._as_loaded():
                return None
            content = path.read_bytes()
            if not self._used:
                self._used = True
                os.utime(path.parent)
            digest, kernel = content[:_DIGEST], content[_DIGEST:]
            return kernel if hashlib.sha256(kernel).digest() == digest else None
        return None

    def write(self, name: str, kernel: bytes) -> None:
        """Keep a kernel, if that can be done."""
        with contextlib.suppress(OSError):
            path = self.path(name)
            if path is None or not self._as_loaded():
                return
            if not path.parent.is_dir():
                path.parent.mkdir(0o700, parents=True, exist_ok=True)
                _remove_old(path.parent)
            handle, temporary = tempfile.mkstemp(dir=path.parent)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(hashlib.sha256(kernel).digest() + kernel)
                os.replace(temporary, path)
            except OSError:
                os.unlink(temporary)
                raise

    def _as_loaded(self) -> bool:
        return _stamps(map(Path, self._stamps)) == self._stamps


def _remove_old(used: Path) -> None:
    """Remove the folders of other keys beside the one used."""
    oldest = time.time() - KEPT_DAYS * 86_400
    for folder in used.parent.iterdir():
        ours = _KEY.fullmatch(folder.name) and folder.is_dir() and folder != used
        if ours and folder.stat().st_mtime < oldest:
            shutil.rmtree(folder, ignore_errors=True)
