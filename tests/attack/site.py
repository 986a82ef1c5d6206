"""Attackers of the arena's pages, as programs: `python -m tests.attack.site NAME PORT [--times N]`.

Each connects from an address of its own on loopback, does its worst, and prints what it was
answered as JSON: how often which status, and what did not have the promised form.
"""

from __future__ import annotations

import argparse
import json
import random
import socket
import sys
import time
from collections import Counter
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

HOST = "127.0.0.1"
PATIENCE = 60.0


class Attack:
    """Connections from one address, and what came of them."""

    def __init__(self, port: int, source: str, times: int, seed: int, path: str) -> None:
        self.port, self.source, self.times, self.path = port, source, times, path
        self.draw = random.Random(seed)
        self.answers: Counter[str] = Counter()
        self.formless: list[str] = []
        self.mistakes: list[str] = []
        """What was answered 500."""
        self.open: list[socket.socket] = []
        self.headers: tuple[str, ...] = ()
        """Of whoever is logged in."""

    def connect(self) -> socket.socket:
        return socket.create_connection((HOST, self.port), PATIENCE, (self.source, 0))

    def ask(self, request: bytes) -> None:
        """Send bytes on a connection of its own and note the answer."""
        with self.connect() as link:
            try:
                link.sendall(request)
                self.note(link, request)
            except OSError:
                self.answers["closed"] += 1

    def note(self, link: socket.socket, request: bytes) -> None:
        answer = b""
        while chunk := link.recv(65536):
            answer += chunk
            if b"text/event-stream" in answer or len(answer) > 1 << 20:
                break
        head, _, body = answer.partition(b"\r\n\r\n")
        status = head.split(b" ")[1].decode() if head.startswith(b"HTTP/1.1 ") else "closed"
        self.answers[status] += 1
        if status[0] in "45" and not has_form(body) and not request.startswith(b"HEAD"):
            self.formless.append(f"{status} {request[:200]!r}")
        if status == "500":
            self.mistakes.append(f"{request[:2_000]!r}")

    def answer(self, request: bytes) -> tuple[bytes, bytes, bytes]:
        """All of an answer: its head, what parts it, its body."""
        with self.connect() as link:
            link.sendall(request)
            answer = b"".join(iter(lambda: link.recv(65536), b""))
        return answer.partition(b"\r\n\r\n")

    def told(self, path: str) -> Any:
        """What the site says there."""
        return json.loads(self.answer(request("GET", path, *self.headers))[2])

    def report(self) -> dict[str, Any]:
        found = {"formless": self.formless[:5], "mistakes": self.mistakes[:5]}
        return {"answers": dict(self.answers), **found}


def has_form(body: bytes) -> bool:
    """Whether a body is the promised form of an error."""
    try:
        detail = json.loads(body)["detail"]
        return bool(detail["code"]) and bool(detail["message"])
    except (ValueError, LookupError, TypeError):
        return False


def request(method: str, path: str, *headers: str, body: bytes = b"") -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "host: localhost", "connection: close", *headers]
    return "\r\n".join([*lines, "", ""]).encode("latin-1", "replace") + body


# ---------------------------------------------------------------------------------------- attackers


def flood(attack: Attack) -> None:
    """Open streams and keep them; count who is refused."""
    for _ in range(attack.times):
        link = attack.connect()
        attack.open.append(link)
        try:
            link.sendall(request("GET", attack.path))
            attack.note(link, b"")
        except OSError:
            attack.answers["closed"] += 1


def slow_headers(attack: Attack) -> None:
    """Begin requests and never end them: all are answered 408, or closed."""
    links = [attack.connect() for _ in range(attack.times)]
    for link in links:
        link.sendall(b"GET /api/games HTTP/1.1\r\nhost: loc")
    for link in links:
        try:
            attack.note(link, b"")
        except OSError:
            attack.answers["closed"] += 1


def giant(attack: Attack) -> None:
    """Everything far too long."""
    long = "x" * 20_000
    huge = "9" * 20_000
    requests = [
        request("GET", "/" + long),
        request("GET", "/" + "a/" * 9_000),
        request("GET", "/api/games/" + long),
        request("GET", f"/api/games/none/feed?after={huge}"),
        request("GET", "/api/games/none/feed", f"last-event-id: {huge}"),
        request("GET", f"/api/games?before={long}&edition={long}"),
        request("GET", f"/api/games?limit={huge}"),
        request("GET", f"/api/contests/x/games/{huge}/log"),
        request("GET", f"/api/replays/contest/x~{huge}"),
        request("GET", f"/api/analysis/position?edition=x&position={long}"),
        request("GET", "/api/catalogue", f"cookie: spielleiter_session={long}"),
        request("GET", "/api/catalogue", f"x-long: {long * 5}"),
        request("POST", "/api/session", f"content-length: {huge}"),
        request("POST", "/api/session", "content-length: 10000000"),
        request("POST", "/api/session", "content-type: application/json", "content-length: 60000")
        + b"[" * 60_000,
        b"GET /" + b"y" * 200_000,
        b"\x16\x03\x01" + bytes(500),
    ]
    for number in range(attack.times):
        attack.ask(requests[number % len(requests)])


