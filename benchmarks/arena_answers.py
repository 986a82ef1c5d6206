"""How long visitors of a full arena wait: for the lobby, a long game, a first word of an engine.

    python -m benchmarks.arena_answers [--games 10000] [--visitors 20] [--out FILE]

`spielleiter arena` runs as in real life, over a store with so many finished games. What is measured
is the time from a request to the last byte of its answer (to the first evaluation, for an
analysis), and the processor time that serving the pages took. A long game is one of more than 500
turns, four players on a board of 15 x 15 who take moves back; each is opened for the first time.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import platform
import random
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.arena_load import ArenaProcess
from benchmarks.load_players import HOST
from spielleiter import games
from spielleiter.match import Event, Join, Match, MoveSent, Opened, TakeBack
from spielleiter.match.events import Played, TakenBack, Violated
from spielleiter.store import Entry, open_store
from spielleiter.store.address import STORE
from spielleiter.store.event_json import to_json
from spielleiter.store.stored_games import HAPPENED, OPENED
from spielleiter.web.game_state import GameInfo
from spielleiter.web.recorder import OVER
from spielleiter.web.service import SeatKind

TARGETS = {"lobby_ms": 20.0, "game_ms": 100.0, "replay_ms": 100.0, "first_word_ms": 300.0}
LONG, ONWARDS = 500, 60
"""Turns of a long game, and how many are left when no move is taken back any more."""
OPENED_GAMES = 5
"""Long games: each request opens another one."""


# ----------------------------------------------------------------------------------- what is stored


def quick_events(seed: int) -> list[Event]:
    """A short game by chance."""
    return _events(games.names()[0], seed, 0)


def long_events(seed: int) -> list[Event]:
    """A game of more than 500 turns."""
    return _events("reversi", seed, LONG, map="p4_15x15_open")


def _events(edition: str, seed: int, turns: int, **options: str) -> list[Event]:
    start = games.load(edition).start(seed, **options)
    match = Match(start, names=[f"random {seat + 1}" for seat in range(start.seats)])
    events: list[Event] = [match.opened]
    for seat in range(start.seats):
        events += match.handle(Join(0.0, seat))
    lot, early, turn = random.Random(seed), match.position.copy(), 0
    while match.ended is None:
        at, turn = turn * 0.1, turn + 1
        if turn % 100 == 0 and turn < turns - ONWARDS:
            events += match.handle(TakeBack(at, 0, 0, early.copy()))
        else:
            move = lot.choice(list(match.position.legal_moves()))
            events += match.handle(MoveSent(at, match.position.to_move(), move))
    return events


def entries(name: str, events: list[Event], created: float) -> Iterator[Entry]:
    """What the arena keeps of a game."""
    opened = events[0]
    assert isinstance(opened, Opened)
    kind: SeatKind = "built-in"
    info = GameInfo((kind,) * len(opened.names), "arena", created)
    yield Entry(OPENED, name, _text({"facts": info.plain(), "event": to_json(opened)}))
    for event in events[1:]:
        yield Entry(HAPPENED, f"{name}/{event.number}", _text(to_json(event)))
    turns = sum(isinstance(event, Played | Violated | TakenBack) for event in events)
    yield Entry(OVER, name, _text({"event": to_json(events[-1]), "turn": turns, "ply": turns}))


def _text(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def fill(folder: Path, finished: int) -> None:
    """A store with finished games; of the short ones only what the lobby reads."""
    store, quick = open_store(folder / STORE), quick_events(1)
    for first in range(0, finished, 1_000):
        rows: list[Entry] = []
        for number in range(first, min(finished, first + 1_000)):
            opening, *_, over = entries(f"game{number}", quick, float(number))
            rows += (opening, over)
        store.append(rows)
    for number in range(3 * OPENED_GAMES):
        store.append(list(entries(f"long{number}", long_events(number), 1e9 + number)))
    store.close()


# ------------------------------------------------------------------------------------- the visitors


class Visitor:
    """Somebody with an address of their own, as far as the arena can tell (Linux)."""

    def __init__(self, port: int, number: int = 1) -> None:
        self._place = (f"127.0.0.{number + 1}", 0)
        self._port = port

    def get(self, *paths: str) -> float:
        """Milliseconds for all of these, one after the other."""
        begin = time.perf_counter()
        link = http.client.HTTPConnection(HOST, self._port, 60, source_address=self._place)
        for path in paths:
            link.request("GET", path)
            answer = link.getresponse()
            content = answer.read()
            assert answer.status == 200, (path, content[:200])
        link.close()
        return 1_000 * (time.perf_counter() - begin)

    def first_word(self, path: str) -> float:
        """Milliseconds until an engine has said something."""
        begin = time.perf_counter()
        link = http.client.HTTPConnection(HOST, self._port, 60, source_address=self._place)
        link.request("GET", path)
        answer = link.getresponse()
        while not (line := answer.readline()).startswith(b"event: evaluated"):
            assert line, f"{path}: no word"
        spent = 1_000 * (time.perf_counter() - begin)
        link.close()
        return spent


def _together(asked: Sequence[Callable[[], float]]) -> list[float]:
    """What everybody measured who asked at the same moment."""
    start, found = threading.Barrier(len(asked)), [0.0] * len(asked)

    def ask(number: int) -> None:
        start.wait()
        found[number] = asked[number]()

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(len(asked))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def measured(arena: ArenaProcess, visitors: int) -> dict[str, float]:
    """All figures of one arena."""
    one = Visitor(arena.port)
    lobby = (
        "/api/catalogue",
        "/api/games?state=waiting&state=running&limit=50",
        "/api/games?state=finished&limit=12",
    )
    one.get(*lobby)  # the first visitor of all waits for what the arena warms up
    one.get(*_game("long0"))
    opened = [partial(one.get, *_game(f"long{n}")) for n in range(1, OPENED_GAMES)]
    told = [partial(one.get, f"/api/replays/game/long{OPENED_GAMES + n}") for n in range(5)]
    figures = {
        **_kept("lobby", arena, [partial(one.get, *lobby)] * 20),
        **_kept("game", arena, opened),
        **_kept("replay", arena, told),
    }
    page = "/api/analysis/game/long0?client=page&first="
    guests = [Visitor(arena.port, number + 2) for number in range(visitors)]
    guests[0].first_word(f"{page}50")  # the engine is there
    before = arena.cpu()
    words = sorted(
        _together([partial(guest.first_word, f"{page}{100 + n}") for n, guest in enumerate(guests)])
    )
    spent = 1_000 * (arena.cpu() - before) / visitors
    figures |= {"first_word_ms": words[-1], "first_word_ms_p50": words[visitors // 2]}
    return {**figures, "first_word_cpu_ms": spent}


def _game(name: str) -> tuple[str, ...]:
    """What the page of a game asks for."""
    return f"/api/games/{name}", f"/api/games/{name}/scenes?first={LONG - 30}&last={LONG}"


def _kept(name: str, arena: ArenaProcess, asked: Sequence[Callable[[], float]]) -> dict[str, float]:
    before, times = arena.cpu(), sorted(ask() for ask in asked)
    spent = 1_000 * (arena.cpu() - before) / len(asked)
    middle, most = times[len(times) // 2], times[-1]
    return {f"{name}_ms": middle, f"{name}_ms_most": most, f"{name}_cpu_ms": spent}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--games", type=int, default=10_000)
    arguments.add_argument("--visitors", type=int, default=20)
    arguments.add_argument("--out", type=Path, help="write the results as JSON")
    options = arguments.parse_args()
    load = round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None
    with tempfile.TemporaryDirectory() as folder:
        fill(Path(folder), options.games)
        arena = ArenaProcess(folder)
        try:
            figures = measured(arena, options.visitors)
        finally:
            arena.stop()
    for name, value in figures.items():
        target = f"   at most {TARGETS[name]:g}" if name in TARGETS else ""
        print(f"{name:20} {value:10.1f}{target}")
    if options.out:
        about = {
            "python": platform.python_version(),
            "cores": os.cpu_count(),
            "finished games": options.games,
            "visitors": options.visitors,
            "other load": load,
        }
        options.out.write_text(json.dumps({"about": about, "figures": figures}, indent=2) + "\n")


if __name__ == "__main__":
    main()
