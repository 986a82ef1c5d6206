"""Middleware for every request: checks host, size and origin, and adds headers.

Plain ASGI, since the usual kind of middleware would buffer streams.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, MutableMapping, Set
from contextlib import suppress
from typing import Any

from spielleiter.web.connection_quota import ConnectionQuota
from spielleiter.web.proxies import TrustedProxies

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

POLICY = (
    "default-src 'self'; img-src 'self' data: blob:; style-src 'self'; script-src 'self'; "
    "connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
)
_PATIENCE = 30.0
"""Seconds that a body may take to arrive."""
_TOO_LARGE, _MB = 413, 1 << 20
SAFE = ("GET", "HEAD", "OPTIONS")
_STORES = "/api/stores"


class RequestFilter:
    """Refuses invalid requests; the rest goes to the application."""

    def __init__(
        self,
        app: App,
        hosts: Set[str],
        body: int,
        upload: int,
        streamed: int,
        stores: int,
        quota: ConnectionQuota,
        proxies: TrustedProxies,
    ) -> None:
        self._app, self._hosts, self._body, self._upload = app, hosts, body, upload
        self._streamed, self._stores = streamed, stores
        self._quota, self._proxies = quota, proxies

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Let a request through, or answer it with the reason for the refusal."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        peer, client = self._client(scope, headers)
        problem = self._problem(scope, headers)
        if problem is not None:
            if problem[0] == _TOO_LARGE and scope["type"] == "http":
                await _drained(receive, headers, 2 * self._limit(scope))
            await _refuse(scope, receive, send, *problem)
        elif scope["type"] == "http" and peer == client:  # its connection has a place
            await self._admitted(scope, receive, send)
        elif (problem := self._quota.enter(client)) is not None:
            await _refuse(scope, receive, send, *problem)
        else:
            try:
                await self._admitted(scope, receive, send)
            finally:
                self._quota.leave(client)

    def _client(
        self, scope: MutableMapping[str, Any], headers: dict[bytes, bytes]
    ) -> tuple[str, str]:
        """Set the client's address from the connection and trusted proxies."""
        peer, port = scope.get("client") or ("", 0)
        forwarded = headers.get(b"x-forwarded-for", b"").decode("latin-1")
        client = self._proxies.client(peer, forwarded)
        if client != peer:
            scope["client"] = (client, port)
        return peer, client

    async def _admitted(
        self, scope: MutableMapping[str, Any], receive: Receive, send: Send
    ) -> None:
        if scope["type"] == "websocket":
            await self._app(scope, receive, send)
        elif scope["method"] in SAFE or _is_streamed(scope):
            await self._answer(scope, receive, send)
        else:
            await self._change(scope, receive, send)

    async def _answer(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Ask the application; who still waits for it when the arena closes is told so."""
        is_begun = False

        async def sending(message: Message) -> None:
            nonlocal is_begun
            is_begun = True
            await send(message)

        try:
            await self._app(scope, receive, _with_headers(sending))
        except asyncio.CancelledError:
            if is_begun:
                raise
            await _refuse(scope, receive, send, 503, "closing", "the arena is closing")

    async def _change(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Read the whole body first: it is short, or refused."""
        try:
            body = await asyncio.wait_for(_whole(receive, self._limit(scope)), _PATIENCE)
        except _TooLarge:
            await _refuse(scope, receive, send, 413, "too-large", "that is too much")
        except (_Gone, TimeoutError):
            await _refuse(scope, receive, send, 408, "too-slow", "the body did not come")
        else:
            await self._answer(scope, _again(body, receive), send)

    def _limit(self, scope: MutableMapping[str, Any]) -> int:
        if _is_streamed(scope):
            return self._stores if scope["path"] == _STORES else self._streamed
        return self._upload if scope["path"].startswith("/api/replays") else self._body

    def _problem(
        self, scope: MutableMapping[str, Any], headers: dict[bytes, bytes]
    ) -> tuple[int, str, str] | None:
        host = headers.get(b"host", b"").decode("latin-1")
        if self._hosts and name_of(host) not in self._hosts:
            return 421, "wrong-host", f"this is not {host!r}; name more hosts with --allow-host"
        changes = scope["type"] == "websocket" or scope["method"] not in SAFE
        if changes and not _is_ours(headers, host):
            return 403, "wrong-origin", "this was asked for by a page of somebody else"
        return self._size_problem(scope, headers)

    def _size_problem(
        self, scope: MutableMapping[str, Any], headers: dict[bytes, bytes]
    ) -> tuple[int, str, str] | None:
        limit = self._limit(scope)
        length = headers.get(b"content-length", b"0")
        if length.isdigit() and int(length) <= limit:
            return None
        size = f"{limit // _MB} MB" if limit >= _MB else f"{limit} bytes"
        return _TOO_LARGE, "too-large", f"at most {size}"


def _is_streamed(scope: MutableMapping[str, Any]) -> bool:
    """Whether the route itself reads the body as a stream with a limit."""
    path: str = scope["path"]
    if scope["type"] != "http":
        return False
    return path == _STORES or (path.startswith("/api/bots/") and path.endswith("/versions"))


def error_body(code: str, message: str) -> bytes:
    """Every error of ours has this form."""
    return json.dumps({"detail": {"code": code, "message": message}}).encode()


def name_of(host: str) -> str:
    """The name in a Host header, without the port."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower()


def _is_ours(headers: dict[bytes, bytes], host: str) -> bool:
    """Whether the origin is ours; programs send no origin and have no cookie."""
    if headers.get(b"sec-fetch-site", b"same-origin") not in (b"same-origin", b"none"):
        return False
    origin = headers.get(b"origin")
    return origin is None or origin.decode("latin-1").partition("://")[2] == host


class _TooLarge(Exception):
    """The body is longer than announced or allowed."""


class _Gone(Exception):
    """The client has disconnected."""


async def _drained(receive: Receive, headers: dict[bytes, bytes], most: int) -> None:
    """Read a body that is slightly too large, so that the client gets the answer."""
    length = headers.get(b"content-length", b"")
    if length.isdigit() and int(length) <= most:
        with suppress(TimeoutError):
            await asyncio.wait_for(_let_go(receive), _PATIENCE)


async def _let_go(receive: Receive) -> None:
    while (await receive()).get("more_body", False):
        pass


async def _whole(receive: Receive, limit: int) -> bytes:
    parts, size, more = [], 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _Gone
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        more = message.get("more_body", False)
        if size > limit:
            raise _TooLarge
    return b"".join(parts)


def _again(body: bytes, receive: Receive) -> Receive:
    """Replay the body, then pass on further messages."""
    told = False

    async def receiving() -> Message:
        nonlocal told
        if told:
            return await receive()
        told = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receiving


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = {name for name, _ in message["headers"]}
            own = [(name, value) for name, value in HEADERS if name not in given]
            message["headers"] = [*message["headers"], *own]
        await send(message)

    return sending


async def _refuse(
    scope: MutableMapping[str, Any],
    receive: Receive,
    send: Send,
    status: int,
    code: str,
    text: str,
) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 4000 + status, "reason": code})
        return
    body = error_body(code, text)
    sending = _with_headers(send)
    await sending(
        {
            "type": "http.response.start",
            "status": status,
            "headers": [
                (b"content-type", b"application/json"),
                (b"content-length", str(len(body)).encode()),
                (b"connection", b"close"),
            ],
        }
    )
    await sending({"type": "http.response.body", "body": body})
