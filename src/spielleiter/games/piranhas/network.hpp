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

inline constexpr std::size_t hidden = 32;
inline constexpr std::size_t things = 7;

/// Every weight depends on the ply: it is given for these plies and runs straight between them.
inline constexpr std::array<int, 8> knot_plies{0, 12, 24, 36, 48, 52, 56, last_ply};
inline constexpr std::size_t knots = knot_plies.size();

/// Which knot a ply follows, and how far it is on the way to the next, in 24ths.
struct Moment {
    std::size_t knot;
    int share;
};
inline constexpr int whole_share = 24;
inline constexpr auto moments = [] {
    std::array<Moment, last_ply + 1> made{};
    for (int ply = 0; ply <= last_ply; ++ply) {
        std::size_t knot = knots - 2;
        while (knot_plies[knot] > ply) --knot;
        const int length = knot_plies[knot + 1] - knot_plies[knot];
        made[static_cast<std::size_t>(ply)] = {knot,
                                               (ply - knot_plies[knot]) * whole_share / length};
    }
    return made;
}();

/// What numbers given for the knots mean at a ply.
template <class Numbers>
constexpr int at_ply(const Numbers& numbers, std::size_t ply) {
    const Moment moment = moments[ply];
    return (numbers[moment.knot] * (whole_share - moment.share) +
            numbers[moment.knot + 1] * moment.share) /
           whole_share;
}

/// The hidden layer of one side.
struct alignas(64) Hidden {
    std::array<std::int16_t, hidden> units;

    void add(const Hidden& row) {
        for (std::size_t at = 0; at < hidden; ++at)
            units[at] = static_cast<std::int16_t>(units[at] + row.units[at]);
    }
    /// As before, but a fish went from one field to another.
    void moved(const Hidden& before, const Hidden& from, const Hidden& to) {
        for (std::size_t at = 0; at < hidden; ++at)
            units[at] = static_cast<std::int16_t>(before.units[at] + to.units[at] - from.units[at]);
    }
    void take(const Hidden& row) {
        for (std::size_t at = 0; at < hidden; ++at)
            units[at] = static_cast<std::int16_t>(units[at] - row.units[at]);
    }
};

/// The fitted numbers of a season as the file says them.
struct NetworkFile {
    std::array<Hidden, things * squares> rows;
    Hidden bias;
    /// By seat to move and knot: first the units of the seat to move, then the other's.
    std::array<std::array<std::array<std::int16_t, 2 * hidden>, knots>, 2> out;
    /// What a fish is worth on its field, by weight, in sixteenths of a unit of score.
    std::array<std::array<std::int16_t, knots>, 3 * squares> places;
};

/// Worth of fish on their fields at each knot.
using Places = std::array<std::int32_t, knots>;

class Network {
  public:
    explicit Network(const NetworkFile& file);

    /// What a side sees: `own` says whose fish it is.
    const Hidden& row(bool own, int weight, Square square) const {
        return file_
            ->rows[(static_cast<std::size_t>(own ? weight - 1 : weight + 2) * squares) + square];
    }
    const Hidden& octopus(Square square) const { return file_->rows[6 * squares + square]; }
    const Hidden& bias() const { return file_->bias; }
    const std::array<std::int16_t, knots>& place(int weight, Square square) const {
        return file_->places[static_cast<std::size_t>(weight - 1) * squares + square];
    }

    /// Worth of what the hidden layers see, in sixteenths of a unit of score.
    int judge(const Hidden& mine, const Hidden& yours, std::size_t ply) const {
        const auto& out = out_[ply];
        int sum = 0;
        for (std::size_t at = 0; at < hidden; ++at)
            sum += std::clamp<int>(mine.units[at], 0, full) * out[at];
        for (std::size_t at = 0; at < hidden; ++at)
            sum += std::clamp<int>(yours.units[at], 0, full) * out[hidden + at];
        return sum / out_scale;
    }

    static constexpr int full = 255;  ///< a unit that is fully on
    static constexpr int out_scale = 256;

  private:
    const NetworkFile* file_;
    std::array<std::array<std::int16_t, 2 * hidden>, last_ply + 1> out_{};
};

/// The network fitted for a season.
const Network& fitted_network(Rules rules);

}  // namespace spielleiter::piranhas
