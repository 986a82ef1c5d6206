"""The arena's pages under attack: everybody else is served, and every answer has its form."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from spielleiter.web import page_server
from tests.arenas import PASSWORD, PATIENCE, Visitor, arena, built_in
from tests.contests import QUICK
from tests.people import add_released
from tests.test_arena_restart import EDITION, SEATS
from tests.test_season import BOT, TOML

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="attackers use several addresses of loopback"
)


@contextmanager
def attacking(name: str, port: int, times: int, *more: str) -> Iterator[subprocess.Popen[str]]:
    """An attacker at work; it ends with the block."""
    words = [
        sys.executable,
        "-m",
        "tests.attack.site",
        name,
        str(port),
        "--times",
        str(times),
        *more,
    ]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as attacker:
        try:
            yield attacker
        finally:
            if attacker.stdin is not None:
                attacker.stdin.close()
            attacker.wait(PATIENCE)


def told(attacker: subprocess.Popen[str]) -> dict[str, Any]:
    """What the attacker was answered."""
    assert attacker.stdout is not None
    report: dict[str, Any] = json.loads(attacker.stdout.readline())
    return report


def attacked(visitor: Visitor, name: str, times: int, *more: str) -> dict[str, int]:
    """Attack, and check that every error has its form and none is our mistake."""
    with attacking(name, visitor.opened.port, times, *more) as attacker:
        report = told(attacker)
    assert report["formless"] == []
    assert report["mistakes"] == []
    answers: dict[str, int] = report["answers"]
    return answers


@pytest.fixture(scope="module")
def visitor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    with arena(tmp_path_factory.mktemp("arena")) as visitor:
        yield visitor


def test_nothing_that_is_too_long_breaks_anything(visitor: Visitor) -> None:
    answers = attacked(visitor, "giant", 34)
    assert answers.keys() <= {"200", "400", "404", "408", "413", "422", "431", "closed"}, answers
    assert answers["404"] >= 4
    assert answers["431"] >= 2
    assert visitor.get("/api/games")["games"] == []


def test_no_request_of_the_api_is_a_mistake_of_ours(visitor: Visitor) -> None:
    answers = attacked(visitor, "fuzz", 150)
    assert sum(answers.values()) == 150
    assert answers.keys() >= {"404", "405", "422"}


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(2, 12))
def test_no_request_of_the_api_is_a_mistake_of_ours_with_other_seeds(
    visitor: Visitor, seed: int
) -> None:
    attacked(visitor, "fuzz", 5_000, "--seed", str(seed))


def limited() -> None:
    import resource  # not on Windows

    resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 1024))


def test_with_1024_files_a_flood_keeps_out_nobody_else_and_games_go_on(tmp_path: Path) -> None:
    """Two addresses ask for more than their share; visitors and games do not notice.

    It comes before the tests whose site has a ladder: that one plays on as long as it is open.
    """
    words = ["arena", "--port", "0", "--xml-port", "0", "--binary-port", "0", "--no-demo"]
    more = ["--players", "1", "--data", str(tmp_path / "data")]
    with (tmp_path / "log").open("w") as log, ExitStack() as stack:
        process = subprocess.Popen(
            [sys.executable, "-m", "spielleiter", *words, *more],
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            preexec_fn=limited,
        )
        stack.callback(process.communicate, timeout=PATIENCE)  # closes the pipe as well
        stack.callback(process.terminate)
        assert process.stdout is not None
        address = process.stdout.readline().split()[-1].rstrip("/")
        port = int(address.rpartition(":")[2])
        http = stack.enter_context(httpx.Client(base_url=address, timeout=PATIENCE))
        csrf = http.post("/api/first-password", json={"password": PASSWORD}).json()["csrf"]
        order = {"edition": EDITION, "seats": [built_in()] * SEATS, "delay": 0, "paused": True}
        headers = {"x-csrf-token": csrf}
        game = http.post("/api/games", json=order, headers=headers).json()["id"]
        for source in ("127.0.0.2", "127.0.0.3"):
            watched = ["--path", f"/api/games/{game}/feed", "--source", source, "--hold"]
            report = told(stack.enter_context(attacking("flood", port, 260, *watched)))
            assert report["formless"] == []
            assert report["answers"] == {"200": 206, "429": 54}
        with httpx.Client(base_url=address, timeout=PATIENCE) as other:
            assert other.get("/api/games").json()["games"][0]["id"] == game
        http.post(f"/api/games/{game}/pause", json={"paused": False}, headers=headers)
        with http.stream("GET", f"/api/games/{game}/feed") as feed:
            for _ in feed.iter_lines():  # to the end of the game
                pass
        assert http.get(f"/api/games/{game}").json()["summary"]["state"] == "finished"
        assert process.poll() is None
    assert len((tmp_path / "log").read_text().splitlines()) < 20


def furnished(visitor: Visitor) -> dict[str, tuple[str, ...]]:
    """Fill an arena with a bit of everything; the headers of who is logged in, by role."""
    visitor.log_in()
    found = {"organiser": headers_of(visitor.http, visitor.csrf)}
    arena = visitor.opened.arena
    assert arena.accounts is not None
    assert arena.seasons is not None
    for name in ("Ada", "Grace"):
        with httpx.Client(base_url=visitor.http.base_url, timeout=PATIENCE) as browser:
            order = {"name": name, "password": PASSWORD}
            csrf = browser.post("/api/members", json=order).json()["csrf"]
            found[name] = headers_of(browser, csrf)
            team = browser.post(
                "/api/teams", json={"name": f"Team {name}"}, headers={"x-csrf-token": csrf}
            ).json()["id"]
        bot = BOT.replace("{number}", str(len(name))).encode()
        version = add_released(arena.accounts, team, f"bot {name}", edition=QUICK, content=bot)
        for season in arena.seasons.all() or [arena.seasons.imported(TOML)]:
            if season.state == "draft":
                arena.seasons.open(season.id)
            arena.seasons.enter(season.id, team, version.id)
    (season,) = arena.seasons.all()
    with arena.seasons.changing(season.id) as begun:
        arena.seasons.begin(begun)
    arena.seasons.annul(season.id, "day 1", "<script>alert(1)</script>")
    visitor.watch_to_the_end(visitor.order(EDITION, *[built_in()] * SEATS)["id"])
    return found


def headers_of(browser: httpx.Client, csrf: str) -> tuple[str, ...]:
    cookies = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
    return f"cookie: {cookies}", f"x-csrf-token: {csrf}"


@pytest.fixture(scope="module")
def site(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[Visitor, dict[str, tuple[str, ...]]]]:
    with arena(tmp_path_factory.mktemp("site"), ladder=1) as visitor:
        yield visitor, furnished(visitor)


Site = tuple[Visitor, dict[str, tuple[str, ...]]]


@pytest.mark.parametrize("who", ["Ada", "organiser"])
def test_no_request_of_somebody_who_is_logged_in_is_a_mistake_of_ours(site: Site, who: str) -> None:
    visitor, headers = site
    said = [word for each in headers[who] for word in ("--header", each)]
    answers = attacked(visitor, "fuzz-as", 150, *said)
    assert answers.keys() >= {"200", "404", "422"}, answers


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(2, 6))
@pytest.mark.parametrize("who", ["Ada", "organiser"])
def test_no_request_of_somebody_who_is_logged_in_is_a_mistake_of_ours_with_other_seeds(
    site: Site, who: str, seed: int
) -> None:
    visitor, headers = site
    said = [word for each in headers[who] for word in ("--header", each)]
    attacked(visitor, "fuzz-as", 5_000, "--seed", str(seed), *said)


def test_who_never_ends_his_headers_is_told_so_and_lets_go(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_server, "HEADERS", 0.5)
    answers = attacked(visitor, "slow-headers", 40)
    assert answers.get("408", 0) >= 30
    assert set(answers) <= {"408", "closed"}


def test_what_is_no_http_is_answered_to_the_end_at_once(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """We go on reading for a while, so that the answer is not lost; nobody waits for that."""
    monkeypatch.setattr(page_server, "_LINGER", 10 * PATIENCE)
    with socket.create_connection(("127.0.0.1", visitor.opened.port), PATIENCE) as link:
        link.sendall(b"BREW /api/games HTTP/1.1\r\nhost: localhost\r\n\r\n")
        answer = b"".join(iter(lambda: link.recv(65536), b""))
    assert answer.startswith(b"HTTP/1.1 400 ")
