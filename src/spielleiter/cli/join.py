"""`spielleiter join GAME`: a player takes a seat on a contest server.

It is built in or your own: a Python file, a folder, a contest ZIP, a `.jar`.
"""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

import click

from spielleiter import bots
from spielleiter import games as all_games
from spielleiter.cli._joining import is_program, main_of
from spielleiter.cli._options import ClientCommand, PlayerName, authority_option, seed_option
from spielleiter.client import binary, player
from spielleiter.client.connection import HOST, PORT
from spielleiter.client.side_channel import VARIABLE, run_forwarding
from spielleiter.errors import UsageError
from spielleiter.game import Authority

ANY_GAME = "any"


@click.command(cls=ClientCommand, context_settings={"help_option_names": ["--help"]})
@click.argument("game", metavar="GAME")
@click.option(
    "--bot",
    required=True,
    type=PlayerName(),
    metavar="PLAYER",
    help="A built-in player, or your own: a Python file (bot.py), a folder, a contest ZIP, a .jar.",
)
@click.option("-h", "--host", default=HOST, show_default=True, help="The server's address.")
@click.option("-p", "--port", default=PORT, show_default=True, help="Its port.")
@click.option("-r", "--reservation", metavar="CODE", help="Take the seat reserved by this code.")
@click.option("--room", metavar="ID", help="Take a free seat in this room.")
@click.option("--games", default=1, show_default=True, type=click.IntRange(1), help="How many.")
@click.option(
    "--seconds",
    default=player.SECONDS,
    show_default=True,
    type=click.FloatRange(0, min_open=True),
    help="Time that the player may use for each move.",
)
@click.option(
    "--limit",
    type=click.FloatRange(0, min_open=True),
    help="Time that the server allows for it.  [default: a third more, at most 0.2 s]",
)
@click.option(
    "--show",
    metavar="URL",
    envvar=VARIABLE,
    help="The address for the player's annotations, from the arena's page.",
)
@seed_option
@authority_option
def command(
    game: str,
    bot: str,
    host: str,
    port: int,
    reservation: str | None,
    room: str | None,
    games: int,
    seconds: float,
    limit: float | None,
    show: str | None,
    seed: int,
    authority: Authority,
) -> None:
    """Play GAME on a contest server.

    GAME is an edition, a game type such as swc_…, or `any`. As in the contest, -h is the host;
    alone, it shows this help.
    """
    if games > 1 and (reservation or room):
        raise UsageError("a reservation or a room is for one game only")
    bot = main_of(bot)
    if is_program(bot):
        where = ["-i", host, "-p", str(port)] if speaks_binary(game) else None
        _run_program(bot, where or _options(host, port, reservation), games, show)
        return
    if show:
        os.environ[VARIABLE] = show
    if speaks_binary(game):
        _play_binary(game, bot, host, port, games, seed)
        return
    for number in range(games):
        report = player.join(
            bots.load(bot, seed=seed + number),
            host,
            port,
            reservation=reservation,
            room=room,
            game=None if game == ANY_GAME else game,
            authority=authority,
            seconds=seconds,
            limit=limit,
        )
        click.echo(player.summary(report))


def _options(host: str, port: int, reservation: str | None) -> list[str]:
    """The options with which programs of the contest find their seat."""
    code = [] if reservation is None else ["--reservation", reservation]
    return ["--host", host, "--port", str(port), *code]


def _run_program(bot: str, options: list[str], games: int, show: str | None) -> None:
    """Start a program as a contest does, once for each game."""
    from spielleiter.programs.program import program

    started = list(program(bot).words)
    words = [*started[: started.index("--host")], *options]
    for _ in range(games):
        folder = Path(words[0]).parent if bot.endswith(".zip") else None
        status = run_forwarding(words, folder, show)
        if status:
            raise UsageError(f"{bot} ended with {status}")


def speaks_binary(game: str) -> bool:
    """Whether an edition is played over the course's binary protocol."""
    if game not in all_games.names() or find_spec(f"{all_games.load(game).folder}.wire") is None:
        return False
    return not hasattr(all_games.load(game).part("wire"), "wire")


def _play_binary(game: str, bot: str, host: str, port: int, games: int, seed: int) -> None:
    for number in range(games):
        report = binary.join(bots.load(bot, seed=seed + number), all_games.load(game), host, port)
        click.echo(binary.summary(report))
