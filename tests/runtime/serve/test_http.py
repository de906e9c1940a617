"""The protocol over HTTP, asked of a real server: right answers, problems, and a clean end."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import shutil
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, ValidationError

from damage.http import Server, running
from ustad.runtime.cli.serve import read_address
from ustad.runtime.core.errors import UsageError
from ustad.runtime.core.strict_json import LARGEST_TEXT
from ustad.runtime.methods import METHODS
from ustad.runtime.questions import Advisor
from ustad.runtime.serve.client import Client, ServerError
from ustad.runtime.serve.problems import pointer

for name in ("starlette", "uvicorn", "httptools", "prometheus_client"):
    pytest.importorskip(name, reason="the extra http is not installed")

POSITION: dict[str, Any] = {
    "game": "yacht",
    "sheets": [{}],
    "to_move": 0,
    "dice": [1, 1, 3, 4, 6],
    "rolls_left": 2,
}

HAND = "7H 7H 7H 8H 9H 10H 2C 3C 4C 5D 5D KS KS QS JS 10S 9S 8S AD AD 2D"


def post(server: Server, method: str, body: Any) -> Any:
    """Return the body that answers a method, whatever its status."""
    return json.loads(server.send("POST", f"/v1/{method}", body).read())


def health(server: Server) -> Any:
    """Return what the server tells of its health."""
    return json.loads(server.send("GET", "/v1/health").read())


@pytest.fixture(scope="module")
def server(tables: Path) -> Iterator[Server]:
    with running(tables, "--workers", "1") as found:
        while "position" not in post(found, "new", {"game": "marriage"}):
            pass  # the worker compiles, once for a machine
        yield found


def test_answers_are_the_bytes_of_the_command(
    server: Server, tables: Path, run_ustad: Callable[..., Any]
) -> None:
    printed = run_ustad(
        "ask", "yacht", "--position", "-", "--level", "hard", "--json", "--tables", tables,
        stdin=json.dumps(POSITION),
    )  # fmt: skip
    answer = server.send("POST", "/v1/ask", {"position": POSITION, "level": "hard"})
    assert answer.status == 200
    assert answer.headers["content-type"] == "application/json"
    assert answer.read().decode() == printed.out.rstrip("\n")


def test_slow_work_gives_what_the_advisor_gives(server: Server) -> None:
    """Batches and hands are answered by workers."""
    advisor = Advisor()
    requests = [{"id": 1, "method": "legal", "position": POSITION}, {"id": 2}]
    for method, request in {"hand": {"cards": HAND}, "batch": {"requests": requests}}.items():
        assert post(server, method, request) == advisor.call(method, request)
    start = post(server, "new", {"game": "marriage", "players": 3, "seed": 5})
    asked = {"position": start["position"], "level": "hard", "seed": 1}
    assert post(server, "move", asked) == advisor.call("move", asked)


@pytest.mark.parametrize(
    ("verb", "path", "body", "status", "kind"),
    [
        ("POST", "/v1/ask", b"nonsense", 400, "json"),
        ("POST", "/v1/ask", b"\xff", 400, "json"),
        ("POST", "/v1/ask", [], 400, "usage"),
        ("POST", "/v1/ask", {}, 400, "usage"),
        ("POST", "/v1/ask", {"position": POSITION, "levle": "hard"}, 400, "usage"),
        ("POST", "/v1/batch", {"id": 1, "requests": []}, 400, "usage"),
        ("POST", "/v1/ask", {"position": {**POSITION, "dice": [7] * 5}}, 422, "position"),
        ("POST", "/v1/apply", {"position": POSITION, "move": {"write": "x"}}, 422, "move"),
        ("POST", "/v1/ask", {"position": {**POSITION, "options": {"a": 1}}}, 422, "option"),
        ("POST", "/v1/new", {"game": "marriage", "first": "\ud800"}, 400, "usage"),
        ("POST", "/v1/fly", {}, 404, "usage"),
        ("GET", "/v1/ask", None, 405, "usage"),
        ("PUT", "/v1/health", None, 405, "usage"),
        ("GET", "/v1/../../etc/passwd", None, 404, "usage"),
        ("GET", "/nowhere", None, 404, "usage"),
        ("POST", "/v1/ask", b" " * (LARGEST_TEXT + 1), 413, "usage"),
        ("POST", "/v1/ask", b"[" * 100_000, 400, "json"),
        ("POST", "/v1/ask", {"position": {"game": "pasa", "stacks": [10] * 4, "thrower": 0,
         "turns_left": 8, "bets": [None] * 4}}, 503, "missing_table"),
    ],
)  # fmt: skip
def test_problems(server: Server, verb: str, path: str, body: Any, status: int, kind: str) -> None:
    answer = server.send(verb, path, body)
    assert answer.status == status
    assert answer.headers["content-type"] == "application/problem+json"
    found = json.loads(answer.read())
    assert (found["status"], found["kind"]) == (status, kind)
    assert found["detail"]
    if status == 405:
        assert answer.headers["allow"]
    if status == 503:
        assert "ustad build pasa" in found["detail"]


@pytest.mark.parametrize(
    ("message", "place"),
    [
        ("sheets[0]: ones: expected 0 to 5", "/position/sheets/0/ones"),
        ("position: dice: expected a list", "/position/dice"),
        ("position: bets[1]: expected null", "/position/bets/1"),
        ("game: expected one of yacht", "/position/game"),
        ("level: expected one of easy", "/level"),
        ('sheets[0]: unknown key "onnes"', "/position/sheets/0"),
        ("the server is down", ""),
    ],
)
def test_pointer_leads_to_what_the_message_names(message: str, place: str) -> None:
    position = {"game": "x", "sheets": [{"ones": 9}], "dice": [], "bets": [0, 7]}
    assert pointer(message, {"position": position, "level": "x"}) == place


def test_a_killed_worker_is_replaced_and_the_others_go_on(server: Server) -> None:
    start = post(server, "new", {"game": "marriage", "players": 2, "seed": 5})
    before = health(server)["workers"]["soon"]
    os.kill(before[0], signal.SIGKILL)
    asked = {"position": start["position"], "level": "easy", "seed": 1}
    answer = server.send("POST", "/v1/move", asked)
    found = json.loads(answer.read())
    assert answer.status == 200 or found["kind"] == "worker"
    while health(server)["workers"]["soon"] == before:
        time.sleep(0.01)
    assert "move" in post(server, "move", asked)


def test_health_and_metrics(server: Server) -> None:
    assert health(server)["status"] == "ok"
    post(server, "legal", {"position": POSITION})
    text = server.send("GET", "/metrics").read().decode()
    assert re.search(r'ustad_requests_total\{method="legal",status="200"\} \d', text)


def test_answers_leave_at_once() -> None:
    from ustad.runtime.serve.http import Settings, listen  # needs the extra

    # Without TCP_NODELAY an answer in two parts waits 40 ms for an acknowledgement.
    with listen(Settings(port=0)) as listener, socket.create_connection(listener.getsockname()):
        connection, _ = listener.accept()
        with connection:
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_openapi_describes_every_method(server: Server) -> None:
    found = json.loads(server.send("GET", "/v1/openapi.json").read())
    assert set(found["paths"]) == {f"/v1/{method}" for method in METHODS}
    schemas = found["components"]["schemas"]
    for name in re.findall(r"#/components/schemas/(\w+)", json.dumps(found)):
        assert name in schemas
    body = found["paths"]["/v1/ask"]["post"]["requestBody"]["content"]["application/json"]
    asked = {**found, "$defs": {}, **body["schema"]}
    Draft202012Validator(asked).validate({"position": POSITION, "level": "hard"})
    with pytest.raises(ValidationError):
        Draft202012Validator(asked).validate({"position": POSITION, "levle": "hard"})


def test_hostile_connections_leave_the_server_well(server: Server) -> None:
    for text in (
        b"GET / HTTP/1.1\r\n" + b"x: " + b"y" * 1_000_000,
        b"POST /v1/ask HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
        b"POST /v1/ask HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"POST /v1/ask HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\n{",
        b"\x00" * 5000,
        b"FLY / HTTP/9.9\r\n\r\n",
    ):
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            with contextlib.suppress(OSError):
                connection.sendall(text)
            assert health(server)["status"] == "ok"


def test_client_speaks_both(server: Server, tables: Path) -> None:
    lines = [sys.executable, "-m", "ustad.runtime", "serve", "--tables", str(tables)]
    clients = Client.of_http(f"http://127.0.0.1:{server.port}"), Client.of_lines(lines)
    answers = []
    for client in clients:
        with client:
            answers.append(client.ask(position=POSITION, level="hard"))
            with pytest.raises(ServerError) as caught:
                client.legal(position=3)
            answers.append({"kind": caught.value.kind, "message": str(caught.value)})
    assert answers[:2] == answers[2:]


def test_new_tables_are_opened_and_sigterm_ends_what_is_under_way(
    tables: Path, tmp_path: Path
) -> None:
    with running(tmp_path, "--workers", "1", "--log") as server:
        asked = {"position": POSITION, "level": "hard"}
        assert post(server, "ask", asked)["kind"] == "missing_table"
        for path in tables.iterdir():
            shutil.copy(path, tmp_path)
        server.process.send_signal(signal.SIGHUP)
        while "best" not in post(server, "ask", asked):
            time.sleep(0.05)
        many = [{"method": "ask", **asked}] * 2_000
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
        connection.request("POST", "/v1/batch", json.dumps({"requests": many}))
        time.sleep(0.2)
        server.process.send_signal(signal.SIGTERM)
        assert len(json.loads(connection.getresponse().read())["results"]) == 2_000
        assert server.process.wait(timeout=10) == 0


@pytest.mark.parametrize("text", ["", "x", "1:2:x", "-1", "65536", "localhost:"])
def test_address_that_is_none(text: str) -> None:
    with pytest.raises(UsageError, match="--http: expected"):
        read_address(text)
