"""This checkout and another one on the same machine, in turn: was it the machine or the code?

The other one has been built (`make build` there). Our benchmarks measure its package, so what it
cannot do yet is left out.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

from benchmarks.measure import HERE

ROUNDS = 3
"""The best of them counts: what else runs on the machine only ever slows a round down."""

Rates = dict[str, list[float]]


def main(other: Path, names: list[str]) -> None:
    """Print for each row how many times as fast this checkout is."""
    theirs = interpreter(other)
    for name in names:
        ours, before = _rounds(Path(sys.executable), theirs, name)
        for what in (what for what in ours if what in before):
            print(_line(what, ours[what], before[what]), flush=True)


def interpreter(tree: Path) -> Path:
    """The Python of another built checkout: it imports that checkout's package."""
    folder = tree.resolve() / ".venv"
    return folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def _rounds(ours: Path, theirs: Path, name: str) -> tuple[Rates, Rates]:
    found: tuple[Rates, Rates] = ({}, {})
    for _ in range(ROUNDS):
        for rates, interpreter in zip(found, (ours, theirs), strict=True):
            for what, rate in _rates(interpreter, name).items():
                rates.setdefault(what, []).append(rate)
    return found


def _rates(interpreter: Path, name: str) -> dict[str, float]:
    command = [str(interpreter), "-m", "benchmarks.beside", name]
    printed = subprocess.run(command, cwd=HERE.parent, stdout=subprocess.PIPE, text=True)
    return dict(json.loads(line) for line in printed.stdout.splitlines())


def _line(what: str, ours: list[float], theirs: list[float]) -> str:
    each = sorted(a / b for a, b in zip(ours, theirs, strict=False))
    return (
        f"{what:<58} {max(ours) / max(theirs):>6.2f} × (best of {len(each)} each; "
        f"in turn {each[0]:.2f} … {each[-1]:.2f})"
    )


def measure(name: str) -> None:
    """One round: a line of JSON for each row, what and how many per second."""
    try:
        for row in import_module(f"benchmarks.speed_{name}").rows(1.0):
            print(json.dumps([row.what, row.rate]), flush=True)
    except AttributeError as lacking:
        print(f"the rest of {name} is left out: {lacking}", file=sys.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.beside", description=__doc__)
    parser.add_argument("name", help="what is measured, once, as a line of JSON for each row")
    measure(parser.parse_args().name)
