"""`python -m benchmarks [NAME …]`: measure, print the tables, keep the figures as JSON.

Says at the end what became slower than in the last run on a machine of this class.
"""

from __future__ import annotations

import argparse
import json
import pkgutil
import platform
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

import benchmarks
from benchmarks import beside, history
from benchmarks.measure import HERE, Row, calibration
from spielleiter import native

PREFIX = "speed_"


def known() -> list[str]:
    """What can be measured: the modules `speed_*`, without that prefix."""
    modules = [module.name for module in pkgutil.iter_modules(benchmarks.__path__)]
    return [name.removeprefix(PREFIX) for name in modules if name.startswith(PREFIX)]


def rows(wanted: list[str], c: float) -> Iterator[Row]:
    """What is named, or everything, measured now."""
    for name in wanted or known():
        yield from import_module(f"benchmarks.{PREFIX}{name}").rows(c)


def measured(wanted: list[str]) -> dict[str, Any]:
    """A run as it is kept; every row is printed when it is there."""
    c = calibration()
    print(f"C = {c:,.0f} iterations/s; flavour {native.wanted()[0]}")
    found = []
    for row in rows(wanted, c):
        print(row.line(), flush=True)
        found.append(row.data())
    return {
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": history.machine(),
        "python": platform.python_version(),
        "flavour": native.wanted()[0],
        "C": c,
        "C after": calibration(),
        "rows": found,
    }


def keep(run: dict[str, Any], wanted: list[str]) -> Path:
    """Write the run beside the others; it replaces one of the same day, name and machine class."""
    day = datetime.now(UTC).date().isoformat()
    name = f"{day}-{'-'.join(wanted) or 'all'}-{run['flavour']}"
    path = history.place_of(history.run_of(run), name, history.RESULTS)
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(run, indent=2, ensure_ascii=False) + "\n", "utf-8")
    return path


def compare(run: history.SpeedRun, earlier: list[history.SpeedRun]) -> None:
    """Print each figure beside the last one of this machine class."""
    found = list(history.changes(run, earlier))
    if not found:
        print("no earlier run on a machine of this class: nothing to compare with")
    for change in found:
        print(change.line())
    slower = sum(change.is_slower for change in found)
    if slower:
        print(f"{slower} of {len(found)} figures became slower by more than their noise")


def main(wanted: list[str]) -> None:
    """Measure what is named, or everything; compare; keep."""
    earlier = history.kept()
    run = measured(wanted)
    compare(history.run_of(run), earlier)
    print(f"kept in {keep(run, wanted).relative_to(HERE.parent)}")


parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(known())}")
parser.add_argument(
    "--beside",
    type=Path,
    metavar="TREE",
    help="another built checkout, measured in turn with this one: was it the machine or the code?",
)
options = parser.parse_args()
for name in set(options.names) - set(known()):
    parser.error(f"{name!r} is not among {', '.join(known())}")
if options.beside:
    beside.main(options.beside, options.names or known())
else:
    main(options.names)
