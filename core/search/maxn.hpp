/// @file
/// Max^n: every seat maximises its own result and ignores those of the others. Nothing can be
/// cut off that way, so it looks less far than searches that treat the others as one opponent.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>

#include "alphabeta.hpp"
#include "multi_seat.hpp"

namespace spielleiter::search {

/// A search that `IterativeDeepening` can use; `N` has the `position()` of all seats.
template <class N>
class MaxN : public ThreadSearch<N> {
    using Base = ThreadSearch<N>;
    using Base::counter_;
    using Base::pruning_;
    using Base::seed_;

  public:
    using Move = typename N::Move;                ///< of the game
    using Scores = std::array<Score, max_seats>;  ///< one for each seat

    using Base::Base;
    using Base::stopped;

    /// A new root: nothing is known about its moves.
    void begin(Stop& stop, bool checks_limits) {
        counter_.begin(stop, checks_limits);
        seen_.clear();
    }
    /// Max^n keeps no variations: the report shows only the first move.
    std::span<const Move> variation(int) const { return {}; }

    /// The score of a root's child for the seat at the root. There are no windows: a second
    /// question about the same child has the same answer.
    Score value(const N& node, const N& child, int depth, Score, Score, PlyInfo info) {
        const std::uint64_t name = mix(child.key()) + static_cast<std::uint64_t>(depth);
        if (const auto found = seen_.find(name); found != seen_.end()) return found->second;
        const Score score = scores(child.position(), depth, info.ply)[node.position().to_move()];
        if (!stopped()) seen_.emplace(name, score);
        return score;
    }
    /// The same: nothing is reduced.
    Score scout(const N& node, const N& child, int depth, int, Score alpha, Score beta,
                PlyInfo info) {
        return value(node, child, depth, alpha, beta, info);
    }

  private:
    using Position = typename N::MultiSeat;

    Scores scores(const Position& position, int depth, int ply) {
        if (const auto end = position.end()) return counter_.count(), end_scores(*end, ply);
        if (depth <= 0 || ply >= max_depth) return counter_.count(), position.estimates();
        if (counter_.visit()) return {};
        const Seat mover = position.to_move();
        Scores best;
        best.fill(-infinite);
        typename N::Moves moves;
        position.list_moves(moves);
        for (const Move move : moves) {
            if (best[mover] != -infinite &&
                overlooked(pruning_, position.key(), seed_, move.code()))
                continue;
            Position child = position;
            child.play(move);
            const Scores found = scores(child, depth - 1, ply + 1);
            if (stopped()) return {};
            if (found[mover] > best[mover]) best = found;
        }
        return best;
    }
    static Scores end_scores(const std::array<int, max_seats>& end, int ply) {
        Scores scores{};
        for (std::size_t seat = 0; seat < max_seats; ++seat)
            scores[seat] = end_score(end[seat], ply);
        return scores;
    }

    std::unordered_map<std::uint64_t, Score> seen_;
};

}  // namespace spielleiter::search
