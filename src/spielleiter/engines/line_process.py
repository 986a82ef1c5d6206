"""A subprocess with line-based commands and answers.

Its output is limited: lines have a maximum length, and unread lines block the program, not us.
"""

from __future__ import annotations

import contextlib
import queue
import subprocess
import threading
import time
import weakref
from collections.abc import Iterator, Sequence
from typing import IO

from spielleiter.errors import PeerError

LONGEST = 1 << 16
"""Bytes of a line."""
MOST = 1 << 23
"""Bytes before an answer."""
_WAITING = 256
"""Lines that are read ahead."""
_EXIT = 1.0


class EngineFailure(PeerError):
    """An engine broke its protocol, or ended: its player has failed."""


class LineProcess:
    """A program that answers commands line by line."""

    def __init__(self, words: Sequence[str]) -> None:
        self.name = words[0]
        try:
            self._process = subprocess.Popen(
                list(words), stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
        except OSError as problem:
            raise EngineFailure(f"{words[0]} cannot be started: {problem}") from None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input = self._process.stdin
        self._lines: queue.Queue[bytes] = queue.Queue(_WAITING)
        gone = threading.Event()
        reader = threading.Thread(
            target=_read, args=(self._process.stdout, self._lines, gone), daemon=True
        )
        reader.start()
        self._kill = weakref.finalize(self, _end, self._process, gone)

    def send(self, line: str) -> None:
        """Write a line; raises EngineFailure if the program does not read any more."""
        if "\n" in line:
            raise EngineFailure(f"a command has one line: {line!r}")
        try:
            self._input.write(line.encode() + b"\n")
            self._input.flush()
        except (OSError, ValueError):
            raise EngineFailure(self._why_gone()) from None

    def lines(self, seconds: float) -> Iterator[str]:
        """The lines it writes from now on, with a timeout."""
        until = time.monotonic() + seconds
        written = 0
        while written < MOST:
            line = self._line(until, seconds)
            written += len(line) + 1
            yield line
        raise EngineFailure(f"{self.name} wrote {MOST >> 20} MiB and no answer")

    def close(self) -> None:
        """Close its input, then kill the program if it does not exit."""
        with contextlib.suppress(OSError):
            self._input.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_EXIT)
        self._kill()

    def _line(self, until: float, seconds: float) -> str:
        try:
            line = self._lines.get(timeout=max(0.0, until - time.monotonic()))
        except queue.Empty:
            raise EngineFailure(f"{self.name} did not answer within {seconds:g} s") from None
        if not line:
            raise EngineFailure(self._why_gone())
        if not line.endswith(b"\n"):
            raise EngineFailure(f"{self.name} wrote a line without an end")
        return line.decode(errors="replace").rstrip("\r\n")

    def _why_gone(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_EXIT)
        status = self._process.poll()
        if status is None:
            return f"{self.name} closed its output"
        return f"{self.name} ended with status {status}"


def _read(output: IO[bytes], lines: queue.Queue[bytes], gone: threading.Event) -> None:
    """The reader thread: pass on every line; the last one is empty."""
    with output:
        while not gone.is_set():
            line = _next(output)
            _put(lines, line, gone)
            if not line.endswith(b"\n"):
                return


def _next(output: IO[bytes]) -> bytes:
    try:
        return output.readline(LONGEST)
    except (OSError, ValueError):
        return b""


def _put(lines: queue.Queue[bytes], line: bytes, gone: threading.Event) -> None:
    while not gone.is_set():
        with contextlib.suppress(queue.Full):
            lines.put(line, timeout=0.1)
            return


def _end(process: subprocess.Popen[bytes], gone: threading.Event) -> None:
    gone.set()
    if process.poll() is None:
        process.kill()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_EXIT)
    if process.stdin is not None:
        with contextlib.suppress(OSError):
            process.stdin.close()
