"""`spielleiter completion SHELL`: let the shell complete commands, games and players."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

HOW = {
    "bash": "spielleiter completion bash > ~/.spielleiter.bash; echo '. ~/.spielleiter.bash' >> ~/.bashrc",
    "zsh": "spielleiter completion zsh > ~/.spielleiter.zsh; echo '. ~/.spielleiter.zsh' >> ~/.zshrc",
    "fish": "spielleiter completion fish > ~/.config/fish/completions/spielleiter.fish",
}


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("shell", type=click.Choice(tuple(HOW)))
def command(shell: str) -> None:
    """Print the completion script of SHELL; how to install it stands in its last line."""
    from spielleiter.cli import cli

    completion = get_completion_class(shell)
    assert completion is not None, "click knows these shells"
    script = completion(cli, {}, "spielleiter", "_SPIELLEITER_COMPLETE").source()
    click.echo(f"{script}\n# To install: {HOW[shell]}")
