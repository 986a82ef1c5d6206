"""Sends notices to the teams' webhooks: as JSON, to the open internet only.

A team names the address, so it may be anybody's. Addresses of this machine and of the local network
are refused: nobody reaches our own ports through us.
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
from collections.abc import Callable
from urllib.parse import SplitResult, urlsplit

from spielleiter.accounts.notices import ToldNotice
from spielleiter.accounts.teams import NoSuchTeam, Teams
from spielleiter.errors import UsageError

PATIENCE = 10.0
"""Seconds that a webhook may take."""
_WAITING = 1_000
_log = logging.getLogger("spielleiter.accounts")

Send = Callable[[str, bytes], None]


class Webhooks:
    """Sends in a thread of its own; a webhook that fails is asked once more, then forgotten."""

    def __init__(self, teams: Teams, send: Send | None = None) -> None:
        self._teams, self._send = teams, send or post
        self._due: queue.Queue[ToldNotice | None] = queue.Queue(_WAITING)
        self._thread = threading.Thread(target=self._run, name="webhooks", daemon=True)

    def start(self) -> None:
        """Send whatever is told from now on."""
        self._thread.start()

    def hear(self, told: ToldNotice) -> None:
        """A team was told something; of too many the newest are not sent."""
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
            if url and not self._sent(url, told):
                self._sent(url, told)

    def _sent(self, url: str, told: ToldNotice) -> bool:
        try:
            self._send(url, body_of(told))
        except (OSError, UsageError, http.client.HTTPException) as problem:
            _log.info("webhook of team %s: %s", told.team, problem)
            return False
        return True


def body_of(told: ToldNotice) -> bytes:
    """What a webhook is sent; `text` is what chat programs show."""
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
    try:
        connection.request("POST", path, body, headers)
        status = connection.getresponse().status
    finally:
        connection.close()
    if not 200 <= status < 300:
        raise OSError(f"it answered {status}")


def public_address(parts: SplitResult) -> str:
    """An address of the host that anybody could reach; raises UsageError if it has none."""
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError("a webhook begins with https:// or http://")
    found = socket.getaddrinfo(parts.hostname, _port(parts), type=socket.SOCK_STREAM)
    addresses = [str(each[4][0]) for each in found]
    if not all(ipaddress.ip_address(each.partition("%")[0]).is_global for each in addresses):
        raise UsageError(f"{parts.hostname} is no address of the open internet")
    return addresses[0]


def _port(parts: SplitResult) -> int:
    return parts.port or (443 if parts.scheme == "https" else 80)


class _Pinned(http.client.HTTPConnection):
    """A connection to the address that was looked at, whatever the name says a moment later."""

    def __init__(self, parts: SplitResult, address: str) -> None:
        super().__init__(parts.hostname or "", _port(parts), timeout=PATIENCE)
        self._address, self._is_secure = address, parts.scheme == "https"

    def connect(self) -> None:
        self.sock = socket.create_connection((self._address, self.port), PATIENCE)
        if self._is_secure:
            context = ssl.create_default_context()
            self.sock = context.wrap_socket(self.sock, server_hostname=self.host)
