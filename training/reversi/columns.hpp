// The columns of what is shipped: one for each index of a pattern that mirrors no lower one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/spielleiter/games/reversi/patterns.hpp"

namespace spielleiter::reversi {

/// For every index of every family its column; mirrored indices share one.
inline std::vector<std::uint32_t> shipped_columns() {
    const Places& all = Places::all();
    std::vector<std::uint32_t> columns(all.indices);
    std::uint32_t next = 0;
    for (std::size_t family = 0; family < Places::families; ++family) {
        std::size_t indices = 1;
        for (std::size_t digit = 0; digit < all.sizes[family]; ++digit) indices *= 3;
        for (std::size_t index = 0; index < indices; ++index) {
            const std::size_t first = Patterns::folded(family, index);
            columns[all.offsets[family] + index] =
                first == index ? next++ : columns[all.offsets[family] + first];
        }
    }
    return columns;
}

}  // namespace spielleiter::reversi
