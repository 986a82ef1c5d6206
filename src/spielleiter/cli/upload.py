"""`spielleiter upload BOT`: a new version of a bot, from the command line or from CI."""

from __future__ import annotations

import json
import os
import tempfile
import time
from pathlib import Path
from typing import Any

import click

from spielleiter.cli._options import GameName
from spielleiter.client.arena_client import ArenaClient, SavedLogins, bot_of, checked, team_of
from spielleiter.handin import package, project
from spielleiter.handin.target import named

_EVERY = 1.0
_COLOURS = {"fine": "green", "note": "yellow", "problem": "red"}
_KINDS = {"fine": "ok", "note": "note", "problem": "PROBLEM"}


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("bot", type=click.Path(exists=True, path_type=Path), metavar="BOT")
@click.option("--name", metavar="NAME", help="The bot's name.  [default: of the project or file]")
@click.option("--team", metavar="NAME", help="Your team, if you are in several.")
@click.option("--game", type=GameName(), help="The game of a new bot; a project names it itself.")
@click.option(
    "--wheels",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Pack a project with packages from the wheels in this folder, as `pack` does.",
)
@click.option("--url", metavar="URL", help="The arena.  [default: the last login]")
@click.option("--wait/--no-wait", default=True, help="Wait for the check, and show what it found.")
@click.option("--json", "as_json", is_flag=True, help="The version as JSON.")
def command(
    bot: Path,
    name: str | None,
    team: str | None,
    game: str | None,
    wheels: Path | None,
    url: str | None,
    wait: bool,
    as_json: bool,
) -> None:
    """Upload BOT to an arena.

    BOT is a project's folder, a ZIP, a .py, a .jar or a program. The arena and the token come
    from `spielleiter login`, or from SPIELLEITER_URL and SPIELLEITER_TOKEN. A folder is packed
    first. The arena checks the upload before it plays. Exit status 0 if it was released, 1 if
    it was rejected.
    """
    arena = ArenaClient(*SavedLogins().find(url, dict(os.environ)))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as room:
        file, own, edition = _packed(bot, wheels, Path(room))
        chosen = bot_of(arena, team_of(arena, team), name or own, game or edition)
        version = arena.upload(chosen, file)
    if wait:
        if not as_json:
            click.echo(f"version {version['number']} is being checked …", err=True)
        version = checked(arena, version["id"], lambda: time.sleep(_EVERY))
    click.echo(json.dumps(version, indent=2, ensure_ascii=False) if as_json else _said(version))
    raise SystemExit(1 if version["state"] == "rejected" else 0)


def _packed(bot: Path, wheels: Path | None, room: Path) -> tuple[Path, str, str | None]:
    """The file to send, the bot's own name, and the edition it says it plays."""
    if not bot.is_dir():
        edition = project.game_of_zip(bot) if bot.suffix == ".zip" else None
        return bot, bot.stem, edition
    own = project.read(bot)
    packed = package.pack(own, room / f"{own.name}.zip", wheels, target=named("arena"))
    return packed.file, own.name, own.game


def _said(version: Any) -> str:
    lines = [_finding(each) for each in version.get("findings", ())]
    return "\n".join([*lines, f"version {version['number']} is {version['state']}"])


def _finding(finding: Any) -> str:
    kind = click.style(f"{_KINDS[finding['severity']]:8}", fg=_COLOURS[finding["severity"]])
    advice = f"\n{'':8}→ {finding['advice']}" if finding["advice"] else ""
    return f"{kind}{finding['about']}: {finding['text']}{advice}"
