"""Options that name games to show: contests, and stores of matches."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click


def _files(flag: str, name: str, help_: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    kind = click.Path(path_type=Path, dir_okay=False, exists=True)
    return click.option(flag, name, multiple=True, type=kind, metavar="FILE", help=help_)


def kept_games_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """`--contest` and `--store`, as often as wanted."""
    contest = "A contest to show, besides those in the folder `contests` of the data folder."
    store = "A store of a match or contest whose games are shown, with logs, to all visitors."
    command = _files("--store", "stores", store)(command)
    return _files("--contest", "contests", contest)(command)
