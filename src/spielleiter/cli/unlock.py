"""`spielleiter unlock`: unlock the organiser's login after too many wrong passwords."""

from __future__ import annotations

from pathlib import Path

import click

from spielleiter.errors import UsageError
from spielleiter.store.lock import LOCK
from spielleiter.store.private import write_private
from spielleiter.web.login_guard import UNLOCK


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--data",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("arena-data"),
    show_default=True,
    help="The data folder of the arena.",
)
def command(data: Path) -> None:
    """Unlock the login of a running arena.

    After too many wrong passwords nobody can log in for a quarter of an hour. This command ends the
    wait; it needs write access to the data folder.
    """
    if not (data / LOCK).exists():
        raise UsageError(f"{data} is no data folder of an arena: name it with --data")
    write_private(data / UNLOCK, b"")
    click.echo("unlocked: logins are accepted again")
