"""A question for the command line, and what it says when something is wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

Ustad = Callable[..., Any]

POSITION: dict[str, Any] = {
    "game": "yacht",
    "sheets": [{"ones": 3, "chance": 22}],
    "dice": [1, 1, 3, 4, 6],
    "rolls_left": 2,
}
WORDS = "--sheet ones=3,chance=22 --dice 1 1 3 4 6 --rolls-left 2"
FLAGS = ("ask", "yacht", *WORDS.split(" "))


def in_error(run: Any, kind: str | None = None) -> str:
    """Assert status 2, nothing on standard output, and one line of error; return it."""
    assert run.status == 2
    assert run.out == ""
    assert run.err.endswith("\n")
    assert run.err.count("\n") == 1
    if kind is None:
        assert run.err.startswith("ustad: ")
        return str(run.err)
    error = json.loads(run.err)
    assert set(error) == {"error"}
    assert set(error["error"]) == {"kind", "message"}
    assert error["error"]["kind"] == kind
    assert "\n" not in error["error"]["message"]
    return str(error["error"]["message"])
