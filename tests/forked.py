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
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
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


class Running:
    """The program in a process of its own, which is asked and ended like one of `subprocess`."""

    def __init__(
        self, words: tuple[str, ...], folder: Path, environment: Mapping[str, str], said: Path
    ) -> None:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(preloaded())
        self._process = context.Process(target=_main, args=(words, folder, environment, said, said))
        self._process.start()

    def poll(self) -> int | None:
        """The status with which it has ended, if it has."""
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        """The status with which it ends; raises TimeoutExpired."""
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired("spielleiter", timeout or 0.0)
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        """Send it a signal, if it still runs."""
        if self._process.is_alive():
            os.kill(self._process.pid or 0, number)

    def kill(self) -> None:
        """End it as a failing machine would."""
        self._process.kill()


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
    return [__name__, "tests.copies", *commands]


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
