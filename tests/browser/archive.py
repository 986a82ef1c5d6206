"""An arena in which everything has happened: contests, a replay, teams, a ladder, a season."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spielleiter.accounts.accounts import ArenaAccounts
from spielleiter.ladder.accounts_roster import AccountsRoster
from spielleiter.ladder.friendlies import FriendlySeat
from spielleiter.ladder.ladder import Ladder, LadderSettings
from spielleiter.ladder.roster import mark
from spielleiter.store import open_store
from spielleiter.web.arena import COOKIE
from tests import seasons, talks
from tests.browser import arenas
from tests.contests import QUICK
from tests.ladders import EDITION, entry_text, ladder_in
from tests.people import accounts_in, add_released, add_version
from tests.test_season import BOT, Site

REPLAY = next(iter(talks.replays()), b"")


@dataclass(frozen=True)
class Archive:
    """An arena that shows all that; the organiser is known to it."""

    address: str
    contests: Path
    """The folder of contests."""
    replay: str
    """The path of the replay's page."""
    organiser: Any
    """What the organiser's browser remembers."""
    ada: Any
    """What the browser of an organiser remembers who has a team too."""
    names: dict[str, str]
    """What stands in addresses of its pages."""


@contextmanager
def archive_in(folder: Path, browser: Any) -> Iterator[Archive]:
    """Play all of it, then open the arena."""
    season = seasons.season(folder / "contests")
    seasons.play(season)
    with accounts_in(folder) as accounts:
        names = _people(folder, accounts)
    with closing(open_store(season.with_suffix(".db"))) as store:
        names["number"] = str(next(found for found, _ in store.news(0, "game")))
    store_name = str(season.with_suffix(".db"))
    with arenas.arena(folder, "--no-demo", "--store", store_name, copied=True) as running:
        context = browser.new_context(base_url=running.address)
        said = context.request.post("/api/first-password", data={"password": arenas.PASSWORD})
        key = {"x-csrf-token": said.json()["csrf"]}
        kept = context.request.post("/api/replays", data=REPLAY, headers=key).json()
        stores = context.request.get("/api/stores").json()
        names |= {"file": kept["id"], "store": stores[0]["id"], "game": _game(context, key)}
        organiser = context.storage_state()
        context.add_cookies([{"name": COOKIE, "value": names["session"], "url": running.address}])
        ada = context.storage_state()
        context.close()
        path = f"/games/file/{kept['id']}"
        yield Archive(running.address, season.parent, path, organiser, ada, names)


def _game(context: Any, key: dict[str, str]) -> str:
    """The id of a game of the arena that waits for programs."""
    order = {"edition": QUICK, "seats": [{"kind": "external"}] * 2}
    made = context.request.post("/api/games", data=order, headers=key)
    return str(made.json()["id"])


def _people(folder: Path, accounts: ArenaAccounts) -> dict[str, str]:
    """Ada's bot is in a season, too; what is secret, and what has an id."""
    names = with_ladder(folder, accounts)
    names |= {"invitation": accounts.teams.invite(names["team"])}
    names |= {"reset": accounts.logins.make_reset(names["ada"])}
    return names | _season(folder, accounts, names["team"])


def with_ladder(folder: Path, accounts: ArenaAccounts) -> dict[str, str]:
    """Ada has a team, whose bot has played in the ladder."""
    ada = accounts.members.register("Ada", arenas.PASSWORD, "organiser")
    team = accounts.teams.make("Rays", ada.id)
    names = {"ada": ada.id, "team": team.id, "edition": EDITION}
    names |= {"session": accounts.logins.open_session(ada.id)}
    return names | _ladder(folder, accounts, team.id)


def _ladder(folder: Path, accounts: ArenaAccounts, team: str) -> dict[str, str]:
    """A few games and a friendly; then the bot rests, so that nothing is played while we look."""
    version = add_released(accounts, team, "Manta", edition=EDITION)
    settings = LadderSettings((EDITION,), levels=(3, 5, 7))
    with ladder_in(folder / "ladder.db", AccountsRoster(accounts), settings) as ladder:
        seats = [FriendlySeat(version.id, team), FriendlySeat(mark(5))]
        friendly = ladder.friendlies.challenge(EDITION, seats, 2)
        games = [_played(ladder, number) for number in range(6)]
        ladder.rate_now()
    accounts.bots.park(version.id, "it crashed")
    refused = add_version(accounts, team, "Manta", edition=EDITION, content=b"raise SystemExit")
    accounts.bots.reject(refused.id, "it ends before its first move")
    names = {"version": version.id, "bot": version.bot}
    return names | {"ladder_game": games[-1], "friendly": friendly.id}


def _played(ladder: Ladder, number: int) -> str:
    """The id of a game that was played; in every other one a program crashed."""
    game = ladder.claim(f"request {number}")
    assert game is not None
    ladder.finish(game, entry_text(game, (1, 2), ("it crashed",) if number % 2 else ()))
    return game.id


def _season(folder: Path, accounts: ArenaAccounts, team: str) -> dict[str, str]:
    """A match day is played, the next one is not."""
    site = Site(folder, accounts, quick=True)
    season, _ = site.opened(3)
    own = add_released(accounts, team, "Eagle", edition=QUICK, content=BOT.encode())
    site.seasons.enter(season.id, team, own.id)
    site.seasons.start(season.id)
    site.work(season.id)
    site.played(season.id)
    for each in accounts.bots.released_versions(QUICK):
        accounts.bots.park(each.id, "it rests")
    return {"season": season.id}
