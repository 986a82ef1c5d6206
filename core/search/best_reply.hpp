/// @file
/// Best-reply search: the root seat moves, then that one of the others whose move hurts most, then
/// the root seat again. Less true to the game than paranoid search, but it looks further ahead for
/// the same cost, and expects less cooperation between the others.
#pragma once

#include <cstddef>
#include <cstdint>

#include "root_seat.hpp"

namespace spielleiter::search {

/// A move and the seat that makes it.
template <class M>
struct SeatMove {
    M move{};       ///< as in the game
    Seat seat = 0;  ///< not always the one whose turn it is

    /// The same move by the same seat.
    bool operator==(const SeatMove&) const = default;
    /// One number for both parts.
    std::uint32_t code() const {
        return static_cast<std::uint32_t>(move.code() * max_seats + seat);
    }
    /// The inverse of `code`.
    static SeatMove coded(std::uint32_t code) {
        return {M::coded(code / max_seats), static_cast<Seat>(code % max_seats)};
    }
};

/// `T` also has `list_moves_of(seat, moves)` and `play_as(seat, move, next)`: a move out of turn,
/// after which it is the turn of `next`, or of the first seat behind it that can move.
template <MultiSeatPosition T>
class BestReplyNode : public RootSeatView<T> {
    using RootSeatView<T>::position_;
    using RootSeatView<T>::root_seat_;

  public:
    using Move = SeatMove<typename T::Move>;                       ///< says who moves
    using Moves = MoveList<Move, max_seats * T::Moves::capacity>;  ///< of all seats together
    static constexpr std::size_t slots = max_seats * T::slots;     ///< every seat has its own

    using RootSeatView<T>::RootSeatView;
    using RootSeatView<T>::side;

    /// Appends the moves of the root seat, or those of all others.
    void list_moves(Moves& moves) const {
        const auto seats = static_cast<Seat>(position_.seats());
        for (Seat seat = 0; seat < seats; ++seat) {
            if (side() != (seat == root_seat_)) continue;
            typename T::Moves found;
            position_.list_moves_of(seat, found);
            for (const auto move : found) moves.push_back({move, seat});
        }
    }
    /// Whether the seat of the move belongs to the side to move and could make it.
    bool is_legal(Move move) const {
        return side() == (move.seat == root_seat_) && move.seat < position_.seats() &&
               position_.is_legal_for(move.seat, move.move);
    }
    /// No move counts as a capture.
    static int gain(Move) { return 0; }
    /// Where the statistics of a move are kept.
    static std::size_t slot(Move move) { return max_seats * T::slot(move.move) + move.seat; }
    /// Makes a move; after one of the others it is the root seat's turn again.
    void play(Move move) {
        if (side()) {
            position_.play(move.move);
        } else {
            position_.play_as(move.seat, move.move, root_seat_);
        }
    }
};

}  // namespace spielleiter::search
