/// @file
/// A small network that judges where fish lie: one hidden layer, kept up to date fish by fish.
///
/// Each side sees the board with its own eyes: a thing on a field (own or foreign fish of weight 1
/// to 3, octopus) is one of 700 inputs, and the hidden layer of a side is a sum of one row for each
/// thing. So a move adds and takes off a few rows. Beside it runs a plain table of what a fish is
/// worth on its field. The numbers are fitted to the engine's own games, see training/piranhas/.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "position.hpp"

namespace spielleiter::piranhas {

inline constexpr std::size_t hidden = 128;  ///< units of the hidden layer of a side
/// Own and foreign fish of three weights, and the octopus.
inline constexpr std::size_t things = 7;

/// Every weight depends on the ply: it is given for these plies and runs straight between them.
inline constexpr std::array<int, 8> knot_plies{0, 12, 24, 36, 48, 52, 56, last_ply};
inline constexpr std::size_t knots = knot_plies.size();  ///< how many there are

/// Which knot a ply follows, and how far it is on the way to the next, in 24ths.
struct Phase {
    std::size_t knot;  ///< the last knot before the ply, or on it
    int share;         ///< of the way to the next knot, in 24ths
};
/// The whole way: a multiple of every distance between knots.
inline constexpr int full_share = 24;
/// The phase of each ply.
inline constexpr auto phases = [] {
    std::array<Phase, last_ply + 1> made{};
    for (int ply = 0; ply <= last_ply; ++ply) {
        std::size_t knot = knots - 2;
        while (knot_plies[knot] > ply) --knot;
        const int length = knot_plies[knot + 1] - knot_plies[knot];
        made[static_cast<std::size_t>(ply)] = {knot,
                                               (ply - knot_plies[knot]) * full_share / length};
    }
    return made;
}();

/// What numbers given for the knots mean at a ply.
template <class Numbers>
constexpr int at_ply(const Numbers& numbers, std::size_t ply) {
    const Phase phase = phases[ply];
    return (numbers[phase.knot] * (full_share - phase.share) +
            numbers[phase.knot + 1] * phase.share) /
           full_share;
}

/// The hidden layer of one side.
struct alignas(64) Accumulator {
    std::array<std::int16_t, hidden> units;  ///< before they are clamped

    /// A thing appears.
    void add(const Accumulator& row) {
        for (std::size_t at = 0; at < hidden; ++at)
            units[at] = static_cast<std::int16_t>(units[at] + row.units[at]);
    }
    /// As before, but a fish went from one field to another.
    void moved(const Accumulator& before, const Accumulator& from, const Accumulator& to) {
        for (std::size_t at = 0; at < hidden; ++at)
            units[at] = static_cast<std::int16_t>(before.units[at] + to.units[at] - from.units[at]);
    }
    /// A thing disappears.
    void subtract(const Accumulator& row) {
        for (std::size_t at = 0; at < hidden; ++at)
            units[at] = static_cast<std::int16_t>(units[at] - row.units[at]);
    }
};

/// The fitted numbers of a season as the file says them.
struct NetworkWeights {
    std::array<Accumulator, things * squares> rows;  ///< by thing and field
    Accumulator bias;                                ///< what a side sees of an empty board
    /// By seat to move and knot: first the units of the seat to move, then the other's.
    std::array<std::array<std::array<std::int16_t, 2 * hidden>, knots>, 2> out;
    /// What a fish is worth on its field, by weight, in sixteenths of a unit of score.
    std::array<std::array<std::int16_t, knots>, 3 * squares> places;
};

/// Worth of fish on their fields at each knot.
using PieceSquareSums = std::array<std::int32_t, knots>;

/// The network of a season, with its output weights unfolded for every ply.
class Network {
  public:
    /// The weights must outlive it.
    explicit Network(const NetworkWeights& file);

    /// The numbers it was made from.
    const NetworkWeights& weights() const { return *file_; }
    /// What a side sees: `own` says whose fish it is.
    const Accumulator& row(bool own, int weight, Square square) const {
        return file_->rows[(static_cast<std::size_t>(own ? weight - 1 : weight + 2) * squares) +
                           number_of(square)];
    }
    /// What both sides see of an octopus.
    const Accumulator& octopus(Square square) const {
        return file_->rows[6 * squares + number_of(square)];
    }
    /// What a side sees of an empty board.
    const Accumulator& bias() const { return file_->bias; }
    /// Piece-square value of a fish at each knot, in sixteenths.
    const std::array<std::int16_t, knots>& place(int weight, Square square) const {
        return file_->places[static_cast<std::size_t>(weight - 1) * squares + number_of(square)];
    }

    /// Worth of what the hidden layers see, in sixteenths of a unit of score.
    int judge(const Accumulator& mine, const Accumulator& yours, std::size_t ply) const {
        const auto& out = out_[ply];
        int sum = 0;
        for (std::size_t at = 0; at < hidden; ++at)
            sum += std::clamp<int>(mine.units[at], 0, full) * out[at];
        for (std::size_t at = 0; at < hidden; ++at)
            sum += std::clamp<int>(yours.units[at], 0, full) * out[hidden + at];
        return sum / out_scale;
    }

    static constexpr int full = 255;       ///< a unit that is fully on
    static constexpr int out_scale = 256;  ///< products of units and weights are divided by this

  private:
    const NetworkWeights* file_;
    std::array<std::array<std::int16_t, 2 * hidden>, last_ply + 1> out_{};
};

/// The network fitted for a season.
const Network& fitted_network(Rules rules);

}  // namespace spielleiter::piranhas
