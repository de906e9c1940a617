"""Processes for slow work, so that no search holds up the quick answers.

A worker is the line protocol itself (``ustad serve``) at the other end of two pipes: what it
answers are the bytes of the answer, handed on unread.  A :class:`Pool` keeps some of them.
A request waits in a line for the next one that is free; a line that is full, or a wait that is
too long, refuses at once.  A worker that dies loses its own request alone and is replaced.  A
request that takes longer than its limit ends with its worker, since nothing else stops a search.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

from ustad.runtime.core.errors import BusyError, WorkerError

LARGEST_ANSWER = 256 * 2**20
"""Bytes of the longest line that a worker may answer; a batch has 10,000 answers."""


SECONDS_TO_LEAVE = 1.0
"""How long a worker that has nothing to do may take to end."""


class Worker:
    """One process that answers one request after the other."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._asked = 0
        self._killed = False

    @classmethod
    async def start(cls, command: Sequence[str]) -> Worker:
        """Start a process that answers lines.

        Args:
            command: its words.
        """
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=LARGEST_ANSWER,
            # Ctrl-C in a terminal goes to the whole group; workers end when their input does.
            start_new_session=True,
        )
        return cls(process)

    @property
    def process_id(self) -> int:
        """The number of the process."""
        return self._process.pid

    @property
    def lives(self) -> bool:
        """Whether the process is there and may be asked."""
        return self._process.returncode is None and not self._killed

    async def ask(self, method: str, request: dict[str, Any]) -> bytes:
        """Return the answer to a request as JSON: ``{"result": ...}`` or ``{"error": ...}``.

        Raises:
            WorkerError: the process died.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._asked += 1
        line = json.dumps({"id": self._asked, "method": method, **request}, separators=(",", ":"))
        try:
            self._process.stdin.write(line.encode() + b"\n")
            await self._process.stdin.drain()
            answer = await self._process.stdout.readline()
        except (OSError, ValueError):  # it is gone, or answered with a line without end
            answer = b""
        head = b'{"id": %d, ' % self._asked
        if not answer.startswith(head):
            self.kill()
            raise WorkerError("worker: the process that worked on this went away")
        return b"{" + answer[len(head) :].rstrip()

    async def ended(self) -> None:
        """Wait until the process is gone."""
        await self._process.wait()

    def kill(self) -> None:
        """End the process at once."""
        self._killed = True
        with suppress(ProcessLookupError):
            self._process.kill()

    async def close(self) -> None:
        """Let the process end, what it does being done."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            await asyncio.wait_for(self._process.wait(), SECONDS_TO_LEAVE)
        except TimeoutError:
            self.kill()
            await self._process.wait()


class Pool:
    """Some workers, and the line before them.

    Args:
        size: how many workers.
        longest_line: how many requests may wait for one.
        command: the words that start a worker.
    """

    def __init__(self, size: int, longest_line: int, command: Sequence[str]) -> None:
        self.size = size
        self.waiting = 0
        self.replaced = 0
        self._longest_line = longest_line
        self._command = command
        self._free: asyncio.Queue[Worker] = asyncio.Queue()
        self._all: set[Worker] = set()
        self._stale: set[Worker] = set()
        self._watches: set[asyncio.Task[None]] = set()
        self._limits: set[asyncio.Timeout] = set()
        self._closed = False

    async def open(self) -> None:
        """Start the workers."""
        await asyncio.gather(*(self._add() for _ in range(self.size)))

    async def close(self) -> None:
        """End the workers."""
        self._closed = True
        for watch in self._watches:
            watch.cancel()
        await asyncio.gather(*(worker.close() for worker in self._all))

    def hurry(self, seconds: float) -> None:
        """Give the requests under way at most some seconds from now."""
        latest = asyncio.get_running_loop().time() + seconds
        for limit in self._limits:
            limit.reschedule(min(latest, limit.when() or latest))

    @property
    def process_ids(self) -> list[int]:
        """The numbers of the processes."""
        return [worker.process_id for worker in self._all if worker.lives]

    @property
    def busy(self) -> int:
        """How many workers work now."""
        return self.size - self._free.qsize()

    def renew(self) -> None:
        """Replace every worker by one that opens the tables anew, when it is free."""
        self._stale |= self._all
        for _ in range(self._free.qsize()):
            self._leave(self._free.get_nowait())

    async def ask(self, method: str, request: dict[str, Any], seconds: float) -> bytes:
        """Return the answer of a free worker as JSON.

        Args:
            method: the method.
            request: its keys.
            seconds: how long it may take, waiting included.

        Raises:
            BusyError: too many wait already, or it took too long.
            WorkerError: the worker died.
        """
        async with self._worker(seconds) as worker:
            return await worker.ask(method, request)

    @asynccontextmanager
    async def _worker(self, seconds: float) -> AsyncIterator[Worker]:
        """Give a free worker, and take it back; one that did not end in time is killed."""
        if self.waiting >= self._longest_line:
            raise BusyError(f"{self.waiting} requests wait already: try again later")
        worker = limit = None
        began = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout(seconds) as limit:
                self._limits.add(limit)
                self.waiting += 1
                try:
                    worker = await self._next()
                finally:
                    self.waiting -= 1
                yield worker
        except TimeoutError:
            if worker is not None:
                worker.kill()
            taken = asyncio.get_running_loop().time() - began
            raise BusyError(f"no answer within {taken:.1f} s: try again later") from None
        except asyncio.CancelledError:
            if worker is not None:
                worker.kill()  # what it would answer is nobody's
            raise
        finally:
            self._limits.discard(limit)
            if worker is not None:
                self._leave(worker)

    async def _next(self) -> Worker:
        """Return the next free worker that lives."""
        while not (worker := await self._free.get()).lives:
            pass
        return worker

    def _leave(self, worker: Worker) -> None:
        """Put a worker back, or end it if it is to be replaced; :meth:`_watch` starts the next."""
        if worker in self._stale:
            self._stale.discard(worker)
            self._keep(worker.close())
        elif worker.lives:
            self._free.put_nowait(worker)

    async def _add(self) -> None:
        worker = await Worker.start(self._command)
        self._all.add(worker)
        self._keep(self._watch(worker))
        self._leave(worker)

    async def _watch(self, worker: Worker) -> None:
        """Start another worker when this one has ended."""
        await worker.ended()
        self._all.discard(worker)
        self._stale.discard(worker)
        if not self._closed:
            self.replaced += 1
            await self._add()

    def _keep(self, coroutine: Coroutine[Any, Any, None]) -> None:
        """Run a task beside; the loop itself holds tasks weakly."""
        task = asyncio.ensure_future(coroutine)
        self._watches.add(task)
        task.add_done_callback(self._watches.discard)
