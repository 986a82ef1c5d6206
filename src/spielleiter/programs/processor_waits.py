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
from collections.abc import Callable, Sequence
from typing import Self

from spielleiter.game import Seat
from spielleiter.sandbox import RunningProgram

FIRST_MOVE = 1.0
"""Most seconds credited at the first move of a seat."""
_ONE_THREAD = 3
"""The link count of the folder of a process's threads, if there is one."""
_STIME = 12
"""Where the processor time in the kernel stands behind the name in `/proc/PID/stat`."""
_LONGEST = 1 << 10


class RunQueueMeter:
    """Reads how long a process was ready and did not get a processor, at every move.

    The files of the kernel stay open, so that a reading is one system call.
    """

    def __init__(self, pid: int | None) -> None:
        self._tasks = self._children = self._times = self._stat = -1
        if pid is None:
            return
        task = f"/proc/{pid}/task/{pid}"
        with contextlib.suppress(OSError):
            self._tasks = os.open(f"/proc/{pid}/task", os.O_RDONLY)
            self._children = os.open(f"{task}/children", os.O_RDONLY)
            self._stat = os.open(f"/proc/{pid}/stat", os.O_RDONLY)
            self._times = os.open(f"{task}/schedstat", os.O_RDONLY)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def waited(self) -> float:
        """Seconds so far, of its first thread; 0 if it is gone."""
        if self._times < 0:
            return 0.0
        try:
            return _delay(os.pread(self._times, _LONGEST, 0))
        except (OSError, ValueError, IndexError):
            return 0.0

    def waited_since(self, before: float) -> float:
        """Seconds since a reading; 0 if it keeps itself busy, with threads or processes."""
        return max(0.0, self.waited() - before) if self._is_alone else 0.0

    def waking_up(self) -> float:
        """Seconds that it waited for a processor, or the kernel worked for it."""
        if self._times < 0:
            return 0.0
        found = self.waited() if self._is_alone else self._longest_wait()
        with contextlib.suppress(OSError, ValueError, IndexError):
            words = os.pread(self._stat, _LONGEST, 0).rpartition(b")")[2].split()
            if sys.platform != "win32":
                found += int(words[_STIME]) / os.sysconf("SC_CLK_TCK")
        return found

    def close(self) -> None:
        """Close the files."""
        for file in (self._tasks, self._children, self._times, self._stat):
            if file >= 0:
                os.close(file)
        self._tasks = self._children = self._times = self._stat = -1

    @property
    def _is_alone(self) -> bool:
        """Whether it has one thread and no child."""
        try:
            has_threads = os.fstat(self._tasks).st_nlink != _ONE_THREAD
            return not has_threads and not os.pread(self._children, 1, 0)
        except OSError:
            return False

    def _longest_wait(self) -> float:
        """That of the thread that waited longest."""
        found = 0.0
        with contextlib.suppress(OSError, ValueError, IndexError):
            for task in os.listdir(self._tasks):
                file = os.open(f"{task}/schedstat", os.O_RDONLY, dir_fd=self._tasks)
                try:
                    found = max(found, _delay(os.read(file, _LONGEST)))
                finally:
                    os.close(file)
        return found


def _delay(text: bytes) -> float:
    return int(text.split()[1]) / 1e9


class ProcessorWaits:
    """How long the programs of one game could not run since their last request."""

    def __init__(self, programs: Sequence[RunningProgram | None]) -> None:
        self._programs = programs
        self._pids: dict[Seat, int | None] = {}
        self._meters: dict[Seat, RunQueueMeter] = {}
        self._moved: set[Seat] = set()
        """The seats that have made their first move."""
        self._since = 0.0
        self.on_asking: Callable[[Seat], None] = lambda seat: None
        """Called when a request is about to leave."""

    def prepare(self) -> None:
        """Find the programs, which have their seats, before their clocks run."""
        for seat in range(len(self._programs)):
            self._meter(seat)

    def asking(self, seat: Seat) -> None:
        """A request is about to leave."""
        self.on_asking(seat)

    def asked(self, seat: Seat) -> None:
        """A request has left."""
        meter = self._meter(seat)
        self._since = meter.waited() if seat in self._moved else meter.waking_up()

    def credit(self, seat: Seat) -> float:
        """Seconds since the request in which the seat's program could not run."""
        meter = self._meter(seat)
        if seat in self._moved:
            return meter.waited_since(self._since)
        return min(FIRST_MOVE, max(0.0, meter.waking_up() - self._since))

    def answered(self, seat: Seat) -> None:
        """Note a seat's first move: its start-up is over."""
        self._moved.add(seat)

    def over(self) -> None:
        """The programs have nothing to do any more that anybody waits for."""
        for seat, running in enumerate(self._programs):
            if running is not None:
                running.step_back(self._pids.get(seat))

    def close(self) -> None:
        """Close the files."""
        for meter in self._meters.values():
            meter.close()

    def _meter(self, seat: Seat) -> RunQueueMeter:
        if seat not in self._meters:
            running = self._programs[seat]
            self._pids[seat] = None if running is None else running.program_pid()
            self._meters[seat] = RunQueueMeter(self._pids[seat])
        return self._meters[seat]
