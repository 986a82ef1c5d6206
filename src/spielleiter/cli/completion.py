"""`spielleiter completion SHELL`: let the shell complete commands, games and players."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

FILE = "~/.spielleiter-complete"
HOW = {
    "bash": f"spielleiter completion bash > {FILE}; echo '. {FILE}' >> ~/.bashrc",
    "zsh": f"spielleiter completion zsh > {FILE}; echo '. {FILE}' >> ~/.zshrc",
    "fish": "spielleiter completion fish > ~/.config/fish/completions/spielleiter.fish",
}


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("shell", type=click.Choice(tuple(HOW)))
def command(shell: str) -> None:
    """Print the completion script of SHELL.

    Its last line says how to install it.
    """
    from spielleiter.cli import cli

    completion = get_completion_class(shell)
    assert completion is not None, "click knows these shells"
    script = completion(cli, {}, "spielleiter", "_SPIELLEITER_COMPLETE").source()
    click.echo(f"{script}\n# To install: {HOW[shell]}")
