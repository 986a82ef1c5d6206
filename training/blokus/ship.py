"""Write trained weights as the list of numbers that is built in.

python ship.py weights.bin ../../src/spielleiter/games/blokus/weights/policy.inc
"""

from __future__ import annotations

import sys
from array import array
from pathlib import Path

UNIT = 2048
HEAD = "// Made by training/blokus/ship.py.\n"


def source(values: array[float]) -> str:
    whole = [max(-32767, min(32767, round(value * UNIT))) for value in values]
    rows = (whole[at : at + 16] for at in range(0, len(whole), 16))
    return HEAD + "".join(",".join(map(str, row)) + ",\n" for row in rows)


def main() -> None:
    values = array("f")
    values.frombytes(Path(sys.argv[1]).read_bytes())
    Path(sys.argv[2]).write_text(source(values), "utf-8")
    print(f"{len(values)} weights, the largest {max(map(abs, values)):.2f}")


if __name__ == "__main__":
    main()
