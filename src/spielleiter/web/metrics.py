"""Metrics of an arena for Prometheus: games, uploads, the ladder, requests, faults.

Requests are counted as they arrive; everything else is collected on demand.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, MutableMapping
from ipaddress import ip_address
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from spielleiter.accounts.rights import Action
from spielleiter.web.arena import Arena, arena_of
from spielleiter.web.caller import caller_of
from spielleiter.web.request_filter import App, Message, Receive, Send

router = APIRouter(include_in_schema=False)
_BOUNDS = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
_FORWARDED = ("x-forwarded-for", "forwarded", "via")


class RequestMeter:
    """Measures every request until its answer begins, since a stream may last for hours."""

    def __init__(self, app: App, requests: Histogram) -> None:
        self._app, self._requests = app, requests

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Hand the request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = time.perf_counter()

        async def measured(message: Message) -> None:
            if message["type"] == "http.response.start":
                kind = "api" if scope["path"].startswith("/api/") else "page"
                status = f"{message['status'] // 100}xx"
                self._requests.labels(kind, status).observe(time.perf_counter() - began)
            await send(message)

        await self._app(scope, receive, measured)


class ArenaMetrics(Collector):
    """All metrics of an arena."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self.requests = Histogram(
            "spielleiter_arena_request_seconds",
            "Seconds until a request was answered, by what was asked for and the class of status.",
            ("kind", "status"),
            buckets=_BOUNDS,
            registry=self._registry,
        )
        self._arena: Arena | None = None
        self._registry.register(self)

    def text(self, arena: Arena) -> bytes:
        """The current metrics as text."""
        self._arena = arena
        return generate_latest(self._registry)

    def collect(self) -> Iterator[Metric]:
        """Collect the metrics."""
        if self._arena is None:  # the registry asks once what there is
            return
        yield from _games(self._arena)
        yield from _ladder(self._arena)
        yield from _uploads(self._arena)
        yield from _seasons(self._arena)


def _games(arena: Arena) -> Iterator[Metric]:
    running = sum(1 for _ in arena.recorder.live_games())
    yield _gauge("games", "Games that people and clients play here now.", running)


def _ladder(arena: Arena) -> Iterator[Metric]:
    ladder = arena.ladder
    if ladder is None:
        return
    waiting, running = ladder.queue.counts()
    yield _gauge("ladder_due", "Games of uploaded bots that wait to be played.", waiting)
    yield _gauge("ladder_running", "Games of uploaded bots that are being played.", running)
    played = CounterMetricFamily(
        "spielleiter_arena_ladder_games", "Rated games that were played.", labels=("edition",)
    )
    for edition in ladder.settings.editions:
        played.add_metric([edition], ladder.results.total(edition))
    yield played
    yield CounterMetricFamily(
        "spielleiter_arena_ladder_spoilt",
        "Games that a machine of ours spoilt; they are played again.",
        ladder.spoilt_games,
    )


def _uploads(arena: Arena) -> Iterator[Metric]:
    if arena.accounts is None:
        return
    yield _by_label("versions", "Uploaded versions.", "state", arena.accounts.bots.counts())


def _seasons(arena: Arena) -> Iterator[Metric]:
    if arena.seasons is None:
        return
    found = arena.seasons.all()
    states = Counter(str(each.state) for each in found)
    yield _by_label("seasons", "Seasons.", "state", states)
    spoilt = sum(len(arena.seasons.contests.spoilt(each)) for each in found if each.begun)
    yield CounterMetricFamily(
        "spielleiter_arena_season_spoilt", "Games of seasons that a machine of ours spoilt.", spoilt
    )
    trouble = len(arena.seasons.trouble)
    yield _gauge("season_trouble", "Seasons of which nothing can be played now.", trouble)


def _gauge(name: str, help_: str, value: float) -> Metric:
    return GaugeMetricFamily(f"spielleiter_arena_{name}", help_, value)


def _by_label(name: str, help_: str, label: str, values: dict[str, int]) -> Metric:
    family = GaugeMetricFamily(f"spielleiter_arena_{name}", help_, labels=(label,))
    for value, count in sorted(values.items()):
        family.add_metric([value], count)
    return family


def _may_read(request: Request) -> None:
    """Whether the caller may read metrics: loopback without a proxy, or an organiser."""
    if not _is_local(request):
        caller_of(request).need(Action.SEE_METRICS)


def _is_local(request: Request) -> bool:
    if any(name in request.headers for name in _FORWARDED) or request.client is None:
        return False
    try:
        return ip_address(request.client.host).is_loopback
    except ValueError:
        return False


@router.get("/metrics", dependencies=[Depends(_may_read)])
def metrics(request: Request, arena: Annotated[Arena, Depends(arena_of)]) -> Response:
    """The metrics, for this machine and for organisers."""
    counted: ArenaMetrics = request.app.state.metrics
    return Response(counted.text(arena), media_type=CONTENT_TYPE_LATEST)
