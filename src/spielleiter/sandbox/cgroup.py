"""Control groups, version 2: limits for all processes of a program together.

Nothing is mounted and no foreign group is changed. We need a folder in which we may create groups
and delegate controllers: the one named by SPIELLEITER_CGROUP, or our own.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from spielleiter.sandbox.level import Bounds

VARIABLE = "SPIELLEITER_CGROUP"
NEEDED = ("memory", "pids", "cpu")
HOW = (
    "start it as `systemd-run --user --scope -p Delegate=yes spielleiter …`, or name a folder of "
    f"control groups that is yours in {VARIABLE}"
)
_PERIOD = 100_000
_EMPTIED = 5.0
_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class ControlGroup:
    """The control group of one program."""

    folder: Path

    @classmethod
    def make(cls, base: Path, bounds: Bounds | None) -> Self:
        """A new group; without limits it can still freeze and kill its processes."""
        folder = base / f"spielleiter-{os.getpid()}-{next(_numbers)}"
        folder.mkdir()
        for name, value in _settings(bounds).items():
            (folder / name).write_text(value)
        with contextlib.suppress(OSError):  # absent where nothing is swapped
            (folder / "memory.swap.max").write_text("0")
        return cls(folder)

    def freeze(self, frozen: bool) -> None:
        """Freeze or unfreeze all its processes; returns when done."""
        (self.folder / "cgroup.freeze").write_text("1" if frozen else "0")
        self._await("frozen", int(frozen))

    def end(self) -> None:
        """Kill all its processes at once, and remove it."""
        with contextlib.suppress(FileNotFoundError):
            (self.folder / "cgroup.kill").write_text("1")
            self._await("populated", 0)
            self.folder.rmdir()

    @property
    def populated(self) -> bool:
        """Whether any process is left."""
        return self._event("populated") == 1

    @property
    def ran_out_of_memory(self) -> bool:
        """Whether the kernel killed its processes because they needed too much memory."""
        with contextlib.suppress(OSError, KeyError):
            return self._event("oom_kill", "memory.events") > 0
        return False

    def _event(self, name: str, file: str = "cgroup.events") -> int:
        lines = (self.folder / file).read_text().splitlines()
        return int(dict(line.split() for line in lines)[name])

    def _await(self, name: str, value: int) -> None:
        until = time.monotonic() + _EMPTIED
        while self._event(name) != value and time.monotonic() < until:
            time.sleep(0.0002)


def _settings(bounds: Bounds | None) -> dict[str, str]:
    if bounds is None:
        return {}
    cores = {} if bounds.cores is None else {"cpu.max": f"{int(bounds.cores * _PERIOD)} {_PERIOD}"}
    return {
        "memory.max": str(bounds.memory),
        "memory.oom.group": "1",
        "pids.max": str(bounds.processes + 4),  # the supervisor is in it, too
        **cores,
    }


def find() -> Path:
    """A folder in which groups with all controllers can be created; raises OSError."""
    named = os.environ.get(VARIABLE)
    folder = Path(named) if named else _own()
    _hand_on(folder)
    probe = ControlGroup.make(folder, Bounds())
    probe.end()
    return folder


def mounted() -> Path:
    """Where version 2 is mounted; raises OSError if it is not."""
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        place, _, kind = line.partition(" - ")
        if kind.split()[0] == "cgroup2":
            return Path(place.split()[4])
    raise OSError("control groups of version 2 are not mounted")


def _own() -> Path:
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        if line.startswith("0::"):
            return mounted() / line[3:].lstrip("/")
    raise OSError("this process is in no control group of version 2")


def _hand_on(folder: Path) -> None:
    """Enable the controllers for child groups, moving our process into one if needed."""
    there = (folder / "cgroup.controllers").read_text().split()
    missing = [name for name in NEEDED if name not in there]
    if missing:
        raise OSError(f"{folder} does not control {', '.join(missing)}")
    handed = (folder / "cgroup.subtree_control").read_text().split()
    if all(name in handed for name in NEEDED):
        return
    try:
        _enable(folder)
    except OSError:
        _step_aside(folder)
        _enable(folder)


def _enable(folder: Path) -> None:
    (folder / "cgroup.subtree_control").write_text(" ".join(f"+{name}" for name in NEEDED))


def _step_aside(folder: Path) -> None:
    """Move our own process into a child group: a group with processes cannot delegate."""
    if (folder / "cgroup.procs").read_text().split() != [str(os.getpid())]:
        raise OSError(f"other processes live in {folder}")
    aside = folder / "spielleiter"
    aside.mkdir(exist_ok=True)
    (aside / "cgroup.procs").write_text("0")
