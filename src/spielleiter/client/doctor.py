"""Diagnoses problems between a client and a server.

`examine` sends requests to a server that affect no game; `proxy` observes a client.
"""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass

from spielleiter.client import seasons
from spielleiter.client.finding import Finding, Severity, fine, note, problem
from spielleiter.client.seasons import Season
from spielleiter.protocol.dialect import ANY, Y2019, Y2021, Dialect
from spielleiter.protocol.fault import XmlError
from spielleiter.protocol.lobby import (
    Authenticate,
    Cancel,
    Close,
    ErrorPacket,
    JoinPrepared,
    Message,
    Prepare,
    Prepared,
    Slot,
)
from spielleiter.protocol.xml import Connection, Side

PATIENCE, QUIET = 3.0, 0.25
"""Seconds to wait for an answer; and for a greeting, which a contest server does not give."""
_CHUNK = 1 << 16
_CODE = "no-such-code"


def examine(
    host: str,
    port: int,
    *,
    password: str | None = None,
    game: str | None = None,
    patience: float = PATIENCE,
    quiet: float = QUIET,
) -> Iterator[Finding]:
    """Examine a server; stops at the first fatal problem.

    Without the password it connects, redeems a code that cannot exist, and disconnects. With it, it
    also prepares a paused game of every season (or of `game`), to see which are offered, and
    cancels it at once; nobody can join in between, since both seats are reserved.
    """
    line = _Line(host, port, patience, quiet)
    for check in (line.resolves, line.listens, line.waits):
        yield (finding := check())
        if finding.severity is Severity.PROBLEM:
            return
    manner = line.manner()
    yield from manner.findings
    if manner.dialect is None:
        return
    wanted = None if game is None else seasons.named(game)
    if password is None:
        if wanted is not None:
            yield note(
                "server",
                "without the administrator's password nobody can tell which games it offers",
            )
        return
    yield from _offers(line, manner.dialect, password, wanted)


@dataclass(frozen=True, slots=True)
class _Manner:
    """How a server answers a wrong reservation code, which differs between seasons."""

    dialect: Dialect | None
    findings: tuple[Finding, ...]


class _Line:
    """Where the server is, and how long we wait for it."""

    def __init__(self, host: str, port: int, patience: float, quiet: float) -> None:
        self.host, self.port, self.patience, self.quiet = host, port, patience, quiet

    def resolves(self) -> Finding:
        try:
            found = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)
        except OSError as error:
            return problem("server", f"the name {self.host!r} leads nowhere: {error}")
        return fine(
            "server", f"{self.host} is {', '.join(sorted({str(entry[4][0]) for entry in found}))}"
        )

    def listens(self) -> Finding:
        begun = time.monotonic()
        try:
            self.open().close()
        except ConnectionRefusedError:
            text = "is the server running, and on this port? (13050 is usual)"
            return problem("server", f"nothing listens on port {self.port} of {self.host}: {text}")
        except TimeoutError:
            text = f"{self.host}:{self.port} does not answer within {self.patience:g} s"
            return problem("server", f"{text}: a firewall, or the wrong address?")
        except OSError as error:
            return problem("server", f"{self.host}:{self.port} cannot be reached: {error}")
        return fine("server", f"connected within {_ms(time.monotonic() - begun)}")

    def waits(self) -> Finding:
        """Check that the server sends nothing before a request."""
        with self.open() as sock:
            sock.settimeout(min(self.patience, self.quiet))
            try:
                greeting = sock.recv(200)
            except TimeoutError:
                return fine("server", "the server waits for the client to begin, as it should")
            except OSError:
                greeting = b""
        if not greeting:
            return problem(
                "server", "the server hangs up at once: too many connections, or not for us"
            )
        return problem("server", f"this is not a contest server: it greets with {greeting[:60]!r}")

    def manner(self) -> _Manner:
        """Redeem a code that cannot exist, and look at the answer."""
        talk = self.ask(ANY, JoinPrepared(_CODE))
        took = _ms(talk.took)
        if talk.fault is not None:
            return _Manner(None, (_not_understood(talk),))
        kinds = [type(message) for message in talk.messages]
        if kinds[:1] == [ErrorPacket]:
            dialect = Y2021 if Close in kinds else ANY
            manner = "and hangs up, as servers of 2021 do" if Close in kinds else "and stays open"
            return _Manner(
                dialect, (fine("server", f"it refuses a wrong code after {took}, {manner}"),)
            )
        if kinds[:1] == [Close]:
            said = "it hangs up on a wrong code without a word, as servers of 2019 do"
            return _Manner(Y2019, (fine("server", said),))
        if talk.ended:
            return _Manner(
                None, (problem("server", "the server hangs up on a well-formed request"),)
            )
        text = f"the server does not answer a request within {self.patience:g} s"
        return _Manner(None, (problem("server", f"{text}: it hangs, or speaks something else"),))

    def open(self) -> socket.socket:
        sock = socket.create_connection((self.host, self.port), self.patience)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return sock

    def ask(self, dialect: Dialect, *requests: Message) -> _Talk:
        """Send messages on a new connection and read the answer."""
        talk = _Talk(Connection(Side.CLIENT, dialect))
        with contextlib.suppress(OSError), self.open() as sock:
            sock.sendall(talk.connection.send(*requests))
            talk.listen(sock, self.patience)
            for message in list(talk.messages):  # leave no room behind
                if isinstance(message, Prepared):
                    sock.sendall(talk.connection.send(Cancel(message.room)))
            sock.sendall(talk.connection.close(announce=True))
        return talk