WORDS = (
    *(
        "",
        "0",
        "-1",
        "1e400",
        "none",
        "../../etc/passwd",
        "%00",
        "%ff%fe",
        "ä",
        "'\"<>",
        "[]",
        "{}",
    ),
    *("true", "9" * 30, "x" * 300, "%2e%2e%2f", "null", "*", "\U0001f600", "a~1", "a~-1"),
)


def fuzz(attack: Attack) -> None:
    """Every request of the API's own description, with values drawn by lot."""
    with attack.connect() as link:
        link.sendall(request("GET", "/api/openapi.json"))
        answer = b""
        while chunk := link.recv(65536):
            answer += chunk
    paths = json.loads(answer.partition(b"\r\n\r\n")[2])["paths"]
    offers = [(path, method) for path, each in sorted(paths.items()) for method in sorted(each)]
    for _ in range(attack.times):
        path, method = attack.draw.choice(offers)
        attack.ask(drawn(attack.draw, path, method, paths[path][method]))


def drawn(draw: random.Random, path: str, method: str, described: dict[str, Any]) -> bytes:
    def value() -> str:
        return quote(draw.choice(WORDS).encode("utf-8", "surrogatepass"), safe="%/~")

    while "{" in path:
        before, _, rest = path.partition("{")
        path = before + value() + rest.partition("}")[2]
    asked = [each["name"] for each in described.get("parameters", ()) if each["in"] == "query"]
    query = "&".join(f"{name}={value()}" for name in asked if draw.random() < 0.7)
    body = json.dumps({draw.choice(WORDS[5:]): draw.choice(WORDS)}) if draw.random() < 0.5 else "["
    sent = body.encode("utf-8", "replace") if method != "get" else b""
    length = f"content-length: {len(sent)}"
    method = draw.choice([method.upper()] * 8 + ["PUT", "PATCH", "BREW"])
    return request(
        method, f"{path or '/'}?{query}", "content-type: application/json", length, body=sent
    )


Known = dict[str, list[str]]
"""Name of a parameter or of a field → what it can be."""
HOSTILE_TOML = """[contest]
name = "\\u001e<b>x</b>"
game = "GAME"
format = "swiss"
games = 2
seed = 1
unofficial = true
[format]
rounds = 999999999
"""
SAID: Known = {
    "source": ["game", "contest", "store", "ladder", "file"],
    "turn": ["0", "1", "2", "999"],
    "number": ["1", "2", "3"],
    "suffix": [".xml", ".xml.gz", ".json"],
    "file": ["picture.svg", "picture.png", "page.html", "replay.xml.gz"],
    "engine": ["alphabeta", "mcts", "playouts"],
    "scope": ["day 1", "day 2", "School league/day 1"],
    "url": ["https://chat.example/", "http://[", "http://x:99999/", "http://127.0.0.1/"],
    "format": ["league", "swiss", "knock-out", "season", "cup", "gauntlet"],
    "reason": ["<script>alert(1)</script>", "rain", "\x00", "x" * 1_999],
    "move": ["a1-b2", "pass", "1,1", "nonsense"],
}


class Forms:
    """Bodies and addresses that look right: by the API's own description, with ids that exist."""

    def __init__(self, draw: random.Random, description: dict[str, Any], known: Known) -> None:
        self._draw, self._known = draw, known
        self._schemas = description["components"]["schemas"]
        self._paths = description["paths"]
        self._offers = [
            (path, method)
            for path, each in sorted(self._paths.items())
            for method in sorted(each)
            if path not in ENDS_THE_VISIT and (path, method) not in ENDS_ALL
        ]

    def request(self, headers: tuple[str, ...]) -> bytes:
        path, method = self._draw.choice(self._offers)
        described = self._paths[path][method]
        while "{" in path:
            before, _, rest = path.partition("{")
            name, _, after = rest.partition("}")
            path = before + quote(self.word(name), safe="~") + after
        asked = [each for each in described.get("parameters", ()) if each["in"] == "query"]
        query = "&".join(
            f"{each['name']}={quote(str(self.value(each['schema'], each['name'])), safe='')}"
            for each in asked
            if self._draw.random() < 0.7
        )
        content = described.get("requestBody", {}).get("content", {})
        sent = b""
        if "application/json" in content:
            sent = json.dumps(self.value(content["application/json"]["schema"], "")).encode()
        elif content:
            sent = self.word("toml").encode("utf-8", "replace")
        more = ("content-type: application/json", f"content-length: {len(sent)}", *headers)
        return request(method.upper(), f"{path}?{query}", *more, body=sent)

    def word(self, name: str) -> str:
        pool = self._known.get(name) or SAID.get(name)
        if pool is None or self._draw.random() < 0.1:
            pool = [*WORDS, *(each for found in self._known.values() for each in found)]
        return self._draw.choice(pool)

    def value(self, schema: dict[str, Any], name: str) -> Any:
        """Something of the kind that is asked for; sometimes something else."""
        if self._draw.random() < 0.03:
            return self._draw.choice([None, -1, 2**63, 1e300, [], {}, "x" * 3_000, *WORDS])
        if "$ref" in schema:
            schema = self._schemas[schema["$ref"].rpartition("/")[2]]
        if "anyOf" in schema:
            return self.value(self._draw.choice(schema["anyOf"]), name)
        if "enum" in schema:
            return self._draw.choice(schema["enum"])
        return schema["const"] if "const" in schema else self._of_kind(schema, name)

    def _of_kind(self, schema: dict[str, Any], name: str) -> Any:
        kind = schema.get("type")
        if kind == "object":
            return self._object(schema)
        if kind == "array":
            inside = schema.get("items", {"type": "string"})
            return [self.value(inside, name) for _ in range(self._draw.choice((0, 1, 2, 2, 3)))]
        if kind in ("integer", "number"):
            least = schema.get("minimum", schema.get("exclusiveMinimum", -1))
            most = schema.get("maximum", schema.get("exclusiveMaximum", 10**6))
            return self._draw.choice([least, most, 0, 1, 2, 2, 3, self._draw.randint(0, 100)])
        if kind == "boolean":
            return self._draw.random() < 0.5
        return None if kind == "null" else self.word(name)

    def _object(self, schema: dict[str, Any]) -> dict[str, Any]:
        made = {
            name: self.value(each, name)
            for name, each in schema.get("properties", {}).items()
            if name in schema.get("required", ()) or self._draw.random() < 0.5
        }
        if isinstance(more := schema.get("additionalProperties"), dict):
            key = self._draw.choice(["map", "seed", "rounds", "advance", "1", self.word("map")])
            made[key] = self.value(more, key)
        return made


