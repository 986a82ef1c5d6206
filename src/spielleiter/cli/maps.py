"""`spielleiter maps`: the maps that come with the games."""

from __future__ import annotations

from collections.abc import Iterator

import click

from spielleiter import games
from spielleiter.draw import terminal
from spielleiter.errors import UnknownName
from spielleiter.game import Game


@click.group(invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.pass_context
def command(ctx: click.Context) -> None:
    """List the maps of games that have some, or show one."""
    if ctx.invoked_subcommand is None:
        for game, name in _catalogue():
            start = game.start(map=name)
            click.echo(f"{name:<34} {start.seats} players  {game.name}")


@command.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("name")
def show(name: str) -> None:
    """Draw the start position on the map NAME."""
    for game, known in _catalogue():
        if known == name:
            click.echo(terminal.render(game.scene(game.start(map=name), None)))
            return
    raise UnknownName("map", name, [known for _, known in _catalogue()])


def _catalogue() -> Iterator[tuple[Game, str]]:
    for game in map(games.load, games.names()):
        for option in game.options:
            if option.name == "map":
                yield from ((game, name) for name in option.choices())
