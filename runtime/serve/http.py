"""The protocol over HTTP: ``POST /v1/METHOD`` with the keys of the request, the result as body.

**Two ways.**  A quick question, a table looked up, is answered by the event loop itself: that is
cheaper than handing it on.  What may take longer (:class:`~ustad.runtime.core.game.Pace`) is worked
on by a process of a :class:`~ustad.runtime.serve.workers.Pool`: hands, and Marriage where numba is
not installed, by those that are kept for what takes some hundredths of a second, searches, reviews
and batches by the others.  So no request waits for a slower kind than its own.

**Tables** are opened once and read by offset; a file that was replaced is noticed (or ``SIGHUP``
says so), and new ones are opened for the next request while those under way end with the old.

**Nothing waits without end**: headers and bodies have a time and a size, a line of waiting
requests has a length, a request has a limit, and ``SIGTERM`` ends what is under way first.

Errors are problem details: see :mod:`ustad.runtime.serve.problems`.
"""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import prometheus_client
import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from ustad.runtime.core.entry import AnyEntry
from ustad.runtime.core.errors import JsonError, UsageError, UstadError, shown
from ustad.runtime.core.game import LEVELS, Pace
from ustad.runtime.core.registry import NAMES
from ustad.runtime.core.registry import entry as entry_of
from ustad.runtime.core.strength import check_strength, rating_level
from ustad.runtime.core.strict_json import LARGEST_TEXT, MARK, loads
from ustad.runtime.methods import METHODS, check_level
from ustad.runtime.questions import Advisor, read_position
from ustad.runtime.schema import openapi
from ustad.runtime.serve.connections import Connection
from ustad.runtime.serve.problems import problem
from ustad.runtime.serve.workers import Pool
from ustad.tables import TableError, tables_folder

SECONDS_FOR_BODY = 10.0
"""How long a client may take to send the body of a request."""

SECONDS_TO_END = 7.0
"""How long requests under way may take when the server is told to end; then they are refused."""

SECONDS_TO_CLOSE = 1.0
"""How long clients may take to read what they are answered then."""

SECONDS_BETWEEN_LOOKS = 2.0
"""How often the folder of the tables is looked at for new files."""

LARGE_BODY = 20_000
"""Bytes of a body from which on it is parsed beside the event loop."""

QUICKER = 8
"""A line of requests that take milliseconds may be longer, by this factor, than one of searches."""

SLOW_METHODS = {"batch": Pace.LATER, "review": Pace.LATER, "hand": Pace.SOON}
"""The methods whose pace does not depend on the position."""

PLAYERS = ("ask", "move")
"""The methods that a bot answers: how long it takes depends on its level and the position."""


