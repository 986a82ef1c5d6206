/// @file
/// Who of three or four will be first: every player's chance of the first rank, from what can be
/// counted of a map and its stones. The chances of all add up to 1.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "board.hpp"
#include "core/game.hpp"
#include "core/search/exponential.hpp"
#include "map_geometry.hpp"

namespace spielleiter::reversi {

/// What is counted of each player; every one is a number between 0 and about 1. The names are those
/// of the fitted weights.
enum class Feature : std::uint8_t {
    bias,                ///< 1: what the place in the turn is worth by itself
    parity,              ///< 1 for who makes the last move if nobody is skipped
    stones,              ///< share of all stones
    lead,                ///< stones more than the best of the others, of all cells
    few_stones,          ///< near 1 with hardly any stone left
    moves,               ///< share of all players' moves
    no_moves,            ///< 1 for who cannot move
    frontier,            ///< share of all stones next to an empty cell
    corners,             ///< share of the map's corner-like cells, where no stone is ever taken
    edges,               ///< share of the map's cells that can be taken along one axis only
    stable,              ///< stones that can never be taken, of all cells
    near_corner,         ///< stones next to an empty corner, of all cells next to one
    corner_moves,        ///< empty corners within reach, of four
    first_corner_moves,  ///< those of them that nobody reaches who moves before, of four
    edge_moves,          ///< edge cells within reach, of eight
    exclusive_moves,     ///< cells that only this player can take, share of all players' moves
};
inline constexpr std::size_t features = 16;      ///< how many there are
inline constexpr std::size_t feature_knots = 5;  ///< from an empty map to a full one

extern const std::array<std::string_view, features> feature_names;

/// One number for each player, in the order of their turns: first the one to move.
using Turns = std::array<float, max_seats>;
using Features = std::array<Turns, features>;  ///< by feature, then by turn

/// For every feature and place in the turn the weights at the knots, in `weight_unit`ths; fitted to
/// self-played games (training/reversi/multi_player).
using WinProbabilityWeights =
    std::array<std::array<std::array<std::int16_t, feature_knots>, max_seats>, features>;
const WinProbabilityWeights& win_probability_weights(std::size_t players);
inline constexpr float weight_unit = 256.0F;  ///< weights are stored as whole numbers

/// Estimates on one map for one number of players.
template <class Layout>
class WinProbability {
  public:
    using Set = typename Layout::Set;  ///< cells of the layout

    /// The geometry must outlive it.
    WinProbability(const MapGeometry<Layout>& geometry, std::size_t players)
        : WinProbability(geometry, win_probability_weights(players)) {}
    /// The geometry must outlive it.
    WinProbability(const MapGeometry<Layout>& geometry, const WinProbabilityWeights& weights)
        : geometry_(&geometry),
          per_cell_(1.0F / static_cast<float>(std::max(1, geometry.count()))),
          per_corner_(1.0F / static_cast<float>(std::max(1, geometry.corners().count()))),
          per_edge_(1.0F / static_cast<float>(std::max(1, geometry.edges().count()))) {
        for (int empties = 0; empties <= geometry.count(); ++empties)
            rows_.push_back(row(weights, empties));
    }

    /// The players that still play, beginning with the one to move; returns how many there are.
    static std::size_t order(const Board<Layout>& board, std::array<Seat, max_seats>& seats) {
        std::size_t players = 0;
        Seat seat = board.mover;
        for (Seat step = 0; step < board.seats; ++step, seat = board.after(seat)) {
            if (board.plays(seat)) seats[players++] = seat;
        }
        return players;
    }

    /// Every seat's chance, while somebody can move.
    std::array<float, max_seats> chances(const Board<Layout>& board) const {
        std::array<Seat, max_seats> seats{};
        const std::size_t players = order(board, seats);
        const Features found = features_of(board, {seats.data(), players});
        const auto& weights = rows_[static_cast<std::size_t>(board.empty.count())];
        Turns sums{};
        for (std::size_t feature = 0; feature < features; ++feature) {
            for (std::size_t turn = 0; turn < max_seats; ++turn)
                sums[turn] += weights[feature][turn] * found[feature][turn];
        }
        return shared(board, {seats.data(), players}, sums);
    }

