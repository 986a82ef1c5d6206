"""Which of our pinned dependencies have known holes?

    python -m tests.known_holes DUMP …

DUMP is what OSV (osv.dev) publishes of an ecosystem: `all.zip`, or a folder of its JSON files, or
one of them. Fetch https://osv-vulnerabilities.storage.googleapis.com/PyPI/all.zip and the same for
`npm`; from then on no network is needed. Pins are those of `constraints.txt` and of
`viewer/package-lock.json`. The status is 1 if anything is found.
"""

from __future__ import annotations

import json
import re
import sys
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.version import InvalidVersion, Version

ROOT = Path(__file__).parents[1]
PYTHON, NODE = "PyPI", "npm"
_PIN = re.compile(r"^([A-Za-z0-9._-]+)==(\S+)", re.MULTILINE)
_INSTALLED = "node_modules/"

Order = Callable[[str], Any]
"""What a version is sorted by."""


@dataclass(frozen=True, slots=True)
class Pin:
    """A dependency in the version that we install."""

    ecosystem: str
    name: str
    version: str


@dataclass(frozen=True, slots=True)
class Hole:
    """A known hole of a dependency."""

    pin: Pin
    id: str
    summary: str

    def __str__(self) -> str:
        return (
            f"{self.pin.name} {self.pin.version} ({self.pin.ecosystem}): {self.id} {self.summary}"
        )


def pins(root: Path = ROOT) -> Iterator[Pin]:
    """Everything that is installed to build, run and test the project."""
    for name, version in _PIN.findall((root / "constraints.txt").read_text("utf-8")):
        yield Pin(PYTHON, normalised(PYTHON, name), version)
    lock = json.loads((root / "viewer" / "package-lock.json").read_text("utf-8"))
    for path, package in lock["packages"].items():
        if _INSTALLED in path and "version" in package:
            yield Pin(NODE, path.rpartition(_INSTALLED)[2], package["version"])


def normalised(ecosystem: str, name: str) -> str:
    """The name as its registry compares it."""
    return re.sub(r"[-_.]+", "-", name).lower() if ecosystem == PYTHON else name


def entries(dump: Path) -> Iterator[dict[str, Any]]:
    """The entries of a dump."""
    if dump.is_dir():
        for file in sorted(dump.glob("*.json")):
            yield from entries(file)
    elif dump.suffix == ".zip":
        with zipfile.ZipFile(dump) as packed:
            for name in packed.namelist():
                if name.endswith(".json"):
                    yield json.loads(packed.read(name))
    else:
        found = json.loads(dump.read_text("utf-8"))
        yield from found if isinstance(found, list) else [found]


def holes(wanted: Iterable[Pin], known: Iterable[dict[str, Any]]) -> Iterator[Hole]:
    """The entries that concern a pin; what was withdrawn concerns nobody."""
    by_name: defaultdict[tuple[str, str], set[Pin]] = defaultdict(set)
    for pin in wanted:
        by_name[pin.ecosystem, pin.name].add(pin)
    for entry in known:
        if "withdrawn" not in entry:
            for pin in sorted(_affected(entry, by_name), key=str):
                yield Hole(pin, entry["id"], entry.get("summary", ""))


def _affected(entry: dict[str, Any], pins: dict[tuple[str, str], set[Pin]]) -> set[Pin]:
    found = set()
    for part in entry.get("affected", ()):
        package = part.get("package", {})
        ecosystem = package.get("ecosystem", "")
        key = ecosystem, normalised(ecosystem, package.get("name", ""))
        found |= {pin for pin in pins.get(key, ()) if _is_affected(pin, part)}
    return found


def _is_affected(pin: Pin, part: dict[str, Any]) -> bool:
    if pin.version in part.get("versions", ()):
        return True
    order = python_order if pin.ecosystem == PYTHON else node_order
    ranges = (each for each in part.get("ranges", ()) if each["type"] != "GIT")
    return any(_is_within(order, pin.version, each["events"]) for each in ranges)


def _is_within(order: Order, version: str, events: list[dict[str, str]]) -> bool:
    """Whether a version lies in a range: the last event before it decides."""
    inside, at = False, order(version)
    for event in sorted(events, key=lambda each: order(next(iter(each.values())))):
        ((kind, value),) = event.items()
        if kind == "introduced" and at >= order(value):
            inside = True
        elif (kind == "fixed" and at >= order(value)) or (
            kind == "last_affected" and at > order(value)
        ):
            inside = False
    return inside


def python_order(version: str) -> Any:
    """As PEP 440 sorts versions; what is none comes first."""
    try:
        return (1, Version(version))
    except InvalidVersion:
        return (0, version)


def node_order(version: str) -> Any:
    """As semantic versioning sorts versions: a preview comes before its release."""
    release, _, preview = version.partition("+")[0].partition("-")
    numbers = [int(each) if each.isdecimal() else 0 for each in release.split(".")]
    numbers += [0] * (3 - len(numbers))
    parts = [
        (0, int(each), "") if each.isdecimal() else (1, 0, each) for each in preview.split(".")
    ]
    return (numbers, not preview, parts if preview else [])


def main(dumps: list[str]) -> int:
    """Print every hole; 1 if there are any."""
    if not dumps:
        print(__doc__)
        return 2
    ours = list(pins())
    found = [hole for dump in dumps for hole in holes(ours, entries(Path(dump)))]
    for hole in found:
        print(hole)
    print(f"{len(ours)} pinned dependencies, {len(found)} known holes")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
