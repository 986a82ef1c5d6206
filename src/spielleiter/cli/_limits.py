"""Options that limit clients of a contest server."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import click

from spielleiter.server import ServerLimits


def limit_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """--connections, --per-address, --rooms, --message-size, --idle: one argument `limits`."""

    @functools.wraps(function)
    def wired(
        connections: int,
        per_address: int | None,
        rooms: int,
        message_size: int,
        idle: float,
        **others: Any,
    ) -> Any:
        limits = ServerLimits(
            connections=connections,
            per_address=per_address,
            rooms=rooms,
            message=message_size,
            idle=idle,
        )
        return function(limits=limits, **others)

    options = (
        click.option(
            "--connections",
            type=click.IntRange(1),
            default=ServerLimits().connections,
            show_default=True,
            help="Most connections at the same time.",
        ),
        click.option(
            "--per-address",
            type=click.IntRange(1),
            help="Most from one address without a reservation.  [default: half of them]",
        ),
        click.option(
            "--rooms",
            type=click.IntRange(1),
            default=ServerLimits().rooms,
            show_default=True,
            help="Most rooms at the same time.",
        ),
        click.option(
            "--message-size",
            type=click.IntRange(256),
            default=ServerLimits().message,
            show_default=True,
            help="Bytes of one message.",
        ),
        click.option(
            "--idle",
            type=click.FloatRange(0, min_open=True),
            default=ServerLimits().idle,
            show_default=True,
            help="Seconds that a connection without a seat may be silent.",
        ),
    )
    for option in reversed(options):
        wired = option(wired)
    return wired
