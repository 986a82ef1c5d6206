"""`python -m benchmarks [NAME …]`: measure, print the tables, keep the figures as JSON."""

from __future__ import annotations

import json
import pkgutil
import platform
import sys
from datetime import UTC, datetime
from importlib import import_module

import benchmarks
from benchmarks.measure import HERE, calibration
from spielleiter import native


def main(wanted: list[str]) -> None:
    """Run every `speed_*` module, or those named without that prefix."""
    modules = [module.name for module in pkgutil.iter_modules(benchmarks.__path__)]
    chosen = [name for name in modules if name.startswith("speed_")]
    chosen = [name for name in chosen if not wanted or name.removeprefix("speed_") in wanted]
    found = []
    before = calibration()
    print(f"C = {before:,.0f} iterations/s; flavour {native.wanted()[0]}")
    for name in chosen:
        for row in import_module(f"benchmarks.{name}").rows(before):
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


main(sys.argv[1:])
