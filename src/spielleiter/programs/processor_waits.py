"""Measures how long a program was ready to run but had no processor.

Linux reports how long a process waited in the run queue. That time is not charged to the player,
unless it kept itself waiting by running several threads or processes. At its first move a program
still starts up: memory pages are touched for the first time, threads are started. Up to a second of
that is credited.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from spielleiter.game import Seat
from spielleiter.sandbox import RunningProgram

FIRST_MOVE = 1.0
"""Most seconds credited at the first move of a seat."""
_STIME = 12
"""Where the processor time in the kernel stands behind the name in `/proc/PID/stat`."""


def waited_for_processor(pid: int | None) -> float:
    """Seconds that a process was ready and did not get a processor; 0 if it keeps itself busy."""
    if pid is None:
        return 0.0
    task = f"/proc/{pid}/task/{pid}"
    with contextlib.suppress(OSError, ValueError, IndexError):
        if _threads(pid) == 1 and not _read(f"{task}/children"):
            return _delay(task)
    return 0.0


def waking_up(pid: int | None) -> float:
    """Seconds that a process waited for a processor, or the kernel worked for it."""
    if pid is None:
        return 0.0
    found = 0.0
    with contextlib.suppress(OSError, ValueError, IndexError):
        tasks = f"/proc/{pid}/task"
        found = max(_delay(f"{tasks}/{task}") for task in os.listdir(tasks))
        words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        if sys.platform != "win32":
            found += int(words[_STIME]) / os.sysconf("SC_CLK_TCK")
    return found


def _threads(pid: int) -> int:
    """The number of threads, from the link count of the folder."""
    return os.stat(f"/proc/{pid}/task").st_nlink - 2


def _delay(task: str) -> float:
    return int(_read(f"{task}/schedstat").split()[1]) / 1e9


def _read(path: str) -> bytes:
    """The beginning of a kernel file, with few system calls: this runs in every move."""
    file = os.open(path, os.O_RDONLY)
    try:
        return os.read(file, 256)
    finally:
        os.close(file)


class ProcessorWaits:
    """How long the programs of one game could not run since their last request."""

    def __init__(self, programs: Sequence[RunningProgram | None]) -> None:
        self._programs = programs
        self._pids: dict[Seat, int | None] = {}
        self._answered: set[Seat] = set()
        self._since = 0.0

    def asked(self, seat: Seat) -> None:
        """A request has left."""
        self._since = self._so_far(seat)

    def credit(self, seat: Seat) -> float:
        """Seconds since the request in which the seat's program could not run."""
        found = max(0.0, self._so_far(seat) - self._since)
        return found if seat in self._answered else min(FIRST_MOVE, found)

    def answered(self, seat: Seat) -> None:
        """Note a seat's first move: its start-up is over."""
        self._answered.add(seat)

    def _so_far(self, seat: Seat) -> float:
        measure = waited_for_processor if seat in self._answered else waking_up
        return measure(self._pid(seat))

    def _pid(self, seat: Seat) -> int | None:
        running = self._programs[seat]
        if seat not in self._pids and running is not None:
            self._pids[seat] = running.program_pid()
        return self._pids.get(seat)
