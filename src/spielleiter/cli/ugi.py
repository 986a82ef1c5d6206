"""`spielleiter ugi GAME`: our players as an engine for other tools."""

from __future__ import annotations

import sys

import click

from spielleiter import bots, games
from spielleiter.cli._options import (
    EXTRA,
    PlayerName,
    authority_option,
    game_argument,
    seed_option,
    set_up,
)
from spielleiter.engines.ugi_server import UgiServer
from spielleiter.game import Authority


@click.command(context_settings={"help_option_names": ["-h", "--help"], **EXTRA})
@game_argument
@click.option(
    "--bot", default="best", show_default=True, type=PlayerName(), help="The player, as in `play`."
)
@seed_option
@authority_option
@click.pass_context
def command(ctx: click.Context, game: str, bot: str, seed: int, authority: Authority) -> None:
    """Speak the Universal Game Interface to a tool.

    A tool starts this command and sends lines of text: `ugi`, `position startpos`,
    `go movetime 1000`. Options of the set-up, such as --map NAME, change `startpos`.
    """
    edition = games.load(game, authority)
    server = UgiServer(
        edition,
        bots.factory(bot),
        lambda line: click.echo(line),
        name=f"Spielleiter {game} {bot}",
        seed=seed,
        options=set_up(edition, ctx.args),
    )
    server.run(iter(sys.stdin.readline, ""))
