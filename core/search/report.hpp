/// @file
/// What a search found, as data.
#pragma once

#include <cstdint>
#include <vector>

#include "score.hpp"

namespace spielleiter::search {

/// A move with its score and the play that is expected to follow.
template <class Move>
struct Variation {
    Score score = -infinite;
    std::vector<Move> moves;  ///< beginning with the move itself
};

template <class Move>
struct Report {
    std::vector<Variation<Move>> lines;  ///< best first; as many as were asked for
    int depth = 0;                       ///< plies of the last full iteration
    std::uint64_t nodes = 0;
    double seconds = 0;
    int fill = 0;  ///< of the table, in thousandths

    /// Nodes a second.
    double speed() const { return seconds > 0 ? static_cast<double>(nodes) / seconds : 0; }
    Move best() const { return lines.front().moves.front(); }
    Score score() const { return lines.front().score; }
};

}  // namespace spielleiter::search
