"""Members, teams and bots through HTTP, and the rights table cell by cell."""

from __future__ import annotations

import asyncio
import io
import json
import re
import shutil
import socket
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import httpx
import pytest
from argon2 import PasswordHasher

from spielleiter import games
from spielleiter.accounts.accounts import ArenaAccounts, open_accounts
from spielleiter.accounts.bots import MOST_WAITING
from spielleiter.accounts.notices import TeamNotice
from spielleiter.accounts.rights import BY_SCOPE, RIGHTS, SCOPES, Action, Role, may
from spielleiter.errors import UsageError
from spielleiter.web import create_app
from spielleiter.web.arena import Arena
from spielleiter.web.authentication import Authentication, RateLimit
from spielleiter.web.bots import checked_before
from spielleiter.web.page_server import LARGEST_HEADERS, serve_pages
from spielleiter.web.recorder import GameRecorder
from tests.people import add_released

EDITION = games.names()[0]
PASSWORD = "correct horse"
APPS: list[Any] = []
QUICK = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


class Browser:
    """Asks the application itself, keeps its cookies, and shows its CSRF token."""

    def __init__(self, app: Any) -> None:
        transport = httpx.ASGITransport(app, client=("127.0.0.1", 40_000))
        self._client = httpx.AsyncClient(transport=transport, base_url="http://localhost:8080")
        self.headers: dict[str, str] = {}

    def at(self, app: Any) -> Browser:
        """The same browser before another application: cookies and all."""
        other = Browser(app)
        other._client.cookies = self._client.cookies
        other.headers = dict(self.headers)
        return other

    def ask(self, method: str, path: str, **more: Any) -> httpx.Response:
        headers = {**self.headers, **more.pop("headers", {})}
        return asyncio.run(self._client.request(method, path, headers=headers, **more))

    def get(self, path: str) -> Any:
        answer = self.ask("GET", path)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, path: str, body: Any = None) -> httpx.Response:
        return self.ask("POST", path, json={} if body is None else body)

    def register(self, name: str, code: str = "") -> httpx.Response:
        body = {"name": name, "password": PASSWORD, "code": code}
        return self._known(self.post("/api/members", body))

    def log_in(self, name: str, password: str = PASSWORD) -> httpx.Response:
        return self._known(self.post("/api/login", {"name": name, "password": password}))

    def _known(self, answer: httpx.Response) -> httpx.Response:
        if answer.is_success:
            self.headers["x-csrf-token"] = answer.json()["csrf"]
        return answer


