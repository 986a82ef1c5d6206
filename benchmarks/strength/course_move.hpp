/// @file
/// How the players of course.hpp, which know nothing of our engine, are asked for a move.
#pragma once

#include <cstdint>
#include <sstream>
#include <string>

#include "course.hpp"
#include "src/spielleiter/games/reversi/position.hpp"

namespace course {

/// What a player does in a position of ours.
inline spielleiter::reversi::Move move_of(Player& player,
                                          const spielleiter::reversi::Position& position,
                                          const Budget& budget) {
    std::istringstream words(position.text());
    std::string rows;
    int players = 0;
    int mover = 0;
    words >> rows >> players >> mover;
    const int cell = player.choose(read(rows, players, mover), budget);
    return {static_cast<std::uint8_t>(cell % stride - 1),
            static_cast<std::uint8_t>(cell / stride - 1)};
}

}  // namespace course
