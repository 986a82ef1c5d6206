/// @file
/// Three or four players (or those that are left of them) as search plays on it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/search/best_first_tree.hpp"
#include "core/search/best_reply.hpp"
#include "core/search/maxn.hpp"
#include "core/search/multi_seat.hpp"
#include "core/search/paranoid.hpp"
#include "position.hpp"
#include "terms.hpp"
#include "win_probability.hpp"

namespace spielleiter::reversi {

/// What a map is worth to each of several players.
template <class Layout>
class MultiPlayerEvaluation {
  public:
    /// The geometry must outlive it.
    MultiPlayerEvaluation(const MapGeometry<Layout>& geometry,
                          std::span<const std::int16_t> weights)
        : geometry_(&geometry) {
        for (std::size_t players = 2; players <= max_seats; ++players)
            phase_weights_[players] =
                PhaseWeights(weights_from(weights, players), geometry.count());
    }

    /// The terms of a seat that still plays; whoever is disqualified counts for nobody.
    std::array<Shares, max_seats> shares(const Board<Layout>& board) const {
        std::array<Counts, max_seats> counts{};
        Counts all{};
        int players = 0;
        for (Seat seat = 0; seat < board.seats; ++seat) {
            if (!board.plays(seat)) continue;
            ++players;
            const auto targets = seat == board.mover ? board.legal : board.targets(seat);
            counts[seat] = counts_of(*geometry_, board.stones[seat], board.empty, targets);
            for (std::size_t term = 0; term < counted; ++term) all[term] += counts[seat][term];
        }
        std::array<Shares, max_seats> shares{};
        for (Seat seat = 0; seat < board.seats; ++seat) {
            if (!board.plays(seat)) continue;
            for (std::size_t term = 0; term < counted; ++term)
                shares[seat][term] = share(counts[seat][term], all[term], players, softness[term]);
            shares[seat][8] = whole;  // how often one of so many wins
        }
        return shares;
    }

    /// For every seat that still plays.
    std::array<search::Score, max_seats> estimates(const Board<Layout>& board) const {
        const auto found = shares(board);
        const auto players = static_cast<std::size_t>(popcount(board.remaining));
        const PhaseWeights& weights =
            phase_weights_[std::clamp<std::size_t>(players, 2, max_seats)];
        std::array<search::Score, max_seats> scores{};
        for (Seat seat = 0; seat < board.seats; ++seat)
            scores[seat] = board.plays(seat) ? weights.score(found[seat], board.empty.count()) : 0;
        return scores;
    }

  private:
    const MapGeometry<Layout>* geometry_;
    std::array<PhaseWeights, max_seats + 1> phase_weights_;
};

/// A number for a table and whose turn it is.
template <class Layout>
std::uint64_t key_of(const Board<Layout>& board) {
    std::uint64_t key = board.map_key + board.mover + 16U * board.remaining;
    for (std::size_t seat = 0; seat < board.seats; ++seat) {
        for (const auto word : board.stones[seat].words) {
            key = (key ^ word) * 0x9e3779b97f4a7c15ULL;
            key ^= key >> 29U;
        }
    }
    return key;
}

/// A table as paranoid, best-reply and max^n search play on it.
template <class Layout>
class MultiPlayerNode {
  public:
    using Move = reversi::Move;                      ///< of the game
    using Moves = Position::Moves;                   ///< of the game
    using Set = typename Layout::Set;                ///< cells of the layout
    static constexpr std::size_t slots = Set::size;  ///< one for each cell

    /// The first argument must outlive it.
    MultiPlayerNode(const MultiPlayerEvaluation<Layout>& evaluation, const Board<Layout>& board)
        : board_(board), evaluation_(&evaluation) {}

