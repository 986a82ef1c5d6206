/// @file
/// Which pieces can cover a given cell, and how? All answers at once, by table.
///
/// A *cover* is an orientation together with the one of its squares that lies on the given cell;
/// there are 414. All other squares of a cover lie at most four steps from that cell, in a diamond
/// of 41 cells, so which of its cells are free decides which covers are possible. The diamond is
/// read in eight parts; for each content of a part a table holds the set of the covers it leaves
/// possible, and the intersection of the eight sets is the answer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/bits.hpp"
#include "pieces.hpp"

namespace spielleiter::blokus {

inline constexpr std::size_t covers = 414;  ///< how many there are

/// A set of covers. Seven words would do; eight fill whole vector registers.
struct alignas(64) CoverSet : Bits<8> {};

/// Rows of cells with a margin on all sides, as wide as a cover can reach: cell (x, y) is bit x + 4
/// of row y + 4.
inline constexpr std::size_t reach = longest - 1;
/// Rows of the board with that margin.
using Margined = std::array<std::uint32_t, side + 2 * reach>;

/// All covers by the pieces of a mask.
CoverSet covers_by(std::uint32_t pieces);

/// Writes to `found` those of the `wanted` covers of the free cell (x, y) whose squares are all
/// free. Never inline: compilers then keep the sets in vector registers.
void find_covers(const Margined& free, std::size_t x, std::size_t y, const CoverSet& wanted,
                 CoverSet& found);

/// Number of the placement that each cover is, less the number of the covered cell; modulo 2^16.
extern const std::array<std::uint16_t, covers> placement_numbers;

/// The placement that a cover of a cell is.
inline std::uint16_t placement(std::size_t cover, std::size_t cell) {
    return static_cast<std::uint16_t>(placement_numbers[cover] + cell);
}

}  // namespace spielleiter::blokus
