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
                help="Another host name of the arena.",
            ),
            click.option(
                "--behind-proxy",
                "proxies",
                multiple=True,
                metavar="ADDRESS",
                help="A proxy, or a network of them, whose X-Forwarded-For is trusted.",
            ),
            click.option("--https", is_flag=True, help="Browsers use only https, through a proxy."),
        )
    ):
        function = option(function)
    return function
