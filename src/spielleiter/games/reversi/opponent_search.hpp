/// @file
/// What another player among three or four may do: the search that most players are written with,
/// under several evaluations.
///
/// Nearly everybody searches as if all others played together against it, and counts moves, corners
/// and stones. Programs differ in what they count and in how deep they look. So a profile says what
/// is counted, and a prediction tells the move chosen at every depth.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "board.hpp"
#include "core/game.hpp"
#include "core/random.hpp"
#include "core/search/stop.hpp"
#include "map_geometry.hpp"
#include "multi_player.hpp"

namespace spielleiter::reversi {

/// What a player counts, own things against those of all others.
struct Profile {
    std::string_view name;  ///< for people
    int moves;              ///< cells within reach, against the mean of the others'
    int corners;            ///< stones that are never taken because of where they lie
    int edges;              ///< stones that can be taken along one axis only
    int near_corners;       ///< the loss by a stone beside an empty corner
    int stones;             ///< on an empty map,
    int late_stones;        ///< and on a full one
};

/// The textbook's evaluations. Who mixes them otherwise mostly chooses the same moves.
inline constexpr std::array<Profile, 6> profiles{{
    {"moves and corners", 10, 120, 10, 30, 0, 10},
    {"moves and bare corners", 10, 80, 0, 0, 0, 10},
    {"cells", 0, 100, 10, 25, 2, 12},
    {"moves", 10, 0, 0, 0, 0, 10},
    {"stones and corners", 0, 100, 20, 0, 10, 10},
    {"stones", 0, 0, 0, 0, 10, 10},
}};

/// The move that a player would make, by the plies that it looks ahead.
class Prediction {
  public:
    static constexpr int deepest = 15;  ///< plies at most

    /// Plies of the last iteration that was finished; at least 1.
    int depth() const { return depth_; }
    /// The cell chosen at a depth; beyond the last iteration the one of the last.
    std::size_t at(int depth) const { return cells_[std::clamp(depth, 1, depth_) - 1]; }
    /// Plies of the last iteration that so many nodes suffice for.
    int depth_within(std::uint64_t nodes) const {
        int depth = 1;
        while (depth < depth_ && nodes_[depth] <= nodes) ++depth;
        return depth;
    }
    /// Of the next depth, for which so many nodes were visited from the first depth on.
    void add(std::size_t cell, std::uint64_t nodes) {
        cells_[depth_] = static_cast<std::uint8_t>(cell);
        nodes_[depth_++] = nodes;
    }

  private:
    std::array<std::uint8_t, deepest> cells_{};
    std::array<std::uint64_t, deepest> nodes_{};
    int depth_ = 0;
};

/// Alpha-beta for one player against all others, of any profile.
template <class Layout>
class OpponentSearch {
  public:
    using Set = typename Layout::Set;  ///< cells of the layout

    OpponentSearch() : table_(std::make_unique<Table>()) {}

    /// What the player to move would do, as far as it is found until the search is to stop. There
    /// must be a legal move.
    Prediction predict(const MapGeometry<Layout>& geometry, const Board<Layout>& board,
                       const Profile& profile, search::Stop& stop) {
        begin(geometry, board, profile, stop);
        Prediction found;
        Cells moves = ordered(board, no_cell, 0);
        found.add(moves[0], 0);
        if (moves.size() == 1) return found;
        const int plies = std::min(Prediction::deepest, board.empty.count());
        for (int depth = 1; depth <= plies; ++depth) {
            const std::size_t best = best_of(board, moves, depth);
            if (stopped_) break;
            if (depth == 1) found = {};
            found.add(best, nodes_);
            bring_forward(moves, best);
        }
        return found;
    }
    /// Positions visited by the last prediction.
    std::uint64_t nodes() const { return nodes_; }

  private:
    using Cells = MoveList<std::uint8_t, Move::codes>;
    static constexpr int infinite = 1'000'000'000;
    static constexpr int won = 100'000'000;       ///< more than any evaluation
    static constexpr int per_stone = 1'000;       ///< of a lead at the end
    static constexpr std::size_t no_cell = 0xff;  ///< no cell of a layout has this number
    static constexpr int table_bits = 15;
    static constexpr int least_table_depth = 2;  ///< shallower nodes are searched sooner than found

