"""What can be wrong with a table file, told in one line.

Each error names the file, what was expected, what was found, and the way out,
mostly the command that builds the table anew.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

LARGEST_FINDING = 200
"""Characters of the longest expectation or finding that a message tells whole."""


def escaped(text: object) -> str:
    r"""Return a text with all that no terminal should be given, such as line ends, escaped.

    >>> escaped("yacht\x1b[2J.h5")
    'yacht\\x1b[2J.h5'
    """
    return "".join(
        sign if sign.isprintable() else sign.encode("unicode_escape").decode("ascii")
        for sign in str(text)
    )


def _short(text: str) -> str:
    """Return what a file says as one line of reasonable length."""
    line = " ".join(text[: 4 * LARGEST_FINDING].split())
    return line if len(line) <= LARGEST_FINDING else line[: LARGEST_FINDING - 3] + "..."


class TableError(Exception):
    """The base of the errors about table files.  Every message is printable and one line."""

    kind = "table"

    def __init__(self, message: str) -> None:
        super().__init__(escaped(message))

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


class NoFolderError(MissingTableError):
    """There is no place where tables could be: the user has no home."""

    def __init__(self, variable: str) -> None:
        TableError.__init__(
            self,
            "no folder of tables: expected a home folder to look in, found none; "
            f"name the folder with --tables or {variable}",
        )


class UnreadableTableError(TableError):
    """The system does not let the file be read, so nobody knows whether it is sound."""

    kind = "unreadable"

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(
            f"{path}: cannot be read: {reason}; expected a file that this user can read: "
            "change that, or choose another folder with --tables"
        )


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
    """The file cannot be written.  What stood there before still stands.

    Attributes:
        reason: the system's, or what stands in the way.
    """

    kind = "table_write"

    def __init__(self, path: Path, reason: str) -> None:
        self.reason = reason
        super().__init__(
            f"{path}: cannot write the table: {reason}; make room or choose another folder "
            "with --tables"
        )


def reason_of(error: OSError) -> str:
    """Return the system's reason."""
    return error.strerror or str(error)
