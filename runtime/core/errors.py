"""What can be wrong with a question, told in one line.

Every error names the thing, what was expected and what was found.  ``kind`` is
a stable word for programs: it is what the commands print under ``--json`` and
what the line protocol answers.  Errors about table files are
:class:`ustad.tables.TableError`, which has a ``kind`` too.
"""

from __future__ import annotations

import json
from typing import Any


class UstadError(Exception):
    """The base of all errors that a user can mend."""

    kind = "error"


class UsageError(UstadError):
    """A command or request that is not one, or whose parts do not go together."""

    kind = "usage"


class JsonError(UstadError):
    """Text that is not the JSON that was asked for."""

    kind = "json"


class PositionError(UstadError):
    """A position that cannot be."""

    kind = "position"


class OptionError(UstadError):
    """An option that a game does not have, or a value that it cannot take."""

    kind = "option"


class MoveError(UstadError):
    """A move that is not one, or is not legal here."""

    kind = "move"


class OutcomeError(UstadError):
    """A chance outcome that cannot fall here."""

    kind = "outcome"


class RecordError(UstadError):
    """A record of a game that is none, or cannot be read or written."""

    kind = "record"


class AnswerError(UstadError):
    """An answer that cannot be told: a number in it is not finite."""

    kind = "answer"


class ExportError(UstadError):
    """An export that cannot be written, or that would choose worse moves than its table."""

    kind = "export"


class WorkerError(UstadError):
    """A process or machine that was to do a part of the work went away."""

    kind = "worker"


class BusyError(UstadError):
    """A server that has too much to do, or a request that would take too long."""

    kind = "busy"


class MissingPackageError(UstadError):
    """A package of an optional extra that is not installed."""

    kind = "missing_package"


def shown(value: Any, limit: int = 60) -> str:
    """Return the value as short one-line JSON, for an error message."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=repr)
    except (TypeError, ValueError, RecursionError):
        text = repr(type(value).__name__)
    return text if len(text) <= limit else text[: limit - 3] + "..."
