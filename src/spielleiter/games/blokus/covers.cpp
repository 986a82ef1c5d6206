#include "covers.hpp"

#include <bit>

namespace spielleiter::blokus {

namespace {

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
constexpr std::array<Cover, covers> all_covers = list_covers();

/// Bit of the diamond, row by row, for the cell (x, y) steps away from its middle.
constexpr std::size_t diamond_bit(int x, int y) {
    constexpr std::array<int, 9> middles{0, 2, 6, 12, 20, 28, 34, 38, 40};
    const int row = y + 4;
    const int bit = middles[static_cast<std::size_t>(row)] + x;
    return static_cast<std::size_t>(bit);
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
constexpr std::array<Part, 8> parts{{
    {0, 4, 0},     // the two upmost rows
    {4, 5, 16},    // a row
    {9, 7, 48},    // a row
    {16, 4, 176},  // left of the middle
    {21, 4, 192},  // right of the middle
    {25, 7, 208},  // a row
    {32, 5, 336},  // a row
    {37, 4, 368},  // the two lowest rows
}};
constexpr std::size_t sets = 384;

/// The covers that each content of each part leaves possible. Made when the module is loaded: clang
/// and MSVC do not compute that much at compile time.
std::array<CoverSet, sets> list_possible() noexcept {
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
const std::array<CoverSet, sets> possible = list_possible();

constexpr std::array<CoverSet, kinds> list_by_kind() {
    std::array<CoverSet, kinds> list{};
    for (std::size_t cover = 0; cover < covers; ++cover) {
        list[all_orientations[all_covers[cover].orientation].kind].set(cover);
    }
    return list;
}
constexpr std::array<CoverSet, kinds> by_kind = list_by_kind();

/// Number of the placement, less the number of the covered cell; modulo 2^16.
constexpr std::array<std::uint16_t, covers> list_numbers() {
    std::array<std::uint16_t, covers> list{};
    for (std::size_t cover = 0; cover < covers; ++cover) {
        const auto [orientation, over] = all_covers[cover];
        list[cover] = static_cast<std::uint16_t>(orientation * cells - side * over.y - over.x);
    }
    return list;
}

/// The covers that a part leaves possible; of `free` only its own bits are looked at.
template <std::size_t Index>
const CoverSet& left_by(std::uint32_t free) {
    constexpr Part part = parts[Index];
    return possible[part.base + (free & ((1U << part.width) - 1))];
}

}  // namespace

constexpr std::array<std::uint16_t, covers> placement_numbers = list_numbers();

CoverSet covers_by(std::uint32_t pieces) {
    CoverSet set;
    for (std::uint32_t rest = pieces; rest != 0; rest &= rest - 1) {
        set = {set | by_kind[static_cast<std::size_t>(std::countr_zero(rest))]};
    }
    return set;
}

void find_covers(const Margined& free, std::size_t x, std::size_t y, const CoverSet& wanted,
                 CoverSet& found) {
    const std::uint32_t* middle = &free[y + reach];
    // A row of the diamond begins as far from its left end as the row lies from the middle.
    const auto row = [&](int from_middle, std::size_t begin) {
        return middle[from_middle] >> (x + begin);
    };
    found = {wanted & left_by<0>((row(-4, 4) & 1U) | (row(-3, 3) & 7U) << 1) &
             left_by<1>(row(-2, 2)) & left_by<2>(row(-1, 1)) & left_by<3>(row(0, 0)) &
             left_by<4>(row(0, 5)) & left_by<5>(row(1, 1)) & left_by<6>(row(2, 2)) &
             left_by<7>((row(3, 3) & 7U) | (row(4, 4) & 1U) << 3)};
}

}  // namespace spielleiter::blokus
