"""`spielleiter arena backup` and `restore`."""

from __future__ import annotations

from pathlib import Path

import click

from spielleiter.service.backup import back_up, restore

_DATA = click.option(
    "--data",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("arena-data"),
    show_default=True,
    help="The data folder of the arena.",
)
_DATABASE = click.option(
    "--database",
    metavar="URL",
    help="The database of people, bots and the ladder, if not in --data.",
)
_FILE = click.argument("file", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE")


@click.command("backup")
@_FILE
@_DATA
@_DATABASE
def backup_command(file: Path, data: Path, database: str | None) -> None:
    """Copy the arena into FILE, a ZIP, while it runs.

    The copy is verified. It holds the record of games, people and bots, uploads, contests in the
    data folder and the organiser's password. Protect it as well as the arena itself.
    """
    made = back_up(data, file, database)
    size = made.size / 1024 / 1024
    click.echo(f"{file}: {made.files} files, {made.rows} rows, {size:.1f} MB, verified")


@click.command("restore")
@_FILE
@_DATA
@_DATABASE
def restore_command(file: Path, data: Path, database: str | None) -> None:
    """Put a backup, once it is verified, into a new data folder."""
    count = restore(file, data, database)
    click.echo(f"{count} files restored to {data}: spielleiter arena --data {data}")
