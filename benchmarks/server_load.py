"""Load on the contest's server: how much a move costs, how long it takes, how many games fit.

    python -m benchmarks.server_load [--quick] [--out FILE]

The server runs as a process of its own, and so does the program that plays against it: native
code that knows no rules and sends the moves of scripts, so that it is not what is measured. Every
result must be regular and every request answered, or the measurement fails.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.load_players import GAME, HOST
from benchmarks.measure import calibration
from spielleiter import games
from spielleiter.protocol.lobby import Memento, RoomData
from spielleiter.protocol.xml import encode
from spielleiter.server import EXAMPLE_PASSWORD, ServedGame

SERVED = ServedGame.of(games.load(GAME, "server"))
SEED, STARTS = 1, 2_500
"""The server draws its set-ups from this seed; of so many there are scripts."""
TARGETS = {
    "cpu_ms_per_move": (0.2, 0.1),
    "turnaround_ms_p50": (0.3, 0.15),
    "turnaround_ms_p99": (1.0, 0.5),
    "games_per_s_10": (100, 300),
    "iterations_of_c_per_move": (60_000, 20_000),
    "concurrent_games": (500, 2000),
    "kb_per_idle_game": (150, 50),
    "paced_delay_ms_p99": (50, 20),
}


# -------------------------------------------------------------------------------------- the server


class ServerProcess:
    """`spielleiter serve` and what the system knows of it."""

    def __init__(self, *options: str) -> None:
        metrics = _free_port()
        command = [sys.executable, "-m", "spielleiter", "serve", GAME, "--port", "0"]
        command += ["--metrics-port", str(metrics), "--authority", "server", "--seed", str(SEED)]
        self._process = subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self.port = int(self._process.stdout.readline().split(" for ")[0].rpartition(":")[2])
        self._metrics = f"http://{HOST}:{metrics}/metrics"

    def cpu(self) -> float:
        """Seconds of processor time so far."""
        return self.metric("spielleiter_cpu_seconds_total")

    def metric(self, name: str) -> float:
        with urllib.request.urlopen(self._metrics) as page:
            text = page.read().decode()
        found = re.search(rf"^{re.escape(name)} (\S+)$", text, re.MULTILINE)
        assert found is not None, name
        return float(found[1])

    @contextlib.contextmanager
    def measured(self) -> Iterator[list[float]]:
        """The processor time that it takes meanwhile, in a list."""
        before, spent = self.cpu(), [0.0]
        yield spent
        spent[0] = self.cpu() - before

    def memory(self) -> int:
        """Bytes in memory (Linux)."""
        pages = int(Path(f"/proc/{self._process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    def stop(self) -> None:
        self._process.send_signal(signal.SIGINT)
        self._process.communicate(timeout=30)  # closes the pipe as well


@contextlib.contextmanager
def server(*options: str) -> Iterator[ServerProcess]:
    """A server with room for everybody, unless the options say otherwise."""
    process = ServerProcess("--rooms", "20000", "--connections", "40000", *options)
    try:
        yield process
    finally:
        process.stop()


def _free_port() -> int:
    with socket.create_server((HOST, 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


# ------------------------------------------------------------------------------------ the clients


class Load:
    """Native clients of a server: both seats of many games, each with the moves of a script."""

    def __init__(self, port: int, starts: int = STARTS) -> None:
        self._port, self._starts = port, starts

    def play(self, tables: int, count: int, pace: float = 0.0) -> dict[str, float]:
        """Play that many games on so many tables; what came of it."""
        words = self._command(tables, count, pace)
        done = subprocess.run(words, stdout=subprocess.PIPE, check=True, timeout=900)
        found: dict[str, float] = json.loads(done.stdout)
        assert found["irregular"] == 0 or pace, f"{found['irregular']} irregular results"
        return found

    @contextlib.contextmanager
    def going_on(self, tables: int, pace: float) -> Iterator[dict[str, float]]:
        """Games that follow each other meanwhile; the dictionary then says what came of it."""
        report: dict[str, float] = {}
        words, pipe = self._command(tables, -1, pace), subprocess.PIPE
        with subprocess.Popen(words, stdin=pipe, stdout=pipe) as client:
            assert client.stdout is not None
            assert client.stdout.readline() == b"begun\n"
            yield report
            out, _ = client.communicate(timeout=300)
        report.update(json.loads(out))

    @contextlib.contextmanager
    def held(self, tables: int) -> Iterator[None]:
        """Games that have begun and wait for their first move."""
        words = self._command(tables, 0, 0.0)
        with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as client:
            assert client.stdout is not None
            assert client.stdout.readline() == b"ready\n"
            yield
            assert client.stdin is not None
            client.stdin.close()

    def _command(self, tables: int, count: int, pace: float) -> list[str]:
        given = (
            self._port,
            EXAMPLE_PASSWORD,
            SERVED.wire.game_type,
            scripts(self._starts),
            tables,
            count,
            pace,
        )
        return [str(program()), *map(str, given)]


@cache
def program() -> Path:
    """The client, compiled now."""
    made = Path(tempfile.mkdtemp(prefix="load-")) / "load_client"
    source = Path(__file__).with_name("load_client.cc")
    compiler = os.environ.get("CXX", "c++")
    subprocess.run([compiler, "-std=c++20", "-O2", str(source), "-o", str(made)], check=True)
    return made


@cache
def scripts(count: int) -> Path:
    """A game for each of the starts that a server with our seed draws first."""
    drawn, chance, path = random.Random(SEED), random.Random(1), program().with_name("scripts")
    starts = (SERVED.game.start(drawn.getrandbits(63)) for _ in range(count))
    known = {_board(position): position for position in starts}
    with path.open("w") as file:
        for board, position in known.items():
            lines = (board, *_moves(position, chance), "")
            file.write("".join(line.replace("\n", "\\n") + "\n" for line in lines))
    return path


def _board(position: Any) -> str:
    state = encode(Memento("ROOM", SERVED.wire.state(position)), SERVED.wire.dialect).decode()
    return state.partition("<board>")[2].partition("</board>")[0]


def _moves(position: Any, chance: random.Random) -> Iterator[str]:
    """The messages of a game with moves drawn by lot."""
    while position.outcome() is None:
        move = chance.choice(position.legal_moves())
        sent = RoomData("ROOM", SERVED.wire.sent(position, move).element)
        yield encode(sent, SERVED.wire.dialect).decode()
        position.play(move)


# ------------------------------------------------------------------------------- the measurements


def one_game(rounds: int) -> dict[str, float]:
    """One game after the other: processor time a move, and how long a move takes to come round."""
    with server() as process:
        load = Load(process.port)
        load.play(1, 20)
        with process.measured() as spent:
            report = load.play(1, rounds)
    return {
        "cpu_ms_per_move_one_game": 1000 * spent[0] / report["moves"],
        "turnaround_ms_p50": report["delay_ms_p50"],
        "turnaround_ms_p99": report["delay_ms_p99"],
        "moves_per_game": report["moves"] / rounds,
    }


def ten_games(count: int) -> dict[str, float]:
    """Ten games at the same time."""
    with server() as process:
        load = Load(process.port)
        load.play(10, 50)
        with process.measured() as spent:
            report = load.play(10, count)
    return {
        "games_per_s_10": report["games"] / report["seconds"],
        "moves_per_s_10": report["moves"] / report["seconds"],
        "cpu_ms_per_move": 1000 * spent[0] / report["moves"],
        "client_cpu_ms_per_move": 1000 * report["cpu_s"] / report["moves"],
        "iterations_of_c_per_move": calibration() * spent[0] / report["moves"],
    }


def many_games(concurrent: int) -> dict[str, float]:
    """Very many games at the same time, each once or more."""
    with server() as process:
        report = Load(process.port).play(concurrent, concurrent)
        lag = process.metric("spielleiter_lag_seconds_sum")
    return {
        "concurrent_games": concurrent,
        "concurrent_moves_per_s": report["moves"] / report["seconds"],
        "concurrent_delay_ms_p50": report["delay_ms_p50"],
        "concurrent_delay_ms_p99": report["delay_ms_p99"],
        "concurrent_lag_ms_mean": 1000 * lag / report["moves"],
    }


def paced_games(concurrent: int) -> dict[str, float]:
    """Very many games at the same time, one move a second in each."""
    with server() as process:
        with process.measured() as spent:
            report = Load(process.port).play(concurrent, concurrent, 1.0)
        lags = {bound: process.metric(_bucket(bound)) for bound in ("0.03", "0.1")}
    return {
        "paced_games": concurrent,
        "paced_moves_per_s": report["moves"] / report["seconds"],
        "paced_delay_ms_p50": report["delay_ms_p50"],
        "paced_delay_ms_p99": report["delay_ms_p99"],
        "paced_delay_ms_max": report["delay_ms_max"],
        "paced_percent_read_in_30_ms": 100 * lags["0.03"] / report["moves"],
        "paced_percent_read_in_100_ms": 100 * lags["0.1"] / report["moves"],
        "paced_client_late_ms_p99": report["late_ms_p99"],
        "paced_client_late_ms_max": report["late_ms_max"],
        "paced_irregular": report["irregular"] / 2,
        "paced_server_cpu_percent": 100 * spent[0] / report["seconds"],
        "paced_cpu_ms_per_move": 1000 * spent[0] / report["moves"],
        "paced_iterations_of_c_per_move": calibration() * spent[0] / report["moves"],
    }


def _bucket(bound: str) -> str:
    return f'spielleiter_lag_seconds_bucket{{le="{bound}"}}'


def idle_games(count: int) -> dict[str, float]:
    """Memory of games that run but wait."""
    with server() as process:
        load = Load(process.port)
        load.play(1, 3)
        before = process.memory()
        with load.held(count):
            grown = process.memory() - before
    return {"kb_per_idle_game": grown / count / 1024}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--quick", action="store_true", help="a tenth of everything")
    arguments.add_argument("--concurrent", type=int, default=500)
    arguments.add_argument("--out", type=Path, help="write the results as JSON")
    arguments.add_argument("--paced", type=int, help="only so many games at a move a second")
    options = arguments.parse_args()
    share = 10 if options.quick else 1
    before = round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None
    figures = (
        paced_games(options.paced)
        if options.paced
        else {
            **one_game(1000 // share),
            **ten_games(2000 // share),
            **many_games(options.concurrent // share),
            **idle_games(500 // share),
        }
    )
    for name, value in figures.items():
        must, aim = TARGETS.get(name, ("", ""))
        print(f"{name:28} {value:10.3f}   must {must}   aim {aim}")
    if options.out:
        about: dict[str, Any] = {
            "python": platform.python_version(),
            "cores": os.cpu_count(),
            "game": GAME,
        }
        about["other load"] = before
        options.out.write_text(json.dumps({"about": about, "figures": figures}, indent=2) + "\n")


if __name__ == "__main__":
    main()
