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

inline constexpr std::size_t covers = 414;

/// Seven words would do; eight fill whole vector registers.
struct alignas(64) CoverSet : Bits<8> {};

/// Rows of cells with a margin of `reach` on all sides: cell (x, y) is bit x + 4 of row y + 4.
inline constexpr std::size_t reach = longest - 1;
using Margined = std::array<std::uint32_t, side + 2 * reach>;

namespace tables {

struct Cover {
    std::uint8_t orientation = 0;
    Square over;  ///< the square of the orientation that lies on the cell
};

/// By orientation; then such that the number of the placement grows (rules.md §3).
constexpr std::array<Cover, covers> list_covers() {
    std::array<Cover, covers> list{};
    std::size_t count = 0;
    for (std::size_t number = 0; number < orientations; ++number) {
        const Shape& shape = all_orientations[number].shape;
        for (std::size_t at = shape.size; at-- > 0;) {
            list[count++] = {static_cast<std::uint8_t>(number), shape.squares[at]};
        }
    }
    return list;
}
inline constexpr std::array<Cover, covers> all_covers = list_covers();

/// Bit of the diamond, row by row, for the cell (x, y) steps away from its middle.
constexpr std::size_t diamond_bit(int x, int y) {
    constexpr std::array<int, 9> middles{0, 2, 6, 12, 20, 28, 34, 38, 40};
    return static_cast<std::size_t>(middles[static_cast<std::size_t>(y + 4)] + x);
}

/// The cells of the diamond that a cover needs.
constexpr std::uint64_t needs(const Cover& cover) {
    std::uint64_t needed = 0;
    const Shape& shape = all_orientations[cover.orientation].shape;
    for (std::size_t at = 0; at < shape.size; ++at) {
        const Square square = shape.squares[at];
        needed |= std::uint64_t{1} << diamond_bit(square.x - cover.over.x, square.y - cover.over.y);
    }
    return needed;
}

/// Some neighbouring bits of the diamond, and where their sets stand in the table.
struct Part {
    std::size_t shift;
    std::size_t width;
    std::size_t base;
};
inline constexpr std::array<Part, 8> parts{{{0, 4, 0},      // the two upmost rows
                                            {4, 5, 16},     // a row
                                            {9, 7, 48},     // a row
                                            {16, 4, 176},   // left of the middle
                                            {21, 4, 192},   // right of the middle
                                            {25, 7, 208},   // a row
                                            {32, 5, 336},   // a row
                                            {37, 4, 368}}}; // the two lowest rows
inline constexpr std::size_t sets = 384;

/// The covers that each content of each part leaves possible.
constexpr std::array<CoverSet, sets> list_possible() {
    std::array<CoverSet, sets> list{};
    for (std::size_t cover = 0; cover < covers; ++cover) {
        const std::uint64_t needed = needs(all_covers[cover]);
        for (const Part& part : parts) {
            const std::size_t size = std::size_t{1} << part.width;
            const std::size_t here = needed >> part.shift & (size - 1);
            for (std::size_t free = here; free < size; free = (free + 1) | here) {
                list[part.base + free].set(cover);
            }
        }
    }
    return list;
}
inline constexpr std::array<CoverSet, sets> possible = list_possible();

constexpr std::array<CoverSet, kinds> list_by_kind() {
    std::array<CoverSet, kinds> list{};
    for (std::size_t cover = 0; cover < covers; ++cover) {
        list[all_orientations[all_covers[cover].orientation].kind].set(cover);
    }
    return list;
}
inline constexpr std::array<CoverSet, kinds> by_kind = list_by_kind();

/// Number of the placement, less the cell that is covered; modulo 2^16.
constexpr std::array<std::uint16_t, covers> list_numbers() {
    std::array<std::uint16_t, covers> list{};
    for (std::size_t cover = 0; cover < covers; ++cover) {
        const auto [orientation, over] = all_covers[cover];
        list[cover] = static_cast<std::uint16_t>(orientation * cells - side * over.y - over.x);
    }
    return list;
}
inline constexpr std::array<std::uint16_t, covers> numbers = list_numbers();

/// The diamond round cell (x, y), row by row.
inline std::uint64_t diamond(const Margined& free, std::size_t x, std::size_t y) {
    const auto row = [&]<int Y>() -> std::uint64_t {
        constexpr unsigned away = Y < 0 ? -Y : Y;
        constexpr std::uint32_t wide = (2U << 2 * (reach - away)) - 1;
        constexpr std::size_t left = diamond_bit(-static_cast<int>(reach - away), Y);
        return std::uint64_t{free[y + reach + Y] >> (x + away) & wide} << left;
    };
    return row.template operator()<-4>() | row.template operator()<-3>() |
           row.template operator()<-2>() | row.template operator()<-1>() |
           row.template operator()<0>() | row.template operator()<1>() |
           row.template operator()<2>() | row.template operator()<3>() |
           row.template operator()<4>();
}

template <std::size_t Index>
const CoverSet& part_of(std::uint64_t diamond) {
    constexpr Part part = parts[Index];
    return possible[part.base + (diamond >> part.shift & ((1U << part.width) - 1))];
}

}  // namespace tables

/// Those of the `wanted` covers of a free cell whose squares are all free.
inline CoverSet possible_covers(const Margined& free, std::size_t x, std::size_t y,
                                const CoverSet& wanted) {
    using tables::part_of;
    const std::uint64_t diamond = tables::diamond(free, x, y);
    return {wanted & part_of<0>(diamond) & part_of<1>(diamond) & part_of<2>(diamond) &
            part_of<3>(diamond) & part_of<4>(diamond) & part_of<5>(diamond) & part_of<6>(diamond) &
            part_of<7>(diamond)};
}

/// The covers by pieces of a mask.
inline CoverSet covers_by(std::uint32_t pieces) {
    CoverSet set;
    for (std::uint32_t rest = pieces; rest != 0; rest &= rest - 1) {
        set = {set | tables::by_kind[static_cast<std::size_t>(std::countr_zero(rest))]};
    }
    return set;
}

/// The placement that a cover of a cell is.
inline std::uint16_t placement(std::size_t cover, std::size_t cell) {
    return static_cast<std::uint16_t>(tables::numbers[cover] + cell);
}

}  // namespace spielleiter::blokus
