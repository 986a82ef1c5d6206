"""The command line: `spielleiter COMMAND …`. Each module here is one command, found by its name.

A game may bring commands of its own: modules in the `commands/` folder of its folder, found the
same way. `name_of_it.py` offers `command`, and is run as `spielleiter name-of-it`; names that begin
with an underscore are no commands. Only commands wire the parts of the program together.
"""

from __future__ import annotations

import ast
import functools
import pkgutil
import sys
from importlib import import_module
from importlib.abc import InspectLoader
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from spielleiter import games as all_games  # `games` here is the command of that name
from spielleiter.errors import SpielleiterError, UnknownName

_HELP = {"-help": "--help"}
"""The course's way to ask for help, which click would read as -h, -e, -l and -p."""
_HINT = 45
"""Characters of help beside a command that the shell offers."""


@functools.cache
def _modules() -> dict[str, pkgutil.ModuleInfo]:
    """The name of every command → the module it lives in."""
    packages = {__name__: list(__path__)}
    for folder in pkgutil.iter_modules(all_games.__path__):
        places = [str(Path(place) / folder.name / "commands") for place in all_games.__path__]
        packages[f"{all_games.__name__}.{folder.name}.commands"] = places
    return {
        found.name.replace("_", "-"): found._replace(name=f"{package}.{found.name}")
        for package, places in packages.items()
        for found in pkgutil.iter_modules(places)
        if not found.name.startswith("_")
    }


def _summary(name: str, width: int) -> str:
    """The first sentence of a command's help, read from its source: importing all takes seconds."""
    found = _modules()[name]
    spec = found.module_finder.find_spec(found.name.rpartition(".")[2], None)
    assert spec is not None, "pkgutil found it there"
    assert isinstance(spec.loader, InspectLoader), "its source can be had"
    source = spec.loader.get_source(spec.name)
    for node in ast.parse(source or "").body:
        if isinstance(node, ast.FunctionDef) and node.name == "command":
            return click.Command(name, help=ast.get_docstring(node)).get_short_help_str(width)
    return ""


class Commands(click.Group):
    """Finds commands by file name and imports only the one that runs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands, found by their modules."""
        return sorted(_modules())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of one command only, so that the program starts quickly."""
        found = _modules().get(cmd_name)
        if found is None:
            return None
        command: click.Command = import_module(found.name).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands in the help, without importing any of them."""
        names = self.list_commands(ctx)
        width = formatter.width - 6 - max(map(len, names))  # as click has it
        with formatter.section("Commands"):
            formatter.write_dl([(name, _summary(name, width)) for name in names])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The commands that begin like that, without importing any of them."""
        names = [name for name in self.list_commands(ctx) if name.startswith(incomplete)]
        items = [CompletionItem(name, help=_summary(name, _HINT)) for name in names]
        return items + click.Command.shell_complete(self, ctx, incomplete)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that was typed; a misspelt one is refused with the nearest known name."""
        if args and not args[0].startswith("-") and args[0] not in self.list_commands(ctx):
            raise UnknownName("command", args[0], self.list_commands(ctx))
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; click's own errors never repeat a database's password."""
        words = [*ctx._protected_args, *ctx.args]
        try:
            return super().invoke(ctx)
        except click.ClickException as error:
            vars(error).update(message=_without_passwords(error.message, words))
            raise


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="spielleiter")
def cli() -> None:
    """Computer players for board games: write them, test them, let them play."""
    if missing := all_games.notice():
        click.echo(f"Note: {missing}", err=True)


def main(arguments: list[str] | None = None) -> None:
    """Run one command; errors of ours become one sentence and status 2."""
    _speak_utf8()
    words = sys.argv[1:] if arguments is None else arguments
    try:
        cli([_HELP.get(word, word) for word in words], prog_name="spielleiter")
    except SpielleiterError as error:
        click.echo(f"Error: {_without_passwords(str(error), words)}", err=True)
        sys.exit(2)


def _without_passwords(text: str, words: list[str]) -> str:
    """Remove passwords of database URLs from a message."""
    from spielleiter.store.address import StoreAddress  # who makes no mistake does not wait for it

    for word in words:
        text = StoreAddress.of(word.rpartition("=")[2] if word[:1] == "-" else word).hide_in(text)
    return text


def _speak_utf8() -> None:
    """Print UTF-8; old consoles replace unknown characters instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
