/// @file
/// What the programs of this folder share: the board of 8 × 8 they play on, and files of weights.
#pragma once

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "src/spielleiter/games/reversi/evaluate.hpp"

namespace spielleiter::reversi {

inline constexpr const char* start =
    "00000000/00000000/00000000/00021000/00012000/00000000/00000000/00000000 2 1 -";

inline std::vector<std::int16_t> read_weights(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::vector<char> bytes((std::istreambuf_iterator<char>(file)), {});
    std::vector<std::int16_t> weights(bytes.size() / 2);
    std::memcpy(weights.data(), bytes.data(), 2 * weights.size());
    return weights;
}
inline void write_weights(const std::string& path, const std::vector<std::int16_t>& weights) {
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(weights.data()),
               static_cast<std::streamsize>(2 * weights.size()));
}

inline const Board<Small>& board_of(const Position& position) {
    return std::get<Board<Small>>(position.board());
}
inline TwoPlayerBoard<Small> duel_of(const Position& position) {
    const auto& board = board_of(position);
    return {board.stones[board.mover], board.stones[1U - board.mover], board.empty};
}
/// The first player is to move.
inline Position position_of(std::uint64_t own, std::uint64_t other) {
    std::string text = start;
    for (std::size_t cell = 0; cell < 64; ++cell)
        text[cell + cell / 8] = (own >> cell & 1U) != 0     ? '1'
                                : (other >> cell & 1U) != 0 ? '2'
                                                            : '0';
    return Position::parse(text, {});
}

inline Move searched(reversi::Engine& engine, const Position& position, search::Limits limits) {
    engine.begin(position, limits, 1, {});
    while (engine.step()) {
    }
    return engine.report().best();
}
inline search::Limits depth_of(int depth) {
    search::Limits limits;
    limits.depth = depth;
    return limits;
}
inline search::EngineOptions options_of(std::size_t megabytes) {
    search::EngineOptions options;
    options.megabytes = megabytes;
    return options;
}

}  // namespace spielleiter::reversi
