/// @file
/// Paranoid search: one seat, the hero, against all the others, who are taken to play together
/// against it. Then there are two sides, and alpha-beta does the rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/random.hpp"
#include "several.hpp"

namespace spielleiter::search {

template <SeveralSeats T>
class ParanoidNode {
  public:
    using Move = typename T::Move;
    using Moves = typename T::Moves;
    using Several = T;
    static constexpr std::size_t slots = T::slots;

    explicit ParanoidNode(const T& table) : table_(table), hero_(table.to_move()) {}

    const T& table() const { return table_; }
    bool side() const { return table_.to_move() == hero_; }
    void list_moves(Moves& moves) const { table_.list_moves(moves); }
    bool is_legal(Move move) const { return table_.is_legal(move); }
    static int gain(Move) { return 0; }
    static std::size_t slot(Move move) { return T::slot(move); }
    void play(Move move) { table_.play(move); }
    /// What is known of a position from one hero's view is no knowledge for another.
    std::uint64_t key() const { return table_.key() ^ mix(hero_ + 1U); }
    Score evaluate() const {
        const Score score = table_.estimates()[hero_];
        return side() ? score : -score;
    }
    std::optional<int> end() const {
        const auto end = table_.end();
        if (!end) return std::nullopt;
        return side() ? (*end)[hero_] : -(*end)[hero_];
    }
    /// Who cannot move where no rule covers it has lost.
    int stuck() const { return -1; }

  private:
    T table_;
    Seat hero_;
};

}  // namespace spielleiter::search
