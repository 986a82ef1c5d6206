/// @file
/// Two players on a layout, seen by the one to move: as lean as search can have it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "board.hpp"

namespace spielleiter::reversi {

/// Only the stones: map, seats and turn are known elsewhere.
template <class Layout>
struct TwoPlayerBoard {
    using Set = typename Layout::Set;  ///< cells of the layout

    Set own{};    ///< stones of the player to move
    Set other{};  ///< stones of the other
    Set empty{};  ///< cells where a stone may be set

    /// The same stones, seen by the same player.
    bool operator==(const TwoPlayerBoard&) const = default;

    /// Where the player to move may set.
    Set moves() const { return Layout::targets(own, other) & empty; }
    /// The stones that a move takes.
    Set taken(std::size_t cell) const { return Layout::taken(cell, own, other); }
    /// After a move that takes those stones, seen by the other player.
    TwoPlayerBoard after(std::size_t cell, const Set& taken) const {
        const Set placed = Set::of(cell);
        return {without(other, taken), own | taken | placed, without(empty, placed)};
    }
    /// The same; the stones are found first.
    TwoPlayerBoard after(std::size_t cell) const { return after(cell, taken(cell)); }
    /// Seen by the other player, without a move.
    TwoPlayerBoard passed() const { return {other, own, empty}; }
    /// Stones more than the other.
    int lead() const { return own.count() - other.count(); }

    /// Positions alike but for who is called what have the same key: nothing else matters here.
    std::uint64_t key(std::uint64_t salt = 0) const {
        std::uint64_t key = salt;
        for (const auto word : own.words) key = scrambled(key ^ word);
        for (const auto word : other.words) key = scrambled(key + word);
        return key;
    }

  private:
    static std::uint64_t scrambled(std::uint64_t word) {
        word *= 0x9e3779b97f4a7c15ULL;
        return word ^ (word >> 29U);
    }
};

}  // namespace spielleiter::reversi
