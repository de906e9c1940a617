"""A client of the protocol for Python programs, over lines or over HTTP.

Every method of the protocol is a method here, its keys as keywords; the answer is the result,
an error is raised as :class:`ServerError` with its kind::

    with Client.of_http("http://127.0.0.1:8000") as ustad:
        game = ustad.new(game="yacht", players=2, seed=1)
        rolled = ustad.apply(position=game["position"], seed=2)
        print(ustad.ask(position=rolled["position"], level="hard")["best"])

``Client.of_lines()`` starts ``ustad serve`` of this installation and speaks with that.
A client is for one thread; one program may hold many.
"""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Self
from urllib.parse import urlsplit

from ustad.runtime.core.errors import UstadError

Call = Callable[[str, dict[str, Any]], dict[str, Any]]
"""Sends a method with its keys and returns the result."""


class ServerError(UstadError):
    """An error that the server answered with, or that there is no answer.

    Attributes:
        kind: the kind of error.
        problem: all that an HTTP server tells of it, an empty dictionary over lines.
    """

    def __init__(self, kind: str, message: str, problem: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.problem = problem or {}


class Client:
    """The methods of the protocol; made by :meth:`of_lines` or :meth:`of_http`."""

    def __init__(self, call: Call, close: Callable[[], None]) -> None:
        self.call = call
        self.close = close

    def __getattr__(self, method: str) -> Callable[..., dict[str, Any]]:
        if method.startswith("_"):
            raise AttributeError(method)

        def keywords(**keys: Any) -> dict[str, Any]:
            return self.call(method, keys)

        return keywords

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @classmethod
    def of_lines(cls, command: Sequence[str] = ()) -> Self:
        """Start a process that answers lines.

        Args:
            command: its words, ``ustad serve`` of this installation by default.
        """
        words = list(command) or [sys.executable, "-m", "ustad.runtime", "serve"]
        process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        return cls(partial(_call_lines, process), partial(_end, process))

    @classmethod
    def of_http(cls, address: str, seconds: float = 60.0) -> Self:
        """Speak with a server.

        Args:
            address: such as ``http://127.0.0.1:8000``.
            seconds: how long to wait for an answer.
        """
        parts = urlsplit(address)
        secure = parts.scheme == "https"
        kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ServerError("usage", f"address: expected http://HOST:PORT, got {address}")
        connection = kind(parts.hostname, parts.port, timeout=seconds)
        return cls(partial(_call_http, connection, parts.path.rstrip("/")), connection.close)


def _call_lines(process: subprocess.Popen[bytes], method: str, keys: dict[str, Any]) -> Any:
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(json.dumps({"method": method, **keys}).encode() + b"\n")
        process.stdin.flush()
        line = process.stdout.readline()
    except OSError as error:
        raise ServerError("system", f"ustad serve: {error}") from None
    if not line:
        raise ServerError("system", "ustad serve: the process has ended")
    answer = json.loads(line)
    if "error" in answer:
        raise ServerError(**answer["error"])
    return answer["result"]


def _end(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.close()
    process.wait()
    process.stdout.close()


def _call_http(
    connection: http.client.HTTPConnection, path: str, method: str, keys: dict[str, Any]
) -> Any:
    body = json.dumps(keys)
    try:
        try:
            answer = _posted(connection, f"{path}/v1/{method}", body)
        except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
            # The server closes a connection that was silent for long: every method may be
            # asked again, since none changes anything.
            answer = _posted(connection, f"{path}/v1/{method}", body)
        found = json.loads(answer.read())
    except (OSError, http.client.HTTPException, ValueError) as error:
        connection.close()
        raise ServerError("system", f"{connection.host}: {error}") from None
    if answer.status != http.client.OK:
        raise ServerError(found["kind"], found["detail"], found)
    return found


def _posted(
    connection: http.client.HTTPConnection, path: str, body: str
) -> http.client.HTTPResponse:
    connection.request("POST", path, body, {"Content-Type": "application/json"})
    return connection.getresponse()
