"""Packs fitted weights as they are shipped: python pack.py WEIGHTS SHIPPED"""

import sys
import zlib
from pathlib import Path

if __name__ == "__main__":
    given, shipped = map(Path, sys.argv[1:])
    shipped.write_bytes(zlib.compress(given.read_bytes(), 9))
