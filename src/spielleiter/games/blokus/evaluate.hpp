/// @file
/// What tree search thinks of moves in Blokus before it has tried them.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/random.hpp"
#include "position.hpp"

namespace spielleiter::blokus {

/// Large pieces first, and in the opening towards the middle, where all colours need room.
struct Evaluate {
    using Position = blokus::Position;

    static float prior(const Position& position, Move move) {
        if (move.is_pass()) return 0;
        const Orientation& piece = move.orientation();
        const float large = static_cast<float>(piece.shape.size) / static_cast<float>(longest);
        const float opening = std::max(0.0F, 1.0F - static_cast<float>(position.ply()) / 40.0F);
        return 0.15F + 0.5F * large + 0.25F * opening * centrality(move);
    }

    /// The larger of two pieces drawn by lot.
    static std::optional<Move> playout_move(const Position& position, Random& random) {
        const auto first = position.random_move(random);
        if (!first || first->is_pass()) return first;
        const auto second = position.random_move(random);
        if (!second || second->is_pass()) return first;
        const bool larger = second->orientation().shape.size > first->orientation().shape.size;
        return larger ? second : first;
    }

  private:
    /// How near the piece's farthest reach comes to the middle of the board, 0 … 1.
    static float centrality(Move move) {
        const auto x0 = static_cast<int>(move.cell() % side);
        const auto y0 = static_cast<int>(move.cell() / side);
        const Shape& shape = move.orientation().shape;
        float nearest = 20;
        for (std::size_t at = 0; at < shape.size; ++at) {
            const float dx = static_cast<float>(x0 + shape.squares[at].x) - 9.5F;
            const float dy = static_cast<float>(y0 + shape.squares[at].y) - 9.5F;
            nearest = std::min(nearest, std::sqrt(dx * dx + dy * dy));
        }
        return 1.0F - nearest / 14.0F;
    }
};

}  // namespace spielleiter::blokus
