"""The application without a network: pages, the first password, sessions, turnstiles."""

from __future__ import annotations

import asyncio
import gzip
import itertools
import socket
from pathlib import Path
from typing import Any, cast

import httpx
import pytest
from argon2 import PasswordHasher
from click.testing import CliRunner

from spielleiter.cli import cli
from spielleiter.errors import StoreError, TextError, UsageError
from spielleiter.store.lock import LOCK
from spielleiter.web import create_app
from spielleiter.web.arena import Arena
from spielleiter.web.authentication import LASTS, Authentication, RateLimit
from spielleiter.web.login_guard import FREE, IN_ALL, UNLOCK, WITHIN, LoginGuard
from spielleiter.web.page_server import BoundedConnection, serve_pages
from spielleiter.web.proxies import TrustedProxies, visitor_of
from spielleiter.web.recorder import GameRecorder, LiveGame
from spielleiter.web.request_filter import name_of
from spielleiter.web.service import GameService
from spielleiter.web.uploads import unpacked

QUICK = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
NOBODY = cast(GameService, None)  # nothing here opens a game
PASSWORD = {"password": "correct horse"}


class Clock:
    """A time that only passes when told to."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


class Browser:
    """Asks the application itself, and keeps its cookies."""

    def __init__(self, app: Any, address: str = "127.0.0.1") -> None:
        transport = httpx.ASGITransport(app, client=(address, 40_000))
        self._client = httpx.AsyncClient(transport=transport, base_url="http://localhost:8080")

    def get(self, path: str, **more: Any) -> httpx.Response:
        return asyncio.run(self._client.get(path, **more))

    def post(self, path: str, **more: Any) -> httpx.Response:
        return asyncio.run(self._client.post(path, **more))


def arena_with(**changes: Any) -> Arena:
    given: dict[str, Any] = {
        "recorder": GameRecorder(),
        "service": NOBODY,
        "rights": Authentication(None, hasher=QUICK),
        "hosts": {"localhost"},
    }
    return Arena(**given | changes)


def client(**changes: Any) -> Browser:
    return Browser(create_app(arena_with(**changes)))


# ------------------------------------------------------------------------------------------ pages


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    (tmp_path / "pages" / "assets").mkdir(parents=True)
    (tmp_path / "pages" / "index.html").write_text("<!doctype html>the viewer")
    (tmp_path / "pages" / "assets" / "index-abc.js").write_text("run()")
    (tmp_path / "secret.txt").write_text("secret")
    return tmp_path / "pages"


def test_every_address_outside_the_api_is_a_page_of_the_viewer(pages: Path) -> None:
    visitor = client(pages=pages)
    for path in ("/", "/games/123", "/replay?turn=7", "/contest/x/y"):
        answer = visitor.get(path)
        assert "the viewer" in answer.text
        assert answer.headers["cache-control"] == "no-cache"
    assert visitor.get("/api/nothing").json()["detail"]["code"] == "no-such-address"


def test_pages_are_compressed_for_those_who_can_read_that(pages: Path) -> None:
    (pages / "assets" / "large-abc.js").write_text("run();\n" * 10_000)
    answer = client(pages=pages).get("/assets/large-abc.js")
    assert answer.headers["content-encoding"] == "gzip"
    assert int(answer.headers.get("content-length", 0)) < 1_000
    assert answer.text == "run();\n" * 10_000


def test_what_has_its_contents_in_its_name_is_kept_for_ever(pages: Path) -> None:
    answer = client(pages=pages).get("/assets/index-abc.js")
    assert answer.text == "run()"
    assert "immutable" in answer.headers["cache-control"]
    assert "javascript" in answer.headers["content-type"]


@pytest.mark.parametrize(
    "path", ["/../secret.txt", "/%2e%2e/secret.txt", "/assets/../../secret.txt"]
)
def test_nothing_beside_the_pages_is_served(pages: Path, path: str) -> None:
    assert "secret" not in client(pages=pages).get(path).text


def test_pages_that_were_not_built_say_how_to_build_them(tmp_path: Path) -> None:
    answer = client(pages=tmp_path).get("/")
    assert answer.status_code == 503
    assert "make" in answer.text


def test_the_api_is_described_and_nothing_is_loaded_from_elsewhere() -> None:
    visitor = client()
    assert visitor.get("/api/openapi.json").json()["openapi"].startswith("3.")
    assert "http" not in visitor.get("/docs").text.replace("http-equiv", "")


# ----------------------------------------------------------------------------------------- rights


def test_where_others_can_reach_us_the_first_password_needs_the_printed_code() -> None:
    visitor = client(setup_code="a1b2c3d4")
    assert not visitor.get("/api/session").json()["may_set_password"]
    for code in (None, "", "wrong"):
        answer = visitor.post("/api/first-password", json=PASSWORD | {"code": code})
        assert answer.json()["detail"]["code"] == "setup-code"
    answer = visitor.post("/api/first-password", json=PASSWORD | {"code": "a1b2c3d4"})
    assert answer.json()["organiser"]


def test_guessing_the_password_is_slow() -> None:
    app = create_app(arena_with())
    Browser(app).post("/api/first-password", json=PASSWORD)
    visitor = Browser(app)
    codes = (
        visitor.post("/api/session", json={"password": f"guess {n}"}).json()["detail"]["code"]
        for n in range(100)
    )
    allowed = list(itertools.takewhile(lambda code: code != "too-often", codes))
    assert allowed == ["wrong-password"] * FREE


def guessed(app: Any, address: str, times: int) -> None:
    for number in range(times):
        Browser(app, address).post("/api/session", json={"password": f"guess {number}"})


def test_many_addresses_that_guess_lock_the_login_but_not_the_organiser(tmp_path: Path) -> None:
    clock = Clock()
    guard = LoginGuard(tmp_path / UNLOCK, now=clock)
    arena = arena_with(guard=guard)
    app = create_app(arena)
    organiser = Browser(app)
    csrf = organiser.post("/api/first-password", json=PASSWORD).json()["csrf"]

    def tried(address: str) -> str:
        answer = Browser(app, address).post("/api/session", json=PASSWORD)
        return "in" if answer.status_code == 200 else str(answer.json()["detail"]["code"])

    for number in range(IN_ALL // 2):
        guessed(app, f"10.0.0.{number}", 2)
    assert tried("10.0.1.1") == "locked"
    right = {"old": PASSWORD["password"], "password": PASSWORD["password"]}
    headers = {"x-csrf-token": csrf}
    assert organiser.post("/api/password", json=right, headers=headers).status_code == 200
    assert tried("10.0.1.1") == "in"  # the open session has unlocked it
    for number in range(IN_ALL // 2):
        guessed(app, f"10.0.2.{number}", 2)
    assert tried("10.0.1.1") == "locked"
    (tmp_path / LOCK).touch()
    told = CliRunner().invoke(cli, ["unlock", "--data", str(tmp_path)])
    assert told.exit_code == 0, told.output
    assert tried("10.0.1.1") == "in"
    assert not (tmp_path / UNLOCK).exists()
    for number in range(IN_ALL // 2):
        guessed(app, f"10.0.3.{number}", 2)
    assert tried("10.0.1.2") == "locked"
    clock.now += WITHIN
    assert tried("10.0.1.2") == "in"


def test_an_address_that_guesses_waits_longer_and_longer_and_others_do_not() -> None:
    clock = Clock()
    guard = LoginGuard(now=clock)
    for _ in range(FREE):
        assert guard.waits("10.0.0.1") == 0
        guard.failed("10.0.0.1")
    assert guard.waits("10.0.0.1") == 30
    assert guard.waits("10.0.0.2") == 0
    clock.now += 31
    assert guard.waits("10.0.0.1") == 0
    guard.failed("10.0.0.1")
    assert guard.waits("10.0.0.1") == 60
    guard.succeeded("10.0.0.1")
    assert guard.waits("10.0.0.1") == 0


@pytest.mark.parametrize(
    ("trusted", "peer", "forwarded", "client"),
    [
        ((), "10.0.0.1", "192.0.2.7", "10.0.0.1"),
        (("10.0.0.1",), "10.0.0.2", "192.0.2.7", "10.0.0.2"),
        (("10.0.0.1",), "10.0.0.1", "192.0.2.7", "192.0.2.7"),
        (("10.0.0.1",), "10.0.0.1", "198.51.100.1, 192.0.2.7", "192.0.2.7"),
        (("10.0.0.0/8",), "10.0.0.1", "192.0.2.7, 10.3.0.1", "192.0.2.7"),
        (("10.0.0.0/8",), "10.0.0.1", "192.0.2.7, nonsense", "10.0.0.1"),
        (("10.0.0.0/8",), "10.0.0.1", "", "10.0.0.1"),
        (("::1",), "::1", "2001:db8::7", "2001:db8::7"),
    ],
)
def test_only_proxies_of_ours_say_who_asks(
    trusted: tuple[str, ...], peer: str, forwarded: str, client: str
) -> None:
    assert TrustedProxies(trusted).client(peer, forwarded) == client


def test_a_proxy_that_is_no_address_is_refused() -> None:
    with pytest.raises(UsageError, match="--behind-proxy"):
        TrustedProxies(["proxy.example"])


def test_headers_of_strangers_do_not_give_them_another_address() -> None:
    app = create_app(arena_with(guard=LoginGuard()))
    trusting = create_app(arena_with(proxies=TrustedProxies(["127.0.0.1"])))
    for number in range(FREE + 1):
        sent = {"headers": {"x-forwarded-for": f"192.0.2.{number}"}, "json": {"password": "?"}}
        told = Browser(app).post("/api/session", **sent).json()["detail"]["code"]
        believed = Browser(trusting).post("/api/session", **sent).json()["detail"]["code"]
        assert told == ("wrong-password" if number < FREE else "too-often")
        assert believed == "wrong-password"


def test_a_household_is_counted_once_however_many_addresses_it_has() -> None:
    assert visitor_of("2001:db8:1:2::1") == visitor_of("2001:db8:1:2:ffff::9")
    assert visitor_of("2001:db8:1:2::1") != visitor_of("2001:db8:1:3::1")
    assert visitor_of("::ffff:192.0.2.1") == visitor_of("192.0.2.1") == "192.0.2.1"


# ----------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/api/nowhere", 404, "no-such-address"),
        ("GET", "/api/" + "x" * 5_000, 404, "no-such-address"),
        ("PUT", "/api/games", 405, "no-such-method"),
        ("POST", "/index.html", 405, "no-such-method"),
        ("GET", "/api/games?limit=many", 422, "invalid"),
        ("GET", "/api/games/none/scenes/" + "9" * 5_000, 422, "invalid"),
        ("GET", "/api/contests/none/games/" + "9" * 40 + "/log", 422, "invalid"),
        ("GET", "/api/games/" + "x" * 5_000, 404, "no-such-game"),
        ("GET", "/api/replays/file/" + "x" * 200, 422, "invalid"),
        ("GET", "/api/replays/contest/a~" + "9" * 100, 404, "no-such-game"),
    ],
)
def test_every_error_has_a_code_and_a_message(
    method: str, path: str, status: int, code: str
) -> None:
    async def asked() -> httpx.Response:
        return await client()._client.request(method, path)

    answer = asyncio.run(asked())
    assert answer.status_code == status, answer.text
    assert answer.json()["detail"]["code"] == code
    assert answer.json()["detail"]["message"]


@pytest.mark.parametrize("path", ["/" + "x" * 300, "/" + "x/" * 3_000, "/%ff%00"])
def test_no_name_of_a_page_is_too_long_or_too_odd(pages: Path, path: str) -> None:
    assert "the viewer" in client(pages=pages).get(path).text


def test_a_store_that_is_away_is_said_and_no_mistake_of_ours() -> None:
    class Away(GameRecorder):
        async def find(self, name: str) -> LiveGame | None:
            raise StoreError("the database does not answer")

    for path in ("/api/games/one", "/api/games/one/feed"):
        answer = client(recorder=Away()).get(path)
        assert answer.status_code == 503
        assert answer.json()["detail"]["code"] == "store"


def test_a_mistake_of_ours_has_the_same_form_and_tells_nothing() -> None:
    class Wrong(GameRecorder):
        async def find(self, name: str) -> LiveGame | None:
            raise ZeroDivisionError("a secret of the machine")

    app = create_app(arena_with(recorder=Wrong()))
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)

    async def asked() -> httpx.Response:
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as http:
            return await http.get("/api/games/one")

    answer = asyncio.run(asked())
    assert answer.status_code == 500
    assert answer.json()["detail"]["code"] == "broken"
    assert "secret" not in answer.text


def test_who_still_waits_when_the_arena_closes_is_told_so() -> None:
    """The server cancels what takes too long; nobody is to see a traceback for that."""
    begun = asyncio.Event()

    class Endless(GameRecorder):
        async def find(self, name: str) -> LiveGame | None:
            begun.set()
            await asyncio.Event().wait()
            return None

    transport = httpx.ASGITransport(create_app(arena_with(recorder=Endless())))

    async def asked() -> httpx.Response:
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as http:
            request = asyncio.create_task(http.get("/api/games/one"))
            await begun.wait()
            request.cancel()
            return await request

    answer = asyncio.run(asked())
    assert answer.status_code == 503
    assert answer.json()["detail"]["code"] == "closing"


def test_files_of_very_many_empty_parts_are_refused_at_once() -> None:
    with pytest.raises(TextError, match="parts"):
        unpacked(gzip.compress(b"") * 100_000)
    assert unpacked(gzip.compress(b"ab") + gzip.compress(b"c")) == b"abc"


def test_another_password_ends_all_other_sessions() -> None:
    rights = Authentication(None, hasher=QUICK)
    visitor, other = client(rights=rights), client(rights=rights)
    csrf = visitor.post("/api/first-password", json=PASSWORD).json()["csrf"]
    assert other.post("/api/session", json=PASSWORD).json()["organiser"]
    headers = {"x-csrf-token": csrf}
    wrong = {"old": "guess", "password": "battery staple"}
    assert visitor.post("/api/password", json=wrong, headers=headers).status_code == 401
    right = {"old": PASSWORD["password"], "password": "battery staple"}
    answer = visitor.post("/api/password", json=right, headers=headers)
    assert answer.json()["organiser"]
    assert not other.get("/api/session").json()["organiser"]
    assert visitor.get("/api/session").json()["organiser"]


def test_behind_a_proxy_with_tls_the_cookie_is_for_https_only() -> None:
    answer = client(secure=True).post("/api/first-password", json=PASSWORD)
    assert "secure" in answer.headers["set-cookie"].lower()


def test_sessions_end_by_themselves(tmp_path: Path) -> None:
    clock = Clock()
    rights = Authentication(tmp_path, now=clock, hasher=QUICK)
    rights.set_password("correct horse")
    token = rights.open_session()
    clock.now += LASTS - 1
    assert Authentication(tmp_path, now=clock, hasher=QUICK).is_organiser(token)
    clock.now += 2
    assert not rights.is_organiser(token)
    assert not Authentication(tmp_path, now=clock, hasher=QUICK).is_organiser(token)


def test_neither_password_nor_token_stands_in_the_file(tmp_path: Path) -> None:
    rights = Authentication(tmp_path, hasher=QUICK)
    rights.set_password("correct horse")
    token = rights.open_session()
    text = (tmp_path / "access.json").read_text()
    assert "correct horse" not in text
    assert token not in text
    assert rights.is_password("correct horse")
    assert not rights.is_password("wrong horse")


def test_a_damaged_file_is_named_and_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "access.json").write_text("{")
    with pytest.raises(StoreError, match=r"access\.json"):
        Authentication(tmp_path)


def test_a_turnstile_lets_so_many_through_and_more_with_time() -> None:
    clock = Clock()
    turnstile = RateLimit(3, 60.0, now=clock)
    assert [turnstile.passes("a") for _ in range(5)] == [True, True, True, False, False]
    assert turnstile.passes("b")
    clock.now += 20
    assert [turnstile.passes("a") for _ in range(2)] == [True, False]


@pytest.mark.parametrize(
    ("header", "name"),
    [("localhost:8080", "localhost"), ("[::1]:8080", "::1"), ("ARENA", "arena"), ("", "")],
)
def test_a_host_header_is_read_without_its_port(header: str, name: str) -> None:
    assert name_of(header) == name


# ------------------------------------------------------------------------------------- connections


def test_the_content_of_an_answer_does_not_wait_for_its_headers_to_be_acknowledged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    at_once, made = list[int](), BoundedConnection.connection_made

    def seen(self: BoundedConnection, transport: asyncio.Transport) -> None:
        made(self, transport)
        sock = transport.get_extra_info("socket")
        at_once.append(sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))

    monkeypatch.setattr(BoundedConnection, "connection_made", seen)

    async def scene() -> None:
        arena = arena_with(hosts={"127.0.0.1"})
        with socket.create_server(("127.0.0.1", 0)) as listener:
            address = f"http://127.0.0.1:{listener.getsockname()[1]}/api/session"
            async with serve_pages(create_app(arena), arena, listener), httpx.AsyncClient() as us:
                assert (await us.get(address)).status_code == 200

    asyncio.run(scene())
    assert all(at_once)
    assert len(at_once) == 1
