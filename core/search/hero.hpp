/// @file
/// A table of several seats as one of them, the hero, sees it: its side and the side of all others.
#pragma once

#include <cstdint>
#include <optional>

#include "core/random.hpp"
#include "several.hpp"

namespace spielleiter::search {

/// What the nodes of paranoid and of best-reply search share; how moves are made is their own.
template <SeveralSeats T>
class HeroView {
  public:
    explicit HeroView(const T& table) : table_(table), hero_(table.to_move()) {}

    const T& table() const { return table_; }
    bool side() const { return table_.to_move() == hero_; }
    /// What is known of a position from one hero's view is no knowledge for another.
    std::uint64_t key() const { return table_.key() ^ mix(hero_ + 1U); }
    Score evaluate() const { return seen(table_.estimates()[hero_]); }
    std::optional<int> end() const {
        const auto end = table_.end();
        if (!end) return std::nullopt;
        return seen((*end)[hero_]);
    }
    /// Who cannot move where no rule covers it has lost.
    int stuck() const { return -1; }

  protected:
    T table_;
    Seat hero_;

  private:
    int seen(int value) const { return side() ? value : -value; }
};

}  // namespace spielleiter::search
