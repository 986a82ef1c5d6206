"""Prepares the players of a contest, and prints how that went."""

from __future__ import annotations

from pathlib import Path

import click

from spielleiter.cli._runner import cores
from spielleiter.errors import UsageError
from spielleiter.programs.contest_store import as_begun
from spielleiter.programs.entrants import failing_players, ready_line, sandboxed_players
from spielleiter.programs.players import Players
from spielleiter.programs.program_options import ProgramOptions, sandbox_line
from spielleiter.tournament.definition import Definition


def ready_players(
    file: Path, programs: ProgramOptions, *, checked: bool
) -> tuple[Definition, Players]:
    """The contest of a file and its players, sandboxed as it says, and tried out."""
    definition = as_begun(file)
    players = sandboxed_players(definition, file, programs)
    click.echo(sandbox_line(players.setting, players.isolation), err=True)
    if checked:
        _check_players(players, definition)
    return definition, players


def _check_players(players: Players, definition: Definition) -> None:
    """Refuse to begin if a player cannot be started or fails at its first move."""
    found = failing_players(players, definition, definition.concurrency or cores())
    for name, problem in found.items():
        click.echo(f"{name}: {players.players[name]}: {problem}", err=True)
    if found:
        raise UsageError("no game was played: these players cannot play")
    click.echo(ready_line(players), err=True)
