"""Load on the arena: do spectators slow anybody's game, and what does each of them cost?

    python -m benchmarks.arena_load [--quick] [--out FILE]

`spielleiter arena` runs as in real life. External clients play at the pace of people who think for
a moment, so that a delay is a delay and not a queue: what is measured is the time from a move to
the request that follows it, as the clients see it. Phases without and with spectators alternate
within one run, so that both see the same machine. Spectators read everything; every one must have
heard every kind of message, and every result must be regular, or the measurement fails.
"""

from __future__ import annotations

import argparse
import contextlib
import heapq
import json
import multiprocessing
import os
import platform
import re
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.load_players import GAME, HOST, PlayedGame, Player, Seat

PASSWORD = "for the administrator"
PATIENCE = 300.0
"""Seconds: a machine may have much else to do."""
TARGETS = {"kb_per_spectator": 100.0}


# --------------------------------------------------------------------------------------- the arena


class ArenaProcess:
    """`spielleiter arena` and what the system knows of it."""

    def __init__(self, folder: str) -> None:
        words = ["arena", "--port", "0", "--xml-port", "0", "--binary-port", "0", "--no-demo"]
        more = ["--data", folder, "--players", "1", "--xml-password", PASSWORD]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "spielleiter", *words, *more], stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None
        self.port = int(self._process.stdout.readline().rstrip("/\n").rpartition(":")[2])
        found = re.search(r"XML (\d+)", self._process.stdout.readline())
        assert found is not None
        self.xml_port = int(found[1])

    def memory(self) -> int:
        """Bytes in memory of the process that serves the pages (Linux)."""
        pages = int(Path(f"/proc/{self._process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    def cpu(self) -> float:
        """Seconds of processor time that serving the pages took so far (Linux)."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def running(self) -> list[str]:
        """The games that are being played."""
        address = f"http://{HOST}:{self.port}/api/games?state=running&limit=200"
        with urllib.request.urlopen(address) as answer:
            return [game["id"] for game in json.load(answer)["games"]]

    def stop(self) -> None:
        self._process.send_signal(signal.SIGINT)
        self._process.communicate(timeout=PATIENCE)


@contextlib.contextmanager
def arena() -> Iterator[ArenaProcess]:
    with tempfile.TemporaryDirectory() as folder:
        process = ArenaProcess(folder)
        try:
            yield process
        finally:
            process.stop()


# ------------------------------------------------------------------------------------- the players


class PacedPlayer(Player):
    """Plays many games at the same time, and thinks for a moment before every move."""

    password = PASSWORD
    timed = "false"  # the delay is measured, not punished

    def __init__(self, port: int, seed: int, pace: float) -> None:
        super().__init__(port, seed)
        self._pace = pace
        self._due: list[tuple[float, int, Seat]] = []
        self._number = 0

    def play_for(self, tables: list[PlayedGame], pipe: Any) -> None:
        """Play until told to stop; at every word on the pipe, send what was measured since."""
        self._games_to_play = 1_000_000
        for game in tables:
            self.begin(game)
        self._selector.register(pipe, selectors.EVENT_READ, pipe)
        while True:
            if self._step(pipe):
                word = pipe.recv()
                pipe.send((self.report.delays, self.report.moves, self.report.irregular))
                self.report.delays, self.report.moves = [], 0
                if word == "stop":
                    return

    def _step(self, pipe: Any) -> bool:
        """Read what has come and make the moves that are due; whether somebody asked for news."""
        patience = max(0.0, self._due[0][0] - time.perf_counter()) if self._due else 1.0
        asked = False
        for key, _ in self._selector.select(patience):
            if key.data is pipe:
                asked = True
            elif key.data is None:
                self._read_admin()
            else:
                self._read(key.data)
        while self._due and self._due[0][0] <= time.perf_counter():
            super()._move(heapq.heappop(self._due)[2])
        return asked

    def _move(self, seat: Seat) -> None:
        self._number += 1
        due = time.perf_counter() + self._pace * self._random.uniform(0.5, 1.5)
        heapq.heappush(self._due, (due, self._number, seat))


def _play(port: int, tables: int, pace: float, pipe: Any) -> None:
    player = PacedPlayer(port, 1, pace)
    player.play_for(player.open(tables), pipe)


# ---------------------------------------------------------------------------------- the spectators


def watch(port: int, games: list[str], pipe: Any) -> None:
    """Be a spectator for every entry of `games`: read everything, count messages.

    Says so when all have been greeted; told `("until", n)`, tells the counts as soon as everybody
    has heard n messages, and ends.
    """
    crowd = _Crowd(port, games)
    crowd.read(lambda: crowd.all_heard(1))
    pipe.send("all are there")
    crowd.read(pipe.poll)
    _, wanted = pipe.recv()
    crowd.read(lambda: crowd.all_heard(wanted))
    pipe.send(crowd.heard)


class _Crowd:
    def __init__(self, port: int, games: list[str]) -> None:
        self.heard = [0] * len(games)
        self._over: set[int] = set()
        self._selector = selectors.DefaultSelector()
        for number, game in enumerate(games):
            link = socket.create_connection((HOST, port))
            link.sendall(f"GET /api/games/{game}/feed HTTP/1.1\r\nhost: {HOST}\r\n\r\n".encode())
            self._selector.register(link, selectors.EVENT_READ, (number, link))

    def all_heard(self, messages: int) -> bool:
        """Whether everybody has heard so many, or his game is over."""
        heard = (count >= messages or n in self._over for n, count in enumerate(self.heard))
        return all(heard)

    def read(self, enough: Callable[[], bool]) -> None:
        """Read what comes until it is enough."""
        while not enough():
            for key, _ in self._selector.select(0.1):
                number, link = key.data
                data = link.recv(262144)
                if not data:  # the game is over
                    self._selector.unregister(link)
                    self._over.add(number)
                self.heard[number] += data.count(b"event:")


@contextlib.contextmanager
def process(target: Any, *arguments: Any) -> Iterator[Any]:
    """Another process and the pipe to it."""
    context = multiprocessing.get_context("spawn")
    mine, theirs = context.Pipe()
    worker = context.Process(target=target, args=(*arguments, theirs), daemon=True)
    worker.start()
    try:
        yield mine
    finally:
        worker.join(10)
        if worker.is_alive():
            worker.kill()


# -------------------------------------------------------------------------------- the measurement


def measured(players: Any, seconds: float) -> list[float]:
    """Delays of that many seconds."""
    players.send("begin")
    players.recv()
    time.sleep(seconds)
    players.send("report")
    delays, moves, irregular = players.recv()
    assert moves, "nobody moved"
    assert irregular == 0, f"{irregular} irregular results"
    return list(delays)


def load(
    tables: int, spectators: int, *, pace: float, seconds: float, phases: int
) -> dict[str, float]:
    """Games, spectators spread evenly over them, and the delays without and with them."""
    alone: list[float] = []
    watched: list[float] = []
    kilobytes, busy, messages = [], 0.0, 0
    with arena() as opened, process(_play, opened.xml_port, tables, pace) as players:
        _wait_for(opened, tables)
        measured(players, seconds / 2)  # everything is warm
        for _ in range(phases):
            alone += measured(players, seconds)
            games = opened.running()
            chosen = [games[number % len(games)] for number in range(spectators)]
            before, cpu = opened.memory(), opened.cpu()
            with process(watch, opened.port, chosen) as crowd:
                assert crowd.poll(PATIENCE), "not all spectators were let in"
                crowd.recv()
                kilobytes.append((opened.memory() - before) / spectators / 1024)
                watched += measured(players, seconds)
                busy += opened.cpu() - cpu
                crowd.send(("until", 2))
                assert crowd.poll(PATIENCE), "a spectator saw nothing happen"
                heard = crowd.recv()
            messages += sum(heard)
        players.send("stop")
        players.recv()
    return {
        "games": tables,
        "spectators": spectators,
        "moves_per_s": len(watched) / seconds / phases,
        "messages_per_s": messages / seconds / phases,
        **_percentiles("alone", alone),
        **_percentiles("watched", watched),
        "kb_per_spectator": max(kilobytes),
        "pages_cpu_share": busy / seconds / phases,
    }


def _wait_for(opened: ArenaProcess, tables: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while len(opened.running()) < min(tables, 200):
        assert time.monotonic() < deadline, "the games did not begin"
        time.sleep(0.1)


def _percentiles(name: str, delays: list[float]) -> dict[str, float]:
    ordered = sorted(delays)
    return {
        f"{name}_delay_ms_p50": 1000 * ordered[len(ordered) // 2],
        f"{name}_delay_ms_p99": 1000 * ordered[len(ordered) * 99 // 100],
    }


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--quick", action="store_true", help="a tenth of everything")
    arguments.add_argument("--out", type=Path, help="write the results as JSON")
    options = arguments.parse_args()
    share = 10 if options.quick else 1
    seconds, phases = (2.0, 1) if options.quick else (10.0, 3)
    before = round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None
    figures = {
        "one game": load(1, 1000 // share, pace=0.5, seconds=seconds, phases=phases),
        "many games": load(200 // share, 1000 // share, pace=1.0, seconds=seconds, phases=phases),
    }
    for case, values in figures.items():
        for name, value in values.items():
            target = f"   below {TARGETS[name]:g}" if name in TARGETS else ""
            print(f"{case:12} {name:24} {value:10.3f}{target}")
    if options.out:
        about: dict[str, Any] = {
            "python": platform.python_version(),
            "cores": os.cpu_count(),
            "game": GAME,
            "other load": before,
        }
        options.out.write_text(json.dumps({"about": about, "figures": figures}, indent=2) + "\n")


if __name__ == "__main__":
    main()
