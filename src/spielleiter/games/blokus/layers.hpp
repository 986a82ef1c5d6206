/// @file
/// What the networks of Blokus share: layers that look at the cells around a cell.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <type_traits>
#include <utility>

#include "core/simd.hpp"
#include "position.hpp"

namespace spielleiter::blokus {

inline constexpr std::size_t framed = side + 2;  ///< cells of a row with a frame of one around

/// Index of cell (x, y) with the frame.
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
using Many = std::array<simd::Floats, Size / simd::Floats::size>;

/// Reads so many numbers, at any address.
template <std::size_t Size>
Many<Size> load(const float* from) {
    Many<Size> made;
    for (std::size_t n = 0; n < made.size(); ++n)
        made[n] = simd::Floats::load(from + simd::Floats::size * n);
    return made;
}

/// Adds the product of a row of numbers and a matrix.
template <std::size_t In, std::size_t Out>
void add_product(const float* row, const std::array<std::array<float, Out>, In>& matrix,
                 Many<Out>& sums) {
    for (std::size_t in = 0; in < In; ++in) {
        const simd::Floats factor = simd::Floats::all(row[in]);
        for (std::size_t n = 0; n < sums.size(); ++n)
            sums[n].add_product(factor, simd::Floats::load(&matrix[in][simd::Floats::size * n]));
    }
}

/// A number as a whole one, counted in parts of a unit.
inline std::int16_t rounded(float value, float unit) {
    return static_cast<std::int16_t>(std::clamp(std::lround(value * unit), -32000L, 32000L));
}

/// The levels of all cells as one colour sees them, with a frame of one cell at level 0 around. A
/// level stands for what the colour could do with a cell; there are few of them.
using Levels = std::array<std::array<std::uint8_t, 32>, framed>;

/// Adds one to the levels of the cells of a row.
inline void raise(Levels& levels, std::size_t y, std::initializer_list<std::uint32_t> rows) {
    static const auto table = [] {  // eight bits as bytes
        std::array<std::array<std::uint8_t, 8>, 256> made{};
        for (std::size_t bits = 0; bits < made.size(); ++bits)
            for (std::size_t bit = 0; bit < 8; ++bit) made[bits][bit] = bits >> bit & 1U;
        return made;
    }();
    for (std::size_t part = 0; part < 3; ++part) {
        std::uint64_t sum = 0;  // of bytes that never overflow
        for (const std::uint32_t row : rows) {
            std::uint64_t bytes;
            std::memcpy(&bytes, table[row >> 8 * part & 255U].data(), sizeof bytes);
            sum += bytes;
        }
        std::memcpy(&levels[y + 1][8 * part + 1], &sum, sizeof sum);
    }
}

/// What a first layer says about a cell because of what three cells are to a colour that lie upon
/// each other left of it, on it or right of it: by the levels in such a column, then by where it
/// is.
template <std::size_t Count, std::size_t Units>
using Answers = std::array<std::array<std::array<std::int16_t, Units>, 3>, Count * Count * Count>;

/// The weights of level n are the sum of the first n that are given, cell by cell around.
template <std::size_t Units, std::size_t Steps, std::size_t Colours>
void tabulate(
    const std::array<std::array<std::array<std::array<float, Units>, 9>, Steps>, Colours>& seen,
    float unit, std::array<Answers<Steps + 1, Units>, Colours>& table) {
    constexpr std::size_t count = Steps + 1;
    for (std::size_t colour = 0; colour < Colours; ++colour) {
        const auto weight = [&](std::size_t level, std::size_t at, std::size_t n) {
            float sum = 0;
            for (std::size_t step = 0; step < level; ++step) sum += seen[colour][step][at][n];
            return sum;
        };
        for (std::size_t column = 0; column < 3; ++column) {
            for (std::size_t content = 0; content < count * count * count; ++content) {
                for (std::size_t n = 0; n < Units; ++n) {
                    const float sum = weight(content / (count * count), column, n) +
                                      weight(content / count % count, 3 + column, n) +
                                      weight(content % count, 6 + column, n);
                    table[colour][content][column][n] = rounded(sum, unit);
                }
            }
        }
    }
}

/// The contents of all columns of three cells, as numbers that `Answers` knows.
template <std::size_t Count, std::size_t Colours>
class Columns {
  public:
    using Content = std::conditional_t<Count * Count * Count <= 256, std::uint8_t,
                                       std::uint16_t>;  ///< three levels in one number

    /// Reads all columns at once.
    explicit Columns(const std::array<Levels, Colours>& levels) {
        for (std::size_t colour = 0; colour < Colours; ++colour) {
            for (std::size_t y = 0; y < side; ++y) {
                const auto* const row = &levels[colour][y];
                for (std::size_t x = 0; x < framed; ++x)
                    content_[y][colour][x] =
                        static_cast<Content>((row[0][x] * Count + row[1][x]) * Count + row[2][x]);
            }
        }
    }

