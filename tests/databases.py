"""A PostgreSQL server for tests, which can go away and come back."""

from __future__ import annotations

import getpass
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sqlalchemy import Engine, create_engine, text
from sqlalchemy.exc import SQLAlchemyError

from tests.system import install, missing


def programs() -> Path | None:
    """Where PostgreSQL's programs are: on the path, or where Debian puts them."""
    found = shutil.which("initdb")
    places = [Path(found).parent] if found else []
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((place for place in places if (place / "initdb").exists()), None)


class PostgresServer:
    """Listens behind a socket in its folder: no port to be taken by others.

    It refuses to run as root, so it does not.
    """

    def __init__(self, place: Path, folder: Path) -> None:
        self._place, self._folder = place, folder
        self._user = "nobody" if os.name == "posix" and os.geteuid() == 0 else None
        if self._user is not None:
            shutil.chown(folder, self._user)
        words = ["-D", "data", "-U", "tester", "-A", "trust", "-E", "UTF8", "--no-sync"]
        made = [str(place / "initdb"), *words]
        subprocess.run(
            made, cwd=folder, user=self._user, check=True, capture_output=True, timeout=120
        )
        self.url = f"postgresql://tester@/postgres?host={folder}"
        self._server: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start, and wait until it answers."""
        words = [str(self._place / "postgres"), "-D", "data", "-k", str(self._folder), "-h", ""]
        self._server = subprocess.Popen(
            words, cwd=self._folder, user=self._user, stderr=subprocess.DEVNULL
        )
        engine = create_engine(self.url.replace("postgresql:", "postgresql+psycopg:"))
        end = time.monotonic() + 60
        while not _answers(engine):
            assert self._server.poll() is None, f"PostgreSQL ended (as {getpass.getuser()})"
            assert time.monotonic() < end, "PostgreSQL does not answer"
            time.sleep(0.05)
        engine.dispose()

    def cut(self) -> None:
        """Cut every connection; the server goes on."""
        engine = create_engine(self.url.replace("postgresql:", "postgresql+psycopg:"))
        others = "select pg_terminate_backend(pid) from pg_stat_activity where pid != {}"
        with engine.connect() as connection:
            connection.execute(text(others.format("pg_backend_pid() and usename is not null")))
        engine.dispose()

    def kill(self) -> None:
        """End without warning, all its processes at once, as when a machine loses its power."""
        assert self._server is not None
        children = Path(f"/proc/{self._server.pid}/task/{self._server.pid}/children").read_text()
        for pid in (self._server.pid, *map(int, children.split())):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._server.wait(60)
        self._server = None
        wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in children.split()))

    def stop(self) -> None:
        """Go away at once, whoever is still connected."""
        if self._server is not None:
            self._server.send_signal(signal.SIGINT)
            self._server.wait(60)
            self._server = None


def wait_until(done: Callable[[], bool], seconds: float = 60.0) -> None:
    """Wait until something is so."""
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.02)


def _answers(engine: Engine) -> bool:
    try:
        with engine.connect():
            return True
    except SQLAlchemyError:
        return False


@contextmanager
def postgres_server() -> Iterator[PostgresServer]:
    """A server of our own, with an empty database."""
    if programs() is None:
        install("postgresql")
    place = programs()
    if place is None:
        missing("PostgreSQL is not installed: install it with 'apt-get install postgresql'")
    folder = Path(tempfile.mkdtemp(prefix="store"))
    server = PostgresServer(place, folder)
    try:
        server.start()
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)
