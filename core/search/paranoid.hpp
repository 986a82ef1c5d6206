/// @file
/// Paranoid search: the root seat against all the others, who are assumed to play together against
/// it. Then there are two sides, and alpha-beta does the rest.
#pragma once

#include <cstddef>

#include "root_seat.hpp"

namespace spielleiter::search {

/// A position of several seats as an alpha-beta node of two sides.
template <MultiSeatPosition T>
class ParanoidNode : public RootSeatView<T> {
    using RootSeatView<T>::position_;

  public:
    using Move = typename T::Move;                  ///< as in the game
    using Moves = typename T::Moves;                ///< as in the game
    using MultiSeat = T;                            ///< what `MaxN` plays on
    static constexpr std::size_t slots = T::slots;  ///< as in the game

    using RootSeatView<T>::RootSeatView;

    /// Appends the legal moves of the seat to move.
    void list_moves(Moves& moves) const { position_.list_moves(moves); }
    /// Whether the seat to move may make this move.
    bool is_legal(Move move) const { return position_.is_legal(move); }
    /// No move counts as a capture.
    static int gain(Move) { return 0; }
    /// Where the statistics of a move are kept.
    static std::size_t slot(Move move) { return T::slot(move); }
    /// Makes a move of the seat to move.
    void play(Move move) { position_.play(move); }
};

}  // namespace spielleiter::search
