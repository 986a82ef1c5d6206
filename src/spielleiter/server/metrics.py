"""Counters of a server, and their text in the format that Prometheus reads.

Counting uses plain numbers, so that it costs a move nothing; they become metrics when the page is
requested.
"""

from __future__ import annotations

import asyncio
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import accumulate

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

_BOUNDS = (0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 2.0, 10.0)
_COUNTED = {
    "dropped": "Connections that we closed, by reason.",
    "ended": "Games that ended, by how they did.",
    "failed": "Sinks and replays that failed.",
    "refused": "Requests that were refused, by their kind.",
}


class Histogram:
    """Counts of durations below each of a few bounds."""

    __slots__ = ("counts", "total")

    def __init__(self) -> None:
        self.counts = [0] * (len(_BOUNDS) + 1)
        self.total = 0.0

    def add(self, seconds: float) -> None:
        """Count one observation."""
        self.counts[bisect_left(_BOUNDS, seconds)] += 1
        self.total += seconds

    def family(self, name: str, help_: str) -> Metric:
        """The histogram as Prometheus wants it: cumulative."""
        bounds = (*map(str, _BOUNDS), "+Inf")
        buckets = list(zip(bounds, accumulate(self.counts), strict=True))
        return HistogramMetricFamily(name, help_, buckets=buckets, sum_value=self.total)


class Metrics(Collector):
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
        self._registry = CollectorRegistry()
        self._registry.register(self)

    def count(self, what: str, label: str) -> None:
        """Increase a counter."""
        self.counts[what, label] += 1

    def collect(self) -> Iterator[Metric]:
        """All of it, for a registry."""
        yield GaugeMetricFamily("spielleiter_connections", "Open connections.", self.connections)
        yield GaugeMetricFamily("spielleiter_rooms", "Rooms, waiting or playing.", self.rooms)
        yield CounterMetricFamily("spielleiter_moves", "Moves that were played.", self.moves)
        cpu = time.process_time()
        yield CounterMetricFamily("spielleiter_cpu_seconds", "CPU time of this process.", cpu)
        for what in sorted({what for what, _ in self.counts}):
            yield self._counted(what)
        thinking = "What players were charged for their moves."
        yield self.thinking.family("spielleiter_thinking_seconds", thinking)
        yield self.lag.family("spielleiter_lag_seconds", "How long moves may have waited for us.")

    def _counted(self, what: str) -> Metric:
        help_ = _COUNTED.get(what, f"How often something was {what}.")
        family = CounterMetricFamily(f"spielleiter_{what}", help_, labels=["kind"])
        for (each, label), count in sorted(self.counts.items()):
            if each == what:
                family.add_metric([label], count)
        return family

    def text(self) -> str:
        """All of it in the Prometheus text format."""
        return generate_latest(self._registry).decode()


class MetricsPage(asyncio.Protocol):
    """The smallest HTTP server: answers every request with the metrics and closes."""

    _LONGEST = 8 * 1024
    _PATIENCE = 10.0
    _AT_ONCE = 32

    def __init__(self, text: Callable[[], str], readers: set[MetricsPage]) -> None:
        self._text, self._readers = text, readers
        self._request = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A client has connected."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        if len(self._readers) >= self._AT_ONCE:
            transport.abort()
            return
        self._readers.add(self)
        asyncio.get_running_loop().call_later(self._PATIENCE, transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection is gone: somebody else may read."""
        self._readers.discard(self)

    def data_received(self, data: bytes) -> None:
        """Bytes have arrived."""
        self._request += data
        if b"\r\n\r\n" in self._request or len(self._request) > self._LONGEST:
            self._answer()

    def _answer(self) -> None:
        known = self._request.startswith((b"GET /metrics ", b"GET / "))
        body = self._text().encode() if known else b"only /metrics lives here\n"
        head = (
            f"HTTP/1.1 {'200 OK' if known else '404 Not Found'}\r\n"
            f"Content-Type: {CONTENT_TYPE_LATEST}\r\n"
            f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        )
        self._transport.write(head.encode() + body)
        self._transport.close()
