"""Benchmarks of the server over HTTP: rates, whole games at once, memory, harm done under load.

Each starts ``ustad serve --http`` of this installation on a free port with two workers for slow
work, and asks it over plain sockets (a client library would take more of the two cores than the
server).  Times are seen from the client, which shares the machine with the server.  Any answer
that is wrong or cut off ends a benchmark with an error.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.common import Row, benchmark
from ustad.runtime import Advisor

SEARCHED: dict[str, Any] = {
    "game": "raja_pasu",
    "board": [7, 7, 7, 7, 7, 7, 9, 7, 7, 7, 7, 7, 7, 5],
    "to_move": 0,
    "captured": [0, 0],
}
"""A board that is in no table, whose search takes its whole limit."""

HAND = "7H 7H 7H 8H 9H 10H 2C 3C 4C 5D 5D KS KS QS JS 10S 9S 8S AD AD 2D"

LEVELS = {
    "yacht": "hard",
    "dice_poker": "expert",
    "pasa": "expert",
    "raja_pasu": "expert",
    "marriage": "hard",
}
"""Each game with the level that is measured."""


class Answer(NamedTuple):
    """What came back: the status and the body."""

    status: int
    body: bytes


class Caller:
    """One connection that is kept."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    @classmethod
    async def open(cls, port: int) -> Caller:
        """Connect to a server on this machine."""
        return cls(*await asyncio.open_connection("127.0.0.1", port, limit=2**24))

    async def send(self, verb: str, path: str, body: bytes = b"") -> Answer:
        """Send a request and return the answer."""
        head = f"{verb} {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n"
        self._writer.write(head.encode() + body)
        head = (await self._reader.readuntil(b"\r\n\r\n")).decode()
        length = re.search(r"content-length: (\d+)", head, re.IGNORECASE)
        assert length is not None, head
        return Answer(int(head.split(" ", 2)[1]), await self._reader.readexactly(int(length[1])))

    async def call(self, method: str, **keys: Any) -> Any:
        """Return the result of a method, or raise RuntimeError."""
        answer = await self.send("POST", f"/v1/{method}", json.dumps(keys).encode())
        if answer.status != 200:
            raise RuntimeError(f"{method}: {answer.status} {answer.body.decode()}")
        return json.loads(answer.body)

    def close(self) -> None:
        """Close the connection."""
        self._writer.close()