@dataclass
class House:
    """An arena with accounts, without a network."""

    accounts: ArenaAccounts
    arena: Arena
    app: Any = field(init=False)

    def __post_init__(self) -> None:
        """One application serves all tests, one arena after the other: it takes long to build."""
        self.app = APPS[0] if APPS else create_app(self.arena)
        self.app.state.arena = self.arena
        APPS[:] = [self.app]

    def browser(self) -> Browser:
        return Browser(self.app)

    def member(self, name: str) -> Browser:
        browser = self.browser()
        answer = browser.register(name)
        assert answer.status_code == 201, answer.text
        return browser

    def organiser(self, name: str = "Olga") -> Browser:
        browser = self.member(name)
        self.accounts.members.set_role(browser.get("/api/me")["member"]["id"], "organiser")
        return browser

    def first_organiser(self) -> Browser:
        browser = self.browser()
        answer = browser.post("/api/first-password", {"password": PASSWORD})
        browser.headers["x-csrf-token"] = answer.json()["csrf"]
        return browser


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder whose tables are made once for all tests."""
    folder = tmp_path_factory.mktemp("empty")
    with open_accounts(folder):
        return folder


@pytest.fixture
def house(empty: Path, tmp_path: Path) -> Iterator[House]:
    with house_in(shutil.copytree(empty, tmp_path, dirs_exist_ok=True)) as opened:
        yield opened


@contextmanager
def house_in(folder: Path) -> Iterator[House]:
    with open_accounts(folder, hasher=QUICK, largest=1_000_000) as accounts:
        many = RateLimit(10_000, 1.0)
        arena = Arena(
            recorder=GameRecorder(),
            service=None,  # type: ignore[arg-type]  # nothing here opens a game
            rights=Authentication(None, hasher=QUICK),
            accounts=accounts,
            uploads_refused=None,
            registrations=many,
            member_logins=many,
            uploads=many,
        )
        yield House(accounts, arena)


def code_of(answer: httpx.Response) -> str:
    return str(answer.json()["detail"]["code"])


# ----------------------------------------------------------------------------------- registration


def test_a_newcomer_registers_with_a_name_and_a_password_and_is_logged_in(house: House) -> None:
    browser = house.browser()
    assert browser.get("/api/me")["member"] is None
    assert browser.register("Ada").status_code == 201
    me = browser.get("/api/me")
    assert (me["member"]["name"], me["organiser"], me["teams"]) == ("Ada", False, [])
    assert browser.ask("DELETE", "/api/login").status_code == 204
    assert browser.get("/api/me")["member"] is None
    assert house.browser().log_in("ada").status_code == 200


def test_two_members_do_not_share_a_name(house: House) -> None:
    house.member("Ada")
    assert code_of(house.browser().register("ADA")) == "name-taken"


def test_passwords_are_kept_as_argon2id_hashes(house: House, tmp_path: Path) -> None:
    house.member("Ada")
    kept = (tmp_path / "accounts.db").read_bytes() + (tmp_path / "accounts.db-wal").read_bytes()
    assert b"$argon2id$" in kept
    assert PASSWORD.encode() not in kept


def test_registration_can_be_closed_or_need_the_class_code(house: House) -> None:
    organiser = house.first_organiser()
    code = organiser.post("/api/registration", {"rule": "code"}).json()["code"]
    assert code_of(house.browser().register("Ada")) == "class-code"
    assert house.browser().register("Ada", code.upper()).status_code == 201
    organiser.post("/api/registration", {"rule": "closed"})
    assert code_of(house.browser().register("Ben", code)) == "registration-closed"


def test_wrong_passwords_make_a_name_wait_but_not_its_classmates(house: House) -> None:
    house.member("Ada"), house.member("Ben")
    for _ in range(5):
        assert code_of(house.browser().log_in("Ada", "guess work")) == "wrong-login"
    assert code_of(house.browser().log_in("Ada")) == "too-often"
    assert house.browser().log_in("Ben").status_code == 200


def test_nobody_learns_which_names_exist(house: House) -> None:
    house.member("Ada")
    known = house.browser().log_in("Ada", "wrong one").json()
    assert known == house.browser().log_in("Nobody", "wrong one").json()


def test_a_reset_link_works_once_and_ends_all_sessions(house: House) -> None:
    ada, organiser = house.member("Ada"), house.first_organiser()
    member = ada.get("/api/me")["member"]["id"]
    link = organiser.post(f"/api/members/{member}/reset").json()["link"]
    order = {"secret": link.removeprefix("/reset/"), "password": "another horse"}
    assert house.browser().post("/api/reset", order).status_code == 200
    assert ada.get("/api/me")["member"] is None
    assert code_of(house.browser().post("/api/reset", order)) == "reset-link"
    assert house.browser().log_in("Ada", "another horse").status_code == 200


def test_a_page_of_somebody_else_changes_nothing(house: House) -> None:
    ada = house.member("Ada")
    ada.headers.clear()
    assert code_of(ada.post("/api/teams", {"name": "Rays"})) == "csrf"


def test_the_first_organiser_is_one_of_several(house: House) -> None:
    first, ada = house.first_organiser(), house.member("Ada")
    member = ada.get("/api/me")["member"]["id"]
    assert ada.ask("GET", "/api/members").status_code == 403
    assert first.post(f"/api/members/{member}/role", {"role": "organiser"}).status_code == 204
    assert ada.get("/api/members")["members"][0]["name"] == "Ada"
    assert ada.get("/api/session")["organiser"]


# ------------------------------------------------------------------------------------------ teams


def team_of(browser: Browser, name: str = "Rays") -> str:
    answer = browser.post("/api/teams", {"name": name})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def test_an_invitation_link_lets_others_join_until_there_is_a_new_one(house: House) -> None:
    ada, ben, eve = house.member("Ada"), house.member("Ben"), house.member("Eve")
    team = team_of(ada)
    old = ada.post(f"/api/teams/{team}/invitation").json()["link"].removeprefix("/join/")
    assert ben.get(f"/api/invitations/{old}")["name"] == "Rays"
    assert ben.post(f"/api/invitations/{old}").status_code == 200
    ada.post(f"/api/teams/{team}/invitation")
    assert eve.post(f"/api/invitations/{old}").status_code == 404
    inside = ben.get(f"/api/teams/{team}")["inside"]
    assert [each["name"] for each in inside["members"]] == ["Ada", "Ben"]


def test_the_last_member_cannot_leave_a_team(house: House) -> None:
    ada = house.member("Ada")
    team = team_of(ada)
    assert ada.post(f"/api/teams/{team}/leave").status_code == 422


def test_no_letter_breaks_an_atom_feed(house: House) -> None:
    ada = house.member("Ada")
    team = team_of(ada)
    for text in ("rain \x00 and \x1b[31m", "\x1e", "<b>&amp;</b>", "\ufffe"):
        house.accounts.notices.tell(team, TeamNotice("contest", text))
    feed = house.browser().ask("GET", ada.get(f"/api/teams/{team}")["inside"]["feed"])
    titles = [
        each.text for each in ElementTree.fromstring(feed.content).iter() if "title" in each.tag
    ]
    assert "<b>&amp;</b>" in titles
    assert "rain \ufffd and \ufffd[31m" in titles


def test_notices_are_an_atom_feed_for_those_who_know_its_key(house: House) -> None:
    ada = house.member("Ada")
    team = team_of(ada)
    house.accounts.notices.tell(team, TeamNotice("parked", "Manta <v1> is parked", "/bots/1"))
    feed = ada.get(f"/api/teams/{team}")["inside"]["feed"]
    answer = house.browser().ask("GET", feed)
    assert answer.headers["content-type"].startswith("application/atom+xml")
    assert "Manta &lt;v1&gt; is parked" in answer.text
    assert house.browser().ask("GET", "/api/feeds/guess").status_code == 404


# ------------------------------------------------------------------------------------------- bots


def bot_of(browser: Browser, team: str, name: str = "Manta") -> str:
    order = {"edition": EDITION, "name": name}
    return str(browser.post(f"/api/teams/{team}/bots", order).json()["id"])


def upload(browser: Browser, bot: str, content: bytes, name: str = "bot.py") -> httpx.Response:
    path = f"/api/bots/{bot}/versions?name={name}"
    return browser.ask("POST", path, content=content)


def test_an_upload_waits_for_its_check_and_calls_for_it(tmp_path: Path, house: House) -> None:
    ada = house.member("Ada")
    bot = bot_of(ada, team_of(ada))
    answer = upload(ada, bot, b"print(1)")
    assert (answer.status_code, answer.json()["state"]) == (201, "waiting")
    version = ada.get(f"/api/versions/{answer.json()['id']}")
    assert (version["file_name"], version["size"], version["ahead"]) == ("bot.py", 8, 0)


def test_a_check_that_ends_while_a_page_is_made_has_nobody_before_it(house: House) -> None:
    ada = house.member("Ada")
    made = upload(ada, bot_of(ada, team_of(ada)), b"print(1)").json()["id"]
    bots = house.accounts.bots
    read_before = bots.version(made)
    bots.release(made)
    assert read_before.state == "waiting"
    assert checked_before(bots, read_before) == 0


def test_an_upload_that_is_too_large_or_of_no_use_is_refused(house: House) -> None:
    ada = house.member("Ada")
    bot = bot_of(ada, team_of(ada))
    assert upload(ada, bot, bytes(1_000_001)).status_code == 413
    assert upload(ada, bot, b"", "bot.py").status_code == 422
    assert upload(ada, bot, b"x", "bot.txt").status_code == 422


def test_an_upload_without_a_declared_length_is_cut_off_at_the_bound(house: House) -> None:
    ada = house.member("Ada")
    bot = bot_of(ada, team_of(ada))

    async def endless() -> Any:
        while True:
            yield bytes(100_000)

    path = f"/api/bots/{bot}/versions?name=bot.py"
    assert ada.ask("POST", path, content=endless()).status_code == 413
    assert not list(house.accounts.files.folder.glob("*.part"))


def kept_files(house: House) -> int:
    """Files that lie in the folder of uploads, whole or in parts."""
    return sum(path.is_file() for path in house.accounts.files.folder.rglob("*"))


def test_the_files_of_a_team_have_a_bound_and_erasing_makes_room(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spielleiter.accounts.bots.MOST_KEPT", 2)
    ada = house.member("Ada")
    team = team_of(ada)
    bot = bot_of(ada, team)
    assert upload(ada, bot, b"1" * 900_000).status_code == 201
    assert upload(ada, bot, b"2" * 900_000).status_code == 201
    refused = upload(ada, bot, b"3" * 900_000)
    assert (refused.status_code, refused.json()["detail"]["code"]) == (413, "team-full")
    assert kept_files(house) == 2
    grace = house.member("Grace")
    other = bot_of(grace, team_of(grace, "Nautilus"), "Ray")
    assert upload(grace, other, b"3" * 900_000).status_code == 201
    house.accounts.privacy.erase_bot(bot)
    again = bot_of(ada, team, "Manta two")
    assert upload(ada, again, b"4" * 900_000).status_code == 201
    assert kept_files(house) == 2


def test_an_upload_that_is_refused_leaves_nothing_on_the_disk(house: House) -> None:
    ada = house.member("Ada")
    bot = bot_of(ada, team_of(ada))
    for number in range(MOST_WAITING):
        assert upload(ada, bot, b"print(%d)" % number).status_code == 201
    assert upload(ada, bot, b"print('one too many')").status_code == 422
    assert kept_files(house) == MOST_WAITING
    accounts = house.accounts
    for content in (b"print('at the same time')", b"print(0)"):
        meanwhile = accounts.files.receive([content], "bot.py")
        with pytest.raises(UsageError, match="wait for their check"):
            accounts.bots.add_version(bot, meanwhile, "bot.py")
    assert kept_files(house) == MOST_WAITING, "what another version has stays"


def test_uploads_leave_room_on_the_disk(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spielleiter.accounts.files.LEAST_FREE", 2**62)
    ada = house.member("Ada")
    refused = upload(ada, bot_of(ada, team_of(ada)), b"print(1)")
    assert (refused.status_code, refused.json()["detail"]["code"]) == (507, "disk-full")
    assert kept_files(house) == 0


def test_a_body_that_was_refused_before_it_came_is_skipped_and_the_next_request_answered(
    house: House,
) -> None:
    """It is no header that is too long, and no answer to whatever comes next."""

    async def answer(reader: asyncio.StreamReader) -> bytes:
        head = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", head)
        await reader.readexactly(int(length[1]) if length else 0)
        return head.split(b" ")[1]

    async def scene() -> list[bytes]:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port, body = listener.getsockname()[1], bytes(4 * LARGEST_HEADERS)
            async with serve_pages(create_app(house.arena), house.arena, listener):
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                host = b"host: 127.0.0.1:%d\r\n" % port
                upload = b"POST /api/bots/x/versions?name=bot.py HTTP/1.1\r\n" + host
                writer.write(upload + b"content-length: %d\r\n\r\n" % len(body))
                found = [await answer(reader)]
                writer.write(body + b"GET /api/teams HTTP/1.1\r\n" + host + b"\r\n")
                found.append(await answer(reader))
                writer.close()
                await writer.wait_closed()
        return found

    assert asyncio.run(scene()) == [b"404", b"200"]


def test_where_there_is_no_sandbox_an_upload_is_refused_with_the_reason(house: House) -> None:
    object.__setattr__(house.arena, "uploads_refused", "only Linux has namespaces")
    ada = house.member("Ada")
    answer = upload(ada, bot_of(ada, team_of(ada)), b"x")
    assert answer.json()["detail"] == {
        "code": "no-uploads", "message": "only Linux has namespaces",
    }  # fmt: skip
    assert ada.get("/api/me")["uploads"] == "only Linux has namespaces"


# --------------------------------------------------------------------------------- my data


def test_export_holds_all_that_is_kept_and_no_secret(house: House) -> None:
    ada = house.member("Ada")
    team = team_of(ada)
    add_released(house.accounts, team, "Manta", edition=EDITION, content=b"print('mine')")
    ada.post("/api/me/tokens", {"label": "laptop", "scopes": ["upload"], "days": 9})
    archive = zipfile.ZipFile(io.BytesIO(ada.ask("GET", "/api/me/export").content))
    me = json.loads(archive.read("me.json"))
    assert (me["name"], me["teams"][0]["bots"][0]["name"]) == ("Ada", "Manta")
    assert [each["label"] for each in me["tokens"]] == ["laptop"]
    assert "argon2" not in archive.read("me.json").decode()
    (file,) = [name for name in archive.namelist() if name != "me.json"]
    assert archive.read(file) == b"print('mine')"


def test_erasing_leaves_a_tombstone_and_nothing_else(house: House, tmp_path: Path) -> None:
    ada = house.member("Ada")
    team = team_of(ada, "Rays of the deep")
    version = add_released(house.accounts, team, "Manta", edition=EDITION, content=b"mine")
    assert code_of(ada.post("/api/me/erase", {"password": "wrong one"})) == "wrong-password"
    assert ada.post("/api/me/erase", {"password": PASSWORD}).status_code == 204
    tomb = house.accounts.bots.version(version.id)
    assert (tomb.name, tomb.team_name, tomb.state) == ("", "", "erased")
    assert not version.path.exists()
    assert house.accounts.bots.released_versions(EDITION) == []
    assert house.browser().log_in("Ada").status_code == 401
    assert house.browser().get("/api/teams") == {"teams": []}
    assert house.browser().register("Ada").status_code == 201


def test_a_file_that_another_team_uploaded_too_is_not_erased(house: House) -> None:
    ada, ben = house.member("Ada"), house.member("Ben")
    mine = add_released(house.accounts, team_of(ada), "Manta", edition=EDITION)
    other = add_released(house.accounts, team_of(ben, "Eels"), "Moray", edition=EDITION)
    assert mine.path == other.path
    ada.post("/api/me/erase", {"password": PASSWORD})
    assert other.path.exists()


# -------------------------------------------------------------------------------------- the table


@dataclass
class Stage:
    """One team with a bot, somebody of each role, and a way to ask for each action."""

    house: House
    mate: Browser = field(init=False)
    stranger: Browser = field(init=False)
    organiser: Browser = field(init=False)

    def __post_init__(self) -> None:
        accounts = self.house.accounts
        self.mate = self.house.member("Mate")
        self.stranger = self.house.member("Stranger")
        self.organiser = self.house.organiser()
        self.team = team_of(self.mate)
        team_of(self.stranger, "Strangers")
        self.secret = accounts.teams.invite(self.team)
        second = self.house.member("Second").get("/api/me")["member"]["id"]
        accounts.teams.join(self.secret, second)
        self.victim = self.house.member("Victim").get("/api/me")["member"]["id"]
        version = add_released(accounts, self.team, "Manta", edition=EDITION)
        self.version, self.bot = version.id, version.bot

    def browser(self, role: Role) -> Browser:
        known = {
            Role.MEMBER: self.stranger,
            Role.TEAMMATE: self.mate,
            Role.ORGANISER: self.organiser,
        }
        return known.get(role) or self.house.browser()

    def with_token(self, role: Role, *scopes: str) -> Browser:
        order = {"label": "test", "scopes": scopes, "days": 1}
        secret = self.browser(role).post("/api/me/tokens", order).json()["secret"]
        browser = self.house.browser()
        browser.headers["authorization"] = f"Bearer {secret}"
        return browser


Ask = Callable[[Stage, Browser], httpx.Response]


def posting(path: str, body: Any = None) -> Ask:
    return lambda stage, who: who.post(path.format(stage=stage), body)


def getting(path: str) -> Ask:
    return lambda stage, who: who.ask("GET", path.format(stage=stage))


def deleting(path: str) -> Ask:
    return lambda stage, who: who.ask("DELETE", path.format(stage=stage))


BY_PROXY = {"x-forwarded-for": "203.0.113.7"}
"""Who is on the same machine may read the metrics; a proxy there speaks for others."""

NEW = {"name": "Another", "password": PASSWORD}
ASKED: dict[Action, Ask] = {
    Action.SEE_TEAMS: getting("/api/teams"),
    Action.REGISTER: posting("/api/members", NEW),
    Action.MAKE_TEAM: posting("/api/teams", {"name": "New ones"}),
    Action.JOIN_TEAM: posting("/api/invitations/{stage.secret}"),
    Action.OWN_ACCOUNT: getting("/api/me/export"),
    Action.OWN_TOKENS: getting("/api/me/tokens"),
    Action.SEE_INSIDE: getting("/api/versions/{stage.version}"),
    Action.DOWNLOAD: getting("/api/versions/{stage.version}/file"),
    Action.INVITE: posting("/api/teams/{stage.team}/invitation"),
    Action.RENAME_TEAM: posting("/api/teams/{stage.team}/name", {"name": "Eels"}),
    Action.LEAVE_TEAM: posting("/api/teams/{stage.team}/leave"),
    Action.SET_WEBHOOK: posting("/api/teams/{stage.team}/webhook", {"url": ""}),
    Action.MAKE_BOT: posting(
        "/api/teams/{stage.team}/bots", {"edition": EDITION, "name": "Another"}
    ),
    Action.UPLOAD: lambda stage, who: upload(who, stage.bot, b"print(2)"),
    Action.CHOOSE_VERSION: posting("/api/versions/{stage.version}/activate"),
    Action.PARK: posting("/api/versions/{stage.version}/park", {"reason": "why not"}),
    Action.LIST_MEMBERS: getting("/api/members"),
    Action.RENAME_MEMBER: posting("/api/members/{stage.victim}/name", {"name": "Vic"}),
    Action.MAKE_RESET: posting("/api/members/{stage.victim}/reset"),
    Action.SET_ROLE: posting("/api/members/{stage.victim}/role", {"role": "organiser"}),
    Action.ERASE_MEMBER: deleting("/api/members/{stage.victim}"),
    Action.ERASE_TEAM: deleting("/api/teams/{stage.team}"),
    Action.SET_REGISTRATION: posting("/api/registration", {"rule": "closed"}),
    Action.WRITE_PAGES: posting("/api/texts/imprint", {"text": "Us"}),
    Action.SEE_METRICS: lambda stage, who: who.ask("GET", "/metrics", headers=BY_PROXY),
}
ELSEWHERE = {
    Action.SEE_LOGS, Action.CHALLENGE, Action.ENTER_SEASON, Action.RUN_SEASON, Action.JUDGE,
}  # fmt: skip
"""Asked for on the pages of the ladder and the seasons, whose tests try them."""


@pytest.fixture(scope="module")
def prepared(empty: Path, tmp_path_factory: pytest.TempPathFactory) -> Stage:
    """The stage before the first request, in a folder that every test copies."""
    folder = shutil.copytree(empty, tmp_path_factory.mktemp("prepared"), dirs_exist_ok=True)
    with house_in(folder) as house:
        return Stage(house)


@pytest.fixture
def stage(prepared: Stage, tmp_path: Path) -> Iterator[Stage]:
    folder = prepared.house.accounts.files.folder.parent
    with house_in(shutil.copytree(folder, tmp_path, dirs_exist_ok=True)) as house:
        copied = copy(prepared)
        copied.house = house
        copied.mate = prepared.mate.at(house.app)
        copied.stranger = prepared.stranger.at(house.app)
        copied.organiser = prepared.organiser.at(house.app)
        yield copied


def test_every_action_is_in_the_table_and_is_tried() -> None:
    assert set(RIGHTS) == set(Action)
    assert set(ASKED) | ELSEWHERE == set(Action)


@pytest.mark.parametrize("role", Role, ids=lambda role: role.name.lower())
@pytest.mark.parametrize("action", ASKED, ids=lambda action: action.name.lower())
def test_a_role_may_do_what_the_table_says_and_nothing_else(
    stage: Stage, action: Action, role: Role
) -> None:
    answer = ASKED[action](stage, stage.browser(role))
    if role in RIGHTS[action]:
        assert answer.is_success, answer.text
    else:
        assert answer.status_code == (401 if role is Role.GUEST else 403), answer.text
        assert code_of(answer) == ("login-needed" if role is Role.GUEST else "forbidden")


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("role", [Role.TEAMMATE, Role.ORGANISER], ids=lambda role: role.name)
def test_a_token_does_what_its_scope_says_and_nothing_else(
    stage: Stage, role: Role, scope: str
) -> None:
    who = stage.with_token(role, scope)
    for action, ask in ASKED.items():
        if action is Action.REGISTER:
            continue  # nobody is logged in for that
        answer = ask(stage, who)
        allowed = any(each == scope and action in BY_SCOPE[each] for each in SCOPES)
        assert answer.is_success == (allowed and role in RIGHTS[action]), (action, answer.text)


FOR_GUESTS = {
    "/api/first-password", "/api/session", "/api/members", "/api/login", "/api/reset",
    "/api/games", "/api/games/{game}/rematch", "/api/replays", "/api/starts/{edition}",
}  # fmt: skip
"""What a stranger may ask for as well: a page of somebody else gains nothing by it."""


FOR_MEMBERS = {
    "/api/teams", "/api/invitations/{secret}", "/api/me/tokens", "/api/me/tokens/{token}",
    "/api/me/erase", "/api/me/password",
}  # fmt: skip
"""What every member may do: to itself, to a team of its own, or because somebody invited it."""


def changing(stage: Stage, left_out: set[str]) -> Iterator[tuple[str, str]]:
    """Method and address of every request that changes something, about things that exist."""
    for path, each in stage.organiser.get("/api/openapi.json")["paths"].items():
        address = re.sub(r"\{(\w+)\}", lambda found: known_id(stage, found[1]), path)
        for method in {"post", "put", "delete", "patch"} & each.keys():
            if path not in left_out:
                yield method.upper(), address


def test_no_page_of_somebody_else_acts_in_the_name_of_who_is_logged_in(stage: Stage) -> None:
    """With a session and without our own page's word."""
    tried = 0
    for method, address in changing(stage, FOR_GUESTS):
        for who in (stage.organiser, stage.mate):
            robbed = who.at(stage.house.app)
            del robbed.headers["x-csrf-token"]
            answer = robbed.ask(method, address, json=EXAMPLE)
            assert 400 <= answer.status_code < 500, (method, address, answer.text)
            tried += code_of(answer) == "csrf"
    assert tried > 50


