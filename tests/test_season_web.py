"""Seasons through HTTP: who may do what, what pages are told, and names instead of ids."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from spielleiter.accounts.rights import RIGHTS, SCOPES, Action, Role
from spielleiter.programs.contest_store import opened_if_begun
from spielleiter.season.season import SeasonFolders
from spielleiter.season.season_player import FOLDER
from spielleiter.season.seasons import Seasons
from spielleiter.store import Entry
from spielleiter.web import seasons as seasons_routes
from spielleiter.web.authentication import RateLimit
from spielleiter.web.contest_reader import Contests
from spielleiter.web.library import ReplayLibrary
from spielleiter.web.running_stages import ContestStages
from spielleiter.web.seasons import season_contests
from tests.contests import QUICK
from tests.people import add_released
from tests.test_people import Browser, House, house_in
from tests.test_season import BOT, TOML, TRUSTED, QuickPlayer

FORM = {"name": "League", "game": QUICK, "format": "league", "games": 2}


@dataclass
class SeasonHouse:
    """An arena with two teams, an organiser, a member of no team, and a season they can enter."""

    house: House
    seasons: Seasons
    player: QuickPlayer
    browsers: dict[Role, Browser]
    teams: tuple[str, str]
    versions: tuple[str, str]
    season: str

    def entered(self) -> None:
        for team, version in zip(self.teams, self.versions, strict=True):
            self.seasons.enter(self.season, team, version)

    def started(self) -> None:
        self.entered()
        self.seasons.start(self.season)
        self.work()

    def work(self) -> None:
        while self.player.step(self.seasons.find(self.season)):
            pass

    def organiser(self) -> Browser:
        return self.browsers[Role.ORGANISER]

    def view(self, role: Role = Role.ORGANISER) -> Any:
        return self.browsers[role].get(f"/api/seasons/{self.season}")

    def status(self, role: Role, method: str, path: str, body: Any = None) -> int:
        address = f"/api/seasons/{self.season}{path}"
        return self.browsers[role].ask(method, address, json=body or {}).status_code


@pytest.fixture
def site(tmp_path: Path) -> Iterator[SeasonHouse]:
    with house_in(tmp_path) as plain:
        seasons = Seasons(SeasonFolders(tmp_path / FOLDER), plain.accounts)
        contests = Contests(opened_if_begun)
        contests.named = lambda: season_contests(seasons)
        library = ReplayLibrary(plain.arena.recorder, contests)
        arena = replace(
            plain.arena,
            seasons=seasons,
            contests=contests,
            library=library,
            stages=ContestStages(contests),
        )
        house = House(plain.accounts, arena)
        ada, grace = house.member("Ada"), house.member("Grace")
        teams = [
            each.post("/api/teams", {"name": name}).json()["id"]
            for each, name in ((ada, "Kraken"), (grace, "Nautilus"))
        ]
        versions = [
            add_released(
                plain.accounts,
                team,
                f"bot {number}",
                edition=QUICK,
                content=BOT.replace("{number}", str(number)).encode(),
            ).id
            for number, team in enumerate(teams)
        ]
        browsers = {
            Role.GUEST: house.browser(),
            Role.MEMBER: house.member("Marie"),
            Role.TEAMMATE: ada,
            Role.ORGANISER: house.organiser(),
        }
        season = seasons.imported(TOML)
        seasons.open(season.id)
        yield SeasonHouse(
            house,
            seasons,
            QuickPlayer(seasons, TRUSTED),
            browsers,
            (teams[0], teams[1]),
            (versions[0], versions[1]),
            season.id,
        )
        contests.close()


def refused(role: Role) -> int:
    return 401 if role is Role.GUEST else 403


@pytest.mark.parametrize("role", list(Role), ids=lambda role: role.name.lower())
def test_who_may_enter_a_team_and_withdraw_it(site: SeasonHouse, role: Role) -> None:
    team, version = site.teams[0], site.versions[0]
    wanted = 204 if role in RIGHTS[Action.ENTER_SEASON] else refused(role)
    path = f"/entries/{team}"
    assert site.status(role, "PUT", path, {"version": version}) == wanted
    if wanted != 204:
        site.entered()
    assert site.status(role, "POST", f"{path}/withdrawal", {"reason": "no time"}) == wanted


@pytest.mark.parametrize("role", list(Role), ids=lambda role: role.name.lower())
def test_who_may_run_a_season(site: SeasonHouse, role: Role) -> None:
    may = role in RIGHTS[Action.RUN_SEASON]
    done, made, found = (204, 201, 200) if may else (refused(role),) * 3
    site.entered()
    browser, form = site.browsers[role], {"form": FORM}
    for method, address, body, wanted in (
        ("POST", "/api/seasons", form, made),
        ("POST", "/api/seasons/import", {"toml": TOML}, made),
        ("GET", "/api/seasons/choices", None, found),
        ("GET", f"/api/seasons/{site.season}/contest.toml", None, found),
        ("PUT", f"/api/seasons/{site.season}", form, done),
    ):
        assert browser.ask(method, address, json=body).status_code == wanted, address
    for action in ("rehearse", "check"):
        assert site.status(role, "POST", "/actions", {"action": action}) == done
    assert site.status(role, "POST", "/actions", {"action": "start"}) == done
    if not may:
        site.seasons.start(site.season)
    site.work()
    for path, body in (
        ("/days", {}),
        ("/actions", {"action": "pause"}),
        ("/actions", {"action": "resume"}),
        ("/actions", {"action": "finish"}),
    ):
        assert site.status(role, "POST", path, body) == done, body
    other = site.seasons.imported(TOML).id
    assert browser.ask("DELETE", f"/api/seasons/{other}").status_code == done


@pytest.mark.parametrize("role", list(Role), ids=lambda role: role.name.lower())
def test_who_may_judge(site: SeasonHouse, role: Role) -> None:
    site.started()
    site.seasons.release(site.season)
    site.work()
    wanted = 204 if role in RIGHTS[Action.JUDGE] else refused(role)
    for action in ("annul", "replay", "decide"):
        body = {"action": action, "scope": "day 1", "winner": site.teams[0], "reason": "rain"}
        assert site.status(role, "POST", "/rulings", body) == wanted
    assert site.view(role)["may_judge"] == (wanted == 204)


def test_a_member_cannot_enter_another_team(site: SeasonHouse) -> None:
    path = f"/entries/{site.teams[1]}"
    assert site.status(Role.TEAMMATE, "PUT", path, {"version": site.versions[1]}) == 403


def test_a_draft_is_for_organisers(site: SeasonHouse) -> None:
    draft = site.seasons.imported(TOML.replace("School league", "Secret")).id
    for role, browser in site.browsers.items():
        names = [each["name"] for each in browser.get("/api/seasons")]
        assert ("Secret" in names) == (role is Role.ORGANISER)
        status = browser.ask("GET", f"/api/seasons/{draft}").status_code
        assert status == (200 if role is Role.ORGANISER else 404)


def test_a_season_that_does_not_exist_is_not_found(site: SeasonHouse) -> None:
    for name in ("nothing", "..%2Faccounts"):
        answer = site.organiser().ask("GET", f"/api/seasons/{name}")
        assert answer.status_code == 404


def test_a_form_is_edited_and_exported_as_a_contests_file(site: SeasonHouse) -> None:
    form = {**FORM, "format": "season", "games": 6, "settings": {"advance": 4}, "seconds": 1.5}
    answer = site.organiser().post("/api/seasons", {"form": form, "times": {"1": 5_000.0}})
    assert answer.status_code == 201, answer.text
    made = answer.json()["id"]
    shown = site.organiser().get(f"/api/seasons/{made}")
    assert shown["form"]["settings"] == {"advance": 4}
    assert shown["form"]["seconds"] == 1.5
    text = site.organiser().ask("GET", f"/api/seasons/{made}/contest.toml").text
    assert "advance = 4" in text
    assert site.organiser().post("/api/seasons/import", {"toml": text}).status_code == 201
    wrong = site.organiser().post("/api/seasons", {"form": {**FORM, "games": 3}})
    assert wrong.status_code == 422
    assert "even number" in wrong.json()["detail"]["message"]


HOSTILE = [
    ("games = 2", "games = 1000000000000"),
    ('"School league"', f'"{"x" * 81}"'),
    ('"School league"', "1979-05-27T07:32:00Z"),
    ('time = "2s"', 'time = "9999s"'),
    ("late_until = 4", "late_until = 9999"),
    ("late_until = 4", f"late_until = {'[' * 5_000}"),
    ("late_until = 4", "late_until = inf"),
    ("seed = 5", "seed = -1"),
    (TOML, "contest = 5"),
    (TOML, "[[contest]]\nname = 5"),
    (TOML, "set_up = [[1]]" + TOML),
]
"""What is replaced in a contest's file, and by what."""


