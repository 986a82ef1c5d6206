"""The password of a database appears nowhere: every output of ours is searched for it.

One store works and one is away, both with the planted password in their URLs. SQLite takes a URL
with parameters it does not know, so no database server is needed.
"""

from __future__ import annotations

import json
import logging
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from spielleiter import games
from spielleiter.errors import SpielleiterError
from spielleiter.store import StoreAddress, open_store
from tests.arenas import PASSWORD, PATIENCE, Visitor, arena, built_in
from tests.contests import QUICK, SPOKEN, environment, program, said, start
from tests.walks import near_the_end

SECRET = "pl4nted"
AWAY = f"postgresql://ada:{SECRET}@127.0.0.1:1/games"
BROKEN = (
    AWAY,
    f"postgresql://ada:{SECRET}@127.0.0.1:port/games",
    f"postgresql://127.0.0.1:1/games?user=ada&password={SECRET}",
    f"nonsense://ada:{SECRET}@host",
)
CONTEST = """
[contest]
name = "{name}"
game = "{game}"
format = "gauntlet"
games = 2
store = "{store}"
[format]
challengers = ["Ada"]
[[team]]
name = "Ada"
player = "random"
[[team]]
name = "Bob"
player = "greedy"
"""
FAILING = """
from spielleiter import Bot

class Player(Bot):
    name = "fails"
    def choose(self, position, clock):
        raise ValueError("no idea")
"""


def working(folder: Path, name: str) -> str:
    """The URL of a store in a file that opens, with a password that is ignored."""
    return f"sqlite:///file:{folder / name}?uri=true&password={SECRET}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A played contest, one whose store is away, a played match; no command told the password."""
    folder = tmp_path_factory.mktemp("secrets")
    stores = {"played": working(folder, "contest.db"), "away": AWAY}
    for name, store in stores.items():
        text = CONTEST.format(name=name, game=QUICK, store=store)
        (folder / f"{name}.toml").write_text(text)
    (folder / "fails.py").write_text(FAILING)
    assert SECRET not in said(folder, "contest", "run", "played.toml")
    words = ("match", "fails.py", "random", "--game", QUICK, "--games", "2", "--trust-files")
    assert SECRET not in said(folder, *words, "--store", working(folder, "match.db"), status=1)
    return folder


def commands(folder: Path) -> Iterator[tuple[str, ...]]:
    """Every command that is told where a store is, with one that works and with broken ones."""
    little = ("--games", "2", "--nodes", "1", "--concurrency", "1")  # a worker starts Python, too
    match = ("match", "random", "random", "--game", QUICK, *little)
    for url in (working(folder, "match.db"), *BROKEN):
        yield from ((*match, "--store", url), (*match, f"--store={url}", "--json"))
        yield from (("store", "verify", url), ("store", "repair", url), ("report", url))
        yield from (("records", url), ("records", url, "--json", "--log"), ("logs", url, "--all"))
        yield from (
            ("show", url),
            ("review", url, "--json", "--nodes", "1"),
            ("contest", "run", url),
        )
    for file in ("played.toml", "away.toml"):
        yield from (("contest", verb, file) for verb in ("check", "status", "table", "verify"))
        yield from (("contest", "status", file, "--json"), ("report", file))
        yield from (("records", file, "--json"), ("review", file, "--json", "--nodes", "1"))
    yield ("doctor", "--port", "1", "--password", "x")


MANY = """
import contextlib, json, sys
from spielleiter.cli import main

for words in json.load(sys.stdin):
    print("$", *words[:1], file=sys.stderr)
    with contextlib.suppress(SystemExit):
        main(words)
"""
"""Runs one command after the other, so that Python starts only once."""


