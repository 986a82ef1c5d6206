/// @file
/// Best-reply search: the hero moves, then that one of the others whose move hurts most, then the
/// hero again. Less true to the game than paranoid search, but it looks further ahead for the same
/// price, and its fear is nearer to what one meets.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hero.hpp"

namespace spielleiter::search {

/// A move and who makes it.
template <class M>
struct Reply {
    M move{};
    Seat seat = 0;

    bool operator==(const Reply&) const = default;
    std::uint32_t code() const {
        return static_cast<std::uint32_t>(move.code() * max_seats + seat);
    }
    static Reply coded(std::uint32_t code) {
        return {M::coded(code / max_seats), static_cast<Seat>(code % max_seats)};
    }
};

/// `T` also has `list_moves_of(seat, moves)` and `play_as(seat, move, next)`: a move out of turn,
/// after which it is the turn of `next` or of the first one behind who can move.
template <SeveralSeats T>
class BestReplyNode : public HeroView<T> {
    using HeroView<T>::table_;
    using HeroView<T>::hero_;

  public:
    using Move = Reply<typename T::Move>;
    using Moves = MoveList<Move, max_seats * T::Moves::capacity>;
    static constexpr std::size_t slots = max_seats * T::slots;

    using HeroView<T>::HeroView;
    using HeroView<T>::side;

    void list_moves(Moves& moves) const {
        const auto seats = static_cast<Seat>(table_.seats());
        for (Seat seat = 0; seat < seats; ++seat) {
            if (side() != (seat == hero_)) continue;
            typename T::Moves found;
            table_.list_moves_of(seat, found);
            for (const auto move : found) moves.push_back({move, seat});
        }
    }
    bool is_legal(Move move) const {
        return side() == (move.seat == hero_) && move.seat < table_.seats() &&
               table_.is_legal_for(move.seat, move.move);
    }
    static int gain(Move) { return 0; }
    static std::size_t slot(Move move) { return max_seats * T::slot(move.move) + move.seat; }
    void play(Move move) {
        if (side()) {
            table_.play(move.move);
        } else {
            table_.play_as(move.seat, move.move, hero_);
        }
    }
};

}  // namespace spielleiter::search
