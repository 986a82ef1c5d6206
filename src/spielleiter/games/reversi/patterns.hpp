/// @file
/// Pattern tables for the board of 8 × 8 without holes: what shapes of stones in corners, on edges
/// and along lines are worth, learnt from games (training/reversi).
///
/// A pattern is a list of cells; its stones, read as a number in base 3, are the index of a table.
/// All places that the symmetries of the board make of a pattern share one table. Indices follow
/// the moves: every cell has a row of numbers, one for each place, that is added when a stone
/// comes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/search/score.hpp"
#include "two_player_board.hpp"

namespace spielleiter::reversi {

/// The places of all patterns on the board.
struct Places {
    /// Patterns that rotations and reflections map to each other share a table.
    static constexpr std::size_t families = 11;
    static constexpr std::size_t count = 48;  ///< a multiple of four

    /// One pattern on the board.
    struct Place {
        std::uint8_t family = 0;               ///< which table it reads
        std::uint8_t size = 0;                 ///< number of cells
        std::array<std::uint8_t, 10> cells{};  ///< the first one is the lowest digit
    };

    std::array<Place, count> places{};            ///< families side by side
    std::array<std::size_t, families> sizes{};    ///< number of cells
    std::array<std::size_t, families> offsets{};  ///< of the family's table
    std::size_t indices = 0;                      ///< in all tables together

    /// The only one, made on first use.
    static const Places& all();
};

/// The fitted tables of all stages of the game, unfolded for both seats.
class Patterns {
  public:
    static constexpr std::size_t stages = 20;  ///< each has tables of its own
    static constexpr std::size_t plies = 3;    ///< of one stage
    /// From here on the number of moves makes no difference.
    static constexpr std::size_t most_moves = 33;
    static constexpr std::size_t columns = 149'922;  ///< indices that mirror no lower one
    /// Weights of the file.
    static constexpr std::size_t shipped_size = stages * (columns + most_moves);
    static constexpr int fine = 128;      ///< weights are in this part of a stone
    static constexpr int per_stone = 32;  ///< units of score

    /// Indices of all places, seat 0's stones as 1, seat 1's as 2.
    struct Accumulator {
        alignas(32) std::array<std::uint16_t, Places::count> at{};  ///< by place
    };

    /// From the weights as they are shipped: for each stage one for every index that is not the
    /// mirror image of a lower one, then one for each number of moves.
    explicit Patterns(std::span<const std::int16_t> shipped);
    /// The lower one of an index and its mirror image in the pattern; itself if there is none.
    static std::size_t folded(std::size_t family, std::size_t index);

    /// Computed from scratch.
    static Accumulator accumulator(const TwoPlayerBoard<Small>& board, Seat seat);
    /// `seat` sets a stone on a cell and takes others.
    static void update(Accumulator& accumulator, std::size_t cell, const Small::Set& taken,
                       Seat seat);

    /// What the position is worth to the seat to move, in units of score.
    search::Score estimate(const Accumulator& accumulator, const TwoPlayerBoard<Small>& board,
                           const Small::Set& legal, Seat seat) const {
        const std::size_t stage = stage_of(board.empty.count());
        const std::int16_t* table = tables_[seat].data() + stage * size_;
        std::array<int, 4> sums{};  // four at a time: none waits for the others
        for (std::size_t place = 0; place < Places::count; place += sums.size()) {
            for (std::size_t at = 0; at < sums.size(); ++at)
                sums[at] += table[starts_[place + at] + accumulator.at[place + at]];
        }
        int sum = sums[0] + sums[1] + sums[2] + sums[3];
        sum += moves_[stage * most_moves + std::min<std::size_t>(legal.count(), most_moves - 1)];
        return sum * per_stone / fine;
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
    std::size_t size_ = 0;
    std::array<std::uint32_t, Places::count> starts_{};
    std::array<std::vector<std::int16_t>, 2> tables_;
    std::vector<std::int16_t> moves_;
};

}  // namespace spielleiter::reversi
