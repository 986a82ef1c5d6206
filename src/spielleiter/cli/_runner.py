"""Options of the commands that play many games: how many at a time, and on which machines."""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import click

from spielleiter.errors import UsageError
from spielleiter.programs.players import Players, RemotePlayers
from spielleiter.programs.settings import Isolation
from spielleiter.tournament.cluster import RayRunner
from spielleiter.tournament.runner import Runner
from spielleiter.tournament.units import seconds

_GRACE = 15.0
"""Extra seconds for a worker to stop a player before it is killed itself."""


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


@dataclass(frozen=True, slots=True)
class RunnerOptions:
    """Where games are played, as the command line says."""

    kind: str
    address: str | None
    concurrency: int | None

    def runner(self, players: Players, concurrency: int | None) -> Runner | RayRunner:
        """The runner; the command line's number of games at a time wins over `concurrency`."""
        concurrency = self.concurrency or concurrency
        if self.kind == "ray":
            there = RemotePlayers.of(players)
            say = functools.partial(click.echo, err=True)
            return RayRunner(there, players.limits.patience, self.address, concurrency, say)
        if self.address is not None:
            raise UsageError("--address is that of a cluster: it needs --runner ray")
        patience = players.limits.patience
        if players.isolation is Isolation.SEPARATE:
            patience += _GRACE  # a player's own process is given up first
        return Runner(players, concurrency or cores(), patience, time.monotonic)


def runner_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """--concurrency, --runner and --address, as one argument `runner`."""

    @functools.wraps(function)
    def wired(runner: str, address: str | None, concurrency: int | None, **others: Any) -> Any:
        return function(runner=RunnerOptions(runner, address, concurrency), **others)

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
            "--address", help="The cluster's address; without it Ray looks for one, or starts one."
        ),
    ]
    for option in reversed(options):
        wired = option(wired)
    return wired


def cores() -> int:
    """How many games can be played at once without taking time from each other."""
    return os.cpu_count() or 1
