"""A PostgreSQL server for tests, which can go away and come back."""

from __future__ import annotations

import getpass
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Engine, create_engine
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

    def stop(self) -> None:
        """Go away at once, whoever is still connected."""
        if self._server is not None:
            self._server.send_signal(signal.SIGINT)
            self._server.wait(60)
            self._server = None


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
