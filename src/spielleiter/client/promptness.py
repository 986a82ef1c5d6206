"""What a client can do to answer soon while other processes use the processors.

- *Short slices.* Linux has shared the processors by virtual deadlines since 6.6, and since 6.12 a
  thread may ask for time in shorter slices. It gets no more time than others, but sooner: beside
  ten busy processes for each processor, a thread that was woken up ran after 8 ms instead of 60
  (medians).
- *A higher priority*, where the system permits it (to an administrator, or by `RLIMIT_NICE`), for
  threads that read requests and write answers: about a millisecond of a processor for each move.
  Nobody gets more time to think by that; while a bot is called, its thread is like all others.
- *No full collection of garbage.* Python now and then looks through all objects of the program.
  That takes 5 ms of a processor, and beside busy processes much longer, in the middle of a move.
  What exists before the game is left out, so little is left to look through.
"""

from __future__ import annotations

import contextlib
import gc
import os
import sys
import threading
from collections.abc import Iterator

from spielleiter.slices import USUAL, set_slice

SHORT = 100_000
"""Nanoseconds: the shortest slice there is."""
HIGHER = 10
"""Steps of niceness: ten times the weight of others."""
_games, _is_ours, _lock = 0, False, threading.Lock()
"""How many games this process plays now, and whether objects were frozen for them."""


@contextlib.contextmanager
def prompt_answers() -> Iterator[None]:
    """For the time of a game: this thread, and those it starts, answer as soon as they can."""
    with short_slices(), old_objects_left_alone():
        yield


@contextlib.contextmanager
def old_objects_left_alone() -> Iterator[None]:
    """The collector of garbage does not look at what exists now; or not at what somebody froze."""
    global _games, _is_ours
    leave_old_objects_alone()
    try:
        yield
    finally:
        with _lock:
            _games -= 1
            if not _games and _is_ours:
                gc.unfreeze()
                _is_ours = False


def leave_old_objects_alone() -> None:
    """The same from now on, for as long as this process runs."""
    global _games, _is_ours
    with _lock:
        if not _games and not gc.get_freeze_count():
            gc.freeze()
            _is_ours = True
        _games += 1


@contextlib.contextmanager
def short_slices() -> Iterator[bool]:
    """Ask for this thread and those it starts; False: the system does not offer it."""
    is_granted = _ask_for(SHORT)
    try:
        yield is_granted
    finally:
        if is_granted:
            _ask_for(USUAL)


class Priority:
    """The priority of the threads of a game: higher where they pass messages on."""

    def __init__(self) -> None:
        self._usual = os.getpriority(os.PRIO_PROCESS, 0) if sys.platform == "linux" else 0
        self._is_granted = False

    @contextlib.contextmanager
    def raised(self) -> Iterator[bool]:
        """For this thread and those it starts; False: the system does not permit it."""
        self._is_granted = self._set(self._usual - HIGHER)
        try:
            yield self._is_granted
        finally:
            if self._is_granted:
                self._set(self._usual)

    @contextlib.contextmanager
    def usual(self) -> Iterator[None]:
        """While a bot is called, in a thread of the game."""
        if not self._is_granted:
            yield
            return
        self._set(self._usual)
        try:
            yield
        finally:
            self._set(self._usual - HIGHER)

    def _set(self, niceness: int) -> bool:
        if sys.platform != "linux":  # elsewhere it would be that of the whole process
            return False
        try:
            os.setpriority(os.PRIO_PROCESS, 0, niceness)
        except PermissionError:
            return False
        return True


def _ask_for(slice_: int) -> bool:
    if not sys.platform.startswith("linux") or os.sched_getscheduler(0) != os.SCHED_OTHER:
        return False  # or somebody has chosen otherwise for us
    return set_slice(slice_)
