/// @file
/// What stones are worth on any map to any number of players: terms that are counted alike for all
/// of them, each as a share of the whole table's, so that maps of all sizes speak the same
/// language.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/game.hpp"
#include "core/search/score.hpp"
#include "map_geometry.hpp"
#include "map_network.hpp"
#include "two_player_board.hpp"

namespace spielleiter::reversi {

/// What is counted of one player's stones, then what is said of the seat to move. The names are
/// those of the fitted weights.
enum class Term : std::uint8_t {
    stones,         ///< number of stones
    mobility,       ///< cells where the player could set
    frontier,       ///< stones next to an empty cell
    corners,        ///< stones where none can be taken, whatever happens
    edges,          ///< stones that can be taken along one axis only
    corner_stable,  ///< stones that lean on corners and can never be taken
    near_corner,    ///< stones next to an empty corner
    corner_moves,   ///< empty corners where the player could set
    tempo,          ///< what it is worth to move; with several players, how hard it is to be first
    parity,         ///< whether the seat to move has the last move if nobody passes (two players)
    regions,        ///< odd regions of empty cells against even ones (two players, near the end)
    exposed,        ///< how near the player is to losing all its stones (two players)
};
inline constexpr std::size_t terms = 12;   ///< how many there are
inline constexpr std::size_t counted = 8;  ///< so many are counted; the others follow from the turn
inline constexpr std::size_t knots = 4;    ///< from an empty map to a full one
inline constexpr int whole = 1024;         ///< a term is a share between −whole and whole,
                                           ///< `exposed` twice as much

extern const std::array<std::string_view, terms> term_names;

/// In sixteenths of a unit of score; every weight is given for the knots and runs straight between.
using Weights = std::array<std::array<std::int16_t, knots>, terms>;
const Weights& fitted_weights(std::size_t players);
Weights weights_from(std::span<const std::int16_t> given, std::size_t players);

using Counts = std::array<int, counted>;  ///< of one player
using Shares = std::array<int, terms>;    ///< all terms, as shares of the table's

/// The weights at every number of empty cells of a map.
class PhaseWeights {
  public:
    PhaseWeights() = default;
    /// Unfolds the weights for a map of so many cells.
    PhaseWeights(const Weights& weights, int cells);

    /// Weights and shares as a score.
    search::Score score(const Shares& shares, int empties) const {
        const auto& row = rows_[static_cast<std::size_t>(empties)];
        std::int64_t sum = 0;
        for (std::size_t term = 0; term < terms; ++term)
            sum += std::int64_t{row[term]} * shares[term];
        return search::estimate(static_cast<search::Score>(sum / (std::int64_t{16} * whole)));
    }
    /// How much each knot counts, in parts of `whole`.
    static std::array<int, knots> interpolation(int empties, int cells);

