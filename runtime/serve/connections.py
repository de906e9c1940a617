"""Connections that cannot hold up others: how long a client may take, and how many there may be.

uvicorn has a time limit between two requests alone, and its limit of connections counts those
that say nothing and then refuses everybody.  Here a client has some seconds for the headers of
a request, and when there are too many connections the one that has said nothing for longest
is dropped for the new one, so that health checks and new games come through.
"""

from __future__ import annotations

import asyncio
import resource
from typing import Any, ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

SECONDS_FOR_HEADERS = 10.0
"""How long a client may be silent, or take for the headers of a request."""

LARGEST_HEADERS = 64 * 1024
"""Bytes that the headers of one request may have."""

_FILES_LEFT = 200
"""Open files that are not connections: tables, pipes to workers, what Python needs."""


def most_connections() -> int:
    """Return how many connections there may be at once, by the limit of open files."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return max(16, min(files - _FILES_LEFT, 5000))


class Connection(HttpToolsProtocol):
    """One client: uvicorn's protocol with a time limit for headers and a place in the line."""

    most = most_connections()
    silent: ClassVar[dict[Connection, None]] = {}
    """The connections that no request is read from or worked on, those silent longest first."""

    _deadline: asyncio.TimerHandle | None = None
    _read = 0

    def connection_made(self, transport: Any) -> None:
        """Take a new client, if need be instead of one that says nothing."""
        super().connection_made(transport)
        if len(self.connections) > self.most:
            oldest = next(iter(self.silent), self)
            oldest.transport.abort()
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the client."""
        self._go_on()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on; headers without end end the connection."""
        self._read += len(data)
        super().data_received(data)
        if self._deadline is not None and self._read > LARGEST_HEADERS:
            self._refuse(431, b"Request Header Fields Too Large")

    def _refuse(self, status: int, reason: bytes) -> None:
        self.transport.write(
            b"HTTP/1.1 %d %s\r\nconnection: close\r\ncontent-length: 0\r\n\r\n" % (status, reason)
        )
        self.transport.close()

    def on_headers_complete(self) -> None:
        """Begin to work on a request."""
        self._go_on()
        super().on_headers_complete()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        if not self.pipeline:
            self._wait()

    def _wait(self) -> None:
        """Give the client some seconds from now to send the headers of a request."""
        self._go_on()
        self._read = 0
        self.silent[self] = None
        self._deadline = self.loop.call_later(SECONDS_FOR_HEADERS, self.transport.abort)

    def _go_on(self) -> None:
        """Let the client be: it is being answered, or it is gone."""
        self.silent.pop(self, None)
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
