"""Workers of runners as copies of a process that has imported the program (`tests.copies`).

A worker is a new interpreter in real life: most of a second of a processor until it can play.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from unittest.mock import patch

from spielleiter.tournament import runner
from tests import forked


@contextmanager
def copied_workers() -> Iterator[None]:
    """Workers that are started meanwhile import nothing again, where processes can fork."""
    if not forked.CAN_FORK:
        yield
        return
    context = import_module("tests.copies").CopyContext()  # where processes cannot fork is none
    context.set_forkserver_preload(forked.preloaded())
    with patch.object(runner, "_SPAWN", context):
        yield
