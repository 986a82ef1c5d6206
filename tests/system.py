"""Parts of the system that some tests need: in CI they are installed, elsewhere named."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import NoReturn

import pytest

IN_CI = bool(os.environ.get("CI"))


def install(package: str) -> None:
    """Debian's package, on a CI machine that we may change."""
    apt = shutil.which("apt-get")
    if not IN_CI or apt is None or os.geteuid() != 0:
        return
    subprocess.run([apt, "update", "-q"], check=True)
    subprocess.run([apt, "install", "-y", "-q", "--no-install-recommends", package], check=True)


def missing(what: str) -> NoReturn:
    """Say what is not here; in CI that is a failure, not a reason to skip."""
    if IN_CI:
        pytest.fail(what)
    pytest.skip(what)
