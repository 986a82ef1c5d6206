"""Whoever erases an account is gone, as an arena is wired: ladder, seasons, notices, files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from spielleiter.accounts.bots import Version
from spielleiter.ladder.arena_ladder import open_ladder
from spielleiter.ladder.game_queue import QueuedGame
from spielleiter.ladder.ladder import Ladder
from spielleiter.programs.contest_store import opened_if_begun
from spielleiter.season import season_player
from spielleiter.season.season_player import open_seasons
from spielleiter.season.seasons import Seasons
from spielleiter.store import open_store
from spielleiter.tournament.pairing import Opening, Pairing
from spielleiter.web.contest_reader import Contests
from spielleiter.web.library import ReplayLibrary
from spielleiter.web.running_stages import ContestStages
from spielleiter.web.seasons import contest_name, season_contests
from tests.contests import QUICK
from tests.ladders import entry_text
from tests.people import add_released
from tests.test_ladder_games import until
from tests.test_ladder_web import printed
from tests.test_people import PASSWORD, Browser, House, house_in
from tests.test_season import BOT, TOML, TRUSTED, QuickPlayer, verified

NAMES = ("Kraken of the deep", "Nautilus")


@dataclass
class Site:
    """An arena with a ladder and seasons, and two teams that play in both."""

    house: House
    ladder: Ladder
    seasons: Seasons
    ada: Browser
    grace: Browser
    olga: Browser
    versions: tuple[Version, Version]

    def due(self) -> QueuedGame:
        """A game of the two that is about to be played."""
        players = tuple(each.id for each in self.versions)
        game = QueuedGame(Pairing("between two", players, Opening(1)), QUICK, "friendly")
        self.ladder.order([game])
        return game

    def ladder_game(self) -> str:
        """A game of the ladder in which both printed something."""
        game = self.due()
        said = "".join(f"--- {each.id}\\nladder secret of {each.team}\\n" for each in self.versions)
        self.ladder.finish(game, entry_text(game, (1, 2)).replace('"log": ""', f'"log": "{said}"'))
        return game.id

    def season(self) -> str:
        """A season of which a match day was played."""
        season = self.seasons.imported(TOML).id
        self.seasons.open(season)
        for each in self.versions:
            self.seasons.enter(season, each.team, each.id)
        self.seasons.start(season)
        until(lambda: self.seasons.find(season).state == "running")
        self.seasons.release(season)
        until(lambda: self.days(season)[0]["over"])
        return season

    def days(self, season: str) -> Any:
        return self.olga.get(f"/api/seasons/{season}")["days"]

    def season_log(self, season: str) -> dict[str, str]:
        latest = self.olga.get(f"/api/contests/{contest_name(season)}")["latest"]
        number = latest.rpartition("~")[2]
        found: dict[str, str] = self.olga.get(f"/api/seasons/{season}/games/{number}/log")
        return found

    def notices(self, lang: str = "en") -> str:
        """What the other team was told."""
        team = self.grace.get(f"/api/teams/{self.versions[1].team}?lang={lang}")
        return "\n".join(each["text"] for each in team["inside"]["notices"])


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setattr(season_player, "SeasonPlayer", QuickPlayer)
    monkeypatch.setattr(season_player, "_setting", lambda trusted: TRUSTED.setting)
    with (
        house_in(tmp_path) as plain,
        open_ladder(tmp_path, plain.accounts, 0) as ladder,
        open_seasons(tmp_path, plain.accounts, 1) as seasons,
        closing(Contests(opened_if_begun)) as contests,
    ):
        contests.named = lambda: season_contests(seasons)
        arena = replace(
            plain.arena,
            ladder=ladder,
            seasons=seasons,
            contests=contests,
            library=ReplayLibrary(plain.arena.recorder, contests),
            stages=ContestStages(contests),
        )
        house = House(plain.accounts, arena)
        ada, grace = house.member("Ada Lovelace"), house.member("Grace")
        teams = [
            each.post("/api/teams", {"name": name}).json()["id"]
            for each, name in zip((ada, grace), NAMES, strict=True)
        ]
        one, other = (
            add_released(
                plain.accounts,
                team,
                f"Bot of {name}",
                edition=QUICK,
                content=BOT.replace("{number}", str(len(name))).encode(),
            )
            for team, name in zip(teams, NAMES, strict=True)
        )
        yield Site(house, ladder, seasons, ada, grace, house.organiser(), (one, other))


def test_an_erased_account_leaves_ids_and_valid_records(site: Site, tmp_path: Path) -> None:
    game, season = site.ladder_game(), site.season()
    one, other = site.versions
    order = {"edition": QUICK, "opponents": [{"team": other.team}], "games": 2}
    assert site.ada.post(f"/api/teams/{one.team}/friendlies", order).status_code == 201
    assert "Kraken of the deep challenges you" in site.notices()
    assert set(site.season_log(season)) == {"", one.team, other.team}
    before = printed(site.olga, game)
    assert before.count("ladder secret") == 2
    assert site.ada.post("/api/me/erase", {"password": PASSWORD}).status_code == 204
    assert printed(site.olga, game) == f"ladder secret of {other.team}\n"
    assert site.season_log(season) == {other.team: f"I am {other.team}\n"}
    assert "(erased) challenges you" in site.notices()
    assert "(gelöscht) fordert euch" in site.notices("de")
    assert verified(site.seasons.folders.path(season, "contest.toml")) == []
    with closing(open_store(tmp_path / "ladder.db")) as record:
        assert list(record.check()) == []
    secrets = ("Kraken", "Lovelace", f"I am {one.team}", f"secret of {one.team}")
    assert sorted(_holding(tmp_path, *secrets)) == []
    assert list(_holding(tmp_path, "Nautilus"))


def test_an_erased_bot_prints_no_more_in_games_that_end_later(site: Site) -> None:
    one, other = site.versions
    game = site.due()
    assert site.ada.ask("DELETE", f"/api/bots/{one.bot}").status_code == 204
    said = f"--- {one.id}\\nsecret\\n--- {other.id}\\nhello\\n"
    site.ladder.finish(game, entry_text(game, (1, 2)).replace('"log": ""', f'"log": "{said}"'))
    assert site.ladder.results.output(game.id) == f"--- {other.id}\nhello\n"


def _holding(folder: Path, *words: str) -> Iterator[str]:
    """Files of a folder in which a word is found."""
    for path in folder.rglob("*"):
        if path.is_file() and any(word.encode() in path.read_bytes() for word in words):
            yield str(path.relative_to(folder))
