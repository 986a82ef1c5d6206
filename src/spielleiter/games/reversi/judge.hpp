/// @file
/// What stones are worth on any map to any number of players: terms that are counted alike for all
/// of them, each as a share of the whole table's, so that maps of all sizes speak the same
/// language.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/game.hpp"
#include "core/search/score.hpp"
#include "duel.hpp"
#include "terrain.hpp"

namespace spielleiter::reversi {

/// What is counted of one player's stones, then what is said of the seat to move. The names are
/// those of the fitted weights.
enum class Term : std::uint8_t {
    stones,    ///< number of stones
    mobility,  ///< cells where the player could set
    frontier,  ///< stones next to an empty cell
    anchors,   ///< stones where none can be taken, whatever happens
    rims,      ///< stones that can be taken along one axis only
    anchored,  ///< stones that lean on anchors and can never be taken
    risky,     ///< stones next to an empty anchor
    access,    ///< empty anchors where the player could set
    turn,      ///< what it is worth to move; with several players, how hard it is to be first
    parity,    ///< whether the seat to move has the last move if nobody passes (two players)
    regions,   ///< odd regions of empty cells against even ones (two players, near the end)
    exposed,   ///< how near the player is to losing all its stones (two players)
};
inline constexpr std::size_t terms = 12;   ///< how many there are
inline constexpr std::size_t counted = 8;  ///< so many are counted; the others follow from the turn
inline constexpr std::size_t knots = 4;    ///< from an empty map to a full one
inline constexpr int whole = 1024;         ///< a term is a share between −whole and whole

extern const std::array<std::string_view, terms> term_names;

/// In sixteenths of a unit of score; every weight is given for the knots and runs straight between.
using Weights = std::array<std::array<std::int16_t, knots>, terms>;
const Weights& fitted_weights(std::size_t players);
Weights weights_from(std::span<const std::int16_t> given, std::size_t players);

using Counts = std::array<int, counted>;  ///< of one player
using Shares = std::array<int, terms>;    ///< all terms, as shares of the table's

/// The weights at every number of empty cells of a map.
class Scale {
  public:
    Scale() = default;
    /// Unfolds the weights for a map of so many cells.
    Scale(const Weights& weights, int cells);

    /// Weights and shares as a score.
    search::Score score(const Shares& shares, int empties) const {
        const auto& row = rows_[static_cast<std::size_t>(empties)];
        std::int64_t sum = 0;
        for (std::size_t term = 0; term < terms; ++term)
            sum += std::int64_t{row[term]} * shares[term];
        return search::estimate(static_cast<search::Score>(sum / (std::int64_t{16} * whole)));
    }
    /// How much each knot counts, in parts of `whole`.
    static std::array<int, knots> mixture(int empties, int cells);

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
template <class Lattice>
Counts counts_of(const Terrain<Lattice>& terrain, const typename Lattice::Set& own,
                 const typename Lattice::Set& empty, const typename Lattice::Set& targets) {
    const auto free_anchors = empty & terrain.anchors();
    Counts counts{};
    counts[0] = own.count();
    counts[1] = targets.count();
    counts[2] = (grown<Lattice>(empty) & own).count();
    counts[3] = (own & terrain.anchors()).count();
    counts[4] = (own & terrain.rims()).count();
    counts[5] = terrain.anchored(own).count();
    counts[6] = free_anchors.any() ? (grown<Lattice>(free_anchors) & own).count() : 0;
    counts[7] = (targets & free_anchors).count();
    return counts;
}

/// Odd regions less even ones, as a share.
template <class Lattice>
int region_share(typename Lattice::Set empty) {
    int odd = 0;
    int all = 0;
    while (empty.any()) {
        const auto region = Terrain<Lattice>::region(empty);
        odd += region.count() & 1;
        ++all;
        empty = without(empty, region);
    }
    return whole * (2 * odd - all) / (all + 1);
}

inline constexpr int few_empties = 16;  ///< regions are looked at from here on

/// So many times as many stones are dangerous. Few stones are no danger by themselves: with a
/// factor of 2 the engine keeps too many and loses to players who keep few.
inline constexpr int outnumbered = 4;

/// How near a player is to losing all its stones: 0 unless it is outnumbered and none of its stones
/// leans on an anchor; otherwise the more the fewer stones it has, up to `whole`.
constexpr int exposure(const Counts& player, const Counts& opponent) {
    constexpr auto stones = static_cast<std::size_t>(Term::stones);
    constexpr auto anchored = static_cast<std::size_t>(Term::anchored);
    const int excess = opponent[stones] - outnumbered * player[stones];
    if (player[anchored] > 0 || excess <= 0) return 0;
    return 2 * whole * excess / (opponent[stones] * (1 + player[stones]));
}

/// A duel's terms for the player to move.
template <class Lattice>
Shares duel_shares(const Terrain<Lattice>& terrain, const Duel<Lattice>& duel,
                   const typename Lattice::Set& legal) {
    const Counts own = counts_of(terrain, duel.own, duel.empty, legal);
    const Counts other = counts_of(terrain, duel.other, duel.empty, duel.passed().moves());
    Shares shares{};
    for (std::size_t term = 0; term < counted; ++term)
        shares[term] = share(own[term], own[term] + other[term], 2, softness[term]);
    const int empties = duel.empty.count();
    shares[8] = whole;
    shares[9] = (empties & 1) != 0 ? whole : -whole;
    shares[10] = empties <= few_empties ? region_share<Lattice>(duel.empty) : 0;
    shares[11] = exposure(other, own) - exposure(own, other);
    return shares;
}

/// The judgement of duels on any map, as search asks for it.
template <class Lattice>
class DuelJudge {
  public:
    using Set = typename Lattice::Set;  ///< cells of the lattice
    struct Trace {};

    /// The terrain must outlive it.
    DuelJudge(const Terrain<Lattice>& terrain, const Weights& weights)
        : terrain_(&terrain), scale_(weights, terrain.count()) {}

    /// Nothing is kept from move to move.
    static Trace trace(const Duel<Lattice>&, Seat) { return {}; }
    /// Nothing is kept from move to move.
    static void follow(Trace&, std::size_t, const Set&, Seat) {}
    /// The score for the player to move.
    search::Score estimate(const Trace&, const Duel<Lattice>& duel, const Set& legal, Seat) const {
        return scale_.score(duel_shares(*terrain_, duel, legal), duel.empty.count());
    }

  private:
    const Terrain<Lattice>* terrain_;
    Scale scale_;
};

}  // namespace spielleiter::reversi
