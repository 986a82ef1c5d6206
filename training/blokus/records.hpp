/// @file
/// Games with what tree search thought of them, as files that stay small: moves, not positions.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "src/spielleiter/games/blokus/position.hpp"

/// A move and what search thought before it was made.
struct Ply {
    static constexpr std::int16_t unknown = -1;

    std::uint16_t move = 0;
    std::int16_t worth = unknown;  ///< of the position to the seat on turn, in 10,000ths
    /// After a search that was thorough: moves and how often they were tried, most often first.
    std::vector<std::pair<std::uint16_t, std::uint16_t>> tried;
};

struct GameRecord {
    spielleiter::blokus::Rules rules;
    std::uint64_t seed = 0;     ///< of the start
    std::uint16_t careful = 0;  ///< from this ply on no move is made by lot
    std::vector<Ply> plies;

    spielleiter::blokus::Position start() const {
        return spielleiter::blokus::Position::start(seed, "", rules);
    }
};

template <class Number>
void put(std::string& bytes, Number number) {
    bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

template <class Number>
Number take(std::istream& in) {
    Number number{};
    in.read(reinterpret_cast<char*>(&number), sizeof number);
    return number;
}

inline void put(std::string& bytes, const GameRecord& game) {
    put(bytes,
        static_cast<std::uint16_t>((game.rules.corners ? 1 : 0) + (game.rules.server ? 2 : 0)));
    put(bytes, game.seed);
    put(bytes, game.careful);
    put(bytes, static_cast<std::uint16_t>(game.plies.size()));
    for (const Ply& ply : game.plies) {
        put(bytes, ply.move);
        put(bytes, ply.worth);
        put(bytes, static_cast<std::uint16_t>(ply.tried.size()));
        for (const auto& [move, visits] : ply.tried) put(bytes, move), put(bytes, visits);
    }
}

/// False when there are no more.
inline bool take(std::istream& in, GameRecord& game) {
    const auto rules = take<std::uint16_t>(in);
    game.rules = {(rules & 1U) != 0, (rules & 2U) != 0};
    game.seed = take<std::uint64_t>(in);
    game.careful = take<std::uint16_t>(in);
    game.plies.assign(take<std::uint16_t>(in), {});
    for (Ply& ply : game.plies) {
        ply.move = take<std::uint16_t>(in);
        ply.worth = take<std::int16_t>(in);
        ply.tried.resize(take<std::uint16_t>(in));
        for (auto& [move, visits] : ply.tried)
            move = take<std::uint16_t>(in), visits = take<std::uint16_t>(in);
    }
    return static_cast<bool>(in);
}
