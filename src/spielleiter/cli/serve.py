"""`spielleiter serve`: a server for the contest's clients."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import signal
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from spielleiter.cli._options import GameName, authority_option, wire_option
from spielleiter.game import Authority, Game, WireForm
from spielleiter.match import PerMove
from spielleiter.server import (
    OnStop,
    ServedGame,
    Server,
    ServerLimits,
    Settings,
    Start,
    Timekeeper,
    event_loop,
    log,
)
from spielleiter.server.listener import Starter
from spielleiter.server.replay import load
from spielleiter.server.settings import read_properties, with_properties
from spielleiter.server.strict import SCENARIOS, serve_strictly
from spielleiter.service.served_games import served_games

PROPERTIES = Path("server.properties")


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("names", metavar="[GAME]...", nargs=-1, type=GameName())
@authority_option
@wire_option
@click.option("-p", "--port", type=click.IntRange(0, 65535), help="Port; 0 takes any free one.")
@click.option("--host", help="Address to listen on.  [default: 127.0.0.1]")
@click.option("--password", help="What administrators must know.  [default: examplepassword]")
@click.option("--paused/--unpaused", default=None, help="Games nobody prepared start paused.")
@click.option("--no-timeout", is_flag=True, help="Seats nobody prepared have all the time.")
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
    help="Where to.",
)
@click.option("--compressed", is_flag=True, help="Write them as .xml.gz.")
@click.option(
    "--connections",
    type=click.IntRange(1),
    default=ServerLimits().connections,
    show_default=True,
    help="At most so many at the same time.",
)
@click.option(
    "--rooms",
    type=click.IntRange(1),
    default=ServerLimits().rooms,
    show_default=True,
    help="At most so many at the same time.",
)
@click.option(
    "--message-size",
    type=click.IntRange(256),
    default=ServerLimits().message,
    show_default=True,
    help="Bytes of one message.",
)
@click.option(
    "--idle",
    type=click.FloatRange(0, min_open=True),
    default=ServerLimits().idle,
    show_default=True,
    help="Seconds a connection may be silent that does not play.",
)
@click.option(
    "--on-stop",
    type=click.Choice([each.value for each in OnStop]),
    default="finish",
    show_default=True,
    help="What becomes of running games on SIGTERM or Ctrl-C.",
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
    help="Play by the protocol, but show no mercy: what does your client stand?",
)
@click.option("--plugins", hidden=True, help="Accepted for the official command line's sake.")
def command(names: tuple[str, ...], authority: Authority, wire: WireForm, **options: Any) -> None:
    """Serve GAMEs (default: all that speak the contest's XML) to the contest's clients.

    Options are those of the official server, and more; `server.properties` in the working directory
    is read first (port, password, paused, timeout, local), options win. Games share one port:
    clients choose with `gameType`, those who name none get the first GAME.
    """
    log.to_stderr(options["verbose"], options["log_format"])
    served = served_games(names, authority, wire)
    settings = _settings(options)
    if options["strict"]:
        sys.exit(_run_strictly(served[0], settings, options["strict"]))
    _run(served, settings, options["load_file"], options["turn"])


def _settings(options: dict[str, Any]) -> Settings:
    settings = Settings(
        clock=PerMove(options["soft"], options["hard"]),
        seed=options["seed"],
        limits=replace(
            ServerLimits(),
            connections=options["connections"],
            rooms=options["rooms"],
            message=options["message_size"],
            idle=options["idle"],
        ),
        replays=options["replays"] if options["save"] else None,
        compressed=options["compressed"],
        on_stop=OnStop(options["on_stop"]),
        grace=options["grace"],
        metrics_port=options["metrics_port"],
    )
    if PROPERTIES.is_file():
        settings = with_properties(settings, read_properties(PROPERTIES.read_text("utf-8")))
    given = {name: options[name] for name in ("host", "port", "password", "paused")}
    settings = replace(settings, **{k: v for k, v in given.items() if v is not None})
    return replace(settings, timeouts=False) if options["no_timeout"] else settings


def _run(served: list[Game], settings: Settings, file: Path | None, turn: int) -> None:
    time = Timekeeper()
    server = Server(served, settings, time=time, start=_starter(served, file, turn))
    with contextlib.closing(event_loop(time)) as loop:
        asyncio.set_event_loop(loop)
        loop.run_until_complete(_serve(server))


def _starter(served: list[Game], file: Path | None, turn: int) -> Starter | None:
    if file is None:
        return None
    table, start = load(file, turn, [ServedGame.of(game) for game in served])

    def start_of(wanted: ServedGame, prepared: bool) -> Start | None:
        return start if wanted.game == table.game and not prepared else None

    return start_of


async def _serve(server: Server) -> None:
    await server.start()
    stop = asyncio.Event()
    _on_signals(stop)
    names = ", ".join(table.wire.game_type for table in server.games)
    click.echo(f"listening on {server.settings.host}:{server.port} for {names}")
    gc.freeze()  # what is loaded by now stays: no need to look through it again and again
    await stop.wait()
    stop.clear()
    click.echo("stopping …", err=True)
    stopping, again = asyncio.create_task(server.stop()), asyncio.create_task(stop.wait())
    await asyncio.wait((stopping, again), return_when=asyncio.FIRST_COMPLETED)
    if again.done():  # somebody is in a hurry
        server.cancel_all()
    await stopping
    again.cancel()


def _on_signals(stop: asyncio.Event) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, stop.set)
        except NotImplementedError:  # Windows
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(stop.set))


def _run_strictly(game: Game, settings: Settings, scenario: str) -> int:
    return asyncio.run(serve_strictly(game, settings, scenario, click.echo))
