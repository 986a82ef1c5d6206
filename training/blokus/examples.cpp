/// @file
/// What the networks see in recorded games, and what they are to learn from it. See README.md.
///
///     examples GAMES... FORECAST POLICY
///
/// Reads what record.cpp wrote; forecast.py and train.py read what is written to FORECAST and
/// POLICY.
#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "records.hpp"
#include "src/spielleiter/games/blokus/forecast_input.hpp"
#include "src/spielleiter/games/blokus/policy_input.hpp"

using namespace spielleiter;
using blokus::Move;
using blokus::Position;

namespace {

using Board = std::array<std::array<std::uint8_t, blokus::cells>, blokus::colours>;

/// One position and how its game ended, as forecast.py reads it.
struct Ending {
    Board level;
    std::array<std::uint32_t, blokus::colours> pieces;
    std::uint16_t round;
    std::int16_t lead;      ///< of the seat on turn
    std::int16_t end;       ///< its lead at the end of the game
    std::int16_t worth;     ///< what search thought, in 10,000ths, or `Ply::unknown`
    std::uint16_t careful;  ///< whether the game was played well from here on
    std::uint16_t game;
};
static_assert(sizeof(Ending) == 1600 + 16 + 12);

/// One position and how often search tried its moves, as train.py reads it.
struct Choice {
    static constexpr std::size_t most = 32;

    Board level;
    std::uint32_t pieces;
    std::uint16_t round;
    std::uint16_t count;
    std::array<std::uint16_t, most> moves;
    std::array<std::uint16_t, most> visits;
};
static_assert(sizeof(Choice) == 1600 + 8 + 4 * Choice::most);

Board flat(const std::array<blokus::Levels, blokus::colours>& levels) {
    Board board;
    for (std::size_t colour = 0; colour < blokus::colours; ++colour) {
        for (std::size_t cell = 0; cell < blokus::cells; ++cell)
            board[colour][cell] = levels[colour][cell / blokus::side + 1][cell % blokus::side + 1];
    }
    return board;
}

Ending ending(const Position& position, const Ply& ply) {
    const blokus::ForecastInput input(position);
    Ending made{};
    made.level = flat(input.level);
    made.pieces = input.pieces;
    made.round = static_cast<std::uint16_t>(input.round);
    made.lead = static_cast<std::int16_t>(input.lead);
    made.worth = ply.worth;
    return made;
}

Choice choice(const Position& position, const Ply& ply) {
    const blokus::PolicyInput input(position);
    Choice made{};
    made.level = flat(input.level);
    made.pieces = input.pieces;
    made.round = static_cast<std::uint16_t>(input.round);
    made.count = static_cast<std::uint16_t>(std::min(Choice::most, ply.tried.size()));
    for (std::size_t at = 0; at < made.count; ++at) {
        made.moves[at] = ply.tried[at].first;
        made.visits[at] = ply.tried[at].second;
    }
    return made;
}

template <class Value>
void write(std::ofstream& out, std::span<const Value> values) {
    out.write(reinterpret_cast<const char*>(values.data()),
              static_cast<std::streamsize>(values.size_bytes()));
}

/// Replays a game. What was made by lot says nothing about how games end, unless search saw it.
void replay(const GameRecord& game, unsigned number, std::ofstream& forecast,
            std::ofstream& policy) {
    Position position = game.start();
    std::vector<Ending> endings;
    std::vector<Seat> seats;
    std::vector<Choice> choices;
    for (std::size_t at = 0; at < game.plies.size(); ++at) {
        const Ply& ply = game.plies[at];
        if (at >= game.careful || ply.worth != Ply::unknown) {
            endings.push_back(ending(position, ply));
            endings.back().careful = at >= game.careful ? 1 : 0;
            endings.back().game = static_cast<std::uint16_t>(number);
            seats.push_back(position.to_move());
        }
        if (ply.tried.size() > 1) choices.push_back(choice(position, ply));
        position.play(Move{ply.move});
    }
    const auto scores = position.scores();
    for (std::size_t at = 0; at < endings.size(); ++at)
        endings[at].end = static_cast<std::int16_t>(scores[seats[at]] - scores[1U - seats[at]]);
    write<Ending>(forecast, endings);
    write<Choice>(policy, choices);
}

}  // namespace

int main(int count, char** words) {
    if (count < 4) return std::puts("examples GAMES... FORECAST POLICY"), 2;
    std::ofstream forecast(words[count - 2], std::ios::binary);
    std::ofstream policy(words[count - 1], std::ios::binary);
    unsigned games = 0;
    for (int file = 1; file < count - 2; ++file) {
        std::ifstream in(words[file], std::ios::binary);
        for (GameRecord game; take(in, game);) replay(game, games++, forecast, policy);
    }
    std::printf("%u games\n", games);
}
