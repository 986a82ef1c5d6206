/// @file
/// Games of many kinds of players on many maps, as several programs play them to learn from.
#pragma once

#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "src/spielleiter/games/reversi/position.hpp"

namespace spielleiter::reversi {

inline std::vector<std::string> lines_of(const std::string& path) {
    std::ifstream file(path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
}

/// Plays to the end: some random moves, then in every second game all players are the first of the
/// pool, in the others each seat is given to one of them by lot. One move in forty is random.
/// `play` makes the move of a player, or a random one if there is none. Returns how many random
/// moves came first.
template <class Player, class Play>
std::uint32_t play_mixed(const Position& position, std::vector<std::unique_ptr<Player>>& pool,
                         Random& random, Play&& play) {
    const std::uint32_t opening = 2 + random.below(14);
    for (std::uint32_t ply = 0; ply < opening && !position.is_over(); ++ply) play(nullptr);
    std::vector<Player*> seats;
    const auto choices = random.below(2) == 0 ? 1U : static_cast<std::uint32_t>(pool.size());
    for (std::size_t seat = 0; seat < position.seats(); ++seat)
        seats.push_back(pool[random.below(choices)].get());
    for (const auto& player : pool) player->forget();
    while (!position.is_over()) {
        const bool by_lot = random.below(40) == 0;
        play(by_lot ? nullptr : seats[position.to_move()]);
    }
    return opening;
}

}  // namespace spielleiter::reversi
