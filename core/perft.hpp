/// @file
/// Perft: the number of move sequences of a given length, the classic check of a move generator.
#pragma once

#include <cstdint>

#include "game.hpp"

namespace spielleiter {

/// Number of legal moves; 0 where the game is over.
template <GamePosition P>
std::uint64_t successors(const P& position) {
    if (is_over(position)) return 0;
    if constexpr (CountsMoves<P>) {
        return position.count_moves();
    } else {
        return position.legal_moves().size();
    }
}

/// Number of move sequences of length `depth`. The last ply is counted, not played.
/// A position that is over has no successors.
template <GamePosition P>
std::uint64_t perft(const P& position, int depth) {
    if (depth <= 0) return 1;
    if (depth == 1) return successors(position);
    if (is_over(position)) return 0;
    if constexpr (CountsReplies<P>) {
        if (depth == 2) return position.count_replies();
    }
    std::uint64_t nodes = 0;
    for (const auto move : position.legal_moves()) {
        P next = position;
        next.play(move);
        nodes += perft(next, depth - 1);
    }
    return nodes;
}

/// The same, as long as `go_on()` says so; it is asked every few thousand positions or so. What is
/// counted when it says no means nothing.
template <GamePosition P, class GoOn>
std::uint64_t perft(const P& position, int depth, const GoOn& go_on) {
    if (!go_on()) return 0;
    if (depth <= 3 || is_over(position)) return perft(position, depth);
    std::uint64_t nodes = 0;
    for (const auto move : position.legal_moves()) {
        P next = position;
        next.play(move);
        nodes += perft(next, depth - 1, go_on);
    }
    return nodes;
}

/// The same, by the plain definition: every ply played, nothing counted ahead. The judge in tests.
template <GamePosition P>
std::uint64_t slow_perft(const P& position, int depth) {
    if (depth <= 0) return 1;
    if (position.outcome()) return 0;
    std::uint64_t nodes = 0;
    for (const auto move : position.legal_moves()) {
        P next = position;
        next.play(move);
        nodes += slow_perft(next, depth - 1);
    }
    return nodes;
}

}  // namespace spielleiter
