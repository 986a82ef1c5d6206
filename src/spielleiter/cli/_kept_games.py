"""Options that name games to show: contests, and stores of matches."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from spielleiter.store import StoreAddress

_FILE = click.Path(path_type=Path, dir_okay=False, exists=True)


class StorePlace(click.ParamType[Path | StoreAddress]):
    """An existing file, or the address of a database."""

    name = "store"

    def convert(
        self, value: Any, param: click.Parameter | None, context: click.Context | None
    ) -> Path | StoreAddress:
        """What was named; a text with `://` is a database."""
        address = StoreAddress.of(value)
        return address if address.is_database else _FILE.convert(value, param, context)


def kept_games_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """`--contest` and `--store`, as often as wanted."""
    contest = "A contest to show, besides those in the folder `contests` of the data folder."
    store = "A store of a match or contest whose games are shown, with logs, to all visitors."
    command = click.option(
        "--store",
        "stores",
        multiple=True,
        type=StorePlace(),
        metavar="FILE|URL",
        help=store,
    )(command)
    return click.option(
        "--contest", "contests", multiple=True, type=_FILE, metavar="FILE", help=contest
    )(command)
