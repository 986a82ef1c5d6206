/// @file
/// What the networks of Blokus share: layers that look at the cells around a cell.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "lanes.hpp"
#include "position.hpp"

namespace spielleiter::blokus {

inline constexpr std::size_t framed = side + 2;  ///< cells of a row with a frame of one around

constexpr std::size_t framed_cell(std::size_t x, std::size_t y) { return framed * (y + 1) + x + 1; }

/// Cells that a rotation or reflection of the board maps to each other have the same number.
constexpr std::size_t place_of(std::size_t x, std::size_t y) {
    const std::size_t a = x < side - 1 - x ? x : side - 1 - x;
    const std::size_t b = y < side - 1 - y ? y : side - 1 - y;
    const std::size_t low = a < b ? a : b;
    const std::size_t high = a < b ? b : a;
    return high * (high + 1) / 2 + low;
}

/// Cells and their neighbours.
inline Rows wider(const Rows& rows) {
    constexpr std::uint32_t board = (1U << side) - 1;
    Rows flat;
    Rows wide;
    for (std::size_t y = 0; y < side; ++y)
        flat[y] = (rows[y] | rows[y] << 1 | rows[y] >> 1) & board;
    for (std::size_t y = 0; y < side; ++y)
        wide[y] = flat[y] | (y > 0 ? flat[y - 1] : 0) | (y + 1 < side ? flat[y + 1] : 0);
    return wide;
}

/// So many numbers, eight by eight.
template <std::size_t Size>
using Many = std::array<Eight, Size / Eight::size>;

template <std::size_t Size>
Many<Size> load(const float* from) {
    Many<Size> made;
    for (std::size_t n = 0; n < made.size(); ++n) made[n] = Eight::load(from + Eight::size * n);
    return made;
}

/// Adds the product of a row of numbers and a matrix.
template <std::size_t In, std::size_t Out>
void add_product(const float* row, const std::array<std::array<float, Out>, In>& matrix,
                 Many<Out>& sums) {
    for (std::size_t in = 0; in < In; ++in) {
        const Eight factor = Eight::all(row[in]);
        for (std::size_t n = 0; n < sums.size(); ++n)
            sums[n].add_product(factor, Eight::load(&matrix[in][Eight::size * n]));
    }
}

/// A number as a whole one, counted in parts of a unit.
inline std::int16_t rounded(float value, float unit) {
    return static_cast<std::int16_t>(std::clamp(std::lround(value * unit), -32000L, 32000L));
}

/// What a first layer says, by plane, for every content of nine cells: column by column. A few
/// entries are unused: planes that lie a power of two apart would compete for the same cache lines.
inline constexpr std::size_t entries = 512 + 3;
template <std::size_t Units>
using Answers = std::array<std::array<std::int16_t, Units>, entries>;

template <std::size_t Units, std::size_t Planes>
void tabulate(const std::array<std::array<std::array<float, Units>, 9>, Planes>& seen, float unit,
              std::array<Answers<Units>, Planes>& table) {
    for (std::size_t plane = 0; plane < Planes; ++plane) {
        for (std::size_t bits = 0; bits < 512; ++bits) {
            for (std::size_t n = 0; n < Units; ++n) {
                float sum = 0;
                for (std::size_t at = 0; at < 9; ++at)
                    if ((bits >> (3 * (at % 3) + at / 3) & 1U) != 0) sum += seen[plane][at][n];
                table[plane][bits][n] = rounded(sum, unit);
            }
        }
    }
}

/// Planes such that the nine bits around a cell lie side by side, column by column. The board with
/// a frame of one cell has 22 columns, too many for a word: there is one for either half.
template <std::size_t Planes>
class Windows {
  public:
    explicit Windows(const std::array<Rows, Planes>& planes) {
        for (std::size_t plane = 0; plane < Planes; ++plane) {
            std::array<std::array<std::uint64_t, framed>, 2> spread{};
            for (std::size_t y = 0; y < side; ++y) {
                spread[0][y + 1] = spread_out(planes[plane][y] << 1);
                spread[1][y + 1] = spread_out(planes[plane][y] >> (half - 1));
            }
            for (std::size_t y = 0; y < side; ++y) {
                for (std::size_t right = 0; right < 2; ++right) {
                    const std::uint64_t* const row = &spread[right][y];
                    words_[y][right][plane] = row[0] | row[1] << 1 | row[2] << 2;
                }
            }
        }
    }

