"""The program in a process of its own, forked from one that has imported it already.

A new interpreter takes a second of a processor until all that a command needs is imported, and the
suite starts the program hundreds of times. Where processes cannot fork, every one is a new one.
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import pkgutil
import runpy
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from multiprocessing import connection
from pathlib import Path

from spielleiter import cli

CAN_FORK = "forkserver" in multiprocessing.get_all_start_methods()
_DECISIVE = ("SPIELLEITER_", "PYTHON")
"""Variables that count when a module is imported."""
_ORIGIN = {name: value for name, value in os.environ.items() if name.startswith(_DECISIVE)}


def fits(environment: Mapping[str, str]) -> bool:
    """Whether what was imported here would be imported alike in that environment."""
    wanted = {name: value for name, value in environment.items() if name.startswith(_DECISIVE)}
    own = ("PYTHONPATH", "PYTHONIOENCODING")  # the source tree, and files in UTF-8: as here
    return CAN_FORK and {k: v for k, v in wanted.items() if k not in own} == {
        k: v for k, v in _ORIGIN.items() if k not in own
    }


def run(
    words: tuple[str, ...], folder: Path, environment: Mapping[str, str], patience: float
) -> subprocess.CompletedProcess[str]:
    """The program, run to its end in a folder; raises TimeoutExpired."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(preloaded())
    with tempfile.TemporaryDirectory() as kept:
        out, err = Path(kept, "out"), Path(kept, "err")
        process = context.Process(target=_main, args=(words, folder, environment, out, err))
        process.start()
        process.join(patience)
        if process.is_alive():
            process.kill()
            process.join()
            raise subprocess.TimeoutExpired(words, patience, out.read_text("utf-8"))
        assert process.exitcode is not None
        said = (each.read_text("utf-8", "replace") for each in (out, err))
        return subprocess.CompletedProcess(words, process.exitcode, *said)


class Started:
    """The program, running; what can be done with it is called as `subprocess.Popen` calls it.

    It talks into a named pipe, which copies that it starts can open as well. We may write there
    too, for as long as it runs: else whoever begins to read would find that nobody is there.
    """

    def __init__(self, words: tuple[str, ...], folder: Path) -> None:
        self._kept = tempfile.TemporaryDirectory()
        pipe = Path(self._kept.name, "pipe")
        os.mkfifo(pipe)
        reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        os.set_blocking(reading, True)
        self.stdout = os.fdopen(reading, encoding="utf-8")
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(preloaded())
        given = (words, folder, dict(os.environ), pipe, pipe)
        self._process = context.Process(target=_main, args=given)
        writing = os.open(pipe, os.O_WRONLY)
        self._process.start()
        threading.Thread(target=self._let_go, args=(writing,)).start()

    def _let_go(self, writing: int) -> None:
        """Wait for its end: whoever reads comes to the end, too."""
        connection.wait([self._process.sentinel])
        os.close(writing)

    def send_signal(self, number: int) -> None:
        """Send a signal to it alone."""
        assert self._process.pid is not None
        os.kill(self._process.pid, number)

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()

    def wait(self, timeout: float | None = None) -> int:
        """Its status in the end; raises TimeoutExpired."""
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired("spielleiter", timeout or 0.0)
        self._kept.cleanup()
        return self._process.exitcode


@contextmanager
def copied_service() -> Iterator[None]:
    """Game services that are opened meanwhile import nothing again, where processes can fork."""
    if not CAN_FORK:
        yield
        return
    with import_module("tests.copies").copied_service(preloaded()):
        yield


def preloaded() -> list[str]:
    """What the fork server imports."""
    commands = (f"{cli.__name__}.{module.name}" for module in pkgutil.iter_modules(cli.__path__))
    return [__name__, "tests.copies", *commands, "tests.frozen"]


def _main(
    words: tuple[str, ...], folder: Path, environment: Mapping[str, str], out: Path, err: Path
) -> None:
    """What `python -m spielleiter` does."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    import_module("tests.copies").become_copy(out, err)  # where processes cannot fork is none
    sys.path[0:0] = [str(folder)]
    sys.argv = ["spielleiter", *words]
    try:
        runpy.run_module("spielleiter", run_name="__main__", alter_sys=True)
    finally:
        atexit._run_exitfuncs()
