"""Games between players named by texts, kept in a store: what `match` and `contest` share."""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from spielleiter.errors import StoreError, UsageError
from spielleiter.game import Position
from spielleiter.programs.players import Elsewhere, Players
from spielleiter.programs.settings import Holding
from spielleiter.store import Entry
from spielleiter.tournament.cluster import RayRunner
from spielleiter.tournament.pairing import Opening, Result
from spielleiter.tournament.record import check, from_text
from spielleiter.tournament.runner import FinishedGame, Runner
from spielleiter.tournament.schedule import Schedule
from spielleiter.tournament.units import seconds

if TYPE_CHECKING:
    from spielleiter.store import Store

GAME = "game"
_GRACE = 15.0
"""Seconds that a worker may take to give up a player before it is given up itself."""


class Seconds(click.ParamType[float]):
    """A time such as `2s`, `500ms` or `1.5`."""

    name = "time"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        try:
            return seconds(str(value))
        except UsageError as error:
            self.fail(str(error), param, ctx)


def played(store: Store) -> dict[str, Result]:
    """All results that a store holds."""
    results = (from_text(entry.data).result() for entry in store.read(GAME))
    return {result.pairing.key: result for result in results}


@dataclass(frozen=True, slots=True)
class Where:
    """Where games are played, as the command line says."""

    runner: str
    address: str | None
    concurrency: int | None

    def hire(self, players: Players, hands: int | None) -> Runner | RayRunner:
        """Who plays: `hands` games at a time, unless the command line said another number."""
        hands = self.concurrency or hands
        if self.runner == "ray":
            there = Elsewhere.of(players)
            say = functools.partial(click.echo, err=True)
            return RayRunner(there, players.limits.patience, self.address, hands, say)
        if self.address is not None:
            raise UsageError("--address is that of a cluster: it needs --runner ray")
        patience = players.limits.patience
        if players.holding is Holding.SEPARATE:
            patience += _GRACE  # who asks a player in another process gives it up by himself
        return Runner(players, hands or cores(), patience, time.monotonic)


def where_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """--concurrency, --runner and --address, as one argument `place`."""

    @functools.wraps(function)
    def wired(runner: str, address: str | None, concurrency: int | None, **others: Any) -> Any:
        return function(place=Where(runner, address, concurrency), **others)

    options = [
        click.option(
            "--concurrency", type=click.IntRange(1), help="Games at a time.  [default: cores]"
        ),
        click.option(
            "--runner",
            type=click.Choice(["local", "ray"]),
            default="local",
            show_default=True,
            help="On this machine, or on a Ray cluster.",
        ),
        click.option(
            "--address", help="The cluster's; without it Ray looks for one, or begins one."
        ),
    ]
    for option in reversed(options):
        wired = option(wired)
    return wired


def run(
    schedule: Schedule,
    runner: Runner | RayRunner,
    store: Store,
    known: dict[str, Result],
) -> Iterator[int]:
    """Play what is left; `known` grows by every game that is safe in the store."""

    def keep(done: list[FinishedGame]) -> None:
        store.append([Entry(GAME, each.result.pairing.key, each.text) for each in done])

    yield from runner.run(schedule, known, keep)


def verify(store: Store, start: Callable[[Opening], Position]) -> Iterator[str]:
    """Everything wrong with a store: a broken chain, or games the rules tell otherwise."""
    yield from store.check()
    for entry in store.read(GAME):
        wrong = _wrong(entry, start)
        if wrong is not None:
            yield f"{entry.key}: {wrong}"


def _wrong(entry: Entry, start: Callable[[Opening], Position]) -> str | None:
    try:
        record = from_text(entry.data)
    except StoreError as error:
        return str(error)
    if record.pairing.key != entry.key:
        return f"the record is that of {record.pairing.key}"
    return check(record, start)


def cores() -> int:
    """How many games can be played at once without taking time from each other."""
    return os.cpu_count() or 1