class Running(NamedTuple):
    """A server that was started: its port and its process."""

    port: int
    process: asyncio.subprocess.Process

    def memory(self) -> int:
        """Return the bytes of memory that the server and its workers hold."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        processes = [self.process.pid, *map(int, children.read_text().split())]
        held = 0
        for one in processes:
            status = Path(f"/proc/{one}/status").read_text()
            found = re.search(r"RssAnon:\s+(\d+) kB", status)
            held += int(found[1]) * 1024 if found else 0
        return held


@asynccontextmanager
async def server(port: int = 0) -> AsyncIterator[Running]:
    """Start a server, and end it by SIGTERM."""
    command = [
        sys.executable,
        "-m",
        "ustad.runtime",
        "serve",
        "--http",
        str(port),
        "--workers",
        "1",
    ]
    process = await asyncio.create_subprocess_exec(*command, stderr=asyncio.subprocess.PIPE)
    assert process.stderr is not None
    while (line := (await process.stderr.readline()).decode()) and "listening" not in line:
        print(line, end="", file=sys.stderr)
    try:
        yield Running(int(line.rsplit(":", 1)[1]), process)
    finally:
        process.send_signal(signal.SIGTERM)
        await asyncio.wait_for(process.wait(), 10)  # what is promised


def spread(times: Sequence[float]) -> Row:
    """Return the middle, the 99th percentile and the longest of some times."""
    middle, late = np.percentile(times, (50, 99))
    return {"p50_s": float(middle), "p99_s": float(late), "longest_s": max(times)}


async def repeated(
    port: int, callers: int, requests: int, body: bytes, method: str
) -> tuple[float, list[float], set[Answer]]:
    """Send one request over and over on several connections.

    Returns:
        The seconds that all took, the seconds of each, and the different answers.
    """
    times: list[float] = []
    answers: set[Answer] = set()
    left = iter(range(requests))

    async def caller() -> None:
        connection = await Caller.open(port)
        for _ in left:
            began = time.perf_counter()
            answers.add(await connection.send("POST", f"/v1/{method}", body))
            times.append(time.perf_counter() - began)
        connection.close()

    began = time.perf_counter()
    await asyncio.gather(*(caller() for _ in range(callers)))
    return time.perf_counter() - began, times, answers


def first_decision(game: str) -> dict[str, Any]:
    """Return a position of a game in which a bot is to move."""
    advisor = Advisor()
    position = advisor.new(game, seed=1)["position"]
    if advisor.status(position)["status"]["to"] == "chance":
        position = advisor.apply(position, seed=1)["position"]
    return position


@benchmark
def http_rates() -> Row:
    """Answer ``move`` of each game over HTTP on 1, 32 and 256 connections."""
    return asyncio.run(_rates())


async def _rates(requests: int = 2000) -> Row:
    found: Row = {}
    async with server() as running:
        for game, level in LEVELS.items():
            body = json.dumps(
                {"position": first_decision(game), "level": level, "seed": 1}
            ).encode()
            await repeated(running.port, 1, 50, body, "move")
            for callers in (1, 32, 256):
                took, times, answers = await repeated(running.port, callers, requests, body, "move")
                assert len(answers) == 1, f"{len(answers)} different answers"
                rate = {"requests_per_s": round(requests / took), **spread(times)}
                found[f"{game} {level} {callers}"] = rate
        memory = running.memory()
    ok = found["yacht hard 1"]["requests_per_s"] >= 800 and all(
        each["p99_s"] <= 0.05 for name, each in found.items() if name.endswith(" 32")
    )
    target = "yacht hard 800 requests/s; p99 at most 50 ms on 32 connections"
    return {**found, "memory_bytes": memory, "target": target, "ok": ok}


async def searches(port: int, answers: list[Answer]) -> None:
    """Send a long search every second until cancelled."""
    async with asyncio.TaskGroup() as group:
        while True:
            group.create_task(search(port, answers))
            await asyncio.sleep(1)


async def search(port: int, answers: list[Answer]) -> None:
    """Ask about a board that is in no table."""
    caller = await Caller.open(port)
    body = json.dumps({"position": SEARCHED}).encode()
    answers.append(await caller.send("POST", "/v1/ask", body))
    caller.close()


async def beside(task: Callable[[], Awaitable[Any]], other: Awaitable[Any]) -> Any:
    """Return what a task returns, something else going on meanwhile."""
    going = asyncio.ensure_future(other)
    try:
        return await task()
    finally:
        going.cancel()
        await asyncio.gather(going, return_exceptions=True)


async def one_game(port: int, game: str, seed: int, times: dict[str, list[float]]) -> Any:
    """Play a game of bots from its start to its end, and return its last status."""
    caller = await Caller.open(port)

    async def timed(method: str, **keys: Any) -> Any:
        began = time.perf_counter()
        found = await caller.call(method, **keys)
        times.setdefault(f"{game} {method}", []).append(time.perf_counter() - began)
        return found

    whole = {"whole": True} if game == "marriage" else {}
    now = await timed("new", game=game, seed=seed, **whole)
    for step in range(10_000):
        status, position = now["status"], now["position"]
        if status["to"] == "over":
            caller.close()
            return status
        if status["to"] == "chance":
            now = await timed("apply", position=position, seed=seed + step)
        else:
            level = ("medium", LEVELS[game])[(status["seat"] + seed) % 2]
            chosen = await timed("move", position=position, level=level, seed=seed)
            now = await timed("apply", position=position, move=chosen["move"])
    raise RuntimeError(f"{game}, seed {seed}: no end after 10,000 steps")


@benchmark
def http_games() -> Row:
    """Play 200 games of bots at once over HTTP to their ends, with a long search every second."""
    return asyncio.run(_games())


async def _games(games: int = 200) -> Row:
    times: dict[str, list[float]] = {}
    found: list[Answer] = []
    async with server() as running:
        kinds = list(LEVELS)

        async def all_games() -> list[Any]:
            return await asyncio.gather(
                *(one_game(running.port, kinds[at % 5], at, times) for at in range(games))
            )

        began = time.perf_counter()
        ends = await beside(all_games, searches(running.port, found))
        took = time.perf_counter() - began
    assert all(end["to"] == "over" and end["winners"] for end in ends)
    return {
        "wall_s": took,
        "games": len(ends),
        "requests": sum(map(len, times.values())),
        "searches": len(found),
        "searches_refused": sum(one.status == 503 for one in found),
        **{name: spread(each) for name, each in sorted(times.items())},
    }


@benchmark
def http_memory() -> Row:
    """Answer 200,000 requests of all games over HTTP: memory on the way."""
    return asyncio.run(_memory())


async def _memory(requests: int = 200_000, parts: int = 10) -> Row:
    bodies = [
        json.dumps({"position": first_decision(game), "level": level, "seed": 1}).encode()
        for game, level in LEVELS.items()
    ]
    held = []
    async with server() as running:
        for _ in range(parts):
            for body in bodies:
                await repeated(running.port, 8, requests // parts // len(bodies), body, "move")
            held.append(running.memory())
    return {
        "after_a_tenth_bytes": held[0],
        "at_the_end_bytes": held[-1],
        "target": "flat",
        "ok": held[-1] < 1.02 * held[0],
    }


@benchmark
def http_kills() -> Row:
    """Kill 20 workers and renew the tables 10 times under load; every answer is right or a 500."""
    return asyncio.run(_kills())


async def _kills() -> Row:
    body = json.dumps({"cards": HAND}).encode()
    right: set[bytes] = set()
    counted: dict[int, int] = {}
    async with server() as running:
        caller = await Caller.open(running.port)

        async def harm() -> None:
            for at in range(30):  # two of three times a worker, else the tables
                await asyncio.sleep(1.5)
                if at % 3 == 2:
                    running.process.send_signal(signal.SIGHUP)
                    continue
                health = json.loads((await caller.send("GET", "/v1/health")).body)
                os.kill(health["workers"]["soon"][0], signal.SIGKILL)

        async def ask_on() -> None:
            asker = await Caller.open(running.port)
            while not harming.done():
                answer = await asker.send("POST", "/v1/hand", body)
                counted[answer.status] = counted.get(answer.status, 0) + 1
                if answer.status == 200:
                    right.add(answer.body)

        harming = asyncio.ensure_future(harm())
        await asyncio.gather(harming, *(ask_on() for _ in range(8)))
    assert len(right) == 1, f"{len(right)} different answers"
    told = {f"status_{status}": times for status, times in sorted(counted.items())}
    return {**told, "target": "200 or 500", "ok": set(counted) <= {200, 500}}


@benchmark
def http_restarts() -> Row:
    """End the server and start it again 10 times under load; what it answers is right and whole."""
    return asyncio.run(_restarts())


async def _restarts() -> Row:
    body = json.dumps({"position": first_decision("yacht"), "level": "hard", "seed": 1}).encode()
    counted = {"answered": 0, "not_connected": 0, "closed_unanswered": 0}
    right: set[Answer] = set()
    async with server() as running:
        port = running.port

    async def ask_on() -> None:
        while True:
            try:
                caller = await Caller.open(port)
            except OSError:
                counted["not_connected"] += 1
                await asyncio.sleep(0.05)
                continue
            try:
                while True:
                    right.add(await caller.send("POST", "/v1/move", body))
                    counted["answered"] += 1
            except (asyncio.IncompleteReadError, OSError) as error:
                if getattr(error, "partial", b""):
                    raise  # an answer is whole or not there
                counted["closed_unanswered"] += 1

    going = [asyncio.ensure_future(ask_on()) for _ in range(8)]
    for _ in range(10):
        async with server(port):
            await asyncio.sleep(1)
    for one in going:
        one.cancel()
    ends = await asyncio.gather(*going, return_exceptions=True)
    assert all(isinstance(end, asyncio.CancelledError) for end in ends), ends
    assert len(right) == 1, f"{len(right)} different answers"
    return dict(counted)


@benchmark
def http_overload() -> Row:
    """Send ten times the searches that the workers can bear: health, refusals, answers."""
    return asyncio.run(_overload())


async def _overload(seconds: float = 20.0) -> Row:
    body = json.dumps({"position": SEARCHED}).encode()
    times: dict[str, list[float]] = {}

    async def timed(kind: str, verb: str, path: str, sent: bytes = b"") -> None:
        caller = await Caller.open(running.port)
        began = time.perf_counter()
        status = (await caller.send(verb, path, sent)).status
        times.setdefault(f"{kind} {status}", []).append(time.perf_counter() - began)
        caller.close()

    async with server() as running:
        await timed("alone", "POST", "/v1/ask", body)
        pause = times.pop("alone 200")[0] / 10
        going = []
        for _ in range(round(seconds / pause)):
            going.append(asyncio.ensure_future(timed("search", "POST", "/v1/ask", body)))
            await timed("health", "GET", "/v1/health")
            await asyncio.sleep(pause)
        for one in going:
            one.cancel()
        await asyncio.gather(*going, return_exceptions=True)
    found = {name: {"times": len(each), **spread(each)} for name, each in times.items()}
    quick = found["health 200"]["longest_s"], found["search 503"]["longest_s"]
    target = "health and refusals within 20 ms"
    return {"every_s": pause, **found, "target": target, "ok": max(quick) <= 0.02}
