/// @file
/// What search asks of a game for more than two: a position made for being searched, with an
/// estimate for every seat.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/game.hpp"
#include "score.hpp"

namespace spielleiter::search {

/// A position of several seats. It is copied, then played on. `estimates` gives every seat's score
/// as if that seat were to move; `end` says for each seat 1 (alone on the first rank), 0 (shared)
/// or −1 when the game is over.
template <class T>
concept MultiSeatPosition =
    std::copyable<T> && requires(T t, const T c, typename T::Move move, typename T::Moves& moves) {
        { c.seats() } -> std::convertible_to<std::size_t>;
        { c.to_move() } -> std::same_as<Seat>;
        { c.list_moves(moves) } -> std::same_as<void>;
        { c.is_legal(move) } -> std::same_as<bool>;
        { c.slot(move) } -> std::convertible_to<std::size_t>;
        { t.play(move) } -> std::same_as<void>;
        { c.key() } -> std::same_as<std::uint64_t>;
        { c.estimates() } -> std::same_as<std::array<Score, max_seats>>;
        { c.end() } -> std::same_as<std::optional<std::array<int, max_seats>>>;
    };

}  // namespace spielleiter::search
