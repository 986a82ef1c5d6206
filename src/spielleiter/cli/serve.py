"""`spielleiter serve`: a server for the contest's clients."""

from __future__ import annotations

import asyncio
import functools
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from spielleiter.cli._limits import limit_options
from spielleiter.cli._options import GameName, authority_option, wire_option
from spielleiter.game import Authority, WireForm
from spielleiter.match import PerMove
from spielleiter.server import OnStop, Server, Settings, log
from spielleiter.server.running import run_server, start_from_replay
from spielleiter.server.settings import with_properties_file
from spielleiter.server.strict import SCENARIOS, serve_strictly
from spielleiter.service.served_games import served_games

PROPERTIES = Path("server.properties")


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("names", metavar="[GAME]...", nargs=-1, type=GameName())
@authority_option
@wire_option
@click.option("-p", "--port", type=click.IntRange(0, 65535), help="Port; 0 takes any free one.")
@click.option("--host", help="Address to listen on.  [default: 127.0.0.1]")
@click.option("--password", help="The administrators' password.  [default: examplepassword]")
@click.option("--paused/--unpaused", default=None, help="Games nobody prepared start paused.")
@click.option("--no-timeout", is_flag=True, help="No time limit in games that nobody prepared.")
@click.option("--soft", type=float, default=2.0, show_default=True, help="Seconds for a move.")
@click.option(
    "--hard", type=float, default=10.0, show_default=True, help="Seconds to wait for one."
)
@click.option(
    "--seed", type=click.IntRange(0, 2**64 - 1), help="Draw all set-ups from this number."
)
@click.option(
    "--loadGameFile",
    "load_file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Start from a state of this replay (.xml or .xml.gz).",
)
@click.option(
    "--turn", type=click.IntRange(0), default=0, help="… from the first of at least this turn."
)
@click.option("--saveReplay", "save", is_flag=True, help="Write a replay of every game.")
@click.option(
    "--replays",
    type=click.Path(path_type=Path),
    default=Path("replays"),
    show_default=True,
    help="The folder for replays.",
)
@click.option("--compressed", is_flag=True, help="Write them as .xml.gz.")
@limit_options
@click.option(
    "--on-stop",
    type=click.Choice([each.value for each in OnStop]),
    default="finish",
    show_default=True,
    help="What happens to running games on SIGTERM or Ctrl-C.",
)
@click.option(
    "--grace",
    type=click.FloatRange(0),
    default=60.0,
    show_default=True,
    help="Seconds they get to finish.",
)
@click.option(
    "--metrics-port", type=click.IntRange(0, 65535), help="Serve /metrics for Prometheus here."
)
@click.option(
    "--log-format", type=click.Choice(["logfmt", "json"]), default="logfmt", show_default=True
)
@click.option("-v", "--verbose", count=True, help="Log games too; twice: everything.")
@click.option(
    "--strict",
    metavar="SCENARIO|all",
    type=click.Choice([*SCENARIOS, "all"]),
    help="Test a client: follow the protocol, but send unusual packets and messages.",
)
@click.option(
    "--plugins", hidden=True, help="Accepted for compatibility with the official command line."
)
def command(names: tuple[str, ...], authority: Authority, wire: WireForm, **options: Any) -> None:
    """Serve GAMEs to the contest's clients.

    By default all games that speak the contest's XML. Options are those of the official server,
    and more; `server.properties` in the working directory is read first (port, password,
    paused, timeout, local), options win. Games share one port: clients choose with `gameType`,
    those who name none get the first GAME.
    """
    log.to_stderr(options["verbose"], options["log_format"])
    games = served_games(names, authority, wire)
    settings, file = _settings(options), options["load_file"]
    if options["strict"]:
        sys.exit(asyncio.run(serve_strictly(games[0], settings, options["strict"], click.echo)))
    start = None if file is None else start_from_replay(file, options["turn"], games)
    stopping = functools.partial(click.echo, "stopping …", err=True)
    run_server(games, settings, start=start, on_ready=_greet, on_stop=stopping)


def _settings(options: dict[str, Any]) -> Settings:
    settings = Settings(
        clock=PerMove(options["soft"], options["hard"]),
        seed=options["seed"],
        limits=options["limits"],
        replays=options["replays"] if options["save"] else None,
        compressed=options["compressed"],
        on_stop=OnStop(options["on_stop"]),
        grace=options["grace"],
        metrics_port=options["metrics_port"],
    )
    settings = with_properties_file(settings, PROPERTIES)
    given = {name: options[name] for name in ("host", "port", "password", "paused")}
    settings = replace(settings, **{k: v for k, v in given.items() if v is not None})
    return replace(settings, timeouts=False) if options["no_timeout"] else settings


def _greet(server: Server) -> None:
    names = ", ".join(served.wire.game_type for served in server.games)
    click.echo(f"listening on {server.settings.host}:{server.port} for {names}")
