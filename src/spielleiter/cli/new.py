"""`spielleiter new NAME --game GAME`: a working bot to begin with."""

from __future__ import annotations

from pathlib import Path

import click

from spielleiter import games
from spielleiter.cli._options import GameName
from spielleiter.handin import kit, project


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("folder", metavar="NAME", type=click.Path(path_type=Path))
@click.option("--game", required=True, type=GameName(), help="The edition it plays.")
@click.option(
    "--language",
    type=click.Choice((kit.PYTHON, *kit.LANGUAGES)),
    default=kit.PYTHON,
    show_default=True,
    help="The language; the bot needs only its standard library.",
)
def command(folder: Path, game: str, language: str) -> None:
    """Create a bot in a new folder NAME.

    The folder has a working player, tests, and a start script. It plays legal moves from the
    start. Existing files are never overwritten.
    """
    for name in project.create(folder, games.load(game), language):
        click.echo(f"{folder / name}")
    steps = project.first_steps() if language == kit.PYTHON else kit.first_steps(language)
    click.echo(f"\nNow: cd {folder}, {steps}, spielleiter check .")