def test_a_hostile_contests_file_is_refused_with_a_reason(site: SeasonHouse) -> None:
    """None of them leaves anything behind, so all are sent to the same site."""
    for old, new in HOSTILE:
        answer = site.organiser().post("/api/seasons/import", {"toml": TOML.replace(old, new)})
        assert answer.status_code == 422, (new, answer.text)
        assert answer.json()["detail"].keys() == {"code", "message"}, new
        assert len(site.organiser().get("/api/seasons")) == 1, new


def test_a_member_sees_what_its_team_can_enter_with(site: SeasonHouse) -> None:
    (mine,) = site.view(Role.TEAMMATE)["mine"]
    assert mine["name"] == "Kraken"
    assert [each["id"] for each in mine["choices"]] == [site.versions[0]]
    assert site.view(Role.GUEST)["mine"] == []


def test_pages_show_names_and_the_record_keeps_ids(site: SeasonHouse) -> None:
    site.started()
    site.seasons.release(site.season)
    site.work()
    site.seasons.annul(site.season, "day 1", "power cut")
    shown = site.view(Role.GUEST)
    contest = site.browsers[Role.GUEST].get(f"/api/contests/{shown['contest']}")
    assert {row["team"] for row in contest["phases"][0]["standings"]} == {"Kraken", "Nautilus"}
    hashes = [each["hash"] for each in shown["entries"]]
    assert sorted(each["player"] for each in contest["conduct"]) == sorted(hashes)
    assert contest["rulings"][0]["reason"] == "power cut"
    german = site.browsers[Role.GUEST].get(f"/api/contests/{shown['contest']}?lang=de")
    assert german["rulings"][0]["about"] == "Spieltag 1"
    meeting = contest["phases"][0]["days"][0]["meetings"][0]
    assert set(meeting["teams"]) == {"Kraken", "Nautilus"}
    assert site.teams[0] in meeting["key"]
    site.house.accounts.teams.rename(site.teams[0], "Octopus")
    again = site.browsers[Role.GUEST].get(f"/api/contests/{shown['contest']}")
    assert "Octopus" in {row["team"] for row in again["phases"][0]["standings"]}
    found = site.browsers[Role.GUEST].get(f"/api/replays/contest/{again['latest']}")
    assert set(found["names"]) == {"Octopus", "Nautilus"}


