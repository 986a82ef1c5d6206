"""Processes of the program as copies of one that has imported it, for systems that can fork.

Workers of contests, game services and players of arenas are new interpreters in real life. Here
they come from the fork server of `tests.forked`: half a second of a processor less for each.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import forkserver, resource_tracker
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path
from typing import Any
from unittest.mock import patch

from spielleiter.service import engine_pool, process
from spielleiter.tournament import runner


class Copy(ForkServerProcess):
    """Like a new process it has the environment and the output of the one that starts it."""

    output: tuple[Path, ...] = ()
    """The files for standard output and standard error, if a program's own are files."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._environment, self._output = dict(os.environ), Copy.output

    def run(self) -> None:
        """Do what the process is there for."""
        os.environ.clear()
        os.environ.update(self._environment)
        become_copy(*self._output)
        super().run()


class CopyContext(ForkServerContext):
    """Starts processes as copies."""

    Process = Copy


def become_copy(*output: Path) -> None:
    """Print to these files, and start whatever is started as copies."""
    Copy.output = output
    for number, file in enumerate(output, 1):
        os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND), number)
    _share_forkserver()
    for module in (runner, process, engine_pool):
        vars(module)["_SPAWN"] = CopyContext()


def _share_forkserver() -> None:
    """A copy asks the fork server that it comes from; by itself it would start another one."""
    ours: Any = forkserver._forkserver
    ours.ensure_running = resource_tracker.ensure_running


@contextmanager
def copied_service(preload: list[str]) -> Iterator[None]:
    """Services that are started meanwhile are copies."""
    context = CopyContext()
    context.set_forkserver_preload(preload)
    with patch.object(process, "_SPAWN", context):
        yield
