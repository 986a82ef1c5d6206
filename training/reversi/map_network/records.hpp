// Games of two players in a file, as small as they can be: numbers of bytes, the lower one first.
//
//     map: 2, random moves at the beginning: 1, moves: 2,
//     and for every move its cell (15 y + x): 1, how likely its player thought to win: 1
//
// That is a part of 254; 255 is a player that does not say.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <vector>

namespace map_network {

inline constexpr std::size_t side = 15;        ///< cells in a row of a record
inline constexpr std::uint8_t unjudged = 255;  ///< a chance that nobody said

struct Turn {
    std::uint8_t cell = 0;
    std::uint8_t chance = unjudged;
};

struct Game {
    std::uint32_t map = 0;
    std::uint8_t opening = 0;
    std::vector<Turn> turns;
};

inline Turn turn_of(std::size_t x, std::size_t y, const std::optional<double>& chance) {
    Turn turn;
    turn.cell = static_cast<std::uint8_t>(side * y + x);
    if (chance) turn.chance = static_cast<std::uint8_t>(254.0 * *chance + 0.5);
    return turn;
}

inline void write(const Game& game, std::FILE* out) {
    std::vector<std::uint8_t> bytes{
        static_cast<std::uint8_t>(game.map),
        static_cast<std::uint8_t>(game.map >> 8U),
        game.opening,
        static_cast<std::uint8_t>(game.turns.size()),
        static_cast<std::uint8_t>(game.turns.size() >> 8U),
    };
    for (const Turn& turn : game.turns) {
        bytes.push_back(turn.cell);
        bytes.push_back(turn.chance);
    }
    std::fwrite(bytes.data(), 1, bytes.size(), out);
}

/// The next game of a file; nothing where it ends, also in the middle of a game.
inline std::optional<Game> read(std::FILE* in) {
    std::array<std::uint8_t, 5> head{};
    if (std::fread(head.data(), 1, head.size(), in) != head.size()) return std::nullopt;
    Game game;
    game.map = head[0] + 256U * head[1];
    game.opening = head[2];
    game.turns.resize(head[3] + 256U * head[4]);
    for (Turn& turn : game.turns) {
        std::array<std::uint8_t, 2> bytes{};
        if (std::fread(bytes.data(), 1, bytes.size(), in) != bytes.size()) return std::nullopt;
        turn = {bytes[0], bytes[1]};
    }
    return game;
}

}  // namespace map_network
