"""`spielleiter games`: what can be played."""

from __future__ import annotations

import json

import click

from spielleiter import games


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(as_json: bool) -> None:
    """List all games and editions."""
    editions = [games.load(name) for name in games.names()]
    if as_json:
        rows = [
            {
                "name": game.name,
                "title": game.title,
                "seats": list(game.seat_names),
                "min_seats": game.min_seats,
                "options": {option.name: option.help for option in game.options},
            }
            for game in editions
        ]
        click.echo(json.dumps(rows, ensure_ascii=False, indent=2))
        return
    width = max((len(game.name) for game in editions), default=0)
    for game in editions:
        click.echo(f"{game.name:<{width}}  {game.title}")
        for option in game.options:
            flag = f"--{option.name.replace('_', '-')}"
            click.echo(f"{'':<{width}}  {flag}: {option.help}")
    for folder, error in games.broken().items():
        click.echo(f"(the folder {folder} cannot be loaded: {error})", err=True)
