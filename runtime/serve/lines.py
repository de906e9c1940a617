"""The line protocol: one JSON request a line on standard input, one answer a line.

A request is ``{"id": 1, "method": "ask", "position": {...}, "level": "hard"}``; the
answer is ``{"id": 1, "result": {...}}`` or ``{"id": 1, "error": {"kind": ...,
"message": ...}}``.  The methods are those of :class:`ustad.runtime.Advisor`, in the table
:data:`ustad.runtime.questions.METHODS`.  Answers come in the order of the requests.  Empty
lines are passed over.  Whatever a line holds, the process lives.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO, TextIO

from ustad.runtime.core.errors import UsageError, UstadError
from ustad.runtime.core.strict_json import LARGEST_TEXT, MARK, loads
from ustad.runtime.methods import check_id, error_to_json
from ustad.runtime.questions import Advisor

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
        fault = error_to_json("internal", f"an answer that is no JSON: {error}")
        return json.dumps({"id": found["id"], "error": fault})


def answer(line: bytes | None, advisor: Advisor) -> dict[str, Any]:
    """Return the answer to one line, None standing for one that is too long."""
    text = ""
    try:
        if line is None:
            raise UsageError(f"request: expected at most {LARGEST_TEXT} bytes a line")
        text = _decoded(line)
        return {"id": None, **advisor.respond(loads(text, "request"))}
    except UstadError as error:
        return {"id": found_id(text), "error": error_to_json(error.kind, str(error))}


def _decoded(line: bytes) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"request: expected UTF-8, got byte {error.start} wrong") from None


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}:,]|[^\s"\[\]{}:,]+')


def found_id(text: str) -> Any:
    """Return the id of a request that may be refused as JSON, None if it has none.

    Keys that stand twice, numbers without end and nesting without end are refused, but who
    sent them is to know which of the requests it was.  So the text is gone through sign by
    sign, and the key is looked for in the outermost object.  Two ids that differ are none.

    >>> found_id('{"id": 7, "a": {"id": 8}, "a": 1}')
    7
    """
    depth, name, last, found = 0, "", "", set()
    for match in _TOKEN.finditer(text):
        token = match[0]
        if depth == 1 and (name, last) == (_KEY, ":"):
            found.add(_scalar(token))
        depth += (token in "{[") - (token in "}]")
        name, last = last, token
    return found.pop() if len(found) == 1 else None


def _scalar(token: str) -> Any:
    """Return the text or the finite number that a token is, else None."""
    try:
        return check_id(loads(token, "id"))
    except UstadError:
        return None