def test_a_stranger_changes_nothing_of_a_team_and_a_guest_nothing_at_all(stage: Stage) -> None:
    for who, left_out in (
        (stage.house.browser(), FOR_GUESTS),
        (stage.stranger, FOR_GUESTS | FOR_MEMBERS),
    ):
        for method, address in changing(stage, left_out):
            answer = who.ask(method, address, json=EXAMPLE)
            if address != "/api/login":  # to log out is everybody's right
                assert 400 <= answer.status_code < 500, (method, address, answer.text)
    assert stage.mate.get(f"/api/teams/{stage.team}")["inside"] is not None


def known_id(stage: Stage, name: str) -> str:
    return str(getattr(stage, name, "none"))


EXAMPLE = {
    "name": "Another", "password": PASSWORD, "old": PASSWORD, "url": "", "reason": "so",
    "edition": EDITION, "role": "member", "rule": "open", "text": "x",
}  # fmt: skip
"""A body in which much is right: whoever is refused is not refused for that."""


@pytest.mark.parametrize("url", ["http://[", "http://x:99999/", "http://x/ä", "gopher://x"])
def test_what_is_no_address_of_a_webhook_is_refused(stage: Stage, url: str) -> None:
    answer = stage.mate.post(f"/api/teams/{stage.team}/webhook", {"url": url})
    assert (answer.status_code, code_of(answer)) == (422, "webhook")


def test_a_revoked_token_opens_nothing(stage: Stage) -> None:
    program = stage.with_token(Role.TEAMMATE, "read")
    (token,) = stage.mate.get("/api/me/tokens")["tokens"]
    assert program.ask("GET", f"/api/versions/{stage.version}").is_success
    stage.mate.ask("DELETE", f"/api/me/tokens/{token['id']}")
    assert code_of(program.ask("GET", f"/api/versions/{stage.version}")) == "wrong-token"


def test_a_stranger_sees_the_team_but_not_inside_it(stage: Stage) -> None:
    team = stage.stranger.get(f"/api/teams/{stage.team}")
    bot = stage.stranger.get(f"/api/bots/{stage.bot}")
    assert team["inside"] is None
    assert team["bots"][0]["name"] == "Manta"
    assert bot["inside"] is None
    assert stage.mate.get(f"/api/bots/{stage.bot}")["inside"][0]["file_name"] == "bot.py"


def test_without_scopes_the_role_alone_decides() -> None:
    assert may(Role.TEAMMATE, Action.UPLOAD)
    assert not may(Role.TEAMMATE, Action.UPLOAD, frozenset({"read"}))
