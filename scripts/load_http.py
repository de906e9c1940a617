"""Load on a server of the protocol: rates, whole games at once, memory, killed workers.

    python scripts/load_http.py rates            # requests/s, p50, p99 of each game
    python scripts/load_http.py games            # 200 games at once, a search every second
    python scripts/load_http.py memory           # 200,000 requests, memory before and after
    python scripts/load_http.py kills            # workers killed and tables renewed under load
    python scripts/load_http.py restarts         # the server ended and started again under load
    python scripts/load_http.py overload         # ten times the searches it can bear

Each starts ``ustad serve --http`` of this installation on a free port, asks it over plain
sockets (a client library would take more of the two cores than the server), and prints a
table.  Times are seen from the client, which shares the machine with the server.
"""

from __future__ import annotations

import argparse
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

from ustad.runtime import Advisor

SEARCHED: dict[str, Any] = {
    "game": "raja_pasu",
    "board": [7, 7, 7, 7, 7, 7, 9, 7, 7, 7, 7, 7, 7, 5],
    "to_move": 0,
    "captured": [0, 0],
}
"""A board that is in no table, whose search takes its whole limit."""

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
async def server(workers: int, port: int = 0) -> AsyncIterator[Running]:
    """Start a server, and end it by SIGTERM."""
    command = [sys.executable, "-m", "ustad.runtime", "serve", "--http", str(port)]
    process = await asyncio.create_subprocess_exec(
        *command, "--workers", str(workers), stderr=asyncio.subprocess.PIPE
    )
    assert process.stderr is not None
    while (line := (await process.stderr.readline()).decode()) and "listening" not in line:
        print(line, end="", file=sys.stderr)
    try:
        yield Running(int(line.rsplit(":", 1)[1]), process)
    finally:
        process.send_signal(signal.SIGTERM)
        began = time.monotonic()
        await process.wait()
        print(f"ended {time.monotonic() - began:.1f} s after SIGTERM")


def percentile(times: Sequence[float], share: float) -> float:
    """Return a percentile of times in ms."""
    return 1000 * float(np.percentile(times, share))


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


async def rates(args: argparse.Namespace) -> None:
    """Print requests a second and times of each game for 1, 32 and 256 connections."""
    print("| game, level | connections | requests/s | p50 ms | p99 ms | memory MB |")
    print("|---|---|---|---|---|---|")
    async with server(args.workers) as running:
        for game, level in LEVELS.items():
            body = json.dumps(
                {"position": first_decision(game), "level": level, "seed": 1}
            ).encode()
            await repeated(running.port, 1, 50, body, "move")
            for callers in (1, 32, 256):
                took, times, answers = await repeated(
                    running.port, callers, args.requests, body, "move"
                )
                wrong = sorted({answer.status for answer in answers} - {200})
                print(
                    f"| {game}, {level} | {callers} | {args.requests / took:,.0f} | "
                    f"{percentile(times, 50):.1f} | {percentile(times, 99):.1f} | "
                    f"{running.memory() / 2**20:.0f} |{f' refused: {wrong}' if wrong else ''}",
                    flush=True,
                )


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


async def games(args: argparse.Namespace) -> None:
    """Play many games at once, with a long search every second, and print the times."""
    times: dict[str, list[float]] = {}
    found: list[Answer] = []
    async with server(args.workers) as running:
        port = running.port

        async def all_games() -> list[Any]:
            kinds = list(LEVELS)
            return await asyncio.gather(
                *(one_game(port, kinds[at % 5], at, times) for at in range(args.games))
            )

        began = time.perf_counter()
        ends = await beside(all_games, searches(port, found))
        took = time.perf_counter() - began
    assert all(end["to"] == "over" and end["winners"] for end in ends)
    told = {status: sum(one.status == status for one in found) for status in (200, 503)}
    print(f"{len(ends)} games ended in {took:.1f} s; searches: {told}")
    print("| request | times | p50 ms | p99 ms | longest ms |\n|---|---|---|---|---|")
    for name, each in sorted(times.items()):
        print(
            f"| {name} | {len(each):,} | {percentile(each, 50):.1f} | {percentile(each, 99):.1f} | "
            f"{1000 * max(each):.1f} |"
        )