    /// What a colour has in the column whose middle is cell (x, y).
    std::size_t at(std::size_t x, std::size_t y, std::size_t colour) const {
        return content_[y][colour][x + 1];
    }

  private:
    std::array<std::array<std::array<Content, 32>, Colours>, side> content_;
};

/// So many short numbers, sixteen by sixteen.
template <std::size_t Size>
using Shorts = std::array<simd::Shorts, Size / simd::Shorts::size>;

/// Loads them from an array.
template <std::size_t Size>
Shorts<Size> shorts(const std::array<std::int16_t, Size>& from) {
    Shorts<Size> made;
    for (std::size_t n = 0; n < made.size(); ++n)
        made[n] = simd::Shorts::load(&from[simd::Shorts::size * n]);
    return made;
}

/// Calls `use(x, sums)` for the cells of a row from left to right with the sums of what a first
/// layer says about them, beginning with `first(x)`. Each column is asked once and tells three
/// cells.
template <std::size_t Units, std::size_t Count, std::size_t Colours, class First, class Use>
void look_up_row(const std::array<Answers<Count, Units>, Colours>& table,
                 const Columns<Count, Colours>& columns, std::size_t y, First&& first, Use&& use) {
    const auto add = [](Shorts<Units>& sum, const std::array<std::int16_t, Units>& more) {
        for (std::size_t n = 0; n < sum.size(); ++n)
            sum[n].add(simd::Shorts::load(&more[simd::Shorts::size * n]));
    };
    Shorts<Units> left = shorts<Units>(first(0));  // of the column, then under it and right of it
    Shorts<Units> under = left;
    Shorts<Units> right = left;
    for (std::size_t x = 0; x < side; ++x) {
        right = shorts<Units>(first(std::min(x + 1, side - 1)));
        for (std::size_t colour = 0; colour < Colours; ++colour) {
            const auto& answers = table[colour][columns.at(x, y, colour)];
            add(left, answers[2]);
            add(under, answers[1]);
            add(right, answers[0]);
        }
        if (x > 0) use(x - 1, left);
        left = under;
        under = right;
    }
    use(side - 1, left);
}

/// A matrix of shorts such that two inputs at once are multiplied: by pairs of inputs.
template <std::size_t In, std::size_t Out>
using Paired = std::array<std::array<std::array<std::int16_t, 2>, Out>, In / 2>;

/// Rounds a matrix and puts pairs of inputs together.
template <std::size_t In, std::size_t Out>
void pair_up(const std::array<std::array<float, Out>, In>& matrix, float unit,
             Paired<In, Out>& paired) {
    for (std::size_t in = 0; in < In; ++in)
        for (std::size_t out = 0; out < Out; ++out)
            paired[in / 2][out][in % 2] = rounded(matrix[in][out], unit);
}

/// So many whole numbers, eight by eight.
template <std::size_t Size>
using Wholes = std::array<simd::Ints, Size / simd::Ints::size>;

/// Adds the products of rows of shorts and a matrix, which is loaded once for all rows.
template <std::size_t In, std::size_t Out, std::size_t Rows>
void add_products(const std::array<const std::int16_t*, Rows>& rows, const Paired<In, Out>& matrix,
                  std::array<Wholes<Out>, Rows>& sums) {
    for (std::size_t pair = 0; pair < In / 2; ++pair) {
        std::array<simd::Shorts, Rows> factors;
        for (std::size_t row = 0; row < Rows; ++row)
            factors[row] = simd::Shorts::pairs(rows[row] + 2 * pair);
        for (std::size_t n = 0; n < Out / simd::Ints::size; ++n) {
            const simd::Shorts weights =
                simd::Shorts::load(matrix[pair][simd::Ints::size * n].data());
            for (std::size_t row = 0; row < Rows; ++row)
                sums[row][n].add_products(factors[row], weights);
        }
    }
}

/// For each unit the sum over the cells around a framed cell, weighted by where they lie, in
/// 32768ths of the products.
template <std::size_t Units>
Shorts<Units> spread_around(const std::int16_t* cells_of, std::size_t cell,
                            const std::array<std::array<std::int16_t, Units>, 9>& weights) {
    Shorts<Units> spread;
    spread.fill(simd::Shorts::all(0));
    for (std::size_t at = 0; at < 9; ++at) {
        const std::int16_t* const from =
            &cells_of[(cell + framed * (at / 3) + at % 3 - framed - 1) * Units];
        for (std::size_t n = 0; n < spread.size(); ++n)
            spread[n].add_part_of_product(simd::Shorts::load(from + simd::Shorts::size * n),
                                          simd::Shorts::load(&weights[at][simd::Shorts::size * n]));
    }
    return spread;
}

}  // namespace spielleiter::blokus
