"""An arena as its users start it, on free ports, and a browser to visit it with."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests import forked
from tests.contests import environment, program
from tests.system import install, missing

if TYPE_CHECKING:
    from playwright.sync_api import Browser

VIEWER = Path(__file__).parents[2] / "viewer"
SHELL = "chromium-headless-shell"
NAMES = (SHELL, "chromium", "chromium-browser", "google-chrome", "chrome")
"""The first one draws pages and nothing else: it takes a third of a processor's time."""
_UNUSED = (
    *("WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup"),  # two pages a window
    # What Playwright switches off: the browser listens to one such argument, the last.
    *("AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades"),
    *("HttpsFirstBalancedModeAutoEnable", "LensOverlay", "MediaRouter", "PaintHolding"),
    *("ThirdPartyStoragePartitioning", "OptimizationHints", "NetworkTimeServiceQuerying"),
    *("AimEnabled", "PreconnectToSearch"),
)
ARGUMENTS = (
    f"--disable-features={','.join(_UNUSED)}",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--renderer-process-limit=1",  # a process for each window takes a fifteenth more
)
STARTS_WITHIN = 120.0
PASSWORD = "open sesame"


@dataclass(slots=True)
class Arena:
    """A running arena."""

    address: str
    process: subprocess.Popen[bytes] | forked.Running
    data: Path
    said: Path
    """The file of all that it says."""

    @property
    def port(self) -> int:
        """Where its pages are."""
        return int(self.address.rstrip("/").rsplit(":", 1)[1])

    def kill(self) -> None:
        """End it as a failing machine would."""
        self.process.kill()
        self._bury()

    def stop(self) -> None:
        """End it as Ctrl-C would."""
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self._bury()

    def _bury(self) -> None:
        self.process.wait()
        told = self.said.read_text("utf-8", "replace")
        self.said.unlink()
        assert "Traceback" not in told, told


def start(data: Path, *more: str, copied: bool = False) -> Arena:
    """`spielleiter arena` with a data folder; ready when it says its address.

    A copy of a process that has imported it takes seconds of a processor less.
    """
    ports = ("--port", "0", "--xml-port", "0", "--binary-port", "0")
    words = ("arena", *ports, "--players", "1", *more, "--data", str(data))
    number, name = tempfile.mkstemp()
    process: subprocess.Popen[bytes] | forked.Running
    with os.fdopen(number, "wb") as said:
        if copied and forked.fits(environment()):
            process = forked.Running(words, Path.cwd(), environment(), Path(name))
        else:
            process = subprocess.Popen(program(*words), stdout=said, stderr=subprocess.STDOUT)
    return Arena(_address(process, Path(name)), process, data, Path(name))


def _address(process: subprocess.Popen[bytes] | forked.Running, said: Path) -> str:
    """The address in what it says first."""
    deadline = time.monotonic() + STARTS_WITHIN
    while time.monotonic() < deadline and process.poll() is None:
        if found := re.search(r"http://\S+(?=\s)", said.read_text("utf-8")):
            return found.group()
        time.sleep(0.02)
    process.kill()
    process.wait()
    raise AssertionError(f"the arena did not open: {said.read_text('utf-8')}")


@contextmanager
def kept(port: int) -> Iterator[None]:
    """Nobody else is given a port that somebody is to open again: we have it and do not listen."""
    with socket.socket() as keeper:
        keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        keeper.bind(("127.0.0.1", port))
        yield


@contextmanager
def arena(data: Path, *more: str, copied: bool = False) -> Iterator[Arena]:
    """An arena for the length of a block."""
    running = start(data, *more, copied=copied)
    try:
        yield running
    finally:
        running.stop()


@contextmanager
def browser() -> Iterator[Browser]:
    """Debian's Chromium, driven by Playwright."""
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        missing("playwright is not installed: `pip install --group test`")
    program = _chromium()
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=program, args=list(ARGUMENTS))
        try:
            yield running
        finally:
            running.close()


def _chromium() -> str:
    for package in (SHELL, "chromium"):
        if found := next(filter(None, map(shutil.which, NAMES)), None):
            return found
        with suppress(subprocess.CalledProcessError):  # older systems have no shell
            install(package)
    found = shutil.which("chromium")
    return found or missing(f"Chromium is not installed: `apt-get install {SHELL}`")