ENDS_THE_VISIT = frozenset(
    {"/api/session", "/api/login", "/api/reset", "/api/password", "/api/first-password"}
) | {"/api/me/password", "/api/me/erase", "/api/members/{member}/role"}
"""Whoever asks for that at random is logged out, or locked out."""
ENDS_ALL = frozenset({("/api/teams/{team}", "delete"), ("/api/members/{member}", "delete")}) | {
    ("/api/bots/{bot}", "delete"),
    ("/api/seasons/{season}", "delete"),
}
"""There would soon be nothing left to ask for."""


def fuzz_as(attack: Attack) -> None:
    """Requests that look right, of somebody who is logged in, about things that are there."""
    known: Known = {}
    forms = Forms(attack.draw, attack.told("/api/openapi.json"), known)
    for number in range(attack.times):
        if number % 200 == 0:
            known |= names_of_things(attack)
        attack.ask(forms.request(attack.headers))


def names_of_things(attack: Attack) -> Known:
    """What there is on the site, under the names of parameters."""
    catalogue, teams = attack.told("/api/catalogue"), attack.told("/api/teams")["teams"]
    seasons = [each["id"] for each in attack.told("/api/seasons")]
    games = [each["id"] for each in attack.told("/api/games")["games"]]
    bots = [bot for each in teams for bot in attack.told(f"/api/teams/{each['id']}")["bots"]]
    pages = [attack.told(f"/api/bots/{each['id']}") for each in bots]
    asked = [attack.told(f"/api/teams/{each['id']}/friendlies") for each in teams]
    contests = [f"season-{each}" for each in seasons]
    editions = [each["name"] for each in catalogue["editions"]]
    toml = HOSTILE_TOML.replace("GAME", editions[-1])
    return {
        "edition": editions,
        "toml": [toml, toml.replace("999999999", "3"), "[contest]\nname = 1", "a = ["],
        "season": seasons,
        "contest": contests,
        "game": games,
        "name": [*games, *(f"{each}~{number}" for each in contests for number in (1, 2, 3))],
        "team": [each["id"] for each in teams],
        "winner": [each["id"] for each in teams],
        "bot": [each["id"] for each in bots],
        "version": [each["id"] for page in pages for each in page["versions"]],
        "friendly": [each["id"] for page in asked for each in page.get("friendlies", ())],
        "member": [each["id"] for each in attack.told("/api/members").get("members", ())],
    }


ATTACKS: dict[str, Callable[[Attack], None]] = {
    "flood": flood,
    "slow-headers": slow_headers,
    "giant": giant,
    "fuzz": fuzz,
    "fuzz-as": fuzz_as,
}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("name", choices=ATTACKS)
    options.add_argument("port", type=int)
    options.add_argument("--times", type=int, default=100)
    options.add_argument("--source", default="127.0.0.2")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--path", default="/", help="what a flood asks for")
    options.add_argument("--header", action="append", default=[], help="sent with every request")
    options.add_argument("--hold", action="store_true", help="keep connections until stdin ends")
    given = options.parse_args()
    attack = Attack(given.port, given.source, given.times, given.seed, given.path)
    attack.headers = tuple(given.header)
    began = time.monotonic()
    ATTACKS[given.name](attack)
    print(json.dumps(attack.report() | {"seconds": round(time.monotonic() - began, 1)}), flush=True)
    if given.hold:
        sys.stdin.read()


if __name__ == "__main__":
    main()
