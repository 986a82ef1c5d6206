/// @file
/// libFuzzer: no bytes, read as a position or a move, may break anything. The first byte chooses
/// edition and authority, the second how a position that was understood is played on.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/random.hpp"
#include "position.hpp"

namespace {

using namespace spielleiter;
using blokus::Move;
using blokus::Position;

void require(bool truth) {
    if (!truth) std::abort();
}

void check(const Position& position) {
    require(Position::parse(position.text(), position.rules()) == position);
    require(position.outcome().has_value() == position.is_over());
    if (position.is_over()) return;
    const auto moves = position.legal_moves();
    require(position.count_moves() == moves.size());
    for (const Move move : moves) {
        require(!position.why_illegal(move));
        require(Position::parse_move(move.text()) == move);
    }
}

void play_on(Position position, std::uint8_t seed) {
    Random random(seed);
    for (check(position); !position.is_over(); check(position)) {
        const auto move = position.random_move(random);
        if (!move) return;
        position.play(*move);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
    const blokus::Rules rules{.corners = (data[0] & 1U) != 0, .server = (data[0] & 2U) != 0};
    try {
        play_on(Position::parse(text, rules), data[1]);
    } catch (const TextError& error) {
        require(error.at() <= text.size());
    }
    try {
        require(Position::parse_move(Position::parse_move(text).text()).number < Move::codes);
    } catch (const TextError& error) {
        require(error.at() <= text.size());
    }
    return 0;
}
