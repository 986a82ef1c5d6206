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
/// - `most_gain()`: no move gains more than this;
/// - `move_of(slot)`: the move of a slot, legal or not, so that remembered moves need no list;
/// - `key_after(move)`: the key of a child, nearly always, to look it up early;
/// - a constructor from a parent and a move, where that is quicker than to copy and to play;
/// - `side()`: which side moves, where the turn does not always change;
/// - `plies_left()`: no game lasts longer, so a search of so many plies is exact;
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
    { c.end() } -> std::same_as<std::optional<int>>;   // over, by a rule other than no moves
    { c.value_without_moves() } -> std::same_as<int>;  // 1, 0 or −1 where there is no move
    { c.evaluate() } -> std::same_as<Score>;
    { move.code() } -> std::convertible_to<std::uint32_t>;
    { N::Move::coded(code) } -> std::same_as<typename N::Move>;
};

/// A node on which null-move pruning works.
template <class N>
concept Passes = requires(N n, const N c) {
    { c.may_pass() } -> std::same_as<bool>;
    n.pass();
};

/// A node that tells captures from quiet moves.
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

/// Any position as a node, copied whole: the root seat against all the others, who are assumed to
/// play together against it (paranoid search). With two seats that is the game itself. `Value`
/// estimates a position for a seat.
template <GamePosition P, class Value>
class PlainNode {
  public:
    using Move = typename P::Move;                    ///< of the game
    using Moves = typename P::Moves;                  ///< of the game
    static constexpr std::size_t slots = P::actions;  ///< an action is a slot

    /// A root: the seat to move is the root seat.
    explicit PlainNode(const P& position) : PlainNode(position, position.to_move()) {}
    /// Any node, as `root_seat` sees it.
    PlainNode(const P& position, Seat root_seat) : position_(position), root_seat_(root_seat) {}

    /// The game's own position.
    const P& position() const { return position_; }
    /// True where the root seat moves.
    bool side() const { return position_.to_move() == root_seat_; }
    /// Appends the legal moves.
    void list_moves(Moves& moves) const {
        for (const Move move : position_.legal_moves()) moves.push_back(move);
    }
    /// Whether the rules allow a move.
    bool is_legal(Move move) const { return !position_.why_illegal(move); }
    /// No move counts as a capture.
    int gain(Move) const { return 0; }
    /// The action number, for statistics.
    std::size_t slot(Move move) const { return position_.action(move); }
    /// Makes a move of the seat to move.
    void play(Move move) { position_.play(move); }
    /// Differs by root seat: a score for one root seat says nothing about another.
    std::uint64_t key() const { return position_.key() ^ mix(root_seat_ + 1U); }
    /// The estimate of the root seat, from the view of the side to move.
    Score evaluate() const {
        const Score score = estimate(Value{}(position_, root_seat_));
        return side() ? score : -score;
    }
    /// Alone on the first rank is a win; for two a shared first rank is a draw, for more it is not
    /// lost either.
    std::optional<int> end() const {
        const auto outcome = position_.outcome();
        if (!outcome) return std::nullopt;
        const bool first = outcome->ranks[root_seat_] == 1;
        const int value = !first ? -1 : outcome->winner() ? 1 : 0;
        return side() ? value : -value;
    }
    /// A side that cannot move where no rule covers it has lost.
    int value_without_moves() const { return -1; }

  private:
    P position_;
    Seat root_seat_;
};

}  // namespace spielleiter::search
