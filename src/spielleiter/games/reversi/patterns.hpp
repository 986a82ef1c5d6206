/// @file
/// Pattern tables for the board of 8 × 8 without holes: what shapes of stones in corners, on edges
/// and along lines are worth, learnt from games (training/reversi).
///
/// A pattern is a list of cells; its stones, read as a number in base 3, are the index of a table.
/// All places that the symmetries of the board make of a pattern share one table. Indices follow
/// the moves: every cell has a row of numbers, one for each place, that is added when a stone
/// comes. A small network adds what sums of single patterns cannot say (pattern_network.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/search/score.hpp"
#include "pattern_network.hpp"
#include "pattern_places.hpp"
#include "two_player_board.hpp"

namespace spielleiter::reversi {

/// The fitted tables of all stages of the game, unfolded.
class Patterns {
  public:
    static constexpr std::size_t stages = 20;  ///< each has tables of its own
    static constexpr std::size_t plies = 3;    ///< of one stage
    /// From here on the number of moves makes no difference.
    static constexpr std::size_t most_moves = 33;
    static constexpr std::size_t columns = Places::columns;  ///< weights of a stage, without moves
    /// Weights of the file; those of a network may follow.
    static constexpr std::size_t shipped_size = stages * (columns + most_moves);
    static_assert(stages == PatternNetwork::stages && most_moves == PatternNetwork::most_moves);
    static constexpr int fine = 128;      ///< weights are in this part of a stone
    static constexpr int per_stone = 32;  ///< units of score

    /// Indices of all places, as seat 0 sees them: its own stones as 1, seat 1's as 2.
    struct Accumulator {
        alignas(32) PatternIndices at{};        ///< by place
        alignas(32) PatternIndices occupied{};  ///< every stone as 1
    };

    /// From the weights as they are shipped: for each stage one for every index that is not the
    /// mirror image of a lower one, then one for each number of moves. Then, or not, a network.
    explicit Patterns(std::span<const std::int16_t> shipped);
    /// The lower one of an index and its mirror image in the pattern; itself if there is none.
    static std::size_t folded(std::size_t family, std::size_t index);

    /// Computed from scratch.
    static Accumulator accumulator(const TwoPlayerBoard<Small>& board, Seat seat);
    /// `seat` sets a stone on a cell and takes others.
    static void update(Accumulator& accumulator, std::size_t cell, const Small::Set& taken,
                       Seat seat);

    /// What the position is worth to the seat to move, in units of score. Where the tables alone
    /// say that it lies far beyond these limits, the network is not asked: that takes as long
    /// again.
    search::Score estimate(const Accumulator& accumulator, const TwoPlayerBoard<Small>& board,
                           const Small::Set& legal, Seat seat,
                           search::Score low = -search::infinite,
                           search::Score high = search::infinite) const {
        alignas(32) PatternIndices swapped;
        const PatternIndices& indices = seen_by(accumulator, seat, swapped);
        const std::size_t stage = stage_of(board.empty.count());
        const std::size_t moves = std::min<std::size_t>(legal.count(), most_moves - 1);
        const int sum = table_sum(indices, stage, moves);
        const search::Score rough = in_score(sum);
        if (!network_ || rough < low - doubt || rough > high + doubt) return rough;
        return in_score(sum + network_->correction(indices, stage, moves));
    }
    /// The same by the tables alone.
    search::Score rough_estimate(const Accumulator& accumulator, const TwoPlayerBoard<Small>& board,
                                 const Small::Set& legal, Seat seat) const {
        alignas(32) PatternIndices swapped;
        return in_score(table_sum(seen_by(accumulator, seat, swapped),
                                  stage_of(board.empty.count()),
                                  std::min<std::size_t>(legal.count(), most_moves - 1)));
    }
    /// By empty cells.
    static std::size_t stage_of(int empties) {
        return std::min<std::size_t>(stages - 1, static_cast<std::size_t>(60 - empties) / plies);
    }

    /// Weights from the package: there, each stage is written as what changes from the one before,
    /// which is little and so packs well.
    static std::vector<std::int16_t> unpacked(std::vector<std::int16_t> changes);

    /// What was shipped with the package, or nothing as long as nobody has loaded it.
    static std::shared_ptr<const Patterns> loaded();
    /// Other tables from now on. Whoever is searching goes on with those it has.
    static void load(std::vector<std::int16_t> shipped);

  private:
    /// The network seldom corrects by more: about two standard deviations.
    static constexpr search::Score doubt = 200;

    static constexpr search::Score in_score(int sum) { return sum * per_stone / fine; }
    /// Seat 1 takes 1 for 2 and 2 for 1, so both indices sum up to three times what is occupied.
    static const PatternIndices& seen_by(const Accumulator& accumulator, Seat seat,
                                         PatternIndices& swapped) {
        if (seat == 0) return accumulator.at;
        for (std::size_t at = 0; at < Places::count; ++at)
            swapped[at] =
                static_cast<std::uint16_t>(3 * accumulator.occupied[at] - accumulator.at[at]);
        return swapped;
    }
    int table_sum(const PatternIndices& indices, std::size_t stage, std::size_t moves) const {
        const std::int16_t* table = tables_.data() + stage * size_;
        std::array<int, 4> sums{};  // four at a time: none waits for the others
        Places::each(
            [&](auto at) { sums[at % sums.size()] += table[Places::starts[at] + indices[at]]; });
        return sums[0] + sums[1] + sums[2] + sums[3] + moves_[stage * most_moves + moves];
    }

    std::size_t size_ = 0;
    std::vector<std::int16_t> tables_;
    std::vector<std::int16_t> moves_;
    std::optional<PatternNetwork> network_;
};

}  // namespace spielleiter::reversi
