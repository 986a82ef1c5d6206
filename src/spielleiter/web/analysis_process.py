"""A subprocess that reads orders and writes reports, line by line."""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
import threading
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor

_STARTERS = ThreadPoolExecutor(4, "start-analysis")
"""Starts processes in threads, since that may take long on a busy machine."""


class AnalysisProcess:
    """A subprocess with a thread that reads its lines."""

    def __init__(self, command: Sequence[str]) -> None:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL
        )
        self.lines: asyncio.Queue[bytes] = asyncio.Queue()
        """What it says; an empty line is the end."""

    @classmethod
    async def begun(cls, command: Sequence[str], order: bytes = b"") -> AnalysisProcess:
        """Start the process and its reader."""
        starting = _STARTERS.submit(cls, command)
        try:
            process = await asyncio.wrap_future(starting)
        except asyncio.CancelledError:  # whoever asked is gone, and perhaps the loop with them
            starting.add_done_callback(_end)
            raise
        process.tell(order)
        threading.Thread(
            target=process._hear, args=(asyncio.get_running_loop(),), daemon=True
        ).start()
        return process

    def tell(self, order: bytes) -> None:
        """Send an order; ignored if the process has ended, which `lines` shows."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.write(order)
            self._process.stdin.flush()

    def end(self, patience: float) -> bool:
        """Wait for the end; whether it succeeded."""
        try:
            return self._process.wait(patience) == 0
        except subprocess.TimeoutExpired:
            return False

    def kill(self) -> None:
        """Kill it; its thread cleans up."""
        with contextlib.suppress(OSError):
            self._process.kill()

    def _hear(self, loop: asyncio.AbstractEventLoop) -> None:
        assert self._process.stdout is not None
        with contextlib.suppress(RuntimeError):  # the loop may be closed by now
            for line in self._process.stdout:
                loop.call_soon_threadsafe(self.lines.put_nowait, line)
            loop.call_soon_threadsafe(self.lines.put_nowait, b"")
        self._clear_up()

    def _clear_up(self) -> None:
        process = self._process
        process.wait()
        for pipe in (process.stdout, process.stdin):
            assert pipe is not None
            with contextlib.suppress(OSError):
                pipe.close()

    def _abandon(self) -> None:
        self.kill()
        self._clear_up()


def _end(starting: Future[AnalysisProcess]) -> None:
    if not starting.cancelled() and starting.exception() is None:
        starting.result()._abandon()
