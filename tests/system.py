"""Parts of the system that some tests need: in CI they are installed, elsewhere named."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import pytest

IN_CI = bool(os.environ.get("CI"))


def install(package: str) -> None:
    """Debian's package, on a CI machine that we may change."""
    apt = shutil.which("apt-get")
    if not IN_CI or apt is None or os.geteuid() != 0:
        return
    with _one_at_a_time():
        subprocess.run([apt, "update", "-q"], check=True)
        subprocess.run([apt, "install", "-y", "-q", "--no-install-recommends", package], check=True)


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    """Tests run in several processes, and a package manager serves only one of them."""
    import fcntl  # where there is apt-get, there is this

    with (Path(tempfile.gettempdir()) / "spielleiter-install.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def missing(what: str) -> NoReturn:
    """Say what is not here; in CI that is a failure, not a reason to skip."""
    if IN_CI:
        pytest.fail(what)
    pytest.skip(what)