    /// What there is to see of every player, in the order of their turns.
    Features features_of(const Board<Layout>& board, std::span<const Seat> seats) const {
        const View view(*geometry_, board, seats);
        Features found{};
        Totals totals;
        for (std::size_t turn = 0; turn < seats.size(); ++turn) {
            count(found, totals, view, board.stones[seats[turn]], turn);
            look_at_corners(found, view, board.stones[seats[turn]], turn);
        }
        finish(found, totals, seats.size(), board.empty.count());
        return found;
    }

    /// How much each knot counts.
    std::array<float, feature_knots> interpolation(int empties) const {
        const float place = static_cast<float>(feature_knots - 1) *
                            (1.0F - static_cast<float>(empties) * per_cell_);
        const auto knot = std::min(feature_knots - 2, static_cast<std::size_t>(place));
        std::array<float, feature_knots> parts{};
        parts[knot + 1] = place - static_cast<float>(knot);
        parts[knot] = 1.0F - parts[knot + 1];
        return parts;
    }

  private:
    using Row = std::array<Turns, features>;

    // What brings a feature near 1 at most; guessed, since the fitted weights absorb the scale.
    static constexpr float per_near_corner = 1.0F / 8;  ///< cells round a corner
    static constexpr float per_corner_move = 1.0F / 4;  ///< corners within reach at once
    static constexpr float per_edge_move = 1.0F / 8;    ///< edge cells within reach at once
    // Added to what is divided by, so that few moves or stones are no division by nothing.
    static constexpr int least_stones = 1;
    static constexpr int least_moves = 2;

    /// What is the same for all players, or needs all of them.
    struct View {
        View(const MapGeometry<Layout>& geometry, const Board<Layout>& board,
             std::span<const Seat> seats)
            : near_empty(dilated<Layout>(board.empty)),
              corners(board.empty & geometry.corners()),
              near_corner(corners.any() ? dilated<Layout>(corners) : Set{}),
              safe(stable(geometry, board, seats)) {
            Set once;
            Set unclaimed = corners;
            for (std::size_t turn = 0; turn < seats.size(); ++turn) {
                reach[turn] = turn == 0 ? board.legal : board.targets(seats[turn]);
                claims[turn] = reach[turn] & unclaimed;
                unclaimed = without(unclaimed, reach[turn]);
                twice |= once & reach[turn];
                once |= reach[turn];
            }
        }

        static Set stable(const MapGeometry<Layout>& geometry, const Board<Layout>& board,
                          std::span<const Seat> seats) {
            Set owned;
            for (const Seat seat : seats) owned |= board.stones[seat];
            return geometry.stable(board.stones, owned, board.occupied);
        }

        Set near_empty;
        Set corners;  ///< the empty ones
        Set near_corner;
        Set safe;                             ///< stones that can never be taken
        std::array<Set, max_seats> reach{};   ///< where each could set
        std::array<Set, max_seats> claims{};  ///< corners that each reaches first
        Set twice;                            ///< cells within reach of more than one
    };

    struct Totals {
        int stones = 0;
        int moves = 0;
        int frontier = 0;
        int best = 0;    ///< the most stones of one player,
        int second = 0;  ///< and the most of the others

        void add(int own, int targets, int open) {
            stones += own;
            moves += targets;
            frontier += open;
            second = std::max(second, std::min(best, own));
            best = std::max(best, own);
        }
    };

    static void put(Features& found, Feature feature, std::size_t turn, float value) {
        found[static_cast<std::size_t>(feature)][turn] = value;
    }
    static float share(const Set& set, float unit) {
        return static_cast<float>(set.count()) * unit;
    }

