"""What can be wrong with a table file, told in one line.

Each error names the file, what was expected, what was found, and the way out,
mostly the command that builds the table anew.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

LARGEST_FINDING = 200
"""Characters of the longest expectation or finding that a message tells whole."""


def _short(text: str) -> str:
    """Return what a file says as one line of reasonable length."""
    line = " ".join(text[: 4 * LARGEST_FINDING].split())
    return line if len(line) <= LARGEST_FINDING else line[: LARGEST_FINDING - 3] + "..."


class TableError(Exception):
    """The base of the errors about table files."""

    kind = "table"

    def __reduce__(self) -> tuple[Any, ...]:
        """Let the error travel between processes: by its message, whatever made it."""
        return _with_message, (type(self), str(self))


def _with_message(kind: type[TableError], message: str) -> TableError:
    error = kind.__new__(kind)
    Exception.__init__(error, message)
    return error


class MissingTableError(TableError):
    """There is no such file."""

    kind = "missing_table"

    def __init__(self, path: Path, what: str, remedy: str) -> None:
        super().__init__(f"{path}: no table of {what}; build it with: {remedy}")


class CorruptTableError(TableError):
    """The file is not what was written: foreign, cut short, or with changed bytes."""

    kind = "corrupt_table"

    def __init__(self, path: Path, expected: str, found: str, remedy: str) -> None:
        super().__init__(
            f"{path}: damaged or no table: expected {_short(expected)}, "
            f"found {_short(found)}; "
            f"build it anew with: {remedy}"
        )


class MismatchedTableError(TableError):
    """The file is a sound table of something else: other rules, another version."""

    kind = "mismatched_table"

    def __init__(self, path: Path, expected: str, found: str, remedy: str) -> None:
        super().__init__(
            f"{path}: another table: expected {_short(expected)}, "
            f"found {_short(found)}; "
            f"build the right one with: {remedy}"
        )


class CorruptBundleError(TableError):
    """A file of a bundle is missing, too many, or not what was bundled."""

    kind = "corrupt_bundle"

    def __init__(self, path: Path, expected: str, found: str, remedy: str) -> None:
        super().__init__(
            f"{path}: damaged bundle: expected {_short(expected)}, found {_short(found)}; "
            f"make it anew with: {remedy}"
        )


class TableWriteError(TableError):
    """The file cannot be written.  What stood there before still stands."""

    kind = "table_write"

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(
            f"{path}: cannot write the table: {reason}; make room or choose another folder "
            "with --tables"
        )