@dataclass(frozen=True)
class Settings:
    """How a server runs.

    Attributes:
        host: the address it listens on.
        port: the port, 0 for any that is free.
        workers: how many processes do searches, reviews and batches, and how many more what
            takes some hundredths of a second.
        tables: the folder of the table files, None for the usual places.
        longest_line: how many requests may wait for slow work; :data:`QUICKER` times as many
            for what takes some milliseconds.
        limit: seconds that a request may take.
        log: whether to write a line of JSON on standard output for each request.
        page: the folder of the page that is shown at ``/``, None for none.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = 1
    tables: str | None = None
    longest_line: int = 32
    limit: float = 30.0
    log: bool = False
    page: str | None = None


class Service:
    """What answers the requests of one server."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.began = time.monotonic()
        self.advisor = opened(settings.tables)
        command = [sys.executable, "-m", "ustad.runtime", "serve"]
        if settings.tables is not None:
            command += ["--tables", settings.tables]
        self.pools = {
            Pace.SOON: Pool(settings.workers, QUICKER * settings.longest_line, command),
            Pace.LATER: Pool(settings.workers, settings.longest_line, command),
        }
        self.numbers = Numbers(self)
        self._opening: dict[Any, asyncio.Task[None]] = {}
        self._seen = self._look()

    @asynccontextmanager
    async def running(self, app: Any) -> AsyncIterator[None]:
        """Start the workers, keep an eye on the tables, and end the workers."""
        del app
        await asyncio.gather(*(pool.open() for pool in self.pools.values()))
        loop = asyncio.get_running_loop()
        if hasattr(signal, "SIGHUP"):
            loop.add_signal_handler(signal.SIGHUP, self.renew)
        watch = asyncio.ensure_future(self._watch())
        try:
            yield
        finally:
            watch.cancel()
            await asyncio.gather(*(pool.close() for pool in self.pools.values()))

    def renew(self) -> None:
        """Open the tables anew for the requests to come; until then the old ones answer."""
        self._seen = self._look()
        self._renewing = asyncio.ensure_future(self._renew())

    async def _renew(self) -> None:
        self.advisor = await asyncio.to_thread(opened, self.settings.tables)
        for pool in self.pools.values():
            pool.renew()

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(SECONDS_BETWEEN_LOOKS)
            if await asyncio.to_thread(self._look) != self._seen:
                self.renew()

    def _look(self) -> frozenset[tuple[str, int, int]]:
        """Return name, size and time of every table file."""
        try:
            folder = tables_folder(self.settings.tables)
            files = [(path.name, path.stat()) for path in folder.glob("*.h5")]
        except (OSError, TableError):
            return frozenset()
        return frozenset((name, seen.st_size, seen.st_mtime_ns) for name, seen in files)

    async def answer(self, method: str, request: dict[str, Any]) -> bytes:
        """Return the result of a request as JSON.

        Raises:
            UstadError: the request is wrong, or cannot be worked on now.
            TableError: the table it needs is missing or unfit.
            RelayedError: a worker answered with an error.
        """
        declared = METHODS[method]
        fits = set(declared.required) <= set(request) <= set(declared.keys)
        pace = await self._pace(method, request) if fits else Pace.AT_ONCE  # to be refused
        if pace is Pace.AT_ONCE:
            return json.dumps(self.advisor.call(method, request), allow_nan=False).encode()
        found = await self.pools[pace].ask(method, request, self.settings.limit)
        head = b'{"result": '
        if found.startswith(head):
            return found[len(head) : -1]
        raise RelayedError(**json.loads(found)["error"])

    async def _pace(self, method: str, given: dict[str, Any]) -> Pace:
        """Return how long an answer may take; the first question to a bot opens its table."""
        if method not in PLAYERS:
            return SLOW_METHODS.get(method, Pace.AT_ONCE)
        entry, state = read_position(given["position"])
        level, strength = check_level(given.get("level") or "expert"), given.get("strength")
        view = state.view(max(state.current_player(), 0))
        await self._ready(entry, level, view)
        if strength is not None:
            check_strength(strength)
            await self._ready(entry, rating_level(entry, level), view)
        return self.advisor.bot(entry, state.rules, level, strength=strength).pace(view)

    async def _ready(self, entry: AnyEntry, level: str, view: Any) -> None:
        """Let the tables be open before a bot is asked; the first to ask opens them beside."""
        key = view.rules, level
        if key not in self._opening and not self.advisor.has_bot(*key):
            task = asyncio.ensure_future(
                asyncio.to_thread(open_tables, self.advisor, entry, level, view)
            )
            task.add_done_callback(lambda _: self._opening.pop(key))
            self._opening[key] = task
        if key in self._opening:  # a bot is not for two threads at once
            await asyncio.shield(self._opening[key])


def opened(tables: str | None) -> Advisor:
    """Return an advisor that has open what the usual games need: no first question waits."""
    advisor = Advisor(tables)
    for entry in map(entry_of, NAMES):
        entry.levels.prepare()
        rules = entry.rules.read({})
        for players in range(entry.rules.seats.least, entry.rules.seats.most + 1):
            view = rules.new(players).view(0)
            for level in LEVELS:
                with suppress(TableError):  # told when it is asked for
                    open_tables(advisor, entry, level, view)
    return advisor


def open_tables(advisor: Advisor, entry: AnyEntry, level: str, view: Any) -> None:
    """Open what a bot needs for a view.

    Raises:
        TableError: the table is missing or unfit.
    """
    bot = advisor.bot(entry, view.rules, level)
    if bot.pace(view) is Pace.AT_ONCE:
        bot.ask(view)


