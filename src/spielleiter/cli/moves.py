"""`spielleiter moves POSITION`: what can be played here."""

from __future__ import annotations

import click

from spielleiter.cli._options import GameName, authority_option, position_of
from spielleiter.game import Authority


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("position")
@click.option("--game", type=GameName(), help="Which edition; by default the newest that fits.")
@authority_option
@click.option("--why", metavar="MOVE", help="Explain what is wrong with this move instead.")
def command(position: str, game: str | None, authority: Authority, why: str | None) -> None:
    """List the legal moves of POSITION, one per line.

    There are none when the game is over. POSITION is a text, or `start` (or `start:SEED`) for
    the beginning of the GAME.
    """
    _, parsed = position_of(position, game, authority)
    if why is not None:
        mistake = parsed.why_illegal(parsed.move(why))
        click.echo("legal" if mistake is None else f"{mistake.name}: {mistake.explanation}")
        return
    for move in sorted(move.text() for move in parsed.legal_moves()):
        click.echo(move)