    struct Entry {
        std::uint64_t key = 0;
        int low = 0;
        int high = 0;
        std::int16_t depth = 0;
        std::uint8_t cell = no_cell;
    };
    using Table = std::array<Entry, std::size_t{1} << table_bits>;

    void begin(const MapGeometry<Layout>& geometry, const Board<Layout>& board,
               const Profile& profile, search::Stop& stop) {
        geometry_ = &geometry;
        profile_ = &profile;
        stop_ = &stop;
        me_ = board.mover;
        others_ = popcount(board.remaining) - 1;
        nodes_ = 0;
        stopped_ = false;
        salt_ = mix(++searches_);
        killers_.fill({no_cell, no_cell});
        for (int empties = 0; empties <= geometry.count(); ++empties)
            stone_worth_[empties] =
                profile.stones +
                std::max(0,
                         profile.late_stones * (geometry.count() - 4 * empties) / geometry.count());
    }

    /// A node more; true if the search is to stop.
    bool visit() {
        stopped_ = stop_->check(++nodes_);
        return stopped_;
    }

    std::size_t best_of(const Board<Layout>& board, const Cells& moves, int depth) {
        std::size_t best = moves[0];
        int alpha = -infinite;
        for (const std::size_t cell : moves) {
            Board<Layout> child = board;
            child.play(cell);
            int score = alpha == -infinite ? search(child, depth - 1, alpha, infinite, 1)
                                           : search(child, depth - 1, alpha, alpha + 1, 1);
            if (score > alpha && alpha != -infinite && !stopped_)
                score = search(child, depth - 1, alpha, infinite, 1);
            if (stopped_) break;
            if (score > alpha) alpha = score, best = cell;
        }
        return best;
    }

    /// The score for the player at the root, whoever moves.
    int search(const Board<Layout>& board, int depth, int alpha, int beta, std::size_t ply) {
        if (visit()) return 0;
        if (board.legal.none()) return at_end(board);
        if (depth <= 0) return evaluate(board);
        Entry* entry = nullptr;
        std::uint64_t key = 0;
        std::size_t first = no_cell;
        if (depth >= least_table_depth) {
            key = key_of(board) ^ salt_;
            entry = &(*table_)[key >> (64 - table_bits)];
            if (entry->key == key) {
                first = entry->cell;
                if (entry->depth >= depth && entry->low >= beta) return entry->low;
                if (entry->depth >= depth && entry->high <= alpha) return entry->high;
            }
        }
        const auto [best, chosen] = best_reply(board, depth, alpha, beta, ply, first);
        if (!stopped_ && entry != nullptr)
            *entry = {key, best > alpha ? best : -infinite, best < beta ? best : infinite,
                      static_cast<std::int16_t>(depth), static_cast<std::uint8_t>(chosen)};
        return best;
    }

    struct Choice {
        int score;
        std::size_t cell;
    };
    Choice best_reply(const Board<Layout>& board, int depth, int alpha, int beta, std::size_t ply,
                      std::size_t first) {
        const bool mine = board.mover == me_;
        Choice best{mine ? -infinite : infinite, no_cell};
        for (const std::size_t cell : ordered(board, first, ply)) {
            Board<Layout> child = board;
            child.play(cell);
            const int score =
                value(child, depth - 1, alpha, beta, ply + 1, mine, best.cell != no_cell);
            if (stopped_) return best;
            if (mine ? score > best.score : score < best.score) best = {score, cell};
            (mine ? alpha : beta) = mine ? std::max(alpha, best.score) : std::min(beta, best.score);
            if (alpha >= beta) {
                remember(ply, cell);
                break;
            }
        }
        return best;
    }
    /// Moves after the first are expected to be no better.
    int value(const Board<Layout>& child, int depth, int alpha, int beta, std::size_t ply,
              bool mine, bool late) {
        if (!late || beta - alpha <= 1) return search(child, depth, alpha, beta, ply);
        const int score = mine ? search(child, depth, alpha, alpha + 1, ply)
                               : search(child, depth, beta - 1, beta, ply);
        if (stopped_ || score <= alpha || score >= beta) return score;
        return search(child, depth, alpha, beta, ply);
    }

