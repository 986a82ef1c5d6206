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
        self.open: list[socket.socket] = []

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

    def report(self) -> dict[str, Any]:
        return {"answers": dict(self.answers), "formless": self.formless[:5]}


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


ATTACKS: dict[str, Callable[[Attack], None]] = {
    "flood": flood,
    "slow-headers": slow_headers,
    "giant": giant,
    "fuzz": fuzz,
}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("name", choices=ATTACKS)
    options.add_argument("port", type=int)
    options.add_argument("--times", type=int, default=100)
    options.add_argument("--source", default="127.0.0.2")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--path", default="/", help="what a flood asks for")
    options.add_argument("--hold", action="store_true", help="keep connections until stdin ends")
    given = options.parse_args()
    attack = Attack(given.port, given.source, given.times, given.seed, given.path)
    began = time.monotonic()
    ATTACKS[given.name](attack)
    print(json.dumps(attack.report() | {"seconds": round(time.monotonic() - began, 1)}), flush=True)
    if given.hold:
        sys.stdin.read()


if __name__ == "__main__":
    main()
