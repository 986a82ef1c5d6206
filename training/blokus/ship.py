"""Write trained weights as the source file that is shipped.

python ship.py weights.bin ../../src/spielleiter/games/blokus/weights.cpp
"""

from __future__ import annotations

import sys
from array import array
from pathlib import Path

UNIT = 2048
HEAD = """// Made by training/blokus/ship.py: the weights of net.hpp, trained as its README tells.
#include <array>
#include <cstdint>
#include <vector>

#include "net.hpp"

namespace spielleiter::blokus {

namespace {

constexpr float one = 2048.0F;

// clang-format off
constexpr std::array<std::int16_t, Net::numbers> shipped{
"""
TAIL = """};
// clang-format on

}  // namespace

const Net& Net::trained() {
    static const Net net = [] {
        std::vector<float> values;
        values.reserve(shipped.size());
        for (const std::int16_t weight : shipped)
            values.push_back(static_cast<float>(weight) / one);
        return Net(values);
    }();
    return net;
}

}  // namespace spielleiter::blokus
"""


def source(values: array[float]) -> str:
    whole = [max(-32767, min(32767, round(value * UNIT))) for value in values]
    rows = (whole[at : at + 16] for at in range(0, len(whole), 16))
    return HEAD + "".join(",".join(map(str, row)) + ",\n" for row in rows) + TAIL


def main() -> None:
    values = array("f")
    values.frombytes(Path(sys.argv[1]).read_bytes())
    Path(sys.argv[2]).write_text(source(values), "utf-8")
    print(f"{len(values)} weights, the largest {max(map(abs, values)):.2f}")


if __name__ == "__main__":
    main()
