"""`python -m benchmarks [NAME …]`: measure, print the tables, keep the figures as JSON."""

from __future__ import annotations

import argparse
import json
import pkgutil
import platform
from datetime import UTC, datetime
from importlib import import_module

import benchmarks
from benchmarks.measure import HERE, calibration
from spielleiter import native

PREFIX = "speed_"


def known() -> list[str]:
    """What can be measured: the modules `speed_*`, without that prefix."""
    modules = [module.name for module in pkgutil.iter_modules(benchmarks.__path__)]
    return [name.removeprefix(PREFIX) for name in modules if name.startswith(PREFIX)]


def main(wanted: list[str]) -> None:
    """Measure what is named, or everything."""
    found = []
    before = calibration()
    print(f"C = {before:,.0f} iterations/s; flavour {native.wanted()[0]}")
    for name in wanted or known():
        for row in import_module(f"benchmarks.{PREFIX}{name}").rows(before):
            print(row.line(), flush=True)
            found.append(row.data())
    record = {
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": {"processor": platform.machine(), "system": platform.system()},
        "python": platform.python_version(),
        "flavour": native.wanted()[0],
        "C": before,
        "C after": calibration(),
        "rows": found,
    }
    day = datetime.now(UTC).date().isoformat()
    path = HERE / "results" / f"{day}-{'-'.join(wanted) or 'all'}-{record['flavour']}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(record, indent=2, ensure_ascii=False) + "\n", "utf-8")
    print(f"kept in {path.relative_to(HERE.parent)}")


parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(known())}")
names = parser.parse_args().names
for name in set(names) - set(known()):
    parser.error(f"{name!r} is not among {', '.join(known())}")
main(names)
