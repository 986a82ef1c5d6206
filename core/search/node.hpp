/// @file
/// What search asks of a game: a node is a position made for being searched.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/game.hpp"
#include "core/random.hpp"
#include "score.hpp"

namespace spielleiter::search {

/// A position of two sides who move in turn. A node is copied, then played on; it may point to a
/// memory that belongs to one thread. Ends are 1, 0 or −1 for the side to move. Beyond this it may
/// offer
/// - `pass()` and `may_pass()`: the turn goes over without a move, for null-move pruning;
/// - `list_tactical_moves(moves)`, those with a gain, which quiescence looks at, and
///   `list_quiet_moves(moves)`, the others;
/// - `most_gain()`: no move gains more;
/// - `move_of(slot)`: the move of a slot, legal or not, so that remembered moves need no list;
/// - `key_after(move)`: the key of a child, nearly always, to look it up early;
/// - a constructor from a parent and a move, where that is quicker than to copy and to play;
/// - `side()`: which side moves, where the turn does not always change;
/// - `is_tense()`: the next move may decide, so nothing is pruned or estimated here.
template <class N>
concept Node = std::copyable<N> && requires(N n, const N c, typename N::Move move,
                                            typename N::Moves& moves, std::uint32_t code) {
    { c.list_moves(moves) } -> std::same_as<void>;         // appends all legal moves
    { c.is_legal(move) } -> std::same_as<bool>;            // any move that `coded` can make
    { c.gain(move) } -> std::convertible_to<int>;          // score it takes; 0 for a quiet move
    { c.slot(move) } -> std::convertible_to<std::size_t>;  // below N::slots, for statistics
    { N::slots } -> std::convertible_to<std::size_t>;
    { n.play(move) } -> std::same_as<void>;
    { c.key() } -> std::same_as<std::uint64_t>;
    { c.end() } -> std::same_as<std::optional<int>>;  // over, whoever can move
    { c.stuck() } -> std::same_as<int>;               // what it means that there is no move
    { c.evaluate() } -> std::same_as<Score>;
    { move.code() } -> std::convertible_to<std::uint32_t>;
    { N::Move::coded(code) } -> std::same_as<typename N::Move>;
};

template <class N>
concept Passes = requires(N n, const N c) {
    { c.may_pass() } -> std::same_as<bool>;
    n.pass();
};

template <class N>
concept Tactical = requires(const N c, typename N::Moves& moves) {
    { c.list_tactical_moves(moves) } -> std::same_as<void>;
    { c.list_quiet_moves(moves) } -> std::same_as<void>;
};

/// The position after a move.
template <Node N>
N child_of(const N& node, typename N::Move move) {
    if constexpr (std::constructible_from<N, const N&, typename N::Move>) {
        return N(node, move);
    } else {
        N child = node;
        child.play(move);
        return child;
    }
}

/// Whether the next move may decide the game.
template <Node N>
bool is_tense(const N& node) {
    if constexpr (requires { node.is_tense(); }) {
        return node.is_tense();
    } else {
        return false;
    }
}

/// Whether the turn did not change from a node to its child.
template <Node N>
bool same_side(const N& node, const N& child) {
    if constexpr (requires { node.side(); }) {
        return node.side() == child.side();
    } else {
        return false;
    }
}

/// Any position as a node, copied whole: one seat, `hero`, against all the others, who are taken to
/// play together against it (paranoid search). With two seats that is the game itself. `Value`
/// estimates a position for a seat.
template <GamePosition P, class Value>
class PlainNode {
  public:
    using Move = typename P::Move;
    using Moves = typename P::Moves;
    static constexpr std::size_t slots = P::actions;

    explicit PlainNode(const P& position) : PlainNode(position, position.to_move()) {}
    PlainNode(const P& position, Seat hero) : position_(position), hero_(hero) {}

    const P& position() const { return position_; }
    bool side() const { return position_.to_move() == hero_; }
    void list_moves(Moves& moves) const {
        for (const Move move : position_.legal_moves()) moves.push_back(move);
    }
    bool is_legal(Move move) const { return !position_.why_illegal(move); }
    int gain(Move) const { return 0; }
    std::size_t slot(Move move) const { return position_.action(move); }
    void play(Move move) { position_.play(move); }
    /// What is known of a position from one hero's view is no knowledge for another.
    std::uint64_t key() const { return position_.key() ^ mix(hero_ + 1U); }
    Score evaluate() const {
        const Score score = estimate(Value{}(position_, hero_));
        return side() ? score : -score;
    }
    /// Alone on the first rank is a win; for two a shared first rank is a draw, for more it is not
    /// lost either.
    std::optional<int> end() const {
        const auto outcome = position_.outcome();
        if (!outcome) return std::nullopt;
        const bool first = outcome->ranks[hero_] == 1;
        const int value = !first ? -1 : outcome->winner() ? 1 : 0;
        return side() ? value : -value;
    }
    /// Who cannot move where no rule covers it has lost.
    int stuck() const { return -1; }

  private:
    P position_;
    Seat hero_;
};

}  // namespace spielleiter::search
