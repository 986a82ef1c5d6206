/// @file
/// Best-reply search: the hero moves, then that one of the others whose move hurts most, then the
/// hero again. Less true to the game than paranoid search, but it looks further ahead for the same
/// price, and its fear is nearer to what one meets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/random.hpp"
#include "several.hpp"

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
class BestReplyNode {
  public:
    using Move = Reply<typename T::Move>;
    using Moves = MoveList<Move, max_seats * T::Moves::capacity>;
    static constexpr std::size_t slots = max_seats * T::slots;

    explicit BestReplyNode(const T& table) : table_(table), hero_(table.to_move()) {}

    bool side() const { return table_.to_move() == hero_; }
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
    int stuck() const { return -1; }

  private:
    T table_;
    Seat hero_;
};

}  // namespace spielleiter::search
