"""Numbered tasks by a pool of processes; files of results, and where a run goes on with them."""

from __future__ import annotations

import json
import math
import multiprocessing
import os
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from pathlib import Path
from typing import Any, TypeVar

Done = TypeVar("Done")


def done(
    task: Callable[[int], Done], numbers: Iterable[int], jobs: int, limit: float | None = None
) -> Iterator[Done]:
    """What a task makes of each number, as it is finished; what was begun is always finished.

    After so many seconds nothing further is begun. A process that died is raised here.
    """
    end = math.inf if limit is None else time.perf_counter() + limit
    rest, running = iter(numbers), set[Future[Done]]()
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
        while True:
            while len(running) < jobs and time.perf_counter() < end:
                if (number := next(rest, None)) is None:
                    break
                running.add(pool.submit(task, number))
            if not running:
                return
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            yield from (future.result() for future in finished)


def stored(path: Path | None) -> list[dict[str, Any]]:
    """The lines of a file of results; none, if there is no file yet."""
    if path is None or not path.exists():
        return []
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def keep(path: Path | None, lines: Iterable[dict[str, Any]]) -> None:
    """Append lines to a file of results, if there is one."""
    if path is not None:
        with path.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)


def next_number(lines: Iterable[dict[str, Any]]) -> int:
    """The number of the first game that none of these runs has begun."""
    return max((line["first"] + line["begun"] for line in lines if "begun" in line), default=0)


def machine() -> dict[str, Any]:
    """How many processors a run could use, and how many processes wanted them."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    load = {"load": round(os.getloadavg()[0], 1)} if hasattr(os, "getloadavg") else {}
    return {"cores": usable, **load}
