"""Write a fitted network as C++ reads it: `python export.py NET.npz NAME DESCRIPTION --to FOLDER`.

Makes `network-NAME.inc` and `piranhas-NAME.inc` in the folder of weights, in whole numbers.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np

SIXTEENTHS = 16 * 400 / math.log(10)
"""Sixteenths of a unit of score for one natural unit of log odds."""
FULL, SCALE, TEN = 255, 256, 10
"""As in network.hpp: a unit that is fully on, the scale of the output; and the tens in which
fit.py counts features, so that all weights are of one size."""
LARGEST = 32_767
AT_ONCE = 34
"""Things on a board: the hidden units must hold the sum of so many rows."""
NAMES = ("swarms", "links", "spread", "reach", "fish", "credit")
KNOTS = 8


def rounded(values: np.ndarray) -> np.ndarray:
    whole = np.round(values).astype(int)
    if np.abs(whole).max() > LARGEST:
        raise SystemExit(f"a weight of {np.abs(whole).max()} does not fit into 16 bits")
    return whole


def held(net: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """With the numbers of the last knot but one for the last one too.

    Search sees the end from the last plies, so hardly a position there is learnt from.
    """
    held = {name: values.copy() for name, values in net.items()}
    for at in (KNOTS - 1, 2 * KNOTS - 1):  # for either seat to move
        held["out"][at], held["bias"][at] = held["out"][at - 1], held["bias"][at - 1]
    for name in ("psq", "lin"):
        held[name][:, -1] = held[name][:, -2]
    return held


def row(values: np.ndarray) -> str:
    return "{" + ",".join(map(str, values)) + "}"


def network(net: dict[str, np.ndarray]) -> Iterator[str]:
    """The rows of `NetworkFile`."""
    rows, bias = rounded(net["emb"] * FULL), rounded(net["b"] * FULL)
    largest = np.sort(np.abs(rows), 0)[-AT_ONCE:].sum(0) + np.abs(bias)
    if largest.max() > LARGEST:
        raise SystemExit(f"a hidden unit may reach {largest.max()}")
    out = rounded(net["out"] * SIXTEENTHS / FULL * SCALE)
    places = rounded((net["psq"][:300] - net["psq"][300:600]) * SIXTEENTHS)
    yield from ["{{", *("{" + row(values) + "}," for values in rows), "}},"]
    yield "{" + row(bias) + "},"
    yield "{{"
    for seat in (out[:KNOTS], out[KNOTS:]):
        yield from ["{{", *("{" + row(values) + "}," for values in seat), "}},"]
    yield "}},"
    yield from ["{{", *("{" + row(values) + "}," for values in places), "}},"]


def weights(net: dict[str, np.ndarray]) -> Iterator[str]:
    """The rows of `Weights`."""
    rows = {"network": np.full(KNOTS, 16.0)}
    rows |= {name: net["lin"][at] / TEN * SIXTEENTHS for at, name in enumerate(NAMES)}
    rows |= {
        "opens_round": net["bias"][:KNOTS] * SIXTEENTHS,
        "ends_round": net["bias"][KNOTS:] * SIXTEENTHS,
    }
    for name, values in rows.items():
        yield "{{" + ", ".join(f"{value:6d}" for value in rounded(values)) + "}},  // " + name


def write(path: Path, description: str, lines: Iterator[str]) -> None:
    off, on = "// clang-format off", "// clang-format on"
    path.write_text("\n".join([f"// {description}", off, *lines, on, ""]), "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("net", type=Path)
    parser.add_argument("name")
    parser.add_argument("description")
    parser.add_argument("--to", type=Path, required=True)
    options = parser.parse_args()
    net = held(dict(np.load(options.net)))
    write(options.to / f"network-{options.name}.inc", options.description, network(net))
    write(options.to / f"piranhas-{options.name}.inc", options.description, weights(net))


if __name__ == "__main__":
    main()
