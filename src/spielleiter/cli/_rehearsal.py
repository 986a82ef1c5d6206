"""`spielleiter contest rehearse FILE`: the contest with stand-ins for every team."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path

import click

from spielleiter.cli._progress import Progress
from spielleiter.cli._runner import cores
from spielleiter.programs.contest_store import read_file
from spielleiter.programs.rehearsal import rehearsal_lines, rehearsal_report
from spielleiter.programs.rehearsal import rehearse as played_by_stand_ins
from spielleiter.tournament.rulings import ContestState
from spielleiter.tournament.text_tables import contest_lines


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE")
@click.option("--concurrency", type=click.IntRange(1), help="Games at a time.  [default: cores]")
def rehearse(file: Path, concurrency: int | None) -> None:
    """Play the whole contest in FILE with stand-ins for every team.

    The games are kept beside FILE in a store of their own, never in the contest's.
    """
    definition, store = read_file(file), file.with_suffix(".rehearsal.db")
    workers, began, progress = concurrency or cores(), time.monotonic(), Progress()
    with progress.until_stopped():
        for played in played_by_stand_ins(definition, store, workers):
            progress.show(partial("{} games rehearsed".format, played))
    real = definition.concurrency or workers
    report = rehearsal_report(definition, store, time.monotonic() - began, real)
    for line in (*contest_lines(definition, ContestState(report.results)), ""):
        click.echo(line)
    for line in rehearsal_lines(report):
        click.echo(line)
