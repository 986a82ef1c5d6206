"""The ladder through HTTP: tables, versions, logs for those who may read them, replays, a feed."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from spielleiter.accounts.accounts import ArenaAccounts, open_accounts
from spielleiter.accounts.bots import Version
from spielleiter.ladder.accounts_roster import AccountsRoster
from spielleiter.ladder.ladder import Ladder, LadderSettings
from spielleiter.service.record_files import formats
from spielleiter.service.recorded_games import recorded_games
from spielleiter.tournament.player_output import headed, move_words_to_output, split_output
from spielleiter.web.arena import Arena
from spielleiter.web.authentication import Authentication
from spielleiter.web.recorder import GameRecorder
from tests.ladders import EDITION, entry_text, ladder_in
from tests.people import add_released
from tests.test_people import QUICK, Browser, House


@dataclass
class LadderHouse:
    """An arena with two teams that have played one game."""

    house: House
    ladder: Ladder
    ada: Browser
    grace: Browser
    versions: tuple[Version, Version]
    game: str


@contextmanager
def opened(folder: Path) -> Iterator[tuple[ArenaAccounts, Ladder, House]]:
    settings = LadderSettings((EDITION,), levels=())
    with (
        open_accounts(folder, hasher=QUICK) as accounts,
        ladder_in(folder / "ladder.db", AccountsRoster(accounts), settings) as ladder,
    ):
        recorder = GameRecorder()
        arena = Arena(
            recorder=recorder,
            service=None,  # type: ignore[arg-type]  # no game is played here
            rights=Authentication(folder),
            accounts=accounts,
            ladder=ladder,
        )
        arena.library.ladder, arena.library.formats = ladder.record_of, formats()
        yield accounts, ladder, House(accounts, arena)
        recorder.close()


@pytest.fixture
def site(tmp_path: Path) -> Iterator[LadderHouse]:
    with opened(tmp_path) as (accounts, ladder, house):
        browsers = [house.member(name) for name in ("Ada", "Grace")]
        teams = [
            each.post("/api/teams", {"name": name}).json()["id"]
            for each, name in zip(browsers, ("Kraken", "Nautilus"), strict=True)
        ]
        one, other = (
            add_released(accounts, team, f"bot of {team[:4]}", edition=EDITION) for team in teams
        )
        ladder.look_again()
        game = ladder.claim("first")
        assert game is not None
        said = f"--- {one.id}\\nAda's secret\\n--- {other.id}\\nGrace's secret\\n"
        ladder.finish(game, entry_text(game, (1, 2)).replace('"log": ""', f'"log": "{said}"'))
        ladder.rate_now()
        yield LadderHouse(house, ladder, browsers[0], browsers[1], (one, other), game.id)


def test_what_was_printed_is_parted_by_player() -> None:
    text = "traceback\n--- v1\nhello\n--- v3\nnot a player\n--- v2 (1)\nmy secret\n--- v1\nbye\n"
    assert split_output(text, ("v1", "v2")) == {
        "": "traceback\n",
        "v1": "hello\n--- v3\nnot a player\nbye\n",
        "v2": "my secret\n",
    }


def test_nobody_prints_in_the_name_of_another_or_reads_what_that_printed() -> None:
    forged = headed("v1", "no line break at the end") + headed("v2", "mine\n--- v1\nforged\n")
    assert split_output(forged, ("v1", "v2")) == {
        "v1": "no line break at the end\n",
        "v2": "mine\n --- v1\nforged\n",
    }


def test_what_bots_wrote_into_a_game_becomes_output_of_theirs() -> None:
    faults = [
        [0, "ILLEGAL", "NO_MOVE", "Ada was here\n--- v2\nforged", 4],
        [1, "LEFT", "CRASHED: GraceError", "", 4],
        [0, "LEFT", "CRASHED: ValueError", "", 4],
        [1, "ILLEGAL", "JUMP_OVER_OPPONENT", "b2-c3", 4],
        [1, "LEFT", "CRASHED: the process died", "", 4],
    ]
    data = {
        "players": ["v1", "v2"],
        "seats": [0, 1],
        "faults": faults,
        "hints": [[], ["I am Grace"]],
        "log": "worker",
    }
    move_words_to_output(data)
    kept = json.dumps({**data, "log": ""})
    assert "Ada" not in kept
    assert "Grace" not in kept
    assert [fault[2:4] for fault in faults] == [
        ["NO_MOVE", ""],
        ["CRASHED: an exception of its own", ""],
        ["CRASHED: ValueError", ""],
        ["JUMP_OVER_OPPONENT", "b2-c3"],
        ["CRASHED: the process died", ""],
    ]
    assert split_output(str(data["log"]), ("v1", "v2")) == {
        "": "worker\n",
        "v1": "this answer is no move: Ada was here\n --- v2\nforged\n",
        "v2": "it raised GraceError\nhint: I am Grace\n",
    }


def test_a_guest_sees_the_table_with_names_and_intervals(site: LadderHouse) -> None:
    guest = site.house.browser()
    (summary,) = guest.get("/api/ladder")
    assert (summary["versions"], summary["games"]) == (2, 1)
    table = guest.get(f"/api/ladder/{EDITION}")
    first, second = table["rows"]
    assert first["place"] == 1
    assert first["elo"] > second["elo"]
    assert first["margin"] > 100
    assert {each["entrant"]["team_name"] for each in table["rows"]} == {"Kraken", "Nautilus"}
    assert guest.get(f"/api/ladder/{EDITION}?start=1")["rows"] == [second]


def test_a_version_has_a_page_with_its_opponents_and_games(site: LadderHouse) -> None:
    one, other = site.versions
    page = site.house.browser().get(f"/api/ladder/versions/{one.id}")
    assert page["row"]["games"] == 1
    assert [each["entrant"]["id"] for each in page["opponents"]] == [other.id]
    assert [each["id"] for each in page["games"]["games"]] == [site.game]
    assert page["games"]["before"] is None
    missing = site.house.browser().ask("GET", "/api/ladder/versions/nobody")
    assert (missing.status_code, missing.json()["detail"]["code"]) == (404, "no-such-version")


def test_games_of_a_version_are_filtered(site: LadderHouse) -> None:
    one, other = site.versions
    guest = site.house.browser()

    def found(version: Version, query: str) -> list[str]:
        page = guest.get(f"/api/ladder/versions/{version.id}?{query}")
        return [each["id"] for each in page["games"]["games"]]

    seats = guest.get(f"/api/ladder/games/{site.game}")["game"]["seats"]
    first = seats[0]["entrant"]["id"] == one.id
    winner, loser = (one, other) if first else (other, one)
    assert found(winner, "result=won") == [site.game]
    assert found(winner, "result=lost") == []
    assert found(loser, "result=lost&seat=2") == [site.game]
    assert found(loser, "seat=1") == []
    assert found(loser, f"opponent={winner.id}") == [site.game]
    assert found(loser, "opponent=nobody") == []
    assert found(loser, "fault=") == []
    game = guest.get(f"/api/ladder/games/{site.game}")["game"]
    assert found(loser, f"opening={game['opening']}") == [site.game]
    assert found(loser, "opening=0815") == []
    assert guest.ask("GET", f"/api/ladder/versions/{one.id}?result=lucky").status_code == 422
    assert guest.ask("GET", f"/api/ladder/versions/{one.id}?seat=0").status_code == 422


def test_the_listed_games_of_a_version_are_downloaded_as_one_archive(
    site: LadderHouse, tmp_path: Path
) -> None:
    guest, version = site.house.browser(), f"/api/ladder/versions/{site.versions[0].id}"
    answer = guest.ask("GET", f"{version}/games.zip")
    assert answer.headers["content-type"] == "application/zip"
    (name,) = (files := zipfile.ZipFile(io.BytesIO(answer.content))).namelist()
    (tmp_path / name).write_bytes(files.read(name))
    (read,) = recorded_games(str(tmp_path / name))
    assert list(read.record.names) == guest.get(f"/api/replays/ladder/{site.game}")["names"]
    none = guest.ask("GET", f"{version}/games.zip?opening=0815")
    assert zipfile.ZipFile(io.BytesIO(none.content)).namelist() == []
    for query, status in (("?count=101", 422), ("?seat=0", 422)):
        assert guest.ask("GET", f"{version}/games.zip{query}").status_code == status
    assert guest.ask("GET", "/api/ladder/versions/nobody/games.zip").status_code == 404


def test_reasons_are_told_in_the_language_of_the_reader(site: LadderHouse) -> None:
    guest = site.house.browser()
    version = f"/api/ladder/versions/{site.versions[0].id}"
    pages = [guest.get(f"{version}?lang={lang}") for lang in ("en", "de")]
    ids = [[each["id"] for each in page["reasons"]] for page in pages]
    assert ids[0] == ids[1] != []
    (english,), (german,) = ([each["reason"] for each in page["games"]["games"]] for page in pages)
    texts = [{each["id"]: each["text"] for each in page["reasons"]} for page in pages]
    assert (texts[0][english], texts[1][english]) == (english, german)
    query = f"{version}?reason={english}"
    assert guest.get(query)["games"]["games"]
    assert guest.get(f"/api/ladder/{EDITION}/games?reason={english}")["games"]
    assert guest.get(f"/api/ladder/{EDITION}/games?fault=")["games"] == []


def printed(browser: Browser, game: str) -> str:
    view: Any = browser.get(f"/api/ladder/games/{game}")
    return "".join(each["text"] for each in view["printed"])


def test_what_a_bot_printed_is_for_its_team_and_the_organisers(site: LadderHouse) -> None:
    assert printed(site.house.browser(), site.game) == ""
    assert printed(site.ada, site.game) == "Ada's secret\n"
    assert printed(site.grace, site.game) == "Grace's secret\n"
    assert printed(site.house.organiser(), site.game) == "Ada's secret\nGrace's secret\n"
    one = f"/api/ladder/versions/{site.versions[0].id}"
    assert [each.get(one)["sees_logs"] for each in (site.ada, site.grace)] == [True, False]


def test_a_game_opens_as_a_replay_with_the_names_of_today(site: LadderHouse) -> None:
    replay = site.house.browser().get(f"/api/replays/ladder/{site.game}")
    assert any("Kraken" in name for name in replay["names"])
    assert replay["log"] == ""
    site.ada.post(f"/api/teams/{site.versions[0].team}/name", {"name": "Octopus"})
    again = site.ladder.record_of(site.game)
    assert again is not None
    assert any("Octopus" in name for name in again.names)


def test_the_feed_lists_games_with_their_replays(site: LadderHouse) -> None:
    answer = site.house.browser().ask("GET", f"/api/ladder/{EDITION}/feed.atom")
    feed = ElementTree.fromstring(answer.content)
    links = [each.get("href") or "" for each in feed.iter("{http://www.w3.org/2005/Atom}link")]
    assert [link.endswith(f"/games/ladder/{site.game}") for link in links] == [True]


def test_an_erased_bot_leaves_a_game_without_its_name(site: LadderHouse) -> None:
    one, other = site.versions
    assert site.ada.ask("DELETE", f"/api/bots/{one.bot}").status_code == 204
    view = site.house.browser().get(f"/api/ladder/games/{site.game}")
    names = {each["entrant"]["id"]: each["entrant"]["name"] for each in view["game"]["seats"]}
    assert names[one.id] == ""
    assert names[other.id]
