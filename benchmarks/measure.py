"""Measuring: medians of process CPU time, and the yardstick C."""

from __future__ import annotations

import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cache
from os import environ
from pathlib import Path

HERE = Path(__file__).parent
REPEATS = 5


class Rate(float):
    """Something per second: the median of repetitions, and how far those lay apart."""

    spread: float
    """Between the quartiles, in parts of the median."""

    def __new__(cls, rates: Sequence[float]) -> Rate:
        rate = super().__new__(cls, statistics.median(rates))
        low, _, high = statistics.quantiles(rates, n=4)
        rate.spread = (high - low) / rate
        return rate


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a speed table: what was measured, against what, and what is wanted."""

    what: str
    ratio: float
    """To C, or to the peer."""
    against: str
    must: float
    aim: float
    rate: Rate
    """Absolute, per second: only for orientation, machines differ."""
    flavour: str = ""

    def data(self) -> dict[str, object]:
        """The row as it is kept: its fields, and the spread of its rate."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return values | {"spread": self.rate.spread}

    def line(self) -> str:
        reached = "must" if self.ratio >= self.must else "BELOW"
        verdict = "aim" if self.ratio >= self.aim else reached
        return (
            f"{self.what:<58} {self.ratio:>10.3g} {self.against:<12} must {self.must:<8.3g} "
            f"aim {self.aim:<8.3g} {verdict:<6} {self.rate:>14,.0f}/s"
        )


def rate(work: Callable[[], float], repeats: int = REPEATS) -> Rate:
    """Median of what `work` achieves per second of CPU time; it returns how much it did."""
    return Rate(list(_rates(work, repeats)))


def _rates(work: Callable[[], float], repeats: int) -> Iterator[float]:
    work()  # warm
    for _ in range(repeats):
        begin = time.process_time()
        amount = work()
        yield amount / (time.process_time() - begin)


def calibration() -> float:
    """C: iterations per second of one dependent xorshift64* chain in C++, -O2, median of five."""
    return statistics.median(_calibrate() for _ in range(REPEATS))


def _calibrate() -> float:
    result = subprocess.run([str(_program())], capture_output=True, text=True, check=True)
    return float(result.stdout.split()[0])


@cache
def _program() -> Path:
    program = Path(tempfile.mkdtemp(prefix="calibrate-")) / "calibrate"
    compiler = environ.get("CXX", "c++")
    subprocess.run([compiler, "-O2", str(HERE / "calibrate.cpp"), "-o", str(program)], check=True)
    return program
