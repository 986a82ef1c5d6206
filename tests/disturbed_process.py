"""Something that plays in a process of its own, and is killed and cut at moments drawn by lot."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from tests.databases import PostgresServer

PATIENCE = 900.0
"""Seconds that the rest may take when nothing is killed any more, on a busy machine."""


class DisturbedProcess:
    """Plays on, whatever is done to it: it is started again when it was killed.

    It is a module with arguments, which prints `open`, and `done` in the end.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self._command = [sys.executable, "-m", *words]
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> DisturbedProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def begin(self) -> None:
        """Start it, unless it runs or is done."""
        if self._process is None:
            self._process = subprocess.Popen(self._command, stdout=subprocess.PIPE)

    def kill(self) -> None:
        """Kill the process itself; its workers notice that it is gone."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate(timeout=300)
            self._process = None

    def kill_worker(self, lot: random.Random) -> None:
        """Kill one of the processes that play."""
        assert self._process is not None
        found = [each for each in below(self._process.pid) if b"spawn_main" in command_of(each)]
        if found:
            with suppress(ProcessLookupError):
                os.kill(lot.choice(found), signal.SIGKILL)

    def end(self) -> None:
        """Let it play to the end, undisturbed."""
        self.begin()
        assert self._process is not None
        said = self._process.communicate(timeout=PATIENCE)[0]
        assert (self._process.returncode, said) == (0, b"open\ndone\n")
        self._process = None


def below(pid: int) -> list[int]:
    """The children of a process."""
    try:
        lists = [each.read_text() for each in Path(f"/proc/{pid}/task").glob("*/children")]
    except OSError:  # a thread or the whole process has ended
        return []
    return [int(child) for text in lists for child in text.split()]


def command_of(pid: int) -> bytes:
    """How a process was started."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def disturbed_until_done(
    words: Sequence[str], moments: int, server: PostgresServer | None = None, seed: int = 0
) -> None:
    """Kill or cut something at so many moments drawn by lot, then let all games be played."""
    lot = random.Random(seed)
    with DisturbedProcess(words) as playing:
        blows: list[Callable[[], None]] = [playing.kill, lambda: playing.kill_worker(lot)]
        if server is not None:
            blows = [server.cut, lambda: killed_and_started(server), *blows]
        for number in range(moments):
            playing.begin()
            time.sleep(lot.uniform(0.1, 1.6))  # any moment will do: that is the point
            blows[number % len(blows)]()
        playing.end()


def killed_and_started(server: PostgresServer) -> None:
    """PostgreSQL dies and comes back."""
    server.kill()
    server.start()