    /// How many began.
    std::size_t seats() const { return board_.seats; }
    /// Whose turn it is.
    Seat to_move() const { return board_.mover; }
    /// Appends the legal moves.
    void list_moves(Moves& moves) const {
        board_.legal.each([&](std::size_t cell) { moves.push_back(Move::on(board_, cell)); });
    }
    /// Whether any coded move may be made here.
    bool is_legal(Move move) const {
        return move.x < Layout::limit && move.y < Layout::limit && board_.legal.test(slot(move));
    }
    /// The cell, for statistics.
    static std::size_t slot(Move move) { return Layout::stride * move.y + move.x; }
    /// Makes a legal move.
    void play(Move move) { board_.play(slot(move)); }
    /// For tables.
    std::uint64_t key() const { return key_of(board_); }
    /// For every seat.
    std::array<search::Score, max_seats> estimates() const {
        return evaluation_->estimates(board_);
    }
    /// The result, once the game is over.
    std::optional<std::array<int, max_seats>> end() const {
        if (board_.legal.any()) return std::nullopt;
        std::array<int, max_seats> values{};
        for (Seat seat = 0; seat < board_.seats; ++seat) values[seat] = place_of(seat);
        return values;
    }
    /// Moves out of turn, for best-reply search.
    void list_moves_of(Seat seat, Moves& moves) const {
        if (!board_.plays(seat)) return;
        board_.targets(seat).each(
            [&](std::size_t cell) { moves.push_back(Move::on(board_, cell)); });
    }
    /// The same for a seat out of turn.
    bool is_legal_for(Seat seat, Move move) const {
        return move.x < Layout::limit && move.y < Layout::limit && board_.plays(seat) &&
               board_.targets(seat).test(slot(move));
    }
    /// A move out of turn; then it is the turn of `next`.
    void play_as(Seat seat, Move move, Seat next) {
        board_.mover = seat;
        board_.play(slot(move));
        board_.give_turn(next);
    }

  private:
    int stones(Seat seat) const { return board_.plays(seat) ? board_.stones[seat].count() : -1; }
    int place_of(Seat seat) const {
        int value = board_.plays(seat) ? 1 : -1;
        for (Seat other = 0; other < board_.seats; ++other) {
            if (other == seat) continue;
            if (stones(other) > stones(seat)) return -1;
            if (stones(other) == stones(seat)) value = std::min(value, 0);
        }
        return value;
    }

    Board<Layout> board_;
    const MultiPlayerEvaluation<Layout>* evaluation_;
};
static_assert(search::MultiSeatPosition<MultiPlayerNode<Small>>);

/// A table as best-first search plays on it.
template <class Layout>
class BestFirstNode {
  public:
    using Move = reversi::Move;     ///< of the game
    using Moves = Position::Moves;  ///< of the game

    BestFirstNode() = default;
    /// The first argument must outlive it.
    BestFirstNode(const WinProbability<Layout>& probability, const Board<Layout>& board)
        : board_(board), probability_(&probability) {}

    /// Whose turn it is.
    Seat to_move() const { return board_.mover; }
    /// Nobody can move.
    bool is_over() const { return board_.legal.none(); }
    /// Appends the legal moves.
    void list_moves(Moves& moves) const {
        board_.legal.each([&](std::size_t cell) { moves.push_back(Move::on(board_, cell)); });
    }
    /// Makes a legal move.
    void play(Move move) { board_.play(move.cell(board_)); }
    /// For tables.
    std::uint64_t key() const { return key_of(board_); }
    /// The first rank is what counts; stones count a little, so that whoever has lost plays on.
    search::SeatValues seat_values() const {
        search::SeatValues values = is_over() ? ranks() : probability_->chances(board_);
        float all = 1;
        for (Seat seat = 0; seat < board_.seats; ++seat) all += stones(seat);
        for (Seat seat = 0; seat < board_.seats; ++seat) {
            values[seat] = (1 - greed) * values[seat] + greed * stones(seat) / all;
        }
        return values;
    }

  private:
    static constexpr float greed = 0.03F;
    static constexpr float shared_rank = 0.9F;

    float stones(Seat seat) const {
        return board_.plays(seat) ? static_cast<float>(board_.stones[seat].count()) : 0.0F;
    }
    search::SeatValues ranks() const {
        float most = 0;
        int first = 0;
        for (Seat seat = 0; seat < board_.seats; ++seat) {
            if (stones(seat) > most) most = stones(seat), first = 0;
            if (stones(seat) == most) ++first;
        }
        search::SeatValues values{};
        for (Seat seat = 0; seat < board_.seats; ++seat) {
            if (board_.plays(seat) && stones(seat) == most)
                values[seat] = first == 1 ? 1.0F : shared_rank;
        }
        return values;
    }

    Board<Layout> board_{};
    const WinProbability<Layout>* probability_ = nullptr;
};
static_assert(search::BestFirstPosition<BestFirstNode<Small>>);

}  // namespace spielleiter::reversi
