"""A blocking connection to a contest server: plain sockets, the same on every system."""

from __future__ import annotations

import contextlib
import socket
import time
from collections import deque
from collections.abc import Iterator
from types import TracebackType
from typing import Self

from spielleiter.client.incoming import Incoming
from spielleiter.errors import PeerError
from spielleiter.protocol.dialect import ANY, Dialect
from spielleiter.protocol.fault import XmlError
from spielleiter.protocol.lobby import EndOfDocument, Message
from spielleiter.protocol.xml import Connection, Side

HOST, PORT = "localhost", 13050
_GLANCE = 0.5
"""Seconds between two checks while waiting, so that Ctrl-C works on every system."""


class LostConnection(PeerError):
    """The server cannot be reached, or the connection was lost."""


class Refused(PeerError):
    """The server refused a request."""


class Session:
    """One connection to a server, read message by message."""

    def __init__(self, sock: socket.socket, dialect: Dialect = ANY) -> None:
        self.connection = Connection(Side.CLIENT, dialect)
        self._socket = sock
        sock.settimeout(_GLANCE)
        self._waiting: deque[Message] = deque()
        self._fault: XmlError | None = None
        self._over = False
        self.incoming = Incoming(sock)

    @classmethod
    def open(
        cls, host: str = HOST, port: int = PORT, dialect: Dialect = ANY, timeout: float = 10.0
    ) -> Self:
        """Connect; raises LostConnection with the reason in plain words."""
        try:
            sock = socket.create_connection((host, port), timeout)
        except OSError as error:
            raise LostConnection(f"no server answers at {host}:{port}: {error}") from error
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return cls(sock, dialect)

    def send(self, *messages: Message) -> None:
        """Send messages; raises LostConnection."""
        self.incoming.sent()
        try:
            self._socket.sendall(self.connection.send(*messages))
        except OSError as error:
            raise LostConnection(f"the connection broke while sending: {error}") from error

    def receive(self, timeout: float | None = None) -> Message | None:
        """The next message, or None when the other side has ended the session.

        Raises XmlError for bytes that are no message, LostConnection if the connection breaks and
        TimeoutError if nothing came in time.
        """
        deadline = float("inf") if timeout is None else time.monotonic() + timeout
        while not self._waiting and not self._over:
            self._read(deadline)
        if self._waiting:
            return self._waiting.popleft()
        if self._fault is not None:
            raise self._fault
        return None

    def awake(self) -> float:
        """Seconds that the next message may have waited here while the other side's clock runs."""
        return self.incoming.awake()

    def messages(self) -> Iterator[Message]:
        """All messages until the session ends."""
        while (message := self.receive()) is not None:
            yield message

    def close(self) -> None:
        """Send the close message and disconnect; harmless if the other side has done so already."""
        with contextlib.suppress(OSError):
            self._socket.sendall(self.connection.close(announce=True))
            self._socket.shutdown(socket.SHUT_WR)
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _read(self, deadline: float) -> None:
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("the server said nothing in time")
        try:
            if left < _GLANCE:
                self._socket.settimeout(left)
            self._take(self.incoming.receive())
        except TimeoutError:
            return
        except OSError as error:
            raise LostConnection(f"the connection broke: {error}") from error
        finally:
            if left < _GLANCE:
                self._socket.settimeout(_GLANCE)

    def _take(self, data: bytes) -> None:
        if not data:
            self._over = True
            return
        try:
            messages = self.connection.receive(data)
        except XmlError as fault:
            self._fault, self._over = fault, True
            messages = list(fault.before)
        if messages and isinstance(messages[-1], EndOfDocument):
            self._over = True
            messages.pop()
        self._waiting.extend(messages)
