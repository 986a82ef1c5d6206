"""`spielleiter arena`: the pages, both servers and the built-in players with one command."""

from __future__ import annotations

import asyncio
import gc
import os
import secrets
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click

from spielleiter.cli._backup import backup_command, restore_command
from spielleiter.cli._greeting import greet
from spielleiter.cli._kept_games import kept_games_options
from spielleiter.cli._ladder import cluster_of, ladder_option
from spielleiter.cli._options import GameName, wire_option
from spielleiter.cli._reach import reach_options
from spielleiter.cli._uploads import refuse_readable, upload_options, upload_settings
from spielleiter.programs.contest_store import opened_if_begun
from spielleiter.server import log
from spielleiter.server.running import stop_on_signals
from spielleiter.service.arena import ArenaSettings, open_arena
from spielleiter.service.process import EVERYWHERE

_READING = 1.0
"""Seconds that a page waits for an unavailable database."""
_GARBAGE = 20_000
"""New objects before a garbage collection; a long game has as many, all in use."""


def _port(
    help_: str, default: int, *flags: str
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return click.option(
        *flags, type=click.IntRange(0, 65535), default=default, show_default=True, help=help_
    )


@click.group(invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.pass_context
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--lan", is_flag=True, help="Let the local network in: --host 0.0.0.0.")
@_port("Port of the pages; 0 takes any free one.", 8080, "-p", "--port")
@_port("Port for the contest's XML clients; 0 takes any.", 13050, "--xml-port")
@_port("Port for the course's binary clients; 0 takes any.", 7777, "--binary-port")
@click.option(
    "--first",
    type=GameName(),
    metavar="GAME",
    help="The game for clients on the XML port that name none.  [default: the newest]",
)
@wire_option
@click.option(
    "--data",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("arena-data"),
    show_default=True,
    help="The folder that keeps games and the organiser's password.",
)
@click.option(
    "--games",
    type=click.IntRange(1, 5_000),
    default=200,
    show_default=True,
    help="Most games at the same time.",
)
@click.option(
    "--players",
    type=click.IntRange(1, 64),
    default=max(1, min(4, os.cpu_count() or 1)),
    show_default=True,
    help="Processes for built-in players.",
)
@click.option(
    "--thinking",
    type=click.FloatRange(0, 60, min_open=True),
    default=2.0,
    show_default=True,
    help="Seconds that a built-in player may think about a move.",
)
@click.option(
    "--demo/--no-demo", default=True, help="Show games of built-in players while nobody plays."
)
@kept_games_options
@reach_options
@click.option(
    "--xml-password",
    "password",
    metavar="TEXT",
    help="The password of administrators of the XML server.  [default: random]",
)
@upload_options
@ladder_option
@click.option("-v", "--verbose", count=True, help="Log games too; twice: everything.")
def command(
    context: click.Context,
    password: str | None,
    lan: bool,
    upload_limit: int,
    trust_uploads: bool,
    runner: str,
    address: str | None,
    **options: Any,
) -> None:
    """Open the arena: watch, play and replay games.

    It is used in the browser. One command starts the contest's XML server, the course's binary
    server, the built-in players and the pages. Everything that happens is kept in the data
    folder. Ctrl-C ends it.
    """
    if context.invoked_subcommand is not None:
        return
    if lan:
        options["host"] = EVERYWHERE[0]
    refuse_readable(options["data"])
    options |= upload_settings(upload_limit, trust_uploads)
    options["cluster"] = cluster_of(runner, address)
    settings = ArenaSettings(password=password or secrets.token_hex(16), **options)
    log.to_stderr(settings.verbose)
    usual = gc.get_threshold()
    try:
        asyncio.run(_run(settings))
    finally:
        gc.unfreeze()
        gc.set_threshold(*usual)
        gc.collect()


command.add_command(backup_command)
command.add_command(restore_command)


async def _run(settings: ArenaSettings) -> None:
    stop = asyncio.Event()
    open_contest = partial(opened_if_begun, patience=_READING)
    async with open_arena(settings, open_contest, on_failure=stop.set) as arena:
        greet(settings, arena)
        stop_on_signals(stop)
        if hasattr(os, "nice"):
            os.nice(5)  # games come first: the game service was started before
        gc.freeze()
        gc.set_threshold(_GARBAGE)
        await stop.wait()
        click.echo("closing …", err=True)
    if arena.failure is not None:
        raise arena.failure
