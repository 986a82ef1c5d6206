"""Speed over time: what is kept under results/, and what became slower by more than its noise.

Ratios to C compare machines only roughly: caches and vector units differ where the chain of the
calibration does not. So a run is compared with the last one of its own machine class.
"""

from __future__ import annotations

import itertools
import json
import platform
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.measure import HERE

RESULTS = HERE / "results"
RUN = {"when", "machine", "C", "flavour", "rows"}
"""What the files of speed tables hold; other benchmarks keep theirs beside them."""
ALIKE = 0.08
"""Machines are of one class if their C differs by less; a guess, C itself repeats within 2 %."""
UNKNOWN = 0.05
"""Spread of a figure that was kept without one: the median of those that have one, rounded up."""
FLOOR = 0.03
"""What two quiet runs of the same program differ by at least."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One row of a kept run: the ratio and how far its repetitions lay apart, in parts of it."""

    what: str
    against: str
    ratio: float
    spread: float


@dataclass(frozen=True, slots=True)
class SpeedRun:
    """One kept file: when, on what machine, which flavour, and the figures."""

    when: str
    machine: dict[str, str]
    c: float
    flavour: str
    figures: tuple[Figure, ...]

    def is_like(self, other: SpeedRun) -> bool:
        """Whether both ran the same flavour on machines of one class."""
        shared = self.machine.keys() & other.machine.keys()
        return (
            self.flavour == other.flavour
            and all(self.machine[key] == other.machine[key] for key in shared)
            and abs(self.c / other.c - 1) < ALIKE
        )


@dataclass(frozen=True, slots=True)
class SpeedChange:
    """A figure beside the last one of the same machine class."""

    what: str
    before: Figure
    now: Figure
    when: str

    @property
    def factor(self) -> float:
        return self.now.ratio / self.before.ratio

    @property
    def noise(self) -> float:
        return FLOOR + self.before.spread + self.now.spread

    @property
    def is_slower(self) -> bool:
        return self.factor < 1 - self.noise

    def line(self) -> str:
        verdict = "SLOWER" if self.is_slower else "faster" if self.factor > 1 + self.noise else ""
        return (
            f"{self.what:<58} {self.factor:>6.2f} × that of {self.when[:10]} "
            f"(noise {self.noise:.2f}) {verdict}"
        ).rstrip()


def machine() -> dict[str, str]:
    """What tells one class of machines from another, besides C."""
    found = {"processor": platform.machine(), "system": platform.system()}
    return found | ({"model": model} if (model := _model()) else {})


def _model() -> str:
    """The processor's name, where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else ""


def kept(folder: Path = RESULTS) -> list[SpeedRun]:
    """Every kept run of the speed tables, the oldest first."""
    read = (json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.json")))
    return sorted((run_of(data) for data in read if data.keys() >= RUN), key=lambda run: run.when)


def place_of(run: SpeedRun, name: str, folder: Path) -> Path:
    """The file for a run: the first of that name that is free or has a run of its machine class."""
    numbered = (f"{name}-{number}" for number in itertools.count(2))
    paths = (folder / f"{each}.json" for each in itertools.chain([name], numbered))
    return next(path for path in paths if not path.exists() or run.is_like(run_in(path)))


def run_in(path: Path) -> SpeedRun:
    """The run that a file holds."""
    return run_of(json.loads(path.read_text("utf-8")))


def run_of(data: dict[str, Any]) -> SpeedRun:
    """A run as its file holds it; the first ones had no spread."""
    figures = (
        Figure(row["what"], row["against"], row["ratio"], row.get("spread") or UNKNOWN)
        for row in data["rows"]
    )
    return SpeedRun(data["when"], data["machine"], data["C"], data["flavour"], tuple(figures))


def changes(run: SpeedRun, earlier: Iterable[SpeedRun]) -> Iterator[SpeedChange]:
    """Each figure of `run` that a machine of its class gave before, beside the latest such one."""
    alike = [other for other in earlier if other.when < run.when and other.is_like(run)]
    latest = {(each.what, each.against): (each, other) for other in alike for each in other.figures}
    for now in run.figures:
        if found := latest.get((now.what, now.against)):
            yield SpeedChange(now.what, found[0], now, found[1].when)
