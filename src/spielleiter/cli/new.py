"""`spielleiter new NAME --game GAME`: a working bot to begin with."""

from __future__ import annotations

from pathlib import Path

import click

from spielleiter import games
from spielleiter.cli._options import GameName
from spielleiter.handin import project


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("folder", metavar="NAME", type=click.Path(path_type=Path))
@click.option("--game", required=True, type=GameName(), help="The edition it plays.")
def command(folder: Path, game: str) -> None:
    """Make a bot in a new folder NAME: a player that works, tests, and a start script.

    It plays at once; all that is left is to think. Nothing that exists is overwritten.
    """
    for name in project.create(folder, games.load(game)):
        click.echo(f"{folder / name}")
    click.echo(f"\nNow: cd {folder}, python -m pytest, change bot.py, spielleiter check .")
