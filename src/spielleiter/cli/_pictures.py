"""Writes pictures as files."""

from __future__ import annotations

from pathlib import Path

import click

from spielleiter.draw.png import has_fonts, png


def write_png(file: Path, picture: str, scale: float) -> None:
    """Write an SVG picture as PNG, and say so if this machine cannot write its texts."""
    file.write_bytes(png(picture, scale))
    click.echo(f"wrote {file}")
    if not has_fonts():
        click.echo("this machine has no font: the texts are missing in the picture", err=True)