class _Talk:
    """What a server answered on one connection."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.messages: list[Message] = []
        self.begin = b""
        self.took = 0.0
        """Seconds until the first byte of the answer."""
        self.ended = False
        self.fault: XmlError | None = None

    def listen(self, sock: socket.socket, patience: float) -> None:
        """Read until an answer is followed by a short silence, or the end."""
        asked = time.monotonic()
        sock.settimeout(patience)
        while not self.ended and self.fault is None:
            try:
                data = sock.recv(_CHUNK)
            except TimeoutError:
                return
            self.took = self.took or time.monotonic() - asked
            self._take(data)
            sock.settimeout(0.15)

    def _take(self, data: bytes) -> None:
        self.ended = not data
        self.begin = (self.begin + data)[:80]
        try:
            self.messages += self.connection.receive(data)
        except XmlError as fault:
            self.fault = fault


def _not_understood(talk: _Talk) -> Finding:
    told = f"its answer begins with {talk.begin[:60]!r}"
    if talk.begin.startswith(b"HTTP/"):
        return problem("server", f"this is a web server, no contest server: {told}")
    return problem("server", f"the server's XML is not understood, {talk.fault}; {told}")


def _offers(
    line: _Line, dialect: Dialect, password: str, wanted: Season | None
) -> Iterator[Finding]:
    """Which games can be prepared; every room is cancelled at once."""
    offered = []
    for season in [wanted] if wanted is not None else _one_per_type():
        talk = line.ask(dialect, Authenticate(password), _preparation(season))
        complaints = [m.message for m in talk.messages if isinstance(m, ErrorPacket)]
        if any("Authentic" in text or "authentic" in text for text in complaints):
            yield problem("server", "the administrator's password is wrong")
            return
        if any(isinstance(message, Prepared) for message in talk.messages):
            offered.append(season.wire.game_type)
    if offered:
        yield fine("server", f"it offers {', '.join(offered)}")
        text = "each was prepared once, paused, and cancelled at once; our servers keep no trace"
        yield note("server", text)
    elif wanted is not None:
        text = "or the password is wrong" if dialect is Y2019 else "start the server with it"
        yield problem("server", f"it does not offer {wanted.wire.game_type}: {text}")
    else:
        yield problem("server", "it offers none of the games we know")


def _preparation(season: Season) -> Prepare:
    slots = tuple(Slot(f"doctor {seat}", True, True, True) for seat in (1, 2))
    return Prepare(season.wire.game_type, slots, pause=True)


def _one_per_type() -> list[Season]:
    return list({season.wire.game_type: season for season in seasons.seasons()}.values())


def _ms(seconds: float) -> str:
    return f"{1000 * seconds:.1f} ms"
