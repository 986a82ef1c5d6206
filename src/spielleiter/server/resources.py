"""The resources that everything behind one port shares."""

from __future__ import annotations

from dataclasses import dataclass, field

from spielleiter.server.metrics import Metrics
from spielleiter.server.outbox import Outbox
from spielleiter.server.settings import Settings
from spielleiter.server.table import Sink
from spielleiter.server.timekeeper import Timekeeper

_BUFFER = 64 * 1024


@dataclass(frozen=True, slots=True)
class Resources:
    """Settings, clock, counters and outbox of a server, and the sinks of its tables."""

    settings: Settings
    time: Timekeeper
    sinks: tuple[Sink, ...] = ()
    metrics: Metrics = field(default_factory=Metrics)
    outbox: Outbox = field(default_factory=Outbox)
    buffer: memoryview = field(default_factory=lambda: memoryview(bytearray(_BUFFER)))
    """The shared read buffer: each connection consumes it before the next one's turn."""