def test_the_contest_of_a_season_that_rests_does_not_look_as_if_it_was_played(
    site: SeasonHouse,
) -> None:
    site.started()
    address = f"/api/contests/{site.view(Role.GUEST)['contest']}"
    guest, seasons = site.browsers[Role.GUEST], site.seasons
    seen = [guest.get(address)]
    for change in (seasons.pause, seasons.resume, seasons.finish):
        change(site.season)
        seen.append(guest.get(address))
    assert [each["halted"] for each in seen] == [None, "paused", None, "ended"]
    assert not any(each["finished"] for each in seen)
    assert len({each["version"] for each in seen}) == len(seen), "pages ask again"
    (listed,) = guest.get("/api/contests")
    assert listed["halted"] == "ended"


def test_versions_are_shown_to_their_team_and_hashes_to_all(site: SeasonHouse) -> None:
    site.started()
    for role, seen in (
        (Role.GUEST, (False, False)),
        (Role.TEAMMATE, (True, False)),
        (Role.ORGANISER, (True, True)),
    ):
        entries = site.view(role)["entries"]
        assert tuple(each["version"] is not None for each in entries) == seen
        assert all(len(each["hash"]) == 12 for each in entries)


def test_what_is_drawn_by_lot_is_known_to_organisers_until_the_end(site: SeasonHouse) -> None:
    for role in Role:
        assert site.view(role)["form"]["seed"] == (5 if role is Role.ORGANISER else None)
    made = [site.organiser().post("/api/seasons", {"form": FORM}).json()["id"] for _ in range(2)]
    seeds = [site.organiser().get(f"/api/seasons/{each}")["form"]["seed"] for each in made]
    assert seeds[0] != seeds[1], "nobody guesses it"
    site.started()
    address = f"/api/contests/{site.view()['contest']}"
    assert site.house.browser().get(address)["phases"][0]["days"]
    key = site.house.browser().get(address)["phases"][0]["days"][0]["meetings"][0]["key"]
    games = site.house.browser().ask("GET", f"{address}/meeting", params={"key": key}).json()
    assert [each["seed"] for each in games["games"]] == ["", ""]
    site.seasons.release(site.season)
    site.work()
    games = site.house.browser().ask("GET", f"{address}/meeting", params={"key": key}).json()
    assert all(each["seed"] for each in games["games"])
    site.seasons.finish(site.season)
    assert site.view(Role.GUEST)["form"]["seed"] == 5