  private:
    std::vector<std::array<std::int32_t, terms>> rows_;
};

/// How much of the table's is `own`: −whole for nothing, 0 for as much as everybody.
constexpr int share(int own, int all, int players, int soft) {
    return whole * (players * (2 * own + soft) - (2 * all + players * soft)) /
           (2 * all + players * soft);
}

/// So many of each are as good as nothing: a share of little says little.
inline constexpr std::array<int, counted> softness{2, 2, 2, 2, 2, 2, 2, 1};

/// Counts what the first terms are made of.
template <class Layout>
Counts counts_of(const MapGeometry<Layout>& geometry, const typename Layout::Set& own,
                 const typename Layout::Set& empty, const typename Layout::Set& targets) {
    const auto free_corners = empty & geometry.corners();
    Counts counts{};
    counts[0] = own.count();
    counts[1] = targets.count();
    counts[2] = (dilated<Layout>(empty) & own).count();
    counts[3] = (own & geometry.corners()).count();
    counts[4] = (own & geometry.edges()).count();
    counts[5] = geometry.corner_stable(own).count();
    counts[6] = free_corners.any() ? (dilated<Layout>(free_corners) & own).count() : 0;
    counts[7] = (targets & free_corners).count();
    return counts;
}

/// Odd regions less even ones, as a share.
template <class Layout>
int region_share(typename Layout::Set empty) {
    int odd = 0;
    int all = 0;
    while (empty.any()) {
        const auto region = MapGeometry<Layout>::region(empty);
        odd += region.count() & 1;
        ++all;
        empty = without(empty, region);
    }
    return whole * (2 * odd - all) / (all + 1);
}

inline constexpr int few_empties = 16;  ///< regions are looked at from here on

/// Who has more stones than this, or is not outnumbered by this factor, is in no danger of losing
/// them all.
inline constexpr int few_stones = 12;
inline constexpr int outnumbered = 2;  ///< that factor

/// Whether a player might lose all its stones: it has few, the other has many, and none of its own
/// leans on a corner.
constexpr bool is_exposed(const Counts& player, const Counts& opponent) {
    constexpr auto stones = static_cast<std::size_t>(Term::stones);
    constexpr auto corner_stable = static_cast<std::size_t>(Term::corner_stable);
    return player[stones] > 0 && player[stones] <= few_stones &&
           opponent[stones] > outnumbered * player[stones] && player[corner_stable] == 0;
}

/// What `exposed` says where all stones of a player can be taken at once.
inline constexpr int taken_at_once = 2 * whole;

/// On smaller maps the danger counts less: corners are near.
inline constexpr int large_map = 128;  ///< cells

/// How likely an exposed player is to lose all its stones, in parts of `taken_at_once`. `kept` are
/// the stones that are left to it when it moves next. Fitted to positions that the engine played on
/// against itself (docs/lab/reversi.md); what is small is taken for nothing.
constexpr int wipe_out_risk(const Counts& player, const Counts& opponent, int kept) {
    constexpr auto stones = static_cast<std::size_t>(Term::stones);
    constexpr auto mobility = static_cast<std::size_t>(Term::mobility);
    constexpr int small = 16;
    const int moves = player[mobility] + 1;
    const int excess = whole * (opponent[stones] - player[stones]) / opponent[stones];
    const int tight = whole / (kept * kept) + 4 * whole / (moves * moves);
    const int odds = excess * excess / whole * tight / whole * 3 / 5;
    return 2 * std::max(0, whole * odds / (whole + odds) - small);
}

/// The most stones that a move takes.
template <class Layout>
int most_taken(const TwoPlayerBoard<Layout>& board, const typename Layout::Set& legal) {
    int most = 0;
    legal.each([&](std::size_t cell) { most = std::max(most, board.taken(cell).count()); });
    return most;
}

/// The danger of the other player less that of the player to move. Who has just moved is in danger
/// sooner: the other player takes stones first.
template <class Layout>
int exposure(const TwoPlayerBoard<Layout>& board, const typename Layout::Set& legal,
             const Counts& own, const Counts& other, int cells) {
    const int size = std::min(cells, large_map);
    if (is_exposed(own, other)) return -wipe_out_risk(own, other, own[0]) * size / large_map;
    if (!is_exposed(other, own)) return 0;
    const int kept = other[0] - most_taken(board, legal);
    return kept == 0 ? taken_at_once : wipe_out_risk(other, own, kept) * size / large_map;
}

/// A board's terms for the player to move.
template <class Layout>
Shares two_player_shares(const MapGeometry<Layout>& geometry, const TwoPlayerBoard<Layout>& board,
                         const typename Layout::Set& legal,
                         const typename Layout::Set& legal_for_other) {
    const Counts own = counts_of(geometry, board.own, board.empty, legal);
    const Counts other = counts_of(geometry, board.other, board.empty, legal_for_other);
    Shares shares{};
    for (std::size_t term = 0; term < counted; ++term)
        shares[term] = share(own[term], own[term] + other[term], 2, softness[term]);
    const int empties = board.empty.count();
    shares[8] = whole;
    shares[9] = (empties & 1) != 0 ? whole : -whole;
    shares[10] = empties <= few_empties ? region_share<Layout>(board.empty) : 0;
    shares[11] = exposure(board, legal, own, other, geometry.count());
    return shares;
}

/// The evaluation for two players on any map, as search asks for it.
template <class Layout>
class TwoPlayerEvaluation {
  public:
    using Set = typename Layout::Set;            ///< cells of the layout
    using Network = MapNetwork<Layout>;          ///< knows what the terms cannot say
    using Accumulator = typename Network::Sums;  ///< what follows the moves

    /// The geometry must outlive it. Without a network the terms decide.
    TwoPlayerEvaluation(const MapGeometry<Layout>& geometry, const Weights& weights,
                        std::shared_ptr<const Network> network)
        : geometry_(&geometry),
          phase_weights_(weights, geometry.count()),
          network_(std::move(network)) {}

    /// Of a board, seen by a seat.
    Accumulator accumulator(const TwoPlayerBoard<Layout>& board, Seat seat) const {
        return network_ ? network_->sums(board, seat) : Accumulator{};
    }
    /// After a move of a seat.
    void update(Accumulator& accumulator, std::size_t cell, const Set& taken, Seat seat) const {
        if (network_) network_->update(accumulator, cell, taken, seat);
    }
    /// The score for the player to move: certain if one move takes all stones of the other. Where
    /// the terms say that it lies far beyond these limits, the network is not asked. It may not
    /// play down that somebody could lose all stones: then the worse of both opinions counts.
    search::Score estimate(const Accumulator& accumulator, const TwoPlayerBoard<Layout>& board,
                           const Set& legal, Seat seat, search::Score low = -search::infinite,
                           search::Score high = search::infinite) const {
        const Set legal_for_other = board.passed().moves();
        const Shares shares = two_player_shares(*geometry_, board, legal, legal_for_other);
        const search::Score rough = terms_score(shares, board.empty.count());
        if (!network_ || search::is_certain(rough) || rough < low - doubt || rough > high + doubt)
            return rough;
        const search::Score score = search::estimate(
            network_->score(accumulator, seat, board.empty.count(), legal, legal_for_other, rough));
        const int danger = shares[static_cast<std::size_t>(Term::exposed)];
        return danger < 0 ? std::min(score, rough) : danger > 0 ? std::max(score, rough) : score;
    }
    /// The same by the terms alone.
    search::Score rough_estimate(const Accumulator&, const TwoPlayerBoard<Layout>& board,
                                 const Set& legal, Seat) const {
        return terms_score(two_player_shares(*geometry_, board, legal, board.passed().moves()),
                           board.empty.count());
    }

  private:
    /// The network seldom corrects by more.
    static constexpr search::Score doubt = 400;

    search::Score terms_score(const Shares& shares, int empties) const {
        if (shares.back() == taken_at_once)
            return search::certain + geometry_->count() - empties + 1;
        return phase_weights_.score(shares, empties);
    }

    const MapGeometry<Layout>* geometry_;
    PhaseWeights phase_weights_;
    std::shared_ptr<const Network> network_;
};

}  // namespace spielleiter::reversi