    /// Of each plane the bits around a cell, times `Factor`.
    template <std::size_t Factor>
    std::array<std::uint64_t, Planes> around(std::size_t x, std::size_t y) const {
        const auto& words = words_[y][x < half ? 0 : 1];
        const std::size_t shift = 3 * (x < half ? x : x - half);
        std::array<std::uint64_t, Planes> bits;
        for (std::size_t plane = 0; plane < Planes; ++plane)
            bits[plane] = (words[plane] >> shift & 511U) * Factor;
        return bits;
    }

  private:
    static constexpr std::size_t half = side / 2;

    /// Each of the twelve lowest bits at three times its place.
    static std::uint64_t spread_out(std::uint32_t bits) {
        constexpr auto table = [] {
            std::array<std::uint32_t, 64> made{};
            for (std::uint32_t six = 0; six < 64; ++six)
                for (std::uint32_t bit = 0; bit < 6; ++bit)
                    made[six] |= (six >> bit & 1U) << 3 * bit;
            return made;
        }();
        return table[bits & 63U] | std::uint64_t{table[bits >> 6 & 63U]} << 18;
    }

    std::array<std::array<std::array<std::uint64_t, Planes>, 2>, side> words_;
};

/// So many short numbers, sixteen by sixteen.
template <std::size_t Size>
using Shorts = std::array<Sixteen, Size / Sixteen::size>;

template <std::size_t Size>
Shorts<Size> shorts(const std::array<std::int16_t, Size>& from) {
    Shorts<Size> made;
    for (std::size_t n = 0; n < made.size(); ++n) made[n] = Sixteen::load(&from[Sixteen::size * n]);
    return made;
}

/// The sum of what a first layer says about a cell, beginning with `sums`.
template <std::size_t Units, std::size_t Planes>
Shorts<Units> looked_up(const std::array<Answers<Units>, Planes>& table,
                        const Windows<Planes>& windows, std::size_t x, std::size_t y,
                        const std::array<std::int16_t, Units>& sums) {
    Shorts<Units> sum = shorts<Units>(sums);
    const auto begins = windows.template around<Units>(x, y);
    const std::int16_t* const answers = table[0][0].data();
    const auto add = [&](std::size_t plane) {
        const std::int16_t* const more = answers + entries * Units * plane + begins[plane];
        for (std::size_t n = 0; n < sum.size(); ++n)
            sum[n].add(Sixteen::load(more + Sixteen::size * n));
    };
    // Unrolled: the loop would cost more than what it does.
    [&]<std::size_t... Plane>(std::index_sequence<Plane...>) {
        (add(Plane), ...);
    }(std::make_index_sequence<Planes>());
    return sum;
}

/// For each unit the sum over the cells around a framed cell, weighted by where they lie.
template <std::size_t Units>
void spread_around(const float* cells_of, std::size_t cell,
                   const std::array<std::array<float, Units>, 9>& weights,
                   std::array<float, Units>& row) {
    Many<Units> spread;
    spread.fill(Eight::all(0));
    for (std::size_t at = 0; at < 9; ++at) {
        const float* const from =
            &cells_of[(cell + framed * (at / 3) + at % 3 - framed - 1) * Units];
        for (std::size_t n = 0; n < spread.size(); ++n)
            spread[n].add_product(Eight::load(from + Eight::size * n),
                                  Eight::load(&weights[at][Eight::size * n]));
    }
    for (std::size_t n = 0; n < spread.size(); ++n) spread[n].store(&row[Eight::size * n]);
}

}  // namespace spielleiter::blokus
