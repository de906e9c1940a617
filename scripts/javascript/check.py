"""Lint and type-check the JavaScript of the project: ``python scripts/javascript/check.py``.

An export lays the modules of its reader flat into one folder, where their imports resolve.  So
they are checked as they are exported: all readers, and the scripts (``.mjs``) of tests and
``scripts``, are copied into one temporary folder, the tools are installed there by ``npm ci``, as
``package-lock.json`` says, and ESLint and TypeScript are run.  The checkout stays clean.

Needs Node 20.19 or newer with npm, and ustad installed.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from ustad.runtime.export.folder import reader_files

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
TOOLS = ("package.json", "package-lock.json", ".npmrc", "tsconfig.json", "types.mts")
TYPES = ROOT / "runtime" / "export" / "npm" / "index.d.ts"
STEPS = (("ci", "--no-audit", "--no-fund", "--silent"), ("run", "lint"), ("run", "types"))


def lay_flat(folder: Path) -> None:
    """Copy the readers, the scripts and the configuration of the tools into a folder."""
    shutil.copy(TYPES, folder / "ustad.d.ts")
    for name, text in reader_files().items():
        (folder / name).write_bytes(text)
    scripts = [path for top in ("scripts", "tests") for path in (ROOT / top).rglob("*.mjs")]
    for path in (*scripts, *(HERE / name for name in TOOLS)):
        if (folder / path.name).exists():
            raise SystemExit(f"{path}: another file has the same name")
        shutil.copy(path, folder)


def main() -> int:
    """Run all checks; return 1 if one fails."""
    npm = shutil.which("npm")
    if npm is None:
        raise SystemExit("npm is needed to check the JavaScript")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lay_flat(folder)
        install, *checks = ([npm, *step] for step in STEPS)
        subprocess.run(install, cwd=folder, check=True)
        failed = [subprocess.run(check, cwd=folder, check=False).returncode for check in checks]
    return int(any(failed))


if __name__ == "__main__":
    sys.exit(main())