async def memory(args: argparse.Namespace) -> None:
    """Send many requests of all games and print the memory on the way."""
    bodies = [
        json.dumps({"position": first_decision(game), "level": level, "seed": 1}).encode()
        for game, level in LEVELS.items()
    ]
    async with server(args.workers) as running:
        for part in range(11):
            print(f"{part * args.requests // 10:,} requests: {running.memory() / 2**20:.1f} MB")
            for body in bodies if part < 10 else ():
                await repeated(running.port, 8, args.requests // 50, body, "move")


async def kills(args: argparse.Namespace) -> None:
    """Kill workers and renew the tables under load; every answer is right or an error."""
    position = first_decision("marriage")
    body = json.dumps({"position": position, "level": "hard", "seed": 1}).encode()
    async with server(args.workers) as running:
        caller = await Caller.open(running.port)
        right = await caller.send("POST", "/v1/move", body)

        async def harm() -> None:
            for at in range(30):
                await asyncio.sleep(0.7)
                if at % 3 == 2:
                    running.process.send_signal(signal.SIGHUP)
                    continue
                health = json.loads((await caller.send("GET", "/v1/health")).body)
                os.kill(health["workers"]["soon"][0], signal.SIGKILL)

        harming = asyncio.ensure_future(harm())
        counted: dict[int, int] = {}
        while not harming.done():
            _, _, answers = await repeated(running.port, 8, 80, body, "move")
            for answer in answers:
                counted[answer.status] = counted.get(answer.status, 0) + 1
                assert answer.status != 200 or answer.body == right.body, answer
        await harming
        print(f"20 workers killed, 10 renewals: kinds of answers in rounds of 80: {counted}")


async def restarts(args: argparse.Namespace) -> None:
    """End the server and start it again under load; what it answers is right."""
    body = json.dumps({"position": first_decision("yacht"), "level": "hard", "seed": 1}).encode()
    counted = {"answered": 0, "not connected": 0, "no answer": 0, "half an answer": 0}
    right: set[Answer] = set()
    async with server(args.workers) as running:
        port = running.port
        right.add(await (await Caller.open(port)).send("POST", "/v1/move", body))

    async def ask_on() -> None:
        while True:
            try:
                caller = await Caller.open(port)
            except OSError:
                counted["not connected"] += 1
                await asyncio.sleep(0.05)
                continue
            try:
                while True:
                    right.add(await caller.send("POST", "/v1/move", body))
                    counted["answered"] += 1
            except asyncio.IncompleteReadError as error:  # an answer is whole or not there
                counted["half an answer" if error.partial else "no answer"] += 1
            except OSError:
                counted["no answer"] += 1

    going = [asyncio.ensure_future(ask_on()) for _ in range(8)]
    for _ in range(10):
        async with server(args.workers, port):
            await asyncio.sleep(1)
    for one in going:
        one.cancel()
    await asyncio.gather(*going, return_exceptions=True)
    assert not counted["half an answer"], counted
    assert len(right) == 1, f"{len(right)} different answers"
    print(f"10 restarts: {counted}")


async def overload(args: argparse.Namespace) -> None:
    """Send ten times the searches that the workers can bear, and time health and refusals."""
    answers: dict[int, list[float]] = {}
    healthy: list[float] = []
    seconds = 20.0
    async with server(args.workers) as running:
        body = json.dumps({"position": SEARCHED}).encode()
        began = time.perf_counter()
        await (await Caller.open(running.port)).send("POST", "/v1/ask", body)
        pause = (time.perf_counter() - began) / args.workers / 10

        async def one() -> None:
            caller = await Caller.open(running.port)
            began = time.perf_counter()
            status = (await caller.send("POST", "/v1/ask", body)).status
            answers.setdefault(status, []).append(time.perf_counter() - began)
            caller.close()

        caller = await Caller.open(running.port)
        going = []
        for _ in range(round(seconds / pause)):
            going.append(asyncio.ensure_future(one()))
            began = time.perf_counter()
            await caller.send("GET", "/v1/health")
            healthy.append(time.perf_counter() - began)
            await asyncio.sleep(pause)
        for each in going:
            each.cancel()
        await asyncio.gather(*going, return_exceptions=True)
    print(f"a search sent every {1000 * pause:.0f} ms")
    for name, times in (("health", healthy), *((f"status {s}", answers[s]) for s in answers)):
        print(
            f"{name}: {len(times)}, p50 {percentile(times, 50):.1f} ms, p99 "
            f"{percentile(times, 99):.1f} ms, longest {1000 * max(times):.1f} ms"
        )


MEASURES = (rates, games, memory, kills, restarts, overload)


def main() -> None:
    """Run one of the measurements."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=[one.__name__ for one in MEASURES])
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--requests", type=int, help="how many (rates 2,000; memory 200,000)")
    parser.add_argument("--games", type=int, default=200)
    args = parser.parse_args()
    if args.requests is None:
        args.requests = 200_000 if args.what == "memory" else 2_000
    measure = next(one for one in MEASURES if one.__name__ == args.what)
    asyncio.run(measure(args))


if __name__ == "__main__":
    main()