    void remember(std::size_t ply, std::size_t cell) {
        auto& killers = killers_[ply];
        if (killers[0] != cell) killers = {static_cast<std::uint8_t>(cell), killers[0]};
    }
    /// What the table says, corners, moves that refuted others, edges, and at last what is beside
    /// an empty corner.
    Cells ordered(const Board<Layout>& board, std::size_t first, std::size_t ply) const {
        Cells cells;
        Set rest = board.legal;
        const auto take = [&](std::size_t cell) {
            if (cell == no_cell || cell >= Set::size || !rest.test(cell)) return;
            rest.reset(cell);
            cells.push_back(static_cast<std::uint8_t>(cell));
        };
        const auto take_all = [&](const Set& among) {
            among.each([&](std::size_t cell) { cells.push_back(static_cast<std::uint8_t>(cell)); });
            rest = without(rest, among);
        };
        take(first);
        take_all(rest & geometry_->corners());
        for (const std::size_t killer : killers_[ply]) take(killer);
        const Set corners = board.empty & geometry_->corners();
        const Set late = corners.any() ? rest & dilated<Layout>(corners) : Set{};
        take_all(without(rest & geometry_->edges(), late));
        take_all(without(rest, late));
        take_all(late);
        return cells;
    }
    static void bring_forward(Cells& moves, std::size_t best) {
        const auto at = std::find(moves.begin(), moves.end(), best);
        std::rotate(moves.begin(), at, at + 1);
    }

    int evaluate(const Board<Layout>& board) const {
        const Set& own = board.stones[me_];
        // Own stones less those of all others: twice the own ones less all.
        const auto lead = [&](const Set& among) {
            return 2 * (own & among).count() - (board.occupied & among).count();
        };
        int score = stone_worth_[board.empty.count()] * (2 * own.count() - board.occupied.count());
        if (profile_->corners != 0) score += profile_->corners * lead(geometry_->corners());
        if (profile_->edges != 0) score += profile_->edges * lead(geometry_->edges());
        const Set corners = board.empty & geometry_->corners();
        if (profile_->near_corners != 0 && corners.any())
            score -= profile_->near_corners * lead(dilated<Layout>(corners));
        if (profile_->moves != 0) score += profile_->moves * surplus_of_moves(board) / others_;
        return score;
    }
    /// Own moves, once for each of the others, less all of theirs.
    int surplus_of_moves(const Board<Layout>& board) const {
        int surplus = 0;
        for (Seat seat = 0; seat < board.seats; ++seat) {
            if (!board.plays(seat)) continue;
            const int moves = (seat == board.mover ? board.legal : board.targets(seat)).count();
            surplus += seat == me_ ? others_ * moves : -moves;
        }
        return surplus;
    }
    /// Who has the most stones is first.
    int at_end(const Board<Layout>& board) const {
        int most = 0;
        for (Seat seat = 0; seat < board.seats; ++seat) {
            if (seat != me_ && board.plays(seat)) most = std::max(most, board.stones[seat].count());
        }
        const int lead = board.stones[me_].count() - most;
        return (lead > 0 ? won : lead < 0 ? -won : 0) + per_stone * lead;
    }

    const MapGeometry<Layout>* geometry_ = nullptr;
    const Profile* profile_ = nullptr;
    search::Stop* stop_ = nullptr;
    Seat me_ = 0;
    int others_ = 1;
    std::uint64_t nodes_ = 0;
    bool stopped_ = false;
    std::uint64_t salt_ = 0;
    std::uint64_t searches_ = 0;
    std::array<std::array<std::uint8_t, 2>, Prediction::deepest + 1> killers_{};
    std::array<int, Set::size + 1> stone_worth_{};
    std::unique_ptr<Table> table_;
};

}  // namespace spielleiter::reversi
