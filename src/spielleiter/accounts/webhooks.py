"""Sends notices to the teams' webhooks: as JSON, to the open internet only.

Teams choose the addresses. Addresses of this machine and of the local network are refused, so that
nobody reaches internal ports through us. A slow or silent webhook is aborted after a few seconds
and skipped for a while, so that others do not wait.
"""

from __future__ import annotations

import contextlib
import http.client
import ipaddress
import json
import logging
import queue
import socket
import ssl
import threading
import time
from collections.abc import Callable
from urllib.parse import SplitResult, urlsplit

from spielleiter.accounts.notices import SentNotice
from spielleiter.accounts.teams import NoSuchTeam, Teams
from spielleiter.errors import UsageError

PATIENCE = 10.0
"""Seconds that a webhook may take, from the connection to its answer."""
_REST = 300.0
"""Seconds for which a webhook is skipped after two failures."""
_GLOBAL = ipaddress.ip_network("2000::/3")
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_LONGEST_LABEL = 63
_WAITING = 1_000
_log = logging.getLogger("spielleiter.accounts")

Send = Callable[[str, bytes], None]


class Webhooks:
    """Sends in its own thread; a failed webhook is tried once more, then skipped for a while."""

    def __init__(
        self,
        teams: Teams,
        send: Send | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._teams, self._send, self._now = teams, send or post, now
        self._resting: dict[str, float] = {}
        """Team → until when it is sent nothing."""
        self._due: queue.Queue[SentNotice | None] = queue.Queue(_WAITING)
        self._thread = threading.Thread(target=self._run, name="webhooks", daemon=True)

    def start(self) -> None:
        """Send all notices from now on."""
        self._thread.start()

    def hear(self, told: SentNotice) -> None:
        """Queue a notice; dropped if the queue is full."""
        with contextlib.suppress(queue.Full):
            self._due.put_nowait(told)

    def close(self, patience: float = 2.0) -> None:
        """Send nothing more."""
        with contextlib.suppress(queue.Full):
            self._due.put_nowait(None)
        self._thread.join(patience)

    def _run(self) -> None:
        while (told := self._due.get()) is not None:
            try:
                url = self._teams.secrets(told.team).webhook
            except NoSuchTeam:
                continue
            if url and self._resting.get(told.team, 0.0) <= self._now():
                self._tell(url, told)

    def _tell(self, url: str, told: SentNotice) -> None:
        self._resting.pop(told.team, None)
        if not self._sent(url, told) and not self._sent(url, told):
            self._resting[told.team] = self._now() + _REST

    def _sent(self, url: str, told: SentNotice) -> bool:
        try:
            self._send(url, body_of(told))
        except (OSError, ValueError, UsageError, http.client.HTTPException) as problem:
            _log.info("webhook of team %s: %s", told.team, problem)
            return False
        return True


def body_of(told: SentNotice) -> bytes:
    """The JSON body; `text` is what chat programs show."""
    notice = told.notice
    data = {"id": told.number, "at": told.at, "team": told.team, "kind": notice.kind}
    return json.dumps({**data, "text": notice.text, "link": notice.link}).encode()


def post(url: str, body: bytes) -> None:
    """Send it once; raises OSError, or UsageError for an address that is not public."""
    parts = urlsplit(url)
    address = public_address(parts)
    headers = {"content-type": "application/json", "user-agent": "spielleiter"}
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    connection = _Pinned(parts, address)
    too_long = threading.Timer(PATIENCE, connection.abort)
    too_long.start()
    try:
        connection.request("POST", path, body, headers)
        status = connection.getresponse().status
    except OSError as problem:
        if not connection.is_late:
            raise
        raise TimeoutError("it took too long") from problem  # we ended it ourselves
    finally:
        too_long.cancel()
        connection.close()
    if connection.is_late:
        raise TimeoutError("it took too long")
    if not 200 <= status < 300:
        raise OSError(f"it answered {status}")


def checked_url(url: str) -> SplitResult:
    """The parts of an address that can be a webhook's; raises UsageError."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError as problem:
        raise UsageError(f"this is no address: {problem}") from problem
    if parts.scheme not in ("http", "https") or not host:
        raise UsageError("a webhook begins with https:// or http://")
    if not url.isascii() or not url.isprintable() or " " in url or port == 0:
        raise UsageError("an address has letters, digits and marks of ASCII only")
    if max(map(len, host.split("."))) > _LONGEST_LABEL:
        raise UsageError("this is no name of a host")
    return parts


def public_address(parts: SplitResult) -> str:
    """An address of the host that anybody could reach; raises UsageError if it has none."""
    checked_url(parts.geturl())
    found = socket.getaddrinfo(parts.hostname, _port(parts), type=socket.SOCK_STREAM)
    addresses = [str(each[4][0]) for each in found]
    if not all(is_public(each.partition("%")[0]) for each in addresses):
        raise UsageError(f"{parts.hostname} is no address of the open internet")
    return addresses[0]


def is_public(text: str) -> bool:
    """Whether an address is on the open internet, also behind IPv6 mappings."""
    address = ipaddress.ip_address(text)
    if isinstance(address, ipaddress.IPv4Address):
        return address.is_global and not address.is_multicast and not address.is_reserved
    meant = address.ipv4_mapped or address.sixtofour
    if address in _NAT64:
        meant = ipaddress.IPv4Address(address.packed[-4:])
    if meant is not None:
        return is_public(str(meant))
    return address in _GLOBAL and address.is_global


def _port(parts: SplitResult) -> int:
    return parts.port or (443 if parts.scheme == "https" else 80)


class _Pinned(http.client.HTTPConnection):
    """A connection to the address that was checked, even if DNS changes meanwhile."""

    def __init__(self, parts: SplitResult, address: str) -> None:
        super().__init__(parts.hostname or "", _port(parts), timeout=PATIENCE)
        self._address, self._is_secure = address, parts.scheme == "https"
        self.is_late = False

    def connect(self) -> None:
        self.sock = socket.create_connection((self._address, self.port), PATIENCE)
        if self._is_secure:
            context, raw = ssl.create_default_context(), self.sock
            self.sock = context.wrap_socket(
                raw, server_hostname=self.host, do_handshake_on_connect=False
            )
            self.sock.do_handshake()

    def abort(self) -> None:
        """Abort it from another thread; the waiting thread gets an error."""
        self.is_late = True
        if (sock := self.sock) is not None:
            with contextlib.suppress(OSError):
                socket.socket.shutdown(sock, socket.SHUT_RDWR)
