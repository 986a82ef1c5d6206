"""`spielleiter challenge`: friendlies with other teams and built-in levels."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from typing import Any

import click

from spielleiter.cli._options import GameName
from spielleiter.cli.ladder import name_of
from spielleiter.client.arena_client import ArenaClient, SavedLogins, team_of
from spielleiter.errors import UsageError

_LEVEL = re.compile(r"level[ =-]?(\d+)", re.IGNORECASE)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("opponents", nargs=-1, metavar="[OPPONENT]…")
@click.option("--game", type=GameName(), help="What is played.")
@click.option("--games", "count", type=click.IntRange(1, 100), default=2, show_default=True)
@click.option("--map", "map_name", metavar="NAME", help="The map, of games that have some.")
@click.option("--version", metavar="ID", help="Your version.  [default: the one that plays]")
@click.option("--accept", metavar="ID", help="Accept a challenge.")
@click.option("--decline", metavar="ID", help="Decline a challenge.")
@click.option("--end", metavar="ID", help="Withdraw a challenge, or end a friendly.")
@click.option("--team", metavar="NAME", help="Your team, if you are in several.")
@click.option("--url", metavar="URL", help="The arena.  [default: the last login]")
@click.option("--json", "as_json", is_flag=True, help="What the arena answers, as JSON.")
def command(
    opponents: Sequence[str],
    game: str | None,
    count: int,
    map_name: str | None,
    version: str | None,
    accept: str | None,
    decline: str | None,
    end: str | None,
    team: str | None,
    url: str | None,
    as_json: bool,
) -> None:
    """Challenge OPPONENTs to a friendly, or answer a challenge.

    An OPPONENT is the name of a team, or `level 5`. Without OPPONENTs, list your friendlies.
    Their games are played by the ladder's workers when all teams have accepted, and change no
    rating. The token needs the scopes read and play.
    """
    arena = ArenaClient(*SavedLogins().find(url, dict(os.environ)))
    own = f"/api/teams/{team_of(arena, team)}/friendlies"
    chosen = {"version": version or ""}
    if accept is not None:
        found = [arena.ask("POST", f"{own}/{accept}/accept", chosen)]
    elif decline is not None:
        found = [arena.ask("POST", f"{own}/{decline}/decline")]
    elif end is not None:
        found = [arena.ask("POST", f"{own}/{end}/end")]
    elif opponents:
        order = _order(arena, opponents, game, count, map_name)
        found = [arena.ask("POST", own, {**order, **chosen})]
    else:
        found = arena.ask("GET", own)["friendlies"]
    shown = json.dumps(found, indent=2, ensure_ascii=False) if as_json else _said(found)
    click.echo(shown)


def _order(
    arena: ArenaClient, opponents: Sequence[str], game: str | None, count: int, chart: str | None
) -> dict[str, Any]:
    if game is None:
        raise UsageError("which game? Choose it with --game")
    options = {} if chart is None else {"map": chart}
    asked = [_opponent(arena, each) for each in opponents]
    return {"edition": game, "games": count, "options": options, "opponents": asked}


def _opponent(arena: ArenaClient, text: str) -> dict[str, Any]:
    if (level := _LEVEL.fullmatch(text)) is not None:
        return {"level": int(level[1])}
    teams = arena.ask("GET", "/api/teams")["teams"]
    for each in teams:
        if each["name"].casefold() == text.casefold():
            return {"team": each["id"]}
    raise UsageError(f"there is no team {text!r}")


def _said(friendlies: Sequence[Any]) -> str:
    return "\n".join(map(_line, friendlies)) or "no friendlies yet"


def _line(friendly: Any) -> str:
    seats = " – ".join(map(_seat, friendly["seats"]))
    played = f"{friendly['played']}/{friendly['games']}"
    return f"{friendly['id']}  {friendly['state']:9} {played:>7}  {friendly['edition']}  {seats}"


def _seat(seat: Any) -> str:
    name = f"{seat['team_name']}?" if seat["entrant"] is None else name_of(seat["entrant"])
    return f"{name} {seat['won']}+{seat['drawn']}={seat['lost']}-"
