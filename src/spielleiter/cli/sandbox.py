"""`spielleiter sandbox`: which levels of isolation does this machine support?"""

from __future__ import annotations

import click

from spielleiter.sandbox import Level, probe

_MEANS = {
    Level.NONE: "a plain process",
    Level.LIMITS: "limits for each process, a supervisor that watches and ends them all",
    Level.ISOLATED: "no network but the game's port, no files but its own",
    Level.CGROUP: "memory and processes bounded for all its processes together",
}


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Try every level of the sandbox here, and explain it."""
    found = probe()
    missing = dict(found.missing)
    for level in Level:
        if level <= found.best:
            click.echo(f"{level.text:9} yes: {_MEANS[level]}")
        else:
            reasons = [reason for each, reason in missing.items() if each <= level]
            click.echo(f"{level.text:9} no: {reasons[0]}")
