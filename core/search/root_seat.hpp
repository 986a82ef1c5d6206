/// @file
/// A position of several seats as the root seat sees it: its own side and the side of all others.
#pragma once

#include <cstdint>
#include <optional>

#include "core/random.hpp"
#include "multi_seat.hpp"

namespace spielleiter::search {

/// What the nodes of paranoid and of best-reply search share; how moves are made is their own.
template <MultiSeatPosition T>
class RootSeatView {
  public:
    /// The seat to move here is the root seat from now on.
    explicit RootSeatView(const T& position)
        : position_(position), root_seat_(position.to_move()) {}

    /// The position of all seats behind this view.
    const T& position() const { return position_; }
    /// True where the root seat moves, false where one of the others does.
    bool side() const { return position_.to_move() == root_seat_; }
    /// Differs by root seat: a score for one root seat says nothing about another.
    std::uint64_t key() const { return position_.key() ^ mix(root_seat_ + 1U); }
    /// The estimate of the root seat, from the view of the side to move.
    Score evaluate() const { return seen(position_.estimates()[root_seat_]); }
    /// The result of the root seat when the game is over, from the view of the side to move.
    std::optional<int> end() const {
        const auto end = position_.end();
        if (!end) return std::nullopt;
        return seen((*end)[root_seat_]);
    }
    /// A side that cannot move where no rule covers it has lost.
    int value_without_moves() const { return -1; }

  protected:
    T position_;      ///< played on move by move
    Seat root_seat_;  ///< the seat for which the search looks for a move

  private:
    int seen(int value) const { return side() ? value : -value; }
};

}  // namespace spielleiter::search
