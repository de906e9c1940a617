"""Exports: what an app needs to play a table without Python, in a folder of flat files.

The problem.  The bots of an app run on phones and web pages.  They need the numbers of a
table in few bytes, all that it takes to find a number, and certainty that the moves
chosen there are the ones that the full table chooses.

The form.  An export is a folder with

- ``manifest.json``: what the export is of, how every array lies in the binary files, the
  rules of the game as arrays, what the rounding costs, and test vectors;
- one or two binary files: arrays of little-endian numbers one after the other, each at a
  multiple of eight bytes.  An array of rounded values holds ``q`` for
  ``offset + scale * q``; the manifest says under ``encoding``, ``index_formula`` and
  ``in_words`` all that it takes to read them in any language;
- a reader in plain JavaScript, modules without dependency, which needs nothing else.

Sound or refused.  The manifest holds the SHA-256 of every binary file and, as its last key
``sha256``, its own: over its bytes before that key (:mod:`ustad.runtime.export.manifest`).  A
reader refuses any other text that says the same.

The choice of moves survives.  A game's exporter compares the choices by the rounded values
with those by the exact ones over the whole table, writes what it found into the manifest as
``proof``, and raises :class:`ustad.runtime.core.errors.ExportError` instead of writing where a
choice would cost too much.

A game is exported by the :class:`Exporter` of the module ``export`` in its folder.
"""

from ustad.runtime.export.content import Content, Exporter, Packed, rounded, vectors
from ustad.runtime.export.folder import (
    MANIFEST,
    check_export,
    export_faults,
    is_export,
    read_export,
    write_export,
)
from ustad.runtime.export.package import GameFiles, write_package

__all__ = [
    "MANIFEST",
    "Content",
    "Exporter",
    "GameFiles",
    "Packed",
    "check_export",
    "export_faults",
    "is_export",
    "read_export",
    "rounded",
    "vectors",
    "write_export",
    "write_package",
]
