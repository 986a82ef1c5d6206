"""The application without a network: pages, the first password, sessions, turnstiles."""

from __future__ import annotations

import asyncio
import itertools
from pathlib import Path
from typing import Any, cast

import httpx
import pytest
from argon2 import PasswordHasher

from spielleiter.errors import StoreError
from spielleiter.web import create_app
from spielleiter.web.arena import Arena
from spielleiter.web.authentication import LASTS, Authentication, RateLimit
from spielleiter.web.recorder import GameRecorder
from spielleiter.web.request_filter import name_of
from spielleiter.web.service import GameService

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

    def __init__(self, app: Any) -> None:
        transport = httpx.ASGITransport(app, client=("127.0.0.1", 40_000))
        self._client = httpx.AsyncClient(transport=transport, base_url="http://localhost:8080")

    def get(self, path: str) -> httpx.Response:
        return asyncio.run(self._client.get(path))

    def post(self, path: str, **more: Any) -> httpx.Response:
        return asyncio.run(self._client.post(path, **more))


def client(**changes: Any) -> Browser:
    given: dict[str, Any] = {
        "recorder": GameRecorder(),
        "service": NOBODY,
        "rights": Authentication(None, hasher=QUICK),
        "hosts": frozenset({"localhost"}),
    }
    return Browser(create_app(Arena(**given | changes)))


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
    visitor = client()
    visitor.post("/api/first-password", json=PASSWORD)
    codes = (
        visitor.post("/api/session", json={"password": f"guess {n}"}).json()["detail"]["code"]
        for n in range(100)
    )
    allowed = list(itertools.takewhile(lambda code: code != "too-often", codes))
    assert set(allowed) == {"wrong-password"}
    assert len(allowed) < 20  # ten at once, and one more every six seconds


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
