"""`spielleiter ladder`: tables, own versions and last games of an arena's ladders."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import click

from spielleiter.cli._options import GameName
from spielleiter.client.arena_client import ArenaClient, SavedLogins, team_of


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("game", type=GameName(), required=False, metavar="[GAME]")
@click.option("--mine", is_flag=True, help="Your team's versions that play, with their places.")
@click.option("--games", "last", is_flag=True, help="The last games, of your team with --mine.")
@click.option("--team", metavar="NAME", help="Your team, if you are in several.")
@click.option("--count", type=click.IntRange(1, 200), default=20, show_default=True)
@click.option("--url", metavar="URL", help="The arena.  [default: the last login]")
@click.option("--json", "as_json", is_flag=True, help="What the arena answers, as JSON.")
def command(
    game: str | None,
    mine: bool,
    last: bool,
    team: str | None,
    count: int,
    url: str | None,
    as_json: bool,
) -> None:
    """Show the ladder of GAME; without GAME, all ladders.

    The arena and the token come from `spielleiter login`, or from SPIELLEITER_URL and
    SPIELLEITER_TOKEN.
    """
    arena = ArenaClient(*SavedLogins().find(url, dict(os.environ)))
    if mine:
        found = _own(arena, team, game)
        shown = _games_of(found, count) if last else _versions(found)
    elif game is None:
        found = arena.ask("GET", "/api/ladder")
        shown = [f"{each['edition']:24}{each['versions']:6}{each['games']:10}" for each in found]
    elif last:
        found = arena.ask("GET", f"/api/ladder/{game}/games?count={count}")
        shown = list(map(_game, found["games"]))
    else:
        found = arena.ask("GET", f"/api/ladder/{game}?count={count}")
        shown = list(map(_row, found["rows"]))
    click.echo(json.dumps(found, indent=2, ensure_ascii=False) if as_json else "\n".join(shown))


def _own(arena: ArenaClient, team: str | None, game: str | None) -> list[Any]:
    """The pages of the own versions that play."""
    found = arena.ask("GET", f"/api/teams/{team_of(arena, team)}")["bots"]
    bots = [each for each in found if game in (None, each["edition"]) and each["version"]]
    views = [arena.ask("GET", f"/api/bots/{each['id']}") for each in bots]
    active = [version["id"] for view in views for version in view["versions"] if version["active"]]
    return [arena.ask("GET", f"/api/ladder/versions/{version}") for version in active]


def _versions(pages: Sequence[Any]) -> list[str]:
    return [f"{page['edition']:24}{_row(page['row'])}" for page in pages]


def _games_of(pages: Sequence[Any], count: int) -> list[str]:
    found = {game["id"]: game for page in pages for game in page["games"]["games"]}
    newest = sorted(found.values(), key=lambda game: -game["number"])
    return list(map(_game, newest[:count]))


def _row(row: Any) -> str:
    elo = "   –" if row["elo"] is None else f"{row['elo']:.0f} ± {row['margin']:.0f}"
    place = f"{row['place']}." if row["place"] else "–"
    return f"{place:>6}  {elo:14}{row['games']:6}  {name_of(row['entrant'])}"


def _game(game: Any) -> str:
    at = datetime.fromtimestamp(game["at"]).strftime("%Y-%m-%d %H:%M")
    players = " – ".join(name_of(seat["entrant"]) for seat in game["seats"])
    scores = " : ".join(str(seat["score"]) for seat in game["seats"])
    return f"{at}  {scores:>9}  {players}  {game['id']}"


def name_of(entrant: Any) -> str:
    """A version with its team, or a level."""
    if entrant["level"] is not None:
        return f"level {entrant['level']}"
    return f"{entrant['name'] or '?'} ({entrant['team_name']})"
