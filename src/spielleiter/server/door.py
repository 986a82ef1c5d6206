"""Whose connections are let in, where a certain program or this process itself is expected.

Any program on this machine can connect to a port of this machine. One that comes before the program
that was started must neither play for it nor keep it out: its connection is closed and counted.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from spielleiter.server.acceptor import Acceptor, Address, Admits, everybody, listening


class Visitor(Protocol):
    """A program that was started and is expected to connect."""

    def take_listener(self) -> socket.socket | None:
        """The socket that it alone can reach, if it has a network of its own; ours to close."""
        ...

    def is_peer(self, peer: Address, own: Address) -> bool:
        """Whether it connected from `peer` to `own`, or nobody can tell."""
        ...


@dataclass(slots=True)
class Streams:
    """Both directions of a bot's connection."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    def abort(self) -> None:
        """Abort the connection."""
        self.writer.transport.abort()


class Door:
    """A port that lets in anybody, only the expected program, or nobody.

    Calls `welcome` with each connection that is let in.
    """

    def __init__(self, host: str, port: int, welcome: Callable[[Streams], None]) -> None:
        self._welcome = welcome
        self.strangers = 0
        """Connections of others that were closed since somebody was expected."""
        self._admits: Admits = everybody
        self._public = Acceptor(listening(host, port), self._protocol, admits=self._admit)
        self._private: Acceptor | None = None

    @property
    def port(self) -> int:
        """Where it is."""
        return self._public.port

    def expect(self, visitor: Visitor) -> None:
        """Let in this program and nobody else."""
        self.expect_nobody()
        self.strangers = 0
        listener = visitor.take_listener()
        if listener is None:
            self._admits = lambda peer, own: self._known(visitor.is_peer(peer, own))
        else:
            self._admits = lambda peer, own: self._known(False)
            self._private = Acceptor(listener, self._protocol)

    def refuse_others(self) -> None:
        """The expected program is in: nobody else is, and it need not be found out who they are."""
        self._admits = lambda peer, own: self._known(False)

    def expect_nobody(self) -> None:
        """Let in nobody for now."""
        self._admits = lambda peer, own: False
        if self._private is not None:
            self._private.close()
            self._private = None

    def close(self) -> None:
        """Stop listening."""
        self.expect_nobody()
        self._public.close()

    def _admit(self, peer: Address, own: Address) -> bool:
        return self._admits(peer, own)

    def _known(self, is_visitor: bool) -> bool:
        self.strangers += not is_visitor
        return is_visitor

    def _protocol(self) -> asyncio.StreamReaderProtocol:
        return asyncio.StreamReaderProtocol(
            asyncio.StreamReader(), lambda *streams: self._welcome(Streams(*streams))
        )


class OwnConnections:
    """The connections of this process to a server of its own, which nobody else may reach.

    They are known by their addresses on every system: what we are bound to nobody else can have.
    """

    def __init__(self) -> None:
        self._expected: set[Address] = set()

    def connect(self, host: str, port: int) -> socket.socket:
        """A connection that `admits` will know, once."""
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        sock = socket.socket(family)
        try:
            sock.bind((host, 0))
            self._expected.add(sock.getsockname()[:2])
            sock.connect((host, port))
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except BaseException:
            sock.close()
            raise
        return sock

    def admits(self, peer: Address, own: Address) -> bool:
        """Whether a connection is ours, for an `Acceptor`."""
        if peer not in self._expected:
            return False
        self._expected.remove(peer)
        return True
