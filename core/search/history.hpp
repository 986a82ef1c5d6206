/// @file
/// What earlier nodes of a search say about moves: history, continuation history, killers and
/// counter-moves.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include "node.hpp"

namespace spielleiter::search {

/// Statistics of one thread about moves, by the slot the node gives them.
template <Node N>
class History {
  public:
    /// Nothing is known about any move.
    History()
        : quiet_(2 * N::slots),
          continuations_(continuation_places),
          counter_moves_(2 * N::slots, no_slot) {
        forget_killers();
    }

    /// A new search begins: old statistics count less, killers nothing. Continuations stay.
    void age() {
        for (auto& value : quiet_) value = static_cast<std::int16_t>(value / age_divisor);
        forget_killers();
    }

    /// How good a quiet move of a side was in this search, within ±`limit`.
    int quiet(std::size_t side, std::size_t slot) const { return quiet_[side * N::slots + slot]; }
    /// How good a move was as answer to the previous one, within ±`limit`.
    int continuation(std::size_t previous, std::size_t slot) const {
        return continuations_[place(previous, slot)];
    }

    /// Slots of the two moves that last refuted a sibling position at this ply.
    const std::array<std::size_t, 2>& killers(int ply) const {
        return killers_[static_cast<std::size_t>(ply)];
    }
    /// Slot of the move that last refuted the previous move, or `N::slots`.
    std::size_t counter_move(std::size_t side, std::size_t previous) const {
        return counter_moves_[side * N::slots + previous];
    }

    /// A quiet move refuted the move before it.
    void add_killer(int ply, std::size_t slot) {
        auto& pair = killers_[static_cast<std::size_t>(ply)];
        if (pair[0] != slot) pair[1] = std::exchange(pair[0], slot);
    }
    /// The same, remembered by the move that was refuted.
    void set_counter_move(std::size_t side, std::size_t previous, std::size_t slot) {
        counter_moves_[side * N::slots + previous] = slot;
    }
    /// A quiet move was good (a positive bonus) or not.
    void update(std::size_t side, std::size_t slot, int bonus) {
        approach(quiet_[side * N::slots + slot], bonus);
    }
    /// The same for a move as answer to the previous one.
    void update_continuation(std::size_t previous, std::size_t slot, int bonus) {
        approach(continuations_[place(previous, slot)], bonus);
    }

    static constexpr int limit = 8192;  ///< no value is larger

  private:
    static constexpr std::size_t no_slot = N::slots;
    static constexpr int age_divisor = 4;  ///< guessed
    /// In games with very many moves several pairs share a place.
    static constexpr std::size_t continuation_places =
        std::bit_ceil(std::min(N::slots * N::slots, std::size_t{1} << 20U));

    static std::size_t place(std::size_t previous, std::size_t slot) {
        return (previous * N::slots + slot) % continuation_places;
    }
    /// Moves towards ±limit, ever more slowly, so that the values stay comparable.
    static void approach(std::int16_t& value, int bonus) {
        value = static_cast<std::int16_t>(value + bonus - value * std::abs(bonus) / limit);
    }
    void forget_killers() {
        for (auto& pair : killers_) pair.fill(no_slot);
    }

    std::vector<std::int16_t> quiet_;
    std::vector<std::int16_t> continuations_;
    std::vector<std::size_t> counter_moves_;
    std::array<std::array<std::size_t, 2>, max_depth + 8> killers_{};
};

}  // namespace spielleiter::search
