"""Packs fitted weights as they are shipped: python pack.py WEIGHTS NETWORK SHIPPED

Each stage is written as its difference to the one before: that packs well. The network follows.
"""

import sys
import zlib
from pathlib import Path

import numpy as np

STAGES = 20

if __name__ == "__main__":
    given, network, shipped = map(Path, sys.argv[1:])
    weights = np.fromfile(given, "<i2").reshape(STAGES, -1)
    changes = np.diff(weights, axis=0, prepend=np.zeros_like(weights[:1]))
    shipped.write_bytes(zlib.compress(changes.astype("<i2").tobytes() + network.read_bytes(), 9))
