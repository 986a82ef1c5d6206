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
    Score score = -infinite;  ///< for the seat to move at the root
    std::vector<Move> moves;  ///< beginning with the move itself
    bool drawn = false;       ///< proven: for two seats a draw, which the score cannot tell
};

/// The result of a search, complete after every step of an engine.
template <class Move>
struct Report {
    std::vector<Variation<Move>> lines;  ///< best first; as many as were asked for
    int depth = 0;                       ///< plies of the last full iteration
    std::uint64_t nodes = 0;             ///< positions visited, or games played out
    double seconds = 0;                  ///< since the search began
    int fill = 0;                        ///< of the table or tree, in thousandths

    /// Nodes per second.
    double speed() const { return seconds > 0 ? static_cast<double>(nodes) / seconds : 0; }
    /// The move to play; there must be a line.
    Move best() const { return lines.front().moves.front(); }
    /// The score of the move to play.
    Score score() const { return lines.front().score; }
};

}  // namespace spielleiter::search
