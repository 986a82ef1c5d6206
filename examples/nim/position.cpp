#include "position.hpp"

#include <algorithm>
#include <numeric>

#include "core/random.hpp"
#include "core/text.hpp"

namespace spielleiter::nim {

static_assert(GamePosition<Position>);

Move Move::coded(std::uint32_t code) {
    return {static_cast<std::uint8_t>(code / largest),
            static_cast<std::uint8_t>(code % largest + 1)};
}

std::string Move::text() const {
    return {static_cast<char>('A' + heap), static_cast<char>('0' + taken)};
}

Rules Rules::named(std::string_view edition, std::string_view authority) {
    if (edition != "nim") throw UsageError("nim has no edition " + std::string(edition));
    return {authority == "server"};
}

Position Position::start(std::uint64_t seed, std::string_view set_up, Rules rules) {
    if (!set_up.empty()) throw TextError("nim has no set-up to choose", 0);
    Random random(seed);
    Position position;
    position.rules_ = rules;
    for (auto& heap : position.heaps_) heap = static_cast<std::uint8_t>(1 + random.below(largest));
    return position;
}

Position Position::parse(std::string_view text, Rules rules) {
    Cursor cursor(text);
    Position position;
    position.rules_ = rules;
    for (std::size_t heap = 0; heap < heaps; ++heap) {
        if (heap > 0) cursor.expect('/', "'/' before the next heap");
        if (cursor.peek() < '0' || cursor.peek() > '9')
            cursor.fail("expected the size of a heap, 0 to 9");
        position.heaps_[heap] = static_cast<std::uint8_t>(cursor.take() - '0');
    }
    cursor.expect(' ', "a blank before the ply");
    const std::size_t at = cursor.at();
    const int ply = cursor.number("the ply");
    const int stones = std::accumulate(position.heaps_.begin(), position.heaps_.end(), 0);
    if (ply + stones > static_cast<int>(heaps * largest))
        cursor.fail("that many stones cannot be left after so many plies", at);
    position.ply_ = static_cast<std::uint8_t>(ply);
    cursor.end();
    return position;
}

Position::Moves Position::legal_moves() const {
    Moves moves;
    for (std::uint8_t heap = 0; heap < heaps; ++heap) {
        for (std::uint8_t taken = 1; taken <= heaps_[heap]; ++taken) moves.push_back({heap, taken});
    }
    return moves;
}

std::optional<Mistake> Position::why_illegal(Move move) const {
    if (move.taken > heaps_[move.heap]) return Mistake::not_enough;
    return std::nullopt;
}

void Position::play(Move move) {
    heaps_[move.heap] = static_cast<std::uint8_t>(heaps_[move.heap] - move.taken);
    ++ply_;
}

std::optional<Outcome> Position::outcome() const {
    if (std::any_of(heaps_.begin(), heaps_.end(), [](auto heap) { return heap > 0; }))
        return std::nullopt;
    return duel(static_cast<Seat>(1 - to_move()), {0, 0}, "took the last one");
}

std::uint64_t Position::key() const {
    std::uint64_t key = mix(ply_ + 1U);
    for (const auto heap : heaps_) key = mix(key + heap);
    return key;
}

std::string Position::text() const {
    std::string text;
    for (const auto heap : heaps_) text += (text.empty() ? "" : "/") + std::to_string(heap);
    return text + " " + std::to_string(ply_);
}

Move Position::parse_move(std::string_view text) {
    Cursor cursor(text);
    const char heap = cursor.peek();
    if (heap < 'A' || heap >= static_cast<char>('A' + heaps))
        cursor.fail("expected a heap, A to C");
    cursor.take();
    const char taken = cursor.peek();
    if (taken < '1' || taken > '9') cursor.fail("expected how many to take, 1 to 9");
    cursor.take();
    cursor.end();
    return {static_cast<std::uint8_t>(heap - 'A'), static_cast<std::uint8_t>(taken - '0')};
}

void Position::observe(std::uint8_t* planes_out, Seat /*viewer*/) const {
    std::copy(heaps_.begin(), heaps_.end(), planes_out);
}

}  // namespace spielleiter::nim
