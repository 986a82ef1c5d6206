"""Friendlies: agreed on through HTTP and from the desk, played by turns, rated by nobody."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner

from spielleiter import games
from spielleiter.accounts.bots import Version
from spielleiter.accounts.rights import BY_SCOPE, RIGHTS, SCOPES, Action, Role
from spielleiter.cli import challenge as challenge_command
from spielleiter.cli import ladder as ladder_command
from spielleiter.client.arena_client import ArenaClient, ArenaRefused
from spielleiter.errors import UsageError
from spielleiter.ladder.friendlies import MOST_ASKED, MOST_OPEN, FriendlySeat
from spielleiter.ladder.ladder import Ladder, LadderSettings
from spielleiter.ladder.roster import mark
from spielleiter.web.authentication import RateLimit
from tests.ladders import EDITION, RosterInMemory, entry_text, ladder_in, roster, simulated
from tests.people import add_released
from tests.test_ladder_web import opened
from tests.test_people import Browser, House

MAPS = next(
    each
    for each in games.names()
    if any(option.name == "map" for option in games.load(each).options)
)
"""A game that is played on maps, some of them by three or four."""


def play_all(ladder: Ladder, players: RosterInMemory) -> list[str]:
    """Play until nothing is due; the purposes, in the order in which games were claimed."""
    found: list[str] = []
    while len(found) < 60 and (game := ladder.claim(f"request {len(found)}")) is not None:
        found.append(game.purpose)
        ladder.finish(game, simulated(players, game))
    return found


def test_a_friendly_with_a_level_is_played_and_changes_no_rating(tmp_path: Path) -> None:
    players = roster(1)
    with ladder_in(tmp_path / "ladder.db", players) as ladder:
        seats = [FriendlySeat("v0", "team0"), FriendlySeat(mark(5))]
        made = ladder.friendlies.challenge(EDITION, seats, 6)
        assert made.state == "agreed"
        while ladder.queue.waiting(made.purpose):
            game = ladder.claim(f"{ladder.queue.waiting(made.purpose)}")
            assert game is not None
            ladder.finish(game, entry_text(game, (1, 2)))
        over = ladder.friendlies.find(made.id)
        assert over.state == "over"
        played = ladder.friendlies.played(over)
        one, other = ladder.friendlies.scores(over)
        assert (one.won, one.lost, other.won, other.lost) == (3, 3, 3, 3)  # the first seat won
        assert [each.players for each in played[:2]] == [("v0", mark(5)), (mark(5), "v0")]
        assert not any(each.is_rated for each in played)
        rated = ladder.results.players_named(EDITION, ["v0"])
        assert sum(each.games for each in rated.values()) == ladder.results.total(EDITION)


def test_games_of_friendlies_and_of_the_ladder_take_turns(tmp_path: Path) -> None:
    """However much a team has asked for, the others wait for one game only."""
    players = roster(4)
    with ladder_in(tmp_path / "ladder.db", players) as ladder:
        greedy = [FriendlySeat("v0", "team0"), FriendlySeat(mark(3))]
        modest = [FriendlySeat("v1", "team1"), FriendlySeat(mark(3))]
        much = ladder.friendlies.challenge(EDITION, greedy, 20).purpose
        little = ladder.friendlies.challenge(EDITION, modest, 2).purpose
        order = play_all(ladder, players)[:8]
    assert order[::2] == [much, little, much, little]
    assert order[1::2] == ["ladder"] * 4


def test_a_team_that_comes_late_does_not_take_all_turns(tmp_path: Path) -> None:
    players = roster(3)
    with ladder_in(tmp_path / "ladder.db", players) as ladder:
        seats = [
            [FriendlySeat(f"v{each}", f"team{each}"), FriendlySeat(mark(3))] for each in (0, 1)
        ]
        early = ladder.friendlies.challenge(EDITION, seats[0], 30).purpose
        before = [ladder.claim(f"before {number}") for number in range(20)]
        late = ladder.friendlies.challenge(EDITION, seats[1], 30).purpose
        after = [ladder.claim(f"after {number}") for number in range(20)]
    assert sum(each is not None and each.purpose == early for each in before) >= 10
    turns = [each.purpose for each in after if each is not None and each.purpose != "ladder"]
    assert abs(turns.count(early) - turns.count(late)) <= 1


def test_what_was_agreed_on_is_due_after_a_kill(tmp_path: Path) -> None:
    players = roster(1)
    with ladder_in(tmp_path / "ladder.db", players) as ladder:
        seats = [FriendlySeat("v0", "team0"), FriendlySeat(mark(5))]
        made = ladder.friendlies.challenge(EDITION, seats, 4)
        ladder.queue.cancel(made.purpose)  # as if we had been killed before they were due
    with ladder_in(tmp_path / "ladder.db", players) as ladder:
        assert ladder.queue.waiting(made.purpose) == 4


def test_tables_of_three_are_played_on_maps(tmp_path: Path) -> None:
    (option,) = (each for each in games.load(MAPS).options if each.name == "map")
    charts = {games.load(MAPS).start(0, map=name).seats: name for name in option.choices()}
    players = RosterInMemory()
    with ladder_in(tmp_path / "ladder.db", players, LadderSettings((MAPS,), levels=())) as ladder:
        seats = [FriendlySeat(mark(level), "team0" if level == 1 else "") for level in (1, 2, 3)]
        made = ladder.friendlies.challenge(MAPS, seats, 3, (("map", charts[3]),))
        orders = [each.pairing.players for each in made.queued()]
        assert orders[1] == (mark(2), mark(3), mark(1))
        with pytest.raises(UsageError, match="needs 3 players"):
            ladder.friendlies.challenge(MAPS, seats[:2], 3, (("map", charts[3]),))
        for number in range(3):
            game = ladder.claim(f"{number}")
            assert game is not None
            text = entry_text(game, (1, 2, 3))
            ladder.finish(game, text.replace('"scores": [', '"scores": [0, '))
        assert [each.won for each in ladder.friendlies.scores(made)] == [1, 1, 1]


def test_a_team_has_only_so_many_friendlies_at_a_time(tmp_path: Path) -> None:
    with ladder_in(tmp_path / "ladder.db", roster(1)) as ladder:

        def asked(challenger: str, other: str) -> None:
            seats = [FriendlySeat("v0", challenger), FriendlySeat(team=other)]
            ladder.friendlies.challenge(EDITION, seats, 1)

        for number in range(MOST_OPEN):
            asked("team0", f"team{1 + number // MOST_ASKED}")
        with pytest.raises(UsageError, match="at most"):
            asked("team0", "team9")


def test_whoever_challenges_again_and_again_takes_no_room_from_others(tmp_path: Path) -> None:
    with ladder_in(tmp_path / "ladder.db", roster(1)) as ladder:
        for rival in range(MOST_OPEN):
            seats = [FriendlySeat("v0", f"rival{rival}"), FriendlySeat(team="victim")]
            for _ in range(MOST_ASKED):
                ladder.friendlies.challenge(EDITION, seats, 1)
            with pytest.raises(UsageError, match="has not yet answered"):
                ladder.friendlies.challenge(EDITION, seats, 1)
        seats = [FriendlySeat("v0", "victim"), FriendlySeat(team="friend")]
        assert ladder.friendlies.challenge(EDITION, seats, 1).state == "open"


# ------------------------------------------------------------------------------------------ HTTP


@dataclass
class FriendlyHouse:
    """An arena with two teams that have a bot each."""

    house: House
    ladder: Ladder
    ada: Browser
    grace: Browser
    versions: tuple[Version, Version]

    def order(self, **more: Any) -> dict[str, Any]:
        return {"edition": EDITION, "opponents": [{"team": self.versions[1].team}], **more}

    @property
    def own(self) -> str:
        return f"/api/teams/{self.versions[0].team}/friendlies"

    @property
    def other(self) -> str:
        return f"/api/teams/{self.versions[1].team}/friendlies"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[FriendlyHouse]:
    with opened(tmp_path) as (accounts, ladder, house):
        browsers = [house.member(name) for name in ("Ada", "Grace")]
        teams = [
            each.post("/api/teams", {"name": name}).json()["id"]
            for each, name in zip(browsers, ("Kraken", "Nautilus"), strict=True)
        ]
        one, other = (
            add_released(accounts, team, f"bot of {name}", edition=EDITION)
            for team, name in zip(teams, ("Kraken", "Nautilus"), strict=True)
        )
        ladder.look_again()
        yield FriendlyHouse(house, ladder, browsers[0], browsers[1], (one, other))


def notices_of(browser: Browser, team: str, lang: str = "en") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = browser.get(f"/api/teams/{team}?lang={lang}")["inside"]["notices"]
    return found


def test_a_challenge_is_accepted_and_played(site: FriendlyHouse) -> None:
    made = site.ada.post(site.own, site.order(games=2))
    assert made.status_code == 201, made.text
    friendly = made.json()
    assert (friendly["state"], friendly["waits_for"]) == ("open", [site.versions[1].team])
    told = notices_of(site.grace, site.versions[1].team)[0]
    assert "Kraken challenges you" in told["text"]
    assert told["link"] == f"/friendlies/{friendly['id']}"
    assert "fordert euch" in notices_of(site.grace, site.versions[1].team, "de")[0]["text"]
    accepted = site.grace.post(f"{site.other}/{friendly['id']}/accept", {})
    assert accepted.json()["state"] == "agreed"
    assert "accepted" in notices_of(site.ada, site.versions[0].team)[0]["text"]
    while (game := site.ladder.claim(f"{site.ladder.results.total(EDITION)}")) is not None:
        site.ladder.finish(game, entry_text(game, (1, 2)))
        if game.purpose != "ladder":
            break
    page = site.house.browser().get(f"/api/friendlies/{friendly['id']}")
    assert page["friendly"]["played"] == len(page["games"]) == 1
    assert not page["games"][0]["is_rated"]
    (listed,) = site.ada.get(site.own)["friendlies"]
    assert listed["id"] == friendly["id"]


def test_a_challenge_is_declined_or_taken_back(site: FriendlyHouse) -> None:
    first, second = (site.ada.post(site.own, site.order()).json()["id"] for _ in range(2))
    assert site.grace.post(f"{site.other}/{first}/decline").json()["state"] == "declined"
    assert site.ada.post(f"{site.own}/{second}/end").json()["state"] == "withdrawn"
    late = site.grace.post(f"{site.other}/{second}/accept", {})
    assert (late.status_code, late.json()["detail"]["code"]) == (422, "refused")
    missing = site.ada.ask("GET", "/api/friendlies/none")
    assert (missing.status_code, missing.json()["detail"]["code"]) == (404, "no-such-friendly")


def test_only_released_versions_of_the_own_team_are_sent_to_a_friendly(
    site: FriendlyHouse,
) -> None:
    foreign = site.ada.post(site.own, site.order(version=site.versions[1].id))
    assert "not of this team" in foreign.json()["detail"]["message"]
    site.house.accounts.bots.park(site.versions[0].id, "why not")
    parked = site.ada.post(site.own, site.order())
    assert "only a released version can play" in parked.json()["detail"]["message"]


def test_a_version_meets_an_older_one_of_its_team_without_asking(site: FriendlyHouse) -> None:
    second = add_released(
        site.house.accounts, site.versions[0].team, "bot of Kraken", edition=EDITION, content=b"2"
    )
    order = {"edition": EDITION, "opponents": [{"version": site.versions[0].id}]}
    made = site.ada.post(site.own, order).json()
    assert made["state"] == "agreed"
    assert [each["entrant"]["id"] for each in made["seats"]] == [second.id, site.versions[0].id]


def test_an_option_of_a_friendly_names_no_file_of_ours(tmp_path: Path) -> None:
    with ladder_in(tmp_path / "ladder.db", roster(1)) as ladder:
        seats = [FriendlySeat("v0", "team0"), FriendlySeat(mark(1))]
        with pytest.raises(UsageError, match="there is no map '/etc/passwd'; known: "):
            ladder.friendlies.challenge(MAPS, seats, 1, (("map", "/etc/passwd"),))


@pytest.mark.parametrize("name", ["seed", "self", "nonsense"])
def test_an_option_that_there_is_not_is_refused(site: FriendlyHouse, name: str) -> None:
    order = site.order(opponents=[{"level": 1}], options={name: "1"})
    answer = site.ada.post(site.own, order)
    assert answer.status_code == 422, answer.text
    assert "there is no option" in answer.json()["detail"]["message"]


def test_a_team_that_challenges_without_end_is_told_to_wait(site: FriendlyHouse) -> None:
    answers = [site.ada.post(site.own, site.order(games=0)) for _ in range(3)]
    assert {each.status_code for each in answers} == {422}
    object.__setattr__(site.house.arena, "team_actions", RateLimit(2, 3600.0))
    order = site.order(opponents=[{"level": 3}])
    statuses = [site.ada.post(site.own, order).status_code for _ in range(3)]
    assert statuses == [201, 201, 429]


# ---------------------------------------------------------------------------------------- rights


def browser_of(site: FriendlyHouse, role: Role) -> Browser:
    known = {Role.MEMBER: site.grace, Role.TEAMMATE: site.ada}
    if role is Role.ORGANISER:
        return site.house.organiser()
    return known.get(role) or site.house.browser()


def challenged(site: FriendlyHouse, who: Browser) -> httpx.Response:
    return who.post(site.own, site.order(opponents=[{"level": 3}]))


def logs_seen(site: FriendlyHouse, who: Browser) -> bool:
    game = site.ladder.claim("logs")
    assert game is not None
    said = f"--- {site.versions[0].id}\\nmy secret\\n"
    site.ladder.finish(game, entry_text(game, (1, 2)).replace('"log": ""', f'"log": "{said}"'))
    return "my secret" in str(who.get(f"/api/ladder/games/{game.id}")["printed"])


@pytest.mark.parametrize("role", Role, ids=lambda role: role.name.lower())
def test_a_role_challenges_as_the_table_says(site: FriendlyHouse, role: Role) -> None:
    answer = challenged(site, browser_of(site, role))
    if role in RIGHTS[Action.CHALLENGE]:
        assert answer.status_code == 201, answer.text
    else:
        assert answer.status_code == (401 if role is Role.GUEST else 403), answer.text


@pytest.mark.parametrize("what", ["accept", "decline", "end"])
@pytest.mark.parametrize("role", Role, ids=lambda role: role.name.lower())
def test_a_role_answers_for_a_team_as_the_table_says(
    site: FriendlyHouse, role: Role, what: str
) -> None:
    asked = site.order(opponents=[{"team": site.versions[0].team}])
    made = site.grace.post(site.other, asked).json()["id"]
    answer = browser_of(site, role).post(f"{site.own}/{made}/{what}", {})
    assert answer.is_success == (role in RIGHTS[Action.CHALLENGE]), answer.text


@pytest.mark.parametrize("role", Role, ids=lambda role: role.name.lower())
def test_a_role_reads_logs_as_the_table_says(site: FriendlyHouse, role: Role) -> None:
    assert logs_seen(site, browser_of(site, role)) == (role in RIGHTS[Action.SEE_LOGS])


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("role", [Role.TEAMMATE, Role.ORGANISER], ids=lambda role: role.name)
def test_a_token_challenges_and_reads_logs_as_its_scope_says(
    site: FriendlyHouse, role: Role, scope: str
) -> None:
    order = {"label": "test", "scopes": [scope], "days": 1}
    secret = browser_of(site, role).post("/api/me/tokens", order).json()["secret"]
    program = site.house.browser()
    program.headers["authorization"] = f"Bearer {secret}"
    allowed = {action for each in SCOPES if each == scope for action in BY_SCOPE[each]}
    assert challenged(site, program).is_success == (Action.CHALLENGE in allowed)
    assert logs_seen(site, program) == (Action.SEE_LOGS in allowed)


# ---------------------------------------------------------------------------------- from the desk


@pytest.fixture
def desk(site: FriendlyHouse, monkeypatch: pytest.MonkeyPatch) -> FriendlyHouse:
    """The commands ask the site as Ada, with a token."""
    order = {"label": "desk", "scopes": ["read", "play"], "days": 1}
    secret = site.ada.post("/api/me/tokens", order).json()["secret"]
    program = site.house.browser()
    program.headers["authorization"] = f"Bearer {secret}"

    def ask(self: ArenaClient, method: str, path: str, body: Any = None) -> Any:
        answer = program.ask(method, path, json=body)
        if not answer.is_success:
            raise ArenaRefused("refused", answer.json()["detail"]["message"])
        return answer.json()

    monkeypatch.setattr(ArenaClient, "ask", ask)
    monkeypatch.setenv("SPIELLEITER_URL", "http://localhost:8080")
    monkeypatch.setenv("SPIELLEITER_TOKEN", secret)
    return site


def test_friendlies_are_agreed_on_from_the_desk(desk: FriendlyHouse) -> None:
    def run(*words: str) -> str:
        done = CliRunner().invoke(challenge_command.command, words, catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.output

    assert "open" in run("nautilus", "--game", EDITION, "--games", "4")
    assert "agreed" in run("level 5", "--game", EDITION)
    friendly = desk.grace.post(
        desk.other, desk.order(opponents=[{"team": desk.versions[0].team}])
    ).json()
    assert "agreed" in run("--accept", friendly["id"])
    assert "withdrawn" in run("--end", friendly["id"])
    assert len(run().splitlines()) == 3
    with pytest.raises(UsageError, match="no team"):
        run("nobody", "--game", EDITION)


def test_the_ladder_is_read_from_the_desk(desk: FriendlyHouse) -> None:
    game = desk.ladder.claim("first")
    assert game is not None
    desk.ladder.finish(game, entry_text(game, (1, 2)))
    desk.ladder.rate_now()

    def run(*words: str) -> str:
        done = CliRunner().invoke(ladder_command.command, words, catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.output

    assert EDITION in run()
    assert "bot of Kraken v1 (Kraken)" in run(EDITION)
    assert "±" in run("--mine")
    assert game.id in run(EDITION, "--games")
    assert game.id in run("--mine", "--games")
    assert '"rows"' in run(EDITION, "--json")
