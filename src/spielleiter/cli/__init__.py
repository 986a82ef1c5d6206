"""The command line: `spielleiter COMMAND …`. Each module here is one command, found by its name.

This is the only place where the parts are wired together.
"""

from __future__ import annotations

import pkgutil
import sys
from importlib import import_module

import click

from spielleiter.errors import SpielleiterError, UnknownName


class Commands(click.Group):
    """Finds commands by file name and imports only the one that runs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        modules = (module.name for module in pkgutil.iter_modules(__path__))
        return sorted(name.replace("_", "-") for name in modules if not name.startswith("_"))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        module = import_module(f"{__name__}.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in self.list_commands(ctx):
            raise UnknownName("command", args[0], self.list_commands(ctx))
        return super().resolve_command(ctx, args)


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="spielleiter")
def cli() -> None:
    """Computer players for board games: write them, test them, let them play."""


def main(arguments: list[str] | None = None) -> None:
    """Run one command; errors of ours become one sentence and status 2."""
    _speak_utf8()
    try:
        cli(arguments, prog_name="spielleiter")
    except SpielleiterError as error:
        click.echo(f"Error: {error}", err=True)
        sys.exit(2)


def _speak_utf8() -> None:
    """Boards are drawn with characters that old consoles replace rather than die of."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
