/// @file
/// What pattern tables cannot say: a small network over the same patterns, whose answer is added to
/// theirs (training/reversi).
///
/// Each pattern has sixteen small numbers instead of one. Those of all places are summed up, what
/// is negative becomes 0, and the rest is weighed by the stage of the game. Whole numbers only, so
/// that every processor comes to the same estimate.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/simd.hpp"
#include "pattern_places.hpp"

namespace spielleiter::reversi {

/// One hidden layer of sixteen units.
class PatternNetwork {
  public:
    static constexpr std::size_t stages = 20;      ///< each weighs the units in its own way
    static constexpr std::size_t most_moves = 33;  ///< from here on they make no difference
    static constexpr std::size_t units = simd::Shorts::size;  ///< of the hidden layer
    static constexpr std::size_t groups = 4;  ///< of stages that share what patterns add
    /// Numbers of the file, 16 bits each: of every group and column one byte for each unit, the
    /// lower byte first; of every stage a row for each number of moves, then the weights.
    static constexpr std::size_t shipped_size =
        groups * Places::columns * units / 2 + stages * (most_moves + 1) * units;

    /// From what is shipped, unfolded to all indices.
    explicit PatternNetwork(std::span<const std::int16_t> shipped) {
        const std::size_t bytes = Places::columns * units;
        const std::vector<std::uint32_t> columns = Places::columns_of_indices();
        size_ = columns.size();
        patterns_.resize(groups * size_ * units);
        for (std::size_t group = 0; group < groups; ++group) {
            const std::int16_t* from = shipped.data() + group * bytes / 2;
            std::int8_t* to = patterns_.data() + group * size_ * units;
            for (const std::uint32_t column : columns) to = unfold(from + column * units / 2, to);
        }
        const auto rows = shipped.subspan(groups * bytes / 2);
        rows_.assign(rows.begin(), rows.end());
    }

    /// What it adds to the tables, in their unit.
    int correction(const PatternIndices& indices, std::size_t stage, std::size_t moves) const {
        const std::int8_t* patterns = patterns_.data() + group_of[stage] * size_ * units;
        const std::int16_t* rows = rows_.data() + stage * (most_moves + 1) * units;
        simd::Shorts sum = simd::Shorts::load(rows + moves * units);
        Places::each([&](auto at) {
            sum.add(simd::Shorts::load(patterns + (Places::starts[at] + indices[at]) * units));
        });
        sum.cut_below_zero();
        simd::Ints weighed{};
        weighed.add_products(sum, simd::Shorts::load(rows + most_moves * units));
        return weighed.sum() >> shift;
    }

  private:
    static constexpr int shift = 8;  ///< weights are in the 256th part of the tables' unit
    /// What patterns mean changes slowly.
    static constexpr std::array<std::uint8_t, stages> group_of{0, 0, 0, 0, 0, 0, 0, 0, 1, 1,
                                                               1, 2, 2, 2, 3, 3, 3, 3, 3, 3};

    static std::int8_t* unfold(const std::int16_t* from, std::int8_t* to) {
        for (std::size_t word = 0; word < units / 2; ++word) {
            const auto both = static_cast<std::uint16_t>(from[word]);
            *to++ = static_cast<std::int8_t>(both & 0xffU);
            *to++ = static_cast<std::int8_t>(both >> 8U);
        }
        return to;
    }

    std::size_t size_ = 0;
    std::vector<std::int8_t> patterns_;
    std::vector<std::int16_t> rows_;
};

}  // namespace spielleiter::reversi
