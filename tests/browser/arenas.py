"""An arena as its users start it, on free ports, and a browser to visit it with."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

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
    process: subprocess.Popen[str]
    data: Path

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
        assert self.process.stdout is not None
        with self.process.stdout as said:
            told = said.read()
        assert "Traceback" not in told, told


def start(data: Path, *more: str) -> Arena:
    """`spielleiter arena` with a data folder; ready when it says its address."""
    ports = ("--port", "0", "--xml-port", "0", "--binary-port", "0")
    command = [sys.executable, "-m", "spielleiter", "arena", *ports, "--players", "1", *more]
    command += ["--data", str(data)]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    return Arena(_address(process), process, data)


def _address(process: subprocess.Popen[str]) -> str:
    """The address in what it says first."""
    assert process.stdout is not None
    said, late = "", threading.Timer(STARTS_WITHIN, process.kill)
    late.start()
    try:
        for line in process.stdout:
            said += line
            if found := re.search(r"http://\S+", line):
                return found.group()
    finally:
        late.cancel()
    process.wait()
    raise AssertionError(f"the arena did not open: {said}")


@contextmanager
def kept(port: int) -> Iterator[None]:
    """Nobody else is given a port that somebody is to open again: we have it and do not listen."""
    with socket.socket() as keeper:
        keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        keeper.bind(("127.0.0.1", port))
        yield


@contextmanager
def arena(data: Path, *more: str) -> Iterator[Arena]:
    """An arena for the length of a block."""
    running = start(data, *more)
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
