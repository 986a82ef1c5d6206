"""`spielleiter logs STORE`: what the players of a match or a contest printed."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import click

from spielleiter.errors import UsageError
from spielleiter.programs.output_files import OutputFiles
from spielleiter.programs.result_store import GAME
from spielleiter.store import open_store
from spielleiter.tournament.record import ContestEntry, from_text


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("store", metavar="STORE")
@click.argument("games", nargs=-1, metavar="[GAME …]")
@click.option("--all", "everything", is_flag=True, help="Also games in which nobody failed.")
def command(store: str, games: tuple[str, ...], everything: bool) -> None:
    """Print who failed in the games of STORE, with tracebacks.

    GAME is the key of a game, such as match/3; without one, all games in which somebody failed.
    """
    if "://" not in store and not Path(store).is_file():
        raise UsageError(f"there is no store {store}")
    with closing(open_store(store)) as opened:
        outside = OutputFiles.beside(Path(store))
        entries = [from_text(outside.put_back(entry.data)) for entry in opened.read(GAME)]
    for entry in entries:
        wanted = entry.pairing.key in games if games else everything or any(entry.failures)
        if wanted:
            _print(entry)


def _print(entry: ContestEntry) -> None:
    faults = entry.result().faults
    click.echo(f"=== {entry.pairing.key}")
    for name, fault in zip(entry.pairing.players, faults, strict=True):
        click.echo(f"{name}: {fault or 'no failure'}")
    if entry.log:
        click.echo(entry.log.rstrip())
