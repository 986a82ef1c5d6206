"""Profiling: flame graphs of Python bots, processor time and memory of every program.

Two libraries do the work, the extra `profile`: pyinstrument samples a Python bot's calls, psutil
measures a process and its children.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable
from dataclasses import astuple, dataclass, fields
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from spielleiter.errors import UsageError

LARGEST_GRAPH = 1 << 24
"""Bytes of a flame graph."""
_INTERVAL = 0.001
_LIBRARIES = ("pyinstrument", "psutil")
T = TypeVar("T")


def check_libraries() -> None:
    """Raises UsageError if the extra is not installed."""
    missing = [name for name in _LIBRARIES if find_spec(name) is None]
    if missing:
        need = " and ".join(missing)
        raise UsageError(f"profiles need {need}: pip install 'spielleiter[profile]'")


@dataclass(frozen=True, slots=True)
class MoveUsage:
    """The resources a player used for one move."""

    player: str
    move: int
    """Which of its moves, from 1."""
    seconds: float
    cpu: float
    """Seconds of processor time, of all its processes together."""
    memory: float
    """Megabytes that its processes have in memory after the move."""


@dataclass(frozen=True, slots=True)
class ProcessUsage:
    """The resources used by a process and its children so far."""

    cpu: float = 0.0
    memory: float = 0.0


def used(process: int | None) -> ProcessUsage:
    """The usage of a process; zero if it has ended."""
    import psutil  # only whoever profiles has it

    cpu = memory = 0.0
    try:
        family = [] if process is None else [psutil.Process(process)]
        family += [child for each in family for child in each.children(recursive=True)]
    except psutil.Error:
        return ProcessUsage()
    for each in family:
        try:
            times = each.cpu_times()
            cpu += times.user + times.system
            memory += each.memory_info().rss / 2**20
        except psutil.Error:
            continue  # it has ended meanwhile
    return ProcessUsage(cpu, memory)


class UsageMeter:
    """Measures one player of one game, move by move."""

    def __init__(self, player: str, process: Callable[[], int | None]) -> None:
        self._player, self._process = player, process
        self._before = ProcessUsage()
        self.moves: list[MoveUsage] = []

    def asked(self) -> None:
        """It is asked for a move."""
        self._before = used(self._process())

    def answered(self, seconds: float) -> None:
        """It has answered after that time."""
        now = used(self._process())
        cpu = max(0.0, now.cpu - self._before.cpu)
        at = len(self.moves) + 1
        found = (round(seconds, 4), round(cpu, 4), round(now.memory, 1))
        self.moves.append(MoveUsage(self._player, at, *found))


class CallProfiler:
    """Samples the calls of a Python bot while it chooses moves."""

    def __init__(self) -> None:
        from pyinstrument import Profiler  # only whoever profiles has it

        self._profiler = Profiler(interval=_INTERVAL, async_mode="disabled")

    def run(self, function: Callable[..., T], *arguments: Any) -> T:
        """Call a function and sample it."""
        self._profiler.start()
        try:
            return function(*arguments)
        finally:
            self._profiler.stop()

    def html(self) -> str:
        """The flame graph of all calls so far, as a page."""
        if self._profiler.last_session is None:
            return ""
        return str(self._profiler.output_html())


# ------------------------------------------------------------------------------------------- files


def write_graph(folder: Path, key: str, player: str, html: str) -> None:
    """Write a player's flame graph of a game, if there is one."""
    if html:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{file_name(key)}-{file_name(player)}.html").write_text(html, "utf-8")


def write_usage(folder: Path, key: str, moves: Iterable[MoveUsage]) -> None:
    """Write the usage of the players of a game, one line for each move."""
    rows = [astuple(each) for each in moves]
    if not rows:
        return
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{file_name(key)}.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(each.name for each in fields(MoveUsage))
        table.writerows(rows)


def file_name(text: str) -> str:
    """A text as part of a file's name."""
    return re.sub(r"[^\w.-]+", "-", text).strip("-")[:80]
