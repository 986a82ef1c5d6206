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
from typing import Self

from spielleiter.game import Seat
from spielleiter.sandbox import RunningProgram

FIRST_MOVE = 1.0
"""Most seconds credited at the first move of a seat."""
_ONE_THREAD = 3
"""The link count of the folder of a process's threads, if there is one."""
_STIME = 12
"""Where the processor time in the kernel stands behind the name in `/proc/PID/stat`."""


class RunQueueMeter:
    """Reads how long a process was ready and did not get a processor, at every move.

    The files of the kernel stay open: each reading takes three system calls.
    """

    def __init__(self, pid: int | None) -> None:
        self._tasks = self._children = self._times = -1
        if pid is None:
            return
        task = f"/proc/{pid}/task/{pid}"
        with contextlib.suppress(OSError):
            self._tasks = os.open(f"/proc/{pid}/task", os.O_RDONLY)
            self._children = os.open(f"{task}/children", os.O_RDONLY)
            self._times = os.open(f"{task}/schedstat", os.O_RDONLY)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def waited(self) -> float:
        """Seconds so far; 0 if it is gone or keeps itself busy, with threads or processes."""
        if self._times < 0:
            return 0.0
        try:
            if os.fstat(self._tasks).st_nlink != _ONE_THREAD or os.pread(self._children, 1, 0):
                return 0.0
            return int(os.pread(self._times, 256, 0).split()[1]) / 1e9
        except (OSError, ValueError, IndexError):
            return 0.0

    def close(self) -> None:
        """Close the files."""
        for file in (self._tasks, self._children, self._times):
            if file >= 0:
                os.close(file)
        self._tasks = self._children = self._times = -1


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
        self._meters: dict[Seat, RunQueueMeter] = {}
        """Of the seats that have made their first move."""
        self._since = 0.0

    def asked(self, seat: Seat) -> None:
        """A request has left."""
        self._since = self._so_far(seat)

    def credit(self, seat: Seat) -> float:
        """Seconds since the request in which the seat's program could not run."""
        found = max(0.0, self._so_far(seat) - self._since)
        return found if seat in self._meters else min(FIRST_MOVE, found)

    def answered(self, seat: Seat) -> None:
        """Note a seat's first move: its start-up is over."""
        if seat not in self._meters:
            self._meters[seat] = RunQueueMeter(self._pid(seat))

    def close(self) -> None:
        """The game is over."""
        for meter in self._meters.values():
            meter.close()

    def _so_far(self, seat: Seat) -> float:
        meter = self._meters.get(seat)
        return waking_up(self._pid(seat)) if meter is None else meter.waited()

    def _pid(self, seat: Seat) -> int | None:
        running = self._programs[seat]
        if seat not in self._pids and running is not None:
            self._pids[seat] = running.program_pid()
        return self._pids.get(seat)
