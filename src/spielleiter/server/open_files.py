"""How many files this process may have open: connections are files too."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_ENOUGH = 65_536
_KEPT = 96
"""File descriptors reserved for everything but connections."""


def allow_many_files() -> None:
    """Raise the soft limit of this process as far as the system allows, up to a maximum."""
    if sys.platform == "win32":
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _ENOUGH if hard == resource.RLIM_INFINITY else min(hard, _ENOUGH)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        except (OSError, ValueError):  # some systems promise more than they give
            return


def most_connections() -> int | None:
    """How many connections fit beside what is open already; None: no limit is known."""
    if sys.platform == "win32":
        return None
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return None
    kept = max(_KEPT, soft // 8)
    return max(soft // 4, soft - kept - _open_now())


def _open_now() -> int:
    for folder in ("/proc/self/fd", "/dev/fd"):
        if Path(folder).is_dir():
            return len(os.listdir(folder))
    return 0
