"""Lint and type-check the JavaScript of the project: ``python scripts/javascript/check.py``.

An export lays the modules of its reader flat into one folder, where their imports resolve.  So
they are checked as they are exported: all readers, and the scripts (``.mjs``) of tests and
``scripts``, are copied into one temporary folder, the tools are installed there by ``npm ci``, as
``package-lock.json`` says, and ESLint and TypeScript are run.  The checkout stays clean.

The modules of the page import each other and the main module of a package, so they lie in a folder
of their own beside its types; the module that a site is written with names no games here.

A package for npm, without tables, is looked over by publint and by attw (are the types wrong?).
Its types are its interface: they must be those of ``api.d.ts``, which ``--write`` writes anew.

Needs Node 20.19 or newer with npm, and ustad installed.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from ustad.runtime.core.registry import NAMES, entry, exporter
from ustad.runtime.export import GameFiles, write_package
from ustad.runtime.export.folder import reader_files

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
API = HERE / "api.d.ts"
TOOLS = (
    "package.json",
    "package-lock.json",
    ".npmrc",
    "tsconfig.json",
    "tsconfig.page.json",
    "types.mts",
)
PACKAGE = "package"
WEB = ROOT / "runtime" / "page" / "web"
PAGE = "page"
TABLES = """\
/** @type {{ version: string, games: Record<string, any> }} */
export const SITE = { version: "", games: {} };
"""
"""The module that a site is written with, as it is without games."""
STEPS = (
    ("ci", "--no-audit", "--no-fund", "--silent"),
    ("run", "lint"),
    ("run", "types"),
    ("run", "page"),
    ("run", "package"),
)


def lay_flat(folder: Path) -> None:
    """Copy the readers, the scripts and the configuration of the tools into a folder."""
    for name, text in reader_files().items():
        (folder / name).write_bytes(text)
    scripts = [path for top in ("scripts", "tests") for path in (ROOT / top).rglob("*.mjs")]
    for path in (*scripts, *(HERE / name for name in TOOLS)):
        if (folder / path.name).exists():
            raise SystemExit(f"{path}: another file has the same name")
        shutil.copy(path, folder)


def lay_page(folder: Path, types: Path) -> None:
    """Copy the modules of the page, and what they import, into a folder."""
    shutil.copytree(WEB / "page", folder / PAGE)
    shutil.copy(WEB / "sw.js", folder / PAGE)
    (folder / PAGE / "tables.js").write_text(TABLES, encoding="utf-8")
    shutil.copy(types, folder / "index.d.ts")


def without_tables(out: Path) -> None:
    """Write a package of all games without tables."""
    games = [GameFiles(entry(name), exporter(name).engine, {}) for name in NAMES]
    write_package(games, out)


def is_reported(types: Path, write: bool) -> bool:
    """Tell whether the types of a package are those of the report, written anew if asked for."""
    if write:
        shutil.copy(types, API)
    if types.read_bytes() == API.read_bytes():
        return True
    told = f"{API}: the types of the package are others; see what changed with --write"
    print(told, file=sys.stderr)
    return False


def main() -> int:
    """Run all checks; return 1 if one fails."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write api.d.ts anew")
    write = parser.parse_args().write
    npm = shutil.which("npm")
    if npm is None:
        raise SystemExit("npm is needed to check the JavaScript")
    with tempfile.TemporaryDirectory() as name:
        folder, package = Path(name), Path(name) / PACKAGE
        lay_flat(folder)
        without_tables(package)
        types = package / "index.d.ts"
        reported = is_reported(types, write)
        shutil.copy(types, folder / "ustad.d.ts")
        lay_page(folder, types)
        install, *checks = ([npm, *step] for step in STEPS)
        subprocess.run(install, cwd=folder, check=True)
        failed = [subprocess.run(check, cwd=folder, check=False).returncode for check in checks]
    return int(any(failed) or not reported)


if __name__ == "__main__":
    sys.exit(main())
