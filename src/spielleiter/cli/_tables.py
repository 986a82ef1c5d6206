"""Games between players named by texts, kept in a store: what `match` and `contest` share."""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import click

from spielleiter.errors import UsageError
from spielleiter.programs.players import Elsewhere, Players
from spielleiter.programs.settings import Holding
from spielleiter.tournament.cluster import RayRunner
from spielleiter.tournament.runner import Runner
from spielleiter.tournament.units import seconds

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


def cores() -> int:
    """How many games can be played at once without taking time from each other."""
    return os.cpu_count() or 1
