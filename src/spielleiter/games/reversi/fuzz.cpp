/// @file
/// libFuzzer: any bytes as a position and as moves. What is read must be written the same way, and
/// every position reached must agree with itself.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/perft.hpp"
#include "position.hpp"

namespace {

using spielleiter::TextError;
using spielleiter::reversi::Position;

void require(bool holds) {
    if (!holds) std::abort();
}

void check(const Position& position) {
    require(Position::parse(position.text(), position.rules()) == position);
    require(position.is_over() == position.outcome().has_value());
    const auto moves = position.legal_moves();
    require(moves.size() == position.count_moves());
    for (const auto move : moves) {
        require(!position.why_illegal(move));
        require(Position::parse_move(move.text()) == move);
    }
    require(spielleiter::perft(position, 2) == spielleiter::slow_perft(position, 2));
}

/// Each byte plays a legal move, or now and then disqualifies a seat.
void walk(Position position, std::string_view choices) {
    for (const char choice : choices) {
        check(position);
        if (position.is_over()) return;
        const auto number = static_cast<unsigned char>(choice);
        const auto moves = position.legal_moves();
        if (number >= 250) {
            position.disqualify(static_cast<spielleiter::Seat>(number % position.seats()));
        } else {
            position.play(moves[number % moves.size()]);
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const std::size_t line = input.find('\n');
    try {
        const auto position = Position::parse(input.substr(0, line), {});
        walk(position, line == std::string_view::npos ? "" : input.substr(line + 1));
    } catch (const TextError& error) {
        require(error.at() <= size);
    }
    try {
        const auto move = Position::parse_move(input);
        require(Position::parse_move(move.text()) == move);
    } catch (const TextError& error) {
        require(error.at() <= size);
    }
    return 0;
}
