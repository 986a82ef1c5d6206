/// @file
/// Three threads search whole games together, under the sanitizers (sanitize.sh): what a game
/// brings with it is shared as well, not only the tree. A game does so in its tests/threads.cpp.
#pragma once

#include <cstdint>
#include <cstdio>
#include <exception>

#include "core/game.hpp"
#include "core/search/engine.hpp"

namespace spielleiter {

/// How many search together.
inline constexpr unsigned sharing_threads = 3;

/// Whether a game ends that an engine plays with itself, with so many nodes a move.
template <class Engine, class Position>
bool game_ends(Engine& engine, Position position, std::uint64_t nodes) {
    constexpr int most_plies = 200;
    for (int ply = 0; ply < most_plies; ++ply) {
        if (is_over(position)) return true;
        search::Limits limits;
        limits.nodes = nodes;
        position.play(search::run(engine, position, limits, 1).best());
    }
    return false;
}

/// The status of a program: 0 if all games ended. `play` tells how many did not.
template <class Play>
int status_of(Play&& play) {
    try {
        const int failures = play();
        std::printf("%d games did not end\n", failures);
        return failures;
    } catch (const std::exception& problem) {
        std::puts(problem.what());
        return 1;
    }
}

}  // namespace spielleiter
