"""Hostile requests to a running ``ustad serve --http``: bodies, paths and connections.

The bodies are those of :mod:`damage.lines`: each gets one answer, a result or a problem with the
status of its kind, never an internal error.  The connections send what is no HTTP, headers and
bodies without end, wrong lengths, or nothing; meanwhile another client is answered.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import random
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from damage.lines import KINDS, hostile_line, sorted_by_speed, sound_requests
from damage.report import LONGEST_WAIT, Progress, Report, peak_of
from ustad.runtime.core.errors import JsonError
from ustad.runtime.core.strict_json import LARGEST_TEXT, loads
from ustad.runtime.methods import METHODS
from ustad.runtime.questions import Advisor
from ustad.runtime.serve.problems import STATUS

LONGEST_DELAY = 1.0
"""Seconds that a client may wait while others harm; the machine may be busy otherwise."""

OPENED = 10_000
"""Connections that are opened and left."""

CONNECTIONS: dict[str, bytes] = {
    "nothing": b"",
    "no HTTP": b"\x00\xff" * 5_000,
    "no verb": b"FLY /v1/ask HTTP/1.1\r\nHost: x\r\n\r\n",
    "another version": b"POST /v1/ask HTTP/9.9\r\n\r\n",
    "a header without end": b"POST /v1/ask HTTP/1.1\r\nx: " + b"y" * 1_000_000,
    "many headers": b"POST /v1/ask HTTP/1.1\r\n" + b"x: y\r\n" * 200_000,
    "a long path": b"POST /v1/" + b"a" * 500_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
    "a path upwards": b"GET /../../etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n",
    "a negative length": b"POST /v1/ask HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
    "two lengths": b"POST /v1/ask HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 7\r\n\r\n{}",
    "too short a body": b"POST /v1/ask HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\n{",
    "a huge length": b"POST /v1/ask HTTP/1.1\r\nHost: x\r\nContent-Length: 9999999999\r\n\r\n{",
    "chunks without end": b"POST /v1/ask HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    + b"10000\r\n"
    + b" " * 65_536
    + b"\r\n10000\r\n",
    "chunks that are none": b"POST /v1/ask HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    "many requests at once": b"GET /v1/health HTTP/1.1\r\nHost: x\r\n\r\n" * 500,
    "another protocol": b"GET / HTTP/1.1\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n",
}
"""What hostile connections send."""


class Server(NamedTuple):
    """A server that was started: its port and its process."""

    port: int
    process: subprocess.Popen[bytes]

    def connection(self) -> http.client.HTTPConnection:
        """Return a connection to it."""
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=LONGEST_WAIT)

    def send(self, verb: str, path: str, body: Any = None) -> http.client.HTTPResponse:
        """Send a request on a connection of its own; a body that is no bytes goes as JSON."""
        connection = self.connection()
        connection.request(verb, path, body if isinstance(body, bytes) else json.dumps(body))
        return connection.getresponse()


@contextmanager
def running(folder: Path, *words: str) -> Iterator[Server]:
    """Start a server of the tables of a folder, with further words, and end it by SIGTERM."""
    command = [sys.executable, "-m", "ustad.runtime", "serve", "--http", "0", "--tables"]
    with subprocess.Popen([*command, str(folder), *words], stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        while (line := process.stderr.readline()) and b"listening" not in line:
            pass
        try:
            yield Server(int(line.rsplit(b":", 1)[1]), process)
        finally:
            process.terminate()


def send_bodies(
    server: Server, folder: Path, count: int, seed: int, report: Report, progress: Progress
) -> None:
    """Post bodies and check every answer."""
    luck, advisor = random.Random(seed), Advisor(folder)
    fast, _ = sorted_by_speed(sound_requests(luck, min(1000, count // 4)), advisor, progress)
    connection = server.connection()
    for _ in range(count):
        line = hostile_line(fast, luck)
        named = re.search(rb'"method": "(\w+)"', line)
        method = named[1].decode() if named else luck.choice([*METHODS, "fly", "..", "%00"])
        body = re.sub(rb'"(id|method)": ("\w+"|\d+), ', b"", line)
        connection.request("POST", f"/v1/{method}", body)
        answer = connection.getresponse()
        text = answer.read()
        if answer.getheader("connection") == "close":
            connection.close()
        check_answer(method, body, answer.status, text, report)
        if answer.status == 200 and luck.random() < 0.05:
            check_result(advisor, method, body, text, report)
        report.cases += 1
        progress(report.cases, method)
    connection.close()


def check_answer(method: str, body: bytes, status: int, text: bytes, report: Report) -> None:
    """Check that an answer is a result, or a problem with the status of its kind."""
    shown = f"{method} {body[:400]!r} -> {status} {text[:300]!r}"
    try:
        found = json.loads(text)
    except ValueError:
        report.faults.append(f"{shown}: no JSON")
        return
    report.answers[str(status)] += 1
    if status == 200:
        report.check(method in METHODS, f"{shown}: an answer to no request")
    elif status in (404, 413):
        report.check(method not in METHODS or len(body) > LARGEST_TEXT, shown)
    else:
        report.check(found["kind"] in KINDS and STATUS[found["kind"]] == status, shown)


def check_result(advisor: Advisor, method: str, body: bytes, text: bytes, report: Report) -> None:
    """Check that an answer is what Python answers, where no chance was drawn."""
    with contextlib.suppress(JsonError):
        request: Any = loads(body.decode(), "request")
        found = json.loads(text)
        if isinstance(found.get("seed"), int):
            request["seed"] = found["seed"]
        if method not in ("ping", "games", "batch"):
            again = advisor.call(method, request)
            report.check(json.loads(json.dumps(again)) == found, f"{method} {body[:400]!r}")


def open_connections(server: Server, report: Report, progress: Progress) -> None:
    """Open hostile connections, many of them left open, and ask for health beside them."""
    for number, (name, text) in enumerate(CONNECTIONS.items()):
        progress(number, name)
        with socket.create_connection(("127.0.0.1", server.port)) as one:
            one.settimeout(0.5)
            with contextlib.suppress(OSError):
                one.sendall(text)
            check_health(server, name, report)
            with contextlib.suppress(OSError):
                one.recv(65_536)
        report.cases += 1
    left: list[socket.socket] = []
    for number in range(OPENED):
        with contextlib.suppress(OSError):
            left.append(socket.create_connection(("127.0.0.1", server.port), timeout=1))
        if number % 1000 == 999:
            progress(number, "connections left open")
            check_health(server, f"{number + 1} connections left open", report)
    for one in left:
        one.close()
    report.cases += OPENED


def check_health(server: Server, beside: str, report: Report) -> None:
    """Check that a client is answered soon."""
    begin = time.perf_counter()
    try:
        status = server.send("GET", "/v1/health").status
    except OSError as error:
        report.faults.append(f"{beside}: another client got {error}")
        return
    seconds = time.perf_counter() - begin
    report.check(status == 200 and seconds < LONGEST_DELAY, f"{beside}: {status}, {seconds:.2f} s")


def harm_server(folder: Path, count: int, seed: int, progress: Progress) -> Report:
    """Send bodies and open connections.

    Args:
        folder: of the tables.
        count: how many bodies.
        seed: what they are drawn from.
        progress: called with the bodies sent.
    """
    report = Report()
    with running(folder) as server:
        send_bodies(server, folder, count, seed, report, progress)
        open_connections(server, report, progress)
        report.peak = peak_of(server.process.pid)
    report.check(server.process.returncode == 0, f"the server left: {server.process.returncode}")
    return report
