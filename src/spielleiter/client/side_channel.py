"""Sends a bot's annotations to the arena, beside the game's protocol.

The address of a seat is on the arena's page: `--show URL`, or the variable `SPIELLEITER_SHOW`. A
thread sends lines in small packets; a game never waits for it. If the arena does not answer, only
the annotations are lost.
"""

from __future__ import annotations

import atexit
import http.client
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from spielleiter.annotation import LONGEST_LINE, PREFIX

VARIABLE = "SPIELLEITER_SHOW"
"""The variable of the environment that holds the address."""
_PACKET, _WAITING = 32_000, 1_000
"""Bytes of one packet; lines that may wait to be sent."""
_PAUSE, _PATIENCE, _FAREWELL = 0.3, 3.0, 3.0
_END = ""


class SideChannel:
    """The way to one seat's address."""

    def __init__(self, address: str) -> None:
        self._url = urlsplit(address)
        self._lines: queue.Queue[str] = queue.Queue(_WAITING)
        self._thread = threading.Thread(target=self._work, name="show", daemon=True)
        self._is_lost = self._url.scheme not in ("http", "https") or not self._url.hostname
        if self._is_lost:
            self._say(f"{address} is no address to show things at")
        else:
            self._thread.start()
            atexit.register(self.close)

    def put(self, line: str) -> None:
        """Queue a line; dropped if the queue is full."""
        if not self._is_lost:
            try:
                self._lines.put_nowait(line)
            except queue.Full:
                self._lose("too much is shown at once")

    def close(self) -> None:
        """Send the rest, with a short timeout."""
        atexit.unregister(self.close)
        if self._thread.is_alive():
            self.put(_END)
            self._thread.join(_FAREWELL)

    def _work(self) -> None:
        going = True
        while going and not self._is_lost:
            lines = [self._lines.get()]
            while not self._lines.empty() and sum(map(len, lines)) < _PACKET // 2:
                lines.append(self._lines.get())
            going = _END not in lines
            told = [line for line in lines if line]
            if told:
                self._send("\n".join(told).encode())
            if going:
                time.sleep(_PAUSE)

    def _send(self, body: bytes) -> None:
        secure = self._url.scheme == "https"
        kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        try:
            connection = kind(str(self._url.hostname), self._url.port, timeout=_PATIENCE)
            connection.request("POST", self._url.path, body, {"Content-Type": "text/plain"})
            answer = connection.getresponse()
            connection.close()
        except (OSError, http.client.HTTPException, ValueError) as problem:
            self._lose(str(problem))
            return
        if answer.status == 404:
            self._lose("the arena knows no such seat")

    def _lose(self, reason: str) -> None:
        self._is_lost = True
        self._say(f"what is shown does not reach the arena any more: {reason}")

    def _say(self, text: str) -> None:
        print(f"Note: {text}", file=sys.stderr)


def run_forwarding(words: Sequence[str], folder: Path | None, address: str | None) -> int:
    """Run a program, forwarding its `#show …` lines to the address; returns its exit status."""
    if address is None:
        return subprocess.run(words, cwd=folder, check=False).returncode
    own = {name: value for name, value in os.environ.items() if name != VARIABLE}
    channel = SideChannel(address)
    with subprocess.Popen(words, cwd=folder, env=own, stderr=subprocess.PIPE) as running:
        assert running.stderr is not None
        for raw in running.stderr:
            line = raw.decode(errors="replace")
            print(line, end="", file=sys.stderr, flush=True)
            if line.startswith(PREFIX) and len(line) <= LONGEST_LINE:
                channel.put(line.strip())
    channel.close()
    return running.returncode
