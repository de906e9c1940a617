"""The pool of workers: answers in turn, refusals, workers that die or take too long.

The workers here are small programs that speak the line protocol: one answers after as many
seconds as the request says.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from ustad.runtime.core.errors import BusyError, WorkerError
from ustad.runtime.serve.workers import Pool

SLEEPER = """
import json, os, sys, time
for line in sys.stdin:
    request = json.loads(line)
    time.sleep(request["seconds"])
    print(json.dumps({"id": request["id"], "result": os.getpid()}), flush=True)
"""


@asynccontextmanager
async def pool(size: int = 1, longest_line: int = 1) -> AsyncIterator[Pool]:
    found = Pool(size, longest_line, [sys.executable, "-S", "-c", SLEEPER])
    await found.open()
    try:
        yield found
    finally:
        await found.close()


async def asked(workers: Pool, seconds: float = 0.0, limit: float = 10.0) -> Any:
    return json.loads(await workers.ask("sleep", {"seconds": seconds}, limit))["result"]


def runs(test: Callable[[], Awaitable[None]]) -> Callable[[], None]:
    """Make a test of a coroutine."""

    def run() -> None:
        asyncio.run(test())  # type: ignore[arg-type]

    run.__name__ = test.__name__
    return run


@runs
async def test_a_full_line_refuses_at_once() -> None:
    async with pool(size=1, longest_line=1) as workers:
        going = [asyncio.ensure_future(asked(workers, 0.5)) for _ in range(2)]
        await asyncio.sleep(0.2)
        began = time.monotonic()
        with pytest.raises(BusyError, match="1 requests wait already"):
            await asked(workers)
        assert time.monotonic() - began < 0.1
        assert len({*await asyncio.gather(*going)}) == 1


@runs
async def test_a_killed_worker_loses_its_own_request_alone() -> None:
    async with pool(size=2, longest_line=8) as workers:
        first, second = await asyncio.gather(asked(workers, 0.1), asked(workers, 0.1))
        going = [asyncio.ensure_future(asked(workers, 0.5)) for _ in range(2)]
        await asyncio.sleep(0.1)
        os.kill(first, signal.SIGKILL)
        answers = await asyncio.gather(*going, return_exceptions=True)
        assert {type(one) for one in answers} == {int, WorkerError}
        assert second in answers
        found = {await asked(workers) for _ in range(8)}
        assert first not in found
        while workers.replaced < 1:
            await asyncio.sleep(0.01)
        assert len(workers.process_ids) == 2


@runs
async def test_what_takes_too_long_ends_with_its_worker() -> None:
    async with pool() as workers:
        slow = await asked(workers)
        with pytest.raises(BusyError, match=r"no answer within 0\.2 s"):
            await asked(workers, seconds=60, limit=0.2)
        assert await asked(workers) != slow


@runs
async def test_renewed_workers_end_what_they_do_first() -> None:
    async with pool(size=2) as workers:
        busy = asyncio.ensure_future(asked(workers, 0.3))
        await asyncio.sleep(0.1)
        before = set(workers.process_ids)
        workers.renew()
        assert await busy in before
        while set(workers.process_ids) & before or len(workers.process_ids) < 2:
            await asyncio.sleep(0.01)
        assert await asked(workers) not in before


@runs
async def test_hurried_requests_are_refused_in_time() -> None:
    async with pool(longest_line=2) as workers:
        await asked(workers)
        going = [asyncio.ensure_future(asked(workers, seconds=60)) for _ in range(2)]
        await asyncio.sleep(0.1)
        workers.hurry(0.2)
        answers = await asyncio.gather(*going, return_exceptions=True)
        assert all("no answer within 0." in str(one) for one in answers)
