"""`spielleiter show POSITION`: draw a position."""

from __future__ import annotations

from pathlib import Path

import click

from spielleiter.cli._options import GameName, authority_option, position_of
from spielleiter.draw import svg, terminal
from spielleiter.game import Authority


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("position")
@click.option("--game", type=GameName(), help="Which edition; by default the newest that fits.")
@authority_option
@click.option("--svg", "picture", type=click.Path(path_type=Path), help="Write a picture instead.")
@click.option("--last", metavar="MOVE", help="Mark this move as the last one.")
def command(
    position: str, game: str | None, authority: Authority, picture: Path | None, last: str | None
) -> None:
    """Draw POSITION, given as text, in the terminal or as an SVG picture."""
    edition, parsed = position_of(position, game, authority)
    scene = edition.scene(parsed, parsed.move(last) if last else None)
    if picture is None:
        click.echo(terminal.render(scene))
        return
    picture.write_text(svg.render(scene), "utf-8")
    click.echo(f"wrote {picture}")
