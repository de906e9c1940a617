"""Errors over HTTP: problem details (RFC 9457), each with the status that its kind has.

A problem is ``{"type": ..., "title": ..., "status": 422, "detail": ..., "kind": "position",
"pointer": "/position/sheets/0/ones"}``: ``kind`` and ``detail`` are those of the lines, and
``pointer`` (RFC 6901) leads to what is wrong where the message names it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

STATUS = {
    "usage": 400,
    "json": 400,
    "position": 422,
    "option": 422,
    "move": 422,
    "outcome": 422,
    "record": 422,
    "busy": 503,
    "missing_table": 503,
    "corrupt_table": 503,
    "mismatched_table": 503,
    "unreadable": 503,
    "missing_package": 503,
}
"""The status of each kind of error; that of others is 500, a fault of ours."""

_NAME = re.compile(r"([A-Za-z_]\w*)((?:\[\d+\]|\.\w+|\s\d+)*): ")


def problem(kind: str, message: str, request: Any, status: int | None = None) -> dict[str, Any]:
    """Return the problem of an error.

    Args:
        kind: its stable word.
        message: its line.
        request: the request, to find what the message names.
        status: the status, that of the kind if None.
    """
    code = STATUS.get(kind, 500) if status is None else status
    found: dict[str, Any] = {
        "type": "about:blank",
        "title": HTTPStatus(code).phrase,
        "status": code,
        "detail": message,
        "kind": kind,
    }
    place = pointer(message, request)
    if place:
        found["pointer"] = place
    return found


def pointer(message: str, request: Any) -> str:
    """Return the JSON pointer to what the beginning of a message names, as far as it is there.

    >>> request = {"position": {"sheets": [{"ones": 31}]}}
    >>> pointer("sheets[0]: ones: expected 0 to 5", request)
    '/position/sheets/0/ones'
    """
    steps: list[str] = []
    at, here = 0, request
    while match := _NAME.match(message, at):
        at = match.end()
        for step in re.findall(r"\w+", match[0]):
            found = _inside(here, step)
            if found is None and isinstance(request, dict) and not steps:
                found = _inside(request.get("position"), step)
                steps += ["position"] if found is not None else []
            if found is None:
                return _written(steps)
            (here,) = found
            steps.append(step)
    return _written(steps)


def _inside(value: Any, step: str) -> tuple[Any] | None:
    """Return what stands under a key or an index, alone in a tuple, None if nothing does."""
    if isinstance(value, dict) and step in value:
        return (value[step],)
    if isinstance(value, list) and step.isdigit() and int(step) < len(value):
        return (value[int(step)],)
    return None


def _written(steps: Sequence[str]) -> str:
    return "".join("/" + step.replace("~", "~0").replace("/", "~1") for step in steps)
