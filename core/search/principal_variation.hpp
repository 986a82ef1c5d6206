/// @file
/// The triangular table of principal variations: what a search expects to be played from each ply.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "score.hpp"

namespace spielleiter::search {

/// One variation per ply; longer ones than `Longest` lose their end.
template <class Move, std::size_t Longest>
class PrincipalVariations {
  public:
    /// A node at this ply is entered: nothing is expected yet.
    void begin(int ply) { lengths_[static_cast<std::size_t>(ply)] = 0; }
    /// The best move here, followed by what is expected one ply below.
    void extend(int ply, Move move) {
        const auto here = static_cast<std::size_t>(ply);
        const std::size_t length = std::min(lengths_[here + 1], Longest - 1);
        lines_[here][0] = move;
        std::copy_n(lines_[here + 1].begin(), length, lines_[here].begin() + 1);
        lengths_[here] = length + 1;
    }
    /// The moves from this ply on, as the last search of it saw them.
    std::span<const Move> at(int ply) const {
        const auto here = static_cast<std::size_t>(ply);
        return {lines_[here].data(), lengths_[here]};
    }

  private:
    static constexpr std::size_t plies = max_depth + 8;  ///< searches go a little deeper

    std::array<std::array<Move, Longest>, plies> lines_{};
    std::array<std::size_t, plies> lengths_{};
};

}  // namespace spielleiter::search
