/// @file
/// What a fuzzer may try on any game: whatever bytes come in, they are refused with a place, or
/// they mean a position that is written the same way and can be played to its end.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "game.hpp"
#include "perft.hpp"
#include "playout.hpp"
#include "random.hpp"

namespace spielleiter::fuzzing {

/// Stops the program where a promise is broken, so that the fuzzer keeps the input.
inline void demand(bool holds, const char* promise, std::string_view text) {
    if (holds) return;
    std::fprintf(stderr, "broken promise: %s\ntext: %.*s\n", promise, static_cast<int>(text.size()),
                 text.data());
    std::abort();
}

/// What `read` makes of a text, or nothing where it refuses it; a refusal names a place in the
/// text.
template <class Read>
auto unless_refused(std::string_view text, Read&& read) -> std::optional<decltype(read(text))> {
    try {
        return read(text);
    } catch (const TextError& error) {
        demand(error.at() <= text.size(), "a refusal names a place in the text", text);
        return std::nullopt;
    }
}

/// The text of a legal move means that move, by its words, its code and its action number.
template <GamePosition P>
void check_move(const P& position, const typename P::Move& move) {
    const std::string text = move.text();
    demand(position.parse_move(text) == move, "a move is read as it is written", text);
    demand(P::Move::coded(move.code()) == move, "a move survives its code", text);
    demand(position.move_at(position.action(move)) == move, "a move survives its action", text);
    demand(!position.why_illegal(move), "a listed move is legal", text);
}

inline constexpr std::size_t few = 64;  ///< moves of a position that is counted two plies deep

/// What is counted ahead equals what is listed and played.
template <GamePosition P>
void check_counts(const P& position) {
    if (is_over(position)) return;
    const auto listed = position.legal_moves().size();
    demand(perft(position, 1) == listed, "moves are counted as they are listed", position.text());
    if (listed > few) return;
    demand(perft(position, 2) == slow_perft(position, 2), "replies are counted as they are played",
           position.text());
}

/// A position survives its text, writes within its planes and is over when it has an outcome.
template <GamePosition P>
void check_position(const P& position) {
    constexpr std::size_t plane_size = P::planes[0] * P::planes[1] * P::planes[2];
    const std::string text = position.text();
    demand(P::parse(text, position.rules()) == position, "a position survives its text", text);
    demand(P::parse(text, position.rules()).key() == position.key(), "and so does its key", text);
    std::vector<std::uint8_t> planes(plane_size);
    for (std::size_t seat = 0; seat < position.seats(); ++seat)
        position.observe(planes.data(), static_cast<Seat>(seat));
    demand(is_over(position) == position.outcome().has_value(), "over means an outcome", text);
    check_counts(position);
}

/// Any text is refused as a move, or means one that is judged without harm.
template <GamePosition P>
void check_move_text(const P& position, std::string_view text) {
    const auto read = [&](std::string_view view) { return position.parse_move(view); };
    const auto move = unless_refused(text, read);
    if (!move) return;
    demand(move->code() < P::Move::codes, "a code is below the number of codes", text);
    demand(position.parse_move(move->text()) == *move, "a move is read as it is written", text);
    if (!is_over(position)) position.why_illegal(*move);
}

/// A random move, or, where a game goes on without a seat that broke the rules, now and then that.
template <GamePosition P>
void advance(P& position, Random& random) {
    if constexpr (Disqualifies<P>) {
        if (random.below(16) == 0) {
            const auto seats = static_cast<std::uint32_t>(position.seats());
            return position.disqualify(static_cast<Seat>(random.below(seats)));
        }
    }
    const auto moves = position.legal_moves();
    const auto move = moves[random.below(static_cast<std::uint32_t>(moves.size()))];
    check_move(position, move);
    position.play(move);
}

/// Up to `plies` random moves from a position, everything checked on the way.
template <GamePosition P>
void check_game(P position, Random random, int plies) {
    for (int ply = 0; ply < plies && !is_over(position); ++ply) {
        const auto drawn = random_move(position, random);
        if (!drawn) return;
        demand(!position.why_illegal(*drawn), "a drawn move is legal", position.text());
        advance(position, random);
        check_position(position);
    }
}

/// How many texts mean one position: just the one it writes itself, or also others (say why there).
enum class Texts : std::uint8_t { one, several };

/// One input: the first byte chooses edition and authority, the second how far to play; up to the
/// first line break stands a position, behind it a move.
template <GamePosition P, std::size_t Editions>
int one_input(const std::array<std::string_view, Editions>& editions, const std::uint8_t* data,
              std::size_t size, Texts texts = Texts::one) {
    if (size < 2) return 0;
    const auto rules = P::Rules::named(editions[data[0] % Editions],
                                       (data[0] / Editions) % 2 == 0 ? "document" : "server");
    const std::string_view input(reinterpret_cast<const char*>(data) + 2, size - 2);
    const std::string_view text = input.substr(0, input.find('\n'));
    const std::string_view move = input.substr(std::min(input.size(), text.size() + 1));

    const auto read = [&](std::string_view view) { return P::parse(view, rules); };
    const auto position = unless_refused(text, read);
    if (!position) return 0;
    demand(texts == Texts::several || position->text() == text,
           "a text that is accepted is written the same way", text);
    check_position(*position);
    check_move_text(*position, move);
    check_game(*position, Random(data[1]), data[1] % 16);
    return 0;
}

}  // namespace spielleiter::fuzzing
