/// @file
/// Keys of positions: the exclusive or of one number for each thing that is true of a position.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "random.hpp"

namespace spielleiter {

/// Table of `Size` keys, the numbers 0 … Size−1 of the splitmix64 stream seeded with `Seed`.
template <std::size_t Size, std::uint64_t Seed>
constexpr std::array<std::uint64_t, Size> zobrist_table() {
    std::array<std::uint64_t, Size> table{};
    Random random(Seed);
    for (auto& key : table) key = random.next();
    return table;
}

}  // namespace spielleiter
