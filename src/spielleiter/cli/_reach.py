"""Options for access by browsers: hosts, proxies, https."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click


def reach_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """--allow-host, --behind-proxy, --https."""
    for option in reversed(
        (
            click.option(
                "--allow-host",
                "names",
                multiple=True,
                metavar="NAME",
                help="Another name by which browsers reach us.",
            ),
            click.option(
                "--behind-proxy",
                "proxies",
                multiple=True,
                metavar="ADDRESS",
                help="A proxy, or a network of them, whose X-Forwarded-For is believed.",
            ),
            click.option(
                "--https", is_flag=True, help="Browsers reach us by https only, through a proxy."
            ),
        )
    ):
        function = option(function)
    return function
