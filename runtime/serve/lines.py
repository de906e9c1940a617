"""The line protocol: one JSON request a line on standard input, one answer a line.

A request is ``{"id": 1, "method": "ask", "position": {...}, "level": "hard"}``; the
answer is ``{"id": 1, "result": {...}}`` or ``{"id": 1, "error": {"kind": ...,
"message": ...}}``.  The methods are those of :class:`ustad.runtime.Advisor`: ``ask``,
``legal``, ``apply``, ``move`` and ``new``.  Answers come in the order of the
requests.  Empty lines are passed over.  Whatever a line holds, the process lives.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, TextIO

from ustad.runtime.core.errors import JsonError, UsageError, UstadError, shown
from ustad.runtime.core.strict_json import LARGEST_TEXT, MARK, Fields, loads
from ustad.runtime.questions import Advisor, check_top
from ustad.tables import TableError

METHODS: dict[str, tuple[str, ...]] = {
    "ask": ("position", "level", "top", "facts", "move"),
    "legal": ("position",),
    "apply": ("position", "move", "outcome", "seed"),
    "move": ("position", "level", "seed"),
    "new": ("game", "options", "players", "seed", "first"),
}
"""The methods, each with the keys that a request may have besides ``id`` and ``method``."""

_REQUIRED = {"position", "game"}

_KEY = '"id"'


def serve(requests: BinaryIO, answers: TextIO, advisor: Advisor) -> None:
    """Answer requests until the input ends.

    Args:
        requests: UTF-8 lines.
        answers: where the answers go; flushed after each.
        advisor: what answers them.
    """
    for line in _lines(requests):
        if line is None or line.strip():
            answers.write(answer_text(line, advisor) + "\n")
            answers.flush()


def _lines(requests: BinaryIO) -> Iterator[bytes | None]:
    """Yield the lines, None for one that is too long; such a line is never held whole.

    The first may begin with a byte-order mark.
    """
    mark = MARK.encode()
    while line := requests.readline(LARGEST_TEXT + 1 + len(mark)):
        line, mark = line.removeprefix(mark), b""
        if len(line) > LARGEST_TEXT:
            while line and not line.endswith(b"\n"):
                line = requests.readline(LARGEST_TEXT)
            yield None
        else:
            yield line


def answer_text(line: bytes | None, advisor: Advisor) -> str:
    """Return the answer to one line as JSON, whatever came of it."""
    found = answer(line, advisor)
    try:
        return json.dumps(found, allow_nan=False)
    except (ValueError, TypeError, RecursionError) as error:  # a number that is not finite
        return json.dumps(_error(found["id"], "internal", f"an answer that is no JSON: {error}"))


def answer(line: bytes | None, advisor: Advisor) -> dict[str, Any]:
    """Return the answer to one line, None standing for one that is too long."""
    name: Any = None
    try:
        if line is None:
            raise UsageError(f"request: expected at most {LARGEST_TEXT} bytes a line")
        text = _decoded(line)
        try:
            request = loads(text, "request")
        except JsonError:
            name = found_id(text)
            raise
        if isinstance(request, dict):
            name = _id(request.get("id"))
        return {"id": name, "result": _call(request, advisor)}
    except (UstadError, TableError) as error:
        return _error(name, error.kind, str(error))
    except Exception as error:  # a fault of ours must not end the games of others
        return _error(name, "internal", f"{type(error).__name__}: {error}")


def _error(name: Any, kind: str, message: str) -> dict[str, Any]:
    return {"id": name, "error": {"kind": kind, "message": " ".join(message.split())}}


def _decoded(line: bytes) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"request: expected UTF-8, got byte {error.start} wrong") from None


def _id(name: Any) -> Any:
    if name is None or (isinstance(name, str | int | float) and not isinstance(name, bool)):
        return name
    raise UsageError(f"id: expected a string or a number, got {shown(name)}")


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}:,]|[^\s"\[\]{}:,]+')


def found_id(text: str) -> Any:
    """Return the id of a request that may be refused as JSON, None if it has none.

    Keys that stand twice, numbers without end and nesting without end are refused, but who
    sent them is to know which of the requests it was.  So the text is gone through sign by
    sign, and the key is looked for in the outermost object.  Two ids that differ are none.

    >>> found_id('{"id": 7, "a": {"id": 8}, "a": 1}')
    7
    """
    depth, before, found = 0, ("", ""), set()
    for match in _TOKEN.finditer(text):
        token = match[0]
        if depth == 1 and before == (_KEY, ":"):
            found.add(_scalar(token))
        depth += (token in "{[") - (token in "}]")
        before = before[1], token
    return found.pop() if len(found) == 1 else None


def _scalar(token: str) -> Any:
    """Return the text or the finite number that a token is, else None."""
    try:
        return _id(loads(token, "id"))
    except UstadError:
        return None


def _call(request: Any, advisor: Advisor) -> dict[str, Any]:
    fields = Fields(request, "request", UsageError)
    fields.take("id", None)
    method = fields.one_of("method", METHODS)
    given: dict[str, Any] = {}
    for key in METHODS[method]:
        value = fields.take(key) if key in _REQUIRED else fields.take(key, None)
        if value is not None or key in _REQUIRED:
            given[key] = value
    fields.done()
    if "top" in given:
        check_top(given["top"])
    function: Callable[..., dict[str, Any]] = getattr(advisor, method)
    return function(**given)