    static void count(Features& found, Totals& totals, const View& view, const Set& own,
                      std::size_t turn) {
        const int stones = own.count();
        const int moves = view.reach[turn].count();
        const int frontier = (view.near_empty & own).count();
        totals.add(stones, moves, frontier);
        put(found, Feature::bias, turn, 1.0F);
        put(found, Feature::stones, turn, static_cast<float>(stones));
        put(found, Feature::few_stones, turn, 1.0F / static_cast<float>(least_stones + stones));
        put(found, Feature::moves, turn, static_cast<float>(moves));
        put(found, Feature::no_moves, turn, moves == 0 ? 1.0F : 0.0F);
        put(found, Feature::exclusive_moves, turn,
            share(without(view.reach[turn], view.twice), 1.0F));
        put(found, Feature::frontier, turn, static_cast<float>(frontier));
    }
    void look_at_corners(Features& found, const View& view, const Set& own,
                         std::size_t turn) const {
        const Set& reach = view.reach[turn];
        put(found, Feature::corners, turn, share(own & geometry_->corners(), per_corner_));
        put(found, Feature::edges, turn, share(own & geometry_->edges(), per_edge_));
        put(found, Feature::stable, turn, share(own & view.safe, per_cell_));
        put(found, Feature::near_corner, turn,
            share(own & view.near_corner, per_near_corner * per_corner_));
        put(found, Feature::corner_moves, turn, share(reach & view.corners, per_corner_move));
        put(found, Feature::first_corner_moves, turn, share(view.claims[turn], per_corner_move));
        put(found, Feature::edge_moves, turn, share(reach & geometry_->edges(), per_edge_move));
    }

    void finish(Features& found, const Totals& totals, std::size_t players, int empties) const {
        auto& stones = found[static_cast<std::size_t>(Feature::stones)];
        auto& moves = found[static_cast<std::size_t>(Feature::moves)];
        auto& quiet = found[static_cast<std::size_t>(Feature::exclusive_moves)];
        auto& frontier = found[static_cast<std::size_t>(Feature::frontier)];
        const float per_stone = 1.0F / static_cast<float>(least_stones + totals.stones);
        const float per_move = 1.0F / static_cast<float>(least_moves + totals.moves);
        const float per_open = 1.0F / static_cast<float>(least_moves + totals.frontier);
        const auto best = static_cast<float>(totals.best);
        const auto second = static_cast<float>(totals.second);
        for (std::size_t turn = 0; turn < players; ++turn) {
            const float rival = stones[turn] == best ? second : best;
            put(found, Feature::lead, turn, (stones[turn] - rival) * per_cell_);
            stones[turn] *= per_stone;
            moves[turn] *= per_move;
            quiet[turn] *= per_move;
            frontier[turn] *= per_open;
        }
        const auto last = static_cast<std::size_t>(empties + static_cast<int>(players) - 1);
        put(found, Feature::parity, last % players, 1.0F);
    }

    /// Who has no stone has no chance: it never comes back.
    static std::array<float, max_seats> shared(const Board<Layout>& board,
                                               std::span<const Seat> seats, const Turns& sums) {
        float most = std::numeric_limits<float>::lowest();
        for (std::size_t turn = 0; turn < seats.size(); ++turn) {
            if (board.stones[seats[turn]].any()) most = std::max(most, sums[turn]);
        }
        std::array<float, max_seats> chances{};
        float all = 0;
        for (std::size_t turn = 0; turn < seats.size(); ++turn) {
            if (board.stones[seats[turn]].none()) continue;
            chances[seats[turn]] = search::exp_negative(most - sums[turn]);
            all += chances[seats[turn]];
        }
        for (float& chance : chances) chance /= all;
        return chances;
    }

    Row row(const WinProbabilityWeights& weights, int empties) const {
        const auto parts = interpolation(empties);
        Row row{};
        for (std::size_t feature = 0; feature < features; ++feature) {
            for (std::size_t turn = 0; turn < max_seats; ++turn) {
                for (std::size_t knot = 0; knot < feature_knots; ++knot) {
                    row[feature][turn] += static_cast<float>(weights[feature][turn][knot]) /
                                          weight_unit * parts[knot];
                }
            }
        }
        return row;
    }

    const MapGeometry<Layout>* geometry_;
    float per_cell_;
    float per_corner_;
    float per_edge_;
    std::vector<Row> rows_;  ///< by empty cells
};

}  // namespace spielleiter::reversi
