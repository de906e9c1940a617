"""Answering the test vectors of an export with its readers, to see that they still answer so.

An export is sound if what an app runs gives the answers that the table gave.  The readers
are JavaScript, so this takes the program ``node``; where there is none, a line says that the
vectors were not answered.  The modules that run are the package's own, never those of the
folder: who wrote the folder may not run anything here.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from ustad.runtime.core.work import tell
from ustad.tables import CorruptTableError

LONGEST_WAIT = 120.0
"""Seconds in which all vectors of an export are answered."""

MOST_MEMORY = 400
"""Megabytes for the objects of JavaScript."""

SCRIPT = "replay.mjs"


def check_vectors(folder: Path, manifest: Mapping[str, Any], modules: Mapping[str, bytes]) -> None:
    """Raise CorruptTableError unless an export has vectors and its readers answer them.

    Args:
        folder: the export, its files checked.
        manifest: its manifest.
        modules: the modules of all readers, by name.
    """
    path, remedy = folder / "manifest.json", f"ustad export GAME --out {folder}"
    if not isinstance(manifest.get("vectors"), list) or not manifest["vectors"]:
        raise CorruptTableError(path, "test vectors", "none", remedy)
    node = shutil.which("node")
    if node is None:
        tell(f"{path}: the test vectors were not answered: that takes node, which is not here")
        return
    found = _answered(node, folder, manifest, modules)
    if found != {"wrong": None}:
        wanted = "readers that answer the test vectors"
        raise CorruptTableError(path, wanted, str(found["wrong"]), remedy)


def _answered(
    node: str, folder: Path, manifest: Mapping[str, Any], modules: Mapping[str, bytes]
) -> dict[str, Any]:
    """Return what the script of this folder printed, ``wrong`` being None if all is right."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        for module, content in modules.items():
            (place / module).write_bytes(content)
        (place / SCRIPT).write_bytes((files(__package__) / SCRIPT).read_bytes())
        (place / "package.json").write_text('{"type": "module"}')
        words = [node, f"--max-old-space-size={MOST_MEMORY}", str(place / SCRIPT)]
        words += [str(folder.resolve()), next(iter(manifest["reader"]))]
        try:
            run = subprocess.run(
                words, capture_output=True, text=True, timeout=LONGEST_WAIT, check=False, cwd=name
            )
            found: dict[str, Any] = json.loads(run.stdout)
        except subprocess.TimeoutExpired:
            return {"wrong": f"none of them in {LONGEST_WAIT:.0f} seconds"}
        except ValueError:
            return {"wrong": f"node left with status {run.returncode}"}
        return found