class RelayedError(UstadError):
    """The error that a worker answered with."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class Numbers:
    """Counters in the Prometheus text format."""

    def __init__(self, service: Service) -> None:
        self._registry = prometheus_client.CollectorRegistry()
        self.requests = prometheus_client.Counter(
            "ustad_requests", "requests answered", ["method", "status"], registry=self._registry
        )
        self.seconds = prometheus_client.Histogram(
            "ustad_request_seconds",
            "from the last byte of a request to its answer",
            ["method"],
            buckets=(0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 2, 10),
            registry=self._registry,
        )
        for name, what in (
            ("waiting", "requests that wait for a worker"),
            ("busy", "workers that work"),
            ("replaced", "workers that ended and were replaced"),
        ):
            gauge = prometheus_client.Gauge(
                f"ustad_{name}", what, ["kind"], registry=self._registry
            )
            for pace, pool in service.pools.items():
                gauge.labels(pace.name.lower()).set_function(partial(getattr, pool, name))

    def text(self) -> bytes:
        """Return all numbers."""
        return prometheus_client.generate_latest(self._registry)


async def read_body(request: Request) -> bytes:
    """Return the body, which may have :data:`LARGEST_TEXT` bytes and take some seconds."""
    body = bytearray()
    try:
        async with asyncio.timeout(SECONDS_FOR_BODY):
            async for chunk in request.stream():
                body += chunk
                if len(body) > LARGEST_TEXT:
                    raise HTTPException(413, f"expected a body of at most {LARGEST_TEXT} bytes")
    except TimeoutError:
        raise HTTPException(408, f"expected the body within {SECONDS_FOR_BODY:g} s") from None
    return bytes(body)


async def read_request(request: Request) -> dict[str, Any]:
    """Return the keys of a request."""
    body = await read_body(request)
    try:
        text = body.decode("utf-8").removeprefix(MARK)
    except UnicodeDecodeError as error:
        raise JsonError(f"request: expected UTF-8, got byte {error.start} wrong") from None
    if len(body) < LARGE_BODY:
        keys = loads(text, "request")
    else:
        keys = await asyncio.to_thread(loads, text, "request")
    if not isinstance(keys, dict):
        raise UsageError(f"request: expected an object, got {shown(keys)}")
    return keys


async def call(request: Request) -> Response:
    """Answer ``POST /v1/METHOD``."""
    service: Service = request.app.state.service
    method = request.path_params["method"]
    keys: dict[str, Any] = {}
    began = time.perf_counter()
    try:
        if method not in METHODS:
            raise HTTPException(404, f"method: expected one of {', '.join(METHODS)}")
        keys = await read_request(request)
        began = time.perf_counter()
        answer = Response(await service.answer(method, keys), media_type="application/json")
    except ClientDisconnect:
        answer = Response(status_code=400)
    except HTTPException as error:
        answer = refusal("usage", error.detail, keys, error.status_code)
    except (UstadError, TableError) as error:
        answer = refusal(error.kind, str(error), keys)
    except Exception as error:  # a fault of ours must not end the games of others
        answer = refusal("internal", f"{type(error).__name__}: {error}", keys)
    took = time.perf_counter() - began
    name = method if method in METHODS else "none"
    service.numbers.requests.labels(name, answer.status_code).inc()
    service.numbers.seconds.labels(name).observe(took)
    if service.settings.log:
        line = {
            "time": round(time.time(), 3),
            "method": name,
            "game": game_of(keys),
            "status": answer.status_code,
            "ms": round(1000 * took, 3),
        }
        print(json.dumps(line), flush=True)
    return answer


def game_of(keys: dict[str, Any]) -> str | None:
    """Return the game that a request is about, as far as it says so."""
    position = keys.get("position")
    name = position.get("game") if isinstance(position, dict) else keys.get("game")
    return name if isinstance(name, str) and name in NAMES else None


def refusal(kind: str, message: str, keys: Any, status: int | None = None) -> Response:
    """Return an error as a problem; of a busy server with the seconds to wait."""
    found = problem(kind, " ".join(message.split()), keys, status)
    headers = {"Retry-After": "1"} if kind == "busy" else {}
    if found["status"] in (408, 413):
        headers["Connection"] = "close"  # the rest of the body is not read
    return Response(
        json.dumps(found), found["status"], headers, media_type="application/problem+json"
    )


async def health(request: Request) -> Response:
    """Answer ``GET /v1/health``: that it lives, since when, and which workers there are."""
    service: Service = request.app.state.service
    workers = {pace.name.lower(): pool.process_ids for pace, pool in service.pools.items()}
    told = {
        "status": "ok",
        "version": version("ustad"),
        "seconds_up": round(time.monotonic() - service.began, 3),
        "workers": workers,
    }
    return Response(json.dumps(told), media_type="application/json")


async def described(request: Request) -> Response:
    """Answer ``GET /v1/openapi.json``."""
    del request
    return Response(json.dumps(openapi(version("ustad"))), media_type="application/json")


async def metrics(request: Request) -> Response:
    """Answer ``GET /metrics``."""
    service: Service = request.app.state.service
    return Response(service.numbers.text(), media_type=prometheus_client.CONTENT_TYPE_LATEST)


async def not_there(request: Request, error: Exception) -> Response:
    """Answer with a problem where there is nothing, or not by that verb."""
    del request
    assert isinstance(error, HTTPException)
    answer = refusal("usage", error.detail, {}, error.status_code)
    answer.headers.update(error.headers or {})
    return answer


class Page(StaticFiles):
    """The page that ``ustad page`` wrote; what is named by its digest never changes."""

    def file_response(self, *args: Any, **keys: Any) -> Response:
        """Return a file; the page itself is asked for anew each time."""
        answer = super().file_response(*args, **keys)
        named = Path(args[0]).relative_to(Path(str(self.directory)).resolve()).parts[0]
        lasts = named == "data" or named.startswith("v-")
        answer.headers["Cache-Control"] = "max-age=31536000, immutable" if lasts else "no-cache"
        answer.headers["X-Content-Type-Options"] = "nosniff"
        return answer


def application(settings: Settings) -> Starlette:
    """Return the ASGI application of a server."""
    service = Service(settings)
    routes: list[BaseRoute] = [
        Route("/v1/health", health),
        Route("/v1/openapi.json", described),
        Route("/v1/{method}", call, methods=["POST"]),
        Route("/metrics", metrics),
    ]
    if settings.page is not None:
        routes.append(Mount("/", GZipMiddleware(Page(directory=settings.page, html=True))))
    app = Starlette(
        routes=routes,
        exception_handlers={HTTPException: not_there},
        lifespan=service.running,
    )
    app.state.service = service
    return app


class Server(uvicorn.Server):
    """uvicorn's server, which says where it listens once it does, and ends with status 0."""

    def __init__(self, config: uvicorn.Config, service: Service) -> None:
        super().__init__(config)
        self._service = service

    def handle_exit(self, sig: int, frame: Any) -> None:
        """End when what is under way is answered; a second signal does not wait."""
        del sig, frame
        self.force_exit = self.should_exit
        self.should_exit = True

    async def shutdown(self, sockets: Any = None) -> None:
        """End what is under way, or refuse it when it takes too long."""
        for pool in self._service.pools.values():
            pool.hurry(SECONDS_TO_END)
        await super().shutdown(sockets)

    async def startup(self, sockets: Any = None) -> None:
        """Listen, and say where."""
        await super().startup(sockets)
        host, port = self.servers[0].sockets[0].getsockname()[:2]
        shown_host = f"[{host}]" if ":" in host else host
        print(f"ustad: listening on http://{shown_host}:{port}", file=sys.stderr, flush=True)


def listen(settings: Settings) -> socket.socket:
    """Return a socket that listens on the address, or raise OSError."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.create_server((settings.host, settings.port), family=family, backlog=2048)
    # What it accepts inherits this; without it an answer waits 40 ms for a delayed acknowledgement.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def run(settings: Settings) -> None:
    """Serve until ``SIGTERM`` or Ctrl-C; what is under way then is answered first.

    Raises:
        OSError: the address cannot be listened on.
    """
    listener = listen(settings)
    app = application(settings)
    config = uvicorn.Config(
        app,
        http=Connection,
        ws="none",
        loop="asyncio",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_keep_alive=60,
        timeout_graceful_shutdown=int(SECONDS_TO_END + SECONDS_TO_CLOSE),
    )
    Server(config, app.state.service).run([listener])