def test_no_command_shows_the_password_of_a_database(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", MANY],
        cwd=folder,
        env=environment(),
        input=json.dumps(list(commands(folder))),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("\n$ ") >= 60, "all of them ran"
    leaks = [line for line in (done.stdout + done.stderr).splitlines() if SECRET in line]
    assert leaks == []
    assert "***" in done.stderr, "addresses are told, masked"
    for page in (*folder.glob("*.html"), *folder.glob("*.svg")):
        assert SECRET not in page.read_text()


@pytest.mark.parametrize("url", BROKEN)
def test_neither_an_address_nor_a_traceback_shows_the_password(url: str) -> None:
    address = StoreAddress.of(url)
    shown = [str(address), repr(address), f"{address}", repr({"store": address})]
    try:
        open_store(url, patience=0.0)
    except SpielleiterError as problem:
        shown += [str(problem), repr(problem), "".join(traceback.format_exception(problem))]
    assert len(shown) == 7
    assert [text for text in shown if SECRET in text] == []


# --------------------------------------------------------------------------------------- the site


@pytest.fixture(scope="module")
def visitor(folder: Path) -> Iterator[Visitor]:
    contests = (folder / "played.toml", folder / "away.toml")
    with arena(folder / "data", contests=contests) as visitor:
        late = near_the_end(games.load(QUICK), 8)  # one page explains every move
        game = visitor.order(QUICK, built_in(), built_in(), position=late)["id"]
        visitor.watch_to_the_end(game)
        yield visitor


def addresses(visitor: Visitor) -> Iterator[str]:
    """Every GET route of the site, filled in with all the names there are."""
    games = [each["id"] for each in visitor.get("/api/games")["games"]]
    contests = [each["id"] for each in visitor.get("/api/contests")]
    known = {
        "game": games,
        "contest": contests,
        "edition": [QUICK],
        "source": ["game", "contest"],
        "name": [*games, *(f"{contest}~1" for contest in contests)],
        "suffix": [".xml"],
    }
    for path, methods in visitor.get("/api/openapi.json")["paths"].items():
        if "get" in methods:
            query = "&".join(_parameters(methods["get"]))
            yield from (f"{filled}?{query}" for filled in _filled(path, known))
    yield from ("/", "/contests", "/nowhere", "/api/nowhere", "/api/contests/%00")


def _filled(path: str, known: dict[str, list[str]]) -> list[str]:
    before, brace, rest = path.partition("{")
    if not brace:
        return [path]
    name, _, after = rest.partition("}")
    return [
        before + quote(value, safe="~") + filled
        for value in known.get(name, ["1"])
        for filled in _filled(after, known)
    ]


def _parameters(described: dict[str, Any]) -> Iterator[str]:
    """What a route needs, in the shortest form that it takes."""
    for each in described.get("parameters", ()):
        if each["in"] == "query" and each.get("required"):
            yield f"{each['name']}={QUICK}"
        elif each["name"] == "seconds":
            yield "seconds=0.001"


def told(http: httpx.Client, path: str) -> str:
    """The head of an answer and its body; of an endless stream, its beginning."""
    with http.stream("GET", path) as answer:
        parts = [str(answer.headers)]
        if "event-stream" in answer.headers.get("content-type", ""):
            parts += [next(answer.iter_text(), "")]
        else:
            parts += list(answer.iter_text())
    return "".join(parts)


@pytest.mark.parametrize("who", ["anonymous", "organiser"])
def test_no_page_of_the_site_shows_the_password_of_a_database(
    visitor: Visitor, who: str, caplog: pytest.LogCaptureFixture
) -> None:
    if who == "organiser":
        visitor.log_in()
    with caplog.at_level(logging.DEBUG):
        answers = {path: told(visitor.http, path) for path in addresses(visitor)}
    assert len(answers) > 40
    assert [path for path, answer in answers.items() if SECRET in answer] == []
    assert any("***" in answer for answer in answers.values()), "the store that is away is told"
    ours = [each.getMessage() for each in caplog.records if each.name.startswith("spielleiter")]
    assert not [line for line in ours if SECRET in line]


@pytest.mark.deep
def test_neither_the_start_nor_the_log_of_an_arena_shows_the_password(folder: Path) -> None:
    words = ["arena", "--port", "0", "--xml-port", "0", "--binary-port", "0", "--no-demo", "-vv"]
    words += ["--players", "1", "--data", str(folder / "other")]
    for name in ("played", "away"):
        words += ["--contest", str(folder / f"{name}.toml")]
    process = start(folder, *words)
    assert process.stdout is not None
    first = process.stdout.readline()
    with httpx.Client(base_url=first.split()[-1].rstrip("/"), timeout=PATIENCE) as http:
        http.post("/api/first-password", json={"password": PASSWORD})
        listed = http.get("/api/contests").text
        http.get("/api/contests/away")
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=PATIENCE)
    assert "***" in listed
    assert SECRET not in first + listed + out + err


def test_the_metrics_and_the_log_of_a_server_show_no_password(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        metrics = probe.getsockname()[1]
    words = program("serve", SPOKEN, "-p", "0", "--metrics-port", str(metrics), "-vv")
    process = subprocess.Popen(
        [*words, "--password", SECRET],
        cwd=tmp_path,
        env={**environment(), "DATABASE_URL": AWAY},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    first = process.stdout.readline()
    port = int(first.split(" for ")[0].rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as link:
        link.sendall(f'<protocol><authenticate password="{SECRET}"/><nonsense/>'.encode())
        answer = b"".join(iter(lambda: link.recv(65536), b""))
    page = httpx.get(f"http://127.0.0.1:{metrics}/metrics", timeout=PATIENCE).text
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=PATIENCE)
    assert "spielleiter_connections" in page
    assert SECRET not in first + answer.decode() + page + out + err
