"""`spielleiter login URL`: log in to an arena, for `upload` and other commands."""

from __future__ import annotations

import platform

import click

from spielleiter.client.arena_client import ArenaClient, SavedLogins, root_of
from spielleiter.errors import UsageError


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("url", metavar="URL")
@click.option("--name", metavar="NAME", help="Your name there; asked for if missing.")
@click.option("--token", metavar="TOKEN", help="A token from your account's page, instead.")
@click.option("--forget", is_flag=True, help="Forget the login here. Revoke it on the page, too.")
def command(url: str, name: str | None, token: str | None, forget: bool) -> None:
    """Log in to the arena at URL.

    A token is kept in your configuration folder, for you only; the password is not kept. The token
    can read, upload and agree on games, nothing else, and lasts 90 days. Your account's page lists
    and revokes it.
    """
    root, saved = root_of(url), SavedLogins()
    if forget:
        click.echo("forgotten" if saved.forget(root) else f"there is no login of {root}")
        return
    if token is None:
        token = _made(root, name or click.prompt("Name"))
    me = ArenaClient(root, token).ask("GET", "/api/me")
    if me["member"] is None:
        raise UsageError("this token is not valid")
    saved.save(root, token)
    teams = ", ".join(team["name"] for team in me["teams"]) or "no team yet"
    click.echo(f"logged in to {root} as {me['member']['name']} ({teams})")


def _made(root: str, name: str) -> str:
    password = click.prompt("Password", hide_input=True)
    label = f"command line of {platform.node() or 'a computer'}"[:60]
    return ArenaClient(root).log_in(name, password, label)
