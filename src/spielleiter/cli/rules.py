"""`spielleiter rules GAME`: the rules as played."""

from __future__ import annotations

import click

from spielleiter import games
from spielleiter.cli._options import game_argument


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@game_argument
def command(game: str) -> None:
    """Show the rules of GAME, and how doubts were settled."""
    click.echo_via_pager(games.load(game).rules())
