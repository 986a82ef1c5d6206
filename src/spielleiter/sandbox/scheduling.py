"""Which processes run first: those of the next game, before those whose game is over."""

from __future__ import annotations

import contextlib
import os
import signal
import sys

from spielleiter.slices import set_slice

_STEP, _NICEST = 10, 19
"""How much nicer than us a program is whose game is over."""
_LONGER_SLICE = 3_000_000
"""Nanoseconds: a little longer than what everybody gets."""


def step_back(program: int | None) -> None:
    """Let other programs run first: all that is left for this one is to end."""
    if program is None or sys.platform == "win32":
        return
    with contextlib.suppress(OSError):
        group = os.getpgid(program)
        ours = os.getpriority(os.PRIO_PROCESS, 0)
        niceness = max(min(ours + _STEP, _NICEST), os.getpriority(os.PRIO_PGRP, group))
        if group != os.getpgrp():
            os.setpriority(os.PRIO_PGRP, group, niceness)
            if sys.platform == "linux":
                _make_way(program)


def _make_way(program: int) -> None:
    """Leave all processors but one to others; and on this one whoever wakes up runs before it.

    It wakes up without preempting others, and a slice longer than theirs lets them preempt it.
    """
    set_slice(_LONGER_SLICE, program, is_batch=True)
    usable = sorted(os.sched_getaffinity(program))
    os.sched_setaffinity(program, {usable[os.getpid() % len(usable)]})


def resume(supervisor: int | None) -> bool:
    """Let a frozen program go on without waiting for its supervisor; whether it does.

    Where all its processes are stopped, none can have a new child, and none will get another signal
    to stop. Otherwise the supervisor has not yet frozen them all, and is left to its work.
    """
    if supervisor is None or sys.platform != "linux":
        return False
    with contextlib.suppress(OSError):
        stopped = _stopped(supervisor)
        for process in stopped:
            os.kill(process, signal.SIGCONT)
        return bool(stopped)
    return False


def _stopped(supervisor: int) -> list[int]:
    """All processes of a frozen program, below one or two supervisors; empty if one runs."""
    found = children(supervisor)
    while len(found) == 1 and not _is_stopped(found[0]):
        found = children(found[0])
    for each in found:  # grows meanwhile
        found += children(each)
    return found if all(map(_is_stopped, found)) else []


def children(process: int) -> list[int]:
    """The children of a process, with few system calls: every player of every game is asked."""
    tasks = f"/proc/{process}/task"
    texts = (_read(f"{tasks}/{task}/children") for task in os.listdir(tasks))
    return [int(word) for text in texts for word in text.split()]


def _is_stopped(process: int) -> bool:
    return _read(f"/proc/{process}/stat").rpartition(b") ")[2][:1] == b"T"


def _read(path: str) -> bytes:
    file, parts = os.open(path, os.O_RDONLY), []
    try:
        while part := os.read(file, 1 << 12):
            parts.append(part)
    finally:
        os.close(file)
    return b"".join(parts)
