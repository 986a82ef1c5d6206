"""Options of an arena for the ladder: games at a time, and where they are played."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import click

from spielleiter.errors import UsageError
from spielleiter.ladder.arena_ladder import Cluster


def ladder_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """--ladder, --runner and --address; by default half of the processors play."""
    options = (
        click.option(
            "--ladder",
            type=click.IntRange(0, 256),
            default=max(1, (os.cpu_count() or 1) // 2),
            show_default=True,
            help="Games of uploaded bots at a time; 0: they do not play by themselves.",
        ),
        click.option(
            "--runner",
            type=click.Choice(["local", "ray"]),
            default="local",
            show_default=True,
            help="Where uploaded bots play: on this machine, or on a Ray cluster.",
        ),
        click.option("--address", help="The cluster's address; without it Ray looks for one."),
    )
    for option in reversed(options):
        function = option(function)
    return function


def cluster_of(runner: str, address: str | None) -> Cluster | None:
    """The cluster that the options name; None: this machine plays."""
    if runner == "ray":
        return Cluster(address)
    if address is not None:
        raise UsageError("--address is that of a cluster: it needs --runner ray")
    return None