@pytest.mark.parametrize("role", [Role.TEAMMATE, Role.ORGANISER], ids=lambda role: role.name)
def test_a_token_reads_logs_only_if_its_scope_says_so(
    site: SeasonHouse, role: Role, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        seasons_routes, "split_output", lambda log, teams: dict.fromkeys(teams, "said")
    )
    site.started()
    site.seasons.release(site.season)
    site.work()
    member = site.browsers[Role.TEAMMATE]
    if role is Role.ORGANISER:
        own = member.get("/api/me")["member"]["id"]
        site.house.accounts.members.set_role(own, "organiser")
    latest = member.get(f"/api/contests/{site.view()['contest']}")["latest"]
    number, seen = latest.rpartition("~")[2], {}
    for scope in SCOPES:
        order = {"label": "test", "scopes": [scope], "days": 1}
        secret = member.post("/api/me/tokens", order).json()["secret"]
        program = site.house.browser()
        program.headers["authorization"] = f"Bearer {secret}"
        seen[scope] = program.get(f"/api/seasons/{site.season}/games/{number}/log")
    mine = {site.teams[0]} if role is Role.TEAMMATE else set(site.teams)
    wanted = {"read": mine, "upload": set(), "play": set()}
    assert {scope: set(each) for scope, each in seen.items()} == wanted


def test_a_team_that_enters_without_end_is_told_to_wait(site: SeasonHouse) -> None:
    object.__setattr__(site.house.arena, "team_actions", RateLimit(2, 3600.0))
    path, body = f"/entries/{site.teams[0]}", {"version": site.versions[0]}
    statuses = [site.status(Role.TEAMMATE, "PUT", path, body) for _ in range(3)]
    assert statuses == [204, 204, 429]


def test_match_days_say_how_far_they_are(site: SeasonHouse) -> None:
    assert site.view()["days"] == []
    site.started()
    (day,) = site.view()["days"]
    assert (day["games"], day["played"], day["released"], day["over"]) == (2, 0, False, False)
    assert site.status(Role.ORGANISER, "POST", "/days") == 204
    site.work()
    assert site.view()["is_over"]
    assert not site.view()["days"][0]["annulled"]
    site.seasons.annul(site.season, "day 1", "power cut")
    assert site.view()["days"][0]["annulled"]


def test_games_of_days_that_were_not_released_cannot_be_played_now(site: SeasonHouse) -> None:
    site.started()
    address = f"/api/contests/{site.view(Role.GUEST)['contest']}"
    guest = site.browsers[Role.GUEST]
    before = guest.get(address)
    assert (before["waiting"], before["finished"]) == (0, False)
    site.seasons.release(site.season)
    assert guest.get(address)["waiting"] == 2
    site.work()
    after = guest.get(address)
    assert (after["waiting"], after["played"], after["finished"]) == (0, 2, True)


def test_a_rehearsal_and_a_check_are_told_to_organisers_only(site: SeasonHouse) -> None:
    site.entered()
    assert site.status(Role.ORGANISER, "POST", "/actions", {"action": "rehearse"}) == 204
    site.work()
    shown = site.view()["rehearsal"]
    assert (shown["state"], shown["games"]) == ("done", 2)
    assert set(shown["table"]) == {"Kraken", "Nautilus"}
    assert site.view(Role.TEAMMATE)["rehearsal"] is None


@pytest.mark.parametrize("role", list(Role), ids=lambda role: role.name.lower())
def test_who_may_host_the_stage_of_a_season(site: SeasonHouse, role: Role) -> None:
    site.started()
    browser, stage = site.browsers[role], f"/api/contests/season-{site.season}/stage"
    is_organiser = role is Role.ORGANISER
    answer = browser.ask("POST", f"{stage}/host", json={"hosted": True})
    assert answer.status_code == (204 if is_organiser else 401), answer.text
    answer = browser.ask("POST", f"{stage}/start", json={"key": "none"})
    assert answer.status_code == (409 if is_organiser else 401), answer.text
    answer = browser.ask("POST", f"{stage}/skip")
    assert answer.status_code == (409 if is_organiser else 401), answer.text


def test_organisers_read_what_machines_spoilt_and_why_nothing_is_played(site: SeasonHouse) -> None:
    site.started()
    site.seasons.trouble[site.season] = "the disk is full"
    (one, other), mate = site.teams, site.browsers[Role.TEAMMATE]
    with site.seasons.contests.opened(site.seasons.find(site.season)) as contest:
        data = {"game": f"{one} – {other}", "machine": "old laptop", "reason": "no memory"}
        contest.store.append([Entry("spoilt", "1", json.dumps(data))])
    seen = site.view()
    assert seen["trouble"] == "the disk is full"
    game = {"game": "Kraken – Nautilus", "machine": "old laptop", "reason": "no memory"}
    assert (seen["spoilt"], seen["spoilt_games"]) == ([game], 1)
    hidden = mate.get(f"/api/seasons/{site.season}")
    assert (hidden["trouble"], hidden["spoilt"], hidden["spoilt_games"]) == ("", [], 0)
