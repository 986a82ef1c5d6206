"""Probes which levels work here, each with a program that tries to break out."""

from __future__ import annotations

import functools
import os
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from spielleiter.errors import UsageError
from spielleiter.sandbox import cgroup
from spielleiter.sandbox.box import Box, LaunchRequest, SandboxFailed
from spielleiter.sandbox.level import Bounds, Level

_PATIENCE = 20.0
_SECRET = "a secret of somebody else"
_TRY = """
import os, socket, sys
secret, forbidden, allowed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
try:
    print("FILES", open(secret).read())
except OSError:
    pass
try:
    socket.create_connection(("127.0.0.1", forbidden), 5).close()
    print("NETWORK")
except OSError:
    pass
if len([name for name in os.listdir("/proc") if name.isdecimal()]) > 2:
    print("PROCESSES")
socket.create_connection(("127.0.0.1", allowed), 5).close()
print("tried")
"""
_NAMESPACES = (
    "allow user namespaces: `sysctl user.max_user_namespaces=10000`, on some systems also `sysctl "
    "kernel.unprivileged_userns_clone=1` or `sysctl kernel.apparmor_restrict_unprivileged_userns=0`"
    "; inside a container start that with the privilege to make namespaces and to mount /proc"
)
_LANDLOCK = "Linux 5.13 or newer with `landlock` among the security modules (`lsm=…` at boot)"


class Unreachable(UsageError):
    """A level that this machine does not offer; says what is missing and how to get it."""


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """The levels that work on this machine."""

    best: Level
    missing: tuple[tuple[Level, str], ...]
    """The unavailable levels, each with what is missing and how to get it."""
    groups: str | None = None

    def box(self, level: Level, bounds: Bounds | None = None) -> Box:
        """A box of that level; raises Unreachable."""
        for each, reason in self.missing:
            if each <= level:
                raise Unreachable(f"the sandbox level {level.text} is out of reach here: {reason}")
        groups = self.groups if level >= Level.CGROUP else None
        return Box(level, bounds or Bounds(), groups)


@functools.cache
def probe() -> ProbeResult:
    """Try all levels, once per process."""
    missing: list[tuple[Level, str]] = []
    groups: list[str] = []
    for level, attempt in _ATTEMPTS.items():
        try:
            groups += attempt()
        except (OSError, SandboxFailed) as problem:
            missing.append((level, str(problem)))
    best = min((level for level, _ in missing), default=Level.CGROUP + 1) - 1
    return ProbeResult(Level(best), tuple(missing), groups[0] if groups else None)


def _limits() -> Iterator[str]:
    if os.name != "posix":
        raise OSError("only Unix has limits for processes; run it on Linux (or in WSL)")
    with Box(Level.LIMITS).start(
        LaunchRequest([sys.executable, "-I", "-S", "-c", "print(7)"])
    ) as running:
        said = running.end(_PATIENCE)
    if said.split() != ["7"]:
        raise OSError(f"a limited program does not run: {said.strip()}")
    return iter(())


def _isolated() -> Iterator[str]:
    if sys.platform != "linux":
        raise OSError("only Linux has namespaces and Landlock")
    from spielleiter.sandbox import linux

    if not linux.landlock_version():
        raise OSError(f"the kernel has no Landlock; needed: {_LANDLOCK}")
    try:
        said = _tried_to_break_out()
    except SandboxFailed as problem:
        raise OSError(f"{problem}; {_NAMESPACES}") from problem
    if said.split() != ["tried"]:
        raise OSError(f"a program broke out or did not run: {said.strip()}; {_NAMESPACES}")
    return iter(())


def _tried_to_break_out() -> str:
    with _secret() as secret, _listening() as forbidden, tempfile.TemporaryDirectory() as own:
        allowed = 1 + forbidden % 60_000
        words = [sys.executable, "-I", "-S", "-c", _TRY, secret, str(forbidden), str(allowed)]
        prefixes = tuple(Path(each) for each in {sys.prefix, sys.base_prefix})
        order = LaunchRequest(words, Path(own), prefixes, port=allowed)
        with Box(Level.ISOLATED).start(order) as running:
            return running.end(_PATIENCE)


@contextmanager
def _secret() -> Iterator[str]:
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(_SECRET)
        file.flush()
        yield file.name


@contextmanager
def _listening() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def _grouped() -> Iterator[str]:
    try:
        return iter([str(cgroup.find())])
    except OSError as problem:
        reason = problem if problem.filename is None else f"{problem.strerror}: {problem.filename}"
        raise OSError(f"{reason}; {cgroup.HOW}") from problem


_ATTEMPTS: dict[Level, Callable[[], Iterator[str]]] = {
    Level.LIMITS: _limits,
    Level.ISOLATED: _isolated,
    Level.CGROUP: _grouped,
}
