"""Counters of a server, and their text in the format that Prometheus reads."""

from __future__ import annotations

import asyncio
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable

_BOUNDS = (0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 2.0, 10.0)


class Histogram:
    """How often a number of seconds stayed below each of a few bounds."""

    __slots__ = ("counts", "total")

    def __init__(self) -> None:
        self.counts = [0] * (len(_BOUNDS) + 1)
        self.total = 0.0

    def add(self, seconds: float) -> None:
        """Count one observation."""
        self.counts[bisect_left(_BOUNDS, seconds)] += 1
        self.total += seconds

    def lines(self, name: str) -> list[str]:
        """The histogram as Prometheus wants it: cumulative."""
        lines, below = [f"# TYPE {name} histogram"], 0
        for bound, count in zip((*_BOUNDS, "+Inf"), self.counts, strict=True):
            below += count
            lines.append(f'{name}_bucket{{le="{bound}"}} {below}')
        return [*lines, f"{name}_sum {self.total}", f"{name}_count {below}"]


class Metrics:
    """Everything a server counts."""

    def __init__(self) -> None:
        self.connections = 0
        self.rooms = 0
        self.moves = 0
        self.counts: Counter[tuple[str, str]] = Counter()
        """(what, label) → how often: ("ended", "illegal"), ("dropped", "slow observer"), …"""
        self.thinking = Histogram()
        """What players were charged for their moves."""
        self.lag = Histogram()
        """How long moves may have waited for us."""

    def count(self, what: str, label: str) -> None:
        """Something happened once more."""
        self.counts[what, label] += 1

    def text(self) -> str:
        """All of it in the Prometheus text format."""
        lines = [
            "# TYPE spielleiter_connections gauge",
            f"spielleiter_connections {self.connections}",
            "# TYPE spielleiter_rooms gauge",
            f"spielleiter_rooms {self.rooms}",
            "# TYPE spielleiter_moves_total counter",
            f"spielleiter_moves_total {self.moves}",
            "# TYPE spielleiter_cpu_seconds_total counter",
            f"spielleiter_cpu_seconds_total {time.process_time()}",
        ]
        for what in sorted({what for what, _ in self.counts}):
            lines.append(f"# TYPE spielleiter_{what}_total counter")
            lines += [
                f'spielleiter_{what}_total{{kind="{label}"}} {count}'
                for (each, label), count in sorted(self.counts.items())
                if each == what
            ]
        lines += self.thinking.lines("spielleiter_thinking_seconds")
        lines += self.lag.lines("spielleiter_lag_seconds")
        return "\n".join(lines) + "\n"


class MetricsPage(asyncio.Protocol):
    """The smallest HTTP server: answers every request with the metrics and closes."""

    _LONGEST = 8 * 1024
    _PATIENCE = 10.0

    def __init__(self, text: Callable[[], str]) -> None:
        self._text = text
        self._request = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        asyncio.get_running_loop().call_later(self._PATIENCE, transport.abort)

    def data_received(self, data: bytes) -> None:
        self._request += data
        if b"\r\n\r\n" in self._request or len(self._request) > self._LONGEST:
            self._answer()

    def _answer(self) -> None:
        known = self._request.startswith((b"GET /metrics ", b"GET / "))
        body = self._text().encode() if known else b"only /metrics lives here\n"
        head = (
            f"HTTP/1.1 {'200 OK' if known else '404 Not Found'}\r\n"
            "Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
            f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        )
        self._transport.write(head.encode() + body)
        self._transport.close()
