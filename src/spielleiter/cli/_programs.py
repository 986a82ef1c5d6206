"""Options of the commands that run programs."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from spielleiter.game import WIRE_FORMS, WireForm
from spielleiter.programs.profiling import check_libraries
from spielleiter.programs.program_options import LEVELS, ProgramOptions
from spielleiter.programs.settings import HOST


def profile_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """--profile FOLDER."""

    def checked(ctx: click.Context, param: click.Parameter, folder: Path | None) -> Path | None:
        if folder is not None:
            check_libraries()
        return None if folder is None else folder.absolute()

    return click.option(
        "--profile",
        type=click.Path(file_okay=False, path_type=Path),
        metavar="FOLDER",
        callback=checked,
        help="Write a profile there: flame graphs of Python files, processor time and "
        "memory for each move of every program.",
    )(function)


def program_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """--sandbox, --trust-files, --freeze, --cold, --host and --wire, as one argument `programs`."""

    @functools.wraps(function)
    def wired(
        sandbox: str | None,
        freeze: bool,
        warm: bool,
        host: str,
        wire: WireForm | None,
        trust_files: bool,
        **others: Any,
    ) -> Any:
        return function(
            programs=ProgramOptions(sandbox, freeze, warm, host, wire, trust_files), **others
        )

    options = [
        click.option(
            "--sandbox",
            type=click.Choice(LEVELS),
            help="Sandbox level for players that are not built in; never less than this.  "
            "[default: best]",
        ),
        click.option(
            "--trust-files",
            is_flag=True,
            help="Run players' Python files in our own processes: faster, but they can do anything "
            "to each other and to the result.",
        ),
        click.option("--freeze", is_flag=True, help="Freeze a player while it is not its turn."),
        click.option(
            "--warm/--cold",
            default=True,
            help="Start the next game's programs early, or only when it begins.  [default: warm]",
        ),
        click.option(
            "--host",
            default=HOST,
            show_default=True,
            help="Where to listen for players from outside.",
        ),
        click.option(
            "--wire",
            type=click.Choice(WIRE_FORMS),
            help="Messages to programs as the season's real servers write them, or as its document "
            "says.  [default: the contest file's, or real]",
        ),
    ]
    for option in reversed(options):
        wired = option(wired)
    return wired
