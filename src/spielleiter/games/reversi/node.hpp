/// @file
/// A board as search plays on it: whose turn it is, what may be played, what it is worth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/search/node.hpp"
#include "map_geometry.hpp"
#include "position.hpp"
#include "two_player_board.hpp"

namespace spielleiter::reversi {

/// `Evaluation` estimates; its `Accumulator` follows the moves. A node points to its evaluation and
/// to its map.
template <class LayoutType, class Evaluation>
class TwoPlayerNode {
  public:
    using Layout = LayoutType;                       ///< of the board
    using Set = typename Layout::Set;                ///< cells of the layout
    using Move = reversi::Move;                      ///< of the game
    using Moves = Position::Moves;                   ///< of the game
    static constexpr std::size_t slots = Set::size;  ///< one for each cell
    /// Units of score that a stone more at the end is worth; 0 if estimates are about something
    /// else.
    static constexpr search::Score per_stone = [] {
        if constexpr (requires { Evaluation::per_stone; }) return Evaluation::per_stone;
        return 0;
    }();

    /// The first argument must outlive it.
    TwoPlayerNode(const Evaluation& evaluation, const Board<Layout>& board)
        : evaluation_(&evaluation), map_key_(board.map_key), seat_(board.mover) {
        board_ = {board.stones[seat_], board.stones[1U - seat_], board.empty};
        legal_ = board.legal;
        accumulator_ = evaluation.accumulator(board_, seat_);
    }

    /// Seen by the player to move.
    const TwoPlayerBoard<Layout>& board() const { return board_; }
    /// None when the game is over.
    const Set& legal() const { return legal_; }
    /// The seat to move.
    Seat side() const { return seat_; }
    /// Nobody can move.
    bool is_over() const { return legal_.none(); }
    /// Plies to the end, if nobody passes.
    int empties() const { return board_.empty.count(); }

    /// The bit of a move.
    static std::size_t cell(Move move) { return Layout::stride * move.y + move.x; }
    /// The move to a cell.
    static Move move_on(std::size_t cell) {
        return {static_cast<std::uint8_t>(cell % Layout::stride),
                static_cast<std::uint8_t>(cell / Layout::stride)};
    }
    /// Appends the legal moves.
    void list_moves(Moves& moves) const {
        legal_.each([&](std::size_t cell) { moves.push_back(move_on(cell)); });
    }
    /// Whether any coded move may be made here.
    bool is_legal(Move move) const {
        return move.x < Layout::limit && move.y < Layout::limit && legal_.test(cell(move));
    }
    /// No move counts as a capture.
    static int gain(Move) { return 0; }
    /// The cell, for statistics.
    static std::size_t slot(Move move) { return cell(move); }

    /// Makes a legal move.
    void play(Move move) { play(cell(move), board_.taken(cell(move))); }
    /// The turn goes over, unless the other player has no move and this one has.
    void play(std::size_t cell, const Set& taken) {
        evaluation_->update(accumulator_, cell, taken, seat_);
        board_ = board_.after(cell, taken);
        seat_ ^= 1U;
        legal_ = board_.moves();
        if (legal_.any()) return;
        const TwoPlayerBoard<Layout> back = board_.passed();
        if (const Set again = back.moves(); again.any()) {
            board_ = back;
            seat_ ^= 1U;
            legal_ = again;
        }
    }

    /// For tables.
    std::uint64_t key() const { return board_.key(map_key_); }
    /// The result, once the game is over.
    std::optional<int> end() const {
        if (legal_.any()) return std::nullopt;
        const int lead = board_.lead();
        return (lead > 0) - (lead < 0);
    }
    /// Nobody can move: the result.
    int value_without_moves() const { return *end(); }
    /// The estimate for the player to move.
    search::Score evaluate() const {
        return evaluation_->estimate(accumulator_, board_, legal_, seat_);
    }
    /// The same, but beyond these limits a rough estimate will do.
    search::Score evaluate(search::Score low, search::Score high) const {
        if constexpr (has_rough_estimate)
            return evaluation_->estimate(accumulator_, board_, legal_, seat_, low, high);
        return evaluate();
    }
    /// What takes least time.
    search::Score rough_evaluation() const {
        if constexpr (has_rough_estimate)
            return evaluation_->rough_estimate(accumulator_, board_, legal_, seat_);
        return evaluate();
    }

  private:
    static constexpr bool has_rough_estimate = requires { &Evaluation::rough_estimate; };

    TwoPlayerBoard<Layout> board_;
    Set legal_;  ///< none when the game is over
    typename Evaluation::Accumulator accumulator_;
    const Evaluation* evaluation_;
    std::uint64_t map_key_;
    Seat seat_;
};

}  // namespace spielleiter::reversi
